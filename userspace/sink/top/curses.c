// SPDX-License-Identifier: GPL-2.0-only
/* Loads ncurses. */
#include "sink/top/curses.h"

int curses_api_load(struct curses_api *api, struct error *error)
{
	const struct library_function functions[] = { CURSES_API_FUNCTIONS(LIBRARY_FUNCTION) };

	*api = (struct curses_api){ 0 };
	return library_load(&api->handle, "libncursesw.so.6",
			    "ncurses 6 (Debian's package libncursesw6)", functions,
			    sizeof(functions) / sizeof(functions[0]), error);
}

void curses_api_release(struct curses_api *api)
{
	library_release(api->handle);
	*api = (struct curses_api){ 0 };
}
