// SPDX-License-Identifier: GPL-2.0-only
/*
 * The forms of events that rules use: how the kernel prints their fields, and how trace-cmd does if
 * that differs. Records are made of them, and formats that describe these records.
 *
 * In a pattern, a space is one or more spaces, "<TYPE NAME>" is a field, "<_>" is any text, and all
 * else, "<-" too, is itself. Types:
 *
 *   d, l  signed number of 4 or 8 bytes     c  name of a thread
 *   u, x  unsigned number, a hexadecimal    s  any other text
 *         one; 8 bytes                      r  text to the end, as trace_marker's
 *   v     device, "8,16"                    S  state of a thread, in the kernel's letters
 *   h     "handled" and "begin" are 1       T  the same, in those of trace-cmd
 *   w     a text without spaces             b  a byte, of no pattern
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tracetext/internal.h"

/* Events without a form. */
#define NO_SYSTEM "text"

#define PATTERNS_MAX 4

/* The function that records what programs write to trace_marker; lines of tracefs name it. */
#define MARKER "tracing_mark_write"

/**
 * struct form - an event's forms
 * @event: as lines name it
 * @patterns: the most frequent first, then NULL
 * @name: of the tracepoint, if it has another one than @event
 */
struct form {
	const char *system;
	const char *event;
	const char *patterns[PATTERNS_MAX];
	const char *name;
};

#define WAKEUP                                                                        \
	{                                                                             \
		"comm=<c comm> pid=<d pid> prio=<d prio> target_cpu=<d target_cpu>",  \
			"<c comm>:<d pid> [<d prio>] CPU:<d target_cpu>",             \
			"<c comm>:<d pid> [<d prio>] success=<_> CPU:<d target_cpu>", \
			"comm=<c comm> pid=<d pid> prio=<d prio> success=<_> "        \
			"target_cpu=<d target_cpu>",                                  \
	}

#define VECTOR(event)                                                  \
	{ "irq_vectors", event "_entry", { "vector=<d vector>" } },    \
	{                                                              \
		"irq_vectors", event "_exit", { "vector=<d vector>" }, \
	}

#define RECLAIM(event)                                                                        \
	{ "vmscan", event "_begin", { "order=<d order> gfp_flags=<_>", "order=<d order>" } }, \
	{                                                                                     \
		"vmscan", event "_end", { "nr_reclaimed=<u nr_reclaimed>" },                  \
	}

#define RECEIVE(event)                                                         \
	{ "net", event "_entry", { "dev=<s name> napi_id=<_> len=<u len>" } }, \
	{                                                                      \
		"net", event "_exit", { "ret=<d ret>" },                       \
	}

#define INODE(event, rest)                                          \
	{                                                           \
		"ext4", event, { "dev <v dev> ino <u ino> " rest }, \
	}

