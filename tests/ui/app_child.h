/*
 * app_child.h - runs the app in a child on a pseudo-terminal; the test plays the user and the
 * engine. For tests of the app; one at a time.
 */
#ifndef DEVS_TEST_APP_CHILD_H
#define DEVS_TEST_APP_CHILD_H

#include <sys/types.h>

#include "app.h"
#include "log_writer.h"
#include "story.h"

enum {
    ROWS = 24,
    COLUMNS = 80,
    SCREEN_MAX = 1 << 20,
    DEADLINE_MS = 60000,
    PACE_MS = 50,     /* polling interval */
    IDLE_MS = 1300,   /* longer than the clock's tick */
    SIGNAL_SHIFT = 3, /* in the child's exit code */
    CTRL_L = 0x0c,
};

#define KEY_HOME "\033OH" /* as sent by the terminal */

extern struct story story;
extern struct place place;
extern struct log_writer *writer;
extern pid_t child;
extern int master;              /* the test's side of the terminal */
extern char screen[SCREEN_MAX]; /* its recent output */
extern size_t screen_len;

/* Fixture: a story of alpha, beta and gamma, and a place for its log. */
void set_up(void);
void tear_down(void);

/* Starts the child, which waits for go(). Call before the log is opened, because an open SQLite
 * database must not be carried across a fork. */
void start_child(const struct app_options *options);
/* Writes the story's new events to the log. */
void commit(void);
void open_log(void);
/* Call when child and log exist; commits the story so far. */
void begin(const struct app_options *options);
/* Begins, lets the app run, and waits until the screen shows a text. */
void begin_for(const struct app_options *options, const char *text);
/* Starts another run in the log, told from the beginning with story_*(). Leaves the previous one
 * unchanged. */
void begin_another(const char *name);
void go(void);
struct app_options live_options(void);

void press(const char *keys);
/* Reads screen output, waiting at most timeout_ms. Returns false if there was none. */
bool take_screen(int timeout_ms);
/* Waits until the screen shows a text, pressing `keys` repeatedly ("" for none). */
void wait_pressing(const char *keys, const char *text);
void wait_for(const char *text);
/* Presses keys and waits until the screen shows a text. */
void press_for(const char *keys, const char *text);
/* Presses q, and checks that the app leaves with nothing to do. */
void quit(void);
/* Waits for a request in the log, as the run's engine would. Presses `keys` meanwhile. */
struct control wait_for_control(const char *keys);
void answer(const struct control *control, bool done, const char *text);
/* Returns how the child was left, after reading its screen to the end. Presses `keys` meanwhile. */
int left_pressing(const char *keys);
int left(void);
/* Waits for pending work, then returns true if the child sleeps and writes nothing for longer than
 * its clock's tick. */
bool comes_to_rest(void);

#endif
