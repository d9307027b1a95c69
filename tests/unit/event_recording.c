// SPDX-License-Identifier: GPL-2.0-only
/* Tests of a recording's properties: what outputs print, copies of texts, labels. */
#include <string.h>
#include <sys/utsname.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#include "event/event.h"
#include "fixtures/tap.h"

TEST(labels_are_lines_with_a_key)
{
	struct text rest = text_of("a=1\n=2\nno\n\nb=\nc=x=y"), key, value;
	SCOPED_BUFFER(out);

	while (recording_take_label(&rest, &key, &value))
		buffer_printf(&out, "<%.*s|%.*s>", (int)key.size, key.data, (int)value.size,
			      value.data);
	CHECK_TEXT(buffer_string(&out), "<a|1><b|><c|x=y>");
}

/* Lines "NAME VALUE" of the properties that an output prints. */
static void check_printed(const struct recording *recording, enum recording_output output,
			  const char *want)
{
	const struct recording_property *property = NULL;
	SCOPED_BUFFER(lines);
	struct value value;

	while (recording_next(recording, output, &property, &value)) {
		buffer_printf(&lines, "%s ", property->name);
		value_append_text(&lines, &value);
		buffer_append_char(&lines, '\n');
	}
	CHECK_TEXT(buffer_string(&lines), want);
}

TEST(devices_have_names_by_number)
{
	const char *lines = "8:0\n8:0 sda\n8:0 sdb\n:\n\n8:16 \n259:1048575 nvme0n1p1";

	CHECK(text_equals(recording_device(lines, 8 << 20), text_of("sda")));
	CHECK(text_equals(recording_device(lines, 259ULL << 20 | 1048575), text_of("nvme0n1p1")));
	CHECK_NUMBER(recording_device(lines, 8 << 20 | 16).size, 0);
	CHECK_NUMBER(recording_device(lines, 9 << 20).size, 0);
	CHECK_NUMBER(recording_device(NULL, 8 << 20).size, 0);
}

TEST(outputs_print_what_is_known)
{
	const struct recording unknown = { .source = "a", .id = "b", .mode = "", .clock = "c" };
	const struct recording known = { .clock = "counter",
					 .counts_ticks = true,
					 .host = "host",
					 .overwrite = "0",
					 .nr_cpus = 3,
					 .buffer_kib = 4,
					 .memory_kib = UINT64_MAX,
					 .read_before = 5 };

	check_printed(&unknown, RECORDING_TRACE2, "source a\nrecording_id b\nclock c\ncpus 0\n");
	check_printed(&known, RECORDING_TRACE2,
		      "clock counter\nhost host\ntime_unit ticks\noverwrite 0\ncpus 3\n"
		      "buffer_kib 4\nmemory_kib 18446744073709551615\nread_before 5\n");
	check_printed(&unknown, RECORDING_OTLP, "source a\nclock c\n");
	check_printed(&known, RECORDING_OTLP, "clock counter\ncounts_ticks true\n");
}

TEST(the_boot_is_in_timelines_and_lines)
{
	const struct recording recording = { .boot_id = "1-2" };

	check_printed(&recording, RECORDING_TRACE2, "boot_id 1-2\ncpus 0\n");
	check_printed(&recording, RECORDING_TRACE2_MACHINE, "boot_id 1-2\n");
	check_printed(&recording, RECORDING_CHROME, "boot_id 1-2\n");
	check_printed(&recording, RECORDING_MACHINE, "boot_id 1-2\n");
	check_printed(&recording, RECORDING_PERFETTO, "boot_id 1-2\n");
	check_printed(&recording, RECORDING_OTLP, "boot_id 1-2\n");
}

TEST(the_selection_is_in_all_outputs_of_the_whole)
{
	static const unsigned int outputs[] = { RECORDING_CHROME, RECORDING_HTML,
						RECORDING_PERFETTO, RECORDING_OTLP };
	const struct recording recording = { .selection = "all" };

	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++)
		check_printed(&recording, outputs[i], "selection all\n");
	check_printed(&recording, RECORDING_TRACE2, "selection all\ncpus 0\n");
	check_printed(&recording, RECORDING_MACHINE, "");
}

TEST(a_table_has_a_column_for_each_property)
{
	const struct recording unknown = { .source = "a" };

	check_printed(&unknown, RECORDING_SQLITE,
		      "source a\nrecording_id \nmode \nclock \ntime_source \ncounts_ticks false\n"
		      "kernel \nhost \nselection \ncpus 0\nbuffer_kib 0\n");
}

TEST(a_recording_owns_the_texts_that_it_keeps)
{
	struct recording recording = { .clock = "boot" };
	char name[] = "host and more";

	CHECK_NUMBER(recording_keep(&recording, &recording.host, (struct text){ name, 4 }), 0);
	memset(name, 'x', sizeof(name) - 1);
	CHECK_TEXT(recording.host, "host");
	CHECK_NUMBER(recording_keep(&recording, &recording.host, text_of("other")), 0);
	CHECK_TEXT(recording.host, "other");
	CHECK_NUMBER(recording_keep_id(&recording, 0x12ab), 0);
	CHECK_TEXT(recording.id, "00000000000012ab");
	CHECK_TEXT(recording.clock, "boot");
	recording_release(&recording);
	CHECK(!recording.texts);
}

TEST(a_live_recording_is_of_this_machine)
{
	SCOPED(recording) recording = { 0 };
	struct utsname system;

	uname(&system);
	CHECK_NUMBER(recording_keep_system(&recording), 0);
	CHECK_TEXT(recording.kernel, system.release);
	CHECK_TEXT(recording.host, system.nodename);
	CHECK_NUMBER(strlen(recording.boot_id), 36);
	CHECK_NUMBER(strspn(recording.boot_id, "0123456789abcdef-"), 36);
}

/* Whether memory was freed, as far as the build can see it. */
static bool is_freed(const void *memory)
{
#ifdef __SANITIZE_ADDRESS__
	return __asan_address_is_poisoned(memory);
#else
	return memory;
#endif
}

TEST(a_property_that_is_stated_again_is_kept_once)
{
	SCOPED(recording) recording = { 0 };
	const char *first;

	CHECK_NUMBER(recording_keep(&recording, &recording.host, text_of("one")), 0);
	CHECK_NUMBER(recording_keep(&recording, &recording.kernel, text_of("6.1")), 0);
	first = recording.host;
	CHECK_NUMBER(recording_keep(&recording, &recording.host, text_of("two")), 0);
	CHECK(is_freed(first));
	CHECK_TEXT(recording.host, "two");
	CHECK_TEXT(recording.kernel, "6.1");
}
