#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: system calls of 32-bit programs that run before a recording, and of ones that are executed during it.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

symbols_keep
/calls on & early=$!
echo $early >/out/early
attempt live ktrack stream -r syscalls --event=/out/live.json -- sh -c '/calls; usleep 100000'
attempt record ktrack record -r syscalls -o /out/calls.dat -- sh -c '/calls; usleep 100000'
ktrack record -r syscalls -o /out/killed.dat 2>/out/killed.errors & recorder=$!
wait_while_alive $recorder is_recording $recorder
usleep 200000
process_kill $recorder
attempt recover ktrack recover /out/killed.dat
# Nothing shows that the early one is a 32-bit program to trace-cmd.
attempt other trace-cmd record -q -C boot -e raw_syscalls -e sched:sched_process_fork -o /out/other.dat sh -c '/calls; usleep 100000'
kill $early
attempt file ktrack export -r syscalls --event=/out/file.json /out/calls.dat
attempt recovered ktrack export -r syscalls --event=/out/recovered.json /out/killed.dat
attempt theirs ktrack export -r syscalls --event=/out/theirs.json /out/other.dat
rm -f /out/*.dat
