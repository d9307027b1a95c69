// SPDX-License-Identifier: GPL-2.0-only
/* Answers questions about a recording: SQL, and ktrack why. */
#include "replay/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

#include "output/output.h"
#include "reader/reader.h"
#include "source/source.h"

/* The first bytes of a database. */
#define MAGIC "SQLite format 3"

/* A file that cannot be opened is left to export, for its error. */
static bool source_is_database(const char *source)
{
	char head[sizeof(MAGIC)] = { 0 };
	int fd = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t size = fd >= 0 ? file_read_block(fd, head, sizeof(head), 0) : -1;

	file_close(fd);
	return size == sizeof(head) && memcmp(head, MAGIC, sizeof(head)) == 0;
}

/* A database has no records that an option could select. */
static int query_database_check(const struct query_settings *settings, struct error *error)
{
	SCOPED_BUFFER(options);

	if (settings->selection.nr_options > 0)
		buffer_append_string(&options, "-e");
	else if (settings->selection.rules)
		buffer_append_string(&options, "-r");
	else
		filter_name(&settings->filter, &options);
	if (options.size > 0)
		error_set(error,
			  "%s: selects records, but %s is a database; use WHERE in the query",
			  buffer_string(&options), settings->source);
	return *error->text ? -1 : 0;
}

static int query_database_run(const struct query_settings *settings, struct error *error)
{
	struct sink_settings output = { .query = &settings->form, .report = settings->report };
	struct output_set set = { 0 };
	struct sink_query_result result = { 0 };
	struct buffer path = { 0 };
	int status = STATUS_FAILED;

	if (query_database_check(settings, error) < 0)
		return STATUS_USAGE;
	output.fd = output_open(&set, "-", &output.name, error);
	/* SQLite gives names with a colon a meaning. */
	buffer_printf(&path, "%s%s", settings->source[0] == '/' ? "" : "./", settings->source);
	if (output.fd >= 0 &&
	    sink_query_database(&output, buffer_string(&path), &result, error) == 0)
		status = STATUS_DONE;
	buffer_release(&path);
	if (status == STATUS_DONE && result.has_recording) {
		const struct closing closing = { .object = settings->source,
						 .count = result.nr_rows,
						 .things = "row",
						 .has_lost = result.lost > 0 || result.gaps > 0,
						 .lost = result.lost,
						 .gaps = result.gaps,
						 .gaps_unknown = result.gaps_unknown };
		bool is_slowest = strcmp(settings->form.sql, "@slowest") == 0;
		struct buffer next = { 0 };

		/* The next command is another query. */
		buffer_append_string(&next, "ktrack query ");
		buffer_append_word(&next, settings->source);
		buffer_append_string(&next, is_slowest ? " @names" : " @slowest");
		closing_report(&closing, buffer_string(&next), settings->report);
		buffer_release(&next);
	}
	return status;
}

int query_run(struct query_settings *settings, struct error *error)
{
	struct export_settings export = {
		.report = settings->report,
		.sources = { settings->source },
		.nr_sources = 1,
		.argv = settings->argv,
		.selection = settings->selection,
		.outputs = { .query = &settings->form, .fails_on_loss = settings->fails_on_loss },
		.filter = settings->filter,
		.limits = settings->limits,
	};
	int status;

	if (source_is_database(settings->source))
		return query_database_run(settings, error);
	status = export_run(&export, error);
	settings->selection = export.selection;
	return status;
}

/* ktrack why: exports a source to the analysis, with the rules that explain slices. */

/* A comparison of all slices does not use the priorities that the CPUs' rule shows. */
static void why_omit_rules(const struct why_settings *why, struct rules *rules)
{
	struct slice_selector selector;
	struct error error = { 0 };

	rules_omit(rules, WHY_WAKEUPS);
	/* The pack memory shows it, too. */
	rules_omit(rules, "reclaim:direct");
	if (!why->is_aggregate)
		return;
	if (slice_selector_parse(&selector, why->slice, &error) < 0 || !selector.category ||
	    fnmatch(selector.category, WHY_CPUS, 0) != 0)
		rules_omit(rules, WHY_CPUS);
	slice_selector_release(&selector);
}

