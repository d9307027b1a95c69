// SPDX-License-Identifier: GPL-2.0-only
/* Lists the tracepoints of the running kernel that follow the convention. */
#include <stdlib.h>
#include <unistd.h>

#include "reader/listing.h"
#include "reader/selection.h"

/**
 * struct listing - the tracepoints
 * @events_fd: the directory of tracepoints
 */
struct listing {
	struct convention *convention;
	int events_fd;
};

static const char *const scope_names[] = {
	[DESCRIPTOR_SCOPE_THREAD] = "thread",
	[DESCRIPTOR_SCOPE_PROCESS] = "process",
	[DESCRIPTOR_SCOPE_CPU] = "cpu",
	[DESCRIPTOR_SCOPE_CUSTOM] = "custom",
	[DESCRIPTOR_SCOPE_GLOBAL] = "global",
};

static bool descriptor_is_enabled(const struct descriptor *descriptor, int events_fd)
{
	struct buffer system = { 0 };
	bool is_enabled;

	descriptor_system(descriptor, &system);
	is_enabled = event_is_enabled(events_fd, buffer_string(&system), descriptor->name);
	buffer_release(&system);
	return is_enabled;
}

static int listing_fill(struct listing *listing, struct selection *selection,
			const struct report *report, struct error *error)
{
	listing->events_fd = events_open(error);
	if (listing->events_fd < 0)
		return -1;
	listing->convention = convention_new(false);
	if (!listing->convention)
		return error_set(error, "out of memory");
	return tracepoints_find(listing->convention, NULL, selection, report, error);
}

int listing_new(struct listing **out, struct selection *selection, const struct report *report,
		struct error *error)
{
	struct listing *listing = calloc(1, sizeof(*listing));

	if (!listing)
		return error_set(error, "out of memory");
	if (listing_fill(listing, selection, report, error) < 0) {
		listing_free(listing);
		return -1;
	}
	*out = listing;
	return 0;
}

size_t listing_size(const struct listing *listing)
{
	return convention_size(listing->convention);
}

void listing_get(const struct listing *listing, size_t number, struct listed *out)
{
	const struct descriptor *descriptor = convention_descriptor(listing->convention, number);
	const struct decoded_keys *keys = descriptor->keys;

	*out = (struct listed){
		.name = descriptor->category,
		.scope = scope_names[descriptor->scope],
		.field = descriptor->scope_field,
		.nr_outer = keys ? keys->nr_outer : 0,
		.nr_fields = descriptor->nr_extras,
		.nr_flows = descriptor->nr_flows,
		.is_async = keys && keys->is_async,
		.is_counter = descriptor->kind == DESCRIPTOR_COUNTER,
		.has_track_name = descriptor->track_name.kind != FIELD_ABSENT,
		.is_enabled = descriptor_is_enabled(descriptor, listing->events_fd),
	};
}

const char *listing_outer(const struct listing *listing, size_t number, size_t outer)
{
	return convention_descriptor(listing->convention, number)->outer[outer].name;
}

const char *listing_field(const struct listing *listing, size_t number, size_t field)
{
	return convention_descriptor(listing->convention, number)->extras[field].name;
}

const char *listing_flow(const struct listing *listing, size_t number, size_t flow)
{
	return convention_descriptor(listing->convention, number)->flows[flow].name;
}

void listing_free(struct listing *listing)
{
	if (!listing)
		return;
	convention_free(listing->convention);
	if (listing->events_fd >= 0)
		close(listing->events_fd);
	free(listing);
}
