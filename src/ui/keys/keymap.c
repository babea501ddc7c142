/* keymap.c - the table of keys, and everything derived from it: look-up, names, footer, text and
 * JSON. */
#include "keymap.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "attr.h"
#include "str.h"
#include "term.h"
#include "text.h"

/* The modes as bits. KEYS_IN_TIME: the modes that allow moving in time. */
enum {
    KEYS_IN_LIVE = 1 << KEYMAP_LIVE,
    KEYS_IN_PAST = 1 << KEYMAP_PAST,
    KEYS_IN_REPLAY = 1 << KEYMAP_REPLAY,
    KEYS_IN_TIME = KEYS_IN_PAST | KEYS_IN_REPLAY,
    KEYS_IN_ALL = KEYS_IN_LIVE | KEYS_IN_TIME,
};

#define CTRL(letter) ((letter)&0x1f)

enum { ALL = KEYS_IN_ALL, ON_ALL = KEYS_ON_ALL };

/* All default keys. Bindings of the same act are adjacent, and texts name the first one. The groups
 * are in the order of the help. */
static const struct key_binding bindings[] = {
    {'j', UI_DOWN, KEYS_MOVE, ALL, ON_ALL, "down", "line down"},
    {TERM_KEY_DOWN, UI_DOWN, KEYS_MOVE, ALL, ON_ALL, "down", "line down"},
    {'k', UI_UP, KEYS_MOVE, ALL, ON_ALL, "up", "line up"},
    {TERM_KEY_UP, UI_UP, KEYS_MOVE, ALL, ON_ALL, "up", "line up"},
    {'g', UI_FIRST, KEYS_MOVE, ALL, ON_ALL, "first", "first line"},
    {TERM_KEY_HOME, UI_FIRST, KEYS_MOVE, ALL, ON_ALL, "first", "first line"},
    {'G', UI_LAST, KEYS_MOVE, ALL, ON_ALL, "last", "last line"},
    {TERM_KEY_END, UI_LAST, KEYS_MOVE, ALL, ON_ALL, "last", "last line"},
    {CTRL('D'), UI_HALF_DOWN, KEYS_MOVE, ALL, ON_ALL, "half down", "half a page down"},
    {CTRL('U'), UI_HALF_UP, KEYS_MOVE, ALL, ON_ALL, "half up", "half a page up"},
    {TERM_KEY_PAGE_DOWN, UI_PAGE_DOWN, KEYS_MOVE, ALL, ON_ALL, "page down", "page down"},
    {TERM_KEY_PAGE_UP, UI_PAGE_UP, KEYS_MOVE, ALL, ON_ALL, "page up", "page up"},
    {'h', UI_LEFT, KEYS_MOVE, ALL, KEYS_ON_TIMELINE, "left", "left"},
    {TERM_KEY_LEFT, UI_LEFT, KEYS_MOVE, ALL, KEYS_ON_TIMELINE, "left", "left"},
    {'h', UI_LEFT, KEYS_MOVE, ALL, KEYS_ON_LOG, "left", "scroll left"},
    {TERM_KEY_LEFT, UI_LEFT, KEYS_MOVE, ALL, KEYS_ON_LOG, "left", "scroll left"},
    {'l', UI_RIGHT, KEYS_MOVE, ALL, KEYS_ON_TIMELINE, "right", "right"},
    {TERM_KEY_RIGHT, UI_RIGHT, KEYS_MOVE, ALL, KEYS_ON_TIMELINE, "right", "right"},
    {'l', UI_RIGHT, KEYS_MOVE, ALL, KEYS_ON_LOG, "right", "scroll right"},
    {TERM_KEY_RIGHT, UI_RIGHT, KEYS_MOVE, ALL, KEYS_ON_LOG, "right", "scroll right"},
    {TERM_KEY_TAB, UI_PANE_NEXT, KEYS_MOVE, ALL, ON_ALL, "pane", "next pane"},
    {TERM_KEY_BACK_TAB, UI_PANE_PREV, KEYS_MOVE, ALL, ON_ALL, "pane back", "previous pane"},
    {TERM_KEY_ENTER, UI_OPEN, KEYS_MOVE, ALL, ON_ALL, "open", "open the task; fold, unfold"},
    {TERM_KEY_ESC, UI_BACK, KEYS_MOVE, ALL, ON_ALL, "back", "close, or go back"},

    {'/', UI_FILTER, KEYS_FIND, ALL, ON_ALL, "filter", "filter list, find in text"},
    {'n', UI_NEXT, KEYS_FIND, ALL, ON_ALL, "next", "next match"},
    {'N', UI_PREV, KEYS_FIND, ALL, ON_ALL, "previous", "previous match"},
    {'&', UI_ONLY_MATCHES, KEYS_FIND, ALL, KEYS_ON_LOG, "only matches", "only matching lines"},
    {'e', UI_ERROR_NEXT, KEYS_FIND, ALL, KEYS_ON_LOG, "error", "next error"},
    {'e', UI_ERROR_NEXT, KEYS_FIND, ALL, KEYS_ON_LISTS | KEYS_ON_DETAIL, "failure", "next failure"},
    {'E', UI_ERROR_BACK, KEYS_FIND, ALL, KEYS_ON_LOG, "error back", "previous error"},
    {'E', UI_ERROR_BACK, KEYS_FIND, ALL, KEYS_ON_LISTS | KEYS_ON_DETAIL, "failure back",
     "previous failure"},
    {'!', UI_ONLY_NEEDS_YOU, KEYS_FIND, ALL, ON_ALL, "needs-you", "only tasks that need you"},
    {'a', UI_NEEDS_YOU_NEXT, KEYS_FIND, ALL, ON_ALL, "go there", "next task that needs you"},

    {'r', UI_RETRY, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_A_TASK, "retry now",
     "retry now (fault: send one)"},
    {'R', UI_RETRY_WITH, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_A_TASK, "retry…",
     "retry with hint, limits"},
    {'x', UI_CANCEL, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_A_TASK, "cancel", "cancel: choose s, t or K"},
    {'X', UI_KILL, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_A_TASK, "kill", "kill now: confirm with K"},
    {'p', UI_HOLD, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_A_TASK, "hold", "hold, release (fault: all)"},
    {'u', UI_UNDO, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_A_TASK, "undo", "undo, within 5 s"},
    {'C', UI_CORRECT, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_A_TASK, "correct",
     "correct a class, add a rule"},
    {' ', UI_MARK, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_LISTS, "mark", "mark tasks to act on"},
    {'v', UI_MARK_RANGE, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_LISTS, "range", "mark a range"},
    {'*', UI_MARK_ALL, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_LISTS, "all", "mark all shown"},
    {'U', UI_UNMARK, KEYS_ACT, KEYS_IN_LIVE, KEYS_ON_LISTS, "unmark", "unmark all"},

    {' ', UI_PLAY, KEYS_TIME, KEYS_IN_TIME, KEYS_ON_A_RUN, "play", "play, pause"},
    {',', UI_EVENT_BACK, KEYS_TIME, ALL, KEYS_ON_A_RUN, "rewind", "event back, into the past"},
    {'.', UI_EVENT_FORWARD, KEYS_TIME, KEYS_IN_TIME, KEYS_ON_A_RUN, "event", "one event forward"},
    {'[', UI_TRY_BACK, KEYS_TIME, ALL, KEYS_ON_TRIES, "prev try", "previous try"},
    {']', UI_TRY_FORWARD, KEYS_TIME, ALL, KEYS_ON_TRIES, "next try", "next try"},
    {'[', UI_TRY_START, KEYS_TIME, KEYS_IN_TIME, KEYS_ON_LISTS, "try back", "to the previous try"},
    {']', UI_TRY_NEXT, KEYS_TIME, KEYS_IN_TIME, KEYS_ON_LISTS, "try", "to the next try"},
    {'<', UI_SLOWER, KEYS_TIME, KEYS_IN_TIME, KEYS_ON_A_RUN, "slower", "slower"},
    {'>', UI_FASTER, KEYS_TIME, KEYS_IN_TIME, KEYS_ON_A_RUN, "faster", "faster"},
    {'b', UI_GO_TO, KEYS_TIME, ALL, KEYS_ON_A_RUN, "go to time", "go to a time, a try"},
    {'m', UI_BOOKMARK, KEYS_TIME, KEYS_IN_TIME, KEYS_ON_A_RUN, "bookmark",
     "add or remove a bookmark"},
    {'=', UI_COMPARE, KEYS_TIME, ALL, KEYS_ON_DETAIL | KEYS_ON_LOG, "compare", "compare two tries"},
    {'=', UI_COMPARE, KEYS_TIME, ALL, KEYS_ON_LISTS, "what if", "try other policies"},
    {'L', UI_LATER, KEYS_TIME, KEYS_IN_TIME, KEYS_ON_A_TASK, "later", "show, hide later events"},
    {'0', UI_START, KEYS_TIME, KEYS_IN_TIME, KEYS_ON_TRIES | KEYS_ON_TASKS | KEYS_ON_HOSTS, "start",
     "start of the run"},
    {'$', UI_END, KEYS_TIME, KEYS_IN_TIME, ON_ALL, "end", "end of the run, live"},

    {'F', UI_FOLLOW, KEYS_SEE, ALL, ON_ALL, "follow", "follow the end of the log"},
    {'1', UI_TASKS, KEYS_SEE, ALL, ON_ALL, "tasks", "all tasks"},
    {'2', UI_DETAIL, KEYS_SEE, ALL, ON_ALL, "detail", "the selected task alone"},
    {'3', UI_LOG, KEYS_SEE, ALL, ON_ALL, "log", "full output of a try"},
    {'w', UI_WRAP, KEYS_SEE, ALL, KEYS_ON_LOG, "wrap", "wrap long lines, or cut"},
    {'V', UI_RAW, KEYS_SEE, ALL, KEYS_ON_LOG, "raw", "raw agent output"},
    {'z', UI_ZOOM, KEYS_SEE, ALL, KEYS_ON_TASKS | KEYS_ON_DETAIL, "zoom", "zoom this pane"},
    {'+', UI_NEARER, KEYS_SEE, ALL, KEYS_ON_TIMELINE, "zoom", "zoom in: less time"},
    {'-', UI_FARTHER, KEYS_SEE, ALL, KEYS_ON_TIMELINE, "farther", "zoom out: more time"},
    {'0', UI_WHOLE, KEYS_SEE, ALL, KEYS_ON_TIMELINE, "all", "the whole run"},
    {'f', UI_FOLD_IDLE, KEYS_SEE, ALL, KEYS_ON_TIMELINE, "fold idle", "fold idle time"},
    {'i', UI_FORENSICS, KEYS_SEE, ALL, ON_ALL, "forensics", "forensics: why it ended"},
    {'4', UI_FORENSICS, KEYS_SEE, ALL, ON_ALL, "forensics", "forensics: why it ended"},
    {'5', UI_TIMELINE, KEYS_SEE, ALL, ON_ALL, "timeline", "when tasks ran and waited"},
    {'6', UI_RUNS, KEYS_SEE, ALL, ON_ALL, "runs", "all runs in the log"},
    {'8', UI_HOSTS, KEYS_SEE, ALL, ON_ALL, "hosts", "machines that run tasks"},
    {'s', UI_ORDER, KEYS_SEE, ALL, KEYS_ON_LISTS, "order", "order of the tasks"},
    {'S', UI_TURN, KEYS_SEE, ALL, KEYS_ON_LISTS, "reverse", "reverse the order"},
    {'H', UI_FINISHED, KEYS_SEE, ALL, KEYS_ON_LISTS, "hide", "hide or show passed tasks"},
    {'t', UI_TIMES, KEYS_SEE, ALL, KEYS_ON_A_RUN, "time", "times: ago, clock, UTC"},
    {'Z', UI_FREEZE, KEYS_SEE, ALL, ON_ALL, "freeze", "freeze the screen"},
    {CTRL('L'), UI_REDRAW, KEYS_SEE, ALL, ON_ALL, "redraw", "redraw the screen"},

    {'y', UI_COPY, KEYS_OTHER, ALL, ON_ALL, "copy", "copy task, visible lines"},
    {'Y', UI_COPY_PATH, KEYS_OTHER, ALL, ON_ALL, "copy path", "copy the path"},
    {'o', UI_PAGER, KEYS_OTHER, ALL, KEYS_ON_A_TASK, "$PAGER", "read the text in $PAGER"},
    {'W', UI_BUNDLE, KEYS_OTHER, ALL, ON_ALL, "bundle", "write one file to share"},
    {'M', UI_MOUSE, KEYS_OTHER, ALL, ON_ALL, "mouse", "mouse capture on, off"},
    {':', UI_COMMAND, KEYS_OTHER, ALL, ON_ALL, "command", "a command; Tab completes it"},
    {'?', UI_HELP, KEYS_OTHER, ALL, ON_ALL, "help", "these keys"},
    {TERM_KEY_F1, UI_HELP, KEYS_OTHER, ALL, ON_ALL, "help", "these keys"},
    {CTRL('Z'), UI_SUSPEND, KEYS_OTHER, ALL, ON_ALL, "suspend", "suspend devs; fg resumes"},
    {'q', UI_QUIT, KEYS_OTHER, ALL, ON_ALL, "quit", "back; quit at the top"},
    {CTRL('C'), UI_QUIT, KEYS_OTHER, ALL, ON_ALL, "quit", "back; quit at the top"},
};

