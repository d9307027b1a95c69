// SPDX-License-Identifier: GPL-2.0-only
/* Statistics as human-readable tables. */
#include <stdlib.h>

#include "sink/remark.h"
#include "sink/stat/state.h"

#define RED "\033[31m"
#define PLAIN "\033[0m"

/* Escape sequences that renew the tables on a terminal. */
#define HOME "\033[H"
#define CLEAR_LINE "\033[K"
#define CLEAR_BELOW "\033[J"

static void warning_begin(struct stat_sink *sink)
{
	buffer_append_string(&sink->file.out, sink->settings.has_colour ? RED : "");
}

static void warning_end(struct stat_sink *sink)
{
	buffer_append_string(&sink->file.out, sink->settings.has_colour ? PLAIN "\n" : "\n");
}

static void stat_loss_print(struct stat_sink *sink, const struct stat_loss *loss)
{
	struct buffer *out = &sink->file.out;

	warning_begin(sink);
	buffer_printf(out, "cpu %d ", loss->cpu);
	timeline_append_loss(out, loss->nr_records, loss->nr_gaps, loss->nr_unknown);
	warning_end(sink);
}

static void left_out_print(struct stat_sink *sink)
{
	uint64_t nr_left_out = 0, nr_suspect = 0, nr_unfinished = 0, nr_foreign = 0;
	struct buffer *out = &sink->file.out;

	for (size_t i = 0; i < sink->nr_rows; i++) {
		nr_left_out += sink->rows[i]->nr_left_out;
		nr_suspect += sink->rows[i]->nr_suspect;
		nr_unfinished += sink->rows[i]->nr_unfinished;
		nr_foreign += sink->rows[i]->nr_foreign;
	}
	if (nr_left_out == 0)
		return;
	warning_begin(sink);
	buffer_printf(out, "slices not counted: %llu (%llu suspect by losses, %llu without an end",
		      (unsigned long long)nr_left_out, (unsigned long long)nr_suspect,
		      (unsigned long long)nr_unfinished);
	if (nr_foreign > 0)
		buffer_printf(out, ", %llu where threads end each other's",
			      (unsigned long long)nr_foreign);
	buffer_append_char(out, ')');
	warning_end(sink);
}

static int faults_print(struct stat_sink *sink)
{
	const struct table_style style = { .is_utf8 = sink->settings.is_utf8 };
	struct buffer *text = &sink->file.text;

	for (size_t i = 0; i < fault_limit(&sink->totals); i++) {
		if (!fault_set(text, &sink->totals, sink->file.counts_ticks, i))
			continue;
		warning_begin(sink);
		table_append_text(&sink->file.out, buffer_text(text), &style);
		warning_end(sink);
	}
	return text->failed ? -1 : 0;
}

static void total_print(struct stat_sink *sink, uint64_t count, const char *what)
{
	if (count == 0)
		return;
	warning_begin(sink);
	buffer_printf(&sink->file.out, "%llu %s", (unsigned long long)count, what);
	warning_end(sink);
}

static int footer_print(struct stat_sink *sink)
{
	struct buffer *out = &sink->file.out;

	for (size_t i = 0; i < sink->nr_losses; i++)
		stat_loss_print(sink, &sink->losses[i]);
	left_out_print(sink);
	if (faults_print(sink) < 0)
		return -1;
	total_print(sink, sink->nr_beyond,
		    "events in rows named (other), which combine several rows");
	buffer_append_duration(out, sink->now_ns - sink->file.start_ns);
	buffer_printf(out, " recorded; percentiles are within %.1f %% of the exact values\n",
		      100 * QUANTILE_ERROR);
	return 0;
}

/* On a terminal new tables replace the old ones line by line. */
static int screen_renew(struct stat_sink *sink)
{
	struct buffer *out = &sink->file.out;
	struct buffer plain = *out;

	*out = (struct buffer){ 0 };
	buffer_append_string(out, HOME);
	for (size_t i = 0; i < plain.size; i++) {
		if (plain.data[i] == '\n')
			buffer_append_string(out, CLEAR_LINE);
		buffer_append_char(out, plain.data[i]);
	}
	buffer_append_string(out, CLEAR_BELOW);
	buffer_release(&plain);
	return 0;
}

static int tables_print(struct stat_sink *sink)
{
	struct table_style style = {
		.width = sink->settings.width,
		.has_colour = sink->settings.has_colour,
		.is_utf8 = sink->settings.is_utf8,
	};

	for (int kind = 0; kind < STAT_KIND_COUNT; kind++) {
		if (stat_print_section(sink, kind, &style) < 0)
			return -1;
	}
	if (sink->settings.has_histograms && stat_print_histograms(sink) < 0)
		return -1;
	if (stat_print_slow(sink, &style) < 0)
		return -1;
	return footer_print(sink);
}

/* The number of lines that exceed the screen; the cursor needs the last line. */
static size_t lines_beyond(const struct stat_sink *sink)
{
	struct text text = buffer_text(&sink->file.out);
	size_t nr_lines = 1;

	for (size_t i = 0; i < text.size; i++)
		nr_lines += text.data[i] == '\n';
	return nr_lines > sink->settings.height ? nr_lines - sink->settings.height : 0;
}

/* Shortens tables until the screen need not scroll, or each has one row. */
static int tables_fit(struct stat_sink *sink)
{
	struct sink_stat_settings *settings = &sink->settings;
	size_t nr_beyond = settings->height > 0 ? lines_beyond(sink) : 0;

	while (nr_beyond > 0 && settings->limit != 1) {
		size_t fewer = (nr_beyond + STAT_KIND_COUNT - 1) / STAT_KIND_COUNT;
		size_t limit = settings->limit > 0 ? settings->limit : settings->height + fewer;

		settings->limit = limit > fewer ? limit - fewer : 1;
		buffer_clear(&sink->file.out);
		if (tables_print(sink) < 0)
			return -1;
		nr_beyond = lines_beyond(sink);
	}
	return 0;
}

int stat_print_table(struct stat_sink *sink)
{
	if (tables_print(sink) < 0 || tables_fit(sink) < 0)
		return -1;
	if (sink->settings.is_screen)
		return screen_renew(sink);
	if (!sink->is_finished)
		buffer_append_char(&sink->file.out, '\n');
	return 0;
}
