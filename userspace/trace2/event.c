// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Prints events as git's EVENT target does: one JSON object per line, the same members in the same
 * order, no white space.
 *
 * Regions and data are most of a stream, so their lines are put into reserved memory. The other
 * kinds append member by member.
 */
#include "trace2/session.h"

static void event_member_open(struct buffer *line, const char *name)
{
	buffer_append(line, ",\"", 2);
	buffer_append_string(line, name);
	buffer_append(line, "\":", 2);
}

static void event_member_string(struct buffer *line, const char *name, struct text text)
{
	event_member_open(line, name);
	json_append_string(line, text);
}

static void event_member_integer(struct buffer *line, const char *name, int64_t number)
{
	event_member_open(line, name);
	buffer_append_signed(line, number);
}

/* @first: a word to put before @words; NULL for none */
static void event_append_words(struct buffer *line, const char *first, char *const *words)
{
	buffer_append_char(line, '[');
	if (first)
		json_append_string(line, text_of(first));
	for (size_t i = 0; words[i]; i++) {
		if (first || i > 0)
			buffer_append_char(line, ',');
		json_append_string(line, text_of(words[i]));
	}
	buffer_append_char(line, ']');
}

static void event_append_member(struct buffer *line, const struct trace2_session *session,
				const struct trace2_event *event, const struct member *member)
{
	const void *value = (const char *)event + member->offset;
	unsigned int decimals = session->settings.decimals;

	switch (member->type) {
	case MEMBER_CLASS:
		json_append_string(line, text_of(event_child_class(event)));
		break;
	case MEMBER_WORKTREE:
		json_append_string(line, text_of(event->repository->worktree));
		break;
	case MEMBER_WORDS:
	case MEMBER_ANCESTRY:
		event_append_words(line,
				   event->kind == TRACE2_CHILD_START && event->child_start.is_git
					   ? "git"
					   : NULL,
				   *(char *const *const *)value);
		break;
	case MEMBER_TEXT: {
		const struct buffer *json = &(*(const struct trace2_text *const *)value)->json;

		buffer_append(line, json->data, json->size);
		break;
	}
	case MEMBER_BYTES:
		json_append_string(line, string_text(*(const struct trace2_string *)value));
		break;
	case MEMBER_ERROR:
		json_append_string(line, string_text(event->error.msg));
		event_member_string(line, "fmt", text_of(event->error.fmt));
		break;
	case MEMBER_INTEGER:
		buffer_append_signed(line, *(const int *)value);
		break;
	case MEMBER_COUNT:
		buffer_append_signed(line, *(const int64_t *)value);
		break;
	case MEMBER_BOOLEAN:
		buffer_append_string(line, *(const bool *)value ? "true" : "false");
		break;
	case MEMBER_SECONDS:
		buffer_append_seconds(line, *(const int64_t *)value, decimals);
		break;
	case MEMBER_TIMER:
		buffer_append_seconds(line, timer_ns(session, *(const int64_t *)value), decimals);
		break;
	default:
		json_append_string(line, text_of(*(const char *const *)value));
		break;
	}
}

/* Appends the members of an event that is neither region nor data. */
static void event_append_members(struct buffer *line, const struct trace2_session *session,
				 const struct trace2_event *event)
{
	const struct member *member = kinds[event->kind].members;

	for (; member->type != MEMBER_END; member++) {
		if (!member->name || !member_is_there(event, member))
			continue;
		if (member->type == MEMBER_LITERAL) {
			buffer_append_string(line, member->name);
			continue;
		}
		event_member_open(line, member->name);
		event_append_member(line, session, event, member);
	}
}

/* Appends the location and the repository; events of records have neither. */
static void event_append_origin(struct buffer *line, const struct trace2_session *session,
				const struct trace2_event *event)
{
	if (event->file && *event->file && !session->settings.is_brief[TRACE2_EVENT]) {
		event_member_string(line, "file", text_of(event->file));
		event_member_integer(line, "line", event->line);
	}
	if (event->repository)
		event_member_integer(line, "repo", event->repository->id);
}

