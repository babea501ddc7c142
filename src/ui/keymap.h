/*
 * keymap.h - the one table of keys: dispatch, footer, help and `devs keys` read it.
 *
 * Pure; constant data.
 */
#ifndef DEVS_KEYMAP_H
#define DEVS_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "canvas.h"
#include "keys_text.h"
#include "str.h"

/* What a key asks for. */
enum act {
    UI_NONE,
    UI_DOWN,
    UI_UP,
    UI_FIRST,
    UI_LAST,
    UI_HALF_DOWN,
    UI_HALF_UP,
    UI_PAGE_DOWN,
    UI_PAGE_UP,
    UI_OPEN,
    UI_BACK, /* close what is on top; never quits */
    UI_PANE_NEXT,
    UI_PANE_PREV,
    UI_FILTER,
    UI_NEXT,
    UI_PREV,
    UI_NEEDS_YOU_NEXT,
    UI_ONLY_NEEDS_YOU,
    UI_RETRY,
    UI_CANCEL,
    UI_HOLD,
    UI_CORRECT,
    UI_FOLLOW,
    UI_FORENSICS,
    UI_PLAY,
    UI_EVENT_BACK,
    UI_EVENT_FORWARD,
    UI_TRY_BACK,
    UI_TRY_FORWARD,
    UI_SLOWER,
    UI_FASTER,
    UI_START,
    UI_END,
    UI_HELP,
    UI_REDRAW,
    UI_SUSPEND,
    UI_QUIT, /* back; from the top it quits */
    UI_ACT_COUNT,
};

enum keymap_mode { KEYMAP_LIVE, KEYMAP_REPLAY, KEYMAP_MODE_COUNT };

/* Heads of the help; also their order there. */
enum key_group { KEYS_MOVE, KEYS_FIND, KEYS_ACT, KEYS_TIME, KEYS_SEE, KEYS_OTHER, KEY_GROUP_COUNT };

/* Modes as bits. */
enum { KEYS_IN_LIVE = 1 << KEYMAP_LIVE, KEYS_IN_REPLAY = 1 << KEYMAP_REPLAY };

struct key_binding {
    uint32_t key; /* a rune, a control byte or an enum term_key */
    enum act act;
    enum key_group group;
    unsigned modes;    /* KEYS_IN_*: where the act works */
    const char *brief; /* a word or two for the footer */
    const char *words; /* for the help */
};

enum { KEY_NAME_MAX = 16 };

/* By position in the table; NULL past its end. Bindings of one act are neighbours. */
const struct key_binding *keymap_at(size_t index);

/* What a key is bound to: in this mode if it can be, else in the other one (ask
 * keymap_works), NULL if nowhere. */
const struct key_binding *keymap_find(enum keymap_mode mode, uint32_t key);
bool keymap_works(const struct key_binding *binding, enum keymap_mode mode);
/* Why a key that is bound does not work in this mode, in words for the message line. */
const char *keymap_refusal(const struct key_binding *binding, enum keymap_mode mode);

/* The first key of an act, for texts that name it; NULL if it has none in this mode. */
const struct key_binding *keymap_of(enum act act, enum keymap_mode mode);

/* "j", "^D", "Tab", "Enter" or its sign. Returns out. */
const char *keymap_key_name(uint32_t key, bool ascii, char out[KEY_NAME_MAX]);
const char *keymap_group_name(enum key_group group);

/* One row of keys and their brief words, as many of these acts as fit. */
struct footer {
    const enum act *acts; /* borrowed */
    size_t count;
    enum keymap_mode mode;
    const char *const *briefs; /* borrowed; other words for acts, by act; NULL = none differs */
};
void keymap_footer(struct canvas *canvas, int row, const struct footer *footer);

#endif
