/* Lists of violations: the errors of a document and their positions, in document order. */
#include "contract.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "contract_internal.h"
#include "text.h"
#include "xalloc.h"

/*
 * Lists of violations.
 */

static const char *const code_names[] = {
    [VIOLATION_NOT_JSON] = "NOT_JSON",           [VIOLATION_NOT_OBJECT] = "NOT_OBJECT",
    [VIOLATION_MISSING_FIELD] = "MISSING_FIELD", [VIOLATION_WRONG_TYPE] = "WRONG_TYPE",
    [VIOLATION_INVALID_VALUE] = "INVALID_VALUE", [VIOLATION_KERNEL_MISMATCH] = "KERNEL_MISMATCH",
    [VIOLATION_OP_MISMATCH] = "OP_MISMATCH",
};
static_assert(ARRAY_LEN(code_names) == VIOLATION_CODE_COUNT, "every code has a name");

static char *copy_cut(const char *text, size_t max)
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
    for (;;) {
        const size_t len = strcspn(text, "\n");
        text_escape(out, text, len);
        if (text[len] == '\0')
            return;
        str_add(out, "\\u000a");
        text += len + 1;
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
        .path = copy_cut(path, VIOLATION_PATH_MAX),
        .message = copy_cut(message, VIOLATION_TEXT_MAX),
        .expected = copy_cut(expected, VIOLATION_TEXT_MAX),
        .actual = copy_cut(actual, VIOLATION_TEXT_MAX),
    };
}

const char *violation_path_shown(const struct violation *violation)
{
    return *violation->path ? violation->path : "(root)";
}

void violation_add_text(struct str *out, const struct violation *v)
{
    violation_add_visible(out, v->message);
    if (v->expected && v->actual) {
        str_add(out, " (expected ");
        violation_add_visible(out, v->expected);
        str_add(out, ", got ");
        violation_add_visible(out, v->actual);
        str_add_char(out, ')');
    }
}

static void add_line(const struct violation *v, struct str *out)
{
    str_addf(out, "[%s] ", violation_code_name(v->code));
    violation_add_visible(out, violation_path_shown(v));
    str_add(out, ": ");
    violation_add_text(out, v);
    str_add_char(out, '\n');
}

static void add_dropped(const struct violations *list, struct str *out)
{
    if (list->dropped > 0)
        str_addf(out, "... and %zu more\n", list->dropped);
}

void violations_display(const struct violations *list, struct str *out)
{
    for (size_t i = 0; i < list->count; i++)
        add_line(&list->items[i], out);
    add_dropped(list, out);
}

static const char digits[] = "0123456789";

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Compares two paths. Ignores numbers, which are positions in lists. */
static bool is_same_path(const char *a, const char *b)
{
    while (*a && *b) {
        const size_t a_digits = strspn(a, digits);
        const size_t b_digits = strspn(b, digits);
        if ((a_digits > 0) != (b_digits > 0) || (a_digits == 0 && *a != *b))
            return false;
        a += a_digits > 0 ? a_digits : 1;
        b += b_digits > 0 ? b_digits : 1;
    }
    return *a == *b;
}

static bool are_alike(const struct violation *a, const struct violation *b)
{
    return a->code == b->code && is_same_text(a->message, b->message) &&
           is_same_text(a->expected, b->expected) && is_same_text(a->actual, b->actual) &&
           is_same_path(a->path, b->path);
}

/* Adds, from `first` on, the violations that are like it and have not been added yet. */
static void add_alike_lines(const struct violations *list, size_t first, bool *told,
                            struct str *out)
{
    const struct violation *v = &list->items[first];
    size_t alike = 0;
    size_t lines = 0;
    for (size_t i = first; i < list->count; i++)
        alike += are_alike(v, &list->items[i]);
    const size_t shown = alike > VIOLATIONS_ALIKE_MAX + 1 ? VIOLATIONS_ALIKE_MAX : alike;
    for (size_t i = first; i < list->count; i++) {
        if (!are_alike(v, &list->items[i]))
            continue;
        told[i] = true;
        if (lines++ < shown)
            add_line(&list->items[i], out);
    }
    if (alike <= shown)
        return;

    /* "... and 97 more like this, at /tasks/N/id" */
    struct str path = {0};
    for (const char *at = violation_path_shown(v); *at;) {
        const size_t number = strspn(at, digits);
        str_add_char(&path, number > 0 ? 'N' : *at);
        at += number > 0 ? number : 1;
    }
    str_addf(out, "... and %zu more like this, at ", alike - shown);
    violation_add_visible(out, str_text(&path));
    str_add_char(out, '\n');
    str_done(&path);
}

