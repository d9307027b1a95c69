// SPDX-License-Identifier: GPL-2.0-only
/* Tests of connecting to a socket that nobody accepts connections from. */
#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/base.h"
#include "fixtures/folder.h"
#include "fixtures/tap.h"
#include "trace2/trace2.h"

/**
 * struct scene - a listener with space for one connection that it does not accept
 * @tries: how often a session waited
 */
struct scene {
	struct folder folder;
	char value[256];
	int listener;
	int tries;
};

static void scene_init(struct scene *scene)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	*scene = (struct scene){ .listener = socket(AF_UNIX, SOCK_STREAM, 0) };
	folder_new(&scene->folder);
	strncpy(address.sun_path, folder_path(&scene->folder, "socket"),
		sizeof(address.sun_path) - 1);
	snprintf(scene->value, sizeof(scene->value), "af_unix:%s", address.sun_path);
	CHECK_NUMBER(bind(scene->listener, (struct sockaddr *)&address, sizeof(address)), 0);
	CHECK_NUMBER(listen(scene->listener, 0), 0);
}

static void scene_release(struct scene *scene)
{
	close(scene->listener);
	folder_remove(&scene->folder);
}

/* Gives up at the third try. */
static int wait_twice(void *context, int fd)
{
	struct scene *scene = context;

	CHECK_NUMBER(fd, -1);
	errno = ECANCELED;
	return ++scene->tries > 2 ? -1 : 0;
}

static struct trace2_session *session_new(struct scene *scene)
{
	return trace2_session_new(&(struct trace2_settings){
		.sid = "S",
		.wait = wait_twice,
		.wait_context = scene,
	});
}

TEST(a_listener_that_accepts_nothing_is_waited_for_but_not_for_ever)
{
	struct trace2_session *first, *second;
	FIXTURE(scene, scene);

	first = session_new(&scene);
	second = session_new(&scene);
	CHECK_NUMBER(trace2_session_open(first, TRACE2_EVENT, scene.value, "NAME"), 1);
	CHECK_NUMBER(scene.tries, 0);
	CHECK_NUMBER(trace2_session_open(second, TRACE2_EVENT, scene.value, "NAME"), -1);
	CHECK_NUMBER(scene.tries, 3);
	CHECK(strstr(trace2_session_error(second), " for 'NAME' tracing: nobody reads it"));
	trace2_session_free(second);
	second = session_new(&scene);
	close(accept(scene.listener, NULL, NULL));
	CHECK_NUMBER(trace2_session_open(second, TRACE2_EVENT, scene.value, "NAME"), 1);
	CHECK_NUMBER(scene.tries, 3);
	trace2_session_free(first);
	trace2_session_free(second);
}
