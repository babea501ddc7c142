/* contract_value.c - finds the JSON in an output, and checks single values: choices, numbers,
 * strings. */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "contract.h"
#include "contract_internal.h"
#include "json_pointer.h"
#include "str.h"
#include "text.h"
#include "xalloc.h"

enum { CONTRACT_IDENTITIES_SHOWN = 8 }; /* maximum constants of alternatives in a message */

/* The constants that the alternatives require for `kernel` or for `op`. */
struct contract_identity {
    struct str expected; /* owned; "a" or "b" */
    size_t count;        /* number of constants */
};

/* Zero-initialized: no alternatives yet. */
struct contract_identities {
    size_t alternatives; /* number of alternatives of the value's type */
    size_t others; /* number of alternatives of the value's type with a different kernel or op */
    struct contract_identity members[2]; /* `kernel`, `op` */
};

/* In the order of struct contract_identities. */
static const struct {
    const char *key;
    enum violation_code code;
    const char *one;
    const char *several;
} rows[] = {
    {"kernel", VIOLATION_KERNEL_MISMATCH, "not the requested kernel",
     "not one of the requested kernels"},
    {"op", VIOLATION_OP_MISMATCH, "not the requested op", "not one of the requested ops"},
};

static size_t row_of(enum violation_code code)
{
    return code == rows[0].code ? 0 : 1;
}

/* Returns KERNEL_MISMATCH for the top-level member `kernel`, OP_MISMATCH for `op`, else
 * INVALID_VALUE. */
static enum violation_code contract_identity_code(const struct json_pointer *place)
{
    const bool is_member = place->up && !place->up->up && place->key;
    for (size_t i = 0; is_member && i < ARRAY_LEN(rows); i++) {
        if (strcmp(place->key, rows[i].key) == 0)
            return rows[i].code;
    }
    return VIOLATION_INVALID_VALUE;
}

/* Returns the message of a mismatch with that many expected constants. */
static const char *contract_identity_words(enum violation_code code, size_t count)
{
    const size_t row = row_of(code);
    return count == 1 ? rows[row].one : rows[row].several;
}

static const char join[] = " or ";

/* Returns true if the constant is in the joined list `constants`. */
static bool is_among_constants(const char *constants, const char *constant)
{
    const size_t len = strlen(constant);
    const char *at = constants;
    for (;;) {
        const bool begins = strncmp(at, constant, len) == 0;
        if (begins && (at[len] == '\0' || strncmp(at + len, join, strlen(join)) == 0))
            return true;
        at = strstr(at, join);
        if (!at)
            return false;
        at += strlen(join);
    }
}

/* Records the type and the mismatches of one more alternative. */
static void contract_identities_add(struct contract_identities *identities,
                                    const struct contract_findings *findings)
{
    bool is_other = false;
    bool is_of_type = true;
    for (size_t i = 0; i < findings->count; i++) {
        const struct contract_finding *finding = &findings->items[i];
        const bool is_type =
            finding->code == VIOLATION_WRONG_TYPE || finding->code == VIOLATION_NOT_OBJECT;
        is_of_type = is_of_type && !(is_type && finding->depth == findings->depth);
        if (!violation_is_mismatch(finding->code))
            continue;
        is_other = true;
        struct contract_identity *member = &identities->members[row_of(finding->code)];
        if (is_among_constants(str_text(&member->expected), finding->expected) ||
            member->count > CONTRACT_IDENTITIES_SHOWN)
            continue;
        str_add(&member->expected, member->count > 0 ? join : "");
        str_add(&member->expected,
                member->count < CONTRACT_IDENTITIES_SHOWN ? finding->expected : "another one");
        member->count++;
    }
    identities->alternatives += is_of_type ? 1 : 0;
    identities->others += is_of_type && is_other ? 1 : 0;
}

/* Returns true if, as far as checked, the value has a different kernel or op than every
 * alternative. */
static bool contract_identities_differ(const struct contract_identities *identities)
{
    return identities->alternatives > 0 && identities->others == identities->alternatives;
}

enum {
    BEGINNINGS_MAX = 64, /* maximum positions tried as the beginning of JSON */
    READ_FACTOR = 4,     /* maximum bytes read, as a multiple of the length of the text */
};

static const char byte_order_mark[] = "\xEF\xBB\xBF";

