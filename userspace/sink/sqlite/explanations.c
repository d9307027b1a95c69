// SPDX-License-Identifier: GPL-2.0-only
/* Where the time of slices went, as ktrack why found it. */
#include "sink/sqlite/state.h"

static int explanation_add(struct sqlite_sink *sink, const struct explanation *one,
			   struct error *error)
{
	struct database_row row = sqlite_row_begin(sink, STATEMENT_EXPLANATION);

	row_add_text(&row, one->json);
	row_add_number(&row, (int64_t)one->track);
	row_add_number(&row, one->begin_ns - sink->file.start_ns);
	row_add_number(&row, one->depth);
	row_add_number(&row, one->end_ns - one->begin_ns);
	return row_end(&row, error);
}

static const char parts_sql[] =
	"INSERT INTO why_part SELECT e.slice_id, p.value ->> 'kind', p.value ->> 'what', "
	"p.value ->> 'ns', p.value ->> 'count', p.value ->> 'longest_ns', "
	"p.value ->> 'longest_at_ns', p.value ->> 'cpu', p.value ->> 'state', "
	"p.value ->> 'behind_tid', p.value ->> 'waker_tid', p.value ->> 'waker', p.value "
	"FROM explanation e, json_each(e.json, '$.parts') p";

int sqlite_explanations_add(struct sqlite_sink *sink, struct error *error)
{
	const struct explanations *all = sink->explanations;

	for (size_t i = 0; all && i < all->nr_items; i++) {
		if (explanation_add(sink, &all->items[i], error) < 0)
			return -1;
	}
	return all ? database_run(&sink->database, parts_sql, error) : 0;
}
