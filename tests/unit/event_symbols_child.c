// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the child that parses print formats: hostile formats, its limits, and its privileges. */
#include <dlfcn.h>
#include <errno.h>
#include <event-parse.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fixtures/random.h"
#include "fixtures/symbols_fixture.h"

#define GOOD "\"%s\", __print_symbolic(REC->v, { 1, \"one\" })"

/* libtraceevent writes to NULL. */
#define CRASHING "\"%s\", __print_symbolic(REC->absent, { 1, \"one\" })"

#define FILES 256
#define MEBIBYTES 256

static bool lacks_seccomp;
static void (*action)(void);

/* In place of the library's functions. */
int seccomp_load(const scmp_filter_ctx filter)
{
	int (*load)(const scmp_filter_ctx) = dlsym(RTLD_NEXT, "seccomp_load");

	return lacks_seccomp ? -ENOSYS : load(filter);
}

enum tep_errno tep_parse_event(struct tep_handle *tep, const char *text, unsigned long size,
			       const char *system)
{
	static enum tep_errno (*parse)(struct tep_handle *, const char *, unsigned long,
				       const char *);

	if (action)
		action();
	if (!parse)
		parse = dlsym(RTLD_NEXT, "tep_parse_event");
	return parse(tep, text, size, system);
}

/* What a hostile parser does, and returns if it succeeds. */
static void loop_forever(void)
{
	for (volatile unsigned int i = 0;; i++)
		;
}

static void take_memory(void)
{
	for (int i = 0; i < MEBIBYTES; i++) {
		volatile char *data = malloc(1024 * 1024);

		if (!data)
			abort();
		data[0] = 1;
	}
}

static void open_file(void)
{
	open("/etc/passwd", O_RDONLY);
}

static void open_socket(void)
{
	socket(AF_UNIX, SOCK_STREAM, 0);
}

static void write_elsewhere(void)
{
	for (int fd = 0; fd < FILES; fd++)
		(void)!write(fd, "", 0);
}

static int first_file(int *nr_files)
{
	int first = -1;

	for (int fd = FILES - 1; fd >= 0; fd--) {
		if (fcntl(fd, F_GETFD) >= 0) {
			first = fd;
			++*nr_files;
		}
	}
	return first;
}

static void count_files(void)
{
	int nr_files = 0;

	first_file(&nr_files);
	if (nr_files != 1)
		abort();
}

static void check_limits(void)
{
	struct rlimit cpu, core;

	if (getrlimit(RLIMIT_CPU, &cpu) < 0 || getrlimit(RLIMIT_CORE, &core) < 0 ||
	    cpu.rlim_max > 2 || core.rlim_max > 0)
		abort();
}

static void write_garbage(void)
{
	int nr_files = 0;

	(void)!write(first_file(&nr_files), "\x03\x00\x00\x00\xff\xff\xff", 7);
}

static void write_large(void)
{
	int nr_files = 0;

	(void)!write(first_file(&nr_files), "\xff\xff\xff\x7f", 4);
}

static void check_text(struct symbols_reader *reader, const char *print, const char *want,
		       bool fails)
{
	struct event_builder builder;
	SCOPED_BUFFER(got);
	bool has_failed;
	struct symbols *symbols = symbols_of_print(reader, print, &has_failed);

	event_builder_begin(&builder, 5, 7, SYMBOLS_RECORD_SIZE);
	event_builder_number(&builder, 12, 4, 1);
	symbols_append_text(&got, symbols, "v", &builder);
	CHECK_TEXT(buffer_string(&got), want);
	CHECK(has_failed == fails);
	symbols_free(symbols);
}

/* A parser that does this has no results. */
static void check_action(void (*hostile)(void))
{
	struct symbols_reader reader = { 0 };

	action = hostile;
	check_text(&reader, GOOD, "-", true);
	action = NULL;
	CHECK_NUMBER(reader.nr_crashes, 1);
	check_text(&reader, GOOD, "one", false);
}

TEST(formats_that_crash_the_parser_have_no_symbols)
{
	struct symbols_reader reader = { 0 };

	check_text(&reader, CRASHING, "-", true);
	CHECK_NUMBER(reader.nr_crashes, 1);
	check_text(&reader, GOOD, "one", false);
	/* Other processors have a result. */
#if defined(__x86_64__) || defined(__i386__)
	check_text(&reader, "\"%d\", 1 / 0, __print_symbolic(REC->v, { 1 / 0, \"a\" })", "-", true);
	CHECK_NUMBER(reader.nr_crashes, 2);
	check_text(&reader, GOOD, "one", false);
#endif
}

TEST(other_formats_have_their_symbols)
{
	struct symbols_reader reader = { 0 };
	SCOPED_BUFFER(good);
	SCOPED_BUFFER(crashing);
	struct symbols_request requests[600] = { 0 };
	size_t nr_symbols = 0;

	symbols_format_append(&good, GOOD);
	symbols_format_append(&crashing, CRASHING);
	for (size_t i = 0; i < 600; i++)
		requests[i].format = buffer_text(i == 1 || i == 598 ? &crashing : &good);
	symbols_read(&reader, requests, 600);
	for (size_t i = 0; i < 600; i++) {
		CHECK(requests[i].has_failed == (i == 1 || i == 598));
		nr_symbols += requests[i].symbols != NULL;
		symbols_free(requests[i].symbols);
	}
	CHECK_NUMBER(nr_symbols, 598);
}

TEST(after_some_crashes_nothing_is_parsed)
{
	struct symbols_reader reader = { 0 };

	for (int i = 0; i < SYMBOLS_CRASHES_MAX; i++)
		check_text(&reader, CRASHING, "-", true);
	check_text(&reader, GOOD, "-", true);
	CHECK_NUMBER(reader.nr_crashes, SYMBOLS_CRASHES_MAX);
}

