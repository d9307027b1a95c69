#!/bin/zsh
# SPDX-License-Identifier: GPL-2.0-only
# Prints what zsh offers for a line. Arguments: FOLDER (with _ktrack) LINE
# compadd is replaced: it stores the words that match what was typed.
zmodload zsh/zpty
zpty shell zsh -f -i
offer() {
	zpty -w shell $1
}
offer "PS1=; unsetopt zle_bracketed_paste; cd $1; PATH=$1:\$PATH; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; compdef _ktrack ktrack"
offer 'compadd() { local -a found; builtin compadd -O found "$@"; print -rl -- $found >>offered; builtin compadd "$@" }'
offer "bindkey '^I' complete-word; rm -f offered; PS1=rea''dy"
# The line editor prints the prompt when it reads keys; earlier, the terminal would interpret them.
zpty -r -m shell out '*ready*'
zpty -w -n shell "$2"$'\t'
zpty -w -n shell $'\C-u'"echo do''ne"$'\n'
zpty -r -m shell out '*done*'
zpty -d shell
grep -v '^$' $1/offered 2>/dev/null
