// SPDX-License-Identifier: GPL-2.0-only
/* Raw records on their way from ring buffers to a trace.dat, which is read again. */
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "fixtures/spool_fixture.h"
#include "tracedat/spool.h"
#include "userring/programs.h"

TEST(records_of_all_cpus_are_in_one_file)
{
	FIXTURE(spool_fixture, fixture, "streaming");

	ADD_RECORDS(&fixture, 0, 100, 200);
	ADD_RECORDS(&fixture, 33, 150);
	CHECK_NUMBER(spool_read(fixture.spool, &fixture.error), 0);
	CHECK_NUMBER(spool_size(fixture.spool), 2 * RAW_PAGE_SIZE);
	ADD_RECORDS(&fixture, 0, 300);
	spool_fixture_finish(&fixture);
	check_joined(&fixture, 0, "cpu 0 at 100\ncpu 33 at 150\ncpu 0 at 200\ncpu 0 at 300\n");
}

/* Simulates a file that does not support splice. */
TEST(a_filesystem_that_wants_copies_gets_them)
{
	FIXTURE(spool_fixture, fixture, "streaming");

	fcntl(fixture.spool->files[0].fd, F_SETFL, O_APPEND);
	ADD_RECORDS(&fixture, 0, 100, 200);
	ADD_RECORDS(&fixture, 0, 300);
	spool_fixture_finish(&fixture);
	check_joined(&fixture, 0, "cpu 0 at 100\ncpu 0 at 200\ncpu 0 at 300\n");
}

/* An existing file stays until it can be replaced by a complete one. */
TEST(a_file_is_replaced_only_by_a_whole_one)
{
	SCOPED_BUFFER(held);
	FIXTURE(spool_fixture, fixture, "streaming");

	folder_add_text(&fixture.output, "trace.dat", "precious");
	ADD_RECORDS(&fixture, 0, 100);
	spool_fixture_finish(&fixture);
	CHECK_NUMBER(file_read(output_path(&fixture), &held), 0);
	CHECK_TEXT(buffer_string(&held), "precious");
	check_joined(&fixture, 0, "cpu 0 at 100\n");
}

TEST(the_file_has_the_formats_of_what_is_enabled_and_names_of_threads)
{
	SCOPED_BUFFER(seen);
	struct tracepoint_visitor visitor = { .context = &seen, .visit = visit_log };
	struct thread_identity task;
	struct source *source;
	FIXTURE(spool_fixture, fixture, "streaming");

	spool_fixture_finish(&fixture);
	CHECK_NUMBER(spool_join(fixture.spool, &fixture.error), 0);
	CHECK_NUMBER(source_file_open(&source, output_path(&fixture), NULL, &fixture.error), 0);
	CHECK_NUMBER(source_visit(source, &visitor, &fixture.error), 0);
	CHECK_TEXT(buffer_string(&seen), "demo:job ");
	source_find_task(source, 4194304, &task);
	CHECK_TEXT(task.comm, "gone");
	source_find_task(source, getpid(), &task);
	CHECK_TEXT(task.comm, program_invocation_short_name);
	source_close(source);
}

TEST(what_the_kernel_counts_is_in_the_file)
{
	FIXTURE(spool_fixture, fixture, "streaming");

	ADD_RECORDS(&fixture, 0, 100);
	statistics_add(&fixture, 0, "\noverrun: 0\ndropped events: 3\n");
	statistics_add(&fixture, 1, "\ncommit overrun: 2\n");
	spool_fixture_finish(&fixture);
	CHECK_NUMBER(fixture.summary.lost, 5);
	CHECK(!fixture.summary.has_begin && !fixture.summary.has_end);
	check_joined(&fixture, 3, "cpu 0 at 100\ncpu 0 lost 3 from 100 to 1000000\n");
}

/* Records that were moved later may have another clock. */
TEST(what_was_moved_since_the_last_look_can_be_taken_back)
{
	FIXTURE(spool_fixture, fixture, "streaming");

	ADD_RECORDS(&fixture, 0, 100);
	CHECK_NUMBER(spool_read(fixture.spool, &fixture.error), 0);
	spool_keep(fixture.spool);
	CHECK_NUMBER(spool_rewind(fixture.spool, &fixture.error), 0);
	ADD_RECORDS(&fixture, 0, 150);
	ADD_RECORDS(&fixture, 1, 160);
	CHECK_NUMBER(spool_read(fixture.spool, &fixture.error), 0);
	CHECK_NUMBER(spool_rewind(fixture.spool, &fixture.error), 0);
	ADD_RECORDS(&fixture, 1, 200);
	spool_fixture_finish(&fixture);
	check_joined(&fixture, 0, "cpu 0 at 100\ncpu 1 at 200\n");
}

