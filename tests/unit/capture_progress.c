// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the lines that report how far a recording or an operation is. */
#include "capture/run.h"
#include "output/output.h"

#include "fixtures/tap.h"

TEST(the_line_reports_number_rate_losses_and_how_full_the_buffers_are)
{
	struct progress progress = { .buffer_bytes = 4000,
				     .shown_ns = NS_PER_S,
				     .shown.read = 100 };
	struct progress_counts now = {
		.records = { .read = 1100, .lost = 7, .held_bytes = 1000 },
	};
	SCOPED_BUFFER(line);

	progress_text(&progress, &now, NS_PER_S + 500 * NS_PER_MS, &line);
	CHECK_TEXT(buffer_string(&line), "1100 events, 2000/s, 7 lost, buffers 25% full");
	buffer_clear(&line);
	now.file_bytes = 81920;
	progress_text(&progress, &now, NS_PER_S + 500 * NS_PER_MS, &line);
	CHECK_TEXT(buffer_string(&line), "1100 events, 2000/s, 7 lost, buffers 25% full, 80 KiB");
}

static void line_show(void *context, const char *line)
{
	struct buffer *shown = context;

	buffer_clear(shown);
	buffer_append_string(shown, line);
}

/* Advances an operation that began long ago; returns what counts its bytes. */
static struct byte_progress *transfer_age(struct transfer *transfer, const struct report *report,
					  const uint64_t *nr_events)
{
	struct byte_progress *bytes = transfer_begin(transfer, report, "x.dat", nr_events);

	byte_progress_add(bytes, 1 << 20, 4 << 20);
	transfer_wait(transfer, "waiting");
	transfer->begin_ns -= 2 * NS_PER_S;
	return bytes;
}

TEST(an_operation_shows_its_share_or_its_size_after_a_second)
{
	SCOPED_BUFFER(shown);
	const struct report report = { .context = &shown, .progress = line_show };
	struct transfer transfer;
	uint64_t nr_events = 12;
	struct byte_progress *bytes = transfer_age(&transfer, &report, NULL);

	CHECK_TEXT(buffer_string(&shown), "");
	byte_progress_add(bytes, 1 << 20, 4 << 20);
	CHECK_TEXT(buffer_string(&shown), "x.dat: 50% of 4.0 MiB");
	bytes = transfer_age(&transfer, &report, &nr_events);
	byte_progress_add(bytes, 9 << 20, 0);
	CHECK_TEXT(buffer_string(&shown), "x.dat: 10.0 MiB, 12 events");
	byte_progress_add(bytes, 9 << 20, 0);
	CHECK_TEXT(buffer_string(&shown), "x.dat: 10.0 MiB, 12 events");
	transfer_end(&transfer);
	CHECK_TEXT(buffer_string(&shown), "");
	transfer_age(&transfer, &report, NULL);
	transfer_wait(&transfer, "waiting");
	CHECK_TEXT(buffer_string(&shown), "x.dat: waiting");
}

TEST(without_a_terminal_nothing_is_counted)
{
	const struct report report = { .progress = NULL };
	struct transfer transfer;

	CHECK(!transfer_begin(&transfer, &report, "x.dat", NULL));
	transfer.begin_ns = 0;
	transfer_wait(&transfer, "waiting");
	transfer_note(&transfer, "writing");
	transfer_end(&transfer);
	CHECK(!transfer_begin(&transfer, NULL, "x.dat", NULL));
}
