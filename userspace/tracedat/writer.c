// SPDX-License-Identifier: GPL-2.0-only
/* Writes the sections of a trace.dat, its tables, and the records of each CPU. */
#include "tracedat/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "event/event.h"
#include "tracedat/file.h"

/* Opens and reads the files of an instance that describe its records. */

int instance_files_open(struct instance_files *files, const char *directory, struct error *error)
{
	const char *tracefs;

	if (tracefs_directory(&tracefs, error) < 0)
		return -1;
	saved_tasks_open(&files->saved, tracefs);
	files->events_fd = file_open_in(directory, "events", O_PATH | O_DIRECTORY, error);
	if (files->events_fd < 0)
		return -1;
	files->clock_fd = file_open_in(directory, "trace_clock", O_RDONLY, error);
	return files->clock_fd < 0 ? -1 : 0;
}

int instance_files_open_lists(struct instance_files *files, const struct instance_paths *paths,
			      struct error *error)
{
	for (int kind = 0; kind < INSTANCE_KINDS; kind++) {
		if (!paths->list[kind])
			continue;
		files->list_fds[kind] = file_open_in(paths->list[kind], "set_event", O_RDONLY,
						     error);
		if (files->list_fds[kind] < 0)
			return -1;
	}
	return 0;
}

static int instance_files_read(int fd, const char *file, struct buffer *out, struct error *error)
{
	if (file_read_anew(fd, out) == 0)
		return 0;
	return error_set_system(error, errno, "cannot read the instance's %s", file);
}

int instance_files_list_enabled(const struct instance_files *files, struct buffer *out,
				struct error *error)
{
	int status = 0;

	for (int kind = 0; kind < INSTANCE_KINDS && status == 0; kind++) {
		if (files->list_fds[kind] >= 0)
			status = instance_files_read(files->list_fds[kind], "set_event", out,
						     error);
	}
	return status;
}

/*
 * Records of ftrace itself: texts of trace_marker, kernel stacks, functions. They are no
 * tracepoints, but have formats.
 */
static void list_own(const struct instance_files *files, struct buffer *out)
{
	int fd = openat(files->events_fd, "ftrace", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			buffer_printf(out, "ftrace:%s\n", entry->d_name);
	}
	if (folder)
		closedir(folder);
	else
		file_close(fd);
}

int instance_files_list_all(const struct instance_files *files, struct buffer *out,
			    struct error *error)
{
	const char *tracefs;

	if (tracefs_directory(&tracefs, error) < 0)
		return -1;
	if (file_read_in(tracefs, "available_events", out) < 0)
		return error_set_system(error, errno, "cannot read %s/available_events", tracefs);
	list_own(files, out);
	return 0;
}

void instance_files_close(struct instance_files *files)
{
	file_close(files->events_fd);
	for (int kind = 0; kind < INSTANCE_KINDS; kind++)
		file_close(files->list_fds[kind]);
	file_close(files->clock_fd);
	saved_tasks_close(&files->saved);
}

/*
 * Collects names and processes of threads: first of living threads, whose names no other thread can
 * forge, then the kernel's saved ones, then the earlier ones.
 */

/* The folder "task" of a process has two links of its own and one for each thread. */
#define LINKS_OF_ONE_THREAD 3
/* More than the kernel's names, of which those of workers are the longest (64 bytes). */
#define NAME_SIZE 256

/** struct comms - lines "TID NAME", "TID TGID" and "PID PATH", the path of a process's cgroup */
struct comms {
	struct buffer names;
	struct buffer groups;
	struct buffer cgroups;
};

