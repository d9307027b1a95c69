#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: runs unit tests; leaves UNIT.tap and UNIT.status of each, and page_size. Arguments: UNIT...
set -eu

# Of each: the slowest needs a tenth of it.
limit_s=600

cd /tree
mount -t tmpfs tmpfs /tmp
printf 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/nonexistent:/bin/sh\n' >/etc/passwd
sed -n 's/^KernelPageSize: *\([0-9]*\) kB/\1/p' /proc/self/smaps | head -n 1 >/out/page_size
for name in "$@"; do
	status=0
	timeout $limit_s "build/tests/unit/$name" >"/out/$name.tap" 2>&1 </dev/null || status=$?
	echo $status >"/out/$name.status"
done
