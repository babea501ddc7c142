/* classify_scan.c - matches the rules against both streams of an attempt.
 *
 * A rule is tried on the lines with one of its literals, the last one first. The work is bounded
 * (SCAN_WORK_MAX): the more has been spent, the nearer to the end a line must be. A line that only
 * quotes an error, as in source code or an old log, does not count. Near misses are kept to explain
 * a verdict. The first part finds out whether a command starts a given program, possibly through
 * wrappers and shells. */
#include "classify_internal.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "attr.h"
#include "text.h"
#include "xalloc.h"

/* Lines that may match, last one first, each line once: lines with a literal of the rule, or all
 * lines if the rule has no literal. */
struct candidates {
    const struct scan_stream *stream;
    int32_t hits[RULE_NEEDS_MAX]; /* the next hit of each literal; SCAN_NO_HIT at the end */
    int hit_count;
    size_t before; /* for a rule without literals: the next candidate is before this line */
    int left;      /* tries left */
    bool all;
};

/* Programs that run the command in their arguments. */
static const struct {
    const char *name;
    const char *valued; /* short options whose value is the next word */
    int operands;       /* number of operands before the command */
} wrappers[] = {
    {"env", "uC", 0},    {"timeout", "ks", 1}, {"nice", "n", 0},     {"ionice", "cn", 0},
    {"nohup", "", 0},    {"setsid", "", 0},    {"stdbuf", "ioe", 0}, {"time", "fo", 0},
    {"sudo", "ugCD", 0}, {"exec", "a", 0},     {"command", "", 0},   {"xargs", "ILnPsd", 0},
};

static const char *const shells[] = {"sh", "bash", "dash", "zsh", "ksh"};

/* Words that may precede a command in a script. */
static const char *const openers[] = {"if",    "then", "else", "elif", "while",
                                      "until", "do",   "!",    "{",    "("};

static bool find_at_depth(char *const *argv, const char *wanted, int depth);

static bool is_assignment(const char *word)
{
    const size_t name =
        strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
    return name > 0 && word[name] == '=';
}

/* Skips the wrapper's own options and operands. */
static char *const *skip_wrapper(char *const *argv, size_t wrapper)
{
    int operands = wrappers[wrapper].operands;
    for (argv++; *argv; argv++) {
        const char *word = *argv;
        if (strcmp(word, "--") == 0)
            continue;
        if (word[0] == '-') {
            const bool takes_next =
                word[1] != '\0' && word[2] == '\0' && strchr(wrappers[wrapper].valued, word[1]);
            argv += takes_next && argv[1] ? 1 : 0;
        } else if (!is_assignment(word) && operands-- <= 0) {
            break;
        }
    }
    return argv;
}

/* Returns the script after -c, including in `bash -lc`; NULL for a shell that reads a file. */
static const char *script_of(char *const *argv)
{
    for (argv++; *argv && (*argv)[0] == '-'; argv++) {
        if ((*argv)[1] != '-' && strchr(*argv, 'c'))
            return argv[1];
    }
    return NULL;
}

/* Returns the word at *at, removing its quotes in place; *at then points to the separator after the
 * word. */
static char *take_word(char **at)
{
    char *word = *at;
    char *out = word;
    char *in = word;
    while (*in != '\0' && !strchr(" \t\r\n;&|()", *in)) {
        if (*in == '\'' || *in == '"') {
            const char quote = *in++;
            while (*in != '\0' && *in != quote) {
                in += quote == '"' && *in == '\\' && in[1] != '\0' ? 1 : 0;
                *out++ = *in++;
            }
            in += *in != '\0' ? 1 : 0;
        } else {
            in += *in == '\\' && in[1] != '\0' ? 1 : 0;
            *out++ = *in++;
        }
    }
    if (out < in)
        *out = '\0';
    *at = in;
    return word;
}

struct script {
    char *words[LAUNCHED_WORDS_MAX + 1];
    int count;
    const char *wanted;
    int depth;
    bool found;
};

