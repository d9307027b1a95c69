// SPDX-License-Identifier: GPL-2.0-only
/* Tests of compressed outputs: what a decoder reads of a file that its writer left at any moment.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <zstd.h>

#include "fixtures/folder.h"
#include "fixtures/tap.h"
#include "sink/compression.h"
#include "sink/sink.h"

#define LINE "{\"event\":\"data\"}\n"

/* How much later than the kernel's the monotonic clock is: stands for the library's function. */
static int64_t later_s;

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *now)
{
	int status = syscall(SYS_clock_gettime, clock, now);

	now->tv_sec += clock == CLOCK_MONOTONIC ? later_s : 0;
	return status;
}

/**
 * struct compressed - a file that is written
 * @decoded: of its content
 * @left: 0 if the last frame is complete
 */
struct compressed {
	struct folder folder;
	struct sink_settings settings;
	struct compressor *compressor;
	struct error error;
	struct buffer decoded;
	size_t left;
};

static void compressed_open(struct compressed *file)
{
	static char path[PATH_MAX];

	strcpy(path, folder_path(&file->folder, "out.zst"));
	file->settings = (struct sink_settings){
		.name = path,
		.fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600),
		.is_appending = true,
		.is_compressed = true
	};
	compressor_new(&file->settings, &file->compressor, &file->error);
}

static void compressed_init(struct compressed *file)
{
	*file = (struct compressed){ 0 };
	later_s = 0;
	folder_new(&file->folder);
	compressed_open(file);
	CHECK(file->compressor != NULL);
}

static void compressed_close(struct compressed *file)
{
	compressor_free(file->compressor);
	file->compressor = NULL;
	close(file->settings.fd);
}

static void compressed_release(struct compressed *file)
{
	compressed_close(file);
	buffer_release(&file->decoded);
	folder_remove(&file->folder);
}

static void compressed_add(struct compressed *file, const char *text)
{
	CHECK_NUMBER(compressor_write(file->compressor, text, strlen(text)), 0);
}

/* Reads what is in the file now. */
static void compressed_decode(struct compressed *file)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	struct buffer content = { 0 };
	ZSTD_inBuffer in = { 0 };

	CHECK_NUMBER(file_read(file->settings.name, &content), 0);
	in = (ZSTD_inBuffer){ .src = content.data, .size = content.size };
	buffer_clear(&file->decoded);
	do {
		ZSTD_outBuffer out = { .dst = buffer_reserve(&file->decoded, 1 << 16),
				       .size = 1 << 16 };

		file->left = ZSTD_decompressStream(stream, &out, &in);
		file->decoded.size += out.pos;
	} while (!ZSTD_isError(file->left) && in.pos < in.size);
	CHECK(!ZSTD_isError(file->left));
	ZSTD_freeDStream(stream);
	buffer_release(&content);
}

static void check_decoded(struct compressed *file, const char *want, bool is_complete)
{
	compressed_decode(file);
	CHECK_TEXT(buffer_string(&file->decoded), want);
	CHECK_NUMBER(file->left == 0, is_complete);
}

TEST(what_was_flushed_can_be_read_at_once)
{
	FIXTURE(compressed, file);

	compressed_add(&file, "one\n");
	CHECK_NUMBER(compressor_flush(file.compressor, &file.error), 0);
	check_decoded(&file, "one\n", false);
	compressed_add(&file, "two\n");
	CHECK_NUMBER(compressor_flush(file.compressor, &file.error), 0);
	check_decoded(&file, "one\ntwo\n", false);
	CHECK_NUMBER(compressor_end(file.compressor, &file.error), 0);
	check_decoded(&file, "one\ntwo\n", true);
}

TEST(a_frame_ends_a_second_after_its_begin)
{
	FIXTURE(compressed, file);

	compressed_add(&file, "one\n");
	later_s = 1;
	CHECK_NUMBER(compressor_flush(file.compressor, &file.error), 0);
	check_decoded(&file, "one\n", true);
	compressed_add(&file, "two\n");
	CHECK_NUMBER(compressor_flush(file.compressor, &file.error), 0);
	check_decoded(&file, "one\ntwo\n", false);
}

/* Also if nothing is written since. */
TEST(an_idle_frame_ends_too)
{
	FIXTURE(compressed, file);

	compressed_add(&file, "one\n");
	CHECK_NUMBER(compressor_flush(file.compressor, &file.error), 0);
	later_s = 2;
	CHECK_NUMBER(compressor_flush(file.compressor, &file.error), 0);
	check_decoded(&file, "one\n", true);
}

