#!/usr/bin/env python3
"""Builds the programs of this suite from their sources, after a change of NAME.cl.

    compile.py NAME…                                  for skl, tgllp, dg2 and pvc, next to the sources
    compile.py --today NAME…                          for the devices of a line `// today …` in the source, with the `ocloc` of 2026
    compile.py --to FOLDER --devices LIST [NAME…]     for other devices: FOLDER/NAME.DEVICE.zebin.gz

For each target, NAME.TARGET.zebin.gz is the output of `ocloc` for NAME.cl, with its vISA, without unused parts: native code,
the intermediate representation, build options and comments. A line `// options …` in the source has compiler options; those
that start with -cl-intel or -cl-ext go to the compiler's internal options. A line `// targets …` restricts the targets; a line
`// environment NAME=VALUE` sets an environment variable for the compiler. TARGET_SKL etc. is defined for each target. For targets
without doubles, lines with doubles are removed from the source: a kernel takes one line.

With --devices every source is compiled for every device, with the macro of the nearest of the four targets, and
FOLDER/refused.txt lists the rejected ones. VISAKIT_OCLOC names the compilers, in order of preference.
"""
import argparse, gzip, re, sys, tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ocloc import compiled

TARGETS = ["skl", "tgllp", "dg2", "pvc"]
NO_DOUBLES = {"tgllp", "dg2", "adl-s", "dg1"}
# Targets whose preprocessor macro another device uses.
LIKE = dict(bmg="pvc", lnl="pvc", ptl="pvc", cri="pvc", **{"nvl-p": "pvc"}, mtl="dg2", arl="dg2", dg1="tgllp")
LIKE["adl-s"] = "tgllp"
UNREAD = re.compile(r"\.text\.|\.spv$|\.misc\.|\.note\.intelgt\.metrics$")
COMMENTS = re.compile(rb"^//.*\n|[ \t]*///.*$", re.M)
HERE = Path(__file__).parent


def u(data, at, size):
    return int.from_bytes(data[at:at + size], "little")


def shortened(data):
    """Returns the ELF file with unused sections emptied and comments removed from its texts."""
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
    """Returns the compiler's zebin, or None if it rejects the source."""
    if target in NO_DOUBLES:
        source = "\n".join(line for line in source.splitlines() if not re.search(r"\bdouble", line)) + "\n"
    inner = [option for option in options if option.startswith(("-cl-intel", "-cl-ext"))]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "k.cl").write_text(source)
        made, said = compiled(str(Path(folder) / "k.cl"), target,
                              " ".join([f"-DTARGET_{LIKE.get(target, target).upper()}", *(option for option in options if option not in inner)]),
                              inner, dict(pair.split("=", 1) for pair in environment))
        if not made:
            print(f"{target}: {said}", file=sys.stderr)
            return None
        return shortened(made)


def line(text, word):
    return (re.findall(rf"^// {word} (.*)$", text, re.M) or [""])[0].split()


def write(source, target, folder):
    """Builds the program of a source for a target; returns False if the compiler rejects it."""
    text = source.read_text()
    made = program(text, line(text, "options"), target, line(text, "environment"))
    path = folder / f"{source.stem}.{target}.zebin.gz"
    if made:
        path.write_bytes(gzip.compress(made, mtime=0))
    else:
        path.unlink(missing_ok=True)
    return bool(made)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path)
    parser.add_argument("--devices", type=lambda text: text.split(","))
    parser.add_argument("--today", action="store_true")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    if not args.devices:
        for name in args.names or sys.exit(__doc__):
            source = HERE / f"{name}.cl"
            text = source.read_text()
            for target in line(text, "today") if args.today else line(text, "targets") or TARGETS:
                write(source, target, args.to or HERE)
        return
    args.to.mkdir(parents=True, exist_ok=True)
    sources = [HERE / f"{name}.cl" for name in args.names] or sorted(HERE.glob("*.cl"))
    def wants(source, device):
        """Returns false for a source whose targets are all newer than the four, and others than the device."""
        targets = line(source.read_text(), "targets")
        return not targets or device in targets or bool(set(targets) & set(TARGETS))

    jobs = [(source, device) for source in sources for device in args.devices if wants(source, device)]
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda job: write(*job, args.to), jobs))
    refused = [f"{source.stem} {device}\n" for (source, device), good in zip(jobs, done) if not good]
    listed = args.to / "refused.txt"
    tried = {f"{source.stem} {device}\n" for source, device in jobs}
    others = [line for line in listed.open() if line not in tried] if listed.exists() else []
    listed.write_text("".join(sorted(refused + others)))
    print(f"{sum(done)} of {len(jobs)} compiled")


if __name__ == "__main__":
    main()
