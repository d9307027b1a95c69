// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps the kernel's symbols to which records refer, and the next one behind each. All symbols take
 * 8 MB, and most recordings refer to some hundred of them.
 *
 * Records are not decoded: each word of theirs that may be an address is one. libtraceevent names
 * an address by the nearest lower symbol, and ktrack by the nearest lower function, if the next
 * symbol is not far.
 */
#include "tracedat/spool.h"

#include <stdlib.h>

/* Larger recordings keep all symbols. */
#define RECORDS_SIZE_MAX (64 << 20)
/* Size of the parts in which records are read. */
#define PART_SIZE 65536
/* Addresses that were found recently, each at the place of its hash. */
#define RECENT_BITS 12

/**
 * struct kept_symbol - a line of /proc/kallsyms
 * @is_ignored: libtraceevent reads no such line
 * @is_code: it is a function
 * @is_hit: it is the last one at or below an address in records
 * @is_exact: the same, at that address
 * @nr_copies: how often its line is kept
 */
struct kept_symbol {
	uint64_t address;
	uint32_t offset; /* of the line in the text */
	uint32_t is_ignored : 1, is_code : 1, is_hit : 1, is_exact : 1, nr_copies : 28;
};

/** struct kept_symbols - all symbols */
struct kept_symbols {
	struct text all;
	/* those that libtraceevent ignores last, sorted by address and by offset */
	struct kept_symbol *list;
	size_t nr;
	size_t nr_sorted; /* how many it does not ignore */
	size_t first;	  /* of these, the first that has an address */
	uint64_t recent[1 << RECENT_BITS];
};

static int kept_symbol_compare(const void *a, const void *b)
{
	const struct kept_symbol *left = a, *right = b;

	if (left->is_ignored != right->is_ignored)
		return (int)left->is_ignored - (int)right->is_ignored;
	if (left->address != right->address)
		return left->address < right->address ? -1 : 1;
	return (left->offset > right->offset) - (left->offset < right->offset);
}

/* False if there are too many symbols or bytes, if addresses are hidden, or memory ran out. */
static bool kept_symbols_read(struct kept_symbols *symbols)
{
	struct text rest = symbols->all;

	if (rest.size > UINT32_MAX)
		return false;
	symbols->list = calloc(KALLSYMS_SYMBOLS_MAX, sizeof(*symbols->list));
	while (symbols->list && rest.size > 0 && symbols->nr < KALLSYMS_SYMBOLS_MAX) {
		struct text text = text_take_line(&rest);
		struct kept_symbol *symbol = &symbols->list[symbols->nr];
		struct kallsyms_line line;

		if (!kallsyms_line_parse(&line, text) || kallsyms_line_is_mark(&line))
			continue;
		/* Ignored are values that are no address, and other names. */
		*symbol = (struct kept_symbol){
			.address = line.address,
			.offset = text.data - symbols->all.data,
			.is_ignored = line.type == 'A' || line.type == 'a' ||
				      line.name.data[0] == '$',
			.is_code = kallsyms_line_is_code(&line),
		};
		symbols->nr++;
		symbols->nr_sorted += !symbol->is_ignored;
	}
	if (!symbols->list || rest.size > 0)
		return false;
	array_sort(symbols->list, symbols->nr, sizeof(*symbols->list), kept_symbol_compare);
	while (symbols->first < symbols->nr_sorted && symbols->list[symbols->first].address == 0)
		symbols->first++;
	return symbols->first < symbols->nr_sorted;
}

/* ktrack looks for the address before that to which a call returns, too. */
static void kept_symbols_hit(struct kept_symbols *symbols, uint64_t address)
{
	size_t nr_up_to = sorted_count(symbols->list, symbols->nr_sorted, sizeof(*symbols->list),
				       address_is_up_to, &address);
	struct kept_symbol *symbol = &symbols->list[nr_up_to - 1];

	symbol->is_hit = true;
	symbol->is_exact |= symbol->address == address;
	while (symbol > symbols->list && symbol->address == address)
		symbol--;
	symbol->is_hit = true;
}

/* Fields may begin at any byte. */
static void kept_symbols_look(struct kept_symbols *symbols, const unsigned char *bytes, size_t size)
{
	uint64_t low = symbols->list[symbols->first].address, word;

	for (size_t i = 0; i + sizeof(word) <= size; i++) {
		uint64_t *recent;

		memcpy(&word, bytes + i, sizeof(word));
		if (word < low)
			continue;
		recent = &symbols->recent[hash_number(word) >> (64 - RECENT_BITS)];
		if (*recent != word)
			kept_symbols_hit(symbols, word);
		*recent = word;
	}
}

/* Returns false if a file cannot be read. */
static bool kept_symbols_look_in(struct kept_symbols *symbols, const struct spool_file *file)
{
	const struct recent *recent = file->part.recent;
	unsigned char bytes[PART_SIZE];
	uint64_t offset = 0;
	ssize_t size;

	for (uint32_t i = file->has_part ? file->part.cpu->first : RECENT_NONE; i != RECENT_NONE;
	     i = recent->slots[i].next) {
		if (recent_part_has(&file->part, &recent->slots[i]))
			kept_symbols_look(symbols, recent->bytes + i * recent->page_size,
					  recent->slots[i].size);
	}
	while (!file->has_part && offset < file->size) {
		size = file_read_block(file->fd, bytes, sizeof(bytes), offset);
		if (size <= 0)
			return false;
		kept_symbols_look(symbols, bytes, size);
		/* A word may reach across parts. */
		if (size == sizeof(bytes))
			size -= sizeof(uint64_t) - 1;
		offset += size;
	}
	return true;
}

