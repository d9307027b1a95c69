// SPDX-License-Identifier: GPL-2.0-only
/* Lines behind the answer: what a recording lacks that would explain more, and cgroups. */
#include <stdlib.h>

#include "analysis/why.h"

/** CGROUP_SIZE_MAX - limit of the bytes of /proc/PID/cgroup that are read */
#define CGROUP_SIZE_MAX 16384

/* Shorter parts need no explanation. */
#define HINT_PERCENT 10

/**
 * struct hints - what the explained slices lack
 * @stack: kernel stacks of sleeps that a timeout ended
 * @operation: what ended in the interrupts that threads waited for
 * @rival: the longest part that is runnable behind a thread of the same priority, NULL for none
 */
struct hints {
	bool stack;
	bool operation;
	const struct part *rival;
};

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
		hints->operation |= !is_timeout && part_waits_for_interrupt(&part->key) &&
				    part->key.object == NAMES_NONE;
		if (part_has_rival(&part->key) &&
		    (!hints->rival || part->total_ns > hints->rival->total_ns))
			hints->rival = part;
		if (part->waker)
			hints_find(why, part->waker, least_ns, hints);
	}
}

/* The packs of operations of which there are no records. */
static const char *missing_packs(const struct why_sink *why)
{
	if (why->has_timers)
		return why->has_block ? NULL : "block";
	return why->has_block ? "timers" : "block,timers";
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
	}
	if (hints.stack)
		buffer_append_string(out, "no kernel stacks show where threads slept; record with "
					  "--stack='sched:sched_switch if prev_state & 3'\n");
	if (hints.operation && missing_packs(why))
		buffer_printf(out,
			      "what ended in the interrupts is not recorded; record with -r %s, "
			      "too\n",
			      missing_packs(why));
	if (hints.rival)
		print_rival(why, &hints.rival->key);
}
