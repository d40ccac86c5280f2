#!/usr/bin/env python3
"""The programs of this suite from their sources: `compile.py [--today] NAME…`, after NAME.cl was changed.

With --today the devices of a line `// today …` in the source are compiled for, with the `ocloc` on the path: the one of 2026.

For each target, NAME.TARGET.zebin.gz is what `ocloc` makes of NAME.cl, with its vISA and without what nothing here reads:
native code, the intermediate form, the build options and comments. A line `// options …` in the source has options for
the compiler, those that begin with -cl-intel or -cl-ext for its inner parts; a line `// targets …` names the targets when there
are not all; a line `// environment NAME=VALUE` sets a variable for the compiler. TARGET_SKL and so on is defined for each. Targets without doubles get the source without the lines that have any: a kernel takes one line.
"""
import gzip, re, sys, tempfile
from pathlib import Path

from ocloc import compiled

TARGETS = dict(skl=True, tgllp=False, dg2=False, pvc=True)
TODAY = dict(mtl=True, bmg=True, ptl=True, cri=True)
UNREAD = re.compile(r"\.text\.|\.spv$|\.misc\.|\.note\.intelgt\.metrics$")
COMMENTS = re.compile(rb"^//.*\n|[ \t]*///.*$", re.M)
HERE = Path(__file__).parent


def u(data, at, size):
    return int.from_bytes(data[at:at + size], "little")


def shortened(data):
    """The ELF file with nothing in the sections that nobody reads, and no comments in its texts."""
    headers, count, names = u(data, 0x28, 8), u(data, 0x3c, 2), u(data, 0x3e, 2)
    section = lambda n: headers + 64 * n
    strings = u(data, section(names) + 24, 8)
    out = bytearray(data[:64])
    table = bytearray(data[headers:headers + 64 * count])
    for n in range(count):
        at = section(n)
        start, size = u(data, at + 24, 8), u(data, at + 32, 8)
        first = strings + u(data, at, 4)
        name = data[first:data.index(b"\0", first)].decode()
        contents = b"" if n == 0 or UNREAD.search(name) else data[start:start + size]
        if name.startswith(".visaasm"):
            contents = COMMENTS.sub(b"", contents)
        if n:
            table[64 * n + 24:64 * n + 40] = len(out).to_bytes(8, "little") + len(contents).to_bytes(8, "little")
        out += contents
    out += bytes(-len(out) % 8)
    out[0x28:0x30] = len(out).to_bytes(8, "little")
    return bytes(out + table)


def program(source, options, target, environment=()):
    """The compiler's zebin, or None where it refuses the source."""
    if not (TARGETS | TODAY)[target]:
        source = "\n".join(line for line in source.splitlines() if not re.search(r"\bdouble", line)) + "\n"
    inner = [option for option in options if option.startswith(("-cl-intel", "-cl-ext"))]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "k.cl").write_text(source)
        made, said = compiled(str(Path(folder) / "k.cl"), target,
                              " ".join([f"-DTARGET_{target.upper()}", *(option for option in options if option not in inner)]),
                              inner, dict(pair.split("=", 1) for pair in environment))
        if not made:
            print(f"{target}: {said}", file=sys.stderr)
            return None
        return shortened(made)


def programs(source, today):
    """Makes the programs of a source, beside it."""
    text = source.read_text()
    line = lambda word: (re.findall(rf"^// {word} (.*)$", text, re.M) or [""])[0].split()
    for target in line("today") if today else line("targets") or TARGETS:
        made = program(text, line("options"), target, line("environment"))
        if made:
            source.with_suffix(f".{target}.zebin.gz").write_bytes(gzip.compress(made, mtime=0))


if __name__ == "__main__":
    today = "--today" in sys.argv
    names = [name for name in sys.argv[1:] if name != "--today"]
    if not names or names[0].startswith("-"):
        sys.exit(__doc__)
    for name in names:
        programs(HERE / f"{name}.cl", today)
