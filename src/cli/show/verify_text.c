/* verify_text.c - what `devs debug --verify` found, for people. */
#include <stddef.h>

#include "clock.h"
#include "shown.h"
#include "verify_found.h"

enum { SHOWN_MAX = 10 }; /* of each list; --json has the rest */

/* "  14:02:13 #211  T-104 step 2 try 1". */
static void add_place(const struct verify_place *place, struct str *out)
{
    char hms[CLOCK_TEXT_MAX];
    str_addf(out, "  %s  #%lld  %s", clock_hms(place->at_ms, hms), (long long)place->seq,
             place->task[0] != '\0' ? place->task : "the run");
    if (place->step > 0)
        str_addf(out, " step %d", place->step + 1);
    if (place->attempt > 0)
        str_addf(out, " try %d", place->attempt);
    str_add_char(out, '\n');
}

/* One line, whatever a command has in it. */
static void add_fact(const char *label, const struct str *text, struct str *out)
{
    str_addf(out, "    %-10s  ", label);
    for (size_t i = 0; i < text->len; i++) {
        const char c = text->data[i];
        str_add_char(out, c == '\n' || c == '\r' ? ' ' : c);
    }
    str_add(out, text->len > 0 ? "\n" : "nothing\n");
}

static void add_decisions(const struct verify_found *found, struct str *out)
{
    const struct redecide_sum *sum = &found->sum.decisions;
    str_addf(out, "decisions  %lld of %lld the same\n", (long long)sum->same,
             (long long)sum->decisions);
    if (sum->different > found->decision_count)
        str_addf(out, "           %lld differ, or follow on one that does\n",
                 (long long)sum->different);
    for (int i = 0; i < found->decision_count && i < SHOWN_MAX; i++) {
        const struct verify_decision *decision = &found->decisions[i];
        str_add(out, i == 0 ? "the first that differs\n" : i == 1 ? "and then\n" : "");
        add_place(&decision->place, out);
        add_fact("recorded", &decision->recorded, out);
        add_fact("this build", &decision->made, out);
        if (decision->changes.len > 0)
            add_fact("differs in", &decision->changes, out);
        add_fact("decided on", &decision->cause, out);
    }
    if (found->decision_count > SHOWN_MAX)
        str_addf(out, "  and %d more, which --json lists\n", found->decision_count - SHOWN_MAX);
}

static void add_opinions(const struct verify_found *found, enum verify_rules rules, struct str *out)
{
    int64_t shown = 0;
    for (size_t i = 0; i < found->opinion_count && shown < SHOWN_MAX; i++) {
        const struct verify_opinion *opinion = &found->opinions[i];
        if (opinion->rules != rules)
            continue;
        add_place(&opinion->place, out);
        str_addf(out, "    recorded    %s\n    %s  %s\n", opinion->was.data,
                 rules == VERIFY_RECORDED ? "once more " : "this build", opinion->is.data);
        shown++;
    }
    if (found->sum.verdicts.different[rules] > shown)
        str_addf(out, "  and %lld more, which --json lists\n",
                 (long long)(found->sum.verdicts.different[rules] - shown));
}

static void add_verdicts(const struct verify_found *found, struct str *out)
{
    static const char *const by[] = {
        [VERIFY_RECORDED] = "by the rules of the run",
        [VERIFY_PRESENT] = "by the rules of today",
    };
    const struct verify_verdicts *sum = &found->sum.verdicts;
    for (enum verify_rules rules = 0; rules < VERIFY_RULES_COUNT; rules++) {
        if (rules == VERIFY_RECORDED && sum->recorded != VERIFY_RULES_THERE) {
            str_addf(out, "verdicts   the rules of the run %s\n",
                     sum->recorded == VERIFY_RULES_NONE ? "are not in the log"
                                                        : "cannot be read by this build");
            continue;
        }
        str_addf(out, "verdicts   %lld of %lld the same %s\n",
                 (long long)(sum->judged - sum->different[rules]), (long long)sum->judged,
                 by[rules]);
        add_opinions(found, rules, out);
    }
}

static void add_prints(const struct verify_verdicts *sum, struct str *out)
{
    if (sum->prints == 0)
        return;
    str_addf(out, "results    %lld of %lld have the same fingerprint",
             (long long)(sum->prints - sum->other_prints), (long long)sum->prints);
    if (sum->first_print > 0)
        str_addf(out, "; the first other one: #%lld", (long long)sum->first_print);
    str_add_char(out, '\n');
}

/* So many of something, under a heading that stands before the first of them. */
struct line {
    int64_t count;
    const char *one, *many;
};

static void add_lines(const char *heading, const struct line *lines, size_t count, struct str *out)
{
    bool is_first = true;
    for (size_t i = 0; i < count; i++) {
        if (lines[i].count == 0)
            continue;
        str_addf(out, "%-10s ", is_first ? heading : "");
        shown_count(lines[i].count, lines[i].one, lines[i].many, out);
        str_add_char(out, '\n');
        is_first = false;
    }
}

static void add_taken(const struct verify_sum *sum, struct str *out)
{
    const struct redecide_sum *decisions = &sum->decisions;
    const struct line lines[] = {
        {decisions->facts, "fact", "facts"},
        {decisions->acts, "act of a person", "acts of people"},
        {decisions->calls, "digest of a call: its environment is not in the log",
         "digests of calls: their environments are not in the log"},
        {decisions->prompts, "prompt: its words", "prompts: their words"},
    };
    add_lines("as it was", lines, ARRAY_LEN(lines), out);
}

/* Nothing is passed over in silence. */
static void add_left_out(const struct verify_sum *sum, struct str *out)
{
    const struct redecide_sum *decisions = &sum->decisions;
    const struct verify_verdicts *verdicts = &sum->verdicts;
    const struct line lines[] = {
        {decisions->unknown, "event of a kind that this build does not know",
         "events of kinds that this build does not know"},
        {decisions->lost, "decision on an act that is not in the log any more",
         "decisions on acts that are not in the log any more"},
        {decisions->unseen, "decision, for too many before it differ",
         "decisions, for too many before them differ"},
        {decisions->cut_off, "time that devs had not recorded all that it had decided",
         "times that devs had not recorded all that it had decided"},
        {verdicts->cut, "verdict: the end of the output is not in the log",
         "verdicts: the end of the output is not in the log"},
        {verdicts->seen, "verdict of what devs itself saw on the disk",
         "verdicts of what devs itself saw on the disk"},
        {verdicts->unread, "verdict of a devs that took the run up, without output",
         "verdicts of a devs that took the run up, without output"},
        {verdicts->unruled, "verdict without rules: devs did not start that agent",
         "verdicts without rules: devs did not start these agents"},
        {verdicts->prints_left, "fingerprint: its output is an agent's, or there in part",
         "fingerprints: their outputs are agents', or there in part"},
        {verdicts->contracts, "output that a contract was held against: it is there in part",
         "outputs that contracts were held against: they are there in part"},
    };
    add_lines("left out", lines, ARRAY_LEN(lines), out);
}

void verify_found_text(const struct verify_found *found, struct str *out)
{
    add_decisions(found, out);
    add_verdicts(found, out);
    add_prints(&found->sum.verdicts, out);
    add_taken(&found->sum, out);
    add_left_out(&found->sum, out);
}
