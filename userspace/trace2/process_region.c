// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Regions of a process, and data in them. */
#include <inttypes.h>
#include <stdio.h>

#include "trace2/process_state.h"

static const struct trace2_string no_message;

/* Sets @text to @string; returns NULL if that is NULL or memory ran out. */
static const struct trace2_text *text_fill(struct trace2_text *text, const char *string)
{
	if (!string || trace2_text_set(text, string_of(string)) < 0)
		return NULL;
	return text;
}

static struct self *enabled_self(void)
{
	return trace2_is_enabled() ? self_get() : NULL;
}

/* Copies a repository, whose number another thread may be setting; returns NULL without one. */
static const struct trace2_repository *repository_copy(struct trace2_repository *copy,
						       const struct trace2_repository *repository)
{
	if (!repository)
		return NULL;
	copy->worktree = repository->worktree;
	copy->id = __atomic_load_n(&repository->id, __ATOMIC_RELAXED);
	return copy;
}

/** struct region - the arguments of a region's beginning or end */
struct region {
	const char *file;
	int line;
	const char *category;
	const char *label;
	const struct trace2_repository *repository;
};

static void region_write(struct self *self, const struct region *region, enum trace2_kind kind,
			 int64_t now_ns, int64_t elapsed_ns, struct trace2_string msg)
{
	struct trace2_event event = { .kind = kind };
	struct trace2_repository repository;

	event.repository = repository_copy(&repository, region->repository);
	event.file = region->file;
	event.line = region->line;
	event.region.t_rel_ns = elapsed_ns;
	event.region.nesting = self_depth(self) + 1;
	event.region.category = text_fill(&self->first, region->category);
	event.region.label = text_fill(&self->second, region->label);
	event.region.msg = msg;
	process_write(self, &event, now_ns);
}

/* The lines of a region's beginning and end are outside of it. */
static void region_enter(struct self *self, const struct region *region, struct trace2_string msg)
{
	int64_t now_ns = process_now_ns();

	region_write(self, region, TRACE2_REGION_ENTER, now_ns, 0, msg);
	self_push(self, now_ns);
}

static void region_leave(struct self *self, const struct region *region, struct trace2_string msg)
{
	int64_t now_ns = process_now_ns();
	int64_t elapsed_ns = self_pop(self, now_ns);

	region_write(self, region, TRACE2_REGION_LEAVE, now_ns, elapsed_ns, msg);
}

void trace2_region_enter_at(const char *file, int line, const char *category, const char *label,
			    const struct trace2_repository *repository)
{
	struct self *self = enabled_self();

	if (self)
		region_enter(self, &(struct region){ file, line, category, label, repository },
			     no_message);
}

void trace2_region_enter_printf_va_at(const char *file, int line, const char *category,
				      const char *label, const struct trace2_repository *repository,
				      const char *format, va_list arguments)
{
	struct region region = { file, line, category, label, repository };
	struct self *self = enabled_self();

	if (self)
		region_enter(self, &region, self_format(self, format, arguments));
}

void trace2_region_enter_printf_at(const char *file, int line, const char *category,
				   const char *label, const struct trace2_repository *repository,
				   const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	trace2_region_enter_printf_va_at(file, line, category, label, repository, format,
					 arguments);
	va_end(arguments);
}

void trace2_region_leave_at(const char *file, int line, const char *category, const char *label,
			    const struct trace2_repository *repository)
{
	struct self *self = enabled_self();

	if (self)
		region_leave(self, &(struct region){ file, line, category, label, repository },
			     no_message);
}

void trace2_region_leave_printf_va_at(const char *file, int line, const char *category,
				      const char *label, const struct trace2_repository *repository,
				      const char *format, va_list arguments)
{
	struct region region = { file, line, category, label, repository };
	struct self *self = enabled_self();

	if (self)
		region_leave(self, &region, self_format(self, format, arguments));
}

void trace2_region_leave_printf_at(const char *file, int line, const char *category,
				   const char *label, const struct trace2_repository *repository,
				   const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	trace2_region_leave_printf_va_at(file, line, category, label, repository, format,
					 arguments);
	va_end(arguments);
}

static void data_write(enum trace2_kind kind, const char *file, int line, const char *category,
		       const struct trace2_repository *repository, const char *key,
		       const char *value)
{
	struct trace2_event event = { .kind = kind, .file = file, .line = line };
	struct self *self = enabled_self();
	struct trace2_repository copy;
	int64_t now_ns;

	if (!self)
		return;
	now_ns = process_now_ns();
	event.data.nesting = self_depth(self) + 1;
	event.data.t_rel_ns = self_elapsed_ns(self, now_ns);
	event.repository = repository_copy(&copy, repository);
	event.data.category = text_fill(&self->first, category);
	event.data.key = text_fill(&self->second, key);
	event.data.value = string_of(value);
	process_write(self, &event, now_ns);
}

void trace2_data_string_at(const char *file, int line, const char *category,
			   const struct trace2_repository *repository, const char *key,
			   const char *value)
{
	data_write(TRACE2_DATA, file, line, category, repository, key, value);
}

void trace2_data_intmax_at(const char *file, int line, const char *category,
			   const struct trace2_repository *repository, const char *key,
			   intmax_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIdMAX, value);
	data_write(TRACE2_DATA, file, line, category, repository, key, text);
}

void trace2_data_json_at(const char *file, int line, const char *category,
			 const struct trace2_repository *repository, const char *key,
			 const char *json)
{
	data_write(TRACE2_DATA_JSON, file, line, category, repository, key, json);
}
