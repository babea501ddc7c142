/*
 * classify_rules.c - compiles the rules, and finds the literals of all rules in a text.
 *
 * Trying every pattern on every line would be too slow. So a built-in rule with a pattern names
 * literals, one of which a matching line must contain, and one pass over the output finds the few
 * lines that are worth a try.
 */
#include "classify_internal.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "json.h"
#include "sha256.h"
#include "text.h"
#include "xalloc.h"

static unsigned char lower_of(char c)
{
    return (unsigned char)(ascii_is_upper(c) ? c + ('a' - 'A') : c);
}

/* Adds a byte to the last ones that were read, of which it keeps LITERAL_KEY. */
static uint32_t add_to_key(uint32_t key, char c)
{
    return (key << 8 | lower_of(c)) & ((UINT32_C(1) << 8 * LITERAL_KEY) - 1);
}

/* Multiplicative hashing: Knuth, The Art of Computer Programming 3, 6.4. */
static uint32_t bucket_of(uint32_t key)
{
    return (key * UINT32_C(2654435769)) >> (32 - LITERAL_BUCKET_BITS);
}

static void put_in_bucket(struct literals *literals, int number, uint32_t bucket)
{
    literals->items[number].next = literals->first[bucket];
    literals->first[bucket] = (uint16_t)(number + 1);
}

/* Adds a word of at least LITERAL_KEY bytes before literals_build(). Returns its number, which is
 * the same for equal words, or LITERAL_NONE if there is no room. */
static int literals_add(struct literals *literals, const char *word)
{
    struct literal added = {0};
    const size_t len = strlen(word);
    uint32_t key = 0;
    if (len > LITERAL_MAX || literals->count == LITERALS_MAX)
        return LITERAL_NONE;
    added.len = (uint8_t)len;
    for (size_t i = 0; i < len; i++) {
        added.bytes[i] = (char)lower_of(word[i]);
        key = add_to_key(key, word[i]);
    }
    for (int at = literals->first[bucket_of(key)]; at != 0; at = literals->items[at - 1].next) {
        const struct literal *literal = &literals->items[at - 1];
        if (literal->len == len && memcmp(literal->bytes, added.bytes, len) == 0)
            return at - 1;
    }
    literals->items = xgrow(literals->items, &literals->cap, (size_t)literals->count + 1,
                            sizeof(*literals->items));
    literals->items[literals->count] = added;
    put_in_bucket(literals, literals->count, bucket_of(key));
    return literals->count++;
}

/* Moves each literal to the bucket of those of its bytes that are in the fewest literals, so that
 * few are compared in vain. Call once, after adding all words. */
static void literals_build(struct literals *literals)
{
    uint16_t *counts = xcalloc(ARRAY_LEN(literals->first), sizeof(*counts));
    for (int pass = 0; pass < 2; pass++) {
        for (int number = 0; number < literals->count; number++) {
            struct literal *literal = &literals->items[number];
            uint32_t best = 0, key = 0;
            for (uint8_t i = 0; i < literal->len; i++) {
                key = add_to_key(key, literal->bytes[i]);
                const uint32_t bucket = bucket_of(key);
                if (i + 1 < LITERAL_KEY)
                    continue;
                if (pass == 0) {
                    counts[bucket]++;
                } else if (i + 1 == LITERAL_KEY || counts[bucket] < counts[best]) {
                    best = bucket;
                    literal->key_end = (uint8_t)(i + 1);
                }
            }
            if (pass == 1)
                put_in_bucket(literals, number, best);
        }
        if (pass == 0)
            memset(literals->first, 0, sizeof(literals->first));
    }
    free(counts);
}

static bool is_literal(const char *bytes, const struct literal *literal)
{
    size_t i = 0;
    while (i < literal->len && lower_of(bytes[i]) == (unsigned char)literal->bytes[i])
        i++;
    return i == literal->len;
}

void literals_scan(const struct literals *literals, const char *bytes, size_t len,
                   literals_hit_fn *hit, void *ctx)
{
    uint32_t key = 0;
    for (size_t end = 1; end <= len; end++) {
        key = add_to_key(key, bytes[end - 1]);
        for (int at = literals->first[bucket_of(key)]; at != 0; at = literals->items[at - 1].next) {
            const struct literal *literal = &literals->items[at - 1];
            const size_t start = end - literal->key_end;
            if (end >= literal->key_end && literal->len <= len - start &&
                is_literal(bytes + start, literal))
                hit(ctx, at - 1);
        }
    }
}

