// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests with what real kernels wrote (tests/formats/): their formats follow, and their records say
 * what the kernels print of them.
 */
#include "convention/convention.h"

#include <dirent.h>
#include <kbuffer.h>
#include <stdio.h>

#include "fixtures/event_builder.h"
#include "fixtures/tap.h"

static int name_is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void format_add(struct convention *convention, const char *path, const char *system,
		       struct buffer *out)
{
	const struct descriptor *descriptor;
	SCOPED_BUFFER(format);
	struct error error = { 0 };

	CHECK_NUMBER(file_read(path, &format), 0);
	CHECK_NUMBER(convention_add(convention, system, buffer_text(&format), &descriptor, &error),
		     0);
	if (descriptor)
		append_descriptor(out, descriptor);
	else
		buffer_printf(out, "%s does not follow", path);
	buffer_append_char(out, '\n');
}

/* Adds all formats of a system, and writes a line for each. */
static void system_add(struct convention *convention, const char *kernel, const char *system,
		       struct buffer *out)
{
	struct dirent **entries = NULL;
	char path[512];
	int nr_entries;

	snprintf(path, sizeof(path), "tests/formats/%s/%s", kernel, system);
	nr_entries = scandir(path, &entries, name_is_visible, alphasort);
	CHECK(nr_entries > 0);
	for (int i = 0; i < nr_entries; i++) {
		snprintf(path, sizeof(path), "tests/formats/%s/%s/%s", kernel, system,
			 entries[i]->d_name);
		format_add(convention, path, system, out);
		free(entries[i]);
	}
	free(entries);
}

static struct convention *convention_of(const char *kernel, struct buffer *out)
{
	static const char *const systems[] = { "ktrack", "ktrack_demo", "probe", "synthetic" };
	struct convention *convention = convention_new(false);
	const struct report report = { 0 };

	convention_want_symbols(convention, false);
	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++)
		system_add(convention, kernel, systems[i], out);
	CHECK_NUMBER(convention_read_symbols(convention, &report), 0);
	return convention;
}

static const char descriptors[] =
	"counter ktrack:ktrack_counter thread\n"
	"counter ktrack:ktrack_counter_cpu cpu scope_cpu\n"
	"counter ktrack:ktrack_counter_cpu_track cpu scope_cpu track_name\n"
	"counter ktrack:ktrack_counter_scope_track custom scope_id track_name\n"
	"counter ktrack:ktrack_counter_tgid process scope_tgid\n"
	"counter ktrack:ktrack_counter_tgid_track process scope_tgid track_name\n"
	"counter ktrack:ktrack_counter_track thread track_name\n"
	"slice ktrack:ktrack_slice thread\n"
	"slice ktrack:ktrack_slice_cpu cpu scope_cpu\n"
	"slice ktrack:ktrack_slice_cpu_track cpu scope_cpu track_name\n"
	"slice ktrack:ktrack_slice_scope_track custom scope_id track_name\n"
	"slice ktrack:ktrack_slice_tgid process scope_tgid\n"
	"slice ktrack:ktrack_slice_tgid_track process scope_tgid track_name\n"
	"slice ktrack:ktrack_slice_track thread track_name\n"
	"counter ktrack_demo:ktrack_demo_bytes process scope_tgid track_name\n"
	"counter ktrack_demo:ktrack_demo_completed cpu scope_cpu track_name\n"
	"counter ktrack_demo:ktrack_demo_depth custom scope_queue track_name\n"
	"counter ktrack_demo:ktrack_demo_handled thread\n"
	"slice ktrack_demo:ktrack_demo_io global async track_name: request op bytes result flow "
	"ktrack_demo_request\n"
	"slice ktrack_demo:ktrack_demo_submit process scope_tgid track_name flow "
	"ktrack_demo_request\n"
	"slice ktrack_demo:ktrack_demo_tick cpu scope_cpu track_name\n"
	"slice ktrack_demo:ktrack_demo_work thread flow ktrack_demo_request\n"
	"slice probe:read custom scope_count: __probe_ip low\n"
	"slice synthetic:busy custom scope_who: comm\n";

TEST(formats_of_real_kernels_are_understood)
{
	static const char *const kernels[] = { "6.1", "6.12" };

	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		struct buffer got = { 0 };
		struct convention *convention = convention_of(kernels[i], &got);

		CHECK_TEXT(buffer_string(&got), descriptors);
		convention_free(convention);
		buffer_release(&got);
	}
}

TEST(a_real_format_that_does_not_follow_is_distinguished_from_those_that_do)
{
	struct convention *convention = convention_new(false);
	SCOPED_BUFFER(got);

	format_add(convention, "tests/formats/6.12/sched/sched_switch", "sched", &got);
	CHECK_TEXT(buffer_string(&got), "tests/formats/6.12/sched/sched_switch does not follow\n");
	CHECK_NUMBER(convention_size(convention), 0);
	convention_free(convention);
}

