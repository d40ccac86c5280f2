#!/usr/bin/env python3
"""Generates the cases of the families below: features of the vendor's compiler outside OpenCL, and some of its extensions.

usage: builtins.py         writes NAME.json.gz to the script's folder; compile.py builds the programs

Expected results are computed here, on integers or on exact floats.
"""
import itertools, math, os, random, struct
from fractions import Fraction
from host import family

HERE = os.path.dirname(os.path.abspath(__file__))
RANDOM = random.Random(5)
BYTES = bytes(RANDOM.randrange(256) for _ in range(4096))


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def words(code, data):
    return struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)


def packed(code, values):
    return struct.pack(f"<{len(values)}{code}", *values).hex()


def case(kernel, glob, loc, args, checks, **more):
    """Returns a case. Arguments have the suite's form; a check is an argument index, an OpenCL type, and expected bytes in hex."""
    checks = [{"arg": n, "type": kind, "ulp": None, "expect": expect} for n, kind, expect in checks]
    return {"kernel": kernel, "glob": glob, "loc": loc, "args": args, "check": checks, **more}


def matrix():
    """c[column l, row m] += sum over k of a[row m, k] * b[column l, k]"""
    halves = struct.pack("<512e", *(RANDOM.randrange(-64, 64) / 8 for _ in range(512)))
    brains = b"".join(struct.pack("<f", RANDOM.randrange(-64, 64) / 8)[2:] for _ in range(512))
    cases, data = [], {"bytes": BYTES[:1024].hex(), "halves": halves.hex(), "brains": brains.hex()}

    def bits(at, k, width):
        """Returns the k-th number of `width` bits from an offset."""
        return BYTES[at + k * width // 8] >> k * width % 8 & (1 << width) - 1

    for name, a_bits, a_signed, b_bits, b_signed, rows in (
            ("bytes1", 8, True, 8, True, 1), ("unsigned8", 8, False, 8, False, 8), ("mixed8", 8, False, 8, True, 8),
            ("mixed4", 8, True, 4, False, 8)):
        result = list(words("i", BYTES[:32 * rows * 4]))
        for l, m, k in itertools.product(range(32), range(rows), range(32)):
            x, y = bits(m * 32, k, a_bits), bits(l * 32, k, b_bits)
            result[l * rows + m] += (signed(x, a_bits) if a_signed else x) * (signed(y, b_bits) if b_signed else y)
        data[f"{name}.c"] = BYTES[:32 * rows * 4].hex()
        cases.append(case(name, [32], [32], [{"inout": f"{name}.c"}, {"in": "bytes"}, {"in": "bytes"}],
                          [(0, "int", packed("i", [signed(v, 32) for v in result]))]))
    for name, content, value in (("halves", halves, lambda b: struct.unpack("<e", b)[0]),
                                 ("brains", brains, lambda b: struct.unpack("<f", b"\0\0" + b)[0])):
        at = lambda row, k: value(content[row * 32 + 2 * k:row * 32 + 2 * k + 2])
        result = [sum(at(m, k) * at(l, k) for k in range(16)) for l in range(32) for m in range(8)]
        cases.append(case(name, [32], [32], [{"out": 1024}, {"in": name}, {"in": name}], [(0, "float", packed("f", result))]))
    return cases, data


def scaled():
    """c[column n, row m] += sum over k of a[m, k] * b[n, k] * scale of row m * scale of column n; from 32 on, k has other scales."""
    def small(bits, exponent, fraction):
        """Returns the value of a float without sign bit; None for an infinity or a NaN."""
        e, f = bits >> fraction, bits & (1 << fraction) - 1
        if exponent == 5 and e == 31 or (exponent, fraction) == (4, 3) and bits == 127:
            return None
        return Fraction(f + (e > 0) * 2**fraction, 2**fraction) * Fraction(2) ** (max(e, 1) - 2 ** (exponent - 1) + 1)

    def single(value):
        """Rounds to the nearest float, ties to even."""
        least = Fraction(2) ** max(math.frexp(value)[1] - 24, -149)
        return float(round(value / least) * least)

    types = {"bf16": (16, 8, 7), "f16": (16, 5, 10), "bf8": (8, 5, 2), "hf8": (8, 4, 3), "e2m1": (4, 2, 1)}
    cases, data = [], {}
    for name, inner in ("bf16_bf16", 16), ("f16_f16", 16), ("bf8_hf8", 32), ("hf8_bf8", 32), ("e2m1_e2m1", 64):
        factors, contents, scales = [], [], []
        for kind, lines, lane in zip(name.split("_"), (8, 16), (2, 4)):
            width, exponent, fraction = types[kind]
            # Large floats of 16 bits are left out: their sums have no float.
            most = 140 << fraction if kind == "bf16" else (1 << width - 1) - 1
            codes = [code for code in range(most) if small(code, exponent, fraction) is not None]
            chosen = [[RANDOM.choice(codes) | RANDOM.getrandbits(1) << width - 1 for _ in range(inner)] for _ in range(lines)]
            number = lambda code: small(code & (1 << width - 1) - 1, exponent, fraction) * (-1 if code >> width - 1 else 1)
            factors.append([[number(code) for code in line] for line in chosen])
            line = [sum(code << width * k for k, code in enumerate(codes)).to_bytes(32, "little") for codes in chosen]
            # A lane of the rows has two bytes of each row; a lane of the columns has its column.
            contents.append(b"".join(line) if lane == 4 else b"".join(row[2 * n:2 * n + 2] for n in range(16) for row in line))
            scales.append([[RANDOM.randrange(110, 145) for _ in range(max(inner // 32, 1))] for _ in range(16)])
        start = [RANDOM.randrange(-64, 64) / 8 for _ in range(128)]
        term = lambda m, n, k: factors[0][m][k] * factors[1][n][k] * Fraction(2) ** (
            scales[0][m][k // 32] + scales[1][n][k // 32] - 254)
        result = [single(Fraction(start[n * 8 + m]) + sum(term(m, n, k) for k in range(inner))) for n in range(16) for m in range(8)]
        bytes_of = lambda all_: b"".join(bytes(line) for line in all_).hex()
        names = [f"{name}.{part}" for part in ("c", "a", "b", "rows", "columns")]
        data |= zip(names, (packed("f", start), contents[0].hex(), contents[1].hex(), bytes_of(scales[0]), bytes_of(scales[1])))
        cases.append(case(name, [16], [16], [{"inout": names[0]}, *({"in": part} for part in names[1:])],
                          [(0, "float", packed("f", result))]))
    return cases, data


def loads():
    n, r, s, t = 40, [], [0, 0], []
    for i in range(n):
        at = lambda code, offset: struct.unpack_from("<" + code, BYTES, offset)[0]
        v = struct.unpack_from("<4I", BYTES, (i + 1) * 16)
        w = struct.unpack_from("<2Q", BYTES, (i + 2) * 16)
        x = at("I", (i + 3) * 4) + BYTES[i + 5] + at("H", (i + 7) * 2) * 3 & 0xFFFFFFFF
        r.append(x + v[0] + v[1] * 3 + v[2] * 5 + v[3] * 7 + w[0] + (w[1] >> 32) & 0xFFFFFFFF)
        s.append(x & 0xFFFF)
        t += [v[3], v[2], v[0], 0]
    data = {"bytes": BYTES.hex()}
    cases = [case("values", [n], [20], [{"in": "bytes"}, {"out": n * 4}, {"out": n * 2 + 4}, {"out": n * 16}],
                  [(1, "uint", packed("I", r)), (2, "ushort", packed("H", s)), (3, "uint", packed("I", t))])]

    def element(size, x, y):
        inside = 0 <= x * size < 120 and 0 <= y < 30
        return int.from_bytes(BYTES[y * 128 + x * size:y * 128 + x * size + size], "little") if inside else 0

    for x, y in ((3, 5), (50, 20), (-4, -3), (20, 26)):
        rows = [element(2, x + l, y + m) for l in range(16) for m in range(8)]
        pairs = [element(2, x + l, y + 2 * k) | element(2, x + l, y + 2 * k + 1) << 16 for l in range(16) for k in range(8)]
        turned = [element(4, x + k, y + l) for l in range(16) for k in range(8)]
        cases.append(case("rectangles", [16], [16], [{"in": "bytes"}, {"out": 256}, {"out": 512}, {"out": 512},
                                                     {"val": packed("i", [x])}, {"val": packed("i", [y])}],
                          [(1, "ushort", packed("H", rows)), (2, "uint", packed("I", pairs)), (3, "uint", packed("I", turned))],
                         name=f"{x} {y}"))
    return cases, data


def narrow():
    floats = struct.pack("<256f", *(RANDOM.uniform(-9, 9) * 10 ** RANDOM.randrange(-30, 30) for _ in range(256)))
    # To the nearest, ties to even.
    rounded = [v + 0x7FFF + (v >> 16 & 1) >> 16 & 0xFFFF for v in words("I", floats)]
    return [case("brain", [256], [32], [{"in": "floats"}, {"out": 512}, {"out": 1024}],
                 [(1, "ushort", packed("H", rounded)), (2, "uint", packed("I", [v << 16 for v in rounded]))])], {"floats": floats.hex()}


def blocks():
    image = lambda name, form, w, h: {"image": {"format": form, "size": [w, h, 1], "layers": 1, "kind": 0x10F1, "data": name}}
    pixels, out = BYTES[:40 * 40], bytearray(40 * 40)
    words_ = []
    for y in range(4):
        for x in range(32):
            # Four groups vertically and two horizontally; each channel has a column of eight rows.
            left, top = x // 16 * 16 + 2 + x % 16 * 2, y * 8 + 1
            words_ += [struct.unpack_from("<H", pixels, (top + m) * 40 + left)[0] if left < 39 else 0 for m in range(8)]
    for y in range(32):
        for x in range(32):
            out[y * 40 + x] = pixels[y * 40 + x] * 3 & 0xFF
    cases = [case("media", [32, 4], [16, 1], [image("pixels", "r8uint", 40, 40), image("zeros", "r8uint", 40, 40), {"out": 2048}],
                  [(1, "uchar", out.hex()), (2, "ushort", packed("H", words_))])]
    wide = BYTES[:128 * 8]
    turned = [words("I", wide)[(y // 4 * 4 + 3 - y % 4) * 32 + x] + 1 & 0xFFFFFFFF for y in range(8) for x in range(32)]
    cases.append(case("rows", [32, 2], [16, 1], [image("wide", "r32uint", 32, 8), image("wide0", "r32uint", 32, 8)],
                      [(1, "uint", packed("I", turned))]))
    return cases, {"pixels": pixels.hex(), "zeros": "00" * 1600, "wide": wide.hex(), "wide0": "00" * 1024}


def subgroups2():
    """Block access: element j of a channel is in the j-th row of 16."""
    cases, data = [], {"bytes": BYTES[:1024].hex()}
    for name, code, kind, elements, work in (
            ("block32", "I", "uint", 4, lambda row, j, l: row[j][l] * 3 + row[j][l ^ 5]),
            ("block16", "H", "ushort", 8, lambda row, j, l: row[j][l] + row[1][3]),
            ("block8", "B", "uchar", 16, lambda row, j, l: row[j][l] + (row[2][l - 2] if l >= 2 else row[1][14 + l])),
            ("block64", "Q", "ulong", 2, lambda row, j, l: row[j][l] + (row[0][l + 3] if l < 13 else row[1][l - 13]))):
        values, most, result = words(code, BYTES[:1024]), 1 << 8 * struct.calcsize(code), []
        for g in range(0, len(values), 16 * elements):
            row = [values[g + j * 16:g + j * 16 + 16] for j in range(elements)]
            result += [work(row, j, l) % most for j in range(elements) for l in range(16)]
        items = len(values) // elements
        cases.append(case(name, [items], [16], [{"inout": "bytes"}], [(0, kind, packed(code, result))]))
    values = words("i", BYTES[:1024])
    result = [signed(values[g // 64 * 64 + 63 - g % 64] + g % 64 * 3, 32) for g in range(256)]
    cases.append(case("twosteps", [256], [64], [{"inout": "bytes"}], [(0, "int", packed("i", result))]))
    return cases, data


def dots():
    n, limit = 32, lambda v, low, high: min(max(v, low), high)
    a, b, rows = words("b", BYTES), BYTES, [[], [], []]
    dot = lambda x, i, y, j: sum(x[4 * i + k] * y[4 * j + k] for k in range(4))
    for i in range(n):
        start = lambda v: signed(v << 26, 32)
        rows[0].append(limit(start(i) + dot(a, i, a, i + 1), -1 << 31, (1 << 31) - 1))
        rows[1].append(signed(limit((i << 27) % (1 << 32) + dot(b, i, b, i + 1), 0, (1 << 32) - 1), 32))
        rows[2].append(limit(start(-i) + dot(a, i, b, i), -1 << 31, (1 << 31) - 1))
    return [case("dots", [n], [16], [{"in": "bytes"}, {"in": "bytes"}, {"out": n * 12}], [(2, "int", packed("i", sum(rows, [])))])], \
        {"bytes": BYTES[:256].hex()}


def subgroups3():
    values, rows = [RANDOM.randrange(-1000, 1000) for _ in range(64)], [[], [], []]
    for g in range(0, 64, 16):
        group = values[g:g + 16]
        odd = [x for x in group if x & 1]
        for l, x in enumerate(group):
            before = [y for y in group[:l] if y & 1]
            v = sum(odd) + max(before + [x]) * 3 + sum(before) * 5
            v += any(y & 2 for y in odd) * 7 + all(y & 4 for y in odd) * 11 + (not before) * 13
            rows[0].append(v if x & 1 else 0)
            rows[1].append(max(group[l // 4 * 4:l // 4 * 4 + 4]) + sum(group[l // 8 * 8:l // 8 * 8 + 8]) * 3)
            rows[2].append(group[(g + l) * 7 & 15] + group[l ^ 6] * 3)
    return [case("parts", [64], [32], [{"in": "values"}, {"out": 768}], [(1, "int", packed("i", sum(rows, [])))])], \
        {"values": packed("i", values)}


def pipes():
    """Pipes: the header of 128 bytes starts with the number of packets plus one; there is space for one packet more."""
    empty = struct.pack("<I", 21) + bytes(124 + 21 * 4)
    data = {"empty": empty.hex(), "values": packed("i", range(100, 116)), "ones": packed("i", [1] * 16)}
    check = lambda n, values: (n, "int", packed("i", values))
    return [case("fill", [16], [16], [{"inout": "empty"}, {"in": "values"}, {"inout": "ones"}], [check(2, [0] * 16)]),
            case("take", [16], [16], [{"inout": "empty"}, {"inout": "values"}, {"inout": "ones"}],
                 [check(1, [-1] * 16), check(2, [1] * 16)]),
            case("query", [1], [1], [{"inout": "empty"}, {"inout": "ones"}], [check(1, [0, 20] + [1] * 14)])], data


def localblocks():
    values, result = words("I", BYTES[:1024]), []
    for g in (0, 128):
        rows = [[values[g + j * 16 + i] * 7 + j & 0xFFFFFFFF for i in range(16)] for j in range(8)][::-1]
        halves = [half for row in rows for word in row for half in (word & 0xFFFF, word >> 16)]
        result += [rows[j][i] + halves[16 + i] & 0xFFFFFFFF for j in range(8) for i in range(16)]
    return [case("turned", [32], [16], [{"inout": "bytes"}], [(0, "uint", packed("I", result))])], {"bytes": BYTES[:1024].hex()}


def hardware():
    """Private memory: each item finds its numbers again after the barrier, unless threads share a location."""
    check = [(0, "uint", packed("I", [4096 * i for i in range(2048)]))]
    return [case(kernel, [2048], [size], [{"out": 8192}, {"val": packed("I", [5])}], check, name=str(size))
            for kernel in ("small", "large", "large16", "large32") for size in (256, 1024)], {}


def named():
    """Groups of 128 work items in eight sub-groups."""
    pairs, rounds, n = [], [], 5
    for group in range(2):
        values = list(words("i", BYTES[512 * group:512 * group + 512]))
        shared = [signed(2 * values[i ^ 16], 32) if i < 64 else values[i] for i in range(128)]
        pairs += [signed(shared[i ^ 16] + shared[i ^ 17] if i < 64 else shared[i - 64] - shared[i], 32) for i in range(128)]
        for first, count in ((0, 3 * n), (64, n)):
            for turn in range(count):
                values[first:first + 64] = [values[first + i] * 3 + values[first + (i + 16 & 63)] + turn & 0xFFFFFFFF for i in range(64)]
        rounds += [values[i] + values[127 - i] & 0xFFFFFFFF for i in range(128)]
    return [case("pairs", [256], [128], [{"in": "bytes"}, {"out": 1024}], [(1, "int", packed("i", pairs))]),
            case("rounds", [256], [128], [{"in": "bytes"}, {"out": 1024}, {"val": packed("I", [n])}],
                 [(1, "uint", packed("I", rounds))])], {"bytes": BYTES[:1024].hex()}


if __name__ == "__main__":
    for made in (hardware, matrix, loads, narrow, blocks, subgroups2, subgroups3, dots, localblocks, pipes, named, scaled):
        family(os.path.join(HERE, made.__name__ + ".cl"), *made())
