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
#include "near_word.h"
#include "str.h"
#include "violation.h"
#include "xalloc.h"

enum { CONTRACT_IDENTITIES_SHOWN = 8 }; /* constants of alternatives in a message */

/* The constants of the alternatives for one of the two members. */
struct contract_identity {
    struct str expected; /* owned; "a" or "b" */
    size_t count;        /* number of constants */
};

/* Zero-initialized before the first alternative. */
struct contract_identities {
    size_t alternatives;                 /* checked, except those of another type */
    size_t others;                       /* alternatives with another kernel or op */
    struct contract_identity members[2]; /* `kernel`, `op` */
};

/* In the order of struct contract_identities. */
static const struct {
    const char *key;
    enum violation_code code;
    const char *one;
    const char *several;
} rows[] = {
    {"kernel", VIOLATION_KERNEL_MISMATCH, "another kernel than the one asked for",
     "another kernel than those asked for"},
    {"op", VIOLATION_OP_MISMATCH, "another op than the one asked for",
     "another op than those asked for"},
};

static size_t row_of(enum violation_code code)
{
    return code == rows[0].code ? 0 : 1;
}

/* Returns KERNEL_MISMATCH for the member `kernel` of the whole, OP_MISMATCH for `op`, else
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

/* Returns true if it is one of the joined constants. */
static bool is_among(const char *constants, const char *constant)
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

static void add_constant(struct contract_identity *member, const char *constant)
{
    const bool is_there = is_among(str_text(&member->expected), constant);
    if (is_there || member->count > CONTRACT_IDENTITIES_SHOWN)
        return;
    if (member->count > 0)
        str_add(&member->expected, join);
    str_add(&member->expected,
            member->count < CONTRACT_IDENTITIES_SHOWN ? constant : "another one");
    member->count++;
}

/* Notes the errors of one more alternative. */
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
        add_constant(&identities->members[row_of(finding->code)], finding->expected);
    }
    identities->alternatives += is_of_type ? 1 : 0;
    identities->others += is_of_type && is_other ? 1 : 0;
}

/* Returns true if, as far as checked, the value differs from every alternative. */
static bool contract_identities_differ(const struct contract_identities *identities)
{
    return identities->alternatives > 0 && identities->others == identities->alternatives;
}

/* Rewords a finding about the nearest alternative for all of them: a mismatch if they differ,
 * otherwise an ordinary invalid value. */
static void contract_identities_reword(const struct contract_identities *identities,
                                       struct contract_finding *finding)
{
    if (!violation_is_mismatch(finding->code))
        return;
    const struct contract_identity *member = &identities->members[row_of(finding->code)];
    const bool differ = contract_identities_differ(identities);
    const char *words =
        differ ? contract_identity_words(finding->code, member->count) : "must be this value";
    free(finding->message);
    finding->message = xstrdup(words);
    if (differ) {
        free(finding->expected);
        finding->expected = xstrdup(str_text(&member->expected));
    } else {
        finding->code = VIOLATION_INVALID_VALUE;
    }
}

static void contract_identities_done(struct contract_identities *identities)
{
    for (size_t i = 0; i < ARRAY_LEN(identities->members); i++)
        str_done(&identities->members[i].expected);
}

enum {
    BEGINNINGS_MAX = 64, /* positions tried as the beginning of JSON */
    READ_FACTOR = 4,     /* limit of bytes read in all, as a multiple of the text's length */
};

static const char byte_order_mark[] = "\xEF\xBB\xBF";

/* JSON found within other text. */
struct found {
    size_t start;
    size_t len;        /* 0: none found */
    bool ends_early;   /* the text ends within it */
    bool is_data;      /* more than a footnote: contains an object or a string */
    size_t first;      /* start of the first complete one */
    size_t last;       /* start of the last complete one */
    size_t whole;      /* number of complete ones */
    bool is_last_seen; /* the text was searched to its end */
};

/* Of incomplete ones, keeps the first if there is no complete one. */
static void take_cut(struct found *found, size_t start, size_t len)
{
    if (found->len > 0)
        return;
    found->start = start;
    found->len = len;
    found->ends_early = true;
}

/* The last one is probably the answer, but "[1]" at the end is not. */
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

/* Finds the object or array that is probably meant. */
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

/* Returns true if there is other text around it. JSON within broken JSON is only a part of it. */
static bool has_surroundings(const char *text, size_t len, const struct found *found)
{
    const size_t first = skip_blanks(text, len, 0);
    if (found->len == 0 || found->ends_early)
        return found->len > 0 && found->start > first;
    if (found->start == first)
        return skip_blanks(text, len, found->start + found->len) < len;
    return found->first == first || (text[first] != '{' && text[first] != '[');
}