static const struct form forms[] = {
	{ "sched",
	  "sched_switch",
	  { "prev_comm=<c prev_comm> prev_pid=<d prev_pid> prev_prio=<d prev_prio> "
	    "prev_state=<S prev_state> ==> next_comm=<c next_comm> next_pid=<d next_pid> "
	    "next_prio=<d next_prio>",
	    "<c prev_comm>:<d prev_pid> [<d prev_prio>] <T prev_state> ==> "
	    "<c next_comm>:<d next_pid> [<d next_prio>]",
	    "<c prev_comm>:<d prev_pid> [<d prev_prio>] <T prev_state> ==> "
	    "<c next_comm>:<d next_pid>" } },
	{ "sched", "sched_waking", WAKEUP },
	{ "sched", "sched_wakeup", WAKEUP },
	{ "sched", "sched_wakeup_new", WAKEUP },
	{ "sched",
	  "sched_process_fork",
	  { "comm=<c parent_comm> pid=<d parent_pid> child_comm=<c child_comm> "
	    "child_pid=<d child_pid>" } },
	{ "sched",
	  "sched_process_exec",
	  { "filename=<s filename> pid=<d pid> old_pid=<d old_pid>" } },
	{ "sched", "sched_process_exit", { "comm=<c comm> pid=<d pid> prio=<d prio>" } },
	{ "sched", "sched_process_free", { "comm=<c comm> pid=<d pid> prio=<d prio>" } },
	{ "sched",
	  "sched_pi_setprio",
	  { "comm=<c comm> pid=<d pid> oldprio=<d oldprio> newprio=<d newprio>" } },
	{ "cgroup",
	  "cgroup_attach_task",
	  { "dst_root=<d dst_root> dst_id=<_> dst_level=<_> dst_path=<s dst_path> pid=<d pid> "
	    "comm=<_>" } },
	{ "cgroup", "cgroup_freeze", { "root=<_> id=<_> level=<_> path=<s path>" } },
	{ "cgroup", "cgroup_unfreeze", { "root=<_> id=<_> level=<_> path=<s path>" } },
	{ "task",
	  "task_newtask",
	  { "pid=<d pid> comm=<c comm> clone_flags=<x clone_flags> oom_score_adj=<_>" } },
	{ "task",
	  "task_rename",
	  { "pid=<d pid> oldcomm=<c oldcomm> newcomm=<c newcomm> oom_score_adj=<_>" } },
	{ "cpuhp", "cpuhp_exit", { "cpu: <u cpu> state: <d state> step: <d idx> ret: <d ret>" } },
	{ "irq", "irq_handler_entry", { "irq=<d irq> name=<s name>" } },
	{ "irq", "irq_handler_exit", { "irq=<d irq> ret=<h ret>" } },
	{ "irq", "softirq_entry", { "vec=<_> [action=<s vec>]" } },
	{ "irq", "softirq_exit", { "vec=<_> [action=<s vec>]" } },
	{ "irq", "softirq_raise", { "vec=<_> [action=<s vec>]" } },
	VECTOR("local_timer"),
	VECTOR("reschedule"),
	VECTOR("call_function"),
	VECTOR("call_function_single"),
	VECTOR("irq_work"),
	VECTOR("thermal_apic"),
	VECTOR("threshold_apic"),
	{ "timer",
	  "timer_start",
	  { "timer=<x timer> function=<s function> expires=<u expires> [timeout=<_>" } },
	{ "timer",
	  "timer_expire_entry",
	  { "timer=<x timer> function=<s function> now=<u now> baseclk=<u baseclk>" } },
	{ "timer", "timer_expire_exit", { "timer=<x timer>" } },
	{ "timer",
	  "hrtimer_start",
	  { "hrtimer=<x hrtimer> function=<s function> expires=<l expires> "
	    "softexpires=<l softexpires> mode=<_>",
	    "hrtimer=<x hrtimer> function=<s function> expires=<l expires> "
	    "softexpires=<l softexpires>" } },
	{ "timer",
	  "hrtimer_expire_entry",
	  { "hrtimer=<x hrtimer> function=<s function> now=<l now>",
	    "hrtimer=<x hrtimer> now=<l now> function=<s function>" } },
	{ "timer", "hrtimer_expire_exit", { "hrtimer=<x hrtimer>" } },
	{ "csd", "csd_function_entry", { "func=<s func>, csd=<x csd>" } },
	{ "csd", "csd_function_exit", { "func=<s func>, csd=<x csd>" } },
	{ "raw_syscalls", "sys_enter", { "NR <l id> (<_>)" } },
	{ "raw_syscalls", "sys_exit", { "NR <l id> = <l ret>" } },
	{ "block",
	  "block_rq_issue",
	  { "<v dev> <s rwbs> <u bytes> (<_>) <u sector> + <u nr_sector> <_>,<_>,<_> [<c comm>]",
	    "<v dev> <s rwbs> <u bytes> (<_>) <u sector> + <u nr_sector> [<c comm>]" } },
	{ "block",
	  "block_rq_complete",
	  { "<v dev> <s rwbs> (<_>) <u sector> + <u nr_sector> <_>,<_>,<_> [<d error>]",
	    "<v dev> <s rwbs> (<_>) <u sector> + <u nr_sector> [<d error>]" } },
	{ "block",
	  "block_bio_queue",
	  { "<v dev> <s rwbs> <u sector> + <u nr_sector> [<c comm>]" } },
	{ "block",
	  "block_bio_complete",
	  { "<v dev> <s rwbs> <u sector> + <u nr_sector> [<d error>]" } },
	{ "power", "cpu_idle", { "state=<u state> cpu_id=<u cpu_id>" } },
	{ "power", "cpu_frequency", { "state=<u state> cpu_id=<u cpu_id>" } },
	{ "power", "suspend_resume", { "<s action>[<d val>] <h start>" } },
	{ "signal",
	  "signal_generate",
	  { "sig=<d sig> errno=<d errno> code=<d code> comm=<c comm> pid=<d pid> grp=<d group> "
	    "res=<d result>" } },
	{ "signal",
	  "signal_deliver",
	  { "sig=<d sig> errno=<d errno> code=<d code> sa_handler=<x sa_handler> "
	    "sa_flags=<x sa_flags>" } },
	{ "workqueue",
	  "workqueue_execute_start",
	  { "work struct <x work>: function <s function>" } },
	{ "workqueue",
	  "workqueue_execute_end",
	  { "work struct <x work>: function <s function>", "work struct <x work>" } },
	{ "lock", "contention_begin", { "<x lock_addr> (flags=<s flags>)" } },
	{ "lock", "contention_end", { "<x lock_addr> (ret=<d ret>)" } },
	{ "exceptions",
	  "page_fault_user",
	  { "address=<s address> ip=<_> error_code=<x error_code>" } },
	{ "exceptions",
	  "page_fault_kernel",
	  { "address=<s address> ip=<_> error_code=<x error_code>" } },
	RECLAIM("mm_vmscan_direct_reclaim"),
	RECLAIM("mm_vmscan_memcg_reclaim"),
	RECLAIM("mm_vmscan_memcg_softlimit_reclaim"),
	{ "vmscan", "mm_vmscan_node_reclaim_begin", { "nid=<_> order=<d order> gfp_flags=<_>" } },
	{ "vmscan", "mm_vmscan_node_reclaim_end", { "nr_reclaimed=<u nr_reclaimed>" } },
	{ "vmscan", "mm_shrink_slab_start", { "<s shrink> <x shr>: nid: <d nid> objects <_>" } },
	{ "vmscan",
	  "mm_shrink_slab_end",
	  { "<s shrink> <x shr>: nid: <d nid> unused <_> return val <d retval>" } },
	{ "compaction", "mm_compaction_begin", { "zone_start=<x zone_start> <_>" } },
	{ "compaction",
	  "mm_compaction_end",
	  { "zone_start=<x zone_start> <_> status=<s status>" } },
	{ "migrate", "mm_migrate_pages_start", { "mode=<s mode> reason=<s reason>" } },
	{ "migrate",
	  "mm_migrate_pages",
	  { "nr_succeeded=<u succeeded> nr_failed=<u failed> <_>" } },
	RECEIVE("napi_gro_receive"),
	RECEIVE("netif_receive_skb"),
	RECEIVE("netif_rx"),
	{ "net",
	  "net_dev_start_xmit",
	  { "dev=<s name> queue_mapping=<_> skbaddr=<x skbaddr> vlan<_> len=<u len>" } },
	{ "net", "net_dev_xmit", { "dev=<s name> skbaddr=<x skbaddr> len=<u len> rc=<d rc>" } },
	{ "napi",
	  "napi_poll",
	  { "napi poll on napi struct <x napi> for device <s dev_name> work <d work> "
	    "budget <d budget>",
	    "napi poll on napi struct <x napi> for device <s dev_name>" } },
	INODE("ext4_sync_file_enter", "parent <_>"),
	INODE("ext4_sync_file_exit", "ret <d ret>"),
	INODE("ext4_unlink_enter", "size <_>"),
	INODE("ext4_unlink_exit", "ret <d ret>"),
	INODE("ext4_truncate_enter", "blocks <u blocks>"),
	INODE("ext4_truncate_exit", "blocks <u blocks>"),
	INODE("ext4_fallocate_enter", "offset <_>"),
	INODE("ext4_fallocate_exit", "pos <_> ret <d ret>"),
	INODE("ext4_ext_map_blocks_enter", "lblk <_>"),
	INODE("ext4_ext_map_blocks_exit", "flags <_> ret <d ret>"),
	INODE("ext4_ind_map_blocks_enter", "lblk <_>"),
	INODE("ext4_ind_map_blocks_exit", "flags <_> ret <d ret>"),
	{ "jbd2", "jbd2_start_commit", { "dev <v dev> transaction <u transaction> sync <_>" } },
	{ "jbd2",
	  "jbd2_end_commit",
	  { "dev <v dev> transaction <u transaction> sync <_> head <u head>" } },
	{ "ftrace", "print", { "ip=<u ip> buf=<r buf>", MARKER ": <r buf>", "<_>: <r buf>" } },
	{ "ftrace", MARKER, { "<r buf>" }, "print" },
	{ "ftrace", "funcgraph_entry", { "<_>| <s func>(<_>) {", "<_>| <s func>(<_>);" } },
	{ "ftrace", "funcgraph_exit", { "<_>| }" } },
	{ "ftrace",
	  "function",
	  { "<s ip> <-- <s parent_ip>", "<s ip> <-<s parent_ip>", "<w ip>" } },
};

