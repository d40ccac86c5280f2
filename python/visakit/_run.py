"""Runs, checks and traces of kernels."""

import json
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _program
from ._visakit import Finding, Program, texel_bytes

Size = Union[int, Sequence[int]]


@dataclass(frozen=True)
class Local:
    """Shared local memory of this size in bytes, as an argument."""

    bytes: int


@dataclass(frozen=True)
class Same:
    """The buffer or image of another argument, named by its index or name."""

    key: Union[int, str]


@dataclass(frozen=True)
class Image:
    """An image as an argument: an array of texels, and their format, such as `rgba8unorm` or `r32f`.

    The shape of the array is (height, width), (depth, height, width) or (width,), with another dimension for the
    components if the format has several. `size` overrides it: width, height and depth. The kernel's stores change the
    array in place.
    """

    texels: Any
    format: str
    size: Optional[Size] = None


@dataclass(frozen=True)
class Step:
    """An instruction that a traced work item executed."""

    #: Global id of the work item.
    item: Tuple[int, int, int]
    #: Index of the instruction in its routine.
    instruction: int
    text: str
    source_line: Optional[int]
    #: Values read, by the name of the variable.
    reads: Dict[str, List[Any]]
    #: Values written, by the name of the variable.
    writes: Dict[str, List[Any]]
    _shown: str = field(repr=False)

    def __str__(self) -> str:
        return self._shown


@dataclass(frozen=True)
class Bug:
    """A bug that a check found, or a fault."""

    finding: Finding
    #: Name of the kernel.
    kernel: str
    #: Group and local id of the work item; the local id is `None` for a whole thread.
    group: Tuple[int, int, int]
    local_id: Optional[Tuple[int, int, int]]
    #: Instruction, as in the vISA text.
    instruction: Optional[str]
    #: Number of occurrences.
    count: int
    #: Memory or register of the bug: `memory`, `argument`, `name`, `offset`, `size`, `bytes`, `past`.
    place: Optional[Dict[str, Any]]
    #: The conflicting access, and places that an uninitialized value passed.
    related: List[Finding]

    @property
    def code(self) -> str:
        """Stable name of the kind of bug, such as `check-race`."""
        return self.finding.code

    @property
    def severity(self) -> str:
        """`error`, or `note` for a suspicious place that is not a bug."""
        return self.finding.severity

    @property
    def message(self) -> str:
        return self.finding.message

    @property
    def file(self) -> str:
        return self.finding.file

    @property
    def line(self) -> Optional[int]:
        return self.finding.line

    @property
    def column(self) -> Optional[int]:
        return self.finding.column

    @property
    def help(self) -> str:
        return self.finding.help

    def __str__(self) -> str:
        return "\n".join(str(finding) for finding in [self.finding, *self.related])


@dataclass(frozen=True)
class Result:
    """Result of a run. The arrays of the arguments hold what the kernel stored."""

    #: Contents of the buffers and images after the run, by index: the array of the argument, or bytes if the argument
    #: cannot be changed.
    buffers: Dict[int, Any]
    #: Text that the kernel printed.
    printed: str
    #: Number of instructions that all hardware threads executed.
    instructions: int
    #: Number of elements read as zero, and dropped, outside the buffers.
    outside_reads: int
    outside_writes: int
    #: Counts by mnemonic, with `stats=True`.
    stats: Optional[Dict[str, Any]]


@dataclass(frozen=True)
class Outcome:
    """Bugs that a check found, errors first; it is true if there is none."""

    bugs: List[Bug]

    def __bool__(self) -> bool:
        return not any(bug.severity == "error" for bug in self.bugs)

    def __iter__(self) -> Iterator[Bug]:
        return iter(self.bugs)

    def __len__(self) -> int:
        return len(self.bugs)

    def __getitem__(self, index: int) -> Bug:
        return self.bugs[index]

    def __str__(self) -> str:
        return "\n".join(str(bug) for bug in self.bugs) or "no bugs"


Args = Union[Sequence[Any], Mapping[Union[int, str], Any]]


