/* help.c - the help: its lines, its search and its keys.
 *
 * Tables in this file list related acts that share a line. While the user searches, each act has a
 * line of its own. */
#include "help.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "attr.h"
#include "term.h"
#include "text.h"

enum {
    HELP_JUMP = 10, /* lines moved by a page key */
    CTRL_D = 0x04,
    CTRL_U = 0x15,
};

/* Gets the line that a key moves to, which may be out of range: the caller clamps it. Returns false
 * for other keys. */
static bool move_choice(const struct help *help, const struct help_lines *lines, uint32_t key,
                        int *out)
{
    const int step = key == TERM_KEY_TAB ? 1 : -1;
    int group = help->chosen + step;
    switch (key) {
    case TERM_KEY_DOWN:
        *out = help->chosen + 1;
        return true;
    case TERM_KEY_UP:
        *out = help->chosen - 1;
        return true;
    case TERM_KEY_PAGE_DOWN:
    case CTRL_D:
        *out = help->chosen + HELP_JUMP;
        return true;
    case TERM_KEY_PAGE_UP:
    case CTRL_U:
        *out = help->chosen - HELP_JUMP;
        return true;
    case TERM_KEY_HOME:
        *out = 0;
        return true;
    case TERM_KEY_END:
        *out = lines->count - 1;
        return true;
    case TERM_KEY_TAB:
    case TERM_KEY_BACK_TAB: /* the first line of the next or previous group */
        while (group > 0 && group < lines->count && !help_lines_starts_group(lines, group))
            group += step;
        *out = group < lines->count ? group : help->chosen;
        return true;
    default:
        return false;
    }
}

void help_open(struct help *help, const struct keymap *keys, struct key_place place)
{
    *help = (struct help){.open = true, .keys = keys, .place = place};
    line_edit_open(&help->find);
}

enum act help_key(struct help *help, uint32_t key)
{
    if (!help->open)
        return UI_NONE;
    struct help_lines lines;
    help_lines_find(help, &lines);

    int chosen = 0;
    if (key == TERM_KEY_ENTER) {
        if (help->chosen >= lines.count)
            return UI_NONE;
        const struct help_line *line = &lines.at[help->chosen];
        if (!line->binding && !line->command)
            return UI_NONE;
        help->open = false;
        help->command = line->command ? line->command->name : NULL;
        return line->command ? UI_COMMAND : line->binding->act;
    }
    if (key == TERM_KEY_ESC || key == TERM_KEY_F1 || (key == '?' && help->find.len == 0)) {
        help->open = false;
        return UI_NONE;
    }
    if (move_choice(help, &lines, key, &chosen)) {
        if (chosen >= lines.count)
            chosen = lines.count - 1;
        help->chosen = chosen < 0 ? 0 : chosen;
        return UI_NONE;
    }
    size_t len = help->find.len;
    (void)line_edit_key(&help->find, key);
    if (help->find.len != len)
        help->chosen = 0;
    return UI_NONE;
}

enum {
    TOGETHER_MAX = 7,
    NAMES_APART = 3, /* if a line has more acts than this, there are no blanks between their keys */
};

static const char *const sign_words[] = {
    [SHOWN_NEEDS_YOU] = "only a person can help",
    [SHOWN_BACKOFF] = "waits for its next try",
    [SHOWN_RUNNING] = "its process is alive",
    [SHOWN_QUIET] = "running, no output",
    [SHOWN_STOPPING] = "cancelled, still running",
    [SHOWN_QUEUED] = "waits for its turn",
    [SHOWN_HELD] = "held by a person",
    [SHOWN_PASSED] = "all phases proven",
    [SHOWN_GAVE_UP] = "all tries are used up",
    [SHOWN_CANCELLED] = "by a person",
    [SHOWN_STUCK] = "loops, or may loop",
    [SHOWN_BLOCKED] = "a task it needs failed",
    [SHOWN_LOST] = "end not recorded",
};
static_assert(ARRAY_LEN(sign_words) == SHOWN_COUNT, "every sign has its words");