/* The functions below choose lines of symbols that have the same address, from @begin to @end. */

/*
 * For an address behind such symbols, libtraceevent uses the first line of the text. For their own
 * address it uses the line that a binary search meets, in the reverse order of the text.
 */
static struct kept_symbol *group_search(const struct kept_symbols *symbols, size_t begin,
					size_t end)
{
	size_t low = 0, high = symbols->nr_sorted, middle;

	for (;;) {
		middle = (low + high) / 2;
		if (middle < begin)
			low = middle + 1;
		else if (middle >= end)
			high = middle;
		else
			return &symbols->list[begin + (end - 1 - middle)];
	}
}

/* ktrack uses the first function. */
static struct kept_symbol *group_function(const struct kept_symbols *symbols, size_t begin,
					  size_t end)
{
	while (begin < end && !symbols->list[begin].is_code)
		begin++;
	return begin < end ? &symbols->list[begin] : NULL;
}

/** struct choice - lines that are kept, from the lowest address on */
struct choice {
	size_t nr; /* how many */
	/* an address has two names: one of its own, and one for addresses behind it */
	bool has_twins;
	struct kept_symbol *last; /* the last line; NULL if it has such an address */
};

/*
 * Keeps the first line, and the one that a search of all lines meets. The number of lines that are
 * kept will be 2^n - 1. Then a search meets lines at odd positions before those beside them: the
 * first line, which is the last one in the order of the search, comes to an even one.
 *
 * Returns false if ktrack needs a third line.
 */
static bool choice_add(struct choice *choice, const struct kept_symbols *symbols, size_t begin,
		       size_t end, bool is_exact)
{
	struct kept_symbol *first = &symbols->list[begin];
	struct kept_symbol *function = group_function(symbols, begin, end);
	struct kept_symbol *met = is_exact ? group_search(symbols, begin, end) : first;

	first->nr_copies = 1;
	choice->last = first;
	if (met != first) {
		met->nr_copies = choice->nr % 2 ? 1 : 2;
		choice->has_twins = true;
		choice->last = NULL;
	}
	choice->nr += first->nr_copies + (met != first ? met->nr_copies : 0);
	if (!function || function == first)
		return true;
	function->nr_copies = 1;
	choice->nr++;
	return !is_exact;
}

/* Keeps symbols that are hit, and the next ones. Returns false if all symbols are needed. */
static bool kept_symbols_choose(struct kept_symbols *symbols)
{
	struct kept_symbol *list = symbols->list;
	struct choice choice = { .nr = symbols->first };
	bool is_next = false;
	size_t end;

	for (size_t i = 0; i < symbols->first; i++)
		list[i].nr_copies = 1;
	for (size_t i = symbols->first; i < symbols->nr_sorted; i = end) {
		bool is_hit = false, is_exact = false;

		for (end = i; end < symbols->nr_sorted && list[end].address == list[i].address;
		     end++) {
			is_hit |= list[end].is_hit;
			is_exact |= list[end].is_exact;
		}
		if ((is_hit || is_next) && !choice_add(&choice, symbols, i, end, is_exact))
			return false;
		is_next = is_hit;
	}
	for (size_t i = symbols->nr_sorted; i < symbols->nr; i++)
		list[i].nr_copies = list[i].address > list[symbols->first].address;
	/* The last line is repeated until the number is right. */
	for (; choice.has_twins && choice.last && (choice.nr & (choice.nr + 1)); choice.nr++)
		choice.last->nr_copies++;
	/* Repeated lines may be more than those that are dropped. */
	return (!choice.has_twins || choice.last) && choice.nr < symbols->nr_sorted;
}

static int offset_compare(const void *a, const void *b)
{
	const struct kept_symbol *left = a, *right = b;

	return (left->offset > right->offset) - (left->offset < right->offset);
}

/* In the order of the text, in which ktrack uses the first of several names. */
static void kept_symbols_put(const struct kept_symbols *symbols, struct buffer *out)
{
	size_t nr = 0;

	for (size_t i = 0; i < symbols->nr; i++) {
		if (symbols->list[i].nr_copies > 0)
			symbols->list[nr++] = symbols->list[i];
	}
	qsort(symbols->list, nr, sizeof(*symbols->list), offset_compare);
	for (size_t i = 0; i < nr; i++) {
		const struct kept_symbol *symbol = &symbols->list[i];
		struct text rest = { symbols->all.data + symbol->offset,
				     symbols->all.size - symbol->offset };
		struct text line = text_take_line(&rest);

		for (size_t copy = 0; copy < symbol->nr_copies; copy++) {
			buffer_append(out, line.data, line.size);
			buffer_append_char(out, '\n');
		}
	}
}

void kept_symbols_trim(struct buffer *all, const struct spool *spool)
{
	struct kept_symbols symbols = { .all = buffer_text(all) };
	bool is_whole = spool_size(spool) > RECORDS_SIZE_MAX || !kept_symbols_read(&symbols);
	struct buffer kept = { 0 };
	struct kept_symbol *function;

	/* A table without functions is an error. */
	function = is_whole ? NULL : group_function(&symbols, symbols.first, symbols.nr_sorted);
	if (function)
		function->is_hit = true;
	for (size_t i = 0; i < spool->nr_files && !is_whole; i++)
		is_whole = !kept_symbols_look_in(&symbols, &spool->files[i]);
	if (!is_whole && kept_symbols_choose(&symbols)) {
		kept_symbols_put(&symbols, &kept);
		buffer_release(all);
		*all = kept;
	}
	free(symbols.list);
}
