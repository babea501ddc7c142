/* compare.c - reads two attempts and compares them.
 *
 * The output is read line by line and normalized as for fingerprints, so that lines with different
 * times count as equal. Facts may contain untrusted text, so they are cleaned; each fact is one
 * line. */
#include "compare.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "clock.h"
#include "content_internal.h"
#include "event_lines.h"
#include "fingerprint.h"
#include "json.h"
#include "protocol.h"
#include "run_state.h"
#include "shown.h"
#include "text.h"
#include "xalloc.h"

/* The streams of an attempt while they are being read. */
struct reading {
    struct compare_lines *lines[LOG_STREAM_COUNT + 1];    /* borrowed; by stream */
    struct normaliser *normalisers[LOG_STREAM_COUNT + 1]; /* owned */
    int64_t next[LOG_STREAM_COUNT + 1]; /* stream offset of the next expected byte */
};

static const enum compare_text text_of[] = {
    [LOG_STREAM_OUT] = COMPARE_OUT,
    [LOG_STREAM_ERR] = COMPARE_ERR,
    [LOG_STREAM_AGENT] = COMPARE_WORDS,
};
static_assert(ARRAY_LEN(text_of) == LOG_STREAM_COUNT + 1, "every stream is compared");

static void add_line(struct compare_lines *lines, const char *bytes, size_t len, unsigned masked)
{
    if (lines->count == LINE_DIFF_LINES_MAX || lines->bytes.len >= COMPARE_BYTES_MAX) {
        lines->is_cut = true;
        return;
    }
    const size_t start = lines->bytes.len;
    text_clean(&lines->bytes, bytes, len);
    lines->items = xgrow(lines->items, &lines->cap, lines->count + 1, sizeof(*lines->items));
    lines->digests =
        xgrow(lines->digests, &lines->digest_cap, lines->count + 1, sizeof(*lines->digests));
    lines->items[lines->count] =
        (struct compare_line){.start = start, .len = lines->bytes.len - start};
    lines->digests[lines->count++] = line_digest(bytes, len);
    lines->masks |= masked;
}

static void on_line(void *ctx, const struct normaliser_line *line)
{
    add_line(ctx, line->bytes, line->len, line->masked);
}

/* Adds the new bytes of a row to the lines of its stream. A gap, where the log counted bytes but
 * did not keep them, becomes a fixed line, so that gaps in both attempts count as equal. */
static void take_output_row(struct reading *reading, const struct output_page *page,
                            const struct log_output_row *row)
{
    static const char gap[] = "(more output here was not kept)";
    const int stream = row->stream;
    /* negative: a gap; positive: bytes already seen, because a tail overlaps the head */
    int64_t seen = reading->next[stream] - row->offset;
    const bool is_full = reading->lines[stream]->is_cut; /* the row would not be kept */
    if (is_full || row->replaceable || seen >= (int64_t)row->len)
        return;
    if (seen < 0) {
        normaliser_end(reading->normalisers[stream]);
        add_line(reading->lines[stream], gap, sizeof(gap) - 1, 0);
        seen = 0;
    }
    normaliser_add(reading->normalisers[stream], str_text(&page->text) + row->start + (size_t)seen,
                   row->len - (size_t)seen);
    reading->next[stream] = row->offset + (int64_t)row->len;
}

/* Reads the attempt's output into side->texts, line by line. */
static bool compare_read_output(struct compare_side *side, const struct compare_subject *subject,
                                struct err *err)
{
    struct reading reading = {0};
    const int64_t line_max = subject->state->plan->limits.output_line_bytes;
    for (int stream = LOG_STREAM_OUT; stream <= LOG_STREAM_COUNT; stream++) {
        reading.lines[stream] = &side->texts[text_of[stream]];
        normaliser_open(&reading.normalisers[stream], NULL, on_line, reading.lines[stream]);
        if (line_max > 0)
            normaliser_set_line_max(reading.normalisers[stream], (size_t)line_max);
    }
    struct output_page page = {0};
    int64_t after = 0;
    bool ok, is_full; /* is_full: no stream needs more lines */
    do {
        ok = log_reader_output(subject->reader, &subject->key, after, &page, err);
        for (size_t i = 0; ok && i < page.count; i++) {
            after = page.rows[i].id;
            take_output_row(&reading, &page, &page.rows[i]);
        }
        is_full = true;
        for (int stream = LOG_STREAM_OUT; stream <= LOG_STREAM_COUNT; stream++)
            is_full = is_full && reading.lines[stream]->is_cut;
    } while (ok && page.count > 0 && !is_full);
    output_page_done(&page);
    for (int stream = LOG_STREAM_OUT; stream <= LOG_STREAM_COUNT; stream++) {
        if (ok)
            normaliser_end(reading.normalisers[stream]);
        normaliser_close(reading.normalisers[stream]);
    }
    return ok;
}

