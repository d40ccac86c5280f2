"""Mutations of vISA texts for `corpus.py mutate`. Each function changes the lines in place and returns true if it did."""

import re

PLATFORMS = ["bdw", "skl", "icllp", "tgllp", "dg2", "pvc"]
TYPES = ["ud", "d", "uw", "w", "ub", "b", "f", "df", "hf", "uq", "q", "bf", "bool"]
CONSTANT_TYPES = TYPES + ["v", "uv", "vf"]
OPERATIONS = [
    "mov frc lzd rndd rndu rnde rndz inv log exp sqrt rsqrt sin cos not cbit fbl fbh bfrev sqrtm fcvt setp movs rsqtm".split(),
    "add mul avg mulh pow div mod and or xor shl shr asr rol ror sel min max dp2 dp4 addc subb line pln sad2 divm srnd".split(),
    "mad lrp add3 madw dp4a bfe sad2add bfn.x96 bfi".split(),
]
REGION = r"<\d+;\d+,\d+>"
GENERAL = r"[VA-Z]\w*\(\d+,\d+\)"
MESSAGES = r"    (\([^)]*\) )?(gather|scatter|oword|svm|dword_atomic|media|sample|load|typed|raw|urb|rt_|avs|vme|info|resinfo|fence)"


def instruction(line):
    return line.startswith("    ") and "(" in line and not line.strip().startswith(("FILE", "LOC", ".", "//"))


def declared(line):
    return line.startswith(".decl")


def pick(rnd, lines, test, pattern=None):
    """Picks a line that passes the test and contains the pattern, and a match in it."""
    found = [i for i, line in enumerate(lines) if test(line) and (pattern is None or re.search(pattern, line))]
    if not found:
        return None, None
    number = rnd.choice(found)
    places = list(re.finditer(pattern, lines[number])) if pattern else [None]
    return number, rnd.choice(places)


def replace(rnd, lines, test, pattern, new):
    """Replaces a random match of a pattern by `new(match)`."""
    number, place = pick(rnd, lines, test, pattern)
    if number is None:
        return False
    old = lines[number]
    lines[number] = old[: place.start()] + new(place) + old[place.end() :]
    return lines[number] != old


def declared_type(rnd, lines):
    return replace(rnd, lines, lambda l: declared(l) and "v_type=G" in l, r" type=\w+", lambda m: f" type={rnd.choice(TYPES)}")


def constant_type(rnd, lines):
    new = lambda m: m[1] + ":" + rnd.choice(CONSTANT_TYPES)
    return replace(rnd, lines, instruction, r"(0x[0-9a-f]+):\w+", new)


def constant_value(rnd, lines):
    values = ["0", "1", "7f", "ff", "100", "8000", "ffff", "10000", "ffffffff", "100000000", "ffffffffffffffff", "1" + "0" * 17]
    return replace(rnd, lines, instruction, r"0x[0-9a-f]+(?=:\w)", lambda m: "0x" + rnd.choice(values))


def source_region(rnd, lines):
    numbers = ([0, 1, 2, 4, 8, 16, 32, 3], [0, 1, 2, 4, 8, 16, 32], [0, 1, 2, 4, 8])
    return replace(rnd, lines, instruction, REGION, lambda m: "<{};{},{}>".format(*map(rnd.choice, numbers)))


def destination_region(rnd, lines):
    return replace(rnd, lines, instruction, r"<\d+>", lambda m: f"<{rnd.choice([0, 1, 2, 4, 8, 3])}>")


def execution(rnd, lines):
    size = lambda: rnd.choice([1, 2, 4, 8, 16, 32])
    if rnd.random() < 0.5:
        return replace(rnd, lines, instruction, r", \d+\)", lambda m: f", {size()})")
    mask = lambda m: f"(M{rnd.choice([1, 2, 3, 4, 5, 6, 7, 8])}{rnd.choice(['', '_NM'])}, {m[1]})"
    return replace(rnd, lines, instruction, r"\(M\d(?:_NM)?, (\d+)\)", mask)


def operation(rnd, lines):
    number, _ = pick(rnd, lines, instruction)
    place = re.match(r"    (?:\([^)]*\) )?([a-z0-9_]+(?:\.x[0-9a-f]+)?)", lines[number]) if number is not None else None
    if not place:
        return False
    same = [names for names in OPERATIONS if place[1].split(".")[0] in [n.split(".")[0] for n in names]]
    if same:
        new = rnd.choice(same[0] if rnd.random() < 0.9 else sum(OPERATIONS, []))
    elif place[1] == "cmp":
        return replace(rnd, lines, lambda l: l is lines[number], r"cmp\.\w+", lambda m: "cmp." + rnd.choice("eq ne gt ge lt le xx".split()))
    elif rnd.random() < 0.2:
        new = rnd.choice(sum(OPERATIONS, []))
    else:
        return False
    lines[number] = lines[number][: place.start(1)] + new + lines[number][place.end(1) :]
    return new != place[1]


