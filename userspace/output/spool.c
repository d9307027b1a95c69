// SPDX-License-Identifier: GPL-2.0-only
/* Recognizes FILE.spool of a killed recording, and reports which part of a recording is complete.
 */
#include "output/spool.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/output_file.h"
#include "output/messages.h"

struct spool_owner spool_owner_find(void)
{
	struct spool_owner owner = { .is_other = false };
	unsigned int user, group;

	if (output_owner(&user, &group))
		owner = (struct spool_owner){ .is_other = true, .user = user, .group = group };
	return owner;
}

static void moment_report(const char *preposition, int64_t time_ns, const char *path,
			  const struct report *report)
{
	struct buffer text = { 0 };

	buffer_append_decimal(&text, time_ns, 9);
	report_message(report, "%s is complete %s %s on the trace's clock", path, preposition,
		       buffer_string(&text));
	buffer_release(&text);
}

void spool_report_span(const struct spool_summary *summary, const char *path,
		       const struct report *report)
{
	loss_report_sideband(summary->lost_sideband, report);
	if (summary->has_begin)
		moment_report("from", summary->begin_ns, path, report);
	if (summary->has_end)
		moment_report("up to", summary->end_ns, path, report);
}

#define SUFFIX ".spool"

static bool is_spool_folder(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

size_t spool_target_size(const char *path)
{
	size_t size = strlen(path);

	while (size > 1 && path[size - 1] == '/')
		size--;
	if (size <= strlen(SUFFIX) ||
	    memcmp(path + size - strlen(SUFFIX), SUFFIX, strlen(SUFFIX)) != 0)
		return 0;
	return is_spool_folder(path) ? size - strlen(SUFFIX) : 0;
}

int spool_refuse_killed(const char *path, struct error *error)
{
	size_t size = spool_target_size(path);
	struct buffer folder = { 0 };
	bool is_unfinished = size > 0;

	if (!is_unfinished && access(path, F_OK) < 0) {
		size = strlen(path);
		buffer_printf(&folder, "%s" SUFFIX, path);
		is_unfinished = is_spool_folder(buffer_string(&folder));
	}
	buffer_release(&folder);
	if (!is_unfinished)
		return 0;
	return error_set(error,
			 "%s: raw records of a recording that was killed or still runs; 'ktrack "
			 "recover %.*s' makes a trace.dat of them",
			 path, (int)size, path);
}
