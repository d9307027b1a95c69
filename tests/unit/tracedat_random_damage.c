// SPDX-License-Identifier: GPL-2.0-only
/* Tests of trace.dat files with random damage, under the sanitizers' eyes. */
#include "fixtures/trace_dat.h"
#include "fixtures/source_log.h"
#include "fixtures/tap.h"

static int record_touch(void *context, const struct record *record, struct error *error)
{
	unsigned int *sum = context;

	(void)error;
	for (size_t i = 0; i < record->size; i++)
		*sum += record->data[i];
	CHECK(record->time_ns >= 0 && record->time_ns < RECORD_TIME_LIMIT);
	return 0;
}

static int loss_touch(void *context, const struct loss *loss, struct error *error)
{
	(void)context;
	(void)error;
	CHECK(loss->count >= LOSS_COUNT_UNKNOWN);
	return 0;
}

static int format_touch(void *context, const struct tracepoint *tracepoint, struct error *error)
{
	unsigned int *sum = context;

	(void)error;
	*sum += strlen(tracepoint->system) + strlen(tracepoint->name);
	for (size_t i = 0; i < tracepoint->format.size; i++)
		*sum += tracepoint->format.data[i];
	return 0;
}

/* Reads all of a source. */
static void source_touch(struct source *source)
{
	unsigned int sum = 0;
	struct source_handler handler = { .context = &sum,
					  .record = record_touch,
					  .loss = loss_touch };
	struct tracepoint_visitor visitor = { .context = &sum, .visit = format_touch };
	struct thread_identity task;
	struct error error = { 0 };
	uint64_t lost;

	CHECK_NUMBER(source_visit(source, &visitor, &error), 0);
	source_find_task(source, 7, &task);
	CHECK_NUMBER(source_finish(source, 9999, &handler, &lost, &error), 0);
}

/* Spoils a few numbers of a file: to anything, to a bit more or less, or to what overflows. */
static void bytes_spoil(struct buffer *bytes, struct random *random)
{
	static const uint64_t extremes[] = { 0,		1,	 UINT32_MAX, UINT64_MAX,
					     INT64_MAX, 1 << 31, 1 << 30,    0xffff };
	static const unsigned char sizes[] = { 1, 2, 4, 8 };

	for (unsigned int i = 0, nr = 1 + random_below(random, 4); i < nr; i++) {
		size_t size = sizes[random_below(random, 4)];
		size_t at = random_below(random, bytes->size - size);
		uint64_t number = 0;

		memcpy(&number, bytes->data + at, size);
		switch (random_below(random, 3)) {
		case 0:
			number = random_next(random);
			break;
		case 1:
			number += random_below(random, 64) - 32;
			break;
		default:
			number = extremes[random_below(random,
						       sizeof(extremes) / sizeof(extremes[0]))];
		}
		memcpy(bytes->data + at, &number, size);
	}
	if (random_below(random, 8) == 0)
		bytes->size = random_below(random, bytes->size);
}

#define NR_SPOILT 10000

TEST(ten_thousand_spoilt_files_are_read_or_refused)
{
	static const char *const compressions[] = { "none", "none", "zstd", "zlib" };
	struct random random = { .state = 17 };
	struct scratch scratch;
	struct trace_dat dat;
	struct buffer bytes[4] = { 0 }, spoilt = { 0 };
	unsigned int nr_opened = 0;

	scratch_new(&scratch);
	for (int i = 0; i < 4; i++) {
		dat = trace_dat_small;
		dat.version = i ? 7 : 6;
		dat.compression = compressions[i];
		dat.is_swapped = i == 3;
		trace_dat_begin(&dat);
		trace_dat_write(&bytes[i], &dat);
	}
	for (int i = 0; i < NR_SPOILT; i++) {
		struct error error = { 0 };
		struct source *source;

		buffer_clear(&spoilt);
		buffer_append(&spoilt, bytes[i % 4].data, bytes[i % 4].size);
		bytes_spoil(&spoilt, &random);
		scratch_write(&scratch, spoilt.data, spoilt.size);
		if (source_file_open(&source, scratch.path, NULL, &error) < 0) {
			CHECK(scratch_is_blamed(&scratch, error.text, SIZE_MAX));
			continue;
		}
		nr_opened++;
		source_touch(source);
		source_close(source);
	}
	CHECK(nr_opened > NR_SPOILT / 4);
	for (int i = 0; i < 4; i++)
		buffer_release(&bytes[i]);
	buffer_release(&spoilt);
	scratch_remove(&scratch);
}
