/* SPDX-License-Identifier: GPL-2.0-only */
/* What ktrack why knows of the past: names, states of threads and CPUs, flows and timers. */
#ifndef ANALYSIS_HISTORY_H
#define ANALYSIS_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "timeline/timeline.h"

/* Names of slices, threads, states and interrupts as numbers: each text is kept once. */

/** NAMES_NONE, NAMES_OTHER - the numbers of "" and of all names beyond the limits */
#define NAMES_NONE 0
#define NAMES_OTHER 1

/** NAMES_RUNNABLE - the number of "Runnable": the state of a thread that was woken */
#define NAMES_RUNNABLE 2

/** NAMES_MAX, NAMES_SIZE_MAX - limits of names, and of their bytes */
#define NAMES_MAX 65536
#define NAMES_SIZE_MAX ((size_t)4 << 20)

/** struct known_name - a name */
struct known_name {
	uint32_t number;
	/* Whether a selector matches it: 0 if that is not determined yet, 1 for no, 2 for yes. */
	uint8_t match;
	/* As the name of a thread's state: an enum thread_state; 0 if it is not determined yet. */
	uint8_t state;
	/* As the name of an interrupt: an enum context_kind; 0 if it is not determined yet. Whether
	 * others than the tick raise it, and whether it gives cgroups their time again. */
	uint8_t context;
	bool is_raised;
	bool is_period;
	/* As the name of a system call: whether it waits, as match. */
	uint8_t waits;
	bool is_call;	    /* a system call has it */
	bool sets_clock;    /* it sets the clock on the wall */
	bool is_spin;	    /* a wait for a lock that may spin has it (rule locks:contention) */
	bool is_of_program; /* a slice of a program has it */
	/* As a kernel stack: what a wait there is for, NULL if that is unknown. */
	bool is_wait_known;
	const char *wait;
	struct slice_kind *instants; /* those of the last tracepoint that had it, or NULL */
	size_t size;
	char text[];
};

/** struct name_table - all names */
struct name_table {
	struct map map;
	struct known_name **names; /* by their numbers */
	size_t nr_names;
	size_t capacity;
	size_t size;
	bool has_calls; /* system calls were recorded */
	bool failed;	/* memory for a name ran out */
};

/** name_table_init - has the names that have fixed numbers; returns -1 if memory ran out */
int name_table_init(struct name_table *table);

/** name_table_add - the number of a name; NAMES_OTHER beyond the limits, or if memory ran out */
uint32_t name_table_add(struct name_table *table, struct text text);

/** name_table_get - the name of a number */
static inline struct known_name *name_table_get(const struct name_table *table, uint32_t number)
{
	return table->names[number];
}

/** name_table_text - the text of a number */
static inline struct text name_table_text(const struct name_table *table, uint32_t number)
{
	return (struct text){ table->names[number]->text, table->names[number]->size };
}

/** name_table_general - the name of threads that differ by a number: "pool*" of "pool07" */
uint32_t name_table_general(struct name_table *table, uint32_t number);

void name_table_release(struct name_table *table);

/*
 * What threads and CPUs did lately: a ring of segments, each a state of one thread or CPU from one
 * time to another. Segments of one line, a thread's or a CPU's, are linked backwards.
 */

/** HISTORY_SIZE - number of segments in the ring: 24 MiB; of a history beside an output 12 MiB */
#define HISTORY_SIZE (UINT32_C(1) << 19)
#define HISTORY_SIZE_BESIDE (UINT32_C(1) << 18)

/** HISTORY_GAPS_MAX - limit of losses; later ones extend the last one */
#define HISTORY_GAPS_MAX 4096

/** HISTORY_THREADS_MAX - above it, threads without segments and tracks are freed */
#define HISTORY_THREADS_MAX 32768

/** HISTORY_CPUS_MAX - limit of CPU numbers */
#define HISTORY_CPUS_MAX 4096

