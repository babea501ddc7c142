#include "plan_policy.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "phase.h"
#include "policy_list.h"
#include "xalloc.h"

#define OWN_MARK "+" /* behind the name of a step's own policy; no name has one */

enum number_type { NUMBER_INT, NUMBER_I64, NUMBER_DOUBLE };

/* The fields that are numbers. */
static const struct number_field {
    const char *key;
    enum number_type type;
    size_t offset;
    struct plan_range range;
} numbers[] = {
    {"max_attempts", NUMBER_INT, offsetof(struct policy, max_attempts), {1, POLICY_ATTEMPTS_MAX}},
    {"base_delay_ms", NUMBER_I64, offsetof(struct policy, base_delay_ms), {0, POLICY_DELAY_MS_MAX}},
    {"multiplier", NUMBER_DOUBLE, offsetof(struct policy, multiplier), {1, 100}},
    {"cap_ms", NUMBER_I64, offsetof(struct policy, cap_ms), {0, POLICY_DELAY_MS_MAX}},
    {"window", NUMBER_INT, offsetof(struct policy, window), {0, POLICY_ATTEMPTS_MAX}},
    {"same_stops", NUMBER_INT, offsetof(struct policy, same_stops), {0, POLICY_ATTEMPTS_MAX}},
    {"retry_after_cap_ms",
     NUMBER_I64,
     offsetof(struct policy, retry_after_cap_ms),
     {0, POLICY_DELAY_MS_MAX}},
    {"deadline_ms", NUMBER_I64, offsetof(struct policy, deadline_ms), {0, POLICY_DELAY_MS_MAX}},
};

static const struct number_field *find_number(const char *key)
{
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        if (strcmp(numbers[i].key, key) == 0)
            return &numbers[i];
    }
    return NULL;
}

static void read_number(struct plan_reader *reader, const struct plan_path *path,
                        const struct json *value)
{
    const struct number_field *field = find_number(path->key);
    assert(field);

    char *place = (char *)reader->policy + field->offset;
    double real;
    int64_t whole;
    if (field->type == NUMBER_DOUBLE) {
        if (plan_reader_number(reader, path, value, field->range, &real))
            memcpy(place, &real, sizeof(real));
        return;
    }
    if (!plan_reader_i64(reader, path, value, field->range, &whole))
        return;
    int small = (int)whole;
    if (field->type == NUMBER_INT)
        memcpy(place, &small, sizeof(small));
    else
        memcpy(place, &whole, sizeof(whole));
}

/* A fraction, or the word for one of the other kinds. */
static void read_jitter(struct plan_reader *reader, const struct plan_path *path,
                        const struct json *value)
{
    struct policy *policy = reader->policy;
    static const struct plan_range range = {0, 1};
    const char *word = json_text(value, NULL);
    bool is_none = word && strcmp(word, policy_jitter_name(POLICY_JITTER_NONE)) == 0;
    bool is_full = word && strcmp(word, policy_jitter_name(POLICY_JITTER_FULL)) == 0;
    double fraction = 0;
    if (word && !is_none && !is_full)
        plan_reader_invalid(reader, path, "unknown word", "0 to 1, \"none\" or \"full\"", value);
    else if (!word && !plan_reader_number(reader, path, value, range, &fraction))
        return;
    policy->jitter = fraction;
    policy->jitter_kind = POLICY_JITTER_NONE;
    if (is_full)
        policy->jitter_kind = POLICY_JITTER_FULL;
    else if (fraction > 0)
        policy->jitter_kind = POLICY_JITTER_PROPORTIONAL;
}

static void read_retry_timeouts(struct plan_reader *reader, const struct plan_path *path,
                                const struct json *value)
{
    (void)plan_reader_bool(reader, path, value, &reader->policy->retry_timeouts); /* complains */
}

static void read_exhausted(struct plan_reader *reader, const struct plan_path *path,
                           const struct json *value)
{
    const char *word = json_text(value, NULL);
    for (unsigned i = 0; word && i < POLICY_EXHAUSTED_COUNT; i++) {
        if (strcmp(policy_exhausted_name((enum policy_exhausted)i), word) == 0) {
            reader->policy->exhausted = (enum policy_exhausted)i;
            return;
        }
    }
    if (word)
        plan_reader_invalid(reader, path, "unknown word", "\"by-class\" or \"max-retries\"", value);
    else
        plan_reader_wrong_type(reader, path, "string", value);
}

/* One result is always equal to itself: a window has at least two. */
static void read_window(struct plan_reader *reader, const struct plan_path *path,
                        const struct json *value)
{
    if (json_i64(value, 0) == 1)
        plan_reader_invalid(reader, path, "one result alone is no loop", "0 or 2 and more", value);
    else
        read_number(reader, path, value);
}

