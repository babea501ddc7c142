/* cmd_verify.c - devs verify: decides and judges recorded runs again with this build. */
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "config.h"
#include "debug_mode.h"
#include "event_text.h"
#include "fail.h"
#include "json.h"
#include "run_state.h"
#include "shown.h"
#include "str.h"
#include "target.h"
#include "verify.h"
#include "xalloc.h"

enum {
    VERIFY_VERDICTS_MAX = 1000, /* verdicts listed at most; the others are counted */
};

/* A position in the run. */
struct verify_place {
    int64_t at_ms, seq;
    char task[PLAN_ID_MAX + 1]; /* "" = the run itself */
    int step, attempt;          /* step counts from 0 */
};

/* A decision that differs. Strings are owned. */
struct verify_decision {
    struct verify_place place;
    struct str cause;                    /* the event that led to the decision, as text */
    struct str recorded, made;           /* both decisions as text; "" = no decision */
    struct str changes;                  /* inputs that differ: "allowed 4, now 3" */
    struct str recorded_json, made_json; /* both decisions as JSON objects; "" = no decision */
};

/* A verdict that differs. */
struct verify_opinion {
    struct verify_place place;
    enum verify_rules rules;
    struct str was, is; /* owned; "test-fail (rule tap.not-ok)" */
};

struct verify_found {
    int64_t run;
    struct verify_decision decisions[REDECIDE_DIFFERENCES_MAX];
    int decision_count;
    struct verify_opinion *opinions; /* owned */
    size_t opinion_count, opinion_cap;
    struct verify_sum sum;
    bool asks_rules; /* also count verdicts that this build's rules change */
};

static void set_place(struct verify_place *place, const struct plan *plan,
                      const struct event *event)
{
    *place = (struct verify_place){.at_ms = event->at.at_ms,
                                   .seq = event->seq,
                                   .step = event->step,
                                   .attempt = event->attempt};
    if (event->task >= 0 && event->task < plan->task_count) /* the log may be damaged here */
        (void)snprintf(place->task, sizeof(place->task), "%s", plan->tasks[event->task].id);
}

/* Appends the event as text if it can be folded, otherwise its kind. */
static void add_words(const struct run_state *before, const struct event *event, struct str *out)
{
    struct run_state state;
    if (!event)
        return;
    if (!run_state_can_copy(before)) {
        str_add(out, event_kind_name(event->kind));
        return;
    }
    run_state_copy(&state, before);
    if (run_state_apply(&state, event, NULL))
        event_words_alone(&state, event, out);
    if (out->len == 0)
        str_add(out, event_kind_name(event->kind));
    run_state_done(&state);
}

static void add_event(const struct event *event, struct str *out)
{
    if (!event)
        return;
    const struct {
        const char *key;
        int64_t value;
    } numbers[] = {
        {"task", event->task},   {"step", event->step},       {"round", event->round},
        {"grant", event->grant}, {"attempt", event->attempt},
    };
    str_add_char(out, '{');
    str_json_text(out, "kind", event_kind_name(event->kind));
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        str_json_i64(out, numbers[i].key, numbers[i].value);
    char *data = event_object(event);
    const size_t before = out->len;
    str_json_key(out, "data");
    if (!json_line_add(data, strlen(data), out))
        str_cut(out, before); /* not JSON: something else wrote it */
    free(data);
    str_add_char(out, '}');
}

static struct json *read_object(const struct event *event)
{
    struct json *object = NULL;
    char *text = event_object(event);
    const bool ok = json_parse(text, strlen(text), &object, NULL, NULL);
    free(text);
    return ok ? object : NULL;
}

/* Appends "KEY OLD, now NEW" if the values differ. */
static void add_change(const char *key, const struct json *was, const struct json *is,
                       struct str *out)
{
    enum { VALUE_MAX = 60 };
    char *before = was ? json_brief(was, VALUE_MAX) : NULL;
    char *now = is ? json_brief(is, VALUE_MAX) : NULL;
    const bool same = before && now && strcmp(before, now) == 0;
    if (!same)
        str_addf(out, "%s%s %s, now %s", out->len > 0 ? "; " : "", key, before ? before : "none",
                 now ? now : "none");
    free(before);
    free(now);
}

