// SPDX-License-Identifier: GPL-2.0-only
/*
 * Starts children that parse print formats, and reads their answers.
 *
 * A child has the formats in its memory, so that nothing is sent to it. It sends one byte, whether
 * its system calls are filtered, and for each format four bytes, the size of the answer, and the
 * answer. If it crashes, the format that it was parsing has failed, and another child continues
 * with the next one.
 */
#include "event/symbol_node.h"

#include <ctype.h>
#include <errno.h>
#include <event-parse.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event/sandbox.h"
#include "event/symbols.h"

/* Parsing takes less than a millisecond, but the machine may be busy. */
#define ANSWER_MS 10000
/* A child has two seconds of CPU time for these. */
#define CHILD_REQUESTS 256
#define CPU_S 2
#define MEMORY_MAX (UINT64_C(64) << 20)

/** struct symbol_child - a running child, and the read end of its pipe */
struct symbol_child {
	pid_t pid;
	int fd;
};

/* Returns false if memory ran out: without an answer, the format counts as failed. */
static bool answer_send(int fd, const struct symbols_request *request)
{
	SCOPED_BUFFER(format);
	SCOPED_BUFFER(answer);
	uint32_t size;
	bool is_sent;

	symbol_format_prepare(&format, request->format);
	is_sent = !format.failed && symbols_answer(&answer, buffer_text(&format)) && !answer.failed;
	size = answer.size;
	is_sent = is_sent && file_write_all(fd, (const char *)&size, sizeof(size), NULL) == 0 &&
		  file_write_all(fd, answer.data, answer.size, NULL) == 0;
	return is_sent;
}

/* The child; it must not return into the parent's code. */
static void __attribute__((noreturn))
child_run(int fd, bool is_trusted, const struct symbols_request *requests, size_t nr_requests)
{
	const struct sandbox sandbox = {
		.read_fd = -1, .write_fd = fd, .cpu_s = CPU_S, .memory = MEMORY_MAX
	};
	bool is_safe = sandbox_enter(&sandbox);
	char first = is_safe ? SYMBOLS_ARE_SAFE : SYMBOLS_LACK_SECCOMP;
	bool continues = file_write_all(fd, &first, 1, NULL) == 0 && (is_safe || is_trusted);

	for (size_t i = 0; continues && i < nr_requests; i++)
		continues = answer_send(fd, &requests[i]);
	_exit(0);
}

static bool child_start(struct symbol_child *child, bool is_trusted,
			const struct symbols_request *requests, size_t nr_requests)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return false;
	child->pid = fork();
	if (child->pid == 0)
		child_run(fds[1], is_trusted, requests, nr_requests);
	close(fds[1]);
	child->fd = fds[0];
	if (child->pid < 0)
		close(fds[0]);
	return child->pid > 0;
}

static bool bytes_receive(const struct symbol_child *child, void *out, size_t size,
			  int64_t deadline_ns)
{
	char *data = out;

	while (size > 0) {
		int64_t left_ns = deadline_ns - time_now_ns(CLOCK_MONOTONIC);
		struct pollfd pollfd = { .fd = child->fd, .events = POLLIN };
		ssize_t count;

		if (left_ns <= 0)
			return false;
		if (poll(&pollfd, 1, left_ns / 1000000 + 1) <= 0)
			continue;
		count = read(child->fd, data, size);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return false;
		data += count;
		size -= count;
	}
	return true;
}

/* Returns false if the child crashed. A malformed answer means that its memory is damaged. */
static bool answer_receive(const struct symbol_child *child, struct symbols_request *request,
			   bool is_swapped)
{
	int64_t deadline_ns = time_now_ns(CLOCK_MONOTONIC) + ANSWER_MS * INT64_C(1000000);
	struct format format = { 0 };
	uint32_t size;
	char *answer;

	if (!bytes_receive(child, &size, sizeof(size), deadline_ns) || size > SYMBOL_ANSWER_MAX)
		return false;
	if (size == 0)
		return true;
	answer = malloc(size);
	if (answer && bytes_receive(child, answer, size, deadline_ns) &&
	    format_parse(&format, request->format) == 0)
		request->symbols = symbols_of_answer((struct text){ answer, size }, &format,
						     is_swapped);
	format_release(&format);
	free(answer);
	return request->symbols;
}

