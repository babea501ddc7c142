/* entropy_nudge.c - what an agent is told that loops. */
#include "entropy.h"

#include <assert.h>
#include <string.h>

#include "normaliser.h"
#include "str.h"
#include "text.h"

enum { CALL_SHOWN_MAX = 120 /* bytes of a call in a nudge */ };

/* What the agent may do instead. */
static const char *const advice[] = {
    [ENTROPY_RUNG_NONE] = "",
    [ENTROPY_RUNG_REPEAT] = "do something else, or say what blocks you",
    [ENTROPY_RUNG_CYCLE] = "leave this round of steps: try another way, or say what blocks you",
    [ENTROPY_RUNG_FAILURE] = "read the message again and change what it names",
    [ENTROPY_RUNG_BARREN] = "use what is known by now, or say what is missing",
    [ENTROPY_RUNG_PAUSE] = "look at what is waited for",
    [ENTROPY_RUNG_MONOLOGUE] = "act, or say that you are done",
    [ENTROPY_RUNG_CHANT] = "stop here and say it once",
};
static_assert(ARRAY_LEN(advice) == ENTROPY_RUNG_COUNT, "every rung has its advice");

/* One line, whatever is in the call. */
static void add_call(const char *call, struct str *out)
{
    const size_t all = strlen(call);
    const size_t len = text_cut(call, all, CALL_SHOWN_MAX);
    for (size_t i = 0; i < len; i++) {
        const unsigned char byte = (unsigned char)call[i];
        str_add_char(out, byte < ' ' || byte == 0x7f ? ' ' : call[i]);
    }
    if (len < all)
        str_add(out, "...");
}

/* That a call's own words are masked in what it wrote is left out: it reads as if the call's
 * arguments did not count, and they do. */
static void add_masks(unsigned masks, struct str *out)
{
    const char *between = " (";
    for (int i = 0; i < NORMALISER_MASK_COUNT; i++) {
        if (!(masks & 1u << i) || i == NORMALISER_ARGUMENTS)
            continue;
        str_addf(out, "%s%s", between, normaliser_mask_words((enum normaliser_mask)i));
        between = ", ";
    }
    if (strcmp(between, ", ") == 0)
        str_add(out, " not counted)");
}

void entropy_nudge(const struct entropy_verdict *verdict, const char *call, unsigned masks,
                   struct str *out)
{
    if (verdict->level == ENTROPY_OK)
        return;
    str_add(out, "You may be in a loop: ");
    entropy_why(verdict, out);
    if (call && call[0] != '\0') {
        str_add(out, ", last `");
        add_call(call, out);
        str_add_char(out, '`');
    }
    add_masks(masks, out);
    str_add(out, ". ");
    if (verdict->poll)
        str_add(out, "If it needs time, wait longer between looks (5, 10, 30, 60 s); if not, ");
    else
        str_add(out, "Please ");
    str_add(out, advice[verdict->rung]);
    str_add_char(out, '.');
}
