// SPDX-License-Identifier: GPL-2.0-only
/* ktrack list: prints tracepoints of this machine, rules, programs, or what is in a recording. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/option.h"
#include "cli/option_parts.h"
#include "reader/reader.h"
#include "replay/replay.h"

static void width_widen(int *width, size_t size)
{
	if (size <= INT_MAX && (int)size > *width)
		*width = size;
}

/* ktrack list --rules: prints rules, and whether this machine has their tracepoints. */

static const char *const presence_names[] = {
	[LISTED_ABSENT] = "no", [LISTED_PRESENT] = "yes", [LISTED_UNKNOWN] = "unknown"
};
static const char *const presence_values[] = {
	[LISTED_ABSENT] = "false", [LISTED_PRESENT] = "true", [LISTED_UNKNOWN] = "null"
};

/** struct pack_counts - tracepoints of the rules of one source */
struct pack_counts {
	size_t all;
	size_t present;
	bool is_unknown;
};

/* Rules of one source follow each other; adds those from @number on, returns the next number. */
static size_t pack_count(const struct rule_listing *listing, size_t number,
			 struct pack_counts *counts)
{
	const struct rules *rules = rule_listing_rules(listing);
	struct rule_about first, rule;

	rules_about(rules, number, &first);
	for (rule = first; strcmp(rule.source, first.source) == 0;) {
		for (size_t i = 0; i < rule.nr_uses; i++) {
			struct rule_use_about use;
			enum listed_presence presence;

			rules_use(rules, number, i, &use);
			presence = rule_listing_find(listing, &use);
			counts->all++;
			counts->present += presence == LISTED_PRESENT;
			counts->is_unknown |= presence == LISTED_UNKNOWN;
		}
		if (++number == rules_size(rules))
			break;
		rules_about(rules, number, &rule);
	}
	return number;
}

#define PACK_FORMAT "%-10s %-12s %-12s %s\n"
#define RULE_FORMAT "%-22s %-8s %-6s %-46s %s\n"

static void rule_print(const struct rule_listing *listing, size_t number)
{
	const struct rules *rules = rule_listing_rules(listing);
	struct rule_about rule;

	rules_about(rules, number, &rule);
	if (rule.of)
		printf(RULE_FORMAT, rule.name, rule.kind, "of", rule.of, "-");
	for (size_t i = 0; i < rule.nr_uses; i++) {
		struct rule_use_about use;
		char name[128];

		rules_use(rules, number, i, &use);
		snprintf(name, sizeof(name), "%s:%s", use.system, use.event);
		printf(RULE_FORMAT, rule.name, rule.kind, use.role, name,
		       presence_names[rule_listing_find(listing, &use)]);
	}
}

static void rule_json_print(const struct rule_listing *listing, size_t number)
{
	const struct rules *rules = rule_listing_rules(listing);
	const struct rule_pack *pack;
	SCOPED_BUFFER(line);
	struct rule_about rule;
	bool first = true;

	rules_about(rules, number, &rule);
	pack = rule_pack_find(text_of(rule.source));
	buffer_append_char(&line, '{');
	json_append_text(&line, "rule", text_of(rule.name), &first);
	json_append_text(&line, "kind", text_of(rule.kind), &first);
	json_append_text(&line, pack ? "pack" : "source", text_of(rule.source), &first);
	if (pack && pack->tried)
		json_append_text(&line, "tried_on", text_of(pack->tried), &first);
	else if (pack)
		buffer_append_string(&line, ",\"tried_on\":null");
	if (rule.of)
		json_append_text(&line, "of", text_of(rule.of), &first);
	buffer_append_string(&line, ",\"tracepoints\":[");
	for (size_t i = 0; i < rule.nr_uses; i++) {
		struct rule_use_about use;
		SCOPED_BUFFER(name);
		bool is_first = true;

		rules_use(rules, number, i, &use);
		buffer_append_string(&line, i > 0 ? ",{" : "{");
		json_append_text(&line, "role", text_of(use.role), &is_first);
		buffer_printf(&name, "%s:%s", use.system, use.event);
		json_append_text(&line, "tracepoint", text_of(buffer_string(&name)), &is_first);
		buffer_printf(&line, ",\"exists\":%s}",
			      presence_values[rule_listing_find(listing, &use)]);
	}
	printf("%s]}\n", buffer_string(&line));
}

