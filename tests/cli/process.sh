# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Runs ktrack as a process and prints TAP. Sourced by the tests of this folder, from where "$folder" is theirs to use.
set -eu

cd "$(dirname "$0")/../.."
[ -x build/ktrack ] || { echo "Bail out! build/ktrack is missing; run make userspace"; exit 1; }

number=0
nr_failed=0
folder=$(mktemp -d /tmp/ktrack-cli.XXXXXX)
trap 'rm -rf "$folder"' EXIT
chmod 0755 "$folder"
# Other users may not come to where the project is.
cp build/ktrack "$folder/ktrack"
export ktrack="$folder/ktrack"

# Runs a command; sets $status, writes $folder/out and $folder/err.
run() {
	status=0
	"$@" >"$folder/out" 2>"$folder/err" </dev/null || status=$?
}

# result WHAT STATUS: one line of TAP, good where STATUS is 0; a failure shows what the last command did
result() {
	number=$((number + 1))
	if [ "$2" = 0 ]; then
		echo "ok $number - $1"
		return
	fi
	nr_failed=$((nr_failed + 1))
	echo "not ok $number - $1"
	echo "# status $status"
	sed 's/^/# out: /' "$folder/out"
	sed 's/^/# err: /' "$folder/err"
}

# is WHAT TEST...: what test(1) says of it
is() {
	what=$1
	shift
	if test "$@"; then result "$what" 0; else result "$what" 1; fi
}

# refused WHAT STATUS ERROR: the last command printed just this one line, to standard error
refused() {
	printf 'ktrack: %s\n' "$3" >"$folder/want"
	if [ "$status" = "$2" ] && [ ! -s "$folder/out" ] && cmp -s "$folder/want" "$folder/err"; then
		result "$1" 0
	else
		result "$1" 1
		echo "# want: status $2, ktrack: $3"
	fi
}

# printed WHAT FILE: the last command went well and printed just what the file holds
printed() {
	if [ "$status" = 0 ] && [ ! -s "$folder/err" ] && cmp -s "$2" "$folder/out"; then
		result "$1" 0
	else
		result "$1" 1
		sed 's/^/# want: /' "$2"
	fi
}

# said WHAT PATTERN: the last command went well and printed such a line among others
said() {
	if [ "$status" = 0 ] && [ ! -s "$folder/err" ] && grep -q -e "$2" "$folder/out"; then
		result "$1" 0
	else
		result "$1" 1
	fi
}

skipped() {
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

finish() {
	echo "1..$number"
	exit $((nr_failed > 0))
}

# Makes a folder that stands for tracefs, as far as commands only read it, and a list of mounts with nothing else.
tracefs_make() {
	mkdir -p "$folder/tracing/events"
	echo "tracefs $folder/tracing tracefs rw 0 0" >"$folder/mounts"
}

# fields_print FIELD...: each is "declaration;offset;size"
fields_print() {
	for field in "$@"; do
		size=${field##*;}
		offset=${field%;*}
		printf '\tfield:%s;\toffset:%s;\tsize:%s;\tsigned:0;\n' "${field%%;*}" "${offset##*;}" "$size"
	done
	echo
}

# tracepoint_add SYSTEM NAME ID ENABLED FIELD...: the fields are those behind the common ones
tracepoint_add() {
	path=$folder/tracing/events/$1/$2
	mkdir -p "$path"
	echo 0 >"$folder/tracing/events/$1/enable"
	echo "$4" >"$path/enable"
	{
		printf 'name: %s\nID: %s\nformat:\n' "$2" "$3"
		shift 4
		fields_print 'unsigned short common_type;0;2' 'unsigned char common_flags;2;1' \
			'unsigned char common_preempt_count;3;1' 'int common_pid;4;4'
		fields_print "$@"
		echo "print fmt: ${print_format:-\"\"}"
	} >"$path/format"
}
