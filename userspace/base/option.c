// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Stores values of options. */
#include "base/option.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int option_store_text(void *text, const char *value, struct error *error)
{
	(void)error;
	*(const char **)text = value ? value : "-";
	return 0;
}

int count_parse(const char *string, const char *things, uint64_t *out, struct error *error)
{
	bool is_number = *string && !string[strspn(string, "0123456789")];

	errno = 0;
	*out = strtoull(string, NULL, 10);
	if (!is_number || errno || *out == 0)
		return error_set(error, "'%s': not a number of %s; write a number from 1", string,
				 things);
	return 0;
}