/* Sends its id to a pipe. */
static void *second_thread(void *write_fd)
{
	pid_t thread = syscall(SYS_gettid);

	prctl(PR_SET_NAME, "second");
	if (write(*(int *)write_fd, &thread, sizeof(thread)) < 0)
		_exit(1);
	pause();
	return NULL;
}

/* Starts a process of two threads. */
static pid_t process_start(pid_t *second)
{
	int fds[2];
	pid_t process;
	pthread_t thread;

	CHECK_NUMBER(pipe(fds), 0);
	process = fork();
	if (process == 0) {
		prctl(PR_SET_NAME, "first");
		pthread_create(&thread, NULL, second_thread, &fds[1]);
		pause();
		_exit(0);
	}
	CHECK_NUMBER(read(fds[0], second, sizeof(*second)), sizeof(*second));
	close(fds[0]);
	close(fds[1]);
	return process;
}

/* What the spool kept at the begin, with another path of a process. */
static void first_cgroup_change(const struct spool_fixture *fixture, pid_t process)
{
	const char *path = folder_path(&fixture->output, "trace.dat.spool/" SPOOL_COMMS);
	FILE *file = fopen(path, "a");

	CHECK(file != NULL);
	fprintf(file, "=/elsewhere\n=<%d\n", process);
	fclose(file);
}

TEST(cgroups_of_the_beginning_are_kept_if_they_are_others)
{
	SCOPED_BUFFER(file);
	char mark[64];
	pid_t process;
	FIXTURE(spool_fixture, fixture, "streaming");

	first_cgroup_change(&fixture, getpid());
	process = fork();
	if (process == 0) {
		pause();
		_exit(0);
	}
	spool_fixture_finish(&fixture);
	kill(process, SIGKILL);
	waitpid(process, NULL, 0);
	CHECK_NUMBER(spool_join(fixture.spool, &fixture.error), 0);
	CHECK_NUMBER(file_read(output_path(&fixture), &file), 0);
	snprintf(mark, sizeof(mark), "\n=/elsewhere\n=<%d\n", getpid());
	CHECK(memmem(file.data, file.size, mark, strlen(mark)) != NULL);
	snprintf(mark, sizeof(mark), "\n=>%d\n", process);
	CHECK(memmem(file.data, file.size, mark, strlen(mark)) != NULL);
	snprintf(mark, sizeof(mark), "\n=>%d\n", getppid());
	CHECK(memmem(file.data, file.size, mark, strlen(mark)) == NULL);
	snprintf(mark, sizeof(mark), "=<%d\n", getppid());
	CHECK(memmem(file.data, file.size, mark, strlen(mark)) == NULL);
}

/*
 * The names of threads that lived when recording began stay. The kernel's saved names of that time
 * are of ended threads, which are not in the recording.
 */
TEST(names_processes_and_cgroups_of_the_beginning_stay)
{
	pid_t second, process = process_start(&second);
	SCOPED_BUFFER(cgroup);
	SCOPED_BUFFER(found);
	struct thread_identity task;
	struct source *source;
	FIXTURE(spool_fixture, fixture, "streaming");

	kill(process, SIGKILL);
	waitpid(process, NULL, 0);
	folder_set_text(&fake_tracefs.top, "saved_cmdlines", "4194303 later\n");
	folder_set_text(&fake_tracefs.top, "saved_tgids", "");
	spool_fixture_finish(&fixture);
	CHECK_NUMBER(spool_join(fixture.spool, &fixture.error), 0);
	CHECK_NUMBER(source_file_open(&source, output_path(&fixture), NULL, &fixture.error), 0);
	source_find_task(source, process, &task);
	CHECK_TEXT(task.comm, "first");
	CHECK_NUMBER(task.tgid, process);
	source_find_task(source, second, &task);
	CHECK_TEXT(task.comm, "second");
	CHECK_NUMBER(task.tgid, process);
	source_find_task(source, 4194304, &task);
	CHECK_TEXT(task.comm, "");
	source_find_task(source, 4194303, &task);
	CHECK_TEXT(task.comm, "later");
	CHECK_NUMBER(task.tgid, 0);
	source_find_task(source, syscall(SYS_gettid), &task);
	CHECK_NUMBER(task.tgid, getpid());
	CHECK(proc_cgroup_append(getpid(), &cgroup));
	source_find_cgroup(source, process, &found);
	CHECK_TEXT(buffer_string(&found), buffer_string(&cgroup));
	source_close(source);
}