/** THREAD_LABELS_MAX - open slices of a thread that are distinguished; deeper ones are not */
#define THREAD_LABELS_MAX 16

/** CPU_INTERRUPTS_MAX - nested interrupts of a CPU that are distinguished */
#define CPU_INTERRUPTS_MAX 16

/** PRIO_UNKNOWN - no priority; PRIO_NORMAL: nice 0; smaller than PRIO_NORMAL - 20: real-time */
#define PRIO_UNKNOWN INT16_MIN
#define PRIO_NORMAL 120
#define PRIO_REALTIME_MAX 99

/** prio_keep, prio_kept - a priority as a byte, which is 0 if it is unknown; and back */
static inline uint8_t prio_keep(int prio)
{
	return prio >= -1 && prio < UINT8_MAX - 2 ? prio + 2 : 0;
}

static inline int prio_kept(uint8_t kept)
{
	return kept > 0 ? kept - 2 : PRIO_UNKNOWN;
}

enum thread_state {
	THREAD_UNKNOWN,
	THREAD_RUNNING,
	THREAD_RUNNABLE,
	THREAD_BLOCKED,
	THREAD_STOPPED,
	THREAD_ABSENT,
};

/** HISTORY_OPERATIONS - number of operations that are kept, a power of two */
#define HISTORY_OPERATIONS (UINT32_C(1) << 15)

/** RAISE_NS - limit of the time between a hard interrupt and the soft one that it raised */
#define RAISE_NS 100000

/** SOFT_INTERRUPTS - number of kinds of soft interrupts */
#define SOFT_INTERRUPTS 10

/** THREAD_INSTANTS_MAX - names of instants that are counted while a thread is in one segment */
#define THREAD_INSTANTS_MAX 4

/** enum context_kind - where a CPU is; only names of interrupts are inherited */
enum context_kind {
	CONTEXT_THREAD,
	CONTEXT_HARD,
	CONTEXT_SOFT,
	CONTEXT_INHERITED,
};

/** struct segment - a state of a thread or of a CPU */
struct segment {
	/* When; to_ns of an open segment is INT64_MAX. */
	int64_t from_ns;
	int64_t to_ns;
	uint32_t before; /* number of the previous segment of the line, 0 for none */
	/* Of CPUs: the thread that runs, -1 if unknown; of threads: the one that woke it, -1 for
	 * none. */
	int32_t tid;
	/* Number of the operation whose end woke the blocked thread, 0 for none. */
	uint32_t operation;
	uint32_t nr_instants; /* of running threads: how often instant occurred */
	/* Of threads: name of the innermost open slice; of CPUs: number of open interrupts. */
	uint16_t label;
	/* Of blocked and stopped threads: "D", ...; of runnable ones: NAMES_RUNNABLE if the CPU
	 * that they left went idle, or on with a less urgent kind of thread. */
	uint16_t state_name;
	/* Of blocked and stopped threads: name of the kernel stack, if it was recorded. */
	uint16_t stack;
	/* Of CPUs: the innermost interrupt; of threads: the interrupt that woke the thread, or the
	 * innermost slice of the thread that did. */
	uint16_t interrupt;
	/* Of running threads: the most frequent instant; of blocked ones: the last one before. */
	uint16_t instant;
	int16_t cpu; /* of running and preempted threads: their CPU; otherwise -1 */
	/* CPU of the record that ended it; of runnable threads this is where they run. */
	int16_t next_cpu;
	uint8_t state : 3;
	uint8_t next_state : 3;
	/* Of CPUs: the kind of the interrupt; of threads: context of the waker. */
	uint8_t context : 2;
	/* Priority of the thread, of CPUs that of the one that runs: see prio_keep(). */
	uint8_t prio;
};
_Static_assert(sizeof(struct segment) == 48, "the ring has 24 MiB");
_Static_assert(NAMES_MAX - 1 <= UINT16_MAX, "names of segments");

