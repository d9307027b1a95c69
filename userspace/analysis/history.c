// SPDX-License-Identifier: GPL-2.0-only
/* What is kept of earlier records: names, the ring of segments, timers, flows. */
#include "analysis/internal.h"

#include <stdlib.h>
#include <string.h>

static bool known_name_equals(const void *value, const void *key)
{
	const struct known_name *name = value;

	return text_equals((struct text){ name->text, name->size }, *(const struct text *)key);
}

static struct known_name *name_table_insert(struct name_table *table, struct text text)
{
	struct known_name *name = malloc(sizeof(*name) + text.size + 1);

	if (!name)
		return NULL;
	*name = (struct known_name){ .number = table->nr_names, .size = text.size };
	if (text.size > 0)
		memcpy(name->text, text.data, text.size);
	name->text[text.size] = '\0';
	if (!array_double(table->names, table->nr_names, table->capacity)) {
		free(name);
		return NULL;
	}
	name = map_take(&table->map, hash_text(text), name);
	if (!name)
		return NULL;
	table->names[table->nr_names++] = name;
	table->size += text.size;
	return name;
}

int name_table_init(struct name_table *table)
{
	*table = (struct name_table){ 0 };
	return name_table_insert(table, text_of("")) &&
			       name_table_insert(table, text_of("(other)")) &&
			       name_table_insert(table, text_of("Runnable"))
		       ? 0
		       : -1;
}

uint32_t name_table_add(struct name_table *table, struct text text)
{
	struct known_name *name = map_find(&table->map, hash_text(text), known_name_equals, &text);

	if (!name && table->nr_names < NAMES_MAX && table->size + text.size < NAMES_SIZE_MAX) {
		name = name_table_insert(table, text);
		table->failed |= !name;
	}
	return name ? name->number : NAMES_OTHER;
}

uint32_t name_table_general(struct name_table *table, uint32_t number)
{
	const struct text name = name_table_text(table, number);
	struct buffer general = { 0 };
	size_t size = 0;

	while (size < name.size && !(name.data[size] >= '0' && name.data[size] <= '9'))
		size++;
	if (size == 0 || size == name.size || number == NAMES_OTHER)
		return number;
	buffer_append(&general, name.data, size);
	buffer_append_char(&general, '*');
	number = name_table_add(table, buffer_text(&general));
	table->failed |= general.failed;
	buffer_release(&general);
	return number;
}

void name_table_release(struct name_table *table)
{
	for (size_t i = 0; i < table->nr_names; i++)
		free(table->names[i]);
	free(table->names);
	map_release(&table->map);
	*table = (struct name_table){ 0 };
}

/* The ring of segments, and the lines of threads and CPUs. */

int history_init(struct history *history, uint32_t size)
{
	*history = (struct history){
		.size = size,
		.ring = calloc(size, sizeof(*history->ring)),
		.operations = calloc(HISTORY_OPERATIONS, sizeof(*history->operations)),
		.threads_limit = HISTORY_THREADS_MAX,
	};
	return history->ring && history->operations ? 0 : -1;
}

void history_release(struct history *history)
{
	map_free(&history->threads);
	for (unsigned int i = 0; i < history->nr_cpus; i++)
		free(history->cpus[i]);
	free(history->cpus);
	free(history->gaps);
	free(history->operations);
	free(history->ring);
	*history = (struct history){ 0 };
}

/* Closes the open segment of a line, unless it is empty; the next one has the same content. */
static void line_split(struct history *history, struct segment *open, int64_t time_ns)
{
	uint32_t number;

	if (open->from_ns < time_ns) {
		/* A number of 0 is none: it is skipped when numbers wrap around. */
		number = ++history->nr_segments ? history->nr_segments : ++history->nr_segments;
		open->to_ns = time_ns;
		history->ring[number & (history->size - 1)] = *open;
		open->before = number;
		open->to_ns = INT64_MAX;
	}
	open->from_ns = time_ns;
	open->next_state = THREAD_UNKNOWN;
	open->next_cpu = -1;
}

/* A number of 0 is none. */
uint32_t history_add_operation(struct history *history, const struct operation *operation)
{
	if (++history->nr_operations == 0)
		history->nr_operations++;
	history->operations[history->nr_operations % HISTORY_OPERATIONS] = *operation;
	return history->nr_operations;
}

