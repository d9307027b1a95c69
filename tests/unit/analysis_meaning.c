// SPDX-License-Identifier: GPL-2.0-only
/* Tests of what kernel stacks say about waits. */
#include "analysis/internal.h"

#include "fixtures/tap.h"

static const char *wait_of(const char *frames)
{
	const char *wait = stack_find_wait(text_of(frames));

	return wait ? wait : "";
}

TEST(what_is_special_comes_before_what_is_general)
{
	CHECK_TEXT(wait_of("io_schedule;folio_wait_bit_common;do_swap_page;handle_mm_fault"),
		   "swap-in of a page");
	CHECK_TEXT(wait_of("io_schedule;folio_wait_bit_common;filemap_read;vfs_read"),
		   "a page (its lock or its I/O)");
	CHECK_TEXT(wait_of("schedule_timeout;mem_cgroup_handle_over_high;exc_page_fault"),
		   "memory.high of its cgroup (throttled)");
	CHECK_TEXT(wait_of("jbd2_log_wait_commit;ext4_sync_file;do_fsync"),
		   "a commit of the journal");
	CHECK_TEXT(wait_of("wait_for_completion_killable;__kthread_create_on_node;init_rescuer;"
			   "alloc_workqueue;sb_init_dio_done_wq;__iomap_dio_rw"),
		   "a new kernel thread");
	CHECK_TEXT(wait_of("get_signal;arch_do_signal_or_restart"),
		   "its cgroup to be thawed (frozen)");
	CHECK_TEXT(wait_of("my_wait;do_exit;do_group_exit;get_signal"), "");
	CHECK_TEXT(wait_of("jbd2_log_wait_commit;task_work_run;get_signal"),
		   "a commit of the journal");
}

TEST(a_lock_is_what_is_waited_for_wherever_it_is_taken)
{
	CHECK_TEXT(wait_of("schedule_preempt_disabled;__mutex_lock.constprop.0;pipe_write"),
		   "the lock of a pipe");
	CHECK_TEXT(wait_of("rwsem_down_read_slowpath;down_read;do_user_addr_fault"),
		   "the mmap lock of its process");
	CHECK_TEXT(wait_of("rwsem_down_write_slowpath;down_write;open_last_lookups"),
		   "the lock of a directory");
	CHECK_TEXT(wait_of("schedule_preempt_disabled;__mutex_lock.constprop.0;dev_ioctl"),
		   "the lock of the network's configuration (rtnl)");
	CHECK_TEXT(wait_of("rwsem_down_write_slowpath;down_write;my_driver"),
		   "a rw_semaphore (write)");
	CHECK_TEXT(wait_of("__down_killable;down_killable;my_driver"), "a semaphore");
	CHECK_TEXT(wait_of("schedule_timeout;__down_timeout;down_timeout"), "a semaphore");
	CHECK_TEXT(wait_of("folio_wait_bit_common;filemap_fault;do_user_addr_fault"),
		   "a page of a file (major fault)");
}

TEST(who_answers_for_the_kernel_is_waited_for)
{
	CHECK_TEXT(wait_of("fanotify_handle_event;fsnotify;__fsnotify_parent;do_dentry_open"),
		   "the answer of a fanotify listener");
	CHECK_TEXT(wait_of("wait_for_completion_state;call_usermodehelper_exec;__request_module"),
		   "a helper program of the kernel");
}

TEST(what_ends_before_others_go_on_is_waited_for)
{
	CHECK_TEXT(wait_of("begin_new_exec;load_elf_binary;bprm_execve"),
		   "its other threads to end (exec)");
	CHECK_TEXT(wait_of("de_thread;begin_new_exec;load_elf_binary"),
		   "its other threads to end (exec)");
	CHECK_TEXT(wait_of("do_wait;kernel_wait4;zap_pid_ns_processes;do_exit"),
		   "the processes of its PID namespace to end");
	CHECK_TEXT(wait_of("wait_woken;sk_stream_wait_close;__tcp_close;tcp_close"),
		   "its peer to take all data (SO_LINGER)");
	CHECK_TEXT(wait_of("read_events;do_io_getevents;__x64_sys_io_getevents"),
		   "a completion of asynchronous I/O");
}

TEST(file_systems_lock_directories_and_collect_changes)
{
	CHECK_TEXT(wait_of("rwsem_down_read_slowpath;down_read;lookup_slow;walk_component"),
		   "the lock of a directory");
	CHECK_TEXT(wait_of("__mutex_lock.constprop.0;do_renameat2;__x64_sys_rename"),
		   "the lock of renames between directories");
	CHECK_TEXT(wait_of("schedule_hrtimeout_range_clock;jbd2_journal_stop;ext4_rename"),
		   "more changes for the same commit of the journal");
	CHECK_TEXT(wait_of("jbd2_log_wait_commit;jbd2_journal_stop;ext4_rename"),
		   "a commit of the journal");
}

