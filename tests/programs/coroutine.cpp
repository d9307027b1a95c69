// SPDX-License-Identifier: GPL-2.0-only
/*
 * Coroutines with guards of one event. "hop": they begin on one thread and end on another one, which
 * has an open guard of the same event, or has emitted nothing. "turns": they take turns on a thread.
 */
#define KTRACK_SYSTEM co
#include <ktrack/user.h>
#include <coroutine>
#include <cstdio>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

KTRACK_SLICE(co_work, KTRACK_FIELD(uint32_t, number));

struct task {
	struct promise_type {
		task get_return_object()
		{
			return { std::coroutine_handle<promise_type>::from_promise(*this) };
		}
		std::suspend_never initial_suspend() { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};

	void resume() { handle.resume(); }

	std::coroutine_handle<> handle;
};

static task run(const char *name, uint32_t number)
{
	ktrack_guard(co_work, name, number);

	co_await std::suspend_always();
	ktrack_instant(co_work, "resumed", number);
}

static void hop(bool is_bare, task suspended)
{
	printf("thread %ld\n", syscall(SYS_gettid));
	if (is_bare) {
		suspended.resume();
		return;
	}
	ktrack_guard(co_work, "hopper", 0);
	suspended.resume();
	ktrack_instant(co_work, "after", 0);
}

static void hops()
{
	ktrack_guard(co_work, "main", 0);

	for (uint32_t number = 1; number <= 100; number++) {
		task suspended = run("coroutine", number);

		std::thread(hop, number % 2, suspended).join();
		ktrack_instant(co_work, "joined", number);
	}
}

/* A and B cross; so do B and C, which begins where A was; C ends on another thread. */
static void turns()
{
	for (uint32_t round = 1; round <= 100; round++) {
		ktrack_guard(co_work, "main", round);
		task a = run("A", round), b = run("B", round);

		a.resume();
		task c = run("C", round);
		{
			ktrack_guard(co_work, "inner", round);
		}
		b.resume();
		std::thread([&c] { c.resume(); }).join();
		ktrack_guard(co_work, "after", round);
	}
}

int main(int argc, char **)
{
	if (argc > 1)
		turns();
	else
		hops();
	return 0;
}
