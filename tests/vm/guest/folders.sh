#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: root, directly and behind sudo, records and writes in folders where a user puts links, FIFOs and other folders.
# Leaves /out/NAME.status and /out/NAME.errors of each attempt, /out/rights (privileges of a recorder in a user's folder), and in the
# output a line for each file of root's that was changed or given away.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

SECRET="known to root only"

user() {
	su user -c "umask 0; $1"
}

sudo_ktrack() {
	SUDO_UID=1000 SUDO_GID=1000 exec ktrack "$@"
}

# Whether root's file is as it was. Argument: what happened before.
secret_look() {
	[ "$(cat /secret) $(stat -c '%u %a' /secret)" = "$SECRET 0 600" ] || echo "$1: $(ls -l /secret)"
}

# home NAME: an empty folder of the user's
home() {
	mkdir "/h/$1"
	chown user:user "/h/$1"
}

# record_while NAME COMMAND: records behind sudo to /h/NAME/x.dat, while the user runs the command there
record_while() {
	home "$1"
	sudo_ktrack record -e ktrack_test -o "/h/$1/x.dat" >/dev/null 2>"/out/$1.errors" &
	recorder=$!
	wait_while_alive $recorder is_recording_dropped $recorder
	grep '^CapPrm' /proc/$recorder/status >/out/rights
	user "cd /h/$1; $2" || echo "$1: the user could not"
	echo nested 5 >/dev/ktrack_test
	kill -TERM $recorder
	status=0
	wait $recorder || status=$?
	echo $status >"/out/$1.status"
	secret_look "$1"
}

sticky() {
	echo 2 >/proc/sys/fs/protected_regular
	echo 2 >/proc/sys/fs/protected_fifos
	mkdir /sticky
	chmod 1777 /sticky
	user ': >/sticky/file; mkfifo /sticky/fifo'
	attempt sticky-file ktrack export --event=/sticky/file /r.dat
	[ ! -s /sticky/file ] || echo "the user's file in a sticky folder was written to"
	attempt sticky-html ktrack export --html=/sticky/file /r.dat
	user 'timeout 60 cat /sticky/fifo >/tmp/got' &
	attempt sticky-fifo timeout 50 ktrack export --event=/sticky/fifo /r.dat
	kill $! 2>/dev/null || true
	attempt sticky-settings env KTRACK_TRACE2_EVENT=/sticky/file ktrack export /r.dat
	attempt sticky-own sudo_own
}

# What the user made is the user's behind sudo.
sudo_own() {
	(sudo_ktrack export --event=/sticky/file /r.dat)
}

# A session that opens its file again meets a link.
renewed() {
	home renewed
	sudo_ktrack stream -e ktrack_test --session-every=2s --event=/h/renewed/s.json -d 10 2>/out/renewed.errors &
	stream=$!
	wait_while_alive $stream grep -q '"start"' /h/renewed/s.json
	user 'rm -f /h/renewed/s.json; ln -s /secret /h/renewed/s.json'
	status=0
	wait $stream || status=$?
	echo $status >/out/renewed.status
	secret_look renewed
}

# The same without links: each session adds to the file that is the user's.
sessions() {
	home sessions
	attempt sessions sh -c 'SUDO_UID=1000 SUDO_GID=1000 exec ktrack stream -e ktrack_test --session-every=1s --append --event=/h/sessions/s.json -d 4'
	grep -c '"event":"version"' /h/sessions/s.json >/out/sessions.count || true
	stat -c %u /h/sessions/s.json >>/out/sessions.count
}

killed() {
	home killed
	sudo_ktrack record -e ktrack_test -o /h/killed/x.dat 2>/dev/null &
	recorder=$!
	wait_while_alive $recorder is_recording_dropped $recorder
	echo nested 5 >/dev/ktrack_test
	process_kill $recorder
	attempt killed sh -c 'SUDO_UID=1000 SUDO_GID=1000 exec ktrack recover /h/killed/x.dat'
	stat -c '%u %a' /h/killed/x.dat >/out/killed.owner
}

# A database and its journal are the user's, and the journal is gone at the end; a budget is judged.
database() {
	home database
	attempt database sh -c 'SUDO_UID=1000 SUDO_GID=1000 exec ktrack stream -e ktrack_test --sqlite=/h/database/s.db \
		--budget="* max < 1h" -- sh -c "echo nested 5 >/dev/ktrack_test"'
	attempt exceeded ktrack stream -e ktrack_test --event=/dev/null --budget='* max < 1ns' -- sh -c 'echo nested 5 >/dev/ktrack_test'
	attempt failing ktrack stream -e ktrack_test --event=/dev/null --budget='* max < 1ns' -- sh -c 'echo nested 5 >/dev/ktrack_test; exit 7'
	stat -c '%n %u %a' /h/database/* >/out/database.owner
	ktrack query --csv /h/database/s.db 'SELECT is_complete, (SELECT count(*) > 0 FROM slice) FROM recording' >/out/database.rows
}

insmod /modules/ktrack_test.ko
symbols_keep
echo "$SECRET" >/secret
chmod 600 /secret
mkdir /h
chown user:user /h
ktrack record -e ktrack_test -o /r.dat -- sh -c 'echo nested 5 >/dev/ktrack_test' >/dev/null
chmod 644 /r.dat
sticky
record_while plain true
stat -c '%u %a' /h/plain/x.dat >/out/plain.owner
record_while link 'rm x.dat.spool/formats; ln -s /secret x.dat.spool/formats'
record_while fifo 'rm x.dat.spool/comms; mkfifo x.dat.spool/comms'
echo 0 >/proc/sys/fs/protected_hardlinks
record_while hard 'ln /secret x.dat.spool/trace.dat'
record_while hardformats 'rm x.dat.spool/formats; ln /secret x.dat.spool/formats'
record_while folder 'cd ..; mv folder away; ln -s /etc folder'
[ ! -e /etc/x.dat ] || echo "a file was made in /etc"
stat -c %u /h/away/x.dat >/out/folder.owner
renewed
sessions
killed
database
ktrack clean >/dev/null 2>&1 || true
rmmod ktrack_test
