// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens files and copies of pipes, moves windows over them, decompresses blocks, and checks every
 * read against the end of the bytes.
 */
#include "tracedat/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "tracedat/tracedat.h"

/* Opens files and copies of pipes, and moves windows over them. */

#define BLOCK_SIZE 65536
/* Longest wait for a writer without progress, in ms. */
#define POLL_MS 500

/** struct interrupt - Ctrl-C while a pipe is copied */
struct interrupt {
	int fd;		 /* readable then; -1 if the signal is ignored */
	sigset_t before; /* the signal mask */
	/* there was one; only what the pipe contains is read, in up to @nr_left parts */
	bool has_come;
	unsigned int nr_left;
};

#define PARTS_AFTER_INTERRUPT 64

static void interrupt_await(struct interrupt *interrupt)
{
	struct sigaction action;
	sigset_t set;

	*interrupt = (struct interrupt){ .fd = -1, .nr_left = PARTS_AFTER_INTERRUPT };
	sigprocmask(SIG_BLOCK, NULL, &interrupt->before);
	if (sigaction(SIGINT, NULL, &action) < 0 || action.sa_handler == SIG_IGN)
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	interrupt->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* A signal that does not end the copy only is left to be delivered. */
static void interrupt_end(struct interrupt *interrupt, bool is_used)
{
	struct signalfd_siginfo info;

	if (is_used && interrupt->has_come && read(interrupt->fd, &info, sizeof(info)) < 0)
		interrupt->has_come = false;
	if (interrupt->fd >= 0)
		close(interrupt->fd);
	sigprocmask(SIG_SETMASK, &interrupt->before, NULL);
}

/* Waits for more of a pipe; returns false after Ctrl-C if there is no more now. */
static bool copy_await(int fd, struct byte_progress *progress, struct interrupt *interrupt)
{
	struct pollfd inputs[] = { { .fd = fd, .events = POLLIN },
				   { .fd = interrupt->fd, .events = POLLIN } };

	/* Shows that the writer is slow. Closed pipes and errors are left to read(2). */
	while (!interrupt->has_come) {
		int status = poll(inputs, 2, progress ? POLL_MS : -1);

		if (status > 0 || (status < 0 && errno != EINTR))
			break;
		byte_progress_add(progress, 0, 0);
	}
	interrupt->has_come |= inputs[1].revents != 0;
	if (!interrupt->has_come)
		return true;
	return interrupt->nr_left-- > 0 && poll(inputs, 1, 0) > 0;
}

/* Only the last block is shorter than BLOCK_SIZE. */
static ssize_t copy_read_block(int fd, char *block, struct byte_progress *progress,
			       struct interrupt *interrupt)
{
	size_t size = 0;

	while (size < BLOCK_SIZE && copy_await(fd, progress, interrupt)) {
		ssize_t more = read(fd, block + size, BLOCK_SIZE - size);

		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return -1;
		if (more == 0)
			break;
		size += more;
		byte_progress_add(progress, more, 0);
	}
	return size;
}

/* TMPDIR may be unset, or not what was used. */
static int copy_refuse(int copy, const char *name, int number, struct error *error)
{
	char link[64], path[PATH_MAX] = "";

	snprintf(link, sizeof(link), "/proc/self/fd/%d", copy);
	if (readlink(link, path, sizeof(path) - 1) < 0)
		path[0] = '\0';
	return error_set_system(error, number,
				"cannot copy %s to a temporary file in %s; set TMPDIR to a "
				"directory with more space",
				name, dirname(path));
}

/* Returns whether input of another kind was copied, or -1 with @error. */
static int copy_fill(int copy, int fd, const struct input_limits *limits,
		     struct byte_progress *progress, struct interrupt *interrupt,
		     struct error *error)
{
	struct text magic = text_of(TRACE_DAT_MAGIC);
	char block[BLOCK_SIZE];
	bool is_other = false;
	uint64_t total = 0;
	ssize_t size;

	do {
		size = copy_read_block(fd, block, progress, interrupt);
		if (size < 0)
			return error_set_system(error, errno, "cannot read %s", limits->name);
		if ((uint64_t)size > limits->size - total)
			return error_set(
				error,
				limits->size >> 30
					? "%s: more than %llu GiB; write it to a file and name that"
					: "%s: more than %llu bytes; write it to a file and name "
					  "that",
				limits->name,
				(unsigned long long)(limits->size >> 30 ? limits->size >> 30
									: limits->size));
		if (file_write_all(copy, block, size, NULL) < 0)
			return copy_refuse(copy, limits->name, errno, error);
		if (total == 0 && !text_begins((struct text){ block, size }, magic)) {
			struct text head = { block, size };

			is_other = limits->is_other && size > 0 && limits->is_other(head);
			/* The reader of the copy reports its kind. */
			if (!is_other && !input_is_packed(head))
				return 0;
		}
		total += size;
	} while (size == BLOCK_SIZE);
	return is_other;
}

int input_copy(int fd, const struct input_limits *limits, struct byte_progress *progress,
	       struct error *error)
{
	int copy = file_open_temporary(NULL), status;
	struct interrupt interrupt;

	if (copy < 0)
		return error_set_system(
			error, errno,
			"cannot create a temporary file for %s; set TMPDIR to a directory "
			"that can be written",
			limits->name);
	interrupt_await(&interrupt);
	status = copy_fill(copy, fd, limits, progress, &interrupt, error);
	interrupt_end(&interrupt, status > 0);
	if (status >= 0)
		return copy;
	close(copy);
	return -1;
}

const char *input_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

int input_set(struct input *input, int fd, const char *path, struct error *error)
{
	struct stat status;

	*input = INPUT_NONE;
	if (fd >= 0 && fstat(fd, &status) == 0) {
		*input = (struct input){ .fd = fd, .size = status.st_size };
		return 0;
	}
	error_set_system(error, errno, "cannot read %s", input_name(path));
	if (fd >= 0)
		close(fd);
	return -1;
}

#define CPU_SUFFIX ".cpu"

/* The length of FILE if @path is FILE.cpuN, as trace-cmd names what each CPU writes; otherwise 0.
 */
static size_t cpu_file_base_size(const char *path)
{
	size_t size = strlen(path), end = size;

	while (size > 0 && isdigit((unsigned char)path[size - 1]))
		size--;
	if (size == end || size <= strlen(CPU_SUFFIX) ||
	    strncmp(path + size - strlen(CPU_SUFFIX), CPU_SUFFIX, strlen(CPU_SUFFIX)) != 0)
		return 0;
	return size - strlen(CPU_SUFFIX);
}

int input_refuse_raw(const char *path, bool is_absent, struct error *error)
{
	size_t size = cpu_file_base_size(path);
	SCOPED_BUFFER(first);

	if (size == 0 && is_absent) {
		buffer_printf(&first, "%s" CPU_SUFFIX "0", path);
		if (access(buffer_string(&first), F_OK) == 0)
			size = strlen(path);
	}
	if (size == 0)
		return 0;
	return error_set(error,
			 "%s: raw records of a trace-cmd that runs or was killed; 'trace-cmd "
			 "restore -o %.*s %.*s" CPU_SUFFIX "0 ...' with the files of all CPUs in "
			 "order makes a trace.dat, on the machine that recorded",
			 path, (int)size, path, (int)size, path);
}

int trace_input_open(const char *path, bool (*is_other)(struct text head),
		     const struct input_settings *settings, struct error *error)
{
	const struct input_settings given = settings ? *settings : (struct input_settings){ 0 };
	const struct input_limits limits = { .name = input_name(path),
					     .size = INPUT_COPY_MAX,
					     .is_other = is_other };
	bool is_standard = strcmp(path, "-") == 0;
	int fd = is_standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
			     : open(path, O_RDONLY | O_CLOEXEC);
	struct stat status = { 0 };
	int copy;

	if (fd < 0 && errno == ENOENT && input_refuse_raw(path, true, error) < 0)
		return -1;
	if (fd < 0)
		return error_set_system(error, errno, "cannot open %s", input_name(path));
	/* trace_pipe of tracefs looks like a file, and is read as a pipe. */
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && lseek(fd, 0, SEEK_CUR) >= 0)
		return input_unpack(fd, limits.name, given.max_kib, error);
	if (S_ISDIR(status.st_mode)) {
		bool is_ctf = faccessat(fd, "metadata", F_OK, 0) == 0;

		close(fd);
		return error_set(error, "%s: a directory%s", input_name(path),
				 is_ctf ? " of a CTF trace, as of LTTng, not a trace.dat; "
					  "babeltrace2 and Trace Compass read it"
					: ", not a trace.dat; name a file in it");
	}
	copy = input_copy(fd, &limits, given.progress, error);
	close(fd);
	return copy < 0 ? -1 : input_unpack(copy, limits.name, given.max_kib, error);
}

