// SPDX-License-Identifier: GPL-2.0-only
/* Makes session ids, command hierarchies and recording ids. */
#include "output/identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace2/trace2.h"

int identity_init(struct identity *identity, const char *command, const char *own_sid,
		  struct error *error)
{
	char made[TRACE2_SID_SIZE];

	trace2_sid_make(made, time_now_ns(CLOCK_REALTIME), getpid());
	identity->sid = trace2_inherit(TRACE2_PARENT_SID, own_sid ? own_sid : made);
	identity->hierarchy = trace2_inherit(TRACE2_PARENT_NAME, command);
	return identity->sid && identity->hierarchy ? 0 : error_set(error, "out of memory");
}

int identity_renew(struct identity *identity, struct error *error)
{
	size_t parents_size = path_base_name(identity->sid) - identity->sid;
	char *sid = malloc(parents_size + TRACE2_SID_SIZE);

	if (!sid)
		return error_set(error, "out of memory");
	memcpy(sid, identity->sid, parents_size);
	trace2_sid_make(sid + parents_size, time_now_ns(CLOCK_REALTIME), getpid());
	free(identity->sid);
	identity->sid = sid;
	return 0;
}

void identity_release(struct identity *identity)
{
	free(identity->sid);
	free(identity->hierarchy);
}

void identity_id(char *out, const char *source, int64_t start_ns)
{
	struct buffer text = { 0 };

	/* Without a boot id, the rest still identifies recordings of one boot. */
	file_read_boot_id(&text);
	buffer_printf(&text, " %s %lld", source, (long long)start_ns);
	snprintf(out, IDENTITY_ID_SIZE, "%016llx",
		 (unsigned long long)text_hash(buffer_text(&text)));
	buffer_release(&text);
}
