/* debug_diff.c - devs debug --diff: two attempts side by side, or two runs. */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "appearance.h"
#include "clock.h"
#include "compare.h"
#include "debug_mode.h"
#include "fail.h"
#include "fingerprint.h"
#include "follower.h"
#include "show.h"
#include "shown.h"
#include "target.h"
#include "xalloc.h"

enum {
    SIDES = 2,
    TASKS_SHOWN_MAX = 200, /* listed at most; --json has all tasks */
    LABEL_COLUMNS = 10,
    SIDE_COLUMNS = 34,
};

/* The sign of a task that exists only on this side. */
static const char side_signs[SIDES] = {'-', '+'};

struct side {
    struct follower *follower; /* owned */
    const struct log_run_info *info;
    const struct run_state *state;
    bool orphaned;
};

/* A task that is in one or both runs; -1 = missing. */
struct pair {
    const char *id;
    int task[SIDES];
};

struct diffing {
    struct side sides[SIDES];
    const char *none; /* shown for a task that one run does not have */
    int id_columns;
    int64_t same, other; /* tasks in both runs: with the same result, and with a different one */
    int64_t only[SIDES];
    int64_t listed;
    struct str lines; /* owned: the tasks that differ, as text or as JSON */
};

static bool open_side(const struct place *place, const char *word, struct side *out,
                      struct err *err)
{
    int64_t run = 0;
    if (!target_parse_run(word, "use devs debug --diff 40 41, or 40 last", &run, err) ||
        !follower_open(&out->follower, place, run, err) ||
        !follower_read(out->follower, 0, NULL, NULL, NULL, err))
        return false;
    out->info = follower_run(out->follower);
    out->state = follower_state(out->follower);
    out->orphaned = follower_is_orphaned(out->follower);
    return true;
}

static void add_json_end(const struct side *side, int task, const struct rows *rows,
                         const char *key, struct str *out)
{
    str_json_key(out, key);
    if (task < 0) {
        str_add(out, "null");
        return;
    }
    str_add_char(out, '{');
    str_json_text(out, "status", rows_value(rows, "state"));
    str_json_text(out, "class", rows_value(rows, "news"));
    str_json_i64(out, "tries", shown_attempts(side->state, task));
    str_add_char(out, '}');
}

static void look_at(struct diffing *diffing, const struct pair *pair, bool json)
{
    struct str ends[SIDES] = {{0}, {0}};
    struct rows rows[SIDES] = {{0}, {0}};
    for (int i = 0; i < SIDES; i++) {
        const struct side *side = &diffing->sides[i];
        const struct shown_look look = {
            .time = {.now = side->state->heard, .clock = clock_short, .hms = clock_hms},
            .orphaned = side->orphaned};
        const int task = pair->task[i];
        if (task < 0) {
            str_add(&ends[i], diffing->none);
            continue;
        }
        /* "gave-up test-fail, 6 tries" */
        rows_task(&rows[i], side->state, task, &look);
        const char *class = rows_value(&rows[i], "news");
        str_addf(&ends[i], "%s%s%s, ", rows_value(&rows[i], "state"), *class != '\0' ? " " : "",
                 class);
        shown_count(shown_attempts(side->state, task), "try", "tries", &ends[i]);
    }
    const bool is_in_both = pair->task[0] >= 0 && pair->task[1] >= 0;
    const bool is_same = strcmp(str_text(&ends[0]), str_text(&ends[1])) == 0;
    diffing->same += is_in_both && is_same;
    diffing->other += is_in_both && !is_same;
    diffing->only[0] += pair->task[1] < 0;
    diffing->only[1] += pair->task[0] < 0;
    if (!is_same && json) {
        str_add(&diffing->lines, diffing->lines.len > 0 ? ",{" : "{");
        str_json_text(&diffing->lines, "task", pair->id);
        add_json_end(&diffing->sides[0], pair->task[0], &rows[0], "first", &diffing->lines);
        add_json_end(&diffing->sides[1], pair->task[1], &rows[1], "second", &diffing->lines);
        str_add_char(&diffing->lines, '}');
    } else if (!is_same && diffing->listed < TASKS_SHOWN_MAX) {
        const char sign = is_in_both ? ' ' : side_signs[pair->task[0] >= 0 ? 0 : 1];
        str_addf(&diffing->lines, "%c ", sign);
        columns_add(&diffing->lines, pair->id, diffing->id_columns + 1);
        columns_add(&diffing->lines, str_text(&ends[0]), SIDE_COLUMNS - 4);
        str_addf(&diffing->lines, "%s\n", str_text(&ends[1]));
    }
    diffing->listed += !is_same;
    for (int i = 0; i < SIDES; i++) {
        str_done(&ends[i]);
        rows_done(&rows[i]);
    }
}

