/*
 * plan_policy.c - reads, checks and writes policies.
 *
 * A policy may be based on one that comes later in the document. So all of them are loaded first,
 * in the order of their dependencies and without reporting errors; the check reports errors later,
 * at their place in the document.
 */
#include "plan_internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "outcome.h"
#include "text.h"

/* The last one of that name among the first `count`: inner ones come later. */
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

/* Like policy_list_find(), without the document's own. */
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

#define OWN_MARK "+" /* after the name of a step's own policy; no other name has it */

enum number_type { NUMBER_INT, NUMBER_I64, NUMBER_DOUBLE };

/* The numeric members. */
static const struct number_field {
    const char *key;
    enum number_type type;
    size_t offset;
} numbers[] = {
    {"max_attempts", NUMBER_INT, offsetof(struct policy, max_attempts)},
    {"base_delay_ms", NUMBER_I64, offsetof(struct policy, base_delay_ms)},
    {"multiplier", NUMBER_DOUBLE, offsetof(struct policy, multiplier)},
    {"cap_ms", NUMBER_I64, offsetof(struct policy, cap_ms)},
    {"window", NUMBER_INT, offsetof(struct policy, window)},
    {"same_stops", NUMBER_INT, offsetof(struct policy, same_stops)},
    {"unchanged_stops", NUMBER_INT, offsetof(struct policy, unchanged_stops)},
    {"retry_after_cap_ms", NUMBER_I64, offsetof(struct policy, retry_after_cap_ms)},
    {"deadline_ms", NUMBER_I64, offsetof(struct policy, deadline_ms)},
};

static void read_number(struct plan_reader *reader, const struct json_pointer *path,
                        const struct json *value)
{
    size_t i = 0;
    while (i < ARRAY_LEN(numbers) && strcmp(numbers[i].key, path->key) != 0)
        i++;
    assert(i < ARRAY_LEN(numbers));

    char *place = (char *)reader->policy + numbers[i].offset;
    int64_t whole = 0;
    double real = json_number(value, 1);
    plan_reader_whole(value, &whole);
    int small = (int)whole;
    switch (numbers[i].type) {
    case NUMBER_INT:
        memcpy(place, &small, sizeof(small));
        break;
    case NUMBER_I64:
        memcpy(place, &whole, sizeof(whole));
        break;
    case NUMBER_DOUBLE:
        memcpy(place, &real, sizeof(real));
        break;
    }
}

/* A fraction, or the name of another kind. */
static void read_jitter(struct plan_reader *reader, const struct json_pointer *path,
                        const struct json *value)
{
    (void)path;
    struct policy *policy = reader->policy;
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

static void read_exhausted(struct plan_reader *reader, const struct json_pointer *path,
                           const struct json *value)
{
    (void)path;
    const char *word = json_text(value, "");
    for (unsigned i = 0; i < POLICY_EXHAUSTED_COUNT; i++) {
        if (strcmp(policy_exhausted_name((enum policy_exhausted)i), word) == 0)
            reader->policy->exhausted = (enum policy_exhausted)i;
    }
}

/* Persistent failures that no rule explains. */
static const char unknown_word[] = "unknown";

static void read_retry_on(struct plan_reader *reader, const struct json_pointer *path,
                          const struct json *value)
{
    (void)path;
    unsigned set = 0;
    for (size_t i = 0; i < json_count(value); i++) {
        const char *word = json_text(json_at(value, i), "");
        if (strcmp(word, verdict_class_name(VERDICT_TRANSIENT)) == 0)
            set |= POLICY_ON_TRANSIENT;
        else if (strcmp(word, verdict_class_name(VERDICT_PERSISTENT)) == 0)
            set |= POLICY_ON_PERSISTENT;
        else if (strcmp(word, unknown_word) == 0)
            set |= POLICY_ON_UNKNOWN;
    }
    reader->policy->retry_on = set;
}

static void read_phases(struct plan_reader *reader, const struct json_pointer *path,
                        const struct json *value)
{
    (void)path;
    unsigned set = 0;
    for (size_t i = 0; i < json_count(value); i++) {
        enum phase phase;
        if (phase_parse(json_text(json_at(value, i), ""), &phase))
            set |= 1U << phase;
    }
    reader->policy->phases = set;
}

/* Reports an unknown policy, and names those that exist. */
static void complain_unknown(struct plan_reader *reader, const struct json_pointer *path,
                             const struct json *value)
{
    struct str known = {0};
    struct str message = {0};
    const char *name = json_text(value, "");
    const char *meant = policy_new_name(name);
    struct near_word near = near_word_new(name);
    const struct policy *builtin;
    policy_list_names(&reader->policies, reader->policy_name, &known);
    for (size_t i = 0; (builtin = policy_builtin(i)) != NULL; i++)
        near_word_offer(&near, builtin->name);
    for (int i = 0; i < reader->policies.count; i++) {
        const char *other = reader->policies.items[i].name;
        if (!reader->policy_name || strcmp(other, reader->policy_name) != 0)
            near_word_offer(&near, other);
    }
    str_add(&message, "unknown policy");
    if (meant || near.nearest)
        str_addf(&message, ", did you mean \"%s\"?", meant ? meant : near.nearest);
    plan_reader_invalid(reader, path, str_text(&message), str_text(&known), value);
    str_done(&message);
    str_done(&known);
}

/* Was read before the other members. */
static void check_like(struct plan_reader *reader, const struct json_pointer *path,
                       const struct json *value)
{
    const char *name = json_text(value, NULL);
    if (!name || !plan_reader_is_sound(reader, path))
        return;
    bool is_itself = reader->policy_name && strcmp(name, reader->policy_name) == 0;
    if (is_itself && !policy_list_find_outer(&reader->policies, name))
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, "a policy cannot be like itself",
                        NULL, NULL);
    else if (!is_itself && !policy_list_find(&reader->policies, name))
        complain_unknown(reader, path, value);
}

