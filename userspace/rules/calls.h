/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of system calls: which thread's, and which programs they execute. */
#ifndef RULES_CALLS_H
#define RULES_CALLS_H

#include "rules/rules.h"

/**
 * enum rule_call - what a record of a tracepoint says of system calls
 * @RULE_CALL_NAMED: a rule names a system call of its thread
 * @RULE_CALL_BEGIN, @RULE_CALL_END: the thread begins or ends one
 */
enum rule_call {
	RULE_CALL_NONE,
	RULE_CALL_NAMED,
	RULE_CALL_BEGIN,
	RULE_CALL_END,
};

/**
 * struct rule_calls - a tracepoint with records of system calls
 * @number, @result: of the call; @result at its end only
 * @record_size: minimum size of a record that contains these fields
 */
struct rule_calls {
	enum rule_call call;
	bool is_swapped;
	struct field_ref writer;
	struct field_ref number;
	struct field_ref result;
	size_t record_size;
};

/** rule_calls_bind - find the fields; @out has no call if the tracepoint has no such records */
void rule_calls_bind(struct rule_calls *out, const struct rule_tracepoint *tracepoint,
		     const struct format *format, bool is_swapped);

/** rule_calls_learn - rule_calls_read() of any record that contains the fields */
void rule_calls_learn(const struct rule_calls *calls, const struct record *record,
		      struct syscalls *syscalls);

/** rule_calls_read - read a record; most machines have no 32-bit programs, and few calls execute one */
hot_inline void rule_calls_read(const struct rule_calls *calls, const struct record *record,
				struct syscalls *syscalls)
{
	int64_t number;

	if (unlikely(record->size < calls->record_size))
		return;
	if (likely(!syscalls_have_threads(syscalls))) {
		if (calls->call != RULE_CALL_BEGIN)
			return;
		number = field_integer(&calls->number, record, calls->is_swapped);
		if (likely(!syscalls_may_execute(syscalls, number)))
			return;
	}
	rule_calls_learn(calls, record, syscalls);
}

#endif
