// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uses libtrace2 as programs do that were not written for it: with nothing where something is due,
 * with descriptors and signals of their own, with forks, and from threads without a plan. The
 * first argument says which.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <trace2/process.h>

#define NR_THREADS 4
#define NR_ROUNDS 200

/* More events than a pipe holds. */
#define NR_INTERRUPTED 2000

/* The descriptor that the test's settings name. */
#define BORROWED 9

/* A variable: compilers refuse NULL itself. */
static const char *no_format;

static struct trace2_program program = { .version = "1", .has_atexit = true, .has_sigpipe = true };

static void nothing_about_commands(void)
{
	trace2_cmd_start(NULL);
	trace2_cmd_error(no_format, 0);
	trace2_cmd_path(NULL);
	trace2_cmd_ancestry(NULL);
	trace2_cmd_name(NULL);
	trace2_cmd_mode(NULL);
	trace2_cmd_alias(NULL, NULL);
	trace2_cmd_set_config(NULL, NULL);
	trace2_def_param(NULL, NULL, NULL);
	trace2_exec(NULL, NULL);
	trace2_cmd_exit(0);
}

static void nothing_about_children(void)
{
	static struct trace2_repository nowhere;
	struct trace2_child child = { 0 };

	trace2_child_start(NULL);
	trace2_child_start(&child);
	trace2_child_ready(NULL, NULL);
	trace2_child_ready(&child, NULL);
	trace2_child_exit(NULL, 0);
	trace2_child_exit(&child, 0);
	trace2_def_repo(NULL);
	trace2_def_repo(&nowhere);
}

static void nothing_about_work(void)
{
	static struct trace2_timer timer = { .has_thread_events = true };
	static struct trace2_counter counter = { .has_thread_events = true };

	trace2_region_enter(NULL, NULL, NULL);
	trace2_region_enter_printf(NULL, NULL, NULL, no_format, 0);
	trace2_data_string(NULL, NULL, NULL, NULL);
	trace2_data_intmax(NULL, NULL, NULL, 0);
	trace2_data_json(NULL, NULL, NULL, NULL);
	trace2_printf(no_format, 0);
	trace2_region_leave_printf(NULL, NULL, NULL, no_format, 0);
	trace2_region_leave(NULL, NULL, NULL);
	trace2_region_leave(NULL, NULL, NULL);
	trace2_thread_start(NULL);
	trace2_thread_exit();
	trace2_timer_start(NULL);
	trace2_timer_start(&timer);
	trace2_timer_stop(NULL);
	trace2_timer_stop(&timer);
	trace2_timer_stop(&timer);
	trace2_counter_add(NULL, 1);
	trace2_counter_add(&counter, 1);
}

static void nothing_say(void)
{
	program.version = NULL;
	trace2_initialize(&program);
	nothing_about_commands();
	nothing_about_children();
	nothing_about_work();
}

static void nobody_say(void)
{
	trace2_initialize(NULL);
	trace2_finish();
}

/* The other arguments are declared to be JSON. */
static void json_say(char **words)
{
	trace2_initialize(&program);
	for (; *words; words++)
		trace2_data_json("c", NULL, "k", *words);
}

/* A file when tracing began, and now a pipe that nobody reads. */
static void borrowed_say(void)
{
	FILE *file = tmpfile();
	int ends[2];

	if (!file || pipe(ends) < 0)
		exit(2);
	dup2(fileno(file), BORROWED);
	trace2_initialize(&program);
	close(ends[0]);
	dup2(ends[1], BORROWED);
	trace2_cmd_mode("nobody reads this");
	puts("alive");
}

static void child_wait(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child || status != 0)
		exit(2);
}

static void fork_say(void)
{
	static struct trace2_counter counter = { .category = "c", .name = "n" };
	pid_t child;

	trace2_initialize(&program);
	trace2_counter_add(&counter, 3);
	child = fork();
	if (child == 0) {
		trace2_cmd_mode("of a child");
		exit(0);
	}
	child_wait(child);
	trace2_cmd_mode("of the parent");
}

static void fork_begin(void)
{
	static struct trace2_counter counter = { .category = "c", .name = "n" };
	pid_t child;

	trace2_initialize(&program);
	trace2_cmd_name("parent");
	trace2_counter_add(&counter, 3);
	trace2_region_enter("c", "parent", NULL);
	child = fork();
	if (child == 0) {
		trace2_initialize(&program);
		trace2_cmd_name("child");
		trace2_counter_add(&counter, 4);
		exit(0);
	}
	child_wait(child);
}

static void pipe_break(void)
{
	int ends[2];

	if (pipe(ends) < 0)
		exit(2);
	close(ends[0]);
	if (write(ends[1], "x", 1) < 0)
		printf("%s\n", strerror(errno));
}

static void pipe_ignore(void)
{
	signal(SIGPIPE, SIG_IGN);
	trace2_initialize(&program);
	pipe_break();
	trace2_cmd_mode("alive");
}

static void pipe_note(int number)
{
	(void)number;
}

static void pipe_handle(void)
{
	signal(SIGPIPE, pipe_note);
	trace2_initialize(&program);
	pipe_break();
	trace2_cmd_mode("alive");
}

static void pipe_die(void)
{
	trace2_initialize(&program);
	pipe_break();
}

/* The library keeps errno, and can report its value. */
static void number_keep(void)
{
	errno = ENOTDIR;
	trace2_initialize(&program);
	printf("%d\n", errno == ENOTDIR);
	trace2_cmd_error("%m");
	trace2_cmd_name("n");
	printf("%d\n", errno == ENOTDIR);
}

/* A long start-up counts where the program wants it to. */
static void clock_say(void)
{
	char *const words[] = { NULL };

	trace2_initialize_clock();
	usleep(20000);
	trace2_initialize(&program);
	trace2_cmd_start(words);
	exit(trace2_cmd_exit(7));
}

