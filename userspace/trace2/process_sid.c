// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The session id of a process; it exists even if the process is not traced. */
#include <stdlib.h>
#include <unistd.h>

#include "trace2/process_state.h"
#include "trace2/sid.h"

/*
 * git creates the id at its first use and sets it in the environment at once (tr2_sid_compute() in
 * tr2_sid.c), so that children are below an id that was sent to a server.
 */
static const char *early_make(int64_t unix_ns)
{
	trace2_sid_make(process.own_sid, unix_ns, getpid());
	process.early_sid = trace2_inherit(TRACE2_PARENT_SID, process.own_sid);
	return process.early_sid ? process.early_sid : process.own_sid;
}

const char *trace2_session_id(void)
{
	const char *sid = __atomic_load_n(&process.sid, __ATOMIC_ACQUIRE);

	if (sid)
		return sid;
	pthread_mutex_lock(&process.lock);
	if (!process.sid)
		__atomic_store_n(&process.sid, early_make(time_now_ns(CLOCK_REALTIME)),
				 __ATOMIC_RELEASE);
	sid = process.sid;
	pthread_mutex_unlock(&process.lock);
	return sid;
}

char *process_sid_copy(int64_t unix_ns)
{
	char own[TRACE2_SID_SIZE];

	if (process.sid)
		return strdup(process.sid);
	trace2_sid_make(own, unix_ns, getpid());
	return parent_join(TRACE2_PARENT_SID, own);
}
