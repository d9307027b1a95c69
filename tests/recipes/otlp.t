#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: OpenTelemetry's own JavaScript package decodes --otlp and --otlp-metrics of every golden case.

Each request is encoded as protocol buffers and decoded again without loss, and names have as many spans as ktrack stat counts slices.
"""

import http.server
import json
import shutil
import sys
import tempfile
import threading
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "outputs"), str(HERE.parent)]

import cases  # noqa: E402
import packages  # noqa: E402
import process  # noqa: E402
from tap import Tap  # noqa: E402

# Of this version, the package has all messages, generated from OpenTelemetry's definitions.
HTTP_CASE = "flows-connect-slices-and-instants"
PACKAGE = "@opentelemetry/otlp-transformer@0.57.2"


def decode(modules, path):
    """(how many spans or points each name has, what is wrong)."""
    done = process.run(["node", HERE / "otlp.js", modules, path], capture_output=True, text=True)
    return (json.loads(done.stdout), []) if done.returncode == 0 else ({}, [done.stderr[-1500:]])


def slices_of(folder, rules):
    """How many slices each name has, whatever is known of them."""
    statistics = json.loads(cases.run(folder, "stat", *rules, "--by-name", "--json", "trace.dat")[0])
    return {row["name"]: row["count"] for row in statistics["slices"]}


def check_case(tap, modules, name):
    """A golden case."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make(name, Path(folder, "trace.dat"))
        rules = cases.rules_of(name)
        _, wrong = cases.run(folder, "export", *rules, "--otlp=spans", "--otlp-metrics=metrics", "trace.dat")
        spans, problems = decode(modules, Path(folder, "spans"))
        _, more = decode(modules, Path(folder, "metrics"))
        slices = slices_of(folder, rules)
    wrong += problems + more
    # Complete slices are counted; instants and incomplete slices are spans, too.
    wrong += [f"{one}: {spans.get(one)} spans, {count} slices" for one, count in slices.items() if one != "(other)" and spans.get(one, 0) < count]
    tap.nothing(wrong, f"{name.replace('-', ' ')}: {sum(spans.values())} spans")


class Collector(http.server.BaseHTTPRequestHandler):
    """Keeps what is posted."""

    posted = []

    def do_POST(self):  # noqa: N802 - the name that the library calls
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.posted.append((self.path, self.headers["Content-Type"], body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        """Nothing."""


def check_http(tap):
    """The page's loop sends each request as it is."""
    server = http.server.HTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    loop = packages.recipes("otlp")["http"].replace("collector:4318", f"127.0.0.1:{server.server_port}")
    with tempfile.TemporaryDirectory() as folder:
        cases.make(HTTP_CASE, Path(folder, "trace.dat"))
        _, wrong = cases.run(folder, "export", "--otlp=spans.jsonl", "trace.dat")
        done = process.run(["bash", "-c", loop], cwd=folder, capture_output=True, text=True)
        lines = Path(folder, "spans.jsonl").read_bytes().splitlines()
    server.shutdown()
    tap.ok(not wrong and done.returncode == 0, "the loop of ktrack-telemetry(7) ends well", *wrong, done.stderr)
    tap.ok(Collector.posted == [("/v1/traces", "application/json", line) for line in lines] and lines, "and posts each line", Collector.posted[:1])


def main():
    """Returns the exit status."""
    tap = Tap()
    if not shutil.which("npm") or not shutil.which("node"):
        tap.skip("OpenTelemetry's package decodes all requests", "npm and node are not installed")
        return tap.finish()
    check_http(tap)
    modules, problem = packages.npm("otlp", PACKAGE)
    tap.ok(not problem, "OpenTelemetry's package is installed", problem)
    for name in cases.names() if not problem else []:
        check_case(tap, modules, name)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