/* Adds the decision that followed the attempt. */
static void add_decision(const struct compare_subject *subject, const struct event_page *events,
                         struct rows *facts)
{
    const struct log_output_key *key = &subject->key;
    const struct task_state *task = &subject->state->tasks[key->task];
    const struct step_state *step = &task->steps[key->step];
    const struct event *wait = attempt_events_last(events, EVENT_WAIT_STARTED);
    const struct event *end = attempt_events_last(events, EVENT_STEP_ENDED);
    const struct event *round = attempt_events_last(events, EVENT_ROUND_STARTED);
    struct str *then = rows_add(facts, "then", "then", ROW_PLAIN);
    if (round)
        str_addf(then, "round %d of the agent", round->round_started.round);
    else if (wait)
        rows_wait(facts,
                  &(struct wait_facts){.delay = wait->wait.delay, .is_free = wait->wait.is_free});
    (void)rows_add(facts, "end", "end", ROW_PLAIN);
    if (!end || end->step_ended.decision == DECISION_SUCCEEDED)
        return;
    struct str reason = {0};
    if (step_state_latest(step)->number == key->attempt)
        shown_end(&subject->state->plan->tasks[key->task].steps[key->step], step, &reason);
    rows_end(facts, end->step_ended.decision, str_text(&reason),
             end->step_ended.decision == DECISION_CANCELLED ? task->by : NULL);
    str_done(&reason);
}

/* Adds a changed path with unknown line counts, and returns it. */
static struct compare_path *add_path(struct compare_side *side, char letter, const char *path,
                                     size_t len)
{
    struct compare_path *added = &side->paths[side->path_count++];
    struct str clean = {0};
    text_clean(&clean, path, len);
    *added = (struct compare_path){.letter = ascii_is_upper(letter) ? letter : '?',
                                   .added = -1,
                                   .removed = -1,
                                   .path = xstrdup(str_text(&clean))};
    str_done(&clean);
    return added;
}

/* Adds a path for each line, such as "M src/a.c". `line` may be NULL. */
static void take_lines(struct compare_side *side, const char *line)
{
    while (line && *line && side->path_count < COMPARE_PATHS_MAX) {
        const size_t len = strcspn(line, "\n");
        if (len > 2)
            (void)add_path(side, line[0], line + 2, len - 2);
        line += len + (line[len] == '\n');
    }
}

static void take_paths(struct compare_side *side, const struct json *paths)
{
    for (size_t i = 0; i < json_count(paths) && i < COMPARE_PATHS_MAX; i++) {
        const struct json *item = json_at(paths, i);
        const char *letter = json_text(json_at(item, 0), "?");
        const char *path = json_text(json_at(item, 1), NULL);
        if (!path)
            continue;
        struct compare_path *changed = add_path(side, letter[0], path, strlen(path));
        changed->added = json_i64(json_at(item, 2), -1);
        changed->removed = json_i64(json_at(item, 3), -1);
    }
}

static bool read_changes(struct compare_side *side, const struct compare_subject *subject,
                         const struct attempt_state *attempt, const struct event_page *events,
                         struct err *err)
{
    const struct event *event = attempt_events_last(events, EVENT_WORKSPACE_CHANGED);
    struct str *fact = rows_add(&side->facts, "changed", "changed", ROW_PLAIN);
    struct str text = {0};
    side->paths_known = event != NULL;
    if (!event)
        return true;
    if (!log_reader_changes(subject->reader, &subject->key, &text, err)) {
        str_done(&text);
        return false;
    }
    struct json *capture = attempt_events_parse(text.len > 0 ? text.data : NULL);
    shown_count(attempt->paths_changed, "path", "paths", fact);
    if (attempt->paths_changed > 0)
        str_addf(fact, ", +%ld -%ld", (long)attempt->lines_added, (long)attempt->lines_removed);

    /* The second part of a capture has line counts and a patch; the event only has paths. */
    const bool is_diff = strcmp(json_text(json_get(capture, "kind"), ""), "diff") == 0;
    const bool is_whole = is_diff && json_i64(json_get(capture, "diff_more_bytes"), 0) == 0;
    if (is_diff)
        take_paths(side, json_get(capture, "paths"));
    else
        take_lines(side, event->changes.changed);
    const char *patch = is_whole ? json_text(json_get(capture, "diff"), "") : "";
    while (*patch != '\0') { /* a patch is not normalized, so nothing is masked */
        const size_t len = strcspn(patch, "\n");
        add_line(&side->texts[COMPARE_DIFF], patch, len, 0);
        patch += len + (patch[len] == '\n');
    }
    json_free(capture);
    str_done(&text);
    return true;
}

/* Reads all facts of the attempt, and its changes; compare_read_output() reads the output. */
static bool compare_read_facts(struct compare_side *side, const struct compare_subject *subject,
                               struct err *err)
{
    const struct shown_time time = {.date = clock_date};
    const struct run_state *state = subject->state;
    const struct log_output_key *key = &subject->key;
    const struct plan_task *plan = &state->plan->tasks[key->task];
    const struct attempt_state *attempt =
        step_state_find_attempt(&state->tasks[key->task].steps[key->step], key->attempt);
    struct event_page events = {0};
    str_addf(&side->name, "#%lld/", (long long)key->run);
    text_clean(&side->name, plan->id, strlen(plan->id));
    if (plan->step_count > 1)
        str_addf(&side->name, " step %d", key->step + 1);
    str_addf(&side->name, " try %d of %s", key->attempt, phase_name(plan->steps[key->step].phase));
    side->fingerprint = attempt->fingerprint;
    side->passed =
        attempt->ended.at_ms != 0 && failure_class_of(attempt).label.class == VERDICT_SUCCESS;

