/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call sites of the C library, in memory that the processes of a run share with the test. A site is
 * a function and the last return addresses before it. One site fails, once.
 */
#ifndef FAULT_SITE_H
#define FAULT_SITE_H

#include <stdbool.h>
#include <stdint.h>

#define SITES_MAX 16384
#define SITE_DEPTH 6
#define PLACE_SIZE 48
#define CALL_SIZE 24

/** enum fault_kind - what fails; one for each group of functions */
enum fault_kind {
	FAULT_MEMORY,
	FAULT_OPEN,
	FAULT_READ,
	FAULT_WRITE,
	FAULT_SYNC,
	FAULT_CHANGE,
	FAULT_WAIT,
};

/** enum fault_way - how the site fails: with an error, or after a part of the bytes */
enum fault_way {
	FAULT_NONE,
	FAULT_ERROR,
	FAULT_SHORT,
};

/**
 * struct fault_site - a site that was reached; several processes may each make a place for one
 * @id: 0 if the process that made it was killed meanwhile
 * @call: the function
 * @places: return addresses as "FILE+OFFSET", the innermost first
 */
struct fault_site {
	uint64_t id;
	uint64_t kind;
	char call[CALL_SIZE];
	char places[SITE_DEPTH][PLACE_SIZE];
};

/**
 * struct fault_table - the file named by KTRACK_FAULT_TABLE
 * @target: id of the site that fails; 0 for none
 * @way: of enum fault_way
 * @error: errno of FAULT_ERROR
 * @depth: how many return addresses distinguish sites
 * @has_failed: the site was reached and failed
 */
struct fault_table {
	uint64_t target;
	uint32_t way;
	uint32_t error;
	uint32_t depth;
	uint32_t has_failed;
	uint32_t nr_sites;
	struct fault_site sites[SITES_MAX];
};

/**
 * fault_at - note a call, and find out whether it fails; sets errno if it fails with an error
 * @call: a constant text
 */
enum fault_way fault_at(enum fault_kind kind, const char *call);

#endif
