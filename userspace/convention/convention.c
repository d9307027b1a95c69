// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the descriptors of a source and their symbols, and finds the descriptor of a record. */
#include "convention/convention.h"

#include <stdlib.h>
#include <string.h>

#include "convention/descriptor.h"

/* Formats of this size together are read before further ones are added. */
#define PENDING_SIZE_MAX (1024 * 1024)

static bool extra_may_have_symbols(const struct extra *extra)
{
	return field_ref_is_number(&extra->ref) || extra->ref.kind == FIELD_BOOLEAN;
}

static bool descriptor_may_have_symbols(const struct descriptor *descriptor, struct text format)
{
	for (size_t i = 0; i < descriptor->nr_extras; i++) {
		const struct extra *extra = &descriptor->extras[i];

		if (extra_may_have_symbols(extra) && symbols_have_text(format, extra->label))
			return true;
	}
	return false;
}

static void symbols_fail(struct convention_symbols *symbols, const struct descriptor *descriptor,
			 const char *reason)
{
	if (symbols->nr_failed++ == 0) {
		symbols->failed = descriptor;
		symbols->reason = reason;
	}
}

/* Returns NULL if no extra has symbols, or memory ran out. Does not take ownership of @symbols. */
static struct extra_symbols *extra_symbols_new(const struct descriptor *descriptor,
					       struct symbols *symbols)
{
	struct extra_symbols *own =
		calloc(1, sizeof(*own) + descriptor->nr_extras * sizeof(own->fields[0]));
	bool is_used = false;

	if (!own)
		return NULL;
	own->symbols = symbols;
	for (size_t i = 0; i < descriptor->nr_extras; i++) {
		const struct extra *extra = &descriptor->extras[i];

		if (extra_may_have_symbols(extra))
			own->fields[i] = symbols_find(symbols, extra->label);
		is_used = is_used || own->fields[i];
	}
	if (is_used)
		return own;
	free(own);
	return NULL;
}

/* Takes ownership of @symbols. */
static void descriptor_attach(struct convention *convention, struct descriptor *descriptor,
			      struct symbols *symbols)
{
	size_t size;

	descriptor->symbols = extra_symbols_new(descriptor, symbols);
	if (!descriptor->symbols) {
		symbols_free(symbols);
		return;
	}
	size = extra_symbols_size(descriptor);
	if (convention->used_size + size <= CONVENTION_SIZE_MAX) {
		convention->used_size += size;
		return;
	}
	extra_symbols_free(descriptor->symbols);
	descriptor->symbols = NULL;
	symbols_fail(&convention->symbols, descriptor,
		     "the texts of all tracepoints take too much memory");
}

static void pending_clear(struct convention_symbols *symbols)
{
	for (size_t i = 0; i < symbols->nr_pending; i++)
		free(symbols->pending[i].format);
	symbols->nr_pending = 0;
	symbols->pending_size = 0;
}

/* A descriptor that another one of its id replaced decodes no records. */
static void results_attach(struct convention *convention, struct symbols_request *requests)
{
	struct convention_symbols *symbols = &convention->symbols;
	bool is_refused = symbols->reader.lacks_seccomp && !symbols->reader.is_trusted;

	for (size_t i = 0; i < symbols->nr_pending; i++) {
		struct descriptor *descriptor = symbols->pending[i].descriptor;

		if (requests[i].has_failed)
			symbols_fail(symbols, descriptor,
				     is_refused ? "this kernel has no seccomp, and formats of "
						  "files are not parsed without it"
						: "libtraceevent crashed on the print format");
		else if (convention->by_id[descriptor->event_id] != descriptor)
			symbols_free(requests[i].symbols);
		else if (requests[i].symbols)
			descriptor_attach(convention, descriptor, requests[i].symbols);
	}
}

/* Returns -1 if memory ran out. */
static int pending_read(struct convention *convention)
{
	struct convention_symbols *symbols = &convention->symbols;
	struct symbols_request *requests;

	if (symbols->nr_pending == 0)
		return 0;
	requests = calloc(symbols->nr_pending, sizeof(*requests));
	if (!requests)
		return -1;
	for (size_t i = 0; i < symbols->nr_pending; i++)
		requests[i].format = (struct text){ symbols->pending[i].format,
						    symbols->pending[i].size };
	symbols_read(&symbols->reader, requests, symbols->nr_pending);
	results_attach(convention, requests);
	free(requests);
	pending_clear(symbols);
	return 0;
}

