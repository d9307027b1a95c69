#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: scenarios of the test module are fired once into five instances: that of a live stream, that of a recording,
# two that were set up by hand, and the top level's, for trace-cmd. Arguments: SCENARIO...
# Leaves live, instance, saved, file and own (streams), of the last three also what trace-cmd says of the file, report,
# own.report and saved.report; and formats/SYSTEM/EVENT.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

MINE=/sys/kernel/tracing/instances/mine
KEPT=/sys/kernel/tracing/instances/kept

insmod /modules/ktrack_test.ko
insmod /modules/ktrack_twin.ko
symbols_keep
for instance in "$MINE" "$KEPT"; do
	mkdir "$instance"
	echo boot >"$instance/trace_clock"
	echo 1 >"$instance/events/ktrack_test/enable"
	echo 1 >"$instance/events/ktrack_twin/enable"
	echo 8192 >"$instance/buffer_size_kb"
done
trace-cmd start -b 8192 -C boot -e ktrack_test -e ktrack_twin >/dev/null
# shellcheck disable=SC2016 # the traced shell expands it
ktrack record -b 8192 -e 'ktrack_t*' -o /out/own.dat -- ktrack stream -b 8192 -e 'ktrack_t*' --event=/out/live -- \
	sh -c 'for name in "$@"; do echo "$name" 1 >/dev/ktrack_test; done' fire "$@" ||
	echo "the recording of the stream ended with status $?"
trace-cmd stop
trace-cmd extract -o /out/trace.dat >/tmp/errors 2>&1 || cat /tmp/errors
trace-cmd reset
ktrack export -e 'ktrack_t*' tracefs:mine >/out/instance || echo "no export of the instance"
ktrack export -e 'ktrack_t*' --with=tid,cpu --save=/out/saved.dat tracefs:kept >/out/saved || echo "no export of what is saved"
ktrack export --with=tid,cpu /out/trace.dat >/out/file || echo "no export of the file"
ktrack export --with=tid,cpu /out/own.dat >/out/own || echo "no export of our own file"
trace-cmd report -R -t /out/trace.dat >/out/report 2>/tmp/errors || cat /tmp/errors
for file in own saved; do
	trace-cmd report -R -t "/out/$file.dat" >"/out/$file.report" 2>/tmp/errors || cat /tmp/errors
done
for format in "$MINE"/events/ktrack_t*/*/format; do
	event=${format%/format}
	event=${event#"$MINE"/events/}
	mkdir -p "/out/formats/${event%/*}"
	cat "$format" >"/out/formats/$event"
done
for instance in "$MINE" "$KEPT"; do
	echo 0 >"$instance/events/enable"
	rmdir "$instance"
done
