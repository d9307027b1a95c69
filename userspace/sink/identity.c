// SPDX-License-Identifier: GPL-2.0-only
/* What a track is called, for people and for machines, in every output. */
#include "sink/identity.h"

#include <string.h>

/** struct scope_words - what a scope is called for machines, and for people */
struct scope_words {
	const char *name;
	const char *word;
};

static const struct scope_words scope_words[] = {
	[SCOPE_THREAD] = { "thread", "tid" },
	[SCOPE_PROCESS] = { "process", "pid" },
	[SCOPE_CPU] = { "cpu", "cpu" },
	[SCOPE_CUSTOM] = { "custom", NULL },
};
_Static_assert(sizeof(scope_words) / sizeof(scope_words[0]) == SCOPE_KIND_COUNT,
	       "words for every scope");

/* A custom scope is called as its field is, without "scope_". */
static const char *scope_word(const struct timeline_track *track)
{
	if (track->scope != SCOPE_CUSTOM)
		return scope_words[track->scope].word;
	return track->field + strlen("scope_");
}

void track_append_label(struct buffer *out, const struct timeline_track *track)
{
	buffer_append(out, track->name.data, track->name.size);
	if (track->name.size > 0)
		buffer_append_char(out, ' ');
	buffer_append_string(out, scope_word(track));
	buffer_append_char(out, ' ');
	value_append_text(out, &track->id);
	if (track->comm[0]) {
		buffer_append_char(out, ' ');
		buffer_append_string(out, track->comm);
	}
	if (track->cpu >= 0)
		buffer_printf(out, " cpu %d", track->cpu);
	if (track->buffer && track->buffer[0])
		buffer_printf(out, " in %s", track->buffer);
}

static void member_string(struct buffer *out, const char *name, struct text text, bool *first)
{
	json_append_member(out, text_of(name), first);
	json_append_string(out, text);
}

void track_append_identity(struct buffer *out, const struct timeline_track *track)
{
	bool first = true;

	buffer_append_char(out, '{');
	member_string(out, "tracepoint", text_of(track->category->text), &first);
	member_string(out, "name", track->name, &first);
	member_string(out, "kind", text_of(track->kind == TRACK_COUNTER ? "counter" : "slice"),
		      &first);
	member_string(out, "scope", text_of(scope_words[track->scope].name), &first);
	if (track->field)
		member_string(out, "field", text_of(track->field), &first);
	json_append_member(out, text_of("id"), &first);
	value_append_json(out, &track->id);
	if (track->tgid > 0)
		buffer_printf(out, ",\"tgid\":%d", track->tgid);
	if (track->comm[0])
		member_string(out, "comm", text_of(track->comm), &first);
	if (track->cpu >= 0)
		buffer_printf(out, ",\"cpu\":%d", track->cpu);
	if (track->buffer)
		member_string(out, "buffer", text_of(track->buffer), &first);
	buffer_append_char(out, '}');
}
