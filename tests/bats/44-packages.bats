#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What can be said of the packages without building them; the rest is "make packages".
# shellcheck disable=SC2154 # variables of the helpers

bats_require_minimum_version 1.5.0
load dracut-helpers

SPEC=$TREE/packaging/rpm/cpufreq-resolve.spec
DEBIAN=$TREE/packaging/debian

# spec FAMILY: the spec as rpm understands it with the macros of that distribution.
spec() {
    rpmspec --load "$TREE/tests/packages/macros.$1" --define '_sourcedir /nowhere' -P "$SPEC"
}

# section NAME...: that part of a spec, without its first line.
section() {
    awk -v want="%$*" '/^%(prep|build|install|check|pre|post|preun|postun|posttrans|files|changelog)( |$)/ {
        on = $0 == want; next } on'
}

@test "the spec gives the paths of each distribution, and leaves no macro of another" {
    local family
    for family in fedora opensuse; do
        spec "$family" > "$BATS_TEST_TMPDIR/$family"
        for path in /usr/bin/cpufreq-resolve /usr/libexec/cpufreq-resolve/cpufreq-resolve-image /usr/lib/modprobe.d/cpufreq-resolve.conf \
            /usr/lib/systemd/system/cpufreq-resolve.service /usr/lib/systemd/system-preset/90-cpufreq-resolve.preset; do
            section files < "$BATS_TEST_TMPDIR/$family" | grep -qx "$path" || fail "$family: no $path"
        done
        section files dracut < "$BATS_TEST_TMPDIR/$family" | grep -qx /usr/lib/dracut/modules.d/50cpufreq-resolve
        run ! grep -nE '%\{|%(systemd|service|regenerate)_' "$BATS_TEST_TMPDIR/$family"
    done
}

@test "a distribution's own place wins" {
    local dir=$BATS_TEST_TMPDIR/own
    run -0 rpmspec --load "$TREE/tests/packages/macros.opensuse" --define '_modprobedir /somewhere/modprobe.d' \
        --define '_unitdir /somewhere/units' -P "$SPEC"
    [[ $output == *"/somewhere/modprobe.d/cpufreq-resolve.conf"* && $output == *"/somewhere/units/cpufreq-resolve.service"* ]]
    [[ $output == *"-Dmodprobedir=/somewhere/modprobe.d"* ]]
}

@test "scriptlets are by the distribution's macros, and are POSIX" {
    local family part
    for family in fedora opensuse; do
        spec "$family" > "$BATS_TEST_TMPDIR/$family"
        for part in pre "pre analyze" post preun postun "post dracut" "postun dracut" "posttrans dracut" "post analyze"; do
            # shellcheck disable=SC2086 # one or two words
            section $part < "$BATS_TEST_TMPDIR/$family" > "$BATS_TEST_TMPDIR/scriptlet"
            dash -n "$BATS_TEST_TMPDIR/scriptlet" || fail "$family: $part"
        done
    done
    section post < "$BATS_TEST_TMPDIR/fedora" | grep -q 'systemd-update-helper install-system-units cpufreq-resolve.service'
    section post < "$BATS_TEST_TMPDIR/opensuse" | grep -q 'systemctl preset cpufreq-resolve.service'
    # There both names are defined, and a unit is handled once.
    run ! grep 'of systemd' "$BATS_TEST_TMPDIR/opensuse"
    section post dracut < "$BATS_TEST_TMPDIR/opensuse" | grep -q '/run/regenerate-initrd/all'
    section posttrans dracut < "$BATS_TEST_TMPDIR/opensuse" | grep -q 'regenerate-initrd-posttrans'
    run ! grep -q 'regenerate-initrd' "$BATS_TEST_TMPDIR/fedora"
}

@test "both recipes build the version that meson names" {
    local version
    version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" "$TREE/meson.build" | head -n 1)
    equal "$version" "$(spec fedora | sed -n 's/^Version: *//p')"
    equal "$version" "$(dpkg-parsechangelog -l "$DEBIAN/changelog" -S Version | sed 's/-[^-]*$//')"
}

@test "every library of the one list of packages is a build dependency of both" {
    local name pc
    local -A module=([libkmod-dev]=libkmod [liblzma-dev]=liblzma [libsystemd-dev]=libsystemd [libzstd-dev]=libzstd
        [zlib1g-dev]=zlib)
    while read -r name; do
        case $name in
            lib*-dev | zlib*-dev) ;;
            meson | scdoc) module[$name]=$name ;;
            *) continue ;;
        esac
        [[ $name != libc6-dev ]] || continue
        pc=${module[$name]-}
        [[ -n $pc ]] || fail "44-packages.bats knows no name in rpm for $name"
        grep -qE "^ $name( |,)" "$DEBIAN/control" || fail "debian/control lacks $name"
        grep -qE "^BuildRequires: +(pkgconfig\($pc\)|$pc)" "$SPEC" || fail "the spec lacks $pc"
    done < <(sed -n 's/^build //p' "$TREE/packaging/packages.list")
    ((${#module[@]} == 7))
}

@test "maintainer scripts are POSIX and clean" {
    local file
    for file in "$DEBIAN"/*.postinst "$DEBIAN"/*.postrm "$DEBIAN"/tests/[a-z]*; do
        [[ $file != */control ]] || continue
        dash -n "$file"
        shellcheck "$file"
    done
}

@test "every file that meson installs is in a Debian package, or named as not installed" {
    local build=$BATS_TEST_TMPDIR/build file list
    meson setup "$build" "$TREE" -Dinitramfs_tools=enabled -Dmkinitcpio=disabled -Dkernel_patches=true \
        -Dsystemdsystemunitdir=/usr/lib/systemd/system -Dsystemdpresetdir=/usr/lib/systemd/system-preset \
        -Dzshcompletiondir=/usr/share/zsh/vendor-completions -Ddracutmodulesdir=/usr/lib/dracut/modules.d \
        -Dmodprobedir=/usr/lib/modprobe.d > "$BATS_TEST_TMPDIR/log"
    # shellcheck disable=SC2016 # debhelper's variable
    list=$(sed 's,\${env:UNITDIR},usr/lib/systemd/system,; s,^debian/tmp/,,; s, .*,,; s,^/,,; /^#/d' \
        "$DEBIAN"/*.install "$DEBIAN"/*.manpages "$DEBIAN"/*.examples "$DEBIAN"/not-installed)
    while read -r file; do
        while read -r pattern; do
            # shellcheck disable=SC2053 # a pattern
            [[ /$pattern == "$file" || $file == /$pattern || $file == /$pattern/* ]] && continue 2
        done <<< "$list"
        fail "in no package: $file"
    done < <(meson introspect --installed "$build" | jq -r '.[]')
}