static bool thread_has_tid(const void *value, const void *key)
{
	return ((const struct thread_history *)value)->tid == *(const int *)key;
}

/* Idle threads share the number 0. */
static int thread_key(int tid, int cpu)
{
	return tid == 0 ? -1 - cpu : tid;
}

struct thread_history *history_thread(const struct history *history, int tid, int cpu)
{
	int key = thread_key(tid, cpu);

	return map_find(&history->threads, hash_number(key), thread_has_tid, &key);
}

/*
 * Frees threads of which the ring has nothing, and that have neither tracks nor open slices. They
 * are removed in place: a smaller table, filled in the order of this one, would be full at its
 * begin long before its end.
 */
static void threads_sweep(struct history *history)
{
	struct map *threads = &history->threads;

	for (size_t i = 0; i < threads->capacity; i++) {
		struct map_slot slot = threads->slots[i];
		struct thread_history *thread = slot.value;

		if (!thread || thread->nr_labels > 0 || thread->nr_tracks > 0 ||
		    segment_before(history, &thread->open))
			continue;
		map_remove(threads, slot.hash, thread);
		free(thread);
		/* Another one may have its slot now. */
		i--;
	}
	history->threads_limit = threads->size * 2 > HISTORY_THREADS_MAX ? threads->size * 2
									 : HISTORY_THREADS_MAX;
}

struct thread_history *history_thread_add(struct history *history, int tid, int cpu)
{
	struct thread_history *thread = history_thread(history, tid, cpu);

	if (thread)
		return thread;
	if (history->threads.size >= history->threads_limit)
		threads_sweep(history);
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return NULL;
	thread->tid = thread_key(tid, cpu);
	thread->prio = PRIO_UNKNOWN;
	thread->open = (struct segment){ .from_ns = history->start_ns,
					 .to_ns = INT64_MAX,
					 .tid = -1,
					 .cpu = -1,
					 .next_cpu = -1 };
	return map_take(&history->threads, hash_number(thread->tid), thread);
}

struct cpu_history *history_cpu_add(struct history *history, int cpu)
{
	struct cpu_history *one;

	if (cpu < 0 || cpu >= HISTORY_CPUS_MAX)
		return NULL;
	if (!array_extend(history->cpus, history->nr_cpus, cpu))
		return NULL;
	one = calloc(1, sizeof(*one));
	if (one)
		one->open = (struct segment){
			.from_ns = history->start_ns, .to_ns = INT64_MAX, .tid = -1, .cpu = cpu
		};
	history->cpus[cpu] = one;
	return one;
}

struct waker history_waker(const struct history *history, int tid, int cpu)
{
	const struct interrupt *interrupt = history_interrupt(history_cpu_find(history, cpu));
	enum context_kind context = interrupt->context;

	/* The idle thread wakes nobody: its interrupt was not recorded. */
	if (tid == 0 && context == CONTEXT_THREAD)
		context = CONTEXT_HARD;
	return (struct waker){ .tid = context == CONTEXT_THREAD ? tid : -1,
			       .cpu = cpu,
			       .context = context,
			       .interrupt = interrupt->name,
			       .operation = interrupt->operation };
}

void history_count_instants(struct thread_history *thread)
{
	struct segment *open = &thread->open;

	for (unsigned int i = 0; i < thread->nr_instants; i++) {
		if (thread->instants[i].count <= open->nr_instants)
			continue;
		open->instant = thread->instants[i].name;
		open->nr_instants = thread->instants[i].count;
	}
}

void history_add_instant(struct thread_history *thread, uint32_t name)
{
	unsigned int i;

	thread->last_instant = name;
	if (thread->open.state != THREAD_RUNNING)
		return;
	for (i = 0; i < thread->nr_instants; i++) {
		if (thread->instants[i].name == name) {
			thread->instants[i].count++;
			return;
		}
	}
	if (i < THREAD_INSTANTS_MAX)
		thread->instants[thread->nr_instants++] = (struct instant_count){ name, 1 };
}