/* JSON found within other text. */
struct found {
    size_t start;
    size_t len;      /* 0: none found */
    bool ends_early; /* the text ends within the JSON */
    bool is_data;    /* contains an object or a string, so it is more than a footnote like "[1]" */
    size_t first;    /* start of the first complete value */
    size_t last;     /* start of the last complete value */
    size_t whole;    /* number of complete values */
    bool is_last_seen; /* the text was searched to its end */
};

/* Finds the object or array that is probably the answer: the last complete one, except for a
 * footnote like "[1]" at the end. If none is complete, keeps the first incomplete one. */
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
            const bool is_data = memchr(text + at, '{', read) || memchr(text + at, '"', read);
            const bool is_better = found.whole == 0 || is_data || !found.is_data;
            found.first = found.whole == 0 ? at : found.first;
            found.last = at;
            found.whole++;
            if (is_better) {
                found.start = at;
                found.len = read;
                found.ends_early = false;
                found.is_data = is_data;
            }
            at += read - 1;
        } else if (read >= len - at && found.len == 0) {
            found.start = at;
            found.len = read;
            found.ends_early = true;
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

/* Returns true if there is other text around the JSON. JSON within broken JSON does not count,
 * because it is only a part. */
static bool has_surroundings(const char *text, size_t len, const struct found *found)
{
    const size_t first = skip_blanks(text, len, 0);
    if (found->len == 0 || found->ends_early)
        return found->len > 0 && found->start > first;
    if (found->start == first)
        return skip_blanks(text, len, found->start + found->len) < len;
    return found->first == first || (text[first] != '{' && text[first] != '[');
}

/* Adds where the JSON begins, and whether the previous line begins with ```. */
static void add_found(struct str *out, const char *text, const struct found *found)
{
    const struct json_place place = json_place_at(text, found->start);
    const bool is_last = found->whole > 1 && found->is_last_seen && found->start == found->last;
    size_t end = found->start;
    while (end > 0 && ascii_is_blank(text[end - 1]))
        end--;
    size_t line = end;
    while (line > 0 && text[line - 1] != '\n')
        line--;
    const bool is_fenced = end - line >= 3 && memcmp(text + line, "```", 3) == 0;
    str_addf(out, "; %s begins at line %d, column %d", is_last ? "the last JSON" : "JSON",
             place.line, place.column);
    if (is_fenced)
        str_add(out, ", in a code fence");
    if (found->ends_early)
        str_add(out, " and is incomplete");
}

static void say_no_json(const char *text, size_t len, struct json_place place, const char *why,
                        struct violations *wrong)
{
    struct str message = {0};
    const bool has_mark = len >= strlen(byte_order_mark) &&
                          memcmp(text, byte_order_mark, strlen(byte_order_mark)) == 0;
    str_addf(&message, "line %d, column %d: %s", place.line, place.column,
             has_mark ? "unexpected byte order mark" : why);
    const size_t first = skip_blanks(text, len, 0);
    const struct found found = find_json(text, len);
    if (first == len)
        str_add(&message, "; it is empty");
    else if (has_surroundings(text, len, &found))
        add_found(&message, text, &found);
    violations_add(wrong, VIOLATION_NOT_JSON, "", str_text(&message), NULL, NULL);
    str_done(&message);
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
    const struct contract_budget budget = {.steps = CONTRACT_TEXT_STEPS_MAX,
                                           .match_steps = CONTRACT_MATCH_STEPS_TEXT};
    struct json *parsed = NULL;
    struct json_place place = {0};
    struct err err = {0};
    contract_unfence(contract, &text, &len);
    if (len > CONTRACT_INSTANCE_MAX) {
        struct str message = {0};
        str_addf(&message, "larger than %d MiB", CONTRACT_INSTANCE_MAX >> 20);
        violations_add(wrong, VIOLATION_INVALID_VALUE, "", str_text(&message), NULL, NULL);
        str_done(&message);
    } else if (!json_parse_data(text, len, &parsed, &place, &err)) {
        say_no_json(text, len, place, err.message, wrong);
    }
    bool fits = parsed && contract_check_within(contract, parsed, &budget, wrong);
    if (fits && contract->text_check)
        fits = contract->text_check(contract->text_ctx, text, len, wrong);
    if (fits && value)
        *value = parsed;
    else
        json_free(parsed);
    return fits;
}

enum { NEAREST_SHOWN = 20 }; /* maximum violations of the nearest alternative in a message */

/* The alternative that is nearest to the value. */
struct nearest {
    size_t index;
    struct contract_findings findings;     /* the errors of that alternative */
    struct contract_identities identities; /* constants of all alternatives */
};

enum { CHOICES_SHOWN = 8 }; /* maximum choices of an enum in a message */

/* Appends choice i of `count`: "a", "b" or "c". Shows only the first CHOICES_SHOWN. */
static void contract_add_choice(struct str *out, const struct json *choice, size_t i, size_t count)
{
    if (i >= CHOICES_SHOWN)
        return;
    char *text = json_brief(choice, CONTRACT_SHOWN_MAX);
    if (i > 0)
        str_add(out, i + 1 == count ? " or " : ", ");
    str_add(out, text);
    free(text);
    if (i + 1 == CHOICES_SHOWN && count > CHOICES_SHOWN)
        str_addf(out, " or one of %zu more", count - CHOICES_SHOWN);
}

/* Returns the alternative that needs the fewest changes; the first one if several do. */
static struct nearest find_nearest(struct contract_checking *checking,
                                   const struct contract_list *list, struct contract_spot *spot)
{
    struct contract_findings *said = checking->findings;
    struct nearest nearest = {.findings = {.weight = LONG_MAX}};
    size_t depth = 0;
    for (const struct json_pointer *p = &spot->at; p->up; p = p->up)
        depth++;
    (void)contract_spend(checking, depth / CONTRACT_STEP_PLACES);
    for (size_t i = 0; i < list->count && checking->stop == CONTRACT_GOES_ON; i++) {
        struct contract_findings own = {.max = VIOLATIONS_MAX, .depth = depth};
        checking->findings = &own;
        (void)contract_fits(checking, list->items[i],
                            spot); /* returns false: no alternative fits */
        contract_identities_add(&nearest.identities, &own);
        const bool is_nearer = own.weight < nearest.findings.weight;
        contract_findings_done(is_nearer ? &nearest.findings : &own);
        if (is_nearer) {
            nearest.index = i;
            nearest.findings = own;
        }
    }
    checking->findings = said;
    return nearest;
}

/* Reports each error of the nearest alternative. If the value has a different kernel or op than
 * every alternative, reports only these mismatches, with the constants of all alternatives, because
 * nothing else matters then. Otherwise reports a mismatch as an ordinary invalid value. */
static void report_nearest(struct contract_checking *checking, struct nearest *nearest)
{
    struct contract_findings *said = checking->findings;
    const bool differ = contract_identities_differ(&nearest->identities);
    size_t places = 0;
    size_t told = 0;
    for (size_t i = 0; i < nearest->findings.count; i++) {
        struct contract_finding *finding = &nearest->findings.items[i];
        const bool is_mismatch = violation_is_mismatch(finding->code);
        if (told == NEAREST_SHOWN || (differ && !is_mismatch))
            continue;
        if (is_mismatch && differ) {
            const struct contract_identity *member =
                &nearest->identities.members[row_of(finding->code)];
            free(finding->message);
            free(finding->expected);
            finding->message = xstrdup(contract_identity_words(finding->code, member->count));
            finding->expected = xstrdup(str_text(&member->expected));
        } else if (is_mismatch) {
            free(finding->message);
            finding->message = xstrdup("must be this value");
            finding->code = VIOLATION_INVALID_VALUE;
        }
        places += contract_findings_take(said, finding);
        told++;
    }
    if (!differ)
        said->dropped += nearest->findings.count - told + nearest->findings.dropped;
    (void)contract_spend(checking, told + places / CONTRACT_STEP_PLACES);
}

static void say_nearest(struct contract_checking *checking, const struct contract_list *list,
                        struct contract_spot *spot)
{
    struct nearest nearest = find_nearest(checking, list, spot);
    struct str message = {0};
    const bool is_known = checking->stop == CONTRACT_GOES_ON && nearest.findings.count > 0;
    if (list->count == 1)
        str_add(&message, "does not match the only alternative");
    else
        str_addf(&message, "matches none of the %zu alternatives", list->count);
    if (is_known && list->count > 1)
        str_addf(&message, "; the closest is number %zu", nearest.index + 1);
    if (!is_known || !contract_identities_differ(&nearest.identities))
        (void)contract_say_value(checking, spot, str_text(&message), NULL);
    if (is_known)
        report_nearest(checking, &nearest);
    contract_findings_done(&nearest.findings);
    for (size_t i = 0; i < ARRAY_LEN(nearest.identities.members); i++)
        str_done(&nearest.identities.members[i].expected);
    str_done(&message);
}

bool contract_say_none_fits(struct contract_checking *checking, const struct contract_list *list,
                            struct contract_spot *spot)
{
    if (!checking->findings || checking->stop != CONTRACT_GOES_ON)
        return false;
    unsigned types = 0;
    bool is_of_type = list->count == 0;
    bool are_constants = true;
    for (size_t i = 0; i < list->count; i++) {
        const struct contract_schema *own = list->items[i];
        are_constants = are_constants && own->constant;
        if (own->types == 0 && own->target)
            own = own->target;
        is_of_type = is_of_type || own->types == 0 || (own->types & spot->types) != 0;
        types |= own->types;
    }
    if (!is_of_type) {
        (void)contract_say_types(checking, spot, types);
    } else if (are_constants) {
        const enum violation_code code = contract_identity_code(&spot->at);
        const char *words = violation_is_mismatch(code) ? contract_identity_words(code, list->count)
                                                        : "not one of the allowed values";
        struct str expected = {0};
        for (size_t i = 0; i < list->count; i++)
            contract_add_choice(&expected, list->items[i]->constant, i, list->count);
        (void)contract_say_shown(checking, spot, code, words, str_text(&expected));
        str_done(&expected);
    } else {
        say_nearest(checking, list, spot);
    }
    return false;
}

bool contract_is_identity(const struct contract_schema *schema, const struct contract_spot *spot)
{
    const bool is_one = schema->constant || json_count(schema->choices) == 1;
    return is_one && violation_is_mismatch(contract_identity_code(&spot->at));
}

static bool say_choice(struct contract_checking *checking, const struct contract_schema *schema,
                       const struct contract_spot *spot, const char *message, const char *expected)
{
    const bool is_identity = contract_is_identity(schema, spot);
    const enum violation_code code =
        is_identity ? contract_identity_code(&spot->at) : VIOLATION_INVALID_VALUE;
    char *actual = json_brief(spot->value, CONTRACT_SHOWN_MAX);
    const struct contract_fault fault = {
        .code = code,
        .message = is_identity ? contract_identity_words(code, 1) : message,
        .expected = expected,
        .actual = actual,
        .is_choice = true,
    };
    (void)contract_say(checking, spot, &fault);
    free(actual);
    return false;
}

static bool is_equal_value(struct contract_checking *checking, const struct json *a,
                           const struct json *b)
{
    const bool equal = contract_equal(a, b, &checking->steps_left);
    return contract_spend(checking, 0) && equal;
}

void contract_add_choices(struct str *out, const struct json *choices)
{
    const size_t count = json_count(choices);
    for (size_t i = 0; i < count; i++)
        contract_add_choice(out, json_at(choices, i), i, count);
}

static bool say_choices(struct contract_checking *checking, const struct contract_schema *schema,
                        const struct contract_spot *spot)
{
    struct str expected = {0};
    struct str message = {0};
    const char *word = json_text(spot->value, NULL);
    struct near_word near = near_word_new(word ? word : "");
    const size_t offered = contract_is_heard(checking) && word ? json_count(schema->choices) : 0;
    for (size_t i = 0; i < offered && i < CONTRACT_NEAR_MAX; i++) {
        const char *choice = json_text(json_at(schema->choices, i), NULL);
        if (choice)
            contract_offer(checking, &near, choice);
    }
    const bool is_none = json_count(schema->choices) == 0;
    str_add(&message, is_none ? "no value is allowed here" : "not one of the allowed values");
    if (near.nearest)
        str_addf(&message, ", did you mean \"%s\"?", near.nearest);
    contract_add_choices(&expected, schema->choices);
    (void)say_choice(checking, schema, spot, str_text(&message),
                     is_none ? NULL : str_text(&expected));
    str_done(&expected);
    str_done(&message);
    return false;
}

bool contract_check_choice(struct contract_checking *checking, const struct contract_schema *schema,
                           struct contract_spot *spot)
{
    bool fits = true;
    if (schema->constant && !is_equal_value(checking, schema->constant, spot->value)) {
        fits = false;
        if (checking->findings) {
            char *expected = json_brief(schema->constant, CONTRACT_SHOWN_MAX);
            (void)say_choice(checking, schema, spot, "must be this value", expected);
            free(expected);
        }
    }
    if (schema->choices && !contract_is_settled(checking, fits)) {
        bool is_choice = false;
        for (size_t i = 0; !is_choice && i < json_count(schema->choices); i++)
            is_choice = is_equal_value(checking, json_at(schema->choices, i), spot->value);
        if (!is_choice && checking->findings)
            (void)say_choices(checking, schema, spot);
        fits = is_choice && fits;
    }
    return fits;
}

/* A bound of a number, and its wording in messages. */
struct side {
    const struct contract_bound *bound;
    const char *keyword;
    const char *message;
    const char *words; /* text before the bound, with a blank */
    int order;     /* result of comparing number and bound that is an error: -1 or 1; 0 = neither */
    bool or_equal; /* equality is an error, too */
};

static void add_brief(struct str *out, const char *before, const struct json *value)
{
    char *text = json_brief(value, CONTRACT_SHOWN_MAX);
    str_add(out, before);
    str_add(out, text);
    free(text);
}

static bool say_bound(struct contract_checking *checking, const struct contract_schema *schema,
                      const struct contract_spot *spot, const struct side *side)
{
    if (!checking->findings)
        return false;
    const struct json *min = json_get(schema->json, "minimum");
    const struct json *max = json_get(schema->json, "maximum");
    const bool has_both = side->order != 0 && !side->or_equal && min && max;
    struct str expected = {0};
    if (has_both && decimal_compare(decimal_of(min), decimal_of(max)) <= 0) {
        add_brief(&expected, "", min); /* "1 to 256" */
        add_brief(&expected, " to ", max);
    } else {
        add_brief(&expected, side->words, json_get(schema->json, side->keyword));
    }
    (void)contract_say_value(checking, spot, side->message, str_text(&expected));
    str_done(&expected);
    return false;
}

bool contract_check_number(struct contract_checking *checking, const struct contract_schema *schema,
                           struct contract_spot *spot)
{
    const struct side sides[] = {
        {&schema->minimum, "minimum", "too small", "at least ", -1, false},
        {&schema->exclusive_minimum, "exclusiveMinimum", "too small", "more than ", -1, true},
        {&schema->maximum, "maximum", "too large", "at most ", 1, false},
        {&schema->exclusive_maximum, "exclusiveMaximum", "too large", "less than ", 1, true},
    };
    const struct side multiple = {
        &schema->multiple_of, "multipleOf", "not a multiple", "a multiple of ", 0, false};
    if (!contract_spend_real(checking, spot->value))
        return false;
    const struct decimal number = decimal_of(spot->value);
    bool fits = true;
    for (size_t i = 0; i < ARRAY_LEN(sides); i++) {
        const struct side *side = &sides[i];
        if (!side->bound->is_set)
            continue;
        const int order = decimal_compare(number, side->bound->value);
        if (order * side->order > 0 || (order == 0 && side->or_equal))
            fits = say_bound(checking, schema, spot, side);
    }
    if (schema->multiple_of.is_set && !decimal_is_multiple(number, schema->multiple_of.value))
        fits = say_bound(checking, schema, spot, &multiple);
    return fits;
}

bool contract_check_string(struct contract_checking *checking, const struct contract_schema *schema,
                           struct contract_spot *spot)
{
    enum { CHARACTER_BYTES_MAX = 4 };
    size_t len = 0;
    const char *text = json_bytes(spot->value, &len);
    const struct contract_amount amount = {
        .range = schema->length, .what = "character", .less = "too short", .more = "too long"};
    bool fits = contract_spend(checking, len / CONTRACT_STEP_BYTES);
    if (!fits)
        return false;

    /* Counts characters only if necessary: each takes one to four bytes, so the number of bytes may
     * already show that the length fits. */
    const int64_t least = (int64_t)((len + CHARACTER_BYTES_MAX - 1) / CHARACTER_BYTES_MAX);
    if (least < schema->length.min || (int64_t)len > schema->length.max) {
        int64_t count = 0;
        for (size_t i = 0; i < len; i++)
            count += ((unsigned char)text[i] & 0xC0) != 0x80 ? 1 : 0;
        fits = contract_check_amount(checking, spot, &amount, count);
    }
    if (schema->pattern && !contract_is_settled(checking, fits)) {
        const enum contract_match match =
            contract_matches(checking, spot, schema->pattern, text, len);
        if (match == CONTRACT_MATCH_NO) {
            const char *pattern = json_text(json_get(schema->json, "pattern"), "");
            (void)contract_say_value(checking, spot, "does not match the pattern",
                                     contract_described(schema, pattern));
        }
        fits = match == CONTRACT_MATCH_YES && fits;
    }
    return fits;
}
