#!/usr/bin/env python3
"""Runs third-party kernels through `visa` and compares it with the vendor's tools.

    corpus.py compile DIR [--device D]… [--options O] [--internal I] FILE.cl…
    corpus.py check   DIR [--visa PROGRAM] [--device D]… [--sample N]
    corpus.py mutate  DIR [--count N] [--seed N]
    corpus.py agree   DIR [--visa PROGRAM]

`compile` compiles OpenCL sources with ocloc and keeps the vISA texts of their kernels as
DIR/PLATFORM/HASH.visaasm, without duplicates. A source is compiled only once. VISAKIT_OCLOC names
the compilers.

`check` assembles each text, decodes and encodes the object, prints and parses its full text, and
verifies it. If GenX_IR supports the version of the text, its text of our object must equal ours. A
newer text must survive the round trip except for comments.

`mutate` makes one change in each of `--count` kernels and keeps the results in DIR/mutants.

`agree` compares the verdict of `visa verify` with GenX_IR's, and the objects and texts of mutants
that both accept. It sorts the differences into classes; `corpus_mutants.EXPLAINED` lists the
permanent ones.

The vendor's results are kept in DIR, so that a second run asks only for new ones. The exit status
is 1 for a difference. Do not commit the content of DIR.
"""

import argparse, base64, collections, concurrent.futures, hashlib, json, os, random, re, shutil, struct, subprocess, sys, tempfile, zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import corpus_mutants, corpus_objects

DEVICES = ["skl", "tgllp", "dg2", "pvc"]
WORKERS = 2
# Compilers in order of preference; the first that compiles a source is used.
COMPILERS = os.environ.get("VISAKIT_OCLOC", "ocloc").split(os.pathsep)


