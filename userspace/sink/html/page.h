/* SPDX-License-Identifier: GPL-2.0-only */
/* The constant parts of the page, from the files of this folder. */
#ifndef SINK_HTML_PAGE_H
#define SINK_HTML_PAGE_H

/** page_style, page_body, page_script - CSS, the body's content, and the scripts */
extern const char page_style[];
extern const char page_body[];
extern const char page_script[];

#endif
