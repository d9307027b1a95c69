// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracks that belong to no process are in a group: below a track with the name of their tracepoint,
 * sorted by number. A single track needs no group, and so the first one waits for a second one.
 * Perfetto accepts the descriptor of a track after its slices, but not after its samples.
 */
#include "sink/perfetto/state.h"

static int32_t number_clamp(int64_t number)
{
	if (number > INT32_MAX)
		return INT32_MAX;
	return number < INT32_MIN ? INT32_MIN : (int32_t)number;
}

/* Idle tasks all have the number 0; their CPUs sort them. */
static int32_t rank_of(const struct timeline_track *shown)
{
	if (shown->cpu >= 0)
		return shown->cpu;
	if (shown->id.kind == VALUE_UNSIGNED && shown->id.unsigned_number > INT32_MAX)
		return INT32_MAX;
	return number_clamp(shown->id.signed_number);
}

void perfetto_waiting_release(struct perfetto_waiting *waiting)
{
	buffer_release(&waiting->in_group);
	buffer_release(&waiting->alone);
	buffer_release(&waiting->description);
	*waiting = (struct perfetto_waiting){ 0 };
}

static int waiting_end(struct perfetto_sink *sink, struct perfetto_waiting *waiting,
		       const struct perfetto_category *group, struct error *error)
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
	int status;

	if (!waiting->is_there)
		return 0;
	status = perfetto_descriptor_write(sink, &track, error);
	perfetto_waiting_release(waiting);
	return status;
}

uint64_t perfetto_machine_uuid(const struct timeline_machine *machine)
{
	if (!machine)
		return 0;
	return perfetto_uuid_of_seed(0, UUID_MACHINE, text_hash(text_of(machine->name)));
}

static int group_open(struct perfetto_sink *sink, struct perfetto_category *category,
		      struct error *error)
{
	const struct perfetto_descriptor group = {
		.uuid = category->group_uuid,
		.parent_uuid = category->parent_uuid,
		.name = text_of(category->shown->text),
		.is_ordered = true,
	};

	if (category->has_group)
		return 0;
	category->has_group = true;
	if (perfetto_descriptor_write(sink, &group, error) < 0)
		return -1;
	return waiting_end(sink, &category->waiting, category, error);
}

static int waiting_begin(struct perfetto_sink *sink, struct perfetto_waiting *waiting,
			 const struct timeline_track *shown, uint64_t uuid, uint64_t merge_key,
			 struct error *error)
{
	waiting->is_there = true;
	waiting->parent_uuid = perfetto_machine_uuid(shown->machine);
	waiting->rank = rank_of(shown);
	waiting->uuid = uuid;
	waiting->merge_key = merge_key;
	perfetto_label_in_group(sink, &waiting->in_group, shown);
	perfetto_label_alone(sink, &waiting->alone, shown);
	track_append_identity(&waiting->description, shown);
	if (waiting->in_group.failed || waiting->alone.failed || waiting->description.failed)
		return error_set(error, "out of memory");
	return 0;
}

static int member_write(struct perfetto_sink *sink, const struct perfetto_category *category,
			const struct timeline_track *shown, uint64_t uuid, uint64_t merge_key,
			struct error *error)
{
	struct perfetto_descriptor track = { .uuid = uuid,
					     .parent_uuid = category->group_uuid,
					     .shown = shown,
					     .merge_key = merge_key,
					     .is_counter = shown->kind == TRACK_COUNTER,
					     .has_rank = true,
					     .rank = rank_of(shown) };

	buffer_clear(&sink->file.text);
	perfetto_label_in_group(sink, &sink->file.text, shown);
	track.name = buffer_text(&sink->file.text);
	return perfetto_descriptor_write(sink, &track, error);
}

int perfetto_group_add(struct perfetto_sink *sink, struct perfetto_category *category,
		       const struct timeline_track *shown, uint64_t uuid, uint64_t merge_key,
		       struct error *error)
{
	bool is_first = !category->has_group && !category->waiting.is_there;

	if (is_first && shown->kind == TRACK_SLICES)
		return waiting_begin(sink, &category->waiting, shown, uuid, merge_key, error);
	if (group_open(sink, category, error) < 0)
		return -1;
	return member_write(sink, category, shown, uuid, merge_key, error);
}

int perfetto_groups_open(struct perfetto_sink *sink, struct error *error)
{
	for (struct perfetto_category *one = sink->categories; one; one = one->after) {
		sink->sequence = one->sequence;
		if (one->waiting.is_there && group_open(sink, one, error) < 0)
			return -1;
	}
	return 0;
}

int perfetto_groups_end(struct perfetto_sink *sink, struct error *error)
{
	for (struct perfetto_category *one = sink->categories; one; one = one->after) {
		sink->sequence = one->sequence;
		if (waiting_end(sink, &one->waiting, NULL, error) < 0)
			return -1;
	}
	sink->sequence = &sink->sequences[0];
	return 0;
}
