#!/usr/bin/env python3
"""Prints kernels with and without bugs, in the form of the other files of this folder: generate.py [COUNT [SEED]].

A kernel combines a pattern, an element type, index expressions, a memory and a group size. The expected findings are
computed from the accesses of all pairs of work items, never from the name of the pattern.
"""
import itertools
import random
import sys

TYPES = {"int": 4, "uint": 4, "float": 4, "char": 1, "ushort": 2, "long": 8, "int2": 8, "float4": 16}
SCALARS = {"int": "i32", "uint": "u32", "float": "f32", "char": "i8", "ushort": "u16", "long": "i64", "int2": "i32", "float4": "f32"}
# Index expressions in OpenCL C, with the equivalent function of the local id and the group size.
INDEX = {
    "l": lambda l, n: l,
    "(l + 1) % n": lambda l, n: (l + 1) % n,
    "(l + n / 2) % n": lambda l, n: (l + n // 2) % n,
    "l ^ 1": lambda l, n: l ^ 1,
    "n - 1 - l": lambda l, n: n - 1 - l,
    "l * 5 % n": lambda l, n: l * 5 % n,
    "l / 2": lambda l, n: l // 2,
    "l & ~3": lambda l, n: l & ~3,
    "0": lambda l, n: 0,
}


def elements(kind):
    """Returns the number of scalars in an element."""
    return {"int2": 2, "float4": 4}.get(kind, 1)


def buffer(kind, count, start=1):
    """Returns a buffer with distinct numbers, or as many as a small type can hold."""
    return f"range:{SCALARS[kind]}:{min(count * elements(kind), {'char': 120}.get(kind, 1 << 30))}:{start}"


class Kernel:
    """Kernel with its parameters, lines, options, expected findings and notes."""

    def __init__(self, parameters, lines, run, found=(), noted=()):
        self.parameters, self.lines, self.run, self.found, self.noted = parameters, lines, run, found, noted

    def text(self, name):
        out = [f"// run {self.run}"]
        if self.found:
            out.append("// found " + " ".join(f"{code} {line}" for code, line in self.found))
        if self.noted:
            out.append("// noted " + " ".join(f"{code} {line}" for code, line in self.noted))
        out.append(f"kernel void {name}({self.parameters}) {{")
        out += [f"    {line}" for line in self.lines] + ["}", ""]
        return "\n".join(out)


def exchange(kind, write, read, size, memory, order):
    """Work items exchange elements through the group's memory: with a barrier, without one, or with the wrong fence."""
    w, r = INDEX[write], INDEX[read]
    pairs = itertools.product(range(size), repeat=2)
    collides = any(a != b and w(a, size) == r(b, size) for a, b in pairs)
    # Two stores to one element are another kind of bug.
    if len({w(l, size) for l in range(size)}) != size:
        return None
    fence = {"barrier": "LOCAL", "other": "GLOBAL"}.get(order)
    if memory == "global":
        fence = {"barrier": "GLOBAL", "other": "LOCAL"}.get(order)
    place = "t" if memory != "global" else "g"
    lines = [f"int l = get_local_id(0), n = {size};"]
    if memory == "array":
        lines.append(f"local {kind} t[{size}];")
    if memory == "global":
        lines.append(f"global {kind}* g = t + get_group_id(0) * n;")
    # On older devices the fence for local memory also orders global memory.
    if order == "other" and memory != "global":
        return None
    store, load = f"{place}[{write}] = p[get_global_id(0)];", f"o[get_global_id(0)] = {place}[{read}];"
    # Without a barrier, the order of store and load depends on the SIMD width, so both are in one line.
    lines += [store, f"barrier(CLK_{fence}_MEM_FENCE);", load] if fence else [f"{store} {load}"]
    parameter = {"array": "", "argument": f", local {kind}* t", "global": f", global {kind}* t"}[memory]
    given = {"array": "", "argument": f" --arg t=local:{size * TYPES[kind]}", "global": f" --arg t=zeros:{2 * size * TYPES[kind]}"}
    run = f"--global {2 * size} --local {size} --arg p={buffer(kind, 2 * size)} --arg o=zeros:{2 * size * TYPES[kind]}{given[memory]}"
    code = {"none": "check-race", "other": "check-fence", "barrier": None}[order]
    found = [(code, len(lines))] if collides and code else []
    return Kernel(f"global const {kind}* p, global {kind}* o{parameter}", lines, run, found)


def bounds(kind, size, memory, access, past):
    """An index that exceeds its memory, or just reaches its end."""
    bytes_ = TYPES[kind]
    count = size - past
    if memory == "global":
        body = f"o[l] = p[l];"
        given = f"--arg p={buffer(kind, count if access == 'load' else size)} --arg o=zeros:{(size if access == 'load' else count) * bytes_}"
        if kind == "char" and min(count, size) > 120:
            return None
        lines, parameter = ["int l = get_global_id(0);", body], ""
    else:
        lines = ["int l = get_local_id(0);", "t[l] = p[l];", "barrier(CLK_LOCAL_MEM_FENCE);", f"o[l] = t[l];"]
        given = f"--arg p={buffer(kind, size)} --arg o=zeros:{size * bytes_} --arg t=local:{count * bytes_}"
        if kind == "char" and size > 120:
            return None
        parameter = f", local {kind}* t"
        if access == "store":
            return None
    found = [("check-bounds", 2)] if past > 0 else []
    return Kernel(f"global const {kind}* p, global {kind}* o{parameter}", lines, f"--global {size} --local {size} {given}", found)


def collision(kind, index, size, guard):
    """Work items of several hardware threads, or of several groups, store to one element."""
    f = {"i / 64": lambda i: i // 64, "i % 64": lambda i: i % 64, "i": lambda i: i, "(i * 7) % (4 * 64)": lambda i: i * 7 % 256}[index]
    # Stores of one hardware thread by one instruction to one element are not checked.
    places = {}
    for i in range(256):
        places.setdefault(f(i), set()).add(i // 64 if size == 64 else i // 32)
    collides = any(len(threads) > 1 for threads in places.values())
    if index == "i / 64" and size == 64:
        collides = True
    lines = ["int i = get_global_id(0);"]
    value = "p[i]"
    store = f"o[{index}] = {value};"
    if guard == "one":
        store = f"if (i == 77) o[{index}] = {value};"
        collides = False
    elif guard == "atomic":
        if kind not in ("int", "uint"):
            return None
        store = f"atomic_xchg(o + ({index}), {value});"
        collides = False
    lines.append(store)
    run = f"--global 256 --local {size} --arg p={buffer(kind, 256)} --arg o=zeros:{256 * TYPES[kind]}"
    if kind == "char":
        return None
    return Kernel(f"global const {kind}* p, global {kind}* o", lines, run, [("check-race", 2)] if collides else [])


def unwritten(kind, size, memory, missing, use):
    """Some elements are read that were never written."""
    write = f"if (l < {size - missing}) " if missing else ""
    if memory == "local":
        lines = [f"local {kind} t[{size}];", "int l = get_local_id(0);", f"{write}t[l] = p[l];", "barrier(CLK_LOCAL_MEM_FENCE);"]
        lines.append({"store": f"o[l] = t[{size - 1} - l];", "copy": f"{kind} v = t[l]; if (l < {size - missing}) o[l] = v;"}[use])
        found = [("check-uninit", 5)] if missing and use == "store" else []
        given = f"--arg p={buffer(kind, size)}"
    else:
        lines = ["int l = get_local_id(0);", {"store": "o[l] = p[l];", "copy": f"{kind} v = p[l]; if (l >= {size}) o[l] = v;"}[use]]
        given = f"--arg p=undef:{size * TYPES[kind]}" if missing else f"--arg p={buffer(kind, size)}"
        found = [("check-uninit", 2)] if missing and use == "store" else []
    if kind == "char" and size > 120:
        return None
    return Kernel(f"global const {kind}* p, global {kind}* o", lines, f"--global {size} --local {size} {given} --arg o=zeros:{size * TYPES[kind]}", found)


def skipped_barrier(size, first, kind):
    """Some work items skip a barrier."""
    lines = ["int l = get_local_id(0);", f"if (l < {first}) {{", "    o[l] = p[l];", "    barrier(CLK_GLOBAL_MEM_FENCE);", f"    o[l] += p[l];", "}"]
    found = [("fault-barrier", 4)] if first < size else []
    if kind in ("char",):
        return None
    return Kernel(f"global const {kind}* p, global {kind}* o", lines, f"--global {size} --local {size} --arg p={buffer(kind, size)} --arg o=zeros:{size * TYPES[kind]}", found)


def group_copy(kind, size, wait, barrier, read, inward, step):
    """A group copy, waited for or not, before work items read it or after their stores."""
    bytes_, f = TYPES[kind], INDEX[read]
    call = "async_work_group_copy" if step == 1 else "async_work_group_strided_copy"
    stride = "" if step == 1 else f" {step},"
    lines = [f"local {kind} t[{size}];", "int l = get_local_id(0), n = " + f"{size};"]
    found, noted = [], []
    if inward:
        lines.append(f"event_t e = {call}(t, p + get_group_id(0) * n * {step}, n,{stride} 0);")
        if wait == "before":
            lines.append("wait_group_events(1, &e);")
        if barrier:
            lines.append("barrier(CLK_LOCAL_MEM_FENCE);")
        lines.append(f"o[get_global_id(0)] = t[{read}];")
        if wait != "before":
            found.append(("check-race", len(lines)))
        elif not barrier:
            noted.append(("check-copy-barrier", len(lines)))
        if wait == "behind":
            lines.append("wait_group_events(1, &e);")
        given = f"--arg p={buffer(kind, 2 * size * step)} --arg o=zeros:{2 * size * bytes_}"
    else:
        lines.append(f"t[{read}] = p[get_global_id(0)];")
        if len({f(l, size) for l in range(size)}) != size:
            return None
        if barrier:
            lines.append("barrier(CLK_LOCAL_MEM_FENCE);")
        lines.append(f"event_t e = {call}(o + get_group_id(0) * n * {step}, t, n,{stride} 0);")
        if not barrier:
            found.append(("check-race", len(lines)))
        elif wait == "none":
            found.append(("check-copy", len(lines)))
        if wait != "none":
            lines.append("wait_group_events(1, &e);")
        given = f"--arg p={buffer(kind, 2 * size)} --arg o=zeros:{2 * size * step * bytes_}"
    if kind == "char" and 2 * size * step > 120:
        return None
    return Kernel(f"global const {kind}* p, global {kind}* o", lines, f"--global {2 * size} --local {size} {given}", found, noted)


def all_kernels():
    """Returns all kernels of the patterns."""
    sizes = [32, 64, 128, 256]
    for kind, write, read, size, memory, order in itertools.product(
        TYPES, INDEX, INDEX, sizes, ("array", "argument", "global"), ("none", "barrier", "other")
    ):
        if kind == "char" and 2 * size > 120:
            continue
        yield "exchange", exchange(kind, write, read, size, memory, order)
    for kind, size, memory, access, past in itertools.product(TYPES, sizes, ("global", "local"), ("load", "store"), (0, 1, 7)):
        yield "bounds", bounds(kind, size, memory, access, past)
    for kind, index, size, guard in itertools.product(
        TYPES, ("i / 64", "i % 64", "i", "(i * 7) % (4 * 64)"), (64, 128), ("none", "one", "atomic")
    ):
        yield "collision", collision(kind, index, size, guard)
    for kind, size, memory, missing, use in itertools.product(TYPES, sizes, ("local", "undef"), (0, 1, 9), ("store", "copy")):
        yield "unwritten", unwritten(kind, size, memory, missing, use)
    for size, first, kind in itertools.product((64, 128), (1, 24, 63, 64, 128), TYPES):
        yield "barrier", skipped_barrier(size, first, kind)
    for kind, size, wait, barrier, read, inward, step in itertools.product(
        TYPES, sizes, ("before", "behind", "none"), (False, True), INDEX, (True, False), (1, 2)
    ):
        yield "copy", group_copy(kind, size, wait, barrier, read, inward, step)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 48
    random.seed(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    families = {}
    for name, kernel in all_kernels():
        if kernel:
            families.setdefault((name, bool(kernel.found)), []).append(kernel)
    print("// Generated by generate.py: kernels with and without bugs. The expected findings follow from the")
    print("// accesses of all pairs of work items.\n")
    shares = sorted(families)
    for n in range(count):
        key = shares[n % len(shares)]
        if not families[key]:
            continue
        kernel = families[key].pop(random.randrange(len(families[key])))
        print(kernel.text(f"{key[0]}_{'wrong' if key[1] else 'right'}_{n}"))


if __name__ == "__main__":
    main()
