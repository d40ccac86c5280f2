#!/usr/bin/env python3
"""Converts Piglit's OpenCL tests to the form of this suite: `piglit.py PIGLIT OUT [NAME…]`.

PIGLIT is a folder with piglit's `tests` and `generated_tests`. OUT receives NAME.cl, NAME.json and NAME.TARGET.zebin for each of
its files (or for those whose names start with a NAME), for `VISAKIT_CONFORMANCE=OUT cargo test -p visakit-emulator --test
conformance`. Needs `ocloc`, whose errors go to NAME.TARGET.log. Existing files are kept.
"""
import json, math, os, re, struct, sys

from ocloc import build_all

CODES = dict(char="b", uchar="B", short="h", ushort="H", int="i", uint="I", long="q", ulong="Q",
             half="e", float="f", double="d")
ADDRESSING = dict(none=0x1130, clamp_to_edge=0x1131, clamp=0x1132, repeat=0x1133, mirrored_repeat=0x1134)
PARTS = dict(half_float="16f", float="32f")
TYPE = r"([a-z]+?)(2|3|4|8|16)?"
TOLERANCE = re.compile(r"\s+tolerance\s+(\S+)(\s+ulp)?\s*$")


def sections(text):
    """Returns the `[section]`s of a configuration, as pairs of a name and a list of keys and values."""
    found = []
    for line in re.sub(r"\\[ \t]*(#[^\n]*)?\n", " ", text).splitlines():
        line = line.split("#")[0].strip()
        if head := re.fullmatch(r"\[\s*([\w ]+?)\s*\]", line):
            found.append((head[1], []))
            if head[1].startswith("program"):
                break
        elif found and (pair := re.fullmatch(r"(\w+)\s*:\s*(.*)", line)):
            found[-1][1].append((pair[1], pair[2].strip()))
    return found


def number(text, kind):
    """Returns the bytes of one value."""
    code = CODES[kind]
    if code in "efd":
        text = text.lower()
        value = float.fromhex(text) if "0x" in text else float(text)
        try:
            return struct.pack("<" + code, value)
        except OverflowError:
            return struct.pack("<" + code, math.copysign(math.inf, value))
    size = struct.calcsize(code)
    value = {"true": 1, "false": 0}.get(text)
    value = int(text, 0 if "x" in text.lower() else 10) if value is None else value
    return (value & (1 << 8 * size) - 1).to_bytes(size, "little")


