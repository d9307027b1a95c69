// SPDX-License-Identifier: GPL-2.0-only
/* Starts and awaits the traced command; privileges of ktrack and of its user. */
#include "capture/run.h"

#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/capture.h"
#include "tracefs/tracefs.h"

/* Capabilities in a set. */
#define NR_CAPABILITIES 64

/* libcap-ng reads four files of procfs for this; later calls use what it found. */
static bool capabilities_read(void)
{
	static bool are_read;

	are_read = are_read || capng_get_caps_process() == 0;
	return are_read;
}

int privilege_drop(uint64_t kept, struct error *error)
{
	if (!capabilities_read())
		return error_set_system(error, errno, "cannot read this process' capabilities");
	/* Those of @kept that this process has. */
	for (unsigned int i = 0; i < NR_CAPABILITIES; i++) {
		if (kept & PRIVILEGE(i) && !capng_have_capability(CAPNG_PERMITTED, i))
			kept &= ~PRIVILEGE(i);
	}
	capng_clear(CAPNG_SELECT_CAPS);
	for (unsigned int i = 0; i < NR_CAPABILITIES; i++) {
		if (kept & PRIVILEGE(i))
			capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, i);
	}
	if (capng_apply(CAPNG_SELECT_CAPS) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return error_set_system(error, errno, "cannot drop capabilities");
	return 0;
}

/* Checks the access without effective capabilities, which stay permitted. */
static bool folder_is_open(const char *directory)
{
	bool is_open = false;
	void *saved;

	if (!capabilities_read())
		return false;
	saved = capng_save_state();
	if (!saved)
		return false;
	for (unsigned int i = 0; i < NR_CAPABILITIES; i++)
		capng_update(CAPNG_DROP, CAPNG_EFFECTIVE, i);
	if (capng_apply(CAPNG_SELECT_CAPS) == 0)
		is_open = faccessat(AT_FDCWD, directory, R_OK | W_OK | X_OK, AT_EACCESS) == 0;
	capng_restore_state(&saved);
	return capng_apply(CAPNG_SELECT_CAPS) == 0 && is_open;
}

uint64_t privilege_for_files(const char *directory)
{
	return folder_is_open(directory) ? 0 : PRIVILEGE(CAP_DAC_OVERRIDE);
}

/* If this fails, opening the files fails too, with a message. */
void privilege_raise_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Starts the traced command in a process that waits until recording is on, as another user if
 * asked. */

/* The kernel reads this many bytes of a script's first line. */
#define INTERPRETER_MAX 255

/* Larger files of programs are not read. */
#define PROGRAM_SIZE_MAX ((size_t)256 << 20)

/** struct command - the traced command */
struct command {
	char *const *argv;
	pid_t pid;
	/* An empty text here continues the process, another one is a path for WRITER_TEXT; closing
	 * it ends the process. */
	int go_fd;
	/* Receives the errno of a failed exec; a successful one closes it. Also the errno of each
	 * write of WRITER_TEXT, or 0. */
	int failure_fd;
	bool adopts; /* this process is the parent of descendants whose parent has ended */
	bool was_run;
	bool has_ended;
	int status;
};

void command_signals_apply(const struct command_signals *signals)
{
	for (int number = 1; number <= SIGRTMAX; number++)
		signal(number, sigismember(&signals->ignored, number) == 1 ? SIG_IGN : SIG_DFL);
	sigprocmask(SIG_SETMASK, &signals->blocked, NULL);
}

static int status_of_errno(int number)
{
	return number == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}

/** struct start - parameters of the process */
struct start {
	char *const *argv;
	const struct command_signals *signals;
	const struct command_user *user;
};

/* Until it may continue, the process writes to the files that it is asked for. */
static ssize_t child_await(int go_fd, int failure_fd)
{
	struct error error;
	char path[PIPE_BUF];
	ssize_t size;
	int number;

	while ((size = TEMP_FAILURE_RETRY(read(go_fd, path, sizeof(path)))) > 1) {
		errno = 0;
		number = instance_write_text(NULL, path, &error) < 0 ? errno : 0;
		if (write(failure_fd, &number, sizeof(number)) < 0)
			return 0;
	}
	return size;
}

