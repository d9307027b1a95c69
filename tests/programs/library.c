// SPDX-License-Identifier: GPL-2.0-only
/* A shared library with events of its own, which programs open and close. */
#include <ktrack/user.h>

KTRACK_SLICE_OF(lib, lib_work, KTRACK_FIELD(uint32_t, number));

void library_emit(unsigned int count);

void library_emit(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		ktrack_guard(lib_work, "library", i);
	}
}
