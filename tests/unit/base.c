// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the base module. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fixtures/tap.h"

static struct buffer json_of(const char *data, size_t size)
{
	struct buffer out = { 0 };

	json_append_string(&out, (struct text){ .data = data, .size = size });
	return out;
}

#define CHECK_JSON(bytes, want)                                         \
	do {                                                            \
		struct buffer out_ = json_of(bytes, sizeof(bytes) - 1); \
		CHECK_TEXT(buffer_string(&out_), want);                 \
		buffer_release(&out_);                                  \
	} while (0)

TEST(json_strings_escape_what_git_escapes_and_control_characters)
{
	CHECK_JSON("plain / \x7f", "\"plain / \x7f\"");
	CHECK_JSON("\"\\\n\r\t\f\b", "\"\\\"\\\\\\n\\r\\t\\f\\b\"");
	CHECK_JSON("\x01\x1f\0end", "\"\\u0001\\u001f\\u0000end\"");
	CHECK_JSON("", "\"\"");
	/* CSI, which begins a command of a terminal, and the first character that is none. */
	CHECK_JSON("a\xc2\x9b"
		   "31m",
		   "\"a\\u009b31m\"");
	CHECK_JSON("\xc2\x80\xc2\x9f\xc2\xa0", "\"\\u0080\\u009f\xc2\xa0\"");
}