static void print_value(struct buffer *out, const char *name, const struct value *value)
{
	buffer_printf(out, " %s=", name);
	value_append_text(out, value);
}

/* The kernel prints flows of 0, which are none, and fields that only ends have. */
static void print_flows(struct buffer *out, const struct decoded_event *decoded)
{
	const struct field *flows = decoded->extras + decoded->nr_extras;

	for (size_t i = 0; i < decoded->descriptor->nr_flows; i++)
		buffer_printf(out, " %s=0x%llx", decoded->descriptor->flows[i].name,
			      decoded->nr_flows ? (unsigned long long)flows[i].value.unsigned_number : 0);
}

/* An asynchronous id is the first extra field. */
static size_t print_async_id(struct buffer *out, const struct decoded_event *decoded)
{
	if (!decoded->keys || !decoded->keys->is_async)
		return 0;
	buffer_printf(out, " scope_%s=0x%llx", decoded->descriptor->extras[0].name,
		      (unsigned long long)decoded->keys->ids[0]);
	return 1;
}

/*
 * In the order of the kernel's own text, without the place of a probe, which the kernel prints as a
 * symbol.
 */
static void print_fields(struct buffer *out, const struct decoded_event *decoded)
{
	const struct descriptor *descriptor = decoded->descriptor;
	struct value track_name = { .kind = VALUE_TEXT, .text = decoded->track_name };
	size_t i = print_async_id(out, decoded);

	if (descriptor->scope_field)
		print_value(out, descriptor->scope_field, &decoded->scope_id);
	if (descriptor->refs[ROLE_TRACK_NAME].kind != FIELD_ABSENT)
		print_value(out, "track_name", &track_name);
	print_flows(out, decoded);
	for (; i < decoded->nr_extras; i++) {
		if (!text_equals(decoded->extras[i].name, text_of("__probe_ip")))
			print_value(out, descriptor->extras[i].name, &decoded->extras[i].value);
	}
	for (; i < descriptor->nr_extras; i++)
		buffer_printf(out, " %s=0", descriptor->extras[i].name);
}

static void print_event(struct buffer *out, const struct decoded_event *decoded)
{
	struct value slice_name = { .kind = VALUE_TEXT, .text = decoded->slice_name };
	long long us = (decoded->time_ns + 500) / 1000;

	buffer_printf(out, "%d %lld.%06lld %s:", decoded->tid, us / 1000000, us % 1000000,
		      decoded->descriptor->name);
	if (decoded->kind == DECODED_COUNTER) {
		print_value(out, "counter_value", &decoded->counter_value);
	} else {
		buffer_printf(out, " %c", "BEI"[decoded->kind]);
		print_value(out, "slice_name", &slice_name);
	}
	print_fields(out, decoded);
	buffer_append_char(out, '\n');
}

static void print_record(struct buffer *out, const struct convention *convention,
			 const struct record *record)
{
	const struct descriptor *descriptor = record_descriptor(convention, record);
	struct decoded_event decoded;

	if (CHECK(descriptor != NULL) &&
	    CHECK_TEXT(convention_decode(&decoded, descriptor, record) ?: "", ""))
		print_event(out, &decoded);
}

static void print_page(struct buffer *out, const struct convention *convention, void *page)
{
	struct kbuffer *walker = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_SAME_AS_HOST);
	unsigned long long time_ns;
	void *data;

	kbuffer_load_subbuffer(walker, page);
	for (data = kbuffer_read_event(walker, &time_ns); data;
	     data = kbuffer_next_event(walker, &time_ns)) {
		struct record record = { .time_ns = time_ns,
					 .data = data,
					 .size = kbuffer_event_size(walker) };

		print_record(out, convention, &record);
	}
	kbuffer_free(walker);
}

static void check_page(const char *kernel, const char *name)
{
	SCOPED_BUFFER(ignored);
	SCOPED_BUFFER(page);
	SCOPED_BUFFER(want);
	SCOPED_BUFFER(got);
	struct convention *convention = convention_of(kernel, &ignored);
	char path[512];

	snprintf(path, sizeof(path), "tests/formats/%s/%s.page", kernel, name);
	CHECK_NUMBER(file_read(path, &page), 0);
	snprintf(path, sizeof(path), "tests/formats/%s/%s.text", kernel, name);
	CHECK_NUMBER(file_read(path, &want), 0);
	if (CHECK_NUMBER(page.size, 4096)) {
		print_page(&got, convention, page.data);
		CHECK_TEXT(buffer_string(&got), buffer_string(&want));
	}
	convention_free(convention);
}

TEST(records_of_the_demo_say_what_the_kernel_prints_of_them)
{
	check_page("6.1", "batches");
	check_page("6.12", "batches");
}

TEST(records_of_probes_and_synthetic_events_say_what_the_kernel_prints_of_them)
{
	check_page("6.1", "dynamic");
	check_page("6.12", "dynamic");
}