void violations_display_brief(const struct violations *list, struct str *out)
{
    bool told[VIOLATIONS_MAX] = {false};
    for (size_t i = 0; i < list->count; i++) {
        if (!told[i])
            add_alike_lines(list, i, told, out);
    }
    add_dropped(list, out);
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

/* One reference token of a JSON Pointer (RFC 6901), still escaped. */
struct token {
    const char *text;
    size_t len;
};

/* Returns the token that begins at the '/' at *at. Moves *at past it. */
static struct token next_token(const char **at)
{
    struct token token = {.text = *at + 1};
    token.len = strcspn(token.text, "/");
    *at = token.text + token.len;
    return token;
}

/* Returns true if the token stands for the key: "~1" means '/', "~0" means '~'. */
static bool means_key(const struct token *token, const char *key)
{
    size_t i = 0;
    for (; i < token->len && *key; i++, key++) {
        char c = token->text[i];
        bool is_escape = c == '~' && i + 1 < token->len;
        if (is_escape)
            c = token->text[++i] == '1' ? '/' : '~';
        if (c != *key)
            return false;
    }
    return i == token->len && *key == '\0';
}

/* Returns the position in its container of the element or member that the token names; the number
 * of members if there is no such member. Stores its value in *out. */
static size_t position_of(const struct json *container, const struct token *token,
                          const struct json **out)
{
    if (json_kind(container) != JSON_KIND_OBJECT) {
        const size_t index = (size_t)strtoul(token->text, NULL, 10); /* ends at the '/' */
        *out = json_at(container, index);
        return index;
    }
    void *iter = NULL;
    const char *key = NULL;
    const struct json *member = NULL;
    size_t number = 0;
    *out = NULL;
    while (json_next(container, &iter, &key, &member)) {
        if (means_key(token, key)) {
            *out = member;
            return number;
        }
        number++;
    }
    return number;
}

/* Returns < 0, 0 or > 0 if `a` is before, at or after `b`. */
static int compare_places(const struct json *document, const char *a, const char *b)
{
    const struct json *value = document;
    while (*a && *b) {
        const struct token left = next_token(&a);
        const struct token right = next_token(&b);
        const struct json *inner;
        const struct json *other;
        size_t at = position_of(value, &left, &inner);
        if (left.len != right.len || memcmp(left.text, right.text, left.len) != 0) {
            size_t other_at = position_of(value, &right, &other);
            return at < other_at ? -1 : at > other_at;
        }
        value = inner;
    }
    return *a ? 1 : -(*b != '\0');
}

/* Moves the violation to the list, which takes ownership of its strings, or drops it if the list is
 * full. */
static void move_violation(struct violations *list, struct violation *violation)
{
    if (list->count < VIOLATIONS_MAX) {
        list->items = xgrow(list->items, &list->cap, list->count + 1, sizeof(*list->items));
        list->items[list->count++] = *violation;
        return;
    }
    free(violation->path);
    free(violation->message);
    free(violation->expected);
    free(violation->actual);
    list->dropped++;
}

void violations_merge(struct violations *list, struct violations *more, const struct json *document)
{
    struct violations both = {.dropped = list->dropped + more->dropped,
                              .mismatch = list->mismatch || more->mismatch};
    size_t i = 0;
    size_t j = 0;
    while (i < list->count || j < more->count) {
        bool is_first = j == more->count;
        if (i < list->count && j < more->count)
            is_first = !document ||
                       compare_places(document, list->items[i].path, more->items[j].path) <= 0;
        if (is_first)
            move_violation(&both, &list->items[i++]);
        else
            move_violation(&both, &more->items[j++]);
    }
    free(list->items);
    free(more->items);
    *list = both;
    *more = (struct violations){0};
}

/*
 * Findings of a contract check, kept in document order.
 */

/* Weights of errors, for how far a value is from fitting: a wrong type; a constant that identifies
 * a different alternative; anything else. */
enum { WEIGHT_TYPE = 1000, WEIGHT_CHOICE = 10, WEIGHT_OTHER = 1 };

/* Compares the paths of two findings. Adds the number of compared parts to *places. */
static int compare_ways(const struct contract_finding *a, const struct contract_finding *b,
                        size_t *places)
{
    *places += a->depth < b->depth ? a->depth : b->depth;
    for (size_t i = 0; i < a->depth && i < b->depth; i++) {
        if (a->way[i] != b->way[i])
            return a->way[i] < b->way[i] ? -1 : 1;
    }
    if (a->depth == b->depth)
        return 0;
    return a->depth < b->depth ? -1 : 1;
}

static void finding_done(struct contract_finding *finding)
{
    free(finding->way);
    free(finding->path);
    free(finding->message);
    free(finding->expected);
    free(finding->actual);
}

/* Returns the index for insertion: after all findings at an earlier or at the same place; SIZE_MAX
 * for a duplicate. */
static size_t place_for(const struct contract_findings *findings,
                        const struct contract_finding *finding, const struct contract_fault *fault,
                        size_t *places)
{
    size_t at = findings->count;
    while (at > 0 && compare_ways(&findings->items[at - 1], finding, places) > 0)
        at--;
    for (size_t i = at; i > 0 && compare_ways(&findings->items[i - 1], finding, places) == 0; i--) {
        const struct contract_finding *other = &findings->items[i - 1];
        /* All missing members share a place, after the existing members. */
        if (is_same_text(other->key, finding->key) && other->code == fault->code &&
            is_same_text(other->message, fault->message) &&
            is_same_text(other->expected, fault->expected))
            return SIZE_MAX;
    }
    return at;
}

static char *copy_text(const char *text)
{
    return text ? xstrdup(text) : NULL;
}

static void insert_finding(struct contract_findings *findings, size_t at,
                           struct contract_finding finding)
{
    if (findings->count == findings->max) {
        finding_done(&findings->items[--findings->count]);
        findings->dropped++;
    }
    findings->items =
        xgrow(findings->items, &findings->cap, findings->count + 1, sizeof(*findings->items));
    memmove(&findings->items[at + 1], &findings->items[at],
            (findings->count - at) * sizeof(*findings->items));
    findings->items[at] = finding;
    findings->count++;
}

/* Counts the finding unless it is a duplicate. Returns true if it is kept. */
static bool finding_is_kept(struct contract_findings *findings, size_t at, enum violation_code code)
{
    if (at == SIZE_MAX)
        return false;
    findings->mismatch = findings->mismatch || violation_is_mismatch(code);
    findings->dropped += at == findings->max ? 1 : 0;
    return at < findings->max;
}

size_t contract_findings_add(struct contract_findings *findings, const struct json_pointer *place,
                             const struct contract_fault *fault)
{
    struct contract_finding finding = {.key = place->key, .code = fault->code};
    for (const struct json_pointer *p = place; p->up; p = p->up)
        finding.depth++;
    size_t places = finding.depth;
    size_t left = finding.depth;
    finding.way =
        xcalloc(left + 1, sizeof(*finding.way)); /* the path of the whole document is empty */
    for (const struct json_pointer *p = place; p->up; p = p->up)
        finding.way[--left] = p->index;

    const size_t at = place_for(findings, &finding, fault, &places);
    const bool is_type = fault->code == VIOLATION_WRONG_TYPE || fault->code == VIOLATION_NOT_OBJECT;
    if (at != SIZE_MAX && is_type && finding.depth == findings->depth)
        findings->weight += WEIGHT_TYPE;
    else if (at != SIZE_MAX)
        findings->weight += fault->is_choice ? WEIGHT_CHOICE : WEIGHT_OTHER;
    if (!finding_is_kept(findings, at, fault->code)) {
        finding_done(&finding);
        return places;
    }
    struct str path = {0};
    json_pointer_add(&path, place, VIOLATION_PATH_MAX);
    finding.path = xstrdup(str_text(&path));
    finding.message = copy_text(fault->message);
    finding.expected = copy_text(fault->expected);
    finding.actual = copy_text(fault->actual);
    insert_finding(findings, at, finding);
    str_done(&path);
    return places;
}

size_t contract_findings_take(struct contract_findings *findings, struct contract_finding *finding)
{
    const struct contract_fault fault = {
        .code = finding->code, .message = finding->message, .expected = finding->expected};
    size_t places = finding->depth;
    const size_t at = place_for(findings, finding, &fault, &places);
    if (finding_is_kept(findings, at, fault.code))
        insert_finding(findings, at, *finding);
    else
        finding_done(finding);
    *finding = (struct contract_finding){0};
    return places;
}

void contract_findings_move(struct contract_findings *findings, struct violations *out)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct contract_finding *finding = &findings->items[i];
        violations_add(out, finding->code, finding->path, finding->message, finding->expected,
                       finding->actual);
    }
    out->dropped += findings->dropped;
    out->mismatch = out->mismatch || findings->mismatch;
    contract_findings_done(findings);
}

void contract_findings_done(struct contract_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        finding_done(&findings->items[i]);
    free(findings->items);
    *findings = (struct contract_findings){.max = findings->max, .depth = findings->depth};
}
