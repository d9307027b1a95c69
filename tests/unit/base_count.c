// SPDX-License-Identifier: GPL-2.0-only
/* Tests of sums of counts. */
#include "base/base.h"

#include "fixtures/tap.h"

TEST(a_sum_is_no_more_than_a_number_with_a_sign)
{
	CHECK_NUMBER(count_sum(2, 3), 5);
	CHECK_NUMBER(count_sum(COUNT_MAX - 1, 1), INT64_MAX);
	CHECK_NUMBER(count_sum(COUNT_MAX, 1), INT64_MAX);
	CHECK_NUMBER(count_sum(UINT64_MAX, 1), INT64_MAX);
	CHECK_NUMBER(count_sum(UINT64_MAX, UINT64_MAX), INT64_MAX);
	CHECK_NUMBER(count_sum(0, UINT64_MAX), INT64_MAX);
}
