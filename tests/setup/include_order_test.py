#!/usr/bin/env python3
"""include_order_test.py SOURCE_DIR: the folders of renderer/ include each other one way only."""
import pathlib
import re
import sys

# What each folder may include besides itself, all of it further up here; "" and . are renderer/ itself,
# with the frame loop.
BELOW = {
    "base": "",
    "pixels": "base",
    "data": "base",
    "map": "base pixels data",
    "scene": "base pixels data map",
    "generate": "base pixels data map scene",
    "image": "base pixels",
    "raster": "base pixels scene generate image",
    "compare": "base pixels scene image",
    "": "base pixels data map scene generate raster image",
    "sequence": "base pixels scene generate raster image .",
    "explain": "base pixels scene generate raster image",
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def folder_of(path: str) -> str:
    """The folder below renderer/: "raster" for renderer/raster/cpu/bin_circles.h, "" for renderer/render.h."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else ""


def problems_of(path: str, text: str) -> list[str]:
    """The includes against the order in the file at `path`, which begins with renderer/."""
    folder = folder_of(path)
    if folder not in BELOW:
        return [f"{path}: its folder is not in the order"]
    found = []
    for included in INCLUDE.findall(text):
        if not included.startswith("renderer/"):
            found.append(f"{path}: includes {included}, which is not in renderer/")
        elif folder_of(included) != folder and (folder_of(included) or ".") not in BELOW[folder].split():
            found.append(f"{path}: includes {included}, against the order of the folders")
    return found


def main() -> int:
    folders = [folder or "." for folder in BELOW]
    for folder, below in zip(folders, BELOW.values()):
        assert set(below.split()) <= set(folders[:folders.index(folder)]), f"{folder} is not above {below}"
    # The check itself: each of these is planted and must be found.
    for path, planted in [("renderer/scene/a.cpp", "renderer/generate/generate.h"),
                          ("renderer/image/a.h", "renderer/raster/cpu/bin_circles.h"),
                          ("renderer/raster/cuda/a.cu", "renderer/render.h"),
                          ("renderer/raster/a.cpp", "renderer/render.h"),
                          ("renderer/render.cpp", "renderer/sequence/frame_list.h"),
                          ("renderer/base/a.h", "tools/roundel/options.h"),
                          ("renderer/unknown/a.h", "renderer/base/error.h")]:
        text = f'#include <vector>\n#include "renderer/base/error.h"\n  # include "{planted}"\n'
        assert len(problems_of(path, text)) == 1, (path, planted)
    assert not problems_of("renderer/raster/cpu/a.cpp", '#include "renderer/generate/circle.h"\n')

    source = pathlib.Path(sys.argv[1])
    files = [f for f in sorted(source.glob("renderer/**/*")) if f.suffix in {".h", ".cpp", ".cu", ".cuh"}]
    assert len(files) > 100, f"only {len(files)} files in {source}/renderer"
    problems = [p for f in files for p in problems_of(str(f.relative_to(source)), f.read_text())]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
