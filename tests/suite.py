"""The common part of the runners of official tests: results on disk, selection, a pool, tables.

A result is a JSON object in one line of DIR/NAME.jsonl: `program`, `test`, `result` (one of KINDS),
`seconds` and, unless the test passed, `reason`. The last line of a test counts.
"""

import argparse, concurrent.futures, fnmatch, json, os, re, sys, tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KINDS = ["passed", "failed", "skipped", "time", "crashed"]
SKIPPED = r"(.*\b(?:[Ss]kip|not support|unsupported)\w*\b.*)"


def parsers(description, *functions):
    """Returns the parser of a script and those of its commands: of `functions` and of `table`."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands, parts = parser.add_subparsers(required=True), []
    for function in (*functions, table):
        part = commands.add_parser(function.__name__.rstrip("_"))
        part.set_defaults(function=function)
        part.add_argument("dir", type=Path, metavar="DIR")
        if function is table:
            part.add_argument("--json", action="store_true")
            part.add_argument("--toml", action="store_true")
        else:
            part.add_argument("--only", action="append", default=[])
        parts.append(part)
    return parser, *parts


def arguments(command, driver):
    """Adds the arguments that every `run` has."""
    command.add_argument("--jobs", type=int, default=0)
    command.add_argument("--device", required=True)
    command.add_argument("--name")
    command.add_argument("--driver", type=Path, default=ROOT / "target/release" / driver)
    command.add_argument("--limit", type=float, default=900)
    command.add_argument("--again", action="store_true")


def main(parser):
    """Parses the command line and runs the command's function."""
    args = parser.parse_args()
    args.dir.mkdir(parents=True, exist_ok=True)
    try:
        args.function(args)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of the output has ended, such as `head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def vendors(folder, driver):
    """Returns a new folder for the OpenCL loader that names one driver."""
    path = Path(folder) / "vendors"
    path.mkdir()
    (path / "one.icd").write_text(f"{driver}\n")
    return str(path)


def results(args):
    """Returns the file of a run's results."""
    return args.dir / f"{args.name or args.device}.jsonl"


def read(path):
    """Returns the latest record of each test of a device."""
    lines = path.read_text().splitlines() if path.exists() else []
    records = [json.loads(line) for line in lines if line.endswith("}")]
    return {(record["program"], record["test"]): record for record in records}


class Selection:
    """The tests that `--only PROGRAM` and `--only PROGRAM:TEST` select; `*` in TEST matches any text."""

    def __init__(self, args):
        self.words, self.unused = args.only, set(args.only)

    def has(self, names):
        """Returns true if tests of a program with one of the names are selected."""
        return not self.words or any(word in names or word.rpartition(":")[0] in names for word in self.words)

    def of(self, names, tests):
        """Returns the selected ones of a program's tests."""
        if not self.words:
            return tests
        chosen = set()
        for word in self.words:
            program, _, pattern = word.rpartition(":")
            found = tests if word in names else fnmatch.filter(tests, pattern) if program in names else []
            self.unused -= {word} if found else set()
            chosen.update(found)
        return [test for test in tests if test in chosen]

    def check(self):
        """Ends the script if a word selects no test."""
        if self.unused:
            sys.exit(f"--only {', '.join(sorted(self.unused))}: there is no such program or test")


def is_due(args, record):
    """Returns true for a test without a result, and with `--again` for one that did not pass."""
    return not record or args.again and record["result"] not in ("passed", "skipped")


def accepted(args, tests):
    """Returns the tests that are known to fail on the device with the compiler."""
    if not args.accept:
        return set()
    causes = (cause for cause in tomllib.loads(args.accept.read_text())["cause"] if cause.get("of", "opencl") == tests)
    here = (cause for cause in causes if (args.name or args.device) in [on.replace(" ", "-") for on in cause["on"]])
    return {(cause["program"], test) for cause in here for test in cause["tests"]}


def first(patterns, text):
    """Returns the first line of a text that the first matching pattern finds."""
    return next((match for pattern in patterns for match in re.findall(pattern, text)), None)


def execute(args, jobs, total, expected):
    """Runs jobs, each a function that returns an iterator of records, and keeps the records.

    Ends the process with status 1 if a test fails or crashes that is not expected to.
    """
    bad, n = [], 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs or os.cpu_count()) as pool, results(args).open("a") as out:
        def work(job):
            for record in job():
                # A line is written at once, so that threads do not mix them.
                out.write(json.dumps(record) + "\n")
                out.flush()
                yield record

        begun = [pool.submit(lambda job=job: list(work(job))) for job in jobs]
        for done in concurrent.futures.as_completed(begun):
            for record in done.result():
                n += 1
                key = (record["program"], record["test"])
                if record["result"] in ("failed", "crashed") and key not in expected:
                    bad.append(key)
                said = f": {record['reason']}" if "reason" in record else ""
                print(f"[{n}/{total}] {record['program']}: {record['test']} {record['result']} in {record['seconds']} s{said}", flush=True)
    for program, test in bad:
        print(f"failed: {program}: {test}", file=sys.stderr)
    sys.exit(bool(bad))


def counts(records):
    """Returns the number of records of each kind."""
    return [sum(record["result"] == kind for record in records) for kind in KINDS]


def by_program(records):
    """Returns the records of each program, in order of first occurrence."""
    programs = {}
    for record in records.values():
        programs.setdefault(record["program"], []).append(record)
    return programs


def table(args):
    """Prints the results of all devices."""
    devices = {path.stem: read(path) for path in sorted(args.dir.glob("*.jsonl"))}
    if args.json:
        print(json.dumps({device: list(records.values()) for device, records in devices.items()}, indent=1))
        return
    for device, records in devices.items():
        if args.toml:
            rows(device, records)
        else:
            details(device, records)


def rows(device, records):
    """Prints the rows of docs/data/validation.toml. A crash is a failure."""
    print(f"# {device}\nrows = [")
    for label, of_program in by_program(records).items():
        passed, failed, skipped, stopped, crashed = counts(of_program)
        print(f"    {json.dumps([label, passed, failed + crashed, skipped, stopped])},")
    print("]")


def details(device, records):
    """Prints counts, the tests that did not pass, and the reasons of skipped ones."""
    print(f"{device}: " + ", ".join(f"{count} {kind}" for count, kind in zip(counts(records.values()), KINDS)))
    for label, of_program in by_program(records).items():
        print(f"  {label:45} {' '.join(f'{count:5}' for count in counts(of_program))}")
        for record in of_program:
            if record["result"] not in ("passed", "skipped"):
                print(f"      {record['test']} {record['result']}: {record['reason']}")
    reasons = {}
    for record in records.values():
        if record["result"] == "skipped":
            reasons.setdefault(record["reason"], []).append(record["test"])
    for text, names in sorted(reasons.items(), key=lambda pair: -len(pair[1])):
        print(f"  skipped {len(names)}: {text}")