/* ktrack list --programs: prints the programs that can be recorded. */

#define PROGRAM_FORMAT "%8s %-16s %-8s %s\n"

/** struct program_printing - the form, and how many were printed */
struct program_printing {
	bool is_json;
	size_t number;
};

static void program_row_print(const struct program_found *program)
{
	SCOPED_BUFFER(events);
	SCOPED_BUFFER(name);
	char pid[16];

	for (size_t i = 0; i < program->nr_events; i++)
		buffer_printf(&events, "%s%s", i > 0 ? "," : "", program->events[i]);
	if (program->nr_events == 0)
		buffer_append_char(&events, '-');
	snprintf(pid, sizeof(pid), "%d", program->pid);
	/* A program names itself. */
	buffer_append_printable(&name, text_of(program->comm));
	printf(PROGRAM_FORMAT, pid, buffer_string(&name), program->is_recorded ? "yes" : "no",
	       buffer_string(&events));
}

static void program_json_print(const struct program_found *program)
{
	SCOPED_BUFFER(line);
	bool first = true;

	buffer_append_char(&line, '{');
	json_append_number(&line, "pid", program->pid, &first);
	json_append_text(&line, "name", text_of(program->comm), &first);
	json_append_text(&line, "path", text_of(program->path), &first);
	json_append_flag(&line, "recorded", program->is_recorded, &first);
	buffer_append_string(&line, ",\"events\":[");
	for (size_t i = 0; i < program->nr_events; i++) {
		buffer_append_string(&line, i > 0 ? "," : "");
		json_append_string(&line, text_of(program->events[i]));
	}
	printf("%s]}\n", buffer_string(&line));
}

static int program_print(void *context, const struct program_found *program, struct error *error)
{
	struct program_printing *printing = context;

	(void)error;
	if (printing->number++ == 0 && !printing->is_json)
		printf(PROGRAM_FORMAT, "PID", "NAME", "RECORDED", "EVENTS");
	(printing->is_json ? program_json_print : program_row_print)(program);
	return 0;
}

/* ktrack list FILE: prints the properties of a recording, and its events. */

/** struct facts - lines "NAME VALUE", or the members of a JSON object */
struct facts {
	struct buffer out;
	bool is_json;
	bool is_first;
};

static void fact_append(struct facts *facts, const char *name, struct value value)
{
	if (facts->is_json)
		json_append_member(&facts->out, text_of(name), &facts->is_first);
	else
		buffer_printf(&facts->out, "%-18s ", name);
	if (value.kind != VALUE_TEXT)
		buffer_append_unsigned(&facts->out, value.unsigned_number);
	else if (facts->is_json)
		json_append_string(&facts->out, value.text);
	else
		buffer_append_printable(&facts->out, value.text);
	if (!facts->is_json)
		buffer_append_char(&facts->out, '\n');
}

static void fact_append_number(struct facts *facts, const char *name, uint64_t number)
{
	fact_append(facts, name,
		    (struct value){ .kind = VALUE_UNSIGNED, .unsigned_number = number });
}

static void fact_append_text(struct facts *facts, const char *name, struct buffer *text)
{
	fact_append(facts, name, (struct value){ .kind = VALUE_TEXT, .text = buffer_text(text) });
	buffer_release(text);
}

static void facts_append_labels(struct facts *facts, const char *labels)
{
	struct text rest = text_of(labels ? labels : ""), key, value;
	bool is_first = true;

	while (recording_take_label(&rest, &key, &value)) {
		struct buffer label = { 0 };

		if (facts->is_json) {
			if (is_first)
				json_append_member(&facts->out, text_of("labels"),
						   &facts->is_first);
			buffer_append_string(&facts->out, is_first ? "{" : "");
			json_append_member(&facts->out, key, &is_first);
			json_append_string(&facts->out, value);
			continue;
		}
		buffer_printf(&label, "%.*s=%.*s", (int)key.size, key.data, (int)value.size,
			      value.data);
		fact_append_text(facts, "label", &label);
	}
	buffer_append_string(&facts->out, is_first ? "" : "}");
}

/* "0-3,5" */
static void contents_append_cpus(const struct contents *contents, struct buffer *out)
{
	for (size_t cpu = 0; cpu < contents->nr_cpus; cpu++) {
		size_t first = cpu;

		if (!contents->has_cpu[cpu])
			continue;
		while (cpu + 1 < contents->nr_cpus && contents->has_cpu[cpu + 1])
			cpu++;
		buffer_printf(out, "%s%zu", out->size > 0 ? "," : "", first);
		if (cpu > first)
			buffer_printf(out, "-%zu", cpu);
	}
}

