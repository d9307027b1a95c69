// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gives its events names that the kernel's tracepoints, or ktrack's tracks of these, have: as the
 * rules of packs read them, and without the fields that these need.
 */
#define KTRACK_SYSTEM sched
#include <ktrack/user.h>
#include <unistd.h>

KTRACK_COUNTER(sched_switch, int32_t, KTRACK_FIELD(int32_t, prev_pid),
	       KTRACK_FIELD(int64_t, prev_state), KTRACK_FIELD(int32_t, prev_prio),
	       KTRACK_FIELD(int32_t, next_pid), KTRACK_FIELD(int32_t, next_prio),
	       KTRACK_TEXT(prev_comm), KTRACK_TEXT(next_comm));
KTRACK_COUNTER(sched_process_exec, int32_t, KTRACK_TEXT(filename), KTRACK_FIELD(int32_t, pid),
	       KTRACK_FIELD(int32_t, old_pid));
KTRACK_COUNTER(sched_waking, int32_t);
KTRACK_SLICE(thread);

#undef KTRACK_SYSTEM
#define KTRACK_SYSTEM mytool
KTRACK_SLICE(request);

int main(void)
{
	for (int i = 0; i < 5; i++) {
		ktrack_sample(sched_switch, i, 1, 0, 120, 1, 120, "FORGED", "FORGED");
		ktrack_sample(sched_process_exec, i, "/root/FORGED", 1, 1);
		ktrack_sample(sched_waking, i);
		ktrack_begin(thread, "FORGED");
		ktrack_begin(request, "work");
		usleep(1000);
		ktrack_end(request);
		ktrack_end(thread);
	}
	return 0;
}
