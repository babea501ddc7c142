/* classify_rules.c - compiles the rules, and finds the literals of all rules in a text.
 *
 * Trying every pattern on every line would be too slow. So each built-in rule with a pattern,
 * except guards, names literals; a matching line must contain at least one, and one pass over the
 * output finds the few lines worth trying. */
#include "classify_internal.h"

#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "contract.h"
#include "field.h"
#include "json.h"
#include "sha256.h"
#include "text.h"
#include "xalloc.h"

/* Adds a byte to the key, which keeps the last LITERAL_KEY bytes. */
static uint32_t add_to_key(uint32_t key, char c)
{
    return (key << 8 | (unsigned char)ascii_lower(c)) & ((UINT32_C(1) << 8 * LITERAL_KEY) - 1);
}

/* Hashes the key by multiplication: Knuth, The Art of Computer Programming 3, 6.4. */
static uint32_t bucket_of(uint32_t key)
{
    return (key * UINT32_C(2654435769)) >> (32 - LITERAL_BUCKET_BITS);
}

/* Returns the bucket of the LITERAL_KEY bytes before `end`. */
static uint32_t bucket_before(const char *end)
{
    uint32_t key = 0;
    for (int i = LITERAL_KEY; i > 0; i--)
        key = add_to_key(key, end[-i]);
    return bucket_of(key);
}

static void put_in_bucket(struct literals *literals, int number, uint32_t bucket)
{
    literals->items[number].next = literals->first[bucket];
    literals->first[bucket] = (uint16_t)(number + 1);
}

/* Adds a word of at least LITERAL_KEY bytes; call before literals_build(). Returns its number,
 * which is the same for equal words, or LITERAL_NONE if there is no space. */
static int literals_add(struct literals *literals, const char *word)
{
    const size_t len = strlen(word);
    if (len > LITERAL_MAX || literals->count == LITERALS_MAX)
        return LITERAL_NONE;
    const uint32_t bucket = bucket_before(word + len);
    struct literal added = {.bytes = xcalloc(len, 1), .len = (uint16_t)len};
    for (size_t i = 0; i < len; i++)
        added.bytes[i] = ascii_lower(word[i]);
    for (int at = literals->first[bucket]; at != 0; at = literals->items[at - 1].next) {
        const struct literal *literal = &literals->items[at - 1];
        if (literal->len == len && memcmp(literal->bytes, added.bytes, len) == 0) {
            free(added.bytes);
            return at - 1;
        }
    }
    literals->items = xgrow(literals->items, &literals->cap, (size_t)literals->count + 1,
                            sizeof(*literals->items));
    literals->items[literals->count] = added;
    put_in_bucket(literals, literals->count, bucket);
    return literals->count++;
}

/* Moves each literal to the bucket of that part of its bytes which is in the fewest literals, so
 * that a scan compares few literals in vain. Call once, after adding all words. */
static void literals_build(struct literals *literals)
{
    uint16_t *counts = xcalloc(ARRAY_LEN(literals->first), sizeof(*counts));
    for (int number = 0; number < literals->count; number++) {
        const struct literal *literal = &literals->items[number];
        for (uint16_t end = LITERAL_KEY; end <= literal->len; end++)
            counts[bucket_before(literal->bytes + end)]++;
    }
    memset(literals->first, 0, sizeof(literals->first));
    for (int number = 0; number < literals->count; number++) {
        struct literal *literal = &literals->items[number];
        uint32_t best = 0;
        for (uint16_t end = LITERAL_KEY; end <= literal->len; end++) {
            const uint32_t bucket = bucket_before(literal->bytes + end);
            if (end == LITERAL_KEY || counts[bucket] < counts[best]) {
                best = bucket;
                literal->key_end = end;
            }
        }
        put_in_bucket(literals, number, best);
    }
    free(counts);
}

