// SPDX-License-Identifier: GPL-2.0-only
/* What a thread waits for, by the functions of its kernel stack, or by its system call. */
#include "analysis/internal.h"

/** enum lock_kind - kinds of locks that functions take for a known purpose */
enum lock_kind {
	LOCK_NONE,
	LOCK_MUTEX,
	LOCK_RWSEM,
};

/*
 * Functions of the kernel in which threads sleep, and what they wait for: what is special first,
 * because a stack has general ones, too. Names that end in "*" are begins of names.
 */
static const struct {
	const char *function;
	const char *wait;
	enum lock_kind lock;
} waits[] = {
	/* Whatever needs the lock: these are the innermost functions. */
	{ "__mutex_lock*", "a mutex", LOCK_MUTEX },
	{ "rwsem_down_read_slowpath", "a rw_semaphore (read)", LOCK_RWSEM },
	{ "rwsem_down_write_slowpath", "a rw_semaphore (write)", LOCK_RWSEM },
	{ "__down", "a semaphore" },
	{ "__down_common", "a semaphore" },
	{ "__down_interruptible", "a semaphore" },
	{ "__down_killable", "a semaphore" },
	{ "__down_timeout", "a semaphore" },
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
	/* Before it commits, so that others join. */
	{ "jbd2_journal_stop", "more changes for the same commit of the journal" },
	{ "request_wait_answer", "the answer of a FUSE server" },
	{ "seccomp_do_user_notification*", "the answer of a seccomp supervisor" },
	{ "fanotify_handle_event", "the answer of a fanotify listener" },
	{ "call_usermodehelper_exec", "a helper program of the kernel" },
	{ "__kthread_create_on_node", "a new kernel thread" },
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
	{ "inode_dio_wait", "direct I/O" },
	{ "__iomap_dio_rw", "direct I/O" },
	{ "wb_wait_for_completion", "write back" },
	{ "pipe_write", "room in a pipe" },
	{ "anon_pipe_write", "room in a pipe" },
	{ "pipe_read", "data in a pipe" },
	{ "anon_pipe_read", "data in a pipe" },
	{ "sk_stream_wait_memory", "room in a socket's send buffer" },
	{ "sock_alloc_send_pskb", "room in a socket's send buffer" },
	{ "unix_wait_for_peer", "room in a local socket's queue" },
	{ "netlink_attachskb", "room in a netlink socket" },
	{ "do_msgsnd", "room in a message queue" },
	{ "n_tty_write", "room in a terminal" },
	{ "do_msgrcv", "a message in a queue" },
	{ "do_mq_timedsend", "room in a message queue" },
	{ "do_mq_timedreceive", "a message in a queue" },
	{ "n_tty_read", "input of a terminal" },
	{ "unix_stream_read_generic", "data in a local socket" },
	{ "inet_csk_accept", "a connection" },
	{ "sk_wait_data", "data of its peer" },
	{ "sk_stream_wait_close", "its peer to take all data (SO_LINGER)" },
	{ "__skb_wait_for_more_packets", "data of its peer" },
	{ "__inet_stream_connect", "the answer of a server (connect)" },
	{ "do_semtimedop", "a semaphore (System V)" },
	{ "wait_for_partner", "the other end of a FIFO" },
	{ "fifo_open", "the other end of a FIFO" },
	{ "__break_lease", "the holder of a file's lease" },
	{ "do_sigtimedwait", "a signal" },
	{ "futex_lock_pi", "a PI futex" },
	{ "futex_wait*", "a futex" },
	{ "__rt_mutex_slowlock*", "an rt_mutex" },
	{ "percpu_down_write", "a per-CPU rw_semaphore (write)" },
	{ "__percpu_down_read", "a per-CPU rw_semaphore (read)" },
	{ "__flush_work", "a work item" },
	{ "__flush_workqueue", "all work items of a queue" },
	{ "zap_pid_ns_processes", "the processes of its PID namespace to end" },
	{ "do_wait", "a child process" },
	{ "ep_poll", "an event (epoll)" },
	{ "do_sys_poll", "an event (poll)" },
	{ "do_select", "an event (select)" },
	{ "io_cqring_wait", "a completion of io_uring" },
	{ "read_events", "a completion of asynchronous I/O" },
	{ "eventfd_read", "an event (eventfd)" },
	{ "eventfd_write", "room in an eventfd" },
	{ "signalfd_dequeue", "a signal (signalfd)" },
	{ "fanotify_read", "an event (fanotify)" },
	{ "io_wq_worker", "work of io_uring" },
	{ "timerfd_read", "its timer (timerfd)" },
	{ "inotify_read", "an event (inotify)" },
	{ "do_nanosleep", "a time (it sleeps)" },
	{ "msleep*", "a time (it sleeps)" },
	{ "usleep_range*", "a time (it sleeps)" },
	{ "kernel_clone", "the exec or exit of a child (vfork)" },
	{ "begin_new_exec", "its other threads to end (exec)" },
	{ "de_thread", "its other threads to end (exec)" },
	{ "wait_for_completion*", "a completion" },
	/* do_freezer_trap() may be inlined; threads that exit or close files are in it, too. */
	{ "get_signal", "its cgroup to be thawed (frozen)" },
};

