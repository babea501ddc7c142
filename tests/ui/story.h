/*
 * story.h - a made-up run for tests of the screen: events with times, folded.
 */
#ifndef DEVS_TEST_STORY_H
#define DEVS_TEST_STORY_H

#include "log_lines.h"
#include "plan.h"
#include "replay.h"
#include "run_state.h"

struct story {
    struct plan *plan;
    struct run_state state;
    struct replay replay; /* the same events as marks */
    struct log_tail tail;
    struct output_page page;
    struct event *events; /* all, as they were added; texts are static */
    size_t event_count, event_cap;
    struct moment now;
};

/* One task for each id ("a b c"), each with these phases ("RGV"), 6 tries. */
void story_init(struct story *story, const char *ids, const char *phases);
/* The run of the mock-ups: every state at 14:02:37. */
void story_init_full(struct story *story);
/* What retries look like at 14:02:37: starts that fail, long and parked waits, a formula, six
 * tasks of one fault, a closed gate. */
void story_init_retries(struct story *story);
/* Loops at 14:02:37 (story_circles.c): tasks that are stuck by a repeat, a cycle and
 * their policy's window, two that are suspected, and one that is not. */
void story_init_circles(struct story *story);
/* Agents at 14:02:37 (story_agents.c): one in its second round that has used most of its budget,
 * one that has spent it, one whose calls may be looping, one that has not begun. */
void story_init_agents(struct story *story);
/* The first of them a second after the check of its first round has failed. */
void story_init_said(struct story *story);
/* The day of the mock-ups (story_day.c) from its beginning to 14:02:37, each attempt and wait; or
 * only its plan, and then what had happened after so many seconds. */
enum { STORY_DAY_S = 757 };
void story_init_day(struct story *story);
void story_begin_day(struct story *story);
void story_tell_day(struct story *story, int until_s);
/* The steps of a task in a plan, of these phases. */
void story_add_steps(struct str *json, const char *phases);
/* These tasks, as in a plan. */
void story_init_tasks(struct story *story, const char *tasks);
void story_done(struct story *story);

/* The time of what follows: minutes and seconds after 13:50:00 UTC. */
void story_at(struct story *story, int minutes, int seconds);
void story_add(struct story *story, struct event event);
/* An event of the task's current step and latest attempt. */
struct event story_event(const struct story *story, const char *id, enum event_kind kind);

int story_task(const struct story *story, const char *id);
void story_start(struct story *story, const char *id);
/* What runs ends well, and with it the step. */
void story_pass(struct story *story, const char *id);
/* What runs fails with exit 1. */
void story_fail(struct story *story, const char *id, enum reason reason, const char *text);
/* The time of what runs is used up; not yet judged. */
void story_time_out(struct story *story, const char *id);
/* What runs fails because of the world; `print` is the fingerprint's last digit, 0 = none. */
void story_fail_by_world(struct story *story, const char *id, enum transient_type type, int print,
                         const char *text);
/* What was to run could not be started. */
void story_fail_to_start(struct story *story, const char *id);
/* A wait with the inputs of its formula (their `hint` too). */
void story_wait_by(struct story *story, const char *id, int seconds, const char *inputs);
/* The gate of the task's step is closed for so long, for the `closed`th time in a row. */
void story_close_gate(struct story *story, const char *id, int seconds, int closed);
void story_wait(struct story *story, const char *id, int seconds);
/* A fail, a wait, and the next attempt as soon as it is over. */
void story_try_again(struct story *story, const char *id, int seconds);
void story_end(struct story *story, const char *id, enum decision_kind end);
void story_end_run(struct story *story);

/* Output of the task's latest attempt, one row. */
void story_say(struct story *story, const char *id, const char *text);

#endif
