/* forensics_verdict.c - forensics, the section about the verdict, and the lines that it went by. */
#include <assert.h>
#include <string.h>

#include "clock.h"
#include "forensics_parts.h"
#include "shown.h"

enum { EVIDENCE_LINES = 2, EVIDENCE_LINE_BYTES = 2048 };

static const char *const near_words[] = {
    [NEAR_QUOTED] = "its line is quoted: somebody talks about it",
    [NEAR_UNLESS] = "its own exception holds",
    [NEAR_PATTERN] = "its word is there, the pattern around it is not",
    [NEAR_EXIT] = "exit code, signal or program do not fit",
    [NEAR_OUTRANKED] = "it holds, too, but another rule comes first",
};
static_assert(ARRAY_LEN(near_words) == NEAR_WHY_COUNT, "every near miss has its words");

static void add_rule(struct forensics *out, const struct verdict *verdict)
{
    struct str hint = {0};
    if (verdict->rule[0] != '\0')
        forensics_pair(out, "rule", "%s", verdict->rule);
    if (verdict->match[0] != '\0')
        forensics_pair(out, "went by", "%s, byte %lld: \"%s\"",
                       verdict->stream == VERDICT_STREAM_NONE
                           ? "the facts"
                           : verdict_stream_name(verdict->stream),
                       (long long)verdict->offset, verdict->match);
    shown_hint(verdict, &hint);
    if (hint.len > 0)
        forensics_pair(out, "hint", "%s", hint.data);
    if (verdict->ask)
        forensics_pair(out, "asks", "only a person can mend it");
    str_done(&hint);
}

/* Rules that were near and lost, and why. */
static void add_near(struct forensics *out, const struct verdict *verdict)
{
    if (verdict->near_count == 0) {
        forensics_pair(out, "others", "no other rule came near");
        return;
    }
    forensics_addf(out, FORENSICS_LABEL, "rules that came near and lost");
    for (int i = 0; i < verdict->near_count; i++) {
        const struct verdict_near *near = &verdict->near[i];
        if (near->stream == VERDICT_STREAM_NONE)
            forensics_addf(out, FORENSICS_PLAIN, "  %-22s no   %s", near->rule,
                           near_words[near->why]);
        else
            forensics_addf(out, FORENSICS_PLAIN, "  %-22s no   %s (%s, byte %lld)", near->rule,
                           near_words[near->why], verdict_stream_name(near->stream),
                           (long long)near->offset);
    }
}

/* The kept bytes of one stream around an offset. */
struct window {
    struct str bytes; /* owned */
    int64_t offset;   /* of the first */
};

/* The rows that hold the offset and what follows each other around it. */
static void take_window(const struct output_page *page, int stream, int64_t at, struct window *out)
{
    for (size_t i = 0; i < page->count; i++) {
        const struct log_output_row *row = &page->rows[i];
        int64_t end = out->offset + (int64_t)out->bytes.len;
        if (row->stream != stream || row->replaceable)
            continue;
        if (row->offset != end) {
            if (at >= out->offset && at < end)
                return;
            str_clear(&out->bytes);
            out->offset = row->offset;
        }
        str_add_n(&out->bytes, str_text(&page->text) + row->start, row->len);
    }
}

static size_t line_begin(const struct window *window, size_t at, int lines)
{
    for (int i = 0; i <= lines && at > 0; i++) {
        at -= i > 0;
        while (at > 0 && window->bytes.data[at - 1] != '\n')
            at--;
    }
    return at;
}

static void add_window_line(struct forensics *out, const struct window *window, size_t from,
                            size_t len, bool is_hit)
{
    struct str line = {0};
    str_add(&line, is_hit ? "> " : "  ");
    str_add_n(&line, window->bytes.data + from,
              len < EVIDENCE_LINE_BYTES ? len : EVIDENCE_LINE_BYTES);
    forensics_add(out, is_hit ? FORENSICS_HIT : FORENSICS_PLAIN, line.data, line.len);
    str_done(&line);
}

