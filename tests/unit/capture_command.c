// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the traced command: when it starts, what it gets, and how its end is reported. */
#include "capture/run.h"

#include <sys/wait.h>

#include "fixtures/wait.h"
#include "fixtures/folder.h"
#include "fixtures/tap.h"
#include "tracefs/tracefs.h"

static char *words[] = { "sh", "-c", NULL, NULL };

/* A shell that runs @script. */
static char *const *shell(const char *script)
{
	words[2] = (char *)script;
	return words;
}

static struct command *command_of(char *const *argv)
{
	struct command *command = NULL;
	struct error error = { 0 };
	struct command_signals none = { 0 };
	struct command_user us = { 0 };

	CHECK_NUMBER(command_new(&command, argv, &none, &us, &error), 0);
	return command;
}

/* Runs a command to its end; returns its status. */
static int status_of(char *const *argv)
{
	struct command *command = command_of(argv);
	struct error error = { 0 };
	int status;

	CHECK_NUMBER(command_run(command, &error), 0);
	command_wait_end(command);
	status = command_status(command);
	command_free(command);
	return status;
}

TEST(a_command_ends_with_its_own_status)
{
	CHECK_NUMBER(status_of((char *[]){ "true", NULL }), 0);
	CHECK_NUMBER(status_of(shell("exit 7")), 7);
	CHECK_NUMBER(status_of(shell("exit 127")), 127);
	CHECK_NUMBER(status_of(shell("exit 255")), 255);
}

TEST(a_signal_that_ends_a_command_counts_from_128)
{
	CHECK_NUMBER(status_of(shell("kill -TERM $$")), 128 + SIGTERM);
	CHECK_NUMBER(status_of(shell("kill -KILL $$")), 128 + SIGKILL);
}

static void check_cannot_run(char *const *argv, int want_status, const char *want)
{
	struct command *command = command_of(argv);
	struct error error = { 0 };

	CHECK_NUMBER(command_run(command, &error), -1);
	CHECK_TEXT(error.text, want);
	CHECK_NUMBER(command_status(command), want_status);
	CHECK(command_has_ended(command));
	command_free(command);
}

TEST(a_command_that_is_not_there_gives_127)
{
	check_cannot_run((char *[]){ "ktrack-no-such-command", NULL }, 127,
			 "cannot run 'ktrack-no-such-command': No such file or directory");
	check_cannot_run((char *[]){ "/nonexistent/command", "word", NULL }, 127,
			 "cannot run '/nonexistent/command': No such file or directory");
	check_cannot_run((char *[]){ "", NULL }, 127, "cannot run '': No such file or directory");
}

TEST(a_command_that_cannot_be_executed_gives_126)
{
	check_cannot_run((char *[]){ "/etc/passwd", NULL }, 126,
			 "cannot run '/etc/passwd': Permission denied");
	check_cannot_run((char *[]){ "/", NULL }, 126, "cannot run '/': Permission denied");
}

static void check_not_found(const char *word, int want_status, const char *want)
{
	char *const argv[] = { (char *)word, NULL };
	struct error error = { 0 };
	int status = 0;

	CHECK_NUMBER(command_check(argv, &status, &error), -1);
	CHECK_TEXT(error.text, want);
	CHECK_NUMBER(status, want_status);
}

static void check_found(const char *word)
{
	char *const argv[] = { (char *)word, NULL };
	struct error error = { 0 };
	int status = 0;

	CHECK_NUMBER(command_check(argv, &status, &error), 0);
	CHECK_NUMBER(status, 0);
}

TEST(what_cannot_run_is_known_before)
{
	check_not_found("ktrack-no-such-command", 127,
			"cannot run 'ktrack-no-such-command': No such file or directory");
	check_not_found("", 127, "cannot run '': No such file or directory");
	check_not_found("/etc/passwd", 126, "cannot run '/etc/passwd': Permission denied");
	check_not_found("/etc", 126, "cannot run '/etc': Permission denied");
	check_not_found("/etc/passwd/x", 126, "cannot run '/etc/passwd/x': Not a directory");
	check_found("true");
	check_found("/bin/true");
}