static void contents_print_facts(const struct contents *contents, bool is_json)
{
	const struct recording *recording = &contents->recording;
	const struct pipeline_counts *counts = &contents->counts;
	const struct recording_property *property = NULL;
	struct facts facts = { .is_json = is_json, .is_first = true };
	struct buffer text = { 0 };
	struct value value;

	buffer_append_string(&facts.out, is_json ? "{" : "");
	while (recording_next(recording, RECORDING_TRACE2, &property, &value))
		fact_append(&facts, property->name, value);
	facts_append_labels(&facts, recording->labels);
	if (contents->nr_records > 0 && strcmp(recording->time_source, "none") != 0) {
		char date[TIME_DATE_SIZE];
		unsigned int us;

		time_date_text(date,
			       time_split(contents->start_ns + recording->wall_offset_ns, &us),
			       "%Y-%m-%dT%H:%M:%S");
		buffer_printf(&text, "%s.%06uZ", date, us);
		fact_append_text(&facts, "begin", &text);
	}
	fact_append_number(&facts, "records", contents->nr_records);
	if (contents->nr_sideband > 0)
		fact_append_number(&facts, "thread_records", contents->nr_sideband);
	contents_append_cpus(contents, &text);
	if (text.size > 0)
		fact_append_text(&facts, "cpus_with_records", &text);
	if (is_json) {
		fact_append_number(&facts, "duration_ns", contents->end_ns - contents->start_ns);
		fact_append_number(&facts, "lost_records", counts->lost);
		fact_append_number(&facts, "gaps", counts->nr_gaps);
		fact_append_number(&facts, "gaps_of_unknown_size", counts->nr_gaps_unknown);
	} else {
		buffer_append_duration(&text, contents->end_ns - contents->start_ns);
		fact_append_text(&facts, "duration", &text);
		if (counts->has_lost)
			timeline_append_loss(&text, counts->lost, counts->nr_gaps,
					     counts->nr_gaps_unknown);
		else
			buffer_append_string(&text, "nothing lost");
		fact_append_text(&facts, "losses", &text);
	}
	printf("%s%s", buffer_string(&facts.out), is_json ? "}\n" : "");
	buffer_release(&facts.out);
}

static void contents_event_print_json(const struct contents *contents,
				      const struct contents_event *event)
{
	struct text takers = text_of(event->takers), taker;
	SCOPED_BUFFER(line);
	bool is_first = true;

	buffer_append_char(&line, '{');
	if (event->name)
		json_append_text(&line, "event", text_of(event->name), &is_first);
	json_append_number(&line, "id", event->id, &is_first);
	json_append_number(&line, "records", event->count, &is_first);
	json_append_number(&line, "first_ns", event->first_ns - contents->recording.start_ns,
			   &is_first);
	json_append_number(&line, "last_ns", event->last_ns - contents->recording.start_ns,
			   &is_first);
	buffer_append_string(&line, ",\"taken_by\":[");
	for (is_first = true; takers.size > 0 && text_take_item(&takers, &taker);
	     is_first = false) {
		buffer_append_string(&line, is_first ? "" : ",");
		json_append_string(&line, taker);
	}
	printf("%s]}\n", buffer_string(&line));
}

#define EVENT_FORMAT "%10s %12s %12s  %-*s %s\n"

/* Names of events come last: they are of any length. */
static void contents_print_events(const struct contents *contents)
{
	int width = strlen("TAKEN BY");

	for (size_t i = 0; i < contents->nr_events; i++)
		width_widen(&width, strlen(contents->events[i].takers));
	printf(EVENT_FORMAT, "RECORDS", "FIRST (s)", "LAST (s)", width, "TAKEN BY", "EVENT");
	for (size_t i = 0; i < contents->nr_events; i++) {
		const struct contents_event *event = &contents->events[i];
		SCOPED_BUFFER(count);
		SCOPED_BUFFER(first);
		SCOPED_BUFFER(last);
		SCOPED_BUFFER(name);
		const char *takers = event->takers;

		buffer_append_grouped(&count, event->count);
		buffer_append_decimal(
			&first, (event->first_ns - contents->recording.start_ns) / NS_PER_US, 6);
		buffer_append_decimal(
			&last, (event->last_ns - contents->recording.start_ns) / NS_PER_US, 6);
		if (event->name)
			buffer_append_printable(&name, text_of(event->name));
		else
			buffer_printf(&name, "id %u", event->id);
		if (!*takers)
			takers = event->name ? "-" : "unknown";
		printf(EVENT_FORMAT, buffer_string(&count), buffer_string(&first),
		       buffer_string(&last), width, takers, buffer_string(&name));
	}
}

