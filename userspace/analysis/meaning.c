// SPDX-License-Identifier: GPL-2.0-only
/* What a thread waits for, by the functions of its kernel stack. */
#include "analysis/internal.h"

/*
 * Functions of the kernel in which threads sleep, and what they wait for: what is special first,
 * because a stack has general ones, too. Names that end in "*" are begins of names.
 */
static const struct {
	const char *function;
	const char *wait;
} waits[] = {
	{ "mem_cgroup_handle_over_high", "memory.high of its cgroup (throttled)" },
	{ "__mem_cgroup_handle_over_high", "memory.high of its cgroup (throttled)" },
	{ "mem_cgroup_oom_synchronize", "memory.max of its cgroup (out of memory)" },
	{ "reclaim_throttle", "reclaim of memory (throttled)" },
	{ "throttle_direct_reclaim", "reclaim of memory (throttled)" },
	{ "blkcg_maybe_throttle_current", "the I/O limit of its cgroup (throttled)" },
	{ "__blkcg_maybe_throttle_current", "the I/O limit of its cgroup (throttled)" },
	{ "balance_dirty_pages", "fewer dirty pages (throttled)" },
	{ "wbt_wait", "fewer writes in flight (throttled)" },
	{ "rq_qos_wait", "fewer requests in flight (throttled)" },
	{ "blk_mq_get_tag", "a free tag of the block device" },
	{ "handle_userfault", "a page fault that userfaultfd serves" },
	{ "do_swap_page", "swap-in of a page" },
	{ "swap_readahead", "swap-in of a page" },
	{ "filemap_fault", "a page of a file (major fault)" },
	{ "do_coredump", "a core dump" },
	{ "vfs_coredump", "a core dump" },
	{ "__refrigerator", "the end of suspend (frozen)" },
	{ "do_freezer_trap", "its cgroup to be thawed (frozen)" },
	{ "ptrace_stop", "its tracer" },
	{ "do_signal_stop", "SIGCONT" },
	{ "coredump_task_exit", "a core dump" },
	{ "jbd2_log_wait_commit", "a commit of the journal" },
	{ "wait_transaction_locked", "a commit of the journal" },
	{ "add_transaction_credits", "room in the journal" },
	{ "start_this_handle", "room in the journal" },
	{ "jbd2_journal_commit_transaction", "writes of the journal" },
	{ "request_wait_answer", "the answer of a FUSE server" },
	{ "rpc_wait_bit_killable", "the answer of an NFS server" },
	{ "fcntl_setlk*", "a file lock (fcntl)" },
	{ "flock_lock_inode_wait", "a file lock (flock)" },
	{ "locks_lock_inode_wait", "a file lock" },
	{ "synchronize_srcu*", "an SRCU grace period" },
	{ "synchronize_rcu*", "an RCU grace period" },
	{ "__wait_rcu_gp", "an RCU grace period" },
	{ "rcu_barrier", "RCU callbacks" },
	{ "stop_machine*", "all CPUs to stop" },
	{ "stop_one_cpu", "the stopper of a CPU" },
	{ "folio_wait_writeback", "writeback of a page" },
	{ "wait_on_page_writeback", "writeback of a page" },
	{ "folio_wait_bit*", "a page (its lock or its I/O)" },
	{ "__folio_lock*", "a page (its lock or its I/O)" },
	{ "wait_on_page_bit*", "a page (its lock or its I/O)" },
	{ "__lock_page*", "a page (its lock or its I/O)" },
	{ "__wait_on_buffer", "a block of a file system" },
	{ "submit_bio_wait", "I/O that it issued" },
	{ "pipe_write", "room in a pipe" },
	{ "anon_pipe_write", "room in a pipe" },
	{ "pipe_read", "data in a pipe" },
	{ "anon_pipe_read", "data in a pipe" },
	{ "sk_stream_wait_memory", "room in a socket's send buffer" },
	{ "sock_alloc_send_pskb", "room in a socket's send buffer" },
	{ "unix_stream_read_generic", "data in a local socket" },
	{ "inet_csk_accept", "a connection" },
	{ "sk_wait_data", "data of its peer" },
	{ "__skb_wait_for_more_packets", "data of its peer" },
	{ "futex_lock_pi", "a PI futex" },
	{ "futex_wait*", "a futex" },
	{ "__rt_mutex_slowlock*", "an rt_mutex" },
	{ "rwsem_down_read_slowpath", "a rw_semaphore (read)" },
	{ "rwsem_down_write_slowpath", "a rw_semaphore (write)" },
	{ "percpu_down_write", "a per-CPU rw_semaphore (write)" },
	{ "__percpu_down_read", "a per-CPU rw_semaphore (read)" },
	{ "__mutex_lock*", "a mutex" },
	{ "__down*", "a semaphore" },
	{ "__flush_work", "a work item" },
	{ "__flush_workqueue", "all work items of a queue" },
	{ "do_wait", "a child process" },
	{ "ep_poll", "an event (epoll)" },
	{ "do_sys_poll", "an event (poll)" },
	{ "do_select", "an event (select)" },
	{ "io_cqring_wait", "a completion of io_uring" },
	{ "do_nanosleep", "a time (it sleeps)" },
	{ "msleep*", "a time (it sleeps)" },
	{ "usleep_range*", "a time (it sleeps)" },
	{ "wait_for_completion*", "a completion" },
	/* do_freezer_trap() may be inlined; threads that exit or close files are in it, too. */
	{ "get_signal", "its cgroup to be thawed (frozen)" },
};

static bool frames_have(struct text frames, struct text function)
{
	bool is_begin = function.data[function.size - 1] == '*';

	function.size -= is_begin;
	while (frames.size > 0) {
		const char *end = memchr(frames.data, ';', frames.size);
		struct text frame = { frames.data,
				      end ? (size_t)(end - frames.data) : frames.size };
		size_t taken = frame.size + (end != NULL);

		if (is_begin ? text_begins(frame, function) : text_equals(frame, function))
			return true;
		frames = (struct text){ frames.data + taken, frames.size - taken };
	}
	return false;
}

const char *stack_find_wait(struct text frames)
{
	bool is_ending = frames_have(frames, text_of("do_exit")) ||
			 frames_have(frames, text_of("task_work_run"));

	for (size_t i = 0; frames.size > 0 && i < sizeof(waits) / sizeof(waits[0]); i++) {
		if (frames_have(frames, text_of(waits[i].function)) &&
		    !(is_ending && strcmp(waits[i].function, "get_signal") == 0))
			return waits[i].wait;
	}
	return NULL;
}
