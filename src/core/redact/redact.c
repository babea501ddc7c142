#define _GNU_SOURCE /* memmem(), explicit_bzero() */

#include "redact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "ascii.h"
#include "plan.h"
#include "redact_encode.h"
#include "redact_escape.h"
#include "redact_forms.h"
#include "redact_words.h"
#include "redactor.h"
#include "text_list.h"
#include "utf8.h"
#include "xalloc.h"

/* Bytes that two pieces of a long value share: enough that the pieces overlap in every encoding and
 * are cut as one. */
enum { PIECE_OVERLAP = 16 };

/* A secret on its way into the trie. */
struct adding {
    struct redactor *redactor;
    const char *name_text; /* NULL: the form's */
    int name;              /* -1: not used yet */
    bool named;            /* the settings say that it is one, whatever it looks like */
};

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

/* The number of a name; it is added if it is not there. */
static int redactor_name_of(struct redactor *redactor, const char *text, enum redact_rank rank)
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

static int name_of(struct adding *adding)
{
    if (adding->name < 0)
        adding->name = redactor_name_of(adding->redactor, adding->name_text, REDACT_RANK_VALUE);
    return adding->name;
}

static void add_start(void *ctx, const unsigned char *bytes, size_t len)
{
    struct redactor *redactor = ctx;
    redact_trie_add_start(&redactor->trie, bytes, len);
}

/* Base64 has characters that JSON and URLs escape; hardly anything escapes its letters. */
static void add_code(void *ctx, const char *bytes, size_t len)
{
    struct adding *adding = ctx;
    if (len < REDACT_VALUE_MIN)
        return;
    redact_trie_add_code(&adding->redactor->trie, bytes, len, name_of(adding));
    if (redact_run(REDACT_ALNUM, bytes, len, REDACT_STARTS_INDEXES) < REDACT_STARTS_INDEXES)
        redact_escaped_starts(bytes, len, add_start, adding->redactor);
}

static bool add_piece(struct adding *adding, const char *bytes, size_t len, struct err *err)
{
    struct redactor *redactor = adding->redactor;
    if (!redact_trie_add_value(&redactor->trie, bytes, len, name_of(adding)))
        return true; /* another variable has the same */
    redactor->value_count++;
    redactor->value_bytes += len;
    if (redactor->value_count > REDACT_VALUES_MAX || redactor->value_bytes > REDACT_BYTES_MAX) {
        (void)err_set(err, ERR_LIMIT, "secrets: %s: there are more than %d, or more than %d bytes",
                      adding->name_text, REDACT_VALUES_MAX, REDACT_BYTES_MAX);
        return err_hint(err, "name variables that are none in \"secrets\": {\"keep\": [...]}");
    }
    redact_escaped_starts(bytes, len, add_start, redactor);
    redact_encode(bytes, len, add_code, adding);
    return true;
}

/* Where a character of UTF-8 begins, at `at` or a little before. */
static size_t character_start(const char *value, size_t at)
{
    for (int i = 0; i < 3 && at > 0 && utf8_is_inner(value[at]); i++)
        at--;
    return at;
}

/* A value, or one line of it, without the blanks around it. */
static bool add_value(struct adding *adding, const char *value, size_t len, struct err *err)
{
    while (len > 0 && ascii_is_blank(value[0])) {
        value++;
        len--;
    }
    while (len > 0 && ascii_is_blank(value[len - 1]))
        len--;
    if (len < REDACT_VALUE_MIN || (!adding->named && !redact_may_be_secret(value, len)))
        return true;
    while (len > REDACT_PIECE_MAX) {
        const size_t piece = character_start(value, REDACT_PIECE_MAX);
        if (!add_piece(adding, value, piece, err))
            return false;
        const size_t step = character_start(value, piece - PIECE_OVERLAP);
        value += step;
        len -= step;
    }
    return add_piece(adding, value, len, err);
}

static bool add_lines(struct adding *adding, const char *value, size_t len, struct err *err)
{
    size_t at = 0;
    while (at < len) {
        const char *end = memchr(value + at, '\n', len - at);
        const size_t line = end ? (size_t)(end - value) - at : len - at;
        if (!add_value(adding, value + at, line, err))
            return false;
        at += line + 1;
    }
    return true;
}