/* Names that begin so are of these systems, whatever their fields are. */
static const char *const system_prefixes[][2] = {
	{ "sys_enter_", "syscalls" }, { "sys_exit_", "syscalls" }, { "ext4_", "ext4" },
	{ "sched_", "sched" },	      { "block_", "block" },	   { "jbd2_", "jbd2" },
};

static bool type_is_text(char type)
{
	return strchr("cswr_", type);
}

static unsigned int type_size(char type)
{
	if (type == 'c')
		return 16;
	if (type == 'b')
		return 1;
	if (type == 'r')
		return 0;
	return strchr("swdvh", type) ? 4 : 8;
}

/* Arrows are no fields. */
static bool pattern_has_field(const char *pattern)
{
	return *pattern == '<' && pattern[1] != '-';
}

/* Takes the field at "<" of a pattern; returns what is behind its ">". */
static const char *pattern_take_field(const char *pattern, char *type, struct text *name)
{
	const char *end = strchr(pattern, '>');

	*type = pattern[1];
	*name = (struct text){ pattern + 3, *type == '_' ? 0 : end - pattern - 3 };
	return end + 1;
}

static struct text_field *event_find_field(struct text_event *event, struct text name)
{
	for (size_t i = 0; i < event->nr_fields; i++) {
		if (text_equals(event->fields[i].name, name))
			return &event->fields[i];
	}
	return NULL;
}

