#!/usr/bin/env python3
"""Converts the recordings of record.c to the form of this suite: `record.py RECORDED SUITE [PREFIX]`.

SUITE receives PREFIX-ID.cl, .json and .TARGET.zebin for each program. The environment variables LAUNCHES (4) and PROGRAMS (all)
limit the launches per kernel and the programs. ULP sets the tolerance of floats in units in the last place; the default allows
for sums in another order.
"""
import array, collections, glob, json, math, os, re, sys

from ocloc import build_all, known

ORDERS = {0x10B5: "rgba", 0x10B6: "bgra", 0x10B7: "argb", 0x10C3: "abgr", 0x10C1: "srgba", 0x10C2: "sbgra", 0x10B2: "rg",
          0x10B0: "r", 0x10B1: "a", 0x10B9: "luminance", 0x10B8: "intensity", 0x10BD: "depth"}
PARTS = {0x10D2: "8unorm", 0x10D3: "16unorm", 0x10D0: "8snorm", 0x10D1: "16snorm", 0x10DA: "8uint", 0x10DB: "16uint",
         0x10DC: "32uint", 0x10D7: "8sint", 0x10D8: "16sint", 0x10D9: "32sint", 0x10DD: "16f", 0x10DE: "32f"}
IMAGE_PARTS = {"8unorm": "uchar", "8snorm": "char", "16unorm": "ushort", "16snorm": "short", "16f": "half", "32f": "float"}
# Tolerances in units in the last place and relative to the largest value: sums and transforms run
# in another order, and functions have their own errors.
ULP = dict(half=8, float=64, double=64)
PART = dict(half=2e-3, float=4e-6, double=1e-13)


def floats(data, kind):
    code = dict(float="f", double="d").get(kind)
    if not code:
        return []
    values = array.array(code)
    values.frombytes(data[:len(data) // values.itemsize * values.itemsize])
    return values


def looks_like(data, kind):
    """Returns True if bytes of an unknown type look like floats: zeros and numbers of a usual magnitude."""
    values = floats(data, kind)
    usual = sum(1 for v in values if 1e-12 < abs(v) < 1e12)
    odd = sum(1 for v in values if v and not 1e-12 < abs(v) < 1e12)
    return usual and usual > 9 * odd


def kind_of(argument, data):
    """Returns the OpenCL type of a buffer's elements, and True if only three of four are used."""
    name = re.sub(r"[*\s]|const|restrict|volatile", "", argument["type"])
    found = re.fullmatch(r"(half|float|double|u?char|u?short|u?int|u?long)(2|3|4|8|16)?", name)
    # Kernels often cast byte pointers.
    if found and found[1] not in ("char", "uchar"):
        return found[1], found[2] == "3"
    return next((kind for kind in ("float", "double") if looks_like(data, kind)), "uchar"), False


def check(index, kind, of_three, data):
    entry = dict(arg=index, type=kind, ulp=None, expect=data.hex())
    if of_three:
        entry["of_four"] = 3
    if kind in ULP:
        largest = max((abs(v) for v in floats(data, kind) if math.isfinite(v)), default=0)
        fixed = os.environ.get("ULP")
        entry |= dict(ulp=float(fixed), within=0.0) if fixed else dict(ulp=ULP[kind], within=largest * PART[kind])
    return entry


class Suite:
    def __init__(self):
        self.data, self.names, self.cases, self.left_out = {}, {}, [], collections.Counter()

    def name(self, digits):
        if digits not in self.names:
            self.names[digits] = f"b{len(self.names)}"
            self.data[self.names[digits]] = digits
        return self.names[digits]

    def launch(self, launch):
        given, checks = [], []
        for index, argument in enumerate(launch["args"]):
            kind = argument["kind"]
            if kind == "null":
                given.append("null")
            elif kind == "local":
                given.append(dict(local=argument["size"]))
            elif kind == "value":
                given.append(dict(val=argument["bytes"]))
            elif kind == "sampler":
                given.append(dict(sampler=argument["state"]))
            elif argument["same"] >= 0:
                given.append(dict(same=argument["same"]))
            else:
                before, after = argument["before"], bytes.fromhex(argument["after"])
                element, of_three = kind_of(argument, after)
                if kind == "buffer" and not before.strip("0"):
                    given.append(dict(out=len(before) // 2))
                elif kind == "buffer":
                    given.append(dict(inout=self.name(before)))
                else:
                    order, part = ORDERS.get(argument["order"]), PARTS.get(argument["part"])
                    if not order or not part:
                        return self.left_out.update([f"image format {argument['order']:x} {argument['part']:x}"])
                    given.append(dict(image=dict(format=order + part, size=argument["size"], layers=argument["layers"],
                                                 kind=argument["shape"], data=self.name(before))))
                    element, of_three = IMAGE_PARTS.get(part, "uchar"), False
                if before != argument["after"] or not argument["const"]:
                    checks.append(check(index, element, of_three, after))
                    if kind == "image" and part.endswith("norm"):
                        checks[-1]["within"] = 1.0
        local = launch["loc"]
        self.cases.append(dict(name=str(len(self.cases)), kernel=launch["kernel"], glob=launch["glob"], loc=local,
                               off=launch["off"], args=given, check=checks))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    recorded, out, prefix = sys.argv[1], sys.argv[2], sys.argv[3] + "-" if len(sys.argv) > 3 else ""
    os.makedirs(out, exist_ok=True)
    most, jobs = int(os.environ.get("LAUNCHES", 4)), []
    sources = sorted(glob.glob(recorded + "/*.cl"))[:int(os.environ.get("PROGRAMS", 1 << 30))]
    for source in sources:
        base, suite, seen = source[:-3], Suite(), collections.defaultdict(set)
        for path in sorted(glob.glob(base + ".*.jsonl")):
            for line in open(path):
                launch = json.loads(line)
                if line not in seen[launch["kernel"]] and len(seen[launch["kernel"]]) < most:
                    seen[launch["kernel"]].add(line)
                    suite.launch(launch)
        for reason, count in suite.left_out.items():
            print(f"{base}: {count} left out, {reason}")
        if not suite.cases:
            continue
        name = os.path.abspath(os.path.join(out, prefix + os.path.basename(base)))
        options = known(open(base + ".options").read())
        with open(source) as text, open(name + ".cl", "w") as file:
            file.write(text.read())
        with open(name + ".json", "w") as file:
            json.dump(dict(data=suite.data, cases=suite.cases, options=options), file)
        jobs.append((name, options))
    build_all(jobs)


main()
