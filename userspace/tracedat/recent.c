// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps the newest sub-buffers. A reader that wakes up for each record reads sub-buffers with few
 * records; they are joined, so that the memory is full of records.
 */
#include "tracedat/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Each CPU has a sub-buffer that is being filled. */
#define SLOTS_MIN 16

static unsigned char *slot_bytes(const struct recent *recent, uint32_t slot)
{
	return recent->bytes + slot * recent->page_size;
}

/* Untouched memory is not allocated. */
static int recent_init(struct recent *recent, size_t size, struct error *error)
{
	size_t page_size = sysconf(_SC_PAGESIZE);
	size_t nr_slots = size / (page_size + sizeof(struct recent_slot));

	*recent = (struct recent){ .page_size = page_size, .free = RECENT_NONE };
	if (nr_slots < SLOTS_MIN)
		nr_slots = SLOTS_MIN;
	if (nr_slots >= RECENT_NONE)
		nr_slots = RECENT_NONE - 1;
	recent->slots = calloc(nr_slots, sizeof(*recent->slots));
	recent->bytes = mmap(NULL, nr_slots * page_size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	recent->nr_slots = nr_slots;
	if (recent->bytes != MAP_FAILED && recent->slots)
		return 0;
	if (recent->bytes == MAP_FAILED)
		recent->bytes = NULL;
	return error_set(error, "out of memory");
}

void recent_release(struct recent *recent)
{
	if (recent->bytes)
		munmap(recent->bytes, recent->nr_slots * recent->page_size);
	free(recent->slots);
	free(recent->cpus);
}

static struct recent_cpu *recent_cpu_get(struct recent *recent, int cpu, enum instance_kind kind)
{
	for (size_t i = 0; i < recent->nr_cpus; i++) {
		if (recent->cpus[i].cpu == cpu && recent->cpus[i].kind == kind)
			return &recent->cpus[i];
	}
	if (!array_reserve(recent->cpus, recent->nr_cpus))
		return NULL;
	recent->cpus[recent->nr_cpus] = (struct recent_cpu){
		.cpu = cpu, .kind = kind, .first = RECENT_NONE, .last = RECENT_NONE
	};
	return &recent->cpus[recent->nr_cpus++];
}

static void recent_drop(struct recent *recent, struct recent_cpu *cpu)
{
	uint32_t number = cpu->first;
	struct recent_slot *slot = &recent->slots[number];

	cpu->first = slot->next;
	if (cpu->first == RECENT_NONE)
		cpu->last = RECENT_NONE;
	recent->nr_records -= slot->nr_records;
	if (slot->last_ns >= recent->begin_ns)
		recent->begin_ns = slot->last_ns + 1;
	slot->next = recent->free;
	recent->free = number;
}

/* Drops the sub-buffer whose last record is the oldest. */
static void recent_drop_oldest(struct recent *recent)
{
	struct recent_cpu *oldest = NULL;

	for (size_t i = 0; i < recent->nr_cpus; i++) {
		struct recent_cpu *cpu = &recent->cpus[i];

		if (cpu->first != RECENT_NONE &&
		    (!oldest ||
		     recent->slots[cpu->first].last_ns < recent->slots[oldest->first].last_ns))
			oldest = cpu;
	}
	if (oldest)
		recent_drop(recent, oldest);
}

/* Walks a sub-buffer to its end. */
static void page_measure(struct page *page, struct recent_slot *slot)
{
	struct record record;

	while (page_next(page, &record)) {
		if (slot->nr_records++ == 0)
			slot->first_ns = record.time_ns;
		slot->last_ns = record.time_ns;
	}
}

/* Joins two sub-buffers, unless records behind a padding would be hidden. Returns the new size. */
static size_t slot_join(unsigned char *bytes, const struct recent_slot *last,
			const struct page *more, size_t nr_records, size_t size_max)
{
	struct recent_slot before = { 0 }, after = { 0 };
	unsigned char head[PAGE_HEADER_SIZE];
	struct page walk;
	size_t size;

	memcpy(head, bytes, sizeof(head));
	page_load(&walk, (struct page_layout){ 0 }, bytes, last->size);
	page_measure(&walk, &before);
	size = page_join(bytes, &walk, more, size_max);
	if (size == 0)
		return 0;
	page_load(&walk, (struct page_layout){ 0 }, bytes, size);
	page_measure(&walk, &after);
	if (after.nr_records == last->nr_records + nr_records)
		return size;
	memcpy(bytes, head, sizeof(head));
	return 0;
}

/* A number of lost records that does not fit is only in the account. */
static void slot_fill(struct recent *recent, uint32_t number, const void *bytes, size_t size,
		      const struct recent_slot *added)
{
	unsigned char *own = slot_bytes(recent, number);

	recent->slots[number] = *added;
	recent->slots[number].next = RECENT_NONE;
	if (size > recent->page_size) {
		memcpy(own, bytes, recent->page_size);
		page_forget_count(own);
		size = recent->page_size;
	} else {
		memcpy(own, bytes, size);
	}
	recent->slots[number].size = size;
}

bool recent_part_has(const struct recent_part *part, const struct recent_slot *slot)
{
	return slot->last_ns >= part->from_ns && slot->first_ns <= part->to_ns;
}

/* A copy of a sub-buffer with only the records of the part. Returns their number. */
static size_t part_copy(const struct recent_part *part, uint32_t number, unsigned char *out)
{
	const struct recent *recent = part->recent;
	const struct recent_slot *slot = &recent->slots[number];

	memcpy(out, slot_bytes(recent, number), slot->size);
	memset(out + slot->size, 0, recent->page_size - slot->size);
	if (slot->first_ns >= part->from_ns && slot->last_ns <= part->to_ns)
		return slot->nr_records;
	return page_cut(out, slot->size, part->from_ns, part->to_ns);
}

/* Counts the records of a CPU. */
static void recent_part_init(struct recent_part *part, const struct recent *recent,
			     const struct recent_cpu *cpu, int64_t from_ns, int64_t to_ns)
{
	unsigned char *page = malloc(recent->page_size);

	*part = (struct recent_part){
		.recent = recent,
		.cpu = cpu,
		.from_ns = from_ns,
		.to_ns = to_ns,
		.has_unknown = !page,
	};
	for (uint32_t i = cpu->first; page && i != RECENT_NONE; i = recent->slots[i].next) {
		const struct recent_slot *slot = &recent->slots[i];

		if (!recent_part_has(part, slot))
			continue;
		part->nr_records += part_copy(part, i, page);
		part->size += recent->page_size;
		/* The gap before the first record of the part is outside of it. */
		if (!slot->has_gap || slot->first_ns < from_ns)
			continue;
		part->lost += slot->gap_count >= 0 ? slot->gap_count : 0;
		part->has_unknown |= slot->gap_count < 0;
	}
	free(page);
}

int recent_part_write(const struct recent_part *part, int fd)
{
	const struct recent *recent = part->recent;
	unsigned char *page = malloc(recent->page_size);
	int status = page ? 0 : -1;

	for (uint32_t i = part->cpu->first; status == 0 && i != RECENT_NONE;
	     i = recent->slots[i].next) {
		if (!recent_part_has(part, &recent->slots[i]))
			continue;
		part_copy(part, i, page);
		status = file_write_all(fd, (const char *)page, recent->page_size, NULL);
	}
	free(page);
	return status;
}

/* Keeps the newest records in memory, and makes a trace.dat of those between two times. */

static int recent_begin(struct spool *spool, const struct instance *instance,
			const struct formats *known, uint64_t size, struct error *error)
{
	const char *directory = instance_directory(instance);
	SCOPED_BUFFER(list);

	spool->recent = calloc(1, sizeof(*spool->recent));
	if (!spool->recent)
		return error_set(error, "out of memory");
	if (recent_init(spool->recent, size, error) < 0)
		return -1;
	spool_origin_begin(&spool->origin, directory, buffer_modes);
	spool->origin.writer = instance_own_tid(instance);
	if (instance_files_open(&spool->instance, directory, error) < 0 ||
	    spool_list_formats(spool, instance, &list, error) < 0)
		return -1;
	return spool_save_formats(spool, known, &list, error);
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

int spool_take(struct spool *spool, int cpu, enum instance_kind kind, const void *bytes,
	       size_t size, struct error *error)
{
	struct recent *recent = spool->recent;
	struct recent_cpu *own = recent_cpu_get(recent, cpu, kind);
	struct recent_slot added = { 0 };
	struct page page, walk;
	struct recent_slot *last;
	uint32_t number;

	if (!own)
		return error_set(error, "out of memory");
	if (size > recent->page_size + PAGE_COUNT_SIZE)
		return error_set(error, "cpu %d: a sub-buffer of %zu bytes is larger than a page",
				 cpu, size);
	page_load(&page, (struct page_layout){ 0 }, bytes, size);
	walk = page;
	page_measure(&walk, &added);
	if (added.nr_records == 0 && !page.has_gap)
		return 0;
	if (added.nr_records == 0)
		added.first_ns = added.last_ns = page.time_ns;
	added.has_gap = page.has_gap;
	added.gap_count = page.gap_count;
	added.is_closed = page.has_gap || walk.is_damaged;
	/* The kernel fills the rest with zeros. */
	if (!added.is_closed)
		size = PAGE_HEADER_SIZE + page.size;
	if (added.last_ns > recent->end_ns)
		recent->end_ns = added.last_ns;
	recent->nr_records += added.nr_records;
	last = own->last == RECENT_NONE ? NULL : &recent->slots[own->last];
	if (last && !added.is_closed && !last->is_closed &&
	    last->size + page.size <= recent->page_size) {
		size_t joined = slot_join(slot_bytes(recent, own->last), last, &page,
					  added.nr_records, recent->page_size);

		if (joined > 0) {
			last->size = joined;
			last->nr_records += added.nr_records;
			last->last_ns = added.last_ns;
			return 0;
		}
	}
	if (recent->nr_used < recent->nr_slots) {
		number = recent->nr_used++;
	} else {
		if (recent->free == RECENT_NONE)
			recent_drop_oldest(recent);
		number = recent->free;
		recent->free = recent->slots[number].next;
	}
	slot_fill(recent, number, bytes, size, &added);
	if (own->last == RECENT_NONE)
		own->first = number;
	else
		recent->slots[own->last].next = number;
	own->last = number;
	return 0;
}

void spool_clear_recent(struct spool *spool, int64_t now_ns)
{
	struct recent *recent = spool->recent;

	for (size_t i = 0; i < recent->nr_cpus; i++) {
		while (recent->cpus[i].first != RECENT_NONE)
			recent_drop(recent, &recent->cpus[i]);
	}
	/* Records before that are missing from now on. */
	if (now_ns > recent->begin_ns)
		recent->begin_ns = now_ns;
}

struct recent_span spool_recent_span(const struct spool *spool)
{
	const struct recent *recent = spool->recent;

	return (struct recent_span){ .begin_ns = recent->begin_ns,
				     .end_ns = recent->end_ns,
				     .nr_records = recent->nr_records };
}

int spool_save_recent(struct spool *spool, const char *path, struct text triggers,
		      struct recent_saved *saved, struct error *error)
{
	static const struct spool_owner ourselves;
	const struct recent *recent = spool->recent;
	SCOPED_BUFFER(none);
	int status = -1;

	if (saved->from_ns < recent->begin_ns)
		saved->from_ns = recent->begin_ns;
	if (saved->from_ns > saved->to_ns)
		return error_set(error, "its records left memory before they were written; keep "
					"more in memory");
	/* From here on the spool has a folder. */
	spool_folder_release(&spool->folder);
	if (spool_folder_init(&spool->folder, path, &ourselves, error) < 0 ||
	    spool_folder_create(&spool->folder, error) < 0)
		return -1;
	for (size_t i = 0; i < recent->nr_cpus; i++) {
		const struct recent_cpu *cpu = &recent->cpus[i];
		struct spool_file *file = spool_file_add(spool, cpu->cpu, cpu->kind, error);

		if (!file)
			return -1;
		recent_part_init(&file->part, recent, cpu, saved->from_ns, saved->to_ns);
		file->has_part = true;
		file->size = file->part.size;
		if (cpu->kind == INSTANCE_SIDEBAND)
			continue;
		saved->nr_records += file->part.nr_records;
		saved->lost += file->part.lost;
		saved->has_unknown |= file->part.has_unknown;
	}
	buffer_append(&spool->origin.triggers, triggers.data, triggers.size);
	spool->is_counted = true;
	if (spool_save_formats(spool, NULL, &none, error) == 0 &&
	    spool_save_symbols_now(spool, error) == 0 && spool_save_now(spool, error) == 0)
		status = spool_join(spool, error);
	/* Nothing can be recovered of it. */
	spool->folder.is_kept = false;
	return status;
}
