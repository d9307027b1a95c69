// SPDX-License-Identifier: GPL-2.0-only
/* Opens all ring buffers of an instance, waits for them, and adds up what the kernel counts. */
#include "tracefs/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tracefs/instance_state.h"

/*
 * If the kernel refuses membarrier (it does with nohz_full), writers get this long: the time
 * between timestamp and commit is microseconds, unless interrupts stack up.
 */
#define WRITERS_WAIT_NS (20 * NS_PER_MS)
/* More than the kernel allows. */
#define SUB_BUFFER_KIB_MAX 65536
/* A sub-buffer's header, which buffer_size_kb does not include. */
#define SUB_BUFFER_HEADER_SIZE 16
/* Sub-buffers beyond buffer_size_kb: the kernel rounds up, and the reader has one. */
#define SUB_BUFFERS_MORE 3

uint64_t instance_number(const char *directory, const char *file)
{
	SCOPED_BUFFER(text);
	uint64_t number = 0;

	if (file_read_in(directory, file, &text) == 0)
		number = strtoull(buffer_string(&text), NULL, 10);
	return number;
}

/* A sub-buffer is a page, unless somebody resized it, which kernels allow from 6.9 on. */
static size_t sub_buffer_size(const char *directory)
{
	uint64_t size_kib = instance_number(directory, "buffer_subbuf_size_kb");

	return size_kib > 0 && size_kib <= SUB_BUFFER_KIB_MAX ? size_kib * 1024
							      : (size_t)sysconf(_SC_PAGESIZE);
}

/*
 * Adds the CPU of a directory entry "cpuN"; ignores other entries.
 * @common: members that all CPUs of the instance share
 */
static int reader_add_entry(struct buffer_reader *reader, const char *directory, const char *entry,
			    const struct cpu_buffer *common, struct error *error)
{
	struct cpu_buffer *buffer;
	char rest;
	int cpu;

	if (sscanf(entry, "cpu%d%c", &cpu, &rest) != 1)
		return 0;
	if (!array_reserve(reader->list, reader->size))
		return error_set(error, "out of memory");
	buffer = &reader->list[reader->size++];
	*buffer = *common;
	buffer->cpu = cpu;
	buffer->fd = cpu_file_open(directory, cpu, "trace_pipe_raw", O_RDONLY | O_NONBLOCK, error);
	if (buffer->fd < 0)
		return -1;
	buffer->statistics_fd = cpu_file_open(directory, cpu, "stats", O_RDONLY, error);
	if (buffer->statistics_fd < 0)
		return -1;
	buffer->size_fd = cpu_file_open(directory, cpu, "buffer_size_kb", O_RDONLY,
					&(struct error){ 0 });
	return 0;
}

/* Sorts the CPUs, so that reports do not depend on the order of a directory. */
static int reader_add_all(struct buffer_reader *reader, const char *directory,
			  enum instance_kind kind, struct error *error)
{
	const struct cpu_buffer common = {
		.kind = kind,
		.fd = -1,
		.statistics_fd = -1,
		.size_fd = -1,
		.sub_buffer_size = sub_buffer_size(directory),
		.sub_buffers_left = UINT64_MAX,
	};
	size_t nr_before = reader->size;
	struct dirent **entries = NULL;
	SCOPED_BUFFER(path);
	int size, status = 0;

	buffer_printf(&path, "%s/per_cpu", directory);
	size = scandir(buffer_string(&path), &entries, NULL, versionsort);
	if (size < 0)
		status = error_set_system(error, errno, "cannot open %s", buffer_string(&path));
	for (int i = 0; i < size; free(entries[i++])) {
		if (status == 0)
			status = reader_add_entry(reader, directory, entries[i]->d_name, &common,
						  error);
	}
	free(entries);
	if (status == 0 && reader->size == nr_before)
		status = error_set(error, "%s names no CPU", buffer_string(&path));
	return status;
}

int buffer_reader_open(struct buffer_reader **out, const struct instance_paths *paths,
		       struct error *error)
{
	struct buffer_reader *reader = calloc(1, sizeof(*reader));
	int status = 0;

	*out = reader;
	if (!reader)
		return error_set(error, "out of memory");
	for (int kind = 0; kind < INSTANCE_KINDS; kind++)
		reader->percent_fds[kind] = -1;
	for (int kind = 0; kind < INSTANCE_KINDS && status == 0; kind++) {
		if (paths->list[kind])
			status = reader_add_all(reader, paths->list[kind], kind, error);
	}
	if (status == 0)
		return 0;
	buffer_reader_close(reader);
	*out = NULL;
	return -1;
}

