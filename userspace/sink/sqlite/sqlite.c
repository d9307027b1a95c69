// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timeline as an SQLite database: a file, or a temporary one for a query. Rows are committed in
 * transactions of limited size and age: whatever ends ktrack, the database then has all rows up to
 * the last commit. The assembler embeds the schema by its path from the top of the tree.
 */
#include "sink/sqlite/state.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "sink/text.h"

#define SCHEMA(name)                                                                              \
	__asm__(".pushsection .rodata\n.globl schema_" #name "\n.hidden schema_" #name            \
		"\nschema_" #name ":\n.incbin \"userspace/sink/sqlite/" #name ".sql\"\n.byte 0\n" \
		".popsection\n");                                                                 \
	extern const char schema_##name[] __attribute__((visibility("hidden")))

SCHEMA(tables);
SCHEMA(indexes);

/** enum schema_statement - prepared statements, by what they change */
enum schema_statement {
	STATEMENT_RECORDING,
	STATEMENT_COMPLETE,
	STATEMENT_TRACK,
	STATEMENT_TRACK_END,
	STATEMENT_SLICE,
	STATEMENT_INSTANT,
	STATEMENT_COUNTER,
	STATEMENT_ARG,
	STATEMENT_FLOW,
	STATEMENT_LOSS,
	STATEMENT_MACHINE,
	STATEMENT_MESSAGE,
	STATEMENT_EXPLANATION,
	STATEMENT_COUNT
};

static const char *const schema_statements[STATEMENT_COUNT] = {
	[STATEMENT_RECORDING] =
		/* The rest in the order of recording_next(). */
	"INSERT INTO recording(is_complete, schema, ktrack, command, labels, start_ns, "
	"unix_start_ns, source, recording_id, mode, clock, time_source, counts_ticks, "
	"kernel, host, selection, cpus, buffer_kib) SELECT 0, user_version, ?, ?, ?, ?, ?, ?, ?, "
	"?, ?, ?, ?, ?, ?, ?, ?, ? FROM pragma_user_version",
	[STATEMENT_COMPLETE] =
		"UPDATE recording SET is_complete = 1, duration_ns = ?, lost_records = ?, "
		"lost_gaps = ?, lost_gaps_unknown = ?, lost_task_records = ?, late_records = ?, "
		"unmatched_ends = ?, filtered_ends = ?, foreign_ends = ?, malformed = ?, "
		"unfinished = ?, suspect = ?, retired_tracks = ?, renamed_threads = ?, "
		"evicted_slices = ?, complete_from_ns = ?, complete_until_ns = ?, "
		"wall_drift_ns = ?",
	[STATEMENT_TRACK] =
		"INSERT INTO track VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?)",
	[STATEMENT_TRACK_END] = "UPDATE track SET end_ns = ? WHERE id = ?",
	[STATEMENT_SLICE] =
		"INSERT INTO slice VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[STATEMENT_INSTANT] = "INSERT INTO instant VALUES(?, ?, ?, ?, ?, ?, ?)",
	[STATEMENT_COUNTER] = "INSERT INTO counter VALUES(?, ?, ?, ?, ?, ?)",
	[STATEMENT_ARG] = "INSERT INTO arg VALUES(?, ?, ?, ?, ?)",
	[STATEMENT_FLOW] = "INSERT INTO flow VALUES(?, ?, ?, ?, ?)",
	[STATEMENT_LOSS] = "INSERT INTO loss VALUES(?, ?, ?, ?, ?, ?)",
	[STATEMENT_MACHINE] = "INSERT INTO machine VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[STATEMENT_MESSAGE] = "INSERT INTO message VALUES(?, ?)",
	[STATEMENT_EXPLANATION] =
		("INSERT OR IGNORE INTO explanation SELECT id, ? FROM slice WHERE "
		 "track_id = ? AND ts_ns = ? AND depth = ? AND dur_ns = ?"),
};

/** struct open_slice - a slice without an end yet */
struct open_slice {
	int64_t id;	  /* in the database */
	int64_t inner_ns; /* time of the slices in it */
	int tid;
	int cpu;
	unsigned int nr_args; /* so far */
};

struct sqlite_track {
	struct sink_track link;
	struct open_slice *open; /* by depth - 1 */
	unsigned int nr_open;
};

