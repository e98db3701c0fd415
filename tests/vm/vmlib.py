# SPDX-License-Identifier: GPL-2.0-or-later
"""What the VM scripts share: where caches are, how they are keyed, how they are made whole or not at all."""

import contextlib
import fcntl
import hashlib
import importlib.machinery
import importlib.util
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))

# Exit status of a script for a suite that this machine's archive does not carry: a skip with a name, no success.
SKIPPED = 77

_started = time.monotonic()


def say(text):
    """Progress goes to stderr: stdout is for the one JSON document."""
    print(f"vm {time.monotonic() - _started:6.1f}s  {text}", file=sys.stderr, flush=True)


def load_script(name, folder=HERE):
    """A script without .py, a sibling if nothing else is said, as a module."""
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(folder, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def end_tidily():
    """Let a SIGTERM run the clean-up, above all that of a running QEMU."""

    def ended(number, _):
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, ended)
    signal.signal(signal.SIGHUP, ended)


def cache_dir():
    top = os.environ.get("CPUFREQ_RESOLVE_CACHE")
    if not top:
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        top = os.path.join(home, "cpufreq-resolve")
    path = os.path.join(top, "vm")
    os.makedirs(path, exist_ok=True)
    return path


def debs_dir(suite):
    """Where apt keeps the packages of a suite. One each: apt holds a lock on it."""
    path = os.path.join(cache_dir(), "debs", suite)
    os.makedirs(path, exist_ok=True)
    return path


def sweep(prefix):
    """Remove work folders, PREFIX-PID-…, of processes that were killed."""
    for name in os.listdir(cache_dir()):
        words = name.split("-")
        if words[0] == prefix and words[1].isdigit() and not os.path.exists(f"/proc/{words[1]}"):
            shutil.rmtree(os.path.join(cache_dir(), name), ignore_errors=True)


def key_of(*parts):
    """A short key of anything printable; two different inputs never share a cache entry."""
    digest = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode()
        digest.update(f"{len(data)}:".encode() + data)
    return digest.hexdigest()[:16]


def key_of_tree(path):
    """Names, modes and contents of a file or of a whole tree; not its times and owners."""
    digest = hashlib.sha256()
    if not os.path.isdir(path) or os.path.islink(path):
        names = [""]
    else:
        names = []
        for folder, folders, files in os.walk(path):
            folders.sort()
            names += [os.path.relpath(os.path.join(folder, n), path) for n in folders + files]
    for name in sorted(names):
        full = os.path.join(path, name) if name else path
        mode = os.lstat(full).st_mode
        digest.update(f"{name}\0{mode:o}\0".encode())
        if stat.S_ISLNK(mode):
            digest.update(os.readlink(full).encode())
        elif stat.S_ISREG(mode):
            with open(full, "rb") as file:
                digest.update(hashlib.sha256(file.read()).digest())
    return digest.hexdigest()[:16]