static const char *const refusals[] = {
    [KEYMAP_LIVE] = "works only in the past or in a replay: {event-back} goes back",
    [KEYMAP_PAST] = "the past is read only: {end} goes back",
    [KEYMAP_REPLAY] = "a replay is read only",
};
static_assert(ARRAY_LEN(refusals) == KEYMAP_MODE_COUNT, "every mode says why not");

const struct keymap *keymap_builtin(void)
{
    static const struct keymap builtin = {bindings, ARRAY_LEN(bindings)};
    return &builtin;
}

static bool is_of_screen(const struct key_binding *binding, struct key_place place)
{
    return (binding->screens & (1u << place.screen)) != 0;
}

const struct key_binding *keymap_find(const struct keymap *keys, struct key_place place,
                                      uint32_t key)
{
    const struct key_binding *elsewhere = NULL;
    for (size_t i = 0; i < keys->count; i++) {
        if (keys->rows[i].key != key)
            continue;
        if (keymap_works(&keys->rows[i], place))
            return &keys->rows[i];
        if (!elsewhere || is_of_screen(&keys->rows[i], place))
            elsewhere = &keys->rows[i];
    }
    return elsewhere;
}

bool keymap_works(const struct key_binding *binding, struct key_place place)
{
    return is_of_screen(binding, place) && (binding->modes & (1u << place.mode)) != 0;
}

