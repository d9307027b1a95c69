// SPDX-License-Identifier: GPL-2.0-only
/* Looks up the user of the traced command, and becomes that user. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/command.h"

static struct passwd *passwd_find(const char *name)
{
	bool is_number = !name[strspn(name, "0123456789")];

	if (!*name)
		return NULL;
	return is_number ? getpwuid(strtoul(name, NULL, 10)) : getpwnam(name);
}

int command_user_find(struct command_user *out, const char *name, struct error *error)
{
	const struct passwd *entry;

	*out = (struct command_user){ 0 };
	if (!name)
		name = getenv("SUDO_UID");
	if (!name)
		return error_set(error, "--user: not called by sudo; write --user=NAME");
	entry = passwd_find(name);
	if (!entry)
		return error_set(error, "--user=%s: no such user; see 'getent passwd'", name);
	out->uid = entry->pw_uid;
	out->gid = entry->pw_gid;
	out->name = strdup(entry->pw_name);
	out->home = strdup(entry->pw_dir);
	if (out->name && out->home)
		return 0;
	command_user_release(out);
	return error_set(error, "out of memory");
}

void command_user_release(struct command_user *user)
{
	free(user->name);
	free(user->home);
	*user = (struct command_user){ 0 };
}

int command_user_become(const struct command_user *user)
{
	if (initgroups(user->name, user->gid) < 0 || setgid(user->gid) < 0 || setuid(user->uid) < 0)
		return -1;
	if (setenv("USER", user->name, 1) < 0 || setenv("LOGNAME", user->name, 1) < 0)
		return -1;
	return setenv("HOME", user->home, 1);
}
