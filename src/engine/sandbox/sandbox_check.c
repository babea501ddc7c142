/* sandbox_check.c - what a sandbox comes to on this machine: can it be kept, is it none, which
 * limits? */
#include <stdio.h>
#include <string.h>

#include "bwrap.h"
#include "sandbox_parts.h"

/* What is missing, key by key. */
struct lacking {
    struct str *keys, *why;
};

static void lack(struct lacking *lacking, const char *key, const char *why)
{
    str_addf(lacking->keys, "%s%s", lacking->keys->len > 0 ? ", " : "", key);
    if (strstr(str_text(lacking->why), why))
        return;
    str_addf(lacking->why, "%s%s", lacking->why->len > 0 ? "; " : "", why);
}

static void check_groups(const struct sandbox_spec *spec, struct lacking *lacking)
{
    struct cgroup_means means;
    if (spec->memory_mb == 0 && spec->pids == 0)
        return;
    cgroup_means(&means);
    if (spec->memory_mb > 0 && !means.memory)
        lack(lacking, "memory_mb", means.why);
    if (spec->pids > 0 && !means.pids)
        lack(lacking, "pids", means.why);
}

static void check_none(const struct sandbox_spec *spec, struct lacking *lacking)
{
    static const char why[] = "only a sandbox can: kind bwrap or container";
    if (spec->network == SANDBOX_NETWORK_OFF)
        lack(lacking, "network", why);
    if (spec->root == SANDBOX_ROOT_READ_ONLY)
        lack(lacking, "read_only", why);
    check_groups(spec, lacking);
}

static bool check_bwrap(const struct sandbox_spec *spec, struct lacking *lacking, struct err *err)
{
    struct bwrap_means means;
    bwrap_means(&means);
    if (!means.works) {
        (void)err_set(err, ERR_NOT_FOUND, "sandbox: bwrap cannot be used here: %s", means.why);
        return err_hint(err, "devs doctor");
    }
    if (spec->network != SANDBOX_NETWORK_ON && !means.network)
        lack(lacking, "network", means.why);
    check_groups(spec, lacking);
    return true;
}

/* A daemon that is down comes up again: that is for the attempt to find out. */
static bool check_container(const struct sandbox_spec *spec, struct lacking *lacking,
                            struct err *err)
{
    struct container_tool tool;
    container_tool(spec->kind, &tool);
    if (!tool.program[0]) {
        (void)err_set(err, ERR_NOT_FOUND, "sandbox: kind %s cannot be used here: %s",
                      sandbox_kind_name(spec->kind), tool.why);
        return err_hint(err, "devs doctor");
    }
    if (!tool.works)
        return true;
    char why[160];
    (void)snprintf(why, sizeof(why), "%s has no control group for it", tool.name);
    if (spec->memory_mb > 0 && !tool.limits_memory)
        lack(lacking, "memory_mb", why);
    if (spec->pids > 0 && !tool.limits_pids)
        lack(lacking, "pids", why);
    return true;
}

bool sandbox_check(const struct sandbox_spec *spec, struct str *lacks, struct str *why,
                   struct err *err)
{
    struct lacking lacking = {.keys = lacks, .why = why};

    if (spec->kind == SANDBOX_NONE)
        check_none(spec, &lacking);
    else if (spec->kind == SANDBOX_BWRAP ? !check_bwrap(spec, &lacking, err)
                                         : !check_container(spec, &lacking, err))
        return false;
    if (lacks->len == 0 || spec->best_effort)
        return true;
    (void)err_set(err, ERR_INVALID, "sandbox: %s cannot be enforced here: %s", lacks->data,
                  str_text(why));
    return err_hint(err, "\"best_effort\": true in the plan's sandbox runs without");
}

bool sandbox_is_plain(const struct sandbox_spec *spec, int64_t processes)
{
    bool limited = spec->memory_mb > 0 || spec->pids > 0 || spec->cpu_s > 0 || processes > 0;
    return spec->kind == SANDBOX_NONE && !limited;
}

struct cgroup_limits sandbox_limits(const struct sandbox_call *call)
{
    struct cgroup_limits limits = {.memory_bytes = call->spec->memory_mb * SANDBOX_MIB,
                                   .pids = call->spec->pids};
    if (call->processes > 0 && (limits.pids == 0 || call->processes < limits.pids))
        limits.pids = call->processes;
    return limits;
}
