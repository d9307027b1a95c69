// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoints, descriptors of tracks, and their names, which are unique among siblings. A track is
 * below the process or thread that it is about if that is known, else below a track with its
 * tracepoint's name.
 */
#include "sink/perfetto/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sink/proto.h"

/* A cell is 0 for an unused number, else the birth of its last owner, and this flag. */
#define IS_LATER 1u
/* The birth of an owner whose birth is unknown. */
#define BORN_UNKNOWN 1

/*
 * Distinguishes processes or threads with the same number: @life becomes 0 for the first one of the
 * number, else its birth. Without a birth, which is 0 then, it is the last one of the number.
 * Returns whether it is a later one that was not seen before.
 */
static bool perfetto_life(struct perfetto_sink *sink, int id, int64_t born_ns, uint64_t *life)
{
	uint64_t **page, *cell;
	bool is_new;

	*life = 0;
	if (id <= 0 || id >= PERFETTO_IDS_MAX)
		return false;
	page = &sink->sequence->lives[id / PERFETTO_LIVES_PAGE];
	if (!*page)
		*page = calloc(PERFETTO_LIVES_PAGE, sizeof(**page));
	sink->file.out.failed |= !*page;
	if (!*page)
		return false;
	cell = &(*page)[id % PERFETTO_LIVES_PAGE];
	if (*cell == 0)
		*cell = (uint64_t)(born_ns > 0 ? born_ns : BORN_UNKNOWN) << 1;
	is_new = born_ns > 0 && (uint64_t)born_ns != *cell >> 1;
	if (is_new)
		*cell = (uint64_t)born_ns << 1 | IS_LATER;
	if (*cell & IS_LATER)
		*life = *cell >> 1;
	return is_new;
}

static struct text category_event(const struct timeline_category *category)
{
	const char *colon = strchr(category->text, ':');

	return text_of(colon ? colon + 1 : category->text);
}

static bool has_event(const void *value, const void *key)
{
	const struct perfetto_category *category = value;

	return text_equals(category_event(category->shown), *(const struct text *)key);
}

/* A track's category, created at its first use; NULL if memory ran out. */
static struct perfetto_category *category_get(struct perfetto_sink *sink,
					      const struct timeline_track *track)
{
	struct timeline_category *shown = track->category;
	struct perfetto_category *category = perfetto_category_of(sink, shown), *first;
	struct text event = category_event(shown);
	uint64_t hash = text_hash(event);

	if (category)
		return category;
	category = calloc(1, sizeof(*category));
	sink->file.out.failed |= !category;
	if (!category)
		return NULL;
	category->after = sink->categories;
	sink->categories = category;
	category->shown = shown;
	category->sequence = sink->sequence;
	category->iid = perfetto_string_intern(sink, INTERNED_CATEGORIES, text_of(shown->text));
	first = map_find(&sink->events, hash, has_event, &event);
	category->is_namesake = first && strcmp(first->shown->text, shown->text) != 0;
	if (!first && map_insert(&sink->events, hash, category) < 0)
		sink->file.out.failed = true;
	category->parent_uuid = perfetto_machine_uuid(track->machine);
	category->group_uuid = perfetto_uuid_of_seed(category->parent_uuid, UUID_GROUP,
						     text_hash(text_of(shown->text)));
	shown->sink_data[sink->file.sink_index] = category;
	return category;
}

/* Two tracks of different tracepoints below one task must have different names. */
static bool has_name(const void *value, const void *key)
{
	const struct perfetto_track *one = value, *other = key;

	return one->parent_uuid == other->parent_uuid && one->name_hash == other->name_hash;
}

static uint64_t place_hash(const struct perfetto_track *track)
{
	return track->name_hash ^ track->parent_uuid;
}

/* Sets sink->file.text to the track's name below its parent. */
static void label_below_task(struct perfetto_sink *sink, const struct timeline_track *shown,
			     struct perfetto_track *track)
{
	const struct perfetto_category *category = track->category;
	struct buffer *out = &sink->file.text;
	const struct perfetto_track *holder;
	bool is_shared;

	buffer_clear(out);
	if (shown->name.size > 0)
		buffer_append(out, shown->name.data, shown->name.size);
	else
		buffer_append_string(out, shown->category->text);
	if (!sink->has_one_buffer && shown->buffer && shown->buffer[0])
		buffer_printf(out, " in %s", shown->buffer);
	track->name_hash = text_hash(buffer_text(out));
	is_shared = category->is_namesake &&
		    text_equals(shown->name, category_event(shown->category));
	if (!is_shared) {
		holder = map_find(&sink->names, place_hash(track), has_name, track);
		is_shared = holder &&
			    strcmp(holder->category->shown->text, category->shown->text) != 0;
		if (!holder && map_insert(&sink->names, place_hash(track), track) < 0)
			sink->file.out.failed = true;
	}
	if (is_shared)
		buffer_printf(out, " (%s)", shown->category->text);
}

