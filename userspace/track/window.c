// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state at the begin of a window of time: what is open, and the threads; as lines of text for a
 * file that has no earlier records.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "track/state.h"

void tracks_copy_records(struct tracks *tracks, bool is_on)
{
	tracks->copies_records = is_on;
}

void tracks_set_timeline(struct tracks *tracks, struct timeline *timeline)
{
	tracks->timeline = timeline;
}

static int track_visit_open(const struct track *track,
			    int (*visit)(void *context, struct record_copy *begun_by,
					 const struct window_use *use),
			    void *context)
{
	uint64_t id = track->shown.id.unsigned_number;
	struct window_use use = { .category = track->category->shown.text, .owner = id };

	for (size_t i = 0; i < track->nr_slices; i++) {
		const struct slice *slice = &track->slices[i];

		use.id = slice->is_continued ? track->begun_id : id;
		use.value = slice->nr_hidden;
		if (slice->name && slice->begun_by && visit(context, slice->begun_by, &use) < 0)
			return -1;
	}
	use.id = id;
	use.value = track->sum;
	return track->changed_by && track->sum > 0 ? visit(context, track->changed_by, &use) : 0;
}

int tracks_visit_open(const struct tracks *tracks,
		      int (*visit)(void *context, struct record_copy *begun_by,
				   const struct window_use *use),
		      void *context)
{
	const struct track *track;
	const struct flow *flow;

	map_for_each(&tracks->map, track) {
		if (track_visit_open(track, visit, context) < 0)
			return -1;
	}
	map_for_each(&tracks->flows.pending, flow) {
		const struct category *category = flow->index < tracks->nr_categories
							  ? tracks->categories[flow->index]
							  : NULL;

		if (flow->begun_by && category &&
		    visit(context, flow->begun_by,
			  &(struct window_use){ .category = category->shown.text,
						.id = flow->scope_id,
						.owner = flow->scope_id }) < 0)
			return -1;
	}
	return 0;
}

void tracks_first_begins(const struct tracks *tracks, int64_t *first_ns, size_t nr_buffers)
{
	const struct track *track;

	for (size_t i = 0; i < nr_buffers; i++)
		first_ns[i] = INT64_MAX;
	map_for_each(&tracks->map, track) {
		for (size_t i = 0; track->buffer < nr_buffers && i < track->nr_slices; i++) {
			const struct slice *slice = &track->slices[i];

			if (slice->name && slice->begin_ns < first_ns[track->buffer])
				first_ns[track->buffer] = slice->begin_ns;
		}
	}
}

size_t tracks_number(const struct tracks *tracks)
{
	return tracks->map.size;
}

static bool task_has_tracks(const struct tracks *tracks, int tid)
{
	const struct task *task = tasks_find(&tracks->tasks, tid);

	return task && task->tracks;
}

bool tracks_needs(const struct tracks *tracks, const struct task_change *change)
{
	return task_has_tracks(tracks, change->tid) || task_has_tracks(tracks, change->old_tid) ||
	       (change->kind == TASK_CHANGE_EXITED && !tracks->tasks.sees_exits);
}

void tracks_clear(struct tracks *tracks)
{
	struct track *track;

	map_for_each(&tracks->map, track) {
		track_part(track);
		track_delete(track);
	}
	map_release(&tracks->map);
	lanes_release(tracks);
	flows_release(&tracks->flows);
	tracks->flows = (struct flows){ 0 };
	names_release(&tracks->names);
	tracks->names.max = tracks->settings.names_max ? tracks->settings.names_max
						       : TRACKS_NAMES_MAX;
	memset(tracks->recent, 0, sizeof(tracks->recent));
	tracks->idle.idle_before = tracks->idle.idle_after = &tracks->idle;
	tracks->open_size = tracks->names_size = 0;
	for (size_t i = 0; i < tracks->nr_categories; i++) {
		struct category *category = tracks->categories[i];

		if (category)
			*category = (struct category){ .shown.text = category->shown.text,
						       .deepest = category->deepest };
	}
	tracks->totals = (struct timeline_totals){ 0 };
	tracks->nr_seen = 0;
	tracks->is_behind = false;
	tracks->now_ns = tracks->start_ns;
	tracks->tasks.limit = tracks->tasks.map.size + TASKS_MAX;
}

/* Lines of text: names are the last of a line, in which these two bytes are escaped. */