TEST(a_lock_of_another_function_or_kind_has_no_owner)
{
	CHECK_TEXT(wait_of("rwsem_down_read_slowpath;down_read;filemap_fault;__do_fault;"
			   "handle_mm_fault;do_user_addr_fault"),
		   "a rw_semaphore (read)");
	CHECK_TEXT(wait_of("__mutex_lock;mydrv_mmap;mmap_region;vm_mmap_pgoff"), "a mutex");
	CHECK_TEXT(wait_of("__mutex_lock;__mutex_lock_slowpath;mutex_lock;do_unlinkat"), "a mutex");
	CHECK_TEXT(wait_of("__mutex_lock;mutex_lock_killable;cgroup_kn_lock_live"),
		   "the lock of all cgroups");
	CHECK_TEXT(wait_of("rwsem_down_write_slowpath;down_write;dup_mmap"),
		   "a rw_semaphore (write)");
}

TEST(functions_are_compared_as_a_whole)
{
	CHECK_TEXT(wait_of("my_pipe_read;vfs_read"), "");
	CHECK_TEXT(wait_of("pipe_reader"), "");
	CHECK_TEXT(wait_of("pipe_read"), "data in a pipe");
	CHECK_TEXT(wait_of(""), "");
	CHECK_TEXT(wait_of(";;"), "");
}

TEST(begins_of_names_are_those_of_variants)
{
	CHECK_TEXT(wait_of("__wait_for_common;synchronize_rcu_normal.part.0"),
		   "an RCU grace period");
	CHECK_TEXT(wait_of("futex_wait_queue;__futex_wait;do_futex"), "a futex");
	CHECK_TEXT(wait_of("rcu_synchronize_rcu"), "");
	CHECK_TEXT(wait_of("__wait_for_common;wait_for_completion_state;kernel_clone"),
		   "the exec or exit of a child (vfork)");
}

/* Of a wait that ended with an operation, without a stack. */
static const char *wait_without_stack(bool has_calls, bool is_call, bool is_of_program,
				      const char *operation)
{
	struct name_table names;
	struct part_key key = { .kind = PART_BLOCKED, .is_woken = true, .context = CONTEXT_HARD };
	const char *wait;

	CHECK(name_table_init(&names) == 0);
	names.has_calls = has_calls;
	key.label = name_table_add(&names, text_of("lookup"));
	key.state = name_table_add(&names, text_of("D"));
	key.object = name_table_add(&names, text_of(operation));
	name_table_get(&names, key.label)->is_call = is_call;
	name_table_get(&names, key.label)->is_of_program = is_of_program;
	wait = part_find_wait(&names, &key);
	name_table_release(&names);
	return wait ? wait : "";
}

TEST(a_program_that_reads_in_no_system_call_has_a_page_fault)
{
	static const char read[] = "block:request/R 4096@253,0";

	CHECK_TEXT(wait_without_stack(true, false, true, read),
		   "a page of a file or of swap (major fault)");
	CHECK_TEXT(wait_without_stack(true, true, true, read), "");
	CHECK_TEXT(wait_without_stack(true, false, false, read), "");
	CHECK_TEXT(wait_without_stack(true, false, true, "block:request/W 4096@253,0"), "");
	/* Any read may be a system call that is not recorded. */
	CHECK_TEXT(wait_without_stack(false, false, true, read), "");
}

/* A wait with a kernel stack, in a state, that ends in an interrupt. */
static bool waits_for_room(const char *stack, const char *state, const char *interrupt)
{
	struct name_table names;
	struct part_key key = { .kind = PART_BLOCKED, .is_woken = true, .context = CONTEXT_SOFT };
	bool waits;

	CHECK(name_table_init(&names) == 0);
	key.stack = name_table_add(&names, text_of(stack));
	key.state = name_table_add(&names, text_of(state));
	key.interrupt = name_table_add(&names, text_of(interrupt));
	waits = part_waits_for_room(&names, &key);
	name_table_release(&names);
	return waits;
}

TEST(a_device_makes_room_and_is_no_peer)
{
	static const char socket[] = "schedule_timeout;sk_stream_wait_memory;tcp_sendmsg_locked";

	CHECK(waits_for_room(socket, "S", "timer tcp_delack_timer"));
	CHECK(!waits_for_room(socket, "S", "NET_RX"));
	CHECK(!waits_for_room(socket, "D", "timer tcp_delack_timer"));
	CHECK(!waits_for_room("n_tty_write;file_tty_write", "S", "IRQ 4 ttyS0"));
}