/* Labels have the buffer only if there are several, and no lane: all lanes have one name. */
static void append_label(const struct perfetto_sink *sink, struct buffer *out,
			 struct timeline_track shown)
{
	if (sink->has_one_buffer)
		shown.buffer = NULL;
	shown.lane = 0;
	shown.machine = NULL;
	track_append_label(out, &shown);
}

static void append_label_alone(const struct perfetto_sink *sink, struct buffer *out,
			       const struct timeline_track *shown)
{
	struct timeline_track rest = *shown;

	if (text_equals(shown->name, category_event(shown->category)))
		rest.name = text_of("");
	buffer_append_string(out, shown->category->text);
	if (rest.name.size > 0 || rest.scope != SCOPE_GLOBAL)
		buffer_append_char(out, ' ');
	append_label(sink, out, rest);
}

/* Idle tasks all have the number 0; their CPUs sort them. */
static int32_t rank_of(const struct timeline_track *shown)
{
	int64_t number = shown->id.signed_number;

	if (shown->cpu >= 0)
		return shown->cpu;
	if (shown->id.kind == VALUE_UNSIGNED && shown->id.unsigned_number > INT32_MAX)
		return INT32_MAX;
	if (number > INT32_MAX)
		return INT32_MAX;
	return number < INT32_MIN ? INT32_MIN : (int32_t)number;
}

static void waiting_release(struct perfetto_waiting *waiting)
{
	buffer_release(&waiting->in_group);
	buffer_release(&waiting->alone);
	buffer_release(&waiting->description);
	*waiting = (struct perfetto_waiting){ 0 };
}

void perfetto_descriptor_write(struct perfetto_sink *sink,
			       const struct perfetto_descriptor *descriptor)
{
	struct perfetto_message begun = perfetto_message_begin(sink, PACKET_TRACK_DESCRIPTOR);
	uint64_t key = descriptor->is_counter ? 0 : descriptor->merge_key;
	struct buffer *out = &sink->file.out;
	char text[2 * sizeof(key) + 1];
	size_t description;

	proto_number(out, TRACK_DESCRIPTOR_UUID, descriptor->uuid);
	if (descriptor->parent_uuid > 0)
		proto_number(out, TRACK_DESCRIPTOR_PARENT_UUID, descriptor->parent_uuid);
	proto_text(out, TRACK_DESCRIPTOR_NAME, descriptor->name);
	if (descriptor->shown) {
		/* JSON is well-formed UTF-8, and so needs no proto_text(). */
		description = proto_begin(out, TRACK_DESCRIPTOR_DESCRIPTION);
		track_append_identity(out, descriptor->shown);
		proto_end(out, description);
	} else if (descriptor->description.size > 0) {
		proto_text(out, TRACK_DESCRIPTOR_DESCRIPTION, descriptor->description);
	}
	proto_number(out, TRACK_DESCRIPTOR_MERGE_BEHAVIOR, key ? MERGE_BY_KEY : MERGE_NONE);
	snprintf(text, sizeof(text), "%" PRIx64, key);
	if (key)
		proto_text(out, TRACK_DESCRIPTOR_MERGE_KEY, text_of(text));
	if (descriptor->is_ordered)
		proto_number(out, TRACK_DESCRIPTOR_CHILD_ORDERING, ORDERING_EXPLICIT);
	if (descriptor->has_rank)
		proto_signed(out, TRACK_DESCRIPTOR_ORDER_RANK, descriptor->rank);
	if (descriptor->is_counter)
		proto_end(out, proto_begin(out, TRACK_DESCRIPTOR_COUNTER));
	perfetto_message_end(sink, begun);
}

static void waiting_end(struct perfetto_sink *sink, struct perfetto_waiting *waiting,
			const struct perfetto_category *group)
{
	struct perfetto_descriptor track = {
		.uuid = waiting->uuid,
		.parent_uuid = group ? group->group_uuid : waiting->parent_uuid,
		.name = buffer_text(group ? &waiting->in_group : &waiting->alone),
		.description = buffer_text(&waiting->description),
		.merge_key = waiting->merge_key,
		.has_rank = group,
		.rank = waiting->rank,
	};

	if (waiting->is_there)
		perfetto_descriptor_write(sink, &track);
	waiting_release(waiting);
}

