// SPDX-License-Identifier: GPL-2.0-only
/* Arguments "SIZE@OPERAND" of static tracepoints; operands are those of an assembler. */
#include "capture/usdt_argument.h"

#include <elf.h>
#include <stdlib.h>

/* Registers of x86-64 as the kernel names them, and as the assembler does, by size. */
static const char *const x86_registers[][5] = {
	{ "ax", "rax", "eax", "ax", "al" },	  { "bx", "rbx", "ebx", "bx", "bl" },
	{ "cx", "rcx", "ecx", "cx", "cl" },	  { "dx", "rdx", "edx", "dx", "dl" },
	{ "si", "rsi", "esi", "si", "sil" },	  { "di", "rdi", "edi", "di", "dil" },
	{ "bp", "rbp", "ebp", "bp", "bpl" },	  { "sp", "rsp", "esp", "sp", "spl" },
	{ "r8", "r8", "r8d", "r8w", "r8b" },	  { "r9", "r9", "r9d", "r9w", "r9b" },
	{ "r10", "r10", "r10d", "r10w", "r10b" }, { "r11", "r11", "r11d", "r11w", "r11b" },
	{ "r12", "r12", "r12d", "r12w", "r12b" }, { "r13", "r13", "r13d", "r13w", "r13b" },
	{ "r14", "r14", "r14d", "r14w", "r14b" }, { "r15", "r15", "r15d", "r15w", "r15b" },
};

/* The highest number of a register x0, x1, ... of arm64. */
#define ARM_REGISTER_MAX 30

static bool take_byte(struct text *rest, char byte)
{
	if (rest->size == 0 || rest->data[0] != byte)
		return false;
	rest->data++;
	rest->size--;
	return true;
}

static void take_blanks(struct text *rest)
{
	while (take_byte(rest, ' '))
		;
}

/* Takes a decimal number; the bytes of a note end with a NUL, which is none. */
static bool number_take_signed(struct text *rest, int64_t *out)
{
	bool is_negative = take_byte(rest, '-');
	const char *begin = rest->data;
	int64_t number = 0;

	while (rest->size > 0 && rest->data[0] >= '0' && rest->data[0] <= '9') {
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, rest->data[0] - '0', &number))
			return false;
		rest->data++;
		rest->size--;
	}
	*out = is_negative ? -number : number;
	return rest->data > begin;
}

/* A space is also behind the commas of "[sp, 12]". */
struct text usdt_argument_take(struct text *rest)
{
	struct text argument;
	size_t depth = 0;

	take_blanks(rest);
	argument = (struct text){ rest->data, 0 };
	while (rest->size > 0 && (depth > 0 || rest->data[0] != ' ')) {
		depth += rest->data[0] == '[';
		depth -= depth > 0 && rest->data[0] == ']';
		argument.size++;
		rest->data++;
		rest->size--;
	}
	return argument;
}

static const char *x86_register_find(struct text name)
{
	const size_t nr_names = sizeof(x86_registers[0]) / sizeof(x86_registers[0][0]);

	for (size_t i = 0; i < sizeof(x86_registers) / sizeof(x86_registers[0]); i++) {
		for (size_t j = 1; j < nr_names; j++) {
			if (text_equals(text_of(x86_registers[i][j]), name))
				return x86_registers[i][0];
		}
	}
	return NULL;
}

static bool constant_append(struct buffer *out, struct text operand)
{
	int64_t number;

	if (!number_take_signed(&operand, &number) || operand.size > 0)
		return false;
	buffer_printf(out, "\\%lld", (long long)number);
	return true;
}

/* "%NAME" */
static bool x86_register_append(struct buffer *out, struct text operand)
{
	const char *name = take_byte(&operand, '%') ? x86_register_find(operand) : NULL;

	buffer_printf(out, "%%%s", name ? name : "");
	return name;
}

/* "$5", "%rdi" or "-4(%rbp)" */
static bool x86_append(struct buffer *out, struct text operand)
{
	int64_t offset = 0;

	if (take_byte(&operand, '$'))
		return constant_append(out, operand);
	if (operand.size > 0 && operand.data[0] == '%')
		return x86_register_append(out, operand);
	if ((operand.size > 0 && operand.data[0] != '(' && !number_take_signed(&operand, &offset)) ||
	    !take_byte(&operand, '(') || operand.size == 0 || operand.data[operand.size - 1] != ')')
		return false;
	operand.size--;
	buffer_printf(out, "%+lld(", (long long)offset);
	if (!x86_register_append(out, operand))
		return false;
	buffer_append_char(out, ')');
	return true;
}

/* Takes "x0", "w0" or "sp", and appends the name of the whole register. */
static bool arm_register_append(struct buffer *out, struct text *rest)
{
	int64_t number;

	if (rest->size > 2 && rest->data[0] == 'w' && rest->data[1] == 's')
		take_byte(rest, 'w');
	if (take_byte(rest, 's')) {
		buffer_append_string(out, "%sp");
		return take_byte(rest, 'p');
	}
	if ((!take_byte(rest, 'x') && !take_byte(rest, 'w')) || rest->size == 0 ||
	    rest->data[0] == '-' || !number_take_signed(rest, &number) || number > ARM_REGISTER_MAX)
		return false;
	buffer_printf(out, "%%x%lld", (long long)number);
	return true;
}

/* "[sp]" or "[x29, -8]"; the kernel adds no second register, and scales none. */
static bool arm_memory_append(struct buffer *out, struct text operand)
{
	struct buffer name = { 0 };
	int64_t offset = 0;
	bool is_good = arm_register_append(&name, &operand);

	take_blanks(&operand);
	if (is_good && take_byte(&operand, ',')) {
		take_blanks(&operand);
		take_byte(&operand, '#');
		is_good = number_take_signed(&operand, &offset);
		take_blanks(&operand);
	}
	is_good = is_good && take_byte(&operand, ']') && operand.size == 0;
	buffer_printf(out, "%+lld(%s)", (long long)offset, buffer_string(&name));
	buffer_release(&name);
	return is_good;
}

/* "5", "x0", "wzr" or "[sp, 12]" */
static bool arm_append(struct buffer *out, struct text operand)
{
	if (take_byte(&operand, '['))
		return arm_memory_append(out, operand);
	if (text_equals(operand, text_of("xzr")) || text_equals(operand, text_of("wzr"))) {
		buffer_append_string(out, "\\0");
		return true;
	}
	if (operand.size > 0 && (operand.data[0] == 'x' || operand.data[0] == 'w' ||
				 operand.data[0] == 's'))
		return arm_register_append(out, &operand) && operand.size == 0;
	take_byte(&operand, '#');
	return constant_append(out, operand);
}

/* A negative size means a signed value; "4f" and "8f" are floats. */
bool usdt_argument_fetch(struct buffer *out, unsigned int machine, struct text argument)
{
	int64_t bytes;
	bool is_good;

	if (!number_take_signed(&argument, &bytes) || !take_byte(&argument, '@') ||
	    (llabs(bytes) != 1 && llabs(bytes) != 2 && llabs(bytes) != 4 && llabs(bytes) != 8))
		return false;
	if (machine == EM_X86_64)
		is_good = x86_append(out, argument);
	else
		is_good = machine == EM_AARCH64 && arm_append(out, argument);
	buffer_printf(out, ":%c%lld", bytes < 0 ? 's' : 'u', 8 * llabs(bytes));
	return is_good;
}