/* Appends the differences between the inputs of two decisions of the same kind. */
static void add_changes(const struct redecide_difference *difference, struct str *out)
{
    const bool is_one_kind = difference->recorded && difference->made &&
                             difference->recorded->kind == difference->made->kind;
    struct json *was = is_one_kind ? read_object(difference->recorded) : NULL;
    struct json *is = is_one_kind ? read_object(difference->made) : NULL;
    const char *key = NULL;
    const struct json *value = NULL;
    void *iter = NULL;
    while (json_next(was, &iter, &key, &value))
        add_change(key, value, json_get(is, key), out);
    iter = NULL;
    while (json_next(is, &iter, &key, &value)) {
        if (!json_get(was, key))
            add_change(key, NULL, value, out);
    }
    json_free(was);
    json_free(is);
}

/* A callback for verify_run(): records a decision that differs. ctx is a struct verify_found. */
static void verify_found_decision(void *ctx, const struct redecide_difference *difference)
{
    struct verify_found *found = ctx;
    const struct event *about = difference->recorded ? difference->recorded
                                : difference->made   ? difference->made
                                                     : difference->cause;
    if (found->decision_count == REDECIDE_DIFFERENCES_MAX)
        return;
    struct verify_decision *decision = &found->decisions[found->decision_count++];
    *decision = (struct verify_decision){0};
    set_place(&decision->place, difference->state->plan, about);
    str_addf(&decision->cause, "#%lld ", (long long)difference->cause->seq);
    str_add(&decision->cause,
            difference->input == INPUT_TIME ? "a timer" : event_kind_name(difference->cause->kind));
    add_words(difference->state, difference->recorded, &decision->recorded);
    add_words(difference->state, difference->made, &decision->made);
    add_changes(difference, &decision->changes);
    add_event(difference->recorded, &decision->recorded_json);
    add_event(difference->made, &decision->made_json);
}

static void add_verdict(const struct verdict *verdict, const struct outcome *outcome,
                        struct str *out)
{
    char word[VERDICT_WORD_MAX];
    (void)verdict_word(verdict, outcome, word);
    str_add(out, word[0] != '\0' ? word : verdict_class_name(verdict->class));
    if (verdict->rule[0] != '\0')
        str_addf(out, " (rule %s)", verdict->rule);
    if (verdict->ask)
        str_add(out, ", asks you");
    if (verdict->no_retry)
        str_add(out, ", no retry");
    if (verdict->retry_after_ms >= 0) {
        str_add(out, ", retry after ");
        shown_seconds(verdict->retry_after_ms, out);
    }
}

/* Records a verdict that differs. Keeps at most VERIFY_VERDICTS_MAX. */
static void verify_found_verdict(void *ctx, const struct verify_verdict *verdict)
{
    struct verify_found *found = ctx;
    if (found->opinion_count == VERIFY_VERDICTS_MAX)
        return;
    found->opinions = xgrow(found->opinions, &found->opinion_cap, found->opinion_count + 1,
                            sizeof(*found->opinions));
    struct verify_opinion *opinion = &found->opinions[found->opinion_count++];
    *opinion = (struct verify_opinion){.rules = verdict->rules};
    set_place(&opinion->place, verdict->plan, verdict->event);
    add_verdict(verdict->was, verdict->outcome, &opinion->was);
    add_verdict(verdict->is, verdict->outcome, &opinion->is);
}

static void verify_found_done(struct verify_found *found)
{
    for (int i = 0; i < found->decision_count; i++) {
        str_done(&found->decisions[i].cause);
        str_done(&found->decisions[i].recorded);
        str_done(&found->decisions[i].made);
        str_done(&found->decisions[i].changes);
        str_done(&found->decisions[i].recorded_json);
        str_done(&found->decisions[i].made_json);
    }
    for (size_t i = 0; i < found->opinion_count; i++) {
        str_done(&found->opinions[i].was);
        str_done(&found->opinions[i].is);
    }
    free(found->opinions);
    *found = (struct verify_found){0};
}

