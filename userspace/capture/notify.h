/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports the state of the process to a service manager, as sd_notify(3) describes it. */
#ifndef CAPTURE_NOTIFY_H
#define CAPTURE_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct notify - the connection
 * @fd: -1 if nobody asked for reports
 * @watchdog_ns: the manager expects a report this often, 0 for never
 * @reported_ns: time of the last report, on the monotonic clock
 */
struct notify {
	int fd;
	int64_t watchdog_ns;
	int64_t reported_ns;
};

/**
 * notify_open - connect to what NOTIFY_SOCKET names, and read WATCHDOG_USEC
 *
 * Both are removed from the environment: programs that are started later do not report. A socket
 * that cannot be reached is no error: the manager notices that nothing is reported.
 */
void notify_open(struct notify *notify);

/**
 * notify_send - send lines in one datagram; never blocks
 * @state: "READY=1\nSTATUS=..."
 *
 * Returns whether it was sent.
 */
bool notify_send(struct notify *notify, const char *state);

/** notify_wait_ms - time from @now_ns to the next report for the watchdog, @max_ms at most */
int notify_wait_ms(const struct notify *notify, int64_t now_ns, int max_ms);

/** notify_keep_alive - report to the watchdog if it is time */
void notify_keep_alive(struct notify *notify, int64_t now_ns);

void notify_close(struct notify *notify);

#endif
