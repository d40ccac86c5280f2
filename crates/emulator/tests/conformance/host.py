#!/usr/bin/env python3
"""Generates cases with expectations from the same source compiled for the host by clang, run work item by work item.

usage: host.py NAME.cl…    writes NAME.json.gz next to each; compile.py builds the programs

A case is a line of JSON in a `//` comment of the source: `kernel`, `glob`, `loc` and `off` as in the suite's form, and `args`.
`in`, `inout` and `out` have a type, a number of elements and, except for `out`, a Python expression of the element at index i.
`val` has a type and a value. All arguments except `in` are compared. Groups run sequentially, and so do their work items unless
the source has barriers.
"""
import ctypes, gzip, itertools, json, os, re, struct, subprocess, sys, tempfile
from threading import Thread

CODES = {"char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I", "long": "q", "ulong": "Q",
         "half": "e", "float": "f", "double": "d"}
QUERIES = {"get_global_id": 3, "get_local_id": 3, "get_group_id": 3, "get_global_size": 3, "get_local_size": 3,
           "get_num_groups": 3, "get_global_offset": 3}
# The functions under clang's mangled names, and one table with their results.
SHIM = """#include <pthread.h>
_Thread_local unsigned long query[7][3];
unsigned dimensions;
unsigned long *queries(void) { return query[0]; }
static pthread_barrier_t meeting;
void meet(unsigned items) { pthread_barrier_init(&meeting, 0, items); }
void barrier(unsigned fences) __asm__("_Z7barrierj");
void barrier(unsigned fences) { pthread_barrier_wait(&meeting); }
""" + "".join(
    f"unsigned long {name}(unsigned d) __asm__(\"_Z{len(name)}{name}j\");\n"
    f"unsigned long {name}(unsigned d) {{ return d < 3 ? query[{n}][d] : {int('size' in name or 'num' in name)}; }}\n"
    for n, name in enumerate(QUERIES)) + (
    "unsigned get_work_dim(void) __asm__(\"_Z12get_work_dimv\");\nunsigned get_work_dim(void) { return dimensions; }\n"
    "unsigned clz(unsigned a) __asm__(\"_Z3clzj\");\nunsigned clz(unsigned a) { return a ? __builtin_clz(a) : 32; }\n"
    "unsigned popcount(unsigned a) __asm__(\"_Z8popcountj\");\nunsigned popcount(unsigned a) { return __builtin_popcount(a); }\n"
) + "".join(
    f"unsigned {name}(unsigned *p, {parameters}) __asm__(\"_Z{len(name)}{name}PU8CLglobalVj{'j' * parameters.count('unsigned')}\");\n"
    f"unsigned {name}(unsigned *p, {parameters}) {{ unsigned old = *p; *p = {value}; return old; }}\n"
    for name, parameters, value in [("atomic_add", "unsigned a", "old + a"), ("atomic_xchg", "unsigned a", "a"),
                                    ("atomic_max", "unsigned a", "old > a ? old : a"),
                                    ("atomic_cmpxchg", "unsigned a, unsigned b", "old == a ? b : old")])


def compiled(source, folder):
    """Compiles the source to a host library."""
    library = os.path.join(folder, "host.so")
    shim = os.path.join(folder, "shim.c")
    with open(shim, "w") as file:
        file.write(SHIM)
    clang = os.environ.get("CLANG", "clang-15")
    subprocess.run([clang, "-O1", "-fPIC", "-c", shim, "-o", shim + ".o"], check=True)
    subprocess.run([clang, "-x", "cl", "-cl-std=CL2.0", "-target", "x86_64-pc-linux-gnu", "-Xclang",
                    "-finclude-default-header", "-O1", "-fPIC", "-c", source, "-o", library + ".o"], check=True)
    subprocess.run(["cc", "-shared", library + ".o", shim + ".o", "-lm", "-o", library], check=True)
    return ctypes.CDLL(library)


