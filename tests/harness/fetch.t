#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: scripts/vm-fetch unpacks both layouts of Debian's kernel packages; apt is a stand-in, the packages are made here."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from tap import Tap  # noqa: E402

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"

# Copies the packages whose names it is given; to install is to put all into the cache of archives, with nothing of the kernel's.
APT_GET = """\
#!/bin/sh
echo "$*" >>"$CALLS"
case "$*" in
*indextargets*) echo http://example.org/debian/ ;;
*" update") ;;
*" install "*)
	for word; do case $word in Dir::Cache=*) cache=${word#*=}/archives ;; esac; done
	cp "$PACKAGES"/base-files_*.deb "$PACKAGES"/tool_*.deb "$PACKAGES"/linux-headers-* "$PACKAGES"/linux-kbuild-* "$cache" ;;
*" download "*)
	for word; do for file in "$PACKAGES/${word}"_*.deb; do [ ! -e "$file" ] || cp "$file" .; done; done ;;
esac
"""
APT_CACHE = """\
#!/bin/sh
for name; do :; done
ls "$PACKAGES/${name}"_*.deb >/dev/null 2>&1 || exit 0
echo "Package: $name"
case $name in linux-headers-*-amd64) echo "Depends: ${name%-amd64}-common (= 1), linux-kbuild-1 | none, gcc-99" ;; esac
"""
MODULES = ("virtio", "virtio_pci", "virtio_console", "unwanted")


def headers_files(release, words):
    """What the packages of a kernel's headers hold."""
    tree = f"usr/src/linux-headers-{release}"
    common = tree.replace("-amd64", "-common")
    head = f"KBUILD_OUTPUT=/{tree}\n" if release.startswith("7") else ""
    return {
        f"linux-headers-{release}": {
            f"{tree}/Makefile": f"{head}include /{common}/Makefile\n",
            f"{tree}/.config": words,
        },
        f"linux-headers-{release}".replace("-amd64", "-common"): {f"{common}/Makefile": "all:\n\t@echo $(KBUILD_OUTPUT)\n"},
        "linux-kbuild-1": {"usr/lib/linux-kbuild-1/fixdep": "tool"},
        "busybox-static": {"bin/busybox": "busybox"},
        "base-files": {"usr/share/doc/base-files/README": "words"},
        "tool": {"usr/bin/bash": "shell", "usr/bin/mawk": "awk"},
    }


def old_packages(release):
    """Until Linux 6: one package has the kernel and its modules."""
    image = {f"boot/vmlinuz-{release}": "kernel"}
    image |= {f"lib/modules/{release}/kernel/drivers/virtio/{name}.ko": name for name in MODULES}
    return headers_files(release, "CONFIG_VIRTIO=m\n") | {f"linux-image-{release}": image}


def new_packages(release, kind):
    """From Linux 7 on: one depends on one with the kernel and one with modules, which are compressed."""
    config = "".join(f"CONFIG_VIRTIO{name}={kind}\n" for name in ("", "_PCI", "_CONSOLE"))
    modules = {f"usr/lib/modules/{release}/kernel/drivers/{name}.ko.xz": name for name in MODULES}
    return headers_files(release, config) | {
        f"linux-image-{release}": {},
        f"linux-binary-{release}": {f"usr/lib/modules/{release}/vmlinuz": "kernel"},
        f"linux-modules-{release}": modules,
    }