const char *keymap_refusal(const struct key_binding *binding, struct key_place place)
{
    assert(!keymap_works(binding, place));
    return is_of_screen(binding, place) ? refusals[place.mode]
                                        : "does nothing on this screen: {help} lists its keys";
}

const struct key_binding *keymap_of(const struct keymap *keys, enum act act, struct key_place place)
{
    for (size_t i = 0; i < keys->count; i++) {
        if (keys->rows[i].act == act && keymap_works(&keys->rows[i], place))
            return &keys->rows[i];
    }
    return NULL;
}

enum { CONTROL_BITS = 0x1f };

/* Names of the acts in a key file. */
static const char *const act_names[UI_ACT_COUNT] = {
    [UI_NONE] = "none",
    [UI_DOWN] = "down",
    [UI_UP] = "up",
    [UI_FIRST] = "first",
    [UI_LAST] = "last",
    [UI_HALF_DOWN] = "half-down",
    [UI_HALF_UP] = "half-up",
    [UI_PAGE_DOWN] = "page-down",
    [UI_PAGE_UP] = "page-up",
    [UI_LEFT] = "left",
    [UI_RIGHT] = "right",
    [UI_OPEN] = "open",
    [UI_BACK] = "back",
    [UI_PANE_NEXT] = "pane-next",
    [UI_PANE_PREV] = "pane-back",
    [UI_ZOOM] = "zoom",
    [UI_FILTER] = "filter",
    [UI_NEXT] = "match-next",
    [UI_PREV] = "match-back",
    [UI_ONLY_MATCHES] = "match-only",
    [UI_ERROR_NEXT] = "error-next",
    [UI_ERROR_BACK] = "error-back",
    [UI_NEEDS_YOU_NEXT] = "needs-you-next",
    [UI_ONLY_NEEDS_YOU] = "needs-you-only",
    [UI_ORDER] = "order",
    [UI_TURN] = "order-turn",
    [UI_FINISHED] = "finished",
    [UI_TIMES] = "times",
    [UI_RETRY] = "retry",
    [UI_RETRY_WITH] = "retry-with",
    [UI_CANCEL] = "cancel",
    [UI_KILL] = "kill",
    [UI_HOLD] = "hold",
    [UI_UNDO] = "undo",
    [UI_MARK] = "mark",
    [UI_MARK_RANGE] = "mark-range",
    [UI_MARK_ALL] = "mark-all",
    [UI_UNMARK] = "unmark",
    [UI_CORRECT] = "correct",
    [UI_FOLLOW] = "follow",
    [UI_NEARER] = "nearer",
    [UI_FARTHER] = "farther",
    [UI_WHOLE] = "whole",
    [UI_FOLD_IDLE] = "fold-idle",
    [UI_FORENSICS] = "forensics",
    [UI_LOG] = "log",
    [UI_WRAP] = "wrap",
    [UI_RAW] = "raw",
    [UI_PLAY] = "play",
    [UI_EVENT_BACK] = "event-back",
    [UI_EVENT_FORWARD] = "event-next",
    [UI_TRY_BACK] = "try-back",
    [UI_TRY_FORWARD] = "try-next",
    [UI_TRY_START] = "to-try-back",
    [UI_TRY_NEXT] = "to-try-next",
    [UI_SLOWER] = "slower",
    [UI_FASTER] = "faster",
    [UI_GO_TO] = "go-to",
    [UI_BOOKMARK] = "bookmark",
    [UI_COMPARE] = "compare",
    [UI_LATER] = "later",
    [UI_START] = "start",
    [UI_END] = "end",
    [UI_COPY] = "copy",
    [UI_COPY_PATH] = "copy-path",
    [UI_PAGER] = "pager",
    [UI_BUNDLE] = "bundle",
    [UI_FREEZE] = "freeze",
    [UI_MOUSE] = "mouse",
    [UI_COMMAND] = "command",
    [UI_HELP] = "help",
    [UI_REDRAW] = "redraw",
    [UI_SUSPEND] = "suspend",
    [UI_TASKS] = "tasks",
    [UI_DETAIL] = "detail",
    [UI_TIMELINE] = "timeline",
    [UI_RUNS] = "runs",
    [UI_HOSTS] = "hosts",
    [UI_QUIT] = "quit",
};

