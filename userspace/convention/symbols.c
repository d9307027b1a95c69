// SPDX-License-Identifier: GPL-2.0-only
/* Reads the symbols of descriptors. */
#include "convention/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "convention/convention.h"

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
	if (symbols->nr_failed++ > 0)
		return;
	symbols->failed = descriptor;
	symbols->reason = reason;
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

void extra_symbols_free(struct extra_symbols *own)
{
	if (own)
		symbols_free(own->symbols);
	free(own);
}

size_t extra_symbols_size(const struct descriptor *descriptor)
{
	const struct extra_symbols *own = descriptor->symbols;

	if (!own)
		return 0;
	return sizeof(*own) + descriptor->nr_extras * sizeof(own->fields[0]) +
	       symbols_size(own->symbols);
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

static const char *failure_reason(const struct symbols_reader *reader)
{
	if (reader->lacks_seccomp && !reader->is_trusted)
		return "this kernel has no seccomp, and formats of files are not parsed without it";
	return "libtraceevent crashed on the print format";
}

/* A descriptor that another one of its id replaced decodes no records. */
static void results_attach(struct convention *convention, struct symbols_request *requests)
{
	struct convention_symbols *symbols = &convention->symbols;

	for (size_t i = 0; i < symbols->nr_pending; i++) {
		struct descriptor *descriptor = symbols->pending[i].descriptor;

		if (requests[i].has_failed)
			symbols_fail(symbols, descriptor, failure_reason(&symbols->reader));
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

int convention_queue_symbols(struct convention *convention, struct descriptor *descriptor,
			     struct text format)
{
	struct convention_symbols *symbols = &convention->symbols;
	struct symbols_pending *pending;
	char *copy;

	if (!symbols->is_wanted || !descriptor_may_have_symbols(descriptor, format))
		return 0;
	pending = reallocarray(symbols->pending, symbols->nr_pending + 1, sizeof(*pending));
	copy = malloc(format.size);
	if (pending)
		symbols->pending = pending;
	if (!pending || !copy) {
		free(copy);
		return -1;
	}
	memcpy(copy, format.data, format.size);
	pending[symbols->nr_pending++] = (struct symbols_pending){ descriptor, copy, format.size };
	symbols->pending_size += format.size;
	/* cppcheck-suppress memleak ; symbols->pending owns copy */
	return symbols->pending_size > PENDING_SIZE_MAX ? pending_read(convention) : 0;
}

void convention_want_symbols(struct convention *convention, bool is_trusted)
{
	convention->symbols.is_wanted = true;
	convention->symbols.reader = (struct symbols_reader){
		.is_swapped = convention->is_swapped,
		.is_trusted = is_trusted,
	};
}

int convention_note_enumerator(struct convention *convention, const struct descriptor *descriptor,
			       struct text format)
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

static void enumerators_report(struct convention_symbols *symbols, const struct report *report)
{
	struct buffer others = { 0 };

	if (symbols->nr_unnamed == 0)
		return;
	other_tracepoints_append(&others, symbols->nr_unnamed);
	report_message(report,
		       "%s%s: the print format has no number for %s, so that its text is not used; "
		       "declare KTRACK_ENUM_VALUE(%s) in the driver, see ktrack-instrument(7)",
		       symbols->unnamed->category, buffer_string(&others), symbols->enumerator,
		       symbols->enumerator);
	buffer_release(&others);
	free(symbols->enumerator);
	symbols->enumerator = NULL;
	symbols->nr_unnamed = 0;
}

static void failures_report(struct convention_symbols *symbols, const struct report *report)
{
	struct buffer others = { 0 };

	if (symbols->nr_failed == 0)
		return;
	other_tracepoints_append(&others, symbols->nr_failed);
	report_message(report, "%s%s: %s; symbolic fields are numbers", symbols->failed->category,
		       buffer_string(&others), symbols->reason);
	buffer_release(&others);
	symbols->nr_failed = 0;
}

int convention_read_symbols(struct convention *convention, const struct report *report)
{
	if (pending_read(convention) < 0)
		return -1;
	failures_report(&convention->symbols, report);
	enumerators_report(&convention->symbols, report);
	return 0;
}

void convention_symbols_release(struct convention_symbols *symbols)
{
	pending_clear(symbols);
	free(symbols->pending);
	free(symbols->enumerator);
}
