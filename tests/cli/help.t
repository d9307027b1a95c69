#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Test: help at every level, the version, and what happens where they cannot be printed.
set -eu

# shellcheck source=tests/cli/process.sh
. "$(dirname "$0")/process.sh"

run "$ktrack" --help
said "--help reports the usage" "^usage: ktrack COMMAND"
for command in clean doctor list stream record watch recover release export query stat why; do
	said "--help names $command" "^  $command  *[a-z]"
done
cp "$folder/out" "$folder/help"
commands=$(sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' "$folder/help")
for word in -h help "help --help" "help -h"; do
	# shellcheck disable=SC2086 # words are split
	run "$ktrack" $word
	printed "$word is the same as --help" "$folder/help"
done

run "$ktrack"
is "without a command, the help is printed with status 2" "$status" = 2 -a ! -s "$folder/err" -a "$(cmp "$folder/out" "$folder/help")" = ""
is "it has three first things to try" "$(grep -c '^    sudo ktrack .*#' "$folder/out")" = 3
# A screen has 24 lines of 80 columns, one of them for the prompt.
fits()
{
	is "$1 fits a screen" "$(wc -l <"$folder/out")" -le 23
	is "$1 has no overlong lines" "$(awk 'length > 80' "$folder/out" | wc -l)" = 0
}
fits "the help"

for command in $commands; do
	run "$ktrack" "$command" --help
	said "$command --help reports the usage" "^usage: ktrack $command"
	said "$command --help names itself among the options" "^  -h, --help  *print this"
	fits "$command --help"
	cp "$folder/out" "$folder/help"
	run "$ktrack" "$command" -h
	printed "$command -h is the same" "$folder/help"
	run "$ktrack" help "$command"
	printed "help $command is the same" "$folder/help"
	run "$ktrack" "$command" --help-all
	nr_options=$("$ktrack" --help-options | grep -c "^option	$command	")
	is "$command --help-all has all options" "$status" = 0 -a "$(grep -c '^  \(-[a-z],\|   \) --[a-z]' "$folder/out")" = "$nr_options"
	is "$command --help-all has no overlong lines" "$(awk 'length > 80' "$folder/out" | wc -l)" = 0
	rest=$(sed -n 's/^ *--help-all .*(\([0-9]*\))$/\1/p' "$folder/help")
	is "$command --help counts the options it leaves out" "$((nr_options - $(grep -c '^  \(-[a-z],\|   \) --[a-z]' "$folder/help")))" = "${rest:-0}"
done

run "$ktrack" help nonsense
refused "help of an unknown command" 2 "unknown command 'nonsense'; see 'ktrack --help'"

run "$ktrack" --version
said "--version reports a number" '^ktrack [0-9][0-9.]*$'
is "--version is one line" "$(wc -l <"$folder/out")" = 1

for words in --help --version "list --help"; do
	# shellcheck disable=SC2016,SC2086 # the inner shell expands it; words are split
	run sh -c '"$@" >/dev/full' sh "$ktrack" $words
	refused "$words on a full disk" 1 "cannot write to standard output: No space left on device"
	# shellcheck disable=SC2016,SC2086
	run sh -c '"$@" >&-' sh "$ktrack" $words
	refused "$words without a standard output" 1 "cannot write to standard output: Bad file descriptor"
done
finish