/* Returns whether the command should exit with EXIT_WOULD_CHANGE. */
static bool verify_found_differs(const struct verify_found *found)
{
    const int64_t *different = found->sum.verdicts.different;
    return found->sum.decisions.different > 0 || different[VERIFY_RECORDED] > 0 ||
           found->sum.verdicts.other_prints > 0 ||
           (found->asks_rules && different[VERIFY_PRESENT] > 0);
}

enum { SHOWN_MAX = 10 }; /* maximum items shown per list; --json has the rest */

/* Appends "  14:02:13  #211  T-104 step 2 try 1" and a line feed. */
static void print_place(const struct verify_place *place, struct str *out)
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

/* Appends a label and text as one line, even if a command contains line feeds. */
static void add_fact(const char *label, const struct str *text, struct str *out)
{
    str_addf(out, "    %-10s  ", label);
    for (size_t i = 0; i < text->len; i++) {
        const char c = text->data[i];
        str_add_char(out, c == '\n' || c == '\r' ? ' ' : c);
    }
    str_add(out, text->len > 0 ? "\n" : "nothing\n");
}

static void print_decisions(const struct verify_found *found, struct str *out)
{
    const struct redecide_sum *sum = &found->sum.decisions;
    str_addf(out, "decisions  %lld of %lld the same\n", (long long)sum->same,
             (long long)sum->decisions);
    if (sum->different > found->decision_count)
        str_addf(out, "           %lld differ, or come after one that differs\n",
                 (long long)sum->different);
    for (int i = 0; i < found->decision_count && i < SHOWN_MAX; i++) {
        const struct verify_decision *decision = &found->decisions[i];
        str_add(out, i == 0 ? "first difference\n" : i == 1 ? "further differences\n" : "");
        print_place(&decision->place, out);
        add_fact("recorded", &decision->recorded, out);
        add_fact("this build", &decision->made, out);
        if (decision->changes.len > 0)
            add_fact("differs in", &decision->changes, out);
        add_fact("decided on", &decision->cause, out);
    }
    if (found->decision_count > SHOWN_MAX)
        str_addf(out, "  and %d more, which --json lists\n", found->decision_count - SHOWN_MAX);
}

static void print_verdicts(const struct verify_found *found, struct str *out)
{
    static const char *const by[] = {
        [VERIFY_RECORDED] = "with the run's rules",
        [VERIFY_PRESENT] = "with the current rules",
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
        int64_t shown = 0;
        for (size_t i = 0; i < found->opinion_count && shown < SHOWN_MAX; i++) {
            const struct verify_opinion *opinion = &found->opinions[i];
            if (opinion->rules != rules)
                continue;
            print_place(&opinion->place, out);
            str_addf(out, "    recorded    %s\n    %s  %s\n", opinion->was.data,
                     rules == VERIFY_RECORDED ? "recomputed" : "this build", opinion->is.data);
            shown++;
        }
        if (sum->different[rules] > shown)
            str_addf(out, "  and %lld more, which --json lists\n",
                     (long long)(sum->different[rules] - shown));
    }
}

/* A line with a count. The heading is printed before the first nonzero one. */
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

/* Lists the decisions and verdicts that were not compared. */
static void add_left_out(const struct verify_sum *sum, struct str *out)
{
    const struct redecide_sum *decisions = &sum->decisions;
    const struct verify_verdicts *verdicts = &sum->verdicts;
    const struct line lines[] = {
        {decisions->unknown, "event of a kind unknown to this build",
         "events of kinds unknown to this build"},
        {decisions->lost, "decision on an action that is no longer in the log",
         "decisions on actions that are no longer in the log"},
        {decisions->unseen, "decision after too many differences",
         "decisions after too many differences"},
        {decisions->cut_off, "point where devs had not recorded all of its decisions",
         "points where devs had not recorded all of its decisions"},
        {verdicts->cut, "verdict: the end of the output is not in the log",
         "verdicts: the end of the output is not in the log"},
        {verdicts->seen, "verdict that devs based on files on disk",
         "verdicts that devs based on files on disk"},
        {verdicts->unread, "verdict without output, made when the run was resumed",
         "verdicts without output, made when the run was resumed"},
        {verdicts->unruled, "verdict without rules: devs did not start that agent",
         "verdicts without rules: devs did not start these agents"},
        {verdicts->prints_left, "fingerprint: its output is an agent's, or incomplete",
         "fingerprints: their outputs are agents', or incomplete"},
        {verdicts->contracts, "output checked against a contract: it is incomplete",
         "outputs checked against contracts: they are incomplete"},
    };
    add_lines("left out", lines, ARRAY_LEN(lines), out);
}

