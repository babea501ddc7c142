/*
 * story.h - a made-up run for screen tests: timed events, and the resulting state.
 */
#ifndef DEVS_TEST_STORY_H
#define DEVS_TEST_STORY_H

#include "log_lines.h"
#include "plan.h"
#include "run_state.h"
#include "view.h"

struct story {
    struct plan *plan;
    struct run_state state;
    struct replay replay; /* marks for the same events */
    struct log_tail tail;
    struct output_page page;
    struct event_list events; /* all events in order */
    struct moment now;
};

/* Makes one task for each id ("a b c"), each with these phases ("RGV"), 6 tries. */
void story_init(struct story *story, const char *ids, const char *phases);
/* Makes the run of the mock-ups, with tasks in every state at 14:02:37. */
void story_init_full(struct story *story);
/* Makes a run with all kinds of retries at 14:02:37: failing starts, long and parked waits, a
 * formula, six tasks with one fault, a closed gate. */
void story_init_retries(struct story *story);
/* Makes a run with loops at 14:02:37 (story_circles.c): tasks stuck because of a repeat, a cycle
 * and their policy's window, two suspected ones, and one that is not looping. */
void story_init_circles(struct story *story);
/* Makes a run of agents at 14:02:37 (story_agents.c): one in its second round with most of its
 * budget used, one with its budget spent, one whose calls may be looping, one not started yet. */
void story_init_agents(struct story *story);
/* Makes the first of these agents, a second after the check of its first round has failed. */
void story_init_said(struct story *story);
/* The day of the mock-ups (story_day.c), from its start to 14:02:37, with each attempt and wait; or
 * only its plan, and then the events up to a given second. */
enum { STORY_DAY_S = 757 };
void story_init_day(struct story *story);
void story_begin_day(struct story *story);
void story_tell_day(struct story *story, int until_s);
/* Appends a task's steps with these phases, as in a plan. */
void story_add_steps(struct str *json, const char *phases);
/* Makes a run of tasks given as in a plan. */
void story_init_tasks(struct story *story, const char *tasks);
/* The same with more members of the plan, each followed by a comma. */
void story_init_plan(struct story *story, const char *keys, const char *tasks);
/* Makes a run on other machines at 14:02:37 (story_hosts.c): tasks run here, on a host that
 * is up, and on one without contact, where one is cancelled; others wait for a slot. */
void story_init_hosts(struct story *story);
void story_done(struct story *story);

/* Sets the time of the next events: minutes and seconds after 13:50:00 UTC. */
void story_at(struct story *story, int minutes, int seconds);
void story_add(struct story *story, struct event event);
/* Returns an event for the task's current step and latest attempt. */
struct event story_event(const struct story *story, const char *id, enum event_kind kind);
/* Adds the event with the fields that the JSON object has; NULL = none. */
void story_add_json(struct story *story, struct event event, const char *json);

int story_task(const struct story *story, const char *id);
void story_start(struct story *story, const char *id);
/* The running attempt succeeds, and with it the step. */
void story_pass(struct story *story, const char *id);
/* The running attempt fails with exit 1. */
void story_fail(struct story *story, const char *id, enum reason reason, const char *text);
/* The running attempt times out; not judged yet. */
void story_time_out(struct story *story, const char *id);
/* The running attempt fails for an external reason; `print` is the last digit of the fingerprint, 0
 * = none. */
void story_fail_by_world(struct story *story, const char *id, enum transient_type type, int print,
                         const char *text);
/* A wait with the inputs of its formula (including their `hint`). */
void story_wait_by(struct story *story, const char *id, int seconds, const char *inputs);
void story_wait(struct story *story, const char *id, int seconds);
/* A failure, a wait, and the next attempt right after it. */
void story_try_again(struct story *story, const char *id, int seconds);
void story_end(struct story *story, const char *id, enum decision_kind end);
void story_end_run(struct story *story);
/* "ann" holds the task until number `leader` gets through; -1: until she releases it. */
void story_hold(struct story *story, const char *id, int leader);

/* Adds a row of output to the task's latest attempt. */
void story_say(struct story *story, const char *id, const char *text);

#endif
