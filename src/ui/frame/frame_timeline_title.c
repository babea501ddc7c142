/* frame_timeline_title.c - what is under the cursor: which task, when, and what it did. */
#include "clock.h"
#include "frame_parts.h"
#include "frame_timeline_parts.h"
#include "shown.h"

enum { SECOND_MS = 1000 };

static const char *const kind_words[] = {
    [SPAN_QUEUED] = "queued",
    [SPAN_GATE] = "held back by a limit",
    [SPAN_RUNNING] = "ran",
    [SPAN_QUIET] = "no output for",
    [SPAN_BACKOFF] = "backoff",
    [SPAN_HELD] = "held for",
    [SPAN_NEEDS_YOU] = "needs you, for",
    [SPAN_OVER] = "had ended",
};

static void add_clock(const struct timeline_subject *subject, int64_t ms, struct str *out)
{
    char text[CLOCK_TEXT_MAX];
    str_add(out, clock_hms(ms + subject->look->axis.wall_ms, text));
}

/* What the task does or did; a task that is over now is called as everywhere. */
static const char *kind_word(const struct timeline_subject *subject, bool goes_on)
{
    const struct span *span = subject->span;
    if (span->kind == SPAN_RUNNING && goes_on)
        return "runs for";
    if (span->kind == SPAN_OVER && goes_on)
        return shown_word(shown_task(subject->state, subject->task, false));
    return kind_words[span->kind];
}

/* A wait as its formula tells it, "45 s"; all else as it is told elsewhere, "1:07". */
static void add_length(enum span_kind kind, int64_t ms, struct str *out)
{
    if (kind == SPAN_BACKOFF && ms >= SECOND_MS)
        shown_seconds((ms + SECOND_MS / 2) / SECOND_MS * SECOND_MS, out);
    else if (kind == SPAN_BACKOFF)
        shown_seconds(ms, out);
    else
        shown_duration(ms, out);
}

/* "14:02:10 to 14:02:55", "14:02:10 to now". */
static void add_stretch(const struct timeline_subject *subject, bool goes_on, struct str *out)
{
    const int64_t now_ms = frame_now(subject->look->input).mono_ms;
    add_clock(subject, subject->at.from_ms, out);
    str_add(out, " to ");
    if (!goes_on || subject->at.until_ms > now_ms)
        add_clock(subject, subject->at.until_ms, out);
    else
        str_add(out, "now");
}

void timeline_add_title(const struct timeline_subject *subject, bool has_times, struct str *out)
{
    const struct span *span = subject->span;
    const int64_t now_ms = frame_now(subject->look->input).mono_ms;
    str_add(out, subject->state->plan->tasks[subject->task].id);
    if (!span) {
        str_add(out, "  nothing yet");
        return;
    }
    const bool goes_on = subject->at.until_ms >= now_ms && span->end == SPAN_END_NONE;
    str_add(out, "  ");
    if (has_times)
        add_stretch(subject, goes_on, out);
    str_addf(out, "%s%s", has_times ? "  " : "", kind_word(subject, goes_on));
    if (span->kind != SPAN_OVER) {
        str_add(out, " ");
        add_length(span->kind, subject->at.until_ms - subject->at.from_ms, out);
    }
    if (subject->at.until_ms > now_ms)
        str_add(out, " (planned)");
}