/* The bit of a word; 0 if it is none of them. */
typedef unsigned bit_fn(const char *word);

static unsigned phase_bit(const char *word)
{
    enum phase phase;
    return phase_parse(word, &phase) ? 1U << phase : 0;
}

static unsigned class_bit(const char *word)
{
    if (strcmp(word, verdict_class_name(VERDICT_TRANSIENT)) == 0)
        return POLICY_ON_TRANSIENT;
    if (strcmp(word, verdict_class_name(VERDICT_PERSISTENT)) == 0)
        return POLICY_ON_PERSISTENT;
    return 0;
}

struct word_set {
    bit_fn *bit;
    const char *words; /* for the message */
    size_t count;
};

static void read_set(struct plan_reader *reader, const struct plan_path *path,
                     const struct json *value, const struct word_set *set, unsigned *out)
{
    struct plan_range range = {0, (double)set->count};
    if (!plan_reader_array(reader, path, value, range))
        return;

    *out = 0;
    for (size_t i = 0; i < json_count(value); i++) {
        struct plan_path place = {.up = path, .index = i};
        const struct json *word = json_at(value, i);
        unsigned bit = set->bit(json_text(word, ""));
        if (bit == 0)
            plan_reader_invalid(reader, &place, "not one of the words", set->words, word);
        *out |= bit;
    }
}

static void read_retry_on(struct plan_reader *reader, const struct plan_path *path,
                          const struct json *value)
{
    static const struct word_set classes = {class_bit, "transient or persistent", 2};
    read_set(reader, path, value, &classes, &reader->policy->retry_on);
}

static void read_phases(struct plan_reader *reader, const struct plan_path *path,
                        const struct json *value)
{
    static const struct word_set phases = {phase_bit, "RED, GREEN, VERIFY or REFACTOR",
                                           PHASE_COUNT};
    read_set(reader, path, value, &phases, &reader->policy->phases);
}

/* Was taken in before the other fields. */
static void check_like(struct plan_reader *reader, const struct plan_path *path,
                       const struct json *value)
{
    const char *name = plan_reader_text(reader, path, value, POLICY_NAME_MAX - 1);
    if (!name)
        return;
    bool is_itself = reader->policy_name && strcmp(name, reader->policy_name) == 0;
    if (is_itself && !policy_list_find_outer(&reader->policies, name))
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, "a policy cannot be like itself",
                        NULL, NULL);
    else if (!is_itself && !policy_list_find(&reader->policies, name))
        plan_policy_complain_unknown(reader, path, value);
}

static const struct plan_field policy_rows[] = {
    {"like", check_like, NULL},           {"max_attempts", read_number, NULL},
    {"base_delay_ms", read_number, NULL}, {"multiplier", read_number, NULL},
    {"cap_ms", read_number, NULL},        {"jitter", read_jitter, NULL},
    {"retry_on", read_retry_on, NULL},    {"retry_timeouts", read_retry_timeouts, NULL},
    {"phases", read_phases, NULL},        {"window", read_window, NULL},
    {"same_stops", read_window, NULL},    {"retry_after_cap_ms", read_number, NULL},
    {"deadline_ms", read_number, NULL},   {"exhausted", read_exhausted, NULL},
};
static const struct plan_fields policy_fields = {policy_rows, ARRAY_LEN(policy_rows)};

void plan_policy_read_fields(struct plan_reader *reader, const struct plan_path *path,
                             const struct json *value)
{
    (void)plan_reader_object(reader, path, value, &policy_fields); /* has complained */
}

void plan_policy_complain_unknown(struct plan_reader *reader, const struct plan_path *path,
                                  const struct json *value)
{
    struct str known = {0};
    policy_list_names(&reader->policies, reader->policy_name, &known);
    plan_reader_invalid(reader, path, "unknown policy", str_text(&known), value);
    str_done(&known);
}

const struct policy *plan_policy_by_name(struct plan_reader *reader, const struct plan_path *path,
                                         const struct json *value)
{
    reader->policy_name = NULL;
    if (json_kind(value) != JSON_KIND_STRING) {
        plan_reader_wrong_type(reader, path, "string or object", value);
        return NULL;
    }
    const char *name = plan_reader_text(reader, path, value, POLICY_NAME_MAX - 1);
    const struct policy *policy = name ? policy_list_find(&reader->policies, name) : NULL;
    if (name && !policy)
        plan_policy_complain_unknown(reader, path, value);
    return policy;
}

void plan_policy_read_own(struct plan_reader *reader, const struct plan_path *path,
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
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        write_number(policy, &numbers[i], out);

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
    str_add_char(out, ']');

    str_json_key(out, "phases");
    str_add_char(out, '[');
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        if (policy_fits_phase(policy, (enum phase)phase))
            add_word(out, phase_name((enum phase)phase));
    }
    str_add(out, "]}");
}
