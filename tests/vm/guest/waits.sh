#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: the test module is loaded while a ktrack starts that waits for it. Arguments: "steps", or delays in seconds.
# With steps it is loaded at each point of /step.so, otherwise so long after the start. Each run has a name, a line in /out/runs,
# and leaves /out/NAME.json (what was recorded), NAME.errors, NAME.init and NAME.fired (what the module had written by the end of
# its init, and in all); in the output a line for each thing that should not have happened.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

# Arguments: NAME HOW; the rest of what it takes is in STEPS.
run_begin() {
	name=$1
	rm -rf /tmp/ready /tmp/stepped /tmp/a.dat
	set -- "$2" --wait -e ktrack_test,ktrack_early --ready-fd=3 -b 4096
	case $1 in
	stream) set -- "$@" "--event=/out/$name.json" ;;
	record) set -- "$@" -o /tmp/a.dat ;;
	live)
		shift
		set -- stat --live --json "$@"
		;;
	esac
	echo "$name" >>/out/runs
	LD_PRELOAD=$PRELOAD ktrack "$@" 3>/tmp/ready >"/out/$name.output" 2>"/out/$name.errors" &
	ktrack=$!
}

# Tracepoints are enabled in the order of their names; of those that are fired this is the last.
is_recorded() {
	grep -q 1 "$INSTANCES/ktrack-$ktrack/events/ktrack_test/ktrack_test_level_cpu/enable"
}

run_end() {
	process_end $ktrack "$name"
	[ ! -e /tmp/a.dat ] || ktrack export "--event=/out/$name.json" /tmp/a.dat
	instances_check "$name"
	rmmod ktrack_test
	[ ! -e /sys/module/ktrack_early ] || rmmod ktrack_early
}

fire() {
	grep '^cpu ' /dev/ktrack_test >"/out/$name.init" || true
	echo everywhere 10 >/dev/ktrack_test
	grep '^cpu ' /dev/ktrack_test >"/out/$name.fired"
}

# Arguments: HOW POINT=MODULE...; once ktrack says that it is ready, the module is recorded.
step() {
	how=$1
	shift
	export STEPS="$*"
	PRELOAD=/step.so
	run_begin "$prefix-$how-$(echo "$*" | sed 's|=[^ ]*||g; s| |-|g')" "$how"
	wait_for grep -qx ready /tmp/ready
	[ "$(grep -c ' 0$' /tmp/stepped)" = $# ] || echo "$name: $(cat /tmp/stepped)"
	is_recorded || echo "$name: ktrack is ready, and the module is not recorded"
	fire
	run_end
}

steps() {
	test=/modules/ktrack_test.ko
	for point in "$@"; do
		step stream "$point=$test"
	done
	for point in watch-after scan-after on-after; do
		step record "$point=$test"
	done
	step live "scan-after=$test"
	# Between the search and the enabling: its tracepoints get other ids.
	insmod $test
	step record instance-before=-ktrack_test instance-after=/modules/ktrack_early.ko "instance-before=$test"
	step stream on-before=/modules/ktrack_early.ko "rescan-after=$test"
}

# Arguments: HOW DELAY.
late() {
	PRELOAD=
	run_begin "$prefix-$1-$2" "$1"
	sleep "$2"
	insmod /modules/ktrack_test.ko
	wait_for grep -qx ready /tmp/ready
	if wait_for is_recorded; then
		fire
	fi
	run_end
}

# Writes /tmp/probes, which defines probes. Argument: their names, in the order of their ids.
# shellcheck disable=SC2016 # the script expands it
probes_script() {
	printf '#!/bin/sh\n: >%s\nfor probe in %s; do echo "p:probes/$probe do_sys_openat2" >>%s; done\n' \
		$TRACING/dynamic_events "$1" $TRACING/dynamic_events >/tmp/probes
	chmod 755 /tmp/probes
}

# Two probes exchange their ids between the search and the enabling, which no module reports.
exchange() {
	name=exchange
	rule='instant t:probe event=probes:one name=opened'
	rm -f /tmp/ready /tmp/stepped
	probes_script "one two"
	/tmp/probes
	probes_script "two one"
	LD_PRELOAD=/step.so STEPS=instance-before=!/tmp/probes ktrack record -r "$rule" --ready-fd=3 -o /tmp/b.dat \
		3>/tmp/ready >/out/exchange.output 2>/out/exchange.errors &
	ktrack=$!
	wait_for grep -qx ready /tmp/ready
	grep -q ' 0$' /tmp/stepped || echo "$name: $(cat /tmp/stepped)"
	cat /dev/null
	process_end $ktrack $name
	: >$TRACING/dynamic_events
	ktrack export -r "$rule" --event=/out/exchange.json /tmp/b.dat 2>>/out/exchange.errors || echo "$name: export: exit status $?"
}

points="watch-before watch-after scan-after instance-before on-before on-after"
for prefix in alone helped; do
	[ $prefix = alone ] || insmod /modules/ktrack.ko
	[ $prefix = alone ] || points="$points request-before request-after"
	# shellcheck disable=SC2086 # several words
	[ "$1" != steps ] || steps $points
	for delay in "$@"; do
		[ "$delay" = steps ] || late stream "$delay"
		[ "$delay" = steps ] || [ -z "${RECORDS:-}" ] || late record "$delay"
	done
done
[ "$1" != steps ] || exchange
