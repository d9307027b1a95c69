// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parses and searches kernel symbols. An entry takes 16 bytes and its name; data symbols only mark
 * where code ends.
 */
#include "event/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The kernel's names have at most 511 bytes, modules' 55. */
#define NAME_SIZE_MAX 511
#define LINE_SIZE_MAX 1024
/* No function is larger. */
#define FUNCTION_SIZE_MAX (1 << 20)
/* Limit of a function that no symbol of its module follows. */
#define LAST_SIZE_MAX (64 << 10)
#define MODULES_MAX UINT16_MAX
#define RANK_MAX UINT16_MAX
/* Number of names that are looked for before a name is stored again; a power of 2. */
#define RECENT_COUNT 65536
#define READ_SIZE 65536

/** struct kallsyms_entry - a function, or the end of code */
struct kallsyms_entry {
	uint64_t address;
	uint32_t name;	 /* offset in the names */
	uint16_t module; /* index of the module, 0 for the kernel */
	/* 0 for the end of code; otherwise the order of functions with the same address, from 1 */
	uint16_t rank;
};

/** struct kallsyms - a table of symbols */
struct kallsyms {
	/* of struct kallsyms_entry, sorted by address after kallsyms_finish() */
	struct buffer entries;
	struct buffer names;   /* each with a NUL */
	struct buffer modules; /* offsets of the modules' names */
	uint32_t *recent;      /* offsets of names plus 1, by hash; until kallsyms_finish() */
	struct buffer pending; /* begin of a line whose end was not added yet */
	size_t nr_functions;   /* number of entries that are no ends */
	size_t nr_hidden;      /* number of functions without an address */
	bool is_full;	       /* there were more symbols or names than allowed */
	bool is_partial;       /* see kallsyms_set_partial() */
};

static struct kallsyms_entry *kallsyms_entries(const struct kallsyms *table)
{
	return (struct kallsyms_entry *)table->entries.data;
}

static size_t kallsyms_nr_entries(const struct kallsyms *table)
{
	return table->entries.size / sizeof(struct kallsyms_entry);
}

static struct text kallsyms_text(const struct kallsyms *table, uint32_t offset)
{
	return text_of(table->names.data + offset);
}

/*
 * Classes of bytes: hexadecimal digits have their value plus 1. There are 200,000 lines; a call of
 * <ctype.h> for each byte adds up.
 */
#define CLASS_BLANK 17

