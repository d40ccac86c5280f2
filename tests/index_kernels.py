#!/usr/bin/env python3
"""Compares the driver with another one by random kernels whose indices are sums and products of work-item ids.

    index_kernels.py [--device D]… [--seeds FIRST:LAST] [--driver ICD] [--other ICD]

A program has six kernels. Each reads elements at random linear functions of the ids, in types of 32
and 64 bits, in loops, behind conditions and as vectors, stores elements or vectors, and
runs in groups that are lines, blocks or parts of lines. All bytes of the results must be those of the other driver (pocl by default), with
native code and in the interpreter. The exit status is 1 if some differ. It needs pyopencl and numpy.
"""

import argparse, hashlib, os, random, subprocess, sys
from pathlib import Path

TYPES = {"uchar": "u1", "short": "i2", "int": "i4", "float": "f4", "long": "i8"}
WIDTH, HEIGHT, PAD, KERNELS = 128, 64, 4096, 6
ITEMS = WIDTH * HEIGHT
INDICES = ["i", "i", "i + 1", "j * WIDTH + i", "(8300 - i)", "i * 2", "i + j", "j", "n - 1", "(i >> 1)", "i * 3", "(uint)i + offset",
           "(int)i - 1", "(size_t)j * WIDTH + (size_t)i", "j * WIDTH", "i + WIDTH * 2", "(long)i", "(size_t)i * 5", "(long)j * n + i",
           "(long)i * 7 - j * (long)(n & 31)", "(i & 31) * ((long)j - 30)"]


