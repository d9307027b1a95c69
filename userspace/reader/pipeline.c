// SPDX-License-Identifier: GPL-2.0-only
/* Decodes records, and delivers them to sinks. */
#include "reader/window.h"

#include <errno.h>
#include <fnmatch.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool stacks_want(void *context, const char *system, const char *name)
{
	(void)context;
	return strcmp(system, STACK_SYSTEM) == 0 && (!name || strcmp(name, STACK_NAME) == 0);
}

static int stacks_visit(void *context, const struct tracepoint *tracepoint, struct error *error)
{
	struct stacks *stacks = context;

	(void)error;
	/* A file has all its formats. */
	if (stacks_want(context, tracepoint->system, tracepoint->name))
		stack_layout_read(&stacks->layout, tracepoint->format,
				  source_describe(stacks->source)->is_swapped);
	return 0;
}

int stacks_open(struct stacks *stacks, struct source *source, const struct rules *rules,
		const struct report *report, struct error *error)
{
	const struct tracepoint_visitor visitor = { .context = stacks,
						    .wants = stacks_want,
						    .visit = stacks_visit };

	*stacks = (struct stacks){ .source = source, .rules = rules, .report = report };
	stacks->descriptor = (struct descriptor){ .index = stacks_index(rules),
						  .kind = DESCRIPTOR_SLICE,
						  .scope = DESCRIPTOR_SCOPE_THREAD,
						  .category = STACK_CATEGORY,
						  .name = STACK_NAME };
	stacks->descriptor.label = text_of(stacks->descriptor.name);
	stacks->descriptor.label_head = text_head(stacks->descriptor.label);
	return source_visit(source, &visitor, error);
}

void stacks_read_functions(struct stacks *stacks)
{
	struct error problem = { 0 };

	if (!stacks->layout.is_known || stacks->has_functions)
		return;
	stacks->has_functions = true;
	if (stacks->rules && stacks->rules->kallsyms)
		return;
	if (source_read_symbols(stacks->source, &stacks->own, &problem) < 0)
		report_message(stacks->report, "stacks are shown as addresses: %s", problem.text);
}

static void frame_append(struct stacks *stacks, uint64_t address)
{
	const struct kallsyms *functions = stacks->own	   ? stacks->own
					   : stacks->rules ? stacks->rules->kallsyms
							   : NULL;
	struct kallsyms_symbol symbol;

	if (stacks->text.size > 0)
		buffer_append_char(&stacks->text, ';');
	/* Frames are return addresses, which may be behind the last instruction of a function. */
	if (functions && kallsyms_find(functions, address - 1, &symbol))
		buffer_append(&stacks->text, symbol.name.data, symbol.name.size);
	else
		buffer_append_hex(&stacks->text, address);
}

/* The event of a record, NULL if it is no stack or memory ran out. */
static const struct decoded_event *stacks_read(struct stacks *stacks, uint16_t id,
					       const struct record *record)
{
	const struct stack *stack = &stacks->stack;
	const struct text name = text_of("kernel stack"), track = text_of("kernel stacks");

	if (!stack_read(&stacks->layout, id, record, &stacks->stack))
		return NULL;
	stacks_read_functions(stacks);
	buffer_clear(&stacks->text);
	for (size_t i = 0; i < stack->nr_frames; i++)
		frame_append(stacks, stack->frames[i]);
	stacks->field = (struct field){ .name = text_of("stack"),
					.value = { .kind = VALUE_TEXT,
						   .text = buffer_text(&stacks->text) } };
	stacks->event = (struct decoded_event){
		.descriptor = &stacks->descriptor,
		.time_ns = record->time_ns,
		.cpu = record->cpu,
		.buffer = record->buffer,
		.kind = DECODED_INSTANT,
		.tid = stack->tid,
		.scope_id = { .kind = VALUE_SIGNED, .signed_number = stack->tid },
		.slice_name = name,
		.slice_head = text_head(name),
		.track_name = track,
		.track_head = text_head(track),
		.extras = &stacks->field,
		.nr_extras = 1,
	};
	return stacks->text.failed ? NULL : &stacks->event;
}

/* Matches records with a filter. */

bool filter_is_open(const struct filter *filter)
{
	return filter_has_all_threads(filter) && filter->from_ns == 0 && filter->to_ns == 0;
}

bool filter_has_all_threads(const struct filter *filter)
{
	return !filter->track && !filter->buffer && !filter->cgroup && !filter->has_cpu &&
	       !filter->has_pid;
}

void filter_name(const struct filter *filter, struct buffer *out)
{
	const struct {
		bool is_set;
		const char *option;
	} options[] = {
		{ filter->track, "--track" },	{ filter->has_cpu, "--cpu" },
		{ filter->has_pid, "--pid" },	{ filter->buffer, "--buffer" },
		{ filter->cgroup, "--cgroup" }, { filter->from_ns > 0, "--from" },
		{ filter->to_ns > 0, "--to" },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (options[i].is_set)
			buffer_printf(out, "%s%s", out->size > 0 ? ", " : "", options[i].option);
	}
}

