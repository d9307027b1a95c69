#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: exports batches of the demo live. Arguments: REQUESTS:WORKERS:SLOTS...
# Leaves batch.N.json, list.txt, delays.txt with a line for each of some firings: how many hundredths of a second after its
# end all of it was in the file that a stream writes; and in the output a line for each thing that should not have happened.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

FIRINGS=27

# Everything that can be set at the top level, where a stream has no business.
settings_show() {
	cat $TRACING/tracing_on $TRACING/trace_clock $TRACING/buffer_size_kb $TRACING/set_event
	cat $TRACING/events/enable $TRACING/current_tracer $TRACING/trace_options
}

batch_stream() {
	insmod /modules/ktrack_demo.ko "workers=$3" "slots=$4"
	ktrack list >/out/list.txt
	ktrack stream -b 4096 "--event=/out/batch.$1.json" -- sh -c "echo $2 >/dev/ktrack_demo" ||
		echo "a batch of $2 ended with status $?"
	rmmod ktrack_demo || echo "ktrack_demo could not be removed after the stream"
}

now_read() {
	read -r now _ </proc/uptime
	now=${now%.*}${now#*.}
}

firings_count() {
	grep -c '"region_leave".*"label":"run"' /tmp/delayed.json || true
}

# What the module does is over when the write returns.
delay_measure() {
	echo 1 >/dev/ktrack_demo
	now_read
	fired=$now
	tries=0
	while [ "$(firings_count)" -lt "$1" ] && [ "$tries" -lt 1000 ]; do
		tries=$((tries + 1))
	done
	now_read
	echo $((now - fired)) >>/out/delays.txt
}

delays_measure() {
	insmod /modules/ktrack_demo.ko
	ktrack stream --event=/tmp/delayed.json &
	stream=$!
	wait_while_alive $stream test -s /tmp/delayed.json
	firing=0
	while [ "$firing" -lt "$FIRINGS" ]; do
		firing=$((firing + 1))
		delay_measure "$firing"
	done
	process_end $stream "a stream that is asked to end"
	rmmod ktrack_demo
}

sessions_are_enough() {
	[ "$(grep -c '"event":"atexit"' /out/sessions.json)" -ge 3 ] &&
		grep -q '"event":"region_enter".*"continued":true' /out/sessions.json
}

# Batches until sessions have ended, one of them within a slice. A file that is moved away is left behind.
sessions_stream() {
	insmod /modules/ktrack_demo.ko
	ktrack stream -b 4096 --session-every=100ms --event=/out/sessions.json &
	stream=$!
	wait_while_alive $stream test -s /out/sessions.json
	batches=0
	# Each takes several sessions' time.
	until sessions_are_enough || [ $batches -ge 20 ]; do
		echo 2000 >/dev/ktrack_demo
		batches=$((batches + 1))
	done
	mv /out/sessions.json /out/sessions.first.json
	wait_while_alive $stream test -s /out/sessions.json
	process_end $stream "a stream of several sessions"
	echo $batches >/out/sessions.batches
	rmmod ktrack_demo
}

second_cpu_start
insmod /modules/ktrack.ko
# On 6.1 the first instance that resizes its buffer could keep the top level's from ever growing beyond its boot size.
ktrack stream -d 100ms --event=/dev/null || echo "an empty stream ended with status $?"
[ "$(cat $TRACING/buffer_size_kb)" != 7 ] || echo "the top level's buffer is stuck at its boot size"
before=$(settings_show)
number=0
for batch in "$@"; do
	workers=${batch#*:}
	batch_stream "$number" "${batch%%:*}" "${workers%:*}" "${batch##*:}"
	number=$((number + 1))
done
delays_measure
sessions_stream
[ "$before" = "$(settings_show)" ] || echo "the top level's settings have changed"
instances_check "at the end"
rmmod ktrack