void buffer_reader_close(struct buffer_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < reader->size; i++) {
		file_close(reader->list[i].fd);
		file_close(reader->list[i].statistics_fd);
		file_close(reader->list[i].size_fd);
	}
	for (int kind = 0; kind < INSTANCE_KINDS; kind++)
		file_close(reader->percent_fds[kind]);
	free(reader->list);
	free(reader);
}

static bool percent_set(int fd, const char *percent)
{
	return retry_pwrite(fd, percent, strlen(percent)) > 0;
}

/* buffer_percent keeps its value: buffer_reader_wait() changes it when it is needed. */
void buffer_reader_wake_early(struct buffer_reader *reader, const struct instance_paths *paths)
{
	for (int kind = 0; kind < INSTANCE_SIDEBAND; kind++) {
		struct error ignored = { 0 };
		int fd = paths->list[kind] ? file_open_in(paths->list[kind], "buffer_percent",
							  O_RDWR, &ignored)
					   : -1;
		char digit = '\0';
		/* Kernel 6.1 raises 0 to 1, and wakes no reader before a sub-buffer is full. */
		bool accepts_zero = fd >= 0 && percent_set(fd, "0") &&
				    retry_pread(fd, &digit, 1) == 1 && digit == '0';

		if (fd >= 0)
			percent_set(fd, BUFFER_PERCENT);
		if (accepts_zero)
			reader->percent_fds[kind] = fd;
		else
			file_close(fd);
	}
}

static void reader_set_wakes_first(struct buffer_reader *reader, bool wakes_first)
{
	const char *percent = wakes_first ? "0" : BUFFER_PERCENT;

	for (int kind = 0; kind < INSTANCE_KINDS && wakes_first != reader->wakes_first; kind++) {
		if (reader->percent_fds[kind] >= 0 &&
		    !percent_set(reader->percent_fds[kind], percent))
			return;
	}
	reader->wakes_first = wakes_first;
}

/*
 * Returns whether a buffer is readable. The buffer of an absent CPU must not be polled: kernels up
 * to 6.1 return an error number, which sets all events.
 */
static bool reader_poll(const struct buffer_reader *reader, int also_fd, int timeout_ms)
{
	struct pollfd *polls = calloc(reader->size + 1, sizeof(*polls));
	size_t nr_polls = 0;
	int nr_ready;

	for (size_t i = 0; polls && i < reader->size; i++) {
		const struct cpu_buffer *buffer = &reader->list[i];

		if (!buffer->is_absent && !buffer_reader_is_left(reader, buffer))
			polls[nr_polls++] = (struct pollfd){ .fd = buffer->fd, .events = POLLIN };
	}
	if (polls)
		polls[nr_polls++] = (struct pollfd){ .fd = also_fd, .events = POLLIN };
	nr_ready = poll(polls, nr_polls, timeout_ms);
	if (polls && nr_ready > 0 && polls[nr_polls - 1].revents)
		nr_ready = 0;
	free(polls);
	return nr_ready > 0;
}

/*
 * buffer_percent alone would leave the records of a quiet system unread for long. So the first
 * record after a round that read nothing wakes the reader, which then waits @latency_ms for more.
 */
void buffer_reader_wait(struct buffer_reader *reader, int also_fd, int timeout_ms, int latency_ms)
{
	bool has_read = false;

	for (size_t i = 0; i < reader->size; i++) {
		has_read |= reader->list[i].has_read;
		reader->list[i].has_read = false;
	}
	if (latency_ms > 0 && reader->percent_fds[INSTANCE_MAIN] >= 0 && !has_read) {
		reader_set_wakes_first(reader, true);
		if (!reader_poll(reader, also_fd, timeout_ms))
			return;
		reader_set_wakes_first(reader, false);
	}
	if (latency_ms > 0 && (timeout_ms < 0 || latency_ms < timeout_ms))
		timeout_ms = latency_ms;
	reader_poll(reader, also_fd, timeout_ms);
}

void buffer_reader_await_writers(void)
{
	struct timespec left = { .tv_nsec = WRITERS_WAIT_NS };

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) == 0)
		return;
	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

void buffer_reader_share(struct buffer_reader *reader)
{
	for (size_t i = 0; i < reader->size; i++) {
		struct error ignored = { 0 };

		cpu_buffer_statistics(&reader->list[i], &reader->list[i].before, &ignored);
	}
}

