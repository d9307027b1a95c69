/* SPDX-License-Identifier: GPL-2.0-only */
/* The budgets of a run, and the sink that counts their slices. */
#ifndef ANALYSIS_BUDGET_SET_H
#define ANALYSIS_BUDGET_SET_H

#include "analysis/budget.h"

/** struct budget_set - the budgets */
struct budget_set {
	struct budget *list;
	size_t size;
};

#endif