static bool is_literal(const char *bytes, const struct literal *literal)
{
    size_t i = 0;
    while (i < literal->len && ascii_lower(bytes[i]) == literal->bytes[i])
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

/* The members of a rule. User rules may have the members in rule_fields; rule sets, such as
 * assets/rules.json, have more, and have the facts of `only_if` as members of the rule. */

static void read_pattern(struct field_reader *reader, const struct json_pointer *path,
                         const struct json *value)
{
    struct rule_pattern **pattern = reader->at;
    struct err why = {0};
    const char *source = json_text(value, NULL);
    if (!source)
        field_reader_invalid(reader, path, "invalid value", "a regular expression", value);
    else if (!rule_pattern_open(pattern, source, &why))
        field_reader_add(reader, VIOLATION_INVALID_VALUE, path, why.message, NULL, NULL);
}

/* Returns the number of values in a list; a single value counts as a list with one value. */
static size_t count_of_values(const struct json *value)
{
    return json_kind(value) == JSON_KIND_ARRAY ? json_count(value) : 1;
}

static const struct json *value_at(const struct json *value, size_t index)
{
    return json_kind(value) == JSON_KIND_ARRAY ? json_at(value, index) : value;
}

static void read_numbers(struct field_reader *reader, const struct json_pointer *path,
                         const struct json *value, int least, int most, size_t max)
{
    struct rule_numbers *numbers = reader->at;
    struct str expected = {0};
    const size_t count = count_of_values(value);
    bool fits = count > 0 && count <= max;
    str_addf(&expected, "1 to %zu numbers from %d to %d", max, least, most);
    numbers->count = 0;
    for (size_t i = 0; fits && i < count; i++) {
        const int64_t number = json_i64(value_at(value, i), (int64_t)least - 1);
        fits = number >= least && number <= most;
        if (fits)
            numbers->items[numbers->count++] = (int)number;
    }
    if (!fits)
        field_reader_invalid(reader, path, "invalid value", str_text(&expected), value);
    str_done(&expected);
}

static void read_exit(struct field_reader *reader, const struct json_pointer *path,
                      const struct json *value)
{
    read_numbers(reader, path, value, 0, 255, RULE_EXITS_MAX);
}

static void read_signal(struct field_reader *reader, const struct json_pointer *path,
                        const struct json *value)
{
    read_numbers(reader, path, value, 1, 64, RULE_SIGNALS_MAX);
}

static void read_launchers(struct field_reader *reader, const struct json_pointer *path,
                           const struct json *value)
{
    struct rule_launchers *launchers = reader->at;
    const size_t count = count_of_values(value);
    bool fits = count > 0 && count <= RULE_LAUNCHERS_MAX;
    launchers->count = 0;
    for (size_t i = 0; fits && i < count; i++) {
        const char *name = json_text(value_at(value, i), "");
        fits = name[0] != '\0' && name[0] != ' ' && strlen(name) < RULE_LAUNCHER_MAX;
        if (fits)
            (void)snprintf(launchers->names[launchers->count++], RULE_LAUNCHER_MAX, "%s", name);
    }
    if (!fits)
        field_reader_invalid(reader, path, "invalid value",
                             "1 to 8 programs of at most 31 bytes, such as \"srun\" or \"sbatch "
                             "--wait\"",
                             value);
}
static_assert(RULE_LAUNCHERS_MAX == 8 && RULE_LAUNCHER_MAX == 32, "as in the message");

static void read_form(struct field_reader *reader, const struct json_pointer *path,
                      const struct json *value)
{
    hint_form_fn **form = reader->at;
    *form = hint_form_find(json_text(value, ""));
    if (!*form)
        field_reader_invalid(reader, path, "unknown time format", "a name", value);
}

static const char *class_word(int class)
{
    return verdict_class_name((enum verdict_class) class);
}

static const char *type_word(int type)
{
    return transient_type_name((enum transient_type)type);
}

static const char *reason_word(int reason)
{
    return reason_name((enum reason)reason);
}

static const char *stream_word(int stream)
{
    static const char *const words[] = {
        [RULE_STREAM_ANY] = "any",
        [RULE_STREAM_ERR] = "stderr",
        [RULE_STREAM_OUT] = "stdout",
        [RULE_STREAM_QUIET] = "quiet",
    };
    static_assert(ARRAY_LEN(words) == RULE_STREAM_COUNT, "every choice has a name");
    return words[stream];
}

static const char *rank_word(int rank)
{
    static const char *const words[] = {
        [RULE_RANK_SYMPTOM] = "symptom", [RULE_RANK_PLAIN] = "plain", [RULE_RANK_CAUSE] = "cause"};
    static_assert(ARRAY_LEN(words) == RULE_RANK_COUNT, "every rank has a name");
    return words[rank];
}

static const char *kind_word(int kind)
{
    static const char *const words[] = {"", [RULE_KIND_RUN] = "run", [RULE_KIND_AGENT] = "agent"};
    static_assert(ARRAY_LEN(words) == RULE_KIND_COUNT, "every kind has a name");
    return words[kind];
}

#define AT(member) offsetof(struct rule, member)
static const struct field fact_rows[] = {
    {"exit", FIELD_OTHER, AT(exits), .read = read_exit, .values = "number or list",
     .means = "the exit code, or a list of possible codes"},
    {"signal", FIELD_OTHER, AT(signals), .read = read_signal, .values = "number or list",
     .means = "the signal that killed the command, or a list of possible signals"},
    {"kind", FIELD_WORD, AT(kind), RULE_KIND_RUN, RULE_KIND_COUNT, .word = kind_word,
     .means = "the kind of step"},
    {"program", FIELD_CHARS, AT(program), 0, RULE_PROGRAM_MAX - 1, .values = "text",
     .means = "the step's program, or its agent"},
    {"launcher", FIELD_OTHER, AT(launchers), .read = read_launchers, .values = "text or list",
     .means = "a program that the command starts, or a list of possible programs; also found after "
              "`env`, `timeout` or `sh -c`; an option may follow: `sbatch --wait`"},
};
const struct fields rule_fact_fields = FIELDS(fact_rows);

static const struct field rule_rows[] = {
    {"name", FIELD_CHARS, AT(id), 1, VERDICT_RULE_MAX - 1, .values = "text",
     .means = "the rule's id; a rule with the id of a built-in rule replaces it; a rule with a new "
              "id comes before all built-in rules"},
    {"id", FIELD_CHARS, AT(id), 1, VERDICT_RULE_MAX - 1, .values = "text",
     .means = "the same as `name`"},
    {"verdict", FIELD_WORD, AT(class), VERDICT_TRANSIENT, VERDICT_CLASS_COUNT, .word = class_word,
     .means = "the class: `transient` needs a `type`, `persistent` may have a `reason`",
     .see = "; required"},
    {"class", FIELD_WORD, AT(class), VERDICT_TRANSIENT, VERDICT_CLASS_COUNT, .word = class_word,
     .means = "the same as `verdict`"},
    {"type", FIELD_WORD, AT(type), TRANSIENT_NONE + 1, TRANSIENT_TYPE_COUNT, .word = type_word,
     .values = "word", .means = "the type of a transient failure",
     .see = ": [one of seven](#transient-types)"},
    {"reason", FIELD_WORD, AT(reason), REASON_NONE + 1, REASON_COUNT, .word = reason_word,
     .own_shape = true, .values = "word", .means = "the reason for a persistent failure",
     .see = ": [one of these](#persistent-reasons)"},
    {"pattern", FIELD_OTHER, AT(pattern), .read = read_pattern, .values = "text",
     .means = "a regular expression (PCRE2) for one line, at most 1,024 bytes"},
    {"need", FIELD_LIST, AT(words), 0, USER_NEEDS_MAX, .own_shape = true,
     .means = "words of at least 3 bytes; only lines that contain one of these words are tried; "
              "default: all lines"},
    {"unless", FIELD_OTHER, AT(unless), .read = read_pattern, .values = "text",
     .means = "a pattern that the line must not match"},
    {"stream", FIELD_WORD, AT(stream), .most = RULE_STREAM_COUNT, .word = stream_word,
     .means = "which output to read; `quiet`: stderr, and stdout only if stderr contains no error"},
    {"only_if", FIELD_OBJECT, .members = &rule_fact_fields, .ref = "ruleFacts",
     .means = "facts that must hold", .see = "; see the next table"},
    {"on_success", FIELD_BOOL, AT(on_success),
     .means = "`true`: the rule also applies after exit 0; if it matches, the attempt has failed",
     .see = "; see [below](#when-exit-0-proves-nothing)"},
    {"retry_after", FIELD_INT, AT(retry_group), 0, RULE_SPANS - 1,
     .means = "number of the capturing group that contains a time and its unit"},
    {"subtype", FIELD_CHARS, AT(subtype), 0, VERDICT_SUBTYPE_MAX - 1, .values = "text",
     .means = "a free-form word for the kind of failure"},
    {"ask", FIELD_BOOL, AT(ask), .means = "`true`: only a person can help"},
    {"why", FIELD_OTHER, .values = "text", .means = "why the rule exists, for people"},
    {"off", FIELD_BOOL, AT(off), .means = "`true`: disables the built-in rule with this name"},
};
const struct fields rule_fields = FIELDS(rule_rows);

#define ROW(name, kind, member) .key = (name), .type = (kind), .offset = AT(member)
static const struct field set_rows[] = {
    {.key = "section", .type = FIELD_OTHER},
    {ROW("need", FIELD_LIST, words), .least = 0, .most = RULE_NEEDS_MAX},
    {ROW("unless_text", FIELD_OTHER, unless_text), .read = read_pattern},
    {ROW("after", FIELD_OTHER, after), .read = read_pattern},
    {ROW("tail", FIELD_INT, tail), .least = 0, .most = INT_MAX},
    {ROW("quoted", FIELD_BOOL, quoted)},
    {ROW("direct", FIELD_BOOL, direct)},
    {ROW("final", FIELD_BOOL, final)},
    {ROW("late", FIELD_BOOL, late)},
    {ROW("over", FIELD_BOOL, over)},
    {ROW("waits", FIELD_BOOL, waits)},
    {ROW("memory", FIELD_BOOL, memory)},
    {ROW("user", FIELD_BOOL, user)},
    {ROW("rank", FIELD_WORD, rank), .most = RULE_RANK_COUNT, .word = rank_word},
    {ROW("form", FIELD_OTHER, form), .read = read_form},
    {ROW("unit_ms", FIELD_I64, unit_ms), .least = 1, .most = HINT_MAX_MS},
    {ROW("most", FIELD_BOOL, most)},
    {ROW("decides", FIELD_BOOL, decides)},
};
static const struct fields set_fields = {
    .rows = set_rows, .count = ARRAY_LEN(set_rows), .also = {&rule_fields, &rule_fact_fields}};
#undef ROW
#undef AT

static void complain(struct field_reader *reader, const char *key, const char *message)
{
    static const struct json_pointer rule = {0};
    const struct json_pointer place = {.up = &rule, .key = key};
    field_reader_add(reader, VIOLATION_INVALID_VALUE, key ? &place : &rule, message, NULL, NULL);
}

/* Reports members that contradict each other. */
static void check_members(struct field_reader *reader, const struct rule *rule)
{
    const bool is_transient = rule->class == VERDICT_TRANSIENT;
    const int groups = rule->pattern ? rule_pattern_groups(rule->pattern) : 0;
    const char *group = strchr(rule->subtype, '$');
    struct str message = {0};
    if (is_transient && (rule->type == TRANSIENT_NONE || rule->reason != REASON_NONE))
        complain(reader, NULL,
                 "a transient rule needs one of the seven types, and must not have a reason");
    if (!is_transient && rule->type != TRANSIENT_NONE)
        complain(reader, "type", "a persistent rule must not have a type");
    /* A subtype may end in "$1", the group that matched; nothing may follow it. */
    if (group && strcmp(group, "$1") != 0)
        complain(reader, "subtype", "'$' is allowed only in '$1' at the end");
    str_addf(&message, "retry_after is group %d, but the pattern has only %d", rule->retry_group,
             groups);
    if (rule->retry_group > groups)
        complain(reader, "retry_after", str_text(&message));
    str_done(&message);
    for (size_t i = 0; rule->words && rule->words[i]; i++) {
        if (rule->words[i][0] == '\0' || strchr(rule->words[i], '\n'))
            complain(reader, "need", "need must be a list of words");
    }
}

/* Reports errors of a verdict rule. The set in an older log may have words that are too short,
 * which only add_needs() sees. */
static void check_verdict_rule(struct field_reader *reader, const struct rule *rule, bool is_of_set)
{
    for (size_t i = 0; !is_of_set && rule->words && rule->words[i]; i++) {
        if (strlen(rule->words[i]) < LITERAL_KEY)
            complain(reader, "need", "each word of need must have at least 3 bytes");
    }
    /* A built-in pattern without a literal would have to be tried on every line. */
    if (rule->pattern && !rule->words && !rule->user)
        complain(reader, "pattern", "a pattern needs a literal");
    if (!rule->pattern && rule->exits.count == 0 && rule->signals.count == 0)
        complain(reader, NULL, "no pattern, exit code or signal");
    if (!rule->on_success)
        return;
    /* A program that succeeded can be recognized only by its exit code. */
    bool has_zero = rule->exits.count == 0 && rule->signals.count == 0;
    for (int i = 0; i < rule->exits.count; i++)
        has_zero = has_zero || rule->exits.items[i] == 0;
    if (!rule->pattern)
        complain(reader, "on_success", "on_success needs a pattern");
    else if (!has_zero)
        complain(reader, "on_success", "on_success needs exit 0 among its exit codes");
}

static void rule_done(struct rule *rule)
{
    rule_pattern_close(rule->pattern);
    rule_pattern_close(rule->after);
    rule_pattern_close(rule->unless);
    rule_pattern_close(rule->unless_text);
    text_list_free(rule->words);
}

/* Reads the rule and adds its errors to `wrong`. The caller calls rule_done(). */
static void read_rule(struct rule *rule, const struct json *json, const struct fields *fields,
                      bool is_guard, struct violations *wrong)
{
    static const struct json_pointer path = {0};
    struct field_reader reader = {.violations = wrong};
    *rule = (struct rule){.class = VERDICT_PERSISTENT,
                          .stream = RULE_STREAM_COUNT,
                          .rank = RULE_RANK_COUNT,
                          .form = hint_form_find("duration"),
                          .unit_ms = 1000,
                          .user = fields == &rule_fields};
    fields_read(&reader, &path, json, fields, rule);
    if (rule->stream == RULE_STREAM_COUNT)
        rule->stream = rule->class == VERDICT_TRANSIENT ? RULE_STREAM_QUIET : RULE_STREAM_ANY;
    /* A user rule counts as a cause, and nothing later outranks it. */
    if (rule->rank == RULE_RANK_COUNT)
        rule->rank = rule->user ? RULE_RANK_CAUSE : RULE_RANK_PLAIN;
    rule->final = rule->final || rule->user;
    if (rule->id[0] == '\0')
        complain(&reader, NULL, "name is missing");
    if (wrong->count == 0)
        check_members(&reader, rule);
    if (wrong->count == 0 && is_guard && !rule->pattern)
        complain(&reader, NULL, "no pattern");
    if (wrong->count == 0 && !is_guard)
        check_verdict_rule(&reader, rule, fields != &rule_fields);
}

void rule_check(const struct json *json, struct violations *wrong)
{
    struct rule rule;
    struct field_reader reader = {.violations = wrong};
    const char *pattern = json_text(json_get(json, "pattern"), "x");
    if (!json_get(json, "verdict") && !json_get(json, "class"))
        complain(&reader, NULL, "verdict is missing: 'transient' or 'persistent'");
    if (pattern[0] == '\0')
        complain(&reader, "pattern", "pattern is empty: it would match every line");
    if (strlen(pattern) > USER_PATTERN_MAX)
        complain(&reader, "pattern", "pattern is longer than 1024 bytes");
    static_assert(USER_PATTERN_MAX == 1024, "as in the message");
    read_rule(&rule, json, &rule_fields, false, wrong);
    rule_done(&rule);
}

bool rule_fail(size_t index, const struct json *rule, const struct violations *wrong,
               struct err *err)
{
    const struct violation *first = &wrong->items[0];
    const char *key = first->path + strspn(first->path, "/");
    struct str text = {0};
    if (strncmp(first->message, key, strlen(key)) != 0) {
        violation_add_visible(&text, first->path);
        str_add(&text, ": ");
    }
    violation_add_text(&text, first);
    (void)err_set(err, ERR_INVALID, "rule %zu '%s': %s", index + 1, rule_list_name(rule),
                  str_text(&text));
    str_done(&text);
    return false;
}

/* Looks up the literals for the words of a rule. */
static bool add_needs(struct rule *rule, struct literals *literals, struct err *err)
{
    bool is_on_every_line = false; /* a word is too short to be a literal */
    for (size_t i = 0; rule->words && rule->words[i]; i++) {
        if (strlen(rule->words[i]) < LITERAL_KEY) {
            is_on_every_line = true;
            continue;
        }
        const int literal = literals_add(literals, rule->words[i]);
        if (literal == LITERAL_NONE)
            return err_set(err, ERR_LIMIT, "too many literals, or a literal longer than %d bytes",
                           LITERAL_MAX);
        rule->needs[rule->need_count++] = literal;
    }
    if (is_on_every_line)
        rule->need_count = 0;
    return true;
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
        struct violations wrong = {0};
        read_rule(rule, json_at(json, i), &set_fields, guards, &wrong);
        const bool ok = wrong.count == 0 || rule_fail(i, json_at(json, i), &wrong, err);
        violations_done(&wrong);
        if (!ok || !add_needs(rule, &rules->literals, err))
            return false;
    }
    return !guards || list->count <= RULE_GUARDS_MAX ||
           err_set(err, ERR_LIMIT, "more than %d guards", RULE_GUARDS_MAX);
}

/* Numbers the rules of all lists, and records which literals each rule needs. */
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
        rules->for_signals = rules->for_signals || rule->signals.count > 0;
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
    for (size_t i = 0; i < list->count; i++)
        rule_done(&list->items[i]);
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
    for (int i = 0; i < rules->literals.count; i++)
        free(rules->literals.items[i].bytes);
    free(rules->literals.items);
    free(rules->guard_bits);
    free(rules->always);
    free(rules->needs);
    free(rules->first_need);
    free(rules);
}
