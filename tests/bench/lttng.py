# SPDX-License-Identifier: GPL-2.0-only
"""A recording of a program by LTTng-UST, with session daemons of its own."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from process import wait_for  # noqa: E402

NOBODY = 65534
PACKAGES = "lttng-tools and liblttng-ust-dev"
# Sub-buffers of each CPU's ring.
SUB_BUFFERS = 4


def is_installed():
    """Whether it can record."""
    compiled = subprocess.run(["gcc", "-E", "-include", "lttng/tracepoint.h", "-x", "c", "/dev/null"], capture_output=True, check=False)
    return bool(shutil.which("lttng-sessiond") and shutil.which("lttng") and compiled.returncode == 0)


class Lttng:
    """The session daemon of a user who has no other one: that of root is the machine's."""

    def __init__(self, folder, ring_bytes):
        self.folder = Path(folder)
        self.folder.mkdir()
        # Rings of CPUs with as much memory together, or more where it cannot be divided.
        self.sub_buffer = 4096
        while self.sub_buffer * SUB_BUFFERS * os.cpu_count() < ring_bytes:
            self.sub_buffer *= 2
        self.prefix = []
        if os.geteuid() == 0:
            os.chown(self.folder, NOBODY, NOBODY)
            self.prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        self.env = {**os.environ, "HOME": str(self.folder), "LTTNG_HOME": str(self.folder), "LTTNG_UST_REGISTER_TIMEOUT": "-1"}
        self.daemon = None

    def __enter__(self):
        self.daemon = subprocess.Popen([*self.prefix, "lttng-sessiond", "--no-kernel", "--quiet"], env=self.env)
        wait_for(lambda: self.run("lttng", "list", check=False).returncode == 0, self.daemon)
        return self

    def __exit__(self, *_):
        self.daemon.terminate()
        self.daemon.wait()

    def run(self, *words, check=True):
        """A command that has run."""
        return subprocess.run([*self.prefix, *words], env=self.env, capture_output=True, text=True, check=check)

    def record(self, command):
        """Records a command; returns how many events it lost."""
        self.run("lttng", "create", "burst", f"--output={self.folder}/lttng")
        self.run("lttng", "enable-channel", "--userspace", f"--subbuf-size={self.sub_buffer}", f"--num-subbuf={SUB_BUFFERS}", "--discard", "burst")
        self.run("lttng", "enable-event", "--userspace", "--channel=burst", "burst:one")
        self.run("lttng", "start")
        self.run(*command)
        self.run("lttng", "stop")
        status = self.run("lttng", "list", "burst").stdout
        self.run("lttng", "destroy", "burst")
        return sum(int(number) for number in re.findall(r"Discarded events: (\d+)", status))