/* Whose lock it is, by the function that takes it, which takes no other one of the kind itself. */
static const struct {
	const char *function;
	const char *wait;
	enum lock_kind lock;
} holders[] = {
	{ "pipe_write", "the lock of a pipe", LOCK_MUTEX },
	{ "anon_pipe_write", "the lock of a pipe", LOCK_MUTEX },
	{ "pipe_read", "the lock of a pipe", LOCK_MUTEX },
	{ "anon_pipe_read", "the lock of a pipe", LOCK_MUTEX },
	{ "lock_mm_and_find_vma", "the mmap lock of its process", LOCK_RWSEM },
	{ "do_user_addr_fault", "the mmap lock of its process", LOCK_RWSEM },
	{ "vm_mmap_pgoff", "the mmap lock of its process", LOCK_RWSEM },
	{ "__vm_munmap", "the mmap lock of its process", LOCK_RWSEM },
	{ "do_mprotect_pkey", "the mmap lock of its process", LOCK_RWSEM },
	{ "do_madvise", "the mmap lock of its process", LOCK_RWSEM },
	{ "__do_sys_brk", "the mmap lock of its process", LOCK_RWSEM },
	{ "__access_remote_vm", "the mmap lock of a process", LOCK_RWSEM },
	{ "access_remote_vm", "the mmap lock of a process", LOCK_RWSEM },
	{ "__do_sys_mremap", "the mmap lock of its process", LOCK_RWSEM },
	{ "__mm_populate", "the mmap lock of its process", LOCK_RWSEM },
	{ "lock_rename", "the lock of a directory", LOCK_RWSEM },
	{ "lock_rename", "the lock of renames between directories", LOCK_MUTEX },
	{ "do_renameat2", "the lock of renames between directories", LOCK_MUTEX },
	{ "open_last_lookups", "the lock of a directory", LOCK_RWSEM },
	{ "path_openat", "the lock of a directory", LOCK_RWSEM },
	{ "lookup_slow", "the lock of a directory", LOCK_RWSEM },
	{ "filename_create", "the lock of a directory", LOCK_RWSEM },
	{ "do_unlinkat", "the lock of a directory", LOCK_RWSEM },
	{ "do_rmdir", "the lock of a directory", LOCK_RWSEM },
	{ "iterate_dir", "the lock of a directory", LOCK_RWSEM },
	{ "generic_file_write_iter", "the lock of a file", LOCK_RWSEM },
	{ "shmem_file_write_iter", "the lock of a file", LOCK_RWSEM },
	{ "ext4_buffered_write_iter", "the lock of a file", LOCK_RWSEM },
	{ "do_truncate", "the lock of a file", LOCK_RWSEM },
	{ "cgroup_kn_lock_live", "the lock of all cgroups", LOCK_MUTEX },
	{ "rtnl_lock", "the lock of the network's configuration (rtnl)", LOCK_MUTEX },
	{ "dev_ioctl", "the lock of the network's configuration (rtnl)", LOCK_MUTEX },
	{ "devinet_ioctl", "the lock of the network's configuration (rtnl)", LOCK_MUTEX },
	{ "rtnetlink_rcv_msg", "the lock of the network's configuration (rtnl)", LOCK_MUTEX },
};

struct text frame_take(struct text *frames)
{
	const char *end = memchr(frames->data, ';', frames->size);
	struct text frame = { frames->data, end ? (size_t)(end - frames->data) : frames->size };
	size_t taken = frame.size + (end != NULL);

	*frames = (struct text){ frames->data + taken, frames->size - taken };
	return frame;
}

/* Whether a function is among the frames; those behind it are stored in @behind. */
static bool frames_have(struct text frames, struct text function, struct text *behind)
{
	bool is_begin = function.data[function.size - 1] == '*';

	function.size -= is_begin;
	while (frames.size > 0) {
		struct text frame = frame_take(&frames);

		*behind = frames;
		if (is_begin ? text_begins(frame, function) : text_equals(frame, function))
			return true;
	}
	return false;
}

/* What the lock protects, by the first function behind those of the lock; or NULL. */
static const char *holder_find(struct text frames, enum lock_kind lock)
{
	struct text frame = { 0 };

	while (frames.size > 0) {
		frame = frame_take(&frames);
		if (!text_begins(frame, text_of("down_")) &&
		    !text_begins(frame, text_of("mutex_lock")) &&
		    !text_begins(frame, text_of("__mutex_lock")))
			break;
	}
	for (size_t i = 0; i < sizeof(holders) / sizeof(holders[0]); i++) {
		if (holders[i].lock == lock && text_equals(frame, text_of(holders[i].function)))
			return holders[i].wait;
	}
	return NULL;
}

const char *stack_find_wait(struct text frames)
{
	struct text behind;
	bool is_ending = frames_have(frames, text_of("do_exit"), &behind) ||
			 frames_have(frames, text_of("task_work_run"), &behind);

	for (size_t i = 0; frames.size > 0 && i < sizeof(waits) / sizeof(waits[0]); i++) {
		const char *holder = NULL;

		if (!frames_have(frames, text_of(waits[i].function), &behind) ||
		    (is_ending && strcmp(waits[i].function, "get_signal") == 0))
			continue;
		if (waits[i].lock != LOCK_NONE)
			holder = holder_find(behind, waits[i].lock);
		return holder ? holder : waits[i].wait;
	}
	return NULL;
}