void history_change_thread(struct history *history, struct thread_history *thread,
			   const struct thread_change *change)
{
	struct segment *open = &thread->open;
	uint32_t instant = NAMES_NONE;

	if (!thread->is_seen && open->state == THREAD_UNKNOWN) {
		/*
		 * The first record of a thread's state shows its state before: a thread that is
		 * switched out ran since the recording began, a thread that is woken was blocked.
		 */
		if (change->state == THREAD_BLOCKED || change->state == THREAD_STOPPED ||
		    (change->state == THREAD_RUNNABLE && change->cpu >= 0)) {
			open->state = THREAD_RUNNING;
			open->cpu = change->cpu;
		} else if (change->state == THREAD_RUNNABLE) {
			open->state = THREAD_BLOCKED;
		}
	}
	thread->is_seen = true;
	/* None of its slices goes on, also if another one gets its number. */
	if (change->state == THREAD_ABSENT && thread->nr_labels > 0) {
		thread->gone_ns = change->time_ns;
		thread->nr_labels = 0;
	}
	if (unlikely(thread->last_instant)) {
		history_count_instants(thread);
		thread->nr_instants = 0;
		/* A thread that runs again after an interruption goes on as before. */
		if (change->state == THREAD_BLOCKED) {
			instant = thread->last_instant;
			thread->last_instant = NAMES_NONE;
		}
	}
	open->next_state = change->state;
	open->next_cpu = change->state == THREAD_RUNNABLE && change->cpu < 0 ? change->waker.cpu
									     : change->cpu;
	open->tid = change->waker.tid;
	open->context = change->waker.context;
	open->interrupt = change->waker.interrupt;
	open->operation = change->waker.operation;
	line_split(history, &thread->open, change->time_ns);
	*open = (struct segment){ .from_ns = open->from_ns,
				  .to_ns = INT64_MAX,
				  .before = open->before,
				  .state = change->state,
				  .state_name = change->state_name,
				  .label = thread->nr_labels > 0 ? open->label : NAMES_NONE,
				  .prio = prio_keep(thread->prio),
				  .instant = instant,
				  .tid = -1,
				  .cpu = change->state == THREAD_BLOCKED ? -1 : change->cpu,
				  .next_cpu = -1 };
}

void history_see_thread(struct history *history, struct thread_history *thread, int64_t time_ns,
			int cpu)
{
	const struct segment *open = &thread->open;

	thread->seen_ns = time_ns;
	if (open->state == THREAD_RUNNING && open->cpu == cpu)
		return;
	history_change_thread(history, thread,
			      &(struct thread_change){ .time_ns = time_ns,
						       .state = THREAD_RUNNING,
						       .cpu = cpu,
						       .waker = { .tid = -1, .cpu = cpu } });
}

/* Goes on with a new segment in the same state; the instants of each are counted on their own. */
static void thread_split(struct history *history, struct thread_history *thread, int64_t time_ns)
{
	struct segment *open = &thread->open;

	history_count_instants(thread);
	thread->nr_instants = 0;
	open->next_state = open->state;
	open->next_cpu = open->cpu;
	line_split(history, open, time_ns);
	if (open->state == THREAD_RUNNING) {
		open->instant = NAMES_NONE;
		open->nr_instants = 0;
	}
}

void history_set_prio(struct history *history, struct thread_history *thread, int64_t time_ns,
		      int prio)
{
	struct segment *open = &thread->open;
	struct cpu_history *cpu = open->state == THREAD_RUNNING
					  ? history_cpu_find(history, open->cpu)
					  : NULL;

	thread->prio = prio;
	/* Only the end of a whole wait tells who ended it, and where the thread runs next. */
	if (open->state == THREAD_RUNNING || (open->state == THREAD_RUNNABLE && open->cpu >= 0))
		thread_split(history, thread, time_ns);
	open->prio = prio_keep(prio);
	if (!cpu || cpu->open.tid != thread->tid)
		return;
	line_split(history, &cpu->open, time_ns);
	cpu->open.prio = prio_keep(prio);
}

