// SPDX-License-Identifier: GPL-2.0-only
/* Tests of formats that are kept when their tracepoints go, and of ids that are taken over. */
#include "tracedat/spool.h"

#include "fixtures/folder.h"
#include "fixtures/tap.h"

static void note_known(struct formats *formats, const struct formats *known,
		       const struct folder *folder, const char *names, int want)
{
	SCOPED_BUFFER(list);
	struct error error = { 0 };
	int events_fd = file_open_in(folder->path, "events", O_PATH, &error);

	buffer_append_string(&list, names);
	CHECK_NUMBER(formats_read(formats, known, events_fd, &list, &error), want);
	close(events_fd);
}

static void note(struct formats *formats, const struct folder *folder, const char *names, int want)
{
	note_known(formats, NULL, folder, names, want);
}

static void check_formats(const struct formats *formats, const char *want)
{
	SCOPED_BUFFER(got);

	for (size_t i = 0; i < formats->size; i++) {
		const struct saved_format *format = &formats->list[i];

		buffer_printf(&got, "%s:%s %d%s ", format->system, format->event, (int)format->id,
			      format->is_doubtful ? "?" : "");
	}
	CHECK_TEXT(buffer_string(&got), want);
}

TEST(formats_of_what_has_gone_stay)
{
	struct formats formats = { 0 };
	struct folder folder;

	folder_new(&folder);
	folder_add_text(&folder, "events/b/job/format", "name: job\nID: 7\n");
	folder_add_text(&folder, "events/a/io/format", "name: io\nID: 12\n");
	note(&formats, &folder, "b:job\na:io\nno line\n", 0);
	check_formats(&formats, "a:io 12 b:job 7 ");
	note(&formats, &folder, "b:job\na:gone\n", 0);
	check_formats(&formats, "a:io 12 b:job 7 ");
	formats_release(&formats);
	note(&formats, &folder, "a:gone\n", -1);
	formats_release(&formats);
	folder_remove(&folder);
}

TEST(an_id_of_two_tracepoints_is_of_neither)
{
	struct formats formats = { 0 };
	struct folder folder;

	folder_new(&folder);
	folder_add_text(&folder, "events/a/io/format", "name: io\nID: 12\n");
	folder_add_text(&folder, "events/b/job/format", "name: job\nID: 12\n");
	folder_add_text(&folder, "events/b/rest/format", "name: rest\nID: 13\n");
	note(&formats, &folder, "a:io\n", 0);
	CHECK_NUMBER(formats_count_doubtful(&formats), 0);
	note(&formats, &folder, "b:job\nb:rest\n", 0);
	check_formats(&formats, "a:io 12? b:job 12? b:rest 13 ");
	CHECK_NUMBER(formats_count_doubtful(&formats), 2);
	formats_release(&formats);
	folder_remove(&folder);
}

TEST(known_formats_are_not_read)
{
	struct formats *known = formats_new();
	struct formats formats = { 0 };
	struct folder folder;

	folder_new(&folder);
	folder_add_text(&folder, "events/a/io/format", "name: io\nID: 12\n");
	folder_add_text(&folder, "events/b/job/format", "name: job\nID: 7\n");
	CHECK_NUMBER(formats_keep(known, "a", "io", text_of("name: io\nID: 13\n")), 0);
	CHECK_NUMBER(formats_keep(known, "a", "other", text_of("name: other\nID: 14\n")), 0);
	note_known(&formats, known, &folder, "a:io\nb:job\n", 0);
	check_formats(&formats, "a:io 13 b:job 7 ");
	formats_free(known);
	check_formats(&formats, "a:io 13 b:job 7 ");
	formats_release(&formats);
	formats_free(NULL);
	folder_remove(&folder);
}
