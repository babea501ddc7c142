/* Secrets: which strings of an environment, a plan and a configuration are secret, and how they are
 * masked. */
#define _GNU_SOURCE /* memmem(), explicit_bzero() */
#include "redact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "ascii.h"
#include "attr.h"
#include "plan.h"
#include "redact_internal.h"
#include "text.h"
#include "utf8.h"
#include "xalloc.h"

/* Which values are secrets, judging by their names and appearance; and the alphabets of secrets. */

bool redact_is_one_of(unsigned char c, const char *chars)
{
    return c != '\0' && strchr(chars, c);
}

bool redact_is_in(enum redact_alphabet alphabet, unsigned char c)
{
    const bool alnum = ascii_is_letter(c) || ascii_is_digit(c);
    switch (alphabet) {
    case REDACT_LETTER:
        return ascii_is_letter(c);
    case REDACT_ALNUM:
        return alnum;
    case REDACT_UPPER:
        return ascii_is_upper(c) || ascii_is_digit(c);
    case REDACT_HEX:
        return ascii_is_digit(c) || redact_is_one_of(c, "abcdefABCDEF");
    case REDACT_NAME:
        return alnum || c == '_';
    case REDACT_WORD:
        return alnum || c == '_' || c == '-';
    case REDACT_DOTTED:
        return alnum || redact_is_one_of(c, "_-.");
    case REDACT_BASE64:
        return alnum || redact_is_one_of(c, "+/=");
    case REDACT_BEARER:
        return alnum || redact_is_one_of(c, "._~+/=-");
    case REDACT_LABEL:
        return ascii_is_upper(c) || ascii_is_digit(c) || c == ' ';
    case REDACT_LOWER_HEX:
        return ascii_is_digit(c) || redact_is_one_of(c, "abcdef");
    case REDACT_PATH:
        return alnum || redact_is_one_of(c, "_-/@");
    case REDACT_COOKIE:
        return c > ' ' && c < 0x7f && !redact_is_one_of(c, "\"'\\;,");
    case REDACT_COOKIES:
        return c >= ' ' && c < 0x7f && !redact_is_one_of(c, "\"'\\");
    case REDACT_AUTHORITY:
        return c > ' ' && c != 0x7f && !redact_is_one_of(c, "/?#\"'<>()`\\|");
    }
    return false;
}

size_t redact_run(enum redact_alphabet alphabet, const char *bytes, size_t len, size_t limit)
{
    const size_t end = len < limit ? len : limit;
    size_t run = 0;
    while (run < end && redact_is_in(alphabet, (unsigned char)bytes[run]))
        run++;
    return run;
}

static const char mark_start[] = "[cut:";

/* Returns the next mark at or after `text` and its name, or NULL. */
static const char *next_mark(const char *text, char name[REDACT_NAME_MAX + 1])
{
    const size_t start = sizeof(mark_start) - 1;
    const char *at = strstr(text, mark_start);
    for (; at; at = strstr(at + 1, mark_start)) {
        const size_t len =
            redact_run(REDACT_DOTTED, at + start, strlen(at + start), REDACT_NAME_MAX);
        if (len == 0 || at[start + len] != ']')
            continue;
        memcpy(name, at + start, len);
        name[len] = '\0';
        return at;
    }
    return NULL;
}

bool redact_find_mark(const char *text, char name[REDACT_NAME_MAX + 1])
{
    return next_mark(text, name) != NULL;
}

bool redact_restore(const char *text, char *const *environment, struct str *out)
{
    char name[REDACT_NAME_MAX + 1];
    bool all = true;
    const char *mark = next_mark(text, name);
    for (; mark; mark = next_mark(text, name)) {
        const size_t name_len = strlen(name);
        const size_t len =
            sizeof(mark_start) +
            name_len; /* sizeof counts the NUL, which makes up for the closing bracket */
        const char *value = NULL;
        for (size_t i = 0; environment && environment[i] && !value; i++) {
            if (strncmp(environment[i], name, name_len) == 0 && environment[i][name_len] == '=')
                value = environment[i] + name_len + 1;
        }
        all = all && value;
        str_add_n(out, text, (size_t)(mark - text));
        if (value)
            str_add(out, value);
        else
            str_add_n(out, mark, len);
        text = mark + len;
    }
    str_add(out, text);
    return all;
}

