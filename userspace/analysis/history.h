/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What threads and CPUs did lately: a ring of segments, each a state of one thread or CPU from one
 * time to another. Segments of one line, a thread's or a CPU's, are linked backwards.
 */
#ifndef ANALYSIS_HISTORY_H
#define ANALYSIS_HISTORY_H

#include "analysis/names.h"

/** HISTORY_SIZE - number of segments in the ring, a power of two: 24 MiB */
#define HISTORY_SIZE (UINT32_C(1) << 19)

/** HISTORY_GAPS_MAX - limit of losses; later ones extend the last one */
#define HISTORY_GAPS_MAX 4096

/** HISTORY_THREADS_MAX - number of threads above which those without segments and tracks are freed
 */
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

enum thread_state {
	THREAD_UNKNOWN,
	THREAD_RUNNING,
	THREAD_RUNNABLE,
	THREAD_BLOCKED,
	THREAD_STOPPED,
	THREAD_ABSENT,
};

/** HISTORY_OPERATIONS - number of operations that are kept, a power of two */
#define HISTORY_OPERATIONS (UINT32_C(1) << 13)

/** THREAD_INSTANTS_MAX - names of instants that are counted while a thread is in one segment */
#define THREAD_INSTANTS_MAX 4

/** enum context_kind - where a CPU is; only names of interrupts are inherited */
enum context_kind {
	CONTEXT_THREAD,
	CONTEXT_HARD,
	CONTEXT_SOFT,
	CONTEXT_INHERITED,
};

/**
 * struct segment - a state of a thread or of a CPU
 * @from_ns, @to_ns: when; @to_ns of an open segment is INT64_MAX
 * @before: number of the previous segment of the line, 0 for none
 * @tid: of CPUs: the thread that runs, -1 if unknown; of threads: the one that woke it, -1 for none
 * @operation: number of the operation whose end woke the blocked thread, or that ended last in the
 * CPU's interrupt; 0 for none
 * @nr_instants: of running threads: how often @instant occurred
 * @label: of threads: name of the innermost open slice
 * @state_name: of blocked and stopped threads: "D", ...
 * @stack: of blocked and stopped threads: name of the kernel stack, if it was recorded
 * @interrupt: of CPUs: the innermost interrupt; of threads: the interrupt that woke the thread, or
 * the innermost slice of the thread that did
 * @instant: of running threads: the most frequent instant; of blocked ones: the last one before
 * @cpu: of running and preempted threads: their CPU; otherwise -1
 * @next_cpu: CPU of the record that ended it; of runnable threads this is where they run
 * @context: of CPUs: the kind of the interrupt; of threads: context of the waker
 */
struct segment {
	int64_t from_ns;
	int64_t to_ns;
	uint32_t before;
	int32_t tid;
	uint32_t operation;
	uint32_t nr_instants;
	uint16_t label;
	uint16_t state_name;
	uint16_t stack;
	uint16_t interrupt;
	uint16_t instant;
	int16_t cpu;
	int16_t next_cpu;
	uint8_t state : 3;
	uint8_t next_state : 3;
	uint8_t context : 2;
};
_Static_assert(sizeof(struct segment) == 48, "the ring has 24 MiB");
_Static_assert(NAMES_MAX - 1 <= UINT16_MAX, "names of segments");

/** struct line - the segments of a thread or CPU; the last one is open */
struct line {
	struct segment open;
};

/**
 * struct line_cursor - where a walk backwards over a line is
 * @walk: number of the walk that it is valid for
 * @at: the segment; NULL before the first one that is left
 * @was_overwritten: of a NULL @at: there were earlier segments
 */
struct line_cursor {
	unsigned int walk;
	const struct segment *at;
	bool was_overwritten;
};

/** struct instant_count - how often an instant occurred */
struct instant_count {
	uint32_t name;
	uint32_t count;
};

/**
 * struct thread_history - a thread
 * @tid: its number; -1 - CPU for an idle thread
 * @comm: number of its name
 * @prio: the kernel's number of its priority, PRIO_UNKNOWN if it is unknown
 * @is_seen: there was a record about its state
 * @seen_ns: time of the last record that it wrote
 * @nr_tracks: number of tracks that refer to it
 * @cursor: of the walk that visited it last
 * @labels: open slices, the outermost first; @nr_labels may be above THREAD_LABELS_MAX
 * @instants: those of the open segment
 * @last_instant: the last one since the thread waited, or its innermost slice changed
 */
struct thread_history {
	int tid;
	uint32_t comm;
	int16_t prio;
	bool is_seen;
	struct line line;
	int64_t seen_ns;
	uint32_t labels[THREAD_LABELS_MAX];
	unsigned int nr_labels;
	unsigned int nr_tracks;
	struct instant_count instants[THREAD_INSTANTS_MAX];
	unsigned int nr_instants;
	uint32_t last_instant;
	struct line_cursor cursor;
};

/** struct interrupt - an interrupt that is open on a CPU */
struct interrupt {
	uint32_t name;
	enum context_kind context;
};

/**
 * struct cpu_history - a CPU
 * @interrupts: open ones, the outermost first; @nr_interrupts may be above CPU_INTERRUPTS_MAX
 * @operation: number of the one that ended last in the open interrupts, 0 for none
 * @cursor: of the walk that visited it last
 */
struct cpu_history {
	struct line line;
	struct interrupt interrupts[CPU_INTERRUPTS_MAX];
	unsigned int nr_interrupts;
	uint32_t operation;
	struct line_cursor cursor;
};