def fill(kind, value):
    """Returns the bytes of one element."""
    code = CODES[kind]
    if code in "efd":
        return struct.pack("<" + code, value)
    bits = struct.calcsize(code) * 8
    value %= 1 << bits
    return struct.pack("<" + code, value - (1 << bits) if code.islower() and value >> bits - 1 else value)


def run(library, case):
    """Returns the case in the suite's form, with expectations, and its data by name."""
    data, given, check, passed, buffers = {}, [], [], [], []
    label = case["kernel"] + case.get("name", "")
    for n, arg in enumerate(case["args"]):
        (how, rest), = arg.items()
        kind = rest[0]
        if how == "val":
            bytes_ = fill(kind, rest[1])
            given.append({"val": bytes_.hex()})
            value = struct.unpack("<" + CODES[kind], bytes_)[0]
            passed.append({4: ctypes.c_float, 8: ctypes.c_double}[len(bytes_)](value) if kind in ("float", "double")
                          else ctypes.c_long(value) if CODES[kind].islower() else ctypes.c_ulong(value))
            continue
        element = eval("lambda i: " + rest[2]) if how != "out" else lambda i: 0
        bytes_ = b"".join(fill(kind, element(i)) for i in range(rest[1]))
        buffer = ctypes.create_string_buffer(bytes_, len(bytes_))
        passed.append(buffer)
        name = f"{label}.{n}"
        if how == "out":
            given.append({"out": len(bytes_)})
        else:
            data[name] = bytes_.hex()
            given.append({how: name})
        if how != "in":
            buffers.append((n, kind, buffer, rest[3] if len(rest) > 3 else None))
    glob, loc = ((case[key] + [1, 1])[:3] for key in ("glob", "loc"))
    off = (case.get("off", []) + [0, 0, 0])[:3]
    library.queries.restype = ctypes.POINTER(ctypes.c_ulong)
    ctypes.c_uint.in_dll(library, "dimensions").value = len(case["glob"])
    kernel = library[case["kernel"]]

    def item(place):
        query = library.queries()
        for d, at in enumerate(place):
            answers = (at + off[d], at % loc[d], at // loc[d], glob[d], min(loc[d], glob[d] - at // loc[d] * loc[d]),
                       -(-glob[d] // loc[d]), off[d])
            for n, answer in enumerate(answers):
                query[n * 3 + d] = answer
        kernel(*passed)

    for group in itertools.product(*(range(0, glob[d], loc[d]) for d in (2, 1, 0))):
        ranges = [range(first, min(first + loc[d], glob[d])) for d, first in zip((2, 1, 0), group)]
        items = [place[::-1] for place in itertools.product(*ranges)]
        if library.meets:
            library.meet(len(items))
            threads = [Thread(target=item, args=[place]) for place in items]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        else:
            for place in items:
                item(place)
    for n, kind, buffer, ulp in buffers:
        check.append({"arg": n, "type": kind, "ulp": ulp, "expect": buffer.raw.hex()})
    keys = {key: case[key] for key in ("name", "off") if key in case}
    return {"kernel": case["kernel"], **keys, "glob": case["glob"], "loc": case["loc"], "args": given, "check": check}, data


def main():
    for source in map(os.path.abspath, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as folder:
            library = compiled(source, folder)
            library.meets = "barrier(" in open(source).read()
            cases, data = [], {}
            for line in open(source):
                if line.startswith("// {"):
                    case, more = run(library, json.loads(line[3:]))
                    cases.append(case)
                    data.update(more)
            family(source, cases, data)


def family(source, cases, data):
    """Writes the cases of a source."""
    pack(source.removesuffix(".cl") + ".json.gz", json.dumps({"data": data, "cases": cases}, separators=(",", ":")).encode())


def pack(path, bytes_):
    with open(path, "wb") as file:
        file.write(gzip.compress(bytes_, 9, mtime=0))


if __name__ == "__main__":
    main()
