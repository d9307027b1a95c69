// SPDX-License-Identifier: GPL-2.0-only
/* Takes the messages of the reader: checks them, and queues the records that are new. */
#include "userring/recorded.h"

#include <ktrack/user/layout.h>
#include <stdlib.h>
#include <string.h>

/* More than the reader may have at once, and than the users of a machine who have programs. */
#define RECORDED_MAX 8192
#define RECORDED_USERS_MAX 8192

static bool program_equals(const void *value, const void *key)
{
	return memcmp(&((const struct recorded_program *)value)->id, key,
		      sizeof(struct memory_id)) == 0;
}

static uint64_t id_hash(const struct memory_id *id)
{
	return hash_number(id->inode + hash_number(id->device));
}

static struct recorded_program *recorded_find(const struct recorded *recorded,
					      const struct memory_id *id)
{
	return map_find(&recorded->by_id, id_hash(id), program_equals, id);
}

static void recorded_program_free(struct recorded_program *program)
{
	free(program->ids);
	free(program->rings);
	free(program);
}

/* Returns NULL if memory ran out. */
static struct recorded_program *recorded_program_new(struct recorded *recorded,
						     const struct part_program *part)
{
	const struct part_ring *rings = (const struct part_ring *)(part + 1);
	struct recorded_program *program = calloc(1, sizeof(*program));

	if (!program)
		return NULL;
	*program = (struct recorded_program){ .id = part->id,
					      .pid = part->pid,
					      .lost = part->lost,
					      .nr_rings = part->nr_rings,
					      .user = user_table_find(&recorded->users, part->user),
					      .rings = calloc(part->nr_rings + 1,
							      sizeof(*program->rings)) };
	if (!program->user || !program->rings) {
		recorded_program_free(program);
		return NULL;
	}
	for (size_t i = 0; i < program->nr_rings; i++)
		program->rings[i] = (struct recorded_ring){ rings[i].tail, rings[i].lost };
	return program;
}

static enum recorded_status recorded_add(struct recorded *recorded,
					 struct recorded_program *program)
{
	if (!array_reserve(recorded->list, recorded->size) ||
	    map_insert(&recorded->by_id, id_hash(&program->id), program) < 0) {
		recorded_program_free(program);
		return RECORDED_NO_MEMORY;
	}
	recorded->list[recorded->size++] = program;
	return RECORDED_WHOLE;
}

static void recorded_remove(struct recorded *recorded, struct recorded_program *program)
{
	for (size_t i = 0; i < recorded->size; i++) {
		if (recorded->list[i] == program)
			recorded->list[i] = recorded->list[--recorded->size];
	}
	map_remove(&recorded->by_id, id_hash(&program->id), program);
	recorded_program_free(program);
}

/* A known one goes on where its records were taken. */
static enum recorded_status program_take(struct recorded *recorded, const struct part *head)
{
	const struct part_program *part = (const struct part_program *)head;
	struct recorded_program *program = recorded_find(recorded, &part->id);

	if (part->nr_rings > KTRACK_USER_RINGS ||
	    head->size < sizeof(*part) + part->nr_rings * sizeof(struct part_ring))
		return RECORDED_DAMAGED;
	if (program) {
		program->is_missing = false;
		return program->nr_rings == part->nr_rings ? RECORDED_WHOLE : RECORDED_DAMAGED;
	}
	if (recorded->size >= RECORDED_MAX || recorded->users.size >= RECORDED_USERS_MAX)
		return RECORDED_DAMAGED;
	program = recorded_program_new(recorded, part);
	return program ? recorded_add(recorded, program) : RECORDED_NO_MEMORY;
}

/* Makes space for an id; returns false if memory ran out. */
static bool program_grow_ids(struct recorded_program *program, uint16_t number)
{
	size_t size = program->nr_ids ? program->nr_ids : 64;
	uint16_t *ids;

	while (size <= number)
		size *= 2;
	if (size == program->nr_ids)
		return true;
	ids = reallocarray(program->ids, size, sizeof(*ids));
	if (!ids)
		return false;
	memset(ids + program->nr_ids, 0, (size - program->nr_ids) * sizeof(*ids));
	program->ids = ids;
	program->nr_ids = size;
	return true;
}

static enum recorded_status described_event_take(struct recorded *recorded, const struct part *head)
{
	static const size_t begin = offsetof(struct ktrack_user_event, kind);
	const struct part_event *part = (const struct part_event *)head;
	struct recorded_program *program = recorded_find(recorded, &part->id);
	const unsigned char *bytes = (const unsigned char *)(part + 1);
	struct described_event event;
	struct text source;
	uint16_t number, id;

