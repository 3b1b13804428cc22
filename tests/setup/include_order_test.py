#!/usr/bin/env python3
"""include_order_test.py SOURCE_DIR: the folders of renderer/ and tools/roundel/ include each other in one direction
only.
"""
import pathlib
import re
import sys

# The folders that each folder may include, all of them further up here; "" and . are renderer/ itself, with the frame
# loop.
BELOW = {
    "base": "",
    "pixels": "base",
    "format": "base",
    "data": "base",
    "map": "base pixels format data",
    "scene": "base pixels format data map",
    "circles": "base pixels data map scene",
    "image": "base pixels",
    "raster": "base pixels scene circles image",
    "": "base pixels data map scene circles raster image",
    "film": "base pixels format scene circles raster image .",
    "explain": "base pixels format scene circles raster image .",
    "compare": "base pixels format image",
    "api": "base pixels format data map scene circles raster image compare .",
    "cli": "base pixels format data map scene circles raster image film .",
    "commands": "base pixels format data map scene circles raster image film explain compare cli .",
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def folder_of(path: str) -> str:
    """Returns the folder: "raster" for renderer/raster/cpu/bin_circles.h, "" for renderer/render.h, "cli" for
    tools/roundel/cli/terminal.h. Throws ValueError for files elsewhere.
    """
    match = re.match(r"(?:renderer|tools/roundel(?=/.*/))/(?:([^/]+)/)?", path)
    if not match:
        raise ValueError(f"{path} is not in renderer/, nor in a folder of tools/roundel/")
    return match[1] or ""


def problems_of(path: str, text: str) -> list[str]:
    """Returns the includes against the order in the file at `path`."""
    folder = folder_of(path)
    if folder not in BELOW:
        return [f"{path}: its folder is not in the order"]
    found = []
    for included in INCLUDE.findall(text):
        try:
            other = folder_of(included)
        except ValueError as error:
            found.append(f"{path}: includes {error}")
            continue
        if other != folder and (other or ".") not in BELOW[folder].split():
            found.append(f"{path}: includes {included}, against the order of the folders")
    return found


def main() -> int:
    folders = [folder or "." for folder in BELOW]
    for folder, below in zip(folders, BELOW.values()):
        assert set(below.split()) <= set(folders[:folders.index(folder)]), f"{folder} is not above {below}"
    # Tests the check itself: each planted include must be found.
    for path, planted in [("renderer/scene/a.cpp", "renderer/circles/generate.h"),
                          ("renderer/image/a.h", "renderer/raster/cpu/bin_circles.h"),
                          ("renderer/raster/cuda/a.cu", "renderer/render.h"),
                          ("renderer/raster/a.cpp", "renderer/render.h"),
                          ("renderer/render.cpp", "renderer/film/frame_list.h"),
                          ("renderer/base/a.h", "tools/roundel/options.h"),
                          ("renderer/unknown/a.h", "renderer/base/error.h")]:
        text = f'#include <vector>\n#include "renderer/base/error.h"\n  # include "{planted}"\n'
        assert len(problems_of(path, text)) == 1, (path, planted)
    assert not problems_of("renderer/raster/cpu/a.cpp", '#include "renderer/circles/circle.h"\n')

    source = pathlib.Path(sys.argv[1])
    files = [f for where in ("renderer", "tools/roundel/cli", "tools/roundel/commands")
             for f in sorted((source / where).glob("**/*")) if f.suffix in {".h", ".cpp", ".cu", ".cuh"}]
    assert len(files) > 100, f"only {len(files)} files in {source}"
    problems = [p for f in files for p in problems_of(str(f.relative_to(source)), f.read_text())]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
