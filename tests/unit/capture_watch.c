// SPDX-License-Identifier: GPL-2.0-only
/* Tests of ktrack watch: which time is recorded, and what stays in the directory. */
#include "output/output.h"
#include "capture/run.h"

#include <sys/wait.h>

#include "fixtures/folder.h"
#include "fixtures/tap.h"

#define S NS_PER_S

static void fire_until(struct watch_windows *windows, int64_t time_ns, int64_t end_ns,
		       int64_t begin_ns)
{
	const struct trigger_firing firing = {
		.trigger = "t", .detail = "d", .time_ns = time_ns, .end_ns = end_ns
	};
	const struct recent_span span = { .begin_ns = begin_ns, .end_ns = time_ns };

	CHECK_NUMBER(watch_windows_add(windows, &firing, &span, 7), 0);
}

static void fire_at(struct watch_windows *windows, int64_t time_ns, int64_t begin_ns)
{
	fire_until(windows, time_ns, time_ns, begin_ns);
}

/* The window that is due, as "FROM UNTIL TRIGGERS"; "" if there is none. */
static void check_due(struct watch_windows *windows, int64_t drained_ns, int64_t begin_ns,
		      bool is_over, const char *want)
{
	const struct recent_span span = { .begin_ns = begin_ns, .end_ns = drained_ns };
	struct watch_window *window = watch_windows_due(windows, drained_ns, &span, is_over);
	char got[96] = "";

	if (window)
		snprintf(got, sizeof(got), "%lld %lld %llu", (long long)window->from_ns,
			 (long long)window->until_ns, (unsigned long long)window->nr_triggers);
	CHECK_TEXT(got, want);
}

TEST(a_window_is_due_when_its_end_was_delivered)
{
	SCOPED(watch_windows) windows;

	CHECK_NUMBER(watch_windows_init(&windows, 10, 20, 5), 0);
	CHECK_NUMBER(watch_windows_next_ns(&windows), INT64_MAX);
	fire_at(&windows, 1000, 0);
	CHECK_NUMBER(watch_windows_next_ns(&windows), 1020);
	CHECK_NUMBER(windows.list[0].wall_ns, 1007);
	check_due(&windows, 1019, 0, false, "");
	check_due(&windows, 1020, 0, false, "990 1020 1");
	watch_windows_drop(&windows);
	check_due(&windows, 9999, 0, true, "");
}

TEST(a_window_goes_on_to_the_end_of_a_loss)
{
	SCOPED(watch_windows) windows;

	CHECK_NUMBER(watch_windows_init(&windows, 10, 0, 5), 0);
	fire_until(&windows, 1000, 1500, 0);
	fire_until(&windows, 1000, 1600, 0);
	check_due(&windows, 1599, 0, false, "");
	check_due(&windows, 1600, 0, false, "990 1600 2");
}

TEST(what_was_lost_before_the_first_record_counts_from_that)
{
	SCOPED(watch_windows) windows;

	CHECK_NUMBER(watch_windows_init(&windows, 0, 0, 5), 0);
	fire_until(&windows, 900, 1500, 1000);
	CHECK_NUMBER(windows.list[0].wall_ns, 1007);
	check_due(&windows, 1400, 1000, false, "");
	check_due(&windows, 1500, 1000, false, "1000 1500 1");
}

TEST(without_a_limit_a_window_begins_with_what_is_kept)
{
	SCOPED(watch_windows) windows;

	CHECK_NUMBER(watch_windows_init(&windows, 0, 20, 5), 0);
	fire_at(&windows, 1000, 400);
	check_due(&windows, 1020, 500, false, "400 1020 1");
}

TEST(triggers_that_overlap_share_a_window_of_limited_length)
{
	struct watch_windows windows;

	CHECK_NUMBER(watch_windows_init(&windows, 10, 20, 5), 0);
	fire_at(&windows, 1000, 0);
	fire_at(&windows, 1015, 0);
	fire_at(&windows, 1045, 0);
	fire_at(&windows, 1076, 0);
	CHECK_NUMBER(windows.size, 2);
	CHECK_TEXT(buffer_string(&windows.list[0].lines), "1000 t: d\n1015 t: d\n1045 t: d\n");
	check_due(&windows, 1100, 0, false, "990 1065 3");
	/* Nothing is added to what is being written. */
	watch_windows_drop(&windows);
	check_due(&windows, 1100, 0, false, "1066 1096 1");
	fire_at(&windows, 1080, 0);
	CHECK_NUMBER(windows.size, 2);
	watch_windows_release(&windows);
	CHECK_NUMBER(watch_windows_init(&windows, 10, 20, 5), 0);
	for (int64_t time_ns = 1000; time_ns <= 1300; time_ns += 5)
		fire_at(&windows, time_ns, 0);
	check_due(&windows, 9999, 0, false, "990 1200 41");
	watch_windows_drop(&windows);
	check_due(&windows, 9999, 0, false, "1195 1320 20");
	watch_windows_release(&windows);
}

