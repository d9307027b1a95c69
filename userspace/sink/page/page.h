/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the page that are the same for every recording, as they are in this folder. */
#ifndef SINK_PAGE_PAGE_H
#define SINK_PAGE_PAGE_H

/** page_style, page_body, page_script - a style sheet, what stands in the body, the scripts */
extern const char page_style[];
extern const char page_body[];
extern const char page_script[];

#endif
