/* plan_policy.c - reads, checks and writes policies.
 *
 * A policy may extend a policy further down in the document. So all policies are loaded first, in
 * the order of their dependencies and without reporting errors; the walk reports the errors later,
 * at their place in the document. */
#include "plan_internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "outcome.h"
#include "text.h"

/* Returns the index of the last policy with that name among the first `count`, because inner
 * policies come later; -1 if there is none. */
static int find_among(const struct policy_list *list, int count, const char *name)
{
    for (int i = count - 1; i >= 0; i--) {
        if (strcmp(list->items[i].name, name) == 0)
            return i;
    }
    return -1;
}

const struct policy *policy_list_find(const struct policy_list *list, const char *name)
{
    int found = find_among(list, list->count, name);
    return found >= 0 ? &list->items[found] : policy_named(name);
}

/* Like policy_list_find(), but ignores the document's own policies. */
static const struct policy *policy_list_find_outer(const struct policy_list *list, const char *name)
{
    int found = find_among(list, list->inner, name);
    return found >= 0 ? &list->items[found] : policy_named(name);
}

/* Returns the index of the document's own policy of that name, or -1. */
static int policy_list_inner(const struct policy_list *list, const char *name)
{
    int found = find_among(list, list->count, name);
    return found >= list->inner ? found : -1;
}

void policy_list_names(const struct policy_list *list, const char *except, struct str *out)
{
    const struct policy *builtin;
    for (size_t i = 0; (builtin = policy_builtin(i)) != NULL; i++)
        str_addf(out, "%s%s", i > 0 ? ", " : "", builtin->name);
    int named = 0;
    for (int i = list->count - 1; i >= 0 && named < POLICY_LIST_NAMED; i--) {
        const char *name = list->items[i].name;
        if (policy_named(name) || (except && strcmp(name, except) == 0))
            continue;
        str_addf(out, ", %s", name);
        named++;
    }
    str_add(out, named == POLICY_LIST_NAMED ? ", ..." : "");
}

void policy_rename(struct policy *policy, const char *name)
{
    memset(policy->name, 0, sizeof(policy->name));
    (void)snprintf(policy->name, sizeof(policy->name), "%s", name); /* cut if too long */
}

#define OWN_MARK "+" /* suffix of the name of a step's own policy; no other name contains it */

/* Reads a fraction, or the name of a kind. */
static void read_jitter(struct field_reader *reader, const struct json_pointer *path,
                        const struct json *value)
{
    struct policy *policy = reader->at;
    (void)path;
    const char *word = json_text(value, "");
    bool is_full = strcmp(word, policy_jitter_name(POLICY_JITTER_FULL)) == 0;
    double fraction = json_number(value, 0);
    policy->jitter = fraction;
    policy->jitter_kind = POLICY_JITTER_NONE;
    if (is_full)
        policy->jitter_kind = POLICY_JITTER_FULL;
    else if (fraction > 0)
        policy->jitter_kind = POLICY_JITTER_PROPORTIONAL;
}

static void write_jitter(const void *object, struct str *out)
{
    const struct policy *policy = object;
    if (policy->jitter_kind == POLICY_JITTER_PROPORTIONAL) {
        str_json_key(out, "jitter");
        str_add_number(out, policy->jitter);
    } else {
        str_json_text(out, "jitter", policy_jitter_name(policy->jitter_kind));
    }
}

/* Reports an unknown policy and lists the known ones. */
static void complain_unknown(struct field_reader *reader, const struct json_pointer *path,
                             const struct json *value)
{
    struct str known = {0};
    struct str message = {0};
    const char *name = json_text(value, "");
    const char *meant = policy_new_name(name);
    struct near_word near = near_word_new(name);
    const struct policy *builtin;
    policy_list_names(&reader->doc->policies, reader->doc->policy_name, &known);
    for (size_t i = 0; (builtin = policy_builtin(i)) != NULL; i++)
        near_word_offer(&near, builtin->name);
    for (int i = 0; i < reader->doc->policies.count; i++) {
        const char *other = reader->doc->policies.items[i].name;
        if (!reader->doc->policy_name || strcmp(other, reader->doc->policy_name) != 0)
            near_word_offer(&near, other);
    }
    str_add(&message, "unknown policy");
    if (meant || near.nearest)
        str_addf(&message, ", did you mean \"%s\"?", meant ? meant : near.nearest);
    field_reader_invalid(reader, path, str_text(&message), str_text(&known), value);
    str_done(&message);
    str_done(&known);
}

