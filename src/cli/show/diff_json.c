#include "diff_json.h"

#include "normaliser.h"

static void next_item(struct str *out)
{
    if (out->data[out->len - 1] != '[')
        str_add_char(out, ',');
}

static void add_facts(const struct compare_side *side, struct str *out)
{
    for (int fact = 0; fact < COMPARE_FACT_COUNT; fact++) {
        if (side->facts[fact].len > 0)
            str_json_text(out, compare_fact_name((enum compare_fact)fact), side->facts[fact].data);
    }
}

static void add_paths(const struct compare_side *side, struct str *out)
{
    str_json_key(out, "paths");
    str_add_char(out, '[');
    for (size_t i = 0; i < side->path_count; i++) {
        const struct compare_path *path = &side->paths[i];
        const char letter[] = {path->letter, '\0'};
        next_item(out);
        str_add_char(out, '{');
        str_json_text(out, "change", letter);
        str_json_text(out, "path", path->path);
        if (path->added >= 0)
            str_json_i64(out, "added", path->added);
        if (path->removed >= 0)
            str_json_i64(out, "removed", path->removed);
        str_add_char(out, '}');
    }
    str_add_char(out, ']');
}

static void add_side(const struct compare_side *side, const char *key, struct str *out)
{
    char hex[DIGEST_HEX_MAX];
    str_json_key(out, key);
    str_add_char(out, '{');
    str_json_i64(out, "run", side->key.run);
    str_json_text(out, "name", str_text(&side->name));
    str_json_i64(out, "step", side->key.step + 1);
    str_json_i64(out, "attempt", side->key.attempt);
    str_json_bool(out, "passed", side->passed);
    if (digest_is_known(side->fingerprint)) {
        digest_to_hex(side->fingerprint, hex);
        str_json_text(out, "fingerprint", hex);
    }
    str_json_key(out, "facts");
    str_add_char(out, '{');
    add_facts(side, out);
    str_add_char(out, '}');
    if (side->paths_known)
        add_paths(side, out);
    str_add_char(out, '}');
}

static void add_change(const struct compare_lines *lines, size_t at, size_t count, const char *key,
                       struct str *out)
{
    for (size_t i = 0; i < count; i++) {
        next_item(out);
        str_add_char(out, '{');
        str_json_i64(out, "line", (int64_t)(at + i + 1));
        str_json_key(out, key);
        str_add_json(out, str_text(&lines->bytes) + lines->items[at + i].start,
                     lines->items[at + i].len);
        str_add_char(out, '}');
    }
}

static void add_text(const struct compare *compare, enum compare_text text, struct str *out)
{
    const struct line_diff *diff = &compare->diffs[text];
    const struct compare_lines *first = &compare->sides[COMPARE_FIRST].texts[text];
    const struct compare_lines *second = &compare->sides[COMPARE_SECOND].texts[text];
    str_json_key(out, compare_text_name(text));
    str_add_char(out, '{');
    str_json_i64(out, "same", (int64_t)diff->same);
    str_json_i64(out, "removed", (int64_t)diff->removed);
    str_json_i64(out, "added", (int64_t)diff->added);
    str_json_bool(out, "complete", !diff->is_cut && !first->is_cut && !second->is_cut);
    str_json_key(out, "changes");
    str_add_char(out, '[');
    for (size_t i = 0; i < diff->count; i++) {
        const struct line_diff_span *span = &diff->spans[i];
        if (span->change == LINE_REMOVED)
            add_change(first, span->first, span->count, "removed", out);
        else if (span->change == LINE_ADDED)
            add_change(second, span->second, span->count, "added", out);
    }
    str_add(out, "]}");
}

/* What was masked in either, in words. */
static void add_masks(const struct compare *compare, struct str *out)
{
    unsigned masks = 0;
    for (int side = 0; side < COMPARE_SIDES; side++) {
        for (int text = 0; text < COMPARE_TEXT_COUNT; text++)
            masks |= compare->sides[side].texts[text].masks;
    }
    str_json_key(out, "masked");
    str_add_char(out, '[');
    for (int mask = 0; mask < NORMALISER_MASK_COUNT; mask++) {
        if ((masks & 1U << mask) == 0)
            continue;
        const char *words = normaliser_mask_words((enum normaliser_mask)mask);
        next_item(out);
        str_addf(out, "\"%s\"", words);
    }
    str_add_char(out, ']');
}

void diff_json(const struct compare *compare, struct str *out)
{
    const struct compare_side *sides = compare->sides;
    str_add_char(out, '{');
    str_json_i64(out, "v", 1);
    add_side(&sides[COMPARE_FIRST], "first", out);
    add_side(&sides[COMPARE_SECOND], "second", out);
    str_json_bool(
        out, "same_result",
        digest_is_same(sides[COMPARE_FIRST].fingerprint, sides[COMPARE_SECOND].fingerprint));
    str_json_i64(out, "new_lines", (int64_t)compare->fresh);
    str_json_i64(out, "lines", (int64_t)compare->second_lines);
    add_masks(compare, out);
    for (int text = 0; text < COMPARE_TEXT_COUNT; text++)
        add_text(compare, (enum compare_text)text, out);
    str_add(out, "}\n");
}
