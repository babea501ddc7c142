/* plan_executor.c - reads, checks and writes executors: the other machines of a plan, or of the
 * settings.
 *
 * Executors are loaded before the tasks, which refer to them, wherever they are in the document.
 * Their errors are kept in a list of their own, which is merged into the others later. */
#include "plan_internal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "xalloc.h"

enum {
    MS_PER_S = 1000,
    HOST_CHARS_MAX = 255,
    PATH_CHARS_MAX = 4096,
    ARGS_MAX = 100,
    IMAGE_CHARS_MAX = 1000,
    POLL_S_MAX = 3600,
    RESOURCE_NUMBER_MAX = 100 * 1000 * 1000,
    DAY_S = 24 * 3600,
    HOSTS_SHOWN = 4, /* maximum names of hosts in plan_executor_words() */
};

static const char *kind_word(int kind)
{
    return executor_kind_name((enum executor_kind)kind);
}

static void read_kind(struct field_reader *reader, const struct json_pointer *path,
                      const struct json *value)
{
    enum executor_kind *kind = reader->at;
    const char *word = json_text(value, "");
    (void)path;
    for (int i = 0; i < EXECUTOR_KIND_COUNT; i++) {
        if (strcmp(kind_word(i), word) == 0)
            *kind = (enum executor_kind)i;
    }
}

static bool has_control(const char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == '\x7f')
            return true;
    }
    return false;
}

/* ssh itself rejects most of these characters, because a command of its configuration may contain
 * the host. */
const char *plan_host_fault(const char *text)
{
    const char *at = strrchr(text, '@');
    const char *name = at ? at + 1 : text;
    if (text[0] == '-' || name[0] == '-')
        return "must not begin with '-'";
    if (has_control(text) || strpbrk(text, " '\"`$\\;&<>|(){}"))
        return "must not contain spaces, control characters, quotes or any of `$\\;&<>|(){}";
    if (name[0] == '\0' || name == text + 1)
        return "must be a host, or a user and a host: \"user@host\"";
    return NULL;
}

static void check_host(struct field_reader *reader, const struct json_pointer *path,
                       const struct json *value)
{
    const char *text = json_text(value, "");
    const char *fault = text[0] != '\0' ? plan_host_fault(text) : NULL;
    if (fault && field_reader_is_sound(reader, path))
        field_reader_invalid(reader, path, fault, NULL, value);
}

#define AT(member) offsetof(struct plan_host, member)
static const struct field host_rows[] = {
    {"host", FIELD_TEXT, AT(host), 1, HOST_CHARS_MAX, .check = check_host, .values = "text",
     .means = "the host, as for `ssh`: `[user@]name`, or an alias of your ssh configuration",
     .see = "; required"},
    {"slots", FIELD_INT, AT(slots), 1, PLAN_SLOTS_MAX,
     .means = "maximum number of attempts at a time on this host"},
};
const struct fields plan_host_fields = FIELDS(host_rows);
#undef AT

static void check_host_is_new(struct field_reader *reader, const struct json_pointer *path,
                              const struct plan_host *hosts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(hosts[i].host, hosts[count].host) == 0 && hosts[i].host[0] != '\0') {
            field_reader_add(reader, VIOLATION_INVALID_VALUE, path, "is listed twice", NULL, NULL);
            return;
        }
    }
}

static void read_hosts(struct field_reader *reader, const struct json_pointer *path,
                       const struct json *value)
{
    struct plan_executor *executor = reader->at;
    const size_t count = json_count(value);
    if (json_kind(value) != JSON_KIND_ARRAY || count == 0 || count > PLAN_HOSTS_MAX)
        return;
    executor->hosts = xcalloc(count, sizeof(*executor->hosts));
    executor->host_count = (int)count;
    for (size_t i = 0; i < count; i++) {
        struct plan_host *host = &executor->hosts[i];
        const struct json_pointer place = {.up = path, .index = i};
        const struct json *item = json_at(value, i);
        host->slots = 1;
        if (json_kind(item) == JSON_KIND_STRING) {
            field_reader_text(reader, &place, item, &host->host);
            check_host(reader, &place, item);
        } else {
            fields_read(reader, &place, item, &plan_host_fields, host);
        }
        if (!host->host)
            host->host = xstrdup(""); /* the schema has reported it */
        check_host_is_new(reader, &place, executor->hosts, i);
    }
}

