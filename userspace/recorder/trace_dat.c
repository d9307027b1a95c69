// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes a trace.dat, version 6: all parts one behind the other, then the records of each CPU. Of
 * the two versions it is the one without compression, sections and their table, which are of no use
 * to records that are moved without being looked at.
 */
#include "source/trace_dat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "recorder/parts.h"
#include "source/source.h"

/* An option's number and size. */
#define OPTION_HEAD_SIZE 6

static void put_u16(struct buffer *out, uint16_t number)
{
	buffer_append(out, &number, sizeof(number));
}

static void put_u32(struct buffer *out, uint32_t number)
{
	buffer_append(out, &number, sizeof(number));
}

static void put_u64(struct buffer *out, uint64_t number)
{
	buffer_append(out, &number, sizeof(number));
}

/* With its NUL. */
static void put_string(struct buffer *out, const char *string)
{
	buffer_append(out, string, strlen(string) + 1);
}

/* The size of what the file holds, then that. */
static int put_file(struct buffer *out, int directory_fd, const char *file, struct error *error)
{
	struct buffer text = { 0 };
	int status = file_read_at(directory_fd, file, &text);

	if (status < 0)
		error_set_system(error, errno, "cannot read events/%s of the instance", file);
	put_u64(out, text.size);
	buffer_append(out, text.data, text.size);
	buffer_release(&text);
	return status;
}

/* How many of the list, from its first on, are of the same system. */
static size_t system_size(const struct noted_format *list, size_t size)
{
	size_t same = 0;

	while (same < size && strcmp(list[same].system, list[0].system) == 0)
		same++;
	return same;
}

static uint32_t count_usable(const struct noted_format *list, size_t size)
{
	uint32_t usable = 0;

	for (size_t i = 0; i < size; i++)
		usable += !list[i].is_doubtful;
	return usable;
}

static void put_system(struct buffer *out, const struct noted_format *list, size_t size)
{
	put_string(out, list[0].system);
	put_u32(out, count_usable(list, size));
	for (size_t i = 0; i < size; i++) {
		if (list[i].is_doubtful)
			continue;
		put_u64(out, list[i].text.size);
		buffer_append(out, list[i].text.data, list[i].text.size);
	}
}

static void put_systems(struct buffer *out, const struct noted_format *list, size_t size)
{
	uint32_t nr_systems = 0;
	size_t same;

	for (size_t i = 0; i < size; i += system_size(list + i, size - i))
		nr_systems++;
	put_u32(out, nr_systems);
	for (size_t i = 0; i < size; i += same) {
		same = system_size(list + i, size - i);
		put_system(out, list + i, same);
	}
}

