// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the newest records in memory, and makes a trace.dat of those between two times. */
#include <stdlib.h>
#include <unistd.h>

#include "tracedat/spool.h"

static int recent_begin(struct spool *spool, const struct instance *instance,
			const struct formats *known, uint64_t size, struct error *error)
{
	const struct instance *sideband = instance_sideband(instance);
	const char *directory = instance_directory(instance);
	struct buffer list = { 0 };
	int status;

	spool->recent = calloc(1, sizeof(*spool->recent));
	if (!spool->recent)
		return error_set(error, "out of memory");
	if (recent_init(spool->recent, size, error) < 0)
		return -1;
	spool_origin_begin(&spool->origin, directory, buffer_modes);
	spool->origin.writer = instance_own_tid(instance);
	if (instance_files_open(&spool->instance, directory,
				sideband ? instance_directory(sideband) : NULL, error) < 0)
		return -1;
	status = spool_list_formats(spool, instance, &list, error);
	if (status == 0)
		status = spool_save_formats(spool, known, &list, error);
	buffer_release(&list);
	return status;
}

int spool_new_recent(struct spool **out, const struct instance *instance,
		     const struct formats *known, uint64_t size, struct error *error)
{
	static const struct spool_owner ourselves;

	*out = spool_init("", &ourselves, error);
	if (!*out)
		return -1;
	if (recent_begin(*out, instance, known, size, error) == 0)
		return 0;
	spool_close(*out);
	*out = NULL;
	return -1;
}

int spool_take(struct spool *spool, int cpu, bool is_sideband, const void *bytes, size_t size,
	       struct error *error)
{
	return recent_add(spool->recent, cpu, is_sideband, bytes, size, error);
}

void spool_clear_recent(struct spool *spool, int64_t now_ns)
{
	recent_clear(spool->recent, now_ns);
}

struct recent_span spool_recent_span(const struct spool *spool)
{
	const struct recent *recent = spool->recent;

	return (struct recent_span){ .begin_ns = recent->begin_ns,
				     .end_ns = recent->end_ns,
				     .nr_records = recent->nr_records };
}

/* From here on the spool has a folder. */
static int recent_create_folder(struct spool *spool, const char *path, struct error *error)
{
	static const struct spool_owner ourselves;

	spool_folder_release(&spool->folder);
	if (spool_folder_init(&spool->folder, path, &ourselves, error) < 0)
		return -1;
	return spool_folder_create(&spool->folder, error);
}

static int recent_add_files(struct spool *spool, int64_t from_ns, int64_t to_ns,
			    struct error *error)
{
	const struct recent *recent = spool->recent;

	for (size_t i = 0; i < recent->nr_cpus; i++) {
		const struct recent_cpu *cpu = &recent->cpus[i];
		struct spool_file *file = spool_file_add(spool, cpu->cpu, cpu->is_sideband, error);

		if (!file)
			return -1;
		recent_part_init(&file->part, recent, cpu, from_ns, to_ns);
		file->has_part = true;
		file->size = file->part.size;
	}
	return 0;
}

static void recent_count(const struct spool *spool, struct recent_saved *saved)
{
	for (size_t i = 0; i < spool->nr_files; i++) {
		const struct recent_part *part = &spool->files[i].part;

		if (spool->files[i].is_sideband)
			continue;
		saved->nr_records += part->nr_records;
		saved->lost += part->lost;
		saved->has_unknown |= part->has_unknown;
	}
}

int spool_save_recent(struct spool *spool, const char *path, struct text triggers,
		      struct recent_saved *saved, struct error *error)
{
	const struct recent *recent = spool->recent;
	struct buffer none = { 0 };
	int status;

	if (saved->from_ns < recent->begin_ns)
		saved->from_ns = recent->begin_ns;
	if (saved->from_ns > saved->to_ns)
		return error_set(error, "its records left memory before they were written; keep "
					"more in memory");
	if (recent_create_folder(spool, path, error) < 0 ||
	    recent_add_files(spool, saved->from_ns, saved->to_ns, error) < 0)
		return -1;
	recent_count(spool, saved);
	buffer_append(&spool->origin.triggers, triggers.data, triggers.size);
	spool->is_counted = true;
	status = spool_save_formats(spool, NULL, &none, error);
	if (status == 0 && spool_save_symbols_now(spool, error) == 0 &&
	    spool_save_now(spool, error) == 0)
		status = spool_join(spool, error);
	else
		status = -1;
	/* Nothing can be recovered of it. */
	spool->folder.is_kept = false;
	buffer_release(&none);
	return status;
}
