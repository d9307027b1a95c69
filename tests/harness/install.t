#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: make install, make uninstall, the version in one place, and scripts/vendor."""

import os
import re
import subprocess
import sys
import tempfile
from fnmatch import fnmatchcase as fnmatch
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

import process  # noqa: E402
from tap import tested  # noqa: E402

PROJECT = Path(__file__).resolve().parents[2]
FOREIGN = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "DESTDIR", "PREFIX", "LIBDIR", "CPPFLAGS", "BUILD", "KDIR")
PAGES = sorted([*PROJECT.glob("userspace/*/*.[1-8]"), *PROJECT.glob("include/ktrack/*.[1-8]")])
DEBIAN = PROJECT / "scripts/packaging/debian"
# Pages whose chapters are tasks, and chapters that are none.
TASKS = ("ktrack-howto.7.html", "ktrack-telemetry.7.html")
NO_TASKS = ("NAME", "DESCRIPTION", "SEE_ALSO")
SETTINGS = (PROJECT / "userspace/userspace.mk").read_text()
VERSION = re.search(r"^version := (\S+)$", SETTINGS, re.MULTILINE)[1]
RELEASED = re.search(r"^released := (\S+)$", SETTINGS, re.MULTILINE)[1]
EXPECTED = (
    "bin/ktrack", "include/trace2/trace2.h", "share/ktrack/include/ktrack/define.h", "share/ktrack/examples/relay.c",
    "share/cmake/ktrack/ktrack-config.cmake", "share/doc/ktrack/README.md", "share/pkgconfig/ktrack.pc", "share/ktrack/single-header/ktrack-user.h", "share/ktrack/single-header/ktrack-kernel.h",
    "share/doc/libtrace2-dev/examples/example.c", "share/doc/ktrack/SECURITY.md", "share/ktrack/rules/sched.rules", "share/ktrack/trace2receiver/config.yml", "share/ktrack/vendor",
    "share/bash-completion/completions/ktrack", "share/zsh/site-functions/_ktrack",
    "share/fish/vendor_completions.d/ktrack.fish", "lib/systemd/system/ktrack-watch@.service", "lib/tmpfiles.d/ktrack.conf",
    "lib/sysusers.d/ktrack.conf", "share/ktrack/systemd/programs.conf",
)


def run(*words, **more):
    """A command's output and status."""
    environment = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    return process.run(
        [str(word) for word in words], cwd=PROJECT, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cpu_s=300, **more,
    )


def make(*words):
    """make, without a kernel's folder."""
    return run("make", "--no-print-directory", "-s", "KDIR=/nonexistent", *words)


