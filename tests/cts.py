#!/usr/bin/env python3
"""Builds and runs the official OpenCL conformance tests (KhronosGroup/OpenCL-CTS) on the driver.

    cts.py build DIR --source CTS --headers OPENCL --spirv SPIRV [--only TEST]…
    cts.py run   DIR --device D [--list quick|full|FILE] [--only TEST]… [--driver ICD] [--jobs N] [--limit S] [--again] [--name NAME] [--accept FILE]
    cts.py table DIR [--json | --toml]

CTS is a checkout of the tests, OPENCL one of KhronosGroup/OpenCL-Headers, SPIRV one of
KhronosGroup/SPIRV-Headers. `build` needs cmake, ninja, spirv-tools, a C++ compiler and the OpenCL loader; two
processors take about half an hour. DIR/build has the programs.

`run` runs each test of each program of a list in a process of its own, on one device of the driver,
and keeps the results in DIR/NAME.jsonl, where NAME is the device by default; a second call runs
only what is missing, and `--again` also what did not pass. `--only PROGRAM` or
`--only PROGRAM:TEST` selects; `*` in TEST matches any text. Long tests are shortened (CL_WIMPY_MODE) unless `--whole` is given.
VISAKIT_OCLOC_LIBRARIES selects the compiler.

`table` prints the results of all devices: counts for each program, and each test that did not pass
with the reason that its output gives. `--toml` prints the rows of docs/data/validation.toml.

The exit status of `run` is 1 if a test fails whose cause FILE does not list (`[[cause]]` in
docs/data/validation.toml; NAME is `DEVICE-COMPILER`). A test that exceeds its time is listed only. Nothing of the tests is committed.
"""

import csv, fnmatch, json, os, re, subprocess, sys, tempfile, time
from pathlib import Path

import suite

RESULTS = {"pass": "passed", "fail": "failed", "skip": "skipped"}
# Lines of the output that give the reason of a failure, in order of preference.
REASONS = [r"ERROR: (.*)", r"(.*\b(?:failed|FAILED|mismatch|invalid|Invalid|unsupported)\b.*)"]


def call(command, **more):
    """Runs a command and shows its output; stops after a failure."""
    if subprocess.run([str(part) for part in command], **more).returncode:
        sys.exit(f"cts.py: `{' '.join(str(part) for part in command)}` failed")


