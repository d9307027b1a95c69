// SPDX-License-Identifier: GPL-2.0-only
/* Tests of reports to a service manager, which is a socket here. */
#include "capture/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/base.h"
#include "fixtures/folder.h"
#include "fixtures/tap.h"

/** struct manager - the other end of the socket */
struct manager {
	struct folder folder;
	int fd;
};

static void manager_begin(struct manager *manager, const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t size = strlen(name);

	strcpy(address.sun_path, name);
	if (*name == '@')
		address.sun_path[0] = '\0';
	manager->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	CHECK_NUMBER(bind(manager->fd, (struct sockaddr *)&address,
			  offsetof(struct sockaddr_un, sun_path) + size),
		     0);
	setenv("NOTIFY_SOCKET", name, 1);
}

/* One datagram, "" if there is none. */
static void check_received(const struct manager *manager, const char *want)
{
	char got[256] = "";
	ssize_t size = recv(manager->fd, got, sizeof(got) - 1, 0);

	got[size > 0 ? size : 0] = '\0';
	CHECK_TEXT(got, want);
}

TEST(a_report_is_one_datagram_to_a_path)
{
	struct manager manager;
	struct notify notify;

	folder_new(&manager.folder);
	manager_begin(&manager, folder_path(&manager.folder, "notify"));
	notify_open(&notify);
	CHECK(notify_send(&notify, "READY=1\nSTATUS=holds 5.0 s"));
	check_received(&manager, "READY=1\nSTATUS=holds 5.0 s");
	check_received(&manager, "");
	/* Programs that are started later must not report. */
	CHECK(getenv("NOTIFY_SOCKET") == NULL);
	notify_close(&notify);
	CHECK(!notify_send(&notify, "READY=1"));
	close(manager.fd);
	folder_remove(&manager.folder);
}

TEST(an_abstract_name_works_too)
{
	struct manager manager;
	struct notify notify;
	char name[64];

	snprintf(name, sizeof(name), "@ktrack-unit-%d", getpid());
	manager_begin(&manager, name);
	notify_open(&notify);
	CHECK(notify_send(&notify, "READY=1"));
	check_received(&manager, "READY=1");
	notify_close(&notify);
	close(manager.fd);
}

TEST(without_a_manager_nothing_is_reported)
{
	static const char *const names[] = { "", "@", "relative", "/nonexistent/socket" };
	struct notify notify;

	unsetenv("NOTIFY_SOCKET");
	notify_open(&notify);
	CHECK(!notify_send(&notify, "READY=1"));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		setenv("NOTIFY_SOCKET", names[i], 1);
		notify_open(&notify);
		CHECK(!notify_send(&notify, "READY=1"));
		notify_close(&notify);
	}
}

/* A manager that does not read must not block us. */
TEST(a_full_socket_does_not_block)
{
	struct manager manager;
	struct notify notify;
	int nr_sent = 0;

	folder_new(&manager.folder);
	manager_begin(&manager, folder_path(&manager.folder, "notify"));
	notify_open(&notify);
	while (nr_sent < 100000 && notify_send(&notify, "STATUS=again"))
		nr_sent++;
	CHECK(nr_sent < 100000);
	notify_close(&notify);
	close(manager.fd);
	folder_remove(&manager.folder);
}

static struct notify watchdog_begin(struct manager *manager, const char *us, const char *process)
{
	struct notify notify;

	folder_new(&manager->folder);
	manager_begin(manager, folder_path(&manager->folder, "notify"));
	setenv("WATCHDOG_USEC", us, 1);
	unsetenv("WATCHDOG_PID");
	if (process)
		setenv("WATCHDOG_PID", process, 1);
	notify_open(&notify);
	return notify;
}

static void watchdog_end(struct manager *manager, struct notify *notify)
{
	notify_close(notify);
	close(manager->fd);
	folder_remove(&manager->folder);
}

TEST(the_watchdog_gets_twice_as_many_reports_as_it_needs)
{
	struct manager manager;
	struct notify notify = watchdog_begin(&manager, "4000000", NULL);
	int64_t now_ns = 10 * NS_PER_S;

	notify_keep_alive(&notify, now_ns);
	check_received(&manager, "WATCHDOG=1");
	CHECK_NUMBER(notify_wait_ms(&notify, now_ns, 500), 500);
	CHECK_NUMBER(notify_wait_ms(&notify, now_ns, 5000), 2000);
	notify_keep_alive(&notify, now_ns + 2 * NS_PER_S - 1);
	check_received(&manager, "");
	CHECK_NUMBER(notify_wait_ms(&notify, now_ns + 3 * NS_PER_S, 5000), 0);
	notify_keep_alive(&notify, now_ns + 2 * NS_PER_S);
	check_received(&manager, "WATCHDOG=1");
	watchdog_end(&manager, &notify);
}

TEST(a_watchdog_of_another_process_or_without_a_number_gets_none)
{
	static const char *const numbers[] = { "0", "-1", "x", "99999999999999999999" };
	struct manager manager;
	struct notify notify = watchdog_begin(&manager, "4000000", "1");

	notify_keep_alive(&notify, 10 * NS_PER_S);
	check_received(&manager, "");
	CHECK_NUMBER(notify_wait_ms(&notify, 0, 5000), 5000);
	watchdog_end(&manager, &notify);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		notify = watchdog_begin(&manager, numbers[i], NULL);
		notify_keep_alive(&notify, 10 * NS_PER_S);
		check_received(&manager, "");
		watchdog_end(&manager, &notify);
	}
}