/* Remembers the format of a descriptor if it has symbols that are wanted; -1 without memory. */
static int convention_queue_symbols(struct convention *convention, struct descriptor *descriptor,
				    struct text format)
{
	struct convention_symbols *symbols = &convention->symbols;
	char *copy;

	if (!symbols->is_wanted || !descriptor_may_have_symbols(descriptor, format))
		return 0;
	copy = malloc(format.size);
	if (!copy || !array_reserve(symbols->pending, symbols->nr_pending)) {
		free(copy);
		return -1;
	}
	memcpy(copy, format.data, format.size);
	symbols->pending[symbols->nr_pending++] = (struct symbols_pending){ descriptor, copy,
									    format.size };
	symbols->pending_size += format.size;
	/* cppcheck-suppress memleak ; symbols->pending owns copy */
	return symbols->pending_size > PENDING_SIZE_MAX ? pending_read(convention) : 0;
}

void convention_want_symbols(struct convention *convention, bool is_trusted)
{
	convention->symbols.is_wanted = true;
	convention->symbols.reader = (struct symbols_reader){ .is_swapped = convention->is_swapped,
							      .is_trusted = is_trusted };
}

/* Remembers a text of a descriptor whose value is not in the format; -1 without memory. */
static int convention_note_enumerator(struct convention *convention,
				      const struct descriptor *descriptor, struct text format)
{
	struct convention_symbols *symbols = &convention->symbols;
	struct text name;

	if (!print_format_find_enumerator(format, &name) || symbols->nr_unnamed++ > 0)
		return 0;
	symbols->unnamed = descriptor;
	symbols->enumerator = strndup(name.data, name.size);
	return symbols->enumerator ? 0 : -1;
}

/* " and 2 other tracepoints", or nothing */
static void other_tracepoints_append(struct buffer *out, size_t count)
{
	if (count > 1)
		buffer_printf(out, " and %zu other tracepoint%s", count - 1, count > 2 ? "s" : "");
}

int convention_read_symbols(struct convention *convention, const struct report *report)
{
	struct convention_symbols *symbols = &convention->symbols;
	SCOPED_BUFFER(others);

	if (pending_read(convention) < 0)
		return -1;
	other_tracepoints_append(&others, symbols->nr_failed);
	if (symbols->nr_failed > 0)
		report_message(report, "%s%s: %s; symbolic fields are numbers",
			       symbols->failed->category, buffer_string(&others), symbols->reason);
	symbols->nr_failed = 0;
	if (symbols->nr_unnamed == 0)
		return 0;
	buffer_clear(&others);
	other_tracepoints_append(&others, symbols->nr_unnamed);
	report_message(report,
		       "%s%s: the print format has no number for %s, so that its text is not used; "
		       "declare KTRACK_ENUM_VALUE(%s) in the driver, see ktrack-instrument(7)",
		       symbols->unnamed->category, buffer_string(&others), symbols->enumerator,
		       symbols->enumerator);
	free(symbols->enumerator);
	symbols->enumerator = NULL;
	symbols->nr_unnamed = 0;
	return 0;
}

/* Without name and id, which precede the fields. */
static uint64_t format_hash(struct text text)
{
	static const char head[] = "format:";
	const char *begin = memmem(text.data, text.size, head, strlen(head));

	return begin ? hash_text((struct text){ begin, text.data + text.size - begin }) : 0;
}

/* Keeps the descriptors of a source, and finds the one for a record. */

/** struct convention_entry - a descriptor and its use */
struct convention_entry {
	struct descriptor *descriptor;
	uint64_t format_hash; /* hash of its format without name and id */
	bool is_dropped;      /* no records are decoded by it */
};

struct convention *convention_new(bool is_swapped)
{
	struct convention *convention = calloc(1, sizeof(*convention));

	if (convention)
		convention->is_swapped = is_swapped;
	return convention;
}

void convention_reserve(struct convention *convention, unsigned int nr_indexes)
{
	convention->nr_tracepoints = nr_indexes;
}

static void convention_entry_free(struct convention_entry *entry)
{
	if (entry)
		descriptor_free(entry->descriptor);
	free(entry);
}

void convention_free(struct convention *convention)
{
	if (!convention)
		return;
	for (size_t i = 0; i < convention->nr_entries; i++)
		convention_entry_free(convention->entries[i]);
	free(convention->entries);
	map_release(&convention->tracepoints);
	pending_clear(&convention->symbols);
	free(convention->symbols.pending);
	free(convention->symbols.enumerator);
	free(convention);
}

