/*
 * term.h - the terminal, through ncurses: shows canvases and reads keys and the mouse.
 *
 * Main thread only. However the process ends (term_close, a fatal signal, an assert, being
 * stopped), the terminal is restored to its previous state.
 */
#ifndef DEVS_TERM_H
#define DEVS_TERM_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "canvas.h"
#include "err.h"
#include "theme.h"

/*
 * Mouse events as terminals report them (xterm's mode 1006). Pure.
 */

enum mouse_kind { MOUSE_PRESS, MOUSE_DRAG, MOUSE_RELEASE, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

struct mouse {
    enum mouse_kind kind;
    int row, column; /* from 0 */
};

/* Parses a report: "0;34;12" between "ESC [ <" and its last byte, 'M' or 'm'. Returns false for an
 * invalid report and for buttons that are not used. */
ATTR_MUST_USE bool mouse_read(const char *report, char last, struct mouse *out);

/* Keys that are not characters. Characters are represented by their code point. */
enum term_key {
    TERM_KEY_NONE = 0,
    TERM_KEY_ENTER = '\n',
    TERM_KEY_TAB = '\t',
    TERM_KEY_ESC = 0x1b,
    TERM_KEY_BACKSPACE = 0x7f,
    TERM_KEY_FIRST = 0x110000,
    TERM_KEY_UP = TERM_KEY_FIRST,
    TERM_KEY_DOWN,
    TERM_KEY_LEFT,
    TERM_KEY_RIGHT,
    TERM_KEY_HOME,
    TERM_KEY_END,
    TERM_KEY_PAGE_UP,
    TERM_KEY_PAGE_DOWN,
    TERM_KEY_BACK_TAB,
    TERM_KEY_F1,
    TERM_KEY_RESIZE, /* the size has changed: call term_size() */
    TERM_KEY_MOUSE,  /* a mouse event: call term_mouse() */
    TERM_KEY_GONE,   /* the terminal was closed or disconnected */
};

enum term_color { TERM_COLOR_AUTO, TERM_COLOR_NONE };

struct term;

/* Checks whether term_open() could draw here, without touching the terminal. Fails with ERR_INVALID
 * and the reason. */
ATTR_MUST_USE bool term_check(struct err *err);
/* Returns how many colors the terminal has, 0 if none. Call term_check() first. */
int term_color_count(void);

/* Takes over the terminal; stdin and stdout must be the same terminal. Fails with ERR_INVALID if it
 * cannot be used (TERM unknown or dumb); the caller then falls back to plain lines. */
ATTR_MUST_USE bool term_open(struct term **out, enum term_color color, struct err *err);
/* Restores the terminal. `term` may be NULL. */
void term_close(struct term *term);

/* Returns the last known size, in cells. */
void term_size(const struct term *term, int *rows_out, int *columns_out);
/* Returns true if the locale is UTF-8 and all symbols of the cockpit are one column wide.
 * Otherwise, draw ASCII. */
bool term_is_utf8(const struct term *term);

/* Shows a canvas. Writes only the changed cells. */
void term_show(struct term *term, const struct canvas *canvas);
/* Makes the next term_show() redraw everything. */
void term_redraw(struct term *term);

/* Uses these colors from the next term_show() on; the default is "auto". Ignored if the terminal
 * has no colors or they are turned off: the theme "mono" is used then. */
void term_set_theme(struct term *term, const struct theme *theme);

/* Turns mouse reporting on or off. It is off at first, so that the user can select and copy text as
 * usual. */
void term_take_mouse(struct term *term, bool taken);
/* Returns the mouse event of the latest TERM_KEY_MOUSE. */
struct mouse term_mouse(const struct term *term);

enum { TERM_COPY_MAX = 64 * 1024 };
/* Asks the terminal to put text on the clipboard (OSC 52), passing it through tmux and screen.
 * Terminals do not report whether it worked. Returns false if the text is longer than TERM_COPY_MAX
 * bytes or the terminal was closed. */
ATTR_MUST_USE bool term_copy(struct term *term, const char *text, size_t len);
/* Rings the terminal's bell (or flashes, as the user has configured it) and shows the message as a
 * desktop notification if the terminal can (OSC 9, or 777 if that is known to work; tmux needs
 * allow-passthrough). */
void term_notify(struct term *term, const char *message);

/* Returns the descriptor to poll() for input. */
int term_fd(const struct term *term);
/* Returns the next pending key, or TERM_KEY_NONE. Discards pasted text unless `text_wanted`. Never
 * blocks. */
uint32_t term_key(struct term *term, bool text_wanted);
/* Discards typeahead. */
void term_flush_keys(struct term *term);
/* Hands the terminal to another program, until term_come_back(). */
void term_step_aside(struct term *term);
/* Takes the terminal back and redraws everything, because the other program may have written
 * anywhere. */
void term_come_back(struct term *term);
/* Leaves the screen and stops this process like ^Z; returns after it is continued. */
void term_suspend(struct term *term);

/* Returns the descriptor to poll() for signals that the app handles. Reading gives one byte per
 * signal, the signal number: SIGWINCH, SIGTERM, SIGINT, SIGHUP, SIGTSTP, SIGCONT. */
int term_signal_fd(const struct term *term);
/* Returns the next signal, 0 if none. */
int term_signal(struct term *term);

#endif
