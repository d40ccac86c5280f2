#!/usr/bin/env python3
"""Runs the official Level Zero tests (oneapi-src/level-zero-tests) on the driver.

    lzt.py run   DIR --device D [--tests OUT] [--only PROGRAM[:TEST]]… [--without PROGRAM]… [--driver LIBRARY] [--jobs N]
                 [--limit S] [--batch N] [--again] [--name NAME] [--accept FILE]
    lzt.py list  DIR [--tests OUT]
    lzt.py table DIR [--json | --toml]

OUT is the folder into which the tests were installed: their programs `test_*` and the modules that
they load. By default it is DIR/out.

`run` runs the tests of each program on one device of the driver and keeps the results in
DIR/NAME.jsonl, where NAME is the device by default; a second call runs only what is missing, and
`--again` also what did not pass. A process runs up to N tests of a suite; after a crash, or when S
seconds are over, another process continues behind the test that ended it. `--only PROGRAM` or
`--only PROGRAM:TEST` selects; `*` in TEST matches any text.
VISAKIT_OCLOC_LIBRARIES selects the compiler.

`list` prints the number of tests of each program. `table` prints the results of all devices.
`--toml` prints the rows of docs/data/validation.toml.

The exit status of `run` is 1 if a test fails whose cause FILE does not list (`[[cause]]` in
docs/data/validation.toml; NAME is `DEVICE-COMPILER`). Nothing of the tests is committed.
"""

import os, re, subprocess, sys, tempfile
from pathlib import Path

import suite

# Lines of the output that end a test, with their kinds.
ENDS = {"[       OK ]": "passed", "[  FAILED  ]": "failed", "[  SKIPPED ]": "skipped"}
BEGIN = "[ RUN      ]"
# Lines of the output that give the reason of a failure, in order of preference.
REASONS = [r"(?m)^.*\.[ch]pp:\d+: Failure\n((?:.*\n){1,5})", r"(?m)^.*\.[ch]pp:\d+: Skipped\n(.*)", r"(unknown file: Failure\n.*)"]


def programs(args):
    """Returns the installed programs. Fills in the default folder of the tests."""
    args.tests = (args.tests or args.dir / "out").resolve()
    found = sorted(path for path in args.tests.glob("test_*") if not path.suffix and os.access(path, os.X_OK))
    if not found:
        sys.exit(f"lzt.py: there are no programs `test_*` in {args.tests}: build and install the tests, or pass --tests")
    return [path for path in found if path.name not in args.without]


def environment(args):
    """Returns the environment of a process: the driver and the device."""
    new = dict(ZE_ENABLE_ALT_DRIVERS=str(args.driver.resolve()), VISAKIT_DEVICES=args.device)
    return {"VISAKIT_CACHE": str(args.dir.resolve() / "cache"), **os.environ, **new}


def tests(program, args):
    """Returns the names of a program's tests by suite, with those that it does not run by default."""
    done = subprocess.run([program, "--gtest_list_tests"], cwd=args.tests, env=environment(args), text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120)
    names = {}
    for line in done.stdout.splitlines():
        word = line.split("#")[0].rstrip()
        if re.fullmatch(r"[\w/]+\.", word):
            of_suite = names.setdefault(word, [])
        elif re.fullmatch(r"  [\w/]+", word) and names:
            of_suite.append(word.strip())
    return {name: [name + test for test in of_suite] for name, of_suite in names.items()}


def parts(text):
    """Yields the tests in the output of a process: name, kind (None without an end), seconds, own output."""
    for part in text.split(BEGIN)[1:]:
        name, _, said = part.partition("\n")
        name, kind, seconds = name.strip(), None, 0.0
        for mark, of_mark in ENDS.items():
            end = re.search(re.escape(mark) + r" " + re.escape(name) + r"\b.*?(?:\((\d+) ms\))?$", said, re.M)
            if end:
                kind, seconds, said = of_mark, int(end[1] or 0) / 1000, said[:end.start()]
                break
        yield name, kind, seconds, said


def reason(text):
    """Returns the line of a test's output that explains its result."""
    found = suite.first(REASONS, text) or suite.first([suite.SKIPPED], text) or "no reason given"
    # Lines of the log begin with their time.
    return " ".join(re.sub(r"\[[-\d]+ [:\d]+\] \[\w+\]", "", found).split())[:240]


def once(args, program, names):
    """Runs tests in a process. Yields records; stops behind a test that ended the process."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Programs look for their modules in their working folder, and some write there.
        for data in args.tests.iterdir():
            (folder / data.name).symlink_to(data.resolve())
        said = folder / "said"
        with said.open("wb") as out:
            try:
                status = subprocess.run([program, f"--gtest_filter={':'.join(names)}"], cwd=folder, env=environment(args),
                                        stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, timeout=args.limit).returncode
            except subprocess.TimeoutExpired:
                status = None
        text = said.read_text(errors="replace")
    found = list(parts(text))
    for name, kind, seconds, own in found:
        record = dict(program=program.name, test=name, result=kind, seconds=round(seconds, 1))
        if kind is None and status is None:
            # A test has the whole time only if it is the first of its process.
            if len(found) > 1:
                return
            record |= dict(result="time", seconds=args.limit, reason="exceeds its time")
        elif kind is None:
            own = own[-2000:].strip().splitlines()[-1:]
            record |= dict(result="crashed", reason="; ".join([f"exit status {status}", *own])[:240])
        elif kind != "passed":
            record["reason"] = reason(own)
        yield record
    if not found:
        kind = "time" if status is None else "crashed"
        last = text[-2000:].strip().splitlines()[-1:]
        yield dict(program=program.name, test=names[0], result=kind, seconds=0.0, reason="; ".join(["begins no test", *last])[:240])


def batch(args, program, names):
    """Runs tests until each has a result. Yields their records."""
    left = list(names)
    while left:
        before = len(left)
        for record in once(args, program, left):
            if record["test"] in left:
                left.remove(record["test"])
            yield record
        if len(left) == before:
            sys.exit(f"lzt.py: {program.name} runs none of {', '.join(left)}")


def run(args):
    known = suite.read(suite.results(args))
    jobs, total, selection = [], 0, suite.Selection(args)
    for program in programs(args):
        own = {program.name, program.name.removeprefix("test_")}
        if not selection.has(own):
            continue
        for names in tests(program, args).values():
            due = [name for name in selection.of(own, names) if suite.is_due(args, known.get((program.name, name)))]
            total += len(due)
            for at in range(0, len(due), args.batch):
                jobs.append(lambda job=(program, due[at:at + args.batch]): batch(args, *job))
    selection.check()
    suite.execute(args, jobs, total, suite.accepted(args, "level-zero"))


def list_(args):
    for program in programs(args):
        found = tests(program, args)
        print(f"{program.name:40} {len(found):5} suites {sum(map(len, found.values())):7} tests", flush=True)


def main():
    library = "libvisakit_level_zero.so"
    parser, runner, lister, _ = suite.parsers(__doc__, run, list_)
    for command in (runner, lister):
        command.add_argument("--tests", type=Path)
        command.add_argument("--without", action="append", default=[])
    suite.arguments(runner, library)
    runner.add_argument("--accept", type=Path)
    runner.add_argument("--batch", type=int, default=50)
    lister.set_defaults(driver=suite.ROOT / "target/release" / library, device="bmg")
    suite.main(parser)


if __name__ == "__main__":
    main()