static void event_add_field(struct text_event *event, char type, struct text name)
{
	unsigned int size = type_size(type), align = size < sizeof(uint64_t) ? 4 : 8;

	if (type == '_' || event_find_field(event, name) || event->nr_fields == TEXT_FIELDS_MAX)
		return;
	event->fixed_size = (event->fixed_size + align - 1) / align * align;
	event->fields[event->nr_fields++] = (struct text_field){
		.type = type,
		.name = name,
		.offset = event->fixed_size,
	};
	event->fixed_size += size;
}

/* The common fields: type, flags, preempt count and thread. */
#define COMMON_SIZE 8

/* Without a form, a record is an instant of the convention with its text. */
static void event_add_instant(struct text_event *event)
{
	event_add_field(event, 'b', text_of("track_event_type"));
	event_add_field(event, 's', text_of("slice_name"));
	event_add_field(event, 's', text_of("text"));
}

static const char *system_guess(struct text name)
{
	for (size_t i = 0; i < sizeof(system_prefixes) / sizeof(system_prefixes[0]); i++) {
		if (text_begins(name, text_of(system_prefixes[i][0])))
			return system_prefixes[i][1];
	}
	return NO_SYSTEM;
}

static const struct form *text_form_find(struct text name)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (text_equals(name, text_of(forms[i].event)))
			return &forms[i];
	}
	return NULL;
}

