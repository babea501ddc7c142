#include "view_copy.h"

#include <string.h>

#include "log_pager.h"
#include "runs_list.h"
#include "shown.h"
#include "text.h"

enum { WORDS_MAX = 80 }; /* bytes of a text that the message line says again */

static void add_task(const struct view_facts *facts, int task, struct str *out)
{
    const struct plan_task *plan = &facts->state->plan->tasks[task];
    str_add(out, plan->id);
    if (strcmp(plan->id, plan->title) != 0)
        str_addf(out, " %s", plan->title);
}

static void add_shortened(const struct str *text, struct str *words)
{
    str_add_n(words, str_text(text), text_cut(str_text(text), text->len, WORDS_MAX));
    if (text->len > WORDS_MAX)
        str_add(words, "...");
}

static void add_lines(size_t count, const char *of, struct str *words)
{
    shown_count((int64_t)count, "line of ", "lines of ", words);
    str_add(words, of);
}

static bool copy_tasks(const struct view *view, const struct view_facts *facts, struct str *text,
                       struct str *words)
{
    if (view_marked(view) == 0) {
        add_task(facts, view->chosen, text);
        add_shortened(text, words);
        return true;
    }
    for (int task = 0; task < facts->state->plan->task_count; task++) {
        if (!view_is_marked(view, task))
            continue;
        add_task(facts, task, text);
        str_add_char(text, '\n');
    }
    str_addf(words, "%d marked tasks", view_marked(view));
    return true;
}

/* The lines of the pane's log that are in sight. */
static bool copy_tail(const struct view *view, const struct log_tail *log, struct str *text,
                      struct str *words)
{
    const size_t end = log->count > view->log_back ? log->count - view->log_back : 0;
    const size_t from = end > view->log_page ? end - view->log_page : 0;
    for (size_t i = from; i < end; i++) {
        str_add_n(text, log_tail_line(log, i), log->lines[i].len);
        str_add_char(text, '\n');
    }
    add_lines(end - from, "the log", words);
    return end > from;
}

/* Those of the log's own screen. */
static bool copy_pager(const struct view *view, const struct log_pager *log, struct str *text,
                       struct str *words)
{
    size_t count = 0;
    for (size_t i = view->log.top; (int)count < view->log.room.rows; i++) {
        const struct pager_line *line = log_pager_line(log, i);
        if (!line)
            break;
        str_add_n(text, log_pager_text(log, line), line->len);
        str_add_char(text, '\n');
        count++;
    }
    add_lines(count, "the log", words);
    return count > 0;
}

static bool copy_section(const struct view *view, const struct forensics *forensics,
                         struct str *text, struct str *words)
{
    const enum forensics_section section = view->forensics.section;
    const size_t first = forensics->sections[section].first;
    const size_t count = forensics->sections[section].count;
    size_t lines = 0;
    for (size_t i = first; i < first + count; i++) {
        str_add_n(text, forensics_line(forensics, i), forensics->lines[i].len);
        if (forensics->lines[i].goes_on)
            continue;
        str_add_char(text, '\n');
        lines++;
    }
    add_lines(lines, forensics_name(section), words);
    return lines > 0;
}

static bool copy_run(const struct view *view, const struct runs_list *runs, struct str *text,
                     struct str *words)
{
    const size_t at = runs ? view_runs_chosen(&view->runs, runs) : 0;
    if (!runs || at >= runs->shown_count)
        return false;
    const struct runs_row *row = &runs->rows[runs->shown[at]];
    str_addf(text, "%lld", (long long)row->number);
    str_addf(words, "the number of run %lld", (long long)row->number);
    return true;
}

bool view_copy_text(const struct view *view, const struct view_facts *facts, struct str *text,
                    struct str *words)
{
    const enum screen screen = view_screen(view);
    if (screen == SCREEN_RUNS)
        return copy_run(view, facts->runs, text, words);
    if (screen == SCREEN_FORENSICS && facts->forensics)
        return copy_section(view, facts->forensics, text, words);
    if (screen == SCREEN_LOG && facts->pager)
        return copy_pager(view, facts->pager, text, words);
    if (view->chosen < 0)
        return false;
    if (view->pane == VIEW_PANE_LOG)
        return copy_tail(view, facts->log, text, words);
    return copy_tasks(view, facts, text, words);
}

bool view_copy_path(const struct view *view, const struct view_facts *facts, struct str *text,
                    struct str *words)
{
    const struct task_place *place =
        view->chosen >= 0 ? facts->state->tasks[view->chosen].place : NULL;
    bool has_own = view_screen(view) != SCREEN_RUNS && place && place->path;
    if (!has_own && (!facts->log_file || !*facts->log_file))
        return false;
    str_add(text, has_own ? place->path : facts->log_file);
    add_shortened(text, words);
    return true;
}
