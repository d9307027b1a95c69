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

static int curses_api_load(struct curses_api *api, struct error *error)
{
	const struct library_function functions[] = { CURSES_API_FUNCTIONS(LIBRARY_FUNCTION) };

	*api = (struct curses_api){ 0 };
	return library_load(&api->handle, "libncursesw.so.6",
			    "ncurses 6 (Debian's package libncursesw6)", functions,
			    sizeof(functions) / sizeof(functions[0]), error);
}

static void curses_api_release(struct curses_api *api)
{
	library_release(api->handle);
	*api = (struct curses_api){ 0 };
}

static void signals_fill(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGWINCH);
	sigaddset(set, SIGTSTP);
	sigaddset(set, SIGCONT);
}

static int signals_catch(struct screen *screen, struct error *error)
{
	sigset_t set;

	signals_fill(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	screen->signals_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	screen->fd = epoll_create1(EPOLL_CLOEXEC);
	if (screen->signals_fd < 0 || screen->fd < 0)
		return error_set_system(error, errno, "cannot watch the terminal");
	return screen_watch(screen, screen->signals_fd, error);
}

int screen_watch(struct screen *screen, int other, struct error *error)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = other };

	if (epoll_ctl(screen->fd, EPOLL_CTL_ADD, other, &event) < 0 && errno != EEXIST)
		return error_set_system(error, errno, "cannot watch the terminal");
	return 0;
}

static int terminal_check(struct screen *screen, struct error *error)
{
	const char *name = getenv("TERM");
	const char *moves;
	int status;

	if (screen->api.setupterm(NULL, STDOUT_FILENO, &status) != OK)
		return error_set(error, "TERM=%s: unknown to ncurses", name ? name : "");
	moves = screen->api.tigetstr("cup");
	if (!moves || moves == (const char *)-1)
		return error_set(error, "TERM=%s: cannot move the cursor", name ? name : "");
	return 0;
}

int screen_init(struct screen *screen, struct error *error)
{
	*screen = (struct screen){ .fd = -1, .signals_fd = -1, .frame_fd = -1, .output_fd = -1 };
	if (curses_api_load(&screen->api, error) < 0 || terminal_check(screen, error) < 0)
		return -1;
	screen->frame_fd = memfd_create("ktrack-screen", MFD_CLOEXEC);
	if (screen->frame_fd < 0)
		return error_set_system(error, errno, "cannot create a file in memory");
	return signals_catch(screen, error);
}

static void size_read(struct screen *screen)
{
	struct winsize size = { 0 };

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	screen->rows = size.ws_row > 0 ? size.ws_row : DEFAULT_ROWS;
	screen->columns = size.ws_col > 0 ? size.ws_col : DEFAULT_COLUMNS;
}

/* Keys are read from a pad: reading them from a window would write its frame. */
static int windows_open(struct screen *screen, struct error *error)
{
	const struct curses_api *api = &screen->api;

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

/*
 * ncurses needs a terminal while it sets the modes. Then its descriptor becomes that of the file in
 * memory.
 */
static int curses_open(struct screen *screen, struct error *error)
{
	int fd = dup(STDOUT_FILENO);

	if (tcgetattr(STDIN_FILENO, &screen->shell_modes) < 0)
		return error_set_system(error, errno, "cannot open the terminal");
	screen->out = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!screen->out)
		return error_set_system(error, errno, "cannot open the terminal");
	screen->terminal = screen->api.newterm(NULL, screen->out, stdin);
	if (!screen->terminal)
		return error_set(error, "the terminal cannot show the view; use --no-top");
	screen->api.cbreak();
	tcgetattr(STDIN_FILENO, &screen->modes);
	if (dup3(screen->frame_fd, fd, O_CLOEXEC) < 0)
		return error_set_system(error, errno, "cannot open the terminal");
	return windows_open(screen, error);
}

static void size_apply(struct screen *screen)
{
	size_read(screen);
	screen->api.resizeterm((int)screen->rows, (int)screen->columns);
	screen->api.wresize(screen->window, (int)screen->rows, (int)screen->columns);
	screen_redraw(screen);
}

static bool is_foreground(void)
{
	return tcgetpgrp(STDIN_FILENO) == getpgrp();
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

/* Moves what ncurses wrote to @out. */
static int frame_take(struct screen *screen, struct buffer *out)
{
	off_t size = lseek(screen->frame_fd, 0, SEEK_CUR);
	char *space = size > 0 ? buffer_reserve(out, (size_t)size) : NULL;
	ssize_t done = space ? pread(screen->frame_fd, space, (size_t)size, 0) : 0;

	if (size > 0 && done != size)
		return -1;
	out->size += (size_t)done;
	lseek(screen->frame_fd, 0, SEEK_SET);
	return ftruncate(screen->frame_fd, 0);
}

static int frame_write(struct screen *screen, struct error *error)
{
	struct buffer out = { 0 };
	int status = 0;

	if (frame_take(screen, &out) < 0)
		status = error_set(error, "out of memory");
	else if (out.size > 0 &&
		 file_write_all(screen->output_fd, out.data, out.size, &screen->wait) < 0)
		status = errno == ECANCELED
				 ? 0
				 : error_set_system(error, errno, "cannot write to the terminal");
	buffer_release(&out);
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

static attr_t look_attributes(const struct screen *screen, enum screen_look look)
{
	static const attr_t attributes[] = {
		[SCREEN_PLAIN] = A_NORMAL,
		[SCREEN_BOLD] = A_BOLD,
		[SCREEN_REVERSE] = A_REVERSE,
		[SCREEN_WARNING] = A_BOLD,
	};

	return look == SCREEN_WARNING && screen->has_colour ? A_NORMAL : attributes[look];
}

void screen_put(struct screen *screen, unsigned int row, struct text text, enum screen_look look)
{
	const struct curses_api *api = &screen->api;
	short pair = look == SCREEN_WARNING && screen->has_colour ? 1 : 0;

	if (row >= screen->rows)
		return;
	api->wattr_set(screen->window, look_attributes(screen, look), pair, NULL);
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

/* Stops as without a view; records go on to fill the buffers. */
static void screen_suspend(struct screen *screen)
{
	sigset_t set;

	screen_leave(screen);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	signal(SIGTSTP, SIG_DFL);
	kill(getpid(), SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Before the view is shown, a signal to stop means the same. */
static bool screen_take_signals(struct screen *screen)
{
	struct signalfd_siginfo info;
	bool has_changed = false;

	while (read(screen->signals_fd, &info, sizeof(info)) == sizeof(info)) {
		has_changed = true;
		if (info.ssi_signo == SIGTSTP)
			screen_suspend(screen);
	}
	return has_changed;
}

int screen_follow(struct screen *screen, struct error *error)
{
	bool has_changed = screen_take_signals(screen);

	if (!is_foreground()) {
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
	curses_api_release(&screen->api);
}
