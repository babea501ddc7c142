#include "keyboard.h"

struct story story;
struct view view;
struct view_facts facts;

void keyboard_open(void (*init)(struct story *story), int list_rows, int log_rows)
{
    init(&story);
    view_init(&view, story.plan->task_count);
    facts = (struct view_facts){.state = &story.state, .log = &story.tail};
    now_is_the_storys();
    view_arrange(&view, &facts);
    view_fit(&view, list_rows, log_rows, VIEW_HAS_LIST | (log_rows > 0 ? VIEW_HAS_LOG : 0));
}

void keyboard_close(void)
{
    view_done(&view);
    story_done(&story);
}

void keyboard_eight(struct story *out)
{
    story_init(out, "a b c d e f g h", "G");
}

struct view_todo press(uint32_t key)
{
    return view_key(&view, key, &facts);
}

struct view_todo type(const char *keys)
{
    struct view_todo todo = {.kind = VIEW_DRAW};
    for (; *keys != '\0'; keys++)
        todo = press((unsigned char)*keys);
    return todo;
}

void later(int64_t ms)
{
    facts.clock.mono_ms += ms;
    facts.clock.at_ms += ms;
}

void now_is_the_storys(void)
{
    facts.now = story.now;
    facts.clock = story.now;
}

int task(const char *id)
{
    return story_task(&story, id);
}

const char *chosen(void)
{
    return view.chosen < 0 ? "" : story.plan->tasks[view.chosen].id;
}
