// SPDX-License-Identifier: GPL-2.0-only
/* Tests of what the kernel's own tracepoints say of tasks, by the formats of real kernels. */
#include "convention/convention.h"

#include <stdio.h>

#include "fixtures/random.h"
#include "fixtures/event_builder.h"
#include "fixtures/tap.h"

static const char *const kernels[] = { "6.1", "6.12" };

/* The formats' ids differ from kernel to kernel: records get that of the one format there is. */
static unsigned int task_id;

static struct convention *convention_of(const char *kernel, const char *system, const char *name)
{
	struct convention *convention = convention_new(false);
	struct buffer format = { 0 };
	struct error error = { 0 };
	char path[256];

	snprintf(path, sizeof(path), "tests/formats/%s/%s/%s", kernel, system, name);
	CHECK_NUMBER(file_read(path, &format), 0);
	CHECK_NUMBER(sscanf(strstr(buffer_string(&format), "ID: "), "ID: %u", &task_id), 1);
	CHECK_NUMBER(convention_add_task(convention, system, name, buffer_text(&format), &error),
		     0);
	buffer_release(&format);
	return convention;
}

static const char *const kinds[] = {
	[TASK_CHANGE_BORN] = "born",	 [TASK_CHANGE_NAMED] = "named",
	[TASK_CHANGE_TOOK_OVER] = "ran", [TASK_CHANGE_MOVED] = "moved",
	[TASK_CHANGE_EXITED] = "exited", [TASK_CHANGE_GONE] = "gone",
};

static bool task_read(const struct convention *convention, const struct record *record,
		      struct task_change *out)
{
	uint16_t id;

	return record_id(record, convention->is_swapped, &id) &&
	       convention_read_task(convention, id, record, out);
}

static void check_change(struct convention *convention, const struct event_builder *builder,
			 const char *want)
{
	struct record record = { .time_ns = 9, .data = builder->bytes, .size = builder->size };
	SCOPED_BUFFER(got);
	struct task_change change;

	if (task_read(convention, &record, &change)) {
		CHECK_NUMBER(change.time_ns, 9);
		buffer_printf(&got, "%s %d tgid %d by %d %s from %d '%.*s'", kinds[change.kind],
			      change.tid, change.tgid, change.parent_tid,
			      change.is_thread ? "thread" : "process", change.old_tid,
			      (int)change.comm.size, change.comm.data);
		if (change.kind == TASK_CHANGE_MOVED)
			buffer_printf(&got, " to '%.*s'", (int)change.cgroup.size,
				      change.cgroup.data);
	}
	CHECK_TEXT(buffer_string(&got), want);
	convention_free(convention);
}

static void newtask_check(const char *kernel, int tid, uint64_t flags, const char *want)
{
	struct convention *convention = convention_of(kernel, "task", "task_newtask");
	struct event_builder builder;

	event_builder_begin(&builder, task_id, 3, 48);
	event_builder_number(&builder, 8, 4, tid);
	memcpy(builder.bytes + 12, "child", 5);
	event_builder_number(&builder, 32, 8, flags);
	check_change(convention, &builder, want);
}

TEST(a_new_task_is_a_process_or_a_thread_of_its_parents)
{
	for (int i = 0; i < 2; i++) {
		newtask_check(kernels[i], 7, 0x1200000,
			      "born 7 tgid 7 by 3 process from 7 'child'");
		newtask_check(kernels[i], 7, 0x3d0f00, "born 7 tgid 0 by 3 thread from 7 'child'");
		newtask_check(kernels[i], 0, 0, "");
	}
}

TEST(a_program_gives_its_name_and_the_number_of_its_process)
{
	for (int i = 0; i < 2; i++) {
		struct convention *convention = convention_of(kernels[i], "sched",
							      "sched_process_exec");
		struct event_builder builder;

		event_builder_begin(&builder, task_id, 20, 20);
		event_builder_text(&builder, 8, "/usr/bin/a-program-with-a-long-name");
		event_builder_number(&builder, 12, 4, 20);
		event_builder_number(&builder, 16, 4, 21);
		check_change(convention, &builder,
			     "ran 20 tgid 20 by 20 process from 21 'a-program-with-'");
	}
}

