/*
 * scene.h - a run written down: a plan, what happens to it, and after each line all that
 * the log gets, what is to be done, and what has changed in the state.
 *
 * A file of tests/data/scenes: lines of comment (#), one `plan {...}`, then inputs:
 *
 *   > start JOBS                     > wait MS        > clock MS   (the wall clock jumps)
 *   > running TASK PID               > quiet TASK MS  > heard TASK
 *   > exit TASK CODE VERDICT [...]   > end TASK KIND CODE VERDICT [...]
 *   > note TEXT                      > leave          > orphan
 *   > lose EVENTS [reboot]           the engine dies, the last events are not in the log
 *   > cancel|retry|hold|release|send-one TASK|- [stop|term|kill] [...]
 *   > correct TASK VERDICT [...]
 *
 * VERDICT is a word of verdict.h; [...] are `hint=MS`, `ask`, `fp=N`, `met`, `step=N`, `try=N`,
 * `own` (the act was made in this process), facts of the outcome, and as a step of the task's
 * trajectory `new=PERMILLE` (without it there is no fact), `raw=N`, `news` (it brings a new
 * line), `masked`.
 */
#ifndef DEVS_TEST_SCENE_H
#define DEVS_TEST_SCENE_H

#include "play.h"

/* Plays the inputs of a scene's text and adds the expected text to *out. */
void scene_play(const char *text, struct str *out);

/* One line for an event, with its values that are not 0. */
void scene_show_event(const struct play *play, const struct event *event, struct str *out);
void scene_show_action(const struct play *play, const struct action *action, struct str *out);
/* One line for each part of the state, with the values that are not the initial ones. */
void scene_show_state(const struct play *play, struct str *out);

#endif