/* Compares the tasks of the first run, then the tasks that exist only in the second run. */
static void look_at_all(struct diffing *diffing, bool json)
{
    const struct plan *first = diffing->sides[0].state->plan;
    const struct plan *second = diffing->sides[1].state->plan;
    for (int i = 0; i < first->task_count; i++)
        columns_widen(&diffing->id_columns, first->tasks[i].id);
    for (int i = 0; i < second->task_count; i++)
        columns_widen(&diffing->id_columns, second->tasks[i].id);
    for (int i = 0; i < first->task_count; i++) {
        const char *id = first->tasks[i].id;
        look_at(diffing, &(struct pair){id, {i, plan_find(second, id)}}, json);
    }
    for (int i = 0; i < second->task_count; i++) {
        const char *id = second->tasks[i].id;
        if (plan_find(first, id) < 0)
            look_at(diffing, &(struct pair){id, {-1, i}}, json);
    }
}

/* Appends a line for each row, except rows that are marked as unimportant in both runs. */
static void add_head(const struct diffing *diffing, struct str *out)
{
    enum { FIRST_ROW = 2 }; /* after the number and the name, which share a line */
    const struct shown_time time = {.date = clock_date};
    struct rows rows[SIDES] = {{0}, {0}};
    struct str names[SIDES] = {{0}, {0}};
    for (int i = 0; i < SIDES; i++) {
        const struct run_facts facts = run_facts_of(diffing->sides[i].info);
        rows_run(&rows[i], &facts, &time);
        str_addf(&names[i], "%s %s", rows_value(&rows[i], "run"), rows_value(&rows[i], "name"));
    }
    columns_add(out, "", LABEL_COLUMNS);
    columns_add(out, str_text(&names[0]), SIDE_COLUMNS);
    str_addf(out, "%s\n", str_text(&names[1]));
    for (size_t i = FIRST_ROW; i < rows[0].count; i++) {
        const struct row *first = &rows[0].items[i], *second = &rows[1].items[i];
        if (first->style == ROW_ASIDE && second->style == ROW_ASIDE)
            continue;
        columns_add(out, first->label, LABEL_COLUMNS);
        columns_add(out, str_text(&first->value), SIDE_COLUMNS);
        str_addf(out, "%s\n", str_text(&second->value));
    }
    for (int i = 0; i < SIDES; i++) {
        str_done(&names[i]);
        rows_done(&rows[i]);
    }
}

/* Appends the number of tasks in both runs, how many of these ended the same, and the number of
 * tasks in only one run, with its sign. */
static void add_sum(const struct diffing *diffing, struct str *out)
{
    const int64_t both = diffing->same + diffing->other;
    str_add(out, "in both runs: ");
    shown_count(both, "task", "tasks", out);
    if (both > 0 && diffing->other == 0)
        str_add(out, ", each");
    else if (both > 0)
        str_addf(out, ", %" PRId64 " of them", diffing->same);
    str_add(out, both > 0 ? " with the same state, class and number of tries\n" : "\n");
    for (int i = 0; i < SIDES; i++) {
        if (diffing->only[i] == 0)
            continue;
        str_addf(out, "only in #%" PRId64 " (%c): ", diffing->sides[i].info->number, side_signs[i]);
        shown_count(diffing->only[i], "task", "tasks", out);
        str_add_char(out, '\n');
    }
}