void buffer_reader_limit(struct buffer_reader *reader)
{
	for (size_t i = 0; i < reader->size; i++) {
		struct cpu_buffer *buffer = &reader->list[i];
		size_t space = buffer->sub_buffer_size - SUB_BUFFER_HEADER_SIZE;
		SCOPED_BUFFER(text);
		uint64_t size_kib = 0;

		if (file_read_anew(buffer->size_fd, &text) == 0)
			size_kib = strtoull(buffer_string(&text), NULL, 10);
		buffer->sub_buffers_left = size_kib * 1024 / space + SUB_BUFFERS_MORE;
	}
}

int buffer_reader_freeze(struct buffer_reader *reader, struct error *error)
{
	int status = 0;

	for (size_t i = 0; i < reader->size; i++) {
		struct cpu_buffer *buffer = &reader->list[i];

		if (cpu_buffer_statistics(buffer, &buffer->after, error) == 0)
			buffer->is_frozen = true;
		else
			status = -1;
	}
	return status;
}

void buffer_reader_count(const struct buffer_reader *reader, struct buffer_counts *out)
{
	*out = (struct buffer_counts){ 0 };
	for (size_t i = 0; i < reader->size; i++) {
		const struct cpu_buffer *buffer = &reader->list[i];
		const struct statistics *forgotten = &buffer->forgotten;
		struct statistics now;
		struct error ignored = { 0 };

		if (buffer->kind == INSTANCE_SIDEBAND ||
		    statistics_load(&now, buffer->statistics_fd, buffer->cpu, &ignored) < 0)
			continue;
		out->read += forgotten->read + now.read;
		out->unread += now.unread;
		out->lost += forgotten->overwritten + forgotten->dropped + now.overwritten +
			     now.dropped;
		out->held_bytes += now.held_bytes;
	}
}

int buffer_reader_settle(struct buffer_reader *reader, struct error *error)
{
	for (size_t i = 0; i < reader->size; i++) {
		if (cpu_buffer_statistics(&reader->list[i], &reader->list[i].settled, error) < 0)
			return -1;
	}
	return 0;
}

/* Reads the ring buffer of one CPU, and what the kernel counts of it. */

/* The result of reading; the buffer of a CPU that was never online does not exist. */
static ssize_t buffer_result(struct cpu_buffer *buffer, ssize_t size, struct error *error)
{
	buffer->is_absent = size < 0 && errno == ENODEV;
	if (size < 0 && (errno == EAGAIN || errno == ENODEV))
		return 0;
	if (size < 0)
		return error_set_system(error, errno, "cannot read the ring buffer of cpu %d",
					buffer->cpu);
	buffer->has_read |= size > 0;
	return size;
}

ssize_t cpu_buffer_read(struct cpu_buffer *buffer, void *bytes, struct error *error)
{
	ssize_t size;

	if (buffer->sub_buffers_left == 0)
		return 0;
	size = TEMP_FAILURE_RETRY(read(buffer->fd, bytes, buffer->sub_buffer_size));
	size = buffer_result(buffer, size, error);
	buffer->sub_buffers_left -= size > 0;
	return size;
}

ssize_t cpu_buffer_splice(struct cpu_buffer *buffer, int pipe_fd, size_t size, struct error *error)
{
	uint64_t most = size / buffer->sub_buffer_size;
	ssize_t moved;

	if (most > buffer->sub_buffers_left)
		most = buffer->sub_buffers_left;
	if (most == 0)
		return 0;
	moved = TEMP_FAILURE_RETRY(splice(buffer->fd, NULL, pipe_fd, NULL,
					  most * buffer->sub_buffer_size,
					  SPLICE_F_MOVE | SPLICE_F_NONBLOCK));
	moved = buffer_result(buffer, moved, error);
	if (moved > 0)
		buffer->sub_buffers_left -= moved / buffer->sub_buffer_size;
	return moved;
}

int cpu_buffer_statistics(const struct cpu_buffer *buffer, struct statistics *out,
			  struct error *error)
{
	if (!buffer->is_frozen)
		return statistics_load(out, buffer->statistics_fd, buffer->cpu, error);
	*out = buffer->after;
	return 0;
}

int cpu_buffer_account(const struct cpu_buffer *buffer, struct statistics *out, struct error *error)
{
	const struct statistics *before = &buffer->before, *forgotten = &buffer->forgotten;

	if (cpu_buffer_statistics(buffer, out, error) < 0)
		return -1;
	if (before->read > 0) {
		out->overwritten = statistics_since(out->overwritten, before->overwritten);
		out->dropped = statistics_since(out->dropped, before->dropped);
		out->read = statistics_since(out->read, before->read);
	}
	out->overwritten += forgotten->overwritten;
	out->dropped += forgotten->dropped;
	out->read += forgotten->read;
	return 0;
}

