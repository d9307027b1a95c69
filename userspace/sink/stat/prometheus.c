// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics in Prometheus' text format, as node_exporter's textfile collector reads it. The file
 * is replaced as a whole, so that its readers never see a part of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sink/stat/state.h"

/* Exclusive limits of buckets: 1.024 us, and then four times the one before, up to 17 s. */
#define BUCKET_FIRST_NS 1024
#define BUCKET_FACTOR 4
#define BUCKETS 13

/* Of a replacement character. */
static const char replacement[] = "\xef\xbf\xbd";

/*
 * Two names must not become one: a series that occurs twice makes the whole file invalid. Bytes
 * that are not UTF-8 become a replacement character and two digits; so do those of a real one.
 */
static void label_value_append(struct buffer *out, struct text text)
{
	while (text.size > 0) {
		size_t size = utf8_sequence_size(text);
		bool is_odd = size == 0 || (size == 3 && memcmp(text.data, replacement, 3) == 0);

		size = size == 0 ? 1 : size;
		for (size_t i = 0; i < size; i++) {
			unsigned char byte = (unsigned char)text.data[i];

			if (is_odd)
				buffer_printf(out, "%s%02x", replacement, byte);
			else if (byte == '\n')
				buffer_append_string(out, "\\n");
			else if (byte == '"' || byte == '\\')
				buffer_printf(out, "\\%c", byte);
			else
				buffer_append_char(out, (char)byte);
		}
		text.data += size;
		text.size -= size;
	}
}

/* "field:bytes" is field_bytes. */
static void metrics_label_append(struct buffer *out, const char *name, struct text value)
{
	if (out->size > 0 && out->data[out->size - 1] != '{')
		buffer_append_char(out, ',');
	for (; *name; name++) {
		bool is_plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
				(*name >= '0' && *name <= '9');

		buffer_append_char(out, is_plain ? *name : '_');
	}
	buffer_append_string(out, "=\"");
	label_value_append(out, value);
	buffer_append_char(out, '"');
}

/* Series of several files in a directory, which node_exporter reads together, must differ. */
static void metrics_file_append(struct buffer *out, const struct stat_sink *sink)
{
	metrics_label_append(out, "textfile", text_of(path_base_name(sink->settings.prometheus)));
}

static void metrics_labels_append(struct buffer *out, const struct stat_sink *sink,
				  const struct stat_row *row)
{
	const struct sink_stat_settings *settings = &sink->settings;

	metrics_file_append(out, sink);
	metrics_label_append(out, "tracepoint", text_of(row->category->text));
	if (row->kind == STAT_COUNTER) {
		metrics_label_append(out, "track", buffer_text(&row->group));
		return;
	}
	for (size_t i = 0; i < settings->nr_groups; i++)
		metrics_label_append(out, settings->groups[i].word, stat_row_key(row, settings, i));
	/* Apart from names that look like it. */
	if (!row->name && stat_has_key(settings, STAT_KEY_NAME))
		metrics_label_append(out, "other", text_of("true"));
}

static void metrics_series_begin(struct buffer *out, const struct stat_sink *sink,
				 const struct stat_row *row, const char *name)
{
	buffer_append_string(out, name);
	buffer_append_char(out, '{');
	metrics_labels_append(out, sink, row);
}