struct list_settings {
	const struct report *report;
	struct selection selection;
	struct limits limits;
	const char *file;
	bool is_json;
	bool lists_rules;
	bool lists_programs;
};

static const struct option_row list_rows[] = {
	OPTION_FLAG("rules", "list the rules of -r or of all packs", list_settings, lists_rules),
	OPTION_FLAG("programs", "list the programs that use ktrack/user.h", list_settings,
		    lists_programs),
	OPTION_FLAG("json", "print JSON: one line for each", list_settings, is_json),
};

#define ROW_FORMAT "%-*s %-8s %-*s %-10s %-8s %s\n"

/** struct widths - of the columns with texts of any length */
struct widths {
	int tracepoint;
	int scope;
};

static const char *const scope_names[] = {
	[DESCRIPTOR_SCOPE_THREAD] = "thread", [DESCRIPTOR_SCOPE_PROCESS] = "process",
	[DESCRIPTOR_SCOPE_CPU] = "cpu",	      [DESCRIPTOR_SCOPE_CUSTOM] = "custom",
	[DESCRIPTOR_SCOPE_GLOBAL] = "global",
};

static const char *kind_name(const struct descriptor *descriptor)
{
	if (descriptor->kind == DESCRIPTOR_COUNTER)
		return "counter";
	return descriptor->keys && descriptor->keys->is_async ? "async" : "slice";
}

static bool has_track_name(const struct descriptor *descriptor)
{
	return descriptor->refs[ROLE_TRACK_NAME].kind != FIELD_ABSENT;
}

/* "scope_dev,scope_queue", the outer scopes first. */
static void scope_append(struct buffer *out, const struct descriptor *descriptor)
{
	for (size_t i = 0; descriptor->keys && i < descriptor->keys->nr_outer; i++)
		buffer_printf(out, "%s,", descriptor->keys->outer[i].name.data);
	buffer_append_string(out, descriptor->scope_field ? descriptor->scope_field
							  : scope_names[descriptor->scope]);
}

static struct widths widths_find(const struct listing *listing)
{
	struct widths widths = { .tracepoint = 24, .scope = 12 };
	SCOPED_BUFFER(scope);

	for (size_t i = 0; i < listing_size(listing); i++) {
		width_widen(&widths.tracepoint, strlen(listing_get(listing, i)->category));
		buffer_clear(&scope);
		scope_append(&scope, listing_get(listing, i));
		width_widen(&widths.scope, scope.size);
	}
	return widths;
}

static void names_member(struct buffer *out, const char *name, const struct extra *fields,
			 size_t nr_fields)
{
	buffer_printf(out, ",\"%s\":", name);
	for (size_t i = 0; i < nr_fields; i++) {
		buffer_append_char(out, i > 0 ? ',' : '[');
		json_append_string(out, text_of(fields[i].name));
	}
	buffer_append_string(out, nr_fields > 0 ? "]" : "[]");
}

static void json_print(const struct listing *listing, const struct descriptor *descriptor)
{
	const struct decoded_keys *keys = descriptor->keys;
	SCOPED_BUFFER(line);
	bool first = true;

	buffer_append_char(&line, '{');
	json_append_text(&line, "tracepoint", text_of(descriptor->category), &first);
	json_append_text(&line, "kind", text_of(kind_name(descriptor)), &first);
	json_append_text(&line, "scope", text_of(scope_names[descriptor->scope]), &first);
	if (descriptor->scope_field)
		json_append_text(&line, "field", text_of(descriptor->scope_field), &first);
	for (size_t i = 0; keys && i < keys->nr_outer; i++) {
		buffer_append_string(&line, i > 0 ? "," : ",\"outer\":[");
		json_append_string(&line, text_of(keys->outer[i].name.data));
		buffer_append_string(&line, i + 1 < keys->nr_outer ? "" : "]");
	}
	json_append_flag(&line, "track_name", has_track_name(descriptor), &first);
	names_member(&line, "fields", descriptor->extras, descriptor->nr_extras);
	if (descriptor->nr_flows > 0)
		names_member(&line, "flows", descriptor->flows, descriptor->nr_flows);
	json_append_flag(&line, "enabled", listing_is_enabled(listing, descriptor), &first);
	printf("%s}\n", buffer_string(&line));
}

