"""The OpenCL device: its driver, the loader, and Intel's compiler."""

import ctypes
import ctypes.util
import glob
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from typing import Dict, List, Mapping, Optional

from ._visakit import Finding, error

_HERE = os.path.dirname(os.path.abspath(__file__))
#: Name of the driver's library.
_DRIVER = "libvisakit_opencl.so"
#: Name of the Level Zero driver's library, in the same folder.
_LEVEL_ZERO = "libvisakit_level_zero.so"
#: Name of the OpenCL loader's library.
_LOADER = "libOpenCL.so.1"


def _fail(code: str, message: str, help: str) -> Exception:
    return error([Finding(code, "error", message, "visakit", help=help)])


def driver() -> str:
    """Returns the path of the OpenCL driver."""
    for folder in (os.environ.get("VISAKIT_DRIVER"), os.path.join(_HERE, "driver")):
        path = os.path.join(folder, _DRIVER) if folder else ""
        if path and os.path.exists(path):
            return path
    help = "install the wheel of visakit, or name the folder of a build with VISAKIT_DRIVER"
    raise _fail("driver-missing", "this installation has no OpenCL driver", help)


def command() -> str:
    """Returns the path of the command `visa`: of this installation, or on the path."""
    folders = [sysconfig.get_path("scripts"), os.path.dirname(sys.executable)]
    for scheme in ("posix_user", "osx_framework_user", "nt_user"):
        if scheme in sysconfig.get_scheme_names():
            folders.append(sysconfig.get_path("scripts", scheme))
    # `pip install --target` puts scripts beside the package.
    folders.append(os.path.join(os.path.dirname(_HERE), "bin"))
    for folder in folders:
        path = os.path.join(folder, "visa")
        if os.access(path, os.X_OK):
            return path
    found = shutil.which("visa")
    if found is None:
        raise _fail("command-missing", "the command `visa` is not installed", "install the wheel of visakit")
    return found


@dataclass(frozen=True)
class Compiler:
    """An installed compiler of Intel: its program, or its library."""

    #: Program `ocloc`, which compiles for `compile`, `load` and the command.
    program: Optional[str] = None
    #: Library of the compiler, which the OpenCL driver loads.
    library: Optional[str] = None


def compilers() -> List[Compiler]:
    """Returns the installed compilers of Intel: programs on the path, and libraries of the driver."""
    programs = _listed("VISAKIT_OCLOC")
    if not programs:
        found = (shutil.which("ocloc", path=folder) for folder in _listed("PATH"))
        programs = [path for path in found if path]
    libraries = _listed("VISAKIT_OCLOC_LIBRARIES")
    folders = _listed("LD_LIBRARY_PATH") + ["/usr/lib/*-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"]
    libraries += [path for folder in folders for path in sorted(glob.glob(os.path.join(folder, "libocloc*.so*")))]
    programs, libraries = _distinct(programs), _distinct(libraries)
    return [Compiler(program=path) for path in programs] + [Compiler(library=path) for path in libraries]


def _listed(variable: str) -> List[str]:
    """Returns the paths that an environment variable lists."""
    return [path for path in os.environ.get(variable, "").split(os.pathsep) if path]


def _distinct(paths: List[str]) -> List[str]:
    """Returns the first path of each file."""
    first: Dict[str, str] = {}
    for path in paths:
        first.setdefault(os.path.realpath(path), path)
    return list(first.values())


def _distribution() -> Dict[str, str]:
    for path in ("/etc/os-release", "/usr/lib/os-release"):
        try:
            with open(path, encoding="utf-8") as file:
                lines = (line.strip().split("=", 1) for line in file if "=" in line)
                return {key: value.strip("\"'") for key, value in lines}
        except OSError:
            continue
    return {}


def how_to_get_compiler(system: Optional[Mapping[str, str]] = None) -> str:
    """Returns how to install Intel's compiler on this distribution, or on one with these fields of os-release."""
    system = _distribution() if system is None else system
    name, version = system.get("ID", ""), system.get("VERSION_ID", "")
    shown = system.get("PRETTY_NAME", "this system")
    if name == "debian" and version == "12":
        return "apt-get install --no-install-recommends intel-opencl-icd libigc1 libigdfcl1"
    if name == "debian" and version == "13":
        return f"{shown} has no packages of the compiler: use a container of Debian 12 or sid"
    if name == "debian":
        return (
            "apt-get install --no-install-recommends intel-ocloc libigc2 libigdfcl2; "
            "for skl and older also intel-ocloc-legacy libigc1 libigdfcl1"
        )
    return (
        f"install `ocloc` of Intel's compute runtime on {shown} and put it on the path: "
        "its releases and packages are listed at https://github.com/intel/compute-runtime"
    )


def loader() -> Optional[str]:
    """Returns the system's OpenCL loader: a path, or a name that the dynamic linker finds."""
    for folder in ("/usr/lib/*-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"):
        own = [path for path in glob.glob(os.path.join(folder, _LOADER)) if _is_native(path)]
        if own:
            return own[0]
    return ctypes.util.find_library("OpenCL")


def _is_native(path: str) -> bool:
    """Returns true for a library of this machine and word size."""
    try:
        with open(path, "rb") as library, open(sys.executable, "rb") as own:
            mine, other = own.read(20), library.read(20)
            return (mine[4:6], mine[18:20]) == (other[4:6], other[18:20])
    except OSError:
        return False