static void write_hosts(const void *object, struct str *out)
{
    const struct plan_executor *executor = object;
    if (executor_has_jobs(executor->kind))
        return;
    str_json_key(out, "hosts");
    str_add_char(out, '[');
    for (int i = 0; i < executor->host_count; i++) {
        const struct plan_host *host = &executor->hosts[i];
        str_add(out, i > 0 ? "," : "");
        if (host->slots == 1)
            str_add_json(out, host->host, strlen(host->host));
        else
            fields_write_object(&plan_host_fields, host, out);
    }
    str_add_char(out, ']');
}

/* Checks "dir", "hand" or "shared". */
static void check_path(struct field_reader *reader, const struct json_pointer *path,
                       const struct json *value)
{
    const char *text = json_text(value, "");
    const bool is_home = strncmp(text, "~/", 2) == 0;
    const char *fault = NULL;
    if (text[0] == '\0' || !field_reader_is_sound(reader, path))
        return;
    if (has_control(text))
        fault = "must not contain control characters";
    else if (strcmp(path->key, "shared") == 0 && text[0] != '/')
        fault = "must be an absolute path";
    else if (strcmp(path->key, "dir") == 0 && text[0] != '/' && !is_home)
        fault = "must be an absolute path, or begin with \"~/\"";
    else if (strcmp(path->key, "hand") == 0 && text[0] != '/' && !is_home &&
             (text[0] == '-' || strchr(text, '/')))
        fault = "must be the name of a program, an absolute path, or begin with \"~/\"";
    if (fault)
        field_reader_invalid(reader, path, fault, NULL, value);
}

/* The whole cluster counts as one host. */
static void add_cluster_host(struct plan_executor *executor)
{
    executor->hosts = xcalloc(1, sizeof(*executor->hosts));
    executor->host_count = 1;
    executor->hosts[0] =
        (struct plan_host){.host = xstrdup(executor->name),
                           .slots = executor->slots > 0 ? executor->slots : PLAN_JOBS};
}

/* An image name ends up in the documents of a cluster. */
static void check_image(struct field_reader *reader, const struct json_pointer *path,
                        const struct json *value)
{
    const char *text = json_text(value, "");
    if (text[0] == '\0' || !field_reader_is_sound(reader, path))
        return;
    if (has_control(text) || strpbrk(text, " '\"`$\\") || text[0] == '-')
        field_reader_invalid(reader, path, "must be the name of an image", NULL, value);
}

static void write_adapter(const void *object, struct str *out)
{
    const struct plan_executor *executor = object;
    if (executor_adapter_is_builtin(&executor->adapter, executor->kind))
        return;
    str_json_key(out, "adapter");
    fields_write_object(&executor_adapter_fields, &executor->adapter, out);
}

