/*
 * term.h - the terminal: ncurses carries canvases there and keys back.
 *
 * Main thread only. Whatever way the process ends (term_close, a fatal signal,
 * an assert, being stopped) the terminal is as it was before.
 */
#ifndef DEVS_TERM_H
#define DEVS_TERM_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "canvas.h"
#include "err.h"
#include "mouse.h"
#include "theme.h"

/* Keys that are no rune. Runes are their code point. */
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
    TERM_KEY_RESIZE, /* the size has changed: ask term_size() */
    TERM_KEY_MOUSE,  /* the mouse did something: ask term_mouse() */
    TERM_KEY_GONE,   /* the terminal is not there any more */
};

enum term_color { TERM_COLOR_AUTO, TERM_COLOR_NONE };

struct term;

/* Could term_open() draw here? Touches nothing. ERR_INVALID says why not. */
ATTR_MUST_USE bool term_check(struct err *err);
/* After term_check(): how many colors the terminal has; 0 where it has none. */
int term_color_count(void);

/* Take the terminal over (stdin and stdout must be one). ERR_INVALID where it
 * cannot be used (TERM unknown or dumb): the caller goes on with plain lines. */
ATTR_MUST_USE bool term_open(struct term **out, enum term_color color, struct err *err);
/* Give it back as it was. NULL is allowed. */
void term_close(struct term *term);

/* In cells, as it was known last. */
void term_size(const struct term *term, int *rows_out, int *columns_out);
/* UTF-8 locale and every sign of ours one column wide? Else draw ASCII. */
bool term_is_utf8(const struct term *term);

/* Show a canvas; only what changed is written. */
void term_show(struct term *term, const struct canvas *canvas);
/* Draw everything anew with the next term_show(). */
void term_redraw(struct term *term);

/* Draw in these colors from the next term_show() on; at first they are those of "auto". Where
 * there are none, or none are wanted, the theme "mono" stands for any. */
void term_set_theme(struct term *term, const struct theme *theme);

/* Take the mouse, or leave it to the terminal, which is how it begins: then people can choose text
 * on the screen and copy it as anywhere. */
void term_take_mouse(struct term *term, bool taken);
/* What the latest TERM_KEY_MOUSE was. */
struct mouse term_mouse(const struct term *term);

enum { TERM_COPY_MAX = 64 * 1024 };
/* Ask the terminal to put text on the clipboard (OSC 52), of tmux and screen to pass that on. No
 * terminal says whether it did. False where it is longer than TERM_COPY_MAX bytes, or the terminal
 * is gone. */
ATTR_MUST_USE bool term_copy(struct term *term, const char *text, size_t len);
/* Let the terminal ring, or flash, as its person has set it, and show the message as a notification
 * of the desktop, if it can (OSC 9, or 777 where that is known; tmux needs allow-passthrough). */
void term_notify(struct term *term, const char *message);

/* For poll(). */
int term_fd(const struct term *term);
/* The next key that is there, TERM_KEY_NONE if none. Pasted text is swallowed
 * unless `text_wanted`. Never blocks. */
uint32_t term_key(struct term *term, bool text_wanted);
/* Drop what was typed ahead. */
void term_flush_keys(struct term *term);
/* Give the terminal to another program for a while. */
void term_step_aside(struct term *term);
/* Take it again: all is drawn anew, for the other may have written anything. */
void term_come_back(struct term *term);
/* Leave the screen, stop this process as ^Z does, come back when continued. */
void term_suspend(struct term *term);

/* Signals that the app must see come through this descriptor (poll it): one byte
 * a signal, its number: SIGWINCH, SIGTERM, SIGINT, SIGHUP, SIGTSTP, SIGCONT. */
int term_signal_fd(const struct term *term);
/* The next signal, 0 if none. */
int term_signal(struct term *term);

#endif
