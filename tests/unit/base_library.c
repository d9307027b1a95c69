// SPDX-License-Identifier: GPL-2.0-only
/* Tests: libraries that are loaded when they are needed. */
#include "base/library.h"

#include <zstd.h>

#include "fixtures/tap.h"

#define FUNCTIONS(apply) apply(ZSTD_versionNumber) apply(ZSTD_isError)

struct api {
	void *handle;
	FUNCTIONS(LIBRARY_MEMBER)
};

static int api_load(struct api *api, const char *file, struct error *error)
{
	const struct library_function functions[] = { FUNCTIONS(LIBRARY_FUNCTION) };

	return library_load(&api->handle, file, "a package", functions, 2, error);
}

TEST(functions_of_a_library_are_found_by_their_names)
{
	struct error error = { 0 };
	struct api api = { 0 };

	CHECK(api_load(&api, "libzstd.so.1", &error) == 0);
	CHECK(api.ZSTD_versionNumber() == ZSTD_versionNumber());
	CHECK(api.ZSTD_isError((size_t)-1));
	library_release(api.handle);
}

TEST(a_library_that_is_missing_is_reported)
{
	struct error error = { 0 };
	struct api api = { 0 };

	CHECK(api_load(&api, "libmissing.so.1", &error) < 0);
	CHECK_TEXT(error.text, "libmissing.so.1: cannot be loaded; install a package");
	CHECK(!api.handle);
	library_release(api.handle);
}

TEST(a_library_without_a_function_is_reported)
{
	struct error error = { 0 };
	struct api api = { 0 };

	CHECK(api_load(&api, "libz.so.1", &error) < 0);
	CHECK_TEXT(error.text, "libz.so.1: has no ZSTD_versionNumber; install a package");
	library_release(api.handle);
}
