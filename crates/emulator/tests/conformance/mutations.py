#!/usr/bin/env python3
"""Measures how many bugs the checks find: `mutations.py FOLDER [FAMILY…]`.

Each mutation removes one construct from a kernel of this suite: a barrier, a guard (its condition becomes true), an atomic
operation (replaced by a plain one), or an initialisation of shared local memory. Each mutant that compiles to a different program
becomes a family in FOLDER, with the cases of its kernel, for skl. All families run with all checks. A mutant is exercised if a
check, a fault or a wrong result reveals it, and found if a check or fault does.
"""
import collections, gzip, json, os, re, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from compile import HERE, program

FAMILIES = ["local", "programs", "programs2", "atomics", "language", "subgroups", "implicit", "integer"]
ATOMIC = re.compile(r"\batomic_(inc|dec|add|sub|and|or|xor)\(")
PLAIN = {"inc": "+= 1", "dec": "-= 1", "add": "+=", "sub": "-=", "and": "&=", "or": "|=", "xor": "^="}


def closing(text, at):
    """Returns the positions of the bracket that closes the one at `at`, and of the commas between its arguments."""
    depth, commas = 0, []
    for n in range(at, len(text)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[n], 0)
        if depth == 1 and text[n] == ",":
            commas.append(n)
        if depth == 0:
            return n, commas
    return None, commas


def mutants(line):
    """Yields kind and text of each mutant of a kernel, which is one line."""
    for found in re.finditer(r"\b(?:work_group_)?barrier\(", line):
        end, _ = closing(line, found.end() - 1)
        yield "barrier", line[:found.start()] + "(void)0" + line[end + 1:]
    for found in re.finditer(r"\bif ?\(", line):
        end, _ = closing(line, found.end() - 1)
        yield "guard", line[:found.end()] + "1" + line[end:]
    for found in ATOMIC.finditer(line):
        end, commas = closing(line, found.end() - 1)
        target = line[found.end():commas[0] if commas else end]
        value = line[commas[0] + 1:end] if commas else ""
        yield "atomic", f"{line[:found.start()]}(*({target}) {PLAIN[found[1]]} {value}){line[end + 1:]}"
    arrays = re.findall(r"local [a-z0-9]+ ?\*? ?(\w+)", line)
    for name in dict.fromkeys(arrays):
        found = re.search(rf"[;{{)]\s*({name}(?:\[[^;]*?\])+ ?= ?[^;=][^;]*);", line)
        if found:
            yield "initialisation", line[:found.start(1)] + "(void)0" + line[found.end(1):]


def make(folder, families):
    jobs = []
    for family in families:
        source = (HERE / f"{family}.cl").read_text()
        lines = source.splitlines()
        cases = json.loads(gzip.decompress((HERE / f"{family}.json.gz").read_bytes()))
        head = [line for line in lines if not line.startswith("kernel ")]
        for number, line in enumerate(lines):
            kernel = re.match(r"kernel void (\w+)\(", line)
            if not kernel:
                continue
            own = [case for case in cases["cases"] if case["kernel"] == kernel[1] and not case.get("fails")]
            for n, (kind, text) in enumerate(mutants(line)):
                if own:
                    jobs.append((f"{family}-{kernel[1]}-{n}-{kind}", source, head, line, text, dict(cases, cases=own)))

    def one(job):
        name, source, head, line, text, cases = job
        options = (re.findall(r"^// options (.*)$", source, re.M) or [""])[0].split()
        programs = [program("\n".join([*head, body]) + "\n", options, "skl") for body in (line, text)]
        if None in programs or programs[0] == programs[1]:
            return None
        (folder / f"{name}.skl.zebin").write_bytes(programs[1])
        (folder / f"{name}.cl").write_text("\n".join([*head, text]) + "\n")
        (folder / f"{name}.json").write_text(json.dumps(cases))
        return name

    with ThreadPoolExecutor(2) as pool:
        return [name for name in pool.map(one, jobs) if name]


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    names = make(folder, sys.argv[2:] or FAMILIES)
    run = subprocess.run(["cargo", "test", "-p", "visakit-emulator", "--test", "conformance", "kernels_of_all_families", "--",
                          "--nocapture"], capture_output=True, text=True,
                         env={**os.environ, "VISAKIT_CONFORMANCE": str(folder.resolve()), "VISAKIT_CHECK": "1", "VISAKIT_ALL": "1"})
    reasons = collections.defaultdict(set)
    for name, code in re.findall(r"^    skl (\S+)/\S+ [^:]*: ([\w-]+):", run.stderr, re.M):
        reasons[name].add(code)
    if "pass" not in run.stderr:
        sys.exit(run.stderr[-4000:])
    table = collections.defaultdict(collections.Counter)
    for name in names:
        seen = reasons[name]
        verdict = "not exercised" if not seen else "missed" if seen == {"result"} else "found"
        table[name.rsplit("-", 1)[1]][verdict] += 1
        print(f"{verdict:14} {name} {' '.join(sorted(seen))}")
    for kind, counts in sorted(table.items()):
        exercised = counts["found"] + counts["missed"]
        share = f"{100 * counts['found'] / exercised:.1f} %" if exercised else "-"
        print(f"{kind}: {counts['found']} of {exercised} exercised mutants found ({share}), {counts['not exercised']} not exercised")


if __name__ == "__main__":
    main()
