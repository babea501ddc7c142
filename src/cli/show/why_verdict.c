/* why_verdict.c - a verdict and its evidence in words for people. */
#include <assert.h>
#include <string.h>

#include "attr.h"
#include "clock.h"
#include "shown.h"
#include "why_parts.h"

enum { LABEL_COLUMNS = 10 };

void why_begin(const char *label, struct str *out)
{
    str_addf(out, "  %-*s ", LABEL_COLUMNS, label);
}

static void class_line(const struct verdict *verdict, struct str *out)
{
    why_begin("class", out);
    str_add(out, shown_expectation(verdict));
    str_add(out, verdict_class_name(verdict->class));
    if (verdict->class == VERDICT_SUCCESS)
        str_add(out, ", for it was to fail:");
    if (verdict->class == VERDICT_TRANSIENT)
        str_addf(out, " %s", transient_type_name(verdict->type));
    else if (verdict->reason != REASON_NONE)
        str_addf(out, " %s", reason_name(verdict->reason));
    if (verdict->subtype[0] != '\0')
        str_addf(out, ", %s", verdict->subtype);
    str_add_char(out, '\n');
}

/* How much there is to go by, by the kind of rule that decided. */
static const char *how_sure(const struct verdict *verdict)
{
    static const struct {
        const char *prefix;
        const char *words;
    } kinds[] = {
        {"known.", "sure, devs saw it itself"},
        {"agent.", "sure, the agent's own result says so"},
        {"exit.words", "in doubt, so persistent: words that no rule knows beside the exit code"},
        {"exit.", "by the exit code alone"},
        {"default", "in doubt, so persistent: no rule knows it"},
        {"expect.", "sure, the plan says what was to come"},
        {"contract", "sure, its contract says what was to come"},
    };
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (strncmp(verdict->rule, kinds[i].prefix, strlen(kinds[i].prefix)) == 0)
            return kinds[i].words;
    }
    if (verdict->rule[0] == '\0')
        return "in doubt, so persistent";
    return verdict->stream == VERDICT_STREAM_NONE ? "sure, a rule knows this end"
                                                  : "sure, a rule knows the text";
}

static void rule_lines(const struct verdict *verdict, struct str *out)
{
    why_begin("by", out);
    if (verdict->rule[0] != '\0')
        str_addf(out, "rule %s: ", verdict->rule);
    str_addf(out, "%s\n", how_sure(verdict));
    bool is_told_below = verdict->violations[0] != '\0';
    if (is_told_below || (verdict->stream == VERDICT_STREAM_NONE && verdict->match[0] == '\0'))
        return;
    why_begin("found", out);
    if (verdict->match[0] != '\0')
        str_addf(out, "\"%s\"", verdict->match);
    if (verdict->stream != VERDICT_STREAM_NONE)
        str_addf(out, " on %s", verdict_stream_name(verdict->stream));
    if (verdict->line > 0)
        str_addf(out, ", line %lld of what was looked at", (long long)verdict->line);
    if (verdict->stream != VERDICT_STREAM_NONE)
        str_addf(out, ", byte %lld", (long long)verdict->offset);
    str_add_char(out, '\n');
}

static const char *near_words(enum near_why why)
{
    static const char *const words[] = {
        [NEAR_QUOTED] = "the line only quotes it",
        [NEAR_UNLESS] = "its own exception holds",
        [NEAR_PATTERN] = "its word is there, its pattern is not",
        [NEAR_EXIT] = "exit code, signal, program or kind of step do not fit",
        [NEAR_OUTRANKED] = "it holds, but another rule comes first",
    };
    static_assert(ARRAY_LEN(words) == NEAR_WHY_COUNT, "every near miss has its words");
    return words[why];
}

static void near_lines(const struct verdict *verdict, struct str *out)
{
    for (int i = 0; i < verdict->near_count; i++) {
        const struct verdict_near *near = &verdict->near[i];
        why_begin(i == 0 ? "nearly" : "", out);
        str_addf(out, "%s: %s", near->rule, near_words(near->why));
        if (near->stream != VERDICT_STREAM_NONE)
            str_addf(out, " (%s, byte %lld)", verdict_stream_name(near->stream),
                     (long long)near->offset);
        str_add_char(out, '\n');
    }
}

static void hint_line(const struct verdict *verdict, struct str *out)
{
    char at[CLOCK_TEXT_MAX];
    if (verdict->retry_after_ms < 0 && verdict->resume_at_ms < 0)
        return;
    why_begin("server", out);
    str_add(out, "asks to wait");
    if (verdict->retry_after_ms >= 0) {
        str_add_char(out, ' ');
        shown_seconds(verdict->retry_after_ms, out);
    }
    if (verdict->resume_at_ms >= 0)
        str_addf(out, " until %s", clock_date(verdict->resume_at_ms, at));
    if (verdict->hint_rule[0] != '\0')
        str_addf(out, ", by rule %s", verdict->hint_rule);
    str_add_char(out, '\n');
}

/* What keeps the output from fitting its contract, a line for each. */
static void misfit_lines(const struct verdict *verdict, struct str *out)
{
    const char *at = verdict->violations;
    while (*at != '\0') {
        size_t len = strcspn(at, "\n");
        why_begin("misfit", out);
        str_add_n(out, at, len);
        str_add_char(out, '\n');
        at += len + (at[len] == '\n');
    }
}

void why_verdict_words(const struct verdict *verdict, struct str *out)
{
    class_line(verdict, out);
    rule_lines(verdict, out);
    misfit_lines(verdict, out);
    near_lines(verdict, out);
    hint_line(verdict, out);
}
