"""Intel GPU programs without a GPU.

Reads and checks vISA programs, runs them on an emulator, and provides an OpenCL device.

>>> import visakit
>>> object = visakit.parse('.version 4.1\\n.kernel "k"\\n    ret (M1, 1)\\n')
>>> object.kernels
['k']
>>> visakit.decode(object.encode()).verify()
[]
"""

from typing import List, Optional, Union

from ._device import Compiler, compilers, driver, enable
from ._eval import Operand, Statement, eval
from ._program import compile, load
from ._run import Bug, Image, Local, Outcome, Result, Same, Step, check, run, trace
from ._visakit import Finding, Object, Program, VisakitError, __version__, decode, parse


def print(object: Union[Object, bytes, str], name: Optional[str] = None) -> str:
    """Returns the vISA text of an object, or of one of its routines.

    >>> import visakit
    >>> object = visakit.parse('.version 4.1\\n.kernel "k"\\n    ret (M1, 1)\\n')
    >>> "ret (M1, 1)" in visakit.print(object)
    True
    """
    return _object(object).print(name)


def verify(object: Union[Object, bytes, str], platform: Optional[str] = None) -> List[Finding]:
    """Checks an object, its bytes or a vISA text against the rules of the specification.

    Returns the findings. Errors break a rule; warnings are legal code that is probably a mistake.

    >>> import visakit
    >>> text = '''.version 4.1
    ... .kernel "k"
    ... .decl V32 v_type=G type=f num_elts=8 align=GRF
    ...     add (M1, 8) V32(0,0)<1> V32(0,0)<8;8,1> 0x1:ud
    ...     ret (M1, 1)
    ... '''
    >>> finding = visakit.verify(text)[0]
    >>> finding.code, finding.severity, finding.line
    ('type-map', 'error', 4)
    """
    return _object(object).verify(platform)


def _object(given: Union[Object, bytes, str]) -> Object:
    if isinstance(given, Object):
        return given
    if isinstance(given, str):
        return parse(given)
    return decode(bytes(given))


__all__ = [
    "Bug",
    "Compiler",
    "Finding",
    "Image",
    "Local",
    "Object",
    "Operand",
    "Outcome",
    "Program",
    "Result",
    "Same",
    "Statement",
    "Step",
    "VisakitError",
    "__version__",
    "check",
    "compile",
    "compilers",
    "decode",
    "driver",
    "enable",
    "eval",
    "load",
    "parse",
    "print",
    "run",
    "trace",
    "verify",
]