/* Bytes of a line's names, punctuation and numbers; texts and strings are added to it. */
#define FIXED_MAX 512

/* git's code omits "time" from brief lines, except from those of version and atexit. */
static bool event_has_time(const struct trace2_session *session, enum trace2_kind kind)
{
	return !session->settings.is_brief[TRACE2_EVENT] || kind == TRACE2_VERSION ||
	       kind == TRACE2_ATEXIT;
}

hot_inline size_t text_json_size(const struct trace2_text *text)
{
	return text ? text->json.size : 0;
}

hot_inline char *text_json_put(char *out, const struct trace2_text *text)
{
	return put_block(out, text->json.data, text->json.size);
}

/* Bytes to reserve, unless a string needs escapes. */
hot_inline size_t event_size(const struct trace2_session *session, const struct trace2_event *event)
{
	size_t size = FIXED_MAX + event_thread(session, event)->json.size + event->more.size;

	if (event_is_region(event))
		return size + text_json_size(event->region.category) +
		       text_json_size(event->region.label) + event->region.msg.size;
	if (event_is_data(event))
		return size + text_json_size(event->data.category) +
		       text_json_size(event->data.key) + event->data.value.size;
	return size;
}

/* The members of every line: kind, session, thread and time. */
hot_inline char *event_put_head(char *out, struct time_cache *times,
				const struct trace2_session *session,
				const struct trace2_event *event, enum trace2_kind kind,
				const bool is_short)
{
	const struct trace2_thread *owner = is_short ? event->thread : event_thread(session, event);
	const struct text *thread = &owner->json;

	put_slack(out, kinds[kind].head);
	out = put_blocks(out + kinds[kind].head_size, thread->data, thread->size, 3);
	if (!event_has_time(session, kind))
		return out;
	return time_cache_put_utc(times, out, session->settings.start_unix_ns + event->time_ns,
				  is_short);
}

hot_inline char *event_put_t_abs(char *out, struct time_cache *times,
				 const struct trace2_session *session,
				 const struct trace2_event *event, const bool is_short)
{
	return time_cache_put_t_abs(times, out, event->time_ns, session->settings.decimals,
				    is_short);
}

/* Fits into the reserved memory unless something needs an escape; grows @line then. */
static out_of_line char *event_put_escaped(char *out, struct buffer *line,
					   const struct trace2_session *session,
					   const struct trace2_event *event,
					   struct trace2_string string)
{
	char *end = json_put_string(out, string_text(string));

	if (end)
		return end;
	buffer_end_put(line, out);
	json_append_string(line, string_text(string));
	return buffer_reserve_put(line, event_size(session, event));
}

/* Puts a string that needs no escapes. */
hot_inline char *event_put_quoted(char *out, struct trace2_string string)
{
	return put_char(put_text(put_char(out, '"'), string.data, string.size), '"');
}

hot_inline char *event_put_string(char *out, struct buffer *line,
				  const struct trace2_session *session,
				  const struct trace2_event *event, struct trace2_string string)
{
	return event->needs_no_escape ? event_put_quoted(out, string)
				      : event_put_escaped(out, line, session, event, string);
}

hot_inline char *event_put_nesting(char *out, unsigned int nesting, const bool is_short)
{
	out = PUT_LITERAL(out, ",\"nesting\":");
	return is_short ? put_short(out, nesting) : put_unsigned(out, nesting);
}

/* All members of a region but its message. */
hot_inline char *event_put_region(char *out, const struct trace2_session *session,
				  const struct trace2_event *event, enum trace2_kind kind,
				  const bool is_short)
{
	const struct trace2_text *category = event->region.category, *label = event->region.label;

	if (kind == TRACE2_REGION_LEAVE) {
		out = PUT_LITERAL(out, ",\"t_rel\":");
		out = is_short ? put_fraction(out, event->region.t_rel_ns,
					      session->settings.decimals)
			       : put_seconds(out, event->region.t_rel_ns,
					     session->settings.decimals);
	}
	out = event_put_nesting(out, event->region.nesting, is_short);
	if (is_short || (label && label->category == category))
		return put_blocks(out, label->members.data, label->members.size, 2);
	if (category)
		out = text_json_put(PUT_LITERAL(out, ",\"category\":"), category);
	if (label)
		out = text_json_put(PUT_LITERAL(out, ",\"label\":"), label);
	return out;
}