static void task_name_append(struct buffer *out, const char *name)
{
	for (; *name; name++) {
		if (*name == '\n' || *name == '\\')
			buffer_append_char(out, '\\');
		buffer_append_char(out, *name == '\n' ? 'n' : *name);
	}
}

static void task_name_take(char *out, size_t size, struct text text)
{
	size_t used = 0;

	for (size_t i = 0; i < text.size && used + 1 < size; i++) {
		char byte = text.data[i];

		if (byte == '\\' && i + 1 < text.size)
			byte = text.data[++i] == 'n' ? '\n' : text.data[i];
		out[used++] = byte;
	}
	out[used] = '\0';
}

/* What is known of a thread but for its numbers and its name. */
enum task_flag {
	TASK_IS_LOOKED_UP = 1 << 0,
	TASK_IS_NEW = 1 << 1,
	TASK_AWAITS_FORK = 1 << 2,
	TASK_NAMES_ITSELF = 1 << 3,
	TASK_HAS_EXITED = 1 << 4,
};

static unsigned int task_flags(const struct task *task)
{
	return task->is_looked_up * TASK_IS_LOOKED_UP | task->is_new * TASK_IS_NEW |
	       task->awaits_fork * TASK_AWAITS_FORK | task->names_itself * TASK_NAMES_ITSELF |
	       task->has_exited * TASK_HAS_EXITED;
}

static int task_compare(const void *a, const void *b)
{
	const struct task *first = *(struct task *const *)a, *second = *(struct task *const *)b;

	return (first->tid > second->tid) - (first->tid < second->tid);
}

/* Whether a process is moved behind a part is not known there: the path of now holds until then. */
static void cgroup_save(const struct tracks *tracks, struct task *task, struct buffer *out)
{
	SCOPED_BUFFER(path);

	if (task_leader(&tracks->tasks, task) != task)
		return;
	if (task->cgroup)
		buffer_append_string(&path, task->cgroup);
	else
		tracks_look_up_cgroup(tracks, task->tid, &path);
	if (path.size > 0) {
		buffer_printf(out, "cgroup %d ", task->tid);
		task_name_append(out, buffer_string(&path));
		buffer_append_char(out, '\n');
	}
	out->failed |= path.failed;
}

void tracks_save_state(const struct tracks *tracks, struct buffer *out)
{
	struct task **list = calloc(tracks->tasks.map.size + 1, sizeof(*list)), *one;
	size_t size = 0;

	out->failed |= !list;
	if (list) {
		map_for_each(&tracks->tasks.map, one)
			list[size++] = one;
		qsort(list, size, sizeof(*list), task_compare);
	}
	if (tracks->tasks.sees_exits)
		buffer_append_string(out, "exits\n");
	for (size_t i = 0; i < size; i++) {
		struct task *task = list[i];

		buffer_printf(out, "task %d %d %d %lld %u ", task->tid, task->tgid,
			      task->parent_tid, (long long)task->born_ns, task_flags(task));
		task_name_append(out, task->comm);
		buffer_append_char(out, '\n');
		cgroup_save(tracks, task, out);
	}
	free(list);
	for (size_t i = 0; i < tracks->nr_categories; i++) {
		const struct category *category = tracks->categories[i];

		if (category && category->deepest > 0)
			buffer_printf(out, "deep %zu %s\n", category->deepest,
				      category->shown.text);
	}
	for (size_t i = 0; i < tracks->nr_suspicions; i++) {
		const struct suspicion *suspicion = &tracks->suspicions[i];

		for (size_t cpu = 0; cpu < suspicion->nr_cpus; cpu++) {
			if (suspicion->cpu_until_ns[cpu] > INT64_MIN)
				buffer_printf(out, "suspect %zu %zu %lld\n", i, cpu,
					      (long long)suspicion->cpu_until_ns[cpu]);
		}
	}
}

/* A file may contain any line. */
#define DEPTHS_MAX 4096
#define SUSPECT_BUFFERS_MAX 4096
#define SUSPECT_CPUS_MAX 65536
#define SUSPECT_MAX ((size_t)1 << 20)
#define TASKS_LOADED_MAX 65536

