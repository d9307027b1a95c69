// SPDX-License-Identifier: GPL-2.0-only
/*
 * Coroutines whose guards begin on one thread and end on another one, which has an open guard of the
 * same event, or has emitted nothing.
 */
#define KTRACK_SYSTEM co
#include <ktrack/user.h>
#include <coroutine>
#include <cstdio>
#include <thread>

KTRACK_SLICE(co_work, KTRACK_FIELD(uint32_t, number));

struct task {
	struct promise_type {
		task get_return_object() { return {}; }
		std::suspend_never initial_suspend() { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
};

static std::coroutine_handle<> suspended;

struct suspend {
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> handle) { suspended = handle; }
	void await_resume() {}
};

static task run(uint32_t number)
{
	ktrack_guard(co_work, "coroutine", number);

	co_await suspend();
	ktrack_instant(co_work, "resumed", number);
}

int main()
{
	ktrack_guard(co_work, "main", 0);

	for (uint32_t number = 1; number <= 100; number++) {
		bool is_bare = number % 2;

		run(number);
		std::thread([is_bare] {
			if (is_bare) {
				suspended.resume();
				return;
			}
			ktrack_guard(co_work, "hopper", 0);
			suspended.resume();
			ktrack_instant(co_work, "after", 0);
		}).join();
		ktrack_instant(co_work, "joined", number);
	}
	return 0;
}