static const char *const group_names[] = {
    [KEYS_MOVE] = "MOVE", [KEYS_FIND] = "FIND", [KEYS_ACT] = "ACT",
    [KEYS_TIME] = "TIME", [KEYS_SEE] = "SEE",   [KEYS_OTHER] = "OTHER",
};
static_assert(ARRAY_LEN(group_names) == KEY_GROUP_COUNT, "every group has a name");

/* Keys with a name of their own. */
static const struct key_name {
    uint32_t key;
    const char *name, *ascii;
} key_names[] = {
    {TERM_KEY_ENTER, "⏎", "Enter"},
    {TERM_KEY_TAB, "Tab", "Tab"},
    {TERM_KEY_ESC, "Esc", "Esc"},
    {TERM_KEY_BACKSPACE, "Backspace", "Backspace"},
    {' ', "Space", "Space"},
    {TERM_KEY_UP, "↑", "Up"},
    {TERM_KEY_DOWN, "↓", "Down"},
    {TERM_KEY_LEFT, "←", "Left"},
    {TERM_KEY_RIGHT, "→", "Right"},
    {TERM_KEY_HOME, "Home", "Home"},
    {TERM_KEY_END, "End", "End"},
    {TERM_KEY_PAGE_UP, "PgUp", "PgUp"},
    {TERM_KEY_PAGE_DOWN, "PgDn", "PgDn"},
    {TERM_KEY_BACK_TAB, "S-Tab", "S-Tab"},
    {TERM_KEY_F1, "F1", "F1"},
};