struct sqlite_sink {
	struct sink_file file;
	struct database database;
	const struct sink_query_settings *query; /* at the end; NULL for a database in a file */
	unsigned int user;			 /* owner of the journal */
	unsigned int group;
	sqlite3_stmt *statements[STATEMENT_COUNT];
	int64_t last_id;      /* of slices, instants and samples */
	uint64_t nr_pending;  /* number of rows since the last commit */
	int64_t committed_ns; /* time of the last commit, by the monotonic clock */
};

static struct sqlite_sink *sqlite_sink_of(struct sink_file *file)
{
	return container_of(file, struct sqlite_sink, file);
}

/* Begins a row, or the values of another statement. */
static struct database_row sqlite_row_begin(struct sqlite_sink *sink,
					    enum schema_statement statement)
{
	sink->nr_pending++;
	return row_begin(&sink->database, sink->statements[statement]);
}

static void sqlite_row_end(struct sqlite_sink *sink, struct database_row *row)
{
	if (!sink->file.has_failed)
		sink->file.has_failed = row_end(row, sink->file.error) < 0;
}

static void sqlite_run(struct sqlite_sink *sink, const char *sql)
{
	if (!sink->file.has_failed)
		sink->file.has_failed = database_run(&sink->database, sql, sink->file.error) < 0;
}

static int64_t time_of(const struct sqlite_sink *sink, int64_t time_ns)
{
	return time_ns - sink->file.start_ns;
}

static void row_add_time(struct database_row *row, const struct sqlite_sink *sink, bool is_there,
			 int64_t time_ns)
{
	if (is_there)
		row_add_number(row, time_of(sink, time_ns));
	else
		row_add_null(row);
}

static struct sqlite_track *sqlite_track_of(const struct sqlite_sink *sink,
					    const struct timeline_track *track)
{
	return track->sink_data[sink->file.sink_index];
}

/* Records of begin and end have args; those of the end follow. */
static void event_fields_add(struct sqlite_sink *sink, const struct timeline_event *event,
			     int64_t id, unsigned int nr_before)
{
	bool is_end = event->kind == TIMELINE_SLICE_END;

	if (event->nr_any == 0)
		return;
	for (unsigned int i = 0; i < event->nr_fields; i++) {
		struct database_row row = sqlite_row_begin(sink, STATEMENT_ARG);

		row_add_number(&row, id);
		row_add_number(&row, nr_before + i);
		row_add_text(&row, event->fields[i].name);
		row_add_value(&row, &event->fields[i].value);
		row_add_number(&row, is_end);
		sqlite_row_end(sink, &row);
	}
	for (unsigned int i = 0; i < event->nr_flows; i++) {
		const struct field *flow = timeline_event_flow(event, i);
		struct database_row row = sqlite_row_begin(sink, STATEMENT_FLOW);

		row_add_text(&row, flow->name);
		row_add_value(&row, &flow->value);
		row_add_number(&row, id);
		row_add_number(&row, time_of(sink, event->time_ns));
		row_add_number(&row, is_end);
		sqlite_row_end(sink, &row);
	}
}

static const char *const scope_texts[] = {
	[SCOPE_THREAD] = "thread", [SCOPE_PROCESS] = "process", [SCOPE_CPU] = "cpu",
	[SCOPE_CUSTOM] = "custom", [SCOPE_GLOBAL] = "global",
};
_Static_assert(sizeof(scope_texts) / sizeof(scope_texts[0]) == SCOPE_KIND_COUNT, "all scopes");