/** struct line_cursor - where a walk backwards over a line is */
struct line_cursor {
	unsigned int walk;	  /* number of the walk that it is valid for */
	const struct segment *at; /* the segment; NULL before the first one that is left */
	bool was_overwritten;	  /* of a NULL at: there were earlier segments */
};

/** struct instant_count - how often an instant occurred */
struct instant_count {
	uint32_t name;
	uint32_t count;
};

/** struct thread_history - a thread */
struct thread_history {
	int tid;       /* its number; -1 - CPU for an idle thread */
	uint32_t comm; /* number of its name */
	int16_t prio;  /* the kernel's number of its priority, PRIO_UNKNOWN if it is unknown */
	bool is_seen;  /* there was a record about its state */
	struct segment open; /* the last one of its line */
	int64_t seen_ns;     /* time of the last record that it wrote */
	int64_t gone_ns;     /* when one of its number ended whose slices had not */
	/* Open slices, the outermost first; nr_labels may be above THREAD_LABELS_MAX. */
	uint32_t labels[THREAD_LABELS_MAX];
	unsigned int nr_labels;
	unsigned int nr_tracks; /* number of tracks that refer to it */
	/* Its process, the one that created it, and its cgroup, or 0 if they are unknown. */
	int32_t tgid;
	int32_t parent;
	uint16_t process;
	uint16_t cgroup;
	struct instant_count instants[THREAD_INSTANTS_MAX]; /* those of the open segment */
	unsigned int nr_instants;
	/* Who sent SIGKILL to it last, 0 for nobody, and when. */
	int32_t killer;
	uint32_t killer_name;
	int64_t killed_ns;
	/* The last one since the thread waited, or its innermost slice changed. */
	uint32_t last_instant;
	/* The handler of the last signal that it took, and since when, 0 if it has returned. */
	uint32_t handler;
	int64_t handler_ns;
	struct line_cursor cursor; /* of the walk that visited it last */
};

/** struct interrupt - an interrupt that is open on a CPU */
struct interrupt {
	uint32_t name;
	enum context_kind context;
	bool is_raised;	  /* a soft one that something else than the tick raises */
	bool is_deferred; /* a soft one that a thread runs whose work that is: anyone raised it */
	bool is_tick;	  /* a hard one that raises only soft ones which serve timers */
	/* Number of the operation that ended in it last, and not in one that interrupted it; at the
	 * begin of a soft interrupt that of its raise; 0 for none. */
	uint32_t operation;
	int64_t begin_ns;
};

/** struct waker - who wrote a record that changed a thread's state, and where */
struct waker {
	int tid;
	int cpu;
	enum context_kind context;
	uint32_t interrupt; /* as in struct segment */
	uint32_t operation;
};

/** struct raise - a soft interrupt that was raised on a CPU */
struct raise {
	uint32_t name;	 /* of the soft interrupt, NAMES_NONE for none */
	bool is_pending; /* it has not begun since */
	bool is_mixed;	 /* others raised it, too */
	int64_t time_ns;
	struct waker writer;
};

/** struct interrupt_batch - interrupts of a CPU that followed each other at once */
struct interrupt_batch {
	struct interrupt ended; /* the outermost one that ended last, and when it did */
	int64_t ended_ns;
	int tid;      /* of the thread below */
	bool is_hard; /* a hard one was among them, and not only a tick */
	/* The last one that was raised; the longest timer in soft ones, and whether there were
	 * timers of other names, too. */
	struct interrupt raised;
	struct interrupt timer;
	int64_t timer_ns;
	bool is_mixed;
};

/** struct cpu_history - a CPU */
struct cpu_history {
	struct segment open;   /* the last one of its line */
	bool is_relieved;      /* its last switch was to the idle or a less urgent kind of thread */
	int64_t idle_until_ns; /* its last switch from the idle thread */
	/* Open ones, the outermost first; nr_interrupts may be above CPU_INTERRUPTS_MAX. */
	struct interrupt interrupts[CPU_INTERRUPTS_MAX];
	unsigned int nr_interrupts;
	struct raise raises[SOFT_INTERRUPTS];
	struct interrupt_batch batch;
	/* A timer that expired, whose interrupt has not begun. */
	struct interrupt expired;
	struct line_cursor cursor; /* of the walk that visited it last */
};

