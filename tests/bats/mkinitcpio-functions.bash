# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2034
# Stand-ins for the functions that mkinitcpio(8) promises to a build hook, with the least that they promise.

add_file() {
    local target=${2:-$1}
    [[ -f $1 ]] || return 1
    install -D -m "${3:-$(stat -c %a "$1")}" "$1" "$BUILDROOT$target"
}

add_binary() {
    add_file "$1" "${2:-$1}" 755
}

add_symlink() {
    mkdir -p "$BUILDROOT${1%/*}"
    ln -sfn "$2" "$BUILDROOT$1"
}

# NAME? is one that may be missing.
add_module() {
    local name=${1%\?}
    if modinfo -b "$_optmoduleroot" -k "$KERNELVERSION" -n "$name" > /dev/null 2>&1; then
        _addedmodules[${name//-/_}]=1
    else
        [[ $1 == *\? ]]
    fi
}

add_runscript() {
    local name=${BASH_SOURCE[1]##*/}
    add_file "$_d_hooks/$name" "/hooks/$name" 755
    grep -q '^run_earlyhook' "$_d_hooks/$name" && _runhooks[early]+=" $name"
}

run_build_hook() {
    # shellcheck disable=SC1090
    . "$_d_install/$1" && build
}