int text_event_init(struct text_event *event, struct text name, bool has_form, unsigned int id)
{
	const struct form *form = has_form ? text_form_find(name) : NULL;

	*event = (struct text_event){ .id = id, .fixed_size = COMMON_SIZE };
	event->key = strndup(name.data, name.size);
	if (form && form->name)
		name = text_of(form->name);
	event->name = strndup(name.data, name.size);
	if (!event->key || !event->name)
		return -1;
	if (!form) {
		event->system = has_form ? system_guess(name) : NO_SYSTEM;
		event_add_instant(event);
		return 0;
	}
	event->system = form->system;
	event->patterns = form->patterns;
	/* As the kernel lays it out. */
	if (strcmp(event->name, "print") == 0)
		event_add_field(event, 'u', text_of("ip"));
	for (size_t i = 0; i < PATTERNS_MAX && form->patterns[i]; i++) {
		for (const char *rest = form->patterns[i]; (rest = strchr(rest, '<'));) {
			char type;
			struct text field;

			if (!pattern_has_field(rest++))
				continue;
			rest = pattern_take_field(rest - 1, &type, &field);
			event_add_field(event, type == 'T' ? 'S' : type, field);
		}
	}
	return 0;
}

void text_event_release(struct text_event *event)
{
	free(event->key);
	free(event->name);
}

/* Matches a text with a pattern. */

/* The longest text between two other parts of a pattern. */
#define PART_MAX 256

/**
 * struct matching - the values of a text's fields
 * @found: a set of fields
 * @nr_steps: left until the text is given up, so that hostile ones do not take long
 */
struct matching {
	struct text_event *event;
	int64_t numbers[TEXT_FIELDS_MAX];
	struct text texts[TEXT_FIELDS_MAX];
	unsigned int found;
	unsigned int nr_steps;
};

#define STEPS_MAX 20000

/* Names of states, by bit; trace-cmd's are of kernels before 4.14, whose bits were others. */
static bool state_take(struct text *rest, const char *letters, int64_t *out)
{
	size_t size = 0;

	*out = 0;
	for (; size < rest->size && rest->data[size] != ' '; size++) {
		char letter = rest->data[size];
		const char *at = strchr(letters, letter);

		if (letter == '+')
			*out |= 256;
		else if (letter == 'x')
			*out |= 16;
		else if (letter != '\0' && at)
			*out |= 1 << (at - letters);
		else if (letter == 'P' || letter == 'I')
			*out |= letter == 'P' ? 64 : 128;
	}
	*rest = (struct text){ rest->data + size, rest->size - size };
	return size > 0;
}

static bool decimal_take(struct text *rest, int64_t *out)
{
	bool is_negative = rest->size > 0 && *rest->data == '-';
	uint64_t number;

	if (text_begins(*rest, text_of("0x")))
		return text_take_hex(rest, (uint64_t *)out);
	if (is_negative)
		*rest = (struct text){ rest->data + 1, rest->size - 1 };
	if (!text_take_number(rest, &number))
		return false;
	*out = is_negative ? -number : number;
	return true;
}

static bool device_take(struct text *rest, int64_t *out)
{
	uint64_t major, minor;

	if (!text_take_number(rest, &major) || major >= 1 << 12 || rest->size == 0 ||
	    *rest->data != ',')
		return false;
	*rest = (struct text){ rest->data + 1, rest->size - 1 };
	if (!text_take_number(rest, &minor) || minor >= 1 << 20)
		return false;
	*out = major << 20 | minor;
	return true;
}

static bool pattern_take_number(char type, struct text *rest, int64_t *out)
{
	text_skip_spaces(rest);
	switch (type) {
	case 'S':
		return state_take(rest, "SDTtXZPI", out);
	case 'T':
		return state_take(rest, "SDTtZX\001W", out);
	case 'x':
		return text_take_hex(rest, (uint64_t *)out);
	case 'v':
		return device_take(rest, out);
	case 'h':
		*out = text_begins(*rest, text_of("handled")) ||
		       text_begins(*rest, text_of("begin"));
		while (rest->size > 0 && *rest->data != ' ')
			*rest = (struct text){ rest->data + 1, rest->size - 1 };
		return true;
	default:
		return decimal_take(rest, out);
	}
}

