/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of output/: the files that a run writes, and what it reports about them: progress,
 * losses, and the last line.
 */
#ifndef OUTPUT_OUTPUT_H
#define OUTPUT_OUTPUT_H

#include "output/messages.h"
#include "output/identity.h"
#include "output/labels.h"
#include "output/output_file.h"
#include "output/outputs.h"
#include "output/retention.h"
#include "output/spool.h"
#include "output/watch_folder.h"

#endif
