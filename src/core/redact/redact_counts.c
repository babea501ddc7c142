/* redact_counts.c - how often each secret was cut. */
#include <stdlib.h>

#include "redactor.h"
#include "xalloc.h"

void redact_counts_done(struct redact_counts *counts)
{
    if (!counts)
        return;
    free(counts->by_name);
    *counts = (struct redact_counts){0};
}

static void make_room(struct redact_counts *counts, size_t size)
{
    if (counts->size >= size)
        return;
    int64_t *larger = xcalloc(size, sizeof(*larger));
    for (size_t i = 0; i < counts->size; i++)
        larger[i] = counts->by_name[i];
    free(counts->by_name);
    counts->by_name = larger;
    counts->size = size;
}

void redact_counts_add(struct redact_counts *counts, const struct redact_counts *more)
{
    make_room(counts, more->size);
    for (size_t i = 0; i < more->size; i++)
        counts->by_name[i] += more->by_name[i];
    counts->all += more->all;
}

void redact_count_one(struct redact_counts *counts, const struct redactor *redactor, int name)
{
    make_room(counts, redactor->name_count);
    counts->by_name[name]++;
    counts->all++;
}

/* What a mark says: its name, without the frame. */
static void add_name(struct str *out, const struct redact_name *name)
{
    enum { BEFORE = sizeof("[cut:") - 1, AROUND = BEFORE + 1 };
    str_add_json(out, name->mark + BEFORE, name->mark_len - AROUND);
}

void redact_counts_json(const struct redactor *redactor, const struct redact_counts *counts,
                        struct str *out)
{
    int64_t rest = counts->all;
    int told = 0;
    str_add_char(out, '{');
    for (size_t i = 0; i < counts->size && told < REDACT_COUNTED_MAX; i++) {
        if (counts->by_name[i] == 0)
            continue;
        if (told++ > 0)
            str_add_char(out, ',');
        add_name(out, &redactor->names[i]);
        str_add_char(out, ':');
        str_add_i64(out, counts->by_name[i]);
        rest -= counts->by_name[i];
    }
    if (rest > 0)
        str_json_i64(out, "...", rest);
    str_add_char(out, '}');
}
