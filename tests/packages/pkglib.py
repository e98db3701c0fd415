# SPDX-License-Identifier: GPL-2.0-or-later
"""What the package scripts share: clean roots in the cache, and the source as it would be released."""

import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(TOP, "tests", "vm"))
import vmlib  # noqa: E402
from vmlib import call, output, say  # noqa: E402

base = vmlib.load_script("base")

# The suite that the packages are built in: the oldest that is supported, so that they install everywhere.
SUITE = "bookworm"


def source_date():
    """Of the newest entry in debian/changelog, as SOURCE_DATE_EPOCH."""
    return output(["dpkg-parsechangelog", "-l", os.path.join(TOP, "packaging/debian/changelog"), "-STimestamp"]).strip()


def version():
    """(upstream version, Debian revision)"""
    text = output(["dpkg-parsechangelog", "-l", os.path.join(TOP, "packaging/debian/changelog"), "-SVersion"]).strip()
    upstream, _, revision = text.rpartition("-")
    return upstream, revision


def export_source(folder):
    """The files of the working tree that git knows, as a release would have them; returns the folder."""
    name = "cpufreq-resolve-" + version()[0]
    tree = os.path.join(folder, name)
    os.makedirs(tree)
    for path in output(["git", "-C", TOP, "ls-files", "-z"]).split("\0"):
        source = os.path.join(TOP, path)
        # A file that is deleted and not yet committed is still listed.
        if not path or not os.path.lexists(source):
            continue
        target = os.path.join(tree, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(source, target, follow_symlinks=False)
        if not os.path.islink(target):
            os.chmod(target, 0o755 if os.access(source, os.X_OK) else 0o644)
    return tree


def tarball(folder, name):
    """name.tar.gz of folder/name, the same bytes for the same files."""
    path = os.path.join(folder, name + ".tar.gz")
    tar = ["tar", "--sort=name", f"--mtime=@{source_date()}", "--owner=0", "--group=0", "--numeric-owner", "--format=gnu"]
    with open(path, "wb") as file:
        made = subprocess.Popen([*tar, "-C", folder, "-c", name], stdout=subprocess.PIPE)
        call(["gzip", "-9n"], stdin=made.stdout, stdout=file)
        made.stdout.close()
        if made.wait():
            raise subprocess.CalledProcessError(made.returncode, "tar")
    return path


def bootstrap(folder, suite, script, debs):
    """A minimal root of a suite in folder/root, then a script in it; debs are kept in the cache."""
    root = os.path.join(folder, "root")
    own = base.carried(suite, base.mirrors(suite))
    env = base.proxy_environment()
    keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
    say(f"debootstrap {suite}")
    call(
        ["debootstrap", "--variant=minbase", f"--cache-dir={debs}"]
        + ([f"--keyring={keyring}"] if os.path.exists(keyring) else [])
        + [suite, root, own[suite]],
        env={**os.environ, **env},
    )
    lines = [f"deb {uri} {part} main\n" for part, uri in sorted(own.items())]
    vmlib.put_file(root, "etc/apt/sources.list", "".join(lines))
    vmlib.put_file(root, "etc/apt/apt.conf.d/clean-root", base.valid_until() + 'APT::Install-Recommends "false";\n')
    vmlib.put_file(root, "etc/dpkg/dpkg.cfg.d/clean-root", "force-unsafe-io\n")
    with_network(root)
    vmlib.chroot(root, ["sh", "-ec", script], bind=[(debs, "/debs")], env={**env, "DEBIAN_FRONTEND": "noninteractive"})
    os.rmdir(os.path.join(root, "debs"))


def with_network(root):
    """What apt in the root needs to find the archive."""
    for name in ("etc/resolv.conf", "etc/hosts"):
        if os.path.exists("/" + name):
            with open("/" + name, "rb") as file:
                vmlib.put_file(root, name, file.read())


def debs_dir(name):
    """apt holds a lock on the folder of its packages, so each kind of root has its own."""
    return vmlib.debs_dir("packages-" + name)


def clean_root(kind, suite, script):
    """A root in the cache, made by a script in a fresh debootstrap. It is never written to afterwards: copy it."""
    key = vmlib.key_of(kind, suite, script, sorted(base.mirrors(suite).items()), time.strftime("%G-%V"))
    made = vmlib.cached(f"{kind}-{key}", lambda folder: bootstrap(folder, suite, script, debs_dir(f"{kind}-{suite}")))
    return os.path.join(made, "root")


def throw_away_root(clean, folder):
    """A copy of a clean root that may be written to."""
    root = os.path.join(folder, "root")
    call(["cp", "-a", "--reflink=auto", clean, root])
    return root