/* Returns true if the line before begins with ```. */
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

static struct json *parse_value(const char *text, size_t len, struct violations *wrong)
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
    struct json *parsed = parse_value(text, len, wrong);
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

enum { NEAREST_SHOWN = 20 }; /* violations of the nearest alternative in a message */

/* The alternative that is nearest to the value. */
struct nearest {
    size_t index;
    struct contract_findings findings;     /* the errors of that alternative */
    struct contract_identities identities; /* of all alternatives */
};

static const struct contract_schema *referred_schema(const struct contract_schema *schema)
{
    const bool is_bare = schema->types == 0 && schema->target;
    return is_bare ? schema->target : schema;
}

/* Returns the types of all alternatives if the value has none of them, else 0. */
static unsigned other_types(const struct contract_list *list, const struct contract_spot *spot)
{
    unsigned types = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct contract_schema *own = referred_schema(list->items[i]);
        if (own->types == 0 || (own->types & spot->types) != 0)
            return 0;
        types |= own->types;
    }
    return types;
}

static bool are_constants(const struct contract_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!list->items[i]->constant)
            return false;
    }
    return true;
}

enum { CHOICES_SHOWN = 8 }; /* of an enum, in a message */

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

static void add_constants(struct str *out, const struct contract_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        contract_add_choice(out, list->items[i]->constant, i, list->count);
}

static size_t depth_of(const struct contract_spot *spot)
{
    size_t depth = 0;
    for (const struct json_pointer *p = &spot->at; p->up; p = p->up)
        depth++;
    return depth;
}