int filter_check(const struct filter *filter, const struct recording *recording,
		 struct error *error)
{
	size_t nr_buffers = recording->buffers ? recording->nr_buffers : 0;
	SCOPED_BUFFER(names);

	if (!filter->buffer || (!recording->buffers && !*filter->buffer))
		return 0;
	for (size_t i = 0; i < nr_buffers; i++) {
		if (strcmp(filter->buffer, recording->buffers[i]) == 0)
			return 0;
		buffer_printf(&names, "%s'%s'", i > 0 ? ", " : "", recording->buffers[i]);
	}
	return error_set(error, "--buffer=%s: no such buffer; write one of %s", filter->buffer,
			 recording->buffers ? buffer_string(&names) : "''");
}

static bool filter_wants_stream(const struct filter *filter, int cpu, unsigned int buffer,
				const char *const *buffers)
{
	if (filter->has_cpu && cpu != filter->cpu)
		return false;
	return !filter->buffer || strcmp(filter->buffer, buffers ? buffers[buffer] : "") == 0;
}

bool filter_wants_record(const struct filter *filter, const struct record *record,
			 const char *const *buffers)
{
	return filter_wants_stream(filter, record->cpu, record->buffer, buffers);
}

bool filter_wants_event(const struct filter *filter, const struct decoded_event *decoded)
{
	char *name;
	bool matches;

	if (filter->has_pid && decoded->tid != filter->pid)
		return false;
	if (!filter->track)
		return true;
	/* A name may contain NULs: it is matched up to the first. */
	name = strndup(decoded->track_name.data, decoded->track_name.size);
	matches = name && fnmatch(filter->track, name, 0) == 0;
	free(name);
	return matches;
}

/* Finds the threads of a process, a cgroup or a systemd unit, and remembers their children. */

#define CGROUPS "/sys/fs/cgroup"

struct thread_set *workload_new(void)
{
	struct thread_set *workload = calloc(1, sizeof(*workload));

	if (workload && thread_set_reserve(workload) == 0)
		return workload;
	free(workload);
	return NULL;
}

void workload_free(struct thread_set *workload)
{
	if (workload)
		thread_set_release(workload);
	free(workload);
}

int workload_limit_rules(struct rules *rules, const char *remedy, const struct report *report,
			 struct error *error)
{
	SCOPED_BUFFER(omitted);

	if (rules && !rules_omit_shared(rules, &omitted))
		return error_set(error, "%s: needs the records of all tasks; %s",
				 buffer_string(&omitted), remedy);
	if (omitted.size > 0)
		report_message(report, "%s: left out, needs the records of all tasks",
			       buffer_string(&omitted));
	return 0;
}

void workload_learn(struct thread_set *workload, const struct task_change *change)
{
	if ((change->kind == TASK_CHANGE_BORN && thread_set_has(workload, change->parent_tid)) ||
	    (change->kind == TASK_CHANGE_TOOK_OVER && thread_set_has(workload, change->old_tid)))
		thread_set_add(workload, change->tid);
	else if (change->kind == TASK_CHANGE_GONE)
		thread_set_remove(workload, change->tid);
}

/** struct thread_visit - receives threads, see workload_find() */
struct thread_visit {
	int (*add)(void *context, int tid, struct error *error);
	void *context;
	struct error *error;
};

static int thread_visit(void *context, int folder_fd, int tid)
{
	const struct thread_visit *visit = context;

	(void)folder_fd;
	return visit->add(visit->context, tid, visit->error);
}

static int process_visit(int pid, struct thread_visit *visit)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return proc_visit(path, thread_visit, visit);
}

/* Processes of one cgroup, without its children; it may be removed meanwhile. */
static int cgroup_visit(const char *folder, struct thread_visit *visit)
{
	SCOPED_BUFFER(list);
	const char *rest;
	char *end;
	int status = 0;

	if (file_read_in(folder, "cgroup.procs", &list) < 0)
		return 0;
	if (list.failed)
		return error_set(visit->error, "out of memory");
	rest = buffer_string(&list);
	for (long pid; status == 0 && (pid = strtol(rest, &end, 10), end > rest); rest = end)
		status = process_visit(pid, visit);
	return status;
}

static int cgroups_visit(char *folder, struct thread_visit *visit)
{
	char *const roots[] = { folder, NULL };
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	int status = 0;
	FTSENT *entry;

	if (!walk)
		return error_set_system(visit->error, errno, "%s", folder);
	while (status == 0 && (entry = fts_read(walk))) {
		if (entry->fts_info == FTS_D)
			status = cgroup_visit(entry->fts_path, visit);
	}
	fts_close(walk);
	return status;
}