/* While it ran, its priority may have changed at any time: the more urgent one kept others away. */
void history_leave(struct history *history, struct cpu_history *cpu, struct thread_history *thread,
		   int prio)
{
	uint8_t kept = prio_keep(prio);
	struct segment *at = &cpu->open;

	thread->prio = prio;
	while (kept > 0 && at && at->tid == thread->tid && (at->prio == 0 || at->prio > kept)) {
		at->prio = kept;
		at = segment_before(history, at) ? &history->ring[at->before & (history->size - 1)]
						 : NULL;
	}
}

void history_explain_wake(struct history *history, struct thread_history *thread, int tid,
			  const struct operation *operation)
{
	const struct segment *before = segment_before(history, &thread->open);
	struct segment *blocked = before ? &history->ring[thread->open.before & (history->size - 1)]
					 : NULL;

	if (thread->open.state != THREAD_RUNNABLE || !blocked || blocked->tid != tid ||
	    blocked->operation != 0 ||
	    (blocked->state != THREAD_BLOCKED && blocked->state != THREAD_STOPPED))
		return;
	blocked->operation = history_add_operation(history, operation);
}

/* Sets the innermost slice of a thread, in the same state. */
static void thread_set_label(struct history *history, struct thread_history *thread,
			     int64_t time_ns)
{
	struct segment *open = &thread->open;
	unsigned int nr = thread->nr_labels < THREAD_LABELS_MAX ? thread->nr_labels
								: THREAD_LABELS_MAX;
	uint32_t label = nr > 0 ? thread->labels[nr - 1] : NAMES_NONE;

	if (label == open->label)
		return;
	thread_split(history, thread, time_ns);
	thread->last_instant = NAMES_NONE;
	open->label = label;
}

void history_begin_label(struct history *history, struct thread_history *thread, int64_t time_ns,
			 uint32_t name)
{
	if (thread->nr_labels < THREAD_LABELS_MAX)
		thread->labels[thread->nr_labels] = name;
	thread->nr_labels++;
	thread_set_label(history, thread, time_ns);
}

void history_end_label(struct history *history, struct thread_history *thread, int64_t time_ns,
		       uint32_t name)
{
	unsigned int i;

	if (thread->nr_labels == 0)
		return;
	if (thread->nr_labels-- > THREAD_LABELS_MAX)
		return;
	/* Slices of different tracks may end in any order. */
	for (i = thread->nr_labels; i > 0 && thread->labels[i] != name; i--)
		;
	for (; i < thread->nr_labels; i++)
		thread->labels[i] = thread->labels[i + 1];
	thread_set_label(history, thread, time_ns);
}

void history_begin_handler(struct history *history, struct thread_history *thread, int64_t time_ns,
			   uint32_t name)
{
	thread_split(history, thread, time_ns);
	thread->last_instant = NAMES_NONE;
	thread->handler = name;
	thread->handler_ns = time_ns;
}

void history_end_handler(struct history *history, struct thread_history *thread)
{
	uint16_t label = thread->open.label;
	struct segment *at = &thread->open;

	/* Not that of slices in it. */
	while (at && thread->handler_ns > 0 && at->from_ns >= thread->handler_ns) {
		if (at->label == label)
			at->label = thread->handler;
		at = segment_before(history, at) ? &history->ring[at->before & (history->size - 1)]
						 : NULL;
	}
	thread->handler_ns = 0;
}

const struct interrupt *history_interrupt(const struct cpu_history *cpu)
{
	static const struct interrupt none;
	unsigned int nr = cpu ? cpu->nr_interrupts : 0;

	if (nr > CPU_INTERRUPTS_MAX)
		nr = CPU_INTERRUPTS_MAX;
	return nr > 0 ? &cpu->interrupts[nr - 1] : &none;
}

void history_run_thread(struct history *history, struct cpu_history *cpu, int64_t time_ns, int tid)
{
	const struct interrupt *interrupt = history_interrupt(cpu);
	struct segment *open = &cpu->open;

	line_split(history, &cpu->open, time_ns);
	open->interrupt = interrupt->name;
	open->context = interrupt->context;
	open->label = cpu->nr_interrupts;
	if (open->tid != tid)
		open->prio = 0;
	open->tid = tid;
}

/** BATCH_NS - limit of the time between soft interrupts that are handled one after the other */
#define BATCH_NS 10000

