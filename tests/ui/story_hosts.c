/* story_hosts.c - a made-up run on other machines: hosts that are up and down, contact lost. */
#include <stddef.h>

#include "attr.h"
#include "story.h"

static const char executors[] =
    "\"executors\": {\"lab\": {\"like\": \"ssh\", \"shared\": \"/nfs/work\", \"hosts\": ["
    "{\"host\": \"gpu1\", \"slots\": 8}, {\"host\": \"ann@gpu2\", \"slots\": 4},"
    " {\"host\": \"gpu3\", \"slots\": 12}]},"
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

static void place(struct story *story, const char *id, const char *host)
{
    story_start(story, id);
    struct event event = story_event(story, id, EVENT_ATTEMPT_PLACED);
    event.placed.executor = "lab";
    event.placed.host = host;
    story_add(story, event);
    story_add(story, story_event(story, id, EVENT_ATTEMPT_RUNNING));
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