static void add_json_side(const struct side *side, const char *key, struct str *out)
{
    const struct log_run_info *info = side->info;
    str_json_key(out, key);
    str_add_char(out, '{');
    str_json_i64(out, "run", info->number);
    str_json_text(out, "name", info->name);
    str_json_i64(out, "started_at_ms", info->started_at_ms);
    if (info->ended_at_ms != 0)
        str_json_i64(out, "ended_at_ms", info->ended_at_ms);
    str_json_i64(out, "tasks", info->tasks);
    str_json_i64(out, "passed", info->passed);
    str_json_i64(out, "failed", info->failed);
    str_json_i64(out, "cancelled", info->cancelled);
    str_json_i64(out, "attempts", info->attempts);
    str_json_i64(out, "waited_ms", info->waited_ms);
    str_add_char(out, '}');
}

/* Compares the results of two runs, and each task that ended differently or exists in only one run,
 * in the order of the first plan. Returns the exit code; errors are printed. */
static int diff_runs(const struct debug_call *call)
{
    struct err err = {0};
    struct place place;
    struct str out = {0};
    struct diffing diffing = {.none = appearance_print_ascii(call->globals) ? "-" : "—"};
    const bool ok = find_log(call->globals->db, false, &place, &err) &&
                    open_side(&place, call->operands[0], &diffing.sides[0], &err) &&
                    open_side(&place, call->operands[1], &diffing.sides[1], &err);
    if (ok) {
        look_at_all(&diffing, call->words->json);
        if (call->words->json) {
            str_add_char(&out, '{');
            str_json_i64(&out, "v", 1);
            add_json_side(&diffing.sides[0], "first", &out);
            add_json_side(&diffing.sides[1], "second", &out);
            str_json_i64(&out, "same", diffing.same);
            str_json_i64(&out, "different", diffing.other);
            str_json_key(&out, "tasks");
            str_addf(&out, "[%s]}\n", str_text(&diffing.lines));
            say_json(str_text(&out));
        } else {
            add_head(&diffing, &out);
            str_add_char(&out, '\n');
            add_sum(&diffing, &out);
            if (diffing.listed > 0)
                str_addf(&out, "\n%s", str_text(&diffing.lines));
            if (diffing.listed > TASKS_SHOWN_MAX)
                str_addf(&out, "  and %" PRId64 " more: --json lists all\n",
                         diffing.listed - TASKS_SHOWN_MAX);
            say(str_text(&out));
        }
    }
    str_done(&out);
    str_done(&diffing.lines);
    for (int i = 0; i < SIDES; i++)
        follower_close(diffing.sides[i].follower);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}

static void next_item(struct str *out)
{
    if (out->data[out->len - 1] != '[')
        str_add_char(out, ',');
}

static void add_paths(const struct compare_side *side, struct str *out)
{
    str_json_key(out, "paths");
    str_add_char(out, '[');
    for (size_t i = 0; i < side->path_count; i++) {
        const struct compare_path *path = &side->paths[i];
        const char letter[] = {path->letter, '\0'};
        next_item(out);
        str_add_char(out, '{');
        str_json_text(out, "change", letter);
        str_json_text(out, "path", path->path);
        if (path->added >= 0)
            str_json_i64(out, "added", path->added);
        if (path->removed >= 0)
            str_json_i64(out, "removed", path->removed);
        str_add_char(out, '}');
    }
    str_add_char(out, ']');
}

static void add_side(const struct compare_side *side, const char *key, struct str *out)
{
    char hex[DIGEST_HEX_MAX];
    str_json_key(out, key);
    str_add_char(out, '{');
    str_json_i64(out, "run", side->key.run);
    str_json_text(out, "name", str_text(&side->name));
    str_json_i64(out, "step", side->key.step + 1);
    str_json_i64(out, "attempt", side->key.attempt);
    str_json_bool(out, "passed", side->passed);
    if (digest_is_known(side->fingerprint)) {
        digest_to_hex(side->fingerprint, hex);
        str_json_text(out, "fingerprint", hex);
    }
    str_json_key(out, "facts");
    str_add_char(out, '{');
    rows_json(&side->facts, out);
    str_add_char(out, '}');
    if (side->paths_known)
        add_paths(side, out);
    str_add_char(out, '}');
}

