// SPDX-License-Identifier: GPL-2.0-only
/* Turns options into sinks of one file each. */
#include "cli/pictures.h"

#include <string.h>
#include <unistd.h>

#include "cli/note.h"
#include "cli/output.h"
#include "sink/sink.h"

/**
 * struct picture_row - one output
 * @option: what names its file
 * @can_append: a file that holds something can be added to
 */
struct picture_row {
	struct option_row option;
	struct sink *(*sink_new)(const struct sink_file_settings *settings, struct error *error);
	bool can_append;
};

static int apply_path(void *settings, const char *value, struct error *error)
{
	const char **path = settings;

	if (!*value)
		return error_set(error, "an empty name is no file; write - or a path");
	*path = value;
	return 0;
}

#define FILE_OPTION(picture, word, help)                                                     \
	{                                                                                    \
		0, word, "FILE", help, apply_path, offsetof(struct pictures, paths[picture]) \
	}

static const struct picture_row picture_rows[] = {
	[PICTURE_CHROME] = { FILE_OPTION(PICTURE_CHROME, "chrome",
					 "write JSON trace events for chrome://tracing, Perfetto "
					 "and speedscope"),
			     sink_chrome_new, false },
	[PICTURE_PERFETTO] = { FILE_OPTION(PICTURE_PERFETTO, "perfetto",
					   "write a trace in Perfetto's native form"),
			       sink_perfetto_new, true },
	[PICTURE_HTML] = { FILE_OPTION(PICTURE_HTML, "html",
				       "write a page with a timeline, for any browser, without a "
				       "network"),
			   sink_html_new, false },
};
_Static_assert(sizeof(picture_rows) / sizeof(picture_rows[0]) == PICTURE_COUNT, "a row for each");

const struct option_part pictures_options = {
	.rows = &picture_rows[0].option,
	.nr_rows = PICTURE_COUNT,
	.row_size = sizeof(picture_rows[0]),
};

bool pictures_are_named(const struct pictures *pictures)
{
	bool is_any_named = false;

	for (int i = 0; i < PICTURE_COUNT; i++)
		is_any_named = is_any_named || pictures->paths[i];
	return is_any_named;
}

static bool is_output(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

unsigned int pictures_on_output(const struct pictures *pictures)
{
	unsigned int count = 0;

	for (int i = 0; i < PICTURE_COUNT; i++)
		count += is_output(pictures->paths[i]);
	return count;
}

static int picture_open(const struct picture_row *row, const char *path, struct timeline *timeline,
			unsigned int with, struct output_set *set, struct error *error)
{
	struct sink_file_settings settings = {
		.with = with,
		.is_appending = set->is_appending && !is_output(path),
		.wait = set->wait,
		.report = note_say,
	};
	struct sink *sink;

	if (set->is_appending && !row->can_append)
		return error_set(error, "--append cannot add to a file of --%s",
				 row->option.long_name);
	settings.fd = output_open(set, path, &settings.name, error);
	if (settings.fd < 0)
		return -1;
	if (!is_output(path) && output_check_alone(set, error) < 0) {
		close(settings.fd);
		return -1;
	}
	sink = row->sink_new(&settings, error);
	return sink ? timeline_add(timeline, sink, error) : -1;
}

int pictures_open(const struct pictures *pictures, struct timeline *timeline, unsigned int with,
		  struct output_set *set, struct error *error)
{
	for (int i = 0; i < PICTURE_COUNT; i++) {
		if (pictures->paths[i] && picture_open(&picture_rows[i], pictures->paths[i],
						       timeline, with, set, error) < 0)
			return -1;
	}
	return 0;
}
