/* runs_row.c - what a row of the list of runs says beside its columns. */
#include "outcome.h"
#include "runs_list.h"

enum { DIGEST_SHOWN = 4 /* hex digits of a fault that are named */ };

static void add_fault(const struct log_run_sum *sum, struct str *out)
{
    struct verdict verdict = verdict_new();
    const struct outcome outcome = {.kind = OUTCOME_EXIT, .code = 1};
    char word[VERDICT_WORD_MAX];
    char hex[DIGEST_HEX_MAX];
    verdict.class = sum->class;
    verdict.type = sum->type;
    verdict.reason = sum->reason;
    digest_to_hex(sum->fault, hex);
    str_addf(out, "one fault in all %d failed tasks: ", sum->failed);
    if (sum->type != TRANSIENT_NONE || sum->reason != REASON_NONE)
        str_addf(out, "%s ", verdict_word(&verdict, &outcome, word));
    str_add_n(out, hex, DIGEST_SHOWN);
}

void runs_row_note(const struct runs_row *row, struct str *out)
{
    if (row->shown == SHOWN_LOST) {
        str_add(out, "ended without a last record (devs was killed)");
        if (row->has_sum && row->sum.running > 0)
            str_addf(out, "; %d %s lost", row->sum.running,
                     row->sum.running == 1 ? "task" : "tasks");
    } else if (row->shown == SHOWN_QUIET) {
        str_add(out, "its devs stands still (stopped): fg, or kill -CONT, lets it go on");
    } else if (row->has_sum && row->sum.alike && row->sum.failed >= FAULT_TASKS_MIN) {
        add_fault(&row->sum, out);
    }
}

int runs_row_lines(const struct runs_row *row)
{
    struct str note = {0};
    runs_row_note(row, &note);
    const int lines = note.len > 0 ? 2 : 1;
    str_done(&note);
    return lines;
}

int64_t runs_row_count(const struct runs_row *row, enum task_status status)
{
    if (row->has_sum)
        return row->sum.states[status];
    return status == TASK_GAVE_UP ? row->failed : 0;
}

void runs_row_waited(const struct runs_row *row, struct str *out)
{
    if (row->waited_percent >= 0)
        str_addf(out, "%d %%", row->waited_percent);
}
