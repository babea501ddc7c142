/*
 * app_child.h - the app in a child on a pseudo-terminal; the test is the person and the engine.
 * For tests of the app; one at a time.
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
    PACE_MS = 50,     /* how often something is looked for */
    IDLE_MS = 1300,   /* longer than the clock's step */
    SIGNAL_SHIFT = 3, /* in the child's exit code */
    CTRL_L = 0x0c,
};

#define KEY_HOME "\033OH" /* as the terminal sends it */

extern struct story story;
extern struct place place;
extern struct log_writer *writer;
extern pid_t child;
extern int master;              /* the terminal, from the other side */
extern char screen[SCREEN_MAX]; /* what came on it lately */
extern size_t screen_len;

/* As a fixture: a story of alpha, beta and gamma, and a place for its log. */
void set_up(void);
void tear_down(void);

/* The child is there and waits for go(). SQLite must not cross a fork: before the log is opened. */
void start_child(const struct app_options *options);
/* Write the story's events to the log that are not there yet. */
void commit(void);
void open_log(void);
/* The child and the log are there; what the story has told is committed. */
void begin(const struct app_options *options);
/* Another run in the log, told anew by story_*(): with it nothing of the one before is changed. */
void begin_another(const char *name);
void go(void);
struct app_options live_options(void);

void press(const char *keys);
/* Take what the screen gets, waiting for it so long at most. False if nothing came. */
bool take_screen(int timeout_ms);
/* Wait until the screen shows a text, and press `keys` now and then ("" for none). */
void wait_pressing(const char *keys, const char *text);
void wait_for(const char *text);
/* Wait for an act in the log, as the run's engine would. Meanwhile press `keys`. */
struct control wait_for_control(const char *keys);
void answer(const struct control *control, bool done, const char *text);
/* How the child was left; its screen is read to the end. Meanwhile press `keys`. */
int left_pressing(const char *keys);
int left(void);
/* Does the child sleep, and write nothing, for longer than its clock's step? In a while: it may
 * have something to do still. */
bool comes_to_rest(void);

#endif
