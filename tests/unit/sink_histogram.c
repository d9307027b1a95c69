// SPDX-License-Identifier: GPL-2.0-only
/* Tests of full histograms. */
#include "fixtures/tap.h"
#include "sink/stat/state.h"

TEST(each_power_of_two_has_a_line_and_a_bar_by_its_count)
{
	static const struct table_style style = { 0 };
	SCOPED(quantiles) quantiles = { 0 };
	SCOPED_BUFFER(out);

	for (int i = 0; i < 1000; i++)
		CHECK_NUMBER(quantiles_add(&quantiles, 1030 + i), 0);
	for (int i = 0; i < 250; i++)
		CHECK_NUMBER(quantiles_add(&quantiles, 300), 0);
	/* Too few for a part of a bar, but not nothing. */
	CHECK_NUMBER(quantiles_add(&quantiles, 64), 0);
	stat_histogram_append(&out, &quantiles, &style);
	CHECK_TEXT(buffer_string(&out),
		   "  FROM   BELOW  COUNT  SHARE  BAR\n"
		   "  64ns   128ns      1   0.1%  #\n"
		   " 128ns   256ns      0   0.0%\n"
		   " 256ns   512ns    250  20.0%  ##########\n"
		   " 512ns  1.02us      0   0.0%\n"
		   "1.02us  2.05us   1000  79.9%  ########################################\n");
}