/* Only checks the name: the base was copied before the members are read. */
static void check_like(struct field_reader *reader, const struct json_pointer *path,
                       const struct json *value)
{
    const char *name = json_text(value, NULL);
    if (!name || !field_reader_is_sound(reader, path))
        return;
    bool is_itself = reader->doc->policy_name && strcmp(name, reader->doc->policy_name) == 0;
    if (is_itself && !policy_list_find_outer(&reader->doc->policies, name))
        field_reader_add(reader, VIOLATION_INVALID_VALUE, path, "a policy cannot be like itself",
                         NULL, NULL);
    else if (!is_itself && !policy_list_find(&reader->doc->policies, name))
        complain_unknown(reader, path, value);
}

static void write_like(const void *object, struct str *out)
{
    const struct policy *policy = object;
    const size_t len = strcspn(policy->name, OWN_MARK);
    if (policy->name[len]) {
        str_json_key(out, "like");
        str_add_json(out, policy->name, len);
    }
}

/* Returns the name of a POLICY_ON_* by the number of its bit. */
static const char *retry_on_word(int bit)
{
    static const char *const words[] = {"transient", "persistent", "unknown"};
    return words[bit];
}

const char *plan_phase_word(int phase)
{
    return phase_name((enum phase)phase);
}

static const char *exhausted_word(int exhausted)
{
    return policy_exhausted_name((enum policy_exhausted)exhausted);
}

#define AT(member) offsetof(struct policy, member)
static const char no_loop[] = "a single result is not a loop";

/* Keep the order: policy_digest() depends on it. */
static const struct field policy_rows[] = {
    {"like", FIELD_OTHER, .read = check_like, .write = write_like, .values = "name of a policy",
     .means = "the policy to start from; the other members replace its values"},
    {"max_attempts", FIELD_INT, AT(max_attempts), 1, POLICY_ATTEMPTS_MAX,
     .means = "attempts in total, including the first"},
    {"base_delay_ms", FIELD_I64, AT(base_delay_ms), 0, POLICY_DELAY_MS_MAX,
     .means = "milliseconds before the first retry"},
    {"multiplier", FIELD_REAL, AT(multiplier), 1, 100,
     .means = "ratio of each delay to the previous one"},
    {"cap_ms", FIELD_I64, AT(cap_ms), 0, POLICY_DELAY_MS_MAX,
     .means = "the longest delay in milliseconds, including jitter"},
    {"window", FIELD_INT, AT(window), 0, POLICY_ATTEMPTS_MAX, .not_one = no_loop,
     .means =
         "number of equal results in a row that ends the step as looping; 0 disables this check"},
    {"same_stops", FIELD_INT, AT(same_stops), 0, POLICY_ATTEMPTS_MAX, .not_one = no_loop,
     .means = "like `window`, but meant for tasks with several rounds"},
    {"unchanged_stops", FIELD_INT, AT(unchanged_stops), 0, POLICY_ATTEMPTS_MAX,
     .not_one = "a single result is not a repeat",
     .means = "number of equal results in a row, after persistent failures on an unchanged tree, "
              "that ends the step as failed; 0 disables this check"},
    {"retry_after_cap_ms", FIELD_I64, AT(retry_after_cap_ms), 0, POLICY_DELAY_MS_MAX,
     .means = "the longest wait in milliseconds that a server may request; a longer one needs a "
              "person"},
    {"deadline_ms", FIELD_I64, AT(deadline_ms), 0, POLICY_DELAY_MS_MAX,
     .means = "latest start of an attempt, in milliseconds after the step's first start; 0 means "
              "no deadline"},
    {"jitter", FIELD_OTHER, .read = read_jitter, .write = write_jitter,
     .values = "0 to 1, `none` or `full`",
     .means = "random change of each delay: a fraction is the largest change in either direction; "
              "`full` waits for a random fraction of the delay"},
    {"exhausted", FIELD_WORD, AT(exhausted), .most = POLICY_EXHAUSTED_COUNT, .word = exhausted_word,
     .means = "how a step ends when its attempts are used up"},
    {"retry_timeouts", FIELD_BOOL, AT(retry_timeouts),
     .means = "retry after the step's own timeout"},
    {"retry_on", FIELD_WORDS, AT(retry_on), .most = 3, .word = retry_on_word,
     .means = "the failures to retry; `unknown` is a persistent failure without a known reason"},
    {"phases", FIELD_WORDS, AT(phases), .most = PHASE_COUNT, .word = plan_phase_word,
     .means = "the phases in which steps are retried"},
};
const struct fields plan_policy_fields = FIELDS(policy_rows);

