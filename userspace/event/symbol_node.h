/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbols of a tracepoint's fields, and their binary form, in which the child sends them.
 *
 * A format's symbols are a byte, the number of fields, and for each field: a byte, the number of
 * its parts, the parts, and the field's name. The text of a field is the texts of its parts, one
 * behind the other. A part is a tree of nodes, each before its operands. A node is a byte, its
 * kind, and the members below. Numbers are in this machine's byte order. A string is a byte, its
 * size, and its bytes. A table is two bytes, the number of its entries, and for each entry a number
 * of eight bytes and a string.
 */
#ifndef EVENT_SYMBOL_NODE_H
#define EVENT_SYMBOL_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "event/format.h"

/* Numbers and operators of print formats. */

/**
 * struct symbol_number - a number of 64 bits; @is_unsigned decides how it is compared and shifted
 */
struct symbol_number {
	uint64_t bits;
	bool is_unsigned;
};

enum symbol_unary {
	SYMBOL_INVERT,
	SYMBOL_NOT,
	SYMBOL_NEGATE,
	SYMBOL_UNARY_COUNT
};

enum symbol_binary {
	SYMBOL_AND,
	SYMBOL_OR,
	SYMBOL_XOR,
	SYMBOL_SHIFT_LEFT,
	SYMBOL_SHIFT_RIGHT,
	SYMBOL_ADD,
	SYMBOL_SUBTRACT,
	SYMBOL_EQUAL,
	SYMBOL_DIFFERENT,
	SYMBOL_LESS,
	SYMBOL_LESS_EQUAL,
	SYMBOL_GREATER,
	SYMBOL_GREATER_EQUAL,
	SYMBOL_BOTH,
	SYMBOL_EITHER,
	SYMBOL_BINARY_COUNT
};

/** Limits of the symbols of a tracepoint; the kernel's need a tenth of each */
#define SYMBOL_ANSWER_MAX (256 * 1024)
#define SYMBOL_FIELDS_MAX 64
#define SYMBOL_PARTS_MAX 8
#define SYMBOL_NODES_MAX 1024
#define SYMBOL_ENTRIES_MAX 4096
#define SYMBOL_DEPTH_MAX 48
#define SYMBOL_STRING_MAX 255

/** enum symbol_kind - kinds of nodes; the first ones are numbers, the others texts */
enum symbol_kind {
	SYMBOL_NUMBER, /* eight bytes */
	SYMBOL_FIELD,  /* string: the name of the field */
	SYMBOL_CAST,   /* a byte: the size of the type, a byte: whether it is signed; a number */
	SYMBOL_UNARY,  /* a byte: enum symbol_unary; a number */
	SYMBOL_BINARY, /* a byte: enum symbol_binary; two numbers */
	SYMBOL_TEXT,   /* a string */
	SYMBOL_CHOICE, /* a number; the text if it is not 0, and the text if it is */
	SYMBOL_VALUES, /* __print_symbolic(): a table; a number */
	SYMBOL_FLAGS,  /* __print_flags(): a string, the delimiter; a table; a number */
	SYMBOL_KIND_COUNT
};

/** struct symbol_entry - a value or the bits of a flag, and its text */
struct symbol_entry {
	uint64_t value;
	struct text text;
};

/** struct symbol_node - a node whose content was checked */
struct symbol_node {
	uint8_t kind;	      /* decides which members are used */
	uint8_t op;	      /* of UNARY and BINARY; size of the type of CAST */
	bool is_signed;	      /* of CAST */
	uint16_t operands[3]; /* indexes of nodes */
	union {
		uint64_t number;      /* of NUMBER */
		struct field_ref ref; /* of FIELD: an integer or a boolean */
		struct {
			struct text text; /* of TEXT; the delimiter of FLAGS */
					  /* @first_entry, @nr_entries: of VALUES and FLAGS */
			uint32_t first_entry;
			uint32_t nr_entries;
		};
	};
};

/** struct symbol_field - the text of a field */
struct symbol_field {
	struct text name;		  /* borrowed from the answer */
	uint16_t parts[SYMBOL_PARTS_MAX]; /* indexes of nodes, whose texts follow each other */
	unsigned int nr_parts;
};

/** struct symbols - the symbols of a tracepoint; all members are private */
struct symbols {
	char *answer; /* the bytes that texts point to */
	size_t answer_size;
	struct symbol_node *nodes;
	size_t nr_nodes;
	struct symbol_entry *entries;
	size_t nr_entries;
	struct symbol_field *fields;
	size_t nr_fields;
	/* SYMBOLS_TEXTS_MAX bytes for the texts of a record, of which @nr_used are used */
	char *texts;
	size_t nr_used;
};

/* What the child does that parses print formats. Only symbols_read() starts it. */

/** SYMBOLS_ARE_SAFE, SYMBOLS_LACK_SECCOMP - the first byte that the child sends */
#define SYMBOLS_ARE_SAFE 's'
#define SYMBOLS_LACK_SECCOMP 'u'

/**
 * symbol_format_prepare - rewrite a format for libtraceevent
 * @out: the format with casts that keep operands in parentheses together, which libtraceevent
 * separates in "flags & (A | B)", with __print_symbolic() instead of __print_symbolic_u64(), and
 * with a name as value of entries that cannot be used
 */
void symbol_format_prepare(struct buffer *out, struct text format);

/** symbols_answer - append the symbols of @format by libtraceevent; false without memory */
bool symbols_answer(struct buffer *out, struct text format);

#endif