void input_close(struct input *input)
{
	if (input->fd >= 0)
		close(input->fd);
	*input = INPUT_NONE;
}

size_t input_read(const struct input *input, void *out, size_t size, uint64_t offset)
{
	size_t done = 0;

	errno = 0;
	while (done < size && offset <= INT64_MAX - size) {
		ssize_t part = pread(input->fd, (char *)out + done, size - done, offset + done);

		if (part < 0 && errno == EINTR)
			continue;
		if (part == 0)
			errno = 0;
		if (part <= 0)
			break;
		done += part;
	}
	byte_progress_add(input->progress, done, input->size);
	return done;
}

const unsigned char *window_read(struct window *window, uint64_t offset, uint64_t end, size_t *size)
{
	uint64_t left = end > offset ? end - offset : 0;
	size_t want = *size > window->ahead ? *size : window->ahead;

	if (offset >= window->begin && offset - window->begin <= window->filled &&
	    *size <= window->filled - (offset - window->begin))
		return window->bytes + (offset - window->begin);
	if (want > left)
		want = left;
	if (*size <= WINDOW_SIZE_MAX && want > window->capacity) {
		free(window->bytes);
		window->bytes = malloc(want);
		window->filled = 0;
		window->capacity = window->bytes ? want : 0;
	}
	if (*size > WINDOW_SIZE_MAX || want > window->capacity) {
		errno = ENOMEM;
		*size = 0;
		return NULL;
	}
	window->begin = offset;
	window->filled = input_read(window->input, window->bytes, want, offset);
	if (*size > window->filled)
		*size = window->filled;
	return window->bytes;
}