static void metrics_family_append(struct buffer *out, const char *name, const char *type,
				  const char *help)
{
	buffer_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Limits are powers of two, which octaves begin with. */
static uint64_t metrics_count_below(const struct quantiles *quantiles, uint64_t limit_ns)
{
	uint64_t count = 0;

	for (size_t i = 0; i < quantiles->nr_octaves; i++) {
		unsigned int number = quantiles->octaves[i].number;

		if (quantile_octave_begin(number) < limit_ns)
			count += quantiles_octave(quantiles, number);
	}
	return count;
}

/* Buckets include their limit, which is a nanosecond less for this reason. */
static void metrics_histogram_row(struct buffer *out, const struct stat_sink *sink,
				  const struct stat_row *row)
{
	static const char name[] = "ktrack_slice_duration_seconds";
	uint64_t limit_ns = BUCKET_FIRST_NS;

	for (int i = 0; i < BUCKETS; i++, limit_ns *= BUCKET_FACTOR) {
		metrics_series_begin(out, sink, row, "ktrack_slice_duration_seconds_bucket");
		buffer_append_string(out, ",le=\"");
		buffer_append_decimal(out, (int64_t)limit_ns - 1, 9);
		buffer_printf(out, "\"} %llu\n",
			      (unsigned long long)metrics_count_below(&row->quantiles, limit_ns));
	}
	metrics_series_begin(out, sink, row, "ktrack_slice_duration_seconds_bucket");
	buffer_printf(out, ",le=\"+Inf\"} %llu\n", (unsigned long long)row->times.nr_intervals);
	metrics_series_begin(out, sink, row, "ktrack_slice_duration_seconds_sum");
	buffer_append_string(out, "} ");
	buffer_append_decimal(out, row->times.total_ns, 9);
	buffer_printf(out, "\n%s_count{", name);
	metrics_labels_append(out, sink, row);
	buffer_printf(out, "} %llu\n", (unsigned long long)row->times.nr_intervals);
}

/** struct row_family - a family with a series for each row of a kind */
struct row_family {
	const char *name;
	const char *type;
	const char *help;
	enum stat_kind kind;
	size_t count; /* offset in struct stat_row, if it is a counter */
};

static const struct row_family row_families[] = {
	{ "ktrack_slice_duration_seconds", "histogram", "Durations of complete slices.",
	  STAT_SLICES },
	{ "ktrack_slices_left_out_total", "counter",
	  "Slices without a certain duration: incomplete, or lost records may affect them.",
	  STAT_SLICES, offsetof(struct stat_row, nr_left_out) },
	{ "ktrack_counter_value", "gauge", "The last value of a counter track.", STAT_COUNTER },
	{ "ktrack_instants_total", "counter", "Instants.", STAT_INSTANTS,
	  offsetof(struct stat_row, count) },
};

static void row_family_append(struct stat_sink *sink, const struct row_family *family)
{
	struct buffer *out = &sink->file.out;
	size_t nr_rows, nr_more;
	const struct stat_row **rows = stat_rows_choose(sink, family->kind, &nr_rows, &nr_more);

	if (nr_rows > 0)
		metrics_family_append(out, family->name, family->type, family->help);
	for (size_t i = 0; i < nr_rows; i++) {
		const struct value *level = &rows[i]->levels.last;

		if (family->kind == STAT_SLICES && family->count == 0) {
			metrics_histogram_row(out, sink, rows[i]);
			continue;
		}
		metrics_series_begin(out, sink, rows[i], family->name);
		buffer_append_string(out, "} ");
		if (family->count > 0)
			buffer_append_unsigned(
				out, *(const uint64_t *)((const char *)rows[i] + family->count));
		else if (level->kind == VALUE_FLOATING && __builtin_isinf(level->floating))
			/* The format's words for infinities are its own. */
			buffer_append_string(out, level->floating > 0 ? "+Inf" : "-Inf");
		else
			value_append_text(out, level);
		buffer_append_char(out, '\n');
	}
	free(rows);
}

static void metrics_losses_append(struct buffer *out, const struct stat_sink *sink,
				  const char *name, const char *help, size_t member)
{
	if (sink->nr_losses > 0)
		metrics_family_append(out, name, "counter", help);
	for (size_t i = 0; i < sink->nr_losses; i++) {
		uint64_t count;

		memcpy(&count, (const char *)&sink->losses[i] + member, sizeof(count));
		buffer_printf(out, "%s{", name);
		metrics_file_append(out, sink);
		buffer_printf(out, ",cpu=\"%d\"} %llu\n", sink->losses[i].cpu,
			      (unsigned long long)count);
	}
}

static void metrics_all_append(struct stat_sink *sink)
{
	struct buffer *out = &sink->file.out;

	for (size_t i = 0; i < sizeof(row_families) / sizeof(row_families[0]); i++)
		row_family_append(sink, &row_families[i]);
	metrics_losses_append(out, sink, "ktrack_lost_records_total",
			      "Lost records of known number.",
			      offsetof(struct stat_loss, nr_records));
	metrics_losses_append(out, sink, "ktrack_lost_gaps_total", "Gaps of lost records.",
			      offsetof(struct stat_loss, nr_gaps));
	metrics_family_append(out, "ktrack_recording_seconds", "gauge",
			      "Time that the statistics cover.");
	buffer_append_string(out, "ktrack_recording_seconds{");
	metrics_file_append(out, sink);
	buffer_append_string(out, "} ");
	buffer_append_decimal(out, stat_sink_duration(sink, sink->now_ns), 9);
	buffer_append_char(out, '\n');
}

/*
 * In a directory of the user of sudo, with the rights of that user. Killed runs leave one new file
 * at most. A FIFO that somebody has put there must not block the run, nor become the file.
 */
static int metrics_file_replace(const struct stat_sink *sink, const char *folder,
				const char *new_name, const char *name)
{
	int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	const struct buffer *out = &sink->file.out;
	struct owner owner = { 0 }, self = { 0 };
	int folder_fd = -1, fd, status = -1;
	struct stat about;
	bool is_owners;

	if (sink->user != 0 && owner_init(&owner, sink->user, sink->group) < 0)
		return -1;
	folder_fd = owner_reach(&owner, folder, &is_owners);
	if (folder_fd >= 0 && owner_begin(is_owners ? &owner : &self) == 0) {
		fd = openat(folder_fd, new_name, flags, 0644);
		if (fd >= 0 && (fstat(fd, &about) < 0 || !S_ISREG(about.st_mode))) {
			errno = EEXIST;
		} else if (fd >= 0) {
			status = file_write_all(fd, out->data, out->size, NULL);
			if (status == 0)
				status = renameat(folder_fd, new_name, folder_fd, name);
			if (status < 0)
				unlinkat(folder_fd, new_name, 0);
		}
		file_close(fd);
		owner_end(is_owners ? &owner : &self);
	}
	file_close(folder_fd);
	owner_release(&owner);
	return status;
}

int stat_write_prometheus(struct stat_sink *sink, struct error *error)
{
	const char *path = sink->settings.prometheus, *name = path_base_name(path);
	SCOPED_BUFFER(folder);
	SCOPED_BUFFER(new_name);
	struct stat about;
	int status = 0;

	/* Renaming would replace a device such as /dev/null, too. */
	if (lstat(path, &about) == 0 && !S_ISREG(about.st_mode))
		return error_set(error,
				 S_ISLNK(about.st_mode)
					 ? "%s: a symbolic link; name the file itself"
					 : "%s: not a regular file; name another file",
				 path);
	buffer_clear(&sink->file.out);
	buffer_append(&folder, path, name - path);
	if (name == path)
		buffer_append_char(&folder, '.');
	buffer_printf(&new_name, "%s.new", name);
	metrics_all_append(sink);
	if (sink->file.out.failed || folder.failed || new_name.failed)
		status = error_set(error, "out of memory");
	else if (metrics_file_replace(sink, buffer_string(&folder), buffer_string(&new_name),
				      name) == 0)
		status = 0;
	else if (errno == ENXIO || errno == EEXIST || errno == ELOOP)
		/* What is in the way of the new file, which is renamed when it is complete. */
		status = error_set(error, "%s.new: not a regular file; remove it", path);
	else
		status = error_set_system(error, errno, "cannot write %s", path);
	buffer_clear(&sink->file.out);
	return status;
}
