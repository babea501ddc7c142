/* cmd_plan.c - devs plan: makes a plan of a list of tasks, without an agent. */
#define _GNU_SOURCE /* tdestroy */

#include <ctype.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "config.h"
#include "fail.h"
#include "json.h"
#include "plan.h"
#include "text.h"
#include "text_file.h"
#include "xalloc.h"

enum { LIST_BYTES_MAX = 16 * 1024 * 1024, SLUG_MAX = 40, INDENT_OF_TAB = 4 };

/* A task of the list. */
struct item {
    char *id;           /* owned */
    char *title;        /* owned; one line, at most PLAN_TITLE_MAX bytes */
    struct str details; /* what else the list has about it */
};

struct items {
    struct item *at; /* owned */
    size_t count, cap;
    void *ids; /* owned tree of the borrowed ids: see tsearch() */
};

static void leave_id(void *id)
{
    (void)id; /* belongs to its item */
}

static void items_done(struct items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        free(items->at[i].id);
        free(items->at[i].title);
        str_done(&items->at[i].details);
    }
    tdestroy(items->ids, leave_id);
    free(items->at);
}

/* Appends an id made from the words of a title: "Round tax, half to even" gives
 * "round-tax-half-to-even". */
static void add_slug(const char *title, struct str *out)
{
    const size_t from = out->len;
    for (const char *c = title; *c && out->len - from < SLUG_MAX; c++) {
        if (isalnum((unsigned char)*c))
            str_add_char(out, (char)tolower((unsigned char)*c));
        else if (out->len > from && out->data[out->len - 1] != '-')
            str_add_char(out, '-');
    }
    while (out->len > from && out->data[out->len - 1] == '-')
        str_cut(out, out->len - 1);
}

static int compare_ids(const void *left, const void *right)
{
    return strcmp(left, right);
}

/* Adds a task. `id` may be NULL: then it is made from the title. An id that is taken gets a number.
 */
static struct item *add_item(struct items *items, const char *id, const char *title, size_t len)
{
    struct str words = {0};
    struct str name = {0};
    text_clean_line(&words, title, len);
    const size_t shown = text_cut(str_text(&words), words.len, PLAN_TITLE_MAX);
    if (id)
        str_add(&name, id);
    else
        add_slug(str_text(&words), &name);
    if (name.len == 0)
        str_addf(&name, "task-%zu", items->count + 1);
    const size_t slug_len = name.len;
    for (size_t n = items->count + 1; tfind(str_text(&name), &items->ids, compare_ids); n++) {
        str_cut(&name, slug_len);
        str_addf(&name, "-%zu", n);
    }
    items->at = xgrow(items->at, &items->cap, items->count + 1, sizeof(*items->at));
    struct item *item = &items->at[items->count++];
    *item = (struct item){.id = xstrdup(str_text(&name))};
    if (!tsearch(item->id, &items->ids, compare_ids))
        xalloc_fail();
    item->title = xstrndup(str_text(&words), shown);
    if (shown < words.len)
        str_add(&item->details, str_text(&words));
    str_done(&words);
    str_done(&name);
    return item;
}

/* Markdown. A task is an open item of a check list, "- [ ] TITLE". What is indented below it
 * belongs to it, items included. Anything else is left out, and so are items that are done. */

struct line {
    int indent;       /* columns */
    const char *text; /* without the indent */
    size_t len;
    bool is_check;     /* an item of a check list */
    const char *title; /* of an item that is not done, up to the end of the line; else NULL */
};

static struct line read_line(const char *text, size_t len)
{
    struct line line = {0};
    size_t at = 0;
    while (len > 0 && strchr("\r\n \t", text[len - 1]))
        len--;
    for (; at < len && (text[at] == ' ' || text[at] == '\t'); at++)
        line.indent += text[at] == '\t' ? INDENT_OF_TAB - line.indent % INDENT_OF_TAB : 1;
    line.text = text + at;
    line.len = len - at;

