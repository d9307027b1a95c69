/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The public header of base/: bytes, text, values, tables, files, time and errors. */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include "base/array.h"
#include "base/buffer.h"
#include "base/checksum.h"
#include "base/count.h"
#include "base/error.h"
#include "base/file.h"
#include "base/inline.h"
#include "base/json.h"
#include "base/library.h"
#include "base/map.h"
#include "base/option.h"
#include "base/owner.h"
#include "base/proc.h"
#include "base/quantile.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/time.h"
#include "base/value.h"
#include "base/word.h"

#endif
