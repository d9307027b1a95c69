// SPDX-License-Identifier: GPL-2.0-only
/* Sets up the second recording of ktrack watch, and removes it. */
#include "capture/persistent.h"

#include <string.h>
#include <unistd.h>

#include "output/output.h"

/* Names of threads that end between this and a crash are only in records. */
#define SAVE_EVERY_NS (60 * NS_PER_S)

/* What an earlier run left must be recovered first. */
static int path_check(const char *path, const char *name, const char *directory,
		      struct error *error)
{
	if (!spool_exists(path) && access(path, F_OK) != 0)
		return 0;
	return error_set(error,
			 "%s: has records of an earlier run; run 'ktrack recover --persistent=%s "
			 "--dir=%s'",
			 name, name, directory);
}

static int boot_check(const struct boot_instance *boot, const char *name, struct error *error)
{
	struct buffer cpus = { 0 };
	uint64_t nr_records = boot_instance_count(boot, &cpus);

	buffer_release(&cpus);
	if (nr_records == 0)
		return 0;
	return error_set(error,
			 "%s: has %llu records that ktrack did not write; read them, then run "
			 "'echo >%s/trace'",
			 name, (unsigned long long)nr_records, boot_instance_directory(boot));
}

static int events_copy(struct boot_instance *boot, const struct instance *recorder,
		       struct error *error)
{
	const struct instance *sideband = instance_sideband(recorder);

	if (boot_instance_copy(boot, instance_directory(recorder), error) < 0)
		return -1;
	return sideband ? boot_instance_copy(boot, instance_directory(sideband), error) : 0;
}

/* Recording begins before the spool is complete: CPUs without a record would look lost. */
static int recording_begin(struct persistent *persistent, const struct instance *recorder,
			   struct error *error)
{
	struct boot_instance *boot = &persistent->boot;
	struct buffer cpus = { 0 };
	int status = boot_instance_start(boot, instance_has_markers(recorder), error);

	if (status == 0) {
		boot_instance_mark(boot, "ktrack watch begins", &cpus);
		status = spool_keep_boot(persistent->spool, persistent->name, buffer_text(&cpus),
					 error);
	}
	buffer_release(&cpus);
	return status;
}

/* From here on the instance has to be emptied if the run ends. */
static int boot_take(struct persistent *persistent, const struct capture *capture,
		     struct error *error)
{
	if (boot_check(&persistent->boot, persistent->name, error) < 0)
		return -1;
	persistent->is_taken = true;
	if (boot_instance_prepare(&persistent->boot, capture->settings->clock, error) < 0)
		return -1;
	return events_copy(&persistent->boot, capture->recorder, error);
}

static int persistent_set_up(struct persistent *persistent, const char *directory,
			     const struct capture *capture, struct error *error)
{
	struct boot_instance *boot = &persistent->boot;
	const char *name = persistent->name;
	struct buffer path = { 0 };
	int status = persistent_path(&path, directory, name, error);

	if (status == 0)
		status = path_check(buffer_string(&path), name, directory, error);
	if (status == 0 && (boot_take(persistent, capture, error) < 0 ||
			    spool_new_boot(&persistent->spool, buffer_string(&path),
					   boot_instance_directory(boot), error) < 0 ||
			    spool_describe_capture(persistent->spool, capture, error) < 0 ||
			    recording_begin(persistent, capture->recorder, error) < 0))
		status = -1;
	buffer_release(&path);
	return status;
}

int persistent_start(struct persistent *persistent, const char *name, const char *directory,
		     const struct capture *capture, struct error *error)
{
	if (!name)
		return 0;
	if (!capture->recorder)
		return error_set(error,
				 "--persistent=%s: no tracepoints; programs have no such "
				 "buffer",
				 name);
	if (boot_instance_open(&persistent->boot, name, capture_writes(capture->settings), error) <
	    0)
		return -1;
	persistent->name = name;
	persistent->saved_ns = time_now_ns(CLOCK_MONOTONIC);
	return persistent_set_up(persistent, directory, capture, error);
}

static int persistent_follow(struct persistent *persistent, const struct instance *recorder,
			     struct error *error)
{
	size_t nr_doubtful;

	if (events_copy(&persistent->boot, recorder, error) < 0)
		return -1;
	return spool_save_more(persistent->spool, &nr_doubtful, error);
}

void persistent_serve(struct persistent *persistent, const struct instance *recorder,
		      const struct report *report)
{
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);
	struct error error = { 0 };
	int status = 0;

	if (!persistent->spool)
		return;
	if (persistent->is_behind)
		status = persistent_follow(persistent, recorder, &error);
	persistent->is_behind = false;
	if (status == 0 && now_ns - persistent->saved_ns >= SAVE_EVERY_NS) {
		persistent->saved_ns = now_ns;
		status = spool_refresh_boot(persistent->spool, &error);
	}
	if (status == 0 || persistent->has_failed)
		return;
	persistent->has_failed = true;
	report_error(report, &error);
}

void persistent_stop(struct persistent *persistent, const struct report *report)
{
	struct boot_instance *boot = &persistent->boot;
	struct error error = { 0 };

	if (persistent->is_taken &&
	    (boot_instance_stop(boot, &error) < 0 || boot_instance_clear(boot, &error) < 0))
		report_error(report, &error);
	persistent->is_taken = false;
	if (persistent->spool)
		spool_drop_boot(persistent->spool);
	spool_close(persistent->spool);
	persistent->spool = NULL;
	boot_instance_close(boot);
}