/* A path below the mount point, or one of the file system. */
static int cgroup_find(struct buffer *out, const char *path, struct error *error)
{
	const char *root = strncmp(path, CGROUPS "/", strlen(CGROUPS "/")) == 0 ? "" : CGROUPS "/";
	size_t size;

	buffer_printf(out, "%s%s", root, path);
	size = out->size;
	buffer_append_string(out, "/cgroup.procs");
	if (access(buffer_string(out), F_OK) < 0)
		return error_set(error, "--cgroup=%s: no such cgroup in " CGROUPS, path);
	out->size = size;
	return 0;
}

/* systemd gives each unit a cgroup of its name, somewhere in its slice. */
static int unit_cgroup_find(struct buffer *out, const char *unit, struct error *error)
{
	char top[] = CGROUPS;
	char *const roots[] = { top, NULL };
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	SCOPED_BUFFER(name);
	FTSENT *entry;

	buffer_printf(&name, strchr(unit, '.') ? "%s" : "%s.service", unit);
	while (walk && out->size == 0 && (entry = fts_read(walk))) {
		if (entry->fts_info == FTS_D && entry->fts_level > 0 &&
		    strcmp(entry->fts_name, buffer_string(&name)) == 0)
			buffer_append_string(out, entry->fts_path);
	}
	if (walk)
		fts_close(walk);
	return out->size > 0 ? 0
			     : error_set(error,
					 "--unit=%s: no cgroup of this name in " CGROUPS
					 "; it does not run",
					 unit);
}

int workload_find(const struct workload_settings *settings,
		  int (*add)(void *context, int tid, struct error *error), void *context,
		  struct error *error)
{
	struct thread_visit visit = { .add = add, .context = context, .error = error };
	SCOPED_BUFFER(folder);
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", settings->pid);
	if (settings->pid > 0)
		return access(path, F_OK) < 0
			       ? error_set(error, "-p %d: no such process", settings->pid)
			       : process_visit(settings->pid, &visit);
	if ((settings->unit ? unit_cgroup_find(&folder, settings->unit, error)
			    : cgroup_find(&folder, settings->cgroup, error)) < 0)
		return -1;
	return cgroups_visit((char *)buffer_string(&folder), &visit);
}

/* Counts records that are not exported, and reports their systems. */

#define LIST_REMEDY "'ktrack list' prints the tracepoints that follow the convention"
#define RULES_REMEDY "add rules with -r, see ktrack-rules(5)"
#define NR_IDS 65536
/* Systems named in the report, those with most records first, and systems counted separately. */
#define SYSTEMS_NAMED 5
#define SYSTEMS_MAX 64

/** struct system_count - the records of one system */
struct system_count {
	char *name;
	uint64_t count;
};

/** struct system_counts - the systems of all records */
struct system_counts {
	struct other_records *others;
	/* Its tracepoints that name threads are not counted, NULL if they are. */
	const struct convention *ignored;
	struct convention *wanted; /* only records that follow it are counted; NULL for all */
	struct system_count list[SYSTEMS_MAX]; /* the first systems */
	size_t size;
	uint64_t total; /* all records whose tracepoint the source describes */
};

static void other_records_release(struct other_records *others)
{
	free(others->counts);
	*others = (struct other_records){ 0 };
}

static struct system_count *system_count_get(struct system_counts *systems, const char *name)
{
	struct system_count *system = systems->list;

	for (size_t i = 0; i < systems->size; i++, system++) {
		if (strcmp(system->name, name) == 0)
			return system;
	}
	if (systems->size == SYSTEMS_MAX)
		return NULL;
	*system = (struct system_count){ .name = strdup(name) };
	systems->size += system->name != NULL;
	return system->name ? system : NULL;
}

/* A record is counted once, even if a damaged file has two tracepoints of its id. */
static int others_visit(void *context, const struct tracepoint *tracepoint, struct error *error)
{
	struct system_counts *systems = context;
	const char *of_program = program_system(tracepoint->system);
	const struct descriptor *descriptor = NULL;
	struct error ignored = { 0 };
	struct system_count *system;
	int64_t id = format_read_id(tracepoint->format);
	uint64_t count;

	(void)error;
	if (id < 0 || systems->others->counts[id] == 0 ||
	    (systems->ignored && convention_has_task_id(systems->ignored, id)))
		return 0;
	if (systems->wanted &&
	    (tracepoint_describe(systems->wanted, tracepoint, &descriptor, &ignored) != 0 ||
	     !descriptor))
		return 0;
	count = systems->others->counts[id];
	systems->others->counts[id] = 0;
	systems->total += count;
	/* As -e names it. */
	system = system_count_get(systems, of_program ? of_program : tracepoint->system);
	if (system)
		system->count += count;
	return 0;
}

static int system_compare(const void *a_pointer, const void *b_pointer)
{
	const struct system_count *a = a_pointer, *b = b_pointer;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return strcmp(a->name, b->name);
}

