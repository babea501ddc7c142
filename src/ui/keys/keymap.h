/*
 * keymap.h - the screens and the table of keys, used by key handling, footer, help and `devs keys`.
 *
 * A keymap is a value: the built-in one, or one with user-defined keys. Pure.
 */
#ifndef DEVS_KEYMAP_H
#define DEVS_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "canvas.h"
#include "own_keys.h"
#include "str.h"

/*
 * The screens of the cockpit, and the navigation history. Pure.
 */

/* In the order of their keys: 1 to 6, and 8. */
enum screen {
    SCREEN_TASKS,
    SCREEN_DETAIL,
    SCREEN_LOG,
    SCREEN_FORENSICS,
    SCREEN_TIMELINE,
    SCREEN_RUNS,
    SCREEN_HOSTS,
    SCREEN_COUNT,
};

/* Returns "Tasks", "Detail", ... Static. */
const char *screen_name(enum screen screen);

/* The current screen and the screens that going back leads to. Each screen occurs at most once. All
 * zero: the Tasks screen. */
struct screen_trail {
    enum screen at[SCREEN_COUNT];
    int depth; /* index of the current screen; 0 = the top */
};

enum screen trail_here(const struct screen_trail *trail);
/* Goes to a screen. If it is in the trail, goes back to it. */
void trail_go(struct screen_trail *trail, enum screen screen);
/* Goes back one screen. Returns false at the top. */
bool trail_back(struct screen_trail *trail);

/* What a key does. */
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
    UI_LEFT, /* scroll left; on the timeline, move the cursor */
    UI_RIGHT,
    UI_OPEN,
    UI_BACK, /* close the topmost overlay, filter or screen; never quits */
    UI_PANE_NEXT,
    UI_PANE_PREV,
    UI_ZOOM, /* give the whole screen to the pane with the focus */
    UI_FILTER,
    UI_NEXT,
    UI_PREV,
    UI_ONLY_MATCHES,
    UI_ERROR_NEXT, /* next error or failure */
    UI_ERROR_BACK,
    UI_NEEDS_YOU_NEXT,
    UI_ONLY_NEEDS_YOU,
    UI_ORDER,
    UI_TURN, /* reverse the sort order */
    UI_FINISHED,
    UI_TIMES,
    UI_RETRY,
    UI_RETRY_WITH, /* retry with a hint or other limits */
    UI_CANCEL,
    UI_KILL,
    UI_HOLD,
    UI_UNDO,
    UI_MARK,
    UI_MARK_RANGE,
    UI_MARK_ALL,
    UI_UNMARK,
    UI_CORRECT,
    UI_FOLLOW,
    UI_NEARER, /* zoom in on the timeline */
    UI_FARTHER,
    UI_WHOLE,
    UI_FOLD_IDLE,
    UI_FORENSICS,
    UI_LOG,
    UI_WRAP,
    UI_RAW, /* switch between an agent's raw and formatted output */
    UI_PLAY,
    UI_EVENT_BACK,
    UI_EVENT_FORWARD,
    UI_TRY_BACK, /* UI_TRY_BACK, UI_TRY_FORWARD: show a different attempt */
    UI_TRY_FORWARD,
    UI_TRY_START, /* UI_TRY_START, UI_TRY_NEXT: move to the time when an attempt began */
    UI_TRY_NEXT,
    UI_SLOWER,
    UI_FASTER,
    UI_GO_TO,    /* enter a time */
    UI_BOOKMARK, /* add or remove a bookmark here */
    UI_COMPARE,  /* compare two attempts, or the run with other policies */
    UI_LATER,    /* show or hide what happened after the current moment */
    UI_START,
    UI_END,
    UI_COPY,
    UI_COPY_PATH,
    UI_PAGER,
    UI_BUNDLE, /* export a run as one file */
    UI_FREEZE,
    UI_MOUSE, /* turn our mouse handling on or off */
    UI_COMMAND,
    UI_HELP,
    UI_REDRAW,
    UI_SUSPEND,
    UI_TASKS, /* UI_TASKS to UI_HOSTS: go to a screen */
    UI_DETAIL,
    UI_TIMELINE,
    UI_RUNS,
    UI_HOSTS,
    UI_QUIT, /* go back; at the top, quit */
    UI_ACT_COUNT,
};

/* What the screen shows: a run at the present or in the past, or a recording. */
enum keymap_mode { KEYMAP_LIVE, KEYMAP_PAST, KEYMAP_REPLAY, KEYMAP_MODE_COUNT };

