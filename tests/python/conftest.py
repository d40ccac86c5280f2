"""Places and tools of the tests."""

import os
import pathlib

import pytest
import visakit

EXAMPLES = pathlib.Path(os.environ.get("EXAMPLES", pathlib.Path(__file__).parents[2] / "examples"))


@pytest.fixture
def examples():
    return EXAMPLES


@pytest.fixture(scope="session")
def compiler():
    """Skips a test without Intel's compiler, or fails it with VISAKIT_REQUIRE=vendor."""
    found = [one for one in visakit.compilers() if one.program]
    if found:
        return found[0]
    if "vendor" in os.environ.get("VISAKIT_REQUIRE", ""):
        pytest.fail("Intel's compiler is not installed")
    pytest.skip("Intel's compiler is not installed")


@pytest.fixture(scope="session")
def device():
    """Skips a test without the OpenCL device: the loader or the compiler is missing, or pyopencl."""
    names = visakit._device.devices() if visakit._device.loader() else []
    pyopencl = pytest.importorskip("pyopencl")
    if names:
        return pyopencl
    if "vendor" in os.environ.get("VISAKIT_REQUIRE", ""):
        pytest.fail("the OpenCL device does not work: see python -m visakit")
    pytest.skip("there is no OpenCL device: see python -m visakit")