/* "12,034 records of sched, irq" */
static void others_append_systems(struct buffer *line, const struct system_counts *systems)
{
	buffer_append_grouped(line, systems->total);
	buffer_append_string(line, systems->total == 1 ? " record of " : " records of ");
	for (size_t i = 0; i < systems->size && i < SYSTEMS_NAMED; i++) {
		buffer_append_string(line, i > 0 ? ", " : "");
		buffer_append_string(line, systems->list[i].name);
	}
	if (systems->size == SYSTEMS_MAX)
		buffer_append_string(line, " and others");
	else if (systems->size > SYSTEMS_NAMED)
		buffer_append_string(line, " and ");
	if (systems->size > SYSTEMS_NAMED && systems->size < SYSTEMS_MAX)
		buffer_append_count(line, systems->size - SYSTEMS_NAMED, "other system");
}

/* Counts the records by system; removes them from @others. */
static void systems_count(struct system_counts *systems, struct source *source)
{
	const struct tracepoint_visitor visitor = { .context = systems, .visit = others_visit };
	struct error ignored = { 0 };

	if (systems->others->total > 0)
		source_visit(source, &visitor, &ignored);
	qsort(systems->list, systems->size, sizeof(*systems->list), system_compare);
}

static void systems_release(struct system_counts *systems)
{
	for (size_t i = 0; i < systems->size; i++)
		free(systems->list[i].name);
}

/* Of the records, only those that follow the convention. Without memory, nothing is reported. */
static void left_out_report(struct other_records *others, const struct other_source *source,
			    const struct report *report)
{
	struct system_counts systems = {
		.others = others,
		.wanted = convention_new(source_describe(source->source)->is_swapped),
	};
	SCOPED_BUFFER(line);

	if (!systems.wanted)
		return;
	systems_count(&systems, source->source);
	others_append_systems(&line, &systems);
	/* "relay,mydrv", if a line names them all. */
	buffer_append_string(&line, systems.size > SYSTEMS_NAMED ? "; add -r " RULES_CONVENTION
								 : "; add -e ");
	for (size_t i = 0; systems.size <= SYSTEMS_NAMED && i < systems.size; i++)
		buffer_printf(&line, "%s%s", i > 0 ? "," : "", systems.list[i].name);
	if (systems.total > 0 && !line.failed)
		report_hint(report, "%s: -r leaves out track events: %s", source->name,
			    buffer_string(&line));
	systems_release(&systems);
	convention_free(systems.wanted);
}

void other_records_report(struct other_records *others, const struct other_source *source,
			  bool is_empty, const struct report *report)
{
	struct system_counts systems = { .others = others,
					 .ignored = is_empty ? NULL : source->convention };
	SCOPED_BUFFER(line);

	if (source->leaves_out) {
		left_out_report(others, source, report);
		other_records_release(others);
	}
	if (is_empty && others->total == 0 && source->directory &&
	    events_are_disabled(source->directory)) {
		report_message(report,
			       "%s: no track events (no tracepoint is enabled); " LIST_REMEDY,
			       source->name);
		return;
	}
	systems_count(&systems, source->source);
	if (systems.total > 0 || is_empty) {
		buffer_printf(&line, "%s: ", source->name);
		if (is_empty)
			buffer_append_string(&line, "no track events");
		if (systems.total > 0 && is_empty) {
			buffer_append_string(&line, " (");
			others_append_systems(&line, &systems);
			buffer_append_char(&line, ')');
		} else if (systems.total > 0) {
			others_append_systems(&line, &systems);
			buffer_append_string(&line, systems.total == 1 ? " is no track event"
								       : " are no track events");
		}
		if (is_empty && systems.total == 0 && !source->directory) {
			buffer_append_string(&line, "; 'ktrack list ");
			buffer_append_word(&line, source->name);
			buffer_append_string(&line, "' prints what it contains");
		} else if (is_empty) {
			buffer_append_string(&line, systems.total > 0 ? "; " RULES_REMEDY
								      : "; " LIST_REMEDY);
		}
	}
	if (line.size > 0 && !line.failed)
		report_message(report, "%s", buffer_string(&line));
	systems_release(&systems);
}

/* Counts records that cannot be decoded, by CPU, and delivers them as losses. */

static struct unknown_count *unknown_count_get(struct unknown_events *unknown,
					       const struct record *record)
{
	for (size_t i = 0; i < unknown->size; i++) {
		struct unknown_count *one = &unknown->list[i];

		if (one->cpu == record->cpu && one->buffer == record->buffer)
			return one;
	}
	if (!array_reserve(unknown->list, unknown->size))
		return NULL;
	unknown->list[unknown->size] = (struct unknown_count){ .cpu = record->cpu,
							       .buffer = record->buffer };
	return &unknown->list[unknown->size++];
}

/* Decodes and filters records, and passes them to the tracks. */

static void task_find(void *context, int tid, struct thread_identity *out)
{
	const struct pipeline *pipeline = context;
	const struct convention *convention = pipeline->convention;
	struct text comm;
	uint16_t id;
	int writer;

	if (pipeline->source)
		source_find_task(pipeline->source, tid, out);
	/* A thread without a saved name may be the one that is switched out just now. */
	if (!out->comm[0] && pipeline->record &&
	    record_id(pipeline->record, convention->is_swapped, &id) &&
	    convention_read_writer(convention, id, pipeline->record, &writer, &comm) &&
	    writer == tid)
		snprintf(out->comm, sizeof(out->comm), "%.*s", (int)comm.size, comm.data);
}

