/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Properties of each kind of event. */
#ifndef TRACE2_KIND_H
#define TRACE2_KIND_H

#include "trace2/trace2.h"

/** KIND_HEAD_MAX - bytes of a head that are copied, a constant */
#define KIND_HEAD_MAX 32

/**
 * struct kind - one kind of event
 * @name: in api-trace2
 * @head, @head_size: the beginning of its EVENT lines
 * @column: the name, padded for PERF's column
 * @has_t_abs: EVENT has "t_abs"
 * @may_have_t_abs: EVENT has "t_abs" if the settings ask for more than git's
 * @has_t_abs_column: PERF has the time since the session began
 * @has_secrets: words or values may contain passwords to hide
 */
struct kind {
	const char *name;
	char head[KIND_HEAD_MAX];
	size_t head_size;
	char column[KIND_HEAD_MAX];
	bool has_t_abs;
	bool may_have_t_abs;
	bool has_t_abs_column;
	bool has_secrets;
};

/** kinds - the table of kinds */
extern const struct kind kinds[TRACE2_KIND_COUNT];

#endif