enum {

    NUMBER_LEN = 16,  /* a number with fewer digits is not a secret: a time in ms has 13 */
    DISTINCT_MIN = 3, /* a secret has at least this many different bytes */
};

/* Match anywhere in a name. */
static const char *const parts[] = {"TOKEN",      "SECRET",  "PASSWORD",   "PASSWD",
                                    "PASSPHRASE", "PRIVATE", "CREDENTIAL", "AUTHORIZATION",
                                    "COOKIE",     "APIKEY"};
/* Match a whole word of a name. */
static const char *const words[] = {"KEY", "KEYS",  "AUTH",    "PASS", "PWD",
                                    "DSN", "CREDS", "WEBHOOK", "PAT",  "CONNSTR"};
/* Match the end of a word: ACCESSKEY, DBPASS, PGPWD. */
static const char *const endings[] = {"KEY", "PASS", "PWD"};
/* Words with such an ending that are not secret. */
static const char *const others[] = {"MONKEY", "TURKEY", "DONKEY",  "HOCKEY", "HOTKEY",
                                     "BYPASS", "OLDPWD", "COMPASS", "ASKPASS"};
/* As the last word of a name, these make the value a fact about a secret: a file, a location, a
 * number. */
static const char *const about[] = {
    "ALGORITHM", "COMMAND", "COUNT", "DIR",      "DISABLED", "EMAIL",    "ENABLED",  "ENDPOINT",
    "EXPIRES",   "EXPIRY",  "FILE",  "FILES",    "FOLDER",   "FORMAT",   "HELPER",   "HOST",
    "LAYOUT",    "LENGTH",  "LIMIT", "LOCATION", "MAX",      "METHOD",   "MIN",      "MODE",
    "NAME",      "PATH",    "PORT",  "PROMPT",   "PROVIDER", "REALM",    "REQUIRED", "SCOPE",
    "SCOPES",    "SIZE",    "SOCK",  "SOCKET",   "SOURCE",   "STORE",    "TIMEOUT",  "TTL",
    "TTY",       "TYPE",    "URL",   "URI",      "USER",     "USERNAME", "VERSION",  "PARALLELISM",
};
/* Whole names that are never secret. */
static const char *const never[] = {"PWD", "OLDPWD", "XAUTHORITY", "GPG_KEY", "PYTHON_GPG_KEY"};

static bool is_one_of(const char *word, size_t len, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(list[i]) == len && memcmp(list[i], word, len) == 0)
            return true;
    }
    return false;
}

/* Returns true if a part or a word of the name says that the value is secret. `name` must be in
 * upper case. */
static bool has_secret_word(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        if (strstr(name, parts[i]))
            return true;
    }
    const char *word = name;
    while (*word) {
        const size_t len = redact_run(REDACT_ALNUM, word, strlen(word), REDACT_NAME_MAX);
        bool has_ending = false;
        for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
            const size_t ending = strlen(endings[i]);
            has_ending = has_ending ||
                         (len > ending && memcmp(word + len - ending, endings[i], ending) == 0);
        }
        if (is_one_of(word, len, words, ARRAY_LEN(words)) ||
            (has_ending && !is_one_of(word, len, others, ARRAY_LEN(others))))
            return true;
        word += word[len] ? len + 1 : len;
    }
    return strstr(name, "CONNECTION_STRING") != NULL;
}

bool redact_name_is_secret(const char *text)
{
    char name[REDACT_NAME_MAX + 1] = {0}; /* the name in upper case */
    size_t len = strlen(text);
    if (len > REDACT_NAME_MAX) { /* drop the beginning, because the end says what the value is */
        text += len - REDACT_NAME_MAX;
        len = REDACT_NAME_MAX;
    }
    for (size_t i = 0; i < len; i++)
        name[i] = ascii_is_lower(text[i]) ? (char)(text[i] - 'a' + 'A') : text[i];
    const char *underscore = strrchr(name, '_');
    const char *last = underscore ? underscore + 1 : name;
    if (is_one_of(name, len, never, ARRAY_LEN(never)))
        return false;
    return has_secret_word(name) && !is_one_of(last, strlen(last), about, ARRAY_LEN(about));
}

