// SPDX-License-Identifier: GPL-2.0-only
/* Tests of inspections: another process, without rights, opens the memory of programs. */
#define KTRACK_SYSTEM unit
#include <ktrack/user.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixtures/own_socket.h"
#include "fixtures/tap.h"
#include "userring/inspection.h"

KTRACK_SLICE(unit_inspected);

/* The user of the reader. */
#define READER_USER 4242

/* A memory whose program makes the reader fail. */
#define FATAL_RING_SIZE 8192u

/** struct shared - of this test and its children, among which is the reader
 * @mapped_by: the last process that has mapped the memory of a program
 * @has_rights: it has a capability, or is root
 * @nr_failed: readers that the fatal program has ended
 */
struct shared {
	pid_t mapped_by;
	bool has_rights;
	unsigned int nr_failed;
};

static struct shared *shared;
static pid_t child;

/* Processes of the inspection itself: this test is a program, too, and so are they. */
static size_t nr_own;

struct passwd *fgetpwent(FILE *file)
{
	static struct passwd entry = { .pw_name = PROGRAMS_READER_USER,
				       .pw_uid = READER_USER,
				       .pw_gid = READER_USER };

	(void)file;
	return &entry;
}

static bool has_rights(void)
{
	struct buffer status = { 0 };
	bool has_none = file_read("/proc/self/status", &status) == 0 &&
			strstr(buffer_string(&status), "\nCapEff:\t0000000000000000") &&
			!strstr(buffer_string(&status), "\nUid:\t0\t");

	buffer_release(&status);
	return !has_none;
}

/* Called for each memory that was mapped. */
int madvise(void *memory, size_t size, int advice)
{
	const struct ktrack_user_control *control = memory;

	if (shared && advice == MADV_DONTFORK && control->magic == KTRACK_USER_MAGIC) {
		shared->mapped_by = getpid();
		shared->has_rights = has_rights();
		if (control->ring_size == FATAL_RING_SIZE && shared->nr_failed++ == 0)
			__builtin_trap();
	}
	return syscall(SYS_madvise, memory, size, advice);
}

static void program_stay(void)
{
	raise(SIGSTOP);
	/* What was done to it, as its status. */
	_exit(ktrack_user3_control.on);
}

static void own_count(void)
{
	struct programs_examined examined;
	struct error error = { 0 };

	CHECK_NUMBER(programs_examine(&examined, &error), 0);
	nr_own = examined.nr_programs;
	buffer_release(&examined.refused);
}

/* A program that has emitted, and then damages its memory. */
static void child_begin(void (*damage)(void))
{
	if (!shared)
		shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	own_count();
	*shared = (struct shared){ 0 };
	child = fork();
	if (child == 0) {
		ktrack_user3_control.on = 1;
		ktrack_instant(unit_inspected, "emitted");
		damage();
		program_stay();
	}
	waitpid(child, NULL, WUNTRACED);
}

