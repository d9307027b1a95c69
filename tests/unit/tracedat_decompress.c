// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the child that decompresses an input: what a hostile input could make of it. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "fixtures/source_log.h"
#include "fixtures/tap.h"
#include "source/source.h"

#define DAMAGED "its compressed data (gzip) is damaged or cut short; zcat writes what is left of it"
#define TOO_LARGE                                                                                \
	"decompressed it has more than 16384 KiB; if it is what you expect, allow more with "    \
	"--max-input=SIZE"

static void (*action)(void);
static bool is_endless;

/* In place of zlib's: a hostile input has taken over the child. */
int inflate(z_stream *stream, int flush)
{
	(void)flush;
	if (action)
		action();
	if (is_endless)
		stream->avail_out = 0;
	else
		stream->avail_in = 0;
	return is_endless ? Z_OK : Z_STREAM_END;
}

static void open_file(void)
{
	open("/etc/passwd", O_RDONLY);
}

static void start_process(void)
{
	if (fork() == 0)
		_exit(0);
}

static void write_elsewhere(void)
{
	(void)!write(STDERR_FILENO, "", 1);
}

static void take_memory(void)
{
	for (int i = 0; i < 256; i++) {
		volatile char *data = malloc(1024 * 1024);

		if (!data)
			abort();
		data[0] = 1;
	}
}

static void check_unpacked(const char *want)
{
	static const char bytes[] = "\x1f\x8b\x08\0\0\0\0\0";
	struct scratch scratch;
	struct error error = { 0 };
	struct source *source;

	scratch_new(&scratch);
	scratch_write(&scratch, bytes, sizeof(bytes));
	CHECK_NUMBER(source_file_open(&source, scratch.path, NULL, &error), -1);
	CHECK_TEXT(error.text[0] ? strchr(error.text, ':') + 2 : "", want);
	scratch_remove(&scratch);
}

TEST(the_child_has_no_rights)
{
	static void (*const actions[])(void) = { open_file, start_process, write_elsewhere,
						 take_memory };

	check_unpacked("empty, not a trace.dat; name a recording of ktrack or trace-cmd");
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		action = actions[i];
		check_unpacked(DAMAGED);
	}
	action = NULL;
}

TEST(an_endless_output_is_cut)
{
	is_endless = true;
	check_unpacked(TOO_LARGE);
	is_endless = false;
}