static int list_print(struct list_settings *settings, struct error *error)
{
	struct listing *listing;

	if (listing_new(&listing, &settings->selection, settings->report, error) < 0)
		return STATUS_FAILED;
	if (!settings->is_json) {
		struct widths widths = widths_find(listing);

		printf(ROW_FORMAT, widths.tracepoint, "TRACEPOINT", "KIND", widths.scope, "SCOPE",
		       "TRACK NAME", "ENABLED", "OTHER FIELDS");
		for (size_t i = 0; i < listing_size(listing); i++) {
			SCOPED_BUFFER(fields);
			SCOPED_BUFFER(scope);
			const struct descriptor *listed = listing_get(listing, i);

			/* "bytes,request(flow)", or "-". */
			for (size_t j = 0; j < listed->nr_extras + listed->nr_flows; j++) {
				const char *mark = field_role_mark(listed->extras[j].role);

				buffer_printf(&fields, "%s%s", fields.size > 0 ? "," : "",
					      listed->extras[j].name);
				if (mark)
					buffer_printf(&fields, "(%s)", mark);
			}
			if (fields.size == 0)
				buffer_append_char(&fields, '-');
			scope_append(&scope, listed);
			printf(ROW_FORMAT, widths.tracepoint, listed->category, kind_name(listed),
			       widths.scope, buffer_string(&scope),
			       has_track_name(listed) ? "track_name" : "-",
			       listing_is_enabled(listing, listed) ? "yes" : "no",
			       buffer_string(&fields));
		}
	}
	for (size_t i = 0; i < listing_size(listing) && settings->is_json; i++)
		json_print(listing, listing_get(listing, i));
	if (listing_size(listing) == 0)
		error_set(error, "no tracepoint of this machine follows the convention; load a "
				 "module with such tracepoints, or list rules with --rules");
	else
		report_closing(
			settings->report,
			"%zu tracepoint%s; next: %sktrack stream --html=page.html -d 5 shows them",
			listing_size(listing), listing_size(listing) == 1 ? "" : "s",
			sudo_prefix());
	listing_free(listing);
	return STATUS_DONE;
}

static int rules_print(struct list_settings *settings, struct error *error)
{
	struct rule_listing *listing;
	const struct rules *rules;

	if (settings->selection.nr_options > 0) {
		error_set(error, "-e: selects no rules; write packs, files or one rule with -r");
		return STATUS_USAGE;
	}
	if (rule_listing_new(&listing, &settings->selection, settings->report, error) < 0)
		return STATUS_FAILED;
	rules = rule_listing_rules(listing);
	if (settings->is_json) {
		for (size_t i = 0; i < rules_size(rules); i++)
			rule_json_print(listing, i);
	} else {
		printf(PACK_FORMAT, "PACK", "TRIED ON", "TRACEPOINTS", "TRACKS");
		for (size_t i = 0; i < rules_size(rules);) {
			struct pack_counts counts = { 0 };
			struct rule_about rule;
			const struct rule_pack *pack;
			char present[32];

			rules_about(rules, i, &rule);
			pack = rule_pack_find(text_of(rule.source));
			i = pack_count(listing, i, &counts);
			if (counts.is_unknown)
				snprintf(present, sizeof(present), "%zu", counts.all);
			else
				snprintf(present, sizeof(present), "%zu of %zu", counts.present,
					 counts.all);
			printf(PACK_FORMAT, rule.source, pack && pack->tried ? pack->tried : "-",
			       present, pack && pack->about ? pack->about : "-");
		}
		printf("\n" RULE_FORMAT, "RULE", "KIND", "ROLE", "TRACEPOINT", "EXISTS");
		for (size_t i = 0; i < rules_size(rules); i++)
			rule_print(listing, i);
	}
	report_closing(settings->report,
		       "%zu rules; next: %sktrack stream -r sched,irq --html=page.html -- sleep 1",
		       rules_size(rules), sudo_prefix());
	rule_listing_free(listing);
	return STATUS_DONE;
}

