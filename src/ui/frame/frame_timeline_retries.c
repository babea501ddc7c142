/* frame_timeline_retries.c - does retrying help, by class, below the bars of a large screen. */
#include "frame_parts.h"
#include "frame_timeline_parts.h"
#include "retry_help.h"
#include "shown.h"

enum { CLASS_COLUMNS = 14, PASSED_COLUMNS = 26 };

static void pad(struct str *out, size_t columns)
{
    while (out->len < columns)
        str_add_char(out, ' ');
}

static void add_time(struct str *out, int64_t ms)
{
    struct str text = {0};
    shown_duration(ms, &text);
    str_addf(out, "%9s", str_text(&text));
    str_done(&text);
}

/* What else the log says of it, on one line. */
static void add_words(const struct retry_class *class, struct str *out)
{
    struct str words = {0};
    retry_class_words(class, &words);
    for (size_t i = 0; i + 1 < words.len; i++) { /* it ends in a line feed */
        if (words.data[i] == '\n')
            str_add_char(out, ';');
        str_add_char(out, words.data[i] == '\n' ? ' ' : words.data[i]);
    }
    str_done(&words);
}

static void put_class(struct timeline_lines *lines, const struct retry_class *class)
{
    struct str text = {0};
    failure_class_word(&class->class, &text);
    pad(&text, CLASS_COLUMNS);
    str_addf(&text, "%8lld   ", (long long)class->failed);
    retry_count_words(retry_class_count(class, RETRY_OF_ALL, 0, 0), &text);
    pad(&text, CLASS_COLUMNS + 11 + PASSED_COLUMNS);
    add_time(&text, class->waited_ms);
    add_time(&text, class->ran_ms);
    str_add(&text, "   ");
    add_words(class, &text);
    timeline_put_line(lines, &text);
    str_done(&text);
}

int timeline_retries_rows(const struct frame_input *input)
{
    const struct retry_help *retries = input->facts->retries;
    return retries && retries->class_count > 0 ? 2 + retries->class_count : 0;
}

void timeline_draw_retries(const struct timeline_look *look, const struct frame_box *box)
{
    const struct retry_help *retries = look->input->facts->retries;
    struct timeline_lines lines = {look->canvas, box, box->row + 2};
    struct str text = {0};
    str_addf(&text, "does retrying help?   newest runs: %lld, tries: %lld",
             (long long)retries->runs, (long long)retries->attempts);
    frame_rule(look->canvas, (struct spot){box->row, box->column, box->columns}, text.data,
               "devs debug --retries: of all");
    (void)frame_put(look->canvas, (struct spot){box->row + 1, box->column + 1, box->columns - 1},
                    STYLE_LABEL,
                    "class           failed   the next try passed          waited      ran   what "
                    "the log says");
    for (int i = 0; i < retries->class_count; i++)
        put_class(&lines, &retries->classes[i]);
    str_done(&text);
}