static void sqlite_track_begin(struct sqlite_sink *sink, const struct timeline_event *event)
{
	struct database_row row = sqlite_row_begin(sink, STATEMENT_TRACK);
	SCOPED_BUFFER(label);
	struct buffer *identity = &sink->file.text;
	struct timeline_track *shown = event->track;
	struct sqlite_track *track = sink_file_track_new(&sink->file, shown, sizeof(*track));
	bool is_process = shown->scope == SCOPE_PROCESS;
	int64_t id = shown->id.signed_number;

	if (!track || !sink_file_rows_begin(&sink->file, &track->link, shown))
		return;
	row_add_number(&row, shown->number);
	row_add_string(&row, shown->category->text);
	row_add_string(&row, shown->kind == TRACK_COUNTER ? "counter" : "slice");
	row_add_string(&row, scope_texts[shown->scope]);
	row_add_text(&row, shown->name);
	track_append_label(&label, shown);
	row_add_text(&row, buffer_text(&label));
	row_add_string(&row, shown->field);
	if (shown->scope == SCOPE_GLOBAL)
		row_add_null(&row);
	else
		row_add_value(&row, &shown->id);
	row_add_known(&row, shown->scope == SCOPE_THREAD ? id : -1);
	row_add_known(&row, is_process ? id : shown->tgid > 0 ? shown->tgid : -1);
	row_add_string(&row, shown->comm[0] ? shown->comm : NULL);
	/* An idle task has a CPU, too. */
	row_add_known(&row, shown->scope == SCOPE_CPU ? id : shown->cpu);
	row_add_known(&row, shown->lane > 0 ? (int64_t)shown->lane : -1);
	row_add_string(&row, shown->buffer);
	buffer_clear(identity);
	track_append_identity(identity, shown);
	row_add_number(&row, time_of(sink, event->time_ns));
	row_add_text(&row, buffer_text(identity));
	row_add_string(&row, shown->machine ? shown->machine->name : NULL);
	row.failed |= label.failed || identity->failed;
	sqlite_row_end(sink, &row);
}

static void sqlite_track_end(struct sqlite_sink *sink, const struct timeline_event *event)
{
	struct database_row row = sqlite_row_begin(sink, STATEMENT_TRACK_END);

	row_add_number(&row, time_of(sink, event->time_ns));
	row_add_number(&row, event->track->number);
	sqlite_row_end(sink, &row);
}

/* The row of an event among those of its thread, 0 for none. */
static unsigned int thread_row(struct sqlite_sink *sink, struct sqlite_track *track,
			       const struct timeline_event *event)
{
	return sink_file_rows_event(&sink->file, &track->link, event) && !sink->file.out.failed
		       ? sink->file.rows.place.row->number
		       : 0;
}

static void sqlite_slice_begin(struct sqlite_sink *sink, const struct timeline_event *event)
{
	struct sqlite_track *track = sqlite_track_of(sink, event->track);
	struct open_slice *open;

	thread_row(sink, track, event);
	if (!array_extend(track->open, track->nr_open, event->depth - 1)) {
		sink->file.out.failed = true;
		return;
	}
	open = &track->open[event->depth - 1];
	*open = (struct open_slice){
		.id = ++sink->last_id,
		.tid = event->tid,
		.cpu = event->cpu,
		.nr_args = event->nr_fields,
	};
	event_fields_add(sink, event, open->id, 0);
}

static void sqlite_slice_end(struct sqlite_sink *sink, const struct timeline_event *event)
{
	struct sqlite_track *track = sqlite_track_of(sink, event->track);
	struct open_slice *open = &track->open[event->depth - 1];
	struct open_slice *outer = event->outer > 0 ? &track->open[event->outer - 1] : NULL;
	struct database_row row = sqlite_row_begin(sink, STATEMENT_SLICE);
	int64_t duration_ns = event->time_ns - event->begin_ns;
	unsigned int number = thread_row(sink, track, event);

	row_add_number(&row, open->id);
	row_add_number(&row, event->track->number);
	row_add_known(&row, outer ? outer->id : -1);
	row_add_number(&row, event->depth);
	row_add_text(&row, event->name->text);
	row_add_number(&row, time_of(sink, event->begin_ns));
	row_add_number(&row, duration_ns);
	/* Slices inside of it may overlap. */
	row_add_number(&row, open->inner_ns < duration_ns ? duration_ns - open->inner_ns : 0);
	row_add_known(&row, open->tid);
	row_add_known(&row, open->cpu);
	row_add_known(&row, event->tid);
	row_add_known(&row, event->cpu);
	row_add_number(&row, event->is_suspect);
	row_add_number(&row, event->is_unfinished);
	row_add_number(&row, event->is_continued);
	row_add_number(&row, event->is_foreign);
	row_add_known(&row, number > 0 ? (int64_t)number : -1);
	row_add_number(&row, event->is_crossing);
	if (outer)
		outer->inner_ns += duration_ns;
	sqlite_row_end(sink, &row);
	event_fields_add(sink, event, open->id, open->nr_args);
}

