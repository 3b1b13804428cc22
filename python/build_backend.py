"""Builds the wheel for `pip install .` (PEP 517): CMake builds the module, which is packed with the package, the
library's own modules and the program that reads HDF5. `--config-settings build-dir=DIR` takes an existing build folder.
Other libraries are the system's, or go into the wheel with `--config-settings bundle=yes`, as in tools/release.
"""

import base64
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULES = ("libroundel_exr.so", "roundel-hdf5")
OPTIONAL_MODULES = ("libroundel_cuda.so", "libroundel_jpeg.so", "libroundel_webp.so")


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


def _bundle(tree, info):
    """Adds the libraries of the system that the module needs; returns the tag of the platforms where they work."""
    for path in (tree / "roundel").rglob("*"):
        if path.suffix == ".so" or os.access(path, os.X_OK) and path.is_file():
            subprocess.run(["strip", "--strip-unneeded", str(path)], check=True)
    subprocess.run([sys.executable, str(ROOT / "tools/bundle-libraries"), str(tree), "roundel/lib", f"{info}/licenses"],
                   check=True, stdout=subprocess.DEVNULL)
    return "manylinux_" + "_".join(platform.libc_ver()[1].split(".")[:2]) + "_" + platform.machine()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):  # noqa: the names are PEP 517's
    """With the setting `bundle` it needs nothing of the system except libc and libstdc++."""
    del metadata_directory
    settings = config_settings or {}
    chosen = settings.get("build-dir")
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    folder = pathlib.Path(chosen).resolve() if chosen else ROOT / "build" / f"pip-{tag}"
    _build(folder)
    info = f"roundel-{_version()}.dist-info"
    system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    with tempfile.TemporaryDirectory() as work:
        tree = pathlib.Path(work)
        for name, file in _files(folder):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, tree / name)  # with its mode, since one is a program
        if settings.get("bundle"):
            system = _bundle(tree, info)
        (tree / info).mkdir(exist_ok=True)
        (tree / info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: roundel\nVersion: {_version()}\n"
            "Summary: Offline renderer for translucent circles\nLicense: Apache-2.0\n"
            "Requires-Python: >=3.9\nRequires-Dist: numpy\n")
        (tree / info / "WHEEL").write_text(
            f"Wheel-Version: 1.0\nGenerator: roundel\nRoot-Is-Purelib: false\nTag: {tag}-{tag}-{system}\n")
        (tree / info / "entry_points.txt").write_text("[pytest11]\nroundel = roundel._pytest\n")
        shutil.copy(ROOT / "LICENSE", tree / info / "LICENSE")
        name = f"roundel-{_version()}-{tag}-{tag}-{system}.whl"
        _pack(tree, info, os.path.join(wheel_directory, name))
    return name


def _pack(tree, info, wheel_path):
    records = []
    with zipfile.ZipFile(wheel_path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for path in sorted(p for p in tree.rglob("*") if p.is_file()):
            name, data = path.relative_to(tree).as_posix(), path.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            records.append(f"{name},sha256={digest},{len(data)}\n")
            entry = zipfile.ZipInfo.from_file(path, name, strict_timestamps=False)
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED)
        wheel.writestr(f"{info}/RECORD", "".join(records) + f"{info}/RECORD,,\n")


def build_sdist(sdist_directory, config_settings=None):  # noqa: the names are PEP 517's
    raise SystemExit("roundel: there is no source package: install from a checkout")
