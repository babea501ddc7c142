#include "compare.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "compare_parts.h"
#include "xalloc.h"

const char *compare_fact_name(enum compare_fact fact)
{
    static const char *const names[] = {
        [COMPARE_ENDED] = "ended",     [COMPARE_CLASS] = "class",   [COMPARE_WHY] = "why",
        [COMPARE_THEN] = "then",       [COMPARE_STARTED] = "start", [COMPARE_RAN] = "ran",
        [COMPARE_WAITED] = "waited",   [COMPARE_USED] = "used",     [COMPARE_RESULT] = "result",
        [COMPARE_NEW] = "new",         [COMPARE_BY] = "by",         [COMPARE_AGENT] = "agent",
        [COMPARE_CHANGED] = "changed",
    };
    static_assert(ARRAY_LEN(names) == COMPARE_FACT_COUNT, "every fact has its name");
    assert(fact < COMPARE_FACT_COUNT);
    return names[fact];
}

const char *compare_text_name(enum compare_text text)
{
    static const char *const names[] = {
        [COMPARE_OUT] = "out",
        [COMPARE_ERR] = "err",
        [COMPARE_WORDS] = "words",
        [COMPARE_DIFF] = "diff",
    };
    static_assert(ARRAY_LEN(names) == COMPARE_TEXT_COUNT, "every text has its name");
    assert(text < COMPARE_TEXT_COUNT);
    return names[text];
}

const struct compare_path *compare_find_path(const struct compare_side *side, const char *path)
{
    for (size_t i = 0; i < side->path_count; i++) {
        if (strcmp(side->paths[i].path, path) == 0)
            return &side->paths[i];
    }
    return NULL;
}

static int compare_digests(const void *a, const void *b)
{
    const struct digest *left = a;
    const struct digest *right = b;
    if (left->hi != right->hi)
        return left->hi < right->hi ? -1 : 1;
    return left->lo < right->lo ? -1 : left->lo > right->lo;
}

/* All that the first wrote, whatever the stream. */
static struct digest *sorted_lines(const struct compare_side *side, size_t *count)
{
    struct digest *all = NULL;
    size_t cap = 0;
    *count = 0;
    for (int text = 0; text < COMPARE_DIFF; text++) {
        const struct compare_lines *lines = &side->texts[text];
        if (lines->count == 0)
            continue;
        all = xgrow(all, &cap, *count + lines->count, sizeof(*all));
        memcpy(all + *count, lines->digests, lines->count * sizeof(*all));
        *count += lines->count;
    }
    if (*count > 0)
        qsort(all, *count, sizeof(*all), compare_digests);
    return all;
}

static void count_fresh(struct compare *compare)
{
    const struct compare_side *second = &compare->sides[COMPARE_SECOND];
    size_t count = 0;
    struct digest *known = sorted_lines(&compare->sides[COMPARE_FIRST], &count);
    for (int text = 0; text < COMPARE_DIFF; text++) {
        const struct compare_lines *lines = &second->texts[text];
        compare->second_lines += lines->count;
        for (size_t i = 0; i < lines->count; i++)
            compare->fresh += count == 0 || !bsearch(&lines->digests[i], known, count,
                                                     sizeof(*known), compare_digests);
    }
    free(known);
}

bool compare_read(struct compare *out, const struct compare_subject subjects[COMPARE_SIDES],
                  struct err *err)
{
    *out = (struct compare){0};
    for (int i = 0; i < COMPARE_SIDES; i++) {
        struct compare_side *side = &out->sides[i];
        side->key = subjects[i].key;
        if (!compare_read_facts(side, &subjects[i], err) ||
            !compare_read_output(side, &subjects[i], err))
            return false;
    }
    for (int text = 0; text < COMPARE_TEXT_COUNT; text++) {
        const struct compare_lines *first = &out->sides[COMPARE_FIRST].texts[text];
        const struct compare_lines *second = &out->sides[COMPARE_SECOND].texts[text];
        line_diff_read(&out->diffs[text], &(struct line_diff_text){first->digests, first->count},
                       &(struct line_diff_text){second->digests, second->count});
    }
    count_fresh(out);
    return true;
}

static void side_done(struct compare_side *side)
{
    str_done(&side->name);
    for (int i = 0; i < COMPARE_FACT_COUNT; i++)
        str_done(&side->facts[i]);
    for (int i = 0; i < COMPARE_TEXT_COUNT; i++) {
        str_done(&side->texts[i].bytes);
        free(side->texts[i].items);
        free(side->texts[i].digests);
    }
    for (size_t i = 0; i < side->path_count; i++)
        free(side->paths[i].path);
}

void compare_done(struct compare *compare)
{
    if (!compare)
        return;
    for (int i = 0; i < COMPARE_SIDES; i++)
        side_done(&compare->sides[i]);
    for (int i = 0; i < COMPARE_TEXT_COUNT; i++)
        line_diff_done(&compare->diffs[i]);
    *compare = (struct compare){0};
}
