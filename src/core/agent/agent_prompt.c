#include "agent_prompt.h"

#include <assert.h>
#include <string.h>

#include "text.h"

static const char go_on[] = "The last turn was cut short before it was done: ";
static const char go_on_how[] =
    "\nGo on from where you stopped: look at what is there already, and do the rest.";

static const char does_not_fit[] =
    "What you gave back does not have the form that was asked for:\n";
static const char hint_head[] = "A hint from the person who asked for this try:\n";
static const char fit_how[] =
    "\nGive the whole result again, as JSON that fits, and nothing else beside it.";

/* A part of its own, one empty line behind what was said before. */
static void add_part(struct str *out, const char *text)
{
    if (!text || text[0] == '\0')
        return;
    if (out->len > 0)
        str_add(out, "\n\n");
    str_add(out, text);
}

static void say_again(const struct agent_prompt *prompt, struct str *out)
{
    if (prompt->violations) {
        str_add(out, does_not_fit);
        str_add(out, prompt->violations);
        str_add(out, fit_how);
        return;
    }
    str_add(out, go_on);
    str_add(out, prompt->why ? prompt->why : "it was interrupted");
    str_add(out, go_on_how);
}

void agent_prompt_write(const struct agent_prompt *prompt, struct str *out)
{
    struct str words = {0};
    assert(prompt->step);
    if (prompt->resumes && prompt->was_asked) {
        say_again(prompt, &words);
    } else if (prompt->resumes && prompt->repair) {
        str_add(&words, prompt->repair);
    } else {
        str_add(&words, prompt->step);
        add_part(&words, prompt->repair);
    }
    add_part(&words, prompt->nudge);
    if (prompt->hint) {
        add_part(&words, hint_head);
        str_add(&words, prompt->hint);
    }
    str_add_n(out, str_text(&words), words.len);
    str_done(&words);
}

void agent_prompt_why(const struct outcome *outcome, const struct verdict *verdict, struct str *out)
{
    struct str words = {0};
    struct str clean = {0};
    outcome_words(outcome, &words);
    if (verdict && verdict->match[0] != '\0')
        str_addf(&words, ": %s", verdict->match);
    text_clean(&clean, str_text(&words), strcspn(str_text(&words), "\n"));
    str_add_n(out, str_text(&clean), text_cut(str_text(&clean), clean.len, AGENT_WHY_MAX));
    str_done(&clean);
    str_done(&words);
}