static void *twice_run(void *counter)
{
	trace2_thread_start("one");
	trace2_counter_add(counter, 3);
	trace2_thread_start("two");
	trace2_counter_add(counter, 4);
	trace2_thread_exit();
	return NULL;
}

static void threads_run(void *(*run)(void *), void *context)
{
	pthread_t threads[NR_THREADS];

	for (int i = 0; i < NR_THREADS; i++) {
		if (pthread_create(&threads[i], NULL, run, context) != 0)
			exit(2);
	}
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void twice_say(void)
{
	static struct trace2_counter counter = { .category = "c", .name = "n" };

	trace2_initialize(&program);
	threads_run(twice_run, &counter);
}

/* The thread is cancelled in the first write of its end. */
static void *cancelled_run(void *timer)
{
	trace2_timer_start(timer);
	trace2_timer_stop(timer);
	pthread_cancel(pthread_self());
	trace2_thread_exit();
	return NULL;
}

static void cancelled_say(void)
{
	static struct trace2_timer timer = { .category = "c",
					     .name = "n",
					     .has_thread_events = true };

	trace2_initialize(&program);
	threads_run(cancelled_run, &timer);
	exit(trace2_cmd_exit(0x107));
}

static void late_say(void *name)
{
	trace2_cmd_mode(name);
}

static void *late_run(void *key)
{
	trace2_cmd_mode("early");
	pthread_setspecific(*(pthread_key_t *)key, "late");
	return NULL;
}

/* Messages of a thread's clean-up handlers come after the library has released the thread.
 */
static void late_run_all(void)
{
	pthread_key_t key;

	trace2_initialize(&program);
	pthread_key_create(&key, late_say);
	threads_run(late_run, &key);
}

/* One repository, one timer and one counter for all threads. */
static void *race_run(void *context)
{
	static struct trace2_timer timer = { .category = "c", .name = "t" };
	static struct trace2_counter counter = { .category = "c", .name = "n" };
	static struct trace2_repository repository = { .worktree = "/w" };

	(void)context;
	for (int i = 0; i < NR_ROUNDS; i++) {
		struct trace2_child child = { .child_class = "c" };

		trace2_timer_start(&timer);
		trace2_def_repo(&repository);
		trace2_region_enter("c", "l", &repository);
		trace2_child_start(&child);
		trace2_child_exit(&child, 0);
		trace2_data_intmax("c", &repository, "k", i);
		trace2_region_leave("c", "l", &repository);
		trace2_counter_add(&counter, 1);
		trace2_timer_stop(&timer);
	}
	trace2_cmd_name("n");
	trace2_cmd_exit(1);
	trace2_thread_exit();
	return NULL;
}

static void race_say(void)
{
	trace2_initialize(&program);
	threads_run(race_run, NULL);
}

static volatile int nr_ticks, nr_written, nr_lines;

static void tick(int number)
{
	(void)number;
	nr_ticks++;
}

/* Reads nothing until the writer has stood still for some ticks: its pipe is full then. */
static void *late_read(void *pipe)
{
	char bytes[4096];
	int written = -1, ticks = 0;
	ssize_t size;

	while (nr_written < NR_INTERRUPTED && (written != nr_written || nr_ticks < ticks)) {
		if (written != nr_written)
			ticks = nr_ticks + 10;
		written = nr_written;
		usleep(1000);
	}
	while ((size = read(*(int *)pipe, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < size; i++)
			nr_lines += bytes[i] == '\n';
	}
	return NULL;
}

/* A handler that asks for no more than that interrupts what the thread waits for. */
static void ticks_begin(void)
{
	const struct itimerval often = { { 0, 1000 }, { 0, 1000 } };
	struct sigaction action = { .sa_handler = tick };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

static void alarms_mask(int how)
{
	sigset_t alarms;

	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(how, &alarms, NULL);
}

static void interrupted_say(void)
{
	pthread_t reader;
	int ends[2];

	if (pipe(ends) < 0)
		exit(2);
	dup2(ends[1], BORROWED);
	close(ends[1]);
	trace2_initialize(&program);
	alarms_mask(SIG_BLOCK);
	if (pthread_create(&reader, NULL, late_read, &ends[0]) != 0)
		exit(2);
	alarms_mask(SIG_UNBLOCK);
	ticks_begin();
	for (nr_written = 0; nr_written < NR_INTERRUPTED; nr_written++)
		trace2_cmd_mode("interrupted");
	trace2_finish();
	close(BORROWED);
	alarms_mask(SIG_BLOCK);
	pthread_join(reader, NULL);
	printf("%d\n", nr_lines);
}

/** struct manner - a way to use the library */
struct manner {
	const char *name;
	void (*run)(void);
};

static const struct manner manners[] = {
	{ "nothing", nothing_say },	    { "nobody", nobody_say },
	{ "borrowed", borrowed_say },	    { "fork", fork_say },
	{ "fork-begin", fork_begin },	    { "pipe-ignore", pipe_ignore },
	{ "pipe-handle", pipe_handle },	    { "pipe-die", pipe_die },
	{ "errno", number_keep },	    { "clock", clock_say },
	{ "cancelled", cancelled_say },	    { "twice", twice_say },
	{ "late", late_run_all },	    { "race", race_say },
	{ "interrupted", interrupted_say },
};

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "json") == 0) {
		json_say(argv + 2);
		return 0;
	}
	for (size_t i = 0; argc > 1 && i < sizeof(manners) / sizeof(manners[0]); i++) {
		if (strcmp(argv[1], manners[i].name) == 0) {
			manners[i].run();
			return 0;
		}
	}
	return 2;
}
