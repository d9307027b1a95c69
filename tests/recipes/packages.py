# SPDX-License-Identifier: GPL-2.0-only
"""Other people's software for the recipes: packages of npm and Debian, unpacked below build/, nothing installed."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/cli"), str(ROOT / "tests")]

import blocks  # noqa: E402
import process  # noqa: E402

CPU_S = 600


def npm(name, package):
    """(directory of node_modules, what is wrong) of a package from npm, below build/npm/NAME."""
    folder = ROOT / "build/npm" / name
    modules = folder / "node_modules"
    if (modules / package.rpartition("@")[0]).exists():
        return modules, ""
    folder.mkdir(parents=True, exist_ok=True)
    words = ("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, package)
    done = process.run(words, cpu_s=CPU_S, capture_output=True, text=True)
    return modules, done.stderr[-500:] if done.returncode else ""


def debian(*names):
    """(directory, what is wrong) of packages of this system's release of Debian, below build/debian."""
    folder = ROOT / "build/debian"
    if all((folder / f"{name}.unpacked").exists() for name in names):
        return folder, ""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    done = process.run(["apt-get", "-q", "download", *names], cpu_s=CPU_S, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        return folder, done.stderr[-500:]
    for package in folder.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package, folder / "root"], check=True)
        package.unlink()
    for name in names:
        (folder / f"{name}.unpacked").touch()
    return folder, ""


def recipes(*words):
    """{the words that follow: text} of the blocks of ktrack-telemetry(7) that are marked so."""
    name = " ".join(words)
    found = {block.series: block.text for block in blocks.blocks("recipe")}
    return {series[len(name) :].strip(): text for series, text in found.items() if series == name or series.startswith(name + " ")}