/* Without a word in it, a part of PATH is the working directory. */
TEST(programs_are_searched_as_exec_does)
{
	struct folder folder;
	char path[512], *before = strdup(getenv("PATH"));

	folder_new(&folder);
	folder_add_text(&folder, "plain/tool", "");
	folder_add_text(&folder, "good/tool", "");
	CHECK_NUMBER(chmod(folder_path(&folder, "good/tool"), 0755), 0);
	snprintf(path, sizeof(path), "%s/none:%s/plain", folder.path, folder.path);
	setenv("PATH", path, 1);
	check_not_found("tool", 126, "cannot run 'tool': Permission denied");
	snprintf(path, sizeof(path), "%s/plain:%s/good", folder.path, folder.path);
	setenv("PATH", path, 1);
	check_found("tool");
	setenv("PATH", "/nonexistent:", 1);
	CHECK_NUMBER(chdir(folder_path(&folder, "good")), 0);
	check_found("tool");
	unsetenv("PATH");
	check_found("true");
	setenv("PATH", before, 1);
	free(before);
	CHECK_NUMBER(chdir("/"), 0);
	folder_remove(&folder);
}

static bool file_exists(const struct folder *folder, const char *name)
{
	return access(folder_path(folder, name), F_OK) == 0;
}

/* Waits for a file; returns false where it does not come. */
static bool file_comes(const struct folder *folder, const char *name)
{
	for (int i = 0; i < WAIT_LOOKS && !file_exists(folder, name); i++)
		usleep(1000);
	return file_exists(folder, name);
}

/* A command that makes a file "started" in a new folder. */
static struct command *starting_command(struct folder *folder)
{
	static char path[PATH_MAX];
	static char *argv[] = { (char *)"touch", path, NULL };

	folder_new(folder);
	snprintf(path, sizeof(path), "%s", folder_path(folder, "started"));
	return command_of(argv);
}

TEST(a_command_waits_until_it_is_run)
{
	struct error error = { 0 };
	struct command *command;
	struct folder folder;
	pid_t pid;

	command = starting_command(&folder);
	pid = command_pid(command);
	CHECK_TEXT(command_argv(command)[0], "touch");
	usleep(50000);
	CHECK_NUMBER(kill(pid, 0), 0);
	CHECK(!command_has_ended(command));
	CHECK(!file_exists(&folder, "started"));
	CHECK_NUMBER(command_run(command, &error), 0);
	CHECK_NUMBER(command_pid(command), pid);
	command_wait_end(command);
	CHECK(file_exists(&folder, "started"));
	command_free(command);
	folder_remove(&folder);
}

TEST(a_command_that_was_never_run_ends_without_having_been)
{
	struct command *command;
	struct folder folder;
	pid_t pid;

	command = starting_command(&folder);
	pid = command_pid(command);
	CHECK(!command_has_ended(command));
	command_free(command);
	CHECK(kill(pid, 0) < 0 && errno == ESRCH);
	CHECK(!file_exists(&folder, "started"));
	folder_remove(&folder);
}

TEST(asking_for_the_end_does_not_wait)
{
	struct error error = { 0 };
	struct command *command;
	struct folder folder;
	char script[256];

	folder_new(&folder);
	snprintf(script, sizeof(script), "while [ ! -e %s/end ]; do sleep 0.01; done; exit 3",
		 folder.path);
	command = command_of(shell(script));
	CHECK_NUMBER(command_run(command, &error), 0);
	CHECK(!command_has_ended(command));
	folder_add_text(&folder, "end", "");
	command_wait_end(command);
	CHECK(command_has_ended(command));
	CHECK_NUMBER(command_status(command), 3);
	command_free(command);
	folder_remove(&folder);
}

