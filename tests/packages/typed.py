# SPDX-License-Identifier: GPL-2.0-only
"""What the pages of installed packages show is typed in machines whose system is the Debian with these packages."""

import gzip
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / part) for part in ("vm", "cli")]

import blocks  # noqa: E402
import machine  # noqa: E402

# The kernels of a suite; Debian 13 has none that machines run here, so that its driver is built only.
KERNELS = {"bookworm": ("6.1", "6.12"), "trixie": ("6.12",), "sid": ("newest",)}
WITHOUT_MODULE = ("ktrack-tutorial-performance", "ktrack-user")
DRIVER = "ktrack-tutorial-driver"
# What pages promise, in seconds, for typing and reading; and for the first picture. An emulated machine is slower than a reader's.
PROMISED_S = {"ktrack-tutorial-performance": 600, DRIVER: 900}
PICTURE_S = 60
PRINTED = {
    "ktrack doctor": "Recording is possible.",
    "'syscalls:call/read@tail'": "woken by sort",
    "list -e relay": "relay:relay_request",
    "'relay:*/handle'": "in MUTEX, woken by kworker",
}
# What a page that a reader opens has.
HTML_PAGES = {
    "ktrack-tutorial-performance": ("page.html", "syscalls"),
    "ktrack-user": ("page.html", "mytool_request"),
    DRIVER: ("relay.html", "relay_request"),
}
DISK_SIZE = "6G"


def blocks_write(root, pages):
    """The blocks of the installed pages, a file each; returns their texts by name, PAGE-NUMBER."""
    folder = root / "tmp/blocks"
    folder.mkdir(exist_ok=True)
    texts = {}
    for page in pages:
        name = folder / f"{page}.7"
        name.write_bytes(gzip.decompress((root / f"usr/share/man/man7/{page}.7.gz").read_bytes()))
        shown = [block for block in blocks.page_blocks(name) if block.kind in ("shell", "console")]
        name.unlink()
        if page == "ktrack-user":
            shown = shown[:1]
        texts |= {f"{page}-{number:02}": blocks.commands_of(block) for number, block in enumerate(shown)}
    for name, text in texts.items():
        (folder / name).write_text(text)
    return texts


def disk_make(root):
    """A file system with the whole system, next to it."""
    disk = root.parent / "disk"
    disk.unlink(missing_ok=True)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", root, disk, DISK_SIZE], check=True, stdout=subprocess.DEVNULL)
    return disk


def check_blocks(tap, place, result, texts):
    """Each ends well and prints what its page says."""
    times = {words[0]: words[1:] for words in (line.split() for line in result.text("times").splitlines())}
    for name, text in texts.items():
        status = times.get(name, ("none",))[0]
        log = result.text(f"{name}.log")
        tap.ok(status == "0", f"{place}: {name} works: {text.splitlines()[0]}", f"exit status {status}", log[-1500:])
        for command, printed in PRINTED.items():
            if command in text:
                tap.ok(printed in log, f"{place}: {name} prints {printed}", log[-1500:])
    return {name: int(words[1]) / 1000 for name, words in times.items()}


def check_times(tap, place, spent_s):
    """Those that the tutorials state, and that of the first picture: the commands are the smaller part of them."""
    for page, promised_s in PROMISED_S.items():
        used_s = sum(time_s for name, time_s in spent_s.items() if name.startswith(f"{page}-"))
        if used_s:
            tap.ok(used_s < promised_s, f"{place}: {page}: its commands take less than {promised_s} s", used_s)
            tap.comment(f"{place}: {page}: {used_s:.1f} s in an emulated machine")
    picture_s = sum(spent_s.get(f"{WITHOUT_MODULE[0]}-0{number}", PICTURE_S) for number in (0, 1))
    tap.ok(picture_s < PICTURE_S, f"{place}: the first picture takes less than {PICTURE_S} s", spent_s)
    tap.comment(f"{place}: the first picture: {picture_s:.1f} s in an emulated machine")


def check_kernel(tap, suite, kernel, disk, pages, texts):
    """One machine."""
    place = f"{suite}, {kernel}"
    more = machine.kernel_folder(kernel) / "more"
    options = ("--disk", disk, "--add", f"{more}:/more")
    with machine.ran(kernel, "installed.sh", *pages, options=options) as result:
        machine.check_end(tap, place, result)
        spent_s = check_blocks(tap, place, result, texts)
        check_times(tap, place, spent_s)
        if DRIVER in pages:
            log = result.text("module.log")
            tap.ok("ktrack.ko is loaded" in log, f"{place}: modprobe loads the ktrack.ko that DKMS built", log)
        for page, (file, shown) in HTML_PAGES.items():
            if page in pages:
                tap.ok(shown in result.text(f"{page}-{file}"), f"{place}: {page}: {file} shows {shown}")


def check_typed(tap, suite, root):
    """All machines of a suite. Without headers for a machine's kernel, no driver is built in it."""
    made = {}
    for kernel in KERNELS[suite]:
        release = machine.kernel_folder(kernel).name
        has_headers = (root / "lib/modules" / release / "build").is_symlink()
        tap.ok(has_headers == (suite != "trixie"), f"{suite}: headers of {release}", *(root / "lib/modules").iterdir())
        pages = (*WITHOUT_MODULE, *([DRIVER] if has_headers else []))
        texts = blocks_write(root, pages)
        made["disk"] = made.get("disk") or disk_make(root)
        check_kernel(tap, suite, kernel, made["disk"], pages, texts)
