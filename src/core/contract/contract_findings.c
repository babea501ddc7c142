#include "contract_findings.h"

#include <stdlib.h>
#include <string.h>

#include "violation.h"
#include "xalloc.h"

/* How far a value is from fitting: of the wrong type altogether, made for another alternative
 * (a constant that tells them apart), anything else. */
enum { WEIGHT_TYPE = 1000, WEIGHT_CHOICE = 10, WEIGHT_OTHER = 1 };

static size_t depth_of(const struct json_pointer *place)
{
    size_t depth = 0;
    for (const struct json_pointer *p = place; p->up; p = p->up)
        depth++;
    return depth;
}

static size_t *way_of(const struct json_pointer *place, size_t depth)
{
    size_t *way = xcalloc(depth + 1, sizeof(*way)); /* the whole has no step */
    for (const struct json_pointer *p = place; p->up; p = p->up)
        way[--depth] = p->index;
    return way;
}

/* *places gets how many are looked at, added to it. */
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

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* All missing members have the same place, after the existing ones. */
static bool is_same(const struct contract_finding *finding, const struct contract_finding *other,
                    const struct contract_fault *fault)
{
    return same_text(finding->key, other->key) && finding->code == fault->code &&
           same_text(finding->message, fault->message) &&
           same_text(finding->expected, fault->expected);
}

/* Where it is inserted: after all findings before it or at the same place. SIZE_MAX if one of these
 * is equal. */
static size_t place_for(const struct contract_findings *findings,
                        const struct contract_finding *finding, const struct contract_fault *fault,
                        size_t *places)
{
    size_t at = findings->count;
    while (at > 0 && compare_ways(&findings->items[at - 1], finding, places) > 0)
        at--;
    for (size_t i = at; i > 0 && compare_ways(&findings->items[i - 1], finding, places) == 0; i--) {
        if (is_same(&findings->items[i - 1], finding, fault))
            return SIZE_MAX;
    }
    return at;
}

static void weigh(struct contract_findings *findings, size_t depth,
                  const struct contract_fault *fault)
{
    const bool is_type = fault->code == VIOLATION_WRONG_TYPE || fault->code == VIOLATION_NOT_OBJECT;
    if (is_type && depth == findings->depth)
        findings->weight += WEIGHT_TYPE;
    else
        findings->weight += fault->is_choice ? WEIGHT_CHOICE : WEIGHT_OTHER;
}

static char *copy(const char *text)
{
    return text ? xstrdup(text) : NULL;
}

static void insert(struct contract_findings *findings, size_t at, struct contract_finding finding)
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

/* Whether the finding is kept. A duplicate does not count. */
static bool is_kept(struct contract_findings *findings, size_t at, enum violation_code code)
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
    struct contract_finding finding = {
        .depth = depth_of(place), .key = place->key, .code = fault->code};
    size_t places = finding.depth;
    finding.way = way_of(place, finding.depth);
    const size_t at = place_for(findings, &finding, fault, &places);
    if (at != SIZE_MAX)
        weigh(findings, finding.depth, fault);
    if (!is_kept(findings, at, fault->code)) {
        finding_done(&finding);
        return places;
    }
    struct str path = {0};
    json_pointer_add(&path, place, VIOLATION_PATH_MAX);
    finding.path = xstrdup(str_text(&path));
    finding.message = copy(fault->message);
    finding.expected = copy(fault->expected);
    finding.actual = copy(fault->actual);
    insert(findings, at, finding);
    str_done(&path);
    return places;
}

size_t contract_findings_take(struct contract_findings *findings, struct contract_finding *finding)
{
    const struct contract_fault fault = {
        .code = finding->code, .message = finding->message, .expected = finding->expected};
    size_t places = finding->depth;
    const size_t at = place_for(findings, finding, &fault, &places);
    if (is_kept(findings, at, fault.code))
        insert(findings, at, *finding);
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