def how_to_get_loader() -> str:
    """Returns how to install the OpenCL loader on this distribution."""
    system = _distribution()
    like = f"{system.get('ID', '')} {system.get('ID_LIKE', '')}"
    if "debian" in like or "ubuntu" in like:
        return "apt-get install ocl-icd-libopencl1"
    return "install the OpenCL loader (ocl-icd, or the Khronos loader) of this distribution"


def vendors() -> str:
    """Returns a folder whose only `.icd` file names the driver, for OCL_ICD_VENDORS."""
    path = driver()
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    name = hashlib.sha256(path.encode()).hexdigest()[:16]
    for base in (home, os.path.join(tempfile.gettempdir(), f"visakit-{os.getuid()}")):
        folder = os.path.join(base, "visakit", "icd", name)
        target = os.path.join(folder, "visakit.icd")
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            if os.stat(folder).st_uid != os.getuid():
                continue
            with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".new", delete=False) as file:
                file.write(path + "\n")
            os.replace(file.name, target)
            return folder
        except OSError:
            continue
    raise _fail("driver-folder", "no folder for the driver's `.icd` file can be written", "set XDG_CACHE_HOME")


def environment(
    base: Optional[Mapping[str, str]] = None,
    *,
    devices: Optional[str] = None,
    check: Optional[str] = None,
    report: Optional[str] = None,
) -> Dict[str, str]:
    """Returns the environment of a process that uses the device; `base` is this process's by default."""
    result = dict(os.environ if base is None else base)
    result["OCL_ICD_VENDORS"] = vendors()
    # SYCL programs also find devices of the vendor's other runtimes.
    selected = "opencl:*"
    level_zero = os.path.join(os.path.dirname(driver()), _LEVEL_ZERO)
    if os.path.exists(level_zero):
        result["ZE_ENABLE_ALT_DRIVERS"] = level_zero
        selected = "level_zero:*;opencl:*"
    result.setdefault("ONEAPI_DEVICE_SELECTOR", selected)
    path = loader()
    if path is not None:
        # Wheels of SYCL bring a loader of their own, which does not read OCL_ICD_VENDORS.
        before = [one for one in result.get("LD_PRELOAD", "").split(":") if one]
        result["LD_PRELOAD"] = ":".join([path, *(one for one in before if one != path)])
    for name, value in (("VISAKIT_DEVICES", devices), ("VISAKIT_CHECK", check), ("VISAKIT_REPORT", report)):
        if value is not None:
            result[name] = value
    return result


def _loaded() -> List[str]:
    """Returns the OpenCL loaders in this process."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            paths = {line.split(maxsplit=5)[5].strip() for line in maps if len(line.split(maxsplit=5)) > 5}
    except OSError:
        return []
    return sorted(path for path in paths if os.path.basename(path).startswith("libOpenCL"))


_enabled: Optional[Dict[str, Optional[str]]] = None


def enable(
    *, devices: Optional[str] = None, check: Optional[str] = None, report: Optional[str] = None
) -> None:
    """Makes the device the OpenCL device of this process.

    Call it before anything loads the OpenCL loader: before `import pyopencl`, `dpnp` or `openvino`. `devices` lists the
    devices to offer (`dg2,pvc`), `check` the bug checks of each launch (`all`), and `report` a file to which the driver
    appends each bug as a line of JSON.

    Raises `VisakitError` with the code `loader-loaded` if the loader is already loaded with other settings.
    """
    global _enabled
    wanted = {"devices": devices, "check": check, "report": report}
    if _enabled == wanted:
        return
    loaded = _loaded()
    # Once the loader has loaded the driver, neither reads its settings again.
    if loaded and not (_is_prepared() if not _started() else _enabled is None and _is_prepared() and _is_set(wanted)):
        help = "call visakit.enable() before importing libraries that use OpenCL, or start the program with `visakit run`"
        raise _fail("loader-loaded", f"the OpenCL loader is already loaded: {loaded[0]}", help)
    path = loader()
    if path is not None:
        # The dynamic linker reads LD_PRELOAD, which is for child processes, only at the start. A loader that is
        # already loaded is found before others of its name.
        ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    os.environ.update(environment(devices=devices, check=check, report=report))
    _enabled = wanted


def _is_prepared() -> bool:
    """Returns true if `enable` was called, or `visakit run` has set up the process."""
    return _enabled is not None or os.environ.get("OCL_ICD_VENDORS") == vendors()


def _is_set(wanted: Mapping[str, Optional[str]]) -> bool:
    """Returns true if the environment has these settings."""
    return all(os.environ.get(f"VISAKIT_{name.upper()}") == value for name, value in wanted.items() if value is not None)


def is_enabled() -> bool:
    """Returns true if `enable` was called."""
    return _enabled is not None


def _started() -> bool:
    """Returns true if the loader has loaded the driver, which then has read its settings."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            return any(_DRIVER in line for line in maps)
    except OSError:
        return True


def devices(env: Optional[Mapping[str, str]] = None) -> List[str]:
    """Returns the names of the device's platform and devices, as a new process sees them."""
    program = os.path.join(_HERE, "_devices.py")
    done = subprocess.run([sys.executable, program], env=env or environment(), stdout=subprocess.PIPE, text=True)
    return done.stdout.splitlines()