/* Members of a rule; the file may have others, for its readers. */
static const char *const known_members[] = {
    "id",      "section", "class",       "type",       "reason",   "subtype", "need",
    "pattern", "unless",  "unless_text", "stream",     "tail",     "exit",    "program",
    "ask",     "quoted",  "final",       "late",       "memory",   "unit_ms", "why",
    "signal",  "kind",    "retry_after", "form",       "most",     "decides", "user",
    "waits",   "over",    "after",       "on_success", "launcher", "rank",
};

static bool copy_text(char *out, size_t size, const struct json *json, const char *key,
                      struct err *err)
{
    const char *text = json_text(json_get(json, key), "");
    if (strlen(text) >= size)
        return err_set(err, ERR_INVALID, "%s is longer than %zu bytes", key, size - 1);
    (void)snprintf(out, size, "%s", text);
    return true;
}

/* Returns the index of the name, or `count` if it is unknown. */
static size_t find_name(const char *const *names, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

/* Reads what the rule says of a failure, where it looks, and which rules it outranks. */
static bool read_verdict(struct rule *rule, const struct json *json, struct err *err)
{
    static const char *const streams[] = {
        [RULE_STREAM_ANY] = "any",
        [RULE_STREAM_ERR] = "stderr",
        [RULE_STREAM_OUT] = "stdout",
        [RULE_STREAM_QUIET] = "quiet",
    };
    static const char *const ranks[] = {
        [RULE_RANK_SYMPTOM] = "symptom", [RULE_RANK_PLAIN] = "plain", [RULE_RANK_CAUSE] = "cause"};
    const char *class = json_text(json_get(json, "class"), "persistent");
    const char *type = json_text(json_get(json, "type"), "");
    const char *reason = json_text(json_get(json, "reason"), "");
    bool transient = strcmp(class, verdict_class_name(VERDICT_TRANSIENT)) == 0;
    if (!transient && strcmp(class, verdict_class_name(VERDICT_PERSISTENT)) != 0)
        return err_set(err, ERR_INVALID, "class must be 'transient' or 'persistent'");
    rule->class = transient ? VERDICT_TRANSIENT : VERDICT_PERSISTENT;
    if (transient && (!transient_type_parse(type, &rule->type) || reason[0] != '\0'))
        return err_set(err, ERR_INVALID, "a transient rule needs one of the seven types");
    if (!transient && type[0] != '\0')
        return err_set(err, ERR_INVALID, "a persistent rule must not have a type");
    if (reason[0] != '\0' && !reason_parse(reason, &rule->reason))
        return err_set(err, ERR_INVALID, "unknown reason '%s'", reason);

    const char *default_stream = streams[transient ? RULE_STREAM_QUIET : RULE_STREAM_ANY];
    const size_t stream =
        find_name(streams, ARRAY_LEN(streams), json_text(json_get(json, "stream"), default_stream));
    if (stream == ARRAY_LEN(streams))
        return err_set(err, ERR_INVALID, "stream must be 'any', 'stderr', 'stdout' or 'quiet'");
    rule->stream = (enum rule_stream)stream;

    /* A person's rule is a cause, and nothing later outranks it. */
    const bool user = json_bool(json_get(json, "user"), false);
    const char *default_rank = ranks[user ? RULE_RANK_CAUSE : RULE_RANK_PLAIN];
    const size_t rank =
        find_name(ranks, ARRAY_LEN(ranks), json_text(json_get(json, "rank"), default_rank));
    rule->final = user || json_bool(json_get(json, "final"), false);
    if (rank == ARRAY_LEN(ranks))
        return err_set(err, ERR_INVALID, "rank must be 'symptom', 'plain' or 'cause'");
    rule->rank = (enum rule_rank)rank;
    return true;
}

struct range {
    int least, most;
};

/* A number or a list of numbers. */
static bool read_numbers(const struct json *json, struct range range, int max, int *out,
                         int *count_out, struct err *err)
{
    const bool single = json_kind(json) == JSON_KIND_INTEGER;
    const size_t count = single ? 1 : json_count(json);
    if (json && (count == 0 || count > (size_t)max))
        return err_set(err, ERR_INVALID, "expected 1..%d numbers", max);
    for (size_t i = 0; i < count; i++) {
        const int64_t number = json_i64(single ? json : json_at(json, i), (int64_t)range.least - 1);
        if (number < range.least || number > range.most)
            return err_set(err, ERR_INVALID, "expected a number from %d to %d", range.least,
                           range.most);
        out[(*count_out)++] = (int)number;
    }
    return true;
}

/* Reads which attempts the rule is for. */
static bool read_facts(struct rule *rule, const struct json *json, struct err *err)
{
    struct err why = {0};
    const char *kind = json_text(json_get(json, "kind"), "");
    if (!read_numbers(json_get(json, "exit"), (struct range){0, 255}, RULE_EXITS_MAX, rule->exits,
                      &rule->exit_count, &why))
        return err_set(err, ERR_INVALID, "exit: %s", why.message);
    if (!read_numbers(json_get(json, "signal"), (struct range){1, 64}, RULE_SIGNALS_MAX,
                      rule->signals, &rule->signal_count, &why))
        return err_set(err, ERR_INVALID, "signal: %s", why.message);
    if (strcmp(kind, "run") == 0)
        rule->kind = RULE_KIND_RUN;
    else if (strcmp(kind, "agent") == 0)
        rule->kind = RULE_KIND_AGENT;
    else if (kind[0] != '\0')
        return err_set(err, ERR_INVALID, "kind must be 'run' or 'agent'");
    if (!copy_text(rule->program, sizeof(rule->program), json, "program", err))
        return false;

    /* A name, optionally with an option after it, or a list of these. */
    const struct json *launchers = json_get(json, "launcher");
    const bool single = json_kind(launchers) == JSON_KIND_STRING;
    const size_t count = single ? 1 : json_count(launchers);
    if (launchers && (count == 0 || count > RULE_LAUNCHERS_MAX))
        return err_set(err, ERR_INVALID, "launcher: expected 1..%d programs", RULE_LAUNCHERS_MAX);
    for (size_t i = 0; i < count; i++) {
        const char *name = json_text(single ? launchers : json_at(launchers, i), "");
        if (name[0] == '\0' || name[0] == ' ' || strlen(name) >= RULE_LAUNCHER_MAX)
            return err_set(err, ERR_INVALID,
                           "launcher: expected a program, such as \"srun\" or \"sbatch --wait\", "
                           "of at most %d bytes",
                           RULE_LAUNCHER_MAX - 1);
        (void)snprintf(rule->launchers[rule->launcher_count++], RULE_LAUNCHER_MAX, "%s", name);
    }
    return true;
}

static bool read_time(struct rule *rule, const struct json *json, struct err *err)
{
    const char *form = json_text(json_get(json, "form"), "duration");
    const int64_t group = json_i64(json_get(json, "retry_after"), 0);
    if (group < 0 || group >= RULE_SPANS)
        return err_set(err, ERR_INVALID, "retry_after must be the number of a group, 1..%d",
                       RULE_SPANS - 1);
    rule->retry_group = (int)group;
    rule->unit_ms = json_i64(json_get(json, "unit_ms"), 1000);
    rule->most = json_bool(json_get(json, "most"), false);
    rule->decides = json_bool(json_get(json, "decides"), false);
    rule->form = hint_form_find(form);
    return rule->form || err_set(err, ERR_INVALID, "unknown time format '%s'", form);
}

static bool read_pattern(struct rule_pattern **out, const struct json *json, const char *key,
                         struct err *err)
{
    const char *source = json_text(json_get(json, key), NULL);
    return !source || rule_pattern_open(out, source, err);
}

static bool read_needs(struct rule *rule, struct literals *literals, const struct json *json,
                       struct err *err)
{
    const struct json *needs = json_get(json, "need");
    bool is_on_every_line = false; /* a word is too short to be a literal */
    if (json_count(needs) > RULE_NEEDS_MAX)
        return err_set(err, ERR_INVALID, "more than %d literals", RULE_NEEDS_MAX);
    for (size_t i = 0; i < json_count(needs); i++) {
        const char *word = json_text(json_at(needs, i), "");
        if (word[0] == '\0' || strchr(word, '\n'))
            return err_set(err, ERR_INVALID, "need must be a list of words");
        if (strlen(word) < LITERAL_KEY) {
            is_on_every_line = true;
            continue;
        }
        const int literal = literals_add(literals, word);
        if (literal == LITERAL_NONE)
            return err_set(err, ERR_LIMIT, "too many literals, or a longer one than %d bytes",
                           LITERAL_MAX);
        rule->needs[rule->need_count++] = literal;
    }
    if (is_on_every_line)
        rule->need_count = 0;
    return true;
}

static bool read_rule(struct rule *rule, struct literals *literals, const struct json *json,
                      struct err *err)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *value = NULL;
    while (json_next(json, &iter, &key, &value)) {
        if (!text_is_in(known_members, ARRAY_LEN(known_members), key))
            return err_set(err, ERR_INVALID, "unknown key '%s'", key);
    }
    if (!copy_text(rule->subtype, sizeof(rule->subtype), json, "subtype", err))
        return false;
    /* A subtype may end in "$1", the group that matched; nothing may follow it. */
    const char *group = strchr(rule->subtype, '$');
    if (group && strcmp(group, "$1") != 0)
        return err_set(err, ERR_INVALID, "subtype: '$' is allowed only in '$1' at the end");
    rule->tail = (int)json_i64(json_get(json, "tail"), 0);
    rule->ask = json_bool(json_get(json, "ask"), false);
    rule->quoted = json_bool(json_get(json, "quoted"), false);
    rule->late = json_bool(json_get(json, "late"), false);
    rule->over = json_bool(json_get(json, "over"), false);
    rule->waits = json_bool(json_get(json, "waits"), false);
    rule->memory = json_bool(json_get(json, "memory"), false);
    rule->on_success = json_bool(json_get(json, "on_success"), false);
    if (!read_verdict(rule, json, err) || !read_facts(rule, json, err) ||
        !read_time(rule, json, err) || !read_pattern(&rule->pattern, json, "pattern", err))
        return false;
    const int groups = rule->pattern ? rule_pattern_groups(rule->pattern) : 0;
    if (rule->retry_group > groups)
        return err_set(err, ERR_INVALID, "retry_after is group %d, but the pattern has %d",
                       rule->retry_group, groups);
    return read_pattern(&rule->after, json, "after", err) &&
           read_pattern(&rule->unless, json, "unless", err) &&
           read_pattern(&rule->unless_text, json, "unless_text", err) &&
           read_needs(rule, literals, json, err);
}

