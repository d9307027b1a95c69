/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols of C++ functions, in the form of the Itanium ABI. */
#ifndef EVENT_MANGLE_H
#define EVENT_MANGLE_H

#include "base/base.h"

/** MANGLED_FORMS - a method may be const, a function static */
#define MANGLED_FORMS 2

/**
 * name_mangle - append how the symbols of a function begin, up to its template arguments or parameters
 * @name: such as "space::Class::function(int)", whose parameters are ignored
 */
void name_mangle(struct buffer mangled[MANGLED_FORMS], const char *name);

#endif