static bool pattern_match(struct matching *matching, const char *pattern, struct text rest);

static void matching_set(struct matching *matching, struct text name, int64_t number,
			 struct text text)
{
	struct text_field *field = event_find_field(matching->event, name);
	size_t index = field ? field - matching->event->fields : 0;

	if (!field)
		return;
	matching->numbers[index] = number;
	matching->texts[index] = text;
	matching->found |= 1u << index;
}

/* A text ends where the rest of the pattern matches first. */
static bool pattern_match_text(struct matching *matching, const char *behind, char type,
			       struct text name, struct text rest)
{
	struct text value;
	size_t size = 0;

	if (type != 'r')
		text_skip_spaces(&rest);
	if (!*behind) {
		size = rest.size;
		if (type == 'w' && (size == 0 || memchr(rest.data, ' ', size)))
			return false;
	} else {
		while (!pattern_match(matching, behind,
				      (struct text){ rest.data + size, rest.size - size })) {
			if (++size > rest.size || size > PART_MAX || matching->nr_steps == 0)
				return false;
		}
	}
	value = (struct text){ rest.data, size };
	matching_set(matching, name, 0, value);
	return true;
}

static bool pattern_match(struct matching *matching, const char *pattern, struct text rest)
{
	while (*pattern) {
		struct text name;
		int64_t number;
		char type;

		if (matching->nr_steps == 0)
			return false;
		matching->nr_steps--;
		if (pattern_has_field(pattern)) {
			pattern = pattern_take_field(pattern, &type, &name);
			if (type_is_text(type))
				return pattern_match_text(matching, pattern, type, name, rest);
			if (!pattern_take_number(type, &rest, &number))
				return false;
			matching_set(matching, name, number, (struct text){ "", 0 });
			continue;
		}
		if (rest.size == 0 || *rest.data != *pattern)
			return false;
		rest = (struct text){ rest.data + 1, rest.size - 1 };
		if (*pattern++ == ' ' && !pattern_has_field(pattern))
			text_skip_spaces(&rest);
	}
	return rest.size == 0 || *rest.data == ' ' || *rest.data == '\n';
}

static bool event_match(struct text_event *event, struct text text, struct matching *matching)
{
	*matching = (struct matching){ .event = event, .nr_steps = STEPS_MAX };
	for (size_t i = 0; i < PATTERNS_MAX && event->patterns[i]; i++) {
		matching->found = 0;
		if (pattern_match(matching, event->patterns[i], text))
			return true;
	}
	return false;
}

/* Makes records and formats. */

static void put_number(char *record, const struct text_field *field, int64_t number)
{
	uint32_t narrow = number;

	if (field->type == 'b')
		record[field->offset] = number;
	else if (type_size(field->type) == sizeof(narrow))
		memcpy(record + field->offset, &narrow, sizeof(narrow));
	else
		memcpy(record + field->offset, &number, sizeof(number));
}

static void record_put_field(struct buffer *out, size_t begin, const struct text_field *field,
			     int64_t number, struct text text)
{
	uint32_t place = out->size - begin;

	if (out->failed)
		return;
	if (text.size > TEXT_SIZE_MAX / 2)
		text.size = TEXT_SIZE_MAX / 2;
	switch (field->type) {
	case 'c':
		memcpy(out->data + begin + field->offset, text.data,
		       text.size < 16 ? text.size : 15);
		return;
	case 's':
	case 'w':
		place |= (uint32_t)(text.size + 1) << 16;
		put_number(out->data + begin, field, place);
		/* fall through */
	case 'r':
		buffer_append(out, text.data, text.size);
		buffer_append_char(out, '\0');
		return;
	default:
		put_number(out->data + begin, field, number);
	}
}

