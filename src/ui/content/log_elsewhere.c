#include "log_elsewhere.h"

#include <stdio.h>
#include <string.h>

#include "text.h"
#include "words.h"

enum { LINE_BYTES_MAX = 4000 };

void log_elsewhere_init(struct log_elsewhere *elsewhere)
{
    *elsewhere = (struct log_elsewhere){0};
}

void log_elsewhere_done(struct log_elsewhere *elsewhere)
{
    log_join_done(&elsewhere->join);
    output_page_done(&elsewhere->page);
    *elsewhere = (struct log_elsewhere){0};
}

void log_elsewhere_stop(struct log_elsewhere *elsewhere)
{
    elsewhere->is_on = false;
}

static bool is_same(const struct log_elsewhere *elsewhere, const struct log_output_key *own,
                    const char *needle, int64_t until_ms)
{
    const struct log_output_key *was = &elsewhere->own;
    return elsewhere->is_on && was->run == own->run && was->task == own->task &&
           was->step == own->step && was->attempt == own->attempt &&
           elsewhere->until_ms == until_ms && strcmp(elsewhere->needle, needle) == 0;
}

static void take_line(void *ctx, const struct joined_line *line)
{
    struct log_elsewhere *elsewhere = ctx;
    struct str clean = {0};
    text_clean(&clean, line->bytes, line->len);
    const bool is_there = words_find(str_text(&clean), clean.len, elsewhere->needle) != NULL;
    if (elsewhere->at.task == elsewhere->own.task)
        elsewhere->in_tries += is_there;
    else
        elsewhere->in_tasks += is_there;
    str_done(&clean);
}

void log_elsewhere_begin(struct log_elsewhere *elsewhere, const struct log_output_key *own,
                         const char *needle, int64_t until_ms)
{
    if (is_same(elsewhere, own, needle, until_ms))
        return;
    elsewhere->own = *own;
    (void)snprintf(elsewhere->needle, sizeof(elsewhere->needle), "%s", needle);
    elsewhere->until_ms = until_ms;
    elsewhere->is_on = true;
    elsewhere->is_done = false;
    elsewhere->is_cut = false;
    elsewhere->at = *own;
    elsewhere->at.step = 0;
    elsewhere->at.attempt = 0;
    elsewhere->is_among_others = false;
    elsewhere->after = 0;
    elsewhere->bytes = 0;
    elsewhere->in_tries = 0;
    elsewhere->in_tasks = 0;
    log_join_clear(&elsewhere->join);
    elsewhere->join.line_max = LINE_BYTES_MAX;
    elsewhere->join.take = take_line;
    elsewhere->join.ctx = elsewhere;
}

/* The first task of those that come after the own one; -1: there is none left. */
static int next_task(const struct log_elsewhere *elsewhere, const struct run_state *state)
{
    int task = elsewhere->is_among_others ? elsewhere->at.task + 1 : 0;
    task += task == elsewhere->own.task;
    return task < state->plan->task_count ? task : -1;
}

static bool is_own(const struct log_elsewhere *elsewhere)
{
    return elsewhere->at.task == elsewhere->own.task && elsewhere->at.step == elsewhere->own.step &&
           elsewhere->at.attempt == elsewhere->own.attempt;
}

/* One attempt further, its step and task where they are through. False: that was the last. */
static bool step_on(struct log_elsewhere *elsewhere, const struct run_state *state)
{
    struct log_output_key *at = &elsewhere->at;
    do {
        const struct step_state *steps = state->tasks[at->task].steps;
        if ((size_t)at->attempt < steps[at->step].attempt_count) {
            at->attempt++;
            continue;
        }
        at->attempt = 0;
        if (++at->step < state->plan->tasks[at->task].step_count)
            continue;
        const int task = next_task(elsewhere, state);
        if (task < 0)
            return false;
        elsewhere->is_among_others = true;
        at->task = task;
        at->step = 0;
    } while (at->attempt == 0 || is_own(elsewhere));
    elsewhere->after = 0;
    log_join_clear(&elsewhere->join);
    return true;
}

/* False: the attempt has no more. */
static bool add_rows(struct log_elsewhere *elsewhere)
{
    const struct output_page *page = &elsewhere->page;
    for (size_t i = 0; i < page->count; i++) {
        const struct log_output_row *row = &page->rows[i];
        if (row->at_ms > elsewhere->until_ms)
            return false;
        if (row->stream >= 1 && row->stream <= LOG_JOIN_STREAMS)
            log_join_add(&elsewhere->join, row, str_text(&page->text) + row->start);
        elsewhere->after = row->id;
    }
    elsewhere->bytes += (int64_t)page->text.len;
    return page->count > 0;
}

bool log_elsewhere_turn(struct log_elsewhere *elsewhere, const struct run_state *state,
                        const struct elsewhere_source *source, struct err *err)
{
    const int64_t end = elsewhere->bytes + ELSEWHERE_TURN_BYTES;
    int tries = 0;
    while (!elsewhere->is_done && elsewhere->bytes < end && tries < ELSEWHERE_TURN_TRIES) {
        if (elsewhere->at.attempt > 0) {
            if (!source->read(source->ctx, &elsewhere->at, elsewhere->after, ELSEWHERE_PIECE_BYTES,
                              &elsewhere->page, err))
                return false;
            if (add_rows(elsewhere))
                continue;
            log_join_end(&elsewhere->join);
        }
        tries++;
        elsewhere->is_cut = elsewhere->bytes >= ELSEWHERE_BYTES_MAX;
        elsewhere->is_done = elsewhere->is_cut || !step_on(elsewhere, state);
    }
    return true;
}

void log_elsewhere_words(const struct log_elsewhere *elsewhere, struct str *out)
{
    const char *more = elsewhere->is_cut ? "+" : "";
    str_addf(out, "\"%s\" not found in this log; in other tries: %zu%s; in other tasks: %zu%s",
             elsewhere->needle, elsewhere->in_tries, more, elsewhere->in_tasks, more);
}
