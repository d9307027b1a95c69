// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the texts that fields have by the formats of real kernels (tests/formats/). */
#include <stdio.h>

#include "fixtures/symbols_fixture.h"

/* The text of a field if it has @value and all other bytes of the record are 0. */
static void text_of_value(const char *kernel, const char *event, const char *name, uint64_t value,
			  struct buffer *out)
{
	struct symbols_reader reader = { 0 };
	struct symbols_request request = { 0 };
	struct event_builder builder;
	SCOPED_BUFFER(text);
	SCOPED(format) format;
	const struct format_field *field;
	char path[256];

	snprintf(path, sizeof(path), "tests/formats/%s/%s", kernel, event);
	CHECK_NUMBER(file_read(path, &text), 0);
	request.format = buffer_text(&text);
	symbols_read(&reader, &request, 1);
	CHECK(!request.has_failed);
	CHECK_NUMBER(format_parse(&format, request.format), 0);
	field = format_find(&format, text_of(name));
	event_builder_begin(&builder, format.id, 7, 128);
	event_builder_number(&builder, field->offset, field->size, value);
	symbols_append_text(out, request.symbols, name, &builder);
	symbols_free(request.symbols);
}

static void check_kernels(const char *event, const char *name, uint64_t value, const char *want)
{
	static const char *const kernels[] = { "6.1", "6.12" };

	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		struct buffer got = { 0 };

		text_of_value(kernels[i], event, name, value, &got);
		CHECK_TEXT(buffer_string(&got), want);
		buffer_release(&got);
	}
}

TEST(states_of_threads_are_letters)
{
	check_kernels("sched/sched_switch", "prev_state", 0, "R");
	check_kernels("sched/sched_switch", "prev_state", 256, "R+");
	check_kernels("sched/sched_switch", "prev_state", 1, "S");
	check_kernels("sched/sched_switch", "prev_state", 2, "D");
	check_kernels("sched/sched_switch", "prev_state", 0x80, "I");
	check_kernels("sched/sched_switch", "prev_state", 0x81, "S|I");
	check_kernels("sched/sched_switch", "prev_pid", 1, "-");
}

TEST(soft_interrupts_have_names)
{
	check_kernels("irq/softirq_entry", "vec", 0, "HI");
	check_kernels("irq/softirq_entry", "vec", 3, "NET_RX");
	check_kernels("irq/softirq_entry", "vec", 9, "RCU");
	check_kernels("irq/softirq_entry", "vec", 10, "0xa");
}

TEST(allocation_flags_have_names)
{
	check_kernels("kmem/kmalloc", "gfp_flags", 0, "none");
	check_kernels("kmem/kmalloc", "gfp_flags", 0xcc0, "GFP_KERNEL");
	check_kernels("kmem/kmalloc", "gfp_flags", 0xdc0, "GFP_KERNEL|__GFP_ZERO");
	check_kernels("kmem/kmalloc", "gfp_flags", 0x400000000cc0, "GFP_KERNEL|0x400000000000");
	check_kernels("kmem/kmalloc", "gfp_flags", 0x50cc0, "GFP_KERNEL|__GFP_NORETRY|__GFP_COMP");
}

TEST(timer_flags_are_letters)
{
	check_kernels("timer/timer_start", "flags", 0, "");
	check_kernels("timer/timer_start", "flags", 0x80000, "D");
	check_kernels("timer/timer_start", "flags", 0x0a280001, "D|I");
}

/* As kvm_exit has them: what the number means depends on another field, and its flags follow. */
TEST(exits_of_guests_have_names_of_their_processor)
{
	static const char print[] =
		"\"vcpu %u reason %s%s%s rip 0x%lx\", REC->op, (REC->v == 1) ? "
		"__print_symbolic(REC->flags & 0xffff, { 0, \"EXCEPTION_NMI\" }, { 30, \"IO\" }) : "
		"__print_symbolic(REC->flags, { 0x7b, \"ioio\" }), (REC->v == 1 && REC->flags & "
		"~0xffff) ? \" \" : \"\", (REC->v == 1) ? __print_flags(REC->flags & ~0xffff, \" "
		"\", "
		"{ 0x80000000, \"FAILED_VMENTRY\" }) : \"\", REC->big";
	struct symbols_reader reader = { 0 };
	struct event_builder builder;
	SCOPED_BUFFER(got);
	bool has_failed;
	struct symbols *symbols = symbols_of_print(&reader, print, &has_failed);

	event_builder_begin(&builder, 5, 7, SYMBOLS_RECORD_SIZE);
	event_builder_number(&builder, 12, 4, 1);
	event_builder_number(&builder, 8, 4, 0x8000001e);
	symbols_append_text(&got, symbols, "flags", &builder);
	event_builder_number(&builder, 12, 4, 2);
	event_builder_number(&builder, 8, 4, 0x7b);
	buffer_append_char(&got, '/');
	symbols_append_text(&got, symbols, "flags", &builder);
	CHECK_TEXT(buffer_string(&got), "IO FAILED_VMENTRY/ioio");
	symbols_free(symbols);
}
