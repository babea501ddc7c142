#include "plan_source.h"

#include <string.h>

#include "adapter.h"
#include "xalloc.h"

/* The number of the name, which is added if it is new; -1 if there is no room. */
static int source_number(struct plan *plan, const char *name)
{
    for (int i = 0; i < plan->source_count; i++) {
        if (strcmp(plan->sources[i], name) == 0)
            return i;
    }
    if (plan->source_count == PLAN_SOURCES_MAX)
        return -1;
    if (!plan->sources)
        plan->sources = xcalloc(PLAN_SOURCES_MAX + 1, sizeof(*plan->sources));
    plan->sources[plan->source_count] = xstrdup(name);
    return plan->source_count++;
}

void plan_source_read(struct plan_reader *reader, const struct json_pointer *path,
                      const struct json *value)
{
    struct plan_step *step = &reader->plan->tasks[reader->task].steps[reader->step];
    const char *name = json_text(value, NULL);
    if (!name)
        return;
    step->source = source_number(reader->plan, name);
    if (step->source < 0)
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, "too many sources in one plan",
                        "at most 64 names", "more");
}

void plan_source_take(struct plan *plan, struct plan_step *step, const char *name)
{
    if (step->source < 0)
        step->source = source_number(plan, name);
}

void plan_source_guess(struct plan *plan, struct plan_step *step)
{
    if (!step->argv || step->source >= 0)
        return;
    const char *program = adapter_program_of(step->argv[0]);
    if (adapters_of_program(NULL, program))
        step->source = source_number(plan, program);
}