hot_inline char *event_put_data(char *out, struct buffer *line,
				const struct trace2_session *session,
				const struct trace2_event *event, const bool is_short)
{
	const struct buffer *category = &event->data.category->json, *key = &event->data.key->json;
	const struct trace2_string *value = &event->data.value;

	out = PUT_LITERAL(out, ",\"t_rel\":");
	out = put_seconds(out, event->data.t_rel_ns, session->settings.decimals);
	out = event_put_nesting(out, event->data.nesting, is_short);
	out = PUT_LITERAL(out, ",\"category\":");
	out = put_blocks(out, category->data, category->size, 1);
	out = PUT_LITERAL(out, ",\"key\":");
	out = put_blocks(out, key->data, key->size, 1);
	out = PUT_LITERAL(out, ",\"value\":");
	if (event->kind == TRACE2_DATA)
		return is_short ? event_put_quoted(out, *value)
				: event_put_string(out, line, session, event, *value);
	return is_short && event->has_slack ? put_block(out, value->data, value->size)
					    : put_text(out, value->data, value->size);
}

/* Puts the additional members of a line before its end. */
hot_inline char *event_put_more(char *out, const struct trace2_event *event)
{
	if (event->more.size == 0)
		return out;
	out = put_text(put_char(out - 2, ','), event->more.data, event->more.size);
	return PUT_LITERAL(out, "}\n");
}

/* Ends a line without additional members. */
hot_inline char *event_put_end(char *out, struct time_cache *times,
			       const struct trace2_session *session,
			       const struct trace2_event *event, enum trace2_kind kind,
			       const bool is_short)
{
	if ((is_short || kinds[kind].may_have_t_abs) && session->settings.has_more_t_abs)
		out = event_put_t_abs(out, times, session, event, is_short);
	return PUT_LITERAL(out, "}\n");
}

/* Ends any line, in memory that was reserved for all of it. */
hot_inline void event_end(struct buffer *line, char *out, struct time_cache *times,
			  const struct trace2_session *session, const struct trace2_event *event)
{
	if (event_is_region(event) && event->region.msg.data) {
		out = PUT_LITERAL(out, ",\"msg\":");
		out = event_put_string(out, line, session, event, event->region.msg);
		if (!out)
			return;
	}
	out = event_put_end(out, times, session, event, event->kind, false);
	buffer_end_put(line, event_put_more(out, event));
}

/* The members that only this kind has, but a region's message. */
hot_inline char *event_put_members(char *out, struct buffer *line,
				   const struct trace2_session *session,
				   const struct trace2_event *event)
{
	if (event_is_region(event))
		return event_put_region(out, session, event, event->kind, false);
	if (event_is_data(event))
		return event_put_data(out, line, session, event, false);
	buffer_end_put(line, out);
	event_append_members(line, session, event);
	return buffer_reserve_put(line, event_size(session, event));
}

/* Any event, with numbers of any size; grows @line and renews @times. */
static out_of_line hot_function copies_wide int event_print_any(
	struct buffer *line, struct time_cache *times, const struct trace2_session *session,
	const struct trace2_event *event)
{
	char *out = buffer_reserve_put(line, event_size(session, event));

	if (!out)
		return 0;
	out = event_put_head(out, times, session, event, event->kind, false);
	if (event->file || event->repository) {
		buffer_end_put(line, out);
		event_append_origin(line, session, event);
		out = buffer_reserve_put(line, event_size(session, event));
		if (!out)
			return 0;
	}
	if (kinds[event->kind].has_t_abs)
		out = event_put_t_abs(out, times, session, event, false);
	out = event_put_members(out, line, session, event);
	if (out)
		event_end(line, out, times, session, event);
	time_cache_join(times, session->settings.start_unix_ns);
	return 0;
}

