#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Test: files that root writes for the user who called sudo are opened with that user's rights.
set -eu

# shellcheck source=tests/cli/process.sh
. "$(dirname "$0")/process.sh"

unset KTRACK_TRACE2 KTRACK_TRACE2_PERF KTRACK_TRACE2_EVENT
USER_ID=65534
tests/golden/mktrace tests/golden/filters.script "$folder/trace.dat"
chmod 0644 "$folder/trace.dat"
cd "$folder"
mkdir users roots
chown "$USER_ID:$USER_ID" users
echo "of root" >roots/precious
chmod 0644 roots/precious

as_user() {
	setpriv --reuid="$USER_ID" --regid="$USER_ID" --clear-groups "$@"
}

under_sudo() {
	run env SUDO_UID="$USER_ID" SUDO_GID="$USER_ID" "$ktrack" "$@"
}

is_untouched() {
	is "$1" "$(cat roots/precious) $(stat -c %u roots/precious)" = "of root 0"
}

as_user ln -s "$folder/roots/precious" users/link
as_user ln -s "$folder/roots" users/folder
as_user ln -s /nonexistent users/dangling
for option in event perf normal chrome perfetto fxt html sqlite otlp otlp-metrics; do
	under_sudo export "--$option=users/link" trace.dat
	refused "--$option follows no link of the user's" 1 "cannot open users/link for writing: symbolic links are not followed under sudo; write the path of the file itself"
done
is_untouched "and what it leads to stays"
under_sudo export --html=users/folder/precious trace.dat
refused "nor a link to a folder of root's" 1 "cannot open users/folder/precious for writing: symbolic links are not followed under sudo; write the path of the file itself"
under_sudo export --html=users/folder/new trace.dat
is "in which no file is made" "$status $(ls roots)" = "1 precious"
if [ "$(cat /proc/sys/fs/protected_hardlinks)" = 0 ]; then
	as_user ln roots/precious users/hard
else
	ln roots/precious users/hard
fi
under_sudo export --html=users/hard trace.dat
refused "a hard link to a file of root's is not written to" 1 "cannot open users/hard for writing: Permission denied"
is_untouched "and that stays"
run env SUDO_UID="$USER_ID" SUDO_GID="$USER_ID" KTRACK_TRACE2_EVENT="$folder/users/link" "$ktrack" export trace.dat
is "nor is a link followed that the environment names" "$status" = 1
is_untouched "which also stays"

for option in event perf normal chrome perfetto fxt html sqlite otlp; do
	under_sudo export "--$option=users/$option" trace.dat
	is "--$option makes a file of the user's" "$status $(stat -c '%u %g %a' "users/$option")" = "0 $USER_ID $USER_ID 600"
	is "which has something" -s "users/$option"
done
as_user ln -s "$folder/roots/precious" users/linked.db-journal
under_sudo export --sqlite=users/linked.db trace.dat
is_untouched "a journal that is a link is not followed"
is "it is removed" "$status $(find users -name "*journal")" = "0 "
under_sudo export --event=users/event trace.dat
is "which can be replaced" "$status" = 0
mkdir users/sessions
chown "$USER_ID:$USER_ID" users/sessions
under_sudo export --event=users/sessions trace.dat
is "so does a folder of sessions" "$status $(stat -c %u users/sessions/*)" = "0 $USER_ID"
under_sudo export --event=roots/event trace.dat
is "a new file in a folder of root's is the user's" "$status $(stat -c %u roots/event)" = "0 $USER_ID"
under_sudo export --event=roots/precious trace.dat
is "a file there is replaced" "$status $(head -c 10 roots/precious)" = '0 {"event":"'
under_sudo export --html=/dev/null --event=/dev/stdout trace.dat
is "devices and /dev/stdout are what they are" "$status $(head -c 10 out)" = '0 {"event":"'
run sh -c 'SUDO_UID=65534 SUDO_GID=65534 "$0" export --event=/dev/stdout trace.dat | cat' "$ktrack"
is "a pipe of root's too" "$(head -c 10 out)" = '{"event":"'
chmod 0555 users
under_sudo export --html=users/link trace.dat
is "a folder that its owner may not write to now is the user's, too" "$status $(cut -c 1-30 err)" = "1 ktrack: cannot open users/link"
chmod 0755 users
finish