def modifier(rnd, lines):
    words = ["(-)", "(abs)", "(-abs)", "(~)", ""]
    pattern = r"(?:\((?:-|abs|-abs|~)\))?(\w+\(\d+,\d+\)<\d+;|r\[A)"
    return replace(rnd, lines, instruction, pattern, lambda m: rnd.choice(words) + m[1])


def saturation(rnd, lines):
    return replace(rnd, lines, instruction, r"^    (?:\([^)]*\) )?[a-z0-9_]+", lambda m: m[0] + ".sat")


def offset(rnd, lines):
    row, column = [0, 0, 1, 2, 7, 40, 300], [0, 1, 3, 7, 15, 31, 63, 255]
    return replace(rnd, lines, instruction, r"\((\d+),(\d+)\)(?=<)", lambda m: f"({rnd.choice(row)},{rnd.choice(column)})")


def raw_offset(rnd, lines):
    places = [0, 2, 4, 16, 32, 64, 100, 512, 4096, 65535]
    return replace(rnd, lines, instruction, r"\b(V\d+)\.\d+", lambda m: f"{m[1]}.{rnd.choice(places)}")


def variable(rnd, lines):
    names = re.findall(r"(?m)^\.decl (\w+)", "\n".join(lines)) + ["%null", "%r0", "%sr0", "%slm", "%bss", "V99999"]
    return replace(rnd, lines, instruction, r"(?:%\w+|\b[VPTAS]\d+)", lambda m: rnd.choice(names))


def source_class(rnd, lines):
    words = ["0x1:ud", "0x1:w", "0x3f800000:f", "0x3c00:hf", "0x0:df", "0x1:uq", "P1", "A0(0)<1>", "V32.0", "T6", "%null(0,0)<0;1,0>", "r[A0(0),0]<1,0>:ud"]
    return replace(rnd, lines, instruction, r"(?<= )\S+\(\d+,\d+\)" + REGION, lambda m: rnd.choice(words))


def destination_class(rnd, lines):
    words = ["0x1:ud", "%null(0,0)<1>", "%r0(0,0)<1>", "%sr0(0,0)<1>", "%sr0(0,2)<1>", "%sp(0,0)<1>", "%cr0(0,0)<1>", "P1", "A0(0)<1>", "r[A0(0),0]<1>:ud"]
    return replace(rnd, lines, instruction, r"(?<= )\S+\(\d+,\d+\)<\d>", lambda m: rnd.choice(words))


def elements(rnd, lines):
    numbers = [0, 1, 2, 3, 4, 8, 16, 24, 32, 64, 4096, 4097, 5000, 65536]
    return replace(rnd, lines, declared, r"num_elts=\d+", lambda m: f"num_elts={rnd.choice(numbers)}")


def alias(rnd, lines):
    if rnd.random() < 0.2:
        names = re.findall(r"(?m)^\.decl (\w+)", "\n".join(lines)) + ["%r0", "%arg", "V99999"]
        return replace(rnd, lines, declared, r"alias=<[^,]*", lambda m: f"alias=<{rnd.choice(names)}")
    places = [0, 1, 2, 4, 8, 32, 64, 100, 4096, 70000]
    return replace(rnd, lines, declared, r"(alias=<[^,]*), \d+>", lambda m: f"{m[1]}, {rnd.choice(places)}>")


def alignment(rnd, lines):
    names = "byte word dword qword oword GRF GRFx2 hword wordx32 wordx64".split()
    return replace(rnd, lines, declared, r"align=\w+", lambda m: f"align={rnd.choice(names)}")


def given(rnd, lines):
    test = lambda l: l.startswith((".input", ".implicit"))
    if rnd.random() < 0.5:
        return replace(rnd, lines, test, r"offset=\d+", lambda m: f"offset={rnd.choice([0, 4, 30, 32, 60, 64, 100, 128, 8160, 9000])}")
    return replace(rnd, lines, test, r"size=\d+", lambda m: f"size={rnd.choice([0, 1, 4, 8, 32, 64])}")