static bool convention_entry_is_same_tracepoint(const void *value, const void *key)
{
	const struct convention_entry *entry = value, *other = key;

	return entry->format_hash == other->format_hash &&
	       entry->descriptor->is_of_program == other->descriptor->is_of_program &&
	       strcmp(entry->descriptor->category, other->descriptor->category) == 0;
}

/* A tracepoint that is added again with the same format has the same index. */
static int convention_entry_set_index(struct convention *convention, struct convention_entry *entry)
{
	uint64_t hash = hash_text(text_of(entry->descriptor->category)) ^ entry->format_hash;
	const struct convention_entry *first = map_find(&convention->tracepoints, hash,
							convention_entry_is_same_tracepoint, entry);

	if (first) {
		entry->descriptor->index = first->descriptor->index;
		return 0;
	}
	if (map_insert(&convention->tracepoints, hash, entry) < 0)
		return -1;
	entry->descriptor->index = convention->nr_tracepoints++;
	return 0;
}

static void convention_entry_use(struct convention *convention, struct convention_entry *entry)
{
	convention->nr_used++;
	convention->used_size += descriptor_size(entry->descriptor);
	convention->by_id[entry->descriptor->event_id] = entry->descriptor;
	entry->is_dropped = false;
}

/* Returns whether to report the refusal: only the first one is reported. */
static int convention_entry_refuse(struct convention *convention, unsigned int nr_quarters,
				   struct error *error)
{
	bool *is_reported = nr_quarters < 4 ? &convention->is_crowded : &convention->is_full;

	if (*is_reported)
		return 0;
	*is_reported = true;
	error_set(error,
		  "there are more than %u tracepoints, or their fields take more than %zu MiB; "
		  "later ones%s are left out too",
		  CONVENTION_DESCRIPTORS_MAX / 4 * nr_quarters,
		  (CONVENTION_SIZE_MAX >> 20) / 4 * nr_quarters,
		  nr_quarters < 4 ? " of users with many" : "");
	return 1;
}

/* Takes ownership of @descriptor, and sets @out unless it is refused. */
static int convention_entry_add(struct convention *convention, struct descriptor *descriptor,
				uint64_t format_hash, const struct descriptor **out,
				struct error *error)
{
	struct convention_entry *entry = calloc(1, sizeof(*entry));
	int status = -1;

	if (!entry) {
		descriptor_free(descriptor);
		return error_set(error, "out of memory");
	}
	*entry = (struct convention_entry){ .descriptor = descriptor, .format_hash = format_hash };
	if (convention->nr_used >= CONVENTION_DESCRIPTORS_MAX ||
	    convention->used_size + descriptor_size(descriptor) > CONVENTION_SIZE_MAX) {
		status = convention_entry_refuse(convention, 4, error);
	} else if (!array_reserve(convention->entries, convention->nr_entries) ||
		   convention_entry_set_index(convention, entry) < 0) {
		error_set(error, "out of memory");
	} else {
		convention->entries[convention->nr_entries++] = entry;
		if (!descriptor->is_of_program)
			convention->kernel_end = convention->nr_entries;
		convention_entry_use(convention, entry);
		*out = descriptor;
	}
	if (*out)
		return 0;
	convention_entry_free(entry);
	return status;
}

/* Saves the time to parse the formats of all tracepoints that do not follow the convention. */
static bool format_may_follow(struct text format)
{
	return memmem(format.data, format.size, "track_event_type", strlen("track_event_type")) ||
	       memmem(format.data, format.size, "counter_value", strlen("counter_value"));
}

/* Returns 1 with @error if the format cannot be parsed, -1 with @error if memory ran out. */
static int convention_parse(struct format *format, const char *system, struct text text,
			    struct error *error)
{
	int status = format_parse(format, text);

	if (status > 0)
		error_set(error, "the format of a tracepoint in system %s cannot be read", system);
	else if (status < 0)
		error_set(error, "out of memory");
	if (status != 0 || format->id < CONVENTION_IDS)
		return status;
	error_set(error, "%s:%s has the impossible id %llu", system, format->name,
		  (unsigned long long)format->id);
	return 1;
}

static int format_add(struct convention *convention, const char *system, bool is_of_program,
		      const struct format *format, struct text text, const struct descriptor **out,
		      struct error *error)
{
	struct descriptor *descriptor;
	int status;

