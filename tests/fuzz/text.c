// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz target: ftrace's text; its records must fit the formats that are made for them. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "tracetext/tracetext.h"

/** struct ids - the events that are described */
struct ids {
	bool has[65536];
};

static int format_check(void *context, const struct tracepoint *tracepoint, struct error *error)
{
	struct ids *ids = context;
	struct format format;

	(void)error;
	if (format_parse(&format, tracepoint->format) != 0 || format.id >= 65536 ||
	    ids->has[format.id])
		abort();
	ids->has[format.id] = true;
	format_release(&format);
	return 0;
}

static void stream_check(struct stream *stream, const struct ids *ids)
{
	struct error error = { 0 };
	struct loss loss;
	uint16_t id;

	while (stream_fill(stream, &error) == 0 && stream->has_next) {
		stream_take_gap(stream, &loss);
		if (stream->next.size < 8 || stream->next.time_ns < stream->last_ns)
			abort();
		memcpy(&id, stream->next.data, sizeof(id));
		if (!ids->has[id])
			abort();
		stream_advance(stream);
	}
	if (error.text[0] || stream->page.is_damaged)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ids ids;
	const struct tracepoint_visitor visitor = { .context = &ids, .visit = format_check };
	int fd = memfd_create("text", MFD_CLOEXEC);
	struct error error = { 0 };
	struct trace_text *text;
	struct stream *streams;
	size_t nr_streams;

	trace_text_matches((struct text){ (const char *)data, size });
	if (fd < 0 || file_write_all(fd, (const char *)data, size, NULL) < 0)
		abort();
	if (trace_text_open(&text, fd, "text", NULL, &error) < 0) {
		/* Only a page, and what begins as function_graph's text, may have nothing of ftrace. */
		if ((size < strlen("<!DOCTYPE html") || memcmp(data, "<!DOCTYPE html", 14) != 0) &&
		    !strstr(error.text, "no call of function_graph"))
			abort();
		return 0;
	}
	memset(&ids, 0, sizeof(ids));
	trace_text_visit(text, &visitor, &error);
	streams = trace_text_streams(text, &nr_streams);
	for (size_t i = 0; i < nr_streams; i++)
		stream_check(&streams[i], &ids);
	trace_text_damage(text);
	trace_text_close(text);
	return 0;
}