def predicate(rnd, lines):
    number, _ = pick(rnd, lines, instruction)
    if number is None:
        return False
    old = lines[number]
    if old.startswith("    ("):
        lines[number] = re.sub(r"\((!?)P\d+(\.\w+)?\)", rnd.choice(["(P1.any)", "(!P1)", "(P999)", "(P1.all)", "", "(P0)"]), old, count=1)
    else:
        lines[number] = "    (P1) " + old[4:]
    return lines[number] != old


def label(rnd, lines):
    number, _ = pick(rnd, lines, lambda l: re.match(r"^\w+:", l))
    if number is None:
        return False
    what = rnd.random()
    if what < 0.3:
        lines.insert(number, lines[number])
    elif what < 0.6:
        del lines[number]
    elif what < 0.8:
        lines[number] = "other_" + lines[number]
    else:
        return replace(rnd, lines, lambda l: re.search(r"\b(goto|jmp|call) ", l), r"\w+(?=\s*(?:///.*)?$)", lambda m: "nowhere")
    return True


def lsc(rnd, lines):
    test = lambda l: instruction(l) and "lsc_" in l
    sizes, counts = ["8", "16", "32", "64", "8c32", "16c32", "16c32h"], ["", "x1", "x2", "x3", "x4", "x8", "x16", "x64"]
    caching = ["", ".ca.ca", ".uc.uc", ".wb.wb", ".uc.ca", ".st.st", ".wt.wb", ".ri.ca", ".st.uc", ".uc.wb"]
    where = ["flat[0x4*", "flat[0x3*", "bti(0x4)[", "bti(V32)[", "ss(V32)[", "bss(V32)[", "ss(0x4)["]
    names = "lsc_load lsc_store lsc_atomic_iadd lsc_atomic_icas lsc_atomic_fadd lsc_load_quad lsc_store_quad lsc_load_strided".split()
    changes = [
        (r":d\d+(?:c32h?)?(?:x\d+)?t?", lambda m: f":d{rnd.choice(sizes)}{rnd.choice(counts)}{rnd.choice(['', '', 't'])}"),
        (r":a\d+", lambda m: ":a" + rnd.choice(["16", "32", "64"])),
        (r"\.(?:ugml?|slm|tgm)(?:\.\w+\.\w+)?", lambda m: "." + rnd.choice(["ugm", "slm", "ugml", "tgm"]) + rnd.choice(caching)),
        (r"(?:flat|bti\([^)]*\)|b?ss\([^)]*\))\[", lambda m: rnd.choice(where)),
        (r"lsc_[a-z_]+", lambda m: rnd.choice(names)),
        (r"\bV\d+(?=:|\])", lambda m: rnd.choice(["%null", "V33", "V32.4"])),
    ]
    return replace(rnd, lines, test, *rnd.choice(changes))


def message(rnd, lines):
    test = lambda l: instruction(l) and re.match(MESSAGES, l)
    changes = [
        (r"(?<=\.)\d+\b", lambda m: rnd.choice(["1", "2", "4", "8", "16", "3"])),
        (r"\bT\d+\b|%bss|%slm", lambda m: rnd.choice(["T0", "T5", "T6", "T7", "T99", "%bss", "%slm"])),
        (r"\.[RGBA]+\b", lambda m: "." + rnd.choice(["R", "RGBA", "G", "BA", "RG"])),
        (r"\((?:M1, )?\d+\)", lambda m: re.sub(r"\d+\)", f"{rnd.choice([1, 2, 4, 8, 16, 32])})", m[0])),
        (r"(?<=atomic\.)\w+", lambda m: rnd.choice("add sub inc dec xchg cmpxchg minsint fadd fmax fcmpwr min predec".split())),
        (r"\bS\d+\b", lambda m: rnd.choice(["S0", "S1", "S9", "T6", "V32.0"])),
    ]
    return replace(rnd, lines, test, *rnd.choice(changes))


def attribute(rnd, lines):
    number, _ = pick(rnd, lines, lambda l: l.startswith(".kernel_attr"))
    words = ["SLMSize=4\n.kernel_attr SLMSize=4", "NBarrierCnt=1", "Foo=3", 'Target="xx"', "SimdSize=7", "SimdSize=64", "SLMSize=100", "NBarrierCnt=99"]
    if number is not None:
        lines.insert(number, ".kernel_attr " + rnd.choice(words))
    return number is not None


