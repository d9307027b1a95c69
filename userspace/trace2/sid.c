// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Session ids, and their inheritance from parent to child. */
#include <sha1.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/base.h"
#include "trace2/sid.h"
#include "trace2/trace2.h"

#define HOST_SIZE 16

/* "H" and the first 8 digits of the SHA-1 of the host name, as in git's tr2_sid.c. */
static void host_text(char *out)
{
	char name[256] = "";
	char digest[SHA1_DIGEST_STRING_LENGTH];

	if (gethostname(name, sizeof(name) - 1) < 0 || !name[0] ||
	    !SHA1Data((const uint8_t *)name, strlen(name), digest))
		strcpy(out, "Localhost");
	else
		snprintf(out, HOST_SIZE, "H%.8s", digest);
}

void trace2_sid_make(char *out, int64_t unix_ns, int pid)
{
	char date[TIME_DATE_SIZE], host[HOST_SIZE];
	unsigned int us;
	int64_t second = time_split(unix_ns, &us);

	host_text(host);
	time_date_text(date, second, "%Y%m%dT%H%M%S");
	snprintf(out, TRACE2_SID_SIZE, "%.16s.%06uZ-%s-P%08x", date, us, host, (unsigned int)pid);
}

char *parent_join(const char *variable, const char *own)
{
	const char *parent = secure_getenv(variable);
	bool has_parent = parent && *parent;
	char *whole;

	if (asprintf(&whole, "%s%s%s", has_parent ? parent : "", has_parent ? "/" : "",
		     own ? own : "") < 0)
		return NULL;
	return whole;
}

char *trace2_inherit(const char *variable, const char *own)
{
	char *whole = parent_join(variable, own);

	if (whole)
		setenv(variable, whole, 1);
	return whole;
}