/* Appends the report for people, on several lines. */
static void verify_found_text(const struct verify_found *found, struct str *out)
{
    const struct redecide_sum *decisions = &found->sum.decisions;
    const struct verify_verdicts *verdicts = &found->sum.verdicts;
    const struct line taken[] = {
        {decisions->facts, "fact", "facts"},
        {decisions->acts, "action by a person", "actions by people"},
        {decisions->calls, "digest of a call: its environment is not in the log",
         "digests of calls: their environments are not in the log"},
        {decisions->prompts, "prompt text", "prompt texts"},
    };
    print_decisions(found, out);
    print_verdicts(found, out);
    if (verdicts->prints != 0) {
        str_addf(out, "results    %lld of %lld have the same fingerprint",
                 (long long)(verdicts->prints - verdicts->other_prints),
                 (long long)verdicts->prints);
        if (verdicts->first_print > 0)
            str_addf(out, "; first difference: #%lld", (long long)verdicts->first_print);
        str_add_char(out, '\n');
    }
    add_lines("as logged", taken, ARRAY_LEN(taken), out);
    add_left_out(&found->sum, out);
}

struct member {
    const char *key;
    int64_t value;
};

static void write_members(const struct member *members, size_t count, struct str *out)
{
    for (size_t i = 0; i < count; i++)
        str_json_i64(out, members[i].key, members[i].value);
}

static void write_place(const struct verify_place *place, struct str *out)
{
    str_json_i64(out, "seq", place->seq);
    str_json_i64(out, "at_ms", place->at_ms);
    if (place->task[0] == '\0')
        return;
    str_json_text(out, "task", place->task);
    str_json_i64(out, "step", place->step + 1);
    str_json_i64(out, "attempt", place->attempt);
}

static void write_event(const char *key, const struct str *event, struct str *out)
{
    str_json_key(out, key);
    str_add(out, event->len > 0 ? event->data : "null");
}

static void write_decisions(const struct verify_found *found, struct str *out)
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
    write_members(members, ARRAY_LEN(members), out);
    str_json_key(out, "differences");
    str_add_char(out, '[');
    for (int i = 0; i < found->decision_count; i++) {
        const struct verify_decision *decision = &found->decisions[i];
        str_add(out, i > 0 ? ",{" : "{");
        write_place(&decision->place, out);
        str_json_text(out, "on", str_text(&decision->cause));
        str_json_text(out, "changes", str_text(&decision->changes));
        str_json_text(out, "was", str_text(&decision->recorded));
        str_json_text(out, "is", str_text(&decision->made));
        write_event("recorded", &decision->recorded_json, out);
        write_event("made", &decision->made_json, out);
        str_add_char(out, '}');
    }
    str_add(out, "]}");
}

static const char *const rules_words[] = {
    [VERIFY_RULES_NONE] = "none",
    [VERIFY_RULES_UNREADABLE] = "unreadable",
    [VERIFY_RULES_THERE] = "recorded",
};

static void write_verdicts(const struct verify_found *found, struct str *out)
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
    write_members(members, ARRAY_LEN(members), out);
    str_json_key(out, "differences");
    str_add_char(out, '[');
    for (size_t i = 0; i < found->opinion_count; i++) {
        const struct verify_opinion *opinion = &found->opinions[i];
        str_add(out, i > 0 ? ",{" : "{");
        write_place(&opinion->place, out);
        str_json_text(out, "rules", opinion->rules == VERIFY_RECORDED ? "run" : "today");
        str_json_text(out, "was", str_text(&opinion->was));
        str_json_text(out, "is", str_text(&opinion->is));
        str_add_char(out, '}');
    }
    str_add(out, "]}");
}

static void show_progress(void *progress, int64_t done, int64_t total)
{
    progress_say(progress, "deciding", done, total);
}