# Permanent differences of verdict: a pattern of `who: message`, and the reason. The first match
# counts.
EXPLAINED = [
    (r"only we refuse: .*(a number from|fits into type|a number of 32 bits)", "it cuts off the upper bits of a number that no object holds"),
    (r"only we refuse: .*(a sampler, not|a surface, not)", "it takes a surface for a sampler and a sampler for a surface, by its number"),
    (r"only we refuse: .*a general variable, not", "it takes a state variable as the data of a message"),
    (r"only we refuse: .*no predicate: MIN_MAX", "it takes a predicate of min and max, and drops it"),
    (r"only we refuse: .*`cmp\.`", "it takes a comparison without its condition, and compares in no way"),
    (r"only we refuse: .*an operand: a variable", "it takes the address of a variable as the source of a mov, and no object has that"),
    (r"only we refuse: utf8|only we refuse: .*an instruction, a label or a directive", "it takes a letter outside of ASCII as the end of the text"),
    (r"only we refuse: .*an origin of an input", "it takes any `.implicit`, and gives it an origin that is none"),
    (r"only we refuse: .*(owords|properties_size): one of", "it takes an execution mask of block messages, and drops it, and 16 owords everywhere"),
    (r"only we refuse: .*expected `\.`", "it reads the number of elements of a quad as its mask: `:d32x2` moves the second element alone"),
    (r"only we refuse: .*expected the end of the statement", "it takes a mask of elements behind the data of a plain store"),
    (r"only we refuse: .*lsc_addr_type: one of", "it takes `:u32`, `:d32x1` and a mask of elements behind a plain load, and addresses without `flat`"),
    (r"only it refuses: .*unexpected (DOT|SAMPLER_CHANNEL|FENCE_OPTIONS), expecting end of file", "it does not read all letters of a fence that its own printer writes"),
]

WEIGHTED = [
    declared_type, declared_type, constant_type, constant_value, source_region, source_region, destination_region, execution, execution,
    operation, operation, operation, modifier, modifier, saturation, offset, raw_offset, variable, variable, source_class, source_class,
    destination_class, elements, alias, alignment, given, predicate, label, lsc, lsc, message, message, attribute,
]


# Blind mutations of tokens, blanks, letters and lines.

TOKEN = r"%?\w+|[^\w\s]"
LIMITS = ["0", "1", "2", "3", "7", "8", "15", "16", "17", "31", "32", "33", "64", "127", "128", "255", "256", "4095", "4096", "8191", "8192",
          "8193", "32767", "32768", "65535", "65536", "0x0", "0xff", "0x10000", "-1", "+1", "(1+1)", "1<<1", "%sizeof GRF"]


def written(line):
    return bool(line.strip()) and not line.strip().startswith("//")


def anywhere(rnd, lines, pattern=TOKEN):
    """Picks a line and two matches in it, if it has two."""
    number, _ = pick(rnd, lines, written, pattern)
    if number is None:
        return None, []
    code = lines[number].split("//")[0]
    return number, list(re.finditer(pattern, code))


def token_deleted(rnd, lines):
    return replace(rnd, lines, written, TOKEN, lambda m: "")


def token_doubled(rnd, lines):
    return replace(rnd, lines, written, TOKEN, lambda m: m[0] + rnd.choice(["", " "]) + m[0])


def token_swapped(rnd, lines):
    number, places = anywhere(rnd, lines)
    if len(places) < 2:
        return False
    at = rnd.randrange(len(places) - 1)
    one, two = places[at], places[at + 1] if rnd.random() < 0.6 else rnd.choice(places[at + 1 :])
    line = lines[number]
    lines[number] = line[: one.start()] + two[0] + line[one.end() : two.start()] + one[0] + line[two.end() :]
    return lines[number] != line


def token_borrowed(rnd, lines):
    """Replaces a token by one of another line."""
    number, places = anywhere(rnd, lines)
    return bool(places) and replace(rnd, lines, written, TOKEN, lambda m: rnd.choice(places)[0])


def number_limit(rnd, lines):
    return replace(rnd, lines, written, r"(?<![\w.])(?:0x[0-9a-f]+|\d+)(?!\w)", lambda m: rnd.choice(LIMITS))


def type_any(rnd, lines):
    names = CONSTANT_TYPES + ["UD", "F", "HF", "Bool", "UV", "Ud", "x", "bf", "df"]
    return replace(rnd, lines, written, r"(?<=:)[a-z]\w*|(?<=type=)\w+", lambda m: rnd.choice(names))


def letters(rnd, lines):
    change = rnd.choice([str.upper, str.lower, str.capitalize, str.swapcase])
    return replace(rnd, lines, written, r"[A-Za-z]\w*", lambda m: change(m[0]))


def blank(rnd, lines):
    if rnd.random() < 0.6:
        return replace(rnd, lines, written, rf"(?<=\S)(?={TOKEN})|(?<=\w)(?=\W)", lambda m: rnd.choice([" ", "  ", "\t"]))
    return replace(rnd, lines, written, r"[ \t]+", lambda m: "")