/* clang-format off */
static const unsigned char byte_classes[256] = {
	['0'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
	['A'] = 11, 12, 13, 14, 15, 16, ['a'] = 11, 12, 13, 14, 15, 16,
	[' '] = CLASS_BLANK, ['\t' ... '\r'] = CLASS_BLANK,
};
/* clang-format on */

static bool line_take_address(struct text *line, uint64_t *out)
{
	const unsigned char *data = (const unsigned char *)line->data;
	uint64_t address = 0;
	size_t size = 0;

	for (; size < line->size && byte_classes[data[size]] - 1U < 16; size++)
		address = address << 4 | (byte_classes[data[size]] - 1U);
	*out = address;
	*line = text_from(*line, size);
	return size > 0 && size <= 16;
}

static struct text line_take_word(struct text *line)
{
	const unsigned char *data = (const unsigned char *)line->data;
	size_t size = 0;

	while (size < line->size && byte_classes[data[size]] != CLASS_BLANK)
		size++;
	*line = text_from(*line, size);
	return (struct text){ (const char *)data, size };
}

static bool line_take_blank(struct text *line)
{
	if (line->size == 0 || (*line->data != ' ' && *line->data != '\t'))
		return false;
	*line = text_from(*line, 1);
	return true;
}

bool kallsyms_line_parse(struct kallsyms_line *out, struct text line)
{
	struct text word;

	if (!line_take_address(&line, &out->address) || !line_take_blank(&line))
		return false;
	word = line_take_word(&line);
	if (word.size != 1 || !line_take_blank(&line))
		return false;
	out->type = *word.data;
	out->name = line_take_word(&line);
	out->module = (struct text){ 0 };
	if (line_take_blank(&line)) {
		word = line_take_word(&line);
		if (word.size < 2 || *word.data != '[' || word.data[word.size - 1] != ']')
			return false;
		out->module = (struct text){ word.data + 1, word.size - 2 };
	}
	return out->name.size > 0 && out->name.size <= NAME_SIZE_MAX &&
	       !memchr(out->name.data, '\0', out->name.size) &&
	       !memchr(out->module.data ? out->module.data : "", '\0', out->module.size);
}

bool kallsyms_line_is_mark(const struct kallsyms_line *line)
{
	return line->name.size >= 2 && line->name.data[0] == '$' &&
	       memchr("adtx", line->name.data[1], 4);
}

bool kallsyms_line_is_code(const struct kallsyms_line *line)
{
	if (!strchr("tTwW", line->type))
		return false;
	return line->module.size > 0 || (!text_equals(line->name, text_of("_etext")) &&
					 !text_equals(line->name, text_of("_einittext")));
}

/* Returns the offset of a name, which is stored once if it was used recently. */
static uint32_t kallsyms_intern(struct kallsyms *table, struct text name)
{
	uint32_t *recent = &table->recent[hash_text(name) & (RECENT_COUNT - 1)];
	uint32_t offset = table->names.size;

	if (*recent > 0 && text_equals(kallsyms_text(table, *recent - 1), name))
		return *recent - 1;
	buffer_append(&table->names, name.data, name.size);
	buffer_append_char(&table->names, '\0');
	*recent = offset + 1;
	return offset;
}

/* Returns the index of a module, whose symbols follow each other. */
static uint16_t kallsyms_add_module(struct kallsyms *table, struct text name)
{
	const uint32_t *offsets = (const uint32_t *)table->modules.data;
	size_t nr_modules = table->modules.size / sizeof(*offsets);
	uint32_t offset;

	if (name.size == 0)
		return 0;
	if (nr_modules > 0 && text_equals(kallsyms_text(table, offsets[nr_modules - 1]), name))
		return nr_modules;
	if (nr_modules == MODULES_MAX) {
		table->is_full = true;
		return 0;
	}
	offset = kallsyms_intern(table, name);
	buffer_append(&table->modules, &offset, sizeof(offset));
	return nr_modules + 1;
}

static void kallsyms_add_line(struct kallsyms *table, struct text text)
{
	size_t nr_entries = kallsyms_nr_entries(table);
	const struct kallsyms_entry *last = NULL;
	struct kallsyms_entry entry = { 0 };
	struct kallsyms_line line;
	bool is_code;

	if (!kallsyms_line_parse(&line, text) || kallsyms_line_is_mark(&line))
		return;
	if (nr_entries == KALLSYMS_SYMBOLS_MAX ||
	    table->names.size > KALLSYMS_NAMES_SIZE_MAX - 2 * LINE_SIZE_MAX)
		table->is_full = true;
	if (table->is_full)
		return;
	is_code = kallsyms_line_is_code(&line);
	if (line.address == 0) {
		table->nr_hidden += is_code;
		return;
	}
	if (nr_entries > 0)
		last = &kallsyms_entries(table)[nr_entries - 1];
	entry.address = line.address;
	entry.module = kallsyms_add_module(table, line.module);
	if (is_code) {
		bool is_alias = last && last->rank > 0 && last->address == entry.address;

		entry.rank = !is_alias ? 1 : last->rank < RANK_MAX ? last->rank + 1 : RANK_MAX;
		entry.name = kallsyms_intern(table, line.name);
		table->nr_functions++;
	}
	/* Of ends of code only the first is needed, as the kernel's data symbols are sorted. */
	if (is_code || !last || last->rank > 0 || last->module > 0 || entry.module > 0 ||
	    last->address > entry.address)
		buffer_append(&table->entries, &entry, sizeof(entry));
}

struct kallsyms *kallsyms_begin(void)
{
	struct kallsyms *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->recent = calloc(RECENT_COUNT, sizeof(*table->recent));
	if (table->recent)
		return table;
	free(table);
	return NULL;
}

void kallsyms_add(struct kallsyms *table, struct text part)
{
	while (part.size > 0) {
		const char *newline = memchr(part.data, '\n', part.size);
		size_t size = newline ? (size_t)(newline - part.data) : part.size;
		size_t space = LINE_SIZE_MAX - table->pending.size;
		struct text line = { part.data, size < space ? size : space };

		if (!newline || table->pending.size > 0) {
			buffer_append(&table->pending, line.data, line.size);
			line = buffer_text(&table->pending);
		}
		if (newline) {
			kallsyms_add_line(table, line);
			buffer_clear(&table->pending);
			size++;
		}
		part = text_from(part, size);
	}
}

static int kallsyms_compare(const void *a, const void *b)
{
	const struct kallsyms_entry *left = a, *right = b;

	if (left->address != right->address)
		return left->address < right->address ? -1 : 1;
	if (left->rank != right->rank)
		return left->rank - right->rank;
	return (left->name > right->name) - (left->name < right->name);
}

static void kallsyms_shrink(struct buffer *buffer)
{
	buffer_seal(buffer);
	buffer_trim(buffer);
}

int kallsyms_finish(struct kallsyms *table, struct error *error)
{
	struct kallsyms_entry *entries;
	size_t nr_entries, nr_kept = 0;

	kallsyms_add_line(table, buffer_text(&table->pending));
	buffer_release(&table->pending);
	free(table->recent);
	table->recent = NULL;
	if (table->is_full)
		return error_set(error, "kernel symbols: more than %d symbols or %d MiB of names",
				 KALLSYMS_SYMBOLS_MAX, KALLSYMS_NAMES_SIZE_MAX >> 20);
	if (table->nr_functions == 0 && table->nr_hidden > 0)
		return error_set(error,
				 "kernel symbols: all addresses are hidden; read them as root, "
				 "with kernel.kptr_restrict below 2");
	if (table->nr_functions == 0)
		return error_set(error, "kernel symbols: no functions");
	if (table->entries.failed || table->names.failed || table->modules.failed)
		return error_set(error, "out of memory");
	entries = kallsyms_entries(table);
	nr_entries = kallsyms_nr_entries(table);
	array_sort(entries, nr_entries, sizeof(*entries), kallsyms_compare);
	/* Of ends that follow each other, the first is kept. */
	for (size_t i = 0; i < nr_entries; i++) {
		if (i == 0 || entries[i].rank > 0 || entries[i - 1].rank > 0)
			entries[nr_kept++] = entries[i];
	}
	table->entries.size = nr_kept * sizeof(*entries);
	kallsyms_shrink(&table->entries);
	kallsyms_shrink(&table->names);
	return 0;
}

void kallsyms_free(struct kallsyms *table)
{
	if (!table)
		return;
	buffer_release(&table->entries);
	buffer_release(&table->names);
	buffer_release(&table->modules);
	buffer_release(&table->pending);
	free(table->recent);
	free(table);
}

int kallsyms_new(struct kallsyms **out, struct text text, struct error *error)
{
	*out = kallsyms_begin();
	if (!*out)
		return error_set(error, "out of memory");
	kallsyms_add(*out, text);
	if (kallsyms_finish(*out, error) == 0)
		return 0;
	kallsyms_free(*out);
	*out = NULL;
	return -1;
}

int kallsyms_read(struct kallsyms **out, const char *path, struct error *error)
{
	struct kallsyms *table;
	char bytes[READ_SIZE];
	ssize_t size = 0;
	int fd;

	*out = NULL;
	path = path ? path : "/proc/kallsyms";
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_set_system(error, errno, "cannot open %s", path);
	table = kallsyms_begin();
	while (table && (size = read(fd, bytes, sizeof(bytes))) > 0)
		kallsyms_add(table, (struct text){ bytes, size });
	if (!table)
		error_set(error, "out of memory");
	else if (size < 0)
		error_set_system(error, errno, "cannot read %s", path);
	else if (kallsyms_finish(table, error) == 0)
		*out = table;
	close(fd);
	if (!*out)
		kallsyms_free(table);
	return *out ? 0 : -1;
}

bool address_is_up_to(const void *member, const void *address)
{
	return *(const uint64_t *)member <= *(const uint64_t *)address;
}

static size_t kallsyms_search(const struct kallsyms *table, uint64_t address)
{
	return sorted_count(kallsyms_entries(table), kallsyms_nr_entries(table),
			    sizeof(struct kallsyms_entry), address_is_up_to, &address);
}

/* The address behind a function, whose next entry is number @next. */
static uint64_t kallsyms_function_end(const struct kallsyms *table,
				      const struct kallsyms_entry *entry, size_t next)
{
	const struct kallsyms_entry *following = &kallsyms_entries(table)[next];
	bool has_following = next < kallsyms_nr_entries(table);
	bool is_last = !has_following || following->module != entry->module;
	uint64_t size_max = is_last ? LAST_SIZE_MAX : FUNCTION_SIZE_MAX;
	uint64_t size = has_following ? following->address - entry->address
				      : UINT64_MAX - entry->address;

	return entry->address + (size < size_max ? size : size_max);
}

static void kallsyms_fill(const struct kallsyms *table, const struct kallsyms_entry *entry,
			  size_t next, struct kallsyms_symbol *out)
{
	const uint32_t *modules = (const uint32_t *)table->modules.data;

	*out = (struct kallsyms_symbol){
		.name = kallsyms_text(table, entry->name),
		.module = { .data = "" },
		.begin = entry->address,
		.end = kallsyms_function_end(table, entry, next),
	};
	if (entry->module > 0)
		out->module = kallsyms_text(table, modules[entry->module - 1]);
}

bool kallsyms_find(const struct kallsyms *table, uint64_t address, struct kallsyms_symbol *out)
{
	const struct kallsyms_entry *entries = kallsyms_entries(table);
	size_t next = kallsyms_search(table, address);

	if (next == 0 || entries[next - 1].rank == 0)
		return false;
	/* The last one has the highest rank, and all lower ones are before it. */
	kallsyms_fill(table, &entries[next - entries[next - 1].rank], next, out);
	return address < out->end;
}

bool kallsyms_find_name(const struct kallsyms *table, struct text name, struct kallsyms_symbol *out)
{
	const struct kallsyms_entry *entries = kallsyms_entries(table);

	for (size_t i = 0; i < kallsyms_nr_entries(table); i++) {
		if (entries[i].rank == 0 ||
		    !text_equals(kallsyms_text(table, entries[i].name), name))
			continue;
		kallsyms_fill(table, &entries[i], kallsyms_search(table, entries[i].address), out);
		return true;
	}
	return false;
}

void kallsyms_set_partial(struct kallsyms *table)
{
	table->is_partial = true;
}

bool kallsyms_is_partial(const struct kallsyms *table)
{
	return table->is_partial;
}

size_t kallsyms_count(const struct kallsyms *table)
{
	return table->nr_functions;
}

size_t kallsyms_size(const struct kallsyms *table)
{
	return sizeof(*table) + table->entries.capacity + table->names.capacity +
	       table->modules.capacity;
}

/* Reads the symbols of modules again when modules change. */

/* Some addresses are those of no function, for example of code that the kernel generated. */
#define TRIES_EVERY_NS NS_PER_S
/* Addresses that a reading did not find. One that takes another's place may cost a reading. */
#define MISSING_BITS 8
/* Tracers report a function's address, or that behind its first instruction. */
#define ENTRY_SIZE_MAX 16

/** struct late_symbols - a list that is read again */
struct late_symbols {
	int symbols_fd;	  /* the list */
	int modules_fd;	  /* directory of modules */
	nlink_t nr_links; /* its number of links at the last reading, which counts directories */
	int64_t read_ns;  /* time of the last reading */
	bool is_expired;  /* modules changed since */
	struct kallsyms *table; /* symbols of modules, NULL if there are none */
	/* addresses that the last readings did not find, each at the place of its hash */
	uint64_t missing[1 << MISSING_BITS];
};

static int late_open(int *fd, const char *path, int flags, struct error *error)
{
	*fd = open(path, flags | O_CLOEXEC);
	return *fd < 0 ? error_set_system(error, errno, "cannot open %s", path) : 0;
}

static nlink_t late_count_links(const struct late_symbols *late)
{
	struct stat status;

	return fstat(late->modules_fd, &status) < 0 ? 0 : status.st_nlink;
}

int late_symbols_open(struct late_symbols **out, const char *symbols, const char *modules,
		      struct error *error)
{
	struct late_symbols *late = malloc(sizeof(*late));

	*out = NULL;
	if (!late)
		return error_set(error, "out of memory");
	*late = (struct late_symbols){ .symbols_fd = -1, .modules_fd = -1 };
	if (late_open(&late->symbols_fd, symbols ? symbols : "/proc/kallsyms", O_RDONLY, error) <
		    0 ||
	    late_open(&late->modules_fd, modules ? modules : "/sys/module", O_PATH | O_DIRECTORY,
		      error) < 0) {
		late_symbols_close(late);
		return -1;
	}
	late->nr_links = late_count_links(late);
	*out = late;
	return 0;
}

void late_symbols_close(struct late_symbols *late)
{
	if (!late)
		return;
	file_close(late->symbols_fd);
	file_close(late->modules_fd);
	kallsyms_free(late->table);
	free(late);
}

void late_symbols_expire(struct late_symbols *late)
{
	late->is_expired = true;
}

/* The part with symbols of modules, which are the last ones; empty before the first of them. */
static struct text part_of_modules(struct text part, bool *has_begun)
{
	const char *newline = memchr(part.data, '\n', part.size);
	size_t skipped = newline ? (size_t)(newline - part.data) + 1 : part.size;

	if (*has_begun)
		return part;
	*has_begun = memchr(part.data, '[', part.size);
	if (!*has_begun)
		return text_of("");
	/* The first line may be the end of one. */
	return text_from(part, skipped);
}

static struct kallsyms *late_read(const struct late_symbols *late)
{
	struct kallsyms *table = lseek(late->symbols_fd, 0, SEEK_SET) == 0 ? kallsyms_begin()
									   : NULL;
	struct error ignored = { 0 };
	bool has_begun = false;
	char bytes[READ_SIZE];
	ssize_t size;

	if (!table)
		return NULL;
	while ((size = read(late->symbols_fd, bytes, sizeof(bytes))) > 0)
		kallsyms_add(table, part_of_modules((struct text){ bytes, size }, &has_begun));
	if (size == 0 && kallsyms_finish(table, &ignored) == 0)
		return table;
	kallsyms_free(table);
	return NULL;
}

static void late_renew(struct late_symbols *late)
{
	/* Before reading: modules that are loaded meanwhile have more links. */
	nlink_t nr_links = late_count_links(late);

	if (late->is_expired || nr_links != late->nr_links)
		memset(late->missing, 0, sizeof(late->missing));
	late->nr_links = nr_links;
	late->is_expired = false;
	kallsyms_free(late->table);
	late->table = late_read(late);
	late->read_ns = time_now_ns(CLOCK_BOOTTIME);
}

static uint64_t *late_missing(struct late_symbols *late, uint64_t address)
{
	return &late->missing[hash_number(address) >> (64 - MISSING_BITS)];
}

static bool late_look(const struct late_symbols *late, const struct kallsyms *early,
		      uint64_t address, struct kallsyms_symbol *out)
{
	return (late->table && kallsyms_find(late->table, address, out)) ||
	       kallsyms_find(early, address, out);
}

/* The size of a module's last function is a guess, and another module may be behind it. */
static bool late_is_guess(const struct kallsyms_symbol *symbol, uint64_t address)
{
	return symbol->module.size > 0 && address - symbol->begin > ENTRY_SIZE_MAX;
}

bool late_symbols_find(struct late_symbols *late, const struct kallsyms *early, uint64_t address,
		       struct kallsyms_symbol *out)
{
	bool is_found, is_due;

	if (late->is_expired)
		late_renew(late);
	is_found = late_look(late, early, address, out);
	if (is_found && !late_is_guess(out, address))
		return true;
	is_due = late_count_links(late) != late->nr_links ||
		 (*late_missing(late, address) != address &&
		  time_now_ns(CLOCK_BOOTTIME) - late->read_ns >= TRIES_EVERY_NS);
	if (!is_due)
		return is_found;
	late_renew(late);
	is_found = late_look(late, early, address, out);
	if (!is_found || late_is_guess(out, address))
		*late_missing(late, address) = address;
	return is_found;
}
