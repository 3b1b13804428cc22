#!/usr/bin/env python3
"""make_tables.py FOLDER: writes files with NumPy and h5py, for hdf5_test.cpp."""
import os
import sys

import h5py
import numpy as np

ROWS = 100_000
n = np.arange(ROWS)
os.chdir(sys.argv[1])

# NumPy: the columns' contents follow from the row's number.
table = np.zeros(ROWS, dtype=[("n", "<i4"), ("half", ">f8"), ("small", "u1"), ("name", "U8"), ("rgb", "f4", (3,))])
table["n"], table["half"], table["small"], table["name"] = n, n / 2, n % 256, [f"k{i % 7}" for i in n]
table["rgb"] = n[:, None] + np.array([0, 0.25, 0.5])
np.save("structured.npy", table)
np.save("fortran.npy", np.asfortranarray(np.stack([n, n / 2, n % 256], axis=1)))
np.savez("stored.npz", n=n, half=n / 2, small=(n % 256).astype("u1"))
np.savez_compressed("deflated.npz", n=n, half=n / 2, small=(n % 256).astype("u1"))
np.savetxt("blanks.txt", np.stack([n, n / 2, n % 256], axis=1)[:1000])

with h5py.File("groups.h5", "w") as f:
    cells = f.create_group("cells")
    cells["n"] = n.astype(">i8")
    cells.create_dataset("half", data=n / 2, chunks=(3000,), compression="gzip", shuffle=True)
    cells.create_dataset("small", data=(n % 256).astype("u1"), chunks=(7000,), fletcher32=True)
    cells["name"] = np.array([f"k{i % 7}" for i in n], dtype=object)
    cells["fixed"] = np.array([f"k{i % 7}".encode() for i in n], dtype="S4")
    cells["even"] = n % 2 == 0
    cells["f2"] = (n % 100).astype("f2")
    cells["rgb"] = (n[:, None] + np.array([0, 0.25, 0.5])).astype("f4")
    cells["version"] = 3
    f["genes/name"] = np.array(["a", "b"], dtype="S4")
    f["genes/longer"] = np.zeros(3)
    f["deep/er/x"] = np.zeros(3)
    f["link"] = h5py.ExternalLink("other.h5", "/x")
    f["cube"] = np.zeros((2, 2, 2))
    f["scalar"] = 1.5
with h5py.File("compound.h5", "w") as f:
    rows = np.zeros(ROWS, dtype=[("n", "<i4"), ("half", ">f8"), ("name", h5py.string_dtype()), ("rgb", "f4", (3,)),
                                 ("in", [("k", "i2")])])
    rows["n"], rows["half"], rows["name"] = n, n / 2, [f"k{i % 7}" for i in n]
    rows["rgb"], rows["in"]["k"] = n[:, None] + np.array([0, 0.25, 0.5]), n % 1000
    f.create_dataset("table", data=rows, chunks=(1000,))
with h5py.File("array.h5", "w") as f:
    f["a"] = np.stack([n, n / 2, n % 256], axis=1)
with h5py.File("chunked_array.h5", "w") as f:
    f.create_dataset("a", data=np.stack([n, n / 2, n % 256], axis=1), chunks=(999, 2), compression="gzip")
with h5py.File("virtual.h5", "w") as f:
    layout = h5py.VirtualLayout(shape=(ROWS,), dtype="f8")
    layout[:] = h5py.VirtualSource("array.h5", "a", shape=(ROWS, 3))[:, 0]
    f.create_virtual_dataset("v", layout)
with h5py.File("external.h5", "w") as f:
    f.create_dataset("x", (10,), "f8", external=[("raw.bin", 0, 80)])
with h5py.File("filter.h5", "w") as f:
    space, kind = h5py.h5s.create_simple((100,)), h5py.h5t.NATIVE_FLOAT
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_chunk((10,))
    creation.set_filter(32015, h5py.h5z.FLAG_OPTIONAL, (3,))  # Zstandard, by a plugin
    h5py.h5d.create(f.id, b"x", kind, space, creation)
with h5py.File("large_chunks.h5", "w") as f:
    f.create_dataset("x", (2**40,), "f8", chunks=(2**28,), compression="gzip")
with h5py.File("types.h5", "w") as f:
    f["complex"] = np.zeros(3, dtype="c8")
    f["reference"] = np.array([f["complex"].ref] * 3, dtype=h5py.ref_dtype)
    f["list"] = np.array([np.zeros(2)] * 3 + [None], dtype=object)[:3].astype(h5py.vlen_dtype("f8"))
with h5py.File("mixed.h5", "w") as f:
    f["x"], f["longer"], f["box"], f["cube"] = n, np.zeros(3), 1.5, np.zeros((2, 2, 2))
    f.create_dataset("y", data=n / 2, chunks=(3000,), compression="gzip")
    f["reference"], f["link"] = np.array([f["x"].ref], dtype=h5py.ref_dtype), h5py.SoftLink("/none")
    f["list"] = np.array([np.zeros(2), None], dtype=object)[:1].astype(h5py.vlen_dtype("f8"))
    f["opaque"], f["long"] = np.zeros(3, "V5"), np.zeros(3, np.longdouble)
    f["table"] = np.array([(0, b""), (1, b"")], dtype=[("a", "i4"), ("b", "V3")])
    h5py.h5d.create(f.id, b"packed", kind, space, creation)

# With the layout of pandas and AnnData.
with h5py.File("pandas.h5", "w") as f:
    frame = f.create_group("df")
    frame.attrs["pandas_type"] = np.bytes_("frame")
    frame["axis0"], frame["axis1"] = np.array([b"x", b"y"]), np.arange(5)
    frame["block0_items"], frame["block0_values"] = np.array([b"x", b"y"]), np.zeros((5, 2))
with h5py.File("pandas_table.h5", "w") as f:
    frame = f.create_group("df")
    frame.attrs["pandas_type"] = np.bytes_("frame_table")
    frame["table"] = np.zeros(5, dtype=[("index", "i8"), ("values_block_0", "f8", (1,))])
with h5py.File("cells.h5ad", "w") as f:
    f.attrs["encoding-type"] = "anndata"
    f["X"] = np.zeros((5, 3), "f4")
    f["obsm/X_umap"] = np.zeros((5, 2))
    f["obs/_index"], f["obs/score"] = np.array([b"a"] * 5), np.zeros(5)
    f["obs/cell_type/codes"], f["obs/cell_type/categories"] = np.zeros(5, "i1"), np.array([b"T"])
    f.create_group("var")