/* A line that the name of a living thread forges, with a newline in it, names no other. */
TEST(a_forged_line_of_saved_names_is_left_out)
{
	SCOPED_BUFFER(names);
	struct thread_identity task;
	struct source *source;
	SCOPED(spool_fixture) fixture;

	prctl(PR_SET_NAME, "x\n4194302 sshd");
	buffer_printf(&names, "%d x\n4194302 sshd\n4194303 sure\n", getpid());
	spool_fixture_init(&fixture, "streaming");
	folder_set_text(&fake_tracefs.top, "saved_cmdlines", buffer_string(&names));
	spool_fixture_finish(&fixture);
	CHECK_NUMBER(spool_join(fixture.spool, &fixture.error), 0);
	CHECK_NUMBER(source_file_open(&source, output_path(&fixture), NULL, &fixture.error), 0);
	source_find_task(source, 4194302, &task);
	CHECK_TEXT(task.comm, "");
	source_find_task(source, 4194303, &task);
	CHECK_TEXT(task.comm, "sure");
	source_find_task(source, getpid(), &task);
	CHECK_TEXT(task.comm, "x?4194302 sshd");
	source_close(source);
}

/* The reader may have lost access to the folder, or the folder was renamed. */
TEST(once_it_has_begun_neither_folder_is_found_by_its_path)
{
	struct folder away, instance_away;
	FIXTURE(spool_fixture, fixture, "streaming");

	ADD_RECORDS(&fixture, 0, 100);
	statistics_add(&fixture, 0, "\ndropped events: 3\n");
	folder_new(&away);
	strcpy(instance_away.path, folder_path(&fake_tracefs.top, "away"));
	CHECK_NUMBER(rename(fixture.output.path, away.path), 0);
	CHECK_NUMBER(rename(fixture.instance.path, instance_away.path), 0);
	spool_fixture_finish(&fixture);
	CHECK_NUMBER(fixture.summary.lost, 3);
	CHECK_NUMBER(spool_join(fixture.spool, &fixture.error), 0);
	spool_close(fixture.spool);
	fixture.spool = NULL;
	fixture.output = away;
	CHECK(output_has(&fixture, "trace.dat"));
	CHECK(!output_has(&fixture, "trace.dat.spool"));
}

TEST(oneshot_is_complete_up_to_the_earliest_last_record_of_those_that_dropped)
{
	FIXTURE(spool_fixture, fixture, "oneshot");

	ADD_RECORDS(&fixture, 0, 100, 200);
	ADD_RECORDS(&fixture, 0, 300, 400);
	ADD_RECORDS(&fixture, 1, 150, 250);
	ADD_RECORDS(&fixture, 33, 170);
	statistics_add(&fixture, 0, "\ndropped events: 3\n");
	statistics_add(&fixture, 1, "\ndropped events: 1\n");
	spool_fixture_finish(&fixture);
	CHECK(fixture.summary.has_end && !fixture.summary.has_begin);
	CHECK_NUMBER(fixture.summary.end_ns, 250);
	CHECK_NUMBER(spool_join(fixture.spool, &fixture.error), 0);
	check_span(&fixture, 0, 250);
}

TEST(circular_is_complete_from_the_latest_first_record_of_those_that_overwrote)
{
	FIXTURE(spool_fixture, fixture, "circular");

	ADD_RECORDS(&fixture, 0, 100, 200);
	ADD_RECORDS(&fixture, 1, 150, 250);
	ADD_RECORDS(&fixture, 33, 170);
	statistics_add(&fixture, 0, "\noverrun: 3\n");
	statistics_add(&fixture, 1, "\noverrun: 1\ncommit overrun: 1\n");
	statistics_add(&fixture, 33, "\noverrun: 0\n");
	spool_fixture_finish(&fixture);
	CHECK(fixture.summary.has_begin && !fixture.summary.has_end);
	CHECK_NUMBER(fixture.summary.begin_ns, 150);
	CHECK_NUMBER(spool_join(fixture.spool, &fixture.error), 0);
	check_span(&fixture, 150, 0);
}