static void add_evidence(struct forensics *out, const struct forensics_facts *facts,
                         const struct verdict *verdict)
{
    struct window window = {0};
    if (verdict->stream == VERDICT_STREAM_NONE)
        return;
    take_window(facts->output, verdict->stream == VERDICT_STREAM_OUT ? 1 : 2, verdict->offset,
                &window);
    bool is_here = verdict->offset >= window.offset &&
                   verdict->offset < window.offset + (int64_t)window.bytes.len;
    if (is_here) {
        size_t at = (size_t)(verdict->offset - window.offset);
        size_t from = line_begin(&window, at, EVIDENCE_LINES);
        int after = 0;
        forensics_addf(out, FORENSICS_LABEL, "evidence in %s",
                       verdict_stream_name(verdict->stream));
        while (from < window.bytes.len && after <= EVIDENCE_LINES) {
            const char *feed = memchr(window.bytes.data + from, '\n', window.bytes.len - from);
            size_t len = feed ? (size_t)(feed - window.bytes.data) - from : window.bytes.len - from;
            bool is_hit = at >= from && at <= from + len;
            after += from > at || is_hit;
            add_window_line(out, &window, from, len, is_hit);
            from += len + 1;
        }
    }
    str_done(&window.bytes);
}

/* Tries of this step with the same result, and other tasks that had it. */
static void add_fingerprint(struct forensics *out, const struct forensics_facts *facts)
{
    const struct attempt_state *attempt = facts->attempt;
    const struct run_state *state = facts->state;
    char hex[DIGEST_HEX_MAX];
    struct str same = {0};
    int tasks = 0;
    if (!digest_is_known(attempt->fingerprint))
        return;
    for (size_t i = 0; i < facts->step->attempt_count; i++) {
        const struct attempt_state *other = &facts->step->attempts[i];
        if (other != attempt && digest_equal(other->fingerprint, attempt->fingerprint))
            str_addf(&same, "%s%d", same.len > 0 ? ", " : "", other->number);
    }
    for (int task = 0; task < state->plan->task_count; task++) {
        const struct step_state *step = run_state_step(state, task);
        const struct attempt_state *last = step_state_attempt(step);
        tasks +=
            task != out->key.task && last && digest_equal(last->fingerprint, attempt->fingerprint);
    }
    digest_to_hex(attempt->fingerprint, hex);
    struct str others = {0};
    if (tasks > 0)
        shown_count(tasks, "ends like it", "end like it", &others);
    forensics_pair(out, "same fault", "%.8s: other tries of this step: %s; other tasks: %s", hex,
                   same.len > 0 ? same.data : "none", tasks > 0 ? others.data : "none");
    str_done(&same);
    str_done(&others);
}

static void add_violations(struct forensics *out, const struct verdict *verdict)
{
    size_t len = strlen(verdict->violations);
    if (len == 0)
        return;
    forensics_addf(out, FORENSICS_LABEL, "why the output does not fit its contract");
    forensics_add(out, FORENSICS_PLAIN, verdict->violations, len - 1);
}

static void add_correction(struct forensics *out, const struct correction *correction)
{
    char at[CLOCK_TEXT_MAX];
    if (correction)
        forensics_pair(out, "corrected", "%s, says %s, %s; the first verdict stays",
                       verdict_label_word(&correction->label),
                       correction->by[0] != '\0' ? correction->by : "a person",
                       clock_date(correction->at_ms, at));
}

void forensics_verdict(struct forensics *out, const struct forensics_facts *facts)
{
    const struct attempt_state *attempt = facts->attempt;
    struct verdict verdict = verdict_new();
    char word[VERDICT_WORD_MAX];
    if (attempt->ended.mono_ms == 0) {
        forensics_addf(out, FORENSICS_LACKS, "it still runs");
        return;
    }
    verdict_from_json(facts->verdict, &verdict);
    verdict.class = attempt->class;
    verdict.type = attempt->type;
    verdict.reason = attempt->reason;
    out->verdict = verdict;
    if (verdict.class == VERDICT_SUCCESS) {
        forensics_pair(out, "class", "success%s", facts->verdict ? ": it failed as it was to" : "");
        return;
    }
    (void)verdict_word(&verdict, &attempt->outcome, word);
    forensics_pair(out, "class", "%s (%s)", word, verdict_class_name(verdict.class));
    forensics_note(out, FORENSICS_VERDICT, "%s", word);
    add_correction(out, attempt->correction);
    add_rule(out, &verdict);
    add_near(out, &verdict);
    add_violations(out, &verdict);
    add_evidence(out, facts, &verdict);
    add_fingerprint(out, facts);
}