static void child_main(const struct start *start, int go_fd, int failure_fd)
{
	const struct command_user *user = start->user;
	int number;
	ssize_t size = child_await(go_fd, failure_fd);

	/* The end: ktrack does not run the command. */
	if (size == 0)
		_exit(STATUS_CANNOT_RUN);
	command_signals_apply(start->signals);
	/* Becomes the user for good, with groups and home. */
	if (size > 0 &&
	    (!user->name ||
	     (initgroups(user->name, user->gid) == 0 && setgid(user->gid) == 0 &&
	      setuid(user->uid) == 0 && setenv("USER", user->name, 1) == 0 &&
	      setenv("LOGNAME", user->name, 1) == 0 && setenv("HOME", user->home, 1) == 0)))
		execvp(start->argv[0], start->argv);
	number = errno;
	if (write(failure_fd, &number, sizeof(number)) < 0)
		_exit(STATUS_CANNOT_RUN);
	_exit(status_of_errno(number));
}

static int command_fork(struct command *command, const struct start *start, struct error *error)
{
	int go[2], failure[2], adopts = 0;
	char own[THREAD_COMM_SIZE];

	if (pipe2(go, O_CLOEXEC) < 0)
		return error_set_system(error, errno, "cannot make a pipe");
	if (pipe2(failure, O_CLOEXEC) < 0) {
		close(go[0]);
		close(go[1]);
		return error_set_system(error, errno, "cannot make a pipe");
	}
	prctl(PR_GET_CHILD_SUBREAPER, &adopts, 0, 0, 0);
	command->adopts = adopts;
	/* The child has the command's name from the start: names of threads are saved while it
	 * waits. */
	prctl(PR_GET_NAME, own);
	prctl(PR_SET_NAME, path_base_name(start->argv[0]));
	command->pid = fork();
	if (command->pid != 0)
		prctl(PR_SET_NAME, own);
	if (command->pid == 0) {
		close(go[1]);
		close(failure[0]);
		child_main(start, go[0], failure[1]);
	}
	close(go[0]);
	close(failure[1]);
	command->go_fd = go[1];
	command->failure_fd = failure[0];
	return command->pid < 0 ? error_set_system(error, errno, "cannot start a process") : 0;
}

/* Whether the interpreter of a script can be executed; true if the file is no script. */
static bool has_interpreter(const char *path)
{
	char line[INTERPRETER_MAX + 1] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *name = line + 2;

	if (fd >= 0) {
		if (read(fd, line, INTERPRETER_MAX) < 0)
			line[0] = '\0';
		close(fd);
	}
	if (strncmp(line, "#!", 2) != 0)
		return true;
	name += strspn(name, " \t");
	name[strcspn(name, " \t\r\n")] = '\0';
	return access(name, X_OK) == 0;
}

/* Whether a file can be executed; sets errno if not. */
static bool is_program(const char *path)
{
	struct stat about;

	if (stat(path, &about) < 0 || access(path, X_OK) < 0)
		return false;
	errno = EACCES;
	return S_ISREG(about.st_mode) && has_interpreter(path);
}

/*
 * Searches PATH as execvp() does; @found receives the path. Returns EACCES if it only finds files
 * that cannot be executed.
 */
static int program_find(const char *name, struct buffer *found)
{
	const char *path = getenv("PATH");
	int number = ENOENT;
	char *list, *rest, *folder;

	if (!*name || strchr(name, '/')) {
		buffer_append_string(found, name);
		return is_program(name) ? 0 : errno;
	}
	list = strdup(path ? path : "/bin:/usr/bin");
	rest = list;
	while (number && (folder = strsep(&rest, ":"))) {
		struct buffer file = { 0 };

		buffer_printf(&file, "%s/%s", *folder ? folder : ".", name);
		if (is_program(buffer_string(&file))) {
			buffer_append_string(found, buffer_string(&file));
			number = 0;
		} else if (errno == EACCES) {
			number = EACCES;
		}
		buffer_release(&file);
	}
	free(list);
	return number;
}

int command_check(char *const *argv, int *status, struct error *error)
{
	SCOPED_BUFFER(found);
	int number = program_find(argv[0], &found);

	if (number == 0)
		return 0;
	*status = status_of_errno(number);
	/* The file that is to be written may have been given as the command. */
	if (strlen(argv[0]) > 4 && strcmp(argv[0] + strlen(argv[0]) - 4, ".dat") == 0)
		return error_set(error, "cannot run '%s': %s; -o names the recording", argv[0],
				 strerror(number));
	return error_set_system(error, number, "cannot run '%s'", argv[0]);
}

int command_read(char *const *argv, struct buffer *out)
{
	SCOPED_BUFFER(found);

	if (program_find(argv[0], &found))
		return -1;
	return file_read_up_to(buffer_string(&found), PROGRAM_SIZE_MAX, out);
}

