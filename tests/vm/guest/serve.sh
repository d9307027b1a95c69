#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: a stream serves its page while the demo runs: to a client that reads everything, to one that reads nothing, and to wrong
# requests. Argument: REQUESTS of each of three batches. Leaves stream.event, lines, page.html, denied,
# capabilities, listening, failed.*, ended.*, open.*, and in the output what should not have happened.
# shellcheck shell=dash
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

url_of() {
	sed -n 's/^ktrack: \(http[^ ]*\) follows.*/\1/p' "$1"
}

has_url() {
	grep -q 'http://.* follows' "$1"
}

lines_have() {
	[ "$(grep -c '^c ' /out/lines)" -gt "$1" ]
}

# The statuses of wrong requests, one in each line.
requests_deny() {
	wget -O /dev/null "http://127.0.0.1:$port/00000000000000000000000000000000/" 2>&1 | grep -o 'HTTP/1.1 .*' || echo answered
	wget -O /dev/null --header 'Host: evil.example' "$url" 2>&1 | grep -o 'HTTP/1.1 .*' || echo answered
	wget -O /dev/null --post-data x "$url" 2>&1 | grep -o 'HTTP/1.1 .*' || echo answered
}

# What the kernel keeps for a client is small, so that one that does not read is behind soon.
echo '4096 16384 32768' >/proc/sys/net/ipv4/tcp_wmem
echo '4096 16384 32768' >/proc/sys/net/ipv4/tcp_rmem
insmod /modules/ktrack.ko
insmod /modules/ktrack_demo.ko

ktrack stream -b 4096 --serve --event=/out/stream.event 2>/out/stream.errors &
stream=$!
wait_while_alive $stream has_url /out/stream.errors
url=$(url_of /out/stream.errors)
port=${url#http://127.0.0.1:}
port=${port%%/*}
wait_while_alive $stream has_dropped $stream >/out/capabilities

wget -q -O /out/page.html "$url" || echo "the page: exit status $?"
wget -q -O /out/lines "${url}lines" &
quick=$!
# Its input does not end, and nobody reads its output.
mkfifo /tmp/request /tmp/unread
exec 5<>/tmp/unread 6<>/tmp/request
nc 127.0.0.1 "$port" <&6 >&5 &
slow=$!
printf 'GET /%s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n\r\n' "${url#http://127.0.0.1:"$port"/}lines" "$port" >&6

echo "$1" >/dev/ktrack_demo
wait_while_alive $stream lines_have 0
requests_deny >/out/denied
grep -i ":$(printf %04X "$port") 00000000:0000 0A" /proc/net/tcp /proc/net/tcp6 >/out/listening || true
counted=$(grep -c '^c ' /out/lines)
echo "$1" >/dev/ktrack_demo
wait_while_alive $stream lines_have "$counted"
echo "$1" >/dev/ktrack_demo
process_end $stream "a stream that is asked to end"
wait $quick || echo "the quick client: exit status $?"
process_kill $slow
instances_check "a stream"

# A recording that ends by itself, and that somebody reads then; meanwhile its port is in use.
ktrack stream --serve=8717 -- sh -c "echo 10 >/dev/ktrack_demo" 2>/out/ended.errors &
stream=$!
wait_while_alive $stream grep -q 'the recording has ended' /out/ended.errors
attempt failed ktrack stream --serve=8717 -d 1
wget -q -O /out/ended.lines "$(url_of /out/ended.errors)lines" || echo "lines at the end: exit status $?"
wait $stream || echo "a stream whose end was read: exit status $?"

# A system call that takes as long as somebody follows.
open_has() {
	grep -q "$1" /out/open.lines
}
ktrack stream --serve -r syscalls -- sh -c 'echo $$ >/tmp/sleeper; exec sleep 1000' 2>/out/open.errors &
stream=$!
wait_while_alive $stream has_url /out/open.errors
wget -q -O /out/open.lines "$(url_of /out/open.errors)lines" &
quick=$!
wait_while_alive $stream open_has '^o '
wait_while_alive $stream open_has '^a '
cp /out/open.lines /out/open.early
kill "$(cat /tmp/sleeper)"
wait $stream || echo "$?" >/out/open.status
wait $quick || echo "the client of an open slice: exit status $?"
rmmod ktrack_demo
rmmod ktrack