/* Regions and data that nest too deeply are omitted. */
static bool event_is_too_deep(const struct trace2_session *session,
			      const struct trace2_event *event)
{
	unsigned int max_nesting = session->settings.max_nesting;

	if (event_is_region(event))
		return event->region.nesting > max_nesting;
	return event_is_data(event) && event->data.nesting > max_nesting;
}

/*
 * Whether a line needs nothing but copies and short numbers, as most do, and fits into @line. Its
 * members are put by the functions of all other events, which then are compiled without calls.
 * @size: of the members that only this kind has
 */
hot_inline bool line_is_short(const struct buffer *line, const struct time_cache *times,
			      const struct trace2_session *session,
			      const struct trace2_event *event, unsigned int nesting, size_t size)
{
	if (nesting > session->short_nesting ||
	    (uintptr_t)event->file | (uintptr_t)event->repository || !event->thread ||
	    !time_cache_has(times, event->time_ns))
		return false;
	return line->capacity - line->size >=
	       FIXED_MAX + PUT_SLACK + event->thread->json.size + size;
}

/* A region without a message and additional members, which rest_is_short() checks. */
hot_inline bool region_is_short(const struct buffer *line, const struct time_cache *times,
				const struct trace2_session *session,
				const struct trace2_event *event, enum trace2_kind kind)
{
	const struct trace2_text *label = event->region.label;

	if ((kind == TRACE2_REGION_LEAVE && (uint64_t)event->region.t_rel_ns >= NS_PER_S) ||
	    !label || label->category != event->region.category)
		return false;
	return line_is_short(line, times, session, event, event->region.nesting,
			     label->members.size);
}

/* Ends the line of a short region with a message or additional members at @out. */
static out_of_line hot_function copies_wide int region_end(struct buffer *line, char *out,
							   struct time_cache *times,
							   const struct trace2_session *session,
							   const struct trace2_event *event)
{
	const struct trace2_string *msg = &event->region.msg;

	if (msg->data) {
		out = put_text(PUT_LITERAL(out, ",\"msg\":\""), msg->data, msg->size);
		out = put_char(out, '"');
	}
	out = event_put_end(out, times, session, event, TRACE2_REGION_ENTER, true);
	buffer_end_put(line, event_put_more(out, event));
	return 0;
}

_Static_assert(TRACE2_SLACK >= PUT_SLACK, "put_block() reads only what the caller promised");

/* Whether message and additional members of a short region fit behind @out and need no escapes. */
hot_inline bool rest_is_short(const struct buffer *line, const char *out,
			      const struct trace2_event *event)
{
	size_t left = line->data + line->capacity - out;

	return left >= FIXED_MAX + PUT_SLACK + event->region.msg.size + event->more.size &&
	       (event->needs_no_escape || !event->region.msg.data);
}

/* region_end() of strings that are copied in whole blocks, without calls. */
hot_inline char *region_put_rest(char *out, struct time_cache *times,
				 const struct trace2_session *session,
				 const struct trace2_event *event)
{
	const struct trace2_string *msg = &event->region.msg, *more = &event->more;

	if (msg->data) {
		out = PUT_LITERAL(out, ",\"msg\":\"");
		out = put_char(put_blocks(out, msg->data, msg->size, 1), '"');
	}
	if (session->settings.has_more_t_abs)
		out = event_put_t_abs(out, times, session, event, true);
	if (more->size > 0)
		out = put_blocks(put_char(out, ','), more->data, more->size, 1);
	return PUT_LITERAL(out, "}\n");
}

hot_inline int region_print(struct buffer *line, struct time_cache *times,
			    const struct trace2_session *session, const struct trace2_event *event,
			    enum trace2_kind kind)
{
	char *out = line->data + line->size;

