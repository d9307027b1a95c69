// SPDX-License-Identifier: GPL-2.0-only
/* Reads records of system calls, so that the calls of 32-bit programs get their own names. */
#include "rules/calls.h"

#include <string.h>

#include "rules/action.h"

static bool tracepoint_names_calls(const struct rule_tracepoint *tracepoint)
{
	for (size_t i = 0; i < tracepoint->nr_actions; i++) {
		if (tracepoint->actions[i].names_call)
			return true;
	}
	return false;
}

static enum rule_call tracepoint_call(const struct rule_tracepoint *tracepoint)
{
	if (strcmp(tracepoint->category, "raw_syscalls:sys_enter") == 0)
		return RULE_CALL_BEGIN;
	if (strcmp(tracepoint->category, "raw_syscalls:sys_exit") == 0)
		return RULE_CALL_END;
	return tracepoint_names_calls(tracepoint) ? RULE_CALL_NAMED : RULE_CALL_NONE;
}

static bool number_find(struct rule_calls *calls, struct field_ref *ref,
			const struct format *format, const char *name)
{
	*ref = field_ref_of(format_find(format, text_of(name)), calls->is_swapped);
	if (ref->end > calls->record_size)
		calls->record_size = ref->end;
	return field_ref_is_number(ref);
}

void rule_calls_bind(struct rule_calls *out, const struct rule_tracepoint *tracepoint,
		     const struct format *format, bool is_swapped)
{
	out->is_swapped = is_swapped;
	out->call = tracepoint_call(tracepoint);
	if (out->call == RULE_CALL_NONE)
		return;
	if (!number_find(out, &out->writer, format, "common_pid") ||
	    (out->call != RULE_CALL_NAMED && !number_find(out, &out->number, format, "id")) ||
	    (out->call == RULE_CALL_END && !number_find(out, &out->result, format, "ret")))
		out->call = RULE_CALL_NONE;
}

void rule_calls_learn(const struct rule_calls *calls, const struct record *record,
		      struct syscalls *syscalls)
{
	bool is_swapped = calls->is_swapped;
	int64_t tid = field_integer(&calls->writer, record, is_swapped);

	if (calls->call == RULE_CALL_BEGIN)
		syscalls_begin(syscalls, tid, field_integer(&calls->number, record, is_swapped));
	else if (calls->call == RULE_CALL_END)
		syscalls_end(syscalls, tid, field_integer(&calls->number, record, is_swapped),
			     field_integer(&calls->result, record, is_swapped));
	syscalls_choose(syscalls, tid);
}

int rules_set_machine(struct rules *rules, const char *machine)
{
	struct syscalls *syscalls = machine ? syscalls_new(machine) : rules->syscalls;

	if (!syscalls || syscalls == rules->syscalls)
		return syscalls ? 0 : -1;
	syscalls_free(rules->syscalls);
	rules->syscalls = syscalls;
	return 0;
}

bool rules_name_calls(const struct rules *rules)
{
	for (size_t i = 0; i < rules->nr_tracepoints; i++) {
		if (tracepoint_names_calls(rules->tracepoints[i]))
			return true;
	}
	return false;
}

void rules_add_narrow(struct rules *rules, const char *threads)
{
	syscalls_add_narrow(rules->syscalls, threads);
}
