// SPDX-License-Identifier: GPL-2.0-only
/*
 * Says through libtrace2's process-wide API what it reads: a message for each line of standard
 * input, made of fields with tabs between them: the message's name, file, line, and what it takes.
 * "\t", "\n" and "\\" stand for those, "\0" for NULL.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <trace2/process.h>

#define FIELDS_MAX 256
#define REPOSITORIES_MAX 16
#define CHILDREN_MAX 64
#define SUMS_MAX 4

/** struct saying - a line; @words are its fields behind the line number, NULL at their end */
struct saying {
	const char *name;
	const char *file;
	int line;
	char *words[FIELDS_MAX + 1];
};

static struct trace2_repository repositories[REPOSITORIES_MAX];
static struct trace2_child children[CHILDREN_MAX];
static struct trace2_timer timers[SUMS_MAX] = {
	{ "test", "test1" },
	{ "test", "test2", .has_thread_events = true },
	{ "test", "never" },
};
static struct trace2_counter counters[SUMS_MAX] = {
	{ "test", "test1" },
	{ "test", "test2", .has_thread_events = true },
	{ "test", "never" },
};

static const struct trace2_repository *repository_of(const char *number)
{
	return number ? &repositories[atoi(number) % REPOSITORIES_MAX] : NULL;
}

static void say_start(struct saying *s)
{
	trace2_cmd_start_at(s->file, s->line, s->words);
}

static void say_exit(struct saying *s)
{
	trace2_cmd_exit_at(s->file, s->line, atoi(s->words[0]));
}

/* The format, and up to three texts for it. */
static void say_error(struct saying *s)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
	const char *one = s->words[0] ? s->words[1] : NULL;
	const char *two = one ? s->words[2] : NULL;

	trace2_cmd_error_at(s->file, s->line, s->words[0] ? s->words[0] : "", one, two,
			    two ? s->words[3] : NULL);
#pragma GCC diagnostic pop
}

static void say_cmd_path(struct saying *s)
{
	trace2_cmd_path_at(s->file, s->line, s->words[0]);
}

static void say_cmd_ancestry(struct saying *s)
{
	trace2_cmd_ancestry_at(s->file, s->line, s->words);
}

static void say_cmd_name(struct saying *s)
{
	trace2_cmd_name_at(s->file, s->line, s->words[0]);
}

static void say_cmd_mode(struct saying *s)
{
	trace2_cmd_mode_at(s->file, s->line, s->words[0]);
}

static void say_alias(struct saying *s)
{
	trace2_cmd_alias_at(s->file, s->line, s->words[0], s->words + 1);
}

static void say_list_config(struct saying *s)
{
	trace2_cmd_list_config_at(s->file, s->line);
}

static void say_list_env_vars(struct saying *s)
{
	trace2_cmd_list_env_vars_at(s->file, s->line);
}

static void say_set_config(struct saying *s)
{
	trace2_cmd_set_config_at(s->file, s->line, s->words[0], s->words[1]);
}

/* Class, hook, directory, "shell" or not, "git" or not, and the words. */
static void say_child_start(struct saying *s)
{
	struct trace2_child child = { .child_class = s->words[0],
				      .hook_name = s->words[1],
				      .directory = s->words[2] };

	child.use_shell = strcmp(s->words[3], "shell") == 0;
	child.is_git = strcmp(s->words[4], "git") == 0;
	child.argv = s->words + 5;
	trace2_child_start_at(s->file, s->line, &child);
	children[child.id % CHILDREN_MAX] = child;
}

static struct trace2_child *child_of(struct saying *s)
{
	struct trace2_child *child = &children[atoi(s->words[0]) % CHILDREN_MAX];

	child->pid = atoi(s->words[1]);
	return child;
}

static void say_child_exit(struct saying *s)
{
	trace2_child_exit_at(s->file, s->line, child_of(s), atoi(s->words[2]));
}

static void say_child_ready(struct saying *s)
{
	trace2_child_ready_at(s->file, s->line, child_of(s), s->words[2]);
}

static void say_exec(struct saying *s)
{
	trace2_exec_at(s->file, s->line, s->words[0], s->words + 1);
}