/* Returns the number of requests that were processed. */
static size_t requests_read(struct symbols_reader *reader, struct symbols_request *requests,
			    size_t nr_requests)
{
	int64_t deadline_ns = time_now_ns(CLOCK_MONOTONIC) + ANSWER_MS * NS_PER_MS;
	struct symbol_child child;
	size_t nr_answers = 0;
	char first;

	if (child_start(&child, reader->is_trusted, requests, nr_requests)) {
		if (bytes_receive(&child, &first, 1, deadline_ns)) {
			reader->lacks_seccomp = first != SYMBOLS_ARE_SAFE;
			while (nr_answers < nr_requests &&
			       answer_receive(&child, &requests[nr_answers], reader->is_swapped))
				nr_answers++;
		}
		/* A child that is stopped would never end. */
		kill(child.pid, SIGKILL);
		close(child.fd);
		while (waitpid(child.pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (nr_answers == nr_requests)
		return nr_requests;
	requests[nr_answers].has_failed = true;
	reader->nr_crashes++;
	return nr_answers + 1;
}

void symbols_read(struct symbols_reader *reader, struct symbols_request *requests,
		  size_t nr_requests)
{
	while (nr_requests > 0 && reader->nr_crashes < SYMBOLS_CRASHES_MAX &&
	       (reader->is_trusted || !reader->lacks_seccomp)) {
		size_t count = nr_requests < CHILD_REQUESTS ? nr_requests : CHILD_REQUESTS;
		size_t nr_done = requests_read(reader, requests, count);

		requests += nr_done;
		nr_requests -= nr_done;
	}
	for (size_t i = 0; i < nr_requests; i++)
		requests[i].has_failed = true;
}

/* Walks the arguments of a print format that libtraceevent parsed; runs in the child. */

/** struct symbol_walk - state of a format */
struct symbol_walk {
	struct buffer *out;  /* the answer */
	const char *subject; /* the field whose text is written, NULL before it is found */
	bool is_mentioned;   /* the part mentions @subject */
	/* @nr_nodes, @nr_entries: numbers of nodes and entries, dropped ones included */
	unsigned int nr_nodes;
	unsigned int nr_entries;
};

static void walk_byte(struct symbol_walk *walk, unsigned int byte)
{
	buffer_append_char(walk->out, byte);
}

static void walk_kind(struct symbol_walk *walk, enum symbol_kind kind)
{
	walk->nr_nodes++;
	walk_byte(walk, kind);
}

/* The character of an escape sequence of C, 0 if it is written otherwise. */
static char escape_find(const char *text)
{
	static const char escapes[][2] = {
		{ '"', '"' }, { '\\', '\\' }, { '\'', '\'' }, { 'n', '\n' }, { 't', '\t' }
	};

	for (size_t i = 0; text[0] == '\\' && i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		if (text[1] == escapes[i][0])
			return escapes[i][1];
	}
	return 0;
}

/* Returns false if the string is too long. */
static bool walk_string(struct symbol_walk *walk, const char *string)
{
	size_t begin = walk->out->size, size;

	walk_byte(walk, 0);
	while (*string) {
		char escaped = escape_find(string);

		walk_byte(walk, escaped ? escaped : *string);
		string += escaped ? 2 : 1;
	}
	size = walk->out->size - begin - 1;
	if (size > SYMBOL_STRING_MAX || walk->out->failed)
		return false;
	walk->out->data[begin] = size;
	return true;
}

/* Enumerators that the kernel did not replace have no number. */
static bool literal_parse(const char *text, uint64_t *out)
{
	const char *digits = text[0] == '-' ? text + 1 : text;
	char *end;

	if (!isdigit((unsigned char)digits[0]))
		return false;
	*out = strtoull(text, &end, 0);
	return end[strspn(end, "uUlL")] == '\0';
}

/* The place of an operator among words that blanks surround; -1 if it is none of them. */
static int op_find(const char *ops, const char *op)
{
	char word[8];
	const char *found;
	int place = 0;

	snprintf(word, sizeof(word), " %s ", op);
	found = strchr(op, ' ') ? NULL : strstr(ops, word);
	for (const char *at = ops; found && at < found; at++)
		place += *at == ' ';
	return found ? place : -1;
}

/** struct symbol_type - a size, and the C types of it that casts name */
struct symbol_type {
	uint8_t size;
	bool is_signed;
	const char *names;
};

static const struct symbol_type *type_find(const char *name)
{
	static const struct symbol_type types[] = {
		{ 1, false, "u8,__u8,uint8_t,unsigned char" },
		{ 1, true, "s8" },
		{ 2, false, "u16,__u16,uint16_t,unsigned short,umode_t" },
		{ 2, true, "s16,short" },
		{ 4, false, "u32,__u32,uint32_t,unsigned int,unsigned,gfp_t,fmode_t,blk_opf_t" },
		{ 4, true, "s32,__s32,int" },
		{ 8, false, "u64,__u64,uint64_t,unsigned long,unsigned long long,size_t" },
		{ 8, true, "s64,long,long long" },
	};
	struct text known;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		for (struct text names = text_of(types[i].names); text_take_item(&names, &known);) {
			if (text_equals(known, text_of(name)))
				return &types[i];
		}
	}
	return NULL;
}

static bool walk_number(struct symbol_walk *walk, const struct tep_print_arg *arg,
			unsigned int depth);

static bool walk_op(struct symbol_walk *walk, const struct tep_print_arg *arg, unsigned int depth)
{
	/* As in enum symbol_unary and enum symbol_binary. */
	static const char unary_ops[] = " ~ ! - ";
	static const char binary_ops[] = " & | ^ << >> + - == != < <= > >= && || ";
	bool is_unary = arg->op.left && arg->op.left->type == TEP_PRINT_NULL;
	int op = op_find(is_unary ? unary_ops : binary_ops, arg->op.op);

	if (op < 0)
		return false;
	walk_kind(walk, is_unary ? SYMBOL_UNARY : SYMBOL_BINARY);
	walk_byte(walk, op);
	return (is_unary || walk_number(walk, arg->op.left, depth)) &&
	       walk_number(walk, arg->op.right, depth);
}

/* Returns false if the argument is no number that can be computed from fields and constants. */
static bool walk_number(struct symbol_walk *walk, const struct tep_print_arg *arg,
			unsigned int depth)
{
	const struct symbol_type *type;
	uint64_t number;

	if (!arg || depth >= SYMBOL_DEPTH_MAX)
		return false;
	switch (arg->type) {
	case TEP_PRINT_ATOM:
		if (!literal_parse(arg->atom.atom, &number))
			return false;
		walk_kind(walk, SYMBOL_NUMBER);
		buffer_append(walk->out, &number, sizeof(number));
		return true;
	case TEP_PRINT_FIELD:
		walk->is_mentioned |= walk->subject && strcmp(walk->subject, arg->field.name) == 0;
		walk_kind(walk, SYMBOL_FIELD);
		return walk_string(walk, arg->field.name);
	case TEP_PRINT_TYPE:
		type = type_find(arg->typecast.type);
		if (!type)
			return false;
		walk_kind(walk, SYMBOL_CAST);
		walk_byte(walk, type->size);
		walk_byte(walk, type->is_signed);
		return walk_number(walk, arg->typecast.item, depth + 1);
	case TEP_PRINT_OP:
		return walk_op(walk, arg, depth + 1);
	default:
		return false;
	}
}

static const char *field_of(const struct tep_print_arg *arg, unsigned int depth)
{
	const char *name;

	if (!arg || depth >= SYMBOL_DEPTH_MAX)
		return NULL;
	if (arg->type == TEP_PRINT_FIELD)
		return arg->field.name;
	if (arg->type == TEP_PRINT_TYPE)
		return field_of(arg->typecast.item, depth + 1);
	if (arg->type != TEP_PRINT_OP)
		return NULL;
	name = field_of(arg->op.left, depth + 1);
	return name ? name : field_of(arg->op.right, depth + 1);
}

/* Skips entries without a number. */
static bool walk_table(struct symbol_walk *walk, const struct tep_print_flag_sym *entries)
{
	size_t begin = walk->out->size;
	uint16_t count = 0;
	uint64_t value;

	buffer_append(walk->out, &count, sizeof(count));
	for (; entries; entries = entries->next) {
		if (!entries->value || !entries->str || !literal_parse(entries->value, &value))
			continue;
		if (++walk->nr_entries > SYMBOL_ENTRIES_MAX)
			return false;
		buffer_append(walk->out, &value, sizeof(value));
		if (!walk_string(walk, entries->str))
			return false;
		count++;
	}
	if (!walk->out->failed)
		memcpy(walk->out->data + begin, &count, sizeof(count));
	return true;
}

/* All symbols of a field's text have to be its own. */
static bool walk_subject(struct symbol_walk *walk, const struct tep_print_arg *arg,
			 unsigned int depth)
{
	const char *name = field_of(arg, 0);

	if (!name || (walk->subject && strcmp(walk->subject, name) != 0))
		return false;
	walk->subject = name;
	return walk_number(walk, arg, depth);
}

static bool walk_text(struct symbol_walk *walk, const struct tep_print_arg *arg, unsigned int depth)
{
	const struct tep_print_arg *texts;

	if (!arg || depth >= SYMBOL_DEPTH_MAX)
		return false;
	switch (arg->type) {
	case TEP_PRINT_ATOM:
		walk_kind(walk, SYMBOL_TEXT);
		return walk_string(walk, arg->atom.atom);
	case TEP_PRINT_SYMBOL:
		walk_kind(walk, SYMBOL_VALUES);
		return walk_table(walk, arg->symbol.symbols) &&
		       walk_subject(walk, arg->symbol.field, depth + 1);
	case TEP_PRINT_FLAGS:
		walk_kind(walk, SYMBOL_FLAGS);
		return walk_string(walk, arg->flags.delim ? arg->flags.delim : "") &&
		       walk_table(walk, arg->flags.flags) &&
		       walk_subject(walk, arg->flags.field, depth + 1);
	case TEP_PRINT_OP:
		texts = arg->op.right;
		if (strcmp(arg->op.op, "?") != 0 || !texts || texts->type != TEP_PRINT_OP ||
		    strcmp(texts->op.op, ":") != 0)
			return false;
		walk_kind(walk, SYMBOL_CHOICE);
		return walk_number(walk, arg->op.left, depth + 1) &&
		       walk_text(walk, texts->op.left, depth + 1) &&
		       walk_text(walk, texts->op.right, depth + 1);
	default:
		return false;
	}
}

/** struct conversion - the conversions of a format string, one after the other */
struct conversion {
	const char *rest; /* behind the conversion */
	char kind;	  /* its last character, '*' for a width, 0 at the end */
	bool is_adjacent; /* nothing is printed between the previous conversion and this one */
};

/* Letters behind %p belong to the conversion. */
static void conversion_next(struct conversion *conversion)
{
	const char *at = conversion->rest, *begin = at;

	if (conversion->kind != '*') {
		while (*at && (*at != '%' || at[1] == '%'))
			at += *at == '%' ? 2 : 1;
		conversion->is_adjacent = at == begin;
		at += *at == '%';
	}
	at += strspn(at, "-+ #0123456789.hlLqjzt");
	conversion->kind = *at;
	at += *at != '\0';
	while (conversion->kind == 'p' && isalnum((unsigned char)*at))
		at++;
	conversion->rest = at;
}

/* Appends a part of a field's text; what is behind @begin is dropped if it is none. */
static bool walk_part(struct symbol_walk *walk, const struct tep_print_arg *arg, size_t begin)
{
	walk->is_mentioned = false;
	if (walk_text(walk, arg, 0) && walk->nr_nodes <= SYMBOL_NODES_MAX && !walk->out->failed &&
	    walk->out->size < SYMBOL_ANSWER_MAX - SYMBOL_STRING_MAX - 1)
		return true;
	walk->out->size = begin;
	return false;
}

/*
 * Appends the field whose text begins with @arg. Its first part has symbols; adjacent arguments
 * that depend on the same field are further parts, as the "+" of "prev_state=%s%s".
 */
static bool walk_symbols(struct symbol_walk *walk, const struct tep_print_arg *arg,
			 struct conversion next)
{
	size_t begin = walk->out->size;
	uint8_t nr_parts = 1;

	walk->subject = NULL;
	walk_byte(walk, nr_parts);
	if (!walk_part(walk, arg, begin) || !walk->subject) {
		walk->out->size = begin;
		return false;
	}
	for (arg = arg->next; arg && nr_parts < SYMBOL_PARTS_MAX; arg = arg->next) {
		size_t end = walk->out->size;

		conversion_next(&next);
		if (next.kind != 's' || !next.is_adjacent || !walk_part(walk, arg, end))
			break;
		if (!walk->is_mentioned) {
			walk->out->size = end;
			break;
		}
		nr_parts++;
	}
	if (walk->out->failed || !walk_string(walk, walk->subject))
		return false;
	walk->out->data[begin] = nr_parts;
	return true;
}

static void event_walk(struct symbol_walk *walk, const struct tep_event *event)
{
	struct conversion conversion = { .rest = event->print_fmt.format };
	size_t begin = walk->out->size;
	uint8_t nr_fields = 0;

	walk_byte(walk, nr_fields);
	for (const struct tep_print_arg *arg = event->print_fmt.args; arg; arg = arg->next) {
		conversion_next(&conversion);
		if (nr_fields < SYMBOL_FIELDS_MAX && conversion.kind == 's')
			nr_fields += walk_symbols(walk, arg, conversion);
	}
	if (nr_fields == 0 || walk->out->failed)
		walk->out->size = begin;
	else
		walk->out->data[begin] = nr_fields;
}

bool symbols_answer(struct buffer *out, struct text format)
{
	struct symbol_walk walk = { .out = out };
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event;
	bool has_memory;

	if (!tep)
		return false;
	errno = 0;
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, sizeof(long));
	tep_parse_event(tep, format.data, format.size, "system");
	/* Otherwise libtraceevent does not understand the print format. */
	has_memory = errno != ENOMEM;
	event = tep_get_first_event(tep);
	if (event && !(event->flags & TEP_EVENT_FL_FAILED) && event->print_fmt.format)
		event_walk(&walk, event);
	tep_free(tep);
	return has_memory;
}