TEST(without_seccomp_only_trusted_formats_are_parsed)
{
	struct symbols_reader reader = { 0 }, trusted = { .is_trusted = true };

	lacks_seccomp = true;
	check_text(&reader, GOOD, "-", true);
	CHECK(reader.lacks_seccomp);
	check_text(&trusted, GOOD, "one", false);
	check_text(&trusted, CRASHING, "-", true);
	CHECK(trusted.lacks_seccomp);
	lacks_seccomp = false;
}

TEST(an_endless_parser_is_killed)
{
	check_action(loop_forever);
}

TEST(a_parser_has_little_memory)
{
	check_action(take_memory);
}

TEST(a_parser_can_neither_open_files_nor_sockets_nor_write_elsewhere)
{
	check_action(open_file);
	check_action(open_socket);
	check_action(write_elsewhere);
}

TEST(a_parser_has_limits_and_no_file_but_the_pipe)
{
	struct symbols_reader reader = { .is_trusted = true };

	lacks_seccomp = true;
	action = count_files;
	check_text(&reader, GOOD, "one", false);
	action = check_limits;
	check_text(&reader, GOOD, "one", false);
	action = NULL;
	lacks_seccomp = false;
}

TEST(malformed_answers_are_crashes)
{
	struct symbols_reader reader = { .is_trusted = true };

	lacks_seccomp = true;
	action = write_garbage;
	check_text(&reader, GOOD, "-", true);
	action = write_large;
	check_text(&reader, GOOD, "-", true);
	action = NULL;
	lacks_seccomp = false;
	CHECK_NUMBER(reader.nr_crashes, 2);
}

TEST(nested_parentheses_and_braces_do_no_harm)
{
	struct symbols_reader reader = { 0 };
	struct buffer print = { 0 };

	buffer_append_string(&print, "\"%s\", __print_symbolic(");
	for (int i = 0; i < 200000; i++)
		buffer_append_char(&print, i % 2 ? '{' : '(');
	buffer_append_string(&print, "REC->v, { 1, \"one\" })");
	check_text(&reader, "\"%s\", __print_symbolic(REC->v, {{{{ 1, \"one\" }}, { 1, \"one\" })",
		   "-", false);
	symbols_free(symbols_of_print(&reader, buffer_string(&print), &(bool){ false }));
	buffer_release(&print);
	for (int i = 0; i < 60; i++)
		buffer_append_string(&print, i ? "REC->on ? \"a\" : " : "\"%s\", ");
	buffer_append_string(&print, "__print_symbolic(REC->v, { 1, \"one\" })");
	check_text(&reader, buffer_string(&print), "-", false);
	buffer_release(&print);
}

static void check_table(unsigned int nr_entries, const char *want)
{
	struct symbols_reader reader = { 0 };
	SCOPED_BUFFER(print);

	buffer_append_string(&print, "\"%s\", __print_symbolic(REC->v");
	for (unsigned int i = 0; i < nr_entries; i++)
		buffer_printf(&print, ", { %u, \"one\" }", nr_entries - i);
	buffer_append_char(&print, ')');
	check_text(&reader, buffer_string(&print), want, false);
}

TEST(tables_have_a_limit)
{
	check_table(4096, "one");
	check_table(4097, "-");
}

TEST(texts_have_a_limit)
{
	struct symbols_reader reader = { 0 };
	SCOPED_BUFFER(print);
	SCOPED_BUFFER(text);

	while (text.size < 255)
		buffer_append_char(&text, 'x');
	buffer_printf(&print, "\"%%s\", __print_symbolic(REC->v, { 1, \"%s\" })",
		      buffer_string(&text));
	check_text(&reader, buffer_string(&print), buffer_string(&text), false);
	buffer_clear(&print);
	buffer_printf(&print, "\"%%s\", __print_symbolic(REC->v, { 1, \"%sx\" })",
		      buffer_string(&text));
	check_text(&reader, buffer_string(&print), "-", false);
}

/* Replaces, removes or repeats some bytes. */
static void format_change(struct buffer *format, struct random *random)
{
	static const char bytes[] = "(){},\"%&|<>-+~!?:0123456789REC->_\\ \n";

	for (uint64_t i = 1 + random_below(random, 8); i > 0; i--) {
		size_t at = format->size - 1 - random_below(random, format->size / 2);

		if (random_below(random, 4) == 0)
			memmove(format->data + at, format->data + at + 1, --format->size - at);
		else
			format->data[at] = bytes[random_below(random, sizeof(bytes))];
	}
}

#define CHANGES 16

static void formats_change_and_read(const char *path, struct random *random)
{
	struct symbols_reader reader = { 0 };
	struct symbols_request requests[CHANGES] = { 0 };
	struct buffer formats[CHANGES] = { 0 };

	for (size_t i = 0; i < CHANGES; i++) {
		CHECK_NUMBER(file_read(path, &formats[i]), 0);
		format_change(&formats[i], random);
		requests[i].format = buffer_text(&formats[i]);
	}
	symbols_read(&reader, requests, CHANGES);
	for (size_t i = 0; i < CHANGES; i++) {
		symbols_free(requests[i].symbols);
		buffer_release(&formats[i]);
	}
}

TEST(changed_formats_of_kernels_do_no_harm)
{
	static const char *const paths[] = {
		"tests/formats/6.1/kmem/kmalloc",	"tests/formats/6.12/kmem/kmalloc",
		"tests/formats/6.1/irq/softirq_entry",	"tests/formats/6.12/sched/sched_switch",
		"tests/formats/6.12/timer/timer_start",
	};
	struct random random = { 1 };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		for (int round = 0; round < 4; round++)
			formats_change_and_read(paths[i], &random);
	}
}
