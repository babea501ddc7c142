/*
 * prompt.c - the questions before an act, their answers, and the input for a retry.
 *
 * A table has the answers of each question. Right after a question has opened or its subject has
 * changed, only Esc is accepted, because other keys may have been typed before that.
 */
#include "prompt.h"

#include <assert.h>
#include <stdio.h>

#include "attr.h"
#include "parse.h"
#include "policy.h"
#include "term.h"
#include "text.h"

enum { PROMPT_ANSWERS_MAX = 4 };

static bool read_tries(const struct prompt_retry *retry, int *out)
{
    int64_t tries = 0;
    if (retry->tries.len == 0) {
        *out = 0;
        return true;
    }
    if (!parse_i64(retry->tries.text, 1, POLICY_ATTEMPTS_MAX, &tries, NULL))
        return false;
    *out = (int)tries;
    return true;
}

int prompt_tries(const struct prompt *prompt)
{
    int tries = 0;
    return read_tries(&prompt->retry, &tries) ? tries : 0;
}

const char *prompt_hint(const struct prompt *prompt)
{
    return prompt->retry.hint.text;
}

/* Handles a key while options are being typed. */
static void prompt_retry_key(struct prompt *prompt, uint32_t key, int64_t now_ms)
{
    struct prompt_retry *retry = &prompt->retry;
    int tries = 0;
    retry->problem[0] = '\0';
    switch (key) {
    case TERM_KEY_ENTER: /* check the input before asking for confirmation */
        if (!read_tries(retry, &tries)) {
            (void)snprintf(retry->problem, sizeof(retry->problem), "tries: a number from 1 to %d",
                           POLICY_ATTEMPTS_MAX);
            retry->in_tries = true;
        } else {
            retry->is_asked = true;
            prompt->opened_ms = now_ms;
        }
        break;
    case TERM_KEY_TAB:
    case TERM_KEY_BACK_TAB:
    case TERM_KEY_DOWN:
    case TERM_KEY_UP:
        retry->in_tries = !retry->in_tries;
        break;
    default: {
        bool is_full = retry->in_tries && retry->tries.len + 1 >= PROMPT_TRIES_MAX;
        bool is_text = key < TERM_KEY_FIRST && key >= ' ' && key != TERM_KEY_BACKSPACE;
        if (!is_full || !is_text)
            (void)line_edit_key(retry->in_tries ? &retry->tries : &retry->hint, key);
        break;
    }
    }
    retry->hint.open = !retry->in_tries;
    retry->tries.open = retry->in_tries;
}

#define KEEP(whole, part)                                                                          \
    {                                                                                              \
        TERM_KEY_ESC, "Esc", PROMPT_KEPT, whole "   (Enter does nothing)", whole, part, "keep"     \
    }
#define KEEP_ONE  KEEP("leave it as it is", "leave it")
#define KEEP_MANY KEEP("leave them as they are", "leave them")