int command_new(struct command **out, char *const *argv, const struct command_signals *signals,
		const struct command_user *user, struct error *error)
{
	struct start start = { .argv = argv, .signals = signals, .user = user };
	struct command *command = calloc(1, sizeof(*command));

	*out = command;
	if (!command)
		return error_set(error, "out of memory");
	*command = (struct command){ .argv = argv, .pid = -1, .go_fd = -1, .failure_fd = -1 };
	/* If the caller ignored it, the kernel would discard the exit status. */
	signal(SIGCHLD, SIG_DFL);
	if (command_fork(command, &start, error) == 0)
		return 0;
	command_free(command);
	*out = NULL;
	return -1;
}

char *const *command_argv(const struct command *command)
{
	return command->argv;
}

pid_t command_pid(const struct command *command)
{
	return command->pid;
}

static void command_end(struct command *command, int wait_status)
{
	command->has_ended = true;
	command->status = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status)
						   : WEXITSTATUS(wait_status);
}

static void command_reap(struct command *command)
{
	int wait_status = 0;

	if (command->pid <= 0 || command->has_ended)
		return;
	while (waitpid(command->pid, &wait_status, 0) < 0 && errno == EINTR)
		;
	command_end(command, wait_status);
}

int command_write_text(void *context, const char *path, struct error *error)
{
	struct command *command = context;
	size_t size = strlen(path) + 1;
	int number = 0;

	if (TEMP_FAILURE_RETRY(write(command->go_fd, path, size)) != (ssize_t)size ||
	    TEMP_FAILURE_RETRY(read(command->failure_fd, &number, sizeof(number))) !=
		    sizeof(number))
		number = EPIPE;
	return number == 0 ? 0
			   : error_set_system(error, number, "'%s' cannot write to %s",
					      command->argv[0], path);
}

int command_run(struct command *command, struct error *error)
{
	int number = 0;

	if (TEMP_FAILURE_RETRY(write(command->go_fd, "", 1)) != 1) {
		error_set_system(error, errno, "cannot run '%s'", command->argv[0]);
		/* The waiting process reads the end, and exits. */
		close(command->go_fd);
		command->go_fd = -1;
		command_reap(command);
		command->status = STATUS_CANNOT_RUN;
		return -1;
	}
	command->was_run = true;
	/* Blocks until exec closes the other end or fails. */
	if (TEMP_FAILURE_RETRY(read(command->failure_fd, &number, sizeof(number))) !=
	    sizeof(number))
		return 0;
	command_reap(command);
	return error_set_system(error, number, "cannot run '%s'", command->argv[0]);
}

bool command_has_ended(struct command *command)
{
	int wait_status;

	if (command->adopts) {
		/* This process adopts descendants of the command whose parent has ended. */
		siginfo_t ended = { 0 };

		while (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
		       ended.si_pid > 0 && ended.si_pid != command->pid) {
			waitpid(ended.si_pid, NULL, WNOHANG);
			ended.si_pid = 0;
		}
	}

	if (!command->has_ended && waitpid(command->pid, &wait_status, WNOHANG) == command->pid)
		command_end(command, wait_status);
	return command->has_ended;
}

int command_status(const struct command *command)
{
	return command->status;
}

void command_free(struct command *command)
{
	if (!command)
		return;
	if (command->go_fd >= 0)
		close(command->go_fd);
	if (command->failure_fd >= 0)
		close(command->failure_fd);
	if (!command->was_run)
		command_reap(command);
	free(command);
}

int command_user_find(struct command_user *out, const char *name, struct error *error)
{
	const struct passwd *entry;

	*out = (struct command_user){ 0 };
	if (!name)
		name = getenv("SUDO_UID");
	if (!name)
		return error_set(error, "--user: not called by sudo; write --user=NAME");
	entry = !*name				   ? NULL
		: name[strspn(name, "0123456789")] ? getpwnam(name)
						   : getpwuid(strtoul(name, NULL, 10));
	if (!entry)
		return error_set(error, "--user=%s: no such user; see 'getent passwd'", name);
	out->uid = entry->pw_uid;
	out->gid = entry->pw_gid;
	out->name = strdup(entry->pw_name);
	out->home = strdup(entry->pw_dir);
	if (out->name && out->home)
		return 0;
	command_user_release(out);
	return error_set(error, "out of memory");
}

void command_user_release(struct command_user *user)
{
	free(user->name);
	free(user->home);
	*user = (struct command_user){ 0 };
}