static void end_command(struct script *script)
{
    script->words[script->count] = NULL;
    if (script->count > 0 && !script->found)
        script->found = find_at_depth(script->words, script->wanted, script->depth);
    script->count = 0;
}

static bool find_in_script(const char *text, const char *wanted, int depth)
{
    struct script script = {.wanted = wanted, .depth = depth};
    char *copy = xstrndup(text, LAUNCHED_SCRIPT_MAX);
    for (char *at = copy; *at != '\0' && !script.found;) {
        if (*at == '#' && (at == copy || strchr(" \t\n;", at[-1]))) {
            at += strcspn(at, "\n");
        } else if (strchr(" \t\r", *at)) {
            *at++ = '\0';
        } else if (strchr("\n;&|()", *at)) {
            *at++ = '\0';
            end_command(&script);
        } else {
            char *word = take_word(&at);
            const char separator = *at;
            *at = '\0';
            const bool begins = script.count == 0;
            const bool precedes =
                begins && (is_assignment(word) || text_is_in(openers, ARRAY_LEN(openers), word));
            if (!precedes && script.count < LAUNCHED_WORDS_MAX)
                script.words[script.count++] = word;
            *at = separator; /* the separator has not been read yet */
        }
    }
    end_command(&script);
    free(copy);
    return script.found;
}

/* Checks whether argv is `wanted`: "NAME" or "NAME OPTION". */
static bool is_wanted(char *const *argv, const char *wanted)
{
    const char *program = adapter_program_of(argv[0]);
    const size_t len = strcspn(wanted, " ");
    if (strlen(program) != len || strncmp(program, wanted, len) != 0)
        return false;
    if (wanted[len] == '\0')
        return true;
    for (int i = 1; argv[i]; i++) {
        if (strcmp(argv[i], wanted + len + 1) == 0)
            return true;
    }
    return false;
}

static bool find_at_depth(char *const *argv, const char *wanted, int depth)
{
    while (argv[0]) {
        const char *program = adapter_program_of(argv[0]);
        size_t wrapper = 0;
        if (is_wanted(argv, wanted))
            return true;
        if (text_is_in(shells, ARRAY_LEN(shells), program)) {
            const char *script = script_of(argv);
            return script && depth < LAUNCHED_DEPTH_MAX &&
                   find_in_script(script, wanted, depth + 1);
        }
        while (wrapper < ARRAY_LEN(wrappers) && strcmp(wrappers[wrapper].name, program) != 0)
            wrapper++;
        if (wrapper == ARRAY_LEN(wrappers))
            return false;
        argv = skip_wrapper(argv, wrapper);
    }
    return false;
}

bool launched_find(char *const *argv, const char *wanted, bool direct)
{
    return argv && find_at_depth(argv, wanted, direct ? LAUNCHED_DEPTH_MAX : 0);
}

bool launched_merges(char *const *argv)
{
    for (; argv && *argv; argv++) {
        if (strstr(*argv, "2>&1") || strstr(*argv, "&>") || strstr(*argv, "|&"))
            return true;
    }
    return false;
}

/* Finds the candidates in a stream. Returns false if there are none. */
static bool candidates_find(const struct scan *scan, int index, const struct rule *rule,
                            struct candidates *out)
{
    out->stream = &scan->streams[index];
    out->all = rule->need_count == 0;
    out->before = out->stream->text.count;
    out->hit_count = 0;
    for (int i = 0; i < rule->need_count; i++) {
        const int32_t hit = out->stream->latest[rule->needs[i]];
        if (hit != SCAN_NO_HIT)
            out->hits[out->hit_count++] = hit;
    }
    /* The more work has been done, the nearer to the end of the text a line must be. */
    out->left = SCAN_TRIES_MAX;
    if (scan->work > SCAN_WORK_MAX / 2)
        out->left = SCAN_TRIES_MAX / 32;
    else if (scan->work > SCAN_WORK_MAX / 4)
        out->left = SCAN_TRIES_MAX / 8;
    return out->all || out->hit_count > 0;
}

