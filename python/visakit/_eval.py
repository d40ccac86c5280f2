"""Execution of single statements."""

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple

from ._visakit import evaluate


@dataclass(frozen=True)
class Operand:
    """An operand of a statement, with a value for each channel.

    Floats are `float`, integers and predicates `int`, and other values text. A channel that is not enabled has `None`.
    """

    name: str
    type: str
    #: Values before the statement.
    before: List[Any]
    #: Values by the semantics on the statement's page; `None` for an operand that is only read.
    page: Optional[List[Any]]
    #: Values by the emulator's kernel; `None` for an operand that is only read.
    kernel: Optional[List[Any]]

    @property
    def values(self) -> List[Any]:
        """Values after the statement."""
        return next(found for found in (self.kernel, self.page, self.before) if found is not None)


@dataclass(frozen=True)
class Statement:
    """Result of a statement."""

    text: str
    #: Page of the specification, with its line.
    page: str
    operands: List[Operand]
    #: Next position of the channels by the page and by the kernel; `None` if they simply continue.
    sent: Tuple[Optional[str], Optional[str]]
    #: True if page and kernel give different results.
    differs: bool

    @property
    def result(self) -> List[Any]:
        """Values of the first operand that the statement writes."""
        return next(operand.values for operand in self.operands if operand.page or operand.kernel)


def eval(
    statement: str,
    registers: Optional[Mapping[str, Any]] = None,
    *,
    by: str = "both",
    platform: Optional[str] = None,
    cr0: Optional[int] = None,
    active: int = 0xFFFFFFFF,
) -> List[Statement]:
    """Executes statements of assembly text, separated by `;` or line ends, on given values.

    `registers` maps names to a type, to a type and its values, or to a NumPy array. Values are repeated until the
    variable is full. `by` selects the executor: `page` for the semantics in the specification, `kernel` for the
    emulator, `both` to compare them.

    >>> import visakit
    >>> [add] = visakit.eval("add (M1, 4) C A B", {"C": "d", "A": ("d", [1, 2, 3, 4]), "B": ("w", -1)})
    >>> add.result
    [0, 1, 2, 3]
    >>> add.differs
    False
    """
    variables = [_assignment(name, value) for name, value in (registers or {}).items()]
    return [_statement(one, by) for one in evaluate(statement, variables, by, platform, cr0, active)]


#: Types of variables by kind and size of a NumPy type.
_TYPES: Dict[Tuple[str, int], str] = {
    ("i", 1): "b", ("i", 2): "w", ("i", 4): "d", ("i", 8): "q",
    ("u", 1): "ub", ("u", 2): "uw", ("u", 4): "ud", ("u", 8): "uq",
    ("f", 2): "hf", ("f", 4): "f", ("f", 8): "df",
}  # fmt: skip


def _assignment(name: str, value: Any) -> str:
    if isinstance(value, str):
        return f"{name}={value}"
    if hasattr(value, "dtype"):
        kind = _TYPES.get((value.dtype.kind, value.dtype.itemsize))
        if kind is None:
            raise TypeError(f"{name}: NumPy's type {value.dtype} is no type of a variable")
        values = value.reshape(-1).tolist()
    else:
        kind, values = value
    values = values if hasattr(values, "__iter__") and not isinstance(values, str) else [values]
    return f"{name}={kind}:{','.join(str(int(one) if isinstance(one, bool) else one) for one in values)}"


def _statement(one: Any, by: str) -> Statement:
    text, page, operands, sent, differs = one
    return Statement(text, page, [_operand(operand, by) for operand in operands], tuple(sent), differs)


def _operand(operand: Any, by: str) -> Operand:
    name, kind, written, columns = operand
    before, page, kernel = ([_number(value) for value in column] for column in columns)
    has_page, has_kernel = written and by != "kernel", written and by != "page"
    return Operand(name, kind, before, page if has_page else None, kernel if has_kernel else None)


def _number(value: Optional[str]) -> Any:
    if value is None:
        return None
    for convert in (int, float):
        try:
            return convert(value)
        except ValueError:
            pass
    return value
