// SPDX-License-Identifier: GPL-2.0-only
/* Tests of reading kernel symbols from a trace.dat that is damaged, or has none. */
#include <stdlib.h>
#include <string.h>

#include "source/source.h"
#include "fixtures/source_log.h"
#include "fixtures/tap.h"
#include "fixtures/trace_dat.h"

static struct trace_dat dat;
static struct scratch scratch;

/* Sets the size of the text, and opens the file. */
static struct source *patched_open(int version, const char *compression, uint32_t size)
{
	struct error error = { 0 };
	struct buffer bytes = { 0 };
	struct source *source;

	dat = trace_dat_small;
	dat.version = version;
	dat.compression = compression;
	trace_dat_patch(&bytes, &dat, DAT_SYMBOLS, strlen(DAT_SYMBOLS), -(ssize_t)sizeof(size),
			size, sizeof(size));
	scratch_new(&scratch);
	scratch_write(&scratch, bytes.data, bytes.size);
	source_file_open(&source, scratch.path, NULL, &error);
	CHECK_TEXT(error.text, "");
	buffer_release(&bytes);
	return source;
}

static void check_symbols(struct source *source, size_t want, const char *problem,
			  const char *damage)
{
	const char *found;
	struct kallsyms *symbols;
	struct error error = { 0 };

	source_read_symbols(source, &symbols, &error);
	CHECK_TEXT(error.text, problem);
	CHECK_NUMBER(symbols ? kallsyms_count(symbols) : 0, want);
	found = source_damage(source);
	CHECK(*damage ? found && strstr(found, damage) : found == NULL);
	kallsyms_free(symbols);
	source_close(source);
	scratch_remove(&scratch);
}

TEST(a_file_may_have_no_symbols)
{
	check_symbols(patched_open(7, "none", 0), 0, "kernel symbols: no functions", "");
}

TEST(symbols_end_where_their_size_says)
{
	check_symbols(patched_open(7, "none", strlen("ffffffff81000040 T schedule\n")), 1, "", "");
}

TEST(symbols_beyond_their_section_are_damage)
{
	check_symbols(patched_open(7, "none", strlen(DAT_SYMBOLS) + 1), 0,
		      "kernel symbols: no functions", "kernel symbols are missing");
	check_symbols(patched_open(7, "none", UINT32_MAX), 0, "kernel symbols: no functions",
		      "kernel symbols are missing");
}

TEST(symbols_are_read_again)
{
	struct source *source = patched_open(6, "none", strlen(DAT_SYMBOLS));
	struct kallsyms *symbols;
	struct error error = { 0 };

	CHECK_NUMBER(source_read_symbols(source, &symbols, &error), 0);
	kallsyms_free(symbols);
	check_symbols(source, 2, "", "");
}
