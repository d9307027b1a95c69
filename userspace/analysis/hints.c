// SPDX-License-Identifier: GPL-2.0-only
/* Lines behind the answer: what a recording lacks that would explain more, and cgroups. */
#include <stdlib.h>

#include "analysis/why.h"

/** CGROUP_SIZE_MAX - limit of the bytes of /proc/PID/cgroup that are read */
#define CGROUP_SIZE_MAX 16384

/* Shorter parts need no explanation. */
#define HINT_PERCENT 10

/** enum interrupt_use - what the name of an interrupt reveals about the end of a wait in it */
enum interrupt_use {
	USE_OTHER,
	USE_TIMER,
	USE_DISK,
	USE_DEVICE,
	USE_COUNT
};

/**
 * struct hints - what the explained slices lack
 * @stack: kernel stacks of sleeps that a timeout ended
 * @has_use: what ended in interrupts of this use that threads waited for
 * @is_disk: an asynchronous slice ended by the soft interrupt of disks
 * @device: the interrupt of the longest wait for a device
 * @device_ns: how long this wait took
 * @rival: the longest part that is runnable behind a thread of the same priority, NULL for none
 */
struct hints {
	bool stack;
	bool has_use[USE_COUNT];
	bool is_disk;
	uint16_t device;
	int64_t device_ns;
	const struct part *rival;
};

/* The other soft interrupts end no operation of a pack. */
static enum interrupt_use interrupt_find_use(struct text name)
{
	static const char *const timers[] = { "timer ", "hrtimer ", "TIMER", "HRTIMER",
					      "local timer" };

	for (size_t i = 0; i < sizeof(timers) / sizeof(timers[0]); i++) {
		if (text_begins(name, text_of(timers[i])))
			return USE_TIMER;
	}
	if (text_equals(name, text_of("BLOCK")))
		return USE_DISK;
	return text_begins(name, text_of("IRQ ")) ? USE_DEVICE : USE_OTHER;
}

static bool part_waits_for_interrupt(const struct part_key *key)
{
	return key->kind == PART_WAITING ||
	       (key->kind == PART_BLOCKED && key->is_woken && key->context != CONTEXT_THREAD);
}

/* Threads of the same real-time priority do not share a CPU by the weights of their cgroups. */
static bool part_has_rival(const struct part_key *key)
{
	return part_has_priorities(key) && key->prio == key->own_prio &&
	       key->prio > PRIO_REALTIME_MAX;
}

static void hints_add_wait(const struct why_sink *why, const struct part *part, struct hints *hints)
{
	struct text name = name_table_text(&why->names, part->key.interrupt);
	enum interrupt_use use = interrupt_find_use(name);

	hints->has_use[use] = true;
	if (use == USE_DEVICE && part->total_ns > hints->device_ns) {
		hints->device = part->key.interrupt;
		hints->device_ns = part->total_ns;
	}
}

/*
 * Whether the soft interrupt of disks followed the one that an asynchronous slice waited for. Such
 * interrupts on the CPU of a thread may have nothing to do with it.
 */
static bool slice_ends_by_disk(const struct why_sink *why, const struct why_slice *slice)
{
	for (size_t i = 0; slice->is_async && i < slice->split.nr_parts; i++) {
		const struct part_key *key = &slice->split.parts[i].key;

		if (key->kind == PART_SOFT &&
		    interrupt_find_use(name_table_text(&why->names, key->interrupt)) == USE_DISK)
			return true;
	}
	return false;
}

static void hints_find(const struct why_sink *why, const struct split *split, int64_t least_ns,
		       struct hints *hints)
{
	for (size_t i = 0; i < split->nr_parts; i++) {
		const struct part *part = &split->parts[i];
		bool is_timeout = part_is_timeout(&why->names, &part->key);

		if (part->total_ns < least_ns)
			continue;
		/* An instant before the sleep names its reason, as dirty pages do. */
		hints->stack |= is_timeout && part->key.stack == NAMES_NONE &&
				part->key.instant == NAMES_NONE;
		if (!is_timeout && part_waits_for_interrupt(&part->key) &&
		    part->key.object == NAMES_NONE)
			hints_add_wait(why, part, hints);
		if (part_has_rival(&part->key) &&
		    (!hints->rival || part->total_ns > hints->rival->total_ns))
			hints->rival = part;
		if (part->waker)
			hints_find(why, part->waker, least_ns, hints);
	}
}

