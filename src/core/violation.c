#include "violation.h"

#include <assert.h>
#include <stdlib.h>

#include "xalloc.h"

static const char *const code_names[] = {
    [VIOLATION_NOT_JSON] = "NOT_JSON",           [VIOLATION_NOT_OBJECT] = "NOT_OBJECT",
    [VIOLATION_MISSING_FIELD] = "MISSING_FIELD", [VIOLATION_WRONG_TYPE] = "WRONG_TYPE",
    [VIOLATION_INVALID_VALUE] = "INVALID_VALUE", [VIOLATION_KERNEL_MISMATCH] = "KERNEL_MISMATCH",
    [VIOLATION_OP_MISMATCH] = "OP_MISMATCH",
};
static_assert(ARRAY_LEN(code_names) == VIOLATION_CODE_COUNT, "every code has a name");

static char *copy_or_null(const char *text)
{
    return text ? xstrdup(text) : NULL;
}

/* A line stays one line and cannot steer a terminal, whatever a document holds. */
static void add_visible(struct str *out, const char *text)
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
    if (list->count == VIOLATIONS_MAX) {
        list->dropped++;
        return;
    }
    list->items = xgrow(list->items, &list->cap, list->count + 1, sizeof(*list->items));
    list->items[list->count++] = (struct violation){
        .code = code,
        .path = xstrdup(path),
        .message = xstrdup(message),
        .expected = copy_or_null(expected),
        .actual = copy_or_null(actual),
    };
}

void violations_display(const struct violations *list, struct str *out)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct violation *v = &list->items[i];
        str_addf(out, "[%s] ", violation_code_name(v->code));
        add_visible(out, v->path);
        str_add(out, ": ");
        add_visible(out, v->message);
        if (v->expected && v->actual) {
            str_add(out, " (expected ");
            add_visible(out, v->expected);
            str_add(out, ", got ");
            add_visible(out, v->actual);
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