TEST(a_large_frame_ends_at_the_next_flush)
{
	FIXTURE(compressed, file);

	for (size_t size = 0; size < 1 << 20; size += sizeof(LINE) - 1)
		compressed_add(&file, LINE);
	CHECK_NUMBER(compressor_flush(file.compressor, &file.error), 0);
	compressed_decode(&file);
	CHECK_NUMBER(file.left, 0);
	CHECK(file.decoded.size >= 1 << 20);
}

/* As when another output fails. */
TEST(a_frame_is_complete_when_its_file_is_closed)
{
	struct compressed file;

	compressed_init(&file);
	compressed_add(&file, "one\n");
	compressed_close(&file);
	check_decoded(&file, "one\n", true);
	compressed_open(&file);
	compressed_add(&file, "two\n");
	compressed_close(&file);
	check_decoded(&file, "one\ntwo\n", true);
	buffer_release(&file.decoded);
	folder_remove(&file.folder);
}

TEST(an_output_without_a_byte_has_an_empty_frame)
{
	FIXTURE(compressed, file);

	CHECK_NUMBER(compressor_end(file.compressor, &file.error), 0);
	check_decoded(&file, "", true);
	CHECK(file.settings.fd >= 0 && lseek(file.settings.fd, 0, SEEK_END) > 0);
	CHECK_NUMBER(compressor_end(file.compressor, &file.error), 0);
}

/* Every beginning of a file, cut off: nothing can be appended unless a frame ends there. */
TEST(nothing_is_appended_behind_an_incomplete_frame)
{
	struct buffer content = { 0 };
	struct compressed file;
	size_t nr_refused = 0, first;

	compressed_init(&file);
	compressed_add(&file, "one\n");
	CHECK_NUMBER(compressor_end(file.compressor, &file.error), 0);
	first = lseek(file.settings.fd, 0, SEEK_END);
	compressed_add(&file, "two\n");
	compressed_close(&file);
	CHECK_NUMBER(file_read(file.settings.name, &content), 0);
	for (size_t size = 1; size < content.size; size++) {
		CHECK_NUMBER(truncate(file.settings.name, size), 0);
		file.error.text[0] = 0;
		compressed_open(&file);
		nr_refused += strstr(file.error.text, "its last frame is incomplete") != NULL ||
			      strstr(file.error.text, "not compressed with zstd") != NULL;
		CHECK_NUMBER(file.compressor != NULL, size == first);
		close(file.settings.fd);
		compressor_free(file.compressor);
		folder_set_text(&file.folder, "out.zst", "");
		folder_add(&file.folder, "out.zst", content.data, content.size);
	}
	CHECK_NUMBER(nr_refused, content.size - 2);
	buffer_release(&content);
	buffer_release(&file.decoded);
	folder_remove(&file.folder);
}

TEST(a_frame_of_another_program_may_have_any_header)
{
	/* A single segment with its size, and a skippable frame before it. */
	static const unsigned char frames[] = { 0x50, 0x2a, 0x4d, 0x18, 2,    0,    0,	  0,
						1,    2,    0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x04,
						0x21, 0,    0,	  'o',	'n',  'e',  '\n' };
	SCOPED(compressed) file = { 0 };

	folder_new(&file.folder);
	folder_add(&file.folder, "out.zst", frames, sizeof(frames));
	compressed_open(&file);
	CHECK_TEXT(file.error.text, "");
	compressed_add(&file, "two\n");
	compressed_close(&file);
	check_decoded(&file, "one\ntwo\n", true);
	folder_set_text(&file.folder, "out.zst", "plain text\n");
	compressed_open(&file);
	CHECK(strstr(file.error.text, "not compressed with zstd") != NULL);
}

TEST(a_full_disk_is_an_error_once)
{
	struct compressed file;
	struct rlimit old, none = { 0 };

	compressed_init(&file);
	compressed_add(&file, "one\n");
	signal(SIGXFSZ, SIG_IGN);
	CHECK_NUMBER(getrlimit(RLIMIT_FSIZE, &old), 0);
	none.rlim_max = old.rlim_max;
	CHECK_NUMBER(setrlimit(RLIMIT_FSIZE, &none), 0);
	CHECK_NUMBER(compressor_flush(file.compressor, &file.error), -1);
	CHECK(strstr(file.error.text, "out.zst: File too large") != NULL);
	CHECK_NUMBER(setrlimit(RLIMIT_FSIZE, &old), 0);
	/* What the library held is lost, so that nothing may follow it. */
	CHECK_NUMBER(compressor_write(file.compressor, "two", 3), -1);
	compressed_close(&file);
	CHECK_NUMBER(lseek(open(file.settings.name, O_RDONLY), 0, SEEK_END), 0);
	buffer_release(&file.decoded);
	folder_remove(&file.folder);
}
