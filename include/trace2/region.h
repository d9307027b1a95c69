/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A region that is a block of the program: it ends however the block is left, in C++ also by an
 * exception.
 *
 *	static int index_read(const char *path)
 *	{
 *		trace2_region_guard("index", "read", NULL);
 *
 *		if (!*path)
 *			return -1;
 *		...
 *	}
 *
 * Guards end in the reverse order of their beginnings, as regions do. In C, a goto or a case label
 * that skips a guard within its block is an error of the program.
 */
#ifndef TRACE2_REGION_H
#define TRACE2_REGION_H

#include <trace2/process.h>

/**
 * struct trace2_region - a region that ends with its block
 * @file: that of its beginning and of its end
 * @line: likewise
 * @category: a literal
 * @label: a literal
 * @repository: outlives the block
 */
struct trace2_region {
	const char *file;
	int line;
	const char *category;
	const char *label;
	const struct trace2_repository *repository;
};

static inline void __trace2_region_begin(const struct trace2_region *region)
{
	trace2_region_enter_at(region->file, region->line, region->category, region->label,
			       region->repository);
}

static inline void __trace2_region_end(const struct trace2_region *region)
{
	trace2_region_leave_at(region->file, region->line, region->category, region->label,
			       region->repository);
}

#ifdef __cplusplus
/* The same as an object of a block. */
class __trace2_region_scope {
public:
	explicit __trace2_region_scope(const trace2_region &begun) : region(begun)
	{
		__trace2_region_begin(&region);
	}
	~__trace2_region_scope()
	{
		__trace2_region_end(&region);
	}
	__trace2_region_scope(const __trace2_region_scope &) = delete;
	__trace2_region_scope &operator=(const __trace2_region_scope &) = delete;

private:
	const trace2_region region;
};

#define TRACE2_REGION_GUARD(name, category, label, repository)			\
	const __trace2_region_scope name(trace2_region{				\
		__FILE__, __LINE__, "" category "", "" label "", (repository) })
#else
static inline struct trace2_region __trace2_region_begun(struct trace2_region region)
{
	__trace2_region_begin(&region);
	return region;
}

#define TRACE2_REGION_GUARD(name, category, label, repository)			\
	const struct trace2_region name						\
		__attribute__((cleanup(__trace2_region_end), unused)) =		\
		__trace2_region_begun((struct trace2_region){			\
			__FILE__, __LINE__, "" category "", "" label "", (repository) })
#endif

#define TRACE2_REGION_NAME(number)		TRACE2_REGION_JOIN(number)
#define TRACE2_REGION_JOIN(number)		trace2_region_guard_##number

/**
 * trace2_region_guard - enter a region, and leave it with the enclosing block
 * @category: a literal
 * @label: a literal
 * @repository: outlives the block; NULL omits it
 */
#define trace2_region_guard(category, label, repository)			\
	TRACE2_REGION_GUARD(TRACE2_REGION_NAME(__COUNTER__), category, label, repository)

#endif
