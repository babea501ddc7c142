#include "diff_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "diff_json.h"
#include "diff_runs.h"
#include "exit_code.h"
#include "fail.h"
#include "find_log.h"
#include "follower.h"
#include "looks.h"
#include "target.h"
#include "xalloc.h"

enum { NUMBER_MAX = 16, WORD_MAX = PLAN_ID_MAX + 64 };

/* One attempt as it is named. */
struct named {
    char target[WORD_MAX];   /* "41/tax" */
    char number[NUMBER_MAX]; /* of the attempt; "" = not said */
};

static bool is_digits(const char *word)
{
    return *word != '\0' && word[strspn(word, "0123456789")] == '\0';
}

static bool parse_named(const char *word, struct named *out, struct err *err)
{
    const char *mark = strrchr(word, '#');
    const bool has_number = mark && mark > word && is_digits(mark + 1);
    const size_t len = has_number ? (size_t)(mark - word) : strlen(word);
    *out = (struct named){0};
    if (len >= sizeof(out->target) || (has_number && strlen(mark + 1) >= sizeof(out->number)))
        return err_set(err, ERR_INVALID, "'%s' names no try", word);
    memcpy(out->target, word, len);
    if (has_number)
        (void)snprintf(out->number, sizeof(out->number), "%s", mark + 1);
    return true;
}

/* "#3", or "3": of the same task. */
static bool parse_second(const char *word, const struct named *first, struct named *out,
                         struct err *err)
{
    const char *digits = word[0] == '#' ? word + 1 : word;
    if (!is_digits(digits))
        return parse_named(word, out, err);
    if (strlen(digits) >= sizeof(out->number))
        return err_set(err, ERR_INVALID, "'%s' is no try", word);
    *out = *first;
    (void)snprintf(out->number, sizeof(out->number), "%s", digits);
    return true;
}

/* An attempt, and the run that it is of. */
struct found {
    struct follower *follower; /* owned */
    struct compare_subject subject;
};

static bool find(const struct debug_call *call, const struct place *place,
                 const struct named *named, struct found *out, struct err *err)
{
    struct target target;
    struct attempt_pick pick;
    int task = 0;
    if (!target_parse_task(named->target, "devs debug --diff RUN/TASK#1 3", &target, err))
        return false;
    const struct attempt_words words = {.step = call->words->attempt.step,
                                        .try = named->number[0] != '\0' ? named->number : NULL};
    if (!target_follow(&target, place, &out->follower, err) ||
        !follower_read(out->follower, 0, NULL, NULL, NULL, err))
        return false;
    const struct run_state *state = follower_state(out->follower);
    if (!target_task(&target, state->plan, &task, err) ||
        !attempt_pick(state, task, &words, &pick, err))
        return false;
    if (pick.attempt == 0)
        return err_set(err, ERR_INVALID, "'%s' has had no try yet", named->target);
    out->subject = (struct compare_subject){
        .state = state,
        .reader = follower_reader(out->follower),
        .key = {.run = target.run,
                .task = pick.task,
                .step = pick.step,
                .attempt = pick.attempt,
                .readable = true},
    };
    return true;
}

/* The one before it, of the same step. */
static bool find_before(const struct found *of, struct found *out, struct err *err)
{
    *out = (struct found){.subject = of->subject};
    if (of->subject.key.attempt < 2) {
        (void)err_set(err, ERR_INVALID, "there is no try before try 1 to compare it with");
        return err_hint(err, "devs debug --diff RUN/TASK#1 RUN/TASK#2 compares any two");
    }
    out->subject.key.attempt--;
    return true;
}

static bool find_both(const struct debug_call *call, struct found found[COMPARE_SIDES],
                      struct err *err)
{
    struct named first = {0};
    struct named second = {0};
    struct place place;
    if (call->operand_count == 1 && target_names_run(call->operands[0])) {
        (void)err_set(err, ERR_INVALID, "'%s' is a run: with which other one, or of which task?",
                      call->operands[0]);
        return err_hint(err, "devs debug --diff %s RUN, or %s/TASK", call->operands[0],
                        call->operands[0]);
    }
    if (!parse_named(call->operands[0], &first, err) ||
        !find_log(call->globals->db, false, &place, err))
        return false;
    if (call->operand_count == 1 && first.number[0] != '\0') {
        (void)err_set(err, ERR_INVALID, "'%s' is one try: with which other one?",
                      call->operands[0]);
        return err_hint(err,
                        "devs debug --diff %s 3 (a shell takes a word that begins with # for a "
                        "comment)",
                        call->operands[0]);
    }
    if (call->operand_count == 1)
        return find(call, &place, &first, &found[COMPARE_SECOND], err) &&
               find_before(&found[COMPARE_SECOND], &found[COMPARE_FIRST], err);
    return parse_second(call->operands[1], &first, &second, err) &&
           find(call, &place, &first, &found[COMPARE_FIRST], err) &&
           find(call, &place, &second, &found[COMPARE_SECOND], err);
}

static void print(const struct compare *compare, const struct globals *globals, bool json)
{
    struct str text = {0};
    struct report_rows rows = {0};
    const struct compare_look look = {.columns = looks_print_columns(),
                                      .ascii = looks_print_ascii(globals)};
    if (json) {
        diff_json(compare, &text);
        say_json(str_text(&text));
    } else {
        compare_lay(compare, &look, &rows);
        (void)fputs(str_text(&rows.text), stdout); /* cleaned line by line */
    }
    report_rows_done(&rows);
    str_done(&text);
}

int diff_run(const struct debug_call *call)
{
    struct err err = {0};
    struct found found[COMPARE_SIDES] = {0};
    if (diff_runs_are_meant(call->operands, (size_t)call->operand_count))
        return diff_runs(call);
    struct compare *compare = xcalloc(1, sizeof(*compare));
    bool ok = find_both(call, found, &err);
    if (ok) {
        const struct compare_subject subjects[COMPARE_SIDES] = {found[COMPARE_FIRST].subject,
                                                                found[COMPARE_SECOND].subject};
        ok = compare_read(compare, subjects, &err);
    }
    if (ok)
        print(compare, call->globals, call->words->json);
    compare_done(compare);
    free(compare);
    for (int i = 0; i < COMPARE_SIDES; i++)
        follower_close(found[i].follower);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}
