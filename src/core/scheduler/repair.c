#include "repair.h"

#include <assert.h>
#include <string.h>

#include "repair_words.h"
#include "text.h"

enum {
    FIELD_MAX = 400,         /* bytes of each text of a violation that are shown */
    INSTRUCTIONS_ROOM = 600, /* bytes kept free for what follows the violations */
};

/* What each code means for a repair; the smaller the rank, the sooner it is shown. */
static const struct {
    int rank;
    bool is_fixable;
} codes[] = {
    [VIOLATION_KERNEL_MISMATCH] = {0, false}, [VIOLATION_OP_MISMATCH] = {0, false},
    [VIOLATION_NOT_JSON] = {1, true},         [VIOLATION_NOT_OBJECT] = {2, true},
    [VIOLATION_MISSING_FIELD] = {3, true},    [VIOLATION_WRONG_TYPE] = {4, true},
    [VIOLATION_INVALID_VALUE] = {5, true},
};
static_assert(ARRAY_LEN(codes) == VIOLATION_CODE_COUNT, "every code has a meaning");

enum { RANKS = 6 };

const char repair_head[] = "YOUR PREVIOUS RESPONSE HAD VALIDATION ERRORS.\n\nVIOLATIONS:\n";

const char repair_instructions[] = "INSTRUCTIONS:\n"
                                   "1. Fix ALL of the violations above\n"
                                   "2. Return ONLY valid JSON matching the OUTPUT CONTRACT\n"
                                   "3. Do NOT use markdown code blocks\n"
                                   "4. Do NOT add any explanation or preamble\n"
                                   "\n"
                                   "Return the corrected JSON response now:\n";

bool repair_may_retry(const struct violations *violations)
{
    bool may = violations->count > 0 && !violations->mismatch;
    for (size_t i = 0; may && i < violations->count; i++)
        may = codes[violations->items[i].code].is_fixable;
    return may;
}

/* Nothing where the text is not known. */
static void add_field(struct str *out, const char *before, const char *text)
{
    if (!text)
        return;
    const size_t len = strlen(text);
    const size_t cut = text_cut(text, len, FIELD_MAX);
    struct str part = {0};
    str_add_n(&part, text, cut);
    str_add(out, before);
    violation_add_visible(out, str_text(&part));
    str_add(out, cut < len ? "...\n" : "\n");
    str_done(&part);
}

static void add_violation(struct str *out, const struct violation *violation)
{
    add_field(out, "  - Path: ", violation_path_shown(violation));
    add_field(out, "    Code: ", violation_code_name(violation->code));
    add_field(out, "    Error: ", violation->message);
    add_field(out, "    Expected: ", violation->expected);
    add_field(out, "    Got: ", violation->actual);
}

/* As many as there is room for; returns how many. */
static size_t add_violations(struct str *out, const struct violations *violations, size_t room)
{
    struct str next = {0};
    size_t shown = 0;
    bool is_full = false;
    for (int rank = 0; rank < RANKS; rank++) {
        for (size_t i = 0; i < violations->count && !is_full; i++) {
            if (codes[violations->items[i].code].rank != rank)
                continue;
            str_clear(&next);
            add_violation(&next, &violations->items[i]);
            is_full = shown == REPAIR_SHOWN_MAX || next.len > room;
            if (is_full)
                break;
            str_add(out, str_text(&next));
            room -= next.len;
            shown++;
        }
    }
    str_done(&next);
    return shown;
}

void repair_prompt_within(const struct violations *violations, size_t max, struct str *out)
{
    const size_t all = violations->count + violations->dropped;
    assert(max >= REPAIR_PROMPT_MIN);
    str_add(out, repair_head);
    const size_t room = max - strlen(repair_head) - INSTRUCTIONS_ROOM;
    const size_t shown = add_violations(out, violations, room);
    if (shown < all)
        str_addf(out, "  ... and %zu more\n", all - shown);
    str_add(out, "\n");
    str_add(out, repair_instructions);
}

void repair_prompt(const struct violations *violations, struct str *out)
{
    repair_prompt_within(violations, REPAIR_PROMPT_MAX, out);
}