static int depth_load(struct tracks *tracks, const char *line)
{
	struct category_depth depth = { 0 };
	int size = 0;

	if (sscanf(line, "%zu %n", &depth.deepest, &size) != 1 || size == 0 ||
	    tracks->nr_depths == DEPTHS_MAX)
		return 0;
	depth.text = strdup(line + size);
	if (!depth.text || !array_reserve(tracks->depths, tracks->nr_depths)) {
		free(depth.text);
		return -1;
	}
	tracks->depths[tracks->nr_depths++] = depth;
	return 0;
}

size_t category_depth_find(const struct tracks *tracks, const char *text)
{
	for (size_t i = 0; i < tracks->nr_depths; i++) {
		if (strcmp(tracks->depths[i].text, text) == 0)
			return tracks->depths[i].deepest;
	}
	return 0;
}

static int suspicion_load(struct tracks *tracks, const char *line)
{
	unsigned int buffer, cpu;
	long long until_ns;

	if (sscanf(line, "%u %u %lld", &buffer, &cpu, &until_ns) != 3 ||
	    buffer >= SUSPECT_BUFFERS_MAX || cpu >= SUSPECT_CPUS_MAX || until_ns < 0)
		return 0;
	if (!array_extend(tracks->suspicions, tracks->nr_suspicions, buffer))
		return -1;
	/* A file names few, in order; all of hostile numbers would take gigabytes. */
	if (cpu >= tracks->suspicions[buffer].nr_cpus) {
		size_t more = cpu + 1 - tracks->suspicions[buffer].nr_cpus;

		if (more > SUSPECT_MAX - tracks->nr_suspect)
			return 0;
		tracks->nr_suspect += more;
	}
	return suspicion_add(&tracks->suspicions[buffer], cpu, until_ns);
}

static int task_load(struct tracks *tracks, const char *line, struct text rest)
{
	int tid, tgid, parent_tid, size = 0;
	unsigned int flags;
	long long born_ns;
	struct task *task;

	if (sscanf(line, "%d %d %d %lld %u%n", &tid, &tgid, &parent_tid, &born_ns, &flags, &size) !=
		    5 ||
	    tid < 0 || (size_t)size >= rest.size || tasks_find(&tracks->tasks, tid) ||
	    tracks->tasks.map.size >= TASKS_LOADED_MAX)
		return 0;
	tracks->tasks.limit = tracks->tasks.map.size + TASKS_MAX;
	task = tasks_add(&tracks->tasks, tid);
	if (!task)
		return -1;
	task->tgid = tgid;
	task->parent_tid = parent_tid;
	task->born_ns = born_ns;
	task->is_looked_up = flags & TASK_IS_LOOKED_UP;
	task->is_new = flags & TASK_IS_NEW;
	task->awaits_fork = flags & TASK_AWAITS_FORK;
	task->names_itself = flags & TASK_NAMES_ITSELF;
	task->has_exited = flags & TASK_HAS_EXITED;
	task_name_take(task->comm, sizeof(task->comm), text_from(rest, size + 1));
	return 0;
}

/* The line of the task is before it. */
static int cgroup_load(struct tracks *tracks, const char *line, struct text rest)
{
	char path[CGROUP_PATH_MAX + 1];
	struct task *task;
	int tid, size = 0;

	if (sscanf(line, "%d%n", &tid, &size) != 1 || (size_t)size >= rest.size)
		return 0;
	task = tasks_find(&tracks->tasks, tid);
	if (!task || task->cgroup)
		return 0;
	task_name_take(path, sizeof(path), text_from(rest, size + 1));
	task->cgroup = strdup(path);
	return task->cgroup ? 0 : -1;
}

int tracks_load_state(struct tracks *tracks, struct text line)
{
	bool is_task, is_depth, is_loss, is_cgroup;
	char numbers[256];

	if (text_equals(line, text_of("exits")))
		tracks->tasks.sees_exits = true;
	is_task = text_take_begin(&line, "task ");
	is_depth = !is_task && text_take_begin(&line, "deep ");
	is_loss = !is_task && !is_depth && text_take_begin(&line, "suspect ");
	is_cgroup = !is_task && !is_depth && !is_loss && text_take_begin(&line, "cgroup ");
	snprintf(numbers, sizeof(numbers), "%.*s", (int)line.size, line.data);
	return is_task	   ? task_load(tracks, numbers, line)
	       : is_depth  ? depth_load(tracks, numbers)
	       : is_loss   ? suspicion_load(tracks, numbers)
	       : is_cgroup ? cgroup_load(tracks, numbers, line)
			   : 0;
}
