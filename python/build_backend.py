"""Builds the wheel for `pip install .` (PEP 517): CMake builds the module, which is packed with the package, the
library's own modules and the program that reads HDF5. Other libraries are the system's. `--config-settings
build-dir=DIR` takes an existing build folder.
"""

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULES = ("libroundel_exr.so", "roundel-hdf5")
OPTIONAL_MODULES = ("libroundel_jpeg.so", "libroundel_webp.so")


def _version():
    return re.search(r"project\(roundel VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def _missing_packages():
    """Returns the missing Debian or Ubuntu packages of a build; empty without dpkg."""
    if not shutil.which("dpkg-query"):
        return []
    script = 'source tools/packages.sh; printf "%s\\n" "${build_packages[@]}" "${python_packages[@]}"'
    wanted = subprocess.run(["bash", "-c", script], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    known = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package}\n", *wanted], capture_output=True,
                           text=True, check=False).stdout.splitlines()
    installed = {line.split()[1] for line in known if line.startswith("installed ")}
    # A Python that is not the system's brings its own headers.
    if (pathlib.Path(sysconfig.get_path("include")) / "Python.h").exists():
        installed.add("python3-dev")
    return [name for name in wanted if name not in installed]


def _print_missing():
    missing = _missing_packages()
    if missing:
        raise SystemExit(f"roundel: these packages are missing: apt-get install {' '.join(missing)}")
    if not (pathlib.Path(sysconfig.get_path("include")) / "Python.h").exists():
        raise SystemExit(f"roundel: {sys.executable} has no header Python.h")
    for program in ("cmake", "ninja", "c++"):
        if not shutil.which(program):
            raise SystemExit(f"roundel: {program} is missing")


def _build(folder):
    """Builds the module in a CMake folder, which is made if it is missing."""
    if not (folder / "CMakeCache.txt").exists():
        _print_missing()
        subprocess.run(["cmake", "--preset", "release", "-B", str(folder), "-DROUNDEL_TESTS=OFF", "-DROUNDEL_PYTHON=ON",
                        f"-DPython_EXECUTABLE={sys.executable}"], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", str(folder), "--target", "roundel_python"], check=True)


def _files(folder):
    """Returns the wheel's files: (name, path)."""
    package = folder / "python" / "roundel"
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    names = sorted(p.name for p in (ROOT / "python" / "roundel").iterdir() if p.is_file()) + ["_core" + suffix]
    yield from ((f"roundel/{name}", package / name) for name in names)
    modules = folder / "lib" / "roundel"
    found = [name for name in OPTIONAL_MODULES if (modules / name).exists()]
    yield from ((f"roundel/lib/roundel/{name}", modules / name) for name in [*MODULES, *found])


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):  # noqa: the names are PEP 517's
    del metadata_directory
    chosen = (config_settings or {}).get("build-dir")
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    folder = pathlib.Path(chosen).resolve() if chosen else ROOT / "build" / f"pip-{tag}"
    _build(folder)
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    info = f"roundel-{_version()}.dist-info"
    texts = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: roundel\nVersion: {_version()}\n"
                            "Summary: Offline renderer for translucent circles\nLicense: Apache-2.0\n"
                            "Requires-Python: >=3.9\nRequires-Dist: numpy\n",
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: roundel\nRoot-Is-Purelib: false\nTag: {tag}-{tag}-{platform}\n",
    }
    name = f"roundel-{_version()}-{tag}-{tag}-{platform}.whl"
    records = []
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        def add(entry, data):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            records.append(f"{entry.filename},sha256={digest},{len(data)}\n")
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED)

        for path, file in _files(folder):
            add(zipfile.ZipInfo.from_file(file, path, strict_timestamps=False), file.read_bytes())  # with its mode, since one is a program
        for path, text in texts.items():
            add(zipfile.ZipInfo(path), text.encode())
        wheel.writestr(f"{info}/RECORD", "".join(records) + f"{info}/RECORD,,\n")
    return name


def build_sdist(sdist_directory, config_settings=None):  # noqa: the names are PEP 517's
    raise SystemExit("roundel: there is no source package: install from a checkout")