/* The same with the line ends of terminals and of other systems. */
static bool add_with_returns(struct adding *adding, const char *value, size_t len, struct err *err)
{
    char *copy = xcalloc(2 * len + 1, 1);
    size_t to = 0;
    for (size_t i = 0; i < len; i++) {
        if (value[i] == '\n' && (i == 0 || value[i - 1] != '\r'))
            copy[to++] = '\r';
        copy[to++] = value[i];
    }
    const bool ok = add_value(adding, copy, to, err);
    explicit_bzero(copy, 2 * len + 1);
    free(copy);
    return ok;
}

/* If the form begins at `at`, the part to cut is a value. */
static bool add_form(struct adding *adding, int form, const char *text, size_t at, struct err *err)
{
    struct redactor *redactor = adding->redactor;
    const struct redact_place place = {.bytes = text + at,
                                       .len = strlen(text + at),
                                       .before = at > 0 ? (unsigned char)text[at - 1] : -1,
                                       .ended = true};
    struct redact_cut cut;
    if (redact_form_look((size_t)form, &place, &cut) != REDACT_CUT)
        return true;
    cut.end += redact_tail_take(&cut.tail, place.bytes + cut.end, place.len - cut.end, true);
    struct adding own = *adding;
    if (!own.name_text) {
        own.name = redactor->form_names[form];
        own.name_text = redact_form_name((size_t)form);
    }
    return add_value(&own, place.bytes + cut.start, cut.end - cut.start, err);
}

/* The password of a URL, a token in an argument, ... */
static bool add_forms(struct adding *adding, const char *text, struct err *err)
{
    const struct redact_trie *trie = &adding->redactor->forms;
    const size_t len = strlen(text);
    uint32_t node = REDACT_TRIE_ROOT;
    for (size_t at = 0; at < len; at++) {
        node = redact_trie_step(trie, node, (unsigned char)text[at]);
        uint32_t end = redact_trie_ends(trie, node);
        for (; end != REDACT_TRIE_ROOT; end = trie->nodes[end].also) {
            const struct redact_node *form = &trie->nodes[end];
            if (!add_form(adding, form->form, text, at + 1 - form->depth, err))
                return false;
        }
    }
    return true;
}

/* What of a text has a known form is a secret, too; under the form's name. NULL: no text. */
static bool redactor_add_text(struct redactor *redactor, const char *text, struct err *err)
{
    struct adding adding = {.redactor = redactor, .name = -1};
    return !text || add_forms(&adding, text, err);
}

static bool add_variable(struct redactor *redactor, const char *name, const char *value,
                         struct err *err)
{
    const size_t len = strlen(value);
    struct adding adding = {.redactor = redactor, .name_text = name, .name = -1};
    if (redact_is_listed(redactor->kept, name) || len < REDACT_VALUE_MIN)
        return true;
    adding.named = redact_is_listed(redactor->listed, name);
    const bool whole = adding.named || redact_name_is_secret(name);
    if (whole && !add_value(&adding, value, len, err))
        return false;
    const bool has_lines = whole && memchr(value, '\n', len);
    if (has_lines &&
        (!add_with_returns(&adding, value, len, err) || !add_lines(&adding, value, len, err)))
        return false;
    return add_forms(&adding, value, err);
}

/* The secrets among variables ("NAME=value", ends with NULL; NULL = none) go into the trie.
 * ERR_LIMIT. */
static bool redactor_add_variables(struct redactor *redactor, char *const *environment,
                                   struct err *err)
{
    for (size_t i = 0; environment && environment[i]; i++) {
        const char *equals = strchr(environment[i], '=');
        if (!equals)
            continue;
        char *name = xstrndup(environment[i], (size_t)(equals - environment[i]));
        const bool ok = add_variable(redactor, name, equals + 1, err);
        free(name);
        if (!ok)
            return false;
    }
    return true;
}

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

static void add_encoded_forms(struct redactor *redactor)
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
    add_encoded_forms(redactor);
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
