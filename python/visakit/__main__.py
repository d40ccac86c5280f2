"""The command `visakit`: explains the OpenCL device, and runs programs with it."""

import argparse
import os
import sys
from typing import List, Optional

from . import _device
from ._visakit import VisakitError, __version__


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command and returns its exit code."""
    parser = argparse.ArgumentParser("visakit", description="Intel GPUs as OpenCL devices, without a GPU.")
    parser.add_argument("--version", action="version", version=f"visakit {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    run = commands.add_parser("run", help="run a program with the device", description="Runs a program with the device.")
    run.add_argument("--devices", metavar="LIST", help="devices to offer, such as dg2,pvc")
    run.add_argument("--check", metavar="LIST", help="look for bugs in each launch: all, or bounds,uninit,race,sync")
    run.add_argument("--report", metavar="FILE", help="append each bug to this file, as a line of JSON")
    run.add_argument("program", help="the program; a file that ends in .py is run by this Python")
    run.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    commands.add_parser("info", help="explain the setup (the default)")
    commands.add_parser("env", help="print the settings as shell commands: eval \"$(visakit env)\"")
    given = parser.parse_args(arguments)
    try:
        if given.command == "run":
            return _run(given)
        if given.command == "env":
            return _env()
        return _info()
    except VisakitError as error:
        print(error, file=sys.stderr)
        return 2


def _run(given: argparse.Namespace) -> int:
    environment = _device.environment(devices=given.devices, check=given.check, report=given.report)
    command = [given.program, *given.arguments]
    if given.program.endswith(".py"):
        command.insert(0, sys.executable)
    if _device.loader() is None:
        print(f"visakit: no OpenCL loader was found: {_device.how_to_get_loader()}", file=sys.stderr)
    if not _device.compilers():
        print(f"visakit: Intel's compiler was not found: {_device.how_to_get_compiler()}", file=sys.stderr)
    sys.stdout.flush()
    try:
        os.execvpe(command[0], command, environment)
    except OSError as error:
        print(f"visakit: `{command[0]}` cannot be run: {error.strerror}", file=sys.stderr)
        return 127 if isinstance(error, FileNotFoundError) else 126


def _env() -> int:
    import shlex

    before = dict(os.environ)
    for name, value in _device.environment().items():
        if before.get(name) != value:
            print(f"export {name}={shlex.quote(value)}")
    return 0


def _info() -> int:
    """Prints the state of the installation, and how to use the device."""
    loader, compilers = _device.loader(), _device.compilers()
    print(f"visakit {__version__}")
    print(f"  driver:   {_device.driver()}")
    print(f"  command:  {_device.command()}")
    print(f"  loader:   {loader or 'not found: ' + _device.how_to_get_loader()}")
    for compiler in compilers:
        print(f"  compiler: {compiler.program or compiler.library}")
    if not compilers and not os.environ.get("VISAKIT_COMPILER"):
        print(f"  compiler: not found: {_device.how_to_get_compiler()}")
    names = _device.devices() if loader else []
    print(f"  devices:  {', '.join(names) or 'none; only a device that a compiler supports is offered'}")
    print(
        """
Run a program on the device:

    visakit run ./program              any OpenCL or SYCL program
    visakit run script.py              a Python program
    visakit run --check all script.py  look for bugs in its kernels

In Python, before anything uses OpenCL:

    import visakit
    visakit.enable()

In a shell:

    eval "$(visakit env)"

VISAKIT_DEVICES=dg2,pvc selects devices. Other settings:
https://github.com/visakit/visakit/blob/main/docs/reference/environment.md"""
    )
    return 0 if names else 1


if __name__ == "__main__":
    sys.exit(main())