uint64_t perfetto_machine_uuid(const struct timeline_machine *machine)
{
	if (!machine)
		return 0;
	return perfetto_uuid_of_seed(0, UUID_MACHINE, text_hash(text_of(machine->name)));
}

static void group_open(struct perfetto_sink *sink, struct perfetto_category *category)
{
	const struct perfetto_descriptor group = {
		.uuid = category->group_uuid,
		.parent_uuid = category->parent_uuid,
		.name = text_of(category->shown->text),
		.is_ordered = true,
	};

	if (category->has_group)
		return;
	category->has_group = true;
	perfetto_descriptor_write(sink, &group);
	waiting_end(sink, &category->waiting, category);
}

/* Writes the descriptor of a track without a process, or keeps it waiting. */
static void group_track_add(struct perfetto_sink *sink, struct perfetto_category *category,
			    const struct timeline_track *shown, uint64_t uuid, uint64_t merge_key)
{
	struct perfetto_waiting *waiting = &category->waiting;
	struct perfetto_descriptor track = { .uuid = uuid,
					     .parent_uuid = category->group_uuid,
					     .shown = shown,
					     .merge_key = merge_key,
					     .is_counter = shown->kind == TRACK_COUNTER,
					     .has_rank = true,
					     .rank = rank_of(shown) };

	if (!category->has_group && !waiting->is_there && shown->kind == TRACK_SLICES) {
		waiting->is_there = true;
		waiting->parent_uuid = perfetto_machine_uuid(shown->machine);
		waiting->rank = track.rank;
		waiting->uuid = uuid;
		waiting->merge_key = merge_key;
		append_label(sink, &waiting->in_group, *shown);
		append_label_alone(sink, &waiting->alone, shown);
		track_append_identity(&waiting->description, shown);
		sink->file.out.failed |= waiting->in_group.failed || waiting->alone.failed ||
					 waiting->description.failed;
		return;
	}
	group_open(sink, category);
	buffer_clear(&sink->file.text);
	append_label(sink, &sink->file.text, *shown);
	track.name = buffer_text(&sink->file.text);
	perfetto_descriptor_write(sink, &track);
}

void perfetto_groups_open(struct perfetto_sink *sink)
{
	for (struct perfetto_category *one = sink->categories; one; one = one->after) {
		sink->sequence = one->sequence;
		if (one->waiting.is_there)
			group_open(sink, one);
	}
}

void perfetto_groups_end(struct perfetto_sink *sink)
{
	for (struct perfetto_category *one = sink->categories; one; one = one->after) {
		sink->sequence = one->sequence;
		waiting_end(sink, &one->waiting, NULL);
	}
	sink->sequence = &sink->sequences[0];
}

/*
 * The same for lanes of a track, for tracks that continue others (their thread was renamed, or they
 * were evicted), and for those of other recordings in the file. Siblings that merge must have one
 * name, and in a group it contains the thread's. Overwrites sink->file.text.
 */
static uint64_t merge_key_of(struct perfetto_sink *sink, const struct timeline_track *shown,
			     bool is_in_group)
{
	struct timeline_track first = *shown;

	first.lane = 0;
	first.cgroup = NULL;
	if (!is_in_group)
		first.comm = "";
	buffer_clear(&sink->file.text);
	track_append_identity(&sink->file.text, &first);
	return text_hash(buffer_text(&sink->file.text)) | 1;
}

struct task_ids {
	int64_t time_ns;   /* when it is described: tasks with one number must be in their order */
	int tid;	   /* of the thread, or 0 */
	int pid;	   /* of the process */
	uint64_t tid_life; /* see perfetto_life() */
	uint64_t pid_life;
	bool tid_is_new; /* what that returned */
	bool pid_is_new;
	const char *cgroup; /* of the process, NULL for none */
};

static uint64_t process_uuid(const struct perfetto_sink *sink, const struct task_ids *ids)
{
	uint64_t number = (uint64_t)sink->sequence->machine_id << 32 | (uint32_t)ids->pid;

	return perfetto_uuid_of_seed(ids->pid_life, UUID_PROCESS, number);
}

static uint64_t thread_uuid(const struct perfetto_sink *sink, const struct task_ids *ids)
{
	uint64_t life = process_uuid(sink, ids);

	if (ids->tid_life > 0)
		life = perfetto_uuid_of_seed(life, UUID_THREAD, ids->tid_life);
	return perfetto_uuid_of_seed(life, UUID_THREAD, ids->tid);
}