def run(
    program: Any,
    *,
    args: Args = (),
    global_size: Size,
    local_size: Optional[Size] = None,
    offset: Optional[Size] = None,
    kernel: Optional[str] = None,
    device: Optional[str] = None,
    options: Optional[str] = None,
    layout: Any = None,
    threads: Optional[int] = None,
    engine: Optional[str] = None,
    any_order: bool = False,
    outside_is_zero: bool = False,
    max_instructions: Optional[int] = None,
    stats: bool = False,
) -> Result:
    """Runs a kernel on the emulator. Buffers and images are changed in place.

    `args` are the arguments in their order, or by index or name:

    - a NumPy array or another buffer: a pointer to its memory. An array that is given twice is one buffer;
    - a number, or a tuple of numbers for a vector: a value of the parameter's type;
    - a NumPy scalar: a value of its own type;
    - `Image`, `Local` and `Same`; `None` for NULL;
    - text, as `--arg` of `visa run` takes it: `zeros:64`, `sampler:clamp,linear`.

    `load` describes `program`, `kernel`, `device`, `options` and `layout`.

    >>> import array, visakit
    >>> text = '''.version 4.1
    ... .kernel "k"
    ...     ret (M1, 1)
    ... '''
    >>> visakit.run(text, global_size=1).instructions
    1
    """
    loaded = _program.load(program, kernel=kernel, device=device, options=options, layout=layout)
    settings = _settings(threads, engine, any_order, outside_is_zero, max_instructions, stats)
    given = _Arguments(loaded, args)
    out = loaded.launch(given.list, _sizes(global_size), _sizes(local_size), _sizes(offset), settings)
    buffers = given.write_back(out["buffers"])
    counts = json.loads(out["stats"]) if out["stats"] else None
    return Result(buffers, out["printed"], out["instructions"], out["outside_reads"], out["outside_writes"], counts)


def check(
    program: Any,
    checks: Union[str, Sequence[str]] = "all",
    *,
    args: Args = (),
    global_size: Size,
    local_size: Optional[Size] = None,
    offset: Optional[Size] = None,
    kernel: Optional[str] = None,
    device: Optional[str] = None,
    options: Optional[str] = None,
    layout: Any = None,
    max_instructions: Optional[int] = None,
) -> Outcome:
    """Runs a kernel on copies of its arguments and returns the bugs found.

    `checks` are `bounds`, `uninit`, `race`, `sync`, or `all`. A fault is one of the bugs. The other parameters are
    those of `run`. A program that is compiled here is checked as the compiler optimised it.

    >>> import visakit
    >>> bool(visakit.check('.version 4.1\\n.kernel "k"\\n    ret (M1, 1)\\n', "race", global_size=8))
    True
    """
    checks = checks if isinstance(checks, str) else ",".join(checks)
    marked = any(word.strip() in ("race", "all") for word in checks.split(","))
    loaded = _program._load(program, kernel, device, options, layout, marked)
    settings = _settings(None, None, False, False, max_instructions, False)
    given = _Arguments(loaded, args)
    sizes = (_sizes(global_size), _sizes(local_size), _sizes(offset))
    out = loaded.launch(given.list, *sizes, settings, checks=checks)
    bugs = [_bug(finding, json.loads(detail), related) for finding, detail, related in out["bugs"]]
    bugs.sort(key=lambda bug: bug.severity != "error")
    if "fault" in out:
        finding, detail = out["fault"]
        bugs.append(_bug(finding, json.loads(detail), []))
    return Outcome(bugs)


def trace(
    program: Any,
    items: Sequence[Size],
    *,
    args: Args = (),
    global_size: Size,
    local_size: Optional[Size] = None,
    offset: Optional[Size] = None,
    kernel: Optional[str] = None,
    device: Optional[str] = None,
    options: Optional[str] = None,
    layout: Any = None,
    max_instructions: Optional[int] = None,
) -> List[Step]:
    """Runs a kernel and returns the instructions that the given work items executed, with their values.

    `items` are global ids, without the offset. The steps end at a fault. Arguments are not changed.

    >>> import visakit
    >>> [step] = visakit.trace('.version 4.1\\n.kernel "k"\\n    ret (M1, 1)\\n', [0], global_size=1)
    >>> step.text
    'ret (M1, 1)'
    """
    loaded = _program.load(program, kernel=kernel, device=device, options=options, layout=layout)
    settings = _settings(None, None, False, False, max_instructions, False)
    given = _Arguments(loaded, args)
    wanted = [tuple((_sizes(item) + [0, 0, 0])[:3]) for item in items]
    sizes = (_sizes(global_size), _sizes(local_size), _sizes(offset))
    out = loaded.launch(given.list, *sizes, settings, items=wanted)
    return [_step(shown, json.loads(text)) for shown, text in out["steps"]]


