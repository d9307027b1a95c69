// SPDX-License-Identifier: GPL-2.0-only
/* Writes a record in an NMI that the CPU sends to itself. */
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/percpu.h>

#include "test.h"

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/nmi.h>

#define TEST_NMI_LIMIT_US	1000000

/* The run whose NMI is pending. The code that clears it handles it. */
static DEFINE_PER_CPU(struct test_run *, test_nmi_run);

static int test_nmi(unsigned int kind, struct pt_regs *registers)
{
	struct test_run *run = this_cpu_xchg(test_nmi_run, NULL);

	if (!run)
		return NMI_DONE;
	test_emit(run);
	return NMI_HANDLED;
}

int test_nmi_register(void)
{
	return register_nmi_handler(NMI_LOCAL, test_nmi, 0, "ktrack_test");
}

void test_nmi_unregister(void)
{
	unregister_nmi_handler(NMI_LOCAL, "ktrack_test");
}

int test_emit_in_nmi(struct test_run *run)
{
	u32 waited_us = 0;
	int error;

	preempt_disable();
	this_cpu_write(test_nmi_run, run);
	apic->send_IPI(smp_processor_id(), NMI_VECTOR);
	while (this_cpu_read(test_nmi_run) && waited_us++ < TEST_NMI_LIMIT_US)
		udelay(1);
	error = this_cpu_xchg(test_nmi_run, NULL) ? -ETIMEDOUT : 0;
	preempt_enable();
	return error;
}
#else
int test_nmi_register(void)
{
	return 0;
}

void test_nmi_unregister(void)
{
}

int test_emit_in_nmi(struct test_run *run)
{
	return -EOPNOTSUPP;
}
#endif