/* Whether an interrupt follows those of a batch at once, on top of the same thread. */
static bool batch_continues(const struct cpu_history *cpu, int64_t time_ns)
{
	const struct interrupt_batch *batch = &cpu->batch;

	return batch->ended.context != CONTEXT_THREAD && batch->tid == cpu->open.tid &&
	       time_ns - batch->ended_ns <= RAISE_NS;
}

/*
 * Who raised a soft interrupt of which no raise was recorded. The hard interrupt that ended just
 * before it. In a batch without such: the soft one that was raised last, or else the timer that
 * expired. Without a batch: the thread on which it runs.
 */
static bool raiser_guess(const struct history *history, const struct cpu_history *cpu,
			 int64_t time_ns, bool is_deferred, struct operation *raise)
{
	const struct interrupt_batch *batch = &cpu->batch;
	const struct thread_history *thread = history_thread(history, cpu->open.tid, cpu->open.cpu);
	bool is_batch = batch_continues(cpu, time_ns);
	const struct interrupt *by = &batch->ended;

	raise->begin_ns = is_batch ? batch->ended_ns : time_ns;
	if (is_batch && (by->context != CONTEXT_HARD || by->is_tick)) {
		by = batch->raised.operation ? &batch->raised : &batch->timer;
		raise->is_probable = true;
		if (batch->is_hard || by->name == NAMES_NONE || batch->is_mixed ||
		    time_ns - batch->ended_ns > BATCH_NS)
			return false;
	}
	if (is_batch) {
		raise->writer = (struct waker){ .tid = -1,
						.cpu = cpu->open.cpu,
						.context = by->context,
						.interrupt = by->name,
						.operation = by->operation };
		return true;
	}
	raise->is_probable = true;
	raise->writer = history_waker(history, cpu->open.tid, cpu->open.cpu);
	raise->writer.interrupt = thread ? thread->open.label : NAMES_NONE;
	return cpu->open.tid > 0 && !is_deferred && raise->writer.context == CONTEXT_THREAD;
}

/* A timer in a soft interrupt has ended. */
static void batch_add_timer(struct interrupt_batch *batch, const struct interrupt *timer,
			    int64_t time_ns)
{
	int64_t ns = time_ns - timer->begin_ns;

	batch->is_mixed |= batch->timer.name != NAMES_NONE && batch->timer.name != timer->name;
	if (batch->timer.name != NAMES_NONE && ns <= batch->timer_ns)
		return;
	batch->timer = *timer;
	batch->timer_ns = ns;
}

/* What led to a soft interrupt, as an operation; 0 if that is unknown. */
static uint32_t raise_take(struct history *history, struct cpu_history *cpu, int64_t time_ns,
			   const struct interrupt *interrupt)
{
	struct operation one = { .name = interrupt->name,
				 .kind = OPERATION_RAISE,
				 .due_ns = INT64_MAX };

	for (size_t i = 0; i < SOFT_INTERRUPTS; i++) {
		struct raise *raise = &cpu->raises[i];

		if (raise->name != interrupt->name || !raise->is_pending)
			continue;
		raise->is_pending = false;
		one.begin_ns = raise->time_ns;
		one.writer = raise->writer;
		one.is_probable = raise->is_mixed;
		return history_add_operation(history, &one);
	}
	return raiser_guess(history, cpu, time_ns, interrupt->is_deferred, &one)
		       ? history_add_operation(history, &one)
		       : 0;
}

void history_raise(struct history *history, uint32_t name, int64_t time_ns,
		   const struct waker *writer)
{
	struct cpu_history *cpu = history_cpu_find(history, writer->cpu);

	for (size_t i = 0; cpu && i < SOFT_INTERRUPTS; i++) {
		struct raise *raise = &cpu->raises[i];

		if (raise->name != NAMES_NONE && raise->name != name)
			continue;
		if (raise->is_pending) {
			/* It is also raised when it is already pending: the first one counts. */
			raise->is_mixed |= raise->writer.context != writer->context ||
					   raise->writer.tid != writer->tid;
			return;
		}
		*raise = (struct raise){
			.name = name, .is_pending = true, .time_ns = time_ns, .writer = *writer
		};
		return;
	}
}

