#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Test: completion in bash, zsh and fish, generated from the tables of options.
set -eu

# shellcheck source=tests/cli/process.sh
. "$(dirname "$0")/process.sh"

root=$PWD
touch "$folder/page.html"
run "$ktrack" --help-options
is "--help-options lists every command" "$(grep -c '^command' "$folder/out")" = "$("$ktrack" --help | grep -c '^  [a-z][a-z]*  *[a-z]')"
is "every line has all fields" "$(awk -F '\t' 'NF != ($1 == "option" ? 6 : 3)' "$folder/out" | wc -l)" = 0
cp "$folder/out" "$folder/options"
for shell in bash zsh fish; do
	scripts/completion $shell "$folder/options" >"$folder/completion.$shell"
	awk -F '\t' '$1 == "option" { print $4 }' "$folder/options" | sort -u | while read -r option; do
		grep -q -e "-l $option \|--${option}[^a-z-]" "$folder/completion.$shell" || echo "$shell lacks $option"
	done
done >"$folder/lacking"
is "each shell has every option" ! -s "$folder/lacking"

# Arguments: words as bash splits them. Prints what it offers.
bash_complete() {
	# shellcheck disable=SC2016 # the inner shell expands it
	run bash -c 'cd "$1"; . "$1/completion.bash"; shift
		COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ktrack; printf "%s\n" "${COMPREPLY[@]}"' \
		bash "$folder" "$@"
}

PATH=$folder:$PATH
bash_complete ktrack st
is "bash: commands" "$(tr '\n' ' ' <"$folder/out")" = "stream stat "
bash_complete ktrack stream --per
is "bash: options" "$(tr '\n' ' ' <"$folder/out")" = "--perf --perfetto= "
bash_complete ktrack export --html = pa
is "bash: a file as a value" "$(cat "$folder/out")" = page.html
bash_complete ktrack export pa
is "bash: a file as the source" "$(cat "$folder/out")" = page.html
bash_complete ktrack stat -r sys
is "bash: packs" "$(cat "$folder/out")" = syscalls
bash_complete ktrack stream -d 1 -- ktrac
is "bash: the traced command" "$(grep -c '^ktrack$' "$folder/out")" -ge 1

if command -v fish >/dev/null; then
	for words in "st:stat stream" "stream --per:--perf --perfetto" "export --html=pa:--html=page.html" "stat -r sys:syscalls"; do
		# shellcheck disable=SC2016
		run env HOME="$folder" fish -c 'cd "$argv[1]"; source completion.fish; complete -C "ktrack $argv[2]"' "$folder" "${words%%:*}"
		found=$(cut -f1 "$folder/out" | sort | tr '\n' ' ')
		is "fish: ${words%%:*}" "$found" = "${words#*:} "
	done
else
	skipped "fish" "fish is not installed; scripts/deps installs it"
fi

if command -v zsh >/dev/null; then
	cp "$folder/completion.zsh" "$folder/_ktrack"
	for words in "st:stat stream" "stream --per:--perf --perfetto" "export --html=pa:page.html" "stat -r sys:syscalls"; do
		run zsh -f "$root/tests/cli/completion.zsh" "$folder" "ktrack ${words%%:*}"
		found=$(sort -u "$folder/out" | tr '\n' ' ')
		is "zsh: ${words%%:*}" "$found" = "${words#*:} "
	done
else
	skipped "zsh" "zsh is not installed; scripts/deps installs it"
fi
finish
