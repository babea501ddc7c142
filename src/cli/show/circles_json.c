#include "circles_json.h"

/* Of an agent's calls their numbers, else steps and attempts. */
static void add_span(const struct shown_circle *circle, struct str *out)
{
    const struct entropy_verdict *verdict = &circle->verdict;
    if (circle->of_calls) {
        str_json_i64(out, "first_call", verdict->first_number);
        str_json_i64(out, "last_call", verdict->last_number);
        return;
    }
    str_json_i64(out, "first_step", circle->first_step + 1);
    str_json_i64(out, "first_attempt", verdict->first_number);
    str_json_i64(out, "last_step", circle->last_step + 1);
    str_json_i64(out, "last_attempt", verdict->last_number);
}

void circles_json(const struct shown_circle *circle, enum entropy_level level, struct str *out)
{
    const struct entropy_verdict *verdict = &circle->verdict;
    struct str words = {0};
    if (level == ENTROPY_OK)
        return;
    str_json_key(out, "circles");
    str_add_char(out, '{');
    str_json_text(out, "level", entropy_level_name(level));
    str_json_text(out, "rung", entropy_rung_name(verdict->rung));
    str_json_i64(out, "count", verdict->count);
    if (verdict->period > 0)
        str_json_i64(out, "period", verdict->period);
    add_span(circle, out);
    if (verdict->masked)
        str_json_bool(out, "masked", true);
    if (circle->masks != 0) {
        shown_masks(circle->masks, &words);
        str_json_text(out, "masks", str_text(&words));
        str_clear(&words);
    }
    shown_circle_words(circle, &words);
    str_json_text(out, "equal", shown_circles_equal(verdict));
    str_json_text(out, "words", str_text(&words));
    str_add_char(out, '}');
    str_done(&words);
}
