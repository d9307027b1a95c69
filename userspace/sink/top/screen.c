// SPDX-License-Identifier: GPL-2.0-only
/* Enters, leaves, suspends and resizes the view on the terminal. */
#include "sink/top/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* A key that begins with an escape has its other bytes within this time. */
#define ESCAPE_MS 25
/* At the end, the time that a stopped terminal has to take the last bytes. */
#define LEAVE_MS 1000
#define DEFAULT_ROWS 24
#define DEFAULT_COLUMNS 80

int screen_watch(struct screen *screen, int other, struct error *error)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = other };

	if (epoll_ctl(screen->fd, EPOLL_CTL_ADD, other, &event) < 0 && errno != EEXIST)
		return error_set_system(error, errno, "cannot watch the terminal");
	return 0;
}

int screen_init(struct screen *screen, struct error *error)
{
	struct curses_api *api = &screen->api;
	const struct library_function functions[] = { CURSES_API_FUNCTIONS(LIBRARY_FUNCTION) };
	const char *name = getenv("TERM");
	const char *moves;
	sigset_t set;
	int status;

	*screen = (struct screen){ .fd = -1, .signals_fd = -1, .frame_fd = -1, .output_fd = -1 };
	if (library_load(&api->handle, "libncursesw.so.6",
			 "ncurses 6 (Debian's package libncursesw6)", functions,
			 sizeof(functions) / sizeof(functions[0]), error) < 0)
		return -1;
	if (api->setupterm(NULL, STDOUT_FILENO, &status) != OK)
		return error_set(error, "TERM=%s: unknown to ncurses", name ? name : "");
	moves = api->tigetstr("cup");
	if (!moves || moves == (const char *)-1)
		return error_set(error, "TERM=%s: cannot move the cursor", name ? name : "");
	screen->frame_fd = memfd_create("ktrack-screen", MFD_CLOEXEC);
	if (screen->frame_fd < 0)
		return error_set_system(error, errno, "cannot create a file in memory");
	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGCONT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	screen->signals_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	screen->fd = epoll_create1(EPOLL_CLOEXEC);
	if (screen->signals_fd < 0 || screen->fd < 0)
		return error_set_system(error, errno, "cannot watch the terminal");
	return screen_watch(screen, screen->signals_fd, error);
}

/*
 * ncurses needs a terminal while it sets the modes. Then its descriptor becomes that of the file in
 * memory. Keys are read from a pad: reading them from a window would write its frame.
 */
static int curses_open(struct screen *screen, struct error *error)
{
	const struct curses_api *api = &screen->api;
	int fd = dup(STDOUT_FILENO);

	if (tcgetattr(STDIN_FILENO, &screen->shell_modes) < 0)
		return error_set_system(error, errno, "cannot open the terminal");
	screen->out = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!screen->out)
		return error_set_system(error, errno, "cannot open the terminal");
	screen->terminal = api->newterm(NULL, screen->out, stdin);
	if (!screen->terminal)
		return error_set(error, "the terminal cannot show the view; use --no-top");
	api->cbreak();
	tcgetattr(STDIN_FILENO, &screen->modes);
	if (dup3(screen->frame_fd, fd, O_CLOEXEC) < 0)
		return error_set_system(error, errno, "cannot open the terminal");
	screen->window = api->newwin(0, 0, 0, 0);
	screen->keys = api->newpad(1, 1);
	if (!screen->window || !screen->keys)
		return error_set(error, "out of memory");
	api->noecho();
	api->keypad(screen->keys, true);
	api->nodelay(screen->keys, true);
	api->typeahead(-1);
	api->set_escdelay(ESCAPE_MS);
	api->curs_set(0);
	if (screen->has_colour && api->start_color() == OK && api->use_default_colors() == OK)
		api->init_pair(1, COLOR_RED, -1);
	else
		screen->has_colour = false;
	return 0;
}

static void size_apply(struct screen *screen)
{
	struct winsize size = { 0 };

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	screen->rows = size.ws_row > 0 ? size.ws_row : DEFAULT_ROWS;
	screen->columns = size.ws_col > 0 ? size.ws_col : DEFAULT_COLUMNS;
	screen->api.resizeterm((int)screen->rows, (int)screen->columns);
	screen->api.wresize(screen->window, (int)screen->rows, (int)screen->columns);
	screen_redraw(screen);
}

/* Keys are watched only while they are ours: typed for the shell, they would wake us for ever. */
static int screen_enter(struct screen *screen, struct error *error)
{
	bool was_open = screen->is_open;

	if (!was_open && curses_open(screen, error) < 0) {
		tcsetattr(STDIN_FILENO, TCSANOW, &screen->shell_modes);
		return -1;
	}
	if (was_open)
		tcsetattr(STDIN_FILENO, TCSANOW, &screen->modes);
	screen->is_open = true;
	screen->is_shown = true;
	size_apply(screen);
	return screen_watch(screen, STDIN_FILENO, error);
}

