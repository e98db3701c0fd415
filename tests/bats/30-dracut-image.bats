#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Images that dracut made, looked into; and the hook, run.
# shellcheck disable=SC2016 # what is in single quotes is for awk or another shell
# shellcheck disable=SC2034,SC2153,SC2154 # variables of the helpers, of dracut and of its module

bats_require_minimum_version 1.5.0
load dracut-helpers

SYSTEMD="dash base systemd systemd-initrd dracut-systemd kernel-modules cpufreq-resolve"
PLAIN="dash base kernel-modules cpufreq-resolve"

setup_file() {
    export T=$BATS_FILE_TMPDIR
    make_program
    make_module_tree
    make_shadow shadow
    make_shadow small dash base udev-rules
    make_shadow host-shadow
    make_host

    with_kernel systemd --hostonly --modules "$SYSTEMD"
    with_kernel plain --no-hostonly --modules "$PLAIN"

    export SHADOW="host-shadow"
    with_kernel generic --no-hostonly --modules "$SYSTEMD"
    with_kernel generic-plain --no-hostonly --modules "$PLAIN"
    build hostonly-host --hostonly --no-kernel --modules "$SYSTEMD"
}

setup() {
    export T=$BATS_FILE_TMPDIR
    unset SHADOW
}

teardown() {
    # What a test left hanging would hang bats too.
    local pid
    for pid in "$T"/hook/*/pid; do
        [[ ! -e $pid ]] || kill -KILL "$(cat "$pid")" 2> /dev/null || true
        rm -f "$pid"
    done
}

# A host whose administrator has said something, in every place where one can; and our module, which
# takes this host's configuration and everything else from the real one.
make_host() {
    local host=$T/host
    sed "s,@MODULE@,$MODULE,; s,@HOST@,$host," > "$T/host-shadow/modules.d/50cpufreq-resolve/module-setup.sh" << 'WRAPPER'
#!/bin/bash
. "@MODULE@/module-setup.sh"
for _function in _cpufreq_resolve_inst_modprobe _cpufreq_resolve_inst_modules_load _cpufreq_resolve_inst_rule_mask; do
    eval "real$(declare -f $_function); $_function() { local dracutsysrootdir=@HOST@; real$_function; }"
done
WRAPPER

    mkdir -p "$host"/{etc,run,usr/local/lib,usr/lib}/{modprobe.d,modules-load.d}
    ln -s usr/lib "$host/lib"

    echo "blacklist pcc-cpufreq" > "$host/etc/modprobe.d/admin-deny.conf"
    echo "options cpufreq-resolve enable=0" > "$host/etc/modprobe.d/admin-options.conf"
    echo "install acpi_cpufreq /bin/false" > "$host/usr/local/lib/modprobe.d/site.conf"
    echo "options cpufreq_ondemand x=1" > "$host/usr/lib/modprobe.d/governor.conf"
    echo "blacklist nouveau" > "$host/etc/modprobe.d/other.conf"
    # Masks: of a file that speaks of a driver, of ours by its name, of one that is none of our business.
    echo "blacklist acpi_cpufreq" > "$host/usr/lib/modprobe.d/vendor.conf"
    ln -s /dev/null "$host/etc/modprobe.d/vendor.conf"
    ln -s /dev/null "$host/etc/modprobe.d/cpufreq-resolve-boot.conf"
    : > "$host/etc/modprobe.d/cpufreq-resolve.conf"
    echo "# as shipped" > "$host/usr/lib/modprobe.d/cpufreq-resolve.conf"
    ln -s /dev/null "$host/etc/modprobe.d/nothing-of-ours.conf"
    mkdir -p "$host/etc/udev/rules.d"
    ln -s /dev/null "$host/etc/udev/rules.d/79-cpufreq-resolve-boot.rules"
    # Of this boot only.
    echo "blacklist powernow_k8" > "$host/run/modprobe.d/cpufreq-resolve-boot.conf"
    echo "blacklist powernow_k8" > "$host/run/modprobe.d/somebody.conf"
    ln -s ../../run/modprobe.d/somebody.conf "$host/etc/modprobe.d/link-to-run.conf"

    printf '# speedstep_lib\nloop\n  powernow-k8  \n' > "$host/etc/modules-load.d/admin.conf"
    echo "p4_clockmod" > "$host/usr/lib/modules-load.d/masked.conf"
    ln -s /dev/null "$host/etc/modules-load.d/masked.conf"
    echo "speedstep_centrino" > "$host/run/modules-load.d/now.conf"
}

@test "the module's scripts are clean, and the hook is POSIX" {
    shellcheck "$MODULE"/*.sh
    dash -n "$MODULE/cpufreq-resolve.sh"
    bash --posix -n "$MODULE/cpufreq-resolve.sh"
    # Sourced by init: an exit would be the end of the machine.
    run ! grep -nE '(^|[^-_[:alnum:]])exit([^-_[:alnum:]]|$)' <(grep -v '^ *#' "$MODULE/cpufreq-resolve.sh")
    [[ -x $MODULE/module-setup.sh && -x $MODULE/cpufreq-resolve.sh ]]
}

@test "every driver of the table that can be a module is in the module's list" {
    local name
    # Those that are only ever built in, wait for the devicetree or are only looked at, are not loaded by us.
    run -0 awk '/\.name = "/ { split($0, a, "\""); name = a[2]; keep[name] = 1 }
        /DRIVER_BUILTIN_ONLY|DRIVER_MAY_DEFER|DRIVER_OBSERVED/ { delete keep[name] }
        END { for (name in keep) print name }' "$TREE/src/drivers.c"
    ((${#lines[@]} > 10))
    for name in "${lines[@]}"; do
        # shellcheck disable=SC1091 # only for its list
        (. "$MODULE/module-setup.sh" && [[ " ${_cpufreq_resolve_drivers[*]//-/_} " == *" $name "* ]]) \
            || fail "$name is not in the list"
    done
}

@test "with systemd: the unit, wanted by sysinit.target, and no hook" {
    run -0 files_in systemd
    [[ $output == *usr/lib/systemd/system/cpufreq-resolve-initrd.service* ]]
    [[ $output != *10-cpufreq-resolve.sh* ]]
    [[ $(readlink "$T/systemd/etc/systemd/system/sysinit.target.wants/cpufreq-resolve-initrd.service") == *cpufreq-resolve-initrd.service ]]
    [[ $output != *requires/cpufreq-resolve* ]]
}

@test "without systemd: the hook, before udev, and no unit" {
    run -0 files_in plain
    [[ $output == *hooks/pre-udev/10-cpufreq-resolve.sh* ]]
    [[ $output != *cpufreq-resolve-initrd.service* ]]
    cmp "$T/plain/lib/dracut/hooks/pre-udev/10-cpufreq-resolve.sh" "$MODULE/cpufreq-resolve.sh"
}

@test "lsinitrd shows the program, and libkmod with it" {
    local image
    for image in systemd plain; do
        run -0 lsinitrd "$T/$image.img"
        [[ $output == *usr/bin/cpufreq-resolve* ]] || fail "no program in $image"
        [[ $output == *libkmod.so.2* ]] || fail "no libkmod in $image"
        # dracut strips it; what tells which one it is stays.
        equal "$(build_id "$SMALL")" "$(build_id "$T/$image/usr/bin/cpufreq-resolve")" "not the small one in $image"
        [[ $(build_id "$SMALL") != "$(build_id "$T/bin/cpufreq-resolve")" ]]
    done
    # It finds all of its libraries in there.
    run -0 ldd "$SMALL"
    local library
    while read -r library; do
        [[ -e $T/plain/$library ]] || fail "$library is missing"
    done < <(grep -o '/[^ ]*' <<< "$output" | grep -v cpufreq-resolve)
}

@test "all drivers and governors of the kernel are in, compressed ones too, host-only or not" {
    local image tree
    tree=$(modules_in "$T/modules/lib/modules/$KVER" | grep -v '^amd_freq_sensitivity$')
    [[ $tree == *acpi_cpufreq* && $tree == *cpufreq_ondemand* ]]
    for image in systemd plain; do
        equal "$tree" "$(modules_in "$T/$image/lib/modules/$KVER")" "$image"
        [[ -e $T/$image/lib/modules/$KVER/kernel/drivers/cpufreq/pcc-cpufreq.ko.xz ]]
        [[ -e $T/$image/lib/modules/$KVER/kernel/drivers/cpufreq/powernow-k8.ko.zst ]]
        # and the image's own index offers them
        run -0 modprobe -d "$T/$image" -S "$KVER" -C /dev/null --resolve-alias acpi:ACPI0007:
        [[ $output == *acpi_cpufreq*pcc_cpufreq* || $output == *pcc_cpufreq*acpi_cpufreq* ]] || fail "$output"
    done
}

@test "the image denies exactly the drivers that are in it" {
    equal "$(drivers_in "$T/systemd/lib/modules/$KVER")" "$(denied_in systemd)"
    equal "$(drivers_in "$T/plain/lib/modules/$KVER")" "$(denied_in plain)"
    # An image with fewer of them denies fewer.
    with_kernel fewer --no-hostonly --omit-drivers "acpi-cpufreq" --modules "$PLAIN"
    run ! grep acpi_cpufreq "$T/fewer/lib/modprobe.d/cpufreq-resolve-image.conf"
    equal "$(drivers_in "$T/fewer/lib/modules/$KVER")" "$(denied_in fewer)"
}

@test "what the image denies can't be had by alias, but by name" {
    mkdir "$T/conf"
    cp "$T/plain/lib/modprobe.d/cpufreq-resolve-image.conf" "$T/conf"
    run -0 modprobe -d "$T/plain" -S "$KVER" -C "$T/conf" --dry-run --verbose acpi:ACPI0007:
    equal "" "$output"
    run -0 modprobe -d "$T/plain" -S "$KVER" -C "$T/conf" --dry-run --verbose acpi_cpufreq
    [[ $output == *acpi-cpufreq.ko* ]]
}

@test "without a kernel there is nothing to deny" {
    build nokernel --no-kernel --no-hostonly --modules "$SYSTEMD"
    run -0 files_in nokernel
    [[ $output == *usr/bin/cpufreq-resolve* && $output == *cpufreq-resolve-initrd.service* ]]
    [[ $output != *cpufreq-resolve-image.conf* ]]
}

@test "a kernel with none of the drivers is no error" {
    local none=$T/none/lib/modules/9.9.9
    mkdir -p "$none/kernel"
    find "$T/modules/lib/modules/$KVER" -name '*.ko' ! -path '*cpufreq*' -exec cp {} "$none/kernel/" \; -quit
    touch "$none"/modules.{order,builtin,builtin.modinfo}
    depmod -b "$T/none" 9.9.9
    build none-image --no-hostonly --kver 9.9.9 --kmoddir "$none" --modules "dash base cpufreq-resolve"
    run -0 files_in none-image
    [[ $output == *usr/bin/cpufreq-resolve* && $output != *cpufreq-resolve-image.conf* ]]
    run ! grep -i 'failed' "$T/none-image.log"
}

@test "a generic image has what the administrator says of us and of drivers, and nothing else of /etc" {
    local file
    for file in etc/modprobe.d/{admin-deny,admin-options}.conf usr/local/lib/modprobe.d/site.conf \
        usr/lib/modprobe.d/{governor,vendor,cpufreq-resolve}.conf; do
        cmp "$T/host/$file" "$T/generic/$file"
        cmp "$T/host/$file" "$T/generic-plain/$file"
    done
    [[ ! -e $T/generic/etc/modprobe.d/other.conf && ! -e $T/generic/etc/modprobe.d/nothing-of-ours.conf ]]
}

@test "masks of such files come along as masks" {
    local name
    for name in vendor cpufreq-resolve-boot cpufreq-resolve; do
        equal /dev/null "$(readlink "$T/generic/etc/modprobe.d/$name.conf")" "$name"
    done
    [[ ! -L $T/generic/etc/modprobe.d/nothing-of-ours.conf ]]
}

@test "a mask of our udev rule comes along, and none is made up" {
    equal /dev/null "$(readlink "$T/generic/etc/udev/rules.d/79-cpufreq-resolve-boot.rules")"
    equal /dev/null "$(readlink "$T/generic-plain/etc/udev/rules.d/79-cpufreq-resolve-boot.rules")"
    [[ ! -e $T/plain/etc/udev/rules.d/79-cpufreq-resolve-boot.rules ]]
}

@test "nothing of the host's /run is in the image" {
    run -0 files_in generic
    [[ $output != *run/modprobe.d* && $output != *run/modules-load.d* ]]
    [[ $output != *somebody.conf* && $output != *link-to-run* ]]
    run ! grep -qrs "powernow_k8" "$T/generic/etc/modprobe.d" "$T/generic/usr/local/lib/modprobe.d"
    run ! grep -qrs "speedstep_centrino" "$T/generic/etc/modules-load.d" "$T/generic/usr/lib/modules-load.d"
}

@test "drivers that the host's modules-load.d names come along, the other modules don't" {
    run -0 sed -n '/^[^#]/p' "$T/generic/etc/modules-load.d/cpufreq-resolve-image.conf"
    equal "powernow_k8" "$output"
}

@test "what the image's modules-load.d names is not denied, where there is something to load it" {
    [[ -e $T/generic/usr/lib/systemd/systemd-modules-load ]]
    equal "$(drivers_in "$T/generic/lib/modules/$KVER" | grep -v '^powernow_k8$')" "$(denied_in generic)"
    # Without systemd nothing loads it by name, and udev shall not do so by alias.
    equal "$(drivers_in "$T/generic-plain/lib/modules/$KVER")" "$(denied_in generic-plain)"
}

@test "a host-only image marks the administrator's files as host-only" {
    cmp "$T/host/etc/modprobe.d/admin-deny.conf" "$T/hostonly-host/etc/modprobe.d/admin-deny.conf"
    grep -qx '/*etc/modprobe.d/admin-deny.conf' "$T/hostonly-host/lib/dracut/hostonly-files"
    run ! grep -x '/*etc/modprobe.d/admin-deny.conf' "$T/generic/lib/dracut/hostonly-files"
}

@test "kdump images are built without us, or with us empty where we are asked for by name" {
    local image
    export SHADOW="small"
    with_kernel kdump-fedora --hostonly --add kdumpbase
    with_kernel kdump-suse --hostonly --add kdump
    IN_KDUMP=1 with_kernel kdump-variable --hostonly
    with_kernel kdump-named --hostonly --add "kdumpbase cpufreq-resolve"
    for image in kdump-{fedora,suse,variable,named}; do
        run -0 files_in "$image"
        [[ $output == *init* ]]
        [[ $output != *cpufreq-resolve* && $output != *drivers/cpufreq* ]] \
            || fail "$image:" "$(grep cpufreq <<< "$output")"
    done
    # earlykdump is a part of ordinary images
    with_kernel early --hostonly --add earlykdump
    run -0 files_in early
    [[ $output == *usr/bin/cpufreq-resolve* ]]
}

@test "without the program on the host the image is built without us" {
    mv "$T/bin/cpufreq-resolve" "$T/aside"
    SHADOW="small" run build noprogram --no-kernel --no-hostonly
    mv "$T/aside" "$T/bin/cpufreq-resolve"
    equal 0 "$status" "$output"
    run -0 files_in noprogram
    [[ $output != *cpufreq-resolve* ]]
}

@test "without the small program the image is built without us, and dracut says so" {
    mv "$SMALL" "$T/aside"
    SHADOW="small" run build nosmall --no-kernel --no-hostonly
    mv "$T/aside" "$SMALL"
    equal 0 "$status" "$output"
    run -0 files_in nosmall
    [[ $output != *cpufreq-resolve* ]]
    grep -q 'libexec/cpufreq-resolve/cpufreq-resolve-image is not there; the image is made without us' "$T/nosmall.log" \
        || fail "$(cat "$T/nosmall.log")"
}

@test "a decompressor that libkmod only dlopen()s is brought along for compressed modules" {
    # libkmod of this host links to its own, so it is one that says less.
    local initdir=$T/fake-initdir moddir=$MODULE kernel=1 libdirs=/usr/lib calls=$T/calls
    mkdir -p "$initdir/usr/lib" "$initdir/lib/modules/1"
    printf '\0liblzma.so.5\0libz.so.1\0' > "$initdir/usr/lib/libkmod.so.2"
    : > "$initdir/lib/modules/1/pcc-cpufreq.ko.xz"
    : > "$initdir/lib/modules/1/powernow-k8.ko.gz"
    # This libkmod names no library for it.
    : > "$initdir/lib/modules/1/acpi-cpufreq.ko.zst"
    instmods() { :; }
    inst_libdir_file() { echo "$*" >> "$calls"; }
    # shellcheck disable=SC1091 # the module itself
    . "$MODULE/module-setup.sh"
    installkernel
    equal $'liblzma.so.5*\nlibz.so.1*' "$(sort "$calls")"
    # Whatever it is packed with, a driver that is in the image is denied there.
    equal "$(printf 'blacklist %s\n' acpi_cpufreq pcc_cpufreq powernow_k8)" \
        "$(grep '^blacklist ' "$initdir/lib/modprobe.d/cpufreq-resolve-image.conf" | sort)"
}

@test "the unit in the image has no fault that systemd would tell" {
    run -0 env SYSTEMD_LOG_LEVEL=info systemd-analyze verify --man=no --root="$T/systemd" initrd.target cpufreq-resolve-initrd.service
    [[ $output != *cpufreq-resolve* && $output != *cycle* ]] || fail "$output"
}

@test "unit and hook wait for the same time" {
    local unit hook
    unit=$(sed -n 's/^TimeoutStartSec=\([0-9]*\)s$/\1/p' "$MODULE/cpufreq-resolve-initrd.service")
    hook=$(sed -n 's/.* -lt \([0-9]*\) \].*/\1/p' "$MODULE/cpufreq-resolve.sh")
    [[ -n $unit ]]
    equal "$unit" "$hook"
}

