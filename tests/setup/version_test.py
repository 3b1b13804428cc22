#!/usr/bin/env python3
"""version_test.py SOURCE_DIR BUILD_DIR ROUNDEL [PYTHON]: the version is what project() in CMakeLists.txt says, in the
program, its files, the CMake package, the Debian packages, the CHANGELOG and, with PYTHON, the Python module.
"""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

SCENE = "version: 1\nimage: {width: 8, height: 8}\nlayers: [{generator: rgb}]\n"


def text_of(pattern: str, text: str) -> str:
    """Returns the pattern's group in the text, or "none"."""
    found = re.search(pattern, text, re.MULTILINE)
    return found.group(1) if found else "none"


def png_software(data: bytes) -> str:
    at = data.index(b"tEXtSoftware\0")
    return data[at + 13:at + 4 + int.from_bytes(data[at - 4:at], "big")].decode()


def exr_software(data: bytes) -> str:
    start = b"software\0string\0"
    at = data.index(start) + len(start)
    return data[at + 4:at + 4 + struct.unpack("<i", data[at:at + 4])[0]].decode()


def main() -> int:
    source, build, roundel = (pathlib.Path(os.path.abspath(argument)) for argument in sys.argv[1:4])

    def run(*arguments: str) -> str:
        return subprocess.run(arguments, cwd=folder, check=True, capture_output=True, text=True).stdout

    expected = text_of(r"^project\(roundel VERSION (\S+)", (source / "CMakeLists.txt").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "s.yaml").write_text(SCENE, encoding="utf-8")
        for name in ("a.png", "a.exr"):
            run(str(roundel), "render", "s.yaml", "--backend", "cpu", "-o", name)
        cmake = (build / "renderer/RoundelConfigVersion.cmake").read_text(encoding="utf-8")
        cpack = (build / "CPackConfig.cmake").read_text(encoding="utf-8")
        changes = (source / "CHANGELOG.md").read_text(encoding="utf-8")
        found = {
            "roundel --version": run(str(roundel), "--version").removeprefix("roundel ").strip(),
            "roundel info --json": json.loads(run(str(roundel), "info", "--json"))["version"],
            "Software of a PNG file": png_software((pathlib.Path(folder) / "a.png").read_bytes()).removeprefix("roundel "),
            "software of an EXR file": exr_software((pathlib.Path(folder) / "a.exr").read_bytes()).removeprefix("roundel "),
            "find_package(Roundel)": text_of(r'^set\(PACKAGE_VERSION "(.*)"\)', cmake),
            "CHANGELOG.md": text_of(r"^## (\S+)", changes),
            "Debian packages": text_of(r'^set\(CPACK_PACKAGE_VERSION "(.*)"\)', cpack),
        }
        if len(sys.argv) > 4:
            os.environ["PYTHONPATH"] = str(build / "python")
            found["roundel.__version__"] = run(sys.argv[4], "-c", "import roundel; print(roundel.__version__)").strip()
    wrong = [f"{place}: expected {expected}, got {version}" for place, version in found.items() if version != expected]
    print("\n".join(wrong or found))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
