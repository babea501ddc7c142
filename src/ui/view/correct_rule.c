/* correct_rule.c - the fields of a new rule: filled, checked, as JSON. */
#include <stdio.h>
#include <string.h>

#include "classify.h"
#include "correct.h"
#include "json.h"
#include "rule_list.h"
#include "text.h"

enum { NAMES_TRIED_MAX = 100 };

static const char name_bytes[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
/* What means something in a pattern outside of brackets. */
static const char pattern_signs[] = "\\^$.[|()?*+{";

static void set_field(struct correct *correct, enum correct_field field, const char *text)
{
    struct line_edit *edit = &correct->fields[field];
    edit->len = text_cut(text, strlen(text), sizeof(edit->text) - 1);
    memcpy(edit->text, text, edit->len);
    edit->text[edit->len] = '\0';
    edit->open = true;
}

/* Is there a rule of that name in a person's list? */
static bool is_taken(const char *rules, const char *name)
{
    struct json *list = NULL;
    bool found = false;
    if (!rules || !json_parse(rules, strlen(rules), &list, NULL, NULL))
        return false;
    for (size_t i = 0; i < json_count(list) && !found; i++)
        found = strcmp(rule_list_name(json_at(list, i)), name) == 0;
    json_free(list);
    return found;
}

/* "my-network", "my-network-2", ... */
static void fill_name(struct correct *correct, const char *word)
{
    char name[VERDICT_RULE_MAX];
    (void)snprintf(name, sizeof(name), "my-%s", word);
    for (int i = 2; i < NAMES_TRIED_MAX && is_taken(correct->rules, name); i++)
        (void)snprintf(name, sizeof(name), "my-%s-%d", word, i);
    set_field(correct, CORRECT_ID, name);
}

/* The line, so that it means nothing but itself; cut between two characters if there is
 * no room for all of it. A line feed would match nothing: what follows it is left out. */
static void fill_pattern(struct correct *correct)
{
    const char *line = correct->line;
    size_t len = strcspn(line, "\r\n");
    char pattern[LINE_EDIT_MAX];
    size_t used = 0;
    for (size_t at = 0; at < len;) {
        uint32_t rune = 0;
        size_t bytes = (size_t)text_rune(line + at, len - at, &rune);
        bool quoted = strchr(pattern_signs, line[at]) != NULL;
        if (used + bytes + quoted >= sizeof(pattern))
            break;
        if (quoted)
            pattern[used++] = '\\';
        memcpy(pattern + used, line + at, bytes);
        used += bytes;
        at += bytes;
    }
    pattern[used] = '\0';
    set_field(correct, CORRECT_PATTERN, pattern);
}

void correct_rule_begin(struct correct *correct, const struct verdict_label *label)
{
    char word[VERDICT_WORD_MAX];
    (void)correct_word(label, word);
    correct->field = CORRECT_PATTERN;
    fill_name(correct, word);
    set_field(correct, CORRECT_CLASS, word);
    fill_pattern(correct);
    correct->unchecked = true;
}

void correct_rule_json(const struct correct *correct, struct str *out)
{
    struct verdict_label label;
    if (!verdict_label_parse(correct->fields[CORRECT_CLASS].text, &label))
        label = (struct verdict_label){.class = VERDICT_PERSISTENT}; /* it will not be sound */
    str_add_char(out, '{');
    str_json_text(out, "name", correct->fields[CORRECT_ID].text);
    str_json_text(out, "verdict", verdict_class_name(label.class));
    if (label.class == VERDICT_TRANSIENT)
        str_json_text(out, "type", transient_type_name(label.type));
    else if (label.reason != REASON_NONE)
        str_json_text(out, "reason", reason_name(label.reason));
    str_json_text(out, "pattern", correct->fields[CORRECT_PATTERN].text);
    str_add_char(out, '}');
}

/* What the classifier would take, but is no rule that anybody wants. */
static const char *plain_problem(const struct correct *correct)
{
    struct verdict_label label = {.class = VERDICT_SUCCESS};
    const struct line_edit *id = &correct->fields[CORRECT_ID];
    if (id->len == 0)
        return "id: it needs one";
    if (strspn(id->text, name_bytes) != id->len)
        return "id: letters, digits, dots, - and _ only";
    if (id->len >= VERDICT_RULE_MAX)
        return "id: too long";
    if (!verdict_label_parse(correct->fields[CORRECT_CLASS].text, &label))
        return "class: a word of the list, like network, test-fail or persistent";
    if (label.class == VERDICT_SUCCESS)
        return "class: a rule says why something failed";
    if (strspn(correct->fields[CORRECT_PATTERN].text, " ") == correct->fields[CORRECT_PATTERN].len)
        return "pattern: it is empty and would match everything";
    return NULL;
}

/* "rule 1 'my-network': pattern, byte 2: ..." without what the screen says anyhow. */
static const char *without_head(const char *message)
{
    const char *end = strncmp(message, "rule ", 5) == 0 ? strstr(message, "': ") : NULL;
    return end ? end + 3 : message;
}

static bool compiles(const struct correct *correct, struct err *err)
{
    struct classifier *classifier = NULL;
    struct str rule = {0};
    struct str list = {0};
    correct_rule_json(correct, &rule);
    bool ok = rule_list_add(correct->rules, str_text(&rule), &list, err) &&
              classifier_open(&classifier, str_text(&list), err);
    classifier_close(classifier);
    str_done(&rule);
    str_done(&list);
    return ok;
}

void correct_rule_check(struct correct *correct)
{
    struct err err = {0};
    if (!correct->unchecked)
        return;
    correct->unchecked = false;
    const char *problem = plain_problem(correct);
    if (!problem && !compiles(correct, &err))
        problem = without_head(err.message);
    (void)snprintf(correct->problem, sizeof(correct->problem), "%s", problem ? problem : "");
}
