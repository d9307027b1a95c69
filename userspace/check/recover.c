// SPDX-License-Identifier: GPL-2.0-only
/* Makes a trace.dat of the files of a killed recording, and of records that survived a restart. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
						    .records = summary.lost,
						    .has_convention = instance_companion(
							    recorder, INSTANCE_CONVENTION),
						    .convention_lost = summary.lost_convention },
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

static int file_recover(const char *path, const struct report *report, const struct report *writes,
			struct error *error)
{
	const struct spool_owner owner = spool_owner_find();
	struct spool_boot about;
	struct spool *spool;
	int status;

	if (namespace_check_clocks(error) < 0)
		return STATUS_FAILED;
	status = spool_open(&spool, path, &owner, error);
	if (status == 0)
		spool_describe_boot(spool, &about);
	if (status == 0 && about.is_one && !about.is_read) {
		/* Its records are in an instance that is not ktrack's. */
		spool_close(spool);
		status = error_set(error,
				   "%s: its records are in an instance that survives a restart; "
				   "run 'ktrack recover --persistent=NAME'",
				   path);
	}
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

/*
 * Makes a trace.dat of records that survived a restart of the machine. They are read before
 * anything else happens to the instance, because enabling a tracepoint there would wipe them.
 */

/** struct recovery - state of a run */
struct recovery {
	const char *name;
	const struct report *report;
	struct watch_folder folder;
	struct buffer path;
	struct boot_instance boot;
	struct spool *spool;
};

static int recovery_check(const struct recovery *recovery, const struct spool_boot *about,
			  struct error *error)
{
	const char *path = buffer_string((struct buffer *)&recovery->path);

	if (!about->is_one)
		return error_set(error,
				 "%s.spool: not of 'ktrack watch --persistent=%s'; remove it", path,
				 recovery->name);
	if (about->is_current || about->text == 0 || about->text_now == 0 ||
	    boot_instance_shift(&recovery->boot, about->text, about->text_now))
		return 0;
	return error_set(error,
			 "%s: its records are not of the boot that %s.spool describes; remove that",
			 recovery->name, path);
}

static void end_report(const struct recovery *recovery, const struct spool_boot_end *end)
{
	SCOPED_BUFFER(time);
	const char *rejected = buffer_string((struct buffer *)&end->rejected);

	if (*rejected)
		report_message(recovery->report,
			       "%s: the kernel rejected the buffer of cpu %s; its records are lost",
			       recovery->name, rejected);
	if (!end->is_full)
		return;
	buffer_append_decimal(&time, end->from_ns, 9);
	report_message(recovery->report,
		       "%s: complete from %s on the trace's clock; older records were overwritten",
		       recovery->name, buffer_string(&time));
}

static int recovery_read(struct recovery *recovery, struct error *error)
{
	struct spool_boot_end end;
	int status;

	if (boot_instance_stop(&recovery->boot, error) < 0)
		return -1;
	status = spool_finish_boot(recovery->spool, recovery->boot.directory, &end, error);
	if (status == 0) {
		end_report(recovery, &end);
		/* A restart with an empty buffer ends the recording, so that the next watch can
		 * start. */
		if (end.nr_records == 0) {
			spool_drop_boot(recovery->spool);
			status = error_set(
				error,
				"%s: no record survived the restart; run 'dmesg' for the reason",
				recovery->name);
		}
	}
	buffer_release(&end.rejected);
	return status;
}

static int recovery_join(struct recovery *recovery, struct error *error)
{
	struct transfer transfer;
	struct spool_boot about;
	int status = 0;

	spool_describe_boot(recovery->spool, &about);
	if (recovery_check(recovery, &about, error) < 0)
		return -1;
	spool_set_progress(recovery->spool,
			   transfer_begin(&transfer, recovery->report, recovery->name, NULL));
	if (!about.is_read)
		status = recovery_read(recovery, error);
	if (status == 0)
		status = spool_join(recovery->spool, error);
	transfer_end(&transfer);
	return status == 0 ? boot_instance_clear(&recovery->boot, error) : -1;
}

/* From now on it is a recording like any other. */
static int recovery_publish(struct recovery *recovery, char **path, struct error *error)
{
	struct watch_folder *folder = &recovery->folder;
	struct buffer name = { 0 }, trigger = { 0 };
	int status = 0;

	buffer_printf(&trigger, "restart %s", recovery->name);
	if (!watch_folder_name(folder, time_now_ns(CLOCK_REALTIME), buffer_string(&trigger),
			       &name) ||
	    renameat2(AT_FDCWD, buffer_string(&recovery->path), folder->fd, buffer_string(&name),
		      RENAME_NOREPLACE) < 0)
		status = error_set_system(error, errno, "cannot rename %s",
					  buffer_string(&recovery->path));
	else if (asprintf(path, "%s/%s", folder->path, buffer_string(&name)) < 0)
		status = error_set(error, "out of memory");
	if (status == 0) {
		fsync(folder->fd);
		watch_folder_share(folder, buffer_string(&name));
	}
	buffer_release(&name);
	buffer_release(&trigger);
	return status;
}

static int recovery_find(struct recovery *recovery, const char *directory, struct error *error)
{
	const char *path;

	if (persistent_path(&recovery->path, recovery->folder.path, recovery->name, error) < 0)
		return -1;
	path = buffer_string(&recovery->path);
	if (spool_exists(path))
		return 0;
	if (access(path, F_OK) == 0)
		return 1;
	return error_set(error,
			 "%s: nothing to recover in %s; 'ktrack watch --persistent=%s' records",
			 recovery->name, directory, recovery->name);
}

static int recovery_run(struct recovery *recovery, const char *directory,
			const struct report *writes, char **path, struct error *error)
{
	static const struct spool_owner ourselves;
	int status;

	if (watch_folder_open(&recovery->folder, directory, error) < 0)
		return -1;
	status = recovery_find(recovery, directory, error);
	if (status == 0 && boot_instance_open(&recovery->boot, recovery->name, writes, error) < 0)
		return -1;
	if (status == 0)
		status = spool_open(&recovery->spool, buffer_string(&recovery->path), &ourselves,
				    error);
	if (status == 0)
		status = recovery_join(recovery, error);
	return status < 0 ? -1 : recovery_publish(recovery, path, error);
}

int recover_persistent_run(const char *name, const char *directory, char **path,
			   const struct report *report, const struct report *writes,
			   struct error *error)
{
	struct recovery recovery = { .name = name, .report = report, .boot = BOOT_INSTANCE_NONE };
	int status = recovery_run(&recovery, directory, writes, path, error);

	spool_close(recovery.spool);
	boot_instance_close(&recovery.boot);
	watch_folder_close(&recovery.folder);
	buffer_release(&recovery.path);
	return status < 0 ? STATUS_FAILED : STATUS_DONE;
}
