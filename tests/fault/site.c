// SPDX-License-Identifier: GPL-2.0-only
/* Finds the site of a call by its stack, in this process and its children. */
#include "site.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

static struct fault_table *table;

/* What is called in order to find a site is not counted. */
static __thread bool is_inside;

/** struct stack - return addresses outside of this library */
struct stack {
	void *addresses[SITE_DEPTH];
	unsigned int size;
	unsigned int wanted;
};

/* The library is preloaded for one program, and not for the commands that it starts. */
__attribute__((constructor)) static void table_open(void)
{
	const char *path = getenv("KTRACK_FAULT_TABLE");
	int fd = path ? syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
	void *bytes;

	unsetenv("LD_PRELOAD");
	unsetenv("KTRACK_FAULT_TABLE");
	if (fd < 0)
		return;
	bytes = (void *)syscall(SYS_mmap, NULL, sizeof(*table), PROT_READ | PROT_WRITE, MAP_SHARED,
				fd, 0);
	syscall(SYS_close, fd);
	if (bytes != MAP_FAILED)
		table = bytes;
}

static _Unwind_Reason_Code frame_add(struct _Unwind_Context *context, void *data)
{
	void *address = (void *)_Unwind_GetIP(context);
	struct stack *stack = data;
	static const void *own_base;
	Dl_info info;

	if (!own_base && dladdr((void *)fault_at, &info))
		own_base = info.dli_fbase;
	if (!address)
		return _URC_END_OF_STACK;
	if (dladdr(address, &info) && info.dli_fbase == own_base)
		return _URC_NO_REASON;
	stack->addresses[stack->size++] = address;
	return stack->size < stack->wanted ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* "FILE+OFFSET", the same in every run. */
static void place_print(char place[PLACE_SIZE], void *address)
{
	const char *name;
	Dl_info info;

	if (!dladdr(address, &info) || !info.dli_fname) {
		snprintf(place, PLACE_SIZE, "?");
		return;
	}
	name = strrchr(info.dli_fname, '/');
	snprintf(place, PLACE_SIZE, "%.30s+0x%zx", name ? name + 1 : info.dli_fname,
		 (size_t)((char *)address - (char *)info.dli_fbase));
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
	return hash;
}

static void site_fill(struct fault_site *site, const char *call)
{
	struct stack stack = { .wanted = SITE_DEPTH };

	snprintf(site->call, CALL_SIZE, "%s", call);
	site->id = hash_text(UINT64_C(14695981039346656037), call);
	_Unwind_Backtrace(frame_add, &stack);
	for (unsigned int i = 0; i < stack.size; i++) {
		place_print(site->places[i], stack.addresses[i]);
		if (i < table->depth)
			site->id = hash_text(site->id, site->places[i]);
	}
}

/*
 * Returns the call's place in the table, NULL if that is full. A process may be killed anywhere in
 * here: there is no lock that it could leave behind, only a place without an id.
 */
static struct fault_site *site_find(const struct fault_site *wanted)
{
	uint32_t nr_sites = __atomic_load_n(&table->nr_sites, __ATOMIC_RELAXED), place;
	struct fault_site *site = table->sites;

	for (uint32_t i = 0; i < nr_sites && i < SITES_MAX; i++, site++) {
		if (__atomic_load_n(&site->id, __ATOMIC_ACQUIRE) == wanted->id)
			return site;
	}
	place = nr_sites < SITES_MAX
			? __atomic_fetch_add(&table->nr_sites, 1, __ATOMIC_RELAXED)
			: SITES_MAX;
	if (place >= SITES_MAX)
		return NULL;
	site = &table->sites[place];
	site->kind = wanted->kind;
	memcpy(site->call, wanted->call, sizeof(site->call));
	memcpy(site->places, wanted->places, sizeof(site->places));
	__atomic_store_n(&site->id, wanted->id, __ATOMIC_RELEASE);
	return site;
}

static enum fault_way site_judge(const struct fault_site *site)
{
	if (!site || site->id != table->target ||
	    __atomic_exchange_n(&table->has_failed, 1, __ATOMIC_ACQ_REL))
		return FAULT_NONE;
	return table->way;
}

enum fault_way fault_at(enum fault_kind kind, const char *call)
{
	struct fault_site site = { .kind = kind };
	int saved = errno;
	enum fault_way way;

	if (!table || is_inside)
		return FAULT_NONE;
	is_inside = true;
	site_fill(&site, call);
	way = site_judge(site_find(&site));
	is_inside = false;
	errno = way == FAULT_ERROR ? (int)table->error : saved;
	return way;
}
