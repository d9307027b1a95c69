// SPDX-License-Identifier: GPL-2.0-only
/* Embeds the packs. The assembler reads them, by their path from the top of the tree. */
#include "rules/rules.h"

#define PACK(name)                                                             \
	__asm__(".pushsection .rodata\npack_" #name ":\n"                      \
		".incbin \"userspace/rules/packs/" #name ".rules\"\n.byte 0\n" \
		".popsection\n");                                              \
	extern const char pack_##name[] __attribute__((visibility("hidden")))

PACK(irq);
PACK(irq_rt);
PACK(sched);
PACK(syscalls);
PACK(block);
PACK(workqueue);
PACK(locks);
PACK(net);
PACK(memory);
PACK(fs);
PACK(timers);
PACK(writeback);
PACK(rt);
PACK(marker);

#define KERNELS "6.1, 6.12"

const struct rule_pack rule_packs[] = {
	{ "irq", "hard and soft interrupts, IPIs and timers, by CPU", pack_irq, KERNELS },
	{ "sched", "running threads by CPU, states of threads, wake-ups", pack_sched, KERNELS },
	{ "syscalls", "system calls, by thread", pack_syscalls, KERNELS },
	{ "block", "block requests, by device", pack_block, KERNELS },
	{ "workqueue", "work items, by thread", pack_workqueue, KERNELS },
	{ "locks", "waits for contended locks, by thread", pack_locks, KERNELS },
	{ "net", "reception and transmission of packets", pack_net, KERNELS },
	{ "memory", "page faults, reclaim and compaction, by thread", pack_memory, KERNELS },
	{ "fs", "ext4 and jbd2, by thread and device", pack_fs, KERNELS },
	{ "timers", "timers that are armed and expire", pack_timers, KERNELS },
	{ "writeback", "writers that wait for dirty pages, and writeback", pack_writeback, KERNELS },
	{ "rt", "records of the tracers osnoise and timerlat, by CPU", pack_rt, "6.12-rt" },
	{ "marker", "what programs write to trace_marker, by thread and process", pack_marker, KERNELS },
	{ 0 },
};

int rules_set_realtime(struct rules *rules, struct error *error)
{
	if (!rules_omit_of(rules, "irq:cpu", rule_packs[0].name))
		return 0;
	return rules_add_text(rules, text_of(pack_irq_rt), rule_packs[0].name, error);
}

const struct rule_pack *rule_pack_find(struct text name)
{
	for (const struct rule_pack *pack = rule_packs; pack->name; pack++) {
		if (text_equals(name, text_of(pack->name)))
			return pack;
	}
	return NULL;
}