static void process_find_cgroup(void *context, int pid, struct buffer *out)
{
	source_find_cgroup(((const struct pipeline *)context)->source, pid, out);
}

/* A cgroup is in another one if its path goes on with a slash. */
static bool cgroup_is_in(const char *path, const char *outer)
{
	size_t size;

	if (strncmp(outer, CGROUPS, strlen(CGROUPS)) == 0)
		outer += strlen(CGROUPS);
	outer += strspn(outer, "/");
	path += strspn(path, "/");
	for (size = strlen(outer); size > 0 && outer[size - 1] == '/';)
		size--;
	return strncmp(path, outer, size) == 0 && (size == 0 || !path[size] || path[size] == '/');
}

static bool pipeline_matches(const struct pipeline *pipeline, const struct decoded_event *decoded)
{
	const struct filter *filter = &pipeline->filter;
	SCOPED_BUFFER(path);

	if (!filter_wants_event(filter, decoded))
		return false;
	/* Only what is in the cgroup is on tracks. */
	return !filter->cgroup || tracks_continue(pipeline->tracks, decoded) ||
	       (tracks_find_cgroup(pipeline->tracks, decoded, &path) &&
		cgroup_is_in(buffer_string(&path), filter->cgroup));
}

static int task_process(void *context, int tid, int named)
{
	return tracks_named_process(((const struct pipeline *)context)->tracks, tid, named);
}

static const char *task_comm(void *context, int tid)
{
	return tracks_comm(((const struct pipeline *)context)->tracks, tid);
}

int pipeline_open(struct pipeline *pipeline, struct source *source,
		  const struct recording *recording, unsigned int with, struct error *error)
{
	const struct recording *about = source_describe(source);
	struct tracks_settings settings = {
		.idle_max = pipeline->limits.max_tracks,
		.has_comm = with & 1u << TIMELINE_EMITTER_COMM,
		.buffers = about->buffers,
		/* Which of ktrack's own two buffers has a track is of no interest. */
		.hides_buffers = about->convention_buffer > 0 && about->nr_buffers == 2,
		.convention_buffer = about->convention_buffer,
		.devices = about->devices,
		.programs = PROGRAMS_BUFFER,
		.find_task = task_find,
		.find_cgroup = process_find_cgroup,
		.copy_record = window_copy_record,
		.context = pipeline,
	};

	pipeline->source = source;
	pipeline->is_open = filter_has_all_threads(&pipeline->filter);
	pipeline->buffers = settings.buffers;
	pipeline->convention_buffer = settings.convention_buffer;
	pipeline->tracks = tracks_new(&settings, &pipeline->timeline, recording->start_ns);
	if (!pipeline->tracks)
		return error_set(error, "out of memory");
	if (pipeline->rules)
		rules_set_tasks(pipeline->rules, &(struct naming_tasks){ .find = task_comm,
									 .process = task_process,
									 .context = pipeline });
	if (recording->has_window && time_window_open(pipeline, recording, error) < 0)
		return -1;
	return timeline_open(&pipeline->timeline, recording, error);
}

static int pipeline_count_other(struct pipeline *pipeline, uint16_t id, const struct record *record,
				struct error *error)
{
	if (!pipeline->counts_others || record_is_sideband(record, pipeline->source) ||
	    !filter_wants_record(&pipeline->filter, record, pipeline->buffers) ||
	    convention_has_id(pipeline->convention, id))
		return 0;
	if (!pipeline->others.counts)
		pipeline->others.counts = calloc(NR_IDS, sizeof(*pipeline->others.counts));
	if (!pipeline->others.counts)
		return error_set(error, "out of memory");
	pipeline->others.counts[id]++;
	pipeline->others.total++;
	return 0;
}

/* Handles a record of a tracepoint that was just loaded, or unloaded before the record was read. */
static int pipeline_unknown(struct pipeline *pipeline, uint16_t id, const struct record *record,
			    struct error *error)
{
	const struct decoded_event *stack = stacks_read(&pipeline->stacks, id, record);
	bool is_known = false;
	int status;
	struct unknown_count *one;

	if (stack)
		return filter_wants_record(&pipeline->filter, record, pipeline->buffers) &&
				       pipeline_matches(pipeline, stack)
			       ? tracks_observe(pipeline->tracks, stack, error)
			       : 0;
	if (!pipeline->follower.find) {
		if (pipeline->source)
			source_note_unknown(pipeline->source, id, record);
		return pipeline_count_other(pipeline, id, record, error);
	}
	status = pipeline->follower.find(pipeline->follower.context, id, &is_known, error);
	if (is_known)
		return pipeline_apply(pipeline, record, error);
	if (status <= 0)
		return status;
	pipeline->nr_unknown++;
	one = unknown_count_get(&pipeline->unknown, record);
	if (!one)
		return error_set(error, "out of memory");
	if (one->count++ == 0)
		one->first_ns = record->time_ns;
	one->last_ns = record->time_ns;
	return 0;
}

