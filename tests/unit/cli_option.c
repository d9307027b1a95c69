// SPDX-License-Identifier: GPL-2.0-only
/* Tests of option tables: what is taken, what is refused, and how help looks. */
#include "cli/option.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "fixtures/capture.h"
#include "fixtures/tap.h"

#define WORDS_MAX 8

/* The command continues; otherwise a status. */
#define READ -1

/**
 * struct part - a part of the settings: options write its letter, their name and their value into
 * the log
 */
struct part {
	char letter;
	struct buffer *log;
};

struct settings {
	struct part first;
	struct part second;
};

static int part_log(const struct part *part, const char *name, const char *value,
		    struct error *error)
{
	if (value && strcmp(value, "bad") == 0)
		return error_set(error, "bad %s", name);
	buffer_printf(part->log, "%c.%s=%s ", part->letter, name, value ? value : "-");
	return 0;
}

#define APPLY(name)                                                                 \
	static int apply_##name(void *part, const char *value, struct error *error) \
	{                                                                           \
		return part_log(part, #name, value, error);                         \
	}

APPLY(all)
APPLY(buffer)
APPLY(bulk)
APPLY(color)

static const struct option_row first_rows[] = {
	{ 'a', "all", NULL, "takes all", apply_all, .is_repeatable = true },
	{ 'b', "buffer", "KIB", "how much", apply_buffer },
};

static const struct option_row second_rows[] = {
	{ 0, "bulk", "N", "how many", apply_bulk },
	{ 0, "color", "[=WHEN]", "when in color, otherwise in black and white, as on paper",
	  apply_color },
};

static const struct option_table table = {
	.usage = "test [OPTION]... FILE",
	.about = "Tests.",
	.notes = "Notes.",
	.parts = {
		{ first_rows, 2, offsetof(struct settings, first) },
		{ second_rows, 2, offsetof(struct settings, second) },
	},
};

static int operand_log(void *settings, const char *word, struct error *error)
{
	const struct settings *both = settings;

	(void)error;
	buffer_printf(both->first.log, "<%s> ", word);
	return 0;
}

static const struct option_table operand_table = {
	.usage = "test [OPTION]... [FILE]...",
	.about = "Tests.",
	.operand = operand_log,
	.parts = {
		{ first_rows, 2, offsetof(struct settings, first) },
		{ second_rows, 2, offsetof(struct settings, second) },
	},
};

/* Parses "ktrack test WORDS"; the words are one string, separated by blanks. */
static int parse_by(const struct option_table *by, const char *words, struct buffer *applied,
		    int *operand, struct error *error)
{
	struct settings settings = { .first = { '1', applied }, .second = { '2', applied } };
	char text[128], *argv[WORDS_MAX + 3] = { (char *)"ktrack", (char *)"test" }, *rest = text;
	int argc = 2, status;

	snprintf(text, sizeof(text), "%s", words);
	while (*words && rest && argc < WORDS_MAX + 2)
		argv[argc++] = strsep(&rest, " ");
	return options_read(by, argc, argv, &settings, operand, &status, error) ? READ : status;
}

static int parse(const char *words, struct buffer *applied, int *operand, struct error *error)
{
	return parse_by(&table, words, applied, operand, error);
}

/* Parses what is right: the options' traces, and which word is the first operand. */
static void check_read(const char *words, const char *want, int want_operand)
{
	SCOPED_BUFFER(applied);
	struct error error = { 0 };
	int operand = 0;

	CHECK_NUMBER(parse(words, &applied, &operand, &error), READ);
	CHECK_TEXT(buffer_string(&applied), want);
	CHECK_NUMBER(operand, want_operand);
	CHECK_TEXT(error.text, "");
}

TEST(options_are_applied_in_their_order_up_to_the_first_operand)
{
	check_read("", "", 2);
	check_read("-a", "1.all=- ", 3);
	check_read("-a -b 5 --bulk 7", "1.all=- 1.buffer=5 2.bulk=7 ", 7);
	check_read("--bulk 7 -a file -a", "2.bulk=7 1.all=- ", 5);
	check_read("file --nonsense", "", 2);
	check_read("-a -", "1.all=- ", 3);
}

static void check_operands(const char *words, const char *want)
{
	SCOPED_BUFFER(applied);
	struct error error = { 0 };
	int operand = 0;

	CHECK_NUMBER(parse_by(&operand_table, words, &applied, &operand, &error), READ);
	CHECK_TEXT(buffer_string(&applied), want);
}

TEST(options_may_follow_operands_but_not_two_dashes)
{
	check_operands("one -a two", "<one> 1.all=- <two> ");
	check_operands("-a -- one -a", "1.all=- <one> <-a> ");
	check_operands("one -- -a -- two", "<one> <-a> <--> <two> ");
}

TEST(an_option_may_be_written_in_all_the_usual_ways)
{
	check_read("-b5", "1.buffer=5 ", 3);
	check_read("-ab5", "1.all=- 1.buffer=5 ", 3);
	check_read("-ab 5", "1.all=- 1.buffer=5 ", 4);
	check_read("--buffer=5", "1.buffer=5 ", 3);
	check_read("--buffer 5", "1.buffer=5 ", 4);
	check_read("--buffer=", "1.buffer= ", 3);
	check_read("--buf 5 --al", "1.buffer=5 1.all=- ", 5);
	check_read("-b -a", "1.buffer=-a ", 4);
	check_read("-a -a", "1.all=- 1.all=- ", 4);
}

TEST(a_flag_sets_its_bool_in_its_part)
{
	struct flags {
		int before;
		bool is_set;
		bool is_other;
	} flags[2] = { 0 };
	const struct option_row row = OPTION_FLAG("set", "says yes", flags, is_set);
	const struct option_table flag_table = { .usage = "test",
						 .about = "Tests.",
						 .parts = { { &row, 1, sizeof(flags[0]) } } };
	char *argv[] = { (char *)"ktrack", (char *)"test", (char *)"--set", NULL };
	struct error error = { 0 };
	int operand, status = -1;

	CHECK(options_read(&flag_table, 3, argv, flags, &operand, &status, &error));
	CHECK(flags[1].is_set && !flags[1].is_other && !flags[0].is_set && !flags[1].before);
}

TEST(an_argument_that_may_be_left_out_needs_an_equals_sign)
{
	check_read("--color", "2.color=- ", 3);
	check_read("--color=always", "2.color=always ", 3);
	check_read("--color=", "2.color= ", 3);
	check_read("--color always", "2.color=- ", 3);
}

TEST(two_dashes_end_the_options)
{
	check_read("--", "", 3);
	check_read("-a -- -b", "1.all=- ", 4);
	check_read("-- --", "", 3);
	check_read("-b -- --", "1.buffer=-- ", 5);
}

static void check_refused(const char *words, const char *want)
{
	SCOPED_BUFFER(applied);
	struct error error = { 0 };
	int operand;

	CHECK_NUMBER(parse(words, &applied, &operand, &error), STATUS_USAGE);
	CHECK_TEXT(error.text, want);
}

TEST(an_option_is_given_once_unless_it_is_repeatable)
{
	check_read("-a --all -aa", "1.all=- 1.all=- 1.all=- 1.all=- ", 5);
	check_refused("-b 5 -b 6", "--buffer is given twice");
	check_refused("-b 5 --buffer=5", "--buffer is given twice");
	check_refused("--color --bulk 7 --color=x", "--color is given twice");
}

TEST(an_unknown_option_may_be_misspelled)
{
	check_refused("--bufer=5", "unknown option '--bufer=5'; did you mean '--buffer'?");
	check_refused("--clor", "unknown option '--clor'; did you mean '--color'?");
}

TEST(what_is_no_option_is_refused_by_its_word)
{
	check_refused("-x", "unknown option '-x'; see 'ktrack test --help'");
	check_refused("-a -x -a", "unknown option '-x'; see 'ktrack test --help'");
	check_refused("-ax", "unknown option '-ax'; see 'ktrack test --help'");
	check_refused("--nonsense", "unknown option '--nonsense'; see 'ktrack test --help'");
	check_refused("--nonsense=5", "unknown option '--nonsense=5'; see 'ktrack test --help'");
	check_refused("-a --bu 5", "unknown option '--bu'; did you mean '--bulk'?");
	check_refused("-:", "unknown option '-:'; see 'ktrack test --help'");
	check_refused("-+", "unknown option '-+'; see 'ktrack test --help'");
}

TEST(an_argument_that_is_missing_or_too_many_is_refused)
{
	check_refused("-b", "-b: argument missing; see 'ktrack test --help'");
	check_refused("-a -ab", "-ab: argument missing; see 'ktrack test --help'");
	check_refused("--bulk", "--bulk: argument missing; see 'ktrack test --help'");
	check_refused("-b 5 --bulk", "--bulk: argument missing; see 'ktrack test --help'");
	check_refused("--all=5", "--all: takes no value; see 'ktrack test --help'");
	check_refused("--help=5", "--help: takes no value; see 'ktrack test --help'");
	check_refused("-a --all= -a", "--all: takes no value; see 'ktrack test --help'");
}

TEST(an_option_may_refuse_its_argument)
{
	check_refused("-b bad -x", "bad buffer");
	check_refused("--bulk=bad", "bad bulk");
}

/* Parses a request for help, and compares what it prints to standard output. */
static void check_helped(const char *words, const char *want)
{
	SCOPED_BUFFER(applied);
	struct error error = { 0 };
	SCOPED(capture) capture;
	int operand, fd = capture_init(&capture), before;

	fflush(stdout);
	before = dup(STDOUT_FILENO);
	dup2(fd, STDOUT_FILENO);
	CHECK_NUMBER(parse(words, &applied, &operand, &error), STATUS_DONE);
	fflush(stdout);
	dup2(before, STDOUT_FILENO);
	CHECK_TEXT(capture_text(&capture), want);
	CHECK_TEXT(error.text, "");
	close(before);
	close(fd);
}

#define HELP_TEXT                                                                           \
	"usage: ktrack test [OPTION]... FILE\n\nTests.\n\n"                                 \
	"  -a, --all                     takes all\n"                                       \
	"  -b, --buffer=KIB              how much\n"                                        \
	"      --bulk=N                  how many\n"                                        \
	"      --color[=WHEN]            when in color, otherwise in black and white, as\n" \
	"                                on paper\n"                                        \
	"  -h, --help                    print this help\n"                                 \
	"      --help-all                print this help with all options\n"

TEST(help_is_printed_from_the_table)
{
	check_helped("-h", HELP_TEXT);
	check_helped("--help", HELP_TEXT);
	check_helped("-a --help --nonsense", HELP_TEXT);
	check_helped("--help-all", HELP_TEXT "\nNotes.\n");
}