void history_begin_interrupt(struct history *history, struct cpu_history *cpu, int64_t time_ns,
			     struct interrupt interrupt)
{
	if (interrupt.is_raised)
		interrupt.operation = raise_take(history, cpu, time_ns, &interrupt);
	else if (cpu->expired.operation > 0 && cpu->expired.name == interrupt.name)
		interrupt.operation = cpu->expired.operation;
	cpu->expired = (struct interrupt){ 0 };
	interrupt.begin_ns = time_ns;
	if (cpu->nr_interrupts == 0 && !batch_continues(cpu, time_ns))
		cpu->batch = (struct interrupt_batch){ 0 };
	if (cpu->nr_interrupts < CPU_INTERRUPTS_MAX)
		cpu->interrupts[cpu->nr_interrupts] = interrupt;
	cpu->nr_interrupts++;
	history_run_thread(history, cpu, time_ns, cpu->open.tid);
}

void history_end_interrupt(struct history *history, struct cpu_history *cpu, int64_t time_ns)
{
	if (cpu->nr_interrupts == 0)
		return;
	if (--cpu->nr_interrupts == 0) {
		const struct interrupt *ended = &cpu->interrupts[0];

		cpu->batch.ended = *ended;
		cpu->batch.ended_ns = time_ns;
		cpu->batch.tid = cpu->open.tid;
		cpu->batch.is_hard |= ended->context == CONTEXT_HARD && !ended->is_tick;
		if (ended->is_raised)
			cpu->batch.raised = *ended;
	} else if (cpu->nr_interrupts == 1 && cpu->interrupts[1].context == CONTEXT_SOFT) {
		batch_add_timer(&cpu->batch, &cpu->interrupts[1], time_ns);
	}
	history_run_thread(history, cpu, time_ns, cpu->open.tid);
}

void history_end_operation(struct history *history, struct cpu_history *cpu,
			   const struct operation *operation)
{
	const struct operation *raise = history_operation(history, history_interrupt(cpu)->operation);
	struct operation one = *operation;
	uint32_t number;

	if (raise && raise->kind == OPERATION_RAISE)
		one.raise = history_interrupt(cpu)->operation;
	number = history_add_operation(history, &one);
	if (cpu->nr_interrupts > 0 && cpu->nr_interrupts <= CPU_INTERRUPTS_MAX)
		cpu->interrupts[cpu->nr_interrupts - 1].operation = number;
}

void history_expire(struct history *history, struct cpu_history *cpu, const struct operation *timer)
{
	const struct interrupt *open = history_interrupt(cpu);

	if (open->name == timer->name && open->operation == 0)
		history_end_operation(history, cpu, timer);
	else
		cpu->expired = (struct interrupt){
			.name = timer->name, .operation = history_add_operation(history, timer)
		};
}

struct operation *history_operation(const struct history *history, uint32_t number)
{
	if (number == 0 || history->nr_operations - number >= HISTORY_OPERATIONS)
		return NULL;
	return &history->operations[number % HISTORY_OPERATIONS];
}

/** BESIDE_BEFORE, BESIDE_BEHIND - limits of operations, by their end, with which a request is compared */
#define BESIDE_BEFORE 256
#define BESIDE_BEHIND 32

/* The device of a request of the pack block, as "@254,0" of "block:request/R 4096@254,0"; or nothing. */
static struct text request_device(const struct name_table *names, const struct operation *request)
{
	const struct text name = name_table_text(names, request->name);
	const char *device = memrchr(name.data, '@', name.size);

	if (request->end_ns == 0 || !device || !text_begins(name, text_of("block:")))
		return (struct text){ 0 };
	return (struct text){ device, name.data + name.size - device };
}

/* For how long a device had both requests, of different threads; 0 if they are of different devices. */
static int64_t requests_overlap_ns(const struct name_table *names, const struct operation *request,
				   const struct operation *other)
{
	int64_t begin_ns = other->begin_ns, end_ns = other->end_ns;

	if (end_ns == 0 || other->writer.tid <= 0 || other->writer.tid == request->writer.tid ||
	    !text_equals(request_device(names, other), request_device(names, request)))
		return 0;
	begin_ns = begin_ns > request->begin_ns ? begin_ns : request->begin_ns;
	end_ns = end_ns < request->end_ns ? end_ns : request->end_ns;
	return end_ns - begin_ns;
}