static int tid_compare(const void *a, const void *b)
{
	const int *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static const char *line_next(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

/** struct group - a process that runs */
struct group {
	struct comms *comms;
	int pid;
};

/* A thread that has just ended has no name. */
static int thread_append(void *context, int folder_fd, int tid)
{
	const struct group *group = context;
	struct comms *comms = group->comms;
	char path[64], name[NAME_SIZE];
	ssize_t size = -1;
	int fd;

	snprintf(path, sizeof(path), "%d/comm", tid);
	fd = openat(folder_fd, path, O_RDONLY | O_CLOEXEC);
	/* procfs returns a name in one read, with a newline. */
	if (fd >= 0)
		size = read(fd, name, sizeof(name));
	file_close(fd);
	if (size > 0) {
		buffer_printf(&comms->names, "%d ", tid);
		thread_name_append(&comms->names, (struct text){ name, size - 1 });
		buffer_append_char(&comms->names, '\n');
	}
	buffer_printf(&comms->groups, "%d %d\n", tid, group->pid);
	return 0;
}

/* Limit of all lines about cgroups. */
#define CGROUPS_SIZE_MAX (1 << 20)

static int process_append(void *context, int proc_fd, int pid)
{
	struct group group = { context, pid };
	struct buffer *cgroups = &group.comms->cgroups;
	size_t begin = cgroups->size;
	struct stat status;
	char path[64];

	if (begin <= CGROUPS_SIZE_MAX) {
		buffer_printf(cgroups, "%d ", pid);
		if (proc_cgroup_append(pid, cgroups))
			buffer_append_char(cgroups, '\n');
		else
			cgroups->size = begin;
	}
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	/* Most have one thread, which has the number of the process: its folder is not read. */
	if (fstatat(proc_fd, path + strlen("/proc/"), &status, 0) == 0 &&
	    status.st_nlink == LINKS_OF_ONE_THREAD)
		return thread_append(&group, proc_fd, pid);
	return proc_visit(path, thread_append, &group);
}

/* Adds lines of threads that have no line yet, without those of cgroups_put(). */
static void lines_append(struct buffer *lines, const char *more)
{
	SCOPED_BUFFER(tids);
	size_t nr_tids;
	int tid;

	if (!*more)
		return;
	for (const char *line = buffer_string(lines); *line; line = line_next(line)) {
		tid = atoi(line);
		buffer_append(&tids, &tid, sizeof(tid));
	}
	nr_tids = tids.size / sizeof(tid);
	if (nr_tids > 0)
		qsort(tids.data, nr_tids, sizeof(tid), tid_compare);
	for (const char *line = more; *line; line = line_next(line)) {
		tid = atoi(line);
		if (*line != '=' &&
		    (nr_tids == 0 || !bsearch(&tid, tids.data, nr_tids, sizeof(tid), tid_compare)))
			buffer_append(lines, line, line_next(line) - line);
	}
}

/* The kernel saves processes only with the option record-tgid; it may lack both files. */
static int saved_append(struct comms *comms, const struct saved_tasks *saved, struct error *error)
{
	SCOPED_BUFFER(names);
	SCOPED_BUFFER(groups);
	int status = 0;

	if (saved->names_fd >= 0 && file_read_anew(saved->names_fd, &names) < 0)
		status = error_set_system(error, errno, "cannot read saved_cmdlines of tracefs");
	if (saved->groups_fd >= 0)
		file_read_anew(saved->groups_fd, &groups);
	saved_names_clean(&names);
	lines_append(&comms->names, buffer_string(&names));
	lines_append(&comms->groups, buffer_string(&groups));
	comms->names.failed |= names.failed;
	return status;
}

/* Appends a line "=PATH" for each cgroup, and behind it "=PID" for each of its processes. */
static void cgroups_put(const struct buffer *cgroups, struct buffer *out)
{
	struct text rest = buffer_text(cgroups), last = { 0 };

	while (rest.size > 0) {
		struct text line = text_take_line(&rest);
		const char *path = memchr(line.data, ' ', line.size);
		int pid = atoi(line.data);

		if (!path)
			continue;
		line = text_from(line, path + 1 - line.data);
		if (!text_equals(line, last))
			buffer_printf(out, "=%.*s\n", (int)line.size, line.data);
		buffer_printf(out, "=%d\n", pid);
		last = line;
	}
}

/*
 * Reads what cgroups_put() and firsts_put() appended, among other lines: the last known path of
 * each process, and the first one, empty if the process was created later.
 */
static void cgroups_take(const char *lines, struct buffer *out, struct buffer *firsts)
{
	const char *path = "";

	for (const char *line = lines; *line; line = line_next(line)) {
		bool is_first = line[0] == '=' && (line[1] == '<' || line[1] == '>');
		int size = line[1] == '>' ? 0 : (int)strcspn(path, "\n");

		if (line[0] == '=' && line[1] == '/')
			path = line + 1;
		else if (line[0] == '=')
			buffer_printf(is_first ? firsts : out, "%d %.*s\n",
				      atoi(line + 1 + is_first), size, path);
	}
	lines_append(firsts, buffer_string(out));
}

/** struct cgroup_line - a line "PID PATH" */
struct cgroup_line {
	int pid;
	struct text path;
};

static int cgroup_line_compare(const void *a, const void *b)
{
	const struct cgroup_line *left = a, *right = b;

	return (left->pid > right->pid) - (left->pid < right->pid);
}

static struct cgroup_line cgroup_line_take(struct text *lines)
{
	struct text line = text_take_line(lines);
	const char *blank = memchr(line.data, ' ', line.size);

	return (struct cgroup_line){ .pid = atoi(line.data),
				     .path = blank ? text_from(line, blank + 1 - line.data)
						   : text_of("") };
}

/*
 * Appends "=PATH" and "=<PID" for a process whose first path is not its last one, and "=>PID" if it
 * was created later.
 */
static void firsts_put(const struct buffer *cgroups, const struct buffer *firsts,
		       struct buffer *out)
{
	struct text rest = buffer_text(firsts);
	SCOPED_BUFFER(sorted);
	size_t size;

	while (rest.size > 0) {
		struct cgroup_line line = cgroup_line_take(&rest);

		buffer_append(&sorted, &line, sizeof(line));
	}
	size = sorted.size / sizeof(struct cgroup_line);
	/* The first time nothing is known of earlier. */
	if (size == 0)
		return;
	qsort(sorted.data, size, sizeof(struct cgroup_line), cgroup_line_compare);
	for (rest = buffer_text(cgroups); rest.size > 0;) {
		struct cgroup_line last = cgroup_line_take(&rest);
		const struct cgroup_line *first = bsearch(&last, sorted.data, size, sizeof(last),
							  cgroup_line_compare);

		if (!first || first->path.size == 0)
			buffer_printf(out, "=>%d\n", last.pid);
		else if (!text_equals(first->path, last.path))
			buffer_printf(out, "=%.*s\n=<%d\n", (int)first->path.size, first->path.data,
				      last.pid);
	}
	out->failed |= sorted.failed || firsts->failed;
}

/* Threads that have written records and may have ended since. */
static void programs_append(struct comms *comms, const struct programs *programs)
{
	SCOPED_BUFFER(names);
	SCOPED_BUFFER(groups);
	struct thread_identity identity;
	int tid;

	for (size_t i = 0; programs && programs_task(programs, i, &tid, &identity); i++) {
		buffer_printf(&names, "%d ", tid);
		thread_name_append(&names, text_of(identity.comm));
		buffer_append_char(&names, '\n');
		buffer_printf(&groups, "%d %d\n", tid, identity.tgid);
	}
	lines_append(&comms->names, buffer_string(&names));
	lines_append(&comms->groups, buffer_string(&groups));
	comms->names.failed |= names.failed || groups.failed;
}

int comms_append(struct buffer *out, const struct saved_tasks *saved,
		 const struct programs *programs, struct buffer *earlier, struct error *error)
{
	const char *names = buffer_string(earlier), *groups;
	size_t size = strlen(names);
	SCOPED_BUFFER(cgroups);
	SCOPED_BUFFER(firsts);
	struct comms comms = { 0 };
	int status;

	if (!saved->is_nested)
		proc_visit("/proc", process_append, &comms);
	programs_append(&comms, programs);
	status = saved_append(&comms, saved, error);
	if (status == 0) {
		groups = size < earlier->size ? names + size + 1 : names + size;
		cgroups_take(groups, &cgroups, &firsts);
		lines_append(&comms.names, names);
		lines_append(&comms.groups, groups);
		lines_append(&comms.cgroups, buffer_string(&cgroups));
		/* trace-cmd reads only up to the NUL. */
		buffer_append(out, comms.names.data, comms.names.size);
		buffer_append_char(out, '\0');
		buffer_append(out, comms.groups.data, comms.groups.size);
		cgroups_put(&comms.cgroups, out);
		firsts_put(&comms.cgroups, &firsts, out);
	}
	buffer_release(&comms.names);
	buffer_release(&comms.groups);
	buffer_release(&comms.cgroups);
	return out->failed ? error_set(error, "out of memory") : status;
}

/*
 * A module takes its formats along when it is unloaded, and another module's tracepoint may get its
 * id. Raw records have only the id, so that neither format can decode them then.
 */

static int layout_read(struct buffer *out, int events_fd, const char *file, struct error *error)
{
	if (file_read_at(events_fd, file, out) == 0)
		return 0;
	return error_set_system(error, errno, "cannot read events/%s of the instance", file);
}

int formats_read_layout(struct formats *formats, int events_fd, struct error *error)
{
	if (formats->header_page.size > 0)
		return 0;
	if (layout_read(&formats->header_page, events_fd, "header_page", error) < 0)
		return -1;
	return layout_read(&formats->header_event, events_fd, "header_event", error);
}

static void saved_format_release(struct saved_format *format)
{
	free(format->system);
	free(format->event);
	buffer_release(&format->text);
}

static int saved_format_compare(const void *a, const void *b)
{
	const struct saved_format *left = a, *right = b;
	int order = strcmp(left->system, right->system);

	if (order == 0)
		order = strcmp(left->event, right->event);
	return order ? order : (left->id > right->id) - (left->id < right->id);
}

/* Takes ownership of @format; returns -1 if memory runs out. */
static int formats_add(struct formats *formats, struct saved_format *format)
{
	struct saved_format *list;

	if (!array_reserve(formats->list, formats->size))
		return -1;
	list = formats->list;
	for (size_t i = 0; i < formats->size; i++) {
		if (list[i].id != format->id)
			continue;
		if (strcmp(list[i].system, format->system) == 0 &&
		    text_equals(buffer_text(&list[i].text), buffer_text(&format->text))) {
			saved_format_release(format);
			return 0;
		}
		list[i].is_doubtful = true;
		format->is_doubtful = true;
	}
	list[formats->size++] = *format;
	return 0;
}

int formats_keep(struct formats *formats, const char *system, const char *event, struct text text)
{
	struct saved_format format = { .system = strdup(system),
				       .event = strdup(event),
				       .id = format_read_id(text) };

	buffer_append(&format.text, text.data, text.size);
	buffer_trim(&format.text);
	if (format.system && format.event && !format.text.failed &&
	    formats_add(formats, &format) == 0)
		return 0;
	saved_format_release(&format);
	return -1;
}

/* Adds a format that is @known, or reads it. */
static int format_take(struct formats *formats, const struct formats *known, int events_fd,
		       const char *system, const char *event, bool is_first, struct error *error)
{
	struct text text = { 0 };
	SCOPED_BUFFER(read);

	for (size_t i = 0; known && i < known->size && !text.data; i++) {
		const struct saved_format *format = &known->list[i];

		if (strcmp(format->event, event) == 0 && strcmp(format->system, system) == 0)
			text = buffer_text(&format->text);
	}
	if (!text.data) {
		if (event_file_read(events_fd, system, event, "format", &read) < 0)
			return is_first ? error_set_system(error, errno,
							   "cannot read the format of %s:%s",
							   system, event)
					: 0;
		text = buffer_text(&read);
	}
	return formats_keep(formats, system, event, text) < 0 ? error_set(error, "out of memory")
							      : 0;
}

int formats_read(struct formats *formats, const struct formats *known, int events_fd,
		 struct buffer *list, struct error *error)
{
	bool is_first = formats->size == 0;
	char *rest, *line;
	int status = 0;

	buffer_append_char(list, '\0');
	if (list->failed)
		return error_set(error, "out of memory");
	rest = list->data;
	while (status == 0 && (line = strsep(&rest, "\n"))) {
		char *system = strsep(&line, ":");

		if (line && !strchr(line, ':'))
			status = format_take(formats, known, events_fd, system, line, is_first,
					     error);
	}
	if (formats->size > 0)
		qsort(formats->list, formats->size, sizeof(*formats->list), saved_format_compare);
	return status;
}

size_t formats_count_doubtful(const struct formats *formats)
{
	size_t size = 0;

	for (size_t i = 0; i < formats->size; i++)
		size += formats->list[i].is_doubtful;
	return size;
}

void formats_release(struct formats *formats)
{
	for (size_t i = 0; i < formats->size; i++)
		saved_format_release(&formats->list[i]);
	free(formats->list);
	buffer_release(&formats->header_page);
	buffer_release(&formats->header_event);
	*formats = (struct formats){ 0 };
}

struct formats *formats_new(void)
{
	return calloc(1, sizeof(struct formats));
}

void formats_free(struct formats *formats)
{
	if (formats)
		formats_release(formats);
	free(formats);
}

/* An option's number and size. */
#define OPTION_HEAD_SIZE 6

void trace_dat_put(struct buffer *out, bool is_swapped, uint64_t number, size_t size)
{
	bool is_big = is_swapped == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	char bytes[sizeof(number)];

	for (size_t i = 0; i < size; i++)
		bytes[is_big ? size - 1 - i : i] = number >> 8 * i;
	buffer_append(out, bytes, size);
}

/* Appends a number of a constant size in this machine's byte order. */
#define PUT(out, number, type) trace_dat_put(out, false, number, sizeof(type))
/* Appends a string with its NUL. */
#define PUT_STRING(out, string) buffer_append(out, string, strlen(string) + 1)
/* Behind the formats: the sizes of the kernel's symbols, and of its constant strings. */
#define FORMATS_TAIL_SIZE (2 * sizeof(uint32_t))

static void put_sized(struct buffer *out, const struct buffer *content)
{
	PUT(out, content->size, uint64_t);
	buffer_append(out, content->data, content->size);
}

static void put_systems(struct buffer *out, const struct saved_format *list, size_t size)
{
	uint32_t nr_systems = 0;
	size_t end;

	for (size_t i = 0; i < size; i++)
		nr_systems += i == 0 || strcmp(list[i].system, list[i - 1].system) != 0;
	PUT(out, nr_systems, uint32_t);
	for (size_t i = 0; i < size; i = end) {
		uint32_t nr_usable = 0;

		for (end = i; end < size && strcmp(list[end].system, list[i].system) == 0; end++)
			nr_usable += !list[end].is_doubtful;
		PUT_STRING(out, list[i].system);
		PUT(out, nr_usable, uint32_t);
		for (size_t k = i; k < end; k++) {
			if (!list[k].is_doubtful)
				put_sized(out, &list[k].text);
		}
	}
}

void writer_put_formats(struct buffer *out, const struct formats *formats)
{
	buffer_append_string(out, TRACE_DAT_MAGIC);
	PUT_STRING(out, TRACE_DAT_VERSION_6);
	buffer_append_char(out, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	buffer_append_char(out, sizeof(long));
	PUT(out, sysconf(_SC_PAGESIZE), uint32_t);
	PUT_STRING(out, TRACE_DAT_HEADER_PAGE);
	put_sized(out, &formats->header_page);
	PUT_STRING(out, TRACE_DAT_HEADER_EVENT);
	put_sized(out, &formats->header_event);
	/* No formats of ftrace's own events: ktrack records none. */
	PUT(out, 0, uint32_t);
	put_systems(out, formats->list, formats->size);
	/* No kernel symbols, and no constant strings: see put_tail(). */
	PUT(out, 0, uint32_t);
	PUT(out, 0, uint32_t);
}

/** struct writer_buffer - a buffer of the file: that of an instance, or of programs */
struct writer_buffer {
	const char *name;
	enum instance_kind kind;
	bool is_programs;
};

#define BUFFERS_MAX (INSTANCE_KINDS + 1)

static bool spool_has_kind(const struct spool *spool, enum instance_kind kind)
{
	for (size_t i = 0; i < spool->nr_files; i++) {
		if (spool->files[i].kind == kind)
			return true;
	}
	return false;
}

/* The buffers in the order of their options, tables and records. The sideband buffer is the last.
 */
static size_t spool_buffers(const struct spool *spool, struct writer_buffer out[BUFFERS_MAX])
{
	size_t nr_buffers = 1;

	out[0] = (struct writer_buffer){ .name = "" };
	if (spool_has_kind(spool, INSTANCE_CONVENTION))
		out[nr_buffers++] = (struct writer_buffer){ .name = CONVENTION_BUFFER,
							    .kind = INSTANCE_CONVENTION };
	if (spool_programs_file(spool))
		out[nr_buffers++] = (struct writer_buffer){ .name = PROGRAMS_BUFFER,
							    .is_programs = true };
	if (spool_has_kind(spool, INSTANCE_SIDEBAND))
		out[nr_buffers++] = (struct writer_buffer){ .name = TRACE_DAT_SIDEBAND,
							    .kind = INSTANCE_SIDEBAND };
	return nr_buffers;
}

/* Programs have one file, whatever the number of CPUs. */
static struct spool_file *writer_file(const struct spool *spool, const struct writer_buffer *buffer,
				      uint32_t cpu)
{
	if (!buffer->is_programs)
		return spool_file_find(spool, cpu, buffer->kind);
	return cpu == 0 ? spool_programs_file(spool) : NULL;
}

/** struct writer - for @size of struct trace_dat_buffers */
struct writer {
	const struct spool *spool;
	struct writer_buffer buffers[BUFFERS_MAX];
};

static uint64_t writer_file_size(const void *context, size_t buffer, uint32_t cpu)
{
	const struct writer *writer = context;
	const struct spool_file *file = writer_file(writer->spool, &writer->buffers[buffer], cpu);

	return file ? file->size : 0;
}

void trace_dat_put_buffers(struct buffer *out, const struct trace_dat_buffers *buffers)
{
	size_t table_size = TRACE_DAT_MARK_SIZE + buffers->nr_cpus * 2 * sizeof(uint64_t);
	uint64_t offset = out->size + sizeof(uint16_t), size;
	bool is_swapped = buffers->is_swapped;

	for (size_t i = 1; i < buffers->nr_buffers; i++)
		offset += OPTION_HEAD_SIZE + sizeof(uint64_t) + strlen(buffers->names[i]) + 1;
	for (size_t i = 1; i < buffers->nr_buffers; i++) {
		size = strlen(buffers->names[i]) + 1;
		trace_dat_put(out, is_swapped, TRACE_DAT_BUFFER, sizeof(uint16_t));
		trace_dat_put(out, is_swapped, sizeof(uint64_t) + size, sizeof(uint32_t));
		trace_dat_put(out, is_swapped, offset + i * table_size, sizeof(uint64_t));
		buffer_append(out, buffers->names[i], size);
	}
	trace_dat_put(out, is_swapped, TRACE_DAT_END, sizeof(uint16_t));
	offset = out->size + buffers->nr_buffers * table_size;
	offset = (offset + buffers->page_size - 1) / buffers->page_size * buffers->page_size;
	for (size_t i = 0; i < buffers->nr_buffers; i++) {
		buffer_append(out, TRACE_DAT_RECORDS, TRACE_DAT_MARK_SIZE);
		for (uint32_t cpu = 0; cpu < buffers->nr_cpus; cpu++) {
			size = buffers->size(buffers->context, i, cpu);
			trace_dat_put(out, is_swapped, offset, sizeof(uint64_t));
			trace_dat_put(out, is_swapped, size, sizeof(uint64_t));
			offset += size;
		}
	}
	while (out->size % buffers->page_size && !out->failed)
		buffer_append_char(out, '\0');
}

/* An entry behind its size, which is 0 if there is none. */
static void put_spool_entry(struct buffer *out, const struct spool *spool, const char *name)
{
	SCOPED_BUFFER(content);
	struct error ignored = { 0 };

	if (spool_entry_read(&spool->folder, name, &content, &ignored) < 0)
		buffer_clear(&content);
	if (strcmp(name, SPOOL_SYMBOLS) == 0)
		kept_symbols_trim(&content, spool);
	PUT(out, content.size, uint32_t);
	buffer_append(out, content.data, content.size);
	out->failed |= content.failed;
}

/* A spool may have symbols and constant strings; they are behind the formats. */
static void put_tail(struct buffer *out, const struct spool *spool)
{
	if (out->size < FORMATS_TAIL_SIZE)
		return;
	out->size -= FORMATS_TAIL_SIZE;
	put_spool_entry(out, spool, SPOOL_SYMBOLS);
	put_spool_entry(out, spool, SPOOL_CONSTANTS);
}

/* Everything before the records. */
static int put_head(struct buffer *out, const struct spool *spool, uint32_t nr_cpus,
		    struct error *error)
{
	const struct spool_folder *folder = &spool->folder;
	struct writer writer = { .spool = spool };
	const char *names[BUFFERS_MAX];
	const struct trace_dat_buffers buffers = { .page_size = spool->pipe.page_size,
						   .nr_cpus = nr_cpus,
						   .names = names,
						   .nr_buffers = spool_buffers(spool,
									       writer.buffers),
						   .size = writer_file_size,
						   .context = &writer };
	SCOPED_BUFFER(comms);

	if (spool_entry_read(folder, SPOOL_FORMATS, out, error) < 0)
		return -1;
	put_tail(out, spool);
	if (spool_entry_read(folder, SPOOL_COMMS, &comms, error) < 0)
		return -1;
	put_sized(out, &comms);
	PUT(out, nr_cpus, uint32_t);
	PUT_STRING(out, TRACE_DAT_OPTIONS);
	if (spool_entry_read(folder, SPOOL_OPTIONS, out, error) < 0)
		return -1;
	for (size_t i = 0; i < buffers.nr_buffers; i++)
		names[i] = writer.buffers[i].name;
	trace_dat_put_buffers(out, &buffers);
	return out->failed ? error_set(error, "out of memory") : 0;
}

/* After so many bytes, checksums are added, and progress is shown. */
#define MOVE_MAX (16 << 20)

/* Appends to a file of @begin bytes. */
static int records_append(struct checksums_writer *checksums, uint64_t begin,
			  const struct spool_file *file, const struct spool *spool)
{
	uint64_t total = spool_size(spool);
	int fd = checksums->fd;
	off_t offset = 0;

	if (file->has_part)
		return recent_part_write(&file->part, fd);
	while ((uint64_t)offset < file->size) {
		size_t size = file->size - offset < MOVE_MAX ? file->size - offset : MOVE_MAX;
		/* Some filesystems share the blocks of both files. */
		ssize_t moved = copy_file_range(file->fd, &offset, fd, NULL, size, 0);

		if (moved < 0 && errno != ENOSPC && errno != EINTR && errno != EDQUOT &&
		    errno != EFBIG)
			moved = sendfile(fd, file->fd, &offset, size);
		if (moved == 0)
			errno = EIO;
		if (moved == 0 || (moved < 0 && errno != EINTR) ||
		    checksums_add(checksums, begin + offset) < 0)
			return -1;
		byte_progress_add(spool->progress, moved > 0 ? moved : 0, total);
	}
	return 0;
}

/* Writes records and checksums behind @head_size bytes; returns -1 with errno. */
static int put_areas(const struct spool *spool, uint32_t nr_cpus, int fd, uint64_t head_size)
{
	struct checksums_writer checksums = { .fd = fd, .page_size = spool->pipe.page_size };
	struct writer_buffer buffers[BUFFERS_MAX];
	size_t nr_buffers = spool_buffers(spool, buffers);
	uint64_t end = head_size;
	int status = 0;

	for (size_t i = 0; i < nr_buffers * nr_cpus && status == 0; i++) {
		const struct spool_file *file = writer_file(spool, &buffers[i / nr_cpus],
							    i % nr_cpus);

		if (file)
			status = records_append(&checksums, end, file, spool);
		end += file ? file->size : 0;
	}
	if (status == 0)
		status = checksums_finish(&checksums, head_size, end);
	buffer_release(&checksums.table);
	return status;
}

int writer_write(struct spool *spool, int fd, struct error *error)
{
	SCOPED_BUFFER(head);
	uint32_t nr_cpus = 1;

	for (size_t i = 0; i < spool->nr_files; i++) {
		if ((uint32_t)spool->files[i].cpu >= nr_cpus)
			nr_cpus = spool->files[i].cpu + 1;
	}
	if (put_head(&head, spool, nr_cpus, error) < 0)
		return -1;
	if (file_write_all(fd, head.data, head.size, NULL) < 0 ||
	    put_areas(spool, nr_cpus, fd, head.size) < 0)
		return spool_entry_fail(&spool->folder, errno, SPOOL_JOINED, error);
	return 0;
}

/* The options of a trace.dat: clock, date, kernel, writer, id, statistics. */

static void put_option(struct buffer *out, enum trace_dat_option id, const void *data, size_t size)
{
	PUT(out, id, uint16_t);
	PUT(out, size, uint32_t);
	buffer_append(out, data, size);
}

/* Clears @text. */
static void put_text_option(struct buffer *out, enum trace_dat_option id, struct buffer *text)
{
	buffer_append_char(text, '\0');
	put_option(out, id, text->data, text->size);
	out->failed |= text->failed;
	buffer_clear(text);
}

/* The offset from the trace clock, in brackets among @clocks, to the wall clock in microseconds. */
static void put_date(struct buffer *out, const struct buffer *clocks)
{
	const char *begin = clocks->size ? memchr(clocks->data, '[', clocks->size) : NULL;
	const char *end = begin ? memchr(begin, ']', clocks->data + clocks->size - begin) : NULL;
	char name[32] = "";
	SCOPED_BUFFER(text);
	clockid_t clock;

	if (end && (size_t)(end - begin) <= sizeof(name))
		memcpy(name, begin + 1, end - begin - 1);
	if (!trace_clock_find(name, &clock))
		return;
	buffer_printf(&text, "0x%llx",
		      (unsigned long long)(time_wall_offset_ns(clock) / NS_PER_US));
	put_text_option(out, TRACE_DAT_DATE, &text);
}

void writer_put_lines(struct buffer *text, const char *begin, struct text lines)
{
	while (lines.size > 0) {
		struct text line = text_take_line(&lines);

		if (text->size > 0 && text->data[text->size - 1] != '\n')
			buffer_append_char(text, '\n');
		buffer_printf(text, "%s%.*s\n", begin, (int)line.size, line.data);
	}
}

static void put_names(struct buffer *out, const struct spool_origin *origin, struct buffer *text)
{
	int64_t wall_error_ns = time_wall_error_ns();
	SCOPED_BUFFER(limits);
	struct utsname kernel;

	if (uname(&kernel) == 0) {
		buffer_printf(text, "%s %s %s %s", kernel.sysname, kernel.nodename, kernel.release,
			      kernel.machine);
		put_text_option(out, TRACE_DAT_UNAME, text);
	}
	buffer_printf(text,
		      TRACE_DAT_KTRACK KTRACK_VERSION TRACE_DAT_THREAD "%d" TRACE_DAT_CHECKSUMS,
		      origin->writer);
	if (origin->workload.size > 0)
		buffer_printf(text, TRACE_DAT_WORKLOAD "%.*s", (int)origin->workload.size,
			      origin->workload.data);
	if (origin->narrow.size > 0)
		buffer_printf(text, TRACE_DAT_NARROW "%.*s", (int)origin->narrow.size,
			      origin->narrow.data);
	/* On lines of their own, so that no rule looks like a word of the first line. */
	writer_put_lines(text, "", buffer_text(&origin->rules));
	/* The kernel has an estimate if its clock is disciplined by NTP or PTP. */
	if (wall_error_ns >= 0) {
		if (text->size > 0 && text->data[text->size - 1] != '\n')
			buffer_append_char(text, '\n');
		buffer_printf(text, TRACE_DAT_WALL_ERROR "%lld\n", (long long)wall_error_ns);
	}
	writer_put_lines(text, TRACE_DAT_BOOT, buffer_text(&origin->boot));
	writer_put_lines(text, TRACE_DAT_SELECTION, buffer_text(&origin->selection));
	writer_put_lines(text, TRACE_DAT_LABEL, buffer_text(&origin->labels));
	if (origin->has_limits)
		cgroup_limits_append(&limits, CGROUP_ROOT,
				     &(struct text){ origin->limits.data, origin->limits.size });
	writer_put_lines(text, TRACE_DAT_LIMIT, buffer_text(&limits));
	writer_put_lines(text, TRACE_DAT_COMMAND, buffer_text(&origin->command));
	writer_put_lines(text, TRACE_DAT_DEVICE, buffer_text(&origin->devices));
	writer_put_lines(text, TRACE_DAT_TRIGGER, buffer_text(&origin->triggers));
	put_text_option(out, TRACE_DAT_WRITER, text);
}

/* The kernel's text; for records in memory, and for a shared instance the differences in the same
 * form. */
static int statistics_append(struct buffer *text, const struct spool *spool,
			     const struct spool_file *file, struct error *error)
{
	struct statistics statistics;

	if (file->has_part) {
		buffer_printf(text, "overrun: %llu\ndropped events: 0\nread events: %llu\n",
			      (unsigned long long)file->part.lost,
			      (unsigned long long)file->part.nr_records);
		return 0;
	}
	if (file->kind != INSTANCE_MAIN && !file->buffer) {
		buffer_append_string(text, "overrun: 0\ndropped events: 0\nread events: 0\n");
		return 0;
	}
	if (!spool->is_shared && !file->is_programs)
		return statistics_text(file->buffer ? file->buffer->statistics_fd : -1, file->cpu,
				       text, error);
	if (spool_file_statistics(spool, file, &statistics, error) < 0)
		return -1;
	buffer_printf(text, "overrun: %llu\ndropped events: %llu\nread events: %llu\n",
		      (unsigned long long)statistics.overwritten,
		      (unsigned long long)statistics.dropped, (unsigned long long)statistics.read);
	return 0;
}

/* False if the kernel emptied the buffer, or it is not read any more. */
static bool losses_are_counted(const struct spool *spool, const struct spool_file *file)
{
	bool is_incomplete = spool->origin.is_incomplete && file->kind != INSTANCE_SIDEBAND;
	struct programs_counts counts;

	if (file->has_part)
		return !file->part.has_unknown;
	if (file->is_programs && spool->programs) {
		programs_count(spool->programs, &counts);
		return spool->is_counted && !file->is_uncounted && !counts.is_damaged;
	}
	return spool->is_counted && !is_incomplete && !file->is_uncounted && file->buffer;
}

static int put_cpu_statistics(struct buffer *out, const struct spool *spool,
			      const struct spool_file *file, struct buffer *text,
			      struct error *error)
{
	buffer_printf(text, TRACE_DAT_CPU_HEADING "%d\n", file->cpu);
	if (statistics_append(text, spool, file, error) < 0)
		return -1;
	if (text->size > 0 && text->data[text->size - 1] != '\n')
		buffer_append_char(text, '\n');
	if (!losses_are_counted(spool, file))
		buffer_printf(text, STATISTICS_IN_FLIGHT ": " STATISTICS_UNKNOWN "\n");
	else if (file->in_flight > 0)
		buffer_printf(text, STATISTICS_IN_FLIGHT ": %llu\n",
			      (unsigned long long)file->in_flight);
	/* Other programs may read a shared instance, or change its mode. */
	if (spool_file_is_deferred(spool, file) && !spool->is_shared)
		buffer_printf(text, STATISTICS_MODE ": %s\n", spool->origin.mode->name);
	put_text_option(out, TRACE_DAT_CPU_STATISTICS, text);
	return 0;
}

/* A sideband that is gone has none; that of other buffers is that their losses are unknown. */
static bool writer_has_statistics(const struct spool_file *file, const struct writer_buffer *buffer)
{
	if (file->is_programs || buffer->is_programs)
		return file->is_programs && buffer->is_programs;
	return file->kind == buffer->kind &&
	       (file->kind != INSTANCE_SIDEBAND || file->buffer || file->has_part);
}

static int put_statistics(struct buffer *out, const struct spool *spool, struct error *error)
{
	struct writer_buffer buffers[BUFFERS_MAX];
	size_t nr_buffers = spool_buffers(spool, buffers);
	SCOPED_BUFFER(text);

	for (size_t i = 0; i < nr_buffers; i++) {
		/* Those of the first buffer have no heading. */
		bool has_heading = !*buffers[i].name;

		for (size_t k = 0; k < spool->nr_files; k++) {
			const struct spool_file *file = &spool->files[k];

			if (!writer_has_statistics(file, &buffers[i]))
				continue;
			if (!has_heading) {
				buffer_printf(&text, TRACE_DAT_BUFFER_HEADING "%s\n",
					      buffers[i].name);
				put_text_option(out, TRACE_DAT_CPU_STATISTICS, &text);
				has_heading = true;
			}
			if (put_cpu_statistics(out, spool, file, &text, error) < 0)
				return -1;
		}
	}
	return 0;
}

int writer_put_machine(struct buffer *out, const struct spool *spool, struct error *error)
{
	int clock_fd = spool->instance.clock_fd;
	SCOPED_BUFFER(text);

	/* Without an instance the records are those of programs. */
	if (clock_fd < 0)
		buffer_append_string(&text, "local [boot] mono\n");
	else if (instance_files_read(clock_fd, "trace_clock", &text, error) < 0)
		return -1;
	put_date(out, &text);
	put_text_option(out, TRACE_DAT_CLOCK, &text);
	put_names(out, &spool->origin, &text);
	put_option(out, TRACE_DAT_ID, &spool->origin.id, sizeof(spool->origin.id));
	return 0;
}

int writer_put_options(struct buffer *out, const struct spool *spool, struct error *error)
{
	if (spool->machine.size > 0)
		buffer_append(out, spool->machine.data, spool->machine.size);
	else if (writer_put_machine(out, spool, error) < 0)
		return -1;
	return put_statistics(out, spool, error);
}