static const struct plan_field policy_rows[] = {
    {.key = "like", .read = check_like},
    {.key = "max_attempts", .read = read_number},
    {.key = "base_delay_ms", .read = read_number},
    {.key = "multiplier", .read = read_number},
    {.key = "cap_ms", .read = read_number},
    {.key = "jitter", .read = read_jitter},
    {.key = "retry_on", .read = read_retry_on},
    {.key = "retry_timeouts",
     .type = PLAN_FIELD_BOOL,
     .offset = offsetof(struct policy, retry_timeouts)},
    {.key = "phases", .read = read_phases},
    {.key = "window", .read = read_number},
    {.key = "same_stops", .read = read_number},
    {.key = "retry_after_cap_ms", .read = read_number},
    {.key = "deadline_ms", .read = read_number},
    {.key = "exhausted", .read = read_exhausted},
    {.key = "unchanged_stops", .read = read_number},
};
static const struct plan_fields policy_fields = {policy_rows, ARRAY_LEN(policy_rows)};

void plan_policy_read_fields(struct plan_reader *reader, const struct json_pointer *path,
                             const struct json *value)
{
    plan_reader_walk(reader, path, value, &policy_fields, reader->policy);
}

const struct policy *plan_policy_by_name(struct plan_reader *reader,
                                         const struct json_pointer *path, const struct json *value)
{
    reader->policy_name = NULL;
    const char *name = json_text(value, NULL);
    const struct policy *policy = name ? policy_list_find(&reader->policies, name) : NULL;
    if (name && !policy && plan_reader_is_sound(reader, path))
        complain_unknown(reader, path, value);
    return policy;
}

void plan_policy_read_own(struct plan_reader *reader, const struct json_pointer *path,
                          const struct json *value, const struct policy *otherwise,
                          struct policy *out)
{
    const char *like = json_text(json_get(value, "like"), NULL);
    const struct policy *base = like ? policy_list_find(&reader->policies, like) : NULL;
    char name[POLICY_NAME_MAX + 1];
    *out = base ? *base : *otherwise;
    size_t len = strcspn(out->name, OWN_MARK);
    (void)snprintf(name, sizeof(name), "%.*s" OWN_MARK, (int)len, out->name);
    policy_rename(out, name);
    reader->policy = out;
    reader->policy_name = NULL;
    plan_policy_read_fields(reader, path, value);
}

static void write_number(const struct policy *policy, const struct number_field *field,
                         struct str *out)
{
    const char *place = (const char *)policy + field->offset;
    int small;
    int64_t whole;
    double real;
    str_json_key(out, field->key);
    switch (field->type) {
    case NUMBER_INT:
        memcpy(&small, place, sizeof(small));
        str_add_i64(out, small);
        break;
    case NUMBER_I64:
        memcpy(&whole, place, sizeof(whole));
        str_add_i64(out, whole);
        break;
    case NUMBER_DOUBLE:
        memcpy(&real, place, sizeof(real));
        str_add_number(out, real);
        break;
    }
}

static void add_word(struct str *out, const char *word)
{
    bool is_first = out->data[out->len - 1] == '[';
    str_add(out, is_first ? "" : ",");
    str_add_json(out, word, strlen(word));
}