/* The screen and mode in which a key is pressed. */
struct key_place {
    enum keymap_mode mode;
    enum screen screen;
};

/* Headings of the help, in its order. */
enum key_group { KEYS_MOVE, KEYS_FIND, KEYS_ACT, KEYS_TIME, KEYS_SEE, KEYS_OTHER, KEY_GROUP_COUNT };
/* The screens as bits. */
enum {
    KEYS_ON_TASKS = 1 << SCREEN_TASKS,
    KEYS_ON_DETAIL = 1 << SCREEN_DETAIL,
    KEYS_ON_LOG = 1 << SCREEN_LOG,
    KEYS_ON_FORENSICS = 1 << SCREEN_FORENSICS,
    KEYS_ON_TIMELINE = 1 << SCREEN_TIMELINE,
    KEYS_ON_RUNS = 1 << SCREEN_RUNS,
    KEYS_ON_HOSTS = 1 << SCREEN_HOSTS,
    KEYS_ON_TRIES = KEYS_ON_DETAIL | KEYS_ON_LOG | KEYS_ON_FORENSICS, /* screens of one task */
    KEYS_ON_LISTS = KEYS_ON_TASKS | KEYS_ON_TIMELINE,                 /* screens with a list of
                                                                         tasks */
    KEYS_ON_A_TASK = KEYS_ON_LISTS | KEYS_ON_TRIES, /* screens where a task is selected */
    KEYS_ON_A_RUN = KEYS_ON_A_TASK | KEYS_ON_HOSTS, /* screens of one run, at some moment */
    KEYS_ON_ALL = KEYS_ON_A_RUN | KEYS_ON_RUNS,
};

struct key_binding {
    uint32_t key; /* a code point, a control byte or an enum term_key */
    enum act act;
    enum key_group group;
    unsigned modes;    /* KEYS_IN_*: the modes in which the act works */
    unsigned screens;  /* KEYS_ON_*: the screens on which the act works */
    const char *brief; /* one or two words for the footer */
    const char *words; /* text for the help */
};

struct keymap {
    const struct key_binding *rows; /* borrowed; rows of the same act are adjacent */
    size_t count;
};

enum { KEY_NAME_MAX = 16 };

/* Returns the default keys. Static. */
const struct keymap *keymap_builtin(void);

/* Returns the binding of a key that works in this place, or else a binding that works elsewhere
 * (see keymap_works), or NULL. */
const struct key_binding *keymap_find(const struct keymap *keys, struct key_place place,
                                      uint32_t key);
/* Returns true if the binding works in this place. */
bool keymap_works(const struct key_binding *binding, struct key_place place);
/* Returns why a bound key does not work here; input for keymap_say(). */
const char *keymap_refusal(const struct key_binding *binding, struct key_place place);

/* Returns the first binding of an act that works in this place, for texts that name its key, or
 * NULL. */
const struct key_binding *keymap_of(const struct keymap *keys, enum act act,
                                    struct key_place place);

/* Writes the name of a key to `out` and returns `out`: "j", "^D", "Tab", "Enter" or "⏎". */
const char *keymap_key_name(uint32_t key, bool ascii, char out[KEY_NAME_MAX]);
struct str;

/* Appends a built-in sentence in which {act} is replaced by the key of that act, which may be the
 * user's own: "{cancel} cancels" becomes "x cancels", or ":cancel cancels" if the act has no key.
 * Other text in braces is not changed. */
void keymap_say(const struct keymap *keys, const char *words, struct str *out);
/* Returns an act's name in key files, such as "half-down". Static. */
const char *keymap_act_name(enum act act);
/* Returns the act with this name, or UI_NONE. */
enum act keymap_parse_act(const char *name);
/* Parses the name of a key, in ASCII or as shown on screen, ignoring case, or a single character.
 * Returns false for anything else. */
bool keymap_parse_key(const char *name, uint32_t *out);
/* Returns a heading of the help, such as "MOVE". Static. */
const char *keymap_group_name(enum key_group group);

/* A row of keys with short texts: as many of the acts as fit; the last acts take precedence. A
 * click on a key has the same effect as the key, see canvas_add_zone(). */
struct footer {
    const struct keymap *keys; /* borrowed */
    const enum act *acts;      /* borrowed */
    size_t count;
    struct key_place place;
    const char *const *briefs; /* borrowed; replacement texts by act; NULL = default text; "" =
                                  shares the text of the next key */
    size_t kept;               /* how many of the last keys to show in any case; 0 = one */
};
/* Draws the footer into this row. */
void keymap_footer(struct canvas *canvas, int row, const struct footer *footer);

#endif