static void add_change(const struct compare_lines *lines, size_t at, size_t count, const char *key,
                       struct str *out)
{
    for (size_t i = 0; i < count; i++) {
        next_item(out);
        str_add_char(out, '{');
        str_json_i64(out, "line", (int64_t)(at + i + 1));
        str_json_key(out, key);
        str_add_json(out, str_text(&lines->bytes) + lines->items[at + i].start,
                     lines->items[at + i].len);
        str_add_char(out, '}');
    }
}

static void add_text(const struct compare *compare, enum compare_text text, struct str *out)
{
    const struct line_diff *diff = &compare->diffs[text];
    const struct compare_lines *first = &compare->sides[COMPARE_FIRST].texts[text];
    const struct compare_lines *second = &compare->sides[COMPARE_SECOND].texts[text];
    str_json_key(out, compare_text_name(text));
    str_add_char(out, '{');
    str_json_i64(out, "same", (int64_t)diff->same);
    str_json_i64(out, "removed", (int64_t)diff->removed);
    str_json_i64(out, "added", (int64_t)diff->added);
    str_json_bool(out, "complete", !diff->is_cut && !first->is_cut && !second->is_cut);
    str_json_key(out, "changes");
    str_add_char(out, '[');
    for (size_t i = 0; i < diff->count; i++) {
        const struct line_diff_span *span = &diff->spans[i];
        if (span->change == LINE_REMOVED)
            add_change(first, span->first, span->count, "removed", out);
        else if (span->change == LINE_ADDED)
            add_change(second, span->second, span->count, "added", out);
    }
    str_add(out, "]}");
}

/* Appends one object, {"v":1,...}, and a line feed. */
static void diff_json(const struct compare *compare, struct str *out)
{
    const struct compare_side *sides = compare->sides;
    str_add_char(out, '{');
    str_json_i64(out, "v", 1);
    add_side(&sides[COMPARE_FIRST], "first", out);
    add_side(&sides[COMPARE_SECOND], "second", out);
    str_json_bool(
        out, "same_result",
        digest_is_same(sides[COMPARE_FIRST].fingerprint, sides[COMPARE_SECOND].fingerprint));
    str_json_i64(out, "new_lines", (int64_t)compare->fresh);
    str_json_i64(out, "lines", (int64_t)compare->second_lines);
    unsigned masks = 0; /* masks used on either side */
    for (int side = 0; side < COMPARE_SIDES; side++) {
        for (int text = 0; text < COMPARE_TEXT_COUNT; text++)
            masks |= sides[side].texts[text].masks;
    }
    str_json_key(out, "masked");
    str_add_char(out, '[');
    for (int mask = 0; mask < NORMALISER_MASK_COUNT; mask++) {
        if ((masks & 1U << mask) == 0)
            continue;
        next_item(out);
        str_addf(out, "\"%s\"", normaliser_mask_words((enum normaliser_mask)mask));
    }
    str_add_char(out, ']');
    for (int text = 0; text < COMPARE_TEXT_COUNT; text++)
        add_text(compare, (enum compare_text)text, out);
    str_add(out, "}\n");
}

enum { NUMBER_MAX = 16, WORD_MAX = PLAN_ID_MAX + 64 };

/* An attempt as named on the command line. */
struct named {
    char target[WORD_MAX];   /* "41/tax" */
    char number[NUMBER_MAX]; /* number of the attempt; "" = not given */
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
        return err_set(err, ERR_INVALID, "'%s' does not name a try", word);
    memcpy(out->target, word, len);
    if (has_number)
        (void)snprintf(out->number, sizeof(out->number), "%s", mark + 1);
    return true;
}