/* Keeps the last call. */
static void bytes_keep(void *context, uint64_t done, uint64_t total)
{
	uint64_t *kept = context;

	kept[0] = done;
	kept[1] = total;
}

TEST(progress_counts_the_bytes_of_the_buffers_and_then_those_of_the_file)
{
	uint64_t kept[2] = { 0 };
	struct byte_progress progress = { .advanced = bytes_keep, .context = kept };
	FIXTURE(spool_fixture, fixture, "oneshot");

	ADD_RECORDS(&fixture, 0, 100, 200);
	ADD_RECORDS(&fixture, 0, 300, 400);
	ADD_RECORDS(&fixture, 1, 150);
	statistics_add(&fixture, 0, "\nbytes: 10000\n");
	statistics_add(&fixture, 1, "\nbytes: 5000\n");
	spool_set_progress(fixture.spool, &progress);
	spool_fixture_finish(&fixture);
	CHECK_NUMBER(kept[0], 3 * RAW_PAGE_SIZE);
	CHECK_NUMBER(kept[1], 15000);
	check_joined(&fixture, 0,
		     "cpu 0 at 100\ncpu 1 at 150\ncpu 0 at 200\ncpu 0 at 300\ncpu 0 at 400\n");
	CHECK_NUMBER(kept[0], 3 * RAW_PAGE_SIZE);
	CHECK_NUMBER(kept[1], 3 * RAW_PAGE_SIZE);
}

/* If the instance is gone, the number of lost records is unknown. */
TEST(spool_of_a_killed_recording_become_a_file)
{
	FIXTURE(spool_fixture, fixture, "streaming");

	ADD_RECORDS(&fixture, 1, 100, 200);
	CHECK_NUMBER(spool_read(fixture.spool, &fixture.error), 0);
	spool_fixture_kill(&fixture);
	folder_add_text(&fixture.output, "trace.dat.spool/cpu1", "half a sub-buffer");
	spool_fixture_reopen(&fixture);
	CHECK_TEXT(spool_instance(fixture.spool), instance_name(fixture.recorder));
	check_joined(&fixture, 0,
		     "cpu 1 at 100\ncpu 1 at 200\ncpu 0 lost -1 from 0 to 1000000\n"
		     "cpu 1 lost -1 from 200 to 1000000\ncpu 33 lost -1 from 0 to 1000000\n");
}

/* The boot of a file, whose options are written when the rest of a killed recording is read. */
static void check_boot(struct spool_fixture *fixture, const char *want)
{
	struct source *source;

	spool_fixture_reopen(fixture);
	CHECK_NUMBER(spool_attach(fixture->spool, fixture->recorder, &fixture->error), 0);
	spool_fixture_finish(fixture);
	CHECK_NUMBER(spool_join(fixture->spool, &fixture->error), 0);
	spool_close(fixture->spool);
	fixture->spool = NULL;
	CHECK_NUMBER(source_file_open(&source, output_path(fixture), NULL, &fixture->error), 0);
	CHECK_TEXT(source_describe(source)->boot_id, want);
	source_close(source);
}

TEST(a_file_has_the_id_of_the_boot_that_was_recorded)
{
	static const char earlier[] = "01234567-89ab-cdef-0123-456789abcdef";

	for (int is_earlier = 0; is_earlier < 2; is_earlier++) {
		struct buffer text = { 0 }, boot_id = { 0 };
		struct spool_fixture fixture;
		char *line;

		spool_fixture_init(&fixture, "streaming");
		ADD_RECORDS(&fixture, 1, 100, 200);
		CHECK_NUMBER(spool_read(fixture.spool, &fixture.error), 0);
		spool_fixture_kill(&fixture);
		file_read_boot_id(&boot_id);
		CHECK_NUMBER(boot_id.size, strlen(earlier) + 1);
		CHECK_NUMBER(
			file_read(folder_path(&fixture.output, "trace.dat.spool/instance"), &text),
			0);
		line = strchr(buffer_string(&text), '\n') + 1;
		CHECK_NUMBER(strncmp(line, boot_id.data, boot_id.size), 0);
		if (is_earlier)
			memcpy(line, earlier, strlen(earlier));
		CHECK_NUMBER(unlink(folder_path(&fixture.output, "trace.dat.spool/instance")), 0);
		folder_add_text(&fixture.output, "trace.dat.spool/instance", buffer_string(&text));
		boot_id.data[boot_id.size - 1] = '\0';
		check_boot(&fixture, is_earlier ? earlier : boot_id.data);
		buffer_release(&text);
		buffer_release(&boot_id);
		spool_fixture_release(&fixture);
	}
}