/* Returns the first alternative that needs the fewest changes. */
static struct nearest find_nearest(struct contract_checking *checking,
                                   const struct contract_list *list, struct contract_spot *spot)
{
    struct contract_findings *said = checking->findings;
    struct nearest nearest = {.findings = {.weight = LONG_MAX}};
    const size_t depth = depth_of(spot);
    (void)contract_spend(checking, depth / CONTRACT_STEP_PLACES);
    for (size_t i = 0; i < list->count && checking->stop == CONTRACT_GOES_ON; i++) {
        struct contract_findings own = {.max = VIOLATIONS_MAX, .depth = depth};
        checking->findings = &own;
        (void)contract_fits(checking, list->items[i], spot); /* it does not fit */
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

/* Reports each error of the nearest alternative. If the value's kind differs from all
 * alternatives, reports only that, since nothing else matters then. */
static void report_nearest(struct contract_checking *checking, struct nearest *nearest)
{
    struct contract_findings *said = checking->findings;
    const bool differ = contract_identities_differ(&nearest->identities);
    size_t places = 0;
    size_t told = 0;
    for (size_t i = 0; i < nearest->findings.count; i++) {
        struct contract_finding *finding = &nearest->findings.items[i];
        if (told == NEAREST_SHOWN || (differ && !violation_is_mismatch(finding->code)))
            continue;
        contract_identities_reword(&nearest->identities, finding);
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
        str_add(&message, "does not fit the only alternative");
    else
        str_addf(&message, "fits none of the %zu alternatives", list->count);
    if (is_known && list->count > 1)
        str_addf(&message, "; nearest is number %zu", nearest.index + 1);
    if (!is_known || !contract_identities_differ(&nearest.identities))
        (void)contract_say_value(checking, spot, str_text(&message), NULL);
    if (is_known)
        report_nearest(checking, &nearest);
    contract_findings_done(&nearest.findings);
    contract_identities_done(&nearest.identities);
    str_done(&message);
}

/* Reports that the value is none of the constants. */
static void say_constants(struct contract_checking *checking, const struct contract_list *list,
                          struct contract_spot *spot)
{
    const enum violation_code code = contract_identity_code(&spot->at);
    const char *words = violation_is_mismatch(code) ? contract_identity_words(code, list->count)
                                                    : "not one of the values allowed";
    struct str expected = {0};
    add_constants(&expected, list);
    (void)contract_say_shown(checking, spot, code, words, str_text(&expected));
    str_done(&expected);
}

bool contract_say_none_fits(struct contract_checking *checking, const struct contract_list *list,
                            struct contract_spot *spot)
{
    if (!checking->findings || checking->stop != CONTRACT_GOES_ON)
        return false;
    const unsigned types = other_types(list, spot);
    if (types != 0) {
        (void)contract_say_types(checking, spot, types);
    } else if (are_constants(list)) {
        say_constants(checking, list, spot);
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

static bool is_equal(struct contract_checking *checking, const struct json *a, const struct json *b)
{
    const bool equal = contract_equal(a, b, &checking->steps_left);
    return contract_spend(checking, 0) && equal;
}

static bool check_constant(struct contract_checking *checking, const struct contract_schema *schema,
                           const struct contract_spot *spot)
{
    if (is_equal(checking, schema->constant, spot->value))
        return true;
    if (!checking->findings)
        return false;
    char *expected = json_brief(schema->constant, CONTRACT_SHOWN_MAX);
    (void)say_choice(checking, schema, spot, "must be this value", expected);
    free(expected);
    return false;
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
    str_add(&message, is_none ? "no value is allowed here" : "not one of the values allowed");
    if (near.nearest)
        str_addf(&message, ", did you mean \"%s\"?", near.nearest);
    contract_add_choices(&expected, schema->choices);
    (void)say_choice(checking, schema, spot, str_text(&message),
                     is_none ? NULL : str_text(&expected));
    str_done(&expected);
    str_done(&message);
    return false;
}

static bool check_choices(struct contract_checking *checking, const struct contract_schema *schema,
                          const struct contract_spot *spot)
{
    for (size_t i = 0; i < json_count(schema->choices); i++) {
        if (is_equal(checking, json_at(schema->choices, i), spot->value))
            return true;
    }
    return checking->findings ? say_choices(checking, schema, spot) : false;
}

bool contract_check_choice(struct contract_checking *checking, const struct contract_schema *schema,
                           struct contract_spot *spot)
{
    bool fits = !schema->constant || check_constant(checking, schema, spot);
    if (schema->choices && !contract_is_settled(checking, fits))
        fits = check_choices(checking, schema, spot) && fits;
    return fits;
}

/* A bound that a number violates. */
struct side {
    const struct contract_bound *bound;
    const char *keyword;
    const char *message;
    const char *words; /* before the bound, with a blank */
    int order;         /* order of number and bound that is an error: -1 or 1 */
    bool or_equal;     /* equality is an error, too */
};

static void add_brief(struct str *out, const char *before, const struct json *value)
{
    char *text = json_brief(value, CONTRACT_SHOWN_MAX);
    str_add(out, before);
    str_add(out, text);
    free(text);
}

/* "1 to 256" if both are known. */
static void add_bound(struct str *out, const struct contract_schema *schema,
                      const struct side *side)
{
    const struct json *min = json_get(schema->json, "minimum");
    const struct json *max = json_get(schema->json, "maximum");
    const bool has_both = side->order != 0 && !side->or_equal && min && max;
    const bool is_range = has_both && decimal_compare(decimal_of(min), decimal_of(max)) <= 0;
    if (is_range) {
        add_brief(out, "", min);
        add_brief(out, " to ", max);
    } else {
        add_brief(out, side->words, json_get(schema->json, side->keyword));
    }
}

static bool say_bound(struct contract_checking *checking, const struct contract_schema *schema,
                      const struct contract_spot *spot, const struct side *side)
{
    if (!checking->findings)
        return false;
    struct str expected = {0};
    add_bound(&expected, schema, side);
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

/* Returns true if the length fits whatever the characters are: each takes one to four bytes. */
static bool is_surely_within(const struct contract_range *range, size_t bytes)
{
    enum { CHARACTER_BYTES_MAX = 4 };
    const int64_t least = (int64_t)((bytes + CHARACTER_BYTES_MAX - 1) / CHARACTER_BYTES_MAX);
    return least >= range->min && (int64_t)bytes <= range->max;
}

static int64_t count_characters(const char *text, size_t len)
{
    int64_t count = 0;
    for (size_t i = 0; i < len; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80 ? 1 : 0;
    return count;
}

static bool check_pattern(struct contract_checking *checking, const struct contract_schema *schema,
                          const struct contract_spot *spot)
{
    size_t len = 0;
    const char *text = json_bytes(spot->value, &len);
    const enum contract_match match = contract_matches(checking, spot, schema->pattern, text, len);
    if (match != CONTRACT_MATCH_NO)
        return match == CONTRACT_MATCH_YES;
    const char *pattern = json_text(json_get(schema->json, "pattern"), "");
    return contract_say_value(checking, spot, "does not match the pattern",
                              contract_described(schema, pattern));
}

bool contract_check_string(struct contract_checking *checking, const struct contract_schema *schema,
                           struct contract_spot *spot)
{
    size_t len = 0;
    const char *text = json_bytes(spot->value, &len);
    const struct contract_amount amount = {
        .range = schema->length, .what = "character", .less = "too short", .more = "too long"};
    bool fits = contract_spend(checking, len / CONTRACT_STEP_BYTES);
    if (!fits)
        return false;
    if (!is_surely_within(&schema->length, len))
        fits = contract_check_amount(checking, spot, &amount, count_characters(text, len));
    if (schema->pattern && !contract_is_settled(checking, fits))
        fits = check_pattern(checking, schema, spot) && fits;
    return fits;
}
