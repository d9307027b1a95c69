#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# In a machine whose system has the packages installed: types what the installed pages show, each page's blocks in one folder
# with the files that its reader saved. Arguments: the pages. Leaves /typed/BLOCK.log, /typed/PAGE-FILE.html and
# "BLOCK STATUS MILLISECONDS" in /typed/times.
set -eu

export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root

now_ms() {
	echo $((${EPOCHREALTIME/./} / 1000))
}

block_type() {
	local name=$1 status=0 begin_ms
	shift
	begin_ms=$(now_ms)
	"$@" >"/typed/$name.log" 2>&1 </dev/null || status=$?
	echo "$name $status $(($(now_ms) - begin_ms))" >>/typed/times
}

# Readers are users, and have sudo; here they are root.
printf '#!/bin/sh\nexec "$@"\n' >/usr/local/bin/sudo
chmod 755 /usr/local/bin/sudo
mkdir -p /typed
# DKMS of unstable leaves the index of modules to the kernel's own package, which is not installed.
[ -e "/lib/modules/$(uname -r)/modules.dep" ] || depmod
if [ -n "$(find "/lib/modules/$(uname -r)/updates" -name 'ktrack.ko*' 2>/dev/null)" ]; then
	block_type module sh -euc 'modprobe ktrack; ktrack doctor; modprobe -r ktrack'
fi
for page in "$@"; do
	mkdir -p "/tmp/typed/$page"
	cd "/tmp/typed/$page" || exit 1
	for block in /tmp/blocks/"$page"-*; do
		block_type "${block##*/}" bash -eu "$block"
	done
	for file in *.html; do
		cp "$file" "/typed/$page-$file"
	done
done
