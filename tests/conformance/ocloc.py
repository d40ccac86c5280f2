"""The vendor's compiler, for the scripts that make suites."""
import os, re, shlex, subprocess, tempfile

TARGETS = ["skl", "tgllp", "dg2", "pvc"]
# Options that do not change results, or that ocloc does not know.
KNOWN = re.compile(r"-D|-U|-I|-cl-(std=|fast-relaxed-math|mad-enable|unsafe-math|finite-math|no-signed-zeros|denorms-are-zero|"
                   r"single-precision-constant|opt-disable|fp32-correctly|kernel-arg-info|uniform-work)")


def known(options):
    """The options that ocloc knows."""
    try:
        words = iter(shlex.split(options))
    except ValueError:
        return ""
    kept = []
    for word in words:
        if word in ("-D", "-I", "-U"):
            word += next(words, "")
        # For skl, its own header does not compile with the versions before 1.2.
        if KNOWN.match(word) and word not in ("-cl-std=CL1.0", "-cl-std=CL1.1"):
            kept.append(word if not re.search(r"[\s\"]", word) else '"' + word.replace('"', '\\"') + '"')
    return " ".join(kept)


def build(out, target, options):
    """Compiles OUT.cl for a target to OUT.TARGET.zebin; what the compiler says otherwise goes into OUT.TARGET.log."""
    zebin, log = f"{out}.{target}.zebin", f"{out}.{target}.log"
    if os.path.exists(zebin) or os.path.exists(log):
        return os.path.exists(zebin)
    with tempfile.TemporaryDirectory() as folder:
        command = ["ocloc", "compile", "-file", out + ".cl", "-device", target, "--format", "zebin", "-output", "k",
                   "-output_no_suffix", "-internal_options", "-ze-opt-emit-zebin-visa-sections", "-options", options]
        try:
            said = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=600)
            said = said.stdout + said.stderr
        except subprocess.TimeoutExpired:
            said = "no end within ten minutes"
        if os.path.exists(folder + "/k"):
            with open(folder + "/k", "rb") as made, open(zebin, "wb") as kept:
                kept.write(made.read())
            return True
    with open(log, "w") as file:
        file.write(said)
    return False