#define AT(member) offsetof(struct plan_executor, member)
/* plan_executors_write() writes the kind itself, because it has no default. */
static const struct field executor_rows[] = {
    {"like", FIELD_WORD, AT(kind), .most = EXECUTOR_KIND_COUNT, .word = kind_word,
     .elsewhere = true, .read = read_kind, .means = "how devs reaches the hosts",
     .see = "; required"},
    {"hosts", FIELD_OTHER, .read = read_hosts, .write = write_hosts,
     .values = "array, 1 to 256, of hosts or objects",
     .means = "the machines of `ssh`; a string is a host with one slot"},
    {"shared", FIELD_TEXT, AT(shared), 1, PATH_CHARS_MAX, .check = check_path, .values = "path",
     .means = "a folder that this machine and the hosts share, under the same absolute path; the "
              "run's folder must be in it; default: none, so each task needs a worktree, which "
              "devs makes on its host",
     .see = "; see [Without a shared folder](#without-a-shared-folder)"},
    {"dir", FIELD_TEXT, AT(dir), 1, PATH_CHARS_MAX, .check = check_path, .values = "path",
     .means = "the folder for attempts on each host: absolute, or beginning with `~/`"},
    {"hand", FIELD_TEXT, AT(hand), 1, PATH_CHARS_MAX, .check = check_path,
     .values = "program or path",
     .means = "`devs-hand` on each host: a name in `PATH`, or a path like `dir`"},
    {"args", FIELD_LIST, AT(args), 0, ARGS_MAX, 1, PATH_CHARS_MAX,
     .means = "additional arguments for `ssh`, `sbatch` or `kubectl`"},
    {"lease_s", FIELD_SECONDS, AT(lease_ms), PLAN_LEASE_S_MIN *MS_PER_S,
     (int64_t)PLAN_LEASE_S_MAX *MS_PER_S,
     .means = "an attempt without contact to devs ends itself after this many seconds"},
    {"slots", FIELD_INT, AT(slots), 1, PLAN_SLOTS_MAX,
     .means = "maximum number of jobs of the run at a time, waiting or running; only for clusters; "
              "default 100"},
    {"image", FIELD_TEXT, AT(image), 1, IMAGE_CHARS_MAX, .check = check_image, .values = "name",
     .means = "the image of the pods; needed by `kubernetes`"},
    {"poll_s", FIELD_SECONDS, AT(poll_ms), MS_PER_S, (int64_t)POLL_S_MAX *MS_PER_S,
     .means = "at most one query for the states of all jobs in this many seconds"},
    {"queue_s", FIELD_SECONDS, AT(queue_ms), MS_PER_S, (int64_t)PLAN_LEASE_S_MAX *MS_PER_S,
     .means = "how many seconds a job may wait in the queue of its cluster; default: no limit"},
    {"idle_s", FIELD_SECONDS, AT(idle_ms), MS_PER_S, (int64_t)DAY_S *MS_PER_S,
     .means = "a job without an attempt ends itself after this many seconds"},
    {"adapter", FIELD_OBJECT, AT(adapter), .members = &executor_adapter_fields,
     .write = write_adapter, .ref = "executorAdapter", .values = "object",
     .means = "changes how a cluster is driven", .see = "; see [below](#other-clusters)"},
};
const struct fields plan_executor_fields = FIELDS(executor_rows);
#undef AT

/* Reports members that the kind needs, or that it cannot have. */
static void check_kind(struct field_reader *reader, const struct json_pointer *path,
                       const struct json *value, struct plan_executor *executor)
{
    static const char *const of_clusters[] = {"slots", "poll_s", "queue_s", "idle_s", "adapter"};
    const bool has_jobs = executor_has_jobs(executor->kind);
    const char *name = executor_kind_name(executor->kind);
    const char *needed = has_jobs ? NULL : "hosts";
    if (json_kind(value) != JSON_KIND_OBJECT || !json_get(value, "like"))
        return;
    if (executor->kind == EXECUTOR_KUBERNETES)
        needed = "image";
    struct str message = {0};
    if (needed && !json_get(value, needed)) {
        const struct json_pointer place = {.up = path, .key = needed};
        str_addf(&message, "needs \"%s\", because it is like \"%s\"", needed, name);
        field_reader_add(reader, VIOLATION_MISSING_FIELD, &place, str_text(&message), NULL, NULL);
        str_clear(&message);
    }
    str_addf(&message, "is not possible for an executor like \"%s\"", name);
    for (size_t i = 0; i < ARRAY_LEN(of_clusters); i++) {
        const struct json_pointer place = {.up = path, .key = of_clusters[i]};
        if (!has_jobs && json_get(value, of_clusters[i]))
            field_reader_add(reader, VIOLATION_INVALID_VALUE, &place, str_text(&message), NULL,
                             NULL);
    }
    const struct json_pointer hosts = {.up = path, .key = "hosts"};
    if (has_jobs && json_get(value, "hosts")) {
        field_reader_add(reader, VIOLATION_INVALID_VALUE, &hosts, str_text(&message), NULL, NULL);
        while (executor->host_count > 0)
            free(executor->hosts[--executor->host_count].host);
        free(executor->hosts);
        executor->hosts = NULL;
    }
    const struct json_pointer image = {.up = path, .key = "image"};
    if (executor->kind != EXECUTOR_KUBERNETES && json_get(value, "image"))
        field_reader_add(reader, VIOLATION_INVALID_VALUE, &image, str_text(&message), NULL, NULL);
    str_done(&message);
}

