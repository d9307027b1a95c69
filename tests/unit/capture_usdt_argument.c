// SPDX-License-Identifier: GPL-2.0-only
/* Tests of arguments of static tracepoints: strings that compilers wrote for x86-64 and arm64, and hostile ones. */
#include "capture/run.h"

#include <elf.h>

#include "fixtures/tap.h"

/* The fetched arguments of a note, "-" for those that the kernel cannot fetch. */
static void check_arguments(unsigned int machine, const char *arguments, const char *want)
{
	struct text rest = text_of(arguments), argument;
	SCOPED_BUFFER(found);
	SCOPED_BUFFER(fetch);

	while ((argument = usdt_argument_take(&rest)).size > 0) {
		buffer_clear(&fetch);
		if (found.size > 0)
			buffer_append_char(&found, ' ');
		buffer_append_string(&found, usdt_argument_fetch(&fetch, machine, argument)
						     ? buffer_string(&fetch)
						     : "-");
	}
	if (!CHECK_TEXT(buffer_string(&found), want))
		CHECK_TEXT(arguments, "");
}

/* Of GCC 12.2, -O0 and -O2, from one program for both machines. */
TEST(arguments_of_arm64)
{
	const unsigned int arm = EM_AARCH64;

	check_arguments(arm, "8@x0 -4@x6 8@x2", "%x0:u64 %x6:s32 %x2:u64");
	check_arguments(arm, "8@[sp, 40] -4@[sp, 36] 8@[sp, 24]",
			"+40(%sp):u64 +36(%sp):s32 +24(%sp):u64");
	check_arguments(arm, "-2@x4 -1@x5 1@[x0, 12] 1@[x0, 16]",
			"%x4:s16 %x5:s8 +12(%x0):u8 +16(%x0):u8");
	check_arguments(arm, "-8@[x0] -4@[x0, 8] -2@[x0, 14] -4@[sp, 4]",
			"+0(%x0):s64 +8(%x0):s32 +14(%x0):s16 +4(%sp):s32");
	check_arguments(arm, "-4@5 -4@-7 -4@0 8@1099511627776",
			"\\5:s32 \\-7:s32 \\0:s32 \\1099511627776:u64");
	check_arguments(arm, "-4@[x0, -12] -8@[x1, -8] 1@[x2, -200]",
			"-12(%x0):s32 -8(%x1):s64 -200(%x2):u8");
	check_arguments(arm, "8@x30 8@x29", "%x30:u64 %x29:u64");
	/* Floats, and sums of registers. */
	check_arguments(arm, "4f@x1 8f@[sp] -8@x5", "- - %x5:s64");
	check_arguments(arm, "-4@[x6] 1@[x2, x3] 8@[x0, x1, lsl 3] 4@[x0, w1, sxtw 2] -8@x5",
			"+0(%x6):s32 - - - %x5:s64");
	/* Forms of other compilers. */
	check_arguments(arm, "-4@w1 4@wzr 8@xzr 8@[x29,#16] 8@#3 8@sp",
			"%x1:s32 \\0:u32 \\0:u64 +16(%x29):u64 \\3:u64 %sp:u64");
}

TEST(arguments_of_x86)
{
	const unsigned int x86 = EM_X86_64;

	check_arguments(x86, "8@%rax -4@%esi 8@%rdx", "%ax:u64 %si:s32 %dx:u64");
	check_arguments(x86, "-2@%r8w -1@%r9b -1@12(%rax) 1@16(%rax)",
			"%r8:s16 %r9:s8 +12(%ax):s8 +16(%ax):u8");
	check_arguments(x86, "-8@(%rax) -4@-52(%rsp)", "+0(%ax):s64 -52(%sp):s32");
	check_arguments(x86, "-4@$5 -4@$-7 8@$1099511627776", "\\5:s32 \\-7:s32 \\1099511627776:u64");
	check_arguments(x86, "-4@(%rdi,%rcx,4) -1@(%rdx,%rcx) -4@g(%rip) -4@4+table(%rip)",
			"- - - -");
	check_arguments(x86, "4f@%ecx 8f@%rdi 8@%xmm0", "- - -");
}

TEST(arguments_of_no_use)
{
	check_arguments(EM_X86_64, "", "");
	check_arguments(EM_AARCH64, "   ", "");
	check_arguments(EM_X86_64, " 8@%rax  4@%eax ", "%ax:u64 %ax:u32");
	check_arguments(EM_RISCV, "8@a0 8@5", "- -");
	check_arguments(EM_X86_64, "@ 8@ 8 @%rax 3@%rax 16@%rax -@%rax 8@% 8@$ 8@( 8@() 8@(%rax 8@%rax)",
			"- - - - - - - - - - - - -");
	check_arguments(EM_X86_64, "8@$1x 8@$- 8@$9223372036854775808 99999999999999999999@%rax",
			"- - - -");
	check_arguments(EM_AARCH64, "8@x31 8@x 8@x-1 8@x1y 8@w 8@s 8@wsp 8@x99999999999999999999",
			"- - - - - - %sp:u64 -");
	check_arguments(EM_AARCH64, "8@[ 8@[sp", "-");
	check_arguments(EM_AARCH64, "8@[] 8@[sp] 8@[sp,] 8@[sp, 1]x 8@[sp, 1] 8@[[sp]] 8@]",
			"- +0(%sp):u64 - - +1(%sp):u64 - -");
}