const char *keymap_key_name(uint32_t key, bool ascii, char out[KEY_NAME_MAX])
{
    for (size_t i = 0; i < ARRAY_LEN(key_names); i++) {
        if (key_names[i].key == key) {
            (void)snprintf(out, KEY_NAME_MAX, "%s", ascii ? key_names[i].ascii : key_names[i].name);
            return out;
        }
    }
    if (key < 0x20)
        (void)snprintf(out, KEY_NAME_MAX, "^%c", (char)(key + '@'));
    else if (key < 0x7f)
        (void)snprintf(out, KEY_NAME_MAX, "%c", (char)key);
    else
        (void)snprintf(out, KEY_NAME_MAX, "U+%04X", (unsigned)key);
    return out;
}

const char *keymap_act_name(enum act act)
{
    assert(act < UI_ACT_COUNT);
    return act_names[act];
}

const char *keymap_group_name(enum key_group group)
{
    assert(group < KEY_GROUP_COUNT);
    return group_names[group];
}

enum act keymap_parse_act(const char *name)
{
    for (enum act act = UI_NONE + 1; act < UI_ACT_COUNT; act++) {
        if (strcmp(act_names[act], name) == 0)
            return act;
    }
    return UI_NONE;
}

bool keymap_parse_key(const char *name, uint32_t *out)
{
    for (size_t i = 0; i < ARRAY_LEN(key_names); i++) {
        if (strcmp(name, key_names[i].name) == 0 || strcasecmp(name, key_names[i].ascii) == 0) {
            *out = key_names[i].key;
            return true;
        }
    }
    const size_t len = strlen(name);
    if (len == 2 && name[0] == '^' && strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ", name[1])) {
        const uint32_t control = (uint32_t)name[1] & CONTROL_BITS;
        *out = control == '\r' ? TERM_KEY_ENTER : control; /* Enter has a key of its own */
        return true;
    }
    uint32_t rune = 0;
    if (len == 0 || (size_t)text_rune(name, len, &rune) != len || !rune_is_shown(rune))
        return false;
    *out = rune;
    return true;
}