@contextlib.contextmanager
def locked(name):
    """One builder at a time for a cache entry; the others wait and then find it made."""
    with open(os.path.join(cache_dir(), f".{name}.lock"), "w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def cached(name, make):
    """The folder of a cache entry; make(folder) fills it under another name, then it is renamed."""
    final = os.path.join(cache_dir(), name)
    if os.path.isdir(final):
        os.utime(final)
        return final
    with locked(name):
        if os.path.isdir(final):
            return final
        half = final + ".half"
        if os.path.isdir(half):
            shutil.rmtree(half)
        os.makedirs(half)
        try:
            make(half)
        except BaseException:
            shutil.rmtree(half, ignore_errors=True)
            raise
        os.rename(half, final)
        drop_unused(name.partition("-")[0])
    return final


def drop_unused(kind):
    """Entries of this kind that nobody asked for in two weeks: each change of the inputs leaves one behind."""
    for name in os.listdir(cache_dir()):
        path = os.path.join(cache_dir(), name)
        if name.startswith(kind + "-") and time.time() - os.path.getmtime(path) > 14 * 86400:
            shutil.rmtree(path, ignore_errors=True)


def call(argv, **options):
    """Run a program, its output to stderr; its failure is ours."""
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", sys.stderr)
    subprocess.run(argv, check=True, **options)


def output(argv, **options):
    options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def chroot(root, argv, bind=(), env=None, log=None, stdout=None):
    """Run argv in a chroot that has /proc, /sys, /dev and /run, in a mount namespace that ends with it.

    Without one of them as a mount dracut makes a generic image where it is asked for a host-only one.

    bind: pairs (folder here, folder there). log: a file for stdout and stderr, shown on failure only.
    stdout: an open file for stdout alone.
    """
    steps = [
        "set -e",
        f"root={shlex.quote(root)}",
        'mount -t proc proc "$root/proc"',
        'mount -t sysfs -o ro sysfs "$root/sys"',
        'mount -t tmpfs tmpfs "$root/run"',
        'mount --rbind /dev "$root/dev"',
    ]
    for here, there in bind:
        steps.append(f'mkdir -p "$root"{shlex.quote(there)}')
        steps.append(f'mount --bind {shlex.quote(here)} "$root"{shlex.quote(there)}')
    there = ["/dev", "/run", "/sys", "/proc", *(t for _, t in bind)]
    private = subprocess.run(["unshare", "--mount", "true"], check=False, stderr=subprocess.DEVNULL).returncode == 0
    if private:
        steps.append('exec chroot "$root" "$@"')
    else:
        # In a plain chroot "/" is no mount that could be made private: what is mounted may show outside, so undo it.
        undo = " ".join(f'"$root"{shlex.quote(t)}' for t in reversed(there))
        steps.append(f"trap 'umount -R -l {undo}' EXIT")
        steps.append('chroot "$root" "$@"')
    clean = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", "HOME": "/root", "TMPDIR": "/tmp"}
    clean.update({k: v for k, v in os.environ.items() if k.lower().endswith("_proxy")})
    clean.update(env or {})
    full = ["unshare", "--mount", "--propagation", "private" if private else "unchanged", "sh", "-c", "\n".join(steps), "sh", *argv]
    if log is None:
        call(full, env=clean, stdout=stdout or sys.stderr)
        return
    with open(log, "w", encoding="utf-8") as file:
        done = subprocess.run(full, check=False, env=clean, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
    if done.returncode:
        with open(log, encoding="utf-8", errors="replace") as file:
            sys.stderr.write("".join(file.readlines()[-40:]))
        raise subprocess.CalledProcessError(done.returncode, argv)


def copy_tree_linked(source, target):
    """A copy that shares file contents: cheap. Whoever changes a file in it must unlink it first."""
    call(["cp", "-al", source, target])


def put_file(root, path, content, mode=0o644):
    """Write a file below root without following a hard link into another tree."""
    full = os.path.join(root, merged(path.lstrip("/")))
    os.makedirs(os.path.dirname(full), exist_ok=True)
    if os.path.lexists(full):
        os.unlink(full)
    with open(full, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    os.chmod(full, mode)


def merged(path):
    """Where a path is in a root whose /bin, /lib and the like are links into /usr."""
    first = path.split("/", 1)[0]
    return "usr/" + path if first in ("bin", "sbin", "lib", "lib64") else path


def overlay(root, tree):
    """Copy a tree over root, file by file; like put_file it never writes through a hard link."""
    for folder, folders, files in os.walk(tree):
        there = os.path.normpath(os.path.join(root, merged(os.path.relpath(folder, tree))))
        os.makedirs(there, exist_ok=True)
        for name in files + [n for n in folders if os.path.islink(os.path.join(folder, n))]:
            source, target = os.path.join(folder, name), os.path.join(there, name)
            if os.path.lexists(target):
                os.unlink(target)
            shutil.copy2(source, target, follow_symlinks=False)
