# Functions of the tests in this folder; sourced by them. Each test gets the folder of the release's
# files and the target.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2034
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
[ $# = 2 ] || fail "usage: packaging/tests/$(basename "$0") OUT TARGET"
out=$(cd "$1" && pwd) target=$2
version=$(version)
archive=visa-$version-$target
test=$(basename "$0")
read -ra runner <<<"${RUNNER:-}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ok() {
    echo "ok: $test: $*"
}

# expect WHAT TEXT PATTERN: TEXT must have a line that matches PATTERN.
expect() {
    grep -qE -- "$3" <<<"$2" || fail "$1: no line matches \`$3\` in:
$2"
}

native() {
    [ "$target" = "$(host)" ]
}

# Builds the OpenCL program that the tests run, as $work/vector.
build_vector() {
    have cc && [ -f /usr/include/CL/cl.h ] || return 1
    cc -O1 -Wall -Werror -o "$work/vector" "$packaging/tests/vector.c" -lOpenCL
}