const struct operation *history_find_beside(const struct history *history,
					    const struct name_table *names,
					    const struct operation *request)
{
	uint32_t last = history->nr_operations, at = request - history->operations;
	uint32_t number = last - (last - at) % HISTORY_OPERATIONS;
	int64_t longest_ns = (request->end_ns - request->begin_ns) / 2;
	const struct operation *found = NULL;
	bool is_behind = true;

	if (request_device(names, request).size == 0)
		return NULL;
	/* From the last one backwards: those that ended before the request began are no rivals. */
	for (uint32_t i = 1; i <= BESIDE_BEHIND + BESIDE_BEFORE; i++) {
		const struct operation *other =
			history_operation(history, number + BESIDE_BEHIND + 1 - i);
		int64_t ns = other ? requests_overlap_ns(names, request, other) : 0;

		is_behind &= other != request;
		if (!is_behind &&
		    (!other || (other->end_ns > 0 && other->end_ns <= request->begin_ns)))
			break;
		if (ns <= longest_ns)
			continue;
		longest_ns = ns;
		found = other;
	}
	return found;
}

int history_lose(struct history *history, int cpu, int64_t from_ns, int64_t to_ns)
{
	struct cpu_history *lossy = history_cpu_find(history, cpu);
	size_t at = history->nr_gaps;
	struct history_gap *gaps;

	/* The begin of a soft interrupt that was raised may be lost: the next one is another. */
	for (size_t i = 0; lossy && i < SOFT_INTERRUPTS; i++)
		lossy->raises[i].is_pending = false;
	if (at == HISTORY_GAPS_MAX) {
		struct history_gap *gap = &history->gaps[at - 1];

		/* Fewer gaps that cover more: what was undecided stays so. */
		gap->cpu = -1;
		gap->from_ns = from_ns < gap->from_ns ? from_ns : gap->from_ns;
		gap->to_ns = to_ns > gap->to_ns ? to_ns : gap->to_ns;
		gap->until_ns = to_ns > gap->until_ns ? to_ns : gap->until_ns;
		return 0;
	}
	if (!array_reserve(history->gaps, at))
		return -1;
	gaps = history->gaps;
	for (; at > 0 && gaps[at - 1].from_ns > from_ns; at--)
		gaps[at] = gaps[at - 1];
	gaps[at] = (struct history_gap){ .cpu = cpu, .from_ns = from_ns, .to_ns = to_ns };
	history->nr_gaps++;
	for (; at < history->nr_gaps; at++) {
		int64_t until_ns = at > 0 ? gaps[at - 1].until_ns : INT64_MIN;

		gaps[at].until_ns = until_ns > gaps[at].to_ns ? until_ns : gaps[at].to_ns;
	}
	return 0;
}

static bool gap_begins_before(const void *member, const void *key)
{
	const struct history_gap *gap = member;
	const int64_t *time_ns = key;

	return gap->from_ns < *time_ns;
}

bool history_find_gap(const struct history *history, int cpu, int64_t *from_ns, int64_t *to_ns)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (size_t i = sorted_count(history->gaps, history->nr_gaps, sizeof(*history->gaps),
				     gap_begins_before, to_ns);
	     i > 0; i--) {
		const struct history_gap *gap = &history->gaps[i - 1];

		if (gap->until_ns <= *from_ns)
			break;
		if (gap->to_ns <= *from_ns || (cpu >= 0 && gap->cpu >= 0 && gap->cpu != cpu))
			continue;
		first = gap->from_ns;
		last = gap->to_ns > last ? gap->to_ns : last;
	}
	if (first == INT64_MAX)
		return false;
	*from_ns = first > *from_ns ? first : *from_ns;
	*to_ns = last < *to_ns ? last : *to_ns;
	return true;
}

/* A table of timers by their addresses. */

/** JIFFIES_MIN - number of jiffies over which their length is measured at least */
#define JIFFIES_MIN 4

static bool timer_has_address(const void *value, const void *key)
{
	return ((const struct armed_timer *)value)->address == *(const uint64_t *)key;
}