void window_release(struct window *window)
{
	free(window->bytes);
	*window = (struct window){ .input = window->input, .ahead = window->ahead };
}

/* Decompresses blocks with zstd and zlib. */

/** struct inflate_algorithm - a compression algorithm */
struct inflate_algorithm {
	const char *name;
	/* prepare the state; returns -1 with @error */
	int (*open)(struct inflater *inflater, struct error *error);
	/* decompress to exactly @size bytes */
	bool (*run)(struct inflater *inflater, struct text block, void *out, size_t size);
	void (*release)(struct inflater *inflater); /* free the state */
};

#define ZSTD_FUNCTIONS(apply) apply(ZSTD_createDCtx) apply(ZSTD_decompressDCtx) apply(ZSTD_freeDCtx)

/** struct zstd_state - libzstd, and its state */
struct zstd_state {
	void *handle;
	ZSTD_FUNCTIONS(LIBRARY_MEMBER)
	ZSTD_DCtx *context;
};

static int zstd_state_open(struct zstd_state *api, struct error *error)
{
	const struct library_function functions[] = { ZSTD_FUNCTIONS(LIBRARY_FUNCTION) };

	if (library_load(&api->handle, "libzstd.so.1", "libzstd (Debian's package libzstd1)",
			 functions, sizeof(functions) / sizeof(functions[0]), error) < 0)
		return -1;
	api->context = api->ZSTD_createDCtx();
	return api->context ? 0 : error_set(error, "out of memory");
}

static int zstd_open(struct inflater *inflater, struct error *error)
{
	inflater->state = calloc(1, sizeof(struct zstd_state));
	return inflater->state ? zstd_state_open(inflater->state, error)
			       : error_set(error, "out of memory");
}

static bool zstd_run(struct inflater *inflater, struct text block, void *out, size_t size)
{
	const struct zstd_state *zstd = inflater->state;

	return zstd->ZSTD_decompressDCtx(zstd->context, out, size, block.data, block.size) == size;
}

static void zstd_release(struct inflater *inflater)
{
	struct zstd_state *zstd = inflater->state;

	if (zstd && zstd->context)
		zstd->ZSTD_freeDCtx(zstd->context);
	if (zstd)
		library_release(zstd->handle);
	free(zstd);
}

static bool zlib_run(struct inflater *inflater, struct text block, void *out, size_t size)
{
	uLongf inflated = size;

	(void)inflater;
	return uncompress(out, &inflated, (const Bytef *)block.data, block.size) == Z_OK &&
	       inflated == size;
}

static const struct inflate_algorithm algorithms[] = {
	{ .name = "none" },
	{ .name = "zlib", .run = zlib_run },
	{ .name = "zstd", .open = zstd_open, .run = zstd_run, .release = zstd_release },
};

int inflater_init(struct inflater *inflater, struct text name, struct error *error)
{
	*inflater = (struct inflater){ 0 };
	for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++) {
		if (text_equals(name, text_of(algorithms[i].name)))
			inflater->algorithm = &algorithms[i];
	}
	if (!inflater->algorithm)
		return error_set(error, "its compression algorithm is not supported");
	return inflater->algorithm->open ? inflater->algorithm->open(inflater, error) : 0;
}

void inflater_release(struct inflater *inflater)
{
	if (inflater->algorithm && inflater->algorithm->release)
		inflater->algorithm->release(inflater);
	*inflater = (struct inflater){ 0 };
}

bool inflater_run(struct inflater *inflater, struct text block, void *out, size_t size)
{
	return inflater->algorithm && inflater->algorithm->run &&
	       inflater->algorithm->run(inflater, block, out, size);
}

/* Reads small files that gzip compressed. zlib's largest window, and headers of gzip. */
#define WINDOW_BITS (15 + 16)

