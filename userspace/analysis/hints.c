// SPDX-License-Identifier: GPL-2.0-only
/* Lines behind the answer of ktrack why: what the recording lacks that would explain more, and what
 * else is known of cgroups. */
#include "analysis/internal.h"

#include <stdio.h>
#include <string.h>

/** enum interrupt_use - what the name of an interrupt reveals about the end of a wait in it */
enum interrupt_use {
	USE_OTHER,
	USE_TIMER,
	USE_DISK,
	USE_DEVICE,
	USE_COUNT
};

/** WAKING_NS - an idle CPU that handles a wake-up later has a reason */
#define WAKING_NS 50000

/** struct hints - what the explained slices lack */
struct hints {
	bool stack;	    /* kernel stacks of sleeps that a timeout ended */
	bool has_open_wait; /* waits of which neither a stack nor a slice names the reason */
	bool is_undecided[UNDECIDED_COUNT];
	bool has_use[USE_COUNT]; /* what ended in interrupts of this use that threads waited for */
	bool is_disk;		 /* an asynchronous slice ended by the soft interrupt of disks */
	uint16_t device;	 /* the interrupt of the longest wait for a device */
	int64_t device_ns;	 /* how long this wait took */
	/* The longest part that is runnable behind a thread of the same priority, NULL for none. */
	const struct part *rival;
	bool has_timeout;	   /* a timeout ended a sleep: whether it was late is unknown */
	const struct part *waking; /* the longest wait for a CPU that is idle, NULL for none */
	bool is_taken; /* a thread was taken off its CPU, perhaps by the limit of its cgroup */
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

static void hints_find(const struct why_sink *why, const struct split *split, int64_t least_ns,
		       struct hints *hints)
{
	for (size_t i = 0; i < split->nr_parts; i++) {
		const struct part *part = &split->parts[i];
		bool is_timeout = part_is_timeout(&why->names, &part->key);

		if (part->total_ns < least_ns)
			continue;
		if (part->key.kind == PART_UNDECIDED)
			hints->is_undecided[part->key.reason] = true;
		/* A sum of waits has no stack, although each of them may have one. */
		hints->has_open_wait |= part->key.kind == PART_BLOCKED && part->nr_members < 2 &&
					part->key.stack == NAMES_NONE &&
					part->key.object == NAMES_NONE &&
					part->key.instant == NAMES_NONE &&
					part->key.label == NAMES_NONE;
		hints->is_taken |= part->key.kind == PART_RUNNABLE &&
				   (part->key.reason == RUNNABLE_THROTTLED ||
				    part->key.reason == RUNNABLE_TAKEN);
		/* An instant before the sleep names its reason, as dirty pages do. */
		hints->stack |= is_timeout && part->nr_members < 2 &&
				part->key.stack == NAMES_NONE && part->key.instant == NAMES_NONE;
		hints->has_timeout |= is_timeout && part->key.object == NAMES_NONE;
		if (part->key.kind == PART_RUNNABLE && part->key.reason == RUNNABLE_WAKING &&
		    part->longest_ns >= WAKING_NS &&
		    (!hints->waking || part->total_ns > hints->waking->total_ns))
			hints->waking = part;
		if (!is_timeout &&
		    (part->key.kind == PART_WAITING ||
		     (part->key.kind == PART_BLOCKED && part->key.is_woken &&
		      part->key.context != CONTEXT_THREAD)) &&
		    part->key.object == NAMES_NONE) {
			struct text name = name_table_text(
				&why->names, part->key.via ? part->key.via : part->key.interrupt);
			enum interrupt_use use = interrupt_find_use(name);

			hints->has_use[use] = true;
			if (use == USE_DEVICE && part->total_ns > hints->device_ns) {
				hints->device = part->key.interrupt;
				hints->device_ns = part->total_ns;
			}
		}
		/* Threads of the same real-time priority do not share a CPU by the weights of their
		 * cgroups. */
		if (part_has_priorities(&part->key) && part->key.prio == part->key.own_prio &&
		    part->key.prio > PRIO_REALTIME_MAX &&
		    (!hints->rival || part->total_ns > hints->rival->total_ns))
			hints->rival = part;
		if (part->waker)
			hints_find(why, part->waker, least_ns, hints);
	}
}

/* Shorter parts need no explanation. */
#define HINT_PERCENT 10

/* Whether a list with commas has a word. */
static bool packs_have(struct text list, const char *word)
{
	while (list.size > 0) {
		const char *comma = memchr(list.data, ',', list.size);
		size_t size = comma ? (size_t)(comma - list.data) : list.size;

		if (text_equals((struct text){ list.data, size }, text_of(word)))
			return true;
		size += comma != NULL;
		list = (struct text){ list.data + size, list.size - size };
	}
	return false;
}

bool stored_has_pack(const char *stored, const char *pack)
{
	struct text lines = text_of(stored ? stored : "");
	bool has = false;

	while (lines.size > 0 && !has) {
		struct text line = text_take_line(&lines);

		has = text_take_begin(&line, "-r ") && packs_have(line, pack);
	}
	return has;
}

/* What decides times that are undecided, but for what another recording would show. */
static void print_undecided(struct why_sink *why, const struct hints *hints)
{
	static const char *const remedies[UNDECIDED_COUNT] = {
		[UNDECIDED_UNSEEN] =
			"what threads did before their first records is undecided; begin "
			"to record earlier",
		[UNDECIDED_HISTORY] = "what is older than the kept states is undecided; ask for a "
				      "part of the recording with --from and --to",
		[UNDECIDED_NO_END] = "what has no end is undecided; record until it ends",
		[UNDECIDED_LIMIT] = "too many slices overlap; ask for one of them with --at",
	};

	for (int i = 0; i < UNDECIDED_COUNT; i++) {
		if (hints->is_undecided[i] && remedies[i])
			buffer_printf(&why->out, "%s\n", remedies[i]);
	}
}

static void append_pack(struct buffer *packs, const struct why_sink *why, const char *pack)
{
	if (!packs_have(buffer_text(packs), pack) && !stored_has_pack(why->stored, pack))
		buffer_printf(packs, "%s%s", packs->size > 0 ? "," : "", pack);
}

/* The command that records what would decide more: the recording's own selection, and the rest. */
static void print_record_again(struct why_sink *why, const struct hints *hints, bool lacks_block,
			       bool lacks_timers)
{
	struct text stored = text_of(why->stored ? why->stored : "");
	struct buffer packs = { 0 }, command = { 0 };
	bool loses = hints->is_undecided[UNDECIDED_LOSS];
	bool needs_stack = hints->stack || hints->has_open_wait;
	bool has_programs = why->has_programs;
	bool lacks_power = hints->waking && !why->has_power;

	/* What was recorded is not known. */
	if (!why->stored && why->nr_slices == 0)
		return;
	while (stored.size > 0) {
		struct text line = text_take_line(&stored);
		bool is_pattern = text_begins(line, text_of("-e "));
		struct buffer word = { 0 };

		has_programs |= text_begins(line, text_of("--programs"));
		if (!is_pattern && !text_begins(line, text_of("-r ")))
			continue;
		buffer_append(&word, line.data + 3, line.size - 3);
		buffer_seal(&word);
		buffer_append_string(&command, is_pattern ? " -e " : " -r ");
		buffer_append_word(&command, buffer_string(&word));
		buffer_release(&word);
	}
	if (!why->stored) {
		const char *category = why->slices[0].category;
		const char *colon = strchr(category, ':');

		buffer_append(&packs, category, colon ? (size_t)(colon - category) : 0);
		buffer_seal(&packs);
		if (!packs_have(text_of(WHY_PACKS "," WHY_FILE_PACKS), buffer_string(&packs))) {
			buffer_append_string(&command, " -e ");
			buffer_append_word(&command, category);
			buffer_clear(&packs);
		}
	}
	append_pack(&packs, why, "sched");
	append_pack(&packs, why, "irq");
	if (lacks_block)
		append_pack(&packs, why, "block");
	if (lacks_timers)
		append_pack(&packs, why, "timers");
	if (lacks_power)
		append_pack(&packs, why, "power");
	if (loses || needs_stack || lacks_block || lacks_timers || lacks_power ||
	    !why->history.has_interrupts) {
		buffer_append_string(&why->out, "to decide more: ktrack record");
		buffer_append_string(&why->out, loses ? " -b 32M" : "");
		buffer_append_string(&why->out, has_programs ? " --programs" : "");
		buffer_append_printable(&why->out, buffer_text(&command));
		if (packs.size > 0)
			buffer_printf(&why->out, " -r %s", buffer_string(&packs));
		buffer_append_string(&why->out,
				     needs_stack ? " --stack='sched:sched_switch if prev_state & 3'"
						 : "");
		buffer_append_string(&why->out, " -- COMMAND\n");
	}
	why->out.failed |= packs.failed || command.failed;
	buffer_release(&packs);
	buffer_release(&command);
}

/* The packs of operations of which there are no records, and which ended in the interrupts. */
static void print_missing(struct why_sink *why, const struct hints *hints)
{
	bool has_device = hints->has_use[USE_DEVICE] && !why->has_block;
	bool lacks_block = (hints->has_use[USE_DISK] && !why->has_block) ||
			   (has_device && hints->is_disk);
	bool lacks_timers = hints->has_use[USE_TIMER] && !why->has_timers;
	bool lacks_times = hints->has_timeout && !why->has_timers;

	if (lacks_times)
		buffer_append_string(&why->out,
				     "how late timeouts were, by timer slack for example, is not "
				     "recorded; record with -r timers, too\n");
	if (lacks_block || lacks_timers)
		buffer_printf(&why->out,
			      "what ended in the interrupts is not recorded; record with -r "
			      "%s%s%s, too\n",
			      lacks_block ? "block" : "", lacks_block && lacks_timers ? "," : "",
			      lacks_timers ? "timers" : "");
	if (has_device && !lacks_block) {
		buffer_append_string(&why->out, "if ");
		buffer_append_printable(&why->out, name_table_text(&why->names, hints->device));
		buffer_append_string(&why->out,
				     " is the interrupt of a disk, record with -r block, too\n");
	}
	if (hints->waking)
		buffer_printf(&why->out,
			      "CPU %d was idle while a thread that was woken waited for it: it "
			      "left an idle state%s, waited for an interrupt (of -r irq), or its "
			      "host ran something else\n",
			      hints->waking->key.cpu,
			      why->has_power ? " (power:idle/*)" : " (-r power)");
	print_record_again(why, hints, lacks_block, lacks_timers || lacks_times);
}

/* Lines behind the answer: what a recording lacks that would explain more, and cgroups. */

/* The cgroup of a thread that still has its name; false if it is unknown. */
static bool thread_find_cgroup(const struct why_sink *why, const struct part_key *key,
			       struct buffer *out)
{
	struct text name = name_table_text(&why->names, key->name);
	struct buffer comm = { 0 };
	char path[64];
	bool is_same;

