# SPDX-License-Identifier: GPL-2.0-only
"""A machine with Secure Boot: Debian's shim, its MOK manager, boot loader and kernel, and the module and key that DKMS made."""

import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
PROJECT = TESTS.parent
sys.path[:0] = [str(TESTS / "vm")]

import machine  # noqa: E402

FIRMWARE = Path("/usr/share/OVMF")
PACKAGES = ("shim-signed", "shim-helpers-amd64-signed", "grub-efi-amd64-signed")
# What the signed boot loader and the firmware's rule for removable media call these files.
BOOT_FILES = {
    "usr/lib/shim/shimx64.efi.signed": "EFI/BOOT/BOOTX64.EFI",
    "usr/lib/shim/mmx64.efi.signed": "EFI/BOOT/mmx64.efi",
    "usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed": "EFI/BOOT/grubx64.efi",
}
MENU = "set timeout=0\nmenuentry debian {\nlinux /vmlinuz console=ttyS0 panic=-1 loglevel=4 tsc=reliable\ninitrd /image\n}\n"
PASSWORD = "ktrack-mok"
DOWN, ENTER = "\x1b[B", "\r"
ESCAPE = re.compile(r"\x1b\[[0-9;?=]*[A-Za-z]")
STEP_S = 300
# Of a suite, those that machines run here.
KERNELS = {"bookworm": ("6.1", "6.12")}
# The first process of the machine. It asks for a key until the module is loaded.
INIT = r"""#!/bin/busybox sh
export PATH=/usr/bin:/bin:/sbin:/usr/sbin
/bin/busybox mkdir -p /proc /sys /dev /tmp /sbin /usr/sbin
/bin/busybox mount -t proc proc /proc
/bin/busybox --install -s 2>/dev/null
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev 2>/dev/null
mount -t securityfs securityfs /sys/kernel/security
mount -t tracefs tracefs /sys/kernel/tracing
insmod /efivarfs.ko
mount -t efivarfs efivarfs /sys/firmware/efi/efivars
exec setsid sh -c 'exec sh /steps <>/dev/ttyS0 >&0 2>&0'
"""
STEPS = r"""echo "BEGIN $(mokutil --sb-state)"
ktrack doctor | grep -E ' (modules|lockdown) '
mokutil --test-key /mok.pub
if insmod /ktrack.ko; then
	ktrack doctor | grep ' modules '
	rmmod ktrack
	echo END loaded
	poweroff -f
fi
echo REFUSED
mokutil --import /mok.pub
mokutil --list-new | grep -E 'Subject|\[key'
echo END imported
sync
reboot -f
"""


class Serial:
    """A machine's serial line."""

    def __init__(self, words):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.text = ""
        self.raw = b""
        self.place = 0

    def read(self):
        """Takes what has arrived; False at the end."""
        if not select.select([self.process.stdout], [], [], 1)[0]:
            return True
        data = os.read(self.process.stdout.fileno(), 65536)
        self.raw += data
        self.text = ESCAPE.sub("", self.raw.decode(errors="replace"))
        return bool(data)

    def wait(self, expected):
        """Until the text after the last one that was awaited contains an expression; the match or None."""
        limit = time.monotonic() + STEP_S
        while time.monotonic() < limit:
            found = re.search(expected, self.text[self.place :])
            if found:
                self.place += found.end()
                return found
            if not self.read():
                return None
        return None

    def send(self, *keys):
        """Types; the MOK manager drops what comes faster than it draws."""
        for key in keys:
            time.sleep(1)
            self.process.stdin.write(key.encode())
            self.process.stdin.flush()

    def end(self):
        """Ends the machine if it still runs."""
        self.process.kill()
        self.process.wait()


def download(folder, release):
    """Unpacks what boots, and the module for the firmware's variables."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [*PACKAGES, f"linux-image-{release}"]
    options = ["-q", "-o", f"APT::Sandbox::User={os.environ.get('USER', 'root')}"]
    subprocess.run(["apt-get", *options, "download", *names], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for package in folder.glob("*.deb"):
        wanted = [*(f"./{name}" for name in BOOT_FILES), "./*lib/modules/*/efivarfs.ko*"]
        unpack = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-C", folder, "--wildcards", *wanted], stdin=unpack.stdout, stderr=subprocess.DEVNULL, check=False)
        unpack.wait()
        package.unlink()


def module_plain(folder, module):
    """A copy of a module that is not compressed; its signature is part of it."""
    copy = folder / module.name
    shutil.copy(module, copy)
    if copy.suffix == ".xz":
        subprocess.run(["xz", "-d", copy], check=True)
        copy = copy.with_suffix("")
    return copy


def image_make(folder, kernel, module, key):
    """The machine's file system in memory."""
    root = folder / "root"
    (root / "vm").mkdir(parents=True)
    (folder / "init").write_text(INIT)
    (folder / "init").chmod(0o755)
    (folder / "steps").write_text(STEPS)
    variables = module_plain(folder, next((folder / "files").rglob("efivarfs.ko*")))
    files = {folder / "init": "/init", folder / "steps": "/steps", key: "/mok.pub", variables: "/efivarfs.ko"}
    files[module_plain(folder, module)] = "/ktrack.ko"
    files[Path(shutil.which("mokutil"))] = "/usr/bin/mokutil"
    words = [PROJECT / "scripts/vm-image", kernel, root, folder / "image", *(f"{name}:{place}" for name, place in files.items())]
    subprocess.run(words, check=True)