def punctuation(rnd, lines):
    return replace(rnd, lines, written, r"[^\w\s]", lambda m: rnd.choice("()[]<>{}.,:;=+-*!~@#$%^&|/\"'`?\\"))


def line_moved(rnd, lines):
    number, _ = pick(rnd, lines, written)
    if number is None:
        return False
    line, what = lines[number], rnd.random()
    if what < 0.3:
        del lines[number]
    elif what < 0.5:
        lines.insert(number, line)
    elif what < 0.8 and number + 1 < len(lines):
        lines[number], lines[number + 1] = lines[number + 1], line
    else:
        del lines[number]
        lines.insert(rnd.randrange(len(lines)), line)
    return True


def lines_joined(rnd, lines):
    number, _ = pick(rnd, lines, written)
    if number is None or number + 1 >= len(lines):
        return False
    if rnd.random() < 0.5:
        lines[number] += " " + lines.pop(number + 1)
    else:
        code = lines[number]
        at = rnd.randrange(len(code))
        lines[number : number + 1] = [code[:at], code[at:]]
    return True


def label_name(rnd, lines):
    names = ["1x", "-x", "%null", "a-b", "a.b", "$a", "add", "L 1", "_", "\"q\"", "V32"]
    return replace(rnd, lines, lambda l: re.match(r"^\w+:", l), r"^\w+", lambda m: rnd.choice([" ", ""]) * (rnd.random() < 0.2) + rnd.choice(names))


def jump(rnd, lines):
    """Changes the target or the mnemonic of a jump or a call."""
    names = re.findall(r"(?m)^(\w+):", "\n".join(lines))
    if not names:
        return False
    if rnd.random() < 0.4:
        return replace(rnd, lines, instruction, r"\b(goto|jmp|call|fccall)\b", lambda m: rnd.choice(["goto", "jmp", "call", "fccall", "fcall"]))
    lines.insert(rnd.randrange(len(lines)), f"    {rnd.choice(['goto', 'jmp', 'call'])} (M1, {rnd.choice([1, 16])}) {rnd.choice(names)}")
    return True


def directive(rnd, lines):
    test = lambda l: l.startswith(".")
    words = [".version 4.1", ".version 3.6", ".version 4.1.1", ".kernel \"k\"", ".kernel k", ".function f", ".function \"f\"", ".global_function \"g\"",
             ".funcdecl \"f\"", ".decl", ".decl X v_type=G", ".decl V32 v_type=P num_elts=1", ".input", ".parameter", ".implicit_X V32", "{", "}", "{ }"]
    what = rnd.random()
    if what < 0.3:
        lines.insert(rnd.randrange(len(lines)), rnd.choice(words))
        return True
    if what < 0.5:
        return replace(rnd, lines, test, r"(?<=\.)\w+", lambda m: rnd.choice("version kernel decl input parameter kernel_attr function funcdecl".split()))
    if what < 0.8:
        extra = ["align=GRF", "align=2GRF", "align=4", "alias=<V32, 0>", "type=ud", "attrs={Input}", "attrs={}", "v_name=x", "num_elts=1", "size=4", "offset=0"]
        return replace(rnd, lines, test, r"(?<=\S)$|(?<= )(?=\w+=)", lambda m: " " + rnd.choice(extra) + " ")
    # Swap two parts.
    return replace(rnd, lines, test, r"(\w+=\S+) (\w+=\S+)", lambda m: f"{m[2]} {m[1]}")


def guard(rnd, lines):
    guards = ["(P1)", "(!P1)", "(P1.any)", "(P99)", "(V32)", "( P1 )", "(P1 .any)", "(P1.x)", "()", "P1", "(P1)(P1)"]
    return replace(rnd, lines, instruction, r"^    (?:\([^)]*\) )?", lambda m: "    " + rnd.choice(guards) + " ")


TEXTUAL = [token_deleted, token_doubled, token_swapped, token_borrowed, number_limit, type_any, letters, blank, punctuation, line_moved,
           lines_joined, label_name, jump, directive, guard]


def mutate(rnd, lines, platform):
    """Changes the lines or the platform. Returns the kind of change, empty for none, and the platform."""
    if rnd.random() < 0.06:
        other = rnd.choice(PLATFORMS)
        return ("platform" if other != platform else ""), other
    change = rnd.choice(WEIGHTED if rnd.random() < 0.5 else TEXTUAL)
    return (change.__name__ if change(rnd, lines) else ""), platform