/* Copies what ncurses wrote to the terminal. */
static int frame_write(struct screen *screen, struct error *error)
{
	off_t size = lseek(screen->frame_fd, 0, SEEK_CUR);
	SCOPED_BUFFER(out);
	char *space = size > 0 ? buffer_reserve(&out, (size_t)size) : NULL;
	ssize_t done = space ? pread(screen->frame_fd, space, (size_t)size, 0) : 0;
	int status = 0;

	if (size > 0 && done != size) {
		return error_set(error, "out of memory");
	}
	lseek(screen->frame_fd, 0, SEEK_SET);
	if (ftruncate(screen->frame_fd, 0) < 0)
		status = error_set(error, "out of memory");
	else if (done > 0 &&
		 file_write_all(screen->output_fd, space, (size_t)done, &screen->wait) < 0)
		status = errno == ECANCELED
				 ? 0
				 : error_set_system(error, errno, "cannot write to the terminal");
	return status;
}

int screen_show(struct screen *screen, struct error *error)
{
	if (!screen->is_shown)
		return 0;
	screen->api.wnoutrefresh(screen->window);
	screen->api.doupdate();
	return frame_write(screen, error);
}

void screen_redraw(struct screen *screen)
{
	if (screen->is_open)
		screen->api.clearok(screen->window, true);
}

void screen_clear(struct screen *screen)
{
	screen->api.werase(screen->window);
}

void screen_put(struct screen *screen, unsigned int row, struct text text, enum screen_look look)
{
	static const attr_t attributes[] = {
		[SCREEN_PLAIN] = A_NORMAL,
		[SCREEN_BOLD] = A_BOLD,
		[SCREEN_REVERSE] = A_REVERSE,
		[SCREEN_WARNING] = A_BOLD,
	};
	const struct curses_api *api = &screen->api;
	bool is_red = look == SCREEN_WARNING && screen->has_colour;

	if (row >= screen->rows)
		return;
	api->wattr_set(screen->window, is_red ? A_NORMAL : attributes[look], is_red ? 1 : 0, NULL);
	api->wmove(screen->window, (int)row, 0);
	api->waddnstr(screen->window, text.data, (int)text.size);
	api->wattr_set(screen->window, A_NORMAL, 0, NULL);
}

bool screen_take_key(struct screen *screen, struct screen_key *key)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	int kind;

	if (!screen->is_shown)
		return false;
	if (poll(&input, 1, 0) > 0 && input.revents & (POLLHUP | POLLERR | POLLNVAL)) {
		screen->is_over = true;
		return false;
	}
	kind = screen->api.wget_wch(screen->keys, &key->code);
	key->is_function = kind == KEY_CODE_YES;
	return kind == OK || kind == KEY_CODE_YES;
}

/* The last bytes restore the terminal; a stopped one gets them only if it goes on soon. */
static int leave_wait(void *context, int fd)
{
	struct pollfd output = { .fd = fd, .events = POLLOUT };
	bool *is_last = context;

	if (*is_last || poll(&output, 1, LEAVE_MS) <= 0) {
		errno = ECANCELED;
		return -1;
	}
	*is_last = true;
	return 0;
}

void screen_leave(struct screen *screen)
{
	bool is_last = false;
	struct file_wait before = screen->wait;
	struct error ignored = { 0 };

	if (!screen->is_shown)
		return;
	screen->is_shown = false;
	epoll_ctl(screen->fd, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
	screen->api.endwin();
	screen->wait = (struct file_wait){ leave_wait, &is_last };
	frame_write(screen, &ignored);
	screen->wait = before;
	tcsetattr(STDIN_FILENO, TCSANOW, &screen->shell_modes);
}

int screen_follow(struct screen *screen, struct error *error)
{
	struct signalfd_siginfo info;
	bool has_changed = false;
	sigset_t set;

	/* Before the view is shown, a signal to stop means the same. */
	while (read(screen->signals_fd, &info, sizeof(info)) == sizeof(info)) {
		has_changed = true;
		if (info.ssi_signo != SIGTSTP)
			continue;
		/* Stops as without a view; records go on to fill the buffers. */
		screen_leave(screen);
		sigemptyset(&set);
		sigaddset(&set, SIGTSTP);
		signal(SIGTSTP, SIG_DFL);
		kill(getpid(), SIGTSTP);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		sigprocmask(SIG_BLOCK, &set, NULL);
	}
	if (tcgetpgrp(STDIN_FILENO) != getpgrp()) {
		/* Stopped by SIGSTOP and continued in the background: the modes are the shell's. */
		if (screen->is_shown) {
			screen->is_shown = false;
			epoll_ctl(screen->fd, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
		}
		return 0;
	}
	if (!screen->is_shown)
		return screen_enter(screen, error) < 0 ? -1 : 1;
	if (!has_changed)
		return 0;
	tcsetattr(STDIN_FILENO, TCSANOW, &screen->modes);
	size_apply(screen);
	return 1;
}

void screen_release(struct screen *screen)
{
	screen_leave(screen);
	if (screen->keys)
		screen->api.delwin(screen->keys);
	if (screen->window)
		screen->api.delwin(screen->window);
	if (screen->terminal)
		screen->api.delscreen(screen->terminal);
	if (screen->out)
		fclose(screen->out);
	file_close(screen->frame_fd);
	file_close(screen->signals_fd);
	file_close(screen->fd);
	library_release(screen->api.handle);
	screen->api.handle = NULL;
}