const struct policy *plan_policy_by_name(struct field_reader *reader,
                                         const struct json_pointer *path, const struct json *value)
{
    reader->doc->policy_name = NULL;
    const char *name = json_text(value, NULL);
    const struct policy *policy = name ? policy_list_find(&reader->doc->policies, name) : NULL;
    if (name && !policy && field_reader_is_sound(reader, path))
        complain_unknown(reader, path, value);
    return policy;
}

void plan_policy_read_own(struct field_reader *reader, const struct json_pointer *path,
                          const struct json *value, const struct policy *otherwise,
                          struct policy *out)
{
    const char *like = json_text(json_get(value, "like"), NULL);
    const struct policy *base = like ? policy_list_find(&reader->doc->policies, like) : NULL;
    char name[POLICY_NAME_MAX + 1];
    *out = base ? *base : *otherwise;
    size_t len = strcspn(out->name, OWN_MARK);
    (void)snprintf(name, sizeof(name), "%.*s" OWN_MARK, (int)len, out->name);
    policy_rename(out, name);
    reader->doc->policy_name = NULL;
    fields_read(reader, path, value, &plan_policy_fields, out);
}

void plan_policy_write(const struct policy *policy, struct str *out)
{
    fields_write_object(&plan_policy_fields, policy, out);
}

void plan_take_settings(struct plan *plan, const struct settings *settings)
{
    assert(plan->policy_count == 0);
    assert(settings->policy_count <= SETTINGS_POLICIES_MAX);
    for (int i = 0; i < settings->policy_count; i++)
        plan->policies[i] = settings->policies[i];
    plan->setting_count = settings->policy_count;
    plan->policy_count = settings->policy_count;
    if (settings->has_loops)
        plan->loops = settings->loops;
    plan->has_loops = settings->has_loops;

    plan->said |= settings->said;
    if (settings->said & PLAN_SAYS_WORKSPACE) {
        workspace_spec_done(&plan->workspace);
        plan->workspace = workspace_spec_copy(&settings->workspace);
    }
    if (settings->said & PLAN_SAYS_SANDBOX) {
        sandbox_spec_done(&plan->sandbox);
        plan->sandbox = sandbox_spec_copy(&settings->sandbox);
    }
    if (settings->said & PLAN_SAYS_LIMITS)
        plan->limits = settings->limits;
    if (settings->said & PLAN_SAYS_HANGUP)
        plan->on_hangup = settings->on_hangup;
    plan->budget.limits[BUDGET_DAY] = settings->day_micro;
    plan->has_settings = settings->policy_count > 0 || settings->has_loops || settings->said != 0;
}

/* Returns true if a document may define this name. Plans may change the policy of sandbox starts,
 * and define new ones. */
static bool name_is_free(const struct field_reader *reader, const char *name)
{
    return reader->doc->builtin_may_change || !policy_named(name) ||
           strcmp(name, "infrastructure") == 0;
}

/* Returns the name of the policy that an inner policy extends, explicitly or by default. */
static const char *name_of_base(const struct field_reader *reader, const struct json *object,
                                const char *name)
{
    const char *like = json_text(json_get(json_get(object, name), "like"), NULL);
    if (like)
        return like;
    return policy_list_find_outer(&reader->doc->policies, name) ? name : POLICY_DEFAULT;
}

/* Returns the index of the inner policy that this policy extends; -1 if it extends an outer one. */
static int inner_base(const struct field_reader *reader, const struct json *object, int member)
{
    const char *name = reader->doc->policies.items[member].name;
    const char *base = name_of_base(reader, object, name);
    return strcmp(base, name) == 0 ? -1 : policy_list_inner(&reader->doc->policies, base);
}

/* Fills each policy after the policy that it extends, in any order of the document. Policies in a
 * cycle are not filled, but their document is rejected. */
