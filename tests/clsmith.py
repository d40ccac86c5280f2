#!/usr/bin/env python3
"""Runs random OpenCL programs of CLSmith (ChrisLidbury/CLSmith) on the driver and on another one.

    clsmith.py run   DIR --device D --tools BUILD [--seeds FIRST:LAST] [--other ICD] [--only MODE[:SEED]]… [--driver ICD] [--jobs N]
                     [--limit S] [--again] [--name NAME]
    clsmith.py table DIR [--json | --toml]

BUILD is a build folder of CLSmith, in its source folder: it has the generator `CLSmith` and `cl_launcher`.

`run` generates a program for each seed, in one of several modes by turns: vectors, barriers, atomic
operations and so on. A program prints a hash for each of up to 256 work items. It runs on the driver
with native code and in the interpreter, and must print what it prints on the other driver (pocl by
default). A program that the other driver does not finish in S seconds is skipped. Programs, results
of the other driver and the results (DIR/NAME.jsonl, where NAME is the device by default) are kept
in DIR; a second call runs only what is missing, and `--again` also what did not pass.
VISAKIT_OCLOC_LIBRARIES selects the compiler.

The exit status of `run` is 1 if a result differs. Nothing of CLSmith is committed.
"""

import os, re, subprocess, tempfile, time
from pathlib import Path

import suite

# Options of the generator. It uses the arguments of `--emi` for barriers even without this option.
MODES = {
    "plain": [],
    "vectors": ["--vectors"],
    "barriers": ["--barriers", "--emi"],
    "atomics": ["--atomics"],
    "reductions": ["--atomic_reductions"],
    "communication": ["--inter_thread_comm"],
    "groups": ["--group_divergence"],
    "all": ["--vectors", "--barriers", "--emi", "--group_divergence", "--inter_thread_comm"],
}
ITEMS = 256


def generate(args, mode, seed):
    """Returns the path of a seed's program. Its first line has the arguments of the launcher."""
    path = args.dir.resolve() / f"{mode}-{seed}.cl"
    if not path.exists():
        with tempfile.TemporaryDirectory() as folder:
            new = Path(folder) / "program.cl"
            subprocess.run([args.tools / "CLSmith", "--seed", str(seed), *MODES[mode], "-o", new], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=20)
            line, text = new.read_text().split("\n", 1)
            part = path.with_suffix(".part")
            part.write_text(smaller(line) + "\n" + text)
            part.rename(path)
    return path


def smaller(line):
    """Returns the launcher's arguments with a global size of at most ITEMS."""
    sizes, groups = ([int(size) for size in re.search(rf"-{option} (\S+)", line)[1].split(",")] for option in "lg")
    size = list(sizes)
    for i in range(3):
        others = size[0] * size[1] * size[2] // size[i]
        size[i] = max(size[i], min(groups[i], ITEMS // others) // sizes[i] * sizes[i])
    return re.sub(r"-g \S+", "-g " + ",".join(map(str, size)), line)


def launch(args, program, driver, **variables):
    """Returns what a program prints on a driver, or the reason why it prints nothing."""
    with tempfile.TemporaryDirectory() as folder:
        command = [args.tools / "cl_launcher", "-f", program, "-p", "0", "-d", "0", "-i", args.include]
        env = {**os.environ, "OCL_ICD_VENDORS": suite.vendors(folder, driver), **variables}
        try:
            done = subprocess.run(command, cwd=folder, env=env, text=True, errors="replace", stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=args.limit)
        except subprocess.TimeoutExpired:
            return None, "exceeds its time"
    found = re.findall(r"0x[0-9a-f]+", done.stdout)
    if done.returncode or not found:
        return None, f"exit status {done.returncode}: {done.stdout.strip()[-150:]}"
    return found, None


def headers(args, folder):
    """Puts the headers of the programs into a folder; the build generates some of them."""
    for source in (args.tools.parent / "runtime", args.tools):
        for header in source.glob("*.h"):
            (Path(folder) / header.name).symlink_to(header.resolve())


def one(args, mode, seed):
    """Runs a program everywhere. Returns its record."""
    begin = time.monotonic()
    try:
        kind, why = compare(args, generate(args, mode, seed))
    except subprocess.SubprocessError:
        kind, why = "skipped", "the generator makes no program"
    record = dict(program=mode, test=str(seed), result=kind, seconds=round(time.monotonic() - begin, 1))
    return {**record, "reason": why} if why else record


def compare(args, program):
    """Returns the kind of a program's result, with its reason."""
    kept = program.with_suffix(".txt")
    if not kept.exists():
        want, why = launch(args, program, args.other)
        kept.write_text("\n".join(want or ["other driver: " + why]))
    want = kept.read_text().split("\n")
    if not want[0].startswith("0x"):
        return "skipped", want[0]
    for engine in ("native", "interpreter"):
        found, why = launch(args, program, args.driver.resolve(), VISAKIT_DEVICES=args.device, VISAKIT_ENGINE=engine)
        if not found:
            return "time" if why.startswith("exceeds") else "crashed", f"{engine}: {why}"
        if found != want:
            item = next((n for n, (a, b) in enumerate(zip(found, want)) if a != b), min(len(found), len(want)))
            return "failed", f"{engine}: the result of item {item} differs from that of the other driver"
    return "passed", None


def run(args):
    args.tools = args.tools.resolve()
    args.other = args.other.read_text().strip() if args.other.suffix == ".icd" else args.other.resolve()
    known, modes = suite.read(suite.results(args)), list(MODES)
    first, last = map(int, args.seeds.split(":"))
    jobs = []
    for seed in range(first, last + 1):
        mode = modes[seed % len(modes)]
        only = suite.wanted(args, {mode})
        if (only is None or str(seed) in only) and suite.is_due(args, known.get((mode, str(seed)))):
            jobs.append(lambda mode=mode, seed=seed: [one(args, mode, seed)])
    with tempfile.TemporaryDirectory() as args.include:
        headers(args, args.include)
        suite.execute(args, jobs, len(jobs), set())


def main():
    parser, runner, _ = suite.parsers(__doc__, run)
    suite.arguments(runner, "libvisakit_opencl.so")
    runner.set_defaults(limit=60)
    runner.add_argument("--tools", type=Path, required=True)
    runner.add_argument("--seeds", default="1:100")
    runner.add_argument("--other", type=Path, default="/etc/OpenCL/vendors/pocl.icd")
    suite.main(parser)


if __name__ == "__main__":
    main()