enum { ACT_NAME_MAX = 32 };

/* Appends the first key of the act, or ":" and the act's name if it has no key. */
static void add_act_key(const struct keymap *keys, enum act act, struct str *out)
{
    char name[KEY_NAME_MAX];
    for (size_t i = 0; i < keys->count; i++) {
        if (keys->rows[i].act == act) {
            str_add(out, keymap_key_name(keys->rows[i].key, true, name));
            return;
        }
    }
    str_addf(out, ":%s", keymap_act_name(act));
}

void keymap_say(const struct keymap *keys, const char *words, struct str *out)
{
    while (*words != '\0') {
        const size_t plain = strcspn(words, "{");
        str_add_n(out, words, plain);
        words += plain;
        const size_t len = *words == '{' ? strcspn(words + 1, "}") : 0;
        enum act act = UI_NONE; /* the act named in the braces */
        char name[ACT_NAME_MAX];
        if (len > 0 && len < sizeof(name) && words[1 + len] == '}') {
            memcpy(name, words + 1, len);
            name[len] = '\0';
            act = keymap_parse_act(name);
        }
        if (act != UI_NONE) {
            add_act_key(keys, act, out);
            words += len + 2;
        } else if (*words != '\0') {
            str_add_char(out, *words++);
        }
    }
}

enum { FOOTER_GAP = 2 };

static int text_columns(const char *text)
{
    return text_width(text, strlen(text));
}

/* A key in the footer. */
struct named_key {
    uint32_t key;
    char name[KEY_NAME_MAX];
    const char *brief; /* "": shares the text of the next key */
    int width;
};