/** enum operation_kind - kinds of operations */
enum operation_kind {
	OPERATION_REQUEST, /* an asynchronous slice, which ended in an interrupt */
	OPERATION_TIMER,   /* from when it was armed until it expired */
	OPERATION_RAISE,   /* a soft interrupt, from its raise to its begin */
};

/** struct operation - what an interrupt, or a thread that it wakes, waits for */
struct operation {
	uint32_t name;
	uint8_t kind;	  /* an enum operation_kind */
	bool is_probable; /* of a raise: its writer is a guess */
	/* Of a raise: the thread that was woken in the soft interrupt; 0 for none, -1 for several.
	 */
	int32_t woken;
	int64_t begin_ns; /* its begin, by writer */
	int64_t end_ns;	  /* of requests: when it ended */
	int64_t asked_ns; /* of timers: when it may expire first; INT64_MAX if that is unknown */
	int64_t due_ns;	  /* when it should have ended; INT64_MAX if that is unknown */
	struct waker writer;
	/* Of a request: the raise of the soft interrupt in which it ended, or 0. */
	uint32_t raise;
};

/** struct history_gap - a loss */
struct history_gap {
	int cpu;
	int64_t from_ns;
	int64_t to_ns;
	int64_t until_ns; /* the latest end of this one and all before it */
};

/** struct history - all lines */
struct history {
	int64_t start_ns;     /* the recording's start */
	struct segment *ring; /* segments by their number, modulo size */
	uint32_t size;
	uint32_t nr_segments; /* how many there were; the number of the last one */
	bool has_states;      /* states of threads are recorded */
	bool has_hrtimers;    /* what runs in timers is recorded, too */
	bool has_interrupts;  /* interrupts are recorded */
	/* By number; threads without use are freed when there are threads_limit. */
	struct map threads;
	size_t threads_limit;
	struct cpu_history **cpus;
	unsigned int nr_cpus;
	struct history_gap *gaps; /* by from_ns */
	size_t nr_gaps;
	struct operation *operations; /* by their number, modulo HISTORY_OPERATIONS */
	uint32_t nr_operations;	      /* how many there were; the number of the last one */
};

/** history_init - an empty history of @size segments, a power of two; -1 if memory ran out */
int history_init(struct history *history, uint32_t size);

void history_release(struct history *history);

/** history_thread - the thread of a number, NULL if it has no history; idle threads by CPU */
struct thread_history *history_thread(const struct history *history, int tid, int cpu);

/** history_thread_add - the thread of a number, a new one if needed; NULL if memory ran out */
struct thread_history *history_thread_add(struct history *history, int tid, int cpu);

/** history_cpu_find - a CPU, NULL if it has no history */
static inline struct cpu_history *history_cpu_find(const struct history *history, int cpu)
{
	return cpu >= 0 && (unsigned int)cpu < history->nr_cpus ? history->cpus[cpu] : NULL;
}

/** history_cpu_add - a new CPU; NULL if memory ran out or the number is too large */
struct cpu_history *history_cpu_add(struct history *history, int cpu);

/** history_cpu - a CPU, a new one if needed; NULL if memory ran out or the number is too large */
static inline struct cpu_history *history_cpu(struct history *history, int cpu)
{
	struct cpu_history *one = history_cpu_find(history, cpu);

	return one ? one : history_cpu_add(history, cpu);
}

/** history_waker - the writer of a record */
struct waker history_waker(const struct history *history, int tid, int cpu);

/** struct thread_change - a new state of a thread, and the record's writer */
struct thread_change {
	int64_t time_ns;
	enum thread_state state;
	uint32_t state_name;
	int cpu;
	struct waker waker;
};

/** history_change_thread - a thread's state changes */
void history_change_thread(struct history *history, struct thread_history *thread,
			   const struct thread_change *change);

