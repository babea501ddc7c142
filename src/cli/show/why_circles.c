/* why_circles.c - that a task goes in circles, or may, in words for people. */
#include <stddef.h>

#include "json.h"
#include "shown.h"
#include "why.h"
#include "why_parts.h"

static void sample_line(const char *label, const struct json *lines, size_t index, const char *form,
                        struct str *out)
{
    const char *text = json_text(json_get(json_at(lines, index), form), "");
    if (*text == '\0')
        return;
    why_begin(label, out);
    str_addf(out, "%s\n", text);
}

/* Some lines as they came in the first and the last try, beside what was compared. */
static void sample_lines(const struct json *loop, struct str *out)
{
    enum { SAMPLES_MAX = 2 };
    const struct json *first = json_get(loop, "first_lines");
    const struct json *last = json_get(loop, "last_lines");
    for (size_t i = 0; i < SAMPLES_MAX && i < json_count(last); i++) {
        sample_line("first try", first, i, "raw", out);
        sample_line("last try", last, i, "raw", out);
        sample_line("compared", last, i, "normal", out);
    }
}

/* What was masked: the capture has it for a stop by the policy's window too. */
static void add_masked(const struct why *why, const struct json *loop, struct str *out)
{
    const struct json *masks = json_get(loop, "masks");
    if (json_count(masks) == 0)
        shown_masks(why->circle.masks, out);
    for (size_t i = 0; i < json_count(masks); i++)
        str_addf(out, "%s%s", i > 0 ? ", " : "", json_text(json_at(masks, i), ""));
}

static void masked_lines(const struct why *why, struct str *out)
{
    const struct json *loop = json_get(why->evidence, "loop");
    struct str masked = {0};
    add_masked(why, loop, &masked);
    if (masked.len > 0) {
        why_begin("masked", out);
        str_addf(out, "%s\n", masked.data);
        sample_lines(loop, out);
    }
    str_done(&masked);
}

void why_circle_words(const struct why *why, struct str *out)
{
    const struct entropy_verdict *verdict = &why->circle.verdict;
    if (verdict->level == ENTROPY_OK)
        return;
    why_begin("circles", out);
    str_add(out, why->suspected ? "perhaps: " : "");
    shown_circle_words(&why->circle, out);
    str_add(out, ", ");
    shown_circles_span(&why->circle, why->pick.step, out);
    str_add_char(out, '\n');
    why_begin("equal", out);
    str_add(out, shown_circles_equal(verdict));
    str_add(out, verdict->masked ? ", once masked\n" : "\n");
    masked_lines(why, out);
}
