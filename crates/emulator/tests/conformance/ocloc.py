"""The vendor's compiler, for the scripts that make suites."""
import os, re, shlex, subprocess, tempfile
from concurrent.futures import ThreadPoolExecutor

TARGETS = os.environ.get("VISAKIT_TARGETS", "skl,tgllp,dg2,pvc").split(",")
# Compilers in order of preference; the first that compiles a source is used.
COMPILERS = os.environ.get("VISAKIT_OCLOC", "ocloc").split(os.pathsep)
# Options that do not change results, or that ocloc does not support.
KNOWN = re.compile(r"-D|-U|-I|-cl-(std=|fast-relaxed-math|mad-enable|unsafe-math|finite-math|no-signed-zeros|denorms-are-zero|"
                   r"single-precision-constant|opt-disable|fp32-correctly|kernel-arg-info|uniform-work)")


def known(options):
    """Returns the options that ocloc supports."""
    try:
        words = iter(shlex.split(options))
    except ValueError:
        return ""
    kept = []
    for word in words:
        if word in ("-D", "-I", "-U"):
            word += next(words, "")
        # For skl, the compiler's own header does not compile as OpenCL C before 1.2.
        if KNOWN.match(word) and word not in ("-cl-std=CL1.0", "-cl-std=CL1.1"):
            kept.append(word if not re.search(r"[\s\"]", word) else '"' + word.replace('"', '\\"') + '"')
    return " ".join(kept)


def compiled(source, target, options, inner=(), environment=None, timeout=None):
    """Compiles a source file. Returns the zebin with its vISA, or None, and the log of the first compiler. `inner` are
    internal options of the compiler."""
    said = None
    for program in COMPILERS:
        made, log = compiled_by(program, source, target, options, inner, environment, timeout)
        if made:
            return made, log
        said = said or log
    return None, said


def compiled_by(program, source, target, options, inner, environment, timeout):
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "compile", "-file", source, "-device", target, "--format", "zebin", "-output", "k",
                   "-output_no_suffix", "-internal_options", " ".join(["-ze-opt-emit-zebin-visa-sections", *inner]),
                   "-options", options]
        try:
            result = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=timeout,
                                    env={**os.environ, **(environment or {})})
        except subprocess.TimeoutExpired:
            return None, f"no end within {timeout} seconds"
        # Since 2023 the compiler appends `.bin`.
        for name in ("k", "k.bin"):
            made = os.path.join(folder, name)
            if os.path.exists(made):
                with open(made, "rb") as file:
                    return file.read(), result.stdout + result.stderr
        return None, result.stdout + result.stderr


def build(out, target, options):
    """Compiles OUT.cl for a target to OUT.TARGET.zebin; on failure, writes the compiler's log to OUT.TARGET.log."""
    zebin, log = f"{out}.{target}.zebin", f"{out}.{target}.log"
    if os.path.exists(zebin) or os.path.exists(log):
        return os.path.exists(zebin)
    made, said = compiled(out + ".cl", target, options, timeout=600)
    with open(zebin if made else log, "wb") as file:
        file.write(made or said.encode())
    return bool(made)


def build_all(jobs):
    """Compiles each pair of OUT and options for each target, and prints the rejected ones."""
    with ThreadPoolExecutor(2) as pool:
        for target in TARGETS:
            done = pool.map(lambda job: build(job[0], target, job[1]), jobs)
            refused = [os.path.basename(out) for (out, _), good in zip(jobs, done) if not good]
            print(f"{target}: {len(jobs) - len(refused)} of {len(jobs)} compiled; refused: {' '.join(refused)}", flush=True)
