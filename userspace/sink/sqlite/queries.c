// SPDX-License-Identifier: GPL-2.0-only
/* Embeds the queries. The assembler reads them, by their path from the top of the tree. */
#include "sink/sqlite/query.h"

#include <stdio.h>
#include <string.h>

#define QUERY(name)                                                                  \
	__asm__(".pushsection .rodata\nquery_" #name ":\n"                           \
		".incbin \"userspace/sink/sqlite/queries/" #name ".sql\"\n.byte 0\n" \
		".popsection\n");                                                    \
	extern const char query_##name[] __attribute__((visibility("hidden")))

QUERY(slowest);
QUERY(during);
QUERY(names);
QUERY(inner);
QUERY(flows);
QUERY(why);
QUERY(counters);
QUERY(tracks);
QUERY(losses);
QUERY(recording);

const struct sink_query sink_queries[] = {
	{ "slowest", "the slowest slices; name=GLOB, category=GLOB, limit=N", query_slowest },
	{ "during", "what ran while a slice was open; id=ID or name=GLOB, limit=N", query_during },
	{ "names", "count, times and percentiles of slices by name; name=GLOB", query_names },
	{ "inner", "where the time of slices went, by the slices in them; name=GLOB", query_inner },
	{ "flows", "time between the steps of flows, by their names; name=GLOB", query_flows },
	{ "why", "where the time of the slowest slices went, as ktrack why; name=GLOB", query_why },
	{ "counters", "first, last, least and largest value of counters", query_counters },
	{ "tracks", "all tracks, with their number of events", query_tracks },
	{ "losses", "lost records, and the slices that they may have falsified", query_losses },
	{ "recording", "the recording as a whole: times, clock, kernel, losses", query_recording },
	{ 0 },
};

static const char *query_refuse_name(const char *text, struct error *error)
{
	struct suggestion meant = { 0 };

	for (const struct sink_query *query = sink_queries; query->name; query++) {
		char word[SUGGESTION_SIZE_MAX + 1];

		snprintf(word, sizeof(word), "@%s", query->name);
		suggestion_add(&meant, text_of(text), word);
	}
	if (meant.word[0])
		error_set(error, "%s: no such query; did you mean '%s'?", text, meant.word);
	else
		error_set(error, "%s: no such query; 'ktrack query --list' prints all", text);
	return NULL;
}

const char *sink_query_find(const char *text, struct error *error)
{
	for (const struct sink_query *query = sink_queries; query->name; query++) {
		if (text[0] == '@' && strcmp(text + 1, query->name) == 0)
			return query->sql;
	}
	return query_refuse_name(text, error);
}

const char *query_text(const char *text, struct error *error)
{
	return text[0] == '@' ? sink_query_find(text, error) : text;
}