static void read_executor(struct field_reader *reader, const struct json_pointer *path,
                          const struct json *value, struct plan_executor *out)
{
    const struct json_pointer shared = {.up = path, .key = "shared"};
    *out = (struct plan_executor){.name = xstrdup(path->key),
                                  .dir = xstrdup(PLAN_EXECUTOR_DIR),
                                  .hand = xstrdup(PLAN_EXECUTOR_HAND),
                                  .lease_ms = PLAN_LEASE_MS};
    /* The kind first: its adapter may be changed by the members. */
    const struct json *kind = json_get(value, "like");
    struct field_reader of_kind = {.at = &out->kind};
    read_kind(&of_kind, NULL, kind);
    executor_adapter_init(&out->adapter, out->kind);
    if (executor_has_jobs(out->kind)) {
        out->poll_ms = PLAN_POLL_MS;
        out->idle_ms = PLAN_IDLE_MS;
    }
    if (strcmp(out->name, PLAN_LOCAL) == 0)
        field_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                         "\"local\" is this machine; choose a different name", NULL, NULL);
    fields_read(reader, path, value, &plan_executor_fields, out);
    if (executor_has_jobs(out->kind) && json_kind(value) == JSON_KIND_OBJECT &&
        !json_get(value, "shared"))
        field_reader_add(reader, VIOLATION_MISSING_FIELD, &shared,
                         "needs \"shared\": a folder that this machine and the cluster share", NULL,
                         NULL);
    /* If an error was reported, tasks must not report others. */
    if (!out->shared && (executor_has_jobs(out->kind) || json_kind(value) != JSON_KIND_OBJECT ||
                         json_get(value, "shared")))
        out->shared = xstrdup("");
    check_kind(reader, path, value, out);
    if (executor_has_jobs(out->kind))
        add_cluster_host(out);
}

/* Reads the object `executors`; any other value counts as empty. Adds errors to `wrong`. Returns
 * the number of executors. The caller frees *out. */
static int read_executors(struct field_reader *reader, const struct json *executors,
                          struct violations *wrong, struct plan_executor **out)
{
    static const struct json_pointer top = {0};
    static const struct json_pointer path = {.up = &top, .key = "executors"};
    const size_t most = json_kind(executors) == JSON_KIND_OBJECT ? json_count(executors) : 0;
    struct violations *outer = reader->violations;
    struct json_pointer place = {.up = &path};
    void *iter = NULL;
    const struct json *member = NULL;
    int count = 0;
    *out = NULL;
    if (most == 0)
        return 0;
    *out = xcalloc(most, sizeof(**out));
    reader->violations = wrong;
    while (json_next(executors, &iter, &place.key, &member)) {
        if (!field_is_comment(place.key))
            read_executor(reader, &place, member, &(*out)[count++]);
    }
    reader->violations = outer;
    return count;
}

/* Returns the index of the executor with this name, or -1. */
static int find_executor(const struct plan_executor *executors, int count, const char *name)
{
    int i = count - 1;
    while (i >= 0 && strcmp(executors[i].name, name) != 0)
        i--;
    return i;
}

static struct plan_executor copy_executor(const struct plan_executor *executor)
{
    struct plan_executor copy = *executor;
    copy.name = xstrdup(executor->name);
    copy.hosts = xcalloc((size_t)executor->host_count, sizeof(*copy.hosts));
    for (int i = 0; i < executor->host_count; i++)
        copy.hosts[i] =
            (struct plan_host){xstrdup(executor->hosts[i].host), executor->hosts[i].slots};
    copy.dir = xstrdup(executor->dir);
    copy.hand = xstrdup(executor->hand);
    copy.args = text_list_copy(executor->args);
    copy.shared = executor->shared ? xstrdup(executor->shared) : NULL;
    copy.image = executor->image ? xstrdup(executor->image) : NULL;
    executor_adapter_copy(&copy.adapter);
    return copy;
}

/* Returns the number of the plan's executor with this name. Adopts it from the settings if
 * necessary, so that plan_write() writes it. Returns -1 if there is none, or no space for it. */
