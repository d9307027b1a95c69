// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A session: its identity, its target, and the first failure. */
#include "trace2/session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace2/event.h"

/* Lines leave in blocks of about this size. */
#define BLOCK_SIZE (256 * 1024)

struct trace2_session *trace2_session_new(const struct trace2_settings *settings)
{
	static const struct trace2_string main_name = { .data = "main", .size = 4 };
	struct trace2_session *session = calloc(1, sizeof(*session));

	if (!session)
		return NULL;
	session->settings = *settings;
	session->event.fd = -1;
	session->date_s = INT64_MIN;
	session->sid = strdup(settings->sid);
	if (session->sid)
		session->main_thread = trace2_thread_new(session, main_name);
	if (session->main_thread)
		return session;
	trace2_session_free(session);
	return NULL;
}

int trace2_session_add_event(struct trace2_session *session, int fd, const char *name)
{
	destination_release(&session->event);
	return destination_init(&session->event, fd, name);
}

int trace2_session_flush(struct trace2_session *session)
{
	if (session->error.text[0])
		return -1;
	return session->event.fd < 0 ? 0 : destination_flush(&session->event, &session->error);
}

int trace2_session_write(struct trace2_session *session, const struct trace2_event *event)
{
	struct buffer *lines = &session->event.lines;

	if (session->error.text[0])
		return -1;
	if (session->event.fd < 0)
		return 0;
	event_print(lines, session, event);
	if (session->settings.flush == TRACE2_FLUSH_BLOCKS && lines->size < BLOCK_SIZE && !lines->failed)
		return 0;
	return trace2_session_flush(session);
}

const char *trace2_session_error(const struct trace2_session *session)
{
	return session->error.text;
}

const char *trace2_session_sid(const struct trace2_session *session)
{
	return session->sid;
}

void trace2_session_free(struct trace2_session *session)
{
	if (!session)
		return;
	destination_release(&session->event);
	trace2_thread_free(session->main_thread);
	free(session->sid);
	free(session);
}
