// SPDX-License-Identifier: GPL-2.0-only
/* Makes a trace.dat of the files of a killed recording. */
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "output/output.h"
#include "tracefs/tracefs.h"

/* Reads the ring buffers of the instance, if they still exist. */
static int instance_drain(struct spool *spool, const char *path, struct instance *recorder,
			  const struct report *report, struct error *error)
{
	struct spool_summary summary;

	if (!recorder) {
		report_message(report,
			       "%s: its tracing instance is gone or used by another program; the "
			       "records in its buffers and the number of lost records are missing",
			       path);
		return 0;
	}
	if (spool_attach(spool, recorder, error) < 0 || spool_finish(spool, &summary, error) < 0)
		return -1;
	loss_summary_report(&(struct loss_summary){ .object = path,
						    .has_lost = summary.lost > 0,
						    .records = summary.lost },
			    report);
	spool_report_span(&summary, path, report);
	return 0;
}

static int spool_recover(struct spool *spool, const char *path, const struct report *report,
			 const struct report *writes, struct error *error)
{
	const char *instance = spool_instance(spool);
	struct instance *recorder = NULL;
	struct transfer transfer;
	int status = 0;

	spool_set_progress(spool, transfer_begin(&transfer, report, path, NULL));
	if (instance && *instance)
		status = instance_adopt(&recorder, instance, writes, error);
	if (status == 0 && (!instance || *instance))
		status = instance_drain(spool, path, recorder, report, error);
	if (status == 0)
		status = spool_join(spool, error);
	transfer_end(&transfer);
	spool_close(spool);
	if (status == 0)
		return instance_remove(recorder, error);
	instance_close(recorder);
	return -1;
}

/* Its records are in an instance that is not ktrack's. */
static int survivor_refuse(struct spool *spool, const char *path, struct error *error)
{
	struct spool_boot about;

	spool_describe_boot(spool, &about);
	if (!about.is_one || about.is_read)
		return 0;
	spool_close(spool);
	return error_set(error,
			 "%s: its records are in an instance that survives a restart; run 'ktrack "
			 "recover --persistent=NAME'",
			 path);
}

static int file_recover(const char *path, const struct report *report, const struct report *writes,
			struct error *error)
{
	const struct spool_owner owner = spool_owner_find();
	struct spool *spool;
	int status;

	if (namespace_check_clocks(error) < 0)
		return STATUS_FAILED;
	status = spool_open(&spool, path, &owner, error);
	if (status == 0)
		status = survivor_refuse(spool, path, error);
	if (status < 0 || (status == 0 && spool_recover(spool, path, report, writes, error) < 0))
		return STATUS_FAILED;
	return STATUS_DONE;
}

int recover_run(const char *name, char **path, const struct report *report,
		const struct report *writes, struct error *error)
{
	size_t size = spool_target_size(name);

	*path = size > 0 ? strndup(name, size) : strdup(name);
	if (*path)
		return file_recover(*path, report, writes, error);
	error_set(error, "out of memory");
	return STATUS_FAILED;
}
