#!/usr/bin/env python3
"""Pictures that stay in a device's memory, against those in main memory. Usage: device_test.py PATH_OF_ROUNDEL"""
import ctypes
import sys
import unittest

import numpy as np
import roundel

SCENE = {"version": 1, "image": {"width": 37, "height": 23}, "seed": 5,
         "layers": [{"random": {"count": 300, "radius": {"uniform": [0.01, 0.2]}}}]}
NEEDS_DEVICE = unittest.skipUnless(roundel.info()["devices"], "needs a CUDA device")


def scene(**image):
    return {**SCENE, "image": {**SCENE["image"], **image}}


def cuda_driver():
    """Returns the driver, with the context that libraries share."""
    driver, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
    assert driver.cuInit(0) == 0 and driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert driver.cuCtxSetCurrent(context) == 0
    return driver


class OnDevice:
    """An array's memory, including gaps, on device 0."""

    def __init__(self, array):
        driver, address = cuda_driver(), ctypes.c_uint64()
        size = (len(array) - 1) * array.strides[0] + array.itemsize
        assert driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size)) == 0
        assert driver.cuMemcpyHtoD_v2(address, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(size)) == 0
        self.__cuda_array_interface__ = {"version": 3, "shape": array.shape, "typestr": array.dtype.str,
                                         "strides": array.strides, "data": (address.value, True)}


