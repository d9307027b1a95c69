// SPDX-License-Identifier: GPL-2.0-only
/* Words the progress line of reading and writing files and buffers, and of waiting. */
#include "output/transfer.h"

/* Shorter operations show nothing. */
#define QUIET_NS NS_PER_S
#define SHOW_EVERY_NS (500 * NS_PER_MS)

#define MIB (1024.0 * 1024.0)

static void transfer_show(struct transfer *transfer, struct buffer *line, int64_t now_ns)
{
	transfer->report->progress(transfer->report->context, buffer_string(line));
	transfer->shown_ns = now_ns;
}

static bool transfer_is_due(const struct transfer *transfer, int64_t now_ns)
{
	return transfer->report && now_ns - transfer->begin_ns >= QUIET_NS &&
	       now_ns - transfer->shown_ns >= SHOW_EVERY_NS;
}

static void transfer_advance(void *context, uint64_t done, uint64_t total)
{
	struct transfer *transfer = context;
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);
	struct buffer line = { 0 };

	if (!transfer_is_due(transfer, now_ns))
		return;
	buffer_printf(&line, "%s: ", transfer->object);
	if (total > 0)
		buffer_printf(&line, "%.0f%% of ", 100.0 * (double)done / (double)total);
	buffer_printf(&line, "%.1f MiB", (double)(total > 0 ? total : done) / MIB);
	if (transfer->nr_events)
		buffer_printf(&line, ", %llu events", (unsigned long long)*transfer->nr_events);
	transfer_show(transfer, &line, now_ns);
	buffer_release(&line);
}

struct byte_progress *transfer_begin(struct transfer *transfer, const struct report *report,
				     const char *object, const uint64_t *nr_events)
{
	*transfer = (struct transfer){
		.bytes = { .advanced = transfer_advance, .context = transfer },
		.report = report && report->progress ? report : NULL,
		.object = object,
		.nr_events = nr_events,
		.begin_ns = time_now_ns(CLOCK_MONOTONIC),
	};
	return transfer->report ? &transfer->bytes : NULL;
}

static void transfer_show_text(struct transfer *transfer, const char *text, int64_t now_ns)
{
	struct buffer line = { 0 };

	buffer_printf(&line, "%s: %s", transfer->object, text);
	transfer_show(transfer, &line, now_ns);
	buffer_release(&line);
}

void transfer_note(struct transfer *transfer, const char *doing)
{
	if (transfer->shown_ns != 0)
		transfer_show_text(transfer, doing, transfer->shown_ns);
}

void transfer_wait(struct transfer *transfer, const char *what)
{
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);

	if (transfer_is_due(transfer, now_ns))
		transfer_show_text(transfer, what, now_ns);
}

void transfer_end(struct transfer *transfer)
{
	if (transfer->shown_ns != 0)
		transfer->report->progress(transfer->report->context, "");
	transfer->shown_ns = 0;
}