/* Finds the next candidate. Returns false after the last one, or when the tries are used up. */
static bool candidates_next(struct candidates *candidates, size_t *line_out)
{
    const struct scan_hit *hits = candidates->stream->hits;
    bool any = false;
    if (candidates->left-- <= 0)
        return false;
    if (candidates->all) {
        if (candidates->before == 0)
            return false;
        *line_out = --candidates->before;
        return true;
    }
    for (int i = 0; i < candidates->hit_count; i++) {
        const int32_t hit = candidates->hits[i];
        if (hit != SCAN_NO_HIT && (!any || hits[hit].line > *line_out)) {
            *line_out = hits[hit].line;
            any = true;
        }
    }
    for (int i = 0; any && i < candidates->hit_count; i++) {
        const int32_t hit = candidates->hits[i];
        if (hit != SCAN_NO_HIT && hits[hit].line == *line_out)
            candidates->hits[i] = hits[hit].older;
    }
    return any;
}

enum { OUT = 0, ERR = 1 };

/* How informative each kind of near miss is. A quoted match is the most informative, a word without
 * the rest of the pattern the least. */
static const int near_weight[] = {
    [NEAR_QUOTED] = 4, [NEAR_UNLESS] = 3, [NEAR_OUTRANKED] = 2, [NEAR_EXIT] = 1, [NEAR_PATTERN] = 0,
};
static_assert(ARRAY_LEN(near_weight) == NEAR_WHY_COUNT, "every near miss has a weight");

int scan_near_weight(enum near_why why)
{
    assert(why < NEAR_WHY_COUNT);
    return near_weight[why];
}

static void note_hit(void *ctx, int literal)
{
    struct scan_stream *stream = ctx;
    const struct rules *rules = stream->rules;
    stream->text.lines[stream->line].guards |= rules->guard_bits[literal];
    const int32_t older = stream->latest[literal];
    if (older != SCAN_NO_HIT && stream->hits[older].line == stream->line)
        return;
    if (older == SCAN_NO_HIT) {
        for (int32_t i = rules->first_need[literal]; i > 0; i = rules->needs[i].next)
            stream->may_match[rules->needs[i].rule] = true;
    }
    stream->hits =
        xgrow(stream->hits, &stream->hit_cap, stream->hit_count + 1, sizeof(*stream->hits));
    stream->hits[stream->hit_count] = (struct scan_hit){.line = stream->line, .older = older};
    stream->latest[literal] = (int32_t)stream->hit_count;
    stream->hit_count++;
}

static void fill_stream(struct scan_stream *stream, const struct rules *rules, bool *may_match,
                        const struct classify_text *raw)
{
    clean_text_init(&stream->text, raw);
    stream->rules = rules;
    stream->may_match = may_match;
    stream->latest = xcalloc((size_t)rules->literals.count, sizeof(*stream->latest));
    for (int i = 0; i < rules->literals.count; i++)
        stream->latest[i] = SCAN_NO_HIT;
    for (size_t i = 0; i < stream->text.count; i++) {
        const struct clean_line *line = &stream->text.lines[i];
        stream->line = (uint32_t)i;
        literals_scan(&rules->literals, stream->text.bytes + line->start, line->len, note_hit,
                      stream);
    }
}

void scan_init(struct scan *scan, const struct rules *rules, const struct classify_input *input)
{
    *scan =
        (struct scan){.rules = rules, .input = input, .err_names_error = -1, .keeps_nears = true};
    scan->matcher = rule_matcher_new();
    scan->may_match = xcalloc(rules->count + 1, sizeof(*scan->may_match));
    memcpy(scan->may_match, rules->always, rules->count * sizeof(*scan->may_match));
    fill_stream(&scan->streams[OUT], rules, scan->may_match, &input->out);
    fill_stream(&scan->streams[ERR], rules, scan->may_match, &input->err);
}

void scan_restart(struct scan *scan)
{
    scan->err_names_error = -1;
    scan->work = 0;
    scan->near_count = 0;
    scan->keeps_nears = true;
}