/* Returns true if the name is in the list. Entries that end in '*' match prefixes. A NULL list
 * is empty. */
static bool redact_is_listed(char *const *list, const char *name)
{
    for (size_t i = 0; list && list[i]; i++) {
        const size_t len = strlen(list[i]);
        const bool is_start = len > 0 && list[i][len - 1] == '*';
        if (is_start ? strncmp(list[i], name, len - 1) == 0 : strcmp(list[i], name) == 0)
            return true;
    }
    return false;
}

/* Recognizes a path by its form alone: it begins with a directory that most systems have, or has no
 * capital letters, which base64 of this length always has. */
static bool is_path(const char *value, size_t len)
{
    static const char *const roots[] = {"/home/", "/usr/",   "/etc/", "/var/",    "/tmp/", "/run/",
                                        "/opt/",  "/root/",  "/mnt/", "/Users/",  "/dev/", "/srv/",
                                        "/proc/", "/media/", "/nix/", "/Library/"};
    for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
        if (redact_begins_with(value, len, roots[i]))
            return true;
    }
    const bool is_relative = redact_begins_with(value, len, "./") ||
                             redact_begins_with(value, len, "../") ||
                             redact_begins_with(value, len, "~/");
    if (!is_relative && value[0] != '/')
        return false;
    for (size_t i = 0; i < len; i++) {
        const bool fits = ascii_is_lower(value[i]) ||
                          redact_is_one_of((unsigned char)value[i], "0123456789/._-~");
        if (!fits)
            return false;
    }
    return true;
}

bool redact_may_be_secret(const char *value, size_t len)
{
    /* Settings and well-known passwords: redacting these would redact ordinary words, too. */
    static const char *const common[] = {
        "anonymous", "automatic", "changeit",  "changeme",    "disabled",
        "enabled",   "example",   "localhost", "mariadb",     "minioadmin",
        "optional",  "password",  "postgres",  "postgresql",  "production",
        "required",  "rabbitmq",  "undefined", "development", "unlimited",
    };
    char seen[DISTINCT_MIN];
    size_t distinct = 0;
    size_t digits = 0;
    if (len < REDACT_VALUE_MIN || is_path(value, len))
        return false;
    /* A plan read back from a log has its secrets redacted already. */
    if (memmem(value, len - 1, mark_start, sizeof(mark_start) - 1))
        return false;
    while (digits < len && redact_is_one_of((unsigned char)value[digits], "0123456789.,:+-"))
        digits++;
    if (digits == len && len < NUMBER_LEN)
        return false;
    for (size_t i = 0; i < len && distinct < DISTINCT_MIN; i++) {
        if (distinct == 0 || !memchr(seen, value[i], distinct))
            seen[distinct++] = value[i];
    }
    return distinct == DISTINCT_MIN && !is_one_of(value, len, common, ARRAY_LEN(common));
}

/*
 * The redactor: the names, values, forms and patterns to cut.
 */

/* Bytes that two pieces of a long value share, so that the pieces overlap in every encoding and
 * become one cut. */
enum { PIECE_OVERLAP = 16 };

/* A secret being added to the trie. */
struct adding {
    struct redactor *redactor;
    const char *name_text; /* NULL: use the name of the form */
    int name;              /* -1: not assigned yet */
    bool named;            /* the settings call it a secret, whatever it looks like */
};

/* Returns the number of a name; adds the name if it is new. */
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

    /* Marks appear in JSON and in lines, so their names need no escaping and cannot end them. */
    char shown[REDACT_NAME_MAX + 1];
    size_t len = strlen(text);
    if (len > REDACT_NAME_MAX)
        len = REDACT_NAME_MAX;
    for (size_t i = 0; i < len; i++)
        shown[i] = redact_is_in(REDACT_DOTTED, (unsigned char)text[i]) ? text[i] : '_';
    shown[len] = '\0';
    name->mark_len = (size_t)snprintf(name->mark, sizeof(name->mark), "[cut:%s]", shown);
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

