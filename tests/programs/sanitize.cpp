// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does once what programs do with threads and processes, for sanitizers: PROGRAM LIBRARY. Prints the number of begins, all of which
 * have an end.
 */
#define KTRACK_SYSTEM san
#include <ktrack/user.h>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <vector>

KTRACK_SLICE(san_work, KTRACK_FIELD(uint32_t, number), KTRACK_TEXT(text));
KTRACK_SLICE(san_task, KTRACK_ASYNC(id));
KTRACK_COUNTER(san_depth, double);

enum { NR_THREADS = 4, NR_ROUNDS = 200, NR_LIBRARY = 50 };

static void work(uint32_t number)
{
	ktrack_guard(san_work, "guard " + std::to_string(number), number, std::string("text"));
	ktrack_sample(san_depth, number / 2.0);
}

static void work_together()
{
	std::vector<std::thread> threads;

	for (int i = 0; i < NR_THREADS; i++)
		threads.emplace_back([] {
			for (uint32_t round = 0; round < NR_ROUNDS; round++)
				work(round);
		});
	for (auto &thread : threads)
		thread.join();
}

struct task {
	struct promise_type {
		task get_return_object() { return {}; }
		std::suspend_never initial_suspend() { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { abort(); }
	};
};

/* The slice ends where the frame does, whichever thread that is. */
struct task_slice {
	uint64_t id;

	explicit task_slice(uint64_t number) : id(number) { ktrack_begin(san_task, "task", id); }
	task_slice(const task_slice &) = delete;
	~task_slice() { ktrack_end(san_task, id); }
};

static std::vector<std::coroutine_handle<>> resumable;

struct suspend {
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> handle) { resumable.push_back(handle); }
	void await_resume() {}
};

static task run_task(uint64_t id)
{
	task_slice slice(id);

	work(1);
	co_await suspend();
	work(2);
	co_await suspend();
}

/* Each part of a task is on a thread of its own. */
static int run_tasks()
{
	for (uint64_t id = 1; id <= NR_THREADS; id++)
		run_task(id);
	while (!resumable.empty()) {
		std::coroutine_handle<> handle = resumable.back();

		resumable.pop_back();
		std::thread([handle] { handle.resume(); }).join();
	}
	return 3 * NR_THREADS;
}

/* A thread of the library's rings ends after it is closed. */
static int use_library(const char *path)
{
	for (int i = 0; i < 2; i++) {
		std::thread([path] {
			void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
			auto emit = library ? (void (*)(unsigned int))dlsym(library, "library_emit") : nullptr;

			if (!emit)
				abort();
			emit(NR_LIBRARY);
			dlclose(library);
		}).join();
	}
	return 2 * NR_LIBRARY;
}

static void child_await(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		abort();
}

static int run_children(char *program, char *library)
{
	char last[] = "last", *words[] = { program, library, last, nullptr };
	pid_t pid = fork();

	if (pid == 0) {
		work(3);
		_exit(0);
	}
	child_await(pid);
	pid = fork();
	if (pid == 0) {
		work(4);
		execv(program, words);
		abort();
	}
	child_await(pid);
	return 3;
}

/* The daemon's end closes the pipe. */
static int run_daemon()
{
	int fds[2];
	char byte;
	pid_t pid;

	if (pipe(fds) < 0)
		abort();
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		if (daemon(1, 1) < 0)
			abort();
		work(5);
		_exit(0);
	}
	close(fds[1]);
	child_await(pid);
	if (read(fds[0], &byte, 1) != 0)
		abort();
	close(fds[0]);
	return 1;
}

int main(int argc, char **argv)
{
	int begins = NR_THREADS * NR_ROUNDS;

	if (argc == 3) {
		work(6);
		return 0;
	}
	if (argc != 2)
		return 2;
	begins += run_children(argv[0], argv[1]);
	work_together();
	begins += run_tasks();
	begins += use_library(argv[1]);
	begins += run_children(argv[0], argv[1]);
	begins += run_daemon();
	printf("begins %d\n", begins);
	return 0;
}
