#include "judge_row.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "data_rows.h"
#include "str.h"

static bool two_hours_east(void *ctx, const char *zone, int64_t at_s, int *offset_s)
{
    (void)ctx;
    (void)at_s;
    *offset_s = 7200;
    return strcmp(zone, "Europe/Helsinki") == 0;
}

/* 21 Nov 2026 01:19:00.250 UTC */
static const struct classify_edge edge = {.now_ms = 1795223940250, .zone_offset = two_hours_east};

static bool answer_row(const struct classifier *with, const struct str *row, struct str *out,
                       struct err *err)
{
    const bool ok = classify_row(with, row, &edge, out, err);
    ck_assert(ok || (err->code == ERR_INVALID && out->len == 0));
    ck_assert(!ok || out->data[out->len - 1] == '\n');
    return ok;
}

/* `want` holds some members of the answer. */
static void check_answer(const char *row, const struct str *answer, const struct json *want)
{
    struct json *got = NULL;
    void *iter = NULL;
    const char *key;
    const struct json *value;
    ck_assert(json_parse(str_text(answer), answer->len, &got, NULL, NULL));
    while (json_next(want, &iter, &key, &value)) {
        char *expected = json_brief(value, 400);
        char *member = json_brief(json_get(got, key), 400);
        ck_assert_msg(json_get(got, key) && strcmp(member, expected) == 0, "%s: %s is %s, not %s",
                      row, key, member, expected);
        free(expected);
        free(member);
    }
    json_free(got);
}

void judge_row(const struct classifier *with, const struct json *test)
{
    const struct json *answer = json_get(test, "answer");
    struct str row = {0};
    struct str out = {0};
    struct err err = {0};
    json_write(&row, json_get(test, "row"));
    const bool ok = answer_row(with, &row, &out, &err);
    ck_assert_msg(ok == (answer != NULL), "%s: %s", str_text(&row), err.message);
    if (ok)
        check_answer(str_text(&row), &out, answer);
    else
        ck_assert_msg(strstr(err.message, data_text(test, "error")), "%s: %s", str_text(&row),
                      err.message);
    str_done(&row);
    str_done(&out);
}