static void move_check(int hierarchy, const char *want)
{
	for (int i = 0; i < 2; i++) {
		struct convention *convention = convention_of(kernels[i], "cgroup",
							      "cgroup_attach_task");
		struct event_builder builder;

		event_builder_begin(&builder, task_id, 3, 40);
		event_builder_number(&builder, 8, 4, hierarchy);
		event_builder_number(&builder, 24, 4, 7);
		event_builder_text(&builder, 28, "/a/b");
		event_builder_text(&builder, 32, "name");
		check_change(convention, &builder, want);
	}
}

TEST(a_process_moves_in_the_hierarchy_of_version_2)
{
	move_check(0, "moved 7 tgid 0 by 3 process from 7 '' to '/a/b'");
	move_check(5, "moved 7 tgid 0 by 3 process from 7 '' to ''");
}

static void comm_check(const char *system, const char *name, size_t comm, size_t tid,
		       const char *want)
{
	for (int i = 0; i < 2; i++) {
		struct convention *convention = convention_of(kernels[i], system, name);
		struct event_builder builder;

		event_builder_begin(&builder, task_id, 3, 64);
		memcpy(builder.bytes + comm, "name", 4);
		event_builder_number(&builder, tid, 4, 7);
		check_change(convention, &builder, want);
	}
}

TEST(names_births_and_ends_are_read_where_the_kernels_put_them)
{
	comm_check("task", "task_rename", 28, 8, "named 7 tgid 0 by 3 process from 7 'name'");
	comm_check("sched", "sched_process_fork", 28, 44,
		   "born 7 tgid 0 by 3 process from 7 'name'");
	comm_check("sched", "sched_process_exit", 8, 24,
		   "exited 7 tgid 0 by 3 process from 7 'name'");
	comm_check("sched", "sched_process_free", 8, 24,
		   "gone 7 tgid 0 by 3 process from 7 'name'");
	comm_check("sched", "sched_switch", 40, 56, "named 7 tgid 0 by 3 process from 7 'name'");
	comm_check("sched", "sched_wakeup", 8, 24, "named 7 tgid 0 by 3 process from 7 'name'");
	comm_check("sched", "sched_waking", 8, 24, "named 7 tgid 0 by 3 process from 7 'name'");
}

TEST(a_rename_without_a_number_is_of_the_writer)
{
	struct convention *convention = convention_new(false);
	struct error error = { 0 };
	struct event_builder builder;

	CHECK_NUMBER(convention_add_task(
			     convention, "task", "task_rename",
			     text_of(FORMAT("task_rename", 5, FIELD("char newcomm[16]", 8, 16, 0))),
			     &error),
		     0);
	event_builder_begin(&builder, 5, 3, 24);
	memcpy(builder.bytes + 8, "full sixteen byt", 16);
	check_change(convention, &builder, "named 3 tgid 0 by 3 process from 3 'full sixteen byt'");
}

TEST(other_tracepoints_report_nothing_of_tasks)
{
	struct convention *convention = convention_new(false);
	struct text format = text_of(FORMAT("task_rename", 5, FIELD("char newcomm[16]", 8, 16, 0)));
	struct error error = { 0 };
	struct event_builder builder;

	CHECK_NUMBER(convention_add_task(convention, "other", "task_rename", format, &error), 0);
	event_builder_begin(&builder, 5, 3, 24);
	check_change(convention, &builder, "");
}

TEST(records_of_tasks_cut_anywhere_are_not_read_beyond_their_end)
{
	struct convention *convention = convention_of("6.12", "sched", "sched_process_exec");
	struct random random = { .state = 3 };

	for (int i = 0; i < 2000; i++) {
		struct task_change change;
		unsigned char *bytes = malloc(24);
		struct record record = { .data = bytes, .size = random_below(&random, 25) };

		for (int byte = 0; byte < 24; byte++)
			bytes[byte] = random_below(&random, 3) ? 0 : random_next(&random);
		memcpy(bytes, &task_id, 2);
		bytes = realloc(bytes, record.size ? record.size : 1);
		record.data = bytes;
		if (task_read(convention, &record, &change)) {
			CHECK(change.tid > 0);
			CHECK(text_hash(change.comm) != 1);
		}
		free(bytes);
	}
	convention_free(convention);
}