def kernel(chance, name):
    """Returns a kernel, the type of its elements, its global size, and two local sizes."""
    kind, is_plane = chance.choice(list(TYPES)), chance.random() < 0.5
    i_type, j_type = (chance.choice(["int", "uint", "size_t", "long"]) for _ in range(2))
    start, rows = chance.choice(["", "", " + offset", " + 3", " - offset + 9"]), chance.choice(["n & 7", "(get_global_id(0) >> 7)", "n & 3"])
    lines = [f"{i_type} i = get_global_id(0){start};", f"{j_type} j = {'get_global_id(1)' if is_plane else rows};", f"{kind} sum = 0;"]
    at = lambda: "PAD + " + chance.choice(INDICES)
    for _ in range(chance.randint(1, 4)):
        step, end = chance.choice(["1", "WIDTH", "2"]), chance.choice(["3", "4", "(int)(n & 3) + 1", "(size_t)n % 6"])
        width = chance.choice([2, 3, 8])
        condition, wide = chance.choice(["i < limit", "j < 3", "(i & 1)", "x[PAD + i] > 0"]), chance.choice(["i", "j", "i + 1"])
        lines.append(chance.choice([
            f"sum += x[{at()}];",
            f"for (int k = 0; k < {end}; k++) sum += x[{at()} + k * {step}];",
            f"if ({condition}) sum += x[{at()}] * 2;",
            f"{{ {kind}4 v = vload4({wide}, x + PAD); sum += v.x - v.w + v.y * 2; }}",
            f"{{ {kind}{width} v = vload{width}({wide}, x + PAD); sum += v.s0 - v.s{width - 1} * 2; }}",
            f"sum += x[PAD + ({wide}) * {width}] - x[PAD + ({wide}) * {width} + {width - 1}];",
            f"sum = sum * 3 + ({kind})({chance.choice(INDICES)});",
        ]))
    own = "(size_t)get_global_id(1) * WIDTH + get_global_id(0)" if is_plane else "get_global_id(0)"
    own = chance.choice([own, own.replace("size_t", "uint"), f"(int)({own})"])
    guard = chance.choice(["", "", f"if (i < ({i_type})limit) ", "if (get_global_id(0) < 90) "])
    width = chance.choice([2, 3, 4])
    each = ", ".join(["sum", "sum + 1", "n", "sum - 3"][:width])
    lines.append(guard + chance.choice([
        f"y[{own}] = sum;", f"y[{own}] = sum;", f"y[({own}) * {width}] = sum;",
        f"vstore{width}(({kind}{width})({each}), {own}, y);",
        f"{{ y[({own}) * {width}] = sum; y[({own}) * {width} + 1] = n; }}",
    ]))
    head = f"kernel void {name}(global {kind} *restrict y, global const {kind} *x, int n, int offset, int limit)"
    if is_plane:
        size, groups = (WIDTH, HEIGHT), [(16, 16), (32, 8), (64, 4), (8, 8), (128, 1), (32, 1), None]
    else:
        size = chance.choice([(ITEMS,), (ITEMS // 2,), (700,)])
        groups = [(100,), (70,), None] if size == (700,) else [(32,), (64,), (128,), (256,), (16,), None]
    return "\n    ".join([head + " {", *lines]) + "\n}\n", kind, size, chance.sample(groups, 2)


def program(seed):
    chance = random.Random(seed)
    kernels = [kernel(chance, f"k{n}") for n in range(KERNELS)]
    return f"#define WIDTH {WIDTH}\n#define PAD {PAD}\n" + "".join(text for text, *_ in kernels), kernels


def work(seeds):
    """Runs the programs on the only device of this process, and prints a hash of each kernel's results."""
    import numpy, pyopencl
    device = [device for platform in pyopencl.get_platforms() for device in platform.get_devices()][0]
    context = pyopencl.Context([device])
    queue, flags = pyopencl.CommandQueue(context), pyopencl.mem_flags
    for seed in seeds:
        text, kernels = program(seed)
        built = pyopencl.Program(context, text).build()
        for n, (_, kind, size, groups) in enumerate(kernels):
            numbers = numpy.random.default_rng(seed * KERNELS + n)
            x = numbers.integers(-50, 50, ITEMS * 8 + 2 * PAD).astype(TYPES[kind])
            y = numpy.full(ITEMS * 4, 7, TYPES[kind])
            x_buffer, y_buffer = (pyopencl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=data) for data in (x, y))
            launch = getattr(built, f"k{n}")
            launch.set_args(y_buffer, x_buffer, *(numpy.int32(numbers.integers(*ends)) for ends in ((1, 100), (0, 9), (1, 120))))
            for group in groups * 2:
                pyopencl.enqueue_nd_range_kernel(queue, launch, size, group)
            pyopencl.enqueue_copy(queue, y, y_buffer)
            print(seed, n, hashlib.sha256(y.tobytes()).hexdigest(), flush=True)


def results(args, driver, **variables):
    """Returns the hashes of a driver by seed and kernel."""
    command = [sys.executable, __file__, "--work", "--seeds", args.seeds]
    done = subprocess.run(command, env={**os.environ, "OCL_ICD_VENDORS": str(driver), **variables}, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"index_kernels.py: {driver} failed")
    return dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", action="append")
    parser.add_argument("--seeds", default="1:20")
    parser.add_argument("--driver", type=Path, default="target/release/libvisakit_opencl.so")
    parser.add_argument("--other", type=Path, default="/etc/OpenCL/vendors/pocl.icd")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    first, last = map(int, args.seeds.split(":"))
    if args.work:
        return work(range(first, last + 1))
    want, has_failed = results(args, args.other), False
    for device in args.device or ["bmg"]:
        for engine in ("native", "interpreter"):
            found = results(args, args.driver.resolve(), VISAKIT_DEVICES=device, VISAKIT_ENGINE=engine)
            different = [place for place in want if found.get(place) != want[place]]
            for seed, n in map(str.split, different):
                print(f"{device} {engine}: seed {seed}, kernel {n}:\n{program(int(seed))[1][int(n)][0]}")
            has_failed |= bool(different)
            print(f"{device} {engine}: {len(want) - len(different)} of {len(want)} kernels agree")
    sys.exit(has_failed)


if __name__ == "__main__":
    main()