static int pipeline_learn(struct pipeline *pipeline, const struct task_change *change,
			  struct error *error)
{
	if (pipeline->workload)
		workload_learn(pipeline->workload, change);
	if (pipeline->rules)
		rules_learn(pipeline->rules, change);
	return tracks_learn(pipeline->tracks, change, error);
}

/* Records about tasks are no track events, but name the tasks of tracks. */
static out_of_line int pipeline_task(struct pipeline *pipeline, uint16_t id,
				     const struct record *record, struct error *error)
{
	struct task_change change;

	if (!convention_read_task(pipeline->convention, id, record, &change))
		return pipeline_unknown(pipeline, id, record, error);
	return pipeline_count_other(pipeline, id, record, error) < 0
		       ? -1
		       : pipeline_learn(pipeline, &change, error);
}

hot_inline int pipeline_observe(struct pipeline *pipeline, struct error *error)
{
	const struct decoded_event *decoded = &pipeline->decoded;

	pipeline->nr_events++;
	return unlikely(decoded->problem) ? tracks_reject(pipeline->tracks, decoded, error)
					  : tracks_observe(pipeline->tracks, decoded, error);
}

/* Whether the event is selected; the filter and the workload are those of a part of the events. */
static bool pipeline_selects(const struct pipeline *pipeline, const struct decoded_event *decoded)
{
	if (!pipeline->is_open && !pipeline_matches(pipeline, decoded))
		return false;
	/* A switch is also recorded for the other thread, whose chain of states is incomplete. */
	return !pipeline->workload ||
	       (decoded->descriptor->scope != DESCRIPTOR_SCOPE_THREAD ||
		thread_set_has(pipeline->workload, decoded->scope_id.signed_number));
}

static int pipeline_set_process(const struct pipeline *pipeline, struct decoded_event *decoded,
				struct error *error)
{
	int process = tracks_process(pipeline->tracks, decoded->tid);

	if (process < 0)
		return error_set(error, "out of memory");
	decoded->scope_id.signed_number = process;
	return 0;
}

/* @is_partial: some events are not selected */
hot_inline int pipeline_observe_rule(struct pipeline *pipeline, struct decoded_event *decoded,
				     bool is_partial, struct error *error)
{
	if (unlikely(decoded->problem))
		return tracks_reject(pipeline->tracks, decoded, error);
	/* Without a field, the scope is the thread that wrote the record. */
	if (unlikely(decoded->descriptor->scope == DESCRIPTOR_SCOPE_PROCESS &&
		     !decoded->descriptor->scope_field) &&
	    pipeline_set_process(pipeline, decoded, error) < 0)
		return -1;
	if (unlikely(is_partial) && !pipeline_selects(pipeline, decoded))
		return pipeline->filter.cgroup
			       ? tracks_leave_state(pipeline->tracks, decoded, error)
			       : 0;
	pipeline->nr_events++;
	return tracks_observe_rule(pipeline->tracks, decoded, error);
}

hot_inline int record_apply_rules(struct pipeline *pipeline, struct rule_tracepoint *tracepoint,
				  const struct record *record, struct error *error)
{
	bool is_partial = !pipeline->is_open || pipeline->workload;
	size_t nr_events;

	if (!pipeline->is_open &&
	    !filter_wants_record(&pipeline->filter, record, pipeline->buffers))
		return 0;
	nr_events = rules_decode(pipeline->rules, tracepoint, record);
	for (size_t i = 0; i < nr_events; i++) {
		if (pipeline_observe_rule(pipeline, tracepoint->events[i], is_partial, error) < 0)
			return -1;
	}
	return 0;
}

/*
 * A record that may be about a thread, too. What it says comes first, so that a new thread gets no
 * state of an older one with its number; but the end of a thread comes last.
 */
static out_of_line int pipeline_task_rules(struct pipeline *pipeline,
					   struct rule_tracepoint *tracepoint,
					   const struct record *record, struct error *error)
{
	struct task_change change;
	bool is_about_task = convention_read_task(pipeline->convention, tracepoint->id, record,
						  &change);
	bool is_last = is_about_task && change.kind == TASK_CHANGE_GONE;

	if (is_about_task && !is_last && pipeline_learn(pipeline, &change, error) < 0)
		return -1;
	if (record_apply_rules(pipeline, tracepoint, record, error) < 0)
		return -1;
	return is_last ? pipeline_learn(pipeline, &change, error) : 0;
}

