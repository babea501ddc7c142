/*
 * play.h - a run played by hand: the real scheduler and fold, a clock that stands
 * still until it is told, outcomes as the test wants them. No process, no file.
 */
#ifndef DEVS_TEST_PLAY_H
#define DEVS_TEST_PLAY_H

#include "scheduler.h"
#include "what_if.h"

struct play {
    struct plan *plan;
    struct run_state state;
    struct scheduler scheduler;
    struct turn turn; /* of the last input */
    struct moment now;
    struct event_list events; /* all so far */
    struct control *acts;     /* that were answered or will be, in order */
    size_t act_count, act_cap, act_read;
    bool is_unlike; /* the inputs are not those of an engine: the run is not decided again */
    int jobs_after; /* of the engine that continues after a crash; 0 = as before, or 2 */
};

/* Asserts that the plan is valid. In JSON without double quotes, single quotes stand for them, here
 * and for play_what_if(). */
void play_open(struct play *play, const char *plan);
/* Also checks that folding all events again gives the same state, and deciding again the same
 * events (redecide.h). */
void play_close(struct play *play);

/* What other policies make of all events so far (what_if.h; NULL: the same ones). The caller
 * frees. */
struct what_if *play_what_if(const struct play *play, const char *policies);

void play_start(struct play *play, int jobs);
/* Let time pass; due waits end. */
void play_wait(struct play *play, int64_t ms);
/* The running attempt of the task's current step is over. */
void play_exit(struct play *play, const char *task, int code, struct verdict verdict);
void play_outcome(struct play *play, const char *id, struct outcome outcome,
                  struct verdict verdict);
void play_control(struct play *play, enum control_verb verb, const char *task,
                  enum cancel_mode mode);
void play_input(struct play *play, struct input input);

/* The engine dies with only the first `keep` events in the log; another one continues the run,
 * after a reboot if `rebooted`. */
void play_crash(struct play *play, size_t keep, bool rebooted);

int play_task(const struct play *play, const char *id);
enum task_status play_status(const struct play *play, const char *id);
/* How many events of this kind there were; task NULL = of all. */
int play_count(const struct play *play, enum event_kind kind, const char *task);
/* The last of a kind, NULL if there was none. */
const struct event *play_last(const struct play *play, enum event_kind kind);

struct verdict play_passed(void);
struct verdict play_persistent(enum reason reason);
struct verdict play_transient(enum transient_type type);

#endif
