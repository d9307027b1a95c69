#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Test: inputs that are compressed as a whole are read like what is in them, up to a limit, by a child without privileges.
set -eu

# shellcheck source=tests/cli/process.sh
. "$(dirname "$0")/process.sh"

unset KTRACK_TRACE2 KTRACK_TRACE2_PERF KTRACK_TRACE2_EVENT
tests/golden/mktrace tests/golden/filters.script "$folder/trace.dat"
# More than a block of a pipe when it is compressed.
head -c 150000 /dev/urandom | od -An -tx1 -w16 -v | awk '{ printf "app-10 [000] %d.000000: mine: %s\n", NR, $0 }' >"$folder/trace.txt"
cd "$folder"

# pack PROGRAM FILE END: FILE.END, in two parts that follow each other
pack() {
	head -c 1000 "$2" | "$1" -c >"$2.$3"
	tail -c +1001 "$2" | "$1" -c >>"$2.$3"
}

for file in trace.dat trace.txt; do
	for kind in gzip:gz zstd:zst xz:xz; do
		packed=$file.${kind#*:}
		pack "${kind%:*}" $file "${kind#*:}"
		run "$ktrack" stat --json "$packed"
		"$ktrack" stat --json $file >want 2>/dev/null
		sed "s/$packed/$file/" out >got
		is "$packed is read as $file" "$status" = 0 -a "$(cat got)" = "$(cat want)"
		"$ktrack" stat --json - <"$packed" >got 2>/dev/null
		sed 's/"standard input"/"-"/' got >got2
		is "also from standard input: $packed" "$(sed "s/\"$file\"/\"-\"/" want)" = "$(cat got2)"
		head -c 9999999 "$packed" | "$ktrack" stat --json - >got 2>/dev/null
		is "and from a pipe: $packed" "$(cat got)" = "$(cat got2)"
		head -c $(($(stat -c %s "$packed") / 2)) "$packed" >"cut.$packed"
		run "$ktrack" stat "cut.$packed"
		is "one that is cut short is refused: $packed" "$status $(grep -c "is damaged or cut short; [a-z]*cat writes what is left of it" err)" = "1 1"
	done
done
for kind in gzip:gz zstd:zst xz:xz; do
	bomb=bomb.${kind#*:}
	head -c 40000000 /dev/zero | "${kind%:*}" -c >"$bomb"
	run "$ktrack" stat "$bomb"
	refused "a bomb: $bomb" 1 \
		"$bomb: decompressed it has more than 16384 KiB; if it is what you expect, allow more with --max-input=SIZE"
	run "$ktrack" export --max-input=64M "$bomb"
	refused "which may be larger: $bomb" 1 "$bomb: not a trace.dat; name a recording of ktrack or trace-cmd"
done
run "$ktrack" list --max-input=1 trace.dat.gz
refused "a limit of the user's" 1 "trace.dat.gz: decompressed it has more than 1 KiB; if it is what you expect, allow more with --max-input=SIZE"
run sh -c 'ulimit -f 1; exec "$0" stat trace.txt.gz' "$ktrack"
refused "a limit of files" 1 \
	"trace.txt.gz: a temporary file for it may not become large enough; raise the limit of files (ulimit -f), or decompress it with zcat"
tar cf some.tar trace.dat
gzip some.tar
run "$ktrack" list some.tar.gz
refused "what is no recording in it" 1 "some.tar.gz: a tar archive, not a trace.dat; unpack it with tar xf, and name a recording in it"
: >liblzma.so.5
export LD_LIBRARY_PATH="$folder"
run "$ktrack" stat trace.dat.xz
refused "a library that is missing" 1 "liblzma.so.5: cannot be loaded; install liblzma (Debian's package liblzma5)"
finish
