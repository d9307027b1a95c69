// SPDX-License-Identifier: GPL-2.0-only
/* Embeds the packs. The assembler reads them, by their path from the top of the tree. */
#include "rules/rules.h"

#include <string.h>

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
PACK(printk);
PACK(functions);
PACK(power);
PACK(signal);
PACK(reclaim);
PACK(bio);

#define KERNELS "6.1, 6.12"

const struct rule_pack rule_packs[] = {
	{ "irq", "hard and soft interrupts, IPIs and timers, by CPU", pack_irq, KERNELS,
	  .realtime = pack_irq_rt },
	{ "sched", "running threads by CPU, states of threads, wake-ups", pack_sched, KERNELS },
	{ "syscalls", "system calls, by thread", pack_syscalls, KERNELS },
	{ "block", "block requests, by device", pack_block, KERNELS },
	{ "workqueue", "work items, by thread", pack_workqueue, KERNELS },
	{ "locks", "waits for contended locks, by thread", pack_locks, KERNELS },
	{ "net", "reception and transmission of packets", pack_net, KERNELS },
	{ "memory", "page faults, reclaim and compaction, by thread", pack_memory, KERNELS },
	{ "fs", "ext4 and jbd2, by thread and device", pack_fs, KERNELS },
	{ "timers", "timers that are armed and expire", pack_timers, KERNELS, .is_detail = true },
	{ "writeback", "writers that wait for dirty pages, and writeback", pack_writeback,
	  KERNELS },
	{ "rt", "records of the tracers osnoise and timerlat, by CPU", pack_rt, "6.12-rt",
	  .is_detail = true },
	{ "marker", "what programs write to trace_marker, by thread and process", pack_marker,
	  KERNELS },
	{ "printk", "what kernel code writes with trace_printk(), and marker", pack_printk, NULL },
	{ "functions", "records of the tracers function_graph and function", pack_functions,
	  "6.12" },
	{ "power", "idle states and frequencies by CPU, suspend and resume", pack_power, KERNELS },
	{ "signal", "signals that are sent and taken, by thread", pack_signal, KERNELS },
	{ "reclaim", "waits for memory, kswapd and OOM kills", pack_reclaim, KERNELS },
	{ "bio", "I/O before it becomes requests, by device", pack_bio, KERNELS },
	{ 0 },
};

const struct rule_pack *rule_pack_find(struct text name)
{
	for (const struct rule_pack *pack = rule_packs; pack->name; pack++) {
		if (text_equals(name, text_of(pack->name)))
			return pack;
	}
	return NULL;
}
