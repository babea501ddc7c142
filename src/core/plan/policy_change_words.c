/* policy_change_words.c - what a change of policies says, in a line. */
#include <string.h>

#include "plan_reader.h"
#include "policy_change_parts.h"
#include "shown.h"

/* One field of a policy in words; `key` is in none of these tables: nothing is said. */
static void add_number(const char *key, const struct json *value, struct str *out)
{
    static const struct {
        const char *key, *before, *behind, *behind_one, *none;
        bool is_time;
    } rows[] = {
        {"max_attempts", "", " tries", " try", NULL, false},
        {"base_delay_ms", "base ", "", NULL, NULL, true},
        {"multiplier", "x", "", NULL, NULL, false},
        {"cap_ms", "cap ", "", NULL, NULL, true},
        {"window", "", " equal results end it", NULL, "equal results end nothing", false},
        {"same_stops", "", " equal results end it", NULL, "equal results end nothing", false},
        {"unchanged_stops", "", " equal results on an unchanged tree end it", NULL,
         "equal results on an unchanged tree end nothing", false},
        {"retry_after_cap_ms", "waits on a server up to ", "", NULL, "waits on no server's hint",
         true},
        {"deadline_ms", "within ", "", NULL, "no deadline", true},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (strcmp(rows[i].key, key) != 0)
            continue;
        const double number = json_number(value, 0);
        if (number == 0 && rows[i].none) {
            str_add(out, rows[i].none);
            return;
        }
        str_add(out, rows[i].before);
        if (rows[i].is_time)
            shown_seconds((int64_t)number, out);
        else
            str_add_number(out, number);
        str_add(out, number == 1 && rows[i].behind_one ? rows[i].behind_one : rows[i].behind);
    }
}

static void add_list(const char *before, const struct json *list, struct str *out)
{
    str_add(out, before);
    for (size_t i = 0; i < json_count(list); i++)
        str_addf(out, "%s%s", i > 0 ? " or " : " ", json_text(json_at(list, i), ""));
    str_add(out, json_count(list) == 0 ? " nothing" : "");
}

static void add_jitter(const struct json *value, struct str *out)
{
    const char *word = json_text(value, NULL);
    if (word)
        str_addf(out, "jitter %s", word);
    else
        str_addf(out, "jitter %.3g", json_number(value, 0));
}

static void add_field(const char *key, const struct json *value, struct str *out)
{
    if (strcmp(key, "like") == 0)
        str_addf(out, "like %s", json_text(value, ""));
    else if (strcmp(key, "retry_on") == 0)
        add_list("again on", value, out);
    else if (strcmp(key, "phases") == 0)
        add_list("again in", value, out);
    else if (strcmp(key, "retry_timeouts") == 0)
        str_add(out, json_bool(value, false) ? "again after a timeout" : "not after a timeout");
    else if (strcmp(key, "exhausted") == 0)
        str_addf(out, "used up: %s", json_text(value, ""));
    else if (strcmp(key, "jitter") == 0)
        add_jitter(value, out);
    else
        add_number(key, value, out);
}

static void add_policy(const struct json *policy, struct str *out)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *value = NULL;
    bool any = false;
    while (json_next(policy, &iter, &key, &value)) {
        if (plan_reader_is_comment(key))
            continue;
        str_add(out, any ? ", " : "");
        add_field(key, value, out);
        any = true;
    }
    str_add(out, any ? "" : "as it was");
}

void policy_change_words(const struct policy_change *change, struct str *out)
{
    void *iter = NULL;
    const char *name = NULL;
    const struct json *value = NULL;
    bool any = change->every != NULL;
    if (any)
        add_policy(change->every, out);
    while (json_next(change->named, &iter, &name, &value)) {
        if (plan_reader_is_comment(name))
            continue;
        str_addf(out, "%s%s: ", any ? "; " : "", name);
        add_policy(value, out);
        any = true;
    }
    str_add(out, any ? "" : "as it was");
}
