#include "event_lines.h"

#include "clock.h"
#include "text.h"

void event_lines_done(struct event_lines *lines)
{
    str_done(&lines->text);
    *lines = (struct event_lines){0};
}

void event_lines_begin(struct event_lines *lines, int64_t run)
{
    str_clear(&lines->text);
    lines->run = run;
    lines->count = 0;
    lines->trouble = (struct err){0};
}

bool event_lines_add(struct event_lines *lines, const struct run_state *state,
                     const struct event *event)
{
    struct str words = {0};
    if (lines->count == EVENT_LINES_MAX)
        return false;
    event_words(state, event, &words);
    struct event_line *line = &lines->items[lines->count++];
    *line = (struct event_line){.seq = event->seq,
                                .at = event->at,
                                .task = event->task,
                                .level = event_level(event),
                                .start = lines->text.len};
    const size_t len = text_cut(words.data, words.len, EVENT_LINE_BYTES_MAX);
    text_clean(&lines->text, words.data, len);
    str_add_char(&lines->text, '\0');
    str_done(&words);
    return lines->count < EVENT_LINES_MAX;
}

static int64_t first_seq(const struct event_lines *lines)
{
    return lines->items[0].seq;
}

static int64_t last_seq(const struct event_lines *lines)
{
    return lines->items[lines->count - 1].seq;
}

bool event_lines_cover(const struct event_lines *lines, int64_t run, int64_t at, int64_t count)
{
    if (lines->run != run)
        return false;
    if (lines->count == 0)
        return count == 0 || lines->trouble.code != ERR_NONE;
    const bool has_above = first_seq(lines) <= 1 || at - first_seq(lines) >= EVENT_LINES_MARGIN;
    const bool has_below = last_seq(lines) >= count || last_seq(lines) - at >= EVENT_LINES_MARGIN;
    return has_above && has_below;
}

int64_t event_lines_after(int64_t at)
{
    const int64_t after = at - EVENT_LINES_MAX / 2;
    return after > 0 ? after : 0;
}

int event_lines_find(const struct event_lines *lines, int64_t at)
{
    for (int i = (int)lines->count - 1; i >= 0; i--) {
        if (lines->items[i].seq <= at)
            return i;
    }
    return -1;
}

const char *event_lines_text(const struct event_lines *lines, int index)
{
    return lines->text.data + lines->items[index].start;
}

void what_came_begin(struct what_came *came, int64_t run, int64_t after, int task)
{
    str_clear(&came->words);
    came->run = run;
    came->after = after;
    came->task = task;
    came->left = WHAT_CAME_RECORDS;
}

bool what_came_add(struct what_came *came, const struct run_state *state, const struct event *event)
{
    char at[CLOCK_TEXT_MAX];
    const bool tells = event->kind == EVENT_ATTEMPT_STARTED ||
                       event->kind == EVENT_ATTEMPT_JUDGED || event->kind == EVENT_STEP_ENDED;
    if (event->task != came->task || !tells)
        return true;
    str_addf(&came->words, "%s%s try %d ", came->words.len > 0 ? "; " : "",
             clock_hms(event->at.at_ms, at), event->attempt);
    event_words_alone(state, event, &came->words);
    came->left--;
    return came->left > 0;
}
