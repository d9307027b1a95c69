// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording in a buffer that survives a restart of the machine. The folder has what decodes the
 * records; they stay in the kernel until the buffer is read, mostly by the next boot.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracedat/spool.h"
#include "tracedat/spool_folder.h"
#include "tracedat/writer.h"

/* The last one, whose records are overwritten at once. */
#define BOOT_MODE "circular"

/* The kernel's code begins at this symbol. */
#define TEXT_SYMBOL "_text"
#define TEXT_LINE_SIZE strlen("ffffffff81000000 T ")

#define KALLSYMS_PATH "/proc/kallsyms"

/* Sub-buffers of a full buffer that have no records: the reader's, and the next one to be written.
 */
#define SUB_BUFFERS_EMPTY 3

static int boot_save_names(struct spool *spool, struct error *error)
{
	struct buffer comms = { 0 }, earlier = { 0 };
	int status;

	/* The first time there are none. */
	spool_entry_read(&spool->folder, SPOOL_COMMS, &earlier, &(struct error){ 0 });
	status = comms_append(&comms, &spool->instance.saved, NULL, &earlier, error);
	if (status == 0)
		status = spool_entry_write(&spool->folder, SPOOL_COMMS, &comms, error);
	buffer_release(&comms);
	buffer_release(&earlier);
	return status;
}

/* Options are complete without statistics, in case that the buffer is lost. */
static int boot_save_machine(struct spool *spool, struct error *error)
{
	struct buffer machine = { 0 };
	int status = writer_put_machine(&machine, spool, error);

	if (status == 0)
		status = spool_entry_write(&spool->folder, SPOOL_MACHINE, &machine, error);
	if (status == 0)
		status = spool_entry_write(&spool->folder, SPOOL_OPTIONS, &machine, error);
	buffer_release(&machine);
	return status;
}

static int boot_begin(struct spool *spool, const char *directory, struct error *error)
{
	struct buffer list = { 0 };
	int status;

	spool_origin_begin(&spool->origin, directory, buffer_mode_find(BOOT_MODE));
	if (instance_files_open(&spool->instance, directory, NULL, error) < 0 ||
	    instance_files_open_list(&spool->instance, directory, error) < 0 ||
	    instance_files_list_enabled(&spool->instance, &list, error) < 0) {
		buffer_release(&list);
		return -1;
	}
	buffer_append_string(&list, "ftrace:print\n");
	status = spool_save_formats(spool, NULL, &list, error);
	buffer_release(&list);
	if (status < 0 || spool_save_symbols(spool, error) < 0)
		return -1;
	return boot_save_names(spool, error);
}

int spool_new_boot(struct spool **out, const char *path, const char *directory, struct error *error)
{
	static const struct spool_owner ourselves;

	if (spool_new(out, path, &ourselves, error) < 0)
		return -1;
	if (boot_begin(*out, directory, error) == 0)
		return 0;
	spool_close(*out);
	*out = NULL;
	return -1;
}

int spool_keep_boot(struct spool *spool, const char *name, struct text cpus, struct error *error)
{
	buffer_append(&spool->origin.boot_cpus, cpus.data, cpus.size);
	if (boot_save_machine(spool, error) < 0 ||
	    spool_entry_sync(&spool->folder, SPOOL_SYMBOLS, error) < 0 ||
	    spool_entry_sync(&spool->folder, SPOOL_MACHINE, error) < 0 ||
	    spool_origin_write(&spool->origin, &spool->folder, name, error) < 0 ||
	    spool_sync(spool, error) < 0)
		return -1;
	spool->folder.is_kept = true;
	spool->folder.is_synced = true;
	return 0;
}

int spool_refresh_boot(struct spool *spool, struct error *error)
{
	return boot_save_names(spool, error);
}

void spool_drop_boot(struct spool *spool)
{
	spool->folder.is_kept = false;
}

/* The symbol's line is "ADDRESS TYPE NAME". */
static uint64_t text_find(const struct buffer *symbols)
{
	struct text rest = buffer_text(symbols);

	while (rest.size > 0) {
		struct text line = text_take_line(&rest);

		if (line.size > TEXT_LINE_SIZE &&
		    text_equals(
			    (struct text){ line.data + TEXT_LINE_SIZE, line.size - TEXT_LINE_SIZE },
			    text_of(TEXT_SYMBOL)))
			return strtoull(line.data, NULL, 16);
	}
	return 0;
}