def run(command, cwd=None, seconds=120):
    """Runs a command. Returns the exit status, None after a timeout, and both outputs."""
    try:
        done = subprocess.run(command, cwd=cwd, timeout=seconds, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return None, b"", b"timeout"


def each(function, items):
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        yield from pool.map(function, items)


def digest(*parts):
    return hashlib.sha1("\0".join(parts).encode()).hexdigest()[:16]


def keep(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return value


def platform_of(args, text):
    return text.relative_to(args.dir).parts[0]


# Compiling


def sections(data):
    """Yields the names and contents of the sections of a 64-bit ELF file."""
    if data[:4] != b"\x7fELF":
        return
    (table,), (size, count, names) = struct.unpack_from("<Q", data, 0x28), struct.unpack_from("<HHH", data, 0x3A)
    heads = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
    for head in heads:
        name = heads[names][4] + head[0]
        yield data[name : data.index(b"\0", name)], data[head[4] : head[4] + head[5]]


def compile_by(program, source, device, options, internal):
    """Compiles a source. Returns the exit status, both outputs, and the zebin."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [program, "compile", "-file", str(source.absolute()), "-device", device, "--format", "zebin", "-q",
                   "-internal_options", f"-ze-opt-emit-zebin-visa-sections {internal}", "-output", "k", "-output_no_suffix"]
        answer = run(command + (["-options", options] if options else []), scratch, 150)
        # Since 2023 the compiler appends `.bin`.
        made = [path for name in ("k", "k.bin") if (path := Path(scratch) / name).exists()]
        return *answer, made[0].read_bytes() if made else b""


def compile_one(folder, source, device, options, internal):
    named = [] if COMPILERS == ["ocloc"] else COMPILERS
    record = folder / "compiled" / (digest(str(source), device, options, internal, *named) + ".json")
    if record.exists():
        return json.loads(record.read_text())
    texts = []
    for program in COMPILERS:
        status, out, err, data = compile_by(program, source, device, options, internal)
        for name, text in sections(data):
            if name.startswith(b".visaasm"):
                path = folder / device / (hashlib.sha1(text).hexdigest()[:16] + ".visaasm")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text)
                texts.append(str(path.relative_to(folder)))
        if texts:
            break
    said = "" if texts else (out + err)[-400:].decode(errors="replace")
    return keep(record, {"source": str(source), "device": device, "options": options, "internal": internal,
                         "status": status, "texts": texts, "said": said})


def compile_all(args):
    jobs = [(s, d) for s in args.files for d in args.device or DEVICES]
    done = collections.Counter()
    for record in each(lambda j: compile_one(args.dir, *j, args.options, args.internal), jobs):
        done["compiled" if record["texts"] else "refused by ocloc"] += 1
    print(dict(done))
    return 0


# Identities


def check_one(args, text):
    """Returns the problems of a text as pairs of kind and description."""
    platform = platform_of(args, text)
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        isa = scratch / "m.isa"
        visa = lambda *words: run([args.visa, *map(str, words), "--platform", platform])
        status, out, err = visa("asm", text, "-o", isa)
        if status != 0:
            return [("asm", err.decode(errors="replace"))]
        status, out, err = visa("roundtrip", text, isa, "--format", "json")
        # Compilers print as our printer does, so another text of the same object is a finding.
        # Objects of newer texts have an older version, in which some statements print differently.
        good = ("same", "same-object") if newer(text) else ("same",)
        if status != 0 or any(file["verdict"] not in good for file in json.loads(out)["files"]):
            found.append(("roundtrip", (out + err).decode(errors="replace")))
        status, out, err = visa("verify", text, "--format", "json")
        try:
            for finding in json.loads(out)["findings"]:
                line = text.read_text(errors="replace").split("\n")[finding["line"] - 1] if finding["line"] else ""
                found.append((f"verify-{finding['severity']}", f"{finding['code']}: {finding['message']}\n{line}"))
        except ValueError:
            found.append(("verify-crash", (out + err).decode(errors="replace")))
        if newer(text):
            status, ours, err = visa("disasm", "--full", isa)
            if said(ours) != said(text.read_bytes()):
                found.append(("source", first_lines(said(ours), said(text.read_bytes()))))
            return found
        status, ours, err = visa("disasm", isa)
        theirs = vendor_text(isa, platform)
        if theirs is None:
            found.append(("vendor-silent", ""))
        elif theirs != ours:
            found.append(("print", first_lines(ours, theirs)))
        elif bare(theirs) != bare(text.read_bytes()):
            found.append(("source", first_lines(bare(theirs), bare(text.read_bytes()))))
    return found


def said(text):
    """Returns a text without comments and without the attribute that is not printed."""
    lines = (re.sub(rb"\s*//.*$", b"", line).rstrip() for line in text.split(b"\n"))
    return b"\n".join(line for line in lines if line and not line.startswith(b".kernel_attr OutputAsmPath"))


def newer(text):
    """Returns true for a text of a newer version, whose objects no packaged assembler reads."""
    with text.open("rb") as file:
        return not file.read(14).startswith(b".version 4.1")


def vendor_text(isa, platform):
    """Returns GenX_IR's text of an object. GenX_IR may crash after it has written the text."""
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copy(isa, scratch)
        command = ["GenX_IR", "m.isa", "-platform", platform.upper(), "-dumpcommonisa", "-noschedule", "-noverifyCISA"]
        run(command, scratch, 30)
        texts = sorted(Path(scratch).glob("*.visaasm"))
        return texts[0].read_bytes() if len(texts) == 1 else None


def bare(text):
    """Returns a text without the vendor's suffixes of labels, the padding that depends on them, and the
    declarations of functions of other files, which objects do not store."""
    text = re.sub(rb"(?m)^\.funcdecl .*\n", b"", text)
    text = re.sub(rb"(?:_\d+)+\b", b"", text)
    return re.sub(rb" +///", b" ///", text)


def first_lines(a, b):
    pairs = zip(a.split(b"\n"), b.split(b"\n"))
    return next((f"{x.decode(errors='replace')}\n{y.decode(errors='replace')}" for x, y in pairs if x != y), "length")


def check_all(args):
    texts = sorted(p for d in args.device or DEVICES for p in args.dir.glob(f"{d}/**/*.visaasm"))
    if args.sample:
        texts = random.Random(args.seed).sample(texts, min(args.sample, len(texts)))
    build = str(os.stat(args.visa).st_mtime)
    counts, examples = collections.Counter(), collections.defaultdict(list)

    def one(text):
        record = args.dir / "checked" / build / f"{platform_of(args, text)}-{text.stem}.json"
        return text, json.loads(record.read_text()) if record.exists() else keep(record, check_one(args, text))

    for text, found in each(one, texts):
        counts["texts"] += 1
        counts["without error"] += not any(kind != "verify-warning" for kind, _ in found)
        for kind, what in found:
            counts[kind] += 1
            examples[kind, re.sub(r"\d+", "N", what.split("\n")[0])[:110]].append((text, what))
    print(dict(counts))
    for (kind, what), where in sorted(examples.items(), key=lambda e: -len(e[1])):
        print(f"{len(where):6} {kind} {what}\n         {where[0][0]}\n{where[0][1][:400]}")
    return int(counts["texts"] != counts["without error"])


# Verdicts


def mutate(args):
    texts = sorted(p for d in DEVICES for p in args.dir.glob(f"{d}/**/*.visaasm") if p.stat().st_size < 60000)
    rnd = random.Random(args.seed)
    made = collections.Counter()
    while sum(made.values()) < args.count:
        text = rnd.choice(texts)
        platform = platform_of(args, text)
        lines = text.read_text(errors="replace").split("\n")
        kind, platform = corpus_mutants.mutate(rnd, lines, platform)
        if kind:
            path = args.dir / "mutants" / f"{args.seed}-{sum(made.values()):05}.{kind}.{platform}.visaasm"
            path.parent.mkdir(exist_ok=True)
            path.write_text("\n".join(lines))
            made[kind] += 1
    print(dict(made))
    return 0


def packed(data):
    return base64.b64encode(zlib.compress(data)).decode()


def unpacked(text):
    return zlib.decompress(base64.b64decode(text))


def vendor_verdict(path, platform):
    """Returns GenX_IR's verdict and message. The verdict is `legal`, `illegal`, `complains` for a failed
    assertion about the text despite a written object, or `none` for a crash without a message."""
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copy(path, Path(scratch) / "m.visaasm")
        command = ["GenX_IR", "m.visaasm", "-platform", platform.upper(), "-binary", "-noschedule"]
        status, out, err = run(command + ["-outputCisaBinaryName", "m.isa"], scratch, 60)
        report = Path(scratch) / "m.errors.txt"
        said = report.read_text(errors="replace") if report.exists() else ""
        messages = re.findall(r"Error Message: (.*)", said) + re.findall(r"(?m)^ \* (.*)", said)
        out = (out + err).decode(errors="replace").strip()
        written = (Path(scratch) / "m.isa").exists()
        # Output of the assembler: the object, and its own text, which replaces the given one.
        made = {}
        if written:
            made["object"] = packed((Path(scratch) / "m.isa").read_bytes())
            text = (Path(scratch) / "m.visaasm").read_bytes()
            # An assembler that stops early leaves the given text.
            if text != path.read_bytes():
                made["text"] = packed(text)
    if messages or said:
        return {"verdict": "illegal", "says": (messages or [said])[0][:200]}
    if status == 1 and "Spill memory" not in out:
        return {"verdict": "illegal", "says": " ".join(out.split("\n")[-2:])[:300]}
    complaint = re.search(r"Common_ISA\w*\.cpp:\d+ (.*)", out)
    if written:
        return {"verdict": "complains" if complaint else "legal", "says": complaint[1] if complaint else "", **made}
    if status is None or status < 0:
        return {"verdict": "none", "says": f"status {status}"}
    return {"verdict": "illegal", "says": " ".join(out.split("\n")[-2:])[:300]}


def made_alike(args, path, platform, theirs):
    """Returns the difference of the two assemblers' output for a text that both accept, or an empty string."""
    with tempfile.TemporaryDirectory() as scratch:
        isa = Path(scratch) / "m.isa"
        status, out, err = run([args.visa, "asm", str(path), "-o", str(isa), "--platform", platform])
        if status != 0:
            return "asm: " + err.decode(errors="replace")[:200]
        try:
            found = corpus_objects.difference(isa.read_bytes(), unpacked(theirs["object"]))
        except (AssertionError, IndexError, ValueError, struct.error) as error:
            return f"tables: {error!r}"
        if found or "text" not in theirs:
            return found
        status, text, err = run([args.visa, "disasm", str(isa), "--platform", platform])
        return corpus_objects.line_difference(text.decode(errors="replace"), unpacked(theirs["text"]).decode(errors="replace"))


def agree(args):
    mutants = sorted((args.dir / "mutants").glob(args.only))
    counts, classes = collections.Counter(), collections.defaultdict(list)
    kinds, explained = collections.defaultdict(collections.Counter), collections.Counter()

    def one(path):
        platform = path.name.split(".")[-2]
        record = args.dir / "verdicts" / (digest(path.read_text(errors="replace"), platform) + ".json")
        theirs = json.loads(record.read_text()) if record.exists() else keep(record, vendor_verdict(path, platform))
        status, out, err = run([args.visa, "verify", str(path), "--platform", platform, "--format", "json"])
        try:
            ours = [f for f in json.loads(out)["findings"] if f["severity"] == "error"]
        except ValueError:
            ours = [{"code": "crash", "message": (out + err).decode(errors="replace"), "line": 0}]
        alike = "" if ours or theirs["verdict"] != "legal" else made_alike(args, path, platform, theirs)
        return path, theirs, ours, alike

    for path, theirs, ours, alike in each(one, mutants):
        kind = path.name.split(".")[1]
        if theirs["verdict"] in ("none", "complains"):
            counts[theirs["verdict"]] += 1
        elif (theirs["verdict"] == "illegal") == bool(ours):
            counts["agree"] += 1
            counts["both refuse"] += bool(ours)
            kinds[kind]["agree"] += 1
            if not ours:
                counts["both take"] += 1
                counts["made alike"] += not alike
            if alike:
                classes["another object", re.sub(r"0x[0-9a-f]+|\d+", "N", alike)[:130]].append((path, kind, 0))
        else:
            says = f"{ours[0]['code']}: {ours[0]['message']}" if ours else theirs["says"]
            who = "only we refuse" if ours else "only it refuses"
            reason = next((why for pattern, why in corpus_mutants.EXPLAINED if re.search(pattern, f"{who}: {says}")), None)
            counts["explained" if reason else "differ"] += 1
            kinds[kind]["explained" if reason else "differ"] += 1
            if reason:
                explained[reason] += 1
            else:
                classes[who, re.sub(r"\d+", "N", says)[:130]].append((path, kind, ours[0]["line"] if ours else 0))
    judged = max(1, counts["agree"] + counts["explained"] + counts["differ"])
    print(f"{dict(counts)}: {counts['agree'] / judged:.2%} agree, {(judged - counts['differ']) / judged:.2%} agree or are explained")
    for kind, found in sorted(kinds.items()):
        print(f"{kind:20} {dict(found)}")
    for reason, number in explained.most_common():
        print(f"{number:5} explained: {reason}")
    for (who, what), where in sorted(classes.items(), key=lambda e: -len(e[1])):
        path, kind, line = where[0]
        print(f"{len(where):5} {who}: {what} [{kind}]\n        {path}:{line}")
    return int(counts["differ"] != 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, function in [("compile", compile_all), ("check", check_all), ("mutate", mutate), ("agree", agree)]:
        command = commands.add_parser(name)
        command.set_defaults(function=function)
        command.add_argument("dir", type=Path)
        command.add_argument("--seed", type=int, default=1)
        if name in ("check", "agree"):
            command.add_argument("--visa", default="target/release/visa")
        if name in ("compile", "check"):
            command.add_argument("--device", action="append")
        if name == "compile":
            command.add_argument("--options", default="")
            command.add_argument("--internal", default="")
            command.add_argument("files", type=Path, nargs="+")
        if name == "check":
            command.add_argument("--sample", type=int, default=0)
        if name == "mutate":
            command.add_argument("--count", type=int, default=1000)
        if name == "agree":
            command.add_argument("--only", default="*.visaasm", help="pattern of the mutants' names")
    args = parser.parse_args()
    return args.function(args)


if __name__ == "__main__":
    sys.exit(main())
