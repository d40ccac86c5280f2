# Base systems of Debian for the tests; sourced by them.
# shellcheck shell=bash
roots=${RELEASE_ROOTS:-$work/roots}

# can_root TEST: reports a reason for which this machine cannot make a base system.
can_root() {
    if [ "$(id -u)" != 0 ]; then
        skip "$1" "needs root"
    elif ! have debootstrap; then
        skip "$1" "there is no debootstrap"
    elif ! unshare --mount true 2>/dev/null; then
        skip "$1" "mounts are not allowed here"
    else
        return 0
    fi
    return 1
}

# base SUITE: makes a base system of Debian and prints its folder. A folder of an earlier call is
# used again.
base() {
    local folder=$roots/$1 from
    if [ ! -f "$folder/etc/debian_version" ] || [ ! -x "$folder/usr/bin/apt-get" ]; then
        mkdir -p "$roots"
        rm -rf "$folder"
        from=$(mirror)
        debootstrap --variant=minbase "$1" "$folder.new" ${from:+"$from"} >"$folder.log" 2>&1 \
            || fail "debootstrap $1: $(tail -n 1 "$folder.log")"
        # The mirror may be a snapshot, whose lists are old.
        echo 'Acquire::Check-Valid-Until "false";' >"$folder.new/etc/apt/apt.conf.d/90snapshot"
        rm -f "$folder.new"/var/cache/apt/archives/*.deb
        mv "$folder.new" "$folder"
    fi
    echo "$folder"
}

# enter FOLDER COMMAND...: runs a command in a system, with an environment of its own.
enter() {
    local folder=$1
    shift
    cp /etc/resolv.conf "$folder/etc/" 2>/dev/null || true
    # shellcheck disable=SC2016  # expanded by the inner shell
    unshare --mount bash -c 'for d in proc dev sys; do mount --rbind "/$d" "$0/$d"; done
        exec chroot "$0" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive VISAKIT_CACHE= "$@"' "$folder" "$@"
}