static bool check_verdict_rule(const struct rule *rule, const struct json *json, struct err *err)
{
    /* A pattern without a literal would have to be tried on every line. */
    if (rule->pattern && json_count(json_get(json, "need")) == 0 &&
        !json_bool(json_get(json, "user"), false))
        return err_set(err, ERR_INVALID, "a pattern needs a literal");
    if (!rule->pattern && rule->exit_count == 0 && rule->signal_count == 0)
        return err_set(err, ERR_INVALID, "no pattern, exit code or signal");
    if (!rule->on_success)
        return true;
    /* Only the exit code says that it succeeded. */
    bool has_zero = rule->exit_count == 0 && rule->signal_count == 0;
    for (int i = 0; i < rule->exit_count; i++)
        has_zero = has_zero || rule->exits[i] == 0;
    if (!rule->pattern)
        return err_set(err, ERR_INVALID, "on_success needs a pattern");
    return has_zero || err_set(err, ERR_INVALID, "on_success needs exit 0 among its exit codes");
}

static bool read_list(struct rule_list *list, struct rules *rules, const struct json *json,
                      struct err *err)
{
    const bool guards = list == &rules->guards;
    if (json_kind(json) != JSON_KIND_ARRAY || json_count(json) > RULES_MAX)
        return err_set(err, ERR_INVALID, "expected a list of at most %d rules", RULES_MAX);

