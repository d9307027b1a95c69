#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the units of the service manager are correct, and use options that exist."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from tap import tested  # noqa: E402

PROJECT = Path(__file__).resolve().parents[2]
UNITS = PROJECT / "scripts/packaging/systemd"
KTRACK = PROJECT / "build/ktrack"
UNIT = UNITS / "ktrack-watch@.service"
# The rating is 2.0 in systemd 252.
EXPOSURE_MAX = 3


def run(*words):
    """A command's end."""
    return subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


def options_of(command):
    """The long options of a command, and the short ones."""
    lines = [line.split("\t") for line in run(KTRACK, "--help-options").stdout.splitlines()]
    rows = [line for line in lines if line[:2] == ["option", command]]
    return {f"--{row[3]}" for row in rows} | {f"-{row[2]}" for row in rows}


def check_options(tap):
    """Each option of the unit, and of the example in its comment."""
    text = UNIT.read_text()
    words = re.search(r"^ExecStart=(.*)$", text, re.MULTILINE)[1].split()
    example = shlex.split(re.search(r"^#   OPTIONS=(.*)$", text, re.MULTILINE)[1])
    used = [word.split("=")[0] for word in [*words, *shlex.split(example[0])] if word.startswith("-")]
    tap.ok(len(used) >= 4, "the unit and its example use options", used)
    tap.nothing(sorted(set(used) - options_of("watch")), "which ktrack watch has")
    tap.ok(words[:2] == ["/usr/bin/ktrack", "watch"], "the unit runs ktrack watch", words)


def check_verify(tap, folder):
    """What systemd says."""
    if not shutil.which("systemd-analyze"):
        tap.skip("systemd accepts the unit", "systemd-analyze is not installed")
        return
    copy = folder / UNIT.name
    copy.write_text(UNIT.read_text().replace("/usr/bin/ktrack", str(KTRACK)))
    done = run("systemd-analyze", "verify", "--man=no", copy)
    said = [line for line in done.stderr.splitlines() if "ktrack" in line]
    tap.ok(done.returncode == 0 and not said, "systemd accepts the unit", *said, done.stderr[-500:])


def check_security(tap, folder):
    """Least privilege, as systemd rates it: 0 is nothing, 10 is everything."""
    if not shutil.which("systemd-analyze"):
        tap.skip("systemd rates the unit's exposure low", "systemd-analyze is not installed")
        return
    copy = folder / UNIT.name.replace("@", "@rated")
    copy.write_text(UNIT.read_text())
    done = run("systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE_MAX * 10}", copy)
    tap.ok(done.returncode == 0 and "exposure level" in done.stdout, "systemd rates the unit's exposure low", done.stdout[-300:], done.stderr)


def check_programs(tap, folder):
    """The unit with what --programs needs."""
    if not shutil.which("systemd-analyze"):
        tap.skip("systemd accepts the drop-in for programs", "systemd-analyze is not installed")
        return
    drop_ins = folder / f"{UNIT.name}.d"
    drop_ins.mkdir()
    (folder / UNIT.name).write_text(UNIT.read_text().replace("/usr/bin/ktrack", str(KTRACK)))
    (drop_ins / "programs.conf").write_text((UNITS / "programs.conf").read_text())
    done = run("systemd-analyze", "verify", "--man=no", folder / UNIT.name)
    said = [line for line in done.stderr.splitlines() if "ktrack" in line or "programs.conf" in line]
    tap.ok(done.returncode == 0 and not said, "systemd accepts the drop-in for programs", *said, done.stderr[-500:])


def settings_of(name):
    """What a unit, or a drop-in, sets."""
    return dict(line.split("=", 1) for line in (UNITS / name).read_text().splitlines() if re.match("[A-Z]", line))


def check_settings(tap):
    """What the rating does not tell: files of a hook, mounts, and how the end of a hung helper is awaited."""
    unit, programs = settings_of(UNIT.name), settings_of("programs.conf")
    wanted = {"UMask": "0027", "PrivateMounts": "yes", "RestrictSUIDSGID": "yes", "NoNewPrivileges": "yes", "CapabilityBoundingSet": "CAP_SYSLOG"}
    tap.ok(wanted.items() <= unit.items() and "ProtectKernelLogs" not in unit, "the unit has no more rights than it needs", unit)
    needed = {f"CAP_{name}" for name in ("SETUID", "SETGID", "KILL", "SYS_PTRACE", "CHECKPOINT_RESTORE", "DAC_READ_SEARCH")}
    tap.ok(set(programs["CapabilityBoundingSet"].split()) == needed and programs["ProtectProc"] == "default", "the drop-in has what programs need", programs)
    for settings in (unit, programs):
        tap.ok(settings.get("KillMode") == "mixed" and int(settings.get("TimeoutStopSec", 0)) > 0, "the helper is ended after ktrack, and not waited for without a limit", settings)


def check_directory(tap, folder):
    """The group and the directory, in an empty system."""
    if not shutil.which("systemd-tmpfiles") or os.geteuid() != 0:
        tap.skip("the directory of recordings is made", "needs systemd-tmpfiles and root")
        return
    (folder / "etc").mkdir()
    (folder / "etc/passwd").write_text("root:x:0:0::/:/bin/sh\n")
    (folder / "etc/group").write_text("root:x:0:\n")
    done = run("systemd-sysusers", f"--root={folder}", UNITS / "ktrack.sysusers")
    groups = (folder / "etc/group").read_text()
    tap.ok(done.returncode == 0 and "\nktrack:" in groups, "the group is made", groups, done.stderr)
    users = (folder / "etc/passwd").read_text()
    tap.ok("\nktrack-reader:x:" in users and "\nktrack-reader:x:0:" not in users, "the user that reads programs is made", users)
    done = run("systemd-tmpfiles", "--create", f"--root={folder}", UNITS / "ktrack.tmpfiles")
    made = folder / "var/lib/ktrack"
    mode = oct(made.stat().st_mode & 0o7777) if made.exists() else "none"
    tap.ok(mode == "0o2750", "the directory of recordings is made", mode, done.stderr)


@tested
def main(tap):
    """All checks."""
    check_options(tap)
    check_settings(tap)
    with tempfile.TemporaryDirectory() as folder:
        check_verify(tap, Path(folder))
        check_security(tap, Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        check_programs(tap, Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        check_directory(tap, Path(folder))
