# SPDX-License-Identifier: GPL-2.0-only
"""Commands that record without a kernel, and what has to be left of their records."""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "programs"), str(HERE.parent / "cli"), str(HERE.parent / "golden")]

from faults import PROJECT, Scenario  # noqa: E402
from programs import exported, lost, read_events  # noqa: E402
from spools import fill  # noqa: E402

KTRACK = PROJECT / "build/ktrack"
FIRED = re.compile(r"^fired (\d+)$", re.MULTILINE)


def ktrack(*words):
    """Runs ktrack without failures."""
    return subprocess.run([KTRACK, *words], capture_output=True, text=True, check=False)


class Recover(Scenario):
    """A recording that was killed: after a failure, a second attempt recovers all of it."""

    RECORDS = 2

    def __init__(self):
        super().__init__("recover", ["recover", "x.dat"], outputs=("x.dat",))

    def prepare(self, folder):
        spool = folder / "x.dat.spool"
        spool.mkdir()
        fill(spool)

    def verify(self, run):
        if (run.folder / "x.dat.spool").exists():
            again = ktrack("recover", run.folder / "x.dat")
            if again.returncode != 0:
                yield f"a second attempt fails: {again.stderr}"
        done = ktrack("export", run.folder / "x.dat")
        if (done.returncode, done.stdout.count('"region_leave"')) != (0, self.RECORDS):
            yield f"the recovered file lacks records: {done.returncode} {done.stderr}"


class Programs(Scenario):
    """A program is recorded: fired = exported + lost, also if a later recover must finish the file."""

    def __init__(self, name, words, load):
        super().__init__(name, words, [load])

    def words_of(self, folder):
        # Only this run's program: several run at the same time.
        return [*self.words, f"--programs={folder}/*", "--", folder / "load", "1", "200", "0"]

    def results(self, run):
        return run.fired, run.exported

    def environment_of(self, folder):
        return {"KTRACK_USER_SOCKET": str(folder / "user.sock")}

    def verify(self, run):
        run.fired = sum(map(int, FIRED.findall(run.output.decode(errors="replace"))))
        run.exported = 0
        problems = list(self.count(run))
        yield from problems

    def count(self, run):
        """Compares what was fired, exported and reported."""
        path, events = run.folder / "trace.dat", run.folder / "out.event"
        if self.words[0] == "record":
            if Path(f"{path}.spool").exists():
                again = ktrack("recover", path)
                if again.returncode != 0 and "no records, removed" not in again.stderr:
                    yield f"recover fails: {again.stderr}"
            if path.exists():
                done = ktrack("export", f"--event={events}", path)
                if done.returncode != 0:
                    yield f"the recording cannot be exported: {done.stderr}"
        found = read_events(events) if events.exists() else []
        run.exported = exported(found)
        number, is_unknown = lost(found)
        # A file that states no unknown number has all, or how many it lacks.
        run.is_silent = events.exists() and run.fired != run.exported + number and not is_unknown
        is_reported = is_unknown or run.status not in (0, None)
        if run.fired != run.exported + number and not is_reported:
            yield f"{run.fired} fired, {run.exported} exported, {number} reported as lost"