bool text_event_pack(struct text_event *event, const struct text_line *line, struct buffer *out)
{
	size_t begin = out->size;
	struct matching matching = { .event = event };
	uint16_t id = event->id;
	int32_t tid = line->tid;
	struct text text = line->text;
	char *space;

	/* What programs write to trace_marker may begin with spaces. */
	if (!text_equals(line->event, text_of(MARKER)))
		text_skip_spaces(&text);
	if (event->patterns) {
		if (!event_match(event, text, &matching))
			return false;
	} else {
		matching_set(&matching, text_of("track_event_type"), 'I', (struct text){ "", 0 });
		matching_set(&matching, text_of("slice_name"), 0, line->event);
		matching_set(&matching, text_of("text"), 0, text);
	}
	space = buffer_reserve(out, event->fixed_size);
	if (!space)
		return true;
	memset(space, 0, event->fixed_size);
	memcpy(space, &id, sizeof(id));
	space[2] = line->flags;
	memcpy(space + 4, &tid, sizeof(tid));
	out->size += event->fixed_size;
	for (size_t i = 0; i < event->nr_fields; i++)
		record_put_field(out, begin, &event->fields[i], matching.numbers[i],
				 matching.texts[i].data ? matching.texts[i]
							: (struct text){ "", 0 });
	event->missing |= ~matching.found;
	event->is_used = true;
	return true;
}

static void describe_field(struct buffer *out, const char *type, struct text name,
			   const char *array, unsigned int offset, unsigned int size,
			   bool is_signed)
{
	buffer_printf(out, "\tfield:%s %.*s%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", type,
		      (int)name.size, name.data, array, offset, size, is_signed);
}

static const char *type_name(char type)
{
	switch (type) {
	case 'b':
	case 'c':
	case 'r':
		return "char";
	case 's':
	case 'w':
		return "__data_loc char[]";
	case 'd':
	case 'h':
		return "int";
	case 'v':
		return "dev_t";
	case 'l':
	case 'S':
		return "long";
	default:
		return "unsigned long";
	}
}

/* Texts of numbers that lines show as texts are found in the print format, as in the kernel's. */
static void describe_print(const struct text_event *event, struct buffer *out)
{
	for (size_t i = 0; i < event->nr_fields; i++) {
		if (event->fields[i].type == 'S') {
			buffer_append_string(out, "%s%s\", (REC->prev_state & 255) ? "
						  "__print_flags(REC->prev_state & 255, \"|\", "
						  "{ 1, \"S\" }, { 2, \"D\" }, { 4, \"T\" }, "
						  "{ 8, \"t\" }, { 16, \"X\" }, { 32, \"Z\" }, "
						  "{ 64, \"P\" }, { 128, \"I\" }) : \"R\", "
						  "REC->prev_state & 256 ? \"+\" : \"\"");
			return;
		}
		if (text_equals(event->fields[i].name, text_of("ret")) &&
		    event->fields[i].type == 'h') {
			buffer_append_string(out, "%s\", REC->ret ? \"handled\" : \"unhandled\"");
			return;
		}
	}
	buffer_append_char(out, '"');
}

void text_event_describe(const struct text_event *event, struct buffer *out)
{
	buffer_printf(out, "name: %s\nID: %u\nformat:\n", event->name, event->id);
	describe_field(out, "unsigned short", text_of("common_type"), "", 0, 2, false);
	describe_field(out, "unsigned char", text_of("common_flags"), "", 2, 1, false);
	describe_field(out, "unsigned char", text_of("common_preempt_count"), "", 3, 1, false);
	describe_field(out, "int", text_of("common_pid"), "", 4, 4, true);
	buffer_append_char(out, '\n');
	for (size_t i = 0; i < event->nr_fields; i++) {
		const struct text_field *field = &event->fields[i];

		/* Rules must not use what some records lack. */
		if (event->missing & 1u << i && field->type != 'r' &&
		    !text_equals(field->name, text_of("ip")))
			continue;
		describe_field(out, type_name(field->type), field->name,
			       field->type == 'c'   ? "[16]"
			       : field->type == 'r' ? "[]"
						    : "",
			       field->offset, type_size(field->type), strchr("dlhS", field->type));
	}
	buffer_append_string(out, "\nprint fmt: \"");
	describe_print(event, out);
	buffer_append_char(out, '\n');
}