    size_t mark = 0;
    if (line.len > 0 && strchr("-*+", line.text[0])) {
        mark = 1;
    } else {
        while (mark < line.len && isdigit((unsigned char)line.text[mark]))
            mark++;
        mark = mark > 0 && mark < line.len && strchr(".)", line.text[mark]) ? mark + 1 : 0;
    }
    static const size_t box_len = 5; /* " [ ] " */
    const char *box = line.text + mark;
    line.is_check = mark > 0 && line.len > mark + box_len && box[0] == ' ' && box[1] == '[' &&
                    strchr(" xX", box[2]) && box[3] == ']' && box[4] == ' ';
    if (line.is_check && box[2] == ' ')
        line.title = box + box_len + strspn(box + box_len, " ");
    return line;
}

static void read_markdown(const struct str *text, struct items *items)
{
    struct item *item = NULL; /* the one that the next lines belong to */
    int indent = -1;          /* of the latest item, open or done; -1 = outside of a list */
    size_t blank = 0;
    for (const char *at = str_text(text); *at;) {
        const size_t len = strcspn(at, "\n");
        const struct line line = read_line(at, len);
        at += len + (at[len] == '\n');
        if (line.len == 0) {
            blank++;
            continue;
        }
        if (indent < 0 || line.indent <= indent) {
            item = NULL;
            indent = line.is_check ? line.indent : -1;
            if (line.title)
                item =
                    add_item(items, NULL, line.title, (size_t)(line.text + line.len - line.title));
        } else if (item) {
            for (; blank > 0 && item->details.len > 0; blank--)
                str_add_char(&item->details, '\n');
            if (item->details.len > 0)
                str_add_char(&item->details, '\n');
            str_addf(&item->details, "%*s",
                     line.indent - indent - 2 > 0 ? line.indent - indent - 2 : 0, "");
            str_add_n(&item->details, line.text, line.len);
        }
        blank = 0;
    }
}

/* JSON: a list of issues, as gh, glab and other trackers export it. */

static const char *text_of(const struct json *issue, const char *const *names)
{
    for (; *names; names++) {
        const char *text = json_text(json_get(issue, *names), NULL);
        if (text)
            return text;
    }
    return NULL;
}

static bool read_issues(const struct json *root, struct items *items, struct err *err)
{
    static const char *const titles[] = {"title", "summary", "name", NULL};
    static const char *const bodies[] = {"body", "description", NULL};
    static const char *const numbers[] = {"number", "iid", NULL};
    for (size_t i = 0; i < json_count(root); i++) {
        const struct json *issue = json_at(root, i);
        const char *title = text_of(issue, titles);
        const char *body = text_of(issue, bodies);
        struct str id = {0};
        for (const char *const *name = numbers; *name && id.len == 0; name++) {
            const int64_t number = json_i64(json_get(issue, *name), 0);
            if (number > 0)
                str_addf(&id, "issue-%lld", (long long)number);
        }
        if (!title || title[strspn(title, " \t\r\n")] == '\0') {
            str_done(&id);
            return err_set(err, ERR_INVALID, "element %zu has no \"title\"", i + 1);
        }
        struct item *item =
            add_item(items, id.len > 0 ? str_text(&id) : NULL, title, strlen(title));
        if (body && item->details.len > 0)
            str_add(&item->details, "\n\n");
        if (body)
            str_add(&item->details, body);
        str_done(&id);
    }
    return true;
}

/* Returns whether the text begins like an array of objects. Markdown may begin with "[" as well. */
static bool is_json(const char *text)
{
    static const char blanks[] = " \t\r\n";
    text += strspn(text, blanks);
    return *text == '[' && strchr("{]", text[1 + strspn(text + 1, blanks)]);
}

static bool read_list(const char *path, struct items *items, struct err *err)
{
    struct str text = {0};
    struct json *root = NULL;
    struct err why = {0};
    bool ok = read_text_input(path, LIST_BYTES_MAX, &text, &why);
    if (ok && is_json(str_text(&text)))
        ok = json_parse_data(text.data, text.len, &root, NULL, &why) &&
             read_issues(root, items, &why);
    else if (ok)
        read_markdown(&text, items);
    json_free(root);
    str_done(&text);
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    if (!ok)
        return err_set(err, why.code, "%s: %s", name, why.message);
    if (items->count > 0)
        return true;
    (void)err_set(err, ERR_INVALID, "%s: no open task", name);
    return err_hint(err, "a task is a line '- [ ] TITLE', or an element of a JSON array with a "
                         "\"title\"");
}