/* Statistics do not count the records that were lost when the kernel emptied the buffers. */
TEST(emptied_buffers_have_lost_an_unknown_number)
{
	static const char want[] =
		"cpu 1 at 100\ncpu 0 lost -1 from 0 to 1000000\n"
		"cpu 1 lost -1 from 100 to 1000000\ncpu 33 lost -1 from 0 to 1000000\n";

	for (int is_killed = 0; is_killed < 2; is_killed++) {
		struct spool_fixture fixture;

		spool_fixture_init(&fixture, "streaming");
		ADD_RECORDS(&fixture, 1, 100);
		CHECK_NUMBER(spool_mark_incomplete(fixture.spool, fixture.recorder, &fixture.error),
			     0);
		CHECK_NUMBER(spool_read(fixture.spool, &fixture.error), 0);
		if (is_killed) {
			spool_fixture_kill(&fixture);
			spool_fixture_reopen(&fixture);
			CHECK_TEXT(spool_instance(fixture.spool), instance_name(fixture.recorder));
			CHECK_NUMBER(spool_attach(fixture.spool, fixture.recorder, &fixture.error),
				     0);
			CHECK_NUMBER(truncate(folder_path(&fixture.instance,
							  "per_cpu/cpu1/trace_pipe_raw"),
					      0),
				     0);
		}
		spool_fixture_finish(&fixture);
		check_joined(&fixture, 0, want);
		spool_fixture_release(&fixture);
	}
}

TEST(what_left_the_buffers_but_reached_no_file_is_counted)
{
	FIXTURE(spool_fixture, fixture, "streaming");

	ADD_RECORDS(&fixture, 1, 100, 200);
	statistics_add(&fixture, 1, "\nread events: 9\n");
	spool_fixture_kill(&fixture);
	spool_fixture_reopen(&fixture);
	CHECK_NUMBER(spool_attach(fixture.spool, fixture.recorder, &fixture.error), 0);
	spool_fixture_finish(&fixture);
	CHECK_NUMBER(fixture.summary.lost, 7);
	check_joined(&fixture, 7, "cpu 1 at 100\ncpu 1 at 200\ncpu 1 lost 7 from 200 to 1000000\n");
}

TEST(what_moving_left_behind_is_counted_where_it_failed)
{
	FIXTURE(spool_fixture, fixture, "streaming");

	ADD_RECORDS(&fixture, 0, 100);
	CHECK_NUMBER(spool_read(fixture.spool, &fixture.error), 0);
	statistics_add(&fixture, 0, "\nread events: 4\nentries: 5\n");
	CHECK_NUMBER(spool_entry_fail(&fixture.spool->folder, ENOSPC, "cpu0", &fixture.error), -1);
	spool_abandon(fixture.spool);
	spool_close(fixture.spool);
	fixture.error = (struct error){ 0 };
	spool_fixture_reopen(&fixture);
	CHECK_TEXT(spool_instance(fixture.spool), "");
	check_joined(&fixture, 8, "cpu 0 at 100\ncpu 0 lost 8 from 100 to 1000000\n");
}

/* Programs' own counts have only what did not fit into their rings. */
TEST(what_moving_left_behind_of_programs_is_not_counted)
{
	struct programs programs = { .fd = -1,
				     .socket = { .fd = -1, .descendants_fd = -1 },
				     .helper.fd = -1 };
	uint16_t record[6] = { PROGRAM_EVENT_ID };
	FIXTURE(spool_fixture, fixture, "streaming");

	CHECK_NUMBER(spool_set_programs(fixture.spool, &programs, &fixture.error), 0);
	CHECK_NUMBER(queue_add(&programs.recorded.queue, 0, 100, record, sizeof(record)), 0);
	CHECK_NUMBER(spool_read(fixture.spool, &fixture.error), 0);
	CHECK_NUMBER(spool_entry_fail(&fixture.spool->folder, ENOSPC, "programs", &fixture.error),
		     -1);
	spool_abandon(fixture.spool);
	spool_close(fixture.spool);
	fixture.error = (struct error){ 0 };
	spool_fixture_reopen(&fixture);
	check_joined(&fixture, 0, "cpu 0 at 100\ncpu 0 lost -1 from 100 to 1000000\n");
	queue_release(&programs.recorded.queue);
}