/* The question and the answers for each kind of prompt. */
static const struct question {
    const char *verb;
    struct prompt_answer answers[PROMPT_ANSWERS_MAX + 1];
} questions[] = {
    [PROMPT_NONE] = {"", {{0}}},
    [PROMPT_CANCEL] =
        {"Cancel",
         {{'s', "s", PROMPT_STOP, "stop retrying", "stop retrying", "stop retrying", "stop"},
          {'t', "t", PROMPT_TERM, "like s; sends TERM to a running try's group, then KILL",
           "like s; sends TERM to running tries, then KILL", "TERM, KILL later", "TERM"},
          {'K', "K", PROMPT_KILLED, "like s; kills a running try at once",
           "like s; kills running tries at once", "KILL at once", "KILL"},
          KEEP_ONE}},
    [PROMPT_CANCEL_MANY] = {"Cancel",
                            {{'s', "s", PROMPT_STOP, "stop retrying all of them",
                              "stop retrying all of them", "stop retrying", "stop"},
                             {'t', "t", PROMPT_TERM,
                              "like s; sends TERM to the groups of running tries, then KILL",
                              "like s; sends TERM to running tries, then KILL", "TERM, KILL later",
                              "TERM"},
                             {'K', "K", PROMPT_KILLED, "like s; kills running tries at once",
                              "like s; kills running tries at once", "KILL at once", "KILL"},
                             KEEP_MANY}},
    [PROMPT_KILL] = {"Kill",
                     {{'K', "K", PROMPT_KILLED, "KILL to its group at once, and no more tries",
                       "KILL at once, and no more tries", "KILL at once", "KILL"},
                      KEEP_ONE}},
    [PROMPT_KILL_MANY] = {"Kill",
                          {{'K', "K", PROMPT_KILLED,
                            "KILL to their groups at once, and no more tries",
                            "KILL at once, and no more tries", "KILL at once", "KILL"},
                           KEEP_MANY}},
    [PROMPT_RETRY_MANY] = {"Retry",
                           {{'s', "s", PROMPT_GO, "start them now: skip all waits",
                             "start them now", "start them now", "start"},
                            KEEP_MANY}},
    [PROMPT_RETRY_WITH] = {"Retry",
                           {{'s', "s", PROMPT_GO, "start it like this", "start it like this",
                             "start it", "start"},
                            {'e', "e", PROMPT_UNDECIDED, "edit it", "edit it", "edit it", "edit"},
                            KEEP_ONE}},
    [PROMPT_RETRY_WITH_MANY] = {"Retry",
                                {{'s', "s", PROMPT_GO, "start them like this",
                                  "start them like this", "start them", "start"},
                                 {'e', "e", PROMPT_UNDECIDED, "edit it", "edit it", "edit it",
                                  "edit"},
                                 KEEP_MANY}},
    [PROMPT_HOLD_MANY] = {"Hold",
                          {{'h', "h", PROMPT_GO, "hold them: no new tries; running ones may finish",
                            "hold them: no new tries", "hold them", "hold"},
                           KEEP_MANY}},
    [PROMPT_RELEASE_MANY] = {"Release",
                             {{'r', "r", PROMPT_GO, "release: the rest of a wait still runs",
                               "release: a wait continues", "release them", "release"},
                              KEEP_MANY}},
    [PROMPT_QUIT] = {"Quit",
                     {{'w', "w", PROMPT_WAIT,
                       "wait: start nothing more, quit when running tries have ended",
                       "wait: quit when running tries have ended", "wait for tries", "wait"},
                      {'c', "c", PROMPT_CANCEL_ALL,
                       "cancel all: TERM, then KILL, then quit; the log keeps every try",
                       "cancel all (TERM, then KILL), quit", "cancel all, quit", "cancel"},
                      {'d', "d", PROMPT_DETACH,
                       "detach: the run continues without this terminal; reopen it with devs",
                       "detach: the run continues", "detach", "detach"},
                      {TERM_KEY_ESC, "Esc", PROMPT_KEPT, "stay", "stay", "stay", "stay"}}},
};
static_assert(ARRAY_LEN(questions) == PROMPT_KIND_COUNT, "every kind has its question");

const struct prompt_answer *prompt_answers(const struct prompt *prompt)
{
    assert(prompt->kind < PROMPT_KIND_COUNT);
    return questions[prompt->kind].answers;
}

const char *prompt_verb(enum prompt_kind kind)
{
    assert(kind < PROMPT_KIND_COUNT);
    return questions[kind].verb;
}

bool prompt_is_retry_with(const struct prompt *prompt)
{
    return prompt->kind == PROMPT_RETRY_WITH || prompt->kind == PROMPT_RETRY_WITH_MANY;
}

bool prompt_is_of_one(const struct prompt *prompt)
{
    return prompt->kind == PROMPT_CANCEL || prompt->kind == PROMPT_KILL ||
           prompt->kind == PROMPT_RETRY_WITH;
}

bool prompt_is_of_many(const struct prompt *prompt)
{
    return prompt->kind != PROMPT_NONE && prompt->kind != PROMPT_QUIT && !prompt_is_of_one(prompt);
}

static void take_target(struct prompt *prompt, const struct prompt_target *target)
{
    assert(target->status < TASK_STATUS_COUNT);
    prompt->step = target->step;
    prompt->phase = target->phase;
    prompt->attempt = target->attempt;
    prompt->attempts = target->attempts;
    prompt->tries_left = target->tries_left;
    prompt->hint_goes = target->hint_goes;
    prompt->status = target->status;
}

