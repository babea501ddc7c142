#include "telling.h"

#include "error_line.h"
#include "text.h"

/* One stream of the page, its pieces joined. */
static void join_stream(const struct output_page *page, bool is_stderr, struct str *out)
{
    for (size_t i = 0; i < page->count; i++) {
        const struct log_output_row *row = &page->rows[i];
        if ((row->stream == LOG_STREAM_ERR) == is_stderr)
            str_add_n(out, page->text.data + row->start, row->len);
    }
}

static bool add_telling(const struct output_page *page, bool is_stderr, struct str *out)
{
    struct str text = {0};
    size_t len = 0;
    join_stream(page, is_stderr, &text);
    const char *line = line_telling(str_text(&text), text.len, &len);
    if (line)
        text_clean_line(out, line, len);
    str_done(&text);
    return line != NULL;
}

void telling_line(struct log_reader *reader, int64_t run, const struct run_state *state, int task,
                  struct str *out)
{
    struct verdict storage;
    struct output_page page = {0};
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *attempt = step_state_attempt(step);
    if (!attempt)
        return;
    const struct verdict *verdict = step->verdict_json ? step_state_verdict(step, &storage) : NULL;
    if (verdict && verdict->match[0] != '\0') {
        str_add(out, verdict->match);
        return;
    }
    const struct log_output_key key = {.run = run,
                                       .task = task,
                                       .step = state->tasks[task].step,
                                       .attempt = attempt->number,
                                       .readable = true};
    if (log_reader_output_tail(reader, &key, TELLING_BYTES, &page, NULL) &&
        !add_telling(&page, true, out))
        (void)add_telling(&page, false, out);
    output_page_done(&page);
}