int timers_arm(struct timers *timers, const struct armed_timer *timer)
{
	uint64_t hash = hash_number(timer->address);
	struct armed_timer *kept = map_find(&timers->map, hash, timer_has_address, &timer->address);

	if (!kept) {
		if (timers->map.size >= TIMERS_MAX)
			timers_release(timers);
		kept = map_take(&timers->map, hash, malloc(sizeof(*kept)));
		if (!kept)
			return -1;
	}
	*kept = *timer;
	return 0;
}

const struct armed_timer *timers_find(const struct timers *timers, uint64_t address)
{
	return map_find(&timers->map, hash_number(address), timer_has_address, &address);
}

void timers_count_jiffies(struct timers *timers, int64_t jiffies, int64_t time_ns)
{
	int64_t passed;

	if (__builtin_sub_overflow(jiffies, timers->first_jiffies, &passed))
		passed = 0;
	if (!timers->has_jiffies) {
		timers->has_jiffies = true;
		timers->first_jiffies = jiffies;
		timers->first_ns = time_ns;
	} else if (passed >= JIFFIES_MIN) {
		timers->jiffy_ns = (time_ns - timers->first_ns) / passed;
	}
}

void timers_release(struct timers *timers)
{
	map_free(&timers->map);
}

/* A table of flows and their latest records. */

uint64_t hop_key(const struct field *flow)
{
	return hash_number(flow->value.unsigned_number + hash_text(flow->name));
}

static bool hop_flow_has_key(const void *value, const void *key)
{
	return ((const struct hop_flow *)value)->key == *(const uint64_t *)key;
}

const struct hop_flow *hop_flows_find(const struct hop_flows *flows, uint64_t key)
{
	return map_find(&flows->map, key, hop_flow_has_key, &key);
}

int hop_flows_add(struct hop_flows *flows, uint64_t key, const struct hop *hop)
{
	struct hop_flow *flow = map_find(&flows->map, key, hop_flow_has_key, &key);

	if (!flow) {
		if (flows->map.size >= HOPS_FLOWS_MAX)
			hop_flows_release(flows);
		flow = map_take(&flows->map, key, calloc(1, sizeof(*flow)));
		if (!flow)
			return -1;
		flow->key = key;
	}
	flow->hops[flow->nr_hops++ % HOPS_MAX] = *hop;
	return 0;
}

const struct hop *hop_get(const struct hop_flow *flow, unsigned int number)
{
	if (number >= flow->nr_hops || number >= HOPS_MAX)
		return NULL;
	return &flow->hops[(flow->nr_hops - 1 - number) % HOPS_MAX];
}

void hop_flows_release(struct hop_flows *flows)
{
	map_free(&flows->map);
}

/* A thread wrote a record, of which that was not the last one that runs on the CPU. */
static out_of_line void see_other_writer(struct why_sink *why, struct thread_history *thread,
					 const struct timeline_event *event)
{
	const struct cpu_history *cpu = history_cpu_find(&why->history, event->cpu);

	if (event->tid <= 0 || event->cpu < 0)
		return;
	if (!thread || thread->tid != event->tid) {
		/* The usual case: the CPU's last switch was to this thread. */
		if (cpu && cpu->open.tid == event->tid)
			return;
		thread = history_thread_add(&why->history, event->tid, event->cpu);
	}
	if (thread)
		history_see_thread(&why->history, thread, event->time_ns, event->cpu);
}

void why_see_writer(struct why_sink *why, const struct why_track *track,
		    const struct timeline_event *event)
{
	struct thread_history *thread = track->thread;

	/* The usual case, again. */
	if (thread && thread->tid == event->tid && thread->tid > 0 &&
	    thread->open.state == THREAD_RUNNING && thread->open.cpu == event->cpu)
		thread->seen_ns = event->time_ns;
	else
		see_other_writer(why, thread, event);
}

uint32_t why_name_find(struct why_sink *why, struct timeline_name *name)
{
	uint32_t number = name_table_add(&why->names, name->text);

	/* The number of an empty name is 0, which is looked up each time. */
	if (name->is_counted)
		name->sink_data[why->sink.index] = (void *)(uintptr_t)number;
	return number;
}