    list->items = xcalloc(json_count(json), sizeof(*list->items));
    for (size_t i = 0; i < json_count(json); i++) {
        struct rule *rule = &list->items[list->count++];
        struct err why = {0};
        bool ok = copy_text(rule->id, sizeof(rule->id), json_at(json, i), "id", &why);
        ok = ok && rule->id[0] != '\0';
        ok = ok && read_rule(rule, &rules->literals, json_at(json, i), &why);
        if (ok && guards)
            ok = rule->pattern || err_set(&why, ERR_INVALID, "no pattern");
        else
            ok = ok && check_verdict_rule(rule, json_at(json, i), &why);
        if (!ok)
            return err_set(err, ERR_INVALID, "rule %zu '%s': %s", i + 1, rule->id, why.message);
    }
    return !guards || list->count <= RULE_GUARDS_MAX ||
           err_set(err, ERR_LIMIT, "more than %d guards", RULE_GUARDS_MAX);
}

/* Numbers the rules of all lists, and notes which need a literal. */
static void number_rules(struct rules *rules, struct rule_list *const *lists, size_t list_count)
{
    size_t needs = 0;
    for (size_t k = 0; k < list_count; k++) {
        lists[k]->first = rules->count;
        rules->count += lists[k]->count;
        for (size_t i = 0; i < lists[k]->count; i++)
            needs += (size_t)lists[k]->items[i].need_count;
    }
    rules->always = xcalloc(rules->count + 1, sizeof(*rules->always));
    rules->needs = xcalloc(needs + 1, sizeof(*rules->needs));
    rules->first_need = xcalloc((size_t)rules->literals.count + 1, sizeof(*rules->first_need));
    int32_t used = 0; /* needs[0] is not used: 0 ends a list */
    for (size_t k = 0; k < list_count; k++) {
        for (size_t i = 0; i < lists[k]->count; i++) {
            const struct rule *rule = &lists[k]->items[i];
            rules->always[lists[k]->first + i] = !rule->pattern || rule->need_count == 0;
            for (int n = 0; n < rule->need_count; n++) {
                int32_t *first = &rules->first_need[rule->needs[n]];
                rules->needs[++used] =
                    (struct rule_need){.rule = lists[k]->first + i, .next = *first};
                *first = used;
            }
        }
    }
}