/* Prints the report of a run. If several runs are checked, unchanged runs get a single line. */
static void print_report(const struct verify_found *found, bool json, bool is_one)
{
    const struct redecide_sum *decisions = &found->sum.decisions;
    const struct verify_verdicts *verdicts = &found->sum.verdicts;
    const bool differs = verify_found_differs(found);
    struct str out = {0};
    if (json) {
        str_add_char(&out, '{');
        str_json_i64(&out, "v", 1);
        str_json_i64(&out, "run", found->run);
        str_json_bool(&out, "same", !differs);
        write_decisions(found, &out);
        write_verdicts(found, &out);
        str_add(&out, "}\n");
        say_json(out.data);
    } else if (is_one || differs) {
        str_addf(&out, "run #%lld, recomputed\n", (long long)found->run);
        verify_found_text(found, &out);
        say(out.data);
    } else {
        str_addf(&out, "run #%lld: %lld of %lld decisions and %lld of %lld verdicts the same\n",
                 (long long)found->run, (long long)decisions->same, (long long)decisions->decisions,
                 (long long)(verdicts->judged - verdicts->different[VERIFY_RECORDED]),
                 (long long)verdicts->judged);
        say(out.data);
    }
    str_done(&out);
}

/* Options of the verification. Everything is borrowed. */
struct examination {
    const struct debug_call *call;
    struct log_reader *reader;
    const char *rules;
    bool is_one;
};

static bool verify_one(const struct examination *how, int64_t run, int *code, struct err *err)
{
    struct verify_found *found = xcalloc(1, sizeof(*found));
    struct progress progress = progress_new();
    const struct verify_asked asked = {.reader = how->reader,
                                       .run = run,
                                       .rules = how->rules,
                                       .differs = verify_found_decision,
                                       .verdict = verify_found_verdict,
                                       .progress = show_progress,
                                       .ctx = found,
                                       .progress_ctx = &progress};
    found->run = run;
    found->asks_rules = how->call->words->rules;
    const bool ok = verify_run(&asked, &found->sum, err);
    progress_done(&progress);
    if (ok)
        print_report(found, how->call->words->json, how->is_one);
    if (ok && verify_found_differs(found))
        *code = EXIT_WOULD_CHANGE;
    verify_found_done(found);
    free(found);
    return ok;
}

int debug_verify(const struct debug_call *call)
{
    char dir[PATH_MAX];
    struct config config;
    struct run_choice choice = {0};
    struct err err = {0};
    if (!getcwd(dir, sizeof(dir)))
        return fail_usage(NULL, "this folder no longer exists");
    int code = config_read(dir, CONFIG_LOOKS, &config);
    if (code != EXIT_ALL_PASSED)
        return code;
    struct examination how = {.call = call, .rules = config.settings.rules};
    bool ok = run_choice_find(call->globals, call->operands, call->operand_count, &how.reader,
                              &choice, &err);
    how.is_one = choice.count == 1;
    for (size_t i = 0; ok && i < choice.count; i++)
        ok = verify_one(&how, choice.runs[i], &code, &err);
    run_choice_done(&choice);
    log_reader_close(how.reader);
    config_done(&config);
    return ok ? code : fail(&err);
}

void debug_runs_help(void)
{
    (void)puts("\nRUN is 41, 38-41, last, all, or the file of a log. The default is the\n"
               "newest run.");
}

int cmd_verify(struct globals *globals, int argc, char **argv)
{
    struct debug_words words = {.verify = true};
    const struct option_spec specs[] = {
        {"rules", 0, NULL, "exit with 3 also if the current rules give different verdicts",
         &words.rules, NULL},
        {"json", 0, NULL, "print a JSON object for each run, with every difference", &words.json,
         NULL},
    };
    struct command_line line = {.specs = specs,
                                .spec_count = ARRAY_LEN(specs),
                                .max_operands = -1,
                                .print_more = debug_runs_help};
    const int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    const struct debug_call call = {.globals = globals,
                                    .words = &words,
                                    .name = "verify",
                                    .operands = argv,
                                    .operand_count = line.operands};
    return debug_verify(&call);
}