	if (descriptor_new(&descriptor, system, format, convention->is_swapped) < 0)
		return error_set(error, "out of memory");
	if (!descriptor)
		return 0;
	descriptor->is_of_program = is_of_program;
	descriptor->has_more |= is_of_program;
	status = convention_entry_add(convention, descriptor, format_hash(text), out, error);
	if (*out && (convention_queue_symbols(convention, descriptor, text) < 0 ||
		     convention_note_enumerator(convention, descriptor, text) < 0))
		return error_set(error, "out of memory");
	return status;
}

static int convention_add_text(struct convention *convention, const char *system,
			       bool is_of_program, struct text text, const struct descriptor **out,
			       struct error *error)
{
	struct format format;
	int status;

	*out = NULL;
	if (!format_may_follow(text))
		return 0;
	status = convention_parse(&format, system, text, error);
	if (status == 0)
		status = format_add(convention, system, is_of_program, &format, text, out, error);
	format_release(&format);
	return status;
}

int convention_add(struct convention *convention, const char *system, struct text text,
		   const struct descriptor **out, struct error *error)
{
	return convention_add_text(convention, system, false, text, out, error);
}

int convention_add_program(struct convention *convention, const char *system, struct text text,
			   bool is_of_many, const struct descriptor **out, struct error *error)
{
	*out = NULL;
	convention->symbols.reader.is_trusted = false;
	if (is_of_many && format_may_follow(text) &&
	    (convention->nr_used >= CONVENTION_DESCRIPTORS_MAX / 4 * 3 ||
	     convention->used_size >= CONVENTION_SIZE_MAX / 4 * 3))
		return convention_entry_refuse(convention, 3, error);
	return convention_add_text(convention, system, true, text, out, error);
}

size_t convention_size(const struct convention *convention)
{
	return convention->nr_entries;
}

const struct descriptor *convention_descriptor(const struct convention *convention, size_t index)
{
	return convention->entries[index]->descriptor;
}

static struct convention_entry *convention_entry_find(const struct convention *convention,
						      const struct descriptor *descriptor)
{
	size_t i = 0;

	while (convention->entries[i]->descriptor != descriptor)
		i++;
	return convention->entries[i];
}

void convention_drop(struct convention *convention, const struct descriptor *descriptor)
{
	struct convention_entry *entry = convention_entry_find(convention, descriptor);

	if (!entry->is_dropped) {
		convention->nr_used--;
		convention->used_size -= descriptor_size(descriptor);
	}
	entry->is_dropped = true;
	if (convention->by_id[descriptor->event_id] == descriptor)
		convention->by_id[descriptor->event_id] = NULL;
}

void convention_use(struct convention *convention, const struct descriptor *descriptor)
{
	struct convention_entry *entry = convention_entry_find(convention, descriptor);

	if (entry->is_dropped)
		convention_entry_use(convention, entry);
	else
		convention->by_id[descriptor->event_id] = descriptor;
}

bool convention_has_id(const struct convention *convention, uint16_t id)
{
	return convention->by_id[id];
}

const struct descriptor *convention_find_name(const struct convention *convention,
					      const char *system, const char *name)
{
	size_t size = strlen(system);

	for (size_t i = convention->kernel_end; i > 0; i--) {
		const struct descriptor *descriptor = convention_descriptor(convention, i - 1);

		if (!descriptor->is_of_program && strcmp(descriptor->name, name) == 0 &&
		    strncmp(descriptor->category, system, size) == 0 &&
		    descriptor->name == descriptor->category + size + 1)
			return descriptor;
	}
	return NULL;
}

bool convention_needs_task(const char *system, const char *name)
{
	return task_rule_find(system, name);
}

int convention_add_task(struct convention *convention, const char *system, const char *name,
			struct text text, struct error *error)
{
	const struct task_rule *rule = task_rule_find(system, name);
	struct format format;
	int status;

	if (!rule || convention->nr_tasks == CONVENTION_TASKS_MAX)
		return 0;
	status = convention_parse(&format, system, text, error);
	if (status == 0) {
		convention->tasks[convention->nr_tasks++] =
			task_descriptor_of(rule, &format, convention->is_swapped);
		/* An id that is used again stays the first tracepoint's. */
		if (!convention_has_task_id(convention, format.id))
			convention->task_of_id[format.id] = convention->nr_tasks;
	}
	format_release(&format);
	return status;
}

bool convention_read_writer(const struct convention *convention, uint16_t id,
			    const struct record *record, int *tid, struct text *comm)
{
	return convention_has_task_id(convention, id) &&
	       task_read_writer(&convention->tasks[convention->task_of_id[id] - 1], record, tid,
				comm);
}
