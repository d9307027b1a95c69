// SPDX-License-Identifier: GPL-2.0-only
/* Emits all events into its own ring, from two files, and checks that they are one program. */
#include "events.h"

#ifdef __cplusplus
extern "C"
#endif
const void *twice_control(void);

int main(void)
{
	ktrack_user3_control.on = 1;
	if (twice_control() != &ktrack_user3_control)
		return 1;
	if (!ktrack_user3_control.rings[0].head || ktrack_user3_control.lost)
		return 2;
	/* Each file has described its nine events. */
	prog_emit_all();
	return ktrack_user3_control.nr_events == 16 ? 0 : 3;
}