static out_of_line int record_apply_filtered(struct pipeline *pipeline,
					     const struct descriptor *descriptor,
					     const struct record *record, struct error *error)
{
	const struct filter *filter = &pipeline->filter;

	if (!filter_wants_record(filter, record, pipeline->buffers))
		return 0;
	if (!convention_decode(&pipeline->decoded, descriptor, record) &&
	    !pipeline_matches(pipeline, &pipeline->decoded))
		return 0;
	return pipeline_observe(pipeline, error);
}

hot_inline int record_apply_convention(struct pipeline *pipeline, uint16_t id,
				       const struct record *record, struct error *error)
{
	const struct descriptor *descriptor = convention_find_id(pipeline->convention, id);

	if (!descriptor)
		return pipeline_task(pipeline, id, record, error);
	if (unlikely(!pipeline->is_open))
		return record_apply_filtered(pipeline, descriptor, record, error);
	convention_decode(&pipeline->decoded, descriptor, record);
	return pipeline_observe(pipeline, error);
}

/*
 * Handles a record by rules and by the convention; a tracepoint may have both. The sideband buffer
 * has its own records of some tracepoints.
 */
static int record_apply_both(struct pipeline *pipeline, uint16_t id,
			     struct rule_tracepoint *tracepoint, const struct record *record,
			     struct error *error)
{
	const struct convention *convention = pipeline->convention;
	int status;

	if (!tracepoint || record_is_sideband(record, pipeline->source))
		return record_apply_convention(pipeline, id, record, error);
	pipeline->record = record;
	status = convention_has_task_id(convention, id)
			 ? pipeline_task_rules(pipeline, tracepoint, record, error)
			 : record_apply_rules(pipeline, tracepoint, record, error);
	pipeline->record = NULL;
	if (status < 0 || likely(!convention_find_id(convention, id)))
		return status;
	return record_apply_convention(pipeline, id, record, error);
}

/* Handles a record of a tracepoint with a plain action, which most have that no rule takes. */
static int record_apply_plain(struct pipeline *pipeline, uint16_t id,
			      struct rule_tracepoint *tracepoint, const struct record *record,
			      struct error *error)
{
	struct decoded_event *event = NULL;

	if (likely(record->buffer == 0 && pipeline->is_open && !pipeline->workload) &&
	    !pipeline->rules->excluded && !convention_has_task_id(pipeline->convention, id) &&
	    !convention_find_id(pipeline->convention, id))
		event = rule_decode_plain(tracepoint->plain, record);
	if (unlikely(!event))
		return record_apply_both(pipeline, id, tracepoint, record, error);
	pipeline->nr_events++;
	return tracks_observe_rule(pipeline->tracks, event, error);
}

/* A record that is too short for the id of its event is of no event. */
static int pipeline_record(void *context, const struct record *record, struct error *error)
{
	struct pipeline *pipeline = context;
	uint16_t id;

	return likely(record_id(record, pipeline->convention->is_swapped, &id))
		       ? record_apply_convention(pipeline, id, record, error)
		       : 0;
}

static int pipeline_record_by_rules(void *context, const struct record *record, struct error *error)
{
	struct pipeline *pipeline = context;
	struct rule_tracepoint *tracepoint;
	uint16_t id;

	if (unlikely(!record_id(record, pipeline->convention->is_swapped, &id)))
		return 0;
	tracepoint = rules_find_id(pipeline->rules, id);
	return tracepoint && tracepoint->plain
		       ? record_apply_plain(pipeline, id, tracepoint, record, error)
		       : record_apply_both(pipeline, id, tracepoint, record, error);
}

int pipeline_apply(struct pipeline *pipeline, const struct record *record, struct error *error)
{
	return pipeline->rules ? pipeline_record_by_rules(pipeline, record, error)
			       : pipeline_record(pipeline, record, error);
}

static int rules_visit_events(struct pipeline *pipeline, struct rule_tracepoint *tracepoint,
			      const struct record *record, const struct event_visitor *visitor,
			      struct error *error)
{
	size_t nr_events;
	int status = 0;

	pipeline->record = record;
	nr_events = rules_decode(pipeline->rules, tracepoint, record);
	for (size_t i = 0; i < nr_events && status == 0; i++) {
		struct decoded_event *decoded = tracepoint->events[i];

		if (decoded->problem)
			continue;
		if (decoded->descriptor->scope == DESCRIPTOR_SCOPE_PROCESS &&
		    !decoded->descriptor->scope_field)
			status = pipeline_set_process(pipeline, decoded, error);
		if (status == 0 && pipeline_selects(pipeline, decoded))
			status = visitor->act(pipeline, decoded, true, error);
	}
	pipeline->record = NULL;
	return status;
}

