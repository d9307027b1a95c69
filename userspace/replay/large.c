// SPDX-License-Identifier: GPL-2.0-only
/* Warns of texts that become large while most of them is still to be written. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay/machines.h"

/* Larger texts are announced: nobody reads them, and few disks have room for several. */
#define LARGE_BYTES 1e9

/* A text of this size shows how much there is for each byte that was read. */
#define SAMPLE_BYTES ((uint64_t)16 << 20)

double large_estimate(uint64_t written, uint64_t done, uint64_t total)
{
	double size;

	if (written < SAMPLE_BYTES || done == 0 || done >= total)
		return 0;
	size = (double)written / (double)done * (double)total;
	return size > LARGE_BYTES ? size : 0;
}

/* The size of a regular file; of pipes, devices and folders 0. */
static uint64_t target_size(const char *target)
{
	struct stat status;
	bool is_standard = strcmp(target, "-") == 0;

	if ((is_standard ? fstat(STDOUT_FILENO, &status) : stat(target, &status)) < 0 ||
	    !S_ISREG(status.st_mode))
		return 0;
	return status.st_size;
}

/* A text that is not compressed; NULL if there is none of the kind. */
static const char *target_find(const struct output_settings *settings, size_t kind)
{
	const char *target = settings->targets[kind];
	bool is_first = !settings->stat && !settings->why && !settings->query &&
			!settings->needs_target && !settings->comparison;

	for (size_t i = 0; i < sink_kinds_count; i++)
		is_first &= !settings->targets[i];
	/* Without any, the first kind is written to standard output. */
	if (is_first)
		return kind == 0 ? "-" : NULL;
	return target && sink_kinds[kind]->can_compress && !output_is_compressed(target) ? target
											 : NULL;
}

/* Returns whether there was something to warn of. */
static bool large_target_check(const struct large_watch *watch, size_t kind, uint64_t done,
			       uint64_t total)
{
	const char *target = target_find(watch->settings, kind);
	bool is_standard = target && strcmp(target, "-") == 0;
	uint64_t size = target ? target_size(target) : 0;
	double large = size > watch->sizes[kind]
			       ? large_estimate(size - watch->sizes[kind], done, total)
			       : 0;

	if (large == 0)
		return false;
	report_message(watch->report,
		       "%s: grows to about %.1f GB; write --%s=%s.zst, or select less with -e, -r, "
		       "--from and --to",
		       is_standard ? "standard output" : target, large / 1e9,
		       sink_kinds[kind]->name, is_standard ? "FILE" : target);
	return true;
}

void large_watch_begin(struct large_watch *watch, const struct output_settings *settings,
		       const struct report *report)
{
	*watch = (struct large_watch){ .settings = settings, .report = report };
	for (size_t i = 0; i < sink_kinds_count; i++) {
		const char *target = target_find(settings, i);

		/* A shell has emptied its file, or appends to it. */
		if (target && (settings->is_appending || strcmp(target, "-") == 0))
			watch->sizes[i] = target_size(target);
	}
}

/* Sizes are asked for a hundred times at most. */
void large_watch_check(struct large_watch *watch, uint64_t done, uint64_t total)
{
	if (watch->has_warned || total == 0 || done < watch->next)
		return;
	watch->next = done + total / 100;
	for (size_t i = 0; i < sink_kinds_count; i++)
		watch->has_warned |= large_target_check(watch, i, done, total);
}