/* Parses "#3" or "3": an attempt of the same task. */
static bool parse_second(const char *word, const struct named *first, struct named *out,
                         struct err *err)
{
    const char *digits = word[0] == '#' ? word + 1 : word;
    if (!is_digits(digits))
        return parse_named(word, out, err);
    if (strlen(digits) >= sizeof(out->number))
        return err_set(err, ERR_INVALID, "'%s' is not a try", word);
    *out = *first;
    (void)snprintf(out->number, sizeof(out->number), "%s", digits);
    return true;
}

/* An attempt and its run. */
struct found {
    struct follower *follower; /* owned */
    struct compare_subject subject;
};

static bool find_attempts(const struct debug_call *call, const struct place *place,
                          const struct named *named, struct found *out, struct err *err)
{
    struct target target;
    struct attempt_pick pick;
    int task = 0;
    if (!target_parse_task(named->target, "use devs debug --diff RUN/TASK#1 3", &target, err))
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
        return err_set(err, ERR_INVALID, "'%s' has not been tried yet", named->target);
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

static bool find_both(const struct debug_call *call, struct found found[COMPARE_SIDES],
                      struct err *err)
{
    struct named first = {0};
    struct named second = {0};
    struct place place;
    if (call->operand_count == 1 && target_names_run(call->operands[0])) {
        (void)err_set(err, ERR_INVALID, "'%s' is a run: missing the other run, or a task",
                      call->operands[0]);
        return err_hint(err, "use devs debug --diff %s RUN, or %s/TASK", call->operands[0],
                        call->operands[0]);
    }
    if (!parse_named(call->operands[0], &first, err) ||
        !find_log(call->globals->db, false, &place, err))
        return false;
    if (call->operand_count == 1 && first.number[0] != '\0') {
        (void)err_set(err, ERR_INVALID, "'%s' is a single try: missing the other one",
                      call->operands[0]);
        return err_hint(
            err, "use devs debug --diff %s 3 (to a shell, a word that begins with # is a comment)",
            call->operands[0]);
    }
    if (call->operand_count == 1) { /* compare with the previous try of this step */
        if (!find_attempts(call, &place, &first, &found[COMPARE_SECOND], err))
            return false;
        found[COMPARE_FIRST] = (struct found){.subject = found[COMPARE_SECOND].subject};
        if (found[COMPARE_FIRST].subject.key.attempt < 2) {
            (void)err_set(err, ERR_INVALID, "try 1 has no previous try to compare with");
            return err_hint(err, "devs debug --diff RUN/TASK#1 RUN/TASK#2 compares any two");
        }
        found[COMPARE_FIRST].subject.key.attempt--;
        return true;
    }
    return parse_second(call->operands[1], &first, &second, err) &&
           find_attempts(call, &place, &first, &found[COMPARE_FIRST], err) &&
           find_attempts(call, &place, &second, &found[COMPARE_SECOND], err);
}

int debug_diff(const struct debug_call *call)
{
    struct err err = {0};
    struct found found[COMPARE_SIDES] = {0};
    bool are_runs = call->operand_count == SIDES; /* neither word names a task or a try */
    for (int i = 0; i < call->operand_count && are_runs; i++)
        are_runs = target_names_run(call->operands[i]);
    if (are_runs)
        return diff_runs(call);
    struct compare *compare = xcalloc(1, sizeof(*compare));
    bool ok = find_both(call, found, &err);
    if (ok) {
        const struct compare_subject subjects[COMPARE_SIDES] = {found[COMPARE_FIRST].subject,
                                                                found[COMPARE_SECOND].subject};
        ok = compare_read(compare, subjects, &err);
    }
    if (ok && call->words->json) {
        struct str text = {0};
        diff_json(compare, &text);
        say_json(str_text(&text));
        str_done(&text);
    } else if (ok) {
        const struct compare_look look = {.columns = appearance_print_columns(),
                                          .ascii = appearance_print_ascii(call->globals)};
        struct report_rows rows = {0};
        compare_lay(compare, &look, &rows);
        (void)fputs(str_text(&rows.text), stdout); /* the text was cleaned line by line */
        report_rows_done(&rows);
    }
    compare_done(compare);
    free(compare);
    for (int i = 0; i < COMPARE_SIDES; i++)
        follower_close(found[i].follower);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}