/* The packs of operations of which there are no records, and which ended in the interrupts. */
static void print_missing(struct why_sink *why, const struct hints *hints)
{
	bool has_device = hints->has_use[USE_DEVICE] && !why->has_block;
	bool lacks_block = (hints->has_use[USE_DISK] && !why->has_block) ||
			   (has_device && hints->is_disk);
	bool lacks_timers = hints->has_use[USE_TIMER] && !why->has_timers;

	if (lacks_block || lacks_timers)
		buffer_printf(&why->out,
			      "what ended in the interrupts is not recorded; record with -r "
			      "%s%s%s, too\n",
			      lacks_block ? "block" : "", lacks_block && lacks_timers ? "," : "",
			      lacks_timers ? "timers" : "");
	if (has_device && !lacks_block) {
		buffer_append_string(&why->out, "if ");
		why_append_clean(&why->out, name_table_text(&why->names, hints->device));
		buffer_append_string(&why->out,
				     " is the interrupt of a disk, record with -r block, too\n");
	}
}

/* The first line of a file of a thread that still has its name; false if there is none. */
static bool thread_read_line(int tid, const char *name, struct buffer *out)
{
	struct buffer path = { 0 };
	char *end;
	int status;

	buffer_printf(&path, "/proc/%d/%s", tid, name);
	status = file_read_up_to(buffer_string(&path), CGROUP_SIZE_MAX, out);
	buffer_release(&path);
	end = status == 0 && out->size > 0 ? memchr(out->data, '\n', out->size) : NULL;
	if (end)
		out->size = end - out->data;
	return end;
}

/* The cgroup of the unified hierarchy: "0::/PATH". */
static bool thread_find_cgroup(const struct why_sink *why, const struct part_key *key,
			       struct buffer *out)
{
	struct buffer comm = { 0 };
	bool is_same = why->settings->is_here && thread_read_line(key->tid, "comm", &comm) &&
		       text_equals(buffer_text(&comm), name_table_text(&why->names, key->name));

	buffer_release(&comm);
	return is_same && thread_read_line(key->tid, "cgroup", out) && out->size > 3 &&
	       memcmp(out->data, "0::", 3) == 0;
}

static void print_rival(struct why_sink *why, const struct part_key *key)
{
	struct text name = name_table_text(&why->names, key->name);
	struct buffer cgroup = { 0 };

	why_append_clean(&why->out, name);
	buffer_printf(&why->out, " (%d) has the same priority", key->tid);
	if (thread_find_cgroup(why, key, &cgroup)) {
		buffer_append_string(&why->out, " and is in cgroup ");
		why_append_clean(&why->out, (struct text){ cgroup.data + 3, cgroup.size - 3 });
		buffer_append_string(&why->out, "; cpu.weight divides a CPU between cgroups\n");
	} else {
		buffer_printf(&why->out,
			      "; if its cgroup (/proc/%d/cgroup) is another one, cpu.weight "
			      "divides the CPU between them\n",
			      key->tid);
	}
	buffer_release(&cgroup);
}

void why_print_hints(struct why_sink *why)
{
	struct hints hints = { 0 };
	struct buffer *out = &why->out;

	for (size_t i = 0; i < why->nr_slices; i++) {
		const struct why_slice *slice = &why->slices[i];

		hints_find(why, &slice->split,
			   (slice->end_ns - slice->begin_ns) * HINT_PERCENT / 100, &hints);
		hints.is_disk |= slice_ends_by_disk(why, slice);
	}
	if (hints.stack)
		buffer_append_string(out, "no kernel stacks show where threads slept; record with "
					  "--stack='sched:sched_switch if prev_state & 3'\n");
	print_missing(why, &hints);
	if (hints.rival)
		print_rival(why, &hints.rival->key);
}
