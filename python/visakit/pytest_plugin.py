"""pytest plugin: the device as a fixture, and bug checks of each kernel that a test launches.

`--visakit` makes the device the OpenCL device of the test run. `--visakit-check=race,bounds` also looks for bugs in each
launch, and a test fails if one of its kernels has a bug. `--visakit-devices=dg2,pvc` selects the devices.
"""

import json
import os
import tempfile
from typing import Any, Iterator, List, Optional

import pytest


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("visakit", "OpenCL device of visakit")
    group.addoption("--visakit", action="store_true", help="use the device of visakit for OpenCL")
    group.addoption(
        "--visakit-check",
        metavar="LIST",
        help="fail a test if one of its kernels has a bug: all, or bounds,uninit,race,sync",
    )
    group.addoption("--visakit-devices", metavar="LIST", help="devices to offer, such as dg2,pvc")


# The loader reads its settings when a test module imports OpenCL, which is after this hook.
@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "visakit_bugs: bugs in kernels do not fail this test")
    check, devices = config.getoption("--visakit-check"), config.getoption("--visakit-devices")
    if not (config.getoption("--visakit") or check or devices):
        return
    import visakit

    report = None
    if check:
        wrong = [word for word in check.split(",") if word.strip() not in ("bounds", "uninit", "race", "sync", "all")]
        if wrong:
            raise pytest.UsageError(f"--visakit-check: unknown check `{wrong[0]}`; write bounds,uninit,race,sync or all")
        handle, report = tempfile.mkstemp(prefix="visakit-", suffix=".jsonl")
        os.close(handle)
    config.stash[_REPORT] = report
    try:
        visakit.enable(devices=devices, check=check, report=report)
    except visakit.VisakitError as error:
        raise pytest.UsageError(str(error)) from error


_REPORT = pytest.StashKey[Optional[str]]()


def pytest_unconfigure(config: Any) -> None:
    report = config.stash.get(_REPORT, None)
    if report and os.path.exists(report):
        os.remove(report)


def _new_bugs(path: str, at: int) -> List[Any]:
    with open(path, "rb") as file:
        file.seek(at)
        return [json.loads(line) for line in file.read().splitlines() if line.strip()]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: Any) -> Iterator[None]:
    """Fails a test whose kernels have bugs. Its own failure comes first."""
    report = item.config.stash.get(_REPORT, None)
    if report is None:
        return (yield)
    at = os.path.getsize(report)
    result = yield
    bugs = [bug for bug in _new_bugs(report, at) if bug["severity"] != "note"]
    if bugs and item.get_closest_marker("visakit_bugs") is None:
        text = "\n".join(_shown(bug) for bug in bugs)
        pytest.fail(f"{len(bugs)} bug{'s' if len(bugs) > 1 else ''} in the kernels of this test\n{text}", pytrace=False)
    return result


def _shown(bug: Any) -> str:
    lines = [f"kernel `{bug['kernel']}`: {_place(bug)}: {bug['message']} [{bug['code']}]"]
    lines += [f"    {_place(other)}: {other['message']}" for other in bug.get("related", [])]
    if bug.get("help"):
        lines.append(f"    help: {bug['help']}")
    return "\n".join(lines)


def _place(bug: Any) -> str:
    return ":".join(str(part) for part in (bug["file"], bug.get("line"), bug.get("column")) if part)


@pytest.fixture(scope="session")
def visakit_device() -> Any:
    """The device as a `pyopencl.Device`, the first one of `--visakit-devices` or VISAKIT_DEVICES.

    It enables the device, so a test module may not have used OpenCL before, except under `--visakit`.
    """
    import visakit

    if not visakit._device.is_enabled():
        visakit.enable()
    cl = pytest.importorskip("pyopencl")
    for platform in cl.get_platforms():
        if "visakit" in platform.name + platform.version:
            found = platform.get_devices()
            if found:
                return found[0]
    pytest.fail("the OpenCL loader does not find the device; `python -m visakit` explains the setup")