def disk_make(folder, kernel):
    """A disk from which the firmware boots."""
    disk = folder / "esp"
    subprocess.run(["mformat", "-C", "-F", "-T", str(300 * 2048), "-h", "64", "-s", "32", "-i", disk, "::"], check=True)
    (folder / "grub.cfg").write_text(MENU)
    subprocess.run(["mmd", "-i", disk, "::EFI", "::EFI/BOOT", "::EFI/debian"], check=True)
    files = {folder / "files" / name: place for name, place in BOOT_FILES.items()}
    files |= {folder / "grub.cfg": "EFI/debian/grub.cfg", kernel / "vmlinuz": "vmlinuz", folder / "image": "image"}
    for name, place in files.items():
        subprocess.run(["mcopy", "-i", disk, name, f"::{place}"], check=True)
    return disk


def machine_start(folder, disk):
    """The machine, whose firmware has Microsoft's keys and requires signatures."""
    shutil.copy(FIRMWARE / "OVMF_VARS_4M.ms.fd", folder / "vars")
    words = ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-nic", "none", "-serial", "stdio"]
    words += ["-machine", "q35,smm=on", "-accel", "tcg,thread=single", "-cpu", "max", "-m", "1024"]
    words += ["-global", "driver=cfi.pflash01,property=secure,value=on"]
    words += ["-drive", f"if=pflash,format=raw,unit=0,readonly=on,file={FIRMWARE / 'OVMF_CODE_4M.ms.fd'}"]
    words += ["-drive", f"if=pflash,format=raw,unit=1,file={folder / 'vars'}", "-drive", f"if=virtio,format=raw,file={disk}"]
    return Serial(words)


# What is awaited and typed, in this order: what ktrack-doctor(1) says.
ENROLLMENT = (
    ("BEGIN SecureBoot enabled", "Secure Boot is on", ()),
    ("limited +modules +the kernel loads only signed modules; load a ktrack.ko", "doctor reports it", ()),
    ("is not enrolled", "mokutil --test-key: the key of DKMS is not enrolled", ()),
    ("REFUSED", "the module is refused", ()),
    ("input password:", "mokutil --import asks for a password", (PASSWORD + ENTER,)),
    ("input password again:", "and again", (PASSWORD + ENTER,)),
    ("Subject.*DKMS", "mokutil --list-new lists it", ()),
    ("Press any key to perform MOK management", "after a restart, the firmware waits for a key", (ENTER,)),
    ("Enroll MOK", "the MOK manager offers to enroll", (DOWN, ENTER)),
    ("Continue", "it can show the key", (DOWN, ENTER)),
    ("Enroll the key", "it asks again", (DOWN, ENTER)),
    ("Password:", "it asks for the password", (PASSWORD, ENTER)),
    ("Reboot", "it restarts the machine", (ENTER,)),
)


def enroll(tap, place, serial):
    """Imports the key, restarts, confirms it."""
    for expected, text, keys in ENROLLMENT:
        if not tap.ok(serial.wait(expected), f"{place}: {text}", serial.text[-3000:]):
            break
        serial.send(*keys)


def check_machine(tap, place, folder, kernel, module, key):
    """One machine."""
    download(folder / "files", kernel.name)
    image_make(folder, kernel, module, key)
    serial = machine_start(folder, disk_make(folder, kernel))
    try:
        enroll(tap, place, serial)
        tap.ok(serial.wait("mok.pub is already enrolled"), f"{place}: mokutil --test-key: it is enrolled", serial.text[-3000:])
        tap.ok(serial.wait("ok +modules +ktrack.ko is loaded"), f"{place}: the kernel loads ktrack.ko", serial.text[-3000:])
        tap.ok(serial.wait("END loaded"), f"{place}: the machine ends", serial.text[-2000:])
    finally:
        serial.end()


def check_secure_boot(tap, suite, root):
    """The modules that DKMS made in a system are loaded after its key was enrolled."""
    for series in KERNELS.get(suite, ()):
        kernel = machine.kernel_folder(series)
        modules = [*(root / "lib/modules" / kernel.name / "updates").rglob("ktrack.ko*")]
        tap.ok(len(modules) == 1, f"{suite}, {series}: DKMS made a module", *modules)
        with tempfile.TemporaryDirectory(dir=root.parent) as folder:
            check_machine(tap, f"{suite}, {series}, Secure Boot", Path(folder), kernel, modules[0], root / "var/lib/dkms/mok.pub")
