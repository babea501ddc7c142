/*
 * The shop's run (shop_story.c) is the run of the mock-ups where that is:
 * ../shared/data/story.jsonl. Read from our log, each task has the same title, and did the same
 * things within a second.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "follower.h"
#include "json.h"
#include "must.h"
#include "shop_log.h"
#include "test_main.h"
#include "timeline.h"

enum { SKIPPED = 77, MS_PER_S = 1000, DEEDS_MAX = 32, SLACK_S = 1, NOW_S = 757 };

static const char story_file[] = "../shared/data/story.jsonl";

/* What a task did: for a time, or at one (then from_s and to_s are the same). */
struct deed {
    int64_t from_s, to_s;
    char what[32];
    char phase[16]; /* "" = none */
};

struct deeds {
    struct deed items[DEEDS_MAX];
    int count;
};

static char *story; /* owned */
static struct follower *follower;

static void open_log(void)
{
    story = test_read_file(test_source_path(story_file));
    ck_assert_ptr_nonnull(story);
    char path[PATH_MAX];
    struct place place;
    (void)snprintf(path, sizeof(path), "%s/devs.db", test_tmpdir());
    must(place_find(path, true, &place, &err));
    must(shop_log_write(&place, &err));
    must(follower_open(&follower, &place, 0, &err));
    must(follower_read(follower, 0, NULL, NULL, NULL, &err));
}

static void close_log(void)
{
    follower_close(follower);
    follower = NULL;
    free(story);
    story = NULL;
}

static void add_deed(struct deeds *deeds, const char *what, int64_t from_s, int64_t to_s,
                     const char *phase)
{
    ck_assert_int_lt(deeds->count, DEEDS_MAX);
    struct deed *deed = &deeds->items[deeds->count++];
    *deed = (struct deed){.from_s = from_s, .to_s = to_s};
    (void)snprintf(deed->what, sizeof(deed->what), "%s", what);
    (void)snprintf(deed->phase, sizeof(deed->phase), "%s", phase);
}

/* In the words of the story; NULL: it says nothing of these. */
static const char *const span_words[SPAN_KIND_COUNT] = {
    [SPAN_RUNNING] = "runs",
    [SPAN_QUIET] = "runs, no output",
    [SPAN_BACKOFF] = "backoff",
    [SPAN_NEEDS_YOU] = "needs a person",
};
static const char *const end_words[SPAN_END_COUNT] = {
    [SPAN_END_PASSED] = "task passed", [SPAN_END_CANCELLED] = "task cancelled by a person",
    [SPAN_END_LOST] = "lost",          [SPAN_END_FAILED] = "attempt failed",
    [SPAN_END_STUCK] = "looping",      [SPAN_END_GAVE_UP] = "task gave up",
};

/* A wait that goes on is two spans: what was, and what is planned. */
static bool goes_on(const struct span *span, const struct deeds *deeds)
{
    return span->is_planned && deeds->count > 0 &&
           strcmp(deeds->items[deeds->count - 1].what, span_words[span->kind]) == 0;
}

static void read_ours(int task, struct deeds *out)
{
    const struct run_state *state = follower_state(follower);
    const int64_t start_ms = state->started_at.mono_ms;
    const struct moment now = {.at_ms = state->started_at.at_ms + NOW_S * MS_PER_S,
                               .mono_ms = start_ms + NOW_S * MS_PER_S};
    struct timeline timeline = {0};
    timeline_read(&timeline, state, task, &now, false);
    for (size_t i = 0; i < timeline.count; i++) {
        const struct span *span = &timeline.spans[i];
        const bool runs = span->kind == SPAN_RUNNING || span->kind == SPAN_QUIET;
        const int64_t until_s = (span->until_ms - start_ms) / MS_PER_S;
        if (goes_on(span, out))
            out->items[out->count - 1].to_s = until_s;
        else if (span_words[span->kind])
            add_deed(out, span_words[span->kind], (span->from_ms - start_ms) / MS_PER_S, until_s,
                     runs ? phase_name(state->plan->tasks[task].steps[span->step].phase) : "");
        if (end_words[span->end])
            add_deed(out, end_words[span->end], until_s, until_s, "");
    }
    timeline_done(&timeline);
}