static int find_or_adopt(struct field_reader *reader, const char *name)
{
    struct plan *plan = reader->doc->plan;
    const struct settings *settings = reader->doc->settings;
    const int found = find_executor(plan->executors, plan->executor_count, name);
    const int outer =
        settings ? find_executor(settings->executors, settings->executor_count, name) : -1;
    if (found >= 0 || outer < 0 || plan->executor_count >= PLAN_EXECUTORS_MAX)
        return found;
    size_t cap = (size_t)plan->executor_count;
    plan->executors = xgrow(plan->executors, &cap, cap + 1, sizeof(*plan->executors));
    plan->executors[plan->executor_count] = copy_executor(&settings->executors[outer]);
    plan->has_settings = true;
    return plan->executor_count++;
}

int plan_executor_take(struct field_reader *reader, const struct json *value, int otherwise)
{
    const char *name = json_text(value, NULL);
    const bool is_local = name && strcmp(name, PLAN_LOCAL) == 0;
    const int found = name && !is_local ? find_or_adopt(reader, name) : -1;
    return found >= 0 || is_local ? found : otherwise;
}

void plan_executors_load(struct field_reader *reader, const struct json *executors,
                         const struct json *executor)
{
    struct plan *plan = reader->doc->plan;
    plan->executor_count =
        read_executors(reader, executors, reader->doc->executor_violations, &plan->executors);
    plan->executor = plan_executor_take(reader, executor, -1);
}

void plan_executors_read_settings(struct field_reader *reader, const struct json *executors,
                                  struct violations *wrong, struct settings *settings)
{
    settings->executor_count = read_executors(reader, executors, wrong, &settings->executors);
}

void plan_executor_check(struct field_reader *reader, const struct json_pointer *path,
                         const struct json *value)
{
    const struct plan *plan = reader->doc->plan;
    const struct settings *settings = reader->doc->settings;
    const char *name = json_text(value, NULL);
    if (!name || strcmp(name, PLAN_LOCAL) == 0 ||
        find_executor(plan->executors, plan->executor_count, name) >= 0 ||
        !field_reader_is_sound(reader, path))
        return;
    struct str known = {0};
    struct str message = {0};
    struct near_word near = near_word_new(name);
    near_word_offer(&near, PLAN_LOCAL);
    str_add(&known, PLAN_LOCAL);
    for (int i = 0; i < plan->executor_count; i++) {
        near_word_offer(&near, plan->executors[i].name);
        str_addf(&known, ", %s", plan->executors[i].name);
    }
    bool is_known = false;
    for (int i = 0; settings && i < settings->executor_count; i++) {
        const char *outer = settings->executors[i].name;
        is_known = is_known || strcmp(outer, name) == 0;
        if (find_executor(plan->executors, plan->executor_count, outer) >= 0)
            continue;
        near_word_offer(&near, outer);
        str_addf(&known, ", %s", outer);
    }
    str_add(&message, is_known ? "too many executors in one plan" : "unknown executor");
    if (near.nearest && !is_known)
        str_addf(&message, ", did you mean \"%s\"?", near.nearest);
    field_reader_invalid(reader, path, str_text(&message),
                         is_known ? "at most 32" : str_text(&known), value);
    str_done(&message);
    str_done(&known);
}

const struct plan_executor *plan_task_executor(const struct plan *plan,
                                               const struct plan_task *task)
{
    const bool is_there = task->executor >= 0 && task->executor < plan->executor_count;
    return is_there ? &plan->executors[task->executor] : NULL;
}

bool plan_executor_ships(const struct plan_executor *executor)
{
    return executor && !executor->shared;
}

static const struct plan_executor *current_executor(const struct field_reader *reader)
{
    const struct plan *plan = reader->doc->plan;
    return plan_task_executor(plan, &plan->tasks[reader->doc->task]);
}

/* Reports at `path` that the executor cannot do `what`, unless it is NULL. */
static void complain_not_possible(struct field_reader *reader, const struct json_pointer *path,
                                  const struct plan_executor *executor, const char *what)
{
    if (!what || !field_reader_is_sound(reader, path))
        return;
    struct str message = {0};
    str_addf(&message, "runs on executor \"%s\", where %s is not possible yet", executor->name,
             what);
    field_reader_add(reader, VIOLATION_INVALID_VALUE, path, str_text(&message), NULL, NULL);
    str_done(&message);
}