TEST(a_window_does_not_wait_until_its_records_are_dropped)
{
	struct watch_windows windows;

	CHECK_NUMBER(watch_windows_init(&windows, 0, 1000, 5), 0);
	fire_at(&windows, 1000, 800);
	check_due(&windows, 1050, 899, false, "");
	check_due(&windows, 1060, 901, false, "800 1060 1");
	watch_windows_release(&windows);
	CHECK_NUMBER(watch_windows_init(&windows, 20, 1000, 5), 0);
	fire_at(&windows, 1000, 800);
	check_due(&windows, 1050, 980, false, "");
	check_due(&windows, 1060, 981, false, "980 1060 1");
	watch_windows_release(&windows);
}

TEST(at_the_end_windows_are_written_as_they_are)
{
	SCOPED(watch_windows) windows;

	CHECK_NUMBER(watch_windows_init(&windows, 10, 20, 5), 0);
	fire_at(&windows, 1000, 0);
	check_due(&windows, 1003, 0, true, "990 1003 1");
}

TEST(the_rate_of_recordings_is_limited_but_requests_are_not)
{
	const struct recent_span span = { .begin_ns = 0, .end_ns = 5 * S };
	SCOPED(watch_windows) windows;

	CHECK_NUMBER(watch_windows_init(&windows, 1, 0, 2), 0);
	fire_at(&windows, 1 * S, 0);
	fire_at(&windows, 2 * S, 0);
	fire_at(&windows, 3 * S, 0);
	CHECK_NUMBER(windows.size, 2);
	CHECK_NUMBER(windows.nr_refused, 1);
	CHECK_NUMBER(watch_windows_request(&windows, "SIGUSR1", 4 * S, &span, 0), 0);
	CHECK_NUMBER(windows.size, 3);
	fire_at(&windows, 3601 * S - 1, 0);
	CHECK_NUMBER(windows.nr_refused, 2);
	fire_at(&windows, 3601 * S, 0);
	CHECK_NUMBER(windows.nr_refused, 2);
	CHECK_NUMBER(windows.size, 4);
}

/* Memory has been cleared since the last record was delivered. */
TEST(a_request_before_the_first_record_has_no_negative_length)
{
	const struct recent_span span = { .begin_ns = 5 * S };
	SCOPED(watch_windows) windows;

	CHECK_NUMBER(watch_windows_init(&windows, 1, 0, 2), 0);
	CHECK_NUMBER(watch_windows_request(&windows, "SIGUSR1", 4 * S, &span, 0), 0);
	check_due(&windows, 5 * S, 5 * S, false, "5000000000 5000000000 1");
}

TEST(no_more_windows_wait_than_there_is_space_for)
{
	SCOPED(watch_windows) windows;

	CHECK_NUMBER(watch_windows_init(&windows, 1, 0, 100), 0);
	for (int64_t i = 1; i <= 20; i++)
		fire_at(&windows, i * S, 0);
	CHECK_NUMBER(windows.size, WATCH_WINDOWS_MAX);
	CHECK_NUMBER(windows.nr_refused, 20 - WATCH_WINDOWS_MAX);
}

/** struct watch_fixture - a directory of recordings */
struct watch_fixture {
	struct folder parent;
	struct watch_folder folder;
	char path[100];
	struct error error;
};

static void watch_fixture_init(struct watch_fixture *fixture)
{
	*fixture = (struct watch_fixture){ 0 };
	folder_new(&fixture->parent);
	strcpy(fixture->path, folder_path(&fixture->parent, "recordings"));
	CHECK_NUMBER(watch_folder_open(&fixture->folder, fixture->path, &fixture->error), 0);
	CHECK_TEXT(fixture->error.text, "");
}

static void watch_fixture_release(struct watch_fixture *fixture)
{
	watch_folder_close(&fixture->folder);
	folder_remove(&fixture->parent);
}

static char *recording_path(const struct watch_fixture *fixture, const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", fixture->path, name);
	return path;
}

