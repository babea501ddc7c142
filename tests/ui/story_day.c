/* story_day.c - the run of the mock-ups from its start to 14:02:37: every attempt and wait. */
#include <string.h>

#include "attr.h"
#include "story.h"

enum move { START, AGAIN, PASS, FAIL, WAIT, MUTE, ASK, GIVE_UP, CANCEL };

static const struct move_of {
    int at_s;
    const char *id;
    enum move move;
    int for_s; /* for WAIT and MUTE */
} moves[] = {
    {0, "T-105", START, 0},     {10, "T-102", START, 0},   {20, "T-107", START, 0},
    {30, "T-105", PASS, 0},     {30, "T-105", START, 0},   {30, "T-106", START, 0},
    {60, "T-102", PASS, 0},     {60, "T-102", START, 0},   {70, "T-105", FAIL, 0},
    {70, "T-105", WAIT, 11},    {80, "T-107", PASS, 0},    {80, "T-107", START, 0},
    {81, "T-105", AGAIN, 0},    {90, "T-106", CANCEL, 0},  {120, "T-110", START, 0},
    {150, "T-110", PASS, 0},    {150, "T-110", START, 0},  {150, "T-102", PASS, 0},
    {150, "T-102", START, 0},   {150, "T-105", FAIL, 0},   {150, "T-105", WAIT, 22},
    {170, "T-102", FAIL, 0},    {170, "T-102", WAIT, 11},  {172, "T-105", AGAIN, 0},
    {181, "T-102", AGAIN, 0},   {200, "T-107", FAIL, 0},   {200, "T-107", WAIT, 15},
    {200, "T-102", PASS, 0},    {200, "T-102", START, 0},  {215, "T-107", AGAIN, 0},
    {230, "T-105", FAIL, 0},    {230, "T-105", WAIT, 45},  {250, "T-102", PASS, 0},
    {275, "T-105", AGAIN, 0},   {300, "T-109", START, 0},  {330, "T-107", FAIL, 0},
    {330, "T-107", WAIT, 30},   {330, "T-105", FAIL, 0},   {330, "T-105", WAIT, 90},
    {340, "T-109", PASS, 0},    {340, "T-109", START, 0},  {350, "T-110", FAIL, 0},
    {350, "T-110", WAIT, 27},   {355, "T-104", START, 0},  {360, "T-107", AGAIN, 0},
    {377, "T-110", AGAIN, 0},   {382, "T-104", PASS, 0},   {382, "T-104", START, 0},
    {420, "T-105", AGAIN, 0},   {470, "T-107", PASS, 0},   {470, "T-107", START, 0},
    {470, "T-105", FAIL, 0},    {470, "T-105", WAIT, 180}, {479, "T-104", FAIL, 0},
    {479, "T-104", WAIT, 11},   {490, "T-104", AGAIN, 0},  {500, "T-107", FAIL, 0},
    {500, "T-107", WAIT, 60},   {527, "T-110", MUTE, 60},  {560, "T-107", AGAIN, 0},
    {565, "T-101", START, 0},   {596, "T-107", FAIL, 0},   {596, "T-107", ASK, 0},
    {600, "T-101", PASS, 0},    {600, "T-101", START, 0},  {601, "T-104", FAIL, 0},
    {601, "T-104", WAIT, 22},   {623, "T-104", AGAIN, 0},  {640, "T-109", FAIL, 0},
    {640, "T-109", WAIT, 60},   {650, "T-105", AGAIN, 0},  {700, "T-109", AGAIN, 0},
    {700, "T-101", PASS, 0},    {700, "T-101", START, 0},  {700, "T-105", FAIL, 0},
    {700, "T-105", GIVE_UP, 0}, {716, "T-103", START, 0},  {730, "T-104", FAIL, 0},
    {730, "T-104", WAIT, 45},   {737, "T-109", FAIL, 0},   {737, "T-109", WAIT, 84},
};

static const struct {
    const char *id, *title;
} day_tasks[] = {
    {"T-107", "auth: rotate refresh token"},
    {"T-104", "checkout: tax rounding"},
    {"T-109", "api: cursor pagination"},
    {"T-110", "search: typo tolerance"},
    {"T-101", "cart: merge on login"},
    {"T-103", "orders: idempotency key"},
    {"T-102", "cart: clear on logout"},
    {"T-105", "mail: retry bounced"},
    {"T-106", "seed: fixtures"},
    {"T-111", "docs: openapi sync"},
};