void scan_done(struct scan *scan)
{
    for (int i = 0; i < SCAN_STREAMS; i++) {
        clean_text_done(&scan->streams[i].text);
        free(scan->streams[i].hits);
        free(scan->streams[i].latest);
    }
    free(scan->may_match);
    rule_matcher_free(scan->matcher);
}

static bool may_match(const struct scan *scan, const struct rule_list *list, size_t index)
{
    return scan->may_match[list->first + index];
}

static bool is_spent(const struct scan *scan)
{
    return scan->work > SCAN_WORK_MAX;
}

/* Returns the line as a pattern sees it, at most `most` bytes. */
static struct rule_subject subject_of(const struct clean_text *text, size_t index, size_t most)
{
    const struct clean_line *line = &text->lines[index];
    const bool whole = line->len <= most;
    return (struct rule_subject){
        .bytes = text->bytes + line->start,
        .len = whole ? line->len : most,
        .begins = !line->continues,
        .ends = whole && (index + 1 == text->count || !text->lines[index + 1].continues),
    };
}

static enum rule_match match_subject(struct scan *scan, const struct rule_subject *subject,
                                     const struct rule_pattern *pattern,
                                     struct rule_span spans[RULE_SPANS])
{
    scan->work += (int64_t)subject->len + SCAN_WORK_OF_TRY;
    if (is_spent(scan))
        return RULE_MATCH_LIMITED;
    return rule_pattern_match(pattern, scan->matcher, subject, spans);
}

static bool line_matches(struct scan *scan, int stream, size_t index,
                         const struct rule_pattern *pattern)
{
    const struct rule_subject subject =
        subject_of(&scan->streams[stream].text, index, CLEAN_PART_MAX);
    return match_subject(scan, &subject, pattern, NULL) == RULE_MATCH_YES;
}

/* Keeps the weightiest near miss of each rule. */
static void note_miss(struct scan *scan, const struct scan_match *match, enum near_why why)
{
    /* A word without the rest of the pattern matters only if the rule could have made the failure
     * transient: "error" alone is near every rule for compilers. */
    const bool tells_nothing = why == NEAR_PATTERN && match->rule->class != VERDICT_TRANSIENT;
    if (!scan->keeps_nears || tells_nothing)
        return;
    struct scan_near *place = NULL;
    for (int i = 0; i < scan->near_count && !place; i++) {
        if (scan->nears[i].rule == match->rule)
            place = &scan->nears[i];
    }
    if (place && near_weight[why] <= near_weight[place->why])
        return;
    if (!place && scan->near_count < SCAN_NEAR_MAX)
        place = &scan->nears[scan->near_count++];
    for (int i = 0; i < SCAN_NEAR_MAX && !place; i++) {
        if (near_weight[scan->nears[i].why] < near_weight[why])
            place = &scan->nears[i];
    }
    if (place)
        *place = (struct scan_near){
            .rule = match->rule, .why = why, .stream = match->stream, .line = match->line};
}

/* Source code, a diff, an old log, or expected test output is quoted: it is not what the program
 * says about its own end. */
bool scan_is_spoken(struct scan *scan, int stream, size_t index)
{
    struct clean_line *line = &scan->streams[stream].text.lines[index];
    if (scan->trusts)
        return true;
    if (line->state != CLEAN_LINE_UNKNOWN)
        return line->state == CLEAN_LINE_SPOKEN;
    size_t first = index; /* a part of a long line is judged by the beginning of the line */
    while (first > 0 && scan->streams[stream].text.lines[first].continues)
        first--;
    if (first < index) {
        const bool spoken = scan_is_spoken(scan, stream, first);
        line->state = spoken ? CLEAN_LINE_SPOKEN : CLEAN_LINE_QUOTED;
        return spoken;
    }

    line->state = CLEAN_LINE_SPOKEN;
    const struct rule_list *guards = &scan->rules->guards;
    for (size_t i = 0; i < guards->count && line->state == CLEAN_LINE_SPOKEN; i++) {
        const struct rule *guard = &guards->items[i];
        if (guard->need_count > 0 && (line->guards & UINT64_C(1) << i) == 0)
            continue;
        if (line_matches(scan, stream, index, guard->pattern) &&
            !(guard->unless && line_matches(scan, stream, index, guard->unless)))
            line->state = CLEAN_LINE_QUOTED;
    }
    return line->state == CLEAN_LINE_SPOKEN;
}