static void say_exec_result(struct saying *s)
{
	trace2_exec_result_at(s->file, s->line, atoi(s->words[0]), atoi(s->words[1]));
}

static void say_thread_start(struct saying *s)
{
	trace2_thread_start_at(s->file, s->line, s->words[0]);
}

static void say_thread_exit(struct saying *s)
{
	trace2_thread_exit_at(s->file, s->line);
}

static void say_def_param(struct saying *s)
{
	trace2_def_param_at(s->file, s->line, s->words[0], s->words[1], s->words[2]);
}

static void say_def_repo(struct saying *s)
{
	struct trace2_repository *repository = &repositories[atoi(s->words[0]) % REPOSITORIES_MAX];

	repository->worktree = strdup(s->words[1]);
	trace2_def_repo_at(s->file, s->line, repository);
}

/* Category, label, repository, and the message. */
static void say_region_enter(struct saying *s)
{
	const struct trace2_repository *repository = repository_of(s->words[2]);

	if (s->words[3])
		trace2_region_enter_printf_at(s->file, s->line, s->words[0], s->words[1],
					      repository, "%s", s->words[3]);
	else
		trace2_region_enter_at(s->file, s->line, s->words[0], s->words[1], repository);
}

static void say_region_leave(struct saying *s)
{
	const struct trace2_repository *repository = repository_of(s->words[2]);

	if (s->words[3])
		trace2_region_leave_printf_at(s->file, s->line, s->words[0], s->words[1],
					      repository, "%s", s->words[3]);
	else
		trace2_region_leave_at(s->file, s->line, s->words[0], s->words[1], repository);
}

/* Category, repository, key, value. */
static void say_data(struct saying *s)
{
	trace2_data_string_at(s->file, s->line, s->words[0], repository_of(s->words[1]),
			      s->words[2], s->words[3]);
}

static void say_data_intmax(struct saying *s)
{
	trace2_data_intmax_at(s->file, s->line, s->words[0], repository_of(s->words[1]),
			      s->words[2], atoll(s->words[3]));
}

static void say_data_json(struct saying *s)
{
	trace2_data_json_at(s->file, s->line, s->words[0], repository_of(s->words[1]), s->words[2],
			    s->words[3]);
}

static void say_printf(struct saying *s)
{
	trace2_printf_at(s->file, s->line, "%s", s->words[0]);
}

static void say_timer_start(struct saying *s)
{
	trace2_timer_start(&timers[atoi(s->words[0]) % SUMS_MAX]);
}

static void say_timer_stop(struct saying *s)
{
	trace2_timer_stop(&timers[atoi(s->words[0]) % SUMS_MAX]);
}

static void say_counter_add(struct saying *s)
{
	trace2_counter_add(&counters[atoi(s->words[0]) % SUMS_MAX],
			   strtoull(s->words[1], NULL, 10));
}

static void say_raise(struct saying *s)
{
	kill(getpid(), atoi(s->words[0]));
}

/* As a program that another one takes the place of. */
static void say_vanish(struct saying *s)
{
	(void)s;
	_exit(0);
}

static int sayings_read(FILE *input);

static void *thread_run(void *input)
{
	sayings_read(input);
	return NULL;
}

/* What follows is said on a thread of its own, until "thread_end"; then it is waited for. */
static void say_thread(struct saying *s)
{
	pthread_t thread;

	(void)s;
	if (pthread_create(&thread, NULL, thread_run, stdin) == 0)
		pthread_join(thread, NULL);
}

/** struct flood - what a thread of a flood writes */
struct flood {
	int number;
	int nr_events;
};

static void *flood_run(void *context)
{
	const struct flood *flood = context;
	char name[32];

	snprintf(name, sizeof(name), "flood%d", flood->number);
	trace2_thread_start(name);
	for (int i = 0; i < flood->nr_events; i++) {
		trace2_timer_start(&timers[1]);
		trace2_data_intmax("flood", NULL, name, i);
		trace2_timer_stop(&timers[1]);
		trace2_counter_add(&counters[1], 1);
	}
	trace2_thread_exit();
	return NULL;
}