TEST(a_command_that_is_forgotten_goes_on)
{
	struct error error = { 0 };
	struct command *command;
	struct folder folder;
	char script[256];
	int status = 0;
	pid_t pid;

	folder_new(&folder);
	snprintf(script, sizeof(script), "sleep 0.05; touch %s/done; exit 4", folder.path);
	command = command_of(shell(script));
	pid = command_pid(command);
	CHECK_NUMBER(command_run(command, &error), 0);
	command_free(command);
	CHECK(file_comes(&folder, "done"));
	CHECK_NUMBER(waitpid(pid, &status, 0), pid);
	CHECK_NUMBER(WEXITSTATUS(status), 4);
	folder_remove(&folder);
}

/* What a command that gets @signals writes to standard output. */
static struct buffer output_of(const char *script, const struct command_signals *signals)
{
	struct command_user us = { 0 };
	struct command *command = NULL;
	struct buffer out = { 0 };
	struct error error = { 0 };
	struct folder folder;
	char whole[512];

	folder_new(&folder);
	snprintf(whole, sizeof(whole), "exec >%s/output; %s", folder.path, script);
	CHECK_NUMBER(command_new(&command, shell(whole), signals, &us, &error), 0);
	CHECK_NUMBER(command_run(command, &error), 0);
	command_wait_end(command);
	CHECK_NUMBER(file_read(folder_path(&folder, "output"), &out), 0);
	command_free(command);
	folder_remove(&folder);
	return out;
}

#define BIT(number) (1ull << ((number)-1))

/*
 * The standard signals only: posix_spawn() of the C library, which make starts the tests by, leaves
 * the two that the library keeps for itself ignored.
 */
static unsigned long long mask_of(const char *status, const char *name)
{
	const char *line = strstr(status, name);

	return line ? strtoull(line + strlen(name), NULL, 16) & (BIT(32) - 1) : 0;
}