void plan_policy_write(const struct policy *policy, struct str *out)
{
    size_t base_len = strcspn(policy->name, OWN_MARK);
    str_add_char(out, '{');
    if (policy->name[base_len]) {
        str_json_key(out, "like");
        str_add_json(out, policy->name, base_len);
    }
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        const bool is_off = numbers[i].offset == offsetof(struct policy, unchanged_stops) &&
                            policy->unchanged_stops == 0; /* older logs lack the key */
        if (!is_off)
            write_number(policy, &numbers[i], out);
    }

    if (policy->jitter_kind == POLICY_JITTER_PROPORTIONAL) {
        str_json_key(out, "jitter");
        str_add_number(out, policy->jitter);
    } else {
        str_json_text(out, "jitter", policy_jitter_name(policy->jitter_kind));
    }
    str_json_text(out, "exhausted", policy_exhausted_name(policy->exhausted));

    str_json_bool(out, "retry_timeouts", policy->retry_timeouts);
    str_json_key(out, "retry_on");
    str_add_char(out, '[');
    if (policy->retry_on & POLICY_ON_TRANSIENT)
        add_word(out, verdict_class_name(VERDICT_TRANSIENT));
    if (policy->retry_on & POLICY_ON_PERSISTENT)
        add_word(out, verdict_class_name(VERDICT_PERSISTENT));
    if (policy->retry_on & POLICY_ON_UNKNOWN)
        add_word(out, unknown_word);
    str_add_char(out, ']');

    str_json_key(out, "phases");
    str_add_char(out, '[');
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        if (policy_fits_phase(policy, (enum phase)phase))
            add_word(out, phase_name((enum phase)phase));
    }
    str_add(out, "]}");
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
    plan->has_settings = settings->policy_count > 0 || settings->has_loops || settings->said != 0;
}

/* Plans may change the policy of sandbox starts, and define new ones. */
static bool name_is_free(const struct plan_reader *reader, const char *name)
{
    return reader->builtin_may_change || !policy_named(name) || strcmp(name, "infrastructure") == 0;
}

/* Returns the name of the policy that an inner one begins as, explicit or not. */
static const char *name_of_base(const struct plan_reader *reader, const struct json *object,
                                const char *name)
{
    const char *like = json_text(json_get(json_get(object, name), "like"), NULL);
    if (like)
        return like;
    return policy_list_find_outer(&reader->policies, name) ? name : POLICY_DEFAULT;
}

/* Returns the index of the inner policy that this one begins as; -1 if it is an outer one. */
static int inner_base(const struct plan_reader *reader, const struct json *object, int member)
{
    const char *name = reader->policies.items[member].name;
    const char *base = name_of_base(reader, object, name);
    return strcmp(base, name) == 0 ? -1 : policy_list_inner(&reader->policies, base);
}

/* Fills each policy after the one that it is like, wherever that is in the document. Policies in
 * a loop stay as they are: such a document is rejected. */
static void fill_policies(struct plan_reader *reader, const struct json *object)
{
    static const struct json_pointer nowhere = {0};
    struct policy_list *list = &reader->policies;
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
            reader->policy = policy;
            reader->policy_name = policy->name;
            plan_policy_read_fields(reader, &nowhere, json_get(object, name));
            filled[i - list->inner] = true;
            progress = true;
        }
    }
}

void plan_policies_load(struct plan_reader *reader, const struct json *value)
{
    struct policy_list *list = &reader->policies;
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
        bool is_policy = !plan_reader_is_comment(key) && strlen(key) < POLICY_NAME_MAX &&
                         name_is_free(reader, key);
        if (!is_policy || list->count - list->inner == PLAN_POLICIES_MAX)
            continue;
        list->items[list->count] = *policy_named(POLICY_DEFAULT);
        policy_rename(&list->items[list->count++], key);
    }
    reader->violations = &unsaid; /* plan_policies_check() reports it in its place */
    fill_policies(reader, value);
    reader->violations = said;
    violations_done(&unsaid);
}

/* Checks the policy at `path`, a member of `object`: its values, and whether it is the first one of
 * a loop of "like". */
static void check_policy(struct plan_reader *reader, const struct json_pointer *path,
                         const struct json *object, const struct json *value)
{
    struct policy scratch = *policy_named(POLICY_DEFAULT); /* the values were loaded before */
    reader->policy = &scratch;
    reader->policy_name = path->key;
    plan_policy_read_fields(reader, path, value);

    const struct policy *items = reader->policies.items;
    const int count = reader->policies.count - reader->policies.inner;
    const int member = policy_list_inner(&reader->policies, path->key);
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
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, &place, str_text(&message), NULL, NULL);
    str_done(&message);
}

void plan_policies_check(struct plan_reader *reader, const struct json_pointer *path,
                         const struct json *value)
{
    int room = PLAN_POLICIES_MAX;
    void *iter = NULL;
    const char *key = NULL;
    const struct json *member = NULL;
    while (json_next(value, &iter, &key, &member)) {
        struct json_pointer place = {.up = path, .key = key};
        if (plan_reader_is_comment(key))
            continue;
        if (!name_is_free(reader, key)) {
            plan_reader_add(reader, VIOLATION_INVALID_VALUE, &place,
                            "a built-in policy has this name: choose another and set \"like\"",
                            NULL, NULL);
            continue;
        }
        if (policy_new_name(key)) {
            struct str message = {0};
            str_addf(&message, "this policy is now called \"%s\"", policy_new_name(key));
            plan_reader_add(reader, VIOLATION_INVALID_VALUE, &place, str_text(&message), NULL,
                            NULL);
            str_done(&message);
            continue;
        }
        if (room-- == 0) {
            plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, "too many", "at most 64",
                            "more");
            return;
        }
        check_policy(reader, &place, value, member);
    }
}
