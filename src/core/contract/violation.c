#include "violation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "xalloc.h"

static const char *const code_names[] = {
    [VIOLATION_NOT_JSON] = "NOT_JSON",           [VIOLATION_NOT_OBJECT] = "NOT_OBJECT",
    [VIOLATION_MISSING_FIELD] = "MISSING_FIELD", [VIOLATION_WRONG_TYPE] = "WRONG_TYPE",
    [VIOLATION_INVALID_VALUE] = "INVALID_VALUE", [VIOLATION_KERNEL_MISMATCH] = "KERNEL_MISMATCH",
    [VIOLATION_OP_MISMATCH] = "OP_MISMATCH",
};
static_assert(ARRAY_LEN(code_names) == VIOLATION_CODE_COUNT, "every code has a name");

static char *copy(const char *text, size_t max)
{
    const size_t len = text ? strlen(text) : 0;
    if (!text || len <= max)
        return text ? xstrdup(text) : NULL;
    struct str cut = {0};
    str_add_n(&cut, text, text_cut(text, len, max));
    str_add(&cut, "...");
    return cut.data;
}

bool violation_is_mismatch(enum violation_code code)
{
    return code == VIOLATION_KERNEL_MISMATCH || code == VIOLATION_OP_MISMATCH;
}

void violation_add_visible(struct str *out, const char *text)
{
    for (const char *p = text; *p; p++) {
        unsigned char c = (unsigned char)*p;
        bool is_c1 = c == 0xC2 && ((unsigned char)p[1] & 0xE0) == 0x80;
        if (is_c1)
            c = (unsigned char)*++p;
        if (c < 0x20 || c == 0x7F || is_c1)
            str_addf(out, "\\u%04x", (unsigned)c);
        else
            str_add_char(out, *p);
    }
}

const char *violation_code_name(enum violation_code code)
{
    assert(code < VIOLATION_CODE_COUNT);
    return code_names[code];
}

void violations_add(struct violations *list, enum violation_code code, const char *path,
                    const char *message, const char *expected, const char *actual)
{
    list->mismatch = list->mismatch || violation_is_mismatch(code);
    if (list->count == VIOLATIONS_MAX) {
        list->dropped++;
        return;
    }
    list->items = xgrow(list->items, &list->cap, list->count + 1, sizeof(*list->items));
    list->items[list->count++] = (struct violation){
        .code = code,
        .path = copy(path, VIOLATION_PATH_MAX),
        .message = copy(message, VIOLATION_TEXT_MAX),
        .expected = copy(expected, VIOLATION_TEXT_MAX),
        .actual = copy(actual, VIOLATION_TEXT_MAX),
    };
}

const char *violation_path_shown(const struct violation *violation)
{
    return *violation->path ? violation->path : "(root)";
}

void violations_display(const struct violations *list, struct str *out)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct violation *v = &list->items[i];
        str_addf(out, "[%s] ", violation_code_name(v->code));
        violation_add_visible(out, violation_path_shown(v));
        str_add(out, ": ");
        violation_add_visible(out, v->message);
        if (v->expected && v->actual) {
            str_add(out, " (expected ");
            violation_add_visible(out, v->expected);
            str_add(out, ", got ");
            violation_add_visible(out, v->actual);
            str_add_char(out, ')');
        }
        str_add_char(out, '\n');
    }
    if (list->dropped > 0)
        str_addf(out, "... and %zu more\n", list->dropped);
}

void violations_done(struct violations *list)
{
    if (!list)
        return;
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].path);
        free(list->items[i].message);
        free(list->items[i].expected);
        free(list->items[i].actual);
    }
    free(list->items);
    *list = (struct violations){0};
}
