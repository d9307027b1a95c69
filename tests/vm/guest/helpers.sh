# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2034 # scripts that include this file use its variables
# Guest: functions and paths that all scripts share; every VM has this file as /helpers.sh.

TRACING=/sys/kernel/tracing
INSTANCES=$TRACING/instances

# A traced command: prints the capabilities of the reading process, once it has dropped privileges, and its own.
# shellcheck disable=SC2016 # the traced shell expands it
PRIVILEGES='tries=0
	until grep -q "^NoNewPrivs:.*1" /proc/$PPID/status || [ $tries -ge 600 ]; do tries=$((tries + 1)); sleep 0.1; done
	grep "^Cap[PE]" /proc/$PPID/status
	grep "^CapEff" /proc/self/status'

# Repeats a command until it succeeds. Tries are counted, not time: each takes CPU time of the guest, of which what is awaited gets
# its share, however busy or fast the clocks are.
wait_for() {
	tries=0
	until "$@" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 6000 ] || { echo "${name-}: timeout of wait_for $*"; return 1; }
		usleep 50000
	done
}

# Arguments: PROCESS [COMMAND...]; the same while a process runs.
wait_while_alive() {
	alive=$1
	shift
	wait_for alive_or "$alive" "$@"
	"$@" 2>/dev/null || { echo "${name-}: ktrack ended early"; return 1; }
}

alive_or() {
	process=$1
	shift
	"$@" || ! kill -0 "$process"
}

# Whether a ktrack records. Argument: its process. A new instance is switched on before it is set up.
is_recording() {
	grep -q . "$INSTANCES/ktrack-$1/set_event" && [ "$(cat "$INSTANCES/ktrack-$1/tracing_on")" = 1 ]
}

has_dropped() {
	grep -q '^NoNewPrivs:.*1' "/proc/$1/status" && grep '^Cap[PE]' "/proc/$1/status"
}

is_recording_dropped() {
	is_recording "$1" && has_dropped "$1" >/dev/null
}

# Runs a command; leaves /out/NAME.status, NAME.output, NAME.errors, and NAME.left (the instances). Arguments: NAME COMMAND...
attempt() {
	name=$1
	status=0
	shift
	"$@" >"/out/$name.output" 2>"/out/$name.errors" || status=$?
	echo $status >"/out/$name.status"
	[ ! -d $INSTANCES ] || ls $INSTANCES >"/out/$name.left"
}

# Ends a process in order. Arguments: PROCESS NAME
process_end() {
	kill -TERM "$1"
	wait "$1" || echo "$2: exit status $?"
}

process_kill() {
	kill -KILL "$1"
	wait "$1" 2>/dev/null || true
}

# Reports instances that remain, except one that the boot made. Argument: the run that left them
instances_check() {
	find $INSTANCES -mindepth 1 -maxdepth 1 ! -name "$(sed -n 's/.* trace_instance=\([^^ ]*\).*/\1/p' /proc/cmdline)" |
		sed "s/^/$1: left behind: /"
}

# Records by conditions: timers of one function, and calls of threads with one name.
conditions_record() {
	attempt function ktrack stream -v --event=/out/function.json \
		-r 'instant my:timer event=timer:hrtimer_expire_entry name={function} where=(function.function == hrtimer_wakeup)' \
		-- sh -c 'sleep 0.1; sleep 0.1'
	attempt comm ktrack stream --event=/out/comm.json -r 'instant my:call event=raw_syscalls:sys_enter where=COMM == "cat"' \
		-- cat /proc/version
}

# Saves the test module's counts. Argument: NAME of /out/NAME.fired
fired_save() {
	grep '^cpu ' /dev/ktrack_test >"/out/$1.fired"
}

# Puts the second processor online when time is counted in instructions: /yield lets it run.
second_cpu_start() {
	[ -e /yield ] || return 0
	/yield &
	echo 1 >/sys/devices/system/cpu/cpu1/online
	kill $!
}

# Each of two processors interrupts the other one: for a thread that may only run there, and for a change of the kernel's code.
processors_interrupt() {
	taskset 1 dd if=/dev/zero bs=512 count=100 2>/dev/null | taskset 2 cat | taskset 1 cat >/dev/null
	echo 1 >/proc/sys/kernel/task_delayacct
	echo 0 >/proc/sys/kernel/task_delayacct
}

# Reads a disk that is not in the page cache, and runs pipes and processes.
read_and_pipe() {
	echo 3 >/proc/sys/vm/drop_caches
	dd if=/dev/loop0 of=/dev/null bs=4k count=256 2>/dev/null
	dd if=/dev/zero bs=512 count=500 2>/dev/null | cat >/dev/null
	for number in 1 2 3 4 5 6 7 8 9 10; do
		echo "$number" | sed 's/1/2/' >/dev/null
	done
}

# Replaces /proc/kallsyms, which takes a kernel 350 million instructions for each reader, by a copy, for recordings whose symbols are
# not looked at: that of a kept machine, or of the first call.
symbols_keep() {
	[ -e /kallsyms ] || cat /proc/kallsyms >/kallsyms
	mount --bind /kallsyms /proc/kallsyms
}

# The same by a copy that has the modules that are loaded now.
symbols_keep_loaded() {
	cat /proc/kallsyms >/kallsyms
	symbols_keep
}

symbols_restore() {
	umount /proc/kallsyms
}