int trace_dat_put_layout(struct buffer *out, int events_fd, struct error *error)
{
	buffer_append_string(out, TRACE_DAT_MAGIC);
	put_string(out, "6");
	buffer_append_char(out, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	buffer_append_char(out, sizeof(long));
	put_u32(out, sysconf(_SC_PAGESIZE));
	put_string(out, TRACE_DAT_HEADER_PAGE);
	if (put_file(out, events_fd, "header_page", error) < 0)
		return -1;
	put_string(out, TRACE_DAT_HEADER_EVENT);
	return put_file(out, events_fd, "header_event", error);
}

void trace_dat_put_formats(struct buffer *out, const struct formats *formats)
{
	/* None of ftrace's own events is ever recorded. */
	put_u32(out, 0);
	put_systems(out, formats->list, formats->size);
	/* Neither are addresses of functions, nor formats of trace_printk. */
	put_u32(out, 0);
	put_u32(out, 0);
}

static void put_option(struct buffer *out, enum trace_dat_option id, const void *data, size_t size)
{
	put_u16(out, id);
	put_u32(out, size);
	buffer_append(out, data, size);
}

static void put_text_option(struct buffer *out, enum trace_dat_option id, struct buffer *text)
{
	buffer_append_char(text, '\0');
	put_option(out, id, text->data, text->size);
	buffer_clear(text);
}

/* The clock in use stands in brackets; what to add to it for the wall clock, in microseconds. */
static void put_date(struct buffer *out, const struct buffer *clocks)
{
	const char *begin = memchr(clocks->data, '[', clocks->size);
	char name[32] = "";
	struct buffer text = { 0 };
	clockid_t clock;

	if (begin)
		sscanf(begin, "[%31[^]]", name);
	if (!source_clock_find(name, &clock))
		return;
	buffer_printf(&text, "0x%llx",
		      (unsigned long long)(time_wall_offset_ns(clock) / NS_PER_US));
	put_text_option(out, TRACE_DAT_DATE, &text);
	buffer_release(&text);
}

static void put_names(struct buffer *out, struct buffer *text)
{
	struct utsname kernel;

	if (uname(&kernel) == 0) {
		buffer_printf(text, "%s %s %s %s", kernel.sysname, kernel.nodename, kernel.release,
			      kernel.machine);
		put_text_option(out, TRACE_DAT_UNAME, text);
	}
	buffer_append_string(text, "ktrack " KTRACK_VERSION);
	put_text_option(out, TRACE_DAT_WRITER, text);
}

/* The kernel's own words, or, where its numbers are not ours alone, our numbers in such words. */
static int statistics_append(struct buffer *text, const struct parts *parts,
			     const struct part *part, struct error *error)
{
	struct statistics statistics;

	if (!parts->is_shared)
		return statistics_text(part->statistics_fd, part->cpu, text, error);
	if (part_statistics(parts, part, &statistics, error) < 0)
		return -1;
	buffer_printf(text, "overrun: %llu\ndropped events: %llu\nread events: %llu\n",
		      (unsigned long long)statistics.overwritten,
		      (unsigned long long)statistics.dropped, (unsigned long long)statistics.read);
	return 0;
}

/*
 * Whether it is known what was lost of a CPU: not where the kernel has emptied its buffer, or
 * nobody reads that any more.
 */
static bool part_is_counted(const struct parts *parts, const struct part *part)
{
	bool is_torn = parts->is_torn && !part->is_durable;

	return parts->is_counted && !is_torn && part->raw_fd >= 0;
}

static int put_cpu_statistics(struct buffer *out, const struct parts *parts,
			      const struct part *part, struct buffer *text, struct error *error)
{
	buffer_printf(text, "CPU: %d\n", part->cpu);
	if (statistics_append(text, parts, part, error) < 0)
		return -1;
	if (text->size > 0 && text->data[text->size - 1] != '\n')
		buffer_append_char(text, '\n');
	if (!part_is_counted(parts, part))
		buffer_printf(text, STATISTICS_IN_FLIGHT ": " STATISTICS_UNKNOWN "\n");
	else if (part->in_flight > 0)
		buffer_printf(text, STATISTICS_IN_FLIGHT ": %llu\n",
			      (unsigned long long)part->in_flight);
	/* What others read of the buffer, or how it is set up, makes no such promise. */
	if (parts->mode->is_read_at_end && !part->is_durable && !parts->is_shared)
		buffer_printf(text, STATISTICS_MODE ": %s\n", parts->mode->name);
	put_text_option(out, TRACE_DAT_CPU_STATISTICS, text);
	return 0;
}

/* Of one instance. */
static int put_statistics(struct buffer *out, const struct parts *parts, bool is_durable,
			  struct buffer *text, struct error *error)
{
	for (size_t i = 0; i < parts->nr_parts; i++) {
		const struct part *part = &parts->list[i];

		if (part->is_durable == is_durable &&
		    put_cpu_statistics(out, parts, part, text, error) < 0)
			return -1;
	}
	return 0;
}

static int put_all_statistics(struct buffer *out, const struct parts *parts, struct buffer *text,
			      struct error *error)
{
	if (put_statistics(out, parts, false, text, error) < 0)
		return -1;
	if (!parts->durable)
		return 0;
	buffer_append_string(text, "Buffer: " TRACE_DAT_DURABLE "\n");
	put_text_option(out, TRACE_DAT_CPU_STATISTICS, text);
	return put_statistics(out, parts, true, text, error);
}

int trace_dat_put_options(struct buffer *out, const struct parts *parts, struct error *error)
{
	struct buffer text = { 0 };
	int status = sight_clock(&parts->sight, &text, error);

	if (status == 0) {
		put_date(out, &text);
		put_text_option(out, TRACE_DAT_CLOCK, &text);
		put_names(out, &text);
		put_option(out, TRACE_DAT_ID, &parts->id, sizeof(parts->id));
		status = put_all_statistics(out, parts, &text, error);
	}
	buffer_release(&text);
	return status;
}

static uint64_t round_up(uint64_t size, uint64_t unit)
{
	return (size + unit - 1) / unit * unit;
}

static const struct part *part_of(const struct parts *parts, int cpu, bool is_durable)
{
	for (size_t i = 0; i < parts->nr_parts; i++) {
		if (parts->list[i].cpu == cpu && parts->list[i].is_durable == is_durable)
			return &parts->list[i];
	}
	return NULL;
}

static bool has_durable(const struct parts *parts)
{
	for (size_t i = 0; i < parts->nr_parts; i++) {
		if (parts->list[i].is_durable)
			return true;
	}
	return false;
}

static size_t table_size(uint32_t nr_cpus)
{
	return TRACE_DAT_MARK_SIZE + nr_cpus * 2 * sizeof(uint64_t);
}

/* Returns where the records end that the table is of. */
static uint64_t put_table(struct buffer *out, const struct parts *parts, bool is_durable,
			  uint32_t nr_cpus, uint64_t offset)
{
	put_string(out, TRACE_DAT_RECORDS);
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		const struct part *part = part_of(parts, cpu, is_durable);
		uint64_t size = part ? part->size : 0;

		put_u64(out, offset);
		put_u64(out, size);
		offset += size;
	}
	return offset;
}