static bool name_key(const struct canvas *canvas, const struct footer *footer, enum act act,
                     struct named_key *out)
{
    const struct key_binding *binding = keymap_of(footer->keys, act, footer->place);
    if (!binding)
        return false;
    out->key = binding->key;
    keymap_key_name(binding->key, canvas->ascii, out->name);
    out->brief = footer->briefs ? footer->briefs[act] : NULL;
    if (!out->brief)
        out->brief = binding->brief;
    out->width = text_columns(out->name) + (*out->brief != '\0' ? 1 + text_columns(out->brief) : 0);
    return true;
}

/* Returns the width of the last `kept` keys, with the gap before each. */
static int last_keys_width(const struct canvas *canvas, const struct footer *footer, size_t kept)
{
    int width = 0;
    struct named_key key;
    for (size_t i = footer->count > kept ? footer->count - kept : 0; i < footer->count; i++) {
        if (name_key(canvas, footer, footer->acts[i], &key))
            width += FOOTER_GAP + key.width;
    }
    return width;
}

void keymap_footer(struct canvas *canvas, int row, const struct footer *footer)
{
    int column = 1;
    struct named_key key;
    const size_t kept = footer->kept > 0 ? footer->kept : 1;
    for (size_t i = 0; i < footer->count; i++) {
        const bool is_last = i + 1 == footer->count;
        const bool is_kept = i + kept >= footer->count;
        struct named_key next = {0};
        if (!name_key(canvas, footer, footer->acts[i], &key))
            continue;
        if (*key.brief == '\0' && !is_last && name_key(canvas, footer, footer->acts[i + 1], &next))
            next.width++;
        if (column + key.width + next.width +
                (is_kept ? 0 : last_keys_width(canvas, footer, kept)) >
            canvas->columns) {
            i += next.width > 0; /* a pair of keys is shown or dropped together */
            continue;
        }
        struct spot spot = {row, column, key.width};
        canvas_add_zone(canvas, spot, key.key);
        spot.column += canvas_text(canvas, spot, STYLE_KEY, key.name) + 1;
        canvas_text(canvas, spot, STYLE_PLAIN, key.brief);
        column += key.width + (*key.brief == '\0' ? 1 : FOOTER_GAP);
    }
}

enum { KEY_COLUMNS = 10, ACT_COLUMNS = 15, MODES_COLUMNS = 12 };

/* Returns true for a key that is not among the act's default keys. */
static bool is_own(const struct key_binding *row)
{
    const struct keymap *builtin = keymap_builtin();
    for (size_t i = 0; i < builtin->count; i++) {
        if (builtin->rows[i].act == row->act && builtin->rows[i].key == row->key)
            return false;
    }
    return true;
}

static const char *const mode_names[] = {
    [KEYMAP_LIVE] = "live", [KEYMAP_PAST] = "past", [KEYMAP_REPLAY] = "replay"};

static void add_modes(unsigned modes, struct str *out)
{
    const char *between = "";
    if (modes == KEYS_IN_ALL) {
        str_add(out, "always");
        return;
    }
    for (enum keymap_mode mode = 0; mode < KEYMAP_MODE_COUNT; mode++) {
        if ((modes & (1u << mode)) == 0)
            continue;
        str_addf(out, "%s%s", between, mode_names[mode]);
        between = ", ";
    }
}

/* Appends "all", "Detail, Log" or "all but Runs, Hosts", depending on how many screens there are.
 */
static void add_screens(unsigned screens, struct str *out)
{
    const unsigned others = KEYS_ON_ALL & ~screens;
    const unsigned more = others & (others - 1); /* without the first one */
    const bool but_few = others != 0 && (more & (more - 1)) == 0;
    const char *between = "";
    str_add(out, others == 0 ? "all" : but_few ? "all but " : "");
    for (enum screen screen = 0; screen < SCREEN_COUNT; screen++) {
        if (others == 0 || ((but_few ? others : screens) & (1u << screen)) == 0)
            continue;
        str_addf(out, "%s%s", between, screen_name(screen));
        between = ", ";
    }
}