static void sqlite_instant(struct sqlite_sink *sink, const struct timeline_event *event)
{
	struct sqlite_track *track = sqlite_track_of(sink, event->track);
	struct database_row row = sqlite_row_begin(sink, STATEMENT_INSTANT);
	bool is_inside = event->depth > 0 && event->depth <= track->nr_open;

	thread_row(sink, track, event);
	row_add_number(&row, ++sink->last_id);
	row_add_number(&row, event->track->number);
	row_add_known(&row, is_inside ? track->open[event->depth - 1].id : -1);
	row_add_text(&row, event->name->text);
	row_add_number(&row, time_of(sink, event->time_ns));
	row_add_known(&row, event->tid);
	row_add_known(&row, event->cpu);
	sqlite_row_end(sink, &row);
	event_fields_add(sink, event, sink->last_id, 0);
}

static void sqlite_sample(struct sqlite_sink *sink, const struct timeline_event *event)
{
	struct database_row row = sqlite_row_begin(sink, STATEMENT_COUNTER);

	row_add_number(&row, ++sink->last_id);
	row_add_number(&row, event->track->number);
	row_add_number(&row, time_of(sink, event->time_ns));
	row_add_value(&row, &event->value);
	row_add_known(&row, event->tid);
	row_add_known(&row, event->cpu);
	sqlite_row_end(sink, &row);
	event_fields_add(sink, event, sink->last_id, 0);
}

/* A sum is about a CPU's gaps of unknown size, and has no time. */
static void sqlite_loss(struct sqlite_sink *sink, const struct timeline_event *event)
{
	struct database_row row = sqlite_row_begin(sink, STATEMENT_LOSS);
	bool has_time = event->kind == TIMELINE_LOSS;

	row_add_number(&row, event->loss_cpu);
	row_add_time(&row, sink, has_time, event->begin_ns);
	row_add_time(&row, sink, has_time, event->loss_end_ns);
	row_add_known(&row, event->loss_count);
	row_add_string(&row, event->loss_buffer);
	row_add_string(&row, event->loss_machine ? event->loss_machine->name : NULL);
	sqlite_row_end(sink, &row);
}

static void message_add(struct sink_file *file, const struct timeline_event *event,
			struct text text)
{
	struct sqlite_sink *sink = sqlite_sink_of(file);
	struct database_row row = sqlite_row_begin(sink, STATEMENT_MESSAGE);

	row_add_number(&row, time_of(sink, event->time_ns));
	row_add_text(&row, text);
	sqlite_row_end(sink, &row);
}

static void sqlite_remark(struct sqlite_sink *sink, const struct timeline_event *event)
{
	struct text text = message_set(&sink->file.text, event);

	sink->file.out.failed |= sink->file.text.failed;
	message_add(&sink->file, event, text);
}

static void sqlite_recording_add(struct sqlite_sink *sink, const struct recording *recording)
{
	struct database_row row = sqlite_row_begin(sink, STATEMENT_RECORDING);
	const struct recording_property *property = NULL;
	struct value value;
	SCOPED_BUFFER(labels);

	labels_append(&labels, recording->labels);
	row_add_string(&row, KTRACK_VERSION);
	row_add_string(&row, recording->command);
	row_add_string(&row, recording->labels ? buffer_string(&labels) : NULL);
	row_add_number(&row, recording->start_ns);
	row_add_number(&row, recording->start_ns + recording->wall_offset_ns);
	while (recording_next(recording, RECORDING_SQLITE, &property, &value)) {
		if (value.kind == VALUE_TEXT && !value.text.data)
			row_add_string(&row, NULL);
		else
			row_add_value(&row, &value);
	}
	sqlite_row_end(sink, &row);
	for (size_t i = 0; i < recording->nr_machines; i++) {
		const struct timeline_machine *machine = &recording->machines[i];

		row = sqlite_row_begin(sink, STATEMENT_MACHINE);
		buffer_clear(&labels);
		labels_append(&labels, machine->recording->labels);
		row_add_number(&row, machine->number);
		row_add_string(&row, machine->name);
		row_add_string(&row, machine->recording->source);
		row_add_string(&row, machine->recording->id);
		row_add_string(&row, machine->recording->clock);
		row_add_string(&row, machine->recording->kernel);
		row_add_number(&row, machine->recording->nr_cpus);
		row_add_string(&row, machine->recording->labels ? buffer_string(&labels) : NULL);
		row_add_number(&row, machine->shift_ns);
		row_add_known(&row, machine->recording->wall_error_ns);
		row.failed |= labels.failed;
		sqlite_row_end(sink, &row);
	}
}