def build(args):
    target = args.dir / "build"
    # Incomplete checkouts lack the archives of SPIR 1.2, which the driver does not offer.
    spir = args.source / "test_conformance/spir"
    spir.mkdir(exist_ok=True)
    lists = spir / "CMakeLists.txt"
    lists.touch()
    for archive in re.findall(r"\w+\.zip", lists.read_text()):
        (spir / archive).touch()
    loader = next((folder for folder in map(Path, ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"])
                   if (folder / "libOpenCL.so").exists()), None) or sys.exit("cts.py: there is no libOpenCL.so: install ocl-icd-opencl-dev")
    # Not Release: then the build files compile the image tests without optimization, and their
    # own reference takes nine tenths of the time. The build files turn warnings into errors, which
    # depend on the optimization.
    flags = [f"-DCMAKE_{language}_FLAGS_OPTIMIZED=-O2 -DNDEBUG -Wno-error=maybe-uninitialized" for language in ("C", "CXX")]
    call(["cmake", "-S", args.source, "-B", target, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Optimized", *flags, f"-DCL_INCLUDE_DIR={args.headers}",
          f"-DSPIRV_INCLUDE_DIR={args.spirv}", f"-DCL_LIB_DIR={loader}", "-DOPENCL_LIBRARIES=OpenCL"], stdout=subprocess.DEVNULL)
    call(["ninja", "-C", target, *(["-j", str(args.jobs)] if args.jobs else []), *args.only])


def programs(args):
    """Returns the programs of a list: label, path and arguments. Lines for processors are left out."""
    named = args.list if args.list.endswith(".csv") else f"opencl_conformance_tests_{args.list}.csv"
    path = Path(named) if Path(named).exists() else args.dir / "build/test_conformance" / named
    if not path.exists():
        sys.exit(f"cts.py: there is no list {path}: build the tests first, or name a list of the source")
    for row in csv.reader(line for line in path.open() if line.strip() and not line.startswith("#")):
        if len(row) == 2:
            program, *options = row[1].split()
            yield row[0], args.dir / "build/test_conformance" / program, options


def environment(args, folder):
    """Returns the environment of a process: the driver, the device and the mode of the tests."""
    new = dict(OCL_ICD_VENDORS=suite.vendors(folder, args.driver.resolve()), VISAKIT_DEVICES=args.device, CL_DEVICE_TYPE="gpu")
    return {**os.environ, **new, **({} if args.whole else {"CL_WIMPY_MODE": "1"})}


def tests(program, options, environment, folder):
    """Returns the arguments for each test of a program that its options select. The only test of a program is not named:
    test_conversions takes the name for one of its formats, and would test nothing."""
    flags = [option for option in options if option.startswith("-")]
    done = subprocess.run([program, *flags, "--list"], cwd=folder, env=environment, text=True, errors="replace", stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120)
    names = re.findall(r"^\t(\w+)$", done.stdout, re.M)
    chosen = []
    for option in options:
        # The word `all` would run all tests for each one.
        if not option.startswith("-") and option != "all":
            matching = fnmatch.filter(names, option)
            chosen += matching
            # A word that selects no test is an option of the program.
            flags += [] if matching else [option]
    return {test: flags + [test] * (len(names) > 1) for test in chosen or names}


def one(args, label, program, options, test):
    """Runs a test in a process of its own. Returns its record."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        answer, said = folder / "result.json", folder / "said"
        # Programs look for their headers and modules in their working folder.
        for data in program.parent.iterdir():
            if data.is_dir() and data.name != "CMakeFiles":
                (folder / data.name).symlink_to(data.resolve())
        env = {**environment(args, folder), "CL_CONFORMANCE_RESULTS_FILENAME": str(answer)}
        begin = time.monotonic()
        with said.open("wb") as out:
            try:
                status = subprocess.run([program, *options], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=out,
                                        stderr=subprocess.STDOUT, timeout=args.limit).returncode
            except subprocess.TimeoutExpired:
                status = None
        text = said.read_bytes()[-200_000:].decode(errors="replace")
        try:
            kind = RESULTS[json.loads(answer.read_text())["results"][test]]
        except (OSError, ValueError, KeyError):
            # Programs for an absent extension end without results.
            kind = "skipped" if status == 0 and suite.first([suite.SKIPPED], text) else "crashed"
        kind = "time" if status is None else kind
    record = dict(program=label, test=test, result=kind, seconds=round(time.monotonic() - begin, 1))
    if kind != "passed":
        record["reason"] = reason(kind, text, status)
    return record


def reason(kind, text, status):
    """Returns the line of the output that explains a result."""
    patterns = {"skipped": [suite.SKIPPED], "failed": REASONS, "crashed": REASONS}.get(kind, [])
    end = {"time": "exceeds its time", "crashed": f"exit status {status}"}.get(kind)
    return "; ".join(part.strip()[:200] for part in (end, suite.first(patterns, text)) if part) or "no reason given"


def run(args):
    known = suite.read(suite.results(args))
    jobs, missing, selection = [], [], suite.Selection(args)
    with tempfile.TemporaryDirectory() as name:
        env = environment(args, Path(name))
        for label, program, options in programs(args):
            own = {program.name, program.name.removeprefix("test_"), label}
            if not selection.has(own):
                continue
            if not program.exists():
                missing.append(label)
                continue
            arguments = tests(program, options, env, name)
            due = (test for test in selection.of(own, list(arguments)) if suite.is_due(args, known.get((label, test))))
            jobs += [lambda job=(label, program, arguments[test], test): [one(args, *job)] for test in due]
    for label in missing:
        print(f"not built: {label}", file=sys.stderr)
    selection.check()
    suite.execute(args, jobs, len(jobs), suite.accepted(args, "opencl"))


def main():
    parser, builder, runner, _ = suite.parsers(__doc__, build, run)
    builder.add_argument("--jobs", type=int, default=0)
    source = os.environ.get("CTS_SOURCE")
    builder.add_argument("--source", type=Path, default=source, required=not source)
    builder.add_argument("--headers", type=Path, required=True)
    builder.add_argument("--spirv", type=Path, required=True)
    suite.arguments(runner, "libvisakit_opencl.so")
    runner.add_argument("--accept", type=Path)
    runner.add_argument("--list", default="quick")
    runner.add_argument("--whole", action="store_true")
    suite.main(parser)


if __name__ == "__main__":
    main()