	if (!program || part->size > head->size - sizeof(*part) ||
	    part->size < sizeof(struct ktrack_user_event))
		return RECORDED_DAMAGED;
	source = (struct text){ (const char *)bytes + begin, part->size - begin };
	memcpy(&number, bytes + offsetof(struct ktrack_user_event, number), sizeof(number));
	id = event_table_find(&recorded->events, source);
	if (id == 0) {
		if (!event_describe(&event, bytes, part->size))
			return RECORDED_DAMAGED;
		id = event_table_add(&recorded->events, source, &event, program->user);
	}
	if (recorded->events.has_failed || !program_grow_ids(program, number))
		return RECORDED_NO_MEMORY;
	program->ids[number] = id;
	return RECORDED_WHOLE;
}

/* Nobody's records push out those of a user who has less than an equal share of the memory. */
static bool recorded_has_place(const struct recorded *recorded, const struct program_user *user)
{
	return queue_bytes(&recorded->queue) < recorded->size_max ||
	       queue_user_bytes(&recorded->queue, user->number) <
		       recorded->size_max / recorded->users.size;
}

/* Takes a record of a ring; one without all fields of its event is lost. */
static enum recorded_status sent_record_take(struct recorded *recorded,
					     const struct recorded_program *program,
					     const unsigned char *bytes, size_t size)
{
	unsigned char packed[KTRACK_USER_RECORD_MAX];
	struct ktrack_user_record record;
	size_t packed_size = 0;

	if (size < sizeof(record) || size > sizeof(packed))
		return RECORDED_DAMAGED;
	memcpy(&record, bytes, sizeof(record));
	record.number = record.number < program->nr_ids ? program->ids[record.number] : 0;
	record.flags = 0;
	record.tgid = program->pid;
	if (record.number == 0 || record.time_ns >= RECORD_TIME_LIMIT)
		return RECORDED_DAMAGED;
	if (record.number != EVENT_LEFT_OUT && recorded_has_place(recorded, program->user))
		packed_size = record_pack(event_table_packing(&recorded->events, record.number),
					  &record, bytes + KTRACK_USER_STORED,
					  size - KTRACK_USER_STORED, packed);
	if (packed_size == 0) {
		recorded->nr_left_out++;
		return RECORDED_WHOLE;
	}
	return queue_add(&recorded->queue, program->user->number, record.time_ns, packed,
			 packed_size) < 0
		       ? RECORDED_NO_MEMORY
		       : RECORDED_WHOLE;
}

/* The size of an entry, of which @size bytes are left; 0 if it cannot be. */
static size_t sent_entry_size(const unsigned char *bytes, size_t size, uint32_t *word)
{
	size_t entry;

	if (size < 8)
		return 0;
	memcpy(word, bytes, sizeof(*word));
	entry = *word & ~7u;
	return *word & KTRACK_USER_COMMITTED && entry >= 8 && entry <= size ? entry : 0;
}

/* Takes the entries of a ring from @part on that are not taken yet. */
static enum recorded_status entries_take(struct recorded *recorded,
					 const struct recorded_program *program,
					 struct recorded_ring *ring,
					 const struct part_records *part)
{
	const unsigned char *bytes = (const unsigned char *)(part + 1);
	size_t size = part->to - part->from;
	enum recorded_status status = RECORDED_WHOLE;

	for (size_t at = 0, entry; at < size && status == RECORDED_WHOLE; at += entry) {
		uint32_t word;

		entry = sent_entry_size(bytes + at, size - at, &word);
		if (entry == 0)
			return RECORDED_DAMAGED;
		if ((int64_t)(part->from + at - ring->to) < 0)
			continue;
		ring->to = part->from + at + entry;
		if (!(word & KTRACK_USER_PAD))
			status = sent_record_take(recorded, program, bytes + at, entry);
	}
	return status;
}

/* Notes that the writer's count has grown. */
static int lost_take(struct recorded *recorded, uint64_t now, uint64_t *before, int64_t now_ns)
{
	uint64_t lost = now - *before;

	if (now == *before)
		return 0;
	*before = now;
	if (lost > INT32_MAX)
		return queue_lose(&recorded->queue, now_ns, LOSS_COUNT_UNKNOWN);
	recorded->queue.counts.in_rings += lost;
	return queue_lose(&recorded->queue, now_ns, (int64_t)lost);
}

static enum recorded_status records_take(struct recorded *recorded, const struct part *head)
{
	const struct part_records *part = (const struct part_records *)head;
	struct recorded_program *program = recorded_find(recorded, &part->id);
	int64_t now_ns = time_now_ns(CLOCK_BOOTTIME), nr_left_out;
	enum recorded_status status;
	struct recorded_ring *ring;