static void sqlite_finish(struct sqlite_sink *sink, const struct timeline_event *event)
{
	struct database_row row = sqlite_row_begin(sink, STATEMENT_COMPLETE);
	const struct timeline_totals *totals = event->totals;
	const uint64_t counts[] = {
		totals->lost_records,	   totals->lost_gaps,	   totals->lost_gaps_unknown,
		totals->lost_task_records, totals->late_records,   totals->unmatched_ends,
		totals->filtered_ends,	   totals->foreign_ends,   totals->malformed,
		totals->unfinished,	   totals->suspect,	   totals->retired_tracks,
		totals->renamed_threads,   totals->evicted_slices,
	};

	row_add_number(&row, time_of(sink, event->time_ns));
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		row_add_unsigned(&row, counts[i]);
	row_add_time(&row, sink, totals->has_complete_from, totals->complete_from_ns);
	row_add_time(&row, sink, totals->has_complete_until, totals->complete_until_ns);
	if (totals->has_wall_drift)
		row_add_number(&row, totals->wall_drift_ns);
	else
		row_add_null(&row);
	sqlite_row_end(sink, &row);
	sink_file_report_faults(&sink->file, event, message_add);
}

static void (*const writers[TIMELINE_KIND_COUNT])(struct sqlite_sink *sink,
						  const struct timeline_event *event) = {
	[TIMELINE_TRACK_BEGIN] = sqlite_track_begin,
	[TIMELINE_TRACK_END] = sqlite_track_end,
	[TIMELINE_SLICE_BEGIN] = sqlite_slice_begin,
	[TIMELINE_SLICE_END] = sqlite_slice_end,
	[TIMELINE_INSTANT] = sqlite_instant,
	[TIMELINE_COUNTER] = sqlite_sample,
	[TIMELINE_LOSS] = sqlite_loss,
	[TIMELINE_LOSS_SUM] = sqlite_loss,
	[TIMELINE_MALFORMED] = sqlite_remark,
	[TIMELINE_FOREIGN_END] = sqlite_remark,
	[TIMELINE_TRACEPOINT] = sqlite_remark,
	[TIMELINE_COMMAND_BEGIN] = sqlite_remark,
	[TIMELINE_COMMAND_END] = sqlite_remark,
	[TIMELINE_FINISH] = sqlite_finish,
};

static const char parts_sql[] =
	"INSERT INTO why_part SELECT e.slice_id, p.value ->> 'kind', p.value ->> 'what', "
	"p.value ->> 'ns', p.value ->> 'count', p.value ->> 'longest_ns', "
	"p.value ->> 'longest_at_ns', p.value ->> 'cpu', p.value ->> 'state', "
	"p.value ->> 'behind_tid', p.value ->> 'waker_tid', p.value ->> 'waker', p.value "
	"FROM explanation e, json_each(e.json, '$.parts') p";

static void sqlite_explanations_add(struct sqlite_sink *sink)
{
	const struct explanations *all = sink->file.explanations;

	for (size_t i = 0; all && i < all->nr_items; i++) {
		const struct explanation *one = &all->items[i];
		struct database_row row = sqlite_row_begin(sink, STATEMENT_EXPLANATION);

		row_add_text(&row, one->json);
		row_add_number(&row, (int64_t)one->track);
		row_add_number(&row, time_of(sink, one->begin_ns));
		row_add_number(&row, one->depth);
		row_add_number(&row, one->end_ns - one->begin_ns);
		sqlite_row_end(sink, &row);
	}
	if (all)
		sqlite_run(sink, parts_sql);
}

#define PENDING_MAX 100000
#define COMMIT_NS NS_PER_S

static void sqlite_commit(struct sqlite_sink *sink)
{
	sink->nr_pending = 0;
	sink->committed_ns = time_now_ns(CLOCK_MONOTONIC);
	sqlite_run(sink, "COMMIT; BEGIN");
}

static void sqlite_init(struct sink_file *file, const struct sink_settings *settings)
{
	struct sqlite_sink *sink = sqlite_sink_of(file);

	sink->database.files.fd = -1;
	sink->query = settings->query;
	sink->user = settings->user;
	sink->group = settings->group;
	file->has_rows = true; /* a column has them, whatever is drawn */
}

