// SPDX-License-Identifier: GPL-2.0-only
/* Incidents of devices that others make: a file system of a program, and a disk that delays. */
#define _GNU_SOURCE
#include "actors.h"

#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define PAGE_SIZE 4096
#define MESSAGE_SIZE (256 << 10)
#define SECTORS 8192

static char bytes[PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));

static void read_work(int fd)
{
	ktrack_begin(incident_work, stage->name);
	for (int i = 0; i < 4; i++)
		if (pread(fd, bytes, sizeof(bytes), i * (256 << 10)) < 0)
			fail("pread");
	ktrack_end(incident_work);
}

/* A file whose content comes from a program, which sleeps; in the twin it computes. */
static int fuse_fd;

static size_t fuse_answer(const struct fuse_in_header *in, char *out)
{
	if (in->opcode == FUSE_INIT) {
		*(struct fuse_init_out *)out = (struct fuse_init_out){
			.major = FUSE_KERNEL_VERSION,
			.minor = FUSE_KERNEL_MINOR_VERSION,
			.max_write = PAGE_SIZE,
		};
		return sizeof(struct fuse_init_out);
	}
	if (in->opcode == FUSE_GETATTR) {
		struct fuse_attr_out *attributes = (void *)out;

		attributes->attr_valid = 60;
		attributes->attr.ino = in->nodeid;
		attributes->attr.mode = S_IFREG | 0644;
		attributes->attr.nlink = 1;
		attributes->attr.size = 1 << 20;
		return sizeof(*attributes);
	}
	if (in->opcode == FUSE_OPEN) {
		((struct fuse_open_out *)out)->open_flags = FOPEN_DIRECT_IO;
		return sizeof(struct fuse_open_out);
	}
	if (in->opcode != FUSE_READ)
		return 0;
	if (stage->is_twin)
		compute_ms(8);
	else
		sleep_ms(8);
	return PAGE_SIZE;
}

static void fuse_serve(void)
{
	static char question[MESSAGE_SIZE], answer[MESSAGE_SIZE];
	const struct fuse_in_header *in = (void *)question;
	struct fuse_out_header *out = (void *)answer;

	while (read(fuse_fd, question, sizeof(question)) > 0) {
		memset(answer, 0, sizeof(*out) + PAGE_SIZE);
		out->unique = in->unique;
		out->len = sizeof(*out) + fuse_answer(in, (char *)(out + 1));
		if (in->opcode != FUSE_FORGET && write(fuse_fd, answer, out->len) < 0)
			perror("fuse");
	}
}

static void slow_server(void)
{
	char options[128];
	int fd;

	fuse_fd = file_open("/dev/fuse", O_RDWR);
	close(file_open("/tmp/served", O_RDWR | O_CREAT));
	snprintf(options, sizeof(options), "fd=%d,rootmode=%o,user_id=0,group_id=0", fuse_fd,
		 S_IFREG | 0644);
	if (mount("incidents", "/tmp/served", "fuse", 0, options))
		fail("mount");
	actor_process("server", 0, 0, fuse_serve);
	close(fuse_fd);
	actor_become("client", 1, 0);
	fd = file_open("/tmp/served", O_RDONLY);
	read_work(fd);
	close(fd);
	umount2("/tmp/served", MNT_DETACH);
	actors_kill();
}

/* A disk below a delay of 12 ms; in the twin below one of 0 ms, while its CPU is taken. */
static void dm_call(unsigned long call, const char *table, int flags, struct dm_ioctl *found)
{
	int fd = file_open("/dev/mapper/control", O_RDWR);
	struct { struct dm_ioctl head; struct dm_target_spec target; char text[128]; } request = {
		.head = { .version = { 4 }, .data_size = sizeof(request), .flags = flags,
			  .data_start = sizeof(struct dm_ioctl), .name = "slow" },
		.target = { .length = SECTORS, .target_type = "delay" },
	};

	request.head.target_count = table ? 1 : 0;
	snprintf(request.text, sizeof(request.text), "%s", table ? table : "");
	if (ioctl(fd, call, &request))
		fail("device mapper");
	if (found)
		*found = request.head;
	close(fd);
}

static void delay_preempt(void)
{
	sleep_ms(2);
	busy_ms(30);
}

static void delayed_disk(void)
{
	struct dm_ioctl made;
	int fd;

	dm_call(DM_DEV_CREATE, NULL, 0, &made);
	dm_call(DM_TABLE_LOAD, stage->is_twin ? "/dev/loop0 0 0" : "/dev/loop0 0 12", 0, NULL);
	dm_call(DM_DEV_SUSPEND, NULL, 0, NULL);
	mknod("/tmp/slow", S_IFBLK | 0600, makedev(major(made.dev), minor(made.dev)));
	fd = file_open("/tmp/slow", O_RDONLY | O_DIRECT);
	if (stage->is_twin)
		actor_process("urgent", 1, 30, delay_preempt);
	actor_become("reader", 1, 0);
	sleep_ms(stage->is_twin ? 4 : 10);
	read_work(fd);
	actors_join();
	close(fd);
	dm_call(DM_DEV_REMOVE, NULL, 0, NULL);
}

const struct incident device_incidents[] = {
	{ "slow-server", slow_server },
	{ "delayed-disk", delayed_disk },
	{ }
};
