from typing import Any, Dict, List, Optional, Sequence, Tuple, final

__all__ = [
    "__version__",
    "VisakitError",
    "Finding",
    "Object",
    "Program",
    "decode",
    "parse",
    "load",
    "lacks_visa",
    "texel_bytes",
    "error",
    "evaluate",
]
__version__: str

class VisakitError(Exception):
    """Error of visakit, with the finding that explains it."""

    #: All findings; the other attributes are those of the first error.
    findings: List[Finding]
    code: str
    message: str
    file: str
    line: Optional[int]
    column: Optional[int]
    offset: Optional[int]
    help: str

@final
class Finding:
    """A finding: its code, its place, the problem, and what to do."""

    def __new__(
        cls,
        code: str,
        severity: str,
        message: str,
        file: str,
        line: Optional[int] = None,
        column: Optional[int] = None,
        offset: Optional[int] = None,
        help: str = ...,
    ) -> Finding: ...
    @property
    def code(self) -> str:
        """Stable name of the kind of finding."""
    @property
    def severity(self) -> str:
        """`error`, `warning` or `note`."""
    @property
    def message(self) -> str:
        """Problem, in one sentence."""
    @property
    def file(self) -> str:
        """File, as the caller named it."""
    @property
    def line(self) -> Optional[int]:
        """Line, from 1; `None` outside texts."""
    @property
    def column(self) -> Optional[int]:
        """Column, from 1; `None` outside texts."""
    @property
    def offset(self) -> Optional[int]:
        """Byte offset in a binary."""
    @property
    def help(self) -> str:
        """Expected input, and what to do; may be empty."""
    @property
    def quote(self) -> str:
        """Text of the line; may be empty."""
    @property
    def rendered(self) -> str:
        """The finding for a person: code, place, quoted line, and help."""

@final
class Object:
    """A vISA object: kernels and functions."""

    @property
    def kernels(self) -> List[str]:
        """Names of the kernels."""
    @property
    def functions(self) -> List[str]:
        """Names of the functions."""
    @property
    def version(self) -> Tuple[int, int]:
        """Version of the layout, as (major, minor)."""
    @property
    def platform(self) -> Optional[str]:
        """Name of the platform; `None` if neither the file nor the caller names one."""
    def encode(self) -> bytes:
        """Returns the bytes of the object."""
    def print(self, name: Optional[str] = None) -> str:
        """Returns the text of all routines, or of the one with this name."""
    def verify(self, platform: Optional[str] = None) -> List[Finding]:
        """Checks all routines against the rules of the specification."""
    def __bytes__(self) -> bytes: ...

@final
class Program:
    """A kernel with the layout of its arguments."""

    @property
    def kernel(self) -> str:
        """Name of the kernel."""
    @property
    def platform(self) -> str:
        """Name of the platform."""
    @property
    def text(self) -> Optional[str]:
        """vISA text of the kernel; `None` if it came from an object."""
    @property
    def simd_size(self) -> int:
        """Number of work items of a hardware thread."""
    @property
    def required_local_size(self) -> Optional[List[int]]:
        """Local size that the kernel requires; `None` if any size is allowed."""
    @property
    def parameters(self) -> List[Tuple[int, str, str, str]]:
        """Parameters of the kernel: index, name, type and kind."""
    def launch(
        self,
        arguments: Sequence[Tuple[str, Any]],
        global_size: Sequence[int],
        local_size: Optional[Sequence[int]],
        offset: Optional[Sequence[int]],
        settings: Dict[str, Any],
        checks: Optional[str] = None,
        items: Optional[Sequence[Sequence[int]]] = None,
    ) -> Dict[str, Any]:
        """Runs the kernel. `arguments` are pairs of an index or a name and the contents."""

def decode(data: bytes, file: str = "object", platform: Optional[str] = None) -> Object:
    """Decodes a vISA object.

    Raises `VisakitError` with the byte offset of the damage.
    """

def parse(text: str, file: str = "text", platform: Optional[str] = None) -> Object:
    """Parses a vISA text.

    Raises `VisakitError` with the findings of the whole text, each with its line and column.
    """

def load(
    data: bytes,
    file: str,
    kernel: Optional[str] = None,
    platform: Optional[str] = None,
    layout: Optional[bytes] = None,
) -> Program: ...
def lacks_visa(data: bytes) -> bool: ...
def texel_bytes(format: str) -> Optional[int]: ...
def error(findings: Sequence[Finding]) -> VisakitError: ...
def evaluate(
    text: str,
    variables: Sequence[str],
    by: str = "both",
    platform: Optional[str] = None,
    cr0: Optional[int] = None,
    active: int = ...,
) -> List[Any]: ...
