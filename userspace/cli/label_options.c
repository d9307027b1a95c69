// SPDX-License-Identifier: GPL-2.0-only
/* The option for labels of a recording. */
#include "cli/option.h"
#include "cli/option_parts.h"

static int apply_label(void *settings, const char *value, struct error *error)
{
	return labels_add(settings, value, error);
}

static const struct option_row label_rows[] = {
	{ 0, "label", "KEY=VALUE", "describe the recording, for example with a release or a site",
	  apply_label, .is_repeatable = true, .is_rare = true },
};

const struct option_part label_options = {
	.rows = label_rows,
	.nr_rows = sizeof(label_rows) / sizeof(label_rows[0]),
};
