#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: Prometheus scrapes the file of ktrack stat --prometheus by node_exporter, and answers the queries of ktrack-telemetry(7)."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "outputs"), str(HERE.parent)]

import cases  # noqa: E402
import packages  # noqa: E402
from tap import Tap  # noqa: E402

DEADLINE_S = 120
CONFIG = """global: {{scrape_interval: 1s}}
scrape_configs: [{{job_name: node, static_configs: [{{targets: ['127.0.0.1:{port}']}}]}}]
"""
EVENTS = "event demo:io 100 char track_event_type; string slice_name\n"
# The first state of the machine, and what comes to it: 100 more reads, of 3 us to 102 us; and another loss.
FIRST = "".join(f"+5us 7@0 io B read\n+{length}us 7@0 io E\n" for length in range(1, 41))
LOSS = "lost 0 17\n+5us 7@0 io B write\n+9us 7@0 io E\n"
MORE = "".join(f"+5us 7@0 io B read\n+{length}us 7@0 io E\n" for length in range(3, 103))


def port_free():
    """A TCP port that nobody uses now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Monitoring:
    """Both servers, until the end."""

    def __init__(self, root, folder):
        self.folder, self.port, self.children = folder, port_free(), []
        (folder / "textfile").mkdir()
        exporter, log = port_free(), open(folder / "log", "w")
        (folder / "prometheus.yml").write_text(CONFIG.format(port=exporter))
        for words in (
            ("prometheus-node-exporter", f"--web.listen-address=127.0.0.1:{exporter}", "--collector.disable-defaults", "--collector.textfile", f"--collector.textfile.directory={folder}/textfile"),
            ("prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data", f"--web.listen-address=127.0.0.1:{self.port}"),
        ):
            self.children.append(subprocess.Popen([root / "root/usr/bin" / words[0], *words[1:]], cwd=folder, stdout=log, stderr=log))

    def query(self, text):
        """{labels without instance and job: value} now."""
        url = f"http://127.0.0.1:{self.port}/api/v1/query?" + urllib.parse.urlencode({"query": text})
        with urllib.request.urlopen(url, timeout=10) as answer:
            rows = json.load(answer)["data"]["result"]
        return {tuple(sorted((name, value) for name, value in row["metric"].items() if name not in ("instance", "job"))): float(row["value"][1]) for row in rows}

    def wait(self, text, is_enough):
        """The answer when it is as wanted, or the last one."""
        answer, deadline = None, time.monotonic() + DEADLINE_S
        while time.monotonic() < deadline:
            try:
                answer = self.query(text)
                if is_enough(answer):
                    break
            except OSError:
                pass
            time.sleep(0.3)
        return answer

    def end(self):
        """Ends both."""
        for child in self.children:
            child.terminate()
        for child in self.children:
            child.wait()


def publish(folder, text):
    """Writes the statistics of records; returns those of stat --json, and what is wrong."""
    cases.make_of(EVENTS + text, folder / "trace.dat")
    _, wrong = cases.run(folder, "stat", "--prometheus=textfile/ktrack.prom", "trace.dat")
    answer, more = cases.run(folder, "stat", "--by-name", "--json", "trace.dat")
    return json.loads(answer), wrong + more


def counts_of(statistics):
    """{name: number of complete slices}."""
    return {one["name"]: one["count"] for one in statistics["slices"]}


def by_name(answer):
    """{name: value} of series that have a name."""
    return {dict(labels).get("name"): value for labels, value in (answer or {}).items()}


def check_first(tap, monitoring, statistics):
    """All series of a recording."""
    wanted = counts_of(statistics)
    found = by_name(monitoring.wait("ktrack_slice_duration_seconds_count", lambda answer: by_name(answer) == wanted))
    tap.ok(found == wanted, "Prometheus has the counts of ktrack stat", found, wanted)
    sums = by_name(monitoring.query("ktrack_slice_duration_seconds_sum"))
    wanted = {one["name"]: one["total_ns"] / 1e9 for one in statistics["slices"]}
    tap.ok(sums == wanted, "and the sums", sums, wanted)
    errors = monitoring.query("node_textfile_scrape_error")
    tap.ok(list(errors.values()) == [0.0], "node_exporter reads the file without an error", errors)


def check_second(tap, monitoring, texts):
    """What came since."""
    rates = by_name(monitoring.wait(texts["rate"], lambda answer: by_name(answer).get("read", 0) > 0))
    tap.ok(rates.get("read", 0) > 0 and rates.get("write", 0) == 0, "the rate is that of what came since", rates)
    p99 = by_name(monitoring.query(texts["p99"]))["read"]
    # The 99th of 100 slices, from 3 us to 102 us; a bucket's limits are a factor of 4 apart.
    tap.ok(101e-6 / 4 <= p99 <= 101e-6 * 4, "and so is the 99th percentile, within a bucket", f"{p99 * 1e6:.1f} us")


def check_alerts(tap, monitoring, folder, texts, lost):
    """Both alerts: each first does not fire, then does."""
    tap.ok(monitoring.query(texts["lost"]) == {} if not lost else bool(monitoring.wait(texts["lost"], bool)), f"the alert of lost records {'fires' if lost else 'does not fire'}")
    tap.ok(monitoring.query(texts["stale"]) == {}, "a file that is renewed is no alert")
    if lost:
        os.utime(folder / "textfile/ktrack.prom", (time.time() - 600,) * 2)
        stale = monitoring.wait(texts["stale"], bool)
        tap.ok(bool(stale), "one that is not renewed is", stale)


def check_all(tap, root, folder):
    """A machine in three states."""
    texts = packages.recipes("prometheus")
    tap.ok(set(texts) == {"rate", "p99", "lost", "stale"}, "the page has queries", *texts)
    monitoring = Monitoring(root, folder)
    try:
        statistics, wrong = publish(folder, FIRST)
        check_first(tap, monitoring, statistics)
        check_alerts(tap, monitoring, folder, texts, lost=False)
        more, problems = publish(folder, FIRST + MORE)
        wrong += problems
        check_second(tap, monitoring, texts)
        _, problems = publish(folder, FIRST + MORE + LOSS)
        tap.nothing(wrong + problems, "ktrack writes the file")
        tap.ok(counts_of(more)["read"] == 140, "the second state has more", counts_of(more))
        check_alerts(tap, monitoring, folder, texts, lost=True)
    finally:
        monitoring.end()


def main():
    """Returns the exit status."""
    tap = Tap()
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        tap.skip("Prometheus answers the queries", "this is no Debian")
        return tap.finish()
    root, problem = packages.debian("prometheus", "prometheus-node-exporter")
    if tap.ok(not problem, "Prometheus and node_exporter are unpacked", problem):
        with tempfile.TemporaryDirectory() as name:
            check_all(tap, root, Path(name))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