def _settings(threads: Any, engine: Any, any_order: Any, outside_is_zero: Any, most: Any, stats: Any) -> Dict[str, Any]:
    return {
        "threads": threads,
        "engine": engine,
        "any_order": any_order,
        "outside_is_zero": outside_is_zero,
        "max_instructions": most,
        "stats": stats,
    }


def _sizes(size: Any) -> Any:
    if size is None:
        return None
    return [int(side) for side in size] if hasattr(size, "__iter__") else [int(size)]


def _bug(finding: Finding, detail: Dict[str, Any], related: List[Finding]) -> Bug:
    local = detail["local_id"]
    return Bug(
        finding,
        detail["kernel"],
        tuple(detail["group"]),
        local and tuple(local),
        detail["text"],
        detail.get("count", 1),
        detail.get("memory"),
        related,
    )


def _step(shown: str, step: Dict[str, Any]) -> Step:
    reads, writes = ({one["name"]: one["values"] for one in step[key]} for key in ("reads", "writes"))
    return Step(tuple(step["item"]), step["instruction"], step["text"], step["source_line"], reads, writes, shown)


class _Arguments:
    """Arguments in the form that the module takes, and the memory to which results go."""

    def __init__(self, program: Program, args: Args) -> None:
        pairs = args.items() if isinstance(args, Mapping) else enumerate(args)
        self.indices = {name: index for index, name, _, _ in program.parameters if name}
        self.list: List[Tuple[str, Any]] = []
        self.targets: Dict[int, Any] = {}
        owners: Dict[Tuple[Any, ...], str] = {}
        for key, value in pairs:
            index = key if isinstance(key, int) else self.indices.get(key)
            memory = value.texels if isinstance(value, Image) else value
            address = _address(memory)
            if address and address in owners:
                self.list.append((str(key), f"same:{owners[address]}"))
                continue
            if address:
                owners[address] = str(key)
            if index is not None and (address or isinstance(value, Image)):
                self.targets[index] = memory
            self.list.append((str(key), _argument(value)))

    def write_back(self, contents: List[Optional[bytes]]) -> Dict[int, Any]:
        results = {}
        for index, data in enumerate(contents):
            if data is not None:
                target = self.targets.get(index)
                results[index] = target if target is not None and _store(target, data) else data
        return results


def _argument(value: Any) -> Any:
    if value is None:
        return "u64:0"
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, Local):
        return f"local:{value.bytes}"
    if isinstance(value, Same):
        return f"same:{value.key}"
    if isinstance(value, Image):
        return (value.format, _image_size(value), _bytes(value.texels))
    if hasattr(value, "dtype") and not _is_array(value):
        return value.tobytes()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, tuple):
        return ",".join(repr(float(one) if isinstance(one, float) else int(one)) for one in value)
    return _bytes(value)


def _image_size(image: Image) -> List[int]:
    if image.size is not None:
        return [*_sizes(image.size), 1, 1, 1][:3]
    view = image.texels if _is_array(image.texels) else memoryview(image.texels)
    shape = [int(side) for side in view.shape or ()]
    texel = texel_bytes(image.format)
    if shape and view.itemsize != texel and view.itemsize * shape[-1] == texel:
        shape.pop()
    return (shape[::-1] + [1, 1, 1])[:3]


def _is_array(value: Any) -> bool:
    # NumPy's scalars lack `__setitem__`.
    return hasattr(value, "__array_interface__") and hasattr(value, "__setitem__")


def _address(value: Any) -> Optional[Tuple[Any, ...]]:
    """Returns the identity of a memory, and `None` for a value."""
    if _is_array(value):
        return (value.__array_interface__["data"][0], value.shape, value.strides)
    if not hasattr(value, "dtype") and _has_buffer(value):
        return (id(value),)
    return None


def _has_buffer(value: Any) -> bool:
    try:
        memoryview(value).release()
    except TypeError:
        return False
    return True


def _bytes(value: Any) -> bytes:
    return value.tobytes() if _is_array(value) else memoryview(value).tobytes()


def _store(target: Any, data: bytes) -> bool:
    """Writes results to the memory of an argument. Returns false if it is read-only."""
    if _is_array(target):
        if not target.flags.writeable:
            return False
        import numpy

        target[...] = numpy.frombuffer(data, dtype=target.dtype, count=target.size).reshape(target.shape)
        return True
    view = memoryview(target)
    if view.readonly:
        return False
    view.cast("B")[:] = data
    return True
