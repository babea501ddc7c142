/*
 * keyboard.h - shared by the tests of views: a story, a view of its list and log, and pressing
 * keys. One at a time.
 */
#ifndef DEVS_KEYBOARD_H
#define DEVS_KEYBOARD_H

#include <stdint.h>

#include "story.h"
#include "view.h"

extern struct story story;
extern struct view view;
extern struct view_facts facts;

/* Opens a live run with room for `list_rows` rows of its list and `log_rows` of the log (0: no
 * log). End it with keyboard_close(). */
void keyboard_open(void (*init)(struct story *story), int list_rows, int log_rows);
void keyboard_close(void);
/* Makes a story of eight tasks, "a" to "h", with one step each. */
void keyboard_eight(struct story *out);

struct view_todo press(uint32_t key);
/* Presses keys and returns the action for the last one. */
struct view_todo type(const char *keys);

/* Advances the clock, but not the run. */
void later(int64_t ms);
/* Sets the time of the facts to the story's. */
void now_is_the_storys(void);

int task(const char *id);
/* Returns the id of the selected task, "" if none. */
const char *chosen(void);

#endif