static int64_t number_at(const struct scan *scan, const struct scan_match *match, int group)
{
    const struct clean_text *text = &scan->streams[match->stream].text;
    const char *line = text->bytes + text->lines[match->line].start;
    int64_t value = 0;
    for (size_t i = match->spans[group].start; i < match->spans[group].end; i++)
        value = value * 10 + (line[i] - '0');
    return value;
}

static bool try_line(struct scan *scan, const struct rule *rule, struct scan_match *match)
{
    const size_t len = scan->streams[match->stream].text.lines[match->line].len;
    if (len > SCAN_LONG_LINE && !rule->quoted &&
        !scan_is_spoken(scan, match->stream, match->line)) {
        note_miss(scan, match,
                  NEAR_PATTERN); /* does not try the pattern: a quoted match would not count */
        return false;
    }
    /* Only user rules lack literals; they see just the beginning of a long line. */
    const struct rule_subject subject =
        subject_of(&scan->streams[match->stream].text, match->line,
                   rule->need_count > 0 ? CLEAN_PART_MAX : SCAN_UNPICKED_MAX);
    const enum rule_match found = match_subject(scan, &subject, rule->pattern, match->spans);
    /* Conditions that a pattern alone cannot express. */
    bool matches = found == RULE_MATCH_YES;
    if (matches && rule->over)
        matches = number_at(scan, match, 2) > number_at(scan, match, 1);
    if (matches && rule->after)
        matches =
            match->line > 0 && line_matches(scan, match->stream, match->line - 1, rule->after);
    if (!matches) {
        if (rule->need_count > 0 || found == RULE_MATCH_LIMITED)
            note_miss(scan, match, NEAR_PATTERN);
        return false;
    }
    if (rule->unless && line_matches(scan, match->stream, match->line, rule->unless)) {
        note_miss(scan, match, NEAR_UNLESS);
        return false;
    }
    if (!rule->quoted && !scan_is_spoken(scan, match->stream, match->line)) {
        note_miss(scan, match, NEAR_QUOTED);
        return false;
    }
    return !is_spent(scan); /* the last test may have been cut short */
}

/* Finds the last matching line of one stream, at or after line `first`. */
static bool try_stream(struct scan *scan, const struct rule *rule, int index, size_t first,
                       struct scan_match *out)
{
    struct candidates candidates;
    struct scan_match match = {.rule = rule, .stream = index};
    if (!candidates_find(scan, index, rule, &candidates))
        return false;
    while (candidates_next(&candidates, &match.line) && match.line >= first) {
        if (try_line(scan, rule, &match)) {
            *out = match;
            return true;
        }
    }
    return false;
}

static bool text_holds(struct scan *scan, int stream, const struct rule_pattern *pattern)
{
    const struct clean_text *text = &scan->streams[stream].text;
    const struct rule_subject subject = {
        .bytes = text->bytes, .len = text->len, .begins = true, .ends = true};
    scan->work += (int64_t)text->len;
    return rule_pattern_match(pattern, scan->matcher, &subject, NULL) == RULE_MATCH_YES;
}

static bool any_text_holds(struct scan *scan, const struct rule_pattern *pattern)
{
    return text_holds(scan, OUT, pattern) || text_holds(scan, ERR, pattern);
}

static bool is_one_of(const struct rule_numbers *numbers, int number)
{
    for (int i = 0; i < numbers->count; i++) {
        if (numbers->items[i] == number)
            return true;
    }
    return false;
}

static bool is_success(const struct classify_input *input)
{
    return input->outcome.kind == OUTCOME_EXIT && input->outcome.code == 0;
}