	if (!program || part->ring >= program->nr_rings ||
	    part->to - part->from > head->size - sizeof(*part))
		return RECORDED_DAMAGED;
	ring = &program->rings[part->ring];
	/* Only the program itself can have moved its tail. */
	if ((int64_t)(part->from - ring->to) > 0 &&
	    queue_lose(&recorded->queue, now_ns, LOSS_COUNT_UNKNOWN) < 0)
		return RECORDED_NO_MEMORY;
	status = entries_take(recorded, program, ring, part);
	nr_left_out = recorded->nr_left_out;
	recorded->nr_left_out = 0;
	/* One loss for all of a message: each loss among records ends a sub-buffer. */
	if ((nr_left_out > 0 && queue_lose(&recorded->queue, now_ns, nr_left_out) < 0) ||
	    lost_take(recorded, part->lost, &ring->lost, now_ns) < 0)
		return RECORDED_NO_MEMORY;
	return status;
}

static enum recorded_status count_take(struct recorded *recorded, const struct part *head)
{
	const struct part_lost *part = (const struct part_lost *)head;
	struct recorded_program *program = recorded_find(recorded, &part->id);

	if (!program)
		return RECORDED_DAMAGED;
	return lost_take(recorded, part->lost, &program->lost, time_now_ns(CLOCK_BOOTTIME)) < 0
		       ? RECORDED_NO_MEMORY
		       : RECORDED_WHOLE;
}

static enum recorded_status task_take(struct recorded *recorded, const struct part *head)
{
	const struct part_task *part = (const struct part_task *)head;
	struct thread_identity identity = { .tgid = part->tgid };

	memcpy(identity.comm, part->comm, sizeof(identity.comm) - 1);
	task_table_put(&recorded->tasks, part->tid, &identity);
	return RECORDED_WHOLE;
}

static enum recorded_status ended_take(struct recorded *recorded, const struct part *head)
{
	const struct part_ended *part = (const struct part_ended *)head;
	struct recorded_program *program = recorded_find(recorded, &part->id);

	if (!program)
		return RECORDED_DAMAGED;
	recorded_remove(recorded, program);
	if (part->is_cut &&
	    queue_lose(&recorded->queue, time_now_ns(CLOCK_BOOTTIME), LOSS_COUNT_UNKNOWN) < 0)
		return RECORDED_NO_MEMORY;
	return RECORDED_WHOLE;
}

/** struct part_about - the least size of a kind, and who takes it; NULL for others */
struct part_about {
	size_t size;
	enum recorded_status (*take)(struct recorded *recorded, const struct part *part);
};

static const struct part_about parts[NR_PART_KINDS] = {
	[PART_BEGUN] = { sizeof(struct part_begun), NULL },
	[PART_PROGRAM] = { sizeof(struct part_program), program_take },
	[PART_EVENT] = { sizeof(struct part_event), described_event_take },
	[PART_RECORDS] = { sizeof(struct part_records), records_take },
	[PART_LOST] = { sizeof(struct part_lost), count_take },
	[PART_TASK] = { sizeof(struct part_task), task_take },
	[PART_ENDED] = { sizeof(struct part_ended), ended_take },
	[PART_NOTE] = { sizeof(struct part_note), NULL },
	[PART_SEARCHED] = { sizeof(struct part), NULL },
	[PART_PASSED] = { sizeof(struct part_passed), NULL },
	[PART_FOUND] = { sizeof(struct part_found), NULL },
	[PART_FOUND_EVENT] = { sizeof(struct part_event), NULL },
};

enum recorded_status recorded_take(struct recorded *recorded, const unsigned char *bytes,
				   size_t size, const struct part_visitor *others)
{
	enum recorded_status status = RECORDED_WHOLE;
	const struct part *part;

	for (size_t at = 0; at < size && status == RECORDED_WHOLE; at += part->size) {
		part = (const struct part *)(const void *)(bytes + at);
		if (size - at < sizeof(*part) || part->kind >= NR_PART_KINDS ||
		    part->size % 8 != 0 || part->size < parts[part->kind].size ||
		    part->size > size - at)
			return RECORDED_DAMAGED;
		if (parts[part->kind].take)
			status = parts[part->kind].take(recorded, part);
		else
			others->visit(others->context, part);
	}
	return status;
}

void recorded_begin_search(struct recorded *recorded)
{
	for (size_t i = 0; i < recorded->size; i++)
		recorded->list[i]->is_missing = true;
}

size_t recorded_end_search(struct recorded *recorded)
{
	size_t nr_missing = 0;

	for (size_t i = recorded->size; i > 0; i--) {
		if (!recorded->list[i - 1]->is_missing)
			continue;
		recorded_remove(recorded, recorded->list[i - 1]);
		nr_missing++;
	}
	return nr_missing;
}

void recorded_release(struct recorded *recorded)
{
	queue_release(&recorded->queue);
	event_table_release(&recorded->events);
	task_table_release(&recorded->tasks);
	user_table_release(&recorded->users);
	for (size_t i = 0; i < recorded->size; i++)
		recorded_program_free(recorded->list[i]);
	free(recorded->list);
	map_release(&recorded->by_id);
	*recorded = (struct recorded){ 0 };
}
