#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: programs of another user that do their worst, beside one of root's and beside the test module, while ktrack records all.
# Arguments: ROUNDS RATE (of the module), PAIRS PAUSE_US (of the honest program).
# Leaves /out/stream (what /clocked says), .fired (the module), honest (the program), took_ms (from SIGTERM to the end), errors.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

# As the other user, until it is killed. Arguments: COMMAND
besiege() {
	su user -c "exec $*" >/dev/null 2>&1 &
}

passed_ms() {
	sed 's/\([0-9]*\)\.\([0-9]*\) .*/\1\20/' /proc/uptime
}

has_all() {
	[ "$(grep -lx "$1" /proc/[0-9]*/comm | wc -l)" -ge "$2" ]
}

second_cpu_start
symbols_keep
insmod /modules/ktrack_test.ko
mkfifo /tmp/stream
/clocked '"nesting":1,"category":"prog:prog_one"' </tmp/stream >/out/stream &
reader=$!
ktrack stream -b 8192 --programs=all -e ktrack_test:ktrack_test_cpu,ktrack_test:ktrack_test_level_cpu --with=cpu --event=/tmp/stream 2>/out/errors &
stream=$!
wait_while_alive $stream is_recording $stream
wait_for test -S /run/ktrack/user.sock
for mode in flood scramble "connect /run/ktrack/user.sock" files forks events; do
	besiege /siege "$mode"
done
besiege /odd damage
besiege /odd withhold
besiege /leased
besiege "sh -c 'while :; do /forge; /odd texts; done'"
/hostile /run/ktrack/user.sock linger >/dev/null &
mkdir /tmp/fuse
/hostile /run/ktrack/user.sock fuse /tmp/fuse >/dev/null &
wait_for has_all siege 8
/load 2 "$3" "$4" >/out/honest &
honest=$!
echo "everywhere $1 $2" >/dev/ktrack_test
wait $honest
begin_ms=$(passed_ms)
process_end $stream ktrack
echo $(($(passed_ms) - begin_ms)) >/out/took_ms
wait $reader
fired_save stream
for process in $(pidof siege odd leased hostile forge); do
	kill -KILL "$process" 2>/dev/null || true
done
instances_check "the end"