static struct json *parse_line(const char *line, size_t len)
{
    struct json *json = NULL;
    must(json_parse(line, len, &json, NULL, &err));
    return json;
}

/* Returns the task's title there; the caller frees. */
static char *read_theirs(const char *id, struct deeds *out)
{
    char *title = NULL;
    for (const char *line = story; *line != '\0';) {
        const size_t len = strcspn(line, "\n");
        struct json *json = parse_line(line, len);
        const char *words = json_text(json_get(json, "title"), NULL);
        const int64_t at_s = json_i64(json_get(json, "at_s"), 0);
        line += len + (line[len] == '\n');
        if (strcmp(json_text(json_get(json, "task"), ""), id) == 0 && words)
            title = strdup(words);
        else if (strcmp(json_text(json_get(json, "task"), ""), id) == 0)
            add_deed(out, json_text(json_get(json, "what"), ""),
                     json_i64(json_get(json, "from_s"), at_s),
                     json_i64(json_get(json, "to_s"), at_s),
                     json_text(json_get(json, "phase"), ""));
        json_free(json);
    }
    return title;
}

static bool is_near(int64_t a, int64_t b)
{
    return a - b <= SLACK_S && b - a <= SLACK_S;
}

static void check_deed(const char *id, const struct deed *ours, const struct deed *theirs)
{
    const bool same = is_near(ours->from_s, theirs->from_s) && is_near(ours->to_s, theirs->to_s) &&
                      strcmp(ours->what, theirs->what) == 0 &&
                      strcmp(ours->phase, theirs->phase) == 0;
    ck_assert_msg(same, "%s: we have '%s' %s from %d to %d, the story '%s' %s from %d to %d", id,
                  ours->what, ours->phase, (int)ours->from_s, (int)ours->to_s, theirs->what,
                  theirs->phase, (int)theirs->from_s, (int)theirs->to_s);
}

START_TEST(test_each_task_does_what_the_story_says)
{
    const struct plan *plan = follower_state(follower)->plan;
    for (int i = 0; i < plan->task_count; i++) {
        const char *id = plan->tasks[i].id;
        struct deeds ours = {0};
        struct deeds theirs = {0};
        char *title = read_theirs(id, &theirs);
        ck_assert_msg(title != NULL, "the story has no %s", id);
        ck_assert_str_eq(plan->tasks[i].title, title);
        free(title);
        read_ours(i, &ours);
        for (int j = 0; j < ours.count && j < theirs.count; j++)
            check_deed(id, &ours.items[j], &theirs.items[j]);
        ck_assert_msg(ours.count == theirs.count, "%s: we have %d lines, the story %d", id,
                      ours.count, theirs.count);
    }
}
END_TEST

START_TEST(test_the_story_has_no_other_task_and_ends_then)
{
    const struct plan *plan = follower_state(follower)->plan;
    int titles = 0;
    for (const char *at = strstr(story, "\"title\""); at; at = strstr(at + 1, "\"title\""))
        titles++;
    ck_assert_int_eq(titles, plan->task_count);
    struct json *head = parse_line(story, strcspn(story, "\n"));
    ck_assert_int_eq(json_i64(json_get(head, "now_s"), 0), NOW_S);
    ck_assert_int_le(follower_state(follower)->last.mono_ms,
                     follower_state(follower)->started_at.mono_ms + NOW_S * MS_PER_S);
    json_free(head);
}
END_TEST

Suite *test_suite(void)
{
    if (access(test_source_path(story_file), R_OK) != 0) {
        (void)printf("skipped: %s is not here\n", story_file);
        exit(SKIPPED);
    }
    Suite *suite = suite_create("shop_story");
    TCase *tcase = test_case(suite, "story");
    tcase_add_checked_fixture(tcase, open_log, close_log);
    tcase_add_test(tcase, test_each_task_does_what_the_story_says);
    tcase_add_test(tcase, test_the_story_has_no_other_task_and_ends_then);
    return suite;
}
