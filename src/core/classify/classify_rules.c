/*
 * classify_rules.c - compiles the rules, and the automaton that finds their literals.
 *
 * Trying every pattern on every line would be too slow. So a built-in rule with a pattern names
 * literals, one of which a matching line must contain, and one pass of an Aho-Corasick automaton
 * over the output finds the few lines that are worth a try.
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

enum { ROOT = 0 };
static_assert(LITERALS_NODES_MAX < LITERALS_END, "a node and the mark fit into 16 bits");

static int32_t *next_of(const struct literals *literals, size_t node, int class)
{
    return &literals->next[node * LITERALS_CLASSES_MAX + (size_t) class];
}

static int32_t add_node(struct literals *literals)
{
    const size_t node = literals->nodes++;
    if (literals->nodes > literals->nodes_cap) {
        size_t cap = literals->nodes_cap;
        const size_t row = LITERALS_CLASSES_MAX * sizeof(*literals->next);
        literals->next = xgrow(literals->next, &cap, literals->nodes, row);
        cap = literals->nodes_cap;
        literals->literal =
            xgrow(literals->literal, &cap, literals->nodes, sizeof(*literals->literal));
        literals->also =
            xgrow(literals->also, &literals->nodes_cap, literals->nodes, sizeof(*literals->also));
    }
    memset(next_of(literals, node, 0), 0, LITERALS_CLASSES_MAX * sizeof(*literals->next));
    literals->literal[node] = LITERAL_NONE;
    literals->also[node] = ROOT;
    return (int32_t)node;
}

/* Adds a word (not empty, no line feed) before literals_build(). Returns its number, which is
 * the same for equal words, or LITERAL_NONE if there is no room. */
static int literals_add(struct literals *literals, const char *word)
{
    const size_t len = strlen(word);
    assert(len > 0);
    assert(!strchr(word, '\n'));
    size_t new_classes = 0; /* an upper bound: a byte that occurs twice is counted twice */
    for (size_t i = 0; i < len; i++)
        new_classes += literals->class_of[(unsigned char)word[i]] == 0;
    if (literals->nodes + len > LITERALS_NODES_MAX ||
        (size_t)literals->classes + new_classes > LITERALS_CLASSES_MAX)
        return LITERAL_NONE;

    size_t node = ROOT;
    for (size_t i = 0; i < len; i++) {
        unsigned char lower = (unsigned char)word[i];
        unsigned char upper = lower;
        if (ascii_is_upper(lower))
            lower = (unsigned char)(lower + ('a' - 'A'));
        else if (ascii_is_lower(upper))
            upper = (unsigned char)(upper - ('a' - 'A'));
        if (literals->class_of[lower] == 0) {
            assert(literals->classes < LITERALS_CLASSES_MAX);
            literals->class_of[lower] = (uint8_t)literals->classes;
            literals->class_of[upper] = (uint8_t)literals->classes;
            literals->classes++;
        }
        const int class = literals->class_of[lower];
        if (*next_of(literals, node, class) == ROOT) {
            const int32_t made = add_node(literals); /* may move the tables */
            *next_of(literals, node, class) = made;
        }
        node = (size_t)*next_of(literals, node, class);
    }
    if (literals->literal[node] == LITERAL_NONE)
        literals->literal[node] = literals->count++;
    return literals->literal[node];
}

/* Builds the table for scans. Call once, after adding all words. */
static void literals_build(struct literals *literals)
{
    /* Adds the edges of all nodes, shorter ones first. A missing edge is that of the longest
     * proper suffix. */
    int32_t *ending = xcalloc(literals->nodes, sizeof(*ending));
    int32_t *queue = xcalloc(literals->nodes, sizeof(*queue));
    size_t queued = 0;
    queue[queued++] = ROOT;
    for (size_t i = 0; i < queued; i++) {
        const size_t node = (size_t)queue[i];
        const size_t own = (size_t)ending[node];
        literals->also[node] =
            literals->literal[own] != LITERAL_NONE ? (int32_t)own : literals->also[own];
        for (int class = 1; class < literals->classes; class ++) {
            int32_t *edge = next_of(literals, node, class);
            const int32_t shorter = node == ROOT ? ROOT : *next_of(literals, own, class);
            if (*edge == ROOT) {
                *edge = shorter;
            } else {
                ending[*edge] = shorter;
                queue[queued++] = *edge;
            }
        }
    }
    assert(queued == literals->nodes);
    free(ending);
    free(queue);

    const size_t classes = (size_t)literals->classes;
    literals->table = xcalloc(literals->nodes * classes, sizeof(*literals->table));
    for (size_t node = 0; node < literals->nodes; node++) {
        for (int class = 0; class < literals->classes; class ++) {
            const size_t to = (size_t)*next_of(literals, node, class);
            const bool ends = literals->literal[to] != LITERAL_NONE || literals->also[to] != ROOT;
            literals->table[node * classes + (size_t) class] =
                (uint16_t)(to | (ends ? LITERALS_END : 0));
        }
    }
    free(literals->next);
    literals->next = NULL;
}

void literals_scan(const struct literals *literals, const char *bytes, size_t len,
                   literals_hit_fn *hit, void *ctx)
{
    const size_t classes = (size_t)literals->classes;
    size_t node = ROOT;
    for (size_t i = 0; i < len; i++) {
        const size_t to =
            literals->table[node * classes + literals->class_of[(unsigned char)bytes[i]]];
        node = to & (LITERALS_END - 1);
        if (to == node)
            continue;
        size_t end = literals->literal[node] != LITERAL_NONE ? node : (size_t)literals->also[node];
        for (; end != ROOT; end = (size_t)literals->also[end])
            hit(ctx, literals->literal[end]);
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
    if (json_count(needs) > RULE_NEEDS_MAX)
        return err_set(err, ERR_INVALID, "more than %d literals", RULE_NEEDS_MAX);
    for (size_t i = 0; i < json_count(needs); i++) {
        const char *word = json_text(json_at(needs, i), "");
        if (word[0] == '\0' || strchr(word, '\n'))
            return err_set(err, ERR_INVALID, "need must be a list of words");
        const int literal = literals_add(literals, word);
        if (literal == LITERAL_NONE)
            return err_set(err, ERR_LIMIT, "too many literals");
        rule->needs[rule->need_count++] = literal;
    }
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
    if (rule->pattern && rule->need_count == 0 && !json_bool(json_get(json, "user"), false))
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
    rules->literals.classes = 1;
    (void)add_node(&rules->literals);
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
    free(rules->literals.next);
    free(rules->literals.table);
    free(rules->literals.literal);
    free(rules->literals.also);
    free(rules->guard_bits);
    free(rules->always);
    free(rules->needs);
    free(rules->first_need);
    free(rules);
}