const char *interrupt_find_meaning(struct text interrupt, struct text label)
{
	static const struct {
		const char *name;
		const char *meaning;
	} known[] = {
		{ "RCU", "an RCU grace period ended" },
		{ "timer tcp_delack_timer",
		  "a delayed ACK, for which a sender without TCP_NODELAY waits" },
		{ "timer tcp_write_timer", "a packet or its ACK was lost or late" },
		{ "timer blk_stat_timer_fn", "writes to a disk were throttled" },
		{ "timer throtl_pending_timer_fn", "the limit of a cgroup (io.max) delayed I/O" },
	};

	if (text_equals(label, text_of("connect")) &&
	    text_equals(interrupt, text_of("timer tcp_write_timer")))
		return "no answer: the server's queue of connections is full, or a packet is lost";
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (text_equals(interrupt, text_of(known[i].name)))
			return known[i].meaning;
	}
	return NULL;
}

/* What a wait with this stack is for, as stack_find_wait(); each stack is searched once. */
static const char *stack_wait(const struct name_table *names, uint32_t stack)
{
	struct known_name *name = name_table_get(names, stack);

	if (!name->is_wait_known) {
		name->wait = stack_find_wait(name_table_text(names, stack));
		name->is_wait_known = true;
	}
	return name->wait;
}

static bool call_is(const char *const calls[], struct text name)
{
	while (*calls && !text_equals(name, text_of(*calls)))
		calls++;
	return *calls;
}

bool part_waits_for_room(const struct name_table *names, const struct part_key *key)
{
	static const char *const writing[] = { "write",	   "writev",   "send",	     "sendto",
					       "sendmsg",  "sendmmsg", "sendfile",   "sendfile64",
					       "splice",   "vmsplice", "mq_timedsend", NULL };
	static const char *const reading[] = { "read",	  "readv",    "recv",	"recvfrom",
					       "recvmsg", "recvmmsg", "splice", "mq_timedreceive",
					       "msgrcv",  NULL };
	const struct text by = name_table_text(names, key->interrupt);
	const char *wait = stack_wait(names, key->stack);
	bool is_of_call = name_table_get(names, key->interrupt)->is_call;

	if (key->kind != PART_BLOCKED || !key->is_woken ||
	    (key->stack == NAMES_NONE && !name_table_get(names, key->label)->is_call))
		return false;
	/* Such a wait is interruptible. */
	if (key->state != NAMES_NONE &&
	    !text_begins(name_table_text(names, key->state), text_of("S")))
		return false;
	/* Whoever closes the other end does not read; an interrupt else is that of a device. */
	if (key->context == CONTEXT_THREAD ? is_of_call && !call_is(reading, by)
					   : !text_equals(by, text_of("timer tcp_delack_timer")))
		return false;
	if (key->stack != NAMES_NONE)
		return wait && text_begins(text_of(wait), text_of("room in a"));
	return call_is(writing, name_table_text(names, key->label)) &&
	       (key->context != CONTEXT_THREAD || is_of_call);
}

/* A thread reads from a disk, but in no system call; those were recorded. */
static bool part_is_fault(const struct name_table *names, const struct part_key *key)
{
	const struct known_name *label = name_table_get(names, key->label);
	const struct text state = name_table_text(names, key->state);

	return names->has_calls && key->kind == PART_BLOCKED && key->is_woken &&
	       key->stack == NAMES_NONE && text_equals(state, text_of("D")) &&
	       label->is_of_program && !label->is_call &&
	       text_begins(name_table_text(names, key->object), text_of("block:request/R"));
}

bool call_is_futex(struct text name)
{
	static const char *const calls[] = { "futex", "futex_wait", "futex_waitv", NULL };

	return call_is(calls, name);
}

bool call_flushes(struct text name)
{
	static const char *const calls[] = { "fsync", "fdatasync", "msync",	      "sync",
					     "syncfs", "sync_file_range", NULL };

	return call_is(calls, name);
}

bool call_sets_clock(struct text name)
{
	static const char *const calls[] = { "clock_settime", "settimeofday", NULL };

	return call_is(calls, name);
}

bool part_is_timeout(const struct name_table *names, const struct part_key *key)
{
	const struct text name = name_table_text(names, key->interrupt);

	return key->kind == PART_BLOCKED && key->is_woken && key->context != CONTEXT_THREAD &&
	       (text_equals(name, text_of("timer process_timeout")) ||
		text_equals(name, text_of("hrtimer hrtimer_wakeup")));
}

const char *part_find_wait(const struct name_table *names, const struct part_key *key)
{
	const char *wait = stack_wait(names, key->stack);

	if (!wait && part_waits_for_room(names, key))
		return "room";
	return !wait && part_is_fault(names, key)
		       ? "a page of a file or of swap (major fault)"
		       : wait;
}