int pipeline_visit_events(struct pipeline *pipeline, const struct record *record,
			  const struct event_visitor *visitor, struct error *error)
{
	const struct filter *filter = &pipeline->filter;
	struct rule_tracepoint *tracepoint = NULL;
	const struct descriptor *descriptor;
	uint16_t id;

	if (!record_id(record, pipeline->convention->is_swapped, &id) ||
	    !filter_wants_record(filter, record, pipeline->buffers))
		return 0;
	if (pipeline->rules && !record_is_sideband(record, pipeline->source))
		tracepoint = rules_find_id(pipeline->rules, id);
	if (tracepoint && rules_visit_events(pipeline, tracepoint, record, visitor, error) < 0)
		return -1;
	descriptor = convention_find_id(pipeline->convention, id);
	if (!descriptor || convention_decode(&pipeline->decoded, descriptor, record) ||
	    !pipeline_matches(pipeline, &pipeline->decoded))
		return 0;
	return visitor->act(pipeline, &pipeline->decoded, false, error);
}

void pipeline_forget_counts(struct pipeline *pipeline)
{
	pipeline->nr_events = 0;
	other_records_release(&pipeline->others);
}

void pipeline_count_loss(struct pipeline *pipeline, const struct loss *loss)
{
	pipeline->has_lost = true;
	if (loss->count > 0)
		pipeline->lost = count_sum(pipeline->lost, loss->count);
	if (loss->count > 0 && loss->buffer > 0 && loss->buffer == pipeline->convention_buffer)
		pipeline->lost_convention = count_sum(pipeline->lost_convention, loss->count);
	pipeline->nr_gaps += !loss->is_sum;
	pipeline->nr_gaps_unknown += loss->count == LOSS_COUNT_UNKNOWN;
	if (loss->to_ns > pipeline->lost_until_ns)
		pipeline->lost_until_ns = loss->to_ns;
}

static int pipeline_loss(void *context, const struct loss *loss, struct error *error)
{
	struct pipeline *pipeline = context;

	if (!filter_wants_stream(&pipeline->filter, loss->cpu, loss->buffer, pipeline->buffers))
		return 0;
	if (pipeline->window)
		return window_lose(pipeline, loss, error);
	pipeline_count_loss(pipeline, loss);
	return tracks_lose(pipeline->tracks, loss, error);
}

static bool pipeline_wants(void *context, int cpu, unsigned int buffer)
{
	const struct pipeline *pipeline = context;

	return filter_wants_stream(&pipeline->filter, cpu, buffer, pipeline->buffers);
}

static int pipeline_change(void *context, const struct instance_change *change, struct error *error)
{
	const struct pipeline_follower *follower = &((const struct pipeline *)context)->follower;

	return follower->change ? follower->change(follower->context, change, error) : 0;
}

static int pipeline_add_event(void *context, const struct program_event *event, struct error *error)
{
	struct pipeline *pipeline = context;

	return program_event_add(pipeline->convention, pipeline->rules, event, pipeline->report,
				 error);
}

struct source_handler pipeline_handler(struct pipeline *pipeline)
{
	return (struct source_handler){ .context = pipeline,
					.record = pipeline->window  ? window_record
						  : pipeline->rules ? pipeline_record_by_rules
								    : pipeline_record,
					.loss = pipeline_loss,
					.wants = pipeline_wants,
					.change = pipeline_change,
					.event = pipeline_add_event };
}

int pipeline_report_unknown(struct pipeline *pipeline, struct error *error)
{
	struct source_handler handler = pipeline_handler(pipeline);

	for (size_t i = 0; i < pipeline->unknown.size; i++) {
		struct unknown_count *one = &pipeline->unknown.list[i];
		struct loss loss = { .cpu = one->cpu,
				     .buffer = one->buffer,
				     .from_ns = one->first_ns,
				     .to_ns = one->last_ns,
				     .count = one->count };

		if (one->count == 0)
			continue;
		one->count = 0;
		if (handler.loss(handler.context, &loss, error) < 0)
			return -1;
	}
	return 0;
}

void pipeline_add_counts(const struct pipeline *pipeline, struct pipeline_counts *sums)
{
	sums->nr_events += pipeline->nr_events;
	sums->has_lost |= pipeline->has_lost;
	sums->lost = count_sum(sums->lost, pipeline->lost);
	sums->nr_gaps += pipeline->nr_gaps;
	sums->nr_gaps_unknown += pipeline->nr_gaps_unknown;
}

struct output_losses pipeline_counts_losses(const struct pipeline_counts *counts)
{
	return (struct output_losses){ .has_lost = counts->has_lost,
				       .records = counts->lost,
				       .has_unknown = counts->nr_gaps_unknown > 0 };
}

struct output_losses pipeline_losses(const struct pipeline *pipeline)
{
	struct pipeline_counts counts = { 0 };

	pipeline_add_counts(pipeline, &counts);
	return pipeline_counts_losses(&counts);
}

void pipeline_release(struct pipeline *pipeline)
{
	tracks_free(pipeline->tracks);
	time_window_close(pipeline);
	free(pipeline->unknown.list);
	pipeline->unknown = (struct unknown_events){ 0 };
	other_records_release(&pipeline->others);
	timeline_release(&pipeline->timeline);
	convention_free(pipeline->convention);
	kallsyms_free(pipeline->stacks.own);
	buffer_release(&pipeline->stacks.text);
}
