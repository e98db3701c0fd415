# SPDX-License-Identifier: GPL-2.0
"""What check and measure share: the Debian sources, where they are cached, and how trees are patched and built."""

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))

# Kernel line: the Debian suite that carries it.
LINES = {"5.10": "bullseye", "6.1": "bookworm", "6.12": "trixie", "7.2": "sid"}

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
INDEX_AGE = 12 * 3600

_started = time.monotonic()


class NotThere(Exception):
    """The archive that apt of this machine uses has no source of a line."""


class Failed(Exception):
    """A step of a check failed; the text says which and why."""


def say(text):
    """Progress goes to stderr: stdout is for results."""
    print(f"kernel {time.monotonic() - _started:6.1f}s  {text}", file=sys.stderr, flush=True)


def cache(*names):
    top = os.environ.get("CPUFREQ_RESOLVE_CACHE")
    if not top:
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        top = os.path.join(home, "cpufreq-resolve")
    path = os.path.join(top, "kernel", *names)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


@contextlib.contextmanager
def locked(name):
    """One user at a time for a cache entry: builds of one tree must not mix."""
    with open(cache(f".{name}.lock"), "w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def run(argv, **options):
    """Run a program and return (status, stdout and stderr together)."""
    options.setdefault("stdin", subprocess.DEVNULL)
    done = subprocess.run(argv, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    return done.returncode, done.stdout


def must(argv, **options):
    """The same, for a program whose failure is ours."""
    status, text = run(argv, **options)
    if status:
        raise Failed(f"{' '.join(argv[:4])} ended with {status}:\n{text[-3000:]}")
    return text


def read(*names):
    with open(os.path.join(*names), encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def key_of(*texts):
    digest = hashlib.sha256()
    for text in texts:
        digest.update(f"{len(text)}:{text}".encode())
    return digest.hexdigest()[:12]


# The archive


def archives(suite):
    """Lines of a sources.list for a suite, from where apt of this machine fetches Debian."""
    ask = ["apt-get", "indextargets", "--format", "$(CODENAME)|$(COMPONENT)|$(REPO_URI)|$(ORIGIN)", "Created-By: Packages"]
    main, security = None, None
    for _ in range(2):
        for line in must(ask).splitlines():
            code, component, uri, origin = (line + "|||").split("|")[:4]
            if component != "main" or origin not in ("Debian", "$(ORIGIN)", ""):
                continue
            if code.endswith("-security"):
                security = security or uri
            elif "-" not in code:
                main = main or uri
        if main:
            break
        run(["apt-get", "update", "-q"])
    if not main:
        raise NotThere("apt of this machine has no Debian archive configured (apt-get indextargets)")
    signed = f"[signed-by={KEYRING}] " if os.path.exists(KEYRING) else ""
    lines = [f"deb {signed}{main} {suite} main\n"]
    if security and suite != "sid":
        lines.append(f"deb {signed}{security} {suite}-security main\n")
    return "".join(lines)


def apt(line):
    """Options that give apt a state of its own: the machine's lists stay as they are."""
    state = cache("apt", line, "x")[:-2]
    for name in ("lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(state, name), exist_ok=True)
    return state, [
        "-o", f"Dir::Etc::sourcelist={state}/sources.list", "-o", "Dir::Etc::sourceparts=-",
        "-o", f"Dir::State::lists={state}/lists", "-o", f"Dir::State::status={state}/status",
        "-o", f"Dir::Cache={state}/cache", "-o", "APT::Sandbox::User=root",
    ]  # fmt: skip


def candidate(line):
    """Version of the newest linux-source of a line that the archive has."""
    state, options = apt(line)
    stamp = os.path.join(state, "updated")
    if not os.path.exists(stamp) or time.time() - os.path.getmtime(stamp) > INDEX_AGE:
        write(os.path.join(state, "sources.list"), archives(LINES[line]))
        write(os.path.join(state, "status"), "")
        status, text = run(["apt-get", *options, "update", "-q"])
        if status:
            raise NotThere(f"the archive has no {LINES[line]}: {text.strip().splitlines()[-1] if text.strip() else status}")
        write(stamp, "")
    policy = must(["apt-cache", *options, "policy", f"linux-source-{line}"])
    found = re.search(r"Candidate: (\d\S*)", policy)
    if not found:
        raise NotThere(f"{LINES[line]} of the archive has no linux-source-{line}")
    return found.group(1)


def source(line):
    """(version, folder) of the unpacked Debian source of a line, fetched when it is not there. Nobody writes into it."""
    version = candidate(line)
    folder = cache(f"source-{version}")
    with locked(f"source-{line}"):
        if os.path.isdir(folder):
            return version, folder
        _, options = apt(line)
        debs = cache("debs", "x")[:-2]
        say(f"fetch linux-source-{line} {version}")
        must(["apt-get", *options, "download", f"linux-source-{line}={version}"], cwd=debs)
        name = f"linux-source-{line}_{version.replace(':', '%3a')}_all.deb"
        half = folder + ".half"
        shutil.rmtree(half, ignore_errors=True)
        os.makedirs(half)
        say(f"unpack it ({os.path.getsize(os.path.join(debs, name)) >> 20} MiB)")
        must(["sh", "-ec", 'dpkg-deb --fsys-tarfile "$1" | tar -xO "./usr/src/linux-source-$2.tar.xz" | tar -xJ -C "$3" '
              '--strip-components=1', "sh", os.path.join(debs, name), line, half])  # fmt: skip
        os.unlink(os.path.join(debs, name))
        os.rename(half, folder)
    return version, folder


# Series


def series(line):
    """Paths of the patches of a line, in order."""
    folder = os.path.join(HERE, line)
    names = [n.split()[0] for n in read(folder, "series").splitlines() if n.strip() and not n.startswith("#")]
    for name in sorted(os.listdir(folder)):
        if name.endswith(".patch") and name not in names:
            raise Failed(f"{line}/series does not name {name}")
    return [os.path.join(folder, name) for name in names]


def touched(patch):
    """Files that a patch changes."""
    return re.findall(r"^\+\+\+ b/(\S+)", read(patch), re.M)


def changes(patch):
    """A patch without its message: a new wording makes no new kernel."""
    return read(patch).partition("\ndiff --git ")[2]


# Trees


def make(tree, *targets, jobs=None):
    """(status, output) of make in a tree, whose build folder is inside it: all paths are relative then."""
    env = {**os.environ, "KBUILD_BUILD_TIMESTAMP": "@0", "KBUILD_BUILD_USER": "kernel-patches", "KBUILD_BUILD_HOST": "localhost"}
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "O", "C", "W", "V"):
        env.pop(name, None)
    return run(["make", "-s", f"-j{jobs or os.cpu_count()}", "O=build", *targets], cwd=tree, env=env)


def must_make(tree, *targets):
    status, text = make(tree, *targets)
    if status:
        raise Failed(f"make {' '.join(targets)} in {tree} failed:\n{text[-3000:]}")
    return text


def clone(folder, target):
    """A copy of a source tree that shares the files' contents; patch replaces files, and never writes into one."""
    must(["cp", "-al", folder, target])


def configure(tree, fragments, required=True):
    """allnoconfig plus our fragments. required: each setting must have stuck, or the kernel is not the one that is meant."""
    build = os.path.join(tree, "build")
    os.makedirs(build, exist_ok=True)
    must_make(tree, "allnoconfig")
    paths = [os.path.join(HERE, "configs", name) for name in fragments]
    must([os.path.join(tree, "scripts/kconfig/merge_config.sh"), "-m", "-O", build, os.path.join(build, ".config"), *paths], cwd=tree)
    must_make(tree, "olddefconfig")
    if required:
        lost = unset(read(build, ".config"), paths)
        if lost:
            raise Failed(f"settings that did not stick: {', '.join(lost)}")


def unset(config, paths):
    """Settings of fragments that a .config does not have. A later fragment overrules an earlier one."""
    wanted = {}
    for path in paths:
        for off, name, value in re.findall(r"^(?:# (CONFIG_\w+) is not set|(CONFIG_\w+)=(.*))$", read(path), re.M):
            wanted[off or name] = value
    have = dict(re.findall(r"^(CONFIG_\w+)=(.*)$", config, re.M))
    return [f"{name}={value or 'n'}" for name, value in wanted.items() if have.get(name, "") != value]


def apply(tree, patch, reverse=False):
    """patch -p1 with no fuzz."""
    argv = ["patch", "-p1", "--fuzz=0", "--no-backup-if-mismatch", "-s", "-i", patch]
    status, text = run(argv + (["-R"] if reverse else []), cwd=tree)
    if status or "fuzz" in text:
        raise Failed(f"{os.path.basename(patch)} does not apply with no fuzz:\n{text}")