static void task_descriptor_write(struct perfetto_sink *sink, const struct task_ids *ids,
				  bool is_thread, uint64_t uuid, const char *name)
{
	struct perfetto_message begun = { .packet = perfetto_packet_begin(sink, is_thread) };
	struct buffer *out = &sink->file.out;
	size_t task;

	proto_number(out, PACKET_TIMESTAMP, ids->time_ns);
	begun.message = proto_begin(out, PACKET_TRACK_DESCRIPTOR);
	proto_number(out, TRACK_DESCRIPTOR_UUID, uuid);
	task = proto_begin(out, is_thread ? TRACK_DESCRIPTOR_THREAD : TRACK_DESCRIPTOR_PROCESS);
	proto_signed(out, is_thread ? THREAD_PID : PROCESS_PID, ids->pid);
	if (is_thread)
		proto_signed(out, THREAD_TID, ids->tid);
	if (name[0])
		proto_text(out, is_thread ? THREAD_NAME : PROCESS_NAME, text_of(name));
	if (!is_thread && ids->pid_life > 0)
		proto_signed(out, PROCESS_START_NS, (int64_t)ids->pid_life);
	if (!is_thread && ids->cgroup)
		proto_text(out, PROCESS_LABELS, text_of(ids->cgroup));
	proto_end(out, task);
	perfetto_message_end(sink, begun);
}

/*
 * If a number is used again, Perfetto makes a new process (or thread) for the second id of the last
 * one, but does not keep the second id as that of the new one, so a third id would be the second's
 * (track_event_tracker.cc, ResolveDescriptorTrackImpl). Hence each later one has two ids, of which
 * the second one is used: it is of the new one whether Perfetto keeps the first or not.
 */
static void task_write(struct perfetto_sink *sink, const struct task_ids *ids, bool is_thread,
		       uint64_t uuid, const char *name)
{
	/* Perfetto makes the main thread with its process. */
	bool is_new = is_thread ? ids->tid_is_new && ids->tid != ids->pid : ids->pid_is_new;

	if (is_new)
		task_descriptor_write(sink, ids, is_thread,
				      perfetto_uuid_of_seed(uuid, UUID_BEFORE, 0), "");
	task_descriptor_write(sink, ids, is_thread, uuid, name);
}

/*
 * Writes what a track is about; returns its id, or 0. A thread of an unknown process is not
 * written, because Perfetto would invent a process for it. Its process ids are positive 32-bit
 * numbers; a scope may be any number.
 */
static uint64_t parent_describe(struct perfetto_sink *sink, const struct timeline_event *event)
{
	const struct timeline_track *shown = event->track;
	struct task_ids ids = { .time_ns = event->time_ns, .cgroup = shown->cgroup };
	bool is_thread = shown->scope == SCOPE_THREAD && shown->tgid > 0;
	uint64_t uuid;

	if (!is_thread && (shown->scope != SCOPE_PROCESS || shown->id.kind != VALUE_SIGNED ||
			   shown->id.signed_number <= 0 || shown->id.signed_number > INT32_MAX))
		return 0;
	ids.tid = is_thread ? (int)shown->id.signed_number : 0;
	ids.pid = is_thread ? shown->tgid : (int)shown->id.signed_number;
	ids.pid_is_new = perfetto_life(
		sink, ids.pid, is_thread ? shown->process_born_ns : shown->born_ns, &ids.pid_life);
	uuid = process_uuid(sink, &ids);
	task_write(sink, &ids, false, uuid,
		   is_thread && ids.tid != ids.pid ? shown->process_comm : shown->comm);
	if (!is_thread)
		return uuid;
	ids.tid_is_new = perfetto_life(sink, ids.tid, shown->born_ns, &ids.tid_life);
	uuid = thread_uuid(sink, &ids);
	task_write(sink, &ids, true, uuid, shown->comm);
	return uuid;
}

/* Renders the constant fields of a track's events. */
static void place_make(struct perfetto_sink *sink, struct perfetto_track *track, uint64_t uuid)
{
	struct buffer *text = &sink->file.text;

	buffer_clear(text);
	proto_number(text, EVENT_TRACK_UUID, uuid);
	proto_number(text, EVENT_CATEGORY_IIDS, track->category->iid);
	if (text->failed || text->size > PERFETTO_PLACE_SIZE) {
		sink->file.out.failed = true;
		return;
	}
	memcpy(track->place, text->data, text->size);
	track->place_size = text->size;
}