static void fill_policies(struct field_reader *reader, const struct json *object)
{
    static const struct json_pointer nowhere = {0};
    struct policy_list *list = &reader->doc->policies;
    bool filled[PLAN_POLICIES_MAX] = {false};
    bool progress = true;
    while (progress) {
        progress = false;
        for (int i = list->inner; i < list->count; i++) {
            const int inner = inner_base(reader, object, i);
            const bool may_be_filled = inner < 0 || filled[inner - list->inner];
            if (filled[i - list->inner] || !may_be_filled)
                continue;
            struct policy *policy = &list->items[i];
            char name[POLICY_NAME_MAX + 1];
            memcpy(name, policy->name, sizeof(name));
            const char *base_name = name_of_base(reader, object, name);
            const struct policy *base =
                inner >= 0 ? &list->items[inner] : policy_list_find_outer(list, base_name);
            *policy = base ? *base : *policy_named(POLICY_DEFAULT);
            policy_rename(policy, name);
            reader->doc->policy_name = policy->name;
            fields_read(reader, &nowhere, json_get(object, name), &plan_policy_fields, policy);
            filled[i - list->inner] = true;
            progress = true;
        }
    }
}

void plan_policies_load(struct field_reader *reader, const struct json *value)
{
    struct policy_list *list = &reader->doc->policies;
    struct violations unsaid = {0};
    struct violations *said = reader->violations;
    void *iter = NULL;
    const char *key = NULL;
    const struct json *member = NULL;

    list->inner = list->count;
    if (json_kind(value) != JSON_KIND_OBJECT)
        return;
    while (json_next(value, &iter, &key, &member)) {
        /* The schema rejects longer names. */
        bool is_policy =
            !field_is_comment(key) && strlen(key) < POLICY_NAME_MAX && name_is_free(reader, key);
        if (!is_policy || list->count - list->inner == PLAN_POLICIES_MAX)
            continue;
        list->items[list->count] = *policy_named(POLICY_DEFAULT);
        policy_rename(&list->items[list->count++], key);
    }
    reader->violations = &unsaid; /* plan_policies_check() reports the errors at their place */
    fill_policies(reader, value);
    reader->violations = said;
    violations_done(&unsaid);
}

/* Checks the policy at `path`, a member of `object`: its values, and whether it is the first one of
 * a cycle of "like". */
static void check_policy(struct field_reader *reader, const struct json_pointer *path,
                         const struct json *object, const struct json *value)
{
    struct policy scratch =
        *policy_named(POLICY_DEFAULT); /* discarded: the values were loaded before */
    reader->doc->policy_name = path->key;
    fields_read(reader, path, value, &plan_policy_fields, &scratch);

    const struct policy *items = reader->doc->policies.items;
    const int count = reader->doc->policies.count - reader->doc->policies.inner;
    const int member = policy_list_inner(&reader->doc->policies, path->key);
    if (member < 0)
        return;
    int at = inner_base(reader, object, member);
    for (int i = 0; i < count && at > member; i++)
        at = inner_base(reader, object, at);
    if (at != member)
        return;

    struct json_pointer place = {.up = path, .key = "like"};
    struct str message = {0};
    str_addf(&message, "cycle of \"like\" in policies: %s", items[member].name);
    do {
        at = inner_base(reader, object, at);
        str_addf(&message, " -> %s", items[at].name);
    } while (at != member);
    field_reader_add(reader, VIOLATION_INVALID_VALUE, &place, str_text(&message), NULL, NULL);
    str_done(&message);
}

void plan_policies_check(struct field_reader *reader, const struct json_pointer *path,
                         const struct json *value)
{
    int room = PLAN_POLICIES_MAX;
    void *iter = NULL;
    const char *key = NULL;
    const struct json *member = NULL;
    while (json_next(value, &iter, &key, &member)) {
        struct json_pointer place = {.up = path, .key = key};
        if (field_is_comment(key))
            continue;
        if (!name_is_free(reader, key)) {
            field_reader_add(
                reader, VIOLATION_INVALID_VALUE, &place,
                "a built-in policy has this name; choose a different name and set \"like\"", NULL,
                NULL);
            continue;
        }
        if (policy_new_name(key)) {
            struct str message = {0};
            str_addf(&message, "this policy is now called \"%s\"", policy_new_name(key));
            field_reader_add(reader, VIOLATION_INVALID_VALUE, &place, str_text(&message), NULL,
                             NULL);
            str_done(&message);
            continue;
        }
        if (room-- == 0) {
            field_reader_add(reader, VIOLATION_INVALID_VALUE, path, "too many policies",
                             "at most 64", "more");
            return;
        }
        check_policy(reader, &place, value, member);
    }
}
