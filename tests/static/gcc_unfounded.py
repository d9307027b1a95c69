# SPDX-License-Identifier: GPL-2.0-only
"""Findings of gcc 12 -fanalyzer that are unfounded, each examined, below the reason; analysis.t reports all others."""

FINDINGS = r"""
# No leak: the memory is reachable through a member of a structure that the function returns, or that it was given. gcc loses it at pointers
# into a structure, at elements of an array, and after assignments of whole structures.
userspace/analysis/budget.c: leak of 'sink' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/analysis/compare.c: leak of 'list' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/analysis/compare.c: leak of 'names' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/analysis/compare.c: leak of 'sink' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/analysis/split.c: leak of '<unknown>' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/analysis/trigger.c: leak of 'sink' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/convention/convention.c: leak of 'entry' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/convention/convention.c: leak of '<unknown>' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/event/syscalls.c: leak of '<unknown>' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/rules/parse.c: leak of 'strndup(text.data,  text.size)' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/rules/rules.c: leak of 'source' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/rules/rules.c: leak of 'strdup(*iftmp.14_15 = PHI <iftmp.16_22(5), iftmp.14_21(6), iftmp.16_30(4)>.fields.names[<unknown>])' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/replay/machines.c: leak of 'list' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/replay/machines.c: leak of 'name' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/output/folder.c: leak of 'strdup(name)' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/reader/listing.c: leak of 'strndup(line,  strcspn(line, "\011\012"))' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/reader/selection.c: leak of 'pattern.system' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/reader/selection.c: leak of 'strndup(text.data,  text.size)' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/sink/summary.c: leak of '<unknown>' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/sink/trace2/record.c: leak of '<unknown>' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/source/live_source.c: leak of 'live' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/source/live_source.c: leak of '<unknown>' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/timeline/timeline.h: leak of '<unknown>' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/tracedat/file.c: leak of '<unknown>' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/tracedat/file_stream.c: leak of '<unknown>' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/tracedat/file_content.c: leak of 'strndup(text.data,  text.size)' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/tracedat/shift.c: leak of '<unknown>' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/track/lanes.c: leak of 'is_busy' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/track/lanes.c: leak of 'list' [CWE-401] [-Wanalyzer-malloc-leak]
userspace/track/tracks.c: leak of '<unknown>' [CWE-401] [-Wanalyzer-malloc-leak]

# Not NULL: error_set() returns -1, so that the caller stops; an operation has an interrupt; the names of fields were added before; without memory nothing is copied.
userspace/analysis/split.c: dereference of NULL '0' [CWE-476] [-Wanalyzer-null-dereference]
userspace/sink/perfetto/name.c: dereference of NULL 'name' [CWE-476] [-Wanalyzer-null-dereference]
userspace/source/live_source.c: dereference of NULL 'live' [CWE-476] [-Wanalyzer-null-dereference]
userspace/tracedat/recent.c: use of possibly-NULL 'out' where non-null expected [CWE-690] [-Wanalyzer-possible-null-argument]

# Set by the function that returned 0, or by the assignment of a whole structure.
userspace/analysis/history.c: use of uninitialized value '*(unsigned int *)((char *)&interrupt + offsetof(struct interrupt, context))' [CWE-457] [-Wanalyzer-use-of-uninitialized-value]
userspace/event/filter.c: use of uninitialized value '*out.heads[0]' [CWE-457] [-Wanalyzer-use-of-uninitialized-value]
userspace/event/filter.c: use of uninitialized value '*out.heads[1]' [CWE-457] [-Wanalyzer-use-of-uninitialized-value]

# The array is replaced through a pointer to it, so that the second call has the new one.
userspace/trace2/process.c: double-'reallocarray' of '*(void **)array' [CWE-415] [-Wanalyzer-double-free]
"""
