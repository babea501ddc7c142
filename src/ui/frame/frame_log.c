/* frame_log.c - the last lines of the chosen task's output. */
#include <string.h>

#include "clock.h"
#include "frame_found.h"
#include "frame_parts.h"
#include "log_words.h"

enum { TIME_COLUMNS = 11, LOW_ROWS = 3 };

static void add_empty(const struct frame_input *input, struct str *out)
{
    const struct run_state *state = input->facts->state;
    const struct step_state *step = run_state_step(state, input->view->chosen);
    const struct attempt_state *attempt = step_state_attempt(step);
    struct moment now = frame_now(input);
    if (!attempt) {
        str_add(out, "No tries yet.");
        return;
    }
    if (attempt->ended.mono_ms != 0 || attempt->pid == 0) {
        str_add(out, input->facts->replay ? "No output up to here." : "No output.");
        return;
    }
    str_addf(out, "No output yet, pid %lld is alive for ", (long long)attempt->pid);
    shown_duration(now.mono_ms - attempt->started.mono_ms, out);
    str_add_char(out, '.');
}

const char *frame_log_note(const struct view *view)
{
    return view->pane == VIEW_PANE_LOG ? "{down} {up} scroll  {follow} follow  {filter} search"
                                       : "{pane-next} takes the keys here";
}

bool frame_log_is_of_other_step(const struct frame_input *input)
{
    const struct log_output_key *key = &input->facts->log->key;
    const int task = input->view->chosen;
    return task >= 0 && key->attempt > 0 && key->task == task && input->facts->log->count > 0 &&
           key->step < run_state_step_number(input->facts->state, task);
}

const char *frame_log_phase(const struct frame_input *input)
{
    const struct log_output_key *key = &input->facts->log->key;
    return phase_name(input->facts->state->plan->tasks[key->task].steps[key->step].phase);
}

/* Did the verdict, which is read into *room, go by bytes of this line? NULL if not, else its rule.
 */
static const char *rule_of(const struct frame_input *input, const struct log_line *line,
                           struct verdict *room)
{
    const struct log_tail *log = input->facts->log;
    const struct verdict *verdict = log_words_verdict(input->facts->state, &log->key, room);
    if (!verdict || verdict->stream == VERDICT_STREAM_NONE)
        return NULL;
    const int stream = verdict->stream == VERDICT_STREAM_OUT ? LOG_STREAM_OUT : LOG_STREAM_ERR;
    const bool is_it = stream == line->stream && verdict->offset >= line->offset &&
                       verdict->offset <= line->offset + (int64_t)line->len;
    return is_it ? verdict->rule : NULL;
}

/* The time and the stream; returns what is left for the text. */
static struct spot draw_front(struct canvas *canvas, struct spot spot, const struct log_line *line)
{
    char hms[CLOCK_TEXT_MAX];
    (void)frame_put(canvas, (struct spot){spot.row, spot.column + 1, TIME_COLUMNS - 2}, STYLE_LABEL,
                    clock_hms(line->at_ms, hms));
    if (line->stream == LOG_STREAM_ERR)
        (void)frame_put(canvas, (struct spot){spot.row, spot.column + TIME_COLUMNS - 1, 1},
                        STYLE_LABEL, "│");
    return (struct spot){spot.row, spot.column + TIME_COLUMNS, spot.width - TIME_COLUMNS};
}

static void draw_line(struct canvas *canvas, struct spot spot, enum frame_log_kind kind,
                      const struct frame_input *input, size_t index)
{
    const struct log_tail *log = input->facts->log;
    const struct log_line *line = &log->lines[index];
    const char *text = log_tail_line(log, index);
    if (kind == FRAME_LOG_WITH_TIMES)
        spot = draw_front(canvas, spot, line);
    if (spot.width <= 0)
        return;
    const enum style style = line->stream == LOG_TAIL_ENGINE ? STYLE_LABEL : STYLE_PLAIN;
    const int used = canvas_text_n(canvas, spot, style, text, line->len);
    struct verdict room;
    const char *rule = rule_of(input, line, &room);
    if (rule && kind == FRAME_LOG_WITH_TIMES)
        frame_rule_note(canvas, spot, used, rule);
    const struct frame_piece piece = {.text = text,
                                      .line_len = line->len,
                                      .len = line->len,
                                      .spot = {spot.row, spot.column, used}};
    frame_mark_found(canvas, &piece, input->view->search.text);
}

void frame_log(struct canvas *canvas, const struct frame_box *box, enum frame_log_kind kind,
               const struct frame_input *input)
{
    const struct log_tail *log = input->facts->log;
    frame_pane_zone(canvas, box, VIEW_PANE_LOG);
    if (input->view->chosen < 0 || box->rows <= 0 || box->columns <= 0)
        return;
    if (log->count == 0) {
        struct str text = {0};
        add_empty(input, &text);
        int indent = kind == FRAME_LOG_WITH_TIMES ? 1 : 0;
        (void)frame_put(canvas,
                        (struct spot){box->row, box->column + indent, box->columns - indent},
                        STYLE_LABEL, str_text(&text));
        str_done(&text);
        return;
    }
    size_t rows = (size_t)box->rows;
    size_t end = log->count > input->view->log_back ? log->count - input->view->log_back : 1;
    /* The engine's line says what stands above it: the try's own goes first. */
    const bool is_low = kind == FRAME_LOG_BARE && rows < LOW_ROWS && input->view->log_back == 0;
    if (is_low && log->said > 0)
        end = log->said;
    size_t first = end > rows ? end - rows : 0;
    for (size_t i = first; i < log->count && i < first + rows; i++) {
        struct spot spot = {box->row + (int)(i - first), box->column, box->columns};
        draw_line(canvas, spot, kind, input, i);
    }
}
