/*
 * keymap.h - the one table of keys: dispatch, footer, help and `devs keys` read it.
 *
 * A keymap is a value: the built-in one, or that with a person's own keys. Pure.
 */
#ifndef DEVS_KEYMAP_H
#define DEVS_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "canvas.h"
#include "keys_text.h"
#include "screen.h"
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
    UI_LEFT, /* text to the left; on the timeline the cursor */
    UI_RIGHT,
    UI_OPEN,
    UI_BACK, /* close what is on top; never quits */
    UI_PANE_NEXT,
    UI_PANE_PREV,
    UI_ZOOM, /* the pane that has the keys has the screen to itself */
    UI_FILTER,
    UI_NEXT,
    UI_PREV,
    UI_ONLY_MATCHES,
    UI_ERROR_NEXT, /* or failure */
    UI_ERROR_BACK,
    UI_NEEDS_YOU_NEXT,
    UI_ONLY_NEEDS_YOU,
    UI_ORDER,
    UI_TURN, /* the order */
    UI_FINISHED,
    UI_TIMES,
    UI_RETRY,
    UI_RETRY_WITH, /* with a hint, or other limits */
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
    UI_NEARER, /* time, on the timeline */
    UI_FARTHER,
    UI_WHOLE,
    UI_FOLD_IDLE,
    UI_FORENSICS,
    UI_LOG,
    UI_WRAP,
    UI_RAW, /* an agent's output as it came, or made readable */
    UI_PLAY,
    UI_EVENT_BACK,
    UI_EVENT_FORWARD,
    UI_TRY_BACK, /* show another try ... */
    UI_TRY_FORWARD,
    UI_TRY_START, /* ... or go to the time when it began */
    UI_TRY_NEXT,
    UI_SLOWER,
    UI_FASTER,
    UI_GO_TO,    /* a time that is typed */
    UI_BOOKMARK, /* keep this moment, or no more */
    UI_COMPARE,  /* two tries; the run as it was with what other policies make of it */
    UI_LATER,    /* show what came after the moment that is shown, or hide it */
    UI_START,
    UI_END,
    UI_COPY,
    UI_COPY_PATH,
    UI_PAGER,
    UI_BUNDLE, /* a run as one file to share */
    UI_FREEZE,
    UI_MOUSE, /* the terminal's, or ours */
    UI_COMMAND,
    UI_HELP,
    UI_REDRAW,
    UI_SUSPEND,
    UI_TASKS, /* the screens, in the order of enum screen */
    UI_DETAIL,
    UI_TIMELINE,
    UI_RUNS,
    UI_QUIT, /* back; from the top it quits */
    UI_ACT_COUNT,
};

/* What lies behind the screen: a run as it is, as it was a while ago, or a recording. */
enum keymap_mode { KEYMAP_LIVE, KEYMAP_PAST, KEYMAP_REPLAY, KEYMAP_MODE_COUNT };

/* Where a key is pressed. */
struct key_place {
    enum keymap_mode mode;
    enum screen screen;
};

/* Heads of the help; also their order there. */
enum key_group { KEYS_MOVE, KEYS_FIND, KEYS_ACT, KEYS_TIME, KEYS_SEE, KEYS_OTHER, KEY_GROUP_COUNT };
/* Screens as bits. */
enum {
    KEYS_ON_TASKS = 1 << SCREEN_TASKS,
    KEYS_ON_DETAIL = 1 << SCREEN_DETAIL,
    KEYS_ON_LOG = 1 << SCREEN_LOG,
    KEYS_ON_FORENSICS = 1 << SCREEN_FORENSICS,
    KEYS_ON_TIMELINE = 1 << SCREEN_TIMELINE,
    KEYS_ON_RUNS = 1 << SCREEN_RUNS,
    KEYS_ON_TRIES = KEYS_ON_DETAIL | KEYS_ON_LOG | KEYS_ON_FORENSICS, /* of one task */
    KEYS_ON_LISTS = KEYS_ON_TASKS | KEYS_ON_TIMELINE,                 /* of tasks */
    KEYS_ON_A_RUN = KEYS_ON_LISTS | KEYS_ON_TRIES,
    KEYS_ON_ALL = KEYS_ON_A_RUN | KEYS_ON_RUNS,
};

struct key_binding {
    uint32_t key; /* a rune, a control byte or an enum term_key */
    enum act act;
    enum key_group group;
    unsigned modes;    /* KEYS_IN_*: where the act works, */
    unsigned screens;  /* KEYS_ON_*: and on which of them */
    const char *brief; /* a word or two for the footer */
    const char *words; /* for the help */
};

struct keymap {
    const struct key_binding *rows; /* borrowed; those of one act are neighbors */
    size_t count;
};

enum { KEY_NAME_MAX = 16 };

/* The keys as devs has them. Static. */
const struct keymap *keymap_builtin(void);

/* What a key is bound to: at this place if it can be, else elsewhere (ask keymap_works), NULL
 * if nowhere. */
const struct key_binding *keymap_find(const struct keymap *keys, struct key_place place,
                                      uint32_t key);
/* Does it do something at this place? */
bool keymap_works(const struct key_binding *binding, struct key_place place);
/* Why a key that is bound does not work here, as keymap_say() takes it. */
const char *keymap_refusal(const struct key_binding *binding, struct key_place place);

/* The first key of an act, for texts that name it; NULL if it has none at this place. */
const struct key_binding *keymap_of(const struct keymap *keys, enum act act,
                                    struct key_place place);

/* "j", "^D", "Tab", "Enter" or its sign. Returns out. */
const char *keymap_key_name(uint32_t key, bool ascii, char out[KEY_NAME_MAX]);
struct str;

/* Append a sentence of ours in which {act} stands for the key of that act: "{cancel}
 * cancels" is "x cancels", or whatever key the person has for it, ":cancel" if there is none. What
 * is in braces and no act stays as it stands. */
void keymap_say(const struct keymap *keys, const char *words, struct str *out);
/* "half-down": an act in a file of keys. Static. */
const char *keymap_act_name(enum act act);
/* UI_NONE if no act is called so. */
enum act keymap_parse_act(const char *name);
/* Either name of a key, in any case, or a single character; false for anything else. */
bool keymap_parse_key(const char *name, uint32_t *out);
/* "TASKS": a heading of the help. Static. */
const char *keymap_group_name(enum key_group group);

/* One row of keys and their brief words, as many of these acts as fit, the last ones before
 * all others. A click on one is the key, see canvas_add_zone(). */
struct footer {
    const struct keymap *keys; /* borrowed */
    const enum act *acts;      /* borrowed */
    size_t count;
    struct key_place place;
    const char *const *briefs; /* borrowed; other words for acts, by act; NULL = none differs;
                                  "": the next key's word is this one's too */
    size_t kept;               /* how many of the last ones are there in any case; 0 = one */
};
/* Draw it into this row. */
void keymap_footer(struct canvas *canvas, int row, const struct footer *footer);

#endif
