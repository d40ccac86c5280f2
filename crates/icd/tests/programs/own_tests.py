#!/usr/bin/env python3
"""Tests that dpnp and dpctl bring along, on the driver's device: a seeded sample of each module, with limits of time.

    own_tests.py [--sample N] [--seed N] [--seconds N] [--minutes N] [--log FILE] MODULE...

A MODULE is a name such as dpnp.tests.test_linalg, or a file. Needs the packages dpnp, dpctl, pytest, pytest-timeout and scipy from
PyPI, and an OpenCL loader that finds the driver (OCL_ICD_VENDORS; ONEAPI_DEVICE_SELECTOR=opencl:gpu). pytest loads this file as its plugin
too. A test that ends its process, or outlives --seconds, counts as failed, and the next process goes on after it. Prints the counts of each
module and the last line of each failure; --log appends every outcome as a line of JSON.
"""
import argparse, collections, json, os, random, subprocess, sys, tempfile, time

JOURNAL = "OWN_TESTS_JOURNAL"


def pytest_collection_modifyitems(config, items):
    """Keeps the sampled tests that no earlier process ran."""
    plan = json.loads(os.environ[JOURNAL])
    items.sort(key=lambda item: item.nodeid)
    total = len(items)
    if plan["sample"] and plan["sample"] < total:
        chosen = sorted(random.Random(plan["seed"]).sample(range(total), plan["sample"]))
        items[:] = [items[i] for i in chosen]
    write({"collected": total, "sampled": len(items)})
    done = {line["test"] for line in read(plan["journal"]) if "test" in line}
    items[:] = [item for item in items if item.nodeid not in done]


def pytest_runtest_logstart(nodeid, location):
    write({"test": nodeid, "outcome": "begun"})


def pytest_runtest_logreport(report):
    outcome = report.outcome
    if hasattr(report, "wasxfail"):
        outcome = {"skipped": "xfailed", "passed": "xpassed"}.get(outcome, outcome)
    if report.when == "call" or outcome != "passed":
        text = str(report.longrepr)
        crash = getattr(report.longrepr, "reprcrash", None)
        reason = crash.message if crash else text
        write({"test": report.nodeid, "outcome": outcome, "seconds": round(report.duration, 2), "reason": reason if outcome == "failed" else ""})


def write(line):
    with open(json.loads(os.environ[JOURNAL])["journal"], "a") as file:
        file.write(json.dumps(line) + "\n")


def read(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def run(module, options):
    """Returns the last outcome of each sampled test of a module, and the size of the module and of the sample."""
    journal = tempfile.mktemp(suffix=".jsonl")
    open(journal, "w").close()
    plan = json.dumps({"journal": journal, "sample": options.sample, "seed": options.seed})
    environment = dict(os.environ, **{JOURNAL: plan}, PYTHONPATH=os.path.dirname(os.path.abspath(__file__)))
    target = [module] if module.endswith(".py") else ["--pyargs", module]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "own_tests", "-p", "no:cacheprovider", "-p", "no:faulthandler", "--tb=short",
               f"--timeout={options.seconds}", "--timeout-method=thread", *target]
    end, note = time.time() + 60 * options.minutes, ""
    while True:
        before = len(read(journal))
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=max(1, end - time.time()))
        except subprocess.TimeoutExpired:
            note = f"stopped after {options.minutes} minutes"
            break
        lines = read(journal)
        begun = lines[-1].get("outcome") == "begun" if lines else False
        if begun:
            why = "Timeout" if "Timeout" in done.stderr else f"process ended with {done.returncode}: {done.stderr.strip()[-200:]}"
            with open(journal, "a") as file:
                file.write(json.dumps({"test": lines[-1]["test"], "outcome": "failed", "reason": why}) + "\n")
        elif done.returncode in (0, 1, 5) or len(lines) == before:
            if done.returncode not in (0, 1, 5):
                note = f"pytest ended with {done.returncode}: {(done.stdout + done.stderr).strip()[-300:]}"
            break
    lines = read(journal)
    os.remove(journal)
    sizes = next((line for line in lines if "collected" in line), {"collected": 0, "sampled": 0})
    tests = {line["test"]: line for line in lines if "test" in line and line["outcome"] != "begun"}
    return tests, sizes, note


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--log")
    parser.add_argument("modules", nargs="+", metavar="MODULE")
    options = parser.parse_args()
    totals = collections.Counter()
    for module in options.modules:
        start = time.time()
        tests, sizes, note = run(module, options)
        counts = collections.Counter(line["outcome"] for line in tests.values())
        totals.update(counts)
        shown = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
        print(f"{module}: {sizes['sampled']} of {sizes['collected']} sampled; {shown}; {time.time() - start:.0f} s {note}", flush=True)
        for test, line in tests.items():
            if line["outcome"] == "failed":
                print(f"  {test.split('/')[-1]}: {' '.join(line['reason'].split())[:200]}", flush=True)
            if options.log:
                with open(options.log, "a") as file:
                    file.write(json.dumps({"device": os.environ.get("VISAKIT_DEVICES"), "module": module, **line}) + "\n")
    print("total:", ", ".join(f"{count} {outcome}" for outcome, count in sorted(totals.items())))
    sys.exit(1 if totals["failed"] else 0)


if __name__ == "__main__":
    main()