static uint64_t text_now(void)
{
	struct buffer symbols = { 0 };
	uint64_t address = 0;

	if (file_read(KALLSYMS_PATH, &symbols) == 0)
		address = text_find(&symbols);
	buffer_release(&symbols);
	return address;
}

void spool_describe_boot(const struct spool *spool, struct spool_boot *out)
{
	const struct spool_origin *origin = &spool->origin;
	struct buffer symbols = { 0 };

	*out = (struct spool_boot){ .is_one = origin->boot_cpus.size > 0,
				    .is_read = origin->instance && !*origin->instance,
				    .is_current = origin->instance && *origin->instance };
	if (spool_entry_read(&spool->folder, SPOOL_SYMBOLS, &symbols, &(struct error){ 0 }) == 0)
		out->text = text_find(&symbols);
	buffer_release(&symbols);
	out->text_now = text_now();
}

static bool cpus_have(const struct buffer *list, int number)
{
	char word[16];
	struct buffer all = { 0 };
	bool has;

	buffer_append_char(&all, ',');
	buffer_append(&all, list->data, list->size);
	buffer_append_char(&all, ',');
	snprintf(word, sizeof(word), ",%d,", number);
	has = strstr(buffer_string(&all), word);
	buffer_release(&all);
	return has;
}

/* The kernel's counts of overwritten records do not survive, but a full buffer shows that there
 * were some. */
static bool file_is_full(const struct spool *spool, const struct spool_file *file)
{
	const struct cpu_buffer *buffer = file->buffer;
	uint64_t nr_pages = file->size / spool->pipe.page_size;
	struct buffer text = { 0 };
	uint64_t size_kib = 0;

	if (buffer && file_read_anew(buffer->size_fd, &text) == 0)
		size_kib = strtoull(buffer_string(&text), NULL, 10);
	buffer_release(&text);
	return nr_pages + SUB_BUFFERS_EMPTY >= size_kib * 1024 / spool->pipe.page_size;
}

/* All CPUs are complete from the latest of their first records on. */
static int file_mark(struct spool *spool, struct spool_file *file, struct spool_boot_end *end,
		     struct error *error)
{
	const struct spool_pipe *pipe = &spool->pipe;
	int64_t first_ns, ignored;

	if (!file_is_full(spool, file) ||
	    pread(file->fd, pipe->page, pipe->page_size, 0) != (ssize_t)pipe->page_size)
		return 0;
	end->is_full = true;
	if (page_look(pipe->page, pipe->page_size, &first_ns, &ignored) > 0 &&
	    first_ns > end->from_ns)
		end->from_ns = first_ns;
	page_mark_gap(pipe->page);
	if (pwrite(file->fd, pipe->page, pipe->page_size, 0) == (ssize_t)pipe->page_size)
		return 0;
	return spool_file_fail(spool, file, error);
}

static int files_look(struct spool *spool, struct spool_boot_end *end, struct error *error)
{
	for (size_t i = 0; i < spool->nr_files; i++) {
		struct spool_file *file = &spool->files[i];
		struct buffer *rejected = &end->rejected;

		end->nr_records += spool_file_count(spool, file);
		file->is_uncounted = file->size == 0 &&
				     cpus_have(&spool->origin.boot_cpus, file->cpu);
		if (file->is_uncounted)
			buffer_printf(rejected, "%s%d", rejected->size > 0 ? "," : "", file->cpu);
		if (file->size > 0 && file_mark(spool, file, end, error) < 0)
			return -1;
	}
	return 0;
}

int spool_finish_boot(struct spool *spool, const char *directory, struct spool_boot_end *end,
		      struct error *error)
{
	*end = (struct spool_boot_end){ 0 };
	if (spool_entry_read(&spool->folder, SPOOL_MACHINE, &spool->machine, error) < 0 ||
	    spool_attach_directory(spool, directory, NULL, error) < 0)
		return -1;
	/* No more than the buffer held when recording stopped. */
	buffer_reader_limit(spool->reader);
	if (spool_read_rest(spool, error) < 0 || files_look(spool, end, error) < 0)
		return -1;
	spool->is_counted = true;
	if (spool_save_now(spool, error) < 0)
		return -1;
	return spool_origin_complete(&spool->origin, &spool->folder, error);
}