    bool ok = attempt_events_read(subject->reader, key, state->last_seq, &events, err);
    if (ok) {
        const struct event *judged = attempt_events_last(&events, EVENT_ATTEMPT_JUDGED);
        const struct event *used = attempt_events_last(&events, EVENT_AGENT_USED);
        struct verdict verdict = verdict_new();
        if (judged)
            verdict_from_record(&judged->judged, &verdict);
        rows_attempt(&side->facts, attempt, &time);
        rows_verdict(&side->facts, &plan->steps[key->step], attempt, judged ? &verdict : NULL,
                     &time);
        rows_hint(&side->facts, attempt);
        rows_attempt_host(&side->facts, state, attempt);
        add_decision(subject, &events, &side->facts);
        struct str *agent = rows_add(&side->facts, "agent", "agent", ROW_PLAIN);
        if (used)
            shown_used(&used->used.used, agent);
        ok = read_changes(side, subject, attempt, &events, err);
    }
    /* Some facts contain untrusted text; a fact must be one line. */
    for (size_t i = 0; i < side->facts.count; i++) {
        struct str *value = &side->facts.items[i].value;
        struct str clean = {0};
        text_clean_line(&clean, str_text(value), value->len);
        str_done(value);
        *value = clean;
    }
    event_page_done(&events);
    return ok;
}

const char *compare_text_name(enum compare_text text)
{
    static const char *const names[] = {
        [COMPARE_OUT] = "out",
        [COMPARE_ERR] = "err",
        [COMPARE_WORDS] = "words",
        [COMPARE_DIFF] = "diff",
    };
    static_assert(ARRAY_LEN(names) == COMPARE_TEXT_COUNT, "every text has its name");
    assert(text < COMPARE_TEXT_COUNT);
    return names[text];
}

static int compare_digests(const void *a, const void *b)
{
    const struct digest *left = a;
    const struct digest *right = b;
    if (left->hi != right->hi)
        return left->hi < right->hi ? -1 : 1;
    return left->lo < right->lo ? -1 : left->lo > right->lo;
}

/* Counts the lines of the second attempt that no stream of the first attempt has. */
static void count_fresh(struct compare *compare)
{
    struct digest *known = NULL; /* all lines of the first attempt */
    size_t count = 0, cap = 0;
    for (int text = 0; text < COMPARE_DIFF; text++) {
        const struct compare_lines *lines = &compare->sides[COMPARE_FIRST].texts[text];
        if (lines->count == 0)
            continue;
        known = xgrow(known, &cap, count + lines->count, sizeof(*known));
        memcpy(known + count, lines->digests, lines->count * sizeof(*known));
        count += lines->count;
    }
    if (count > 0)
        qsort(known, count, sizeof(*known), compare_digests);
    for (int text = 0; text < COMPARE_DIFF; text++) {
        const struct compare_lines *lines = &compare->sides[COMPARE_SECOND].texts[text];
        compare->second_lines += lines->count;
        for (size_t i = 0; i < lines->count; i++)
            compare->fresh += count == 0 || !bsearch(&lines->digests[i], known, count,
                                                     sizeof(*known), compare_digests);
    }
    free(known);
}

bool compare_read(struct compare *out, const struct compare_subject subjects[COMPARE_SIDES],
                  struct err *err)
{
    *out = (struct compare){0};
    for (int i = 0; i < COMPARE_SIDES; i++) {
        struct compare_side *side = &out->sides[i];
        side->key = subjects[i].key;
        if (!compare_read_facts(side, &subjects[i], err) ||
            !compare_read_output(side, &subjects[i], err))
            return false;
    }
    for (int text = 0; text < COMPARE_TEXT_COUNT; text++) {
        const struct compare_lines *first = &out->sides[COMPARE_FIRST].texts[text];
        const struct compare_lines *second = &out->sides[COMPARE_SECOND].texts[text];
        line_diff_read(&out->diffs[text], &(struct line_diff_text){first->digests, first->count},
                       &(struct line_diff_text){second->digests, second->count});
    }
    count_fresh(out);
    return true;
}

void compare_done(struct compare *compare)
{
    if (!compare)
        return;
    for (int i = 0; i < COMPARE_SIDES; i++) {
        struct compare_side *side = &compare->sides[i];
        str_done(&side->name);
        rows_done(&side->facts);
        for (int text = 0; text < COMPARE_TEXT_COUNT; text++) {
            str_done(&side->texts[text].bytes);
            free(side->texts[text].items);
            free(side->texts[text].digests);
        }
        for (size_t path = 0; path < side->path_count; path++)
            free(side->paths[path].path);
    }
    for (int i = 0; i < COMPARE_TEXT_COUNT; i++)
        line_diff_done(&compare->diffs[i]);
    *compare = (struct compare){0};
}