static void fail(struct story *story, const struct move_of *move)
{
    struct event event = story_event(story, move->id, EVENT_ATTEMPT_JUDGED);
    if (strcmp(move->id, "T-105") == 0) {
        story_time_out(story, move->id);
        event.judged.label.class = VERDICT_TRANSIENT;
        event.judged.label.type = TRANSIENT_RESOURCE_BUSY;
        story_add_json(story, event, "{\"rule\":\"known.timeout\",\"subtype\":\"TIMEOUT\"}");
    } else if (strcmp(move->id, "T-109") == 0) {
        story_fail_by_world(story, move->id, TRANSIENT_API_RATE_LIMIT, 0,
                            "{\"rule\":\"http.429\"}");
    } else if (move->at_s == 596) { /* the last one */
        story_fail(story, move->id, REASON_AUTH,
                   "{\"rule\":\"auth-401\",\"match\":\"401: token expired\"}");
    } else {
        story_fail(story, move->id, REASON_TEST_FAIL,
                   "{\"rule\":\"tap.not-ok\",\"stream\":\"stdout\",\"line\":61,"
                   "\"match\":\"expected 19.99, got 20.00\"}");
    }
}

/* The mock-ups give the waiting times. The formula is shown for only one of them. */
static void wait(struct story *story, const struct move_of *move)
{
    const bool is_told = strcmp(move->id, "T-104") == 0 && move->for_s == 45;
    if (is_told)
        story_wait_by(
            story, move->id, move->for_s,
            "{\"policy\":\"patient\",\"retry_number\":3,\"base_ms\":15000,\"multiplier\":2,"
            "\"cap_ms\":300000,\"jitter\":0.25,\"factor\":0.75,\"used\":3,"
            "\"allowed\":6}");
    else
        story_wait(story, move->id, move->for_s);
}

static void cancel(struct story *story, const char *id)
{
    struct event event = event_new(EVENT_CANCEL_ASKED);
    event.by = "ann@tty2";
    event.task = story_task(story, id);
    story_add(story, event);
    event = story_event(story, id, EVENT_ATTEMPT_ENDED);
    event.ended.outcome.kind = OUTCOME_CANCELLED;
    story_add(story, event);
    story_end(story, id, DECISION_CANCELLED);
}

static void carry_out(struct story *story, const struct move_of *move)
{
    struct event event = story_event(story, move->id, EVENT_ATTEMPT_QUIET);
    switch (move->move) {
    case AGAIN:
        story_add(story, story_event(story, move->id, EVENT_WAIT_ENDED));
        story_start(story, move->id);
        break;
    case START:
        story_start(story, move->id);
        break;
    case PASS:
        story_pass(story, move->id);
        break;
    case FAIL:
        fail(story, move);
        break;
    case WAIT:
        wait(story, move);
        break;
    case MUTE:
        event.quiet.quiet_ms = (int64_t)move->for_s * 1000;
        story_add(story, event);
        break;
    case ASK:
        story_end(story, move->id, DECISION_NEEDS_YOU);
        break;
    case GIVE_UP:
        story_end(story, move->id, DECISION_RETRY_EXHAUSTED);
        break;
    case CANCEL:
        cancel(story, move->id);
        break;
    }
}

void story_begin_day(struct story *story)
{
    struct str json = {0};
    for (size_t i = 0; i < ARRAY_LEN(day_tasks); i++) {
        str_addf(&json, "%s{\"id\": \"%s\", \"title\": \"%s\", \"steps\": [", i > 0 ? ", " : "",
                 day_tasks[i].id, day_tasks[i].title);
        story_add_steps(&json, "RGVF");
        str_add(&json, "]}");
    }
    story_init_tasks(story, str_text(&json));
    str_done(&json);
}

void story_tell_day(struct story *story, int until_s)
{
    for (size_t i = 0; i < ARRAY_LEN(moves) && moves[i].at_s <= until_s; i++) {
        story_at(story, moves[i].at_s / 60, moves[i].at_s % 60);
        carry_out(story, &moves[i]);
    }
    story_at(story, until_s / 60, until_s % 60);
}

void story_init_day(struct story *story)
{
    story_begin_day(story);
    story_tell_day(story, STORY_DAY_S);
}