/* Appends "key":"value" after a space, as in a plan that a person writes. */
static void add_member(struct str *out, const char *key, const char *value)
{
    str_addf(out, "\"%s\": ", key);
    str_add_json(out, value, strlen(value));
}

static void write_item(const struct item *item, const char *agent, const char *check,
                       struct str *out)
{
    struct str prompt = {0};
    str_add(&prompt, item->title);
    if (item->details.len > 0)
        str_addf(&prompt, "\n\n%s", item->details.data);
    str_add(out, "  {");
    add_member(out, "id", item->id);
    str_add(out, ", ");
    add_member(out, "title", item->title);
    str_add(out, ", \"steps\": [\n    {");
    add_member(out, "agent", agent);
    str_add(out, ", ");
    add_member(out, "prompt", str_text(&prompt));
    str_add(out, "}");
    if (check) {
        str_add(out, ",\n    {\"phase\": \"VERIFY\", \"run\": [\"sh\", \"-c\", ");
        str_add_json(out, check, strlen(check));
        str_add(out, "]}");
    }
    str_add(out, "]}");
    str_done(&prompt);
}

static void write_plan(const struct items *items, const char *path, const char *agent,
                       const char *check, struct str *out)
{
    const char *slash = strrchr(path, '/');
    str_add(out, "{\"version\": 1, ");
    add_member(out, "name", strcmp(path, "-") == 0 ? "tasks" : slash ? slash + 1 : path);
    str_add(out, ", \"workspace\": \"worktree\", \"tasks\": [\n");
    for (size_t i = 0; i < items->count; i++) {
        write_item(&items->at[i], agent, check, out);
        str_add(out, i + 1 < items->count ? ",\n" : "\n");
    }
    str_add(out, "]}\n");
}

/* Prints the plan if devs run would accept it. Returns the exit code. */
static int print_plan(const struct str *text, const char *from)
{
    char dir[PATH_MAX];
    struct config config;
    struct plan *plan = NULL;
    struct violations wrong = {0};
    if (!getcwd(dir, sizeof(dir)))
        return fail_usage(NULL, "cannot determine the current folder");
    int code = config_read(dir, CONFIG_SHOWS, &config);
    if (code != EXIT_ALL_PASSED)
        return code;
    const struct plan_context context = {.settings = &config.settings};
    if (plan_parse_with(text->data, text->len, &context, &plan, &wrong))
        (void)fputs(str_text(text), stdout);
    else
        code = fail_violations(from, "no plan was written", &wrong);
    plan_free(plan);
    violations_done(&wrong);
    config_done(&config);
    return code;
}

int cmd_plan(struct globals *globals, int argc, char **argv)
{
    const char *from = NULL;
    const char *agent = "claude";
    const char *check = NULL;
    const struct option_spec specs[] = {
        {"from", 0, "FILE", "the list: a Markdown check list, or issues as JSON; - is stdin", NULL,
         &from},
        {"agent", 0, "NAME", "the agent that works on each task (default: claude)", NULL, &agent},
        {"check", 0, "COMMAND", "the shell command that proves each task", NULL, &check},
    };
    struct command_line line = {.specs = specs, .spec_count = ARRAY_LEN(specs), .max_operands = 0};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    struct err err = {0};
    struct items items = {0};
    struct str text = {0};
    if (!from)
        return fail_usage("devs plan --from TASKS.md --check 'make test' > plan.json",
                          "plan: --from is missing");
    if (!read_list(from, &items, &err)) {
        code = fail(&err);
    } else {
        write_plan(&items, from, agent, check, &text);
        code = print_plan(&text, from);
    }
    if (code == EXIT_ALL_PASSED && !check)
        warn("nothing checks the tasks: --check COMMAND adds a step that proves each");
    str_done(&text);
    items_done(&items);
    return code;
}
