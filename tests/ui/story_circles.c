/* story_circles.c - a made-up run whose tasks are looping, or almost. */
#include <check.h>

#include "story.h"

/* The output of an attempt, as loop detection records it: failed, with something masked. */
static const char *const red =
    "{\"fingerprint\":\"7c1e0000000000000000000000000001\",\"new_permille\":1000,"
    "\"loop\":{\"raw\":11,\"bits\":1,\"gain\":\"line\",\"lines\":9}}";
static const char *const red_again =
    "{\"fingerprint\":\"7c1e0000000000000000000000000001\",\"new_permille\":0,"
    "\"loop\":{\"raw\":12,\"bits\":65,\"lines\":9}}";
static const char *const other =
    "{\"fingerprint\":\"2d900000000000000000000000000002\",\"new_permille\":220,"
    "\"loop\":{\"raw\":13,\"bits\":1,\"gain\":\"line\",\"lines\":9}}";
static const char *const other_again =
    "{\"fingerprint\":\"2d900000000000000000000000000002\",\"new_permille\":0,"
    "\"loop\":{\"raw\":13,\"bits\":1,\"lines\":9}}";
static const char *const nearly =
    "{\"fingerprint\":\"41d00000000000000000000000000003\",\"new_permille\":40,"
    "\"loop\":{\"raw\":14,\"bits\":1,\"gain\":\"line\",\"lines\":9}}";

static const char *const found = "{\"rule\":\"tap.not-ok\",\"stream\":\"stdout\",\"line\":5,"
                                 "\"match\":\"not ok 3 - rounds half to even\"}";

/* The running attempt fails after printing this. */
static void fail_with(struct story *story, const char *id, const char *text)
{
    enum { RAN_MS = 47000 };
    struct event event = story_event(story, id, EVENT_ATTEMPT_ENDED);
    event.ended.outcome.code = 1;
    event.ended.outcome.ran_ms = RAN_MS;
    story_add_json(story, event, text);
    event = story_event(story, id, EVENT_ATTEMPT_JUDGED);
    event.judged.label.class = VERDICT_PERSISTENT;
    event.judged.label.reason = REASON_TEST_FAIL;
    story_add_json(story, event, found);
}

/* Consecutive tries, the last of which has ended without a decision yet. */
static void fail_in_turn(struct story *story, const char *id, const char *const *texts)
{
    for (int i = 0; texts[i]; i++) {
        if (i > 0) {
            story_wait(story, id, 2);
            story_add(story, story_event(story, id, EVENT_WAIT_ENDED));
        }
        story_start(story, id);
        fail_with(story, id, texts[i]);
    }
}

static void suspect(struct story *story, const char *id)
{
    struct event event = story_event(story, id, EVENT_LOOP_SUSPECTED);
    const struct circles *circles = story->state.tasks[event.task].circles;
    ck_assert_int_eq(circles->verdict.level, ENTROPY_SUSPECT);
    event.loop.facts.rung = circles->verdict.rung;
    event.loop.facts.first = circles->verdict.first_number;
    event.loop.facts.last = circles->verdict.last_number;
    event.loop.facts.count = circles->verdict.count;
    event.loop.facts.period = 1;
    story_add(story, event);
}

static void stop(struct story *story, const char *id, const char *text)
{
    struct event event = story_event(story, id, EVENT_STEP_ENDED);
    event.step_ended.decision = DECISION_ENTROPY;
    event.step_ended.entropy = true;
    story_add_json(story, event, text);
}

static void tell_the_stuck(struct story *story)
{
    fail_in_turn(story, "tax",
                 (const char *const[]){red, red_again, red_again, red_again, red_again, NULL});
    ck_assert_int_eq(story->state.tasks[story_task(story, "tax")].circles->verdict.level,
                     ENTROPY_STUCK);
    stop(story, "tax",
         "{\"policy\":\"patient\",\"phase\":\"GREEN\",\"used\":5,\"allowed\":6,"
         "\"rung\":\"repeat\",\"count\":5,\"period\":1,\"first\":1,\"last\":5,"
         "\"masked\":true,\"masks\":73}");

    fail_in_turn(
        story, "flip",
        (const char *const[]){red, other, red_again, other_again, red_again, other_again, NULL});
    ck_assert_int_eq(story->state.tasks[story_task(story, "flip")].circles->verdict.rung,
                     ENTROPY_RUNG_CYCLE);
    stop(story, "flip",
         "{\"policy\":\"patient\",\"phase\":\"GREEN\",\"used\":6,\"allowed\":6,"
         "\"rung\":\"cycle\",\"count\":3,\"period\":2,\"first\":1,\"last\":6}");

    fail_in_turn(story, "survey", (const char *const[]){other, other_again, other_again, NULL});
    stop(story, "survey",
         "{\"policy\":\"research\",\"phase\":\"GREEN\",\"used\":3,\"allowed\":6,\"same\":3,"
         "\"window\":3}");
}

void story_init_circles(struct story *story)
{
    story_init(story, "tax flip survey mail cart rates", "G");
    story_at(story, 10, 0);
    tell_the_stuck(story);

    story_at(story, 11, 0);
    fail_in_turn(story, "mail", (const char *const[]){red, red_again, red_again, NULL});
    suspect(story, "mail");
    story_wait(story, "mail", 120);

    fail_in_turn(story, "cart", (const char *const[]){red, red_again, red_again, NULL});
    suspect(story, "cart");
    story_wait(story, "cart", 2);
    story_add(story, story_event(story, "cart", EVENT_WAIT_ENDED));
    story_start(story, "cart");

    story_at(story, 12, 10);
    fail_in_turn(story, "rates", (const char *const[]){red, other, nearly, NULL});
    story_wait(story, "rates", 45);
    story_at(story, 12, 37);
}