/* A file of 1000 bytes that is @age_s old. */
static void recording_add(struct watch_fixture *fixture, const char *name, int64_t age_s)
{
	int64_t now_s = (time_now_ns(CLOCK_BOOTTIME) + fixture->folder.wall_offset_ns) / S;
	struct timespec times[] = { { .tv_sec = now_s - age_s }, { .tv_sec = now_s - age_s } };
	int fd = open(recording_path(fixture, name), O_WRONLY | O_CREAT, 0600);

	CHECK_NUMBER(ftruncate(fd, 1024), 0);
	CHECK_NUMBER(futimens(fd, times), 0);
	close(fd);
}

static void check_kept(const struct watch_fixture *fixture, const char *want)
{
	char got[8] = "";
	size_t size = 0;

	for (char letter = 'a'; letter <= 'e'; letter++) {
		char name[64];

		snprintf(name, sizeof(name), "ktrack-20260101T000000.000000Z-%c.dat", letter);
		if (access(recording_path(fixture, name), F_OK) == 0)
			got[size++] = letter;
	}
	CHECK_TEXT(got, want);
}

static void recordings_add(struct watch_fixture *fixture)
{
	recording_add(fixture, "ktrack-20260101T000000.000000Z-a.dat", 10000);
	recording_add(fixture, "ktrack-20260101T000000.000000Z-b.dat", 40000);
	recording_add(fixture, "ktrack-20260101T000000.000000Z-c.dat", 30000);
	recording_add(fixture, "ktrack-20260101T000000.000000Z-d.dat", 20000);
	recording_add(fixture, "notes.dat", 1000000);
	recording_add(fixture, "ktrack-20260101T000000.000000Z-e.txt", 1000000);
}

static void trim(struct watch_fixture *fixture, uint64_t files, uint64_t kib, int64_t age_s,
		 const char *kept)
{
	const struct retention limits = { files, kib, age_s * S };

	watch_folder_trim(&fixture->folder, &limits, kept);
}

TEST(the_oldest_recordings_are_removed_and_nothing_else)
{
	FIXTURE(watch_fixture, fixture);

	recordings_add(&fixture);
	trim(&fixture, 4, 4, 100000, NULL);
	check_kept(&fixture, "abcd");
	trim(&fixture, 3, 4, 100000, NULL);
	check_kept(&fixture, "acd");
	trim(&fixture, 3, 2, 100000, NULL);
	check_kept(&fixture, "ad");
	trim(&fixture, 3, 2, 15000, NULL);
	check_kept(&fixture, "a");
	trim(&fixture, 1, 1, 1, "ktrack-20260101T000000.000000Z-a.dat");
	check_kept(&fixture, "a");
	CHECK_NUMBER(access(recording_path(&fixture, "notes.dat"), F_OK), 0);
	CHECK_NUMBER(access(recording_path(&fixture, "ktrack-20260101T000000.000000Z-e.txt"), F_OK),
		     0);
}

/* tmpfs keeps any time. */
TEST(times_of_files_that_are_far_away_are_in_order)
{
	FIXTURE(watch_fixture, fixture);

	recording_add(&fixture, "ktrack-20260101T000000.000000Z-a.dat", -(INT64_C(1) << 61));
	recording_add(&fixture, "ktrack-20260101T000000.000000Z-b.dat", INT64_C(1) << 61);
	recording_add(&fixture, "ktrack-20260101T000000.000000Z-c.dat", 10);
	trim(&fixture, 2, 0, 0, NULL);
	check_kept(&fixture, "ac");
	trim(&fixture, 0, 0, 1, NULL);
	check_kept(&fixture, "a");
}

/* Ages are measured from the clock as it was at the start. */
TEST(a_change_of_the_wall_clock_removes_no_recording)
{
	FIXTURE(watch_fixture, fixture);

	fixture.folder.wall_offset_ns -= 365 * 24 * 3600 * S;
	recording_add(&fixture, "ktrack-20260101T000000.000000Z-a.dat", 0);
	trim(&fixture, 9, 9, 60, NULL);
	check_kept(&fixture, "a");
	watch_folder_date(&fixture.folder, "ktrack-20260101T000000.000000Z-a.dat");
	fixture.folder.wall_offset_ns += 61 * S;
	trim(&fixture, 9, 9, 60, NULL);
	check_kept(&fixture, "");
}

static void check_shared(const struct watch_fixture *fixture, mode_t directory, mode_t want)
{
	struct stat status;

	CHECK_NUMBER(chmod(fixture->path, directory), 0);
	watch_folder_share(&fixture->folder, "file");
	CHECK_NUMBER(stat(recording_path(fixture, "file"), &status), 0);
	CHECK_NUMBER(status.st_mode & 07777, want);
}