static void sqlite_open(struct sink_file *file, const struct recording *recording)
{
	struct sqlite_sink *sink = sqlite_sink_of(file);
	struct database *database = &sink->database;
	struct error *error = file->error;

	file->has_failed = (sink->query ? database_open_temporary(database, file->name, error)
					: database_open_file(database, file->fd, file->name,
							     sink->user, sink->group, error)) < 0;
	sqlite_run(sink, "BEGIN");
	sqlite_run(sink, schema_tables);
	if (!file->has_failed && sink->query)
		file->has_failed = query_check(database, sink->query, error) < 0;
	for (int i = 0; i < STATEMENT_COUNT && !file->has_failed; i++)
		file->has_failed = database_prepare(database, schema_statements[i],
						    &sink->statements[i], error) < 0;
	if (file->has_failed)
		return;
	sqlite_recording_add(sink, recording);
	sqlite_commit(sink);
}

static void sqlite_event(struct sink_file *file, const struct timeline_event *event)
{
	struct sqlite_sink *sink = sqlite_sink_of(file);

	if (writers[event->kind])
		writers[event->kind](sink, event);
	if (sink->nr_pending > PENDING_MAX)
		sqlite_commit(sink);
}

static void statements_release(struct sqlite_sink *sink)
{
	for (int i = 0; i < STATEMENT_COUNT; i++) {
		if (sink->statements[i])
			sink->database.api.finalize(sink->statements[i]);
		sink->statements[i] = NULL;
	}
}

static void sqlite_complete(struct sink_file *file)
{
	struct sqlite_sink *sink = sqlite_sink_of(file);

	sqlite_run(sink, schema_indexes);
	sqlite_explanations_add(sink);
	statements_release(sink);
	sqlite_run(sink, "COMMIT");
	if (file->has_failed)
		return;
	sink->database.is_complete = true;
	if (sink->query)
		file->has_failed = query_answer(&sink->database, sink->query, file, NULL,
						file->error) < 0;
}

static void sqlite_flush(struct sink_file *file)
{
	struct sqlite_sink *sink = sqlite_sink_of(file);

	if (!sink->query && sink->nr_pending > 0 && !sink->database.is_complete &&
	    time_now_ns(CLOCK_MONOTONIC) - sink->committed_ns >= COMMIT_NS)
		sqlite_commit(sink);
}

static void sqlite_track_release(struct sink_track *link)
{
	free(container_of(link, struct sqlite_track, link)->open);
}

static void sqlite_release(struct sink_file *file)
{
	struct sqlite_sink *sink = sqlite_sink_of(file);

	statements_release(sink);
	database_close(&sink->database);
}

static const struct sink_file_ops sqlite_file = {
	.size = sizeof(struct sqlite_sink),
	.init = sqlite_init,
	.open = sqlite_open,
	.event = sqlite_event,
	.complete = sqlite_complete,
	.flush = sqlite_flush,
	.track_release = sqlite_track_release,
	.release = sqlite_release,
};

/* SQLite reads what it wrote, and needs a journal next to the file. */
static struct sink *sink_sqlite_new(const struct sink_kind *kind,
				    const struct sink_settings *settings, struct error *error)
{
	struct stat about;

	if (settings->path && fstat(settings->fd, &about) == 0 && S_ISREG(about.st_mode))
		return sink_file_new(kind, settings, error);
	file_close(settings->fd);
	error_set(error, "%s: not a regular file; write a database to a file", settings->name);
	return NULL;
}

const struct sink_kind sink_sqlite = {
	.name = "sqlite",
	.help = "write an SQLite database, see ktrack-sql(5)",
	.use = SINK_USE_FILE,
	.creates_files = true,
	.shows_explanations = true,
	.file = &sqlite_file,
	.sink_new = sink_sqlite_new,
};

int sink_query_database(const struct sink_settings *settings, const char *path,
			struct sink_query_result *result, struct error *error)
{
	struct sink_file file = { .name = settings->name,
				  .fd = settings->fd,
				  .wait = settings->wait,
				  .report = settings->report,
				  .error = error };
	struct database database = { .files.fd = -1 };
	int status = database_open_existing(&database, path, error);

	if (status == 0)
		status = query_answer(&database, settings->query, &file, &result->nr_rows, error);
	result->has_recording = status == 0 && query_read_losses(&database, result);
	database_close(&database);
	buffer_release(&file.out);
	file_close(file.fd);
	return status;
}

const struct sink_kind sink_query = {
	.name = "query",
	.help = "print the results of a query",
	.use = SINK_USE_COMMAND,
	.file = &sqlite_file,
};
