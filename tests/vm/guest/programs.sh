#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: a program with ktrack/user.h beside the scheduler, live and from a file; without root, without tracefs.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

symbols_keep
attempt live ktrack stream --programs -r sched --event=/out/live.json -- sh -c '/load 2 300 3000 fork >/out/live.fired'
attempt record ktrack record --programs -r sched -o /out/both.dat -- sh -c '/load 2 300 3000 fork >/out/file.fired'
attempt file ktrack export -r sched -e prog --event=/out/file.json /out/both.dat
# What matches no tracepoint chooses events of programs.
attempt chosen ktrack stream --programs -r sched -e 'prog:prog_o*' --event=/out/chosen.json -- sh -c '/load 2 300 3000 fork >/out/chosen.fired'
attempt unchosen ktrack stream --programs -r sched -e 'prog:nothing' --event=/out/unchosen.json -- sh -c '/load 2 300 3000 fork >/out/unchosen.fired'
# A program that is the command needs no option, also if the pattern waits for a module.
attempt waiting ktrack record --wait -e 'prog:prog_o*' -o /out/waiting.dat -- /load 2 300 3000
attempt waiting_file ktrack export --event=/out/waiting.json /out/waiting.dat
# A program of another user, without the environment.
attempt other ktrack stream --programs --event=/out/other.json -- su user -c 'exec env -i /load 1 1 0'
# Another one calls its events as the kernel calls its tracepoints.
attempt forged_live ktrack stream --programs -r sched --event=/out/forged_live.json -- /forge
attempt forged_record ktrack record --programs -r sched -o /out/forged.dat -- /forge
attempt forged_file ktrack export -r sched -e sched,mytool --event=/out/forged_file.json /out/forged.dat
attempt forged_why ktrack why -r sched /out/forged.dat 'mytool:request/work'
umount "$TRACING"
attempt alone ktrack stream --programs --event=/out/alone.json -- sh -c '/load 2 300 3000 fork >/out/alone.fired'
rm -f /out/*.dat
