#include <stdio.h>

#include "clock.h"
#include "verify_found.h"

enum { SHOWN_MAX = 10 }; /* of each list; --json has the rest */

static void add_count(int64_t count, const char *one, const char *many, struct str *out)
{
    str_addf(out, "%lld %s", (long long)count, count == 1 ? one : many);
}

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

static void add_decisions(const struct verify_found *found, struct str *out)
{
    const struct redecide_sum *sum = &found->sum.decisions;
    str_addf(out, "decisions  %lld of %lld the same\n", (long long)sum->same,
             (long long)sum->decisions);
    for (int i = 0; i < found->decision_count && i < SHOWN_MAX; i++) {
        const struct verify_decision *decision = &found->decisions[i];
        str_add(out, i == 0 ? "the first that differs\n" : "");
        add_place(&decision->place, out);
        str_addf(out, "    recorded    %s\n",
                 decision->recorded.len > 0 ? decision->recorded.data : "nothing");
        str_addf(out, "    this build  %s\n",
                 decision->made.len > 0 ? decision->made.data : "nothing");
        str_addf(out, "    decided on  %s\n", decision->cause.data);
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

/* What is taken as it is, and what is not looked at: nothing is passed over in silence. */
static void add_taken(const struct verify_sum *sum, struct str *out)
{
    const struct redecide_sum *decisions = &sum->decisions;
    str_add(out, "taken      ");
    add_count(decisions->facts, "fact", "facts", out);
    str_add(out, " and ");
    add_count(decisions->acts, "act", "acts", out);
    str_add(out, " as recorded");
    if (decisions->calls > 0) {
        str_add(out, "; the digest of ");
        add_count(decisions->calls, "call", "calls", out);
        str_add(out, " (its environment is not in the log)");
    }
    if (decisions->prompts > 0) {
        str_add(out, "; the words of ");
        add_count(decisions->prompts, "prompt", "prompts", out);
    }
    str_add_char(out, '\n');
}

static void add_left_out(const struct verify_sum *sum, struct str *out)
{
    const struct redecide_sum *decisions = &sum->decisions;
    const struct verify_verdicts *verdicts = &sum->verdicts;
    const struct {
        int64_t count;
        const char *words;
    } lines[] = {
        {decisions->unknown, "events of a kind that this build does not know"},
        {decisions->lost, "decisions on acts that the log does not have any more"},
        {decisions->unseen, "decisions after too many that differ"},
        {decisions->cut_off, "times devs died before all was recorded: the rest is not compared"},
        {verdicts->cut, "verdicts: the end of the output is not in the log"},
        {verdicts->seen, "verdicts of what devs saw itself: a result that it could not put away"},
        {verdicts->unread, "verdicts of a devs that took the run up and had no output either"},
        {verdicts->unruled, "verdicts without rules: devs did not start that agent"},
        {verdicts->contracts, "outputs of contracts: not all of it is in the log"},
    };
    bool is_first = true;
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        if (lines[i].count == 0)
            continue;
        str_addf(out, "%s %lld %s\n", is_first ? "left out  " : "          ",
                 (long long)lines[i].count, lines[i].words);
        is_first = false;
    }
}

void verify_found_text(const struct verify_found *found, struct str *out)
{
    add_decisions(found, out);
    add_verdicts(found, out);
    add_taken(&found->sum, out);
    add_left_out(&found->sum, out);
}
