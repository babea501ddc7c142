/*
 * keyboard.h - what the tests of views share: a story, a view of its list and log, and keys pressed
 * on it. One at a time.
 */
#ifndef DEVS_KEYBOARD_H
#define DEVS_KEYBOARD_H

#include <stdint.h>

#include "story.h"
#include "view.h"

extern struct story story;
extern struct view view;
extern struct view_facts facts;

/* A live run, with room for so many rows of its list and of the log (0: no log).
 * keyboard_close() ends it. */
void keyboard_open(void (*init)(struct story *story), int list_rows, int log_rows);
void keyboard_close(void);
/* A story of eight tasks, "a" to "h", of one step each. */
void keyboard_eight(struct story *out);

struct view_todo press(uint32_t key);
/* What the last of these keys asks for. */
struct view_todo type(const char *keys);

/* The clock goes on, the run does not. */
void later(int64_t ms);
/* Bring the time of the facts to the story's. */
void now_is_the_storys(void);

int task(const char *id);
/* "" for none. */
const char *chosen(void);

#endif
