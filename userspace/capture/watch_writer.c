// SPDX-License-Identifier: GPL-2.0-only
/* The child that writes one recording. */
#include "capture/watch_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/capture.h"

static_assert(sizeof(struct watch_result) <= PIPE_BUF, "a result is written at once");

/* An error without its remedy, which is for other commands. */
static void problem_set(struct watch_result *result, const struct error *error)
{
	snprintf(result->problem, sizeof(result->problem), "%.*s", (int)strcspn(error->text, ";"),
		 error->text);
	if (!result->problem[0])
		snprintf(result->problem, sizeof(result->problem), "unknown error");
}

static int recording_write(const struct watch_job *job, const char *name,
			   struct watch_result *result, struct error *error)
{
	struct watch_window *window = job->window;

	result->saved = (struct recent_saved){ .from_ns = window->from_ns,
					       .to_ns = window->until_ns };
	if (spool_save_recent(job->spool, name, buffer_text(&window->lines), &result->saved,
			      error) < 0)
		return -1;
	watch_folder_date(job->folder, name);
	watch_folder_share(job->folder, name);
	return 0;
}

static void recording_result(const struct watch_job *job, struct watch_result *result)
{
	struct watch_window *window = job->window;
	struct error error = { 0 };
	struct buffer name = { 0 };
	int status = -1;

	if (fchdir(job->folder->fd) < 0)
		error_set_system(&error, errno, "cannot enter the directory");
	else if (!watch_folder_name(job->folder, window->wall_ns, buffer_string(&window->trigger),
				    &name))
		error_set_system(&error, errno, "no name is left");
	else
		status = recording_write(job, buffer_string(&name), result, &error);
	if (status == 0)
		snprintf(result->name, sizeof(result->name), "%s", buffer_string(&name));
	else
		problem_set(result, &error);
	watch_folder_trim(job->folder, job->limits, status == 0 ? buffer_string(&name) : NULL);
	buffer_release(&name);
}

/* Without a shell. The hook has the rights of this process. */
static void hook_execute(const struct watch_job *job, const struct watch_result *result)
{
	struct buffer path = { 0 };
	int null_fd = open("/dev/null", O_RDONLY);

	buffer_printf(&path, "%s/%s", job->folder->path, result->name);
	setenv("KTRACK_RECORDING", buffer_string(&path), 1);
	setenv("KTRACK_TRIGGER", buffer_string(&job->window->trigger), 1);
	if (null_fd >= 0)
		dup2(null_fd, STDIN_FILENO);
	command_signals_apply(job->signals);
	execlp(job->hook, job->hook, buffer_string(&path), (char *)NULL);
}

/* Behind the standard streams. */
#define FIRST_FD 3

/* The instance can be removed only while nobody has its files open. */
static void files_close_but(int fd)
{
	if (fd > FIRST_FD)
		close_range(FIRST_FD, fd - 1, 0);
	close_range(fd + 1, ~0U, 0);
}

/* The descriptor for the result is closed when the hook is executed. */
static void writer_main(const struct watch_job *job, int fd)
{
	struct watch_result result = { 0 };

	recording_result(job, &result);
	spool_close(job->spool);
	files_close_but(fd);
	if (write(fd, &result, sizeof(result)) != sizeof(result))
		_exit(EXIT_FAILURE);
	close(fd);
	if (!job->hook || result.problem[0])
		_exit(EXIT_SUCCESS);
	hook_execute(job, &result);
	_exit(errno == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN);
}

bool watch_writer_is_busy(const struct watch_writer *writer)
{
	return writer->fd >= 0;
}

bool watch_writer_has_hook(const struct watch_writer *writer)
{
	for (size_t i = 0; i < WATCH_HOOKS_MAX; i++) {
		if (writer->hooks[i] == 0)
			return true;
	}
	return false;
}

int watch_writer_start(struct watch_writer *writer, const struct watch_job *job,
		       struct error *error)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return error_set_system(error, errno, "cannot create a pipe");
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		writer_main(job, fds[1]);
	}
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return error_set_system(error, errno, "cannot start a process");
	}
	writer->fd = fds[0];
	writer->pid = pid;
	return 0;
}

/* What a child without a result leaves is removed when a recording of that name is written. */
static void writer_keep_hook(struct watch_writer *writer)
{
	for (size_t i = 0; i < WATCH_HOOKS_MAX; i++) {
		if (writer->hooks[i] == 0) {
			writer->hooks[i] = writer->pid;
			break;
		}
	}
	writer->pid = 0;
}

void watch_writer_reap(struct watch_writer *writer)
{
	int status = 0;

	for (size_t i = 0; i < WATCH_HOOKS_MAX; i++) {
		pid_t pid = writer->hooks[i] > 0 ? waitpid(writer->hooks[i], &status, WNOHANG) : 0;

		if (pid == 0)
			continue;
		writer->hooks[i] = 0;
		if (pid > 0 && status != 0 && writer->failed)
			writer->failed(writer->context, status);
	}
}

bool watch_writer_take(struct watch_writer *writer, struct watch_result *result)
{
	ssize_t size;

	watch_writer_reap(writer);
	if (writer->fd < 0)
		return false;
	size = TEMP_FAILURE_RETRY(read(writer->fd, result, sizeof(*result)));
	if (size < 0 && errno == EAGAIN)
		return false;
	if (size != sizeof(*result)) {
		*result = (struct watch_result){ 0 };
		snprintf(result->problem, sizeof(result->problem), "its process was killed");
		waitpid(writer->pid, NULL, 0);
		writer->pid = 0;
	}
	close(writer->fd);
	writer->fd = -1;
	if (writer->pid > 0)
		writer_keep_hook(writer);
	watch_writer_reap(writer);
	return true;
}

void watch_writer_kill(struct watch_writer *writer)
{
	if (writer->fd < 0)
		return;
	kill(writer->pid, SIGKILL);
	waitpid(writer->pid, NULL, 0);
	close(writer->fd);
	writer->fd = -1;
}