	out = event_put_head(out, times, session, event, kind, true);
	out = event_put_region(out, session, event, kind, true);
	if (event->region.msg.data || event->more.size > 0) {
		/* @line does not contain what was put so far. */
		if (!rest_is_short(line, out, event))
			return event_print_any(line, times, session, event);
		if (!event->has_slack)
			return region_end(line, out, times, session, event);
		buffer_end_put(line, region_put_rest(out, times, session, event));
		return 0;
	}
	buffer_end_put(line, event_put_end(out, times, session, event, kind, true));
	return 0;
}

hot_inline bool data_is_short(const struct buffer *line, const struct time_cache *times,
			      const struct trace2_session *session,
			      const struct trace2_event *event)
{
	return event->needs_no_escape &&
	       line_is_short(line, times, session, event, event->data.nesting,
			     event->data.category->json.size + event->data.key->json.size +
				     event->data.value.size + event->more.size);
}

/* Any data. */
static out_of_line hot_function copies_wide int data_print_any(struct buffer *line,
							       struct time_cache *times,
							       const struct trace2_session *session,
							       const struct trace2_event *event)
{
	char *out = line->data + line->size;

	if (!data_is_short(line, times, session, event))
		return event_is_too_deep(session, event)
			       ? 0
			       : event_print_any(line, times, session, event);
	out = event_put_head(out, times, session, event, event->kind, true);
	out = event_put_t_abs(out, times, session, event, true);
	out = event_put_data(out, line, session, event, true);
	buffer_end_put(line, event_put_more(PUT_LITERAL(out, "}\n"), event));
	return 0;
}

/*
 * Whether data are an instant's with fields and nothing else. The time since the outer slice began
 * is the one since the session did, or short.
 */
hot_inline bool data_is_instant(const struct trace2_event *event)
{
	return event->kind == TRACE2_DATA_JSON && event->has_slack && event->more.size == 0 &&
	       event->data.key->category == event->data.category &&
	       (event->data.t_rel_ns == event->time_ns ||
		(uint64_t)event->data.t_rel_ns < NS_PER_S);
}

/* data_print_any() of an instant, without calls. */
static out_of_line hot_function copies_wide int data_print(struct buffer *line,
							   struct time_cache *times,
							   const struct trace2_session *session,
							   const struct trace2_event *event)
{
	const struct trace2_string *value = &event->data.value;
	const struct buffer *key = &event->data.key->key_members;
	char *out = line->data + line->size, *since;
	size_t size;

	if (!line_is_short(line, times, session, event, event->data.nesting,
			   key->size + value->size))
		return data_print_any(line, times, session, event);
	out = event_put_head(out, times, session, event, TRACE2_DATA_JSON, true);
	since = out + strlen(TIME_CACHE_T_ABS);
	out = event_put_t_abs(out, times, session, event, true);
	size = out - since;
	out = PUT_LITERAL(out, ",\"t_rel\":");
	if (event->data.t_rel_ns == event->time_ns) {
		put_slack(out, since);
		out += size;
	} else {
		out = put_fraction(out, event->data.t_rel_ns, session->settings.decimals);
	}
	out = event_put_nesting(out, event->data.nesting, true);
	out = put_blocks(out, key->data, key->size, 2);
	out = put_block(out, value->data, value->size);
	buffer_end_put(line, PUT_LITERAL(out, "}\n"));
	return 0;
}

hot_function copies_wide int event_print(struct buffer *line, struct time_cache *times,
					 const struct trace2_session *session,
					 const struct trace2_event *event)
{
	if (event_is_data(event))
		return data_is_instant(event) ? data_print(line, times, session, event)
					      : data_print_any(line, times, session, event);
	if (event->kind == TRACE2_REGION_ENTER &&
	    likely(region_is_short(line, times, session, event, TRACE2_REGION_ENTER)))
		return region_print(line, times, session, event, TRACE2_REGION_ENTER);
	if (event->kind == TRACE2_REGION_LEAVE &&
	    likely(region_is_short(line, times, session, event, TRACE2_REGION_LEAVE)))
		return region_print(line, times, session, event, TRACE2_REGION_LEAVE);
	if (event_is_too_deep(session, event))
		return 0;
	return event_print_any(line, times, session, event);
}
