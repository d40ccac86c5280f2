"""The OpenCL device: its setup, its explanation, and Intel's compiler."""

import json
import os
import subprocess
import sys

import pytest
import visakit
from visakit import _device

LIST = "import pyopencl as cl; print([d.name for p in cl.get_platforms() for d in p.get_devices()])"
RACE = """
import numpy as np, pyopencl as cl
context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context)
text = "kernel void race(global int *x) { x[0] = get_global_id(0); }"
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4)
kernel = cl.Kernel(cl.Program(context, text).build(), "race")
kernel(queue, (64,), None, buffer)
queue.finish()
"""


def run(*command, **env):
    return subprocess.run(command, env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def python(text, **env):
    return run(sys.executable, "-c", text, **env)


def test_the_installation_is_whole():
    assert os.path.basename(visakit.driver()) == "libvisakit_opencl.so"
    beside = os.path.join(os.path.dirname(visakit.driver()), "visakit-oclc")
    assert os.access(beside, os.X_OK) and os.access(_device.command(), os.X_OK)
    assert run(_device.command(), "--version").stdout.strip() == f"visa {visakit.__version__}"
    folder = _device.vendors()
    [name] = os.listdir(folder)
    with open(os.path.join(folder, name)) as file:
        assert name.endswith(".icd") and file.read().strip() == visakit.driver()
    with open(os.path.join(os.path.dirname(visakit.driver()), "visakit.icd")) as file:
        assert file.read().strip() == os.path.basename(visakit.driver())


def test_the_setup_is_explained():
    done = run(sys.executable, "-m", "visakit")
    for words in ("driver:", "command:", "loader:", "compiler:", "devices:", "visakit run", "visakit.enable()"):
        assert words in done.stdout, done.stdout
    done = run("visakit", "run", "/nowhere")
    assert done.returncode == 127 and "/nowhere" in done.stderr
    done = run("visakit", "run", "--devices", "dg2", "sh", "-c", "echo $VISAKIT_DEVICES $0 $OCL_ICD_VENDORS; exit 3", "--check")
    assert done.returncode == 3 and done.stdout.split() == ["dg2", "--check", _device.vendors()]
    shown = run("visakit", "env").stdout
    assert f"export OCL_ICD_VENDORS={_device.vendors()}" in shown
    level_zero = os.path.join(os.path.dirname(visakit.driver()), "libvisakit_level_zero.so")
    assert f"export ZE_ENABLE_ALT_DRIVERS={level_zero}" in shown and os.path.exists(level_zero)


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"ID": "debian", "VERSION_ID": "12"}, "apt-get install --no-install-recommends intel-opencl-icd"),
        ({"ID": "debian", "VERSION_ID": "13", "PRETTY_NAME": "Debian 13"}, "Debian 13 has no packages"),
        ({"ID": "debian"}, "intel-ocloc"),
        ({"ID": "fedora", "PRETTY_NAME": "Fedora"}, "on Fedora"),
        ({}, "on this system"),
    ],
)
def test_the_compiler_is_explained(fields, words):
    assert words in _device.how_to_get_compiler(fields)


def test_the_compiler_is_found(tmp_path, monkeypatch):
    program = tmp_path / "ocloc"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.delenv("VISAKIT_OCLOC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert [one.program for one in visakit.compilers() if one.program] == [str(program)]
    monkeypatch.setenv("VISAKIT_OCLOC", "/one/ocloc:/two/ocloc")
    monkeypatch.setenv("VISAKIT_OCLOC_LIBRARIES", "/one/libocloc.so")
    found = visakit.compilers()
    assert [one.program for one in found if one.program] == ["/one/ocloc", "/two/ocloc"]
    assert next(one.library for one in found if one.library) == "/one/libocloc.so"


def test_enable(device):
    done = python(f"import visakit; visakit.enable(devices='dg2'); {LIST}")
    assert "DG2" in done.stdout, done
    assert "DG2" in run("visakit", "run", "--devices", "dg2", sys.executable, "-c", LIST).stdout
    late = "import ctypes, visakit; ctypes.CDLL('libOpenCL.so.1')\ntry: visakit.enable()\nexcept visakit.VisakitError as e: print(e.code)"
    assert python(late).stdout.strip() == "loader-loaded"
    # Settings may change until the loader has read them, and the same ones may be given again.
    twice = "import visakit; visakit.enable(); visakit.enable(devices='skl'); visakit.enable(devices='skl')"
    done = python(f"{twice}; {LIST}\nvisakit.enable(devices='skl')\ntry: visakit.enable()\nexcept visakit.VisakitError as e: print(e.code)")
    assert "SKL" in done.stdout and done.stdout.endswith("loader-loaded\n"), done


def test_enable_in_a_program_of_visakit_run(device):
    """The settings of `visakit run` may be repeated, and changed until the driver is loaded."""
    first = f"import visakit; visakit.enable(devices='dg2'); {LIST}; visakit.enable(devices='dg2')"
    done = run("visakit", "run", "--devices", "skl", sys.executable, "-c", first)
    assert "DG2" in done.stdout and "SKL" not in done.stdout, done
    late = f"import visakit; {LIST}; visakit.enable(devices='skl')"
    done = run("visakit", "run", "--devices", "skl", sys.executable, "-c", late)
    assert "SKL" in done.stdout and done.returncode == 0, done
    other = f"import visakit; {LIST}\ntry: visakit.enable(devices='dg2')\nexcept visakit.VisakitError as e: print(e.code)"
    assert run("visakit", "run", "--devices", "skl", sys.executable, "-c", other).stdout.endswith("loader-loaded\n")


def test_the_driver_reports_bugs(device, tmp_path):
    report = tmp_path / "bugs.jsonl"
    script = tmp_path / "race.py"
    script.write_text(RACE)
    done = run("visakit", "run", "--devices", "skl", "--check", "race", "--report", str(report), str(script))
    assert done.returncode == 0, done
    bugs = [json.loads(line) for line in report.read_text().splitlines()]
    assert [bug["code"] for bug in bugs] == ["check-race"], done
    assert bugs[0]["kernel"] == "race" and bugs[0]["severity"] == "error" and bugs[0]["related"] and bugs[0]["help"]
    # An address that is in no buffer.
    fault = RACE.replace("x[0]", "*(global int *)(get_global_id(0) * 4 + 16UL)")
    script.write_text(fault)
    report.unlink()
    run("visakit", "run", "--devices", "skl", "--report", str(report), str(script))
    assert [json.loads(line)["code"] for line in report.read_text().splitlines()] == ["fault-memory"]
