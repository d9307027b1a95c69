#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: a module that a rule waits for is loaded, unloaded, and loaded in another build, whose tracepoint has another format.
# Argument: the rule. Leaves stream.json and record.dat of such loads, whole.dat of one build, and what each load fired.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

RULE=$1

# The function that writes records may interrupt the recorder. Arguments: NAME COMMAND...
recorder_begin() {
	name=$1
	shift
	"$@" --wait --ready-fd=3 -r "$RULE" 2>"/out/$name.errors" 3>"/out/$name.ready" & recorder=$!
	wait_while_alive $recorder grep -q ready "/out/$name.ready"
}

# Arguments: BUILD LOAD
module_use() {
	insmod "/$1/ktrack_test.ko"
	wait_while_alive $recorder grep -q ktrack_test_cpu "$INSTANCES/ktrack-$recorder/set_event"
	echo everywhere 3 >/dev/ktrack_test
	fired_save "$name.$2"
	echo "$name $1 $(cat $TRACING/events/ktrack_test/ktrack_test_cpu/id)" >>/out/ids
}

symbols_keep
recorder_begin stream ktrack stream --include-self --event=/out/stream.json
load=0
for build in one other one other; do
	load=$((load + 1))
	module_use $build $load
	ktrack release ktrack_test >/dev/null
	rmmod ktrack_test
done
process_end $recorder stream

# These builds do not keep themselves loaded while they are recorded.
recorder_begin record ktrack record --include-self -o /out/record.dat
module_use one 1
rmmod ktrack_test
wait_for test -s /out/record.errors
module_use other 2
process_end $recorder record
rmmod ktrack_test

recorder_begin whole ktrack record --include-self -o /out/whole.dat
module_use other 1
process_end $recorder whole
rmmod ktrack_test
instances_check modules
