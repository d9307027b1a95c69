// SPDX-License-Identifier: GPL-2.0-only
/*
 * Of an instance that somebody set up, and that goes on: what the kernel counts of this recording,
 * not of what was before it and what comes after.
 */
#include "recorder/parts.h"

int parts_share(struct parts *parts, const char *directory, struct error *error)
{
	parts->is_shared = true;
	if (parts_check_instance(parts, directory, error) < 0 ||
	    parts_open_bounds(parts, directory, error) < 0)
		return -1;
	for (size_t i = 0; i < parts->nr_parts; i++) {
		struct part *part = &parts->list[i];

		if (statistics_load(&part->before, part->statistics_fd, part->cpu, error) < 0)
			return -1;
		/* Where nobody has read before, what was lost was so before what we read first. */
		if (part->before.read == 0)
			part->before = (struct statistics){ 0 };
	}
	return 0;
}

int parts_seal(struct parts *parts, struct error *error)
{
	for (size_t i = 0; i < parts->nr_parts; i++) {
		struct part *part = &parts->list[i];

		if (part_statistics(parts, part, &part->after, error) < 0)
			return -1;
	}
	parts->is_sealed = true;
	parts_bound(parts);
	return 0;
}

int part_statistics(const struct parts *parts, const struct part *part, struct statistics *out,
		    struct error *error)
{
	const struct statistics *before = &part->before;

	if (parts->is_sealed) {
		*out = part->after;
		return 0;
	}
	*out = (struct statistics){ 0 };
	if (part->statistics_fd >= 0 &&
	    statistics_load(out, part->statistics_fd, part->cpu, error) < 0)
		return -1;
	if (!parts->is_shared)
		return 0;
	out->overwritten = statistics_since(out->overwritten, before->overwritten);
	out->dropped = statistics_since(out->dropped, before->dropped);
	out->read = statistics_since(out->read, before->read);
	out->unread = 0;
	return 0;
}