static bool facts_fit(const struct classify_input *input, const struct rule *rule)
{
    const struct outcome *outcome = &input->outcome;
    if (is_success(input) && !rule->on_success)
        return false;
    if (rule->memory && input->memory_killed == 0)
        return false;
    if (rule->program[0] != '\0' &&
        !(input->program && strcmp(rule->program, input->program) == 0) &&
        !(input->agent && strcmp(rule->program, adapter_name(input->agent)) == 0))
        return false;
    if (rule->kind != RULE_KIND_ANY && (rule->kind == RULE_KIND_AGENT) != (input->agent != NULL))
        return false;
    if (outcome->kind == OUTCOME_SIGNAL)
        return is_one_of(&rule->signals, outcome->code);
    const bool any = rule->exits.count == 0 && rule->signals.count == 0;
    if (!any && !is_one_of(&rule->exits, outcome->code))
        return false;
    bool is_launched = rule->launchers.count == 0;
    for (int i = 0; i < rule->launchers.count && !is_launched; i++)
        is_launched = launched_find(input->argv, rule->launchers.names[i], rule->direct);
    return is_launched;
}

bool scan_may_deny(const struct rules *rules, const struct classify_input *input)
{
    if (!rules->for_successes)
        return false;
    for (size_t i = 0; i < rules->verdicts.count; i++) {
        if (facts_fit(input, &rules->verdicts.items[i]))
            return true;
    }
    return false;
}

static bool may_look_at(struct scan *scan, const struct rule *rule, int stream)
{
    if (stream == ERR)
        return rule->stream != RULE_STREAM_OUT;
    if (rule->stream == RULE_STREAM_QUIET)
        return !scan_err_names_error(scan);
    if (rule->stream == RULE_STREAM_ERR && rule->launchers.count > 0)
        return launched_merges(scan->input->argv);
    return rule->stream != RULE_STREAM_ERR;
}

static size_t first_line(const struct scan *scan, const struct rule *rule, int stream)
{
    return rule->tail > 0 ? clean_text_tail(&scan->streams[stream].text, rule->tail) : 0;
}

/* Handles a rule that does not apply to this end: notes whether its text would have matched. */
static void note_unfit(struct scan *scan, const struct rule *rule)
{
    struct scan_match match;
    if (!scan->keeps_nears || !rule->pattern || rule->need_count == 0)
        return;
    for (int stream = ERR; stream >= OUT; stream--) {
        if (try_stream(scan, rule, stream, first_line(scan, rule, stream), &match)) {
            note_miss(scan, &match, NEAR_EXIT);
            return;
        }
    }
}

/* Returns true if the rule matches. The last matching line is the evidence. */
static bool rule_holds(struct scan *scan, const struct rule *rule, struct scan_match *out)
{
    if (!facts_fit(scan->input, rule)) {
        if (!is_success(scan->input))
            note_unfit(scan, rule);
        return false;
    }
    if (!rule->pattern) {
        *out = (struct scan_match){.rule = rule, .stream = -1};
        return true;
    }
    for (int stream = ERR; stream >= OUT; stream--) {
        if (try_stream(scan, rule, stream, first_line(scan, rule, stream), out) &&
            may_look_at(scan, rule, stream))
            return !rule->unless_text || !any_text_holds(scan, rule->unless_text);
    }
    return false;
}

void scan_each(struct scan *scan, const struct rule *rule, scan_each_fn *each, void *ctx)
{
    struct candidates candidates;
    for (int stream = ERR; stream >= OUT; stream--) {
        struct scan_match match = {.rule = rule, .stream = stream};
        if (!candidates_find(scan, stream, rule, &candidates) || !may_look_at(scan, rule, stream))
            continue;
        while (candidates_next(&candidates, &match.line)) {
            if (try_line(scan, rule, &match) && !each(ctx, scan, &match))
                return;
        }
    }
}