/* Acts that share a line unless the user is searching. */
static const struct help_together {
    enum act acts[TOGETHER_MAX]; /* UI_NONE after the last */
    const char *words;
} together[] = {
    {{UI_DOWN, UI_UP}, "line down, up"},
    {{UI_FIRST, UI_LAST}, "first, last line"},
    {{UI_HALF_DOWN, UI_HALF_UP}, "half a page down, up"},
    {{UI_PAGE_DOWN, UI_PAGE_UP}, "page down, up"},
    {{UI_LEFT, UI_RIGHT}, "left, right"},
    {{UI_PANE_NEXT, UI_PANE_PREV}, "next, previous pane"},
    {{UI_NEXT, UI_PREV}, "next, previous match"},
    {{UI_ERROR_NEXT, UI_ERROR_BACK}, "next, previous failure"},
    {{UI_MARK_RANGE, UI_MARK_ALL, UI_UNMARK}, "mark a range, all, none"},
    {{UI_EVENT_BACK, UI_EVENT_FORWARD}, "event back, forward"},
    {{UI_TRY_BACK, UI_TRY_FORWARD}, "previous, next try"},
    {{UI_TRY_START, UI_TRY_NEXT}, "to the previous, next try"},
    {{UI_SLOWER, UI_FASTER}, "slower, faster"},
    {{UI_START, UI_END}, "start, end (live)"},
    {{UI_TASKS, UI_DETAIL, UI_LOG, UI_FORENSICS, UI_TIMELINE, UI_RUNS, UI_HOSTS}, "the views"},
    {{UI_NEARER, UI_FARTHER, UI_WHOLE}, "zoom in, out, whole run"},
    {{UI_ORDER, UI_TURN}, "order, reverse"},
    {{UI_COPY, UI_COPY_PATH}, "copy, copy the path"},
    {{UI_BOOKMARK, UI_COMPARE, UI_LATER}, "bookmark, compare, later"},
    {{UI_ONLY_NEEDS_YOU, UI_NEEDS_YOU_NEXT}, "needs you: only, go to next"},
    {{UI_FREEZE, UI_REDRAW}, "freeze, redraw the screen"},
    {{UI_PAGER, UI_BUNDLE}, "$PAGER; one file to share"},
    {{UI_CANCEL, UI_KILL}, "cancel, kill (both ask)"},
};

/* Consecutive commands that share a line unless the user is searching. */
static const struct help_joined {
    const char *first, *last; /* names of commands in the table of commands */
    const char *name, *words;
} joined[] = {
    {"hold all", "cancel all", ":hold all", "or :release, :cancel"},
    {"tasks", "hosts", ":tasks ...:hosts", "views 1 to 8"},
    {"keys", "q", ":keys :help :q", "the keys; back, quit"},
};

const char *help_line_words(const struct help_line *line)
{
    if (line->together)
        return line->together->words;
    if (line->joined)
        return line->joined->words;
    if (line->command)
        return line->command->words;
    return line->binding ? line->binding->words : sign_words[line->sign];
}

const char *help_line_group(const struct help_line *line)
{
    if (line->binding)
        return keymap_group_name(line->binding->group);
    return line->command ? "COMMANDS" : "SIGNS";
}

const char *help_line_name(const struct help_line *line)
{
    return line->binding || line->command ? line->ascii : shown_word(line->sign);
}

/* Adds the line if it matches. */
static void add_line(struct help_lines *lines, const struct help_line *line, const char *find)
{
    const char *const texts[] = {help_line_words(line), help_line_name(line),
                                 help_line_group(line)};
    bool found = *find == '\0';
    for (size_t i = 0; i < ARRAY_LEN(texts) && !found; i++)
        found = words_find(texts[i], strlen(texts[i]), find) != NULL;
    if (!found)
        return;
    assert(lines->count < HELP_LINES_MAX);
    lines->at[lines->count++] = *line;
}

static void add_name(char keys[HELP_KEYS_MAX], uint32_t key, bool ascii, const char *between)
{
    char name[KEY_NAME_MAX];
    keymap_key_name(key, ascii, name);
    size_t len = strlen(keys);
    (void)snprintf(keys + len, HELP_KEYS_MAX - len, "%s%s", len > 0 ? between : "", name);
}

/* Returns the key that represents an act in a shared line: its first one, or a digit if the line
 * shows digits. */