static void row_describe(struct perfetto_sink *sink, const struct row *row,
			 const struct timeline_track *shown)
{
	struct perfetto_row *place = row->data;
	uint64_t parent_uuid = place->parent_uuid;
	struct perfetto_descriptor descriptor = {
		.parent_uuid = parent_uuid ? parent_uuid : perfetto_machine_uuid(shown->machine),
	};

	place->uuid = place->thread_uuid;
	/*
	 * The first row of a thread is its own track, where all viewers look for its slices. In a
	 * trace that is appended to, that track may have others' slices, which ours need not nest
	 * in.
	 */
	if (row->number == 1 && parent_uuid > 0 && !sink->is_appending)
		return;
	place->uuid = perfetto_uuid_of(sink, UUID_ROW, place->thread_uuid + row->number);
	descriptor.uuid = place->uuid;
	descriptor.merge_key = place->uuid;
	buffer_clear(&sink->file.text);
	rows_append_name(&sink->file.text, row, shown);
	descriptor.name = buffer_text(&sink->file.text);
	perfetto_descriptor_write(sink, &descriptor);
}

void perfetto_row_place(struct perfetto_sink *sink, struct perfetto_track *track,
			const struct timeline_track *shown, struct row *row)
{
	const struct perfetto_row *first = row_first(row)->data;
	struct perfetto_row *place = row->data;
	uint64_t uuid;

	if (!place) {
		place = row->data = calloc(1, sizeof(*place));
		sink->file.out.failed |= !place;
		if (!place)
			return;
		place->parent_uuid = first ? first->parent_uuid : track->parent_uuid;
		uuid = first ? first->thread_uuid : track->parent_uuid;
		if (!first && uuid == 0) {
			/* Without a process, all tracks of a thread must find one id. */
			uuid = perfetto_machine_uuid(shown->machine) + (uint64_t)shown->born_ns;
			uuid = perfetto_uuid_of_seed(uuid, UUID_ROW, (uint64_t)shown->cpu);
			uuid = perfetto_uuid_of_seed(uuid, UUID_ROW, shown->id.unsigned_number);
		}
		place->thread_uuid = uuid;
		row_describe(sink, row, shown);
	}
	track->place_row = row;
	place_make(sink, track, place->uuid);
}

void perfetto_track_begin(struct perfetto_sink *sink, const struct timeline_event *event)
{
	struct timeline_track *shown = event->track;
	struct perfetto_category *category = category_get(sink, shown);
	struct perfetto_track *track = sink_file_track_new(&sink->file, shown, sizeof(*track));
	struct perfetto_descriptor descriptor = { .shown = shown,
						  .is_counter = shown->kind == TRACK_COUNTER };

	if (!category || !track)
		return;
	track->category = category;
	track->parent_uuid = parent_describe(sink, event);
	if (!sink_file_rows_begin(&sink->file, &track->link, shown))
		return;
	if (track->link.row.row) {
		track->has_name = row_track_is_named(shown);
		perfetto_row_place(sink, track, shown, track->link.row.row);
		return;
	}
	descriptor.parent_uuid = track->parent_uuid;
	descriptor.merge_key = merge_key_of(sink, shown, track->parent_uuid == 0);
	/* Perfetto does not merge counters; one that continues another has its id. */
	descriptor.uuid = perfetto_uuid_of(sink, UUID_TRACK, shown->number);
	if (shown->kind == TRACK_COUNTER)
		descriptor.uuid = perfetto_uuid_of_seed(track->parent_uuid ? track->parent_uuid
									   : category->group_uuid,
							UUID_COUNTER, descriptor.merge_key);
	place_make(sink, track, descriptor.uuid);
	if (track->parent_uuid == 0) {
		group_track_add(sink, category, shown, descriptor.uuid, descriptor.merge_key);
		return;
	}
	label_below_task(sink, shown, track);
	descriptor.name = buffer_text(&sink->file.text);
	perfetto_descriptor_write(sink, &descriptor);
}

void perfetto_track_end(struct perfetto_sink *sink, const struct timeline_event *event)
{
	struct perfetto_track *track = perfetto_track_of(sink, event->track);

	if (!track->link.row.row && track->parent_uuid > 0)
		map_remove(&sink->names, place_hash(track), track);
}

void perfetto_tracks_release(struct perfetto_sink *sink)
{
	struct perfetto_fields *fields;

	while (sink->categories) {
		struct perfetto_category *category = sink->categories;

		sink->categories = category->after;
		waiting_release(&category->waiting);
		free(category);
	}
	for (size_t i = 0; i < sink->nr_sequences; i++) {
		for (size_t page = 0; page < PERFETTO_LIVES_PAGES; page++)
			free(sink->sequences[i].lives[page]);
	}
	map_for_each(&sink->fields.all, fields)
		free(fields->list);
	map_free(&sink->fields.all);
	free(sink->own_fields.list);
	map_release(&sink->events);
	map_release(&sink->names);
}
