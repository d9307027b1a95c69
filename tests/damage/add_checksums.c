// SPDX-License-Identifier: GPL-2.0-only
/*
 * Command: add_checksums FILE PAGE_SIZE HEAD_SIZE appends the checksums to a trace.dat that ktrack
 * could have written. HEAD_SIZE: bytes before the first record.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracedat/file.h"

int main(int argc, char **argv)
{
	struct checksums_writer writer = { 0 };
	struct stat file;
	int status;

	if (argc != 4)
		return 2;
	writer.fd = open(argv[1], O_RDWR | O_CLOEXEC);
	writer.page_size = strtoul(argv[2], NULL, 10);
	if (writer.fd < 0 || writer.page_size == 0 || fstat(writer.fd, &file) < 0 ||
	    lseek(writer.fd, 0, SEEK_END) < 0) {
		perror(argv[1]);
		return 1;
	}
	status = checksums_finish(&writer, strtoul(argv[3], NULL, 10), file.st_size);
	if (status < 0)
		perror(argv[1]);
	buffer_release(&writer.table);
	close(writer.fd);
	return status < 0;
}
