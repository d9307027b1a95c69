/* SPDX-License-Identifier: GPL-2.0-only */
/* The test module's objects: scenarios, their steps, and the current run. */
#ifndef KTRACK_TEST_H
#define KTRACK_TEST_H

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define TEST_NR_ROUNDS_MAX	10000000

/* The context that writes a step's records. */
enum test_context {
	TEST_IN_TASK,		/* the process that writes to the device */
	TEST_IN_SPINLOCK,	/* the same, with a raw spinlock locked and interrupts off */
	TEST_IN_SOFTIRQ,
	TEST_IN_HARDIRQ,
	TEST_IN_NMI,
	TEST_ON_EVERY_CPU,	/* all of them at once, by interrupts on other CPUs */
	TEST_NR_CONTEXTS
};

/* In the order of ktrack_test_trace.h. */
enum test_event_index {
	TEST_THREAD,
	TEST_THREAD_TRACK,
	TEST_TGID,
	TEST_TGID_TRACK,
	TEST_CPU,
	TEST_CPU_TRACK,
	TEST_LANE,
	TEST_ID_TRACK,
	TEST_FIELDS,
	TEST_TWIN,
	TEST_OTHER_TWIN,
	TEST_S8,
	TEST_U8,
	TEST_S16,
	TEST_U16,
	TEST_S32,
	TEST_U32,
	TEST_S64,
	TEST_U64,
	TEST_LEVEL_TGID,
	TEST_LEVEL_CPU,
	TEST_LEVEL_ID,
	TEST_MACROS,		/* every macro, for all kinds of attributes */
	TEST_NR_EVENTS
};

/* What a request does. */
enum test_op {
	TEST_READ,
	TEST_WRITE,
};

/* The type of a counter's step; it is not in the record. */
#define TEST_TYPE_SAMPLE	'C'

/*
 * One record, or several in a row. Scope and track are ignored if the tracepoint lacks them; the
 * scopes of processes and CPUs are the writer's and the current one.
 */
struct test_step {
	char type;			/* of a slice record, or TEST_TYPE_SAMPLE */
	bool is_numbered;		/* name or value contains the record's number in the step */
	bool on_second_cpu;
	enum test_event_index event;
	enum test_context context;
	u32 times;			/* 0 means once */
	const char *name;
	const char *track;
	u64 scope;
	u64 value;			/* of a counter, signed or not */
};

struct test_scenario {
	const char *name;
	const struct test_step *steps;
	u32 nr_steps;
};

/* One record to be written. */
struct test_record {
	const struct test_step *step;
	u32 number;			/* of the step's records, from 0 */
	u32 sequence;
	s32 tgid;
	s32 cpu;
	void (*emit_twin)(char type, const char *name, u32 sequence);
};

struct test_event {
	const char *name;
	const char *scope;		/* the field, NULL for none */
	const char *track;		/* the same */
	void (*emit)(const struct test_record *record);
};

/* One write to the device. */
struct test_run {
	const struct test_scenario *scenario;
	const struct test_step *step;	/* the current step and its record */
	u32 number;
	s32 tgid;
	int cpus[2];			/* the CPUs of steps; equal if there is only one */
	void (*emit_twin)(char type, const char *name, u32 sequence);
	cpumask_var_t affinity;		/* of the writer, restored after the run */

	raw_spinlock_t lock;
	struct tasklet_struct tasklet;
	struct irq_work irq_work;
	struct completion done;
};

/* test/scenarios.c */
extern const struct test_scenario test_scenarios[];
extern const u32 test_nr_scenarios;
const struct test_scenario *test_scenario_find(const char *name);

/* test/events.c */
extern const struct test_event test_events[TEST_NR_EVENTS];

/* test/count.c */
void test_counts_reset(void);
u32 test_count_record(void);
u32 test_count_fired(unsigned int cpu);
u32 test_count_sequence(unsigned int cpu);

/* test/context.c */
extern const char *const test_context_names[TEST_NR_CONTEXTS];
void test_contexts_init(struct test_run *run);
void test_contexts_release(struct test_run *run);
int test_emit_in_context(struct test_run *run);
void test_emit(const struct test_run *run);

/* test/nmi.c */
int test_nmi_register(void);
void test_nmi_unregister(void);
int test_emit_in_nmi(struct test_run *run);

/* test/run.c */
int test_run_rounds(const struct test_scenario *scenario, u32 nr_rounds);

/* test/load.c */
int test_load_run(const struct test_scenario *scenario, u32 nr_rounds, u32 rounds_per_s);

/* test/device.c */
int test_device_register(void);
int test_device_run(const char *name, u32 nr_rounds, u32 rate);
void test_device_unregister(void);

/* test/requests.c */
int test_requests_run(u32 nr_rounds);
u64 test_flow_new(void);

/* test/macros.c */
void test_emit_macros(const struct test_record *record);
int test_macros_run(u32 nr_rounds);

/* test/incidents.c */
int test_incident_run(const char *name, u32 ms);

/* test/list.c */
struct seq_file;
void test_list_all(struct seq_file *file);

#endif