/* The words that repeat this run, up to a slice. */
static void why_append_command(const struct why_run_settings *settings, struct buffer *out)
{
	const struct filter *filter = &settings->filter;

	closing_append_command(out, "why", &settings->selection, NULL);
	if (filter->from_ns > 0) {
		buffer_append_string(out, " --from=");
		buffer_append_seconds(out, filter->from_ns, 9);
	}
	if (filter->to_ns > 0) {
		buffer_append_string(out, " --to=");
		buffer_append_seconds(out, filter->to_ns, 9);
	}
	buffer_append_char(out, ' ');
	buffer_append_word(out, settings->source);
}

static struct export_settings why_export(struct why_run_settings *settings, const char *source)
{
	return (struct export_settings){
		.report = settings->report,
		.sources = { source },
		.nr_sources = 1,
		.argv = settings->argv,
		.outputs = { .why = &settings->why, .fails_on_loss = settings->fails_on_loss },
		.filter = settings->filter,
		.limits = settings->limits,
	};
}

/* Reads the recording that is compared with; nothing is printed. */
static int why_read_base(struct why_run_settings *settings, struct error *error)
{
	struct export_settings export = why_export(settings, settings->base);
	int status = STATUS_FAILED;

	settings->why.base = why_base_new(settings->base);
	if (!settings->why.base)
		return error_set(error, "out of memory"), STATUS_FAILED;
	/* Rules belong to one source. */
	if (selection_copy(&export.selection, &settings->selection, error) == 0) {
		/* The copy has all rules of the packs again. */
		why_omit_rules(&settings->why, export.selection.rules);
		status = export_run(&export, error);
	}
	selection_release(&export.selection);
	return status;
}

/* Refuses options that do not fit each other, or the sources. */
static int why_run_check(const struct why_run_settings *settings, struct error *error)
{
	if (settings->shows_evidence && (settings->base || settings->why.is_aggregate))
		return error_set(error, "--evidence: of single slices; leave out --%s",
				 settings->base ? "compare" : "aggregate");
	if (settings->base && strcmp(settings->base, "-") == 0)
		return error_set(error, "--compare=-: standard input is no recording to compare "
					"with; save it in a file");
	if (settings->base && !settings->why.slice.data)
		return error_set(error, "--compare: a slice is missing; 'ktrack stat --compare' "
					"lists which are longer");
	if (settings->shows_evidence &&
	    (strcmp(settings->source, "-") == 0 || source_name_is_instance(settings->source)))
		return error_set(error, "--evidence: reads a file twice; save '%s' in one",
				 settings->source);
	return 0;
}

int why_run(struct why_run_settings *settings, struct error *error)
{
	struct export_settings export = why_export(settings, settings->source);
	const struct evidence_finder finder = { settings, evidence_find };
	struct buffer command = { 0 }, subjects = { 0 };
	int status = STATUS_FAILED, base_status = STATUS_DONE;

	if (why_run_check(settings, error) < 0)
		return STATUS_USAGE;
	settings->why.is_aggregate |= settings->base != NULL;
	if (!settings->why.slice.data && why_settings_set_overview(&settings->why, error) < 0)
		return STATUS_USAGE;
	if (why_settings_check(&settings->why, error) < 0)
		return STATUS_USAGE;
	if (settings->shows_evidence)
		settings->why.evidence = &finder;
	/* Before the packs that explain slices are added. */
	why_append_command(settings, &command);
	settings->why.command = buffer_string(&command);
	if (selection_is_chosen(&settings->selection)) {
		buffer_append_char(&subjects, ',');
		if (settings->selection.rules)
			rules_append_prefixes(settings->selection.rules, &subjects);
		settings->why.subjects = buffer_string(&subjects);
	}
	if (selection_add_why(&settings->selection, error) < 0 ||
	    selection_add_rules(&settings->selection, WHY_FILE_PACKS, error) < 0)
		goto out;
	why_omit_rules(&settings->why, settings->selection.rules);
	/* The buffers of an instance are those of this machine; a file may be of another. */
	settings->why.is_here = source_name_is_instance(settings->source);
	if (settings->base)
		base_status = why_read_base(settings, error);
	status = base_status;
	if (status != STATUS_DONE && status != STATUS_LOST)
		goto out;
	export.selection = settings->selection;
	status = export_run(&export, error);
	if (status == STATUS_DONE)
		status = base_status;
	settings->selection = export.selection;
out:
	why_base_free(settings->why.base);
	settings->why.base = NULL;
	settings->why.command = settings->why.subjects = NULL;
	settings->why.evidence = NULL;
	buffer_release(&command);
	buffer_release(&subjects);
	return status;
}