/* The kernel does not empty the buffers of CPUs that are offline, nor reset their counts. */
bool cpu_buffer_forget(struct cpu_buffer *buffer, uint64_t overwritten)
{
	struct statistics *settled = &buffer->settled, now;
	struct error ignored = { 0 };

	if (cpu_buffer_statistics(buffer, &now, &ignored) == 0 && now.read == settled->read &&
	    now.overwritten == settled->overwritten && now.overwritten >= overwritten)
		return false;
	buffer->forgotten.overwritten += settled->overwritten;
	buffer->forgotten.dropped += settled->dropped;
	buffer->forgotten.read += settled->read;
	*settled = (struct statistics){ 0 };
	return true;
}

/* Reads per_cpu/cpuN/stats: lines of "name: number". */

/* Fits the text, which has a dozen lines. */
#define TEXT_SIZE 4096

static uint64_t digits_parse(const char *digit, const char *end)
{
	uint64_t number = 0;

	while (digit < end && *digit == ' ')
		digit++;
	for (; digit < end && *digit >= '0' && *digit <= '9'; digit++)
		number = number * 10 + (*digit - '0');
	return number;
}

/* The member for the number of a line, NULL if the line is not used. */
static uint64_t *statistics_member(struct statistics *out, struct text name)
{
	const struct {
		const char *name;
		uint64_t *member;
	} rows[] = {
		{ "overrun", &out->overwritten },    { "commit overrun", &out->dropped },
		{ "dropped events", &out->dropped }, { STATISTICS_IN_FLIGHT, &out->dropped },
		{ "read events", &out->read },	     { "entries", &out->unread },
		{ "bytes", &out->held_bytes },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (text_equals(name, text_of(rows[i].name)))
			return rows[i].member;
	}
	return NULL;
}

#define MICROSECOND_DIGITS 6

/* Parses seconds with microseconds, or ticks. */
static int64_t clock_parse(const char *digit, const char *end)
{
	const char *point = memchr(digit, '.', end - digit);
	uint64_t before = digits_parse(digit, end);

	if (!point)
		return before <= INT64_MAX ? (int64_t)before : 0;
	if (end - point != 1 + MICROSECOND_DIGITS || before >= INT64_MAX / NS_PER_S)
		return 0;
	return before * NS_PER_S + digits_parse(point + 1, end) * NS_PER_US;
}

void statistics_read_line(struct statistics *out, struct text line)
{
	const char *end = line.data + line.size;
	const char *colon = memchr(line.data, ':', line.size);
	struct text name, word;
	uint64_t *member;

	if (!colon)
		return;
	name = (struct text){ line.data, colon - line.data };
	word = text_trim((struct text){ colon + 1, end - colon - 1 });
	member = statistics_member(out, name);
	if (member)
		*member += digits_parse(word.data, end);
	else if (text_equals(name, text_of("now ts")))
		out->now = clock_parse(word.data, end);
	/* Lines that ktrack adds. */
	if (text_equals(name, text_of(STATISTICS_IN_FLIGHT))) {
		out->in_flight += digits_parse(word.data, end);
		out->is_open = text_equals(word, text_of(STATISTICS_UNKNOWN));
	} else if (text_equals(name, text_of(STATISTICS_MODE))) {
		out->keeps_last = text_equals(word, text_of(STATISTICS_CIRCULAR));
		out->keeps_first = text_equals(word, text_of(STATISTICS_ONESHOT));
	}
}

void statistics_read(struct statistics *out, struct text text)
{
	*out = (struct statistics){ 0 };
	while (text.size > 0)
		statistics_read_line(out, text_take_line(&text));
}

int cpu_file_open(const char *directory, int cpu, const char *file, int flags, struct error *error)
{
	SCOPED_BUFFER(name);

	buffer_printf(&name, "per_cpu/cpu%d/%s", cpu, file);
	return file_open_in(directory, buffer_string(&name), flags, error);
}

/* One read: the kernel generates the text again for each. */
int statistics_text(int fd, int cpu, struct buffer *out, struct error *error)
{
	char *space = buffer_reserve(out, TEXT_SIZE);
	ssize_t size;

	if (!space)
		return error_set(error, "out of memory");
	size = retry_pread(fd, space, TEXT_SIZE);
	if (size < 0)
		return error_set_system(error, errno, "cannot read the statistics of cpu %d", cpu);
	out->size += size;
	return 0;
}

int statistics_load(struct statistics *out, int fd, int cpu, struct error *error)
{
	SCOPED_BUFFER(text);
	int status = statistics_text(fd, cpu, &text, error);

	statistics_read(out, buffer_text(&text));
	return status;
}