TEST(what_somebody_elses_instance_holds_is_saved)
{
	struct source_fixture reader = {
		.handler = { .context = &reader.log, .record = record_log, .loss = loss_log }
	};
	struct buffer saved = { 0 };
	FIXTURE(spool_fixture, fixture, "streaming");

	spool_close(fixture.spool);
	fixture.spool = NULL;
	folder_add_text(&fake_tracefs.top, "available_events", "demo:job\n");
	/* Of ftrace itself, which that list lacks. */
	folder_add_text(&fixture.instance, "events/ftrace/print/format", "name: print\nID: 5\n");
	folder_set_text(&fixture.instance, "per_cpu/cpu1/buffer_size_kb", "8\n");
	for (int i = 1; i <= 9; i++)
		ADD_RECORDS(&fixture, 1, 100 * i);
	/* Somebody has read others before. */
	statistics_add(&fixture, 1, "\nread events: 40\n");
	CHECK_NUMBER(spool_save(output_path(&fixture), &ourselves, fixture.instance.path,
				false, &fixture.error),
		     0);
	CHECK_TEXT(fixture.error.text, "");
	CHECK(!output_has(&fixture, "trace.dat.spool"));
	CHECK_NUMBER(file_read(output_path(&fixture), &saved), 0);
	CHECK(memmem(saved.data, saved.size, "name: print\nID: 5\n", 18));
	buffer_release(&saved);
	CHECK_NUMBER(source_file_open(&reader.source, output_path(&fixture), NULL, &reader.error), 0);
	/* No more than the buffer can hold: writers may be faster than we are. */
	check_finish(&reader, 1000000, 0,
		     "cpu 1 at 100\ncpu 1 at 200\ncpu 1 at 300\ncpu 1 at 400\ncpu 1 at 500\n");
	CHECK_TEXT(source_damage(reader.source) ? source_damage(reader.source) : "", "");
	source_close(reader.source);
	buffer_release(&reader.log);
	folder_add_text(&fixture.instance, "buffer_subbuf_size_kb", "8\n");
	CHECK_NUMBER(spool_save(output_path(&fixture), &ourselves, fixture.instance.path,
				false, &fixture.error),
		     -1);
	CHECK(strstr(fixture.error.text, "its sub-buffers are not pages"));
}

static void check_refused(struct spool_fixture *fixture, const char *format)
{
	struct spool *spool;
	struct error error = { 0 };
	char want[512];

	snprintf(want, sizeof(want), format, output_path(fixture), output_path(fixture));
	CHECK_NUMBER(spool_new(&spool, output_path(fixture), &ourselves, &error), -1);
	CHECK_TEXT(error.text, want);
	CHECK(spool == NULL);
}

TEST(nobody_records_over_the_parts_of_another)
{
	FIXTURE(spool_fixture, fixture, "streaming");

	check_refused(&fixture, "%s.spool: in use by another ktrack; wait until that has ended");
	spool_fixture_kill(&fixture);
	check_refused(&fixture, "%s.spool: contains a killed recording; run 'ktrack recover "
				"%s'");
	CHECK(output_has(&fixture, "trace.dat.spool/formats"));
}

TEST(a_recording_that_was_not_begun_leaves_nothing)
{
	FIXTURE(spool_fixture, fixture, "streaming");

	spool_close(fixture.spool);
	fixture.spool = NULL;
	CHECK(!output_has(&fixture, "trace.dat.spool"));
	folder_make(&fixture.output, "trace.dat");
	check_refused(&fixture, "%s: not a regular file; name another file");
	CHECK(!output_has(&fixture, "trace.dat.spool"));
}

/* Otherwise this would only fail when the recording is complete. */
TEST(a_target_without_a_name_is_refused)
{
	struct error error = { 0 };
	char target[256], want[512];
	struct spool *spool;
	const char *path;
	FIXTURE(spool_fixture, fixture, "streaming");

	path = output_path(&fixture);
	snprintf(target, sizeof(target), "%.*s", (int)(path_base_name(path) - path), path);
	snprintf(want, sizeof(want), "%s: a directory; name a file in it", target);
	CHECK_NUMBER(spool_new(&spool, target, &ourselves, &error), -1);
	CHECK_TEXT(error.text, want);
	CHECK(!output_has(&fixture, ".spool"));
	spool_close(fixture.spool);
	fixture.spool = NULL;
}
