"""Comparison of the objects of two assemblers: `corpus.py agree` compares ours with the vendor's.

The packaged assembler drops the last operands of most instructions. Therefore only the length of
the code is compared, and its text with the text that the assembler writes. The assembler also drops
`v_name=` of samplers and surfaces, which the compiler's objects have. Where such names occur, the
names and the string pool are not compared."""

import re, struct


class Reader:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, layout):
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def string(self):
        end = self.data.index(b"\0", self.at)
        return self.bytes(end + 1 - self.at)[:-1]


def attributes(r, count):
    found = []
    for _ in range(count):
        name, size = r.take("IB")
        found.append((name, r.bytes(size)))
    return found


def routine(data, is_kernel):
    """Returns the tables of a routine by name, and its code. Names of entries are strings."""
    r = Reader(data)
    pool = [r.string() for _ in range(r.take("I")[0])]
    named = lambda found: [(pool[name], value) for name, value in found]
    tables = {"pool": pool, "name": pool[r.take("I")[0]]}

    def table(count, layout):
        rows = []
        for _ in range(count):
            name, *rest, number = r.take("I" + layout + "B")
            rows.append((pool[name], *rest, named(attributes(r, number))))
        return rows

    tables["variables"] = table(r.take("I")[0], "BHIHB")
    for name, count, layout in [("addresses", "H", "H"), ("predicates", "H", "H"), ("labels", "H", "B"), ("samplers", "B", "H"), ("surfaces", "B", "H")]:
        tables[name] = table(r.take(count)[0], layout)
    assert r.take("B") == (0,)
    tables["inputs"] = [r.take("BIhH") for _ in range(r.take("I")[0])]
    size, entry = r.take("II")
    if not is_kernel:
        r.take("BB")
    tables["attributes"] = named(attributes(r, r.take("H")[0]))
    return tables, data[entry : entry + size]


def routines(data):
    """Returns all kernels and functions of an object of version 4.1."""
    r = Reader(data)
    magic, major, minor, kernels = r.take("IBBH")
    places = []
    for _ in range(kernels):
        r.bytes(r.take("H")[0])
        offset, size, _ = r.take("III")
        for _ in range(2):
            r.bytes(4 * r.take("H")[0])
        r.bytes(9 * r.take("B")[0])
        places.append((offset, size, True))
    assert r.take("H") == (0,)
    for _ in range(r.take("H")[0]):
        r.take("B")
        r.bytes(r.take("H")[0])
        offset, size = r.take("II")
        for _ in range(2):
            r.bytes(4 * r.take("H")[0])
        places.append((offset, size, False))
    return [routine(data[offset : offset + size], kernel) for offset, size, kernel in places]


def difference(ours, theirs):
    """Returns the first difference of two objects, or an empty string."""
    one, two = routines(ours), routines(theirs)
    if len(one) != len(two):
        return f"{len(one)} routines, not {len(two)}"
    for (a, our_code), (b, their_code) in zip(one, two):
        renamed = [name for t in ("samplers", "surfaces") for name in b[t] if name[0] not in [n[0] for n in a[t]]]
        for name in a:
            x, y = a[name], b[name]
            if name in ("samplers", "surfaces"):
                x, y = ([row[1:] for row in rows] for rows in (x, y))
            if name == "pool" and renamed:
                continue
            if x != y:
                first = next((f"{p}, not {q}" for p, q in zip(x, y) if p != q), f"{len(x)} entries, not {len(y)}")
                return f"{name}: {first}"
        if len(our_code) != len(their_code):
            return f"code of {len(our_code)} bytes, not {len(their_code)}"
    return ""


def bare(text):
    """Returns the lines of a text without the vendor's suffixes of labels, which depend on the object, the
    padding that depends on them, and the names of samplers and surfaces."""
    text = re.sub(r"(?m)^\.funcdecl .*\n| v_name=\S+| */// .*", "", text)
    return [line.rstrip() for line in re.sub(r"(?:_\d+)+\b", "", text).split("\n") if line.strip()]


def line_difference(ours, theirs):
    """Returns the first pair of different lines of two printed texts, or an empty string."""
    one, two = bare(ours), bare(theirs)
    pairs = [f"{x.strip()}, not {y.strip()}" for x, y in zip(one, two) if x != y]
    return pairs[0] if pairs else "" if len(one) == len(two) else f"{len(one)} lines, not {len(two)}"