/** history_see_thread - a thread wrote a record on @cpu: it runs there, at least from now */
void history_see_thread(struct history *history, struct thread_history *thread, int64_t time_ns,
			int cpu);

/** history_set_prio - a thread's priority changes */
void history_set_prio(struct history *history, struct thread_history *thread, int64_t time_ns,
		      int prio);

/** history_leave - a thread that ran on @cpu leaves it with this priority */
void history_leave(struct history *history, struct cpu_history *cpu, struct thread_history *thread,
		   int prio);

/** history_explain_wake - a thread that was just woken by @tid was so by an operation's end */
void history_explain_wake(struct history *history, struct thread_history *thread, int tid,
			  const struct operation *operation);

/** history_begin_label, history_end_label - a slice begins or ends on a thread */
void history_begin_label(struct history *history, struct thread_history *thread, int64_t time_ns,
			 uint32_t name);
void history_end_label(struct history *history, struct thread_history *thread, int64_t time_ns,
		       uint32_t name);

/**
 * history_begin_handler, history_end_handler - a thread takes a signal, and returns from its
 * handler
 *
 * A handler may also never return: only the time of one that did is in a slice of its name.
 */
void history_begin_handler(struct history *history, struct thread_history *thread, int64_t time_ns,
			   uint32_t name);
void history_end_handler(struct history *history, struct thread_history *thread);

/** history_run_thread - a CPU runs another thread; -1 if that is unknown */
void history_run_thread(struct history *history, struct cpu_history *cpu, int64_t time_ns, int tid);

/** history_begin_interrupt, history_end_interrupt - an interrupt begins or ends on a CPU */
void history_begin_interrupt(struct history *history, struct cpu_history *cpu, int64_t time_ns,
			     struct interrupt interrupt);
void history_end_interrupt(struct history *history, struct cpu_history *cpu, int64_t time_ns);

/** history_interrupt - the innermost interrupt of a CPU; a zeroed one if it is in none, or @cpu is NULL */
const struct interrupt *history_interrupt(const struct cpu_history *cpu);

/** history_add_instant - an instant occurs on a thread */
void history_add_instant(struct thread_history *thread, uint32_t name);

/** history_count_instants - note the most frequent instant of a thread's open segment in it */
void history_count_instants(struct thread_history *thread);

/** history_end_operation - an operation ends in the innermost open interrupt of a CPU */
void history_end_operation(struct history *history, struct cpu_history *cpu,
			   const struct operation *operation);

/** history_expire - a timer expires; its interrupt of that name has just begun, or begins next */
void history_expire(struct history *history, struct cpu_history *cpu,
		    const struct operation *timer);

/** history_raise - a soft interrupt is raised on the writer's CPU */
void history_raise(struct history *history, uint32_t name, int64_t time_ns,
		   const struct waker *writer);

/** history_operation - the operation of a number; NULL if there is none or it was overwritten */
struct operation *history_operation(const struct history *history, uint32_t number);

/**
 * history_find_beside - the request that a block device had for the longest time of another one, and
 * at least for half of it, and that another thread issued; NULL if there is none
 */
const struct operation *history_find_beside(const struct history *history,
					    const struct name_table *names,
					    const struct operation *request);

/** history_add_operation - keep an operation; returns its number */
uint32_t history_add_operation(struct history *history, const struct operation *operation);

/** history_lose - records of a CPU were lost between two times; returns -1 if memory ran out */
int history_lose(struct history *history, int cpu, int64_t from_ns, int64_t to_ns);

/**
 * history_find_gap - the times between which records were lost
 * @cpu: of one CPU, -1 for any
 * @from_ns, @to_ns: of a segment; become the first and the last time in it with losses
 *
 * Returns whether there are any.
 */
bool history_find_gap(const struct history *history, int cpu, int64_t *from_ns, int64_t *to_ns);

