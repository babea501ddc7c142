/* story_hosts.c - a made-up run on other machines: hosts that are up and down, contact lost. */
#include <stddef.h>

#include "attr.h"
#include "story.h"

static const char executors[] =
    "\"executors\": {\"lab\": {\"like\": \"ssh\", \"shared\": \"/nfs/work\", \"hosts\": ["
    "{\"host\": \"gpu1\", \"slots\": 8}, {\"host\": \"ann@gpu2\", \"slots\": 4},"
    " {\"host\": \"gpu3\", \"slots\": 12}]},"
    " \"farm\": {\"like\": \"slurm\", \"shared\": \"/nfs/work\", \"slots\": 16},"
    " \"old\": {\"like\": \"ssh\", \"shared\": \"/nfs/work\", \"hosts\": [\"attic\"]}},"
    " \"executor\": \"lab\",";

static const struct {
    const char *id, *title, *more;
} tasks[] = {
    {"T-101", "cart: merge on login", "\"executor\": \"local\", "},
    {"T-102", "cart: clear on logout", ""},
    {"T-103", "orders: idempotency keys", ""},
    {"T-107", "auth: rotate tokens", ""},
    {"T-108", "catalogue: import", ""},
    {"T-110", "search: typo tolerance", ""},
    {"T-111", "docs: openapi", "\"needs\": [\"T-110\"], "},
    {"T-114", "photos: thumbnails", ""},
    {"T-120", "search: build the index", "\"executor\": \"farm\", "},
    {"T-121", "search: load test", "\"executor\": \"farm\", "},
};

static void add_tasks(struct str *out)
{
    for (size_t i = 0; i < ARRAY_LEN(tasks); i++) {
        str_addf(out, "%s{\"id\": \"%s\", \"title\": \"%s\", %s\"steps\": [", i > 0 ? ", " : "",
                 tasks[i].id, tasks[i].title, tasks[i].more);
        story_add_steps(out, "G");
        str_add(out, "]}");
    }
}

static void start_on(struct story *story, const char *id, const char *executor, const char *host)
{
    story_start(story, id);
    struct event event = story_event(story, id, EVENT_ATTEMPT_PLACED);
    event.placed.executor = executor;
    event.placed.host = host;
    story_add(story, event);
}

static void place(struct story *story, const char *id, const char *host)
{
    start_on(story, id, "lab", host);
    story_add(story, story_event(story, id, EVENT_ATTEMPT_RUNNING));
}

static void tell_job(struct story *story, const char *id, const char *job, const char *reason,
                     const char *node)
{
    struct event event = story_event(story, id, EVENT_JOB_STATE);
    event.job.state = node ? JOB_RUNNING : JOB_QUEUED;
    event.job.job = job;
    event.job.reason = reason;
    event.job.node = node;
    story_add(story, event);
}

static void tell_host(struct story *story, const char *executor, const char *host, const char *why)
{
    struct event event = event_new(EVENT_HOST_STATE);
    event.host.executor = executor;
    event.host.host = host;
    event.host.is_down = why;
    event.host.why = why;
    story_add(story, event);
}

static void lose(struct story *story, const char *id)
{
    enum { FENCE_MS = 320 * 1000 };
    struct event event = story_event(story, id, EVENT_CONTACT_LOST);
    event.contact_lost.since = story->now;
    event.contact_lost.fence =
        (struct moment){story->now.at_ms + FENCE_MS, story->now.mono_ms + FENCE_MS};
    story_add(story, event);
}

void story_init_hosts(struct story *story)
{
    struct str json = {0};
    add_tasks(&json);
    story_init_plan(story, executors, str_text(&json));
    str_done(&json);
    story_at(story, 1, 0);
    tell_host(story, "old", "attic", "ssh: connect to host attic port 22: No route to host");
    place(story, "T-102", "gpu1");
    story_at(story, 4, 0);
    story_pass(story, "T-102");
    story_at(story, 8, 0);
    story_start(story, "T-101");
    place(story, "T-103", "gpu1");
    story_at(story, 9, 20);
    place(story, "T-107", "gpu1");
    place(story, "T-110", "ann@gpu2");
    place(story, "T-114", "ann@gpu2");
    start_on(story, "T-121", "farm", "farm");
    tell_job(story, "T-121", "4711", "None", NULL);
    story_at(story, 10, 27);
    start_on(story, "T-120", "farm", "farm");
    tell_job(story, "T-120", "4712", "Priority", NULL);
    tell_job(story, "T-121", "4711", NULL, "n2");
    story_add(story, story_event(story, "T-121", EVENT_ATTEMPT_RUNNING));
    story_at(story, 11, 55);
    lose(story, "T-110");
    tell_host(story, "lab", "ann@gpu2", "no contact");
    lose(story, "T-114");
    story_at(story, 12, 20);
    struct event cancel = story_event(story, "T-114", EVENT_CANCEL_ASKED);
    cancel.step = -1;
    cancel.grant = cancel.attempt = 0;
    cancel.by = "ann";
    story_add(story, cancel);
    story_at(story, 12, 37);
}