static void check_features(struct field_reader *reader, const struct json_pointer *path,
                           const struct json *value)
{
    if (has_control(json_text(value, "")) && field_reader_is_sound(reader, path))
        field_reader_invalid(reader, path, "must not contain control characters", NULL, value);
}

/* Reports resources of the current task that its executor cannot be asked for. */
static void check_resources(struct field_reader *reader, const struct json_pointer *path,
                            const struct plan_executor *executor)
{
    const struct plan *plan = reader->doc->plan;
    const struct executor_resources *resources = &plan->tasks[reader->doc->task].resources;
    static const struct executor_adapter nothing = {0};
    const enum executor_resource lacks =
        executor_lacks(executor ? &executor->adapter : &nothing, resources);
    if (lacks == RESOURCE_COUNT)
        return;
    const struct json_pointer outer = {.up = path, .key = "resources"};
    const struct json_pointer place = {.up = &outer,
                                       .key = executor_resource_fields.rows[lacks].key};
    if (executor)
        complain_not_possible(reader, &place, executor, "this resource");
    else if (field_reader_is_sound(reader, &place))
        field_reader_add(reader, VIOLATION_INVALID_VALUE, &place,
                         "needs an executor that is a cluster", NULL, NULL);
}

/* Returns the first part of the workspace that cannot be made on another machine, or NULL.
 * Static. */
static const char *workspace_part(const struct workspace_spec *spec)
{
    if (spec->copy && spec->copy[0])
        return "\"workspace.copy\" without \"shared\"";
    if (spec->setup && spec->setup[0])
        return "\"workspace.setup\" without \"shared\"";
    return spec->exclude && spec->exclude[0] ? "\"workspace.exclude\" without \"shared\"" : NULL;
}

void plan_executor_check_task(struct field_reader *reader, const struct json_pointer *path)
{
    const struct plan_executor *executor = current_executor(reader);
    const struct plan *plan = reader->doc->plan;
    const struct workspace_spec *workspace = plan->tasks[reader->doc->task].workspace;
    const struct json_pointer place = {.up = path, .key = "executor"};
    if (executor && plan->limits.processes > 0)
        complain_not_possible(reader, &place, executor, "\"limits.processes\"");
    check_resources(reader, path, executor);
    if (!plan_executor_ships(executor) || !field_reader_is_sound(reader, &place))
        return;
    if (workspace->kind == WORKSPACE_WORKTREE) {
        complain_not_possible(reader, &place, executor, workspace_part(workspace));
        return;
    }
    struct str message = {0};
    str_addf(&message,
             "runs on executor \"%s\", which has no \"shared\" folder; set \"workspace\": "
             "\"worktree\", or set \"shared\"",
             executor->name);
    field_reader_add(reader, VIOLATION_INVALID_VALUE, &place, str_text(&message), NULL, NULL);
    str_done(&message);
}

/* Members of `resources`, in plan_task.c. */
#define AT(member) offsetof(struct executor_resources, member)
static const struct field resource_rows[] = {
    {"cpus", FIELD_INT, AT(cpus), 1, RESOURCE_NUMBER_MAX, .means = "number of processors"},
    {"memory_mb", FIELD_INT, AT(memory_mb), 1, RESOURCE_NUMBER_MAX, .means = "memory, in MiB"},
    {"time_s", FIELD_INT, AT(time_s), 1, RESOURCE_NUMBER_MAX,
     .means = "how many seconds the job may run: for all steps and attempts of the task"},
    {"gpus", FIELD_INT, AT(gpus), 1, RESOURCE_NUMBER_MAX, .means = "number of GPUs"},
    {"features", FIELD_TEXT, AT(features), 1, PATH_CHARS_MAX, .check = check_features,
     .values = "text", .means = "properties that the node must have, in the words of the cluster"},
};
const struct fields executor_resource_fields = FIELDS(resource_rows);
#undef AT

/* Returns the first part of the sandbox that only this machine can provide, or NULL. Static. */
static const char *sandbox_part(const struct sandbox_spec *spec)
{
    if (spec->kind != SANDBOX_NONE)
        return "a sandbox";
    if (spec->memory_mb > 0)
        return "\"memory_mb\"";
    if (spec->pids > 0)
        return "\"pids\"";
    if (spec->cpu_s > 0)
        return "\"cpu_s\"";
    if (sandbox_spec_is_read_only(spec))
        return "\"read_only\"";
    return sandbox_spec_is_empty(spec) ? NULL : "a sandbox";
}

