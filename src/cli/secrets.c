/* secrets.c - finds the secrets of a session, and makes the plan for the log without them.
 *
 * When a run is continued, the marks in its plan become values again. The plan is tried in advance:
 * if a step would then run a different command, for example because a secret is encoded in the
 * plan, all marks are changed so that they can never be restored (close_marks). */
#include "secrets.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adapter.h"
#include "config.h"
#include "fail.h"
#include "plan.h"

extern char **environ;

bool secrets_redactor(struct redactor **out, const struct plan *plan,
                      const struct secret_settings *settings, struct err *err)
{
    const struct redact_setting setting = {
        .environment = environ, .plan = plan, .settings = settings};
    return redactor_open(out, &setting, err);
}

/* Creates a redactor with the settings of `dir`. */
static int open_of_folder(const char *dir, const struct plan *plan, struct redactor **out)
{
    struct err err = {0};
    struct config config = {0};
    int code = dir ? config_read_secrets(dir, &config) : EXIT_ALL_PASSED;
    if (code != EXIT_ALL_PASSED)
        return code;
    bool ok = secrets_redactor(out, plan, &config.settings.secrets, &err);
    config_done(&config);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}

int secrets_here(struct redactor **out)
{
    char dir[PATH_MAX];
    return open_of_folder(getcwd(dir, sizeof(dir)), NULL, out);
}

int secrets_of_run(const char *run_dir, const struct plan *plan, struct redactor **out)
{
    char dir[PATH_MAX];
    struct stat info;
    const bool is_there = stat(run_dir, &info) == 0 && S_ISDIR(info.st_mode);
    return open_of_folder(is_there ? run_dir : getcwd(dir, sizeof(dir)), plan, out);
}

void secrets_say(const struct redactor *redactor, const char *text)
{
    char *cut = redact_string(redactor, text, NULL);
    say(cut);
    free(cut);
}

static bool parse_text(const char *text, struct plan **out)
{
    struct violations violations = {0};
    bool ok = plan_parse(text, strlen(text), out, &violations);
    violations_done(&violations);
    return ok;
}

static bool same_list(char *const *a, char *const *b)
{
    size_t i = 0;
    while (a && b && a[i] && b[i] && strcmp(a[i], b[i]) == 0)
        i++;
    return (!a || !a[i]) && (!b || !b[i]);
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static char *const *env_of_agent(const struct plan_step *step)
{
    return step->agent ? adapter_env(step->agent->adapter) : NULL;
}

/* Returns whether the plan in the log would run different commands. Steps with redacted values do
 * not run at all. */
static bool would_mistake(const struct plan *plan, const struct plan *again)
{
    char name[REDACT_NAME_MAX + 1];
    for (int i = 0; i < plan->task_count; i++) {
        for (int j = 0; j < plan->tasks[i].step_count; j++) {
            const struct plan_step *a = &plan->tasks[i].steps[j];
            const struct plan_step *b = &again->tasks[i].steps[j];
            const bool is_same = same_list(a->argv, b->argv) && same_list(a->env, b->env) &&
                                 same_list(env_of_agent(a), env_of_agent(b)) &&
                                 same_text(a->cwd, b->cwd) &&
                                 same_text(a->stdin_path, b->stdin_path);
            if (!is_same && !plan_step_lacks(b, name))
                return true;
        }
    }
    return false;
}

/* Renames the marks to names that no variable can have, so that no value ever replaces them. */
static void close_marks(struct str *text)
{
    struct str closed = {0};
    const char *from = str_text(text);
    for (const char *at = strstr(from, "[cut:"); at; at = strstr(from, "[cut:")) {
        const char *end = strchr(at, ']');
        if (!end)
            break;
        str_add_n(&closed, from, (size_t)(end - from));
        str_add(&closed, ".]");
        from = end + 1;
    }
    str_add(&closed, from);
    str_done(text);
    *text = closed;
}

/* Parses the redacted plan. Closes its marks if restoring the secrets would change a command: a
 * secret may be in the plan in a different form, such as base64, but its mark only contains the
 * name, so the value would be restored without that encoding. */
static bool check_return(struct secrets *secrets, const struct session *session)
{
    struct plan *again = NULL;
    if (!parse_text(str_text(&secrets->cut_text), &again))
        return false;
    plan_restore_secrets(again, secrets->redactor, environ);
    if (would_mistake(session->plan, again))
        close_marks(&secrets->cut_text);
    plan_free(again);
    return parse_text(str_text(&secrets->cut_text), &secrets->cut);
}

static bool cut_plan(struct secrets *secrets, const struct session *session, struct err *err)
{
    const char *text = session->plan_text;
    redact_text(secrets->redactor, text, strlen(text), &secrets->cut_text, NULL);
    if (strcmp(str_text(&secrets->cut_text), text) == 0) {
        str_done(&secrets->cut_text); /* a plan may have megabytes */
        return true;
    }
    const struct plan *plan = session->plan;
    bool is_same = check_return(secrets, session) && plan->task_count == secrets->cut->task_count;
    for (int i = 0; is_same && i < plan->task_count; i++) {
        const struct plan_task *cut = &secrets->cut->tasks[i];
        is_same =
            strcmp(plan->tasks[i].id, cut->id) == 0 && plan->tasks[i].step_count == cut->step_count;
    }
    if (!is_same) {
        char name[REDACT_NAME_MAX + 1] = "secret";
        (void)redact_find_mark(str_text(&secrets->cut_text), name);
        (void)err_set(err, ERR_INVALID, "the plan cannot be recorded without its secrets (%s)",
                      name);
        return err_hint(err, "remove secrets from ids, policy names and the like");
    }
    secrets->plan_text = str_text(&secrets->cut_text);
    secrets->plan = secrets->cut;
    return true;
}

bool secrets_open(struct secrets *out, const struct session *session, struct err *err)
{
    *out = (struct secrets){
        .plan_text = session->plan_text, .plan = session->plan, .calls = session->plan};
    if (!secrets_redactor(&out->redactor, session->plan, session->secrets, err))
        return false;
    if (session->resume > 0) {
        if (!parse_text(session->plan_text, &out->whole))
            return err_set(err, ERR_DAMAGED, "the plan in the log cannot be read");
        plan_restore_secrets(out->whole, out->redactor, environ);
        out->calls = out->whole;
        return true;
    }
    if (!cut_plan(out, session, err))
        return false;
    struct redact_counts counts = {0};
    free(redact_string(out->redactor, session->rules, &counts));
    const bool clean = counts.all == 0;
    redact_counts_done(&counts);
    return clean ||
           err_set(err, ERR_INVALID,
                   "the rules of devs.config.json cannot be recorded without the secret in them");
}

void secrets_close(struct secrets *secrets)
{
    redactor_close(secrets->redactor);
    str_done(&secrets->cut_text);
    plan_free(secrets->cut);
    plan_free(secrets->whole);
    *secrets = (struct secrets){0};
}