TEST(json_strings_keep_utf8_and_replace_each_other_byte)
{
	CHECK_JSON("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
		   "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
	CHECK_JSON("a\xff"
		   "b\xc3",
		   "\"a\xef\xbf\xbd"
		   "b\xef\xbf\xbd\"");
	CHECK_JSON("\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
	CHECK_JSON("\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
	CHECK_JSON("\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

static bool is_control(const char *sequence)
{
	struct text text = text_of(sequence);

	CHECK_NUMBER(utf8_sequence_size(text), text.size);
	return utf8_is_control(utf8_value(text));
}

TEST(characters_that_act_on_their_neighbors_are_controls)
{
	static const char *const controls[] = {
		"\x01",		"\x1b",		"\x7f",		"\xc2\x85",
		"\xd8\x9c",	"\xe2\x80\x8b", "\xe2\x80\x8f", "\xe2\x80\xa8",
		"\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9", "\xef\xbb\xbf",
	};
	static const char *const others[] = {
		" ",
		"~",
		"\xc2\xa0",
		"\xc3\xa9",
		"\xe2\x80\x90",
		"\xe2\x80\xa7",
		"\xe2\x80\xaf",
		"\xe2\x82\xac",
		"\xf0\x9f\x98\x80",
		"\xf4\x8f\xbf\xbf",
	};

	for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]); i++)
		CHECK(is_control(controls[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		CHECK(!is_control(others[i]));
	CHECK_NUMBER(utf8_value(text_of("\xf4\x8f\xbf\xbf")), 0x10ffff);
}

TEST(numbers_are_written_exactly)
{
	SCOPED_BUFFER(out);

	buffer_append_signed(&out, INT64_MIN);
	buffer_append_char(&out, ' ');
	buffer_append_unsigned(&out, UINT64_MAX);
	buffer_append_char(&out, ' ');
	buffer_append_seconds(&out, 1, 9);
	buffer_append_char(&out, ' ');
	buffer_append_seconds(&out, -1234567890123, 9);
	buffer_append_char(&out, ' ');
	buffer_append_seconds(&out, 1999999999, 6);
	buffer_append_char(&out, ' ');
	buffer_append_decimal(&out, -1234567, 3);
	CHECK_TEXT(buffer_string(&out), "-9223372036854775808 18446744073709551615 0.000000001 "
					"-1234.567890123 1.999999 -1234.567");
}

/* One number in all its forms, against the C library. */
static void check_number(uint64_t number)
{
	SCOPED_BUFFER(out);
	char want[128];
	int64_t ns = (int64_t)(number >> 1);

	buffer_append_unsigned(&out, number);
	buffer_append_signed(&out, -ns);
	buffer_append_char(&out, ' ');
	buffer_append_seconds(&out, ns, 9);
	buffer_append_char(&out, ' ');
	buffer_append_seconds(&out, ns, 6);
	snprintf(want, sizeof(want), "%ju%jd %jd.%09jd %jd.%06jd", (uintmax_t)number, (intmax_t)-ns,
		 (intmax_t)(ns / NS_PER_S), (intmax_t)(ns % NS_PER_S), (intmax_t)(ns / NS_PER_S),
		 (intmax_t)(ns % NS_PER_S / NS_PER_US));
	CHECK_TEXT(buffer_string(&out), want);
}

TEST(numbers_of_every_length_are_those_of_the_c_library)
{
	for (uint64_t power = 1; power <= UINT64_MAX / 10; power *= 10) {
		check_number(power - 1);
		check_number(power);
		check_number(power * 9 + power / 7);
	}
	check_number(UINT64_MAX);
	check_number(UINT64_MAX - 1);
}

TEST(seconds_below_what_their_decimals_show_have_no_sign)
{
	SCOPED_BUFFER(out);

	buffer_append_seconds(&out, -999, 6);
	buffer_append_char(&out, ' ');
	buffer_append_seconds(&out, -999, 9);
	CHECK_TEXT(buffer_string(&out), "0.000000 -0.000000999");
}

/* Strings are looked at eight bytes at a time: a special one may stand anywhere in them. */
TEST(json_strings_escape_at_any_place_of_any_length)
{
	static const char specials[] = { '"', '\\', '\n', '\x1f', '\x80', '\xff' };

	for (size_t size = 1; size <= 20; size++) {
		for (size_t i = 0; i < size * sizeof(specials); i++) {
			char bytes[20];
			struct buffer out;

			memset(bytes, i % 2 ? '~' : ' ', sizeof(bytes));
			bytes[i / sizeof(specials)] = specials[i % sizeof(specials)];
			out = json_of(bytes, size);
			CHECK(out.size > size + 2);
			CHECK(memcmp(out.data + 1, bytes, i / sizeof(specials)) == 0);
			CHECK(out.data[1 + i / sizeof(specials)] != bytes[i / sizeof(specials)] ||
			      out.data[1 + i / sizeof(specials)] == '\\');
			buffer_release(&out);
		}
	}
}

TEST(a_buffer_that_failed_takes_nothing_more)
{
	SCOPED_BUFFER(out);

	buffer_append_string(&out, "kept");
	CHECK(!buffer_reserve(&out, SIZE_MAX / 2));
	CHECK(out.failed);
	buffer_append_string(&out, "not taken");
	CHECK_NUMBER(out.size, 4);
	CHECK_TEXT(buffer_string(&out), "");
	buffer_clear(&out);
	buffer_append_string(&out, "again");
	CHECK_TEXT(buffer_string(&out), "again");
}

TEST(a_string_needs_no_memory_of_its_own)
{
	SCOPED_BUFFER(out);

	CHECK_TEXT(buffer_string(&out), "");
	for (size_t size = 1; size < 3000; size++) {
		size_t capacity;

		buffer_append_char(&out, 'x');
		capacity = out.capacity;
		CHECK_NUMBER(strlen(buffer_string(&out)), size);
		CHECK_NUMBER(out.capacity, capacity);
	}
}

static void check_value(struct value value, const char *json, const char *text)
{
	SCOPED_BUFFER(out);

	value_append_json(&out, &value);
	CHECK_TEXT(buffer_string(&out), json);
	buffer_clear(&out);
	value_append_text(&out, &value);
	CHECK_TEXT(buffer_string(&out), text);
}

TEST(numbers_that_a_double_cannot_hold_become_strings)
{
	const int64_t bound = INT64_C(1) << 53;

	check_value((struct value){ .kind = VALUE_SIGNED, .signed_number = bound },
		    "9007199254740992", "9007199254740992");
	check_value((struct value){ .kind = VALUE_SIGNED, .signed_number = -bound - 1 },
		    "\"-9007199254740993\"", "-9007199254740993");
	check_value((struct value){ .kind = VALUE_UNSIGNED, .unsigned_number = UINT64_MAX },
		    "\"18446744073709551615\"", "18446744073709551615");
	check_value((struct value){ .kind = VALUE_UNSIGNED, .unsigned_number = 7 }, "7", "7");
}

static void check_floating(double number, const char *json, const char *text)
{
	check_value((struct value){ .kind = VALUE_FLOATING, .floating = number }, json, text);
}

TEST(floating_numbers_keep_all_digits_and_those_of_no_number_are_words)
{
	check_floating(0.1, "0.1", "0.1");
	check_floating(0.1f, "0.10000000149011612", "0.10000000149011612");
	check_floating(1.0 / 3, "0.3333333333333333", "0.3333333333333333");
	check_floating(3, "3", "3");
	check_floating(-1e300, "-1e+300", "-1e+300");
	check_floating(5e-324, "4.94065645841247e-324", "4.94065645841247e-324");
	check_floating(__builtin_nan(""), "\"NaN\"", "NaN");
	check_floating(__builtin_inf(), "\"Infinity\"", "Infinity");
	check_floating(-__builtin_inf(), "\"-Infinity\"", "-Infinity");
}

TEST(truths_texts_and_bytes_are_written_by_their_type)
{
	check_value((struct value){ .kind = VALUE_BOOLEAN, .boolean = true }, "true", "true");
	check_value((struct value){ .kind = VALUE_TEXT, .text = text_of("a\"b") }, "\"a\\\"b\"",
		    "a\"b");
	check_value(
		(struct value){ .kind = VALUE_BYTES, .text = { .data = "\x00\xfe", .size = 2 } },
		"\"00fe\"", "00fe");
}

struct thing {
	uint64_t hash;
	int key;
};

static bool thing_has_key(const void *value, const void *key)
{
	return ((const struct thing *)value)->key == *(const int *)key;
}

#define NR_THINGS 1000

TEST(a_map_finds_what_it_holds_after_any_removal)
{
	static struct thing things[NR_THINGS];
	SCOPED(map) map = { 0 };

	for (int i = 0; i < NR_THINGS; i++) {
		/* Few home slots, so that probes are long and removals have holes to close. */
		things[i] = (struct thing){ .hash = i % 7, .key = i };
		CHECK(map_insert(&map, things[i].hash, &things[i]) == 0);
	}
	for (int i = 0; i < NR_THINGS; i += 3)
		map_remove(&map, things[i].hash, &things[i]);
	map_remove(&map, 1, &map);
	for (int i = 0; i < NR_THINGS; i++) {
		const struct thing *want = i % 3 ? &things[i] : NULL;

		if (!CHECK(map_find(&map, things[i].hash, thing_has_key, &i) == want))
			break;
	}
	CHECK_NUMBER(map.size, NR_THINGS - (NR_THINGS + 2) / 3);
}

static int64_t duration_of(const char *text)
{
	struct error error = { 0 };
	int64_t ns = -2;

	return time_duration_parse(text, &ns, &error) < 0 ? -1 : ns;
}

TEST(durations_have_units_and_limits)
{
	CHECK_NUMBER(duration_of("2"), 2 * NS_PER_S);
	CHECK_NUMBER(duration_of("1.5s"), 1500 * NS_PER_MS);
	CHECK_NUMBER(duration_of("200ms"), 200 * NS_PER_MS);
	CHECK_NUMBER(duration_of("3us"), 3000);
	CHECK_NUMBER(duration_of("2m"), 120 * NS_PER_S);
	CHECK_NUMBER(duration_of("0.0000000016"), 2);
	CHECK_NUMBER(duration_of("1.4ns"), 1);
	CHECK_NUMBER(duration_of("-1"), -1);
	CHECK_NUMBER(duration_of("nan"), -1);
	CHECK_NUMBER(duration_of("1e300"), -1);
	CHECK_NUMBER(duration_of("5 parsecs"), -1);
	CHECK_NUMBER(duration_of(".5"), 500 * NS_PER_MS);
	CHECK_NUMBER(duration_of(" 0.1"), -1);
	CHECK_NUMBER(duration_of("0x0.1"), -1);
	CHECK_NUMBER(duration_of("+1"), -1);
	CHECK_NUMBER(duration_of("1e1"), -1);
	CHECK_NUMBER(duration_of("1.2.3"), -1);
	CHECK_NUMBER(duration_of("."), -1);
	CHECK_NUMBER(duration_of("s"), -1);
	CHECK_NUMBER(duration_of(""), -1);
}

TEST(dates_are_utc_on_both_sides_of_1970)
{
	char date[TIME_DATE_SIZE];

	time_date_text(date, 0, "%Y-%m-%dT%H:%M:%S");
	CHECK_TEXT(date, "1970-01-01T00:00:00");
	time_date_text(date, -1, "%Y-%m-%dT%H:%M:%S");
	CHECK_TEXT(date, "1969-12-31T23:59:59");
	time_date_text(date, 1600000000, "%Y%m%dT%H%M%S");
	CHECK_TEXT(date, "20200913T122640");
}

TEST(parts_of_a_second_are_never_negative)
{
	unsigned int us;

	CHECK_NUMBER(time_split(1999999999, &us), 1);
	CHECK_NUMBER(us, 999999);
	CHECK_NUMBER(time_split(-1, &us), -1);
	CHECK_NUMBER(us, 999999);
	CHECK_NUMBER(time_split(-NS_PER_S, &us), -1);
	CHECK_NUMBER(us, 0);
}

TEST(items_of_a_list_have_no_blanks_around_them)
{
	struct text list = text_of(" a b ,\tc\t,, d"), item;
	SCOPED_BUFFER(out);

	while (text_take_item(&list, &item))
		buffer_printf(&out, "<%.*s>", (int)item.size, item.data);
	CHECK_TEXT(buffer_string(&out), "<a b><c><><d>");
}

static void progress_log(void *context, uint64_t done, uint64_t total)
{
	buffer_printf(context, "%llu/%llu ", (unsigned long long)done, (unsigned long long)total);
}

/* What is read again counts again. */
TEST(progress_ends_at_its_total_unless_that_is_unknown)
{
	SCOPED_BUFFER(log);
	struct byte_progress progress = { .advanced = progress_log, .context = &log };

	byte_progress_add(NULL, 1, 1);
	byte_progress_add(&progress, 5, 8);
	byte_progress_add(&progress, 5, 8);
	byte_progress_add(&progress, 5, 0);
	CHECK_TEXT(buffer_string(&log), "5/8 8/8 15/0 ");
}

TEST(the_first_error_stays)
{
	struct error error = { 0 };

	CHECK_NUMBER(error_set_system(&error, ENOENT, "cannot open %s", "x"), -1);
	CHECK_NUMBER(error_set(&error, "later"), -1);
	CHECK_TEXT(error.text, "cannot open x: No such file or directory");
}

/** struct slow_pipe - a pipe that is emptied only when its writer waits */
struct slow_pipe {
	int pair[2];
	size_t nr_read;
	unsigned int nr_waits;
};

static int slow_pipe_wait(void *context, int fd)
{
	struct slow_pipe *slow = context;
	char block[4096];
	ssize_t size;

	CHECK_NUMBER(fd, slow->pair[1]);
	slow->nr_waits++;
	while ((size = read(slow->pair[0], block, sizeof(block))) > 0)
		slow->nr_read += size;
	return 0;
}

TEST(writing_waits_for_a_reader_and_leaves_nothing_out)
{
	struct slow_pipe slow = { 0 };
	struct file_wait wait = { .wait = slow_pipe_wait, .context = &slow };
	size_t size = 1024 * 1024;
	char *data = calloc(1, size);

	CHECK_NUMBER(pipe2(slow.pair, O_NONBLOCK), 0);
	CHECK_NUMBER(file_write_all(slow.pair[1], data, size, &wait), 0);
	CHECK(slow.nr_waits > 0);
	slow_pipe_wait(&slow, slow.pair[1]);
	CHECK_NUMBER(slow.nr_read, size);
	close(slow.pair[0]);
	close(slow.pair[1]);
	free(data);
}

static int refuse_to_wait(void *context, int fd)
{
	(void)context;
	(void)fd;
	errno = ECANCELED;
	return -1;
}

TEST(writing_ends_where_waiting_does)
{
	struct file_wait wait = { .wait = refuse_to_wait };
	size_t size = 1024 * 1024;
	char *data = calloc(1, size);
	int pair[2];

	CHECK_NUMBER(pipe2(pair, O_NONBLOCK), 0);
	CHECK_NUMBER(file_write_all(pair[1], data, size, &wait), -1);
	CHECK_NUMBER(errno, ECANCELED);
	close(pair[0]);
	close(pair[1]);
	free(data);
}

/* A socket has nobody who could come and read it. */
TEST(only_fifos_are_waited_for_when_they_are_opened)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct file_wait wait = { .wait = refuse_to_wait };
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/ktrack-base.%d", (int)getpid());
	CHECK_NUMBER(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	CHECK_NUMBER(file_open_unblocked(address.sun_path, O_WRONLY, 0, &wait), -1);
	CHECK_NUMBER(errno, ENXIO);
	unlink(address.sun_path);
	close(listener);
}

/* Without memory for its path, a file is not missing. */
TEST(a_path_that_failed_is_no_missing_file)
{
	SCOPED_BUFFER(path);
	SCOPED_BUFFER(text);

	buffer_append_string(&path, "/proc/self/nonexistent");
	CHECK(file_open_built(AT_FDCWD, &path, O_RDONLY) < 0 && errno == ENOENT);
	CHECK(file_find_built(AT_FDCWD, &path) < 0 && errno == ENOENT);
	CHECK(!buffer_reserve(&path, SIZE_MAX / 2));
	CHECK(file_open_built(AT_FDCWD, &path, O_RDONLY) < 0 && errno == ENOMEM);
	CHECK(file_find_built(AT_FDCWD, &path) < 0 && errno == ENOMEM);
	CHECK(file_read_built(AT_FDCWD, &path, &text) < 0 && errno == ENOMEM);
	buffer_clear(&path);
	buffer_append_string(&path, "self/comm");
	CHECK(file_find_built(AT_FDCWD, &path) < 0);
	CHECK_NUMBER(file_read_in("/proc", "self/comm", &text), 0);
	CHECK(text.size > 0);
	CHECK(file_read_in("/proc", "nonexistent", &text) < 0 && errno == ENOENT);
}

TEST(a_file_that_does_not_have_its_size_is_read_whole)
{
	SCOPED_BUFFER(text);

	CHECK_NUMBER(file_read("/proc/self/status", &text), 0);
	CHECK(strstr(buffer_string(&text), "\nPid:") != NULL);
	CHECK(strstr(buffer_string(&text), "\nThreads:") != NULL);
	CHECK_NUMBER(file_read("/nonexistent/file", &text), -1);
}

/* Limits the files of this process to @nr more than those that are open. */
static void files_limit(int nr, struct rlimit *before)
{
	int fds[FILES_SPARE];
	struct rlimit limit;

	for (int i = 0; i < nr; i++)
		fds[i] = dup(STDIN_FILENO);
	CHECK_NUMBER(getrlimit(RLIMIT_NOFILE, before), 0);
	limit = *before;
	limit.rlim_cur = fds[nr - 1] + 1;
	for (int i = 0; i < nr; i++)
		close(fds[i]);
	CHECK_NUMBER(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

TEST(whether_files_are_left_is_found_without_keeping_any)
{
	struct rlimit before;

	CHECK(files_are_left());
	files_limit(FILES_SPARE, &before);
	CHECK(files_are_left());
	CHECK(files_are_left());
	CHECK_NUMBER(setrlimit(RLIMIT_NOFILE, &before), 0);
	files_limit(FILES_SPARE - 1, &before);
	CHECK(!files_are_left());
	CHECK_NUMBER(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(too_many_open_files_have_a_remedy)
{
	struct error error = { 0 };

	CHECK_NUMBER(error_set_system(&error, EMFILE, "cannot open it"), -1);
	CHECK_TEXT(error.text, "cannot open it: Too many open files; raise the limit of open files "
			       "(ulimit -n)");
}
