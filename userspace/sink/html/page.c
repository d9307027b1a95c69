// SPDX-License-Identifier: GPL-2.0-only
/* Embeds the page's files. The assembler reads them, by their path from the top of the tree. */
#include "sink/html/page.h"

#define FILE_BEGIN(name)         \
	".pushsection .rodata\n" \
	".global " #name "\n.hidden " #name "\n" #name ":\n"
#define FILE_PART(file) ".incbin \"userspace/sink/html/" file "\"\n"
#define FILE_END ".byte 0\n.popsection\n"

__asm__(FILE_BEGIN(page_style) FILE_PART("page.css") FILE_END);
__asm__(FILE_BEGIN(page_body) FILE_PART("page.html") FILE_END);
/* clang-format off */
__asm__(FILE_BEGIN(page_script)
	FILE_PART("bytes.js")
	FILE_PART("chunks.js")
	FILE_PART("index.js")
	FILE_PART("data.js")
	FILE_PART("tree.js")
	FILE_PART("colours.js")
	FILE_PART("columns.js")
	FILE_PART("lanes.js")
	FILE_PART("counters.js")
	FILE_PART("axis.js")
	FILE_PART("layout.js")
	FILE_PART("draw.js")
	FILE_PART("find.js")
	FILE_PART("flows.js")
	FILE_PART("work.js")
	FILE_PART("statistics.js")
	FILE_PART("links.js")
	FILE_PART("details.js")
	FILE_PART("search.js")
	FILE_PART("why.js")
	FILE_PART("range.js")
	FILE_PART("tracks.js")
	FILE_PART("input.js")
	FILE_PART("save.js")
	FILE_PART("fragment.js")
	FILE_PART("live.js")
	FILE_PART("page.js")
	FILE_END);
