#!/bin/sh
# Rebuilds the zebins of the examples with Intel's offline compiler, one for each target. The zebins
# are committed, so this is needed only after a change to a kernel.
set -eu
cd "$(dirname "$0")"

if ! command -v ocloc >/dev/null 2>&1; then
    echo "compile.sh: ocloc is not installed; the committed zebins stay as they are." >&2
    echo "  On Debian 12: apt-get install --no-install-recommends intel-opencl-icd libigc1 libigdfcl1" >&2
    echo "  On Debian sid: apt-get install intel-ocloc libigc2 libigdfcl2 intel-ocloc-legacy libigc1 libigdfcl1" >&2
    exit 2
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
here=$(pwd)

for kernel in vector_add histogram mandelbrot; do
    for device in skl tgllp dg2 pvc; do
        echo "$kernel for $device"
        # The compiler may leave a stray kernel.visaasm in its working folder, so use a scratch
        # folder.
        (cd "$scratch" && ocloc compile -q -file "$here/$kernel/$kernel.cl" -device "$device" --format zebin \
            -internal_options "-ze-opt-emit-zebin-visa-sections" -output out -output_no_suffix)
        # Since 2023 the compiler appends `.bin`.
        if [ -f "$scratch/out.bin" ]; then mv "$scratch/out.bin" "$scratch/out"; fi
        mv "$scratch/out" "$kernel/$kernel.$device.zebin"
        rm -rf "${scratch:?}"/*
    done
done

# The examples of `visa demo`, with line numbers and under the names of their sources.
demo=$here/../crates/visa/demo
for kernel in saxpy race out_of_bounds; do
    echo "$kernel for skl"
    (cd "$scratch" && cp "$demo/$kernel.cl" . && ocloc compile -q -file "$kernel.cl" -device skl --format zebin \
        -options "-g" -internal_options "-ze-opt-emit-zebin-visa-sections" -output out -output_no_suffix)
    if [ -f "$scratch/out.bin" ]; then mv "$scratch/out.bin" "$scratch/out"; fi
    mv "$scratch/out" "$demo/$kernel.zebin"
    rm -rf "${scratch:?}"/*
done

# Kernels of the documentation in which a bug is found: with line numbers, and under the names of
# their sources.
for kernel in reduction reduction_fixed; do
    echo "$kernel for skl"
    (cd "$scratch" && cp "$here/reduction/$kernel.cl" . && ocloc compile -q -file "$kernel.cl" -device skl --format zebin \
        -options "-g" -internal_options "-ze-opt-emit-zebin-visa-sections" -output out -output_no_suffix)
    mv "$scratch/out" "reduction/$kernel.skl.zebin"
    rm -rf "${scratch:?}"/*
done
