/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of event/: records and losses, event formats, their fields, texts and filters,
 * decoded events, the kernel's records about threads, names of kernel functions and system calls,
 * properties of recordings.
 *
 * Sources deliver struct record. convention/ fills a struct descriptor for each tracepoint from its
 * format, decodes records into struct decoded_event, and track/ consumes these.
 */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include "event/constants.h"
#include "event/descriptor.h"
#include "event/elf.h"
#include "event/filter.h"
#include "event/format.h"
#include "event/kallsyms.h"
#include "event/print_format.h"
#include "event/program.h"
#include "event/record.h"
#include "event/recording.h"
#include "event/sandbox.h"
#include "event/stack.h"
#include "event/symbols.h"
#include "event/syscalls.h"
#include "event/task.h"

#endif