/* Threads, and how many events each of them writes, all at once. */
static void say_flood(struct saying *s)
{
	int nr_threads = atoi(s->words[0]);
	struct flood floods[16];
	pthread_t threads[16];

	for (int i = 0; i < nr_threads && i < 16; i++) {
		floods[i] = (struct flood){ i, atoi(s->words[1]) };
		pthread_create(&threads[i], NULL, flood_run, &floods[i]);
	}
	for (int i = 0; i < nr_threads && i < 16; i++)
		pthread_join(threads[i], NULL);
}

/** struct verb - the name of a message, and who says it */
struct verb {
	const char *name;
	void (*say)(struct saying *saying);
};

static const struct verb verbs[] = {
	{ "start", say_start },
	{ "exit", say_exit },
	{ "error", say_error },
	{ "cmd_path", say_cmd_path },
	{ "cmd_ancestry", say_cmd_ancestry },
	{ "cmd_name", say_cmd_name },
	{ "cmd_mode", say_cmd_mode },
	{ "alias", say_alias },
	{ "list_config", say_list_config },
	{ "list_env_vars", say_list_env_vars },
	{ "set_config", say_set_config },
	{ "child_start", say_child_start },
	{ "child_exit", say_child_exit },
	{ "child_ready", say_child_ready },
	{ "exec", say_exec },
	{ "exec_result", say_exec_result },
	{ "thread_start", say_thread_start },
	{ "thread_exit", say_thread_exit },
	{ "def_param", say_def_param },
	{ "def_repo", say_def_repo },
	{ "region_enter", say_region_enter },
	{ "region_leave", say_region_leave },
	{ "data", say_data },
	{ "data_intmax", say_data_intmax },
	{ "data_json", say_data_json },
	{ "printf", say_printf },
	{ "timer_start", say_timer_start },
	{ "timer_stop", say_timer_stop },
	{ "counter_add", say_counter_add },
	{ "raise", say_raise },
	{ "vanish", say_vanish },
	{ "thread", say_thread },
	{ "flood", say_flood },
};

/* Undoes the escapes of a field; returns NULL for "\0". */
static char *field_read(char *field)
{
	char *out = field;

	if (field && strcmp(field, "\\0") == 0)
		return NULL;
	for (char *in = field; in && *in; in++) {
		if (*in == '\\') {
			in++;
			*out++ = *in == 't' ? '\t' : *in == 'n' ? '\n' : *in;
		} else {
			*out++ = *in;
		}
	}
	if (out)
		*out = '\0';
	return field;
}

static void saying_read(struct saying *saying, char *text)
{
	int nr_words = 0;

	text[strcspn(text, "\n")] = '\0';
	memset(saying, 0, sizeof(*saying));
	saying->name = strsep(&text, "\t");
	saying->file = field_read(strsep(&text, "\t"));
	saying->line = text ? atoi(strsep(&text, "\t")) : 0;
	while (text && nr_words < FIELDS_MAX)
		saying->words[nr_words++] = field_read(strsep(&text, "\t"));
}

static void saying_say(struct saying *saying)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].name, saying->name) == 0) {
			verbs[i].say(saying);
			return;
		}
	}
	printf("nobody says '%s'\n", saying->name);
	exit(1);
}

static int sayings_read(FILE *input)
{
	struct saying saying;
	char *text = NULL;
	size_t size = 0;

	while (getline(&text, &size, input) > 0) {
		saying_read(&saying, text);
		if (strcmp(saying.name, "thread_end") == 0)
			break;
		saying_say(&saying);
	}
	free(text);
	return 0;
}

/* Arguments: version, file and line of the first event, and files of settings. */
int main(int argc, char **argv)
{
	struct trace2_program program = { .has_atexit = true, .has_sigpipe = true };

	if (argc < 4)
		return 2;
	program.version = argv[1];
	program.prefix = getenv("SPEAK_PREFIX");
	program.system_path = argc > 4 ? argv[4] : NULL;
	program.user_path = argc > 5 ? argv[5] : NULL;
	trace2_initialize_at(argv[2], atoi(argv[3]), &program);
	return sayings_read(stdin);
}