bool scan_first(struct scan *scan, const struct rule_list *list, struct scan_match *out)
{
    for (size_t i = 0; i < list->count; i++) {
        if (may_match(scan, list, i) && rule_holds(scan, &list->items[i], out))
            return true;
    }
    return false;
}

static bool rule_outranks(struct scan *scan, const struct rule *rule,
                          const struct scan_match *symptom, struct scan_match *out)
{
    if (rule->rank == RULE_RANK_CAUSE) {
        const size_t first = symptom->line > SCAN_NEAR_LINES ? symptom->line - SCAN_NEAR_LINES : 0;
        const int other = symptom->stream == ERR ? OUT : ERR;
        return try_stream(scan, rule, symptom->stream, first, out) ||
               (may_look_at(scan, rule, other) &&
                try_stream(scan, rule, other,
                           clean_text_tail(&scan->streams[other].text, SCAN_NEAR_LINES), out));
    }
    return rule->class == VERDICT_TRANSIENT &&
           try_stream(scan, rule, symptom->stream, symptom->line, out) &&
           out->line == symptom->line;
}

bool scan_cause(struct scan *scan, const struct scan_match *symptom, struct scan_match *out)
{
    const struct rule_list *list = &scan->rules->verdicts;
    if (symptom->stream < 0 || symptom->rule->rank != RULE_RANK_SYMPTOM)
        return false;
    for (size_t i = 0; i < list->count; i++) {
        const struct rule *rule = &list->items[i];
        if (may_match(scan, list, i) && rule > symptom->rule && rule->rank > symptom->rule->rank &&
            rule->pattern && facts_fit(scan->input, rule) &&
            rule_outranks(scan, rule, symptom, out))
            return true;
    }
    return false;
}

bool scan_later(struct scan *scan, const struct scan_match *match, struct scan_match *out)
{
    const struct rule_list *list = &scan->rules->verdicts;
    if (match->stream < 0 || match->rule->final)
        return false;
    for (size_t i = 0; i < list->count; i++) {
        const struct rule *rule = &list->items[i];
        if (may_match(scan, list, i) && rule->late && rule > match->rule &&
            facts_fit(scan->input, rule) &&
            try_stream(scan, rule, match->stream, match->line + 1, out) &&
            !(rule->unless_text && any_text_holds(scan, rule->unless_text)))
            return true;
    }
    return false;
}

void scan_outranked(struct scan *scan, const struct scan_match *decided)
{
    const struct rule_list *list = &scan->rules->verdicts;
    const int64_t most = scan->work + SCAN_WORK_OUTRANKED;
    for (size_t i = 0; i < list->count && scan->work < most; i++) {
        if (!may_match(scan, list, i))
            continue;
        const struct rule *rule = &list->items[i];
        const bool same = rule->class == decided->rule->class &&
                          rule->type == decided->rule->type &&
                          rule->reason == decided->rule->reason;
        struct scan_match match;
        if (rule > decided->rule && !same && rule->pattern && rule_holds(scan, rule, &match))
            note_miss(scan, &match, NEAR_OUTRANKED);
    }
}

/* Returns true if the stream names an error, or if the budget for matching is used up. */
static bool names_error(struct scan *scan, int stream)
{
    struct scan_match match;
    const bool keeps = scan->keeps_nears;
    bool found = false;
    scan->keeps_nears = false;
    const struct rule_list *list = &scan->rules->errors;
    for (size_t i = 0; i < list->count && !found; i++) {
        const struct rule *rule = &list->items[i];
        found = may_match(scan, list, i) && try_stream(scan, rule, stream, 0, &match) &&
                !(rule->unless_text && text_holds(scan, stream, rule->unless_text));
    }
    scan->keeps_nears = keeps;
    return found || (is_spent(scan) && scan->streams[stream].text.len > 1);
}

bool scan_err_names_error(struct scan *scan)
{
    if (scan->err_names_error < 0)
        scan->err_names_error = names_error(scan, ERR);
    return scan->err_names_error == 1;
}

bool scan_out_names_error(struct scan *scan)
{
    return names_error(scan, OUT);
}