void rules_hash(const char *json, size_t len, char hash[RULES_HASH_MAX])
{
    unsigned char digest[SHA256_BYTES];
    static_assert((int)SHA256_HEX_MAX <= (int)RULES_HASH_MAX, "the hash fits");
    sha256_of(json, len, digest);
    sha256_hex(digest, hash);
}

bool rules_open(struct rules **out, const char *json, size_t len, struct err *err)
{
    struct rules *rules = xcalloc(1, sizeof(*rules));
    struct json *root = NULL;
    const struct {
        const char *name;
        struct rule_list *list;
        bool may_be_missing;
    } lists[] = {
        {"guards", &rules->guards, false},  {"errors", &rules->errors, false},
        {"hints", &rules->hints, false},    {"rules", &rules->verdicts, false},
        {"said", &rules->said, true},       {"stopped", &rules->stopped, true},
        {"service", &rules->service, true}, {"general", &rules->general, true},
    };
    bool ok = json_parse(json, len, &root, NULL, err);
    for (size_t i = 0; ok && i < ARRAY_LEN(lists); i++) {
        const struct json *list = json_get(root, lists[i].name);
        ok = (!list && lists[i].may_be_missing) || read_list(lists[i].list, rules, list, err);
    }
    json_free(root);
    if (!ok) {
        rules_close(rules);
        return false;
    }
    struct rule_list *all[ARRAY_LEN(lists)];
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        all[i] = lists[i].list;
    number_rules(rules, all, ARRAY_LEN(lists));
    for (size_t i = 0; i < rules->verdicts.count; i++) {
        const struct rule *rule = &rules->verdicts.items[i];
        rules->for_signals = rules->for_signals || rule->signal_count > 0;
        rules->for_successes = rules->for_successes || rule->on_success;
    }
    rules->guard_bits = xcalloc((size_t)rules->literals.count + 1, sizeof(*rules->guard_bits));
    for (size_t i = 0; i < rules->guards.count; i++) {
        const struct rule *guard = &rules->guards.items[i];
        for (int k = 0; k < guard->need_count; k++)
            rules->guard_bits[guard->needs[k]] |= UINT64_C(1) << i;
    }
    literals_build(&rules->literals);
    *out = rules;
    return true;
}

static void list_done(struct rule_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        rule_pattern_close(list->items[i].pattern);
        rule_pattern_close(list->items[i].after);
        rule_pattern_close(list->items[i].unless);
        rule_pattern_close(list->items[i].unless_text);
    }
    free(list->items);
}

void rules_close(struct rules *rules)
{
    if (!rules)
        return;
    list_done(&rules->guards);
    list_done(&rules->errors);
    list_done(&rules->hints);
    list_done(&rules->verdicts);
    list_done(&rules->said);
    list_done(&rules->stopped);
    list_done(&rules->service);
    list_done(&rules->general);
    free(rules->literals.items);
    free(rules->guard_bits);
    free(rules->always);
    free(rules->needs);
    free(rules->first_need);
    free(rules);
}