TEST(recordings_are_for_their_owner_unless_the_directory_has_a_group)
{
	FIXTURE(watch_fixture, fixture);

	recording_add(&fixture, "file", 0);
	check_shared(&fixture, 0750, 0600);
	check_shared(&fixture, 02750, 0640);
}

static void check_name(struct watch_fixture *fixture, const char *trigger, const char *want)
{
	SCOPED_BUFFER(name);

	CHECK(watch_folder_name(&fixture->folder, 1767225600123456789, trigger, &name));
	CHECK_TEXT(buffer_string(&name), want);
}

TEST(names_have_the_time_and_the_trigger_and_are_new)
{
	FIXTURE(watch_fixture, fixture);

	check_name(&fixture, "block:request/* > 50ms",
		   "ktrack-20260101T000000.123456Z-block_request_50ms.dat");
	check_name(&fixture, "../../etc/passwd",
		   "ktrack-20260101T000000.123456Z-.._.._etc_passwd.dat");
	check_name(&fixture, "\x01/", "ktrack-20260101T000000.123456Z-trigger.dat");
	recording_add(&fixture, "ktrack-20260101T000000.123456Z-a.dat", 0);
	check_name(&fixture, "a", "ktrack-20260101T000000.123456Z-a-2.dat");
	CHECK_NUMBER(symlink("/nowhere",
			     recording_path(&fixture, "ktrack-20260101T000000.123456Z-b.dat")),
		     0);
	check_name(&fixture, "b", "ktrack-20260101T000000.123456Z-b-2.dat");
}

static void check_refused(const char *path, const char *want)
{
	struct watch_folder folder = { 0 };
	struct error error = { 0 };

	CHECK_NUMBER(watch_folder_open(&folder, path, &error), -1);
	if (!CHECK(strstr(error.text, want) != NULL))
		printf("# %s\n", error.text);
	watch_folder_close(&folder);
}

TEST(a_directory_of_others_or_in_use_is_refused)
{
	FIXTURE(watch_fixture, fixture);

	check_refused(fixture.path, "in use by another 'ktrack watch'");
	watch_folder_close(&fixture.folder);
	CHECK_NUMBER(chmod(fixture.path, 0770), 0);
	check_refused(fixture.path, "writable by other users");
	CHECK_NUMBER(symlink(fixture.path, folder_path(&fixture.parent, "link")), 0);
	check_refused(folder_path(&fixture.parent, "link"), "cannot open");
	folder_add_text(&fixture.parent, "file", "");
	check_refused(folder_path(&fixture.parent, "file"), "cannot open");
	check_refused("/nonexistent/directory", "cannot create");
	if (geteuid() != 0)
		check_refused("/", "belongs to user 0");
}

TEST(a_directory_that_was_moved_away_is_created_again)
{
	char moved[100];
	struct stat status;
	FIXTURE(watch_fixture, fixture);

	CHECK_NUMBER(watch_folder_reopen(&fixture.folder, &fixture.error), 0);
	strcpy(moved, folder_path(&fixture.parent, "moved"));
	CHECK_NUMBER(rename(fixture.path, moved), 0);
	CHECK_NUMBER(watch_folder_reopen(&fixture.folder, &fixture.error), 0);
	CHECK_NUMBER(fstatat(fixture.folder.fd, "../moved", &status, 0), 0);
	recording_add(&fixture, "ktrack-20260101T000000.000000Z-a.dat", 0);
	CHECK_NUMBER(faccessat(fixture.folder.fd, "ktrack-20260101T000000.000000Z-a.dat", F_OK, 0),
		     0);
	/* It can be taken by another one. */
	check_refused(fixture.path, "in use");
}

static void status_keep(void *context, int wait_status)
{
	*(int *)context = WEXITSTATUS(wait_status);
}

/* Returns what is reported of a hook that ends with @status; -1 for nothing. */
static int reported_status(int status)
{
	int reported = -1;
	struct watch_writer writer = { .fd = -1, .failed = status_keep, .context = &reported };
	siginfo_t info;

	writer.hooks[1] = fork();
	if (writer.hooks[1] == 0)
		_exit(status);
	CHECK_NUMBER(waitid(P_PID, writer.hooks[1], &info, WEXITED | WNOWAIT), 0);
	watch_writer_reap(&writer);
	CHECK_NUMBER(writer.hooks[1], 0);
	return reported;
}

TEST(a_hook_that_fails_is_reported)
{
	CHECK_NUMBER(reported_status(0), -1);
	CHECK_NUMBER(reported_status(7), 7);
}
