/* key_names.c - what keys, acts and groups of keys are called; the rest of keymap.h is elsewhere.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "attr.h"
#include "keymap.h"
#include "term.h"
#include "text.h"

enum { CONTROL_BITS = 0x1f };

/* How a file of keys calls the acts. */
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
    [UI_QUIT] = "quit",
};

static const char *const group_names[] = {
    [KEYS_MOVE] = "MOVE", [KEYS_FIND] = "FIND", [KEYS_ACT] = "ACT",
    [KEYS_TIME] = "TIME", [KEYS_SEE] = "SEE",   [KEYS_OTHER] = "OTHER",
};
static_assert(ARRAY_LEN(group_names) == KEY_GROUP_COUNT, "every group has a name");

/* Keys that are not written as themselves. */
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

/* Some controls are keys of their own name. */
static uint32_t control_key(char letter)
{
    const uint32_t key = (uint32_t)letter & CONTROL_BITS;
    return key == '\r' ? TERM_KEY_ENTER : key;
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
        *out = control_key(name[1]);
        return true;
    }
    uint32_t rune = 0;
    if (len == 0 || (size_t)text_rune(name, len, &rune) != len || !rune_is_shown(rune))
        return false;
    *out = rune;
    return true;
}
