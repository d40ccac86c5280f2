# Functions of the programs in this folder; sourced by them.
# shellcheck shell=bash
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034  # of those that source this
packaging=$root/packaging

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

# skip NAME WHY: reports a check that this machine cannot do. With VISAKIT_REQUIRE=release that is
# an error.
skip() {
    echo "skipped: $1: $2" >&2
    case ,${VISAKIT_REQUIRE:-}, in *,release,*) exit 1 ;; esac
}

have() {
    command -v "$1" >/dev/null
}

# Prints the version of the command, which is the version of the workspace in Cargo.toml.
version() {
    local id
    id=$(cd "$root" && cargo pkgid --locked --package visakit-cli)
    echo "${id##*[@#]}"
}

# Prints the target of this machine.
host() {
    rustc -vV | sed -n 's/^host: //p'
}

# Prints the name of a target's folder for libraries in Debian.
multiarch() {
    echo "${1%%-*}-linux-gnu"
}

# Prints Debian's name of a target's processor.
architecture() {
    case $1 in
    x86_64-*) echo amd64 ;;
    aarch64-*) echo arm64 ;;
    *) fail "there is no package for $1; add it to packaging/common.sh" ;;
    esac
}

# Prints the newest version of the C library whose symbols the files need.
needed_glibc() {
    readelf --version-info --wide "$@" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1 | cut -d _ -f 2
}

# Prints a mirror of Debian that apt is set up with, or nothing.
mirror() {
    # shellcheck disable=SC2016  # expanded by apt
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep -m 1 -E '/debian/?$' || true
}
