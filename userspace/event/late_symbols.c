// SPDX-License-Identifier: GPL-2.0-only
/* Reads the symbols of modules again when modules change. */
#include "event/late_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_SIZE 65536

/* Some addresses are those of no function, for example of code that the kernel generated. */
#define TRIES_EVERY_NS NS_PER_S

/* Addresses that a reading did not find. One that takes another's place may cost a reading. */
#define MISSING_BITS 8

/* Tracers report a function's address, or that behind its first instruction. */
#define ENTRY_SIZE_MAX 16

/**
 * struct late_symbols - a list that is read again
 * @symbols_fd: the list
 * @modules_fd: directory of modules
 * @nr_links: its number of links at the last reading, which counts directories
 * @read_ns: time of the last reading
 * @is_expired: modules changed since
 * @table: symbols of modules, NULL if there are none
 * @missing: addresses that the last readings did not find, each at the place of its hash
 */
struct late_symbols {
	int symbols_fd;
	int modules_fd;
	nlink_t nr_links;
	int64_t read_ns;
	bool is_expired;
	struct kallsyms *table;
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
	if (late_open(&late->symbols_fd, symbols ? symbols : "/proc/kallsyms", O_RDONLY, error) < 0 ||
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
	return (struct text){ part.data + skipped, part.size - skipped };
}

static struct kallsyms *late_read(const struct late_symbols *late)
{
	struct kallsyms *table = lseek(late->symbols_fd, 0, SEEK_SET) == 0 ? kallsyms_begin() : NULL;
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
	/* Modules that are loaded meanwhile have more links. */
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

static bool late_is_due(struct late_symbols *late, uint64_t address)
{
	if (late_count_links(late) != late->nr_links)
		return true;
	return *late_missing(late, address) != address &&
	       time_now_ns(CLOCK_BOOTTIME) - late->read_ns >= TRIES_EVERY_NS;
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
	bool is_found;

	if (late->is_expired)
		late_renew(late);
	is_found = late_look(late, early, address, out);
	if ((is_found && !late_is_guess(out, address)) || !late_is_due(late, address))
		return is_found;
	late_renew(late);
	is_found = late_look(late, early, address, out);
	if (!is_found || late_is_guess(out, address))
		*late_missing(late, address) = address;
	return is_found;
}