int gzip_read(const char *path, size_t size_max, struct buffer *out)
{
	SCOPED_BUFFER(packed);
	unsigned char block[BLOCK_SIZE];
	z_stream stream = { 0 };
	int status = file_read_up_to(path, size_max, &packed), result = Z_OK;

	if (status < 0)
		return -1;
	stream.next_in = (unsigned char *)packed.data;
	stream.avail_in = packed.size;
	if (inflateInit2(&stream, WINDOW_BITS) != Z_OK)
		status = -1;
	/* Data that is damaged, incomplete, or larger than @size_max. */
	while (status == 0 && result != Z_STREAM_END) {
		stream.next_out = block;
		stream.avail_out = sizeof(block);
		result = inflate(&stream, Z_NO_FLUSH);
		buffer_append(out, block, sizeof(block) - stream.avail_out);
		if ((result != Z_OK && result != Z_STREAM_END) || out->failed ||
		    out->size > size_max)
			status = -1;
	}
	inflateEnd(&stream);
	if (status < 0)
		errno = EINVAL;
	return status;
}

/* Checks every read against the end of the bytes. */

size_t cursor_left(const struct cursor *cursor)
{
	return cursor->is_over ? 0 : cursor->size - cursor->offset;
}

static bool cursor_fits(struct cursor *cursor, uint64_t size)
{
	cursor->is_over |= size > cursor->size - cursor->offset;
	return !cursor->is_over;
}

/* Returns the next bytes, at most @size; @size becomes their number. */
static const unsigned char *cursor_peek(const struct cursor *cursor, size_t *size)
{
	if (cursor->window)
		return window_read(cursor->window, cursor->offset, cursor->size, size);
	return cursor->data ? cursor->data + cursor->offset : NULL;
}

const unsigned char *cursor_take(struct cursor *cursor, uint64_t size)
{
	const unsigned char *bytes;
	size_t there = size;

	if (!cursor_fits(cursor, size))
		return NULL;
	bytes = cursor_peek(cursor, &there);
	if (!bytes || there < size) {
		cursor->is_over = true;
		return NULL;
	}
	cursor->offset += size;
	return bytes;
}

void cursor_skip(struct cursor *cursor, uint64_t size)
{
	if (cursor_fits(cursor, size))
		cursor->offset += size;
}

/* Copies @size bytes, or zeros if there are less. */
static void cursor_copy(struct cursor *cursor, void *out, size_t size)
{
	const unsigned char *bytes = cursor_take(cursor, size);

	if (bytes)
		memcpy(out, bytes, size);
	else
		memset(out, 0, size);
}

uint8_t cursor_u8(struct cursor *cursor)
{
	uint8_t number;

	cursor_copy(cursor, &number, sizeof(number));
	return number;
}

uint16_t cursor_u16(struct cursor *cursor)
{
	uint16_t number;

	cursor_copy(cursor, &number, sizeof(number));
	return cursor->is_swapped ? __builtin_bswap16(number) : number;
}

uint32_t cursor_u32(struct cursor *cursor)
{
	uint32_t number;

	cursor_copy(cursor, &number, sizeof(number));
	return cursor->is_swapped ? __builtin_bswap32(number) : number;
}

uint64_t cursor_u64(struct cursor *cursor)
{
	uint64_t number;

	cursor_copy(cursor, &number, sizeof(number));
	return cursor->is_swapped ? __builtin_bswap64(number) : number;
}

struct text cursor_text(struct cursor *cursor, uint64_t size)
{
	const unsigned char *bytes = cursor_take(cursor, size);

	return (struct text){ .data = bytes ? (const char *)bytes : "", .size = bytes ? size : 0 };
}

struct text cursor_string(struct cursor *cursor)
{
	size_t size = cursor_left(cursor);
	const unsigned char *bytes;
	struct text text;

	if (cursor->window && size > CURSOR_STRING_MAX)
		size = CURSOR_STRING_MAX;
	/* Without the NUL, or of all bytes if there is none. */
	bytes = size > 0 ? cursor_peek(cursor, &size) : NULL;
	if (bytes)
		size = strnlen((const char *)bytes, size);
	text = cursor_text(cursor, (uint64_t)size + 1);
	if (text.size > 0 && text.data[text.size - 1] != '\0') {
		cursor->offset -= text.size;
		cursor->is_over = true;
		return (struct text){ .data = "" };
	}
	text.size -= text.size > 0;
	return text;
}

struct cursor cursor_part(struct cursor *cursor, uint64_t size)
{
	struct cursor part = *cursor;

	cursor_skip(cursor, size);
	part.is_over = cursor->is_over;
	part.size = cursor->offset;
	return part;
}

bool cursor_expect(struct cursor *cursor, struct text literal)
{
	struct cursor before = *cursor;

	if (text_equals(cursor_text(cursor, literal.size), literal))
		return true;
	*cursor = before;
	cursor->is_over = true;
	return false;
}
