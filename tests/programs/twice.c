// SPDX-License-Identifier: GPL-2.0-only
/* A second file of a program, in C or C++: it shares the variables of the first. */
#include "events.h"

#ifdef __cplusplus
extern "C"
#endif
const void *twice_control(void);

const void *twice_control(void)
{
	prog_emit_all();
	return &ktrack_user3_control;
}