static void add_padded(const char *text, int columns, struct str *out)
{
    const int pad = columns - text_width(text, strlen(text));
    str_addf(out, "%s%*s  ", text, pad > 0 ? pad : 0, "");
}

static void add_line(const struct key_binding *row, bool ascii, struct str *out)
{
    struct str modes = {0}, screens = {0};
    char name[KEY_NAME_MAX];
    add_modes(row->modes, &modes);
    add_screens(row->screens, &screens);
    add_padded(keymap_key_name(row->key, ascii, name), KEY_COLUMNS, out);
    str_addf(out, "%-5s  ", keymap_group_name(row->group));
    add_padded(keymap_act_name(row->act), ACT_COLUMNS, out);
    add_padded(str_text(&modes), MODES_COLUMNS, out);
    str_addf(out, "%s%s (%s)\n", is_own(row) ? "yours: " : "", row->words, str_text(&screens));
    str_done(&modes);
    str_done(&screens);
}

void keymap_to_text(const struct keymap *keys, bool ascii, struct str *out)
{
    if (!keys)
        keys = keymap_builtin();
    for (size_t i = 0; i < keys->count; i++)
        add_line(&keys->rows[i], ascii, out);
}

static void add_object(const struct key_binding *row, struct str *out)
{
    char name[KEY_NAME_MAX];
    str_add_char(out, '{');
    str_json_text(out, "key", keymap_key_name(row->key, true, name));
    str_json_text(out, "act", keymap_act_name(row->act));
    const char *capitals = keymap_group_name(row->group);
    char group[KEY_NAME_MAX] = "";
    for (size_t i = 0; capitals[i] && i + 1 < sizeof(group); i++)
        group[i] = (char)tolower((unsigned char)capitals[i]);
    str_json_text(out, "group", group);
    str_json_key(out, "modes");
    str_add_char(out, '[');
    for (enum keymap_mode mode = 0; mode < KEYMAP_MODE_COUNT; mode++) {
        if ((row->modes & (1u << mode)) != 0)
            str_addf(out, "%s\"%s\"", out->data[out->len - 1] == '[' ? "" : ",", mode_names[mode]);
    }
    str_add_char(out, ']');
    str_json_key(out, "views");
    str_add_char(out, '[');
    for (enum screen screen = 0; screen < SCREEN_COUNT; screen++) {
        if ((row->screens & (1u << screen)) != 0)
            str_addf(out, "%s\"%s\"", out->data[out->len - 1] == '[' ? "" : ",",
                     screen_name(screen));
    }
    str_add_char(out, ']');
    str_json_text(out, "words", row->words);
    str_json_bool(out, "own", is_own(row));
    str_add_char(out, '}');
}

void keymap_to_json(const struct keymap *keys, struct str *out)
{
    if (!keys)
        keys = keymap_builtin();
    for (size_t i = 0; i < keys->count; i++) {
        str_add(out, i > 0 ? "," : "");
        add_object(&keys->rows[i], out);
    }
}

/* Screens and the navigation history. */

static const char *const screen_names[] = {
    [SCREEN_TASKS] = "Tasks",         [SCREEN_DETAIL] = "Detail",     [SCREEN_LOG] = "Log",
    [SCREEN_FORENSICS] = "Forensics", [SCREEN_TIMELINE] = "Timeline", [SCREEN_RUNS] = "Runs",
    [SCREEN_HOSTS] = "Hosts",
};
static_assert(ARRAY_LEN(screen_names) == SCREEN_COUNT, "every screen has a name");

const char *screen_name(enum screen screen)
{
    assert(screen < SCREEN_COUNT);
    return screen_names[screen];
}

enum screen trail_here(const struct screen_trail *trail)
{
    return trail->at[trail->depth];
}

void trail_go(struct screen_trail *trail, enum screen screen)
{
    for (int i = 0; i <= trail->depth; i++) {
        if (trail->at[i] == screen) {
            trail->depth = i;
            return;
        }
    }
    trail->at[++trail->depth] = screen;
}

bool trail_back(struct screen_trail *trail)
{
    if (trail->depth == 0)
        return false;
    trail->depth--;
    return true;
}
