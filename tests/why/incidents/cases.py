# SPDX-License-Identifier: GPL-2.0-only
"""The incidents, and what the first lines of an answer have to name."""

# Their slices: CATEGORY/NAME, or CATEGORY/NAME-twin.
SLICES = "incident:incident_work"
# So many rows of the table, and what is above it, have to name the cause.
ROWS = 2
# Incident: the cause, and that of its twin, as expressions that the first lines match; a dot also matches the end of a line.
CASES = {
    # Locks.
    "inversion": (r"owner.*behind between", r"owner.*running"),
    "inherited": (r"armed by owner|owner.*nanosleep", r"owner.*running"),
    "nested": (r"armed by inner|inner.*nanosleep", r"inner.*running"),
    "rwlock-convoy": (r"report.*running", r"config.*running"),
    "convoy": (r"conn[1-5]", r"armed by conn0|conn0.*nanosleep"),
    "broadcast": (r"behind .*pool", r"behind indexer"),
    "yielding": (r"sched_yield behind owner", r"running in sched_yield"),
    "file-lock": (r"backup.*running", r"armed by backup|backup.*nanosleep"),
    "inode-lock": (r"import.*running in pwrite64", r"running in pwrite64"),
    "mapping": (r"collector.*mprotect|mprotect.*collector", r"running"),
    "herd": (r"(behind|preempted) .*pool", r"behind poster"),
    "lost-wakeup": (r"futex.*timeout", r"producer.*running"),
    # Pipes and sockets.
    "pipe-backpressure": (r"armed by sink|sink.*nanosleep", r"filter.*running"),
    "chain": (r"store.*running", r"armed by store|store.*nanosleep"),
    "starved-producer": (r"producer.*behind urgent", r"producer.*running"),
    "nagle": (r"tcp_delack_timer", r"armed by server|server.*nanosleep"),
    "flood": (r"(?<!behind )soft interrupt NET_RX", r"behind telemetry"),
    "full-socket": (r"collector.*(fsync|journal)", r"collector.*running"),
    "epoll-herd": (r"(behind|preempted) .*serve", r"behind source"),
    "full-queue": (r"armed by reader|reader.*nanosleep", r"pace.*running"),
    "watched": (r"deploy.*running", r"armed by deploy|deploy.*nanosleep"),
    # Stops.
    "slack": (r"timer slack", r"nanosleep|hrtimer"),
    "handlers": (r"handler|SIGALRM", r"running"),
    "stopped": (r"stopped .*powersave", r"froz|freez"),
    "traced": (r"stopped .*inspector", r"inspector.*running"),
    "pager": (r"armed by pager|pager.*nanosleep", r"block:request"),
    "child": (r"compiler.*running", r"armed by compiler|compiler.*nanosleep"),
    "forking": (r"armed by launcher|launcher.*nanosleep", r"running in (clone|fork)"),
    "signal-wait": (r"loader.*running", r"it_real_fn"),
    "interrupted": (r"handler|SIGUSR1|takes 10", r"sender.*running"),
    # Processors.
    "quota": (r"cpu\.max", r"behind urgent"),
    "affinity": (r"behind encoder.*same priority", r"behind encoder.*real-time priority 10"),
    "niceness": (r"behind foreground.*nice 0 against nice 15", r"behind foreground.*same priority"),
    "displaced": (r"behind batch", r"running"),
    "deadlines": (r"behind radio.*deadline", r"behind radio.*real-time priority 10"),
    "busy": (r"CPU-bound, in user space", r"CPU-bound in the kernel.*getrandom"),
    "fork-storm": (r"behind watch.sh \(\d+ threads", r"behind watch.sh \(\d+\)"),
    "barrier": (r"RCU", r"running (on CPU 1 )?in membarrier"),
    "kthread": (r"kworker.*behind urgent", r"running in write"),
    # Devices.
    "slow-server": (r"armed by server|server.*nanosleep", r"server.*running"),
    "delayed-disk": (r"delay", r"behind urgent"),
    # Memory.
    "memory-high": (r"memory\.high", r"running"),
    "swapped": (r"swap", r"running"),
    "refault": (r"block:request", r"running"),
    "killed": (r"OOM|memcg reclaim", r"running"),
    "locked": (r"kernel[^\n]*running in mlock", r"running(?! in)"),
    # Files and disks.
    "journal": (r"jbd2", r"fdatasync|block:request"),
    "cache-miss": (r"block:request", r"running"),
    "read-ahead": (r"block:request", r"running in read"),
    "dirty": (r"dirty pages", r"jbd2|block:request"),
    "disk-limit": (r"io\.max|throtl", r"pread64"),
    "sync": (r"kworker.*write back", r"running"),
    "removing": (r"kernel[^\n]*running in unlink", r"running(?! in)"),
    # Others.
    "frozen-disk": (r"backup", r"jbd2|block:request"),
    "slow-exit": (r"heavy.*running (on CPU 0 )?in exit_group", r"heavy.*running"),
    "semaphores": (r"writer.*(jbd2|journal)", r"writer.*behind urgent"),
    "timer-read": (r"waiting for hrtimer timerfd_tmrproc", r"behind urgent"),
    # Who answers for the kernel.
    "ring": (r"iou-wrk.*jbd2", r"iou-wrk.*behind urgent"),
    "scanner": (r"scanner \(\d+\): running.*fanotify", r"(armed by scanner|scanner.*nanosleep).*fanotify"),
    "core-dump": (r"core dump", r"crasher.*running"),
    "cold-exec": (r"block:request.*tool", r"tool \(\d+\): runnable in sched_setaffinity behind urgent"),
    "terminal": (r"armed by sshd|sshd.*nanosleep", r"sshd.*running"),
    "late-message": (r"producer.*journal", r"producer.*running"),
    "stacked-disk": (r"block:request/R[^@]*@254,0, issued by kworker", r"behind urgent"),
    # Who cannot do what others wait for.
    "throttled-owner": (r"owner.*cpu\.max", r"owner.*running"),
    "spinlock": (r"running; meanwhile owner \(\d+\) waited for CPU 0 behind urgent", r"running"),
    "network": (r"netadm.*behind urgent.*rtnl", r"behind urgent"),
    "runtime": (r"runnable, the CPU is idle: the thread had used, or yielded, its deadline runtime", r"in sched_yield, the CPU is idle"),
    "backlog": (r"queue of connections is full", r"server.*running"),
    "identity": (r"worker.*behind urgent", r"worker.*running"),
    "turns": (r"pool \(\d+\): running", r"leader.*running"),
    "cgroup-move": (r"RCU grace period", r"running"),
    "moved": (r"behind encoder", r"stopped .*admin"),
    "full-event": (r"armed by consumer|consumer.*nanosleep", r"consumer.*running"),
    "preempted-reader": (r"report.*behind urgent", r"armed by report|report.*nanosleep"),
    "outer-quota": (r"cpu\.max", r"behind urgent"),
    "stopped-owner": (r"owner.*a stop until signal 18", r"owner.*frozen"),
    "large-owner": (r"owner.*memory\.high", r"owner.*running"),
    "lease": (r"(armed by smbd|smbd.*nanosleep).*lease", r"smbd.*running.*lease"),
    "attach": (r"app \(\d+\): runnable behind urgent", r"app.*vfork"),
    "join": (r"saver.*journal", r"saver.*running"),
    # Who keeps others from what they share.
    "exec-peer": (r"io\.max.*exec.*saver", r"saver.*behind urgent.*exec"),
    "linger": (r"(armed by reader|reader.*nanosleep).*SO_LINGER", r"reader.*running.*SO_LINGER"),
    "edge": (r"server.*epoll_wait.*timeout", r"server.*running"),
    "fifo": (r"io\.max.*FIFO.*loader", r"loader.*running.*FIFO"),
    "truncating": (r"armed by backup.*io\.max", r"nanosleep"),
    "datagrams": (r"io\.max.*syslogd.*reads", r"syslogd.*running"),
    "container": (r"io\.max.*PID namespace.*inner", r"inner.*behind urgent.*PID namespace"),
    # Who answers late.
    "supervisor": (r"nanosleep.*seccomp supervisor", r"supervisor \(\d+\): running.*seccomp supervisor"),
    "directory": (r"lock of a directory until mover.*commit of the journal", r"running"),
    "inspected": (r"mmap lock of a process until database", r"running"),
    "descriptor": (r"running in exit_group.*until worker", r"worker \(\d+\): running; .*until worker"),
    # The last one: it stops a CPU.
    "offline": (r"cpuhp", r"nanosleep|hrtimer"),
}
# What the first lines say of these incidents alone.
CLAIMS = {
    r"cpu\.max": ("quota", "throttled-owner", "outer-quota"),
    "deadline scheduling": ("deadlines",),
    "dirty pages": ("dirty",),
    "the fair server gave": ("displaced",),
    "frozen": ("stopped-twin", "stopped-owner-twin"),
    "handler of": ("handlers", "interrupted", "lease-twin"),
    r"memory\.high": ("memory-high", "large-owner"),
    "priority inversion": ("inversion", "kthread", "starved-producer"),
    "RCU grace period": ("barrier", "offline", "cgroup-move"),
    "reclaim": ("killed", "refault", "swapped"),
    "swap-in": ("swapped",),
    "tcp_delack_timer": ("nagle",),
    "throtl": ("disk-limit", "exec-peer", "fifo", "truncating", "datagrams", "container"),
    "timer slack": ("slack",),
    "undecided": (),
}
