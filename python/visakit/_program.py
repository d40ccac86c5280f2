"""Files of programs, and Intel's compiler."""

import json
import os
import subprocess
import tempfile
from typing import Any, Dict, Optional, Tuple

from . import _device
from ._visakit import Program as Loaded
from ._visakit import Finding, VisakitError, error, lacks_visa
from ._visakit import load as load_bytes


def read(program: Any) -> Tuple[bytes, str]:
    """Returns the bytes of a program and its name for messages. Text that is not a path is a vISA text."""
    if isinstance(program, (bytes, bytearray, memoryview)):
        return bytes(program), "program"
    text = os.fspath(program)
    if isinstance(program, str) and "\n" in text:
        return text.encode(), "program"
    with open(text, "rb") as file:
        return file.read(), text


def load(
    program: Any,
    *,
    kernel: Optional[str] = None,
    device: Optional[str] = None,
    options: Optional[str] = None,
    layout: Any = None,
) -> Loaded:
    """Loads a kernel that can be run any number of times.

    `program` is a path or bytes: a zebin, an archive of zebins, a vISA text (.visaasm) or object (.isa), OpenCL C (.cl)
    or SPIR-V. The last two need Intel's compiler. `layout` is the zebin of the same kernel for a text or an object with
    arguments. `device` is the platform of the program, or the device to compile for.

    >>> import visakit
    >>> visakit.load('.version 4.1\\n.kernel "k"\\n    ret (M1, 1)\\n', device="dg2")
    <Program program: kernel k for dg2>
    """
    if isinstance(program, Loaded):
        return program
    return _load(program, kernel, device, options, layout, False)


def _load(program: Any, kernel: Optional[str], device: Optional[str], options: Optional[str], layout: Any, marked: bool) -> Loaded:
    if isinstance(program, Loaded):
        return program
    data, file = read(program)
    if file.endswith(".cl") or lacks_visa(data):
        data = _compile_marked(file, data, device, options) if marked else _compile(file, data, device, options, False)
        # The device may stand for one of several products of a platform.
        return load_bytes(data, file, kernel)
    if layout is not None:
        layout, _ = read(layout)
    return load_bytes(data, file, kernel, device, layout)


def _compile_marked(file: str, data: bytes, device: Optional[str], options: Optional[str]) -> bytes:
    """Compiles a program whose group copies a check can follow, if it compiles in that form."""
    try:
        return _compile(file, data, device, options, True)
    except VisakitError:
        return _compile(file, data, device, options, False)


def compile(source: Any, *, device: Optional[str] = None, options: Optional[str] = None) -> bytes:
    """Compiles OpenCL C or SPIR-V with Intel's compiler, and returns the zebin with its vISA.

    `source` is a path, or OpenCL C as text. Errors of the compiler are findings of the exception.
    """
    if isinstance(source, str) and "\n" in source:
        return _compile("source.cl", source.encode(), device, options, False)
    data, file = read(source)
    return _compile(file, data, device, options, False)


def _compile(file: str, data: bytes, device: Optional[str], options: Optional[str], marked: bool) -> bytes:
    options = options or ""
    if not any(word.startswith("-g") for word in options.split()):
        options = f"-g {options}".strip()
    with tempfile.TemporaryDirectory() as folder:
        source, target = file, os.path.join(folder, "out.zebin")
        if not os.path.exists(file):
            source = os.path.join(folder, os.path.basename(file))
            with open(source, "wb") as out:
                out.write(data)
        command = [_device.command(), "compile", source, "--output", target, "--format", "json", "--options", options]
        command += ["--device", device] if device else []
        command += ["--check"] if marked and file.endswith(".cl") else []
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        try:
            with open(target, "rb") as result:
                return result.read()
        except FileNotFoundError:
            raise _failure(file, done) from None


def _failure(file: str, done: Any) -> VisakitError:
    """Returns the exception for a failed call of the command."""
    try:
        findings = json.loads(done.stdout)["findings"]
    except (ValueError, KeyError, TypeError):
        findings = []
    if not any(one["severity"] == "error" for one in findings):
        text = done.stderr.decode(errors="replace").strip() or f"the command ended with code {done.returncode}"
        findings = [{"code": "compile", "severity": "error", "message": text, "file": file}]
    for one in findings:
        if one["code"] == "compiler-missing":
            one["help"] = _device.how_to_get_compiler()
    return error([_finding(one) for one in findings])


def _finding(one: Dict[str, Any]) -> Finding:
    """Returns a finding of the command's report."""
    place = (one.get("line") or None, one.get("column") or None, one.get("offset"))
    return Finding(one["code"], one["severity"], one["message"], one["file"], *place, one.get("help", ""))
