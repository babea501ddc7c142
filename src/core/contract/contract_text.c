/* contract_text.c - a text that others wrote against a contract: where is JSON in it, and does it
 * fit? */
#include <string.h>

#include "ascii.h"
#include "contract.h"
#include "contract_checking.h"
#include "str.h"

enum {
    BEGINNINGS_MAX = 64, /* places where JSON may begin that are tried */
    READ_FACTOR = 4,     /* of the text's length: bytes that are read for that in all */
};

static const char byte_order_mark[] = "\xEF\xBB\xBF";

/* JSON in a text that holds something else too. */
struct found {
    size_t start;
    size_t len;        /* 0: none was found */
    bool ends_early;   /* the text ends within it */
    bool is_data;      /* more than a footnote: there is an object or a string in it */
    size_t first;      /* where the first one starts that is whole */
    size_t last;       /* where the last one does */
    size_t whole;      /* how many are */
    bool is_last_seen; /* the text was searched to its end */
};

/* Of what the text cuts off, the first is kept where nothing is whole. */
static void take_cut(struct found *found, size_t start, size_t len)
{
    if (found->len > 0)
        return;
    found->start = start;
    found->len = len;
    found->ends_early = true;
}

/* The last one is probably the answer; but "[1]" at the end is none. */
static void take_whole(struct found *found, const char *text, size_t start, size_t len)
{
    const bool is_data = memchr(text + start, '{', len) || memchr(text + start, '"', len);
    const bool is_better = found->whole == 0 || is_data || !found->is_data;
    if (found->whole == 0)
        found->first = start;
    found->last = start;
    found->whole++;
    if (!is_better)
        return;
    found->start = start;
    found->len = len;
    found->ends_early = false;
    found->is_data = is_data;
}

/* The object or array in the text that is probably meant. */
static struct found find_json(const char *text, size_t len)
{
    struct found found = {0};
    size_t budget = len * READ_FACTOR;
    size_t at = 0;
    bool goes_on = true;
    for (int tries = 0; at < len && tries < BEGINNINGS_MAX && goes_on; at++) {
        if (text[at] != '{' && text[at] != '[')
            continue;
        size_t read = 0;
        if (json_begins(text + at, len - at, &read)) {
            take_whole(&found, text, at, read);
            at += read - 1;
        } else if (read >= len - at) {
            take_cut(&found, at, read);
        }
        tries++;
        goes_on = read <= budget;
        budget -= goes_on ? read : 0;
    }
    found.is_last_seen = at >= len;
    return found;
}

static size_t skip_blanks(const char *text, size_t len, size_t at)
{
    while (at < len && ascii_is_blank(text[at]))
        at++;
    return at;
}

/* Was something found, with something else around it? What is found within JSON that is broken
 * itself is only a part of it. */
static bool has_surroundings(const char *text, size_t len, const struct found *found)
{
    const size_t first = skip_blanks(text, len, 0);
    if (found->len == 0 || found->ends_early)
        return found->len > 0 && found->start > first;
    if (found->start == first)
        return skip_blanks(text, len, found->start + found->len) < len;
    return found->first == first || (text[first] != '{' && text[first] != '[');
}

/* Does the line before begin with ```? */
static bool is_fenced(const char *text, size_t start)
{
    size_t end = start;
    while (end > 0 && ascii_is_blank(text[end - 1]))
        end--;
    size_t line = end;
    while (line > 0 && text[line - 1] != '\n')
        line--;
    return end - line >= 3 && memcmp(text + line, "```", 3) == 0;
}

static void add_found(struct str *out, const char *text, const struct found *found)
{
    const struct json_place place = json_place_at(text, found->start);
    const bool is_last = found->whole > 1 && found->is_last_seen && found->start == found->last;
    str_addf(out, "; %s begins at line %d, column %d", is_last ? "the last JSON" : "JSON",
             place.line, place.column);
    if (is_fenced(text, found->start))
        str_add(out, ", in a code fence");
    if (found->ends_early)
        str_add(out, ", and does not end");
}

static void say_no_json(const char *text, size_t len, struct json_place place, const char *why,
                        struct violations *wrong)
{
    struct str message = {0};
    const bool has_mark = len >= strlen(byte_order_mark) &&
                          memcmp(text, byte_order_mark, strlen(byte_order_mark)) == 0;
    str_addf(&message, "line %d, column %d: %s", place.line, place.column,
             has_mark ? "a byte order mark" : why);
    const size_t first = skip_blanks(text, len, 0);
    const struct found found = find_json(text, len);
    if (first == len)
        str_add(&message, "; there is nothing in it");
    else if (has_surroundings(text, len, &found))
        add_found(&message, text, &found);
    violations_add(wrong, VIOLATION_NOT_JSON, "", str_text(&message), NULL, NULL);
    str_done(&message);
}

static struct json *parse(const char *text, size_t len, struct violations *wrong)
{
    struct json *value = NULL;
    struct json_place place = {0};
    struct err err = {0};
    if (len > CONTRACT_INSTANCE_MAX) {
        struct str message = {0};
        str_addf(&message, "larger than %d MiB", CONTRACT_INSTANCE_MAX >> 20);
        violations_add(wrong, VIOLATION_INVALID_VALUE, "", str_text(&message), NULL, NULL);
        str_done(&message);
    } else if (!json_parse_data(text, len, &value, &place, &err)) {
        say_no_json(text, len, place, err.message, wrong);
    }
    return value;
}

void contract_unfence(const struct contract *contract, const char **text, size_t *len)
{
    static const char fence[] = "```";
    const size_t size = strlen(fence);
    const char *all = *text;
    size_t end = *len;
    if (!contract->text_check)
        return;
    while (end > 0 && ascii_is_blank(all[end - 1]))
        end--;
    const size_t start = skip_blanks(all, end, 0);
    const char *line_end = memchr(all + start, '\n', end - start);
    if (!line_end || end - start < 2 * size || memcmp(all + start, fence, size) != 0 ||
        memcmp(all + end - size, fence, size) != 0 || line_end >= all + end - size)
        return;
    *text = line_end + 1;
    *len = (size_t)(all + end - size - *text);
}

bool contract_check_text(const struct contract *contract, const char *text, size_t len,
                         struct json **value, struct violations *wrong)
{
    contract_unfence(contract, &text, &len);
    struct json *parsed = parse(text, len, wrong);
    const struct contract_budget budget = {.steps = CONTRACT_TEXT_STEPS_MAX,
                                           .match_steps = CONTRACT_MATCH_STEPS_TEXT};
    bool fits = parsed && contract_check_within(contract, parsed, &budget, wrong);
    if (fits && contract->text_check)
        fits = contract->text_check(contract->text_ctx, text, len, wrong);
    if (fits && value)
        *value = parsed;
    else
        json_free(parsed);
    return fits;
}
