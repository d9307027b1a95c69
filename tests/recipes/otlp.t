#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: OpenTelemetry's own JavaScript package decodes --otlp and --otlp-metrics of every golden case.

Each request is encoded as protocol buffers and decoded again without loss, and names have as many spans as ktrack stat counts slices.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "outputs"), str(HERE.parent)]

import cases  # noqa: E402
from tap import Tap  # noqa: E402

# Of this version, the package has all messages, generated from OpenTelemetry's definitions.
PACKAGE = "@opentelemetry/otlp-transformer@0.57.2"
MODULES = HERE.parents[1] / "build/npm/otlp/node_modules"
INSTALL_LIMIT_S = 600


def install():
    """Installs the package once; returns what is wrong."""
    if (MODULES / "@opentelemetry/otlp-transformer/build/src/generated/root.js").exists():
        return ""
    MODULES.parent.mkdir(parents=True, exist_ok=True)
    words = ("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", MODULES.parent, PACKAGE)
    done = subprocess.run(words, capture_output=True, text=True, timeout=INSTALL_LIMIT_S, check=False)
    return done.stderr[-500:] if done.returncode else ""


def decode(path):
    """(how many spans or points each name has, what is wrong)."""
    done = subprocess.run(["node", HERE / "otlp.js", MODULES, path], capture_output=True, text=True, timeout=cases.LIMIT_S, check=False)
    return (json.loads(done.stdout), []) if done.returncode == 0 else ({}, [done.stderr[-1500:]])


def slices_of(folder, rules):
    """How many slices each name has, whatever is known of them."""
    statistics = json.loads(cases.run(folder, "stat", *rules, "--by-name", "--json", "trace.dat")[0])
    return {row["name"]: row["count"] for row in statistics["slices"]}


def check_case(tap, name):
    """A golden case."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make(name, Path(folder, "trace.dat"))
        rules = cases.rules_of(name)
        _, wrong = cases.run(folder, "export", *rules, "--otlp=spans", "--otlp-metrics=metrics", "trace.dat")
        spans, problems = decode(Path(folder, "spans"))
        _, more = decode(Path(folder, "metrics"))
        slices = slices_of(folder, rules)
    wrong += problems + more
    # Complete slices are counted; instants and incomplete slices are spans, too.
    wrong += [f"{one}: {spans.get(one)} spans, {count} slices" for one, count in slices.items() if one != "(other)" and spans.get(one, 0) < count]
    tap.nothing(wrong, f"{name.replace('-', ' ')}: {sum(spans.values())} spans")


def main():
    """Returns the exit status."""
    tap = Tap()
    if not shutil.which("npm") or not shutil.which("node"):
        tap.skip("OpenTelemetry's package decodes all requests", "npm and node are not installed")
        return tap.finish()
    problem = install()
    tap.ok(not problem, "OpenTelemetry's package is installed", problem)
    for name in cases.names() if not problem else []:
        check_case(tap, name)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