void plan_executor_check_step(struct field_reader *reader, const struct json_pointer *path)
{
    const struct plan_executor *executor = current_executor(reader);
    const struct plan_step *step = plan_reader_step(reader);
    const struct json_pointer sandbox = {.up = path, .key = "sandbox"};
    const struct json_pointer stdin_place = {.up = path, .key = "stdin"};
    const struct json_pointer files = {.up = path, .key = "expect_files"};
    const struct json_pointer output = {.up = path, .key = "output"};
    if (!executor)
        return;
    complain_not_possible(reader, &sandbox, executor, sandbox_part(step->sandbox));
    if (step->stdin_path && strcmp(step->stdin_path, PLAN_STDIN_OURS) == 0)
        complain_not_possible(reader, &stdin_place, executor, "the standard input of devs");
    if (!plan_executor_ships(executor))
        return;
    /* These would be files of the worktree, which is not on this machine. */
    if (step->file_count > 0)
        complain_not_possible(reader, &files, executor, "\"expect_files\" without \"shared\"");
    if (step->agent && step->agent->output)
        complain_not_possible(reader, &output, executor, "\"output\" without \"shared\"");
    if (step->stdin_path && step->stdin_path[0] != '/' &&
        strcmp(step->stdin_path, PLAN_STDIN_OURS) != 0)
        complain_not_possible(reader, &stdin_place, executor,
                              "a relative \"stdin\" without \"shared\"");
}

void plan_executors_write(const struct plan *plan, struct str *out)
{
    if (plan->executor_count == 0)
        return;
    str_json_key(out, "executors");
    str_add_char(out, '{');
    for (int i = 0; i < plan->executor_count; i++) {
        const struct plan_executor *executor = &plan->executors[i];
        str_json_key(out, executor->name);
        str_add_char(out, '{');
        str_json_text(out, "like", executor_kind_name(executor->kind));
        fields_write(&plan_executor_fields, executor, out);
        str_add_char(out, '}');
    }
    str_add_char(out, '}');
    if (plan->executor >= 0)
        str_json_text(out, "executor", plan->executors[plan->executor].name);
}

void plan_executor_write_task(const struct plan *plan, const struct plan_task *task,
                              struct str *out)
{
    if (plan->executor_count == 0 || task->executor == plan->executor)
        return;
    const struct plan_executor *executor = plan_task_executor(plan, task);
    str_json_text(out, "executor", executor ? executor->name : PLAN_LOCAL);
}

void plan_executor_words(const struct plan_executor *executor, struct str *out)
{
    int slots = 0;
    if (executor_has_jobs(executor->kind)) {
        str_addf(out, "on %s (%s%s; at most %d jobs)", executor->name,
                 executor->kind == EXECUTOR_KUBERNETES ? "experimental: " : "",
                 executor_kind_name(executor->kind), executor->hosts[0].slots);
        return;
    }
    str_addf(out, "on %s (", executor->name);
    for (int i = 0; i < executor->host_count; i++) {
        slots += executor->hosts[i].slots;
        if (i < HOSTS_SHOWN)
            str_addf(out, "%s%s", i > 0 ? ", " : "", executor->hosts[i].host);
    }
    if (executor->host_count > HOSTS_SHOWN)
        str_addf(out, " and %d more", executor->host_count - HOSTS_SHOWN);
    str_addf(out, "; %d slot%s)", slots, slots == 1 ? "" : "s");
}

void plan_executors_free(struct plan_executor *executors, int count)
{
    for (int i = 0; i < count; i++) {
        struct plan_executor *executor = &executors[i];
        free(executor->name);
        for (int k = 0; k < executor->host_count; k++)
            free(executor->hosts[k].host);
        free(executor->hosts);
        free(executor->dir);
        free(executor->hand);
        text_list_free(executor->args);
        free(executor->shared);
        free(executor->image);
        executor_adapter_done(&executor->adapter);
    }
    free(executors);
}
