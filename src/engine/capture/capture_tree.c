/* capture_tree.c - a capture's part about the commit that is checked out. */
#include "capture_parts.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "git.h"

enum {
    PACKED_REFS_MAX = 1024 * 1024, /* a larger file of packed references is not looked through */
    COMMIT_DIGITS = 40,            /* of SHA-1; 64 of SHA-256 */
};

static void cut_line(struct str *text)
{
    str_cut(text, strcspn(text->data, "\r\n"));
}

/* `folder` + '/' + `name`; false if it does not fit. */
static bool join(char out[PATH_MAX], const char *folder, const char *name)
{
    int len = snprintf(out, PATH_MAX, "%s/%s", folder, name);
    return len > 0 && len < PATH_MAX;
}

static bool take_commit(const char *text, struct capture_commit *out)
{
    size_t len = 0;
    while (isxdigit((unsigned char)text[len]))
        len++;
    if (len < COMMIT_DIGITS || len >= sizeof(out->commit))
        return false;
    (void)snprintf(out->commit, sizeof(out->commit), "%.*s", (int)len, text);
    return true;
}

/* "<commit> refs/heads/main" in a line of its own. */
static bool find_packed(const char *common, const char *name, struct capture_commit *out)
{
    char path[PATH_MAX];
    struct str text = {0};
    struct str wanted = {0};
    bool found = false;
    str_addf(&wanted, " %s\n", name);
    if (join(path, common, "packed-refs") && git_read_file(path, PACKED_REFS_MAX, &text)) {
        const char *at = strstr(text.data, wanted.data);
        const char *line = at;
        while (line && line > text.data && line[-1] != '\n')
            line--;
        found = line && take_commit(line, out);
    }
    str_done(&text);
    str_done(&wanted);
    return found;
}

static bool find_reference(const char *common, const char *name, struct capture_commit *out)
{
    char path[PATH_MAX];
    struct str text = {0};
    bool ok = (join(path, common, name) && git_read_file(path, GIT_FILE_MAX, &text) &&
               take_commit(text.data, out)) ||
              find_packed(common, name, out);
    str_done(&text);
    return ok;
}

static void say_why(struct capture_commit *out, const char *why)
{
    (void)snprintf(out->why, sizeof(out->why), "%s", why);
}

void capture_find_commit(const char *dir, struct capture_commit *out)
{
    static const char reference[] = "ref: ";
    static const char heads[] = "refs/heads/";
    struct git_places places;
    char path[PATH_MAX];
    struct str head = {0};
    *out = (struct capture_commit){0};
    if (!git_find(dir, &places, NULL)) {
        say_why(out, "no git repository");
    } else if (!join(path, places.dir, "HEAD") || !git_read_file(path, GIT_FILE_MAX, &head)) {
        say_why(out, "its HEAD cannot be read");
    } else {
        cut_line(&head);
        bool is_reference = strncmp(head.data, reference, sizeof(reference) - 1) == 0;
        const char *name = head.data + (is_reference ? sizeof(reference) - 1 : 0);
        bool is_branch = is_reference && strncmp(name, heads, sizeof(heads) - 1) == 0;
        if (is_branch)
            (void)snprintf(out->branch, sizeof(out->branch), "%s", name + sizeof(heads) - 1);
        if (is_reference && strstr(name, ".."))
            say_why(out, "its HEAD names no reference");
        else if (is_reference ? !find_reference(places.common, name, out) : !take_commit(name, out))
            say_why(out, "nothing was committed yet");
    }
    str_done(&head);
}

static void add_digest(struct str *out, const char *key, struct digest digest)
{
    char hex[DIGEST_HEX_MAX];
    if (!digest_is_known(digest))
        return;
    digest_to_hex(digest, hex);
    str_json_text(out, key, hex);
}

void capture_tree(struct capture_writer *writer)
{
    const struct capture_facts *facts = writer->facts;
    const struct plan_task *task = &facts->state->plan->tasks[facts->event->task];
    const struct task_place *place = facts->state->tasks[facts->event->task].place;
    struct capture_commit commit;
    struct str *out = writer->out;
    capture_find_commit(writer->call->cwd, &commit);
    str_json_key(out, "tree");
    str_add_char(out, '{');
    str_json_text(out, "kind", workspace_kind_name(task->workspace->kind));
    str_json_text(out, "dir", place && place->path ? place->path : facts->setting->run_dir);
    if (commit.commit[0] != '\0')
        str_json_text(out, "commit", commit.commit);
    if (commit.branch[0] != '\0')
        str_json_text(out, "branch", commit.branch);
    add_digest(out, "before", step_state_trees(writer->step)->saved);
    str_add_char(out, '}');
    if (commit.why[0] != '\0')
        capture_lacks(writer, "commit", commit.why);
    if (task->workspace->kind == WORKSPACE_INPLACE)
        capture_lacks(writer, "diff", "in place: what an attempt changes is not tracked");
}