/** segment_before - the previous segment of the line, NULL if there is none any more */
static inline const struct segment *segment_before(const struct history *history,
						   const struct segment *segment)
{
	uint32_t number = segment->before;

	if (number == 0 || history->nr_segments - number >= history->size)
		return NULL;
	return &history->ring[number & (history->size - 1)];
}

/**
 * line_seek - the segment of a line just before @time_ns
 * @walk: its number; within a walk times only become earlier
 *
 * Returns NULL if there is none or it was overwritten.
 */
static inline const struct segment *line_seek(const struct history *history,
					      const struct segment *open,
					      struct line_cursor *cursor, unsigned int walk,
					      int64_t time_ns)
{
	if (cursor->walk != walk)
		*cursor = (struct line_cursor){ .walk = walk, .at = open };
	while (cursor->at && cursor->at->from_ns >= time_ns) {
		cursor->was_overwritten = cursor->at->before != 0;
		cursor->at = segment_before(history, cursor->at);
	}
	return cursor->at;
}

/* Flows: where the records with an id of a flow were written, one after the other. */

/** HOPS_FLOWS_MAX - limit of flows; when it is reached, all are forgotten */
#define HOPS_FLOWS_MAX 16384

/** HOPS_MAX - limit of records of a flow that are kept, the latest */
#define HOPS_MAX 16

/** enum hop_kind - what a record of a flow is */
enum hop_kind {
	HOP_BEGIN,
	HOP_END,
	HOP_INSTANT,
};

/** struct hop - a record of a flow */
struct hop {
	int64_t time_ns;
	struct waker writer;
	uint32_t name; /* of its slice or instant */
	enum hop_kind kind;
};

/** struct hop_flow - a flow */
struct hop_flow {
	uint64_t key;		   /* hash of its name and id */
	struct hop hops[HOPS_MAX]; /* a ring, of which nr_hops were written in all */
	unsigned int nr_hops;
};

/** struct hop_flows - all flows; a zeroed struct is empty */
struct hop_flows {
	struct map map;
};

/** hop_key - the key of a field that is the id of a flow */
uint64_t hop_key(const struct field *flow);

/** hop_flows_add - add a record of a flow; returns -1 if memory ran out */
int hop_flows_add(struct hop_flows *flows, uint64_t key, const struct hop *hop);

/** hop_flows_find - a flow, NULL if it is unknown */
const struct hop_flow *hop_flows_find(const struct hop_flows *flows, uint64_t key);

/** hop_get - a record of a flow; 0 is the latest; NULL if there are not so many */
const struct hop *hop_get(const struct hop_flow *flow, unsigned int number);

void hop_flows_release(struct hop_flows *flows);

/* Timers of the kernel: when each was armed, by whom, and how late it expired. */

/** TIMERS_MAX - limit of armed timers; when it is reached, all are forgotten */
#define TIMERS_MAX 16384

/** struct armed_timer - a timer */
struct armed_timer {
	uint64_t address; /* of the kernel's struct */
	int64_t expires;  /* when it has to expire, on a clock that is not the recording's */
	int64_t asked;	  /* when it may expire first, likewise */
	int64_t armed_ns;
	struct waker writer;
};

/** struct timers - all timers, and the length of a jiffy; a zeroed struct has none */
struct timers {
	struct map map;
	bool has_jiffies;
	/* The first record with a number of jiffies. */
	int64_t first_jiffies;
	int64_t first_ns;
	int64_t jiffy_ns; /* 0 if it is unknown */
};

/** timers_arm - a timer was armed; returns -1 if memory ran out */
int timers_arm(struct timers *timers, const struct armed_timer *timer);

/** timers_find - the last time that a timer was armed, NULL if it is unknown */
const struct armed_timer *timers_find(const struct timers *timers, uint64_t address);

/** timers_count_jiffies - learn the length of a jiffy from a record with their number */
void timers_count_jiffies(struct timers *timers, int64_t jiffies, int64_t time_ns);

void timers_release(struct timers *timers);

#endif