	snprintf(path, sizeof(path), "/proc/%d/comm", key->tid);
	is_same = why->settings->is_here && file_read(path, &comm) == 0 && comm.size > 0 &&
		  text_equals((struct text){ comm.data, comm.size - 1 }, name);
	buffer_release(&comm);
	return is_same && proc_cgroup_append(key->tid, out);
}

static void print_rival(struct why_sink *why, const struct part_key *key)
{
	struct text name = name_table_text(&why->names, key->name);
	struct buffer cgroup = { 0 };

	buffer_append_printable(&why->out, name);
	buffer_printf(&why->out, " (%d) has the same priority", key->tid);
	if (thread_find_cgroup(why, key, &cgroup)) {
		buffer_append_string(&why->out, " and is in cgroup ");
		buffer_append_printable(&why->out, buffer_text(&cgroup));
		buffer_append_string(&why->out, "; cpu.weight divides a CPU between cgroups\n");
	} else {
		buffer_printf(&why->out,
			      "; if its cgroup (/proc/%d/cgroup) is another one, cpu.weight "
			      "divides the CPU between them\n",
			      key->tid);
	}
	buffer_release(&cgroup);
}

/* A thread that waits for its CPU while another one is idle may run on no other. */
static void print_idle(struct why_sink *why)
{
	for (size_t i = 0; i < why->nr_slices; i++) {
		const struct why_slice *slice = &why->slices[i];
		int64_t least_ns = (slice->end_ns - slice->begin_ns) * HINT_PERCENT / 100;

		for (size_t j = 0; j < slice->split.nr_parts; j++) {
			const struct part *part = &slice->split.parts[j];

			if (part->total_ns < least_ns || part->idle_ns <= part->longest_ns / 2)
				continue;
			buffer_printf(&why->out,
				      "CPU %d was idle for %.0f%% of the longest wait for CPU %d; "
				      "the CPUs that ",
				      part->idle_cpu,
				      100.0 * (double)part->idle_ns / (double)part->longest_ns,
				      part->key.cpu);
			buffer_append_printable(&why->out,
						name_table_text(&why->names, slice->comm));
			buffer_printf(&why->out, " (%d) may use: taskset -pc %d\n", slice->tid,
				      slice->tid);
		}
	}
}

/* The cgroups that were throttled while it was recorded: "12 960000 20000 100000 /batch". */
static void print_limits(struct why_sink *why)
{
	struct text rest = text_of(why->limits ? why->limits : "");

	while (rest.size > 0) {
		struct text line = text_take_line(&rest);
		const char *path = memchr(line.data, '/', line.size);
		unsigned long long times, us, quota, period;
		char numbers[96];

		if (!path || (size_t)(path - line.data) >= sizeof(numbers))
			continue;
		snprintf(numbers, sizeof(numbers), "%.*s", (int)(path - line.data), line.data);
		if (sscanf(numbers, "%llu %llu %llu %llu", &times, &us, &quota, &period) != 4)
			continue;
		buffer_append_string(&why->out, "cgroup ");
		buffer_append_printable(&why->out,
					(struct text){ path, line.data + line.size - path });
		buffer_printf(
			&why->out,
			" was throttled %llu times meanwhile, %llu.%llu ms in all: its cpu.max "
			"is %llu of %llu us\n",
			times, us / 1000, us / 100 % 10, quota, period);
	}
}

static bool leaves_out_own(const struct why_sink *why)
{
	const struct why_slice *first = why->slices;

	return why->nr_slices > 0 && !why->settings->is_overview &&
	       !why->slices[why->nr_slices - 1].is_own &&
	       why->own_ns > first->end_ns - first->begin_ns;
}

void why_put_left_out(struct why_sink *why, bool *first)
{
	if (!leaves_out_own(why))
		return;
	json_append_number(&why->out, "left_out_ns", why->own_ns, first);
	json_append_number(&why->out, "left_out_at_ns", why->own_at_ns - why->start_ns, first);
}

/* What ktrack does, or is waited for, while it records is seldom what was asked for. */
static void print_own(struct why_sink *why)
{
	struct buffer *out = &why->out;

	if (why->nr_slices > 0 && !why->settings->is_overview && why->slices[0].is_own) {
		buffer_append_string(out, "ktrack, which recorded, ran here or was waited for; no "
					  "other slice matches\n");
	} else if (leaves_out_own(why)) {
		buffer_append_string(out, "a longer slice is left out, in which ktrack, which "
					  "recorded, ran or was waited for: ");
		buffer_append_duration(out, why->own_ns);
		buffer_append_string(out, ", --at=");
		buffer_append_seconds(out, why->own_at_ns - why->start_ns, 9);
		buffer_append_char(out, '\n');
	}
}

void why_print_hints(struct why_sink *why)
{
	struct hints hints = { 0 };

	for (size_t i = 0; i < why->nr_slices; i++) {
		const struct why_slice *slice = &why->slices[i];

		hints_find(why, &slice->split,
			   (slice->end_ns - slice->begin_ns) * HINT_PERCENT / 100, &hints);
		/* Whether the soft interrupt of disks followed the one that an asynchronous slice
		 * waited for. Such interrupts on the CPU of a thread may have nothing to do with
		 * it. */
		for (size_t j = 0; slice->is_async && j < slice->split.nr_parts; j++) {
			const struct part_key *key = &slice->split.parts[j].key;

			hints.is_disk |= key->kind == PART_SOFT &&
					 interrupt_find_use(name_table_text(
						 &why->names, key->interrupt)) == USE_DISK;
		}
	}
	if (hints.stack)
		buffer_append_string(&why->out,
				     "no kernel stacks show where threads slept; record with "
				     "--stack='sched:sched_switch if prev_state & 3'\n");
	print_own(why);
	print_undecided(why, &hints);
	print_missing(why, &hints);
	if (hints.is_taken)
		print_limits(why);
	if (!why->settings->is_overview)
		print_idle(why);
	/* Of several kinds, one rival is a detail. */
	if (hints.rival && !why->settings->is_overview)
		print_rival(why, &hints.rival->key);
}