static const struct key_binding *main_key(const struct help *help, enum act act, bool wants_digit)
{
    const struct key_binding *found = NULL;
    for (size_t i = 0; i < help->keys->count; i++) {
        const struct key_binding *row = &help->keys->rows[i];
        const bool is_digit = row->key >= '0' && row->key <= '9';
        if (row->act != act || (row->screens & (1u << help->place.screen)) == 0)
            continue;
        if (!found || (wants_digit && is_digit))
            found = row;
    }
    return found;
}

/* Returns the group of acts that share a line with this one on this screen; NULL if it has a line
 * of its own. Also NULL if one of the other acts has no key on this screen, because the line's text
 * names all acts of the group. */
static const struct help_together *find_together(const struct help *help, enum act act)
{
    const struct help_together *with = NULL;
    for (size_t i = 0; i < ARRAY_LEN(together) && !with; i++) {
        for (int k = 0; k < TOGETHER_MAX && together[i].acts[k] != UI_NONE; k++) {
            if (together[i].acts[k] == act)
                with = &together[i];
        }
    }
    for (int k = 0; with && k < TOGETHER_MAX && with->acts[k] != UI_NONE; k++) {
        if (!main_key(help, with->acts[k], false))
            return NULL;
    }
    return with;
}

/* Collects a line for each act that has a key on the screen under the help, in any mode. A line
 * with several acts runs the first act that works in the current mode. */
static void collect_keys(const struct help *help, bool is_brief, struct help_lines *out)
{
    for (size_t i = 0; i < help->keys->count; i++) {
        const struct key_binding *binding = &help->keys->rows[i];
        const struct help_together *with = is_brief ? find_together(help, binding->act) : NULL;
        const bool is_dense = with && with->acts[NAMES_APART] != UI_NONE;
        if ((binding->screens & (1u << help->place.screen)) == 0 ||
            (with && main_key(help, binding->act, is_dense) != binding))
            continue;
        int at = 0;
        while (at < out->count &&
               (with ? out->at[at].together != with : out->at[at].binding->act != binding->act))
            at++;
        assert(at < HELP_LINES_MAX);
        struct help_line *line = &out->at[at];
        if (at == out->count) {
            *line = (struct help_line){.binding = binding, .together = with};
            out->count++;
        } else if (!keymap_works(line->binding, help->place) &&
                   keymap_works(binding, help->place)) {
            line->binding = binding;
        }
        add_name(line->keys, binding->key, false, is_dense ? "" : " ");
        add_name(line->ascii, binding->key, true, is_dense ? "" : " ");
    }
}

static void add_commands(struct help_lines *out, const char *find)
{
    const struct command_row *command;
    const struct help_joined *skips = NULL; /* commands already included in a line */
    for (size_t i = 0; (command = view_command_at(i)); i++) {
        struct help_line line = {.command = command};
        if (skips) {
            skips = strcmp(skips->last, command->name) == 0 ? NULL : skips;
            continue;
        }
        for (size_t k = 0; *find == '\0' && k < ARRAY_LEN(joined); k++) {
            if (strcmp(joined[k].first, command->name) == 0)
                line.joined = &joined[k];
        }
        if (line.joined)
            (void)snprintf(line.ascii, sizeof(line.ascii), "%s", line.joined->name);
        else
            (void)snprintf(line.ascii, sizeof(line.ascii), ":%s %s", command->name,
                           command->argument);
        add_line(out, &line, find);
        skips = line.joined;
    }
}

void help_lines_find(const struct help *help, struct help_lines *out)
{
    const char *find = help->find.text;
    struct help_lines keys = {.count = 0};
    out->count = 0;
    collect_keys(help, *find == '\0', &keys);
    for (int i = 0; i < keys.count; i++)
        add_line(out, &keys.at[i], find);
    add_commands(out, find);
    for (enum shown sign = 0; sign < SHOWN_COUNT; sign++)
        add_line(out, &(struct help_line){.sign = sign}, find);
}

bool help_lines_starts_group(const struct help_lines *lines, int i)
{
    return i == 0 ||
           strcmp(help_line_group(&lines->at[i]), help_line_group(&lines->at[i - 1])) != 0;
}
