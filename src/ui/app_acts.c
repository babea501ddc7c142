#include "app_acts.h"

#include <assert.h>
#include <string.h>

#include "correct.h"

void app_acts_words(const struct app_acts *acts, const struct control *control, struct str *out)
{
    static const char *const verbs[CONTROL_VERB_COUNT] = {
        [CONTROL_CANCEL] = "cancel",  [CONTROL_RETRY] = "retry now", [CONTROL_HOLD] = "hold",
        [CONTROL_RELEASE] = "let go", [CONTROL_CORRECT] = "correct",
    };
    bool one = control->task >= 0 && control->task < acts->plan->task_count;
    str_addf(out, "%s: %s", one ? acts->plan->tasks[control->task].id : "the run",
             verbs[control->verb]);
    if (control->verb == CONTROL_CANCEL)
        str_addf(out, " (%s)", cancel_mode_name(control->mode));
    if (control->verb == CONTROL_CORRECT) {
        char word[VERDICT_WORD_MAX];
        str_addf(out, " try %d to %s", control->attempt, correct_word(&control->label, word));
    }
}

bool app_acts_ask(struct app_acts *acts, const struct control *control, struct err *err)
{
    if (!acts->desk)
        return err_set(err, ERR_INVALID, "nothing can be asked of this run from here");
    if (acts->count == APP_ACTS_MAX)
        return err_set(err, ERR_LIMIT, "%d acts have no answer yet, wait a moment", APP_ACTS_MAX);
    struct app_act act = {.control = *control};
    if (!control_desk_ask(acts->desk, acts->run, control, &act.ticket, err))
        return false;
    acts->acts[acts->count++] = act;
    return true;
}

static void tell(const struct app_acts *acts, const struct app_act *act, const char *answer,
                 struct str *out)
{
    str_clear(out);
    app_acts_words(acts, &act->control, out);
    str_addf(out, ": %s", answer);
}

/* The answer of the run's owner, if it is there. */
static bool look_for_answer(struct app_acts *acts, struct app_act *act, struct log_reader *reader,
                            struct str *out)
{
    struct err err = {0};
    struct str words = {0};
    bool answered = false, done = false;
    bool read = log_reader_answer(reader, act->row, &answered, &done, &words, &err);
    if (!read) {
        tell(acts, act, err.message, out);
    } else if (answered) {
        struct str text = {0};
        str_addf(&text, "%s%s%s", done ? "done" : "refused", words.len > 0 ? ": " : "",
                 str_text(&words));
        tell(acts, act, text.data, out);
        str_done(&text);
    }
    str_done(&words);
    return !read || answered;
}

/* True once there is nothing more to come for this act. */
static bool look_at(struct app_acts *acts, struct app_act *act, struct log_reader *reader,
                    struct str *out)
{
    struct err err = {0};
    if (act->row == 0 && !control_desk_row(acts->desk, act->ticket, &act->row, &err)) {
        tell(acts, act, err.message, out);
        return true;
    }
    return act->row != 0 && look_for_answer(acts, act, reader, out);
}

bool app_acts_look(struct app_acts *acts, struct log_reader *reader, struct str *out)
{
    int kept = 0;
    for (int i = 0; i < acts->count; i++) {
        if (!look_at(acts, &acts->acts[i], reader, out))
            acts->acts[kept++] = acts->acts[i];
    }
    bool any = kept < acts->count;
    acts->count = kept;
    return any;
}
