#define _DEFAULT_SOURCE /* explicit_bzero */

#include "redact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "plan.h"
#include "redact_alphabet.h"
#include "redact_base64.h"
#include "redact_forms.h"
#include "redact_words.h"
#include "redactor.h"
#include "text_list.h"
#include "xalloc.h"

void secret_settings_done(struct secret_settings *settings)
{
    if (!settings)
        return;
    text_list_free(settings->names);
    text_list_free(settings->keep);
    for (size_t i = 0; i < settings->pattern_count; i++) {
        free(settings->patterns[i].name);
        free(settings->patterns[i].regex);
    }
    free(settings->patterns);
    *settings = (struct secret_settings){0};
}

/* A mark stands in JSON and in lines: nothing in its name needs to be escaped, or ends it. */
static void write_mark(struct redact_name *name)
{
    char shown[REDACT_NAME_MAX + 1];
    size_t len = strlen(name->text);
    if (len > REDACT_NAME_MAX)
        len = REDACT_NAME_MAX;
    for (size_t i = 0; i < len; i++) {
        const bool fits = redact_is_in(REDACT_DOTTED, (unsigned char)name->text[i]);
        shown[i] = fits ? name->text[i] : '_';
    }
    shown[len] = '\0';
    name->mark_len = (size_t)snprintf(name->mark, sizeof(name->mark), "[cut:%s]", shown);
}

int redactor_name_of(struct redactor *redactor, const char *text, enum redact_rank rank)
{
    for (size_t i = 0; i < redactor->name_count; i++) {
        if (redactor->names[i].rank == rank && strcmp(redactor->names[i].text, text) == 0)
            return (int)i;
    }
    redactor->names = xgrow(redactor->names, &redactor->name_cap, redactor->name_count + 1,
                            sizeof(*redactor->names));
    struct redact_name *name = &redactor->names[redactor->name_count];
    *name = (struct redact_name){.text = xstrdup(text), .rank = rank};
    write_mark(name);
    return (int)redactor->name_count++;
}

static void add_wrapped_forms(struct redactor *redactor, size_t form)
{
    char start[REDACT_BASE64_START];
    for (size_t place = 0; place < REDACT_PLACES; place++) {
        const size_t number = form + (REDACT_FIRST_PLACE + place) * redact_form_count();
        for (int url = 0; url < 2; url++) {
            if (redact_base64_start(form, place, url == 1, start))
                redact_trie_add_form(&redactor->trie, start, (int)number);
        }
    }
}

static void add_forms(struct redactor *redactor)
{
    const size_t count = redact_form_count();
    redactor->form_names = xcalloc(count, sizeof(*redactor->form_names));
    for (size_t i = 0; i < count; i++) {
        const char *name = redact_form_name(i);
        redactor->form_names[i] = -1;
        if (redact_is_listed(redactor->kept, name))
            continue;
        redactor->form_names[i] = redactor_name_of(redactor, name, REDACT_RANK_FORM);
        redact_trie_add_form(&redactor->trie, redact_form_start(i), (int)i);
        add_wrapped_forms(redactor, i);
        redact_trie_add_form(&redactor->forms, redact_form_start(i), (int)i);
    }
    redact_trie_build(&redactor->forms);
}

static bool add_patterns(struct redactor *redactor, const struct secret_settings *settings,
                         struct err *err)
{
    const size_t count = settings->pattern_count;
    if (count > REDACT_PATTERNS_MAX)
        return err_set(err, ERR_LIMIT, "secrets: more than %d patterns", REDACT_PATTERNS_MAX);
    redactor->patterns = xcalloc(count + 1, sizeof(struct rule_pattern *));
    redactor->pattern_names = xcalloc(count + 1, sizeof(*redactor->pattern_names));
    for (size_t i = 0; i < count; i++) {
        const struct redact_pattern *it = &settings->patterns[i];
        struct err why = {0};
        if (redact_is_listed(redactor->kept, it->name))
            continue;
        if (!rule_pattern_open(&redactor->patterns[redactor->pattern_count], it->regex, &why))
            return err_set(err, ERR_INVALID, "secrets: pattern %s: %s", it->name, why.message);
        redactor->pattern_names[redactor->pattern_count++] =
            redactor_name_of(redactor, it->name, REDACT_RANK_PATTERN);
    }
    return true;
}

static bool add_step(struct redactor *redactor, const struct plan_step *step, struct err *err)
{
    for (size_t i = 0; step->argv[i]; i++) {
        if (!redactor_add_text(redactor, step->argv[i], err))
            return false;
    }
    char *const *of_agent = step->agent ? adapter_env(step->agent->adapter) : NULL;
    return redactor_add_variables(redactor, of_agent, err) &&
           redactor_add_variables(redactor, step->env, err) &&
           redactor_add_text(redactor, step->cwd, err) &&
           redactor_add_text(redactor, step->stdin_path, err);
}

static bool add_plan(struct redactor *redactor, const struct plan *plan, struct err *err)
{
    bool ok = !plan || redactor_add_text(redactor, plan->name, err);
    for (int i = 0; ok && plan && i < plan->task_count; i++) {
        const struct plan_task *task = &plan->tasks[i];
        ok = redactor_add_text(redactor, task->title, err);
        for (int step = 0; ok && step < task->step_count; step++)
            ok = add_step(redactor, &task->steps[step], err);
    }
    return ok;
}

bool redactor_open(struct redactor **out, const struct redact_setting *setting, struct err *err)
{
    static const struct secret_settings nothing = {0};
    const struct secret_settings *settings = setting->settings ? setting->settings : &nothing;
    struct redactor *redactor = xcalloc(1, sizeof(*redactor));
    redact_trie_init(&redactor->trie);
    redact_trie_init(&redactor->forms);
    redactor->listed = text_list_copy(settings->names);
    redactor->kept = text_list_copy(settings->keep);
    add_forms(redactor);
    const bool ok = add_patterns(redactor, settings, err) &&
                    redactor_add_variables(redactor, setting->environment, err) &&
                    add_plan(redactor, setting->plan, err);
    redact_trie_done(&redactor->forms);
    if (ok) {
        redact_trie_build(&redactor->trie);
        *out = redactor;
    } else {
        redactor_close(redactor);
    }
    return ok;
}

void redactor_close(struct redactor *redactor)
{
    if (!redactor)
        return;
    redact_trie_done(&redactor->trie);
    for (size_t i = 0; i < redactor->name_count; i++)
        free(redactor->names[i].text);
    for (size_t i = 0; i < redactor->pattern_count; i++)
        rule_pattern_close(redactor->patterns[i]);
    free(redactor->names);
    free(redactor->form_names);
    free(redactor->patterns);
    free(redactor->pattern_names);
    text_list_free(redactor->listed);
    text_list_free(redactor->kept);
    free(redactor);
}

bool redactor_hides(const struct redactor *redactor, const char *name)
{
    if (redactor && redact_is_listed(redactor->kept, name))
        return false;
    return (redactor && redact_is_listed(redactor->listed, name)) || redact_name_is_secret(name);
}

size_t redactor_name_count(const struct redactor *redactor)
{
    return redactor ? redactor->name_count : 0;
}

const char *redactor_name(const struct redactor *redactor, size_t index)
{
    return redactor->names[index].text;
}