/* The end of the options: the last may say where the second table is, behind the first one. */
static void put_options_end(struct buffer *out, const struct parts *parts, uint32_t nr_cpus)
{
	static const char name[] = TRACE_DAT_DURABLE;
	uint64_t size = sizeof(uint64_t) + sizeof(name);
	uint64_t offset = out->size + OPTION_HEAD_SIZE + size + sizeof(uint16_t);

	if (has_durable(parts)) {
		put_u16(out, TRACE_DAT_BUFFER);
		put_u32(out, size);
		put_u64(out, offset + table_size(nr_cpus));
		put_string(out, name);
	}
	put_u16(out, TRACE_DAT_END);
}

/* Where the records of each CPU are; then nothing up to the first of them. */
static void put_tables(struct buffer *out, const struct parts *parts, uint32_t nr_cpus)
{
	bool is_double = has_durable(parts);
	uint64_t offset = out->size + table_size(nr_cpus) * (is_double ? 2 : 1);

	offset = put_table(out, parts, false, nr_cpus, round_up(offset, parts->page_size));
	if (is_double)
		put_table(out, parts, true, nr_cpus, offset);
	while (out->size % parts->page_size && !out->failed)
		buffer_append_char(out, '\0');
}

/* All that stands before the records. */
static int put_head(struct buffer *out, struct parts *parts, uint32_t nr_cpus, struct error *error)
{
	struct buffer comms = { 0 };
	int status = parts_file(parts, PART_FORMATS, out, error);

	if (status == 0)
		status = parts_file(parts, PART_COMMS, &comms, error);
	put_u64(out, comms.size);
	buffer_append(out, comms.data, comms.size);
	put_u32(out, nr_cpus);
	put_string(out, TRACE_DAT_OPTIONS);
	if (status == 0)
		status = parts_file(parts, PART_OPTIONS, out, error);
	put_options_end(out, parts, nr_cpus);
	put_tables(out, parts, nr_cpus);
	buffer_release(&comms);
	return out->failed ? error_set(error, "out of memory") : status;
}

/* Where the filesystem can, both files share their blocks. */
static ssize_t bytes_move(int fd, int from, off_t *offset, size_t size)
{
	ssize_t moved = copy_file_range(from, offset, fd, NULL, size, 0);

	if (moved >= 0 || errno == ENOSPC || errno == EINTR || errno == EDQUOT || errno == EFBIG)
		return moved;
	return sendfile(fd, from, offset, size);
}

static int part_append(int fd, const struct part *part)
{
	off_t offset = 0;

	while ((uint64_t)offset < part->size) {
		ssize_t moved = bytes_move(fd, part->fd, &offset, part->size - offset);

		if (moved == 0)
			errno = EIO;
		if (moved == 0 || (moved < 0 && errno != EINTR))
			return -1;
	}
	return 0;
}

static uint32_t cpus_of(const struct parts *parts)
{
	uint32_t nr_cpus = 1;

	for (size_t i = 0; i < parts->nr_parts; i++) {
		if ((uint32_t)parts->list[i].cpu >= nr_cpus)
			nr_cpus = parts->list[i].cpu + 1;
	}
	return nr_cpus;
}

int trace_dat_join(struct parts *parts, int fd, struct error *error)
{
	struct buffer head = { 0 };
	uint32_t nr_cpus = cpus_of(parts);
	int status = put_head(&head, parts, nr_cpus, error);

	if (status == 0 && file_write_all(fd, head.data, head.size, NULL) < 0)
		status = parts_fail(parts, errno, "trace.dat", error);
	buffer_release(&head);
	for (uint32_t i = 0; i < 2 * nr_cpus && status == 0; i++) {
		const struct part *part = part_of(parts, i % nr_cpus, i >= nr_cpus);

		if (part && part_append(fd, part) < 0)
			status = parts_fail(parts, errno, "trace.dat", error);
	}
	return status;
}