def values(text, kind, width, count):
    """Returns the bytes of `count` vectors; three-component vectors occupy four components."""
    words = text.split()
    if words and words[0].lower() == "repeat":
        words = words[1:] * -(-count * width // (len(words) - 1))
    words = words[:count * width]
    if len(words) < count * width:
        raise ValueError(f"{len(words)} values for {count} of {kind}{width}")
    out = b"".join(number(word, kind) for word in words)
    if width != 3:
        return out
    size = len(out) // (3 * count)
    return b"".join(out[n * 3 * size:(n + 1) * 3 * size] + bytes(size) for n in range(count))


class Suite:
    """Cases of one file, and their shared buffers."""

    def __init__(self):
        self.data, self.names, self.cases = {}, {}, []

    def name(self, content):
        digits = content.hex()
        if digits not in self.names:
            self.names[digits] = f"b{len(self.names)}"
            self.data[self.names[digits]] = digits
        return self.names[digits]

    def argument(self, text):
        """Returns an argument's index, form, element type, vector width and contents."""
        index, text = text.split(None, 1)
        if found := re.fullmatch(rf"buffer\s+{TYPE}\[(\d+)\]\s+(.*)", text):
            kind, width, count = found[1], int(found[2] or 1), int(found[3])
            if found[4].lower() == "null":
                size = count * (4 if width == 3 else width) * struct.calcsize(CODES[kind])
                return int(index), "local", kind, width, size
            return int(index), "buffer", kind, width, values(found[4], kind, width, count)
        if found := re.fullmatch(rf"image\s+{TYPE}\s+(.*?)\s+image_type.*", text):
            setting = dict(re.findall(r"image_(\w+)\s+(\w+)", text))
            size = [int(setting["width"], 0), int(setting["height"], 0), 1]
            part = setting["channel_data_type"].lower()
            part = PARTS.get(part) or re.sub(r"(unorm|snorm|signed|unsigned)_int(\d+)", r"\2\1", part)
            part = part.replace("unsigned", "uint").replace("signed", "sint")
            width = int(found[2] or 1)
            data = values(found[3], found[1], width, size[0] * size[1])
            form = dict(format=setting["channel_order"].lower() + part, size=size, layers=0, kind=0x10F1)
            return int(index), form, found[1], width, data
        if found := re.fullmatch(r"sampler\s+normalized_coords\s+(\w+)\s+addressing_mode\s+(\w+)\s+filter_mode\s+(\w+)",
                                 text):
            normalized = int(found[1] in ("1", "true"))
            linear = int(found[3].lower() == "linear")
            return int(index), "sampler", "", 1, [normalized, ADDRESSING[found[2].lower()], 0x1140 + linear]
        found = re.fullmatch(rf"{TYPE}\s+(.*)", text)
        return int(index), "value", found[1], int(found[2] or 1), values(found[3], found[1], int(found[2] or 1), 1)

    def case(self, config, test):
        setting = dict(config) | dict(test)
        kernel = setting["kernel_name"]
        dimensions = int(setting.get("dimensions", 1))
        sizes = lambda key: [int(n) for n in setting.get(key, "").split()[:dimensions]]
        given, check = {}, []
        for key, text in test:
            if key not in ("arg_in", "arg_out"):
                continue
            tolerance = TOLERANCE.search(text)
            index, form, kind, width, content = self.argument(TOLERANCE.sub("", text))
            image = isinstance(form, dict)
            if key == "arg_out":
                entry = dict(arg=index, type=kind, ulp=None, expect=content.hex())
                if tolerance:
                    entry["ulp" if tolerance[2] else "within"] = float(tolerance[1])
                elif kind in ("half", "float", "double"):
                    entry["within"] = 0.0
                if width == 3:
                    entry["of_four"] = 3
                check.append(entry)
                form = {"image": form | dict(data=self.name(bytes(len(content))))} if image else {"out": len(content)}
                given.setdefault(index, form)
            elif image:
                given[index] = {"image": form | dict(data=self.name(content))}
            elif form == "buffer":
                given[index] = {"inout": self.name(content)}
            elif form == "value":
                given[index] = {"val": content.hex()}
            else:
                given[index] = {form: content}
        glob, loc = sizes("global_size") or [1], sizes("local_size")
        self.cases.append(dict(name=setting.get("name", kernel), kernel=kernel, glob=[max(n, 1) for n in glob],
                               loc=loc if any(loc) else None, off=sizes("global_offset") or None,
                               fails=setting.get("expect_test_fail") == "true", check=check,
                               args=[given[n] for n in range(len(given))]))


def convert(path, out):
    """Writes NAME.cl and NAME.json; returns the compiler options, or the reason why the file is skipped."""
    text = open(path, encoding="utf-8", errors="replace").read()
    if path.endswith(".cl"):
        head = re.search(r"/\*!(.*?)!\*/", text, re.S)
        found, source = sections(head[1] if head else ""), text
    else:
        found, source = sections(text), text.partition("[program source]")[2]
    config = next((pairs for name, pairs in found if name == "config"), [])
    setting = dict(config)
    if setting.get("expect_build_fail") == "true":
        return None, "the compiler is expected to refuse it"
    if "device_regex" in setting:
        return None, "for another device"
    if other := setting.get("program_source_file"):
        source = open(os.path.join(os.path.dirname(path), other)).read()
    suite = Suite()
    for name, pairs in found:
        if name == "test":
            suite.case(config, pairs)
    if not suite.cases:
        return None, "no tests that run"
    version = int(setting.get("clc_version_min", 10))
    options = setting.get("build_options", "").replace("-I .", "") + f" -I {os.path.dirname(path)}"
    if version > 12 and "-cl-std" not in options:
        options += f" -cl-std=CL{version // 10}.{version % 10}"
    with open(out + ".cl", "w") as file:
        file.write(source)
    with open(out + ".json", "w") as file:
        json.dump(dict(data=suite.data, cases=suite.cases, options=options.strip()), file)
    return options.strip(), None


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    root, out, only = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), tuple(sys.argv[3:])
    os.makedirs(out, exist_ok=True)
    jobs, passed_over = [], {}
    for part in ("tests/cl", "generated_tests/cl"):
        for folder, _, files in sorted(os.walk(os.path.join(root, part))):
            for file in sorted(files):
                name = file.rsplit(".", 1)[0].replace(".generated", "")
                if not file.endswith((".cl", ".program_test")) or only and not name.startswith(only):
                    continue
                try:
                    options, reason = convert(os.path.join(folder, file), os.path.join(out, name))
                except (ValueError, KeyError) as error:
                    options, reason = None, f"not understood: {error!r}"
                if reason:
                    passed_over.setdefault(reason, []).append(name)
                else:
                    jobs.append((name, options))
    for reason, names in passed_over.items():
        print(f"{len(names)} passed over, {reason}: {' '.join(names)}")
    build_all([(os.path.join(out, name), options) for name, options in jobs])


main()