TEST(a_command_gets_the_signals_that_it_is_given)
{
	struct command_signals signals = { 0 };
	sigset_t blocked, before;
	struct buffer out;

	sigaddset(&signals.blocked, SIGUSR1);
	sigaddset(&signals.ignored, SIGUSR2);
	sigaddset(&signals.ignored, SIGHUP);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	out = output_of("exec grep -e ^SigBlk -e ^SigIgn /proc/self/status", &signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	CHECK_NUMBER(mask_of(buffer_string(&out), "SigBlk:"), BIT(SIGUSR1));
	CHECK_NUMBER(mask_of(buffer_string(&out), "SigIgn:"), BIT(SIGUSR2) | BIT(SIGHUP));
	buffer_release(&out);
}

/* A shell that the C library starts has what the test was started with, and nothing else. */
static struct buffer files_inherited(void)
{
	FILE *pipe = popen("exec ls /proc/self/fd", "r");
	struct buffer out = { 0 };
	char byte;

	while (pipe && fread(&byte, 1, 1, pipe) == 1)
		buffer_append_char(&out, byte);
	if (pipe)
		pclose(pipe);
	return out;
}

TEST(a_command_gets_no_files_of_ours)
{
	struct buffer want = files_inherited();
	struct command_signals none = { 0 };
	struct buffer out;

	out = output_of("exec ls /proc/self/fd", &none);
	CHECK_TEXT(buffer_string(&out), buffer_string(&want));
	buffer_release(&out);
	buffer_release(&want);
}

TEST(a_command_killed_before_it_was_run_cannot_be_run)
{
	struct command *command = command_of((char *[]){ "true", NULL });
	struct error error = { 0 };

	signal(SIGPIPE, SIG_IGN);
	kill(command_pid(command), SIGKILL);
	CHECK_NUMBER(waitid(P_PID, command_pid(command), NULL, WEXITED | WNOWAIT), 0);
	CHECK_NUMBER(command_run(command, &error), -1);
	CHECK_TEXT(error.text, "cannot run 'true': Broken pipe");
	CHECK_NUMBER(command_status(command), 126);
	command_free(command);
}

/* Some callers leave it ignored; the kernel would then throw the status away. */
TEST(the_status_is_known_where_our_caller_ignores_dead_children)
{
	signal(SIGCHLD, SIG_IGN);
	CHECK_NUMBER(status_of(shell("exit 7")), 7);
	signal(SIGCHLD, SIG_DFL);
}

static void check_user(const char *name, const char *want)
{
	struct command_user user;
	struct error error = { 0 };

	CHECK_NUMBER(command_user_find(&user, name, &error), -1);
	CHECK_TEXT(error.text, want);
	CHECK(!user.name);
}

TEST(users_are_found_by_name_by_number_or_behind_sudo)
{
	static const char *const names[] = { "root", "0", NULL };
	struct error error = { 0 };

	setenv("SUDO_UID", "0", 1);
	for (int i = 0; i < 3; i++) {
		struct command_user user;

		CHECK_NUMBER(command_user_find(&user, names[i], &error), 0);
		CHECK_TEXT(user.name, "root");
		CHECK(user.uid == 0 && user.gid == 0 && user.home[0] == '/');
		command_user_release(&user);
	}
	unsetenv("SUDO_UID");
	check_user("ktrack-nobody", "--user=ktrack-nobody: no such user; see 'getent passwd'");
	check_user("4294967294", "--user=4294967294: no such user; see 'getent passwd'");
	check_user("", "--user=: no such user; see 'getent passwd'");
	check_user(NULL, "--user: not called by sudo; write --user=NAME");
}

/* Its privileges are gone for good, and it finds itself at home. */
TEST(a_command_can_belong_to_another_user)
{
	static const char script[] = "[ $(id -u) = $0 ] && [ $USER = nobody ] && "
				     "[ $LOGNAME = nobody ] && [ -n \"$HOME\" ] && "
				     "[ $HOME != \"$OLD\" ] && exit 7";
	char number[32];
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)script, number, NULL };
	struct command_signals none = { 0 };
	struct command *command = NULL;
	SCOPED(command_user) user;
	struct error error = { 0 };
	bool is_root = geteuid() == 0;

	setenv("OLD", "/ktrack-home", 1);
	setenv("HOME", "/ktrack-home", 1);
	CHECK_NUMBER(command_user_find(&user, "nobody", &error), 0);
	snprintf(number, sizeof(number), "%d", (int)user.uid);
	CHECK_NUMBER(command_new(&command, argv, &none, &user, &error), 0);
	CHECK_NUMBER(command_run(command, &error), is_root ? 0 : -1);
	command_wait_end(command);
	CHECK_NUMBER(command_status(command), is_root ? 7 : 126);
	command_free(command);
}

TEST(no_command_is_fine)
{
	command_free(NULL);
}

TEST(a_waiting_command_writes_to_a_file_as_often_as_it_is_asked)
{
	struct command *command = command_of(shell("exit 3"));
	struct buffer text = { 0 };
	struct error error = { 0 };
	struct folder folder;

	folder_new(&folder);
	folder_add_text(&folder, "marker", "");
	CHECK_NUMBER(command_write_text(command, folder_path(&folder, "none"), &error), -1);
	CHECK(strstr(error.text, "'sh' cannot write to "));
	CHECK(strstr(error.text, "/none: No such file or directory"));
	CHECK_NUMBER(command_write_text(command, folder_path(&folder, "marker"), &error), 0);
	CHECK_NUMBER(file_read(folder_path(&folder, "marker"), &text), 0);
	CHECK_TEXT(buffer_string(&text), WRITER_TEXT);
	CHECK_NUMBER(command_run(command, &error), 0);
	command_wait_end(command);
	CHECK_NUMBER(command_status(command), 3);
	command_free(command);
	buffer_release(&text);
	folder_remove(&folder);
}