void prompt_open(struct prompt *prompt, enum prompt_kind kind, const struct prompt_target *target,
                 int64_t now_ms)
{
    assert(prompt->kind == PROMPT_NONE);
    *prompt = (struct prompt){.kind = kind, .opened_ms = now_ms, .task = target->task};
    assert(prompt_is_of_one(prompt));
    prompt->retry.hint.open = true;
    text_copy(prompt->id, sizeof(prompt->id), target->id);
    text_copy(prompt->title, sizeof(prompt->title), target->title);
    take_target(prompt, target);
}

/* Copies the parts of the snapshot that may change while the question is open. */
static void take_many(struct prompt *prompt, const struct prompt_many *many)
{
    prompt->count = many->count;
    prompt->running = many->running;
    prompt->hidden = many->hidden;
    prompt->agents = many->agents;
    prompt->left_out = many->left_out;
    text_copy(prompt->ids, sizeof(prompt->ids), many->ids);
    text_copy(prompt->left_why, sizeof(prompt->left_why), many->left_why);
}

void prompt_open_many(struct prompt *prompt, const struct prompt_many *many, int64_t now_ms)
{
    assert(prompt->kind == PROMPT_NONE);
    *prompt = (struct prompt){.kind = many->kind, .opened_ms = now_ms};
    assert(prompt_is_of_many(prompt));
    prompt->retry.hint.open = true;
    text_copy(prompt->whose, sizeof(prompt->whose), many->whose);
    take_many(prompt, many);
}

void prompt_open_quit(struct prompt *prompt, int running, int waiting, int64_t now_ms)
{
    assert(prompt->kind == PROMPT_NONE);
    *prompt = (struct prompt){.kind = PROMPT_QUIT, .opened_ms = now_ms};
    prompt_update_quit(prompt, running, waiting);
}

void prompt_close(struct prompt *prompt)
{
    prompt->kind = PROMPT_NONE;
}

/* Notes that the subject has changed. The user can continue typing, but an answer must refer to the
 * new state, so keys are ignored for a moment. */
static void note_change(struct prompt *prompt, int64_t now_ms)
{
    prompt->changed = true;
    if (!prompt_wants_text(prompt))
        prompt->opened_ms = now_ms;
}

bool prompt_update(struct prompt *prompt, const struct prompt_target *target, int64_t now_ms)
{
    if (!prompt_is_of_one(prompt))
        return false;
    assert(target->task == prompt->task);
    bool moved = target->step != prompt->step;
    if (!moved && target->status == prompt->status && target->attempt == prompt->attempt)
        return false;
    prompt->moved = prompt->moved || moved;
    take_target(prompt, target);
    note_change(prompt, now_ms);
    return true;
}

void prompt_update_many(struct prompt *prompt, const struct prompt_many *many, int64_t now_ms)
{
    assert(prompt_is_of_many(prompt));
    take_many(prompt, many);
    note_change(prompt, now_ms);
}

void prompt_update_quit(struct prompt *prompt, int running, int waiting)
{
    if (prompt->kind != PROMPT_QUIT)
        return;
    prompt->running = running;
    prompt->waiting = waiting;
}

bool prompt_wants_text(const struct prompt *prompt)
{
    return prompt_is_retry_with(prompt) && !prompt->retry.is_asked;
}

enum prompt_choice prompt_key(struct prompt *prompt, uint32_t key, int64_t now_ms)
{
    if (prompt->kind == PROMPT_NONE)
        return PROMPT_UNDECIDED;
    bool deaf = now_ms - prompt->opened_ms < PROMPT_DEAF_MS;
    if (deaf && key != TERM_KEY_ESC) /* Esc is always safe */
        return PROMPT_UNDECIDED;
    if (prompt_wants_text(prompt) && key != TERM_KEY_ESC) {
        prompt_retry_key(prompt, key, now_ms);
        return PROMPT_UNDECIDED;
    }
    if (prompt_is_retry_with(prompt) && key == 'e') {
        prompt->retry.is_asked = false;
        return PROMPT_UNDECIDED;
    }
    for (const struct prompt_answer *answer = prompt_answers(prompt); answer->name; answer++) {
        if (answer->key == key) {
            prompt_close(prompt);
            return answer->choice;
        }
    }
    return PROMPT_UNDECIDED;
}