static int contents_print(struct list_settings *settings, struct error *error)
{
	struct contents contents;
	struct closing closing = { .object = settings->file, .things = "record" };
	SCOPED_BUFFER(next);
	int status = STATUS_FAILED;

	if (settings->lists_rules || settings->lists_programs) {
		error_set(error, "%s: lists no recording; leave out %s",
			  settings->lists_rules ? "--rules" : "--programs", settings->file);
		return STATUS_USAGE;
	}
	if (contents_read(&contents, settings->file, &settings->selection, &settings->limits,
			  settings->report, error) == 0) {
		contents_print_facts(&contents, settings->is_json);
		if (!settings->is_json && contents.nr_events > 0) {
			printf("\n");
			contents_print_events(&contents);
		}
		for (size_t i = 0; settings->is_json && i < contents.nr_events; i++)
			contents_event_print_json(&contents, &contents.events[i]);
		if (contents_damage(&contents)) {
			error_set(error, "%s", contents_damage(&contents));
		} else {
			if (contents.nr_records == 0)
				report_message(settings->report,
					       "%s: no records; its tracepoints did not fire while "
					       "it was recorded",
					       settings->file);
			closing.count = contents.nr_records;
			closing.has_lost = contents.counts.has_lost;
			closing.lost = contents.counts.lost;
			closing.gaps = contents.counts.nr_gaps;
			closing.gaps_unknown = contents.counts.nr_gaps_unknown;
			closing_append_command(&next, "stat", &settings->selection, settings->file);
			closing_report(&closing, buffer_string(&next), settings->report);
			status = STATUS_DONE;
		}
	}
	contents_release(&contents);
	return status;
}

static int list_chosen(struct list_settings *settings, struct error *error)
{
	bool lists_rules = settings->lists_rules || settings->selection.rules;

	if (settings->file)
		return contents_print(settings, error);
	if (settings->lists_programs && (lists_rules || settings->selection.nr_options > 0)) {
		error_set(error, "--programs: lists no tracepoints and no rules; leave out -e, -r "
				 "and --rules");
		return STATUS_USAGE;
	}
	if (settings->lists_programs) {
		struct program_printing printing = { .is_json = settings->is_json };
		const struct program_visitor visitor = { .context = &printing,
							 .visit = program_print };

		if (programs_visit(&visitor, error) < 0)
			return STATUS_FAILED;
		if (printing.number == 0)
			error_set(error, "no program that you may read uses ktrack/user.h; see "
					 "ktrack-user(7)");
		else
			report_closing(settings->report,
				       "%zu program%s; next: ktrack stream --programs records them",
				       printing.number, printing.number == 1 ? "" : "s");
		return STATUS_DONE;
	}
	return lists_rules ? rules_print(settings, error) : list_print(settings, error);
}

static int list_apply_file(void *settings, const char *word, struct error *error)
{
	struct list_settings *list = settings;

	if (list->file)
		return option_refuse_operand(settings, word, error);
	list->file = word;
	return 0;
}

static int list_main(int argc, char **argv, struct error *error)
{
	struct list_settings settings = { .report = message_report() };
	/* Parts of other files have no constant address, so the table is no constant. */
	struct option_table table = {
		.usage = "list [OPTION]... [FILE]",
		.about = "Lists the running kernel's tracepoints that follow the track event "
			 "convention, rules that make tracks from others, or programs. With FILE "
			 "(a trace.dat or text of ftrace, '-' for standard input): what it "
			 "contains, and what shows each event.",
		.notes = "Exit status: 0 success; 1 tracefs cannot be read, a pattern matches "
			 "nothing, or FILE is damaged; 2 wrong usage.",
		.operand = list_apply_file,
		.parts = { OPTION_PART(listed_options, struct list_settings, selection),
			   OPTION_PART(stored_options, struct list_settings, selection),
			   OPTION_ROWS(list_rows),
			   OPTION_PART(input_options, struct list_settings, limits),
			   OPTION_PART(report_options, struct list_settings, report) },
	};
	int operand, status;

	if (options_read(&table, argc, argv, &settings, &operand, &status, error))
		status = list_chosen(&settings, error);
	selection_release(&settings.selection);
	return status;
}

const struct cli_command list_command = {
	"list", "list tracepoints, rules, programs, or what is in a recording", list_main
};