class Device(unittest.TestCase):
    def test_conflicting_arguments_are_reported(self):
        for keywords, message in (({"device": "gpu"}, "device: expected \"cuda\" or None, got 'gpu'"),
                                  ({"device": "cuda", "backend": "cpu"}, 'device: expected backend "auto" or "cuda", got "cpu"'),
                                  ({"device": "cuda", "out": np.zeros((23, 37, 3), np.uint8)}, "out: expected without device"),
                                  ({"device": "cuda", "dtype": "float64"}, "dtype: expected uint8, uint16 or float32")):
            with self.assertRaisesRegex(roundel.UsageError, message):
                roundel.render(SCENE, **keywords)

    @unittest.skipIf(roundel.info()["devices"], "there is a CUDA device")
    def test_a_missing_device_is_reported(self):
        with self.assertRaisesRegex(roundel.RenderError, "^backend cuda: "):
            roundel.render(SCENE, device="cuda")

    @NEEDS_DEVICE
    def test_pixels_match_main_memory(self):
        for image in ({}, {"background": "#204060"}, {"alpha": True}, {"antialias": True}, {"dither": True}, {"width": 1, "height": 1}):
            for dtype in ("uint8", "uint16", "float32"):
                expected = roundel.render(scene(**image), dtype=dtype)
                drawn = roundel.render(scene(**image), dtype=dtype, device="cuda")
                self.assertIsInstance(drawn, roundel.DeviceArray)
                self.assertEqual((drawn.shape, drawn.dtype), (expected.shape, expected.dtype))
                np.testing.assert_array_equal(drawn.numpy(), expected, f"{image} {dtype}")

    @NEEDS_DEVICE
    def test_circles_on_the_device_draw_the_same_pixels(self):
        rng = np.random.default_rng(7)
        columns = {"x": rng.random(5000), "y": rng.random(5000), "values": rng.random(5000), "radius": np.full(5000, 0.01)}
        for column in columns.values():
            column.setflags(write=False)
        of_columns = roundel.Scene(size=(90, 70)).add(**columns, colormap="magma", order="values")
        moving = scene()
        moving["view"] = {"zoom": {"keys": {0: 1, 30: 4}}}
        moving["animation"] = {"frames": 31}
        rings = scene()
        rings["layers"] = [{**rings["layers"][0], "stroke": {"width": 0.004}}]
        for made, frames in ((roundel.Scene.from_dict(scene(antialias=True)), (0,) * 4), (of_columns, (0,) * 4),
                             (roundel.Scene.from_dict({"version": 1, "seed": 3, "image": {"width": 64, "height": 64},
                                                       "layers": [{"generator": "snow"}]}), (5, 9, 9, 2, 40)),
                             (roundel.Scene.from_dict(moving), (0, 30, 7, 7)), (roundel.Scene.from_dict(rings), (0,) * 3)):
            for frame in frames:
                expected = roundel.render(made, frame=frame, backend="cpu")
                for dtype in ("uint8", "float32"):
                    drawn = roundel.render(made, frame=frame, device="cuda", dtype=dtype)
                    if dtype == "uint8":
                        np.testing.assert_array_equal(drawn.numpy(), expected, f"frame {frame}")
                np.testing.assert_array_equal(roundel.render(made, frame=frame, backend="cuda"), expected)
        self.assertIs(of_columns._load(), of_columns._load())

    @NEEDS_DEVICE
    def test_columns_on_the_device_are_accepted(self):
        rng = np.random.default_rng(2)
        table = rng.random((3000, 2)).astype(np.float32)
        in_memory = {"x": table[:, 0], "y": table[:, 1], "radius": rng.random(3000) * 0.02,
                     "values": rng.integers(0, 9, 3000).astype(np.uint8)}
        on_device = {name: OnDevice(column) for name, column in in_memory.items()}
        expected = roundel.Scene(size=(80, 50)).add(**in_memory, colormap="magma")
        made = roundel.Scene(size=(80, 50)).add(**on_device, colormap="magma")
        for _ in range(3):
            np.testing.assert_array_equal(roundel.render(made, device="cuda").numpy(), roundel.render(expected))
        self.assertEqual(roundel.fingerprint(made), roundel.fingerprint(expected))
        self.assertIs(made._load(), made._load())

    @NEEDS_DEVICE
    def test_only_the_picture_that_does_not_fit_fails(self):
        expected = roundel.render(SCENE, backend="cpu")
        with self.assertRaisesRegex(roundel.RenderError, "(?i)memory"):
            kept = []
            while True:  # 16 GiB each
                kept.append(roundel.render({**SCENE, "layers": []}, size=(32768, 32768), device="cuda", dtype="float32"))
        del kept
        np.testing.assert_array_equal(roundel.render(SCENE, device="cuda").numpy(), expected)

    @unittest.skipUnless(len(roundel.info()["devices"]) > 1, "needs two CUDA devices")
    def test_the_threads_device_is_kept(self):
        driver, second, now = cuda_driver(), ctypes.c_void_p(), ctypes.c_void_p()
        self.assertEqual(driver.cuDevicePrimaryCtxRetain(ctypes.byref(second), 1), 0)
        self.assertEqual(driver.cuCtxSetCurrent(second), 0)
        roundel.render(SCENE, backend="cuda")
        roundel.render(SCENE, device="cuda")
        self.assertEqual(driver.cuCtxGetCurrent(ctypes.byref(now)), 0)
        self.assertEqual(now.value, second.value)

    @NEEDS_DEVICE
    def test_the_interface_names_the_memory(self):
        drawn = roundel.render(SCENE, device="cuda")
        interface = drawn.__cuda_array_interface__
        self.assertEqual((interface["version"], interface["shape"], interface["typestr"], interface["strides"]),
                         (3, (23, 37, 3), "|u1", None))
        host = np.empty(drawn.shape, np.uint8)
        self.assertEqual(cuda_driver().cuMemcpyDtoH_v2(host.ctypes.data_as(ctypes.c_void_p),
                                                ctypes.c_uint64(interface["data"][0]), ctypes.c_size_t(host.nbytes)), 0)
        np.testing.assert_array_equal(host, roundel.render(SCENE))

    @NEEDS_DEVICE
    def test_a_capsule_outlives_the_picture(self):
        drawn = roundel.render(SCENE, device="cuda", dtype="float32")
        self.assertEqual(drawn.__dlpack_device__(), (2, 0))
        expected, address = drawn.numpy(), drawn.__cuda_array_interface__["data"][0]
        capsule = drawn.__dlpack__(stream=1, max_version=(1, 0))
        del drawn
        for seed in range(20):
            self.assertNotEqual(roundel.render(SCENE, seed=seed, device="cuda", dtype="float32")
                                .__cuda_array_interface__["data"][0], address)
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        tensor = pointer(capsule, b"dltensor")
        self.assertEqual(ctypes.c_void_p.from_address(tensor).value, address)
        try:
            import torch
        except ImportError:
            return
        np.testing.assert_array_equal(torch.from_dlpack(capsule).cpu().numpy(), expected)

    @NEEDS_DEVICE
    def test_invalid_capsules_are_reported(self):
        drawn = roundel.render(SCENE, device="cuda")
        for keywords in ({"dl_device": (1, 0)}, {"copy": True}):
            with self.assertRaises(BufferError):
                drawn.__dlpack__(**keywords)
        drawn.__dlpack__(dl_device=(2, 0), copy=False)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