static int child_end(void)
{
	int status = 0;

	kill(child, SIGCONT);
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

/* What programs_visit() reports of the child. */
static int child_visit(void *context, const struct program_found *found, struct error *error)
{
	struct buffer *out = context;

	(void)error;
	if (found->pid != child)
		return 0;
	buffer_printf(out, "%s %zu", found->is_recorded ? "recorded" : "found", found->nr_events);
	for (size_t i = 0; i < found->nr_events && i < 1; i++)
		buffer_printf(out, " %s", found->events[i]);
	return 0;
}

static void child_list(const char *expected)
{
	SCOPED_BUFFER(out);
	const struct program_visitor visitor = { .context = &out, .visit = child_visit };
	struct error error = { 0 };

	CHECK_NUMBER(programs_visit(&visitor, &error), 0);
	CHECK_TEXT(buffer_string(&out), expected);
}

static void child_examine(size_t nr_programs, const char *name, const char *reason)
{
	struct programs_examined examined;
	char expected[128] = "";
	struct error error = { 0 };

	if (reason)
		snprintf(expected, sizeof(expected), "%s (%d): %s", name, child, reason);
	CHECK_NUMBER(programs_examine(&examined, &error), 0);
	CHECK_TEXT(buffer_string(&examined.refused), expected);
	CHECK_NUMBER(examined.nr_programs, nr_own + nr_programs);
	buffer_release(&examined.refused);
}

/* This process has mapped nothing, and whoever has done so has no rights. */
static void mapping_check(void)
{
	CHECK(shared->mapped_by != 0 && shared->mapped_by != getpid());
	CHECK(!shared->has_rights);
	*shared = (struct shared){ 0 };
}

static void nothing_damage(void)
{
}

TEST(programs_are_listed_examined_and_switched_off_by_a_process_without_rights)
{
	child_begin(nothing_damage);
	child_list("found 1 unit:unit_inspected");
	mapping_check();
	child_examine(1, NULL, NULL);
	mapping_check();
	CHECK_NUMBER(programs_clean(), 1);
	mapping_check();
	CHECK_NUMBER(programs_clean(), 0);
	CHECK_NUMBER(child_end(), 0);
}

static void counts_damage(void)
{
	ktrack_user3_control.nr_rings = UINT32_MAX;
	ktrack_user3_control.events_size = UINT32_MAX & ~7u;
}

TEST(counts_that_pass_the_memory_are_refused)
{
	child_begin(counts_damage);
	child_list("");
	mapping_check();
	child_examine(0, "exe", refusal_reason(EINVAL));
	CHECK_NUMBER(programs_clean(), 0);
	CHECK_NUMBER(child_end(), 1);
}

static void sizes_damage(void)
{
	uint32_t word = UINT32_MAX;

	memcpy(ktrack_user3_process.base + KTRACK_USER_CONTROL_SIZE, &word, sizeof(word));
}

TEST(descriptions_that_pass_the_memory_are_left_out)
{
	child_begin(sizes_damage);
	child_list("found 0");
	child_examine(1, NULL, NULL);
	CHECK_NUMBER(programs_clean(), 1);
	CHECK_NUMBER(child_end(), 0);
}

static void holes_damage(void)
{
	if (fallocate(ktrack_user3_process.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      KTRACK_USER_CONTROL_SIZE,
		      KTRACK_USER_EVENTS_SIZE + KTRACK_USER_RINGS * KTRACK_USER_RING_SIZE) < 0)
		abort();
}

TEST(a_memory_of_holes_has_no_events)
{
	child_begin(holes_damage);
	child_list("found 0");
	child_examine(1, NULL, NULL);
	CHECK_NUMBER(programs_clean(), 1);
	CHECK_NUMBER(child_end(), 0);
}

/* Opening it as usual waits until the lease is broken, 45 seconds by default. */
static void lease_damage(void)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", ktrack_user3_process.fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	signal(SIGIO, SIG_IGN);
	fcntl(fd, F_SETLEASE, F_RDLCK);
}

TEST(a_memory_with_a_lease_delays_nobody_and_is_named)
{
	child_begin(lease_damage);
	child_list("");
	child_examine(0, "exe", refusal_reason(EAGAIN));
	CHECK_NUMBER(programs_clean(), 0);
	CHECK_NUMBER(child_end(), 1);
}

static void fatal_damage(void)
{
	ktrack_user3_control.ring_size = FATAL_RING_SIZE;
}

TEST(a_program_that_ends_the_process_that_inspects_it_is_left_out)
{
	child_begin(fatal_damage);
	child_examine(0, "a program", refusal_reason(EBUSY));
	CHECK_NUMBER(shared->nr_failed, 1);
	child_end();
}

/* More than a search looks at. */
static void files_damage(void)
{
	const struct rlimit most = { 5000, 5000 };

	if (setrlimit(RLIMIT_NOFILE, &most) < 0)
		abort();
	while (dup(STDOUT_FILENO) >= 0)
		;
}

/* What ends the process that inspects, and what the search does not examine. */
TEST(each_program_that_is_left_out_is_named)
{
	struct programs_examined examined;
	struct error error = { 0 };
	char name[32];
	pid_t fatal;

	child_begin(fatal_damage);
	fatal = child;
	child_begin(files_damage);
	CHECK_NUMBER(programs_examine(&examined, &error), 0);
	CHECK_NUMBER(examined.nr_refused, 2);
	snprintf(name, sizeof(name), "a program (%d)", fatal);
	CHECK(strstr(buffer_string(&examined.refused), name));
	snprintf(name, sizeof(name), "a program (%d)", child);
	CHECK(strstr(buffer_string(&examined.refused), name));
	buffer_release(&examined.refused);
	CHECK_NUMBER(child_end(), 1);
	child = fatal;
	child_end();
}

/* Any server may have as many files; one with another socket is no program of this ktrack. */
TEST(a_process_with_too_many_files_that_nobody_asked_for_is_not_named)
{
	char *const nothing[] = { NULL };
	int begun[2];
	char byte;

	CHECK_NUMBER(pipe2(begun, O_CLOEXEC), 0);
	own_count();
	child = fork();
	if (child == 0) {
		files_damage();
		execle("/bin/sleep", "sleep", "1000", NULL, nothing);
		_exit(1);
	}
	close(begun[1]);
	/* Its end is closed by execve(). */
	CHECK_NUMBER(read(begun[0], &byte, 1), 0);
	close(begun[0]);
	child_examine(0, NULL, NULL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}