/**
 * struct waker - who wrote a record that changed a thread's state, and where
 * @interrupt: as in struct segment
 */
struct waker {
	int tid;
	int cpu;
	enum context_kind context;
	uint32_t interrupt;
	uint32_t operation;
};

/**
 * struct operation - a request or a timer, which ended in an interrupt
 * @begin_ns: its begin, by @writer
 * @due_ns: when it should have ended; INT64_MAX if that is unknown
 */
struct operation {
	uint32_t name;
	int64_t begin_ns;
	int64_t due_ns;
	struct waker writer;
};

/**
 * struct history_gap - a loss
 * @until_ns: the latest end of this one and all before it
 */
struct history_gap {
	int cpu;
	int64_t from_ns;
	int64_t to_ns;
	int64_t until_ns;
};

/**
 * struct history - all lines
 * @start_ns: the recording's start
 * @ring: segments by their number, modulo HISTORY_SIZE
 * @nr_segments: how many there were; the number of the last one
 * @has_states: states of threads are recorded
 * @has_interrupts: interrupts are recorded
 * @threads: by number; threads without use are freed when there are @threads_limit
 * @gaps: by @from_ns
 * @operations: by their number, modulo HISTORY_OPERATIONS
 * @nr_operations: how many there were; the number of the last one
 */
struct history {
	int64_t start_ns;
	struct segment *ring;
	uint32_t nr_segments;
	bool has_states;
	bool has_interrupts;
	struct map threads;
	size_t threads_limit;
	struct cpu_history **cpus;
	unsigned int nr_cpus;
	struct history_gap *gaps;
	size_t nr_gaps;
	struct operation *operations;
	uint32_t nr_operations;
};

/** history_init - an empty history; returns -1 if memory ran out */
int history_init(struct history *history);

void history_release(struct history *history);

/** history_thread - the thread of a number, NULL if it has no history; idle threads by CPU */
struct thread_history *history_thread(const struct history *history, int tid, int cpu);

/** history_thread_add - the thread of a number, a new one if needed; NULL if memory ran out */
struct thread_history *history_thread_add(struct history *history, int tid, int cpu);

/** history_cpu - a CPU, a new one if needed; NULL if memory ran out or the number is too large */
struct cpu_history *history_cpu(struct history *history, int cpu);

/** history_cpu_find - a CPU, NULL if it has no history */
static inline struct cpu_history *history_cpu_find(const struct history *history, int cpu)
{
	return cpu >= 0 && (unsigned int)cpu < history->nr_cpus ? history->cpus[cpu] : NULL;
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

/**
 * history_see_thread - a thread wrote a record on @cpu, so it runs there
 *
 * Without a record of its switch the segment begins now.
 */
void history_see_thread(struct history *history, struct thread_history *thread, int64_t time_ns,
			int cpu);

/** history_begin_label, history_end_label - a slice begins or ends on a thread */
void history_begin_label(struct history *history, struct thread_history *thread, int64_t time_ns,
			 uint32_t name);
void history_end_label(struct history *history, struct thread_history *thread, int64_t time_ns,
		       uint32_t name);

/** history_run_thread - a CPU runs another thread; -1 if that is unknown */
void history_run_thread(struct history *history, struct cpu_history *cpu, int64_t time_ns, int tid);

/** history_begin_interrupt, history_end_interrupt - an interrupt begins or ends on a CPU */
void history_begin_interrupt(struct history *history, struct cpu_history *cpu, int64_t time_ns,
			     struct interrupt interrupt);
void history_end_interrupt(struct history *history, struct cpu_history *cpu, int64_t time_ns);

/** history_interrupt - the innermost interrupt of a CPU; a zeroed one if it is in none */
struct interrupt history_interrupt(const struct cpu_history *cpu);

/** history_add_instant - an instant occurs on a thread */
void history_add_instant(struct thread_history *thread, uint32_t name);

/** history_count_instants - note the most frequent instant of a thread's open segment in it */
void history_count_instants(struct thread_history *thread);

/** history_end_operation - an operation ends in the open interrupt of a CPU */
void history_end_operation(struct history *history, struct cpu_history *cpu,
			   const struct operation *operation);

/** history_operation - the operation of a number; NULL if there is none or it was overwritten */
const struct operation *history_operation(const struct history *history, uint32_t number);

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

/** segment_before - the previous segment of the line, NULL if there is none or it was overwritten
 */
static inline const struct segment *segment_before(const struct history *history,
						   const struct segment *segment)
{
	uint32_t number = segment->before;

	if (number == 0 || history->nr_segments - number >= HISTORY_SIZE)
		return NULL;
	return &history->ring[number % HISTORY_SIZE];
}

/**
 * line_seek - the segment of a line just before @time_ns
 * @walk: its number; within a walk times only become earlier
 *
 * Returns NULL if there is none or it was overwritten.
 */
static inline const struct segment *line_seek(const struct history *history,
					      const struct line *line, struct line_cursor *cursor,
					      unsigned int walk, int64_t time_ns)
{
	if (cursor->walk != walk)
		*cursor = (struct line_cursor){ .walk = walk, .at = &line->open };
	while (cursor->at && cursor->at->from_ns >= time_ns) {
		cursor->was_overwritten = cursor->at->before != 0;
		cursor->at = segment_before(history, cursor->at);
	}
	return cursor->at;
}

#endif
