/* verify_json.c - the same as one JSON object. */
#include "verify_found.h"

struct member {
    const char *key;
    int64_t value;
};

static void add_members(const struct member *members, size_t count, struct str *out)
{
    for (size_t i = 0; i < count; i++)
        str_json_i64(out, members[i].key, members[i].value);
}

static void add_place(const struct verify_place *place, struct str *out)
{
    str_json_i64(out, "seq", place->seq);
    str_json_i64(out, "at_ms", place->at_ms);
    if (place->task[0] == '\0')
        return;
    str_json_text(out, "task", place->task);
    str_json_i64(out, "step", place->step + 1);
    str_json_i64(out, "attempt", place->attempt);
}

static void add_event(const char *key, const struct str *event, struct str *out)
{
    str_json_key(out, key);
    str_add(out, event->len > 0 ? event->data : "null");
}

static void add_decisions(const struct verify_found *found, struct str *out)
{
    const struct redecide_sum *sum = &found->sum.decisions;
    const struct member members[] = {
        {"events", sum->events},       {"made", sum->decisions}, {"same", sum->same},
        {"different", sum->different}, {"unseen", sum->unseen},  {"lost", sum->lost},
        {"lost_acts", sum->lost_acts}, {"acts", sum->acts},      {"facts", sum->facts},
        {"unknown", sum->unknown},     {"calls", sum->calls},    {"prompts", sum->prompts},
        {"cut_off", sum->cut_off},
    };
    str_json_key(out, "decisions");
    str_add_char(out, '{');
    add_members(members, ARRAY_LEN(members), out);
    str_json_key(out, "differences");
    str_add_char(out, '[');
    for (int i = 0; i < found->decision_count; i++) {
        const struct verify_decision *decision = &found->decisions[i];
        str_add(out, i > 0 ? ",{" : "{");
        add_place(&decision->place, out);
        str_json_text(out, "on", str_text(&decision->cause));
        str_json_text(out, "changes", str_text(&decision->changes));
        str_json_text(out, "was", str_text(&decision->recorded));
        str_json_text(out, "is", str_text(&decision->made));
        add_event("recorded", &decision->recorded_json, out);
        add_event("made", &decision->made_json, out);
        str_add_char(out, '}');
    }
    str_add(out, "]}");
}

static const char *const rules_words[] = {
    [VERIFY_RULES_NONE] = "none",
    [VERIFY_RULES_UNREADABLE] = "unreadable",
    [VERIFY_RULES_THERE] = "recorded",
};

static void add_verdicts(const struct verify_found *found, struct str *out)
{
    const struct verify_verdicts *sum = &found->sum.verdicts;
    const struct member members[] = {
        {"ended", sum->ended},
        {"judged", sum->judged},
        {"cut", sum->cut},
        {"seen", sum->seen},
        {"unread", sum->unread},
        {"unruled", sum->unruled},
        {"contracts", sum->contracts},
        {"prints", sum->prints},
        {"other_prints", sum->other_prints},
        {"prints_left", sum->prints_left},
        {"different", sum->different[VERIFY_RECORDED]},
        {"different_today", sum->different[VERIFY_PRESENT]},
    };
    str_json_key(out, "verdicts");
    str_add_char(out, '{');
    str_json_text(out, "rules", rules_words[sum->recorded]);
    add_members(members, ARRAY_LEN(members), out);
    str_json_key(out, "differences");
    str_add_char(out, '[');
    for (size_t i = 0; i < found->opinion_count; i++) {
        const struct verify_opinion *opinion = &found->opinions[i];
        str_add(out, i > 0 ? ",{" : "{");
        add_place(&opinion->place, out);
        str_json_text(out, "rules", opinion->rules == VERIFY_RECORDED ? "run" : "today");
        str_json_text(out, "was", str_text(&opinion->was));
        str_json_text(out, "is", str_text(&opinion->is));
        str_add_char(out, '}');
    }
    str_add(out, "]}");
}

void verify_found_json(const struct verify_found *found, struct str *out)
{
    str_add_char(out, '{');
    str_json_i64(out, "v", 1);
    str_json_i64(out, "run", found->run);
    str_json_bool(out, "same", !verify_found_differs(found));
    add_decisions(found, out);
    add_verdicts(found, out);
    str_add_char(out, '}');
}
