/* SPDX-License-Identifier: GPL-2.0-only */
/* What ktrack why and ktrack stream --why share. */
#ifndef SESSION_WHY_H
#define SESSION_WHY_H

#include "session/settings.h"

/** why_check - check settings; returns -1 with @error */
int why_check(const struct why_settings *why, struct error *error);

/** why_select - add the rules that explain slices to a selection; returns -1 with @error */
int why_select(struct selection *selection, struct error *error);

#endif
