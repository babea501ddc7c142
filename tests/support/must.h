/*
 * must.h - calls that report a struct err, as assertions. The call names its error `&err`:
 *
 *     must(place_find(path, true, &place, &err));
 *     must_fail(place_find("folder/", true, &place, &err), ERR_INVALID);
 */
#ifndef DEVS_TEST_MUST_H
#define DEVS_TEST_MUST_H

#include <check.h>
#include <string.h>

#include "err.h"

/* The call returns true; if not, the test fails with what the call reported. */
#define must(call)                                                                                 \
    do {                                                                                           \
        struct err err = {0};                                                                      \
        ck_assert_msg((call), "%s: %s", #call, err.message);                                       \
    } while (0)

/* The call returns false and reports this code, with these words in its message. */
#define must_fail_with(call, want, words)                                                          \
    do {                                                                                           \
        struct err err = {0};                                                                      \
        ck_assert_msg(!(call), "%s does not fail", #call);                                         \
        ck_assert_msg(err.code == (want), "%s: code %d: %s", #call, (int)err.code, err.message);   \
        ck_assert_msg(strstr(err.message, (words)) != NULL, "%s: %s", #call, err.message);         \
    } while (0)

#define must_fail(call, want) must_fail_with(call, want, "")

#endif