def files_of(folder):
    """All files and links below a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())


# Libraries that ktrack loads when it needs them, their packages, and those of their headers.
LOADED = {
    "libelf.so.1": ("libelf1", "libelf-dev"),
    "liblzma.so.5": ("liblzma5", "liblzma-dev"),
    "libncursesw.so.6": ("libncursesw6", "libncurses-dev"),
    "libsqlite3.so.0": ("libsqlite3-0", "libsqlite3-dev"),
    "libzstd.so.1": ("libzstd1", "libzstd-dev"),
}


def control_list(begin, field):
    """The packages of a field of debian/control, in the part that begins so."""
    part = next(one for one in (DEBIAN / "control").read_text().split("\n\n") if one.startswith(f"{begin}\n"))
    text = re.search(rf"^{field}:((?:.|\n )*)", part, re.MULTILINE)[1]
    return {one.split()[0] for one in text.split(",")}


def check_loaded(tap):
    """No tool of the build finds libraries that are loaded: the package has to name them."""
    sources = "".join(path.read_text() for path in PROJECT.glob("userspace/**/*.c") if path.name != "library.c")
    calls = [re.sub(r'"\s*"', "", call) for call in re.findall(r'library_load\([^"]*((?:"[^"]*"[\s,]*)+)', sources)]
    found = {re.search(r'"(\S+\.so\.\d+)"', call)[1]: re.search(r"Debian's package ([a-z0-9.+-]+)", call)[1] for call in calls}
    tap.ok(found == {name: package for name, (package, _) in LOADED.items()}, "messages name the packages of libraries that are loaded", found)
    tap.nothing(sorted({package for package, _ in LOADED.values()} - control_list("Package: ktrack", "Depends")), "Debian's package ktrack depends on these")
    built = {headers for _, headers in LOADED.values()} | {"zlib1g-dev"}
    tap.nothing(sorted(built - control_list("Source: ktrack", "Build-Depends")), "it is built with their headers, and those of zlib")


def check_installed(tap, root):
    """The files are where users and tools look for them."""
    done = make("install", f"DESTDIR={root}", "PREFIX=/usr")
    missing = [name for name in EXPECTED if not (root / "usr" / name).is_file()]
    tap.ok(done.returncode == 0 and not missing, "make install brings every kind of file", done.stdout, *missing)
    triplet = run("gcc", "-print-multiarch").stdout.strip()
    folder = root / "usr/lib" / triplet
    tap.ok((folder / "libtrace2.so.0").is_file(), "the library is in the folder of its architecture", *files_of(root / "usr/lib"))
    text = (folder / "pkgconfig/libtrace2.pc").read_text()
    tap.ok(f"libdir=/usr/lib/{triplet}\n" in text and f"Version: {VERSION}\n" in text, "pkg-config finds it there", text)
    strange = [name for name in files_of(root / "usr") if name.startswith("include/ktrack/") and not name.startswith("include/ktrack/user")]
    tap.nothing(strange, "headers for drivers are not among those for programs")


def check_pages(tap, root):
    """Version and date are filled in where the pages are installed, and nowhere else."""
    written = [page.name for page in PAGES if not re.search(r'^\.TH \S+ \d "" "ktrack" "', page.read_text(), re.MULTILINE)]
    tap.nothing(written, "no page of the tree has a version of its own")
    wrong = []
    for page in PAGES:
        text = (root / f"usr/share/man/man{page.suffix[1:]}" / page.name).read_text()
        head = re.search(r"^\.TH .*$", text, re.MULTILINE)[0]
        wrong += [head] if f' "{RELEASED}" "ktrack {VERSION}" ' not in head else []
    tap.nothing(wrong, "every installed page has the version and its date")
    done = run(PROJECT / "build/ktrack", "--version")
    tap.ok(done.stdout == f"ktrack {VERSION}\n", "which the program has, too", done.stdout)
    first = re.search(r"^## .*$", (PROJECT / "CHANGELOG.md").read_text(), re.MULTILINE)[0]
    tap.ok(first == f"## {VERSION}", "it is the first heading of CHANGELOG.md", first)


def check_named(tap, folder):
    """Installed pages name files below the prefix, and these exist."""
    make("install", f"DESTDIR={folder}", "PREFIX=/opt/x")
    named = set()
    for page in folder.glob("opt/x/share/man/*/*"):
        named |= set(re.findall(r"/(?:usr|opt/x)/share/[\w./-]*\w", page.read_text().replace("\\-", "-")))
    missing = [name for name in named if not (folder / name.removeprefix("/")).exists()]
    tap.ok(len(named) >= 6 and not missing, "the installed pages name installed files", *sorted(named), "missing:", *missing)


def check_packaged(tap, root):
    """Each installed file is in one Debian package, or listed as not installed; each line of a package names a file."""
    files, found, idle = files_of(root), [], []
    for listing in sorted([*DEBIAN.glob("*.install"), DEBIAN / "not-installed"]):
        for pattern in listing.read_text().split():
            named = [name for name in files if fnmatch(name, pattern) or fnmatch(name, f"{pattern}/*")]
            found += named
            idle += [] if named else [f"{listing.name}: {pattern}"]
    tap.nothing(idle, "every line of a package names an installed file")
    tap.nothing(sorted(set(files) - set(found)), "every installed file is in a package", len(files))
    tap.nothing(sorted(name for name in set(found) if found.count(name) > 1), "and in one only")


def check_removed(tap, root):
    """Uninstall removes what install brought, and leaves the rest."""
    other = root / "usr/share/man/man1/other.1"
    other.write_text("")
    done = make("uninstall", f"DESTDIR={root}", "PREFIX=/usr")
    left = files_of(root)
    tap.ok(done.returncode == 0 and left == ["usr/share/man/man1/other.1"], "make uninstall leaves only other files", done.stdout, *left)
    folders = [str(path) for path in root.rglob("*ktrack*")]
    tap.nothing(folders, "and no folder of its own")


def check_doc(tap, folder):
    """Each page as HTML, with links that lead somewhere or out of the project."""
    done = make("doc", f"BUILD={folder}")
    missing = [page.name for page in PAGES if not (folder / f"doc/{page.name}.html").exists()]
    tap.ok(done.returncode == 0 and not missing, "make doc makes HTML of every page", done.stdout[-1000:], *missing)
    texts = {file.name: file.read_text() for file in folder.glob("doc/*.html")}
    links = {name: set(re.findall(r'(?:href|src)="((?:ktrack|libtrace2|page\.)[^"]*)"', text)) for name, text in texts.items()}
    parts = {link: link.partition("#") for link in set().union(*links.values())}
    wrong = [link for link, (file, _, place) in parts.items() if not (folder / "doc" / file).exists() or place and f'id="{place}"' not in texts[file]]
    tap.nothing(sorted(wrong), "links between them work")
    kinds = {Path(file).suffix for file, _, _ in parts.values()}
    tap.ok(len(links) > 8 and kinds == {".html", ".png", ".css"}, "and there are some, also to images and the CSS", *parts)
    index = links.get("index.html", set())
    tap.nothing([page.name for page in PAGES if f"{page.name}.html" not in {link.partition("#")[0] for link in index}], "the index leads to every page")
    chapters = {f"{name}#{place}" for name in TASKS for place in re.findall(r'<h[12] class="Sh" id="([^"]+)"', texts.get(name, ""))}
    tap.nothing(sorted(one for one in chapters - index if one.rpartition("#")[2] not in NO_TASKS), "and to every task")


def check_libdir(tap):
    """A prefix that the loader does not search has no folders for architectures, unless one is given."""
    for words, wanted in ((("PREFIX=/opt/x",), "/opt/x/lib"), (("PREFIX=/usr", "LIBDIR=/usr/lib64"), "/usr/lib64")):
        done = make("-n", "install", *words)
        tap.ok(f"libtrace2.so.0 {wanted}\n" in done.stdout, f"{' '.join(words)}: the library is in {wanted}", done.stdout[-1500:])


def check_vendor(tap, root):
    """The headers with licences and version; only an earlier copy is replaced."""
    make("install", f"DESTDIR={root}", "PREFIX=/usr")
    for script in (PROJECT / "scripts/vendor", root / "usr/share/ktrack/vendor"):
        with tempfile.TemporaryDirectory() as driver:
            target = Path(driver) / "include/ktrack"
            done = run(script, driver)
            headers = {path.name for path in PROJECT.glob("include/ktrack/*.h")} - {"user.h"}
            found = {path.name for path in target.glob("*.h")}
            tap.ok(done.returncode == 0 and found == headers, f"{script.name}: all headers for drivers", done.stdout, *headers - found)
            tap.ok((target / "VERSION").read_text() == f"{VERSION}\n", "their version")
            tap.ok(sorted(path.name for path in target.glob("LICENSES/*")) == ["GPL-2.0-only.txt", "MIT.txt"], "their licences")
            (target / "old.h").write_text("")
            done = run(script, driver)
            tap.ok(done.returncode == 0 and not (target / "old.h").exists(), "an earlier copy is replaced", done.stdout)
            (target / "VERSION").unlink()
            done = run(script, driver)
            tap.ok(done.returncode == 1 and "not a copy of ktrack's headers" in done.stdout, "other files are not", done.stdout)
        with tempfile.TemporaryDirectory() as program:
            done = run(script, "--programs", program)
            (Path(program) / "x.c").write_text("#include <ktrack/user.h>\nKTRACK_SLICE(x);\nint main(void) { ktrack_guard(x, \"x\"); return 0; }\n")
            built = run("gcc", "-I", Path(program) / "include", "-o", Path(program) / "x", Path(program) / "x.c")
            tap.ok(done.returncode == 0 and built.returncode == 0, f"{script}: the headers for programs are complete", done.stdout, built.stdout)
    done = run(PROJECT / "scripts/vendor", "/nonexistent")
    tap.ok(done.returncode == 1 and "no such folder" in done.stdout, "a folder that does not exist is refused", done.stdout)


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        check_installed(tap, root)
        check_pages(tap, root)
        check_packaged(tap, root)
        check_removed(tap, root)
    with tempfile.TemporaryDirectory() as folder:
        check_vendor(tap, Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        check_named(tap, Path(folder) / "named")
        check_doc(tap, Path(folder))
    check_libdir(tap)
    check_loaded(tap)
