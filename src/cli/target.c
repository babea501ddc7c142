#include "target.h"

#include <stdio.h>
#include <string.h>

#include "parse.h"

static bool is_number(const char *word, size_t len)
{
    return len > 0 && strspn(word, "0123456789") >= len;
}

bool target_parse(const char *word, struct target *out, struct err *err)
{
    struct target target = {0};
    const char *start = word[0] == '#' ? word + 1 : word;
    const char *slash = strchr(start, '/');
    size_t len = slash ? (size_t)(slash - start) : strlen(start);
    const char *task = slash ? slash + 1 : "";

    if (is_number(start, len)) {
        char digits[24];
        if (len >= sizeof(digits))
            return err_set(err, ERR_INVALID, "'%s' is no run number", word);
        memcpy(digits, start, len);
        digits[len] = '\0';
        if (!parse_i64(digits, 1, INT64_MAX, &target.run, err))
            return false;
    } else if (slash) {
        (void)err_set(err, ERR_INVALID, "'%s' names no run", word);
        return err_hint(err, "a task is RUN/TASK or TASK; devs runs lists the runs");
    } else {
        task = word;
    }
    if (strlen(task) > PLAN_ID_MAX)
        return err_set(err, ERR_INVALID, "'%s' is longer than a task id can be", task);
    (void)snprintf(target.task, sizeof(target.task), "%s", task);
    *out = target;
    return true;
}

/* A task whose id begins alike, for the hint. */
static const char *alike(const struct plan *plan, const char *id)
{
    for (int i = 0; i < plan->task_count; i++) {
        if (strncmp(plan->tasks[i].id, id, 2) == 0)
            return plan->tasks[i].id;
    }
    return plan->task_count > 0 ? plan->tasks[0].id : NULL;
}

bool target_task(const struct target *target, const struct plan *plan, int *out, struct err *err)
{
    int number = plan_find(plan, target->task);
    if (number < 0) {
        (void)err_set(err, ERR_NOT_FOUND, "this run has no task '%s'", target->task);
        const char *near = alike(plan, target->task);
        return near ? err_hint(err, "there is '%s'; devs status lists them all", near) : false;
    }
    *out = number;
    return true;
}