# hook NAME SHELL...: sources the hook as dracut does, with $T/hook/NAME/bin first in the PATH. Leaves
# there what it said (said), the program's log (kmsg), variables that stayed (left), the time it
# took in ms (took).
hook() {
    local dir=$T/hook/$1 start
    shift
    # The machine's own /run and kernel log are no place for a test.
    sed "s,/run/,$dir/run/,; s,/dev/kmsg,$dir/kmsg," "$MODULE/cpufreq-resolve.sh" > "$dir/hook.sh"
    cat > "$dir/init.sh" << INIT
warn() { echo "\$*" >> '$dir/said'; }
$(cat "$dir/prelude" 2> /dev/null)
. '$dir/hook.sh'
set | grep _cpufreq_resolve > '$dir/left'
echo on > '$dir/went'
INIT
    : > "$dir/said"
    start=$(date +%s%3N)
    PATH=$dir/bin:/usr/bin:/bin "$@" "$dir/init.sh" > "$dir/output" 2>&1 < /dev/null
    echo $(($(date +%s%3N) - start)) > "$dir/took"
}

# program NAME [LINE]: the script on stdin is the program in the next run of hook NAME. What the hook
# asks to sleep gets written down (slept), LINE comes after that.
program() {
    mkdir -p "$T/hook/$1/bin"
    { echo '#!/bin/sh' && cat; } > "$T/hook/$1/bin/cpufreq-resolve"
    cat > "$T/hook/$1/bin/sleep" << STUB
#!/bin/sh
echo "\$1" >> '$T/hook/$1/slept'
${2-}
exec /bin/sleep "\$1"
STUB
    chmod +x "$T/hook/$1"/bin/*
    : > "$T/hook/$1/slept"
}

@test "hook: runs apply, its log goes to the kernel's, and it costs no second" {
    local shell
    for shell in dash "bash --posix" "busybox sh"; do
        local name=ok-${shell%% *}
        program "$name" <<< 'echo "the answer"; echo "cpufreq-resolve: $*" >&2'
        # shellcheck disable=SC2086 # a shell and its option
        hook "$name" $shell
        equal "cpufreq-resolve: apply" "$(cat "$T/hook/$name/kmsg")" "$shell"
        equal "" "$(cat "$T/hook/$name/said" "$T/hook/$name/left" "$T/hook/$name/output")" "$shell"
        equal on "$(cat "$T/hook/$name/went")" "$shell"
        [[ -d $T/hook/$name/run/modprobe.d ]]
        # What it asked to sleep, not what a busy machine made of it.
        run -0 awk '{ sum += $1 } END { print sum < 1 ? "short" : sum }' "$T/hook/$name/slept"
        equal short "$output" "$shell"
    done
}

@test "hook: a program that fails, crashes or is missing is one line, and the boot goes on" {
    local shell name
    for shell in dash "bash --posix" "busybox sh"; do
        program "fails-${shell%% *}" <<< 'exit 1'
        program "crashes-${shell%% *}" <<< 'kill -SEGV $$'
        program "missing-${shell%% *}" <<< ''
        rm "$T/hook/missing-${shell%% *}/bin/cpufreq-resolve"
        for name in {fails,crashes,missing}-"${shell%% *}"; do
            # shellcheck disable=SC2086
            hook "$name" $shell
            equal 1 "$(wc -l < "$T/hook/$name/said")" "$name: $(cat "$T/hook/$name/said")"
            grep -q "^cpufreq-resolve: .*going on without it" "$T/hook/$name/said"
            equal "" "$(cat "$T/hook/$name/left")" "$name"
            equal on "$(cat "$T/hook/$name/went")" "$name"
            [[ -d $T/hook/$name/run/modprobe.d ]]
        done
        grep -q "status 1," "$T/hook/fails-${shell%% *}/said"
        grep -q "status 139," "$T/hook/crashes-${shell%% *}/said"
        grep -q "not in this image" "$T/hook/missing-${shell%% *}/said"
    done
}

# gone PID: it is no more, or waits only for its parent.
gone() {
    local turn
    for turn in {1..50}; do
        [[ ! -e /proc/$1/stat || $(sed 's/.*) //' "/proc/$1/stat" 2> /dev/null) != [^ZX]* ]] && return 0
        sleep 0.1
    done
    return 1
}

@test "hook: waits for a program that hangs no longer than the unit does, killable or not" {
    local shell name pid
    for shell in dash "bash --posix" "busybox sh"; do
        for name in {hangs,unkillable}-"${shell%% *}"; do
            program "$name" <<< "echo \$\$ > '$T/hook/$name/pid'; exec /bin/sleep 600"
            # In D state a process takes no signal; so here the signal is not sent.
            [[ $name == hangs* ]] \
                || echo 'kill() { [ "$1" = -KILL ] || command kill "$@"; }' > "$T/hook/$name/prelude"
            # shellcheck disable=SC2086
            hook "$name" $shell 3>&- &
        done
    done
    wait
    for name in {hangs,unkillable}-{dash,bash,busybox}; do
        pid=$(cat "$T/hook/$name/pid")
        [[ $name != hangs* ]] || gone "$pid" || fail "$name was not killed"
        equal "cpufreq-resolve: no answer within 10 s, going on without it" "$(cat "$T/hook/$name/said")" "$name"
        equal "on" "$(cat "$T/hook/$name/left" "$T/hook/$name/went")" "$name"
        (($(cat "$T/hook/$name/took") > 8900 && $(cat "$T/hook/$name/took") < 12000)) \
            || fail "$name took $(cat "$T/hook/$name/took") ms"
    done
}

@test "hook: waits also where sleep knows no fractions" {
    program coarse 'case $1 in *.*) exit 1 ;; esac' <<< "/bin/sleep 2; echo done >&2"
    hook coarse dash
    equal "done" "$(cat "$T/hook/coarse/kmsg")"
    equal "on" "$(cat "$T/hook/coarse/said" "$T/hook/coarse/went")"
    # It slept instead of turning round and round.
    (($(wc -l < "$T/hook/coarse/slept") <= 10)) || fail "$(wc -l < "$T/hook/coarse/slept") turns in 2 s"
}