def package_make(folder, name, files):
    """A package of Debian's format."""
    root = folder / "tree"
    (root / "DEBIAN").mkdir(parents=True)
    control = f"Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: none\n"
    (root / "DEBIAN/control").write_text(control)
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        if path.endswith(".xz"):
            file.with_suffix("").write_text(text)
            file.unlink()
            subprocess.run(["xz", file.with_suffix("")], check=True)
    command = ["dpkg-deb", "-Znone", "--root-owner-group", "-b", root, folder / f"{name}_1_all.deb"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(root)


class Fetched:
    """What one run of the script left."""

    def __init__(self, scratch, release, packages, *options):
        for name in ("scripts", "bin", "packages"):
            (scratch / name).mkdir()
        for name in ("vm-fetch", "vm-apt"):
            shutil.copy(SCRIPTS / name, scratch / "scripts")
        for name, text in {"apt-get": APT_GET, "apt-cache": APT_CACHE}.items():
            (scratch / "bin" / name).write_text(text)
            (scratch / "bin" / name).chmod(0o755)
        for name, files in packages.items():
            package_make(scratch / "packages", name, files)
        names = {
            "PATH": f"{scratch}/bin:{os.environ['PATH']}",
            "PACKAGES": str(scratch / "packages"),
            "CALLS": str(scratch / "calls"),
        }
        self.folder = scratch / "build/vm" / release
        command = [scratch / "scripts/vm-fetch", *options, release, self.folder]
        done = subprocess.run(
            command, env=os.environ | names, capture_output=True, text=True, timeout=60, check=False
        )
        self.status, self.errors = done.returncode, done.stderr
        self.calls = (scratch / "calls").read_text()
        self.tree = self.folder / f"usr/src/linux-headers-{release}"

    def text(self, name):
        """A file, None where there is none."""
        file = self.folder / name
        return file.read_text() if file.exists() else None

    def drivers(self):
        """The drivers, in the order of loading."""
        return [file.name.split("-", 1)[1] for file in sorted((self.folder / "drivers").glob("*"))]


def check_fetched(tap, what, fetched):
    """What every kernel has to bring."""
    if not tap.ok(fetched.status == 0, f"{what}: it is fetched", fetched.errors):
        return False
    tap.ok(fetched.text("vmlinuz") == "kernel", f"{what}: with the kernel")
    tap.ok(fetched.text("busybox") == "busybox", f"{what}: with its userspace")
    made = subprocess.run(["make", "-s", "-C", fetched.tree], capture_output=True, text=True, timeout=60, check=False)
    tap.ok(made.returncode == 0, f"{what}: its headers refer to where they are", made.stderr)
    left = [file.name for file in fetched.folder.glob("*.deb")] + [
        name for name in ("root", "image", "log") if (fetched.folder / name).exists()
    ]
    tap.nothing(left, f"{what}: nothing else is left")
    return made.stdout.strip()


def check_old(tap, scratch):
    """Linux 6."""
    release = "6.9.1-amd64"
    fetched = Fetched(scratch, release, old_packages(release))
    check_fetched(tap, "6", fetched)
    wanted = ["virtio.ko", "virtio_pci.ko", "virtio_console.ko"]
    tap.ok(fetched.drivers() == wanted, "6: with the drivers out of it", *fetched.drivers())
    tap.ok(fetched.text("tools") is None, "6: it is built with the machine's tools")


def check_new(tap, scratch, kind, wanted):
    """Linux 7, from the unstable suite."""
    release, what = "7.2.13+deb14-amd64", f"7 with drivers as {kind}"
    fetched = Fetched(scratch, release, new_packages(release, kind), "--unstable")
    output = check_fetched(tap, what, fetched)
    tap.ok(output == str(fetched.tree), f"{what}: its build's output is where it is", output)
    tap.ok(fetched.drivers() == wanted, f"{what}: with the drivers that are not built in", *fetched.drivers())
    is_asked = f"linux-modules-{release}" in fetched.calls
    tap.ok(is_asked == bool(wanted), f"{what}: the package of all modules is fetched only for drivers")
    tap.ok(fetched.text("tools") is not None, f"{what}: it is built with tools of its own")
    tap.ok(fetched.text("usr/bin/sh") == "shell", f"{what}: which have a shell")
    tap.ok(fetched.text("usr/bin/awk") == "awk", f"{what}: and awk")


def main():
    tap = Tap()
    if not shutil.which("dpkg-deb"):
        tap.skip("kernels are fetched", "dpkg-deb is not installed")
        return tap.finish()
    with tempfile.TemporaryDirectory() as folder:
        check_old(tap, Path(folder))
    for kind, wanted in {"y": [], "m": ["virtio.ko", "virtio_pci.ko", "virtio_console.ko"]}.items():
        with tempfile.TemporaryDirectory() as folder:
            check_new(tap, Path(folder), kind, wanted)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
