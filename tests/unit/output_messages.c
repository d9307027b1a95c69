// SPDX-License-Identifier: GPL-2.0-only
/* Tests of what a run reports about itself: the remedies of lost records. */
#include "output/output.h"

#include "base/base.h"
#include "fixtures/tap.h"

static void line_keep(void *context, const char *line)
{
	buffer_append_string(context, line);
}

static void check_loss(struct loss_summary loss, const char *want)
{
	SCOPED_BUFFER(line);
	const struct report report = { .context = &line, .message = line_keep };

	loss.has_lost = true;
	loss.records = 3;
	loss_summary_report(&loss, &report);
	CHECK_TEXT(buffer_string(&line), want);
}

TEST(lost_records_of_the_default_selection_name_a_smaller_one)
{
	check_loss((struct loss_summary){ .object = "x.dat" }, "x.dat: lost 3 records");
	check_loss((struct loss_summary){ .buffer_kib = 64 },
		   "lost 3 records; 64 KiB for each CPU are too small, try -b 512");
	check_loss((struct loss_summary){ .buffer_kib = 64, .is_default = true },
		   "lost 3 records; 64 KiB for each CPU are too small, try -b 512, or "
		   "-r convention for drivers alone");
}

TEST(lost_records_of_the_convention_are_counted)
{
	check_loss((struct loss_summary){ .buffer_kib = 64, .has_convention = true },
		   "lost 3 records, 0 of the convention's tracepoints; 64 KiB for each CPU are too "
		   "small, try -b 512");
	check_loss((struct loss_summary){ .buffer_kib = 1024,
					  .option_kib = 4096,
					  .has_convention = true,
					  .convention_lost = 3 },
		   "lost 3 records, 3 of the convention's tracepoints; 1024 KiB for each CPU are "
		   "too small, try -b 32768");
}
