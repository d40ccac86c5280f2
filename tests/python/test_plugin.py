"""The pytest plugin, in runs of its own."""

import os
import subprocess
import sys

import pytest

TESTS = '''
import numpy as np
import pytest

RACE = "kernel void k(global int *x) { x[0] = get_global_id(0); }"
GOOD = "kernel void k(global int *x) { x[get_global_id(0)] = get_global_id(0); }"


def launch(device, text):
    import pyopencl as cl

    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 256)
    cl.Kernel(cl.Program(context, text).build(), "k")(queue, (64,), None, buffer)
    queue.finish()


def test_good(visakit_device):
    assert "SKL" in visakit_device.name
    launch(visakit_device, GOOD)


def test_race(visakit_device):
    launch(visakit_device, RACE)


def test_fails_itself(visakit_device):
    launch(visakit_device, RACE)
    assert False, "own failure"


@pytest.mark.visakit_bugs
def test_knows_its_bugs(visakit_device):
    launch(visakit_device, RACE)
'''


def run(folder, *options, **env):
    (folder / "test_kernels.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rA", str(folder), *options]
    return subprocess.run(command, env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_bugs_fail_tests(device, tmp_path):
    done = run(tmp_path, "--visakit-check=race,bounds", "--visakit-devices=skl")
    words = [line.split(" - ")[0].split("::") for line in done.stdout.splitlines() if line.startswith(("PASSED ", "FAILED "))]
    results = {name: where.split()[0] for where, name in words}
    assert results == {
        "test_good": "PASSED",
        "test_race": "FAILED",
        "test_fails_itself": "FAILED",
        "test_knows_its_bugs": "PASSED",
    }
    assert "1 bug in the kernels of this test" in done.stdout and "[check-race]" in done.stdout
    assert "own failure" in done.stdout


def test_without_checks_nothing_fails(device, tmp_path):
    done = run(tmp_path, "--visakit-devices=skl")
    assert "1 failed, 3 passed" in done.stdout, done.stdout
    done = run(tmp_path, VISAKIT_DEVICES="skl")
    assert "1 failed, 3 passed" in done.stdout, done.stdout


def test_wrong_options(tmp_path):
    done = run(tmp_path, "--visakit-check=race,nothing")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR and "unknown check `nothing`" in done.stdout
