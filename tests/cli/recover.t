#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: ktrack recover removes raw records only for a file that can be read, and trusts no name in a user's folder."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "cli"), str(TESTS / "golden")]

import process  # noqa: E402
from spools import OLD_BOOT, fill  # noqa: E402
from tap import Tap  # noqa: E402
from terminal import Shown  # noqa: E402

KTRACK = TESTS.parent / "build/ktrack"
USER = 65534
SECRET = "known to root only"


# A filesystem that takes a second for each block.
SLOW = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t size, unsigned int flags)
{
	ssize_t (*next)(int, off64_t *, int, off64_t *, size_t, unsigned int) = dlsym(RTLD_NEXT, "copy_file_range");

	usleep(1100000);
	return next(from, from_offset, to, to_offset, size, flags);
}
"""


class Recording:
    """A folder with what a killed recording left; a user's, as after sudo, or root's."""

    def __init__(self, folder, user=USER):
        self.folder, self.user = folder, user
        self.spool = folder / "x.dat.spool"
        self.file = folder / "x.dat"
        self.spool.mkdir(mode=0o700, parents=True)
        fill(self.spool)
        for path in [folder, self.spool, *self.spool.iterdir()]:
            os.chown(path, user, user)

    def recover(self, **more):
        """Runs it under sudo; returns what came of it."""
        sudo = {"SUDO_UID": str(USER), "SUDO_GID": str(USER)}
        return process.run(
            [KTRACK, "recover", "x.dat"],
            cwd=self.folder,
            env={**os.environ, **sudo, **more},
            capture_output=True,
            text=True,
            check=False,
        )

    def has(self):
        """What is left of the parts, and their file."""
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))


def check_sound(tap, folder):
    """A recording that all is well with."""
    for user in (USER, 0):
        one = Recording(folder / f"sound{user}", user)
        done = one.recover()
        whose = "a user's" if user else "root's"
        tap.ok((done.returncode, done.stderr) == (0, ""), f"{whose} sound recording is recovered", done)
        tap.ok(one.has() == ["x.dat"], "nothing of its parts stays", one.has())
        about = one.file.stat()
        tap.ok((about.st_uid, about.st_mode & 0o777) == (USER, 0o600), "the file is the user's who called sudo", about)
        read = subprocess.run([KTRACK, "export", one.file], capture_output=True, text=True, check=False)
        tap.ok(
            (read.returncode, read.stdout.count('"region_leave"')) == (0, 2), "and has all records", read.stderr
        )


def check_progress(tap, folder):
    """Writing the file shows how far it is; a closing line names the next command."""
    library = folder / "slow.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-xc", "-o", library, "-", "-ldl"], input=SLOW, text=True, check=True)
    one = Recording(folder / "slow", 0)
    shown = Shown([KTRACK, "recover", one.file], LD_PRELOAD=str(library))
    steps = [line for line in shown.progress() if line.startswith(f"{one.file}: ") and line.endswith("% of 0.0 MiB")]
    tap.ok(shown.status == 0 and len(steps) >= 2, "progress of a slow filesystem is shown", shown.text)
    tap.ok(shown.screen() == [f"ktrack: {one.file}: recovered; next: ktrack stat {one.file}"], "and removed at the end", shown.text)


def refused(tap, one, what, words, keeps=()):
    """Recovering fails with these words, and removes nothing."""
    before = one.has()
    done = one.recover()
    is_named = done.returncode == 1 and words in done.stderr and done.stdout == ""
    tap.ok(is_named, f"{what} is refused", done.returncode, done.stderr)
    tap.ok(one.has() == sorted([*before, *keeps]), "and its raw records stay", one.has())


def empty(path):
    """As after a crash of the machine, when the file was never written back."""
    path.write_bytes(b"")


def check_unreadable(tap, folder):
    """What is left of a machine that crashed."""
    words = "x.dat: the recording cannot be read (not a trace.dat); the raw records are kept in x.dat.spool, remove them if 'ktrack recover x.dat' fails again"
    one = Recording(folder / "empty")
    empty(one.spool / "formats")
    refused(tap, one, "a recording whose formats are empty", words)
    one = Recording(folder / "cut")
    formats = (one.spool / "formats").read_bytes()
    (one.spool / "formats").write_bytes(formats[: len(formats) // 2])
    one.file.write_text("precious")
    refused(tap, one, "a recording whose formats are cut short", "are kept in x.dat.spool, remove them if 'ktrack recover x.dat' fails again")
    tap.ok(one.file.read_bytes() == b"precious", "and the file that was there is as it was")


def check_damaged(tap, folder):
    """Some of it can be read."""
    one = Recording(folder / "damaged")
    page = (one.spool / "cpu1").read_bytes()
    (one.spool / "cpu1").write_bytes(page + b"\xff" * len(page))
    words = "x.dat: written, but not all of it can be read ("
    refused(tap, one, "a recording with a damaged page", words, ["x.dat"])
    read = subprocess.run([KTRACK, "export", one.file], capture_output=True, text=True, check=False)
    tap.ok(read.stdout.count('"region_leave"') == 2, "the file has all that can be read", read.stderr)


def links(secret):
    """Name and maker of what a user may put into the place of a file."""
    yield "a symbolic link", lambda path: path.symlink_to(secret)
    yield "a hard link", lambda path: path.hardlink_to(secret)
    yield "a FIFO", os.mkfifo
    yield "a folder", os.mkdir


def check_links(tap, folder, secret):
    """Nothing in the folder leads to another file."""
    for name in ("formats", "comms", "options", "instance", "cpu1"):
        for number, (what, make) in enumerate(links(secret)):
            one = Recording(folder / f"{name}{number}")
            (one.spool / name).unlink()
            make(one.spool / name)
            refused(tap, one, f"{what} as {name}", f"x.dat.spool/{name}: ")
            tap.ok(secret.read_text() == SECRET, "and what it leads to is as it was")
    for number, (what, make) in enumerate(links(secret)):
        one = Recording(folder / f"joined{number}")
        make(one.spool / "trace.dat")
        one.recover()
        tap.ok(secret.read_text() == SECRET, f"{what} as trace.dat leads nowhere")
        tap.ok(secret.stat().st_uid == 0, "and gives nothing away")
    one = Recording(folder / "whole")
    shutil.move(one.spool, folder / "elsewhere")
    one.spool.symlink_to(folder / "elsewhere")
    refused(tap, one, "a symbolic link as x.dat.spool", "cannot open x.dat.spool: ")


def check_numbers(tap, folder):
    """CPUs that cannot be are none."""
    one = Recording(folder / "numbers")
    for name in ("cpu2147483647", "cpu8192", "cpu01", "cpu-1", "cpu+3", "sideband99999999999"):
        (one.spool / name).write_bytes(bytes(4096))
    done = one.recover()
    tap.ok(done.returncode == 0, "files of no CPU are not read", done.stderr)
    tap.ok(one.file.stat().st_size < 100_000, "and take no space in the file", one.file.stat().st_size)


def check_owner(tap, folder):
    """Parts of somebody else's."""
    one = Recording(folder / "third", 4711)
    os.chown(one.folder, USER, USER)
    refused(tap, one, "what is a third user's", "x.dat.spool: belongs to user 4711; run ktrack as that user")
    one = Recording(folder / "open")
    one.spool.chmod(0o777)
    refused(tap, one, "a folder that everybody may write to", "x.dat.spool: writable by other users")
    one = Recording(folder / "plain")
    done = one.recover(SUDO_UID="", SUDO_GID="")
    words = f"x.dat.spool: belongs to user {USER}; run ktrack as that user"
    tap.ok(done.returncode == 1 and words in done.stderr, "a user's parts are none of root's without sudo", done)


def main():
    """Returns the exit status."""
    if os.geteuid() != 0:
        print("Bail out! this test needs root")
        return 1
    tap = Tap()
    os.umask(0o022)
    with tempfile.TemporaryDirectory(prefix="ktrack-cli.") as name:
        folder = Path(name)
        folder.chmod(0o755)
        secret = folder / "secret"
        secret.write_text(SECRET)
        secret.chmod(0o600)
        check_sound(tap, folder)
        check_progress(tap, folder)
        check_unreadable(tap, folder)
        check_damaged(tap, folder)
        check_links(tap, folder, secret)
        check_numbers(tap, folder)
        check_owner(tap, folder)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