/* Adds an encoded form of a value. If one of its first bytes is not a letter or digit, also adds
 * its escaped forms: base64 has characters that JSON and URLs escape, but its letters are hardly
 * ever escaped. */
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
        return true; /* another variable has the same value */
    redactor->value_count++;
    redactor->value_bytes += len;
    if (redactor->value_count > REDACT_VALUES_MAX || redactor->value_bytes > REDACT_BYTES_MAX) {
        (void)err_set(err, ERR_LIMIT, "secrets: %s: more than %d secrets, or more than %d bytes",
                      adding->name_text, REDACT_VALUES_MAX, REDACT_BYTES_MAX);
        return err_hint(err,
                        "list variables that are not secrets in \"secrets\": {\"keep\": [...]}");
    }
    redact_escaped_starts(bytes, len, add_start, redactor);
    redact_encode(bytes, len, add_code, adding);
    return true;
}

/* Returns the start of the UTF-8 character that contains the byte at `at`. */
static size_t character_start(const char *value, size_t at)
{
    for (int i = 0; i < 3 && at > 0 && utf8_is_inner(value[at]); i++)
        at--;
    return at;
}

/* Adds a value, or a line of one, without the blanks around it. Splits a long value into
 * overlapping pieces. */
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

/* Adds the value also with the CR LF line ends of terminals and other systems. */
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

/* If the form begins at `at`, adds the part to cut as a value. */
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

/* Adds the parts of the string that have a known form: the password of a URL, a token in an
 * argument, ... */
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

/* Adds the parts of `text` that have a known form, each under the name of its form. `text` may be
 * NULL. */
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
    if (whole && memchr(value, '\n', len)) {
        if (!add_with_returns(&adding, value, len, err))
            return false;
        for (size_t at = 0; at < len;) {
            const char *end = memchr(value + at, '\n', len - at);
            const size_t line = end ? (size_t)(end - value) - at : len - at;
            if (!add_value(&adding, value + at, line, err))
                return false;
            at += line + 1;
        }
    }
    return add_forms(&adding, value, err);
}

/* Adds the secrets among the variables ("NAME=value", NULL-terminated; may be NULL) to the trie.
 * Fails with ERR_LIMIT if there are too many. */
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

/* Adds the starts of the known forms, as they are and in base64. */
static void add_form_starts(struct redactor *redactor)
{
    const size_t count = redact_form_count();
    char start[REDACT_BASE64_START];
    redactor->form_names = xcalloc(count, sizeof(*redactor->form_names));
    for (size_t i = 0; i < count; i++) {
        const char *name = redact_form_name(i);
        redactor->form_names[i] = -1;
        if (redact_is_listed(redactor->kept, name))
            continue;
        redactor->form_names[i] = redactor_name_of(redactor, name, REDACT_RANK_FORM);
        redact_trie_add_form(&redactor->trie, redact_form_start(i), (int)i);
        for (size_t place = 0; place < REDACT_PLACES; place++) {
            const size_t number = i + (REDACT_FIRST_PLACE + place) * count;
            for (int url = 0; url < 2; url++) {
                if (redact_base64_start(i, place, url == 1, start))
                    redact_trie_add_form(&redactor->trie, start, (int)number);
            }
        }
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

static bool add_plan(struct redactor *redactor, const struct plan *plan, struct err *err)
{
    bool ok = !plan || redactor_add_text(redactor, plan->name, err);
    for (int i = 0; ok && plan && i < plan->task_count; i++) {
        const struct plan_task *task = &plan->tasks[i];
        ok = redactor_add_text(redactor, task->title, err);
        for (int k = 0; ok && k < task->step_count; k++) {
            const struct plan_step *step = &task->steps[k];
            char *const *of_agent = step->agent ? adapter_env(step->agent->adapter) : NULL;
            for (size_t arg = 0; ok && step->argv[arg]; arg++)
                ok = redactor_add_text(redactor, step->argv[arg], err);
            ok = ok && redactor_add_variables(redactor, of_agent, err) &&
                 redactor_add_variables(redactor, step->env, err) &&
                 redactor_add_text(redactor, step->cwd, err) &&
                 redactor_add_text(redactor, step->stdin_path, err);
        }
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
    add_form_starts(redactor);
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
