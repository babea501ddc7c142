/* Turns the calls of a task into the facts that the rungs judge. Remembers the results of earlier
 * calls; entropy_ending.c compares new results with them. */
#include "entropy.h"

#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "entropy_hash.h"
#include "fingerprint.h"
#include "json.h"
#include "json_repair.h"
#include "loops_internal.h"
#include "text.h"
#include "xalloc.h"

/* Reads the result of a step: gets the call first, then the normalised lines as they arrive, then
 * the end. */

enum {
    HINT_LINES = 16,   /* lines of a result that are searched for hints */
    PLACE_BYTES = 512, /* bytes of a line that are compared without source positions */
    PLACE_WORD_BYTES = 12,
    QUOTE_LINES = 8,     /* a compiler quotes source lines at most this far from the position */
    SAID_LINES = 4,      /* lines of a result whose words are kept */
    SPOKEN_LEAST = 3,    /* messages in a row before their words count as known */
    SPOKEN_PERCENT = 90, /* minimum percentage of known words in a message that says nothing new */
    FAULT_WORDS = 2,     /* words after a number that are searched for the name of a fault */
    REASON_LINES = 2,    /* maximum lines of a result that only gives a reason */
    REASON_BLANKS = 3,   /* minimum blanks between the words of a reason */
    RANK_DIGITS = 2,     /* maximum digits of the number before a search result */
    TIMES_MAX = 3,       /* times in a line that are followed */
    TIME_FIELDS = 3,
    HOUR_DIGITS = 3,
    MINUTE_SECONDS = 60,
};

void entropy_memory_open(struct entropy_memory **out, const struct entropy_limits *limits)
{
    struct entropy_memory *memory = xcalloc(1, sizeof(*memory));
    memory->limits = *limits;
    entropy_news_init(&memory->news);
    memory->calls.max = ENTROPY_CALLS_MAX;
    memory->succeeded.max = ENTROPY_CALLS_MAX;
    *out = memory;
}

static void release_memory(struct entropy_memory *memory)
{
    entropy_news_done(&memory->news);
    entropy_table_done(&memory->calls);
    entropy_table_done(&memory->succeeded);
    normaliser_words_close(memory->words);
    free(memory->known);
    free(memory->failures);
    free(memory->refusals);
    free(memory->failing);
    free(memory->delegated);
    free(memory->first);
    free(memory->last);
    free(memory->now);
}

void entropy_memory_close(struct entropy_memory *memory)
{
    if (!memory)
        return;
    release_memory(memory);
    free(memory);
}

void entropy_memory_reset(struct entropy_memory *memory)
{
    const struct entropy_limits limits = memory->limits;
    release_memory(memory);
    *memory = (struct entropy_memory){.limits = limits,
                                      .calls = {.max = ENTROPY_CALLS_MAX},
                                      .succeeded = {.max = ENTROPY_CALLS_MAX}};
    entropy_news_init(&memory->news);
}

struct known_call *entropy_tables_known(struct entropy_memory *memory, struct digest call)
{
    const long place = entropy_table_find(&memory->calls, call.lo);
    return place == ENTROPY_TABLE_NONE ? NULL : &memory->known[place];
}

struct known_call *entropy_tables_know(struct entropy_memory *memory, struct digest call)
{
    bool added = false;
    const size_t place = entropy_table_add(&memory->calls, call.lo, &added);
    if (place >= memory->known_cap)
        memory->known = xgrow(memory->known, &memory->known_cap, place + 1, sizeof(*memory->known));
    if (added)
        memory->known[place] = (struct known_call){0};
    return &memory->known[place];
}

static void begin_step(struct entropy_memory *memory)
{
    normaliser_words_close(memory->words);
    memory->words = NULL;
    memory->sums = (struct step_sums){0};
    memory->attempt = false;
    memory->alike = false;
    memory->chants = false;
    if (memory->now)
        *memory->now = (struct entropy_sample){0};
}

void entropy_memory_begin_call(struct entropy_memory *memory, const char *tool,
                               const struct json *args)
{
    begin_step(memory);
    const char *text = entropy_call_text(args);
    const unsigned traits = entropy_tool_traits(tool);
    if (traits & CALL_THINKS || (traits & CALL_SAYS && text)) {
        entropy_memory_begin_message(memory, text ? text : "", text ? strlen(text) : 0);
        return;
    }
    normaliser_words_open(&memory->words);
    entropy_call_read(&memory->call, &memory->before, tool, args, memory->words);
    if (memory->call.traits & CALL_DELEGATES && !memory->delegated)
        memory->delegated = xcalloc(1, sizeof(*memory->delegated));
    if (memory->delegated)
        memory->delegated->named.count = 0;
    memory->sums.looks = memory->paused || memory->call.traits & (CALL_LOOKS | CALL_SLEEPS);
    entropy_news_begin(&memory->news, memory->call.scope);
}

/* Returns true if the message is similar to one of the last TALKED_MAX messages, or has hardly any
 * new word: a monologue may also alternate between two messages, or combine the same words
 * differently. */
static bool is_like_before(const struct entropy_memory *memory, const struct word_set *said)
{
    const int count = memory->talked_count < TALKED_MAX ? memory->talked_count : TALKED_MAX;
    const int least = memory->limits.alike_percent;
    for (int i = 0; i < count && least > 0; i++) {
        const struct word_set *before = &memory->talked[i];
        const bool both_empty = said->count == 0 && before->count == 0;
        if (both_empty || word_set_alike(said, before) >= least)
            return true;
    }
    return least > 0 && count >= SPOKEN_LEAST &&
           word_set_within(said, &memory->spoken) >= SPOKEN_PERCENT;
}

void entropy_memory_begin_message(struct entropy_memory *memory, const char *text, size_t len)
{
    begin_step(memory);
    memory->call = (struct entropy_call){.kind = ENTROPY_MESSAGE};
    word_set_add(&memory->call.said, text, len);
    memory->alike = is_like_before(memory, &memory->call.said);
    memory->chants = entropy_chants(text, len, memory->limits.chant_periods);
    memory->call.key =
        entropy_digest(memory->call.said.words, (size_t)memory->call.said.count * sizeof(uint32_t));
    const int announced = entropy_announced(text, len);
    if (announced > 0 && memory->announced_call == 0) /* only one series until something changes */
        memory->announced = announced;
    entropy_news_begin(&memory->news, 0);
}

void entropy_memory_begin_attempt(struct entropy_memory *memory, struct digest call)
{
    begin_step(memory);
    memory->attempt = true;
    memory->call = (struct entropy_call){
        .kind = ENTROPY_CALL, .key = call, .exact = call.lo, .scope = call.lo};
    entropy_news_begin(&memory->news, call.lo);
}

const struct normaliser_words *entropy_memory_words(const struct entropy_memory *memory)
{
    return memory->words;
}

/* Returns true for a line that an echo in the command line printed: it is not part of the result.
 * Each echo counts once. */
static bool is_own_echo(struct entropy_memory *memory, const struct normaliser_line *line)
{
    const char *raw = line->raw;
    size_t len = line->raw_len;
    for (; len > 0 && strchr(" \t", raw[0]); raw++)
        len--;
    while (len > 0 && strchr(" \t\r", raw[len - 1]))
        len--;
    if (memory->call.echo_count == 0)
        return false;
    const uint64_t hash = entropy_hash(raw, len);
    for (int i = 0; i < memory->call.echo_count; i++) {
        if (memory->call.echoes[i] != hash || memory->sums.echo_seen[i])
            continue;
        memory->sums.echo_seen[i] = true;
        return true;
    }
    return false;
}

static void copy_cut(char out[ENTROPY_SAMPLE_BYTES], const char *bytes, size_t len)
{
    const size_t kept = text_cut(bytes, len, ENTROPY_SAMPLE_BYTES - 1);
    memcpy(out, bytes, kept);
    out[kept] = '\0';
}

static void keep_sample(struct entropy_memory *memory, const struct normaliser_line *line)
{
    if (!memory->now)
        memory->now = xcalloc(1, sizeof(*memory->now));
    struct entropy_sample *sample = memory->now;
    sample->masks |= line->masked;
    if (sample->count == ENTROPY_SAMPLE_LINES)
        return;
    copy_cut(sample->lines[sample->count].raw, line->raw, line->raw_len);
    copy_cut(sample->lines[sample->count].normal, line->general, line->general_len);
    sample->count++;
}

/* Returns true if the text ends in a word for a source position, such as "at line". */
static bool ends_in_place_word(const char *bytes, size_t len)
{
    static const char *const words[] = {"line",     "lines", "ln",     "column",
                                        "columns",  "col",   "char",   "row",
                                        "position", "pos",   "offset", "character"};
    char word[PLACE_WORD_BYTES];
    size_t start = len;
    while (start > 0 && ascii_is_letter(bytes[start - 1]))
        start--;
    const size_t word_len = len - start;
    if (word_len == 0 || word_len >= sizeof(word))
        return false;
    for (size_t i = 0; i < word_len; i++)
        word[i] = (char)(bytes[start + i] | 0x20);
    word[word_len] = '\0';
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

/* Returns true if the number from `at` to `end` is a source position: "main.c:17", "line 17",
 * "(17,3)", or the number of a quoted line, as in "17| return x". Returns false for a count, as in
 * "17 failed". */
static bool is_place(const char *bytes, size_t len, size_t at, size_t end)
{
    size_t before = at;
    while (before > 0 && bytes[before - 1] == ' ')
        before--;
    /* Only a gutter, such as "  > " or a frame, precedes the number of a quoted line. */
    bool is_gutter = true;
    for (size_t i = 0; i < before && is_gutter; i++)
        is_gutter = !ascii_is_letter(bytes[i]) && !ascii_is_digit(bytes[i]);
    if (is_gutter) {
        while (end < len && bytes[end] == ' ')
            end++;
        return end == len || bytes[end] == ':' || bytes[end] == '|' || bytes[end] == '\t' ||
               (unsigned char)bytes[end] >= 0x80;
    }
    const char last = bytes[at - 1];
    if (last == ':' || last == '(' || last == ',')
        return true;
    if (last == '>') /* the file is an argument: "<arg>17:3" */
        return end < len && bytes[end] == ':';
    if (last == '[') /* javac in Maven: "Stock.java:[17,3]" */
        return at >= 2 && bytes[at - 2] == ':';
    if (bytes[before - 1] == ':')
        before--;
    return ends_in_place_word(bytes, before);
}

/* What a number counts. */
enum counted {
    COUNTED_OTHER,
    COUNTED_FAULTS,   /* "3 warnings", "2 known failures" */
    COUNTED_FAILURES, /* "14 errors", "3 tests failed" */
};

/* Returns what the number that ends at `end` counts. */
static enum counted what_is_counted(const char *bytes, size_t len, size_t end)
{
    /* Number of words, from the first, that mean failures, unless a word such as "known" precedes
     * them. */
    enum { FAILURE_WORDS = 2 };
    static const char *const faults[] = {"error",   "fail",      "warning",  "problem",
                                         "issue",   "violation", "mismatch", "conflict",
                                         "offense", "offence",   "finding"};
    size_t at = end;
    bool is_plain = true;
    for (int words = 0; words < FAULT_WORDS; words++) {
        char word[PLACE_WORD_BYTES];
        size_t word_len = 0;
        if (at >= len || bytes[at] != ' ')
            return COUNTED_OTHER;
        for (at++; at < len && ascii_is_letter(bytes[at]); at++)
            if (word_len + 1 < sizeof(word))
                word[word_len++] = (char)(bytes[at] | 0x20);
        word[word_len] = '\0';
        for (size_t i = 0; i < ARRAY_LEN(faults); i++)
            if (strncmp(word, faults[i], strlen(faults[i])) == 0)
                return is_plain && i < FAILURE_WORDS ? COUNTED_FAILURES : COUNTED_FAULTS;
        is_plain = strncmp(word, "test", 4) == 0 || strcmp(word, "previous") == 0;
    }
    return COUNTED_OTHER;
}

/* Returns true if the line quotes the source near a known position, as in "17| return x". An edit
 * changes that line even if the message stays the same. */
static bool quotes_place(const char *bytes, size_t len, double place)
{
    double number;
    size_t at = 0;
    while (at < len && (loops_is_blank(bytes[at]) || bytes[at] == '>'))
        at++;
    const size_t digits = loops_read_digits(bytes + at, len - at, &number);
    const bool is_near =
        digits > 0 && number >= place - QUOTE_LINES && number <= place + QUOTE_LINES;
    at += digits;
    while (at < len && loops_is_blank(bytes[at]))
        at++;
    return is_near && at < len && (bytes[at] == '|' || (unsigned char)bytes[at] >= 0x80);
}

static bool is_underline(char c)
{
    return c == '^' || c == '~';
}

/* Adds the hash of the line without its source positions, and its shape; skips lines that quote the
 * source. Keeps the first position of the step, and adds up the numbers that count faults. */
static void take_places(struct step_sums *sums, const char *bytes, size_t len)
{
    char rest[PLACE_BYTES];
    char shape[PLACE_BYTES];
    size_t rest_len = 0, shape_len = 0;
    bool counts = false;
    const size_t end = len < PLACE_BYTES ? len : PLACE_BYTES;
    if (sums->place > 0 && quotes_place(bytes, end, sums->place))
        return;
    for (size_t at = 0; at < end;) {
        /* An underline is as long as the words above it, so only its first character counts. */
        if (is_underline(bytes[at]) && rest_len > 0 && is_underline(rest[rest_len - 1])) {
            at++;
            continue;
        }
        if (!ascii_is_digit(bytes[at])) {
            shape[shape_len++] = bytes[at];
            rest[rest_len++] = bytes[at++];
            continue;
        }
        const size_t begin = at;
        double number;
        at += loops_read_digits(bytes + at, end - at, &number);
        shape[shape_len++] = '#';
        if (is_place(bytes, end, begin, at)) {
            sums->place = sums->place > 0 ? sums->place : number;
            rest[rest_len++] = '#';
            continue;
        }
        counts = true;
        const enum counted counted = what_is_counted(bytes, end, at);
        sums->faults += counted != COUNTED_OTHER ? number : 0;
        sums->has_failures = sums->has_failures || (counted == COUNTED_FAILURES && number > 0);
        memcpy(rest + rest_len, bytes + begin, at - begin);
        rest_len += at - begin;
    }
    const uint64_t hash = entropy_hash(rest, rest_len);
    sums->placeless += hash;
    /* Counts the shape once per step, however many lines have it. */
    const uint64_t shape_hash = counts ? entropy_hash(shape, shape_len) : hash;
    bool is_known = false;
    for (int i = 0; i < sums->shape_count && !is_known; i++)
        is_known = sums->shapes[i] == shape_hash;
    if (!is_known && sums->shape_count < PLACE_LINES) {
        sums->shapes[sums->shape_count++] = shape_hash;
        sums->shape_sum += shape_hash;
    }
}

/* Returns true if there is a letter or digit outside the quoted arguments. */
static bool has_own_word(const char *bytes, size_t len)
{
    static const char mark[] = "<arg>";
    const size_t mark_len = sizeof(mark) - 1;
    for (size_t at = 0; at < len;) {
        if (len - at >= mark_len && memcmp(bytes + at, mark, mark_len) == 0)
            at += mark_len;
        else if (ascii_is_letter(bytes[at]) || ascii_is_digit(bytes[at]) ||
                 (unsigned char)bytes[at] >= 0x80)
            return true;
        else
            at++;
    }
    return false;
}

/* Returns true for the status line of a response that reports an error, "HTTP/1.1 404 Not Found".
 */
static bool is_http_error(const char *bytes, size_t len)
{
    static const char start[] = "HTTP/";
    const size_t start_len = sizeof(start) - 1;
    if (len < start_len || memcmp(bytes, start, start_len) != 0)
        return false;
    const char *status = memchr(bytes, ' ', len);
    return status && status + 3 < bytes + len && (status[1] == '4' || status[1] == '5') &&
           ascii_is_digit(status[2]) && ascii_is_digit(status[3]);
}

/* Returns the hash of the reason at the end of a failure, as in "push: denied: the key is
 * read-only", or 0 if there are too few words. Different programs give the same reason if it comes
 * from a server. */
static uint64_t reason_of(const char *bytes, size_t len)
{
    int blanks = 0;
    while (len > 0 && strchr(" .!", bytes[len - 1]))
        len--;
    size_t start = len;
    for (; start > 0; start--) {
        if (start >= 2 && bytes[start - 1] == ' ' && bytes[start - 2] == ':')
            break;
        blanks += bytes[start - 1] == ' ';
    }
    return blanks >= REASON_BLANKS ? entropy_hash(bytes + start, len - start) : 0;
}

/* Returns the length of the number before a search result, "2. " or "[2] ", or 0. */
static size_t rank_length(const char *bytes, size_t len)
{
    size_t at = 0;
    int digits = 0;
    while (at < len && loops_is_blank(bytes[at]))
        at++;
    at += at < len && (bytes[at] == '[' || bytes[at] == '(');
    for (; at < len && ascii_is_digit(bytes[at]); at++)
        digits++;
    const bool is_rank = digits > 0 && digits <= RANK_DIGITS && at + 2 < len &&
                         strchr(".)]", bytes[at]) && bytes[at + 1] == ' ';
    return is_rank ? at + 2 : 0;
}

/* Returns the length of a time such as 2:04 or 01:00:18 at the start of the text, or 0. */
static size_t read_time(const char *bytes, size_t len, double *seconds_out)
{
    double value = 0;
    int fields = 0;
    size_t at = 0;
    for (bool more = true; more; fields++) {
        double field;
        const size_t digits = loops_read_digits(bytes + at, len - at, &field);
        if (fields > 0 ? digits != 2 : digits == 0 || digits > HOUR_DIGITS)
            return 0;
        at += digits;
        value = value * MINUTE_SECONDS + field;
        more = at < len && bytes[at] == ':';
        at += more;
    }
    *seconds_out = value;
    const bool ends =
        at == len || loops_is_blank(bytes[at]) || (bytes[at] != '\0' && strchr(",)]", bytes[at]));
    return fields >= 2 && fields <= TIME_FIELDS && ends ? at : 0;
}

/* Returns true if the text after a time makes it part of a whole, as in "12:30 of 45:00": such a
 * position is progress. */
static bool is_part(const char *bytes, size_t len)
{
    while (len > 0 && loops_is_blank(bytes[0])) {
        bytes++;
        len--;
    }
    return len > 2 && (bytes[0] == '/' || memcmp(bytes, "of ", 3) == 0);
}

/* Returns true if the line is known except for one time, which has moved on: "12:41 00:00:04 node"
 * was "10:36 00:00:04 node". Then *rest_out is the line with '#' for that time and without
 * blanks. */
static bool is_known_but_for_time(struct entropy_memory *memory, const struct normaliser_line *line,
                                  char rest_out[PLACE_BYTES], size_t *rest_len_out)
{
    const char *raw = line->raw;
    const size_t len = line->raw_len;
    int times = 0;
    bool known = false;
    if (len > PLACE_BYTES || !memchr(raw, ':', len))
        return false;
    for (size_t at = 0; at < len && times < TIMES_MAX && !known; at++) {
        double seconds;
        const bool begins = at == 0 || loops_is_blank(raw[at - 1]) || strchr("([=", raw[at - 1]);
        const size_t time_len =
            begins && ascii_is_digit(raw[at]) ? read_time(raw + at, len - at, &seconds) : 0;
        const size_t end = at + time_len;
        if (time_len == 0 || is_part(raw + end, len - end))
            continue;
        size_t rest_len = 0;
        for (size_t i = 0; i < len; i++)
            if ((i <= at || i >= end) && !loops_is_blank(raw[i]))
                rest_out[rest_len++] = i == at ? '#' : raw[i];
        times++;
        known = entropy_news_time(&memory->news, entropy_hash(rest_out, rest_len), seconds);
        *rest_len_out = rest_len;
    }
    return known;
}

static void take_line(struct entropy_memory *memory, const struct normaliser_line *line,
                      struct digest plain, struct digest general)
{
    struct step_sums *sums = &memory->sums;
    if (memory->call.traits & CALL_IDLE || is_own_echo(memory, line))
        return;
    const unsigned hints =
        sums->lines < HINT_LINES && !memory->attempt ? entropy_hints(line->bytes, line->len) : 0;
    /* "No matches for 'x'" says the same as "no matches for 'y'". */
    const bool same_forms = line->general == line->bytes;
    struct news_text masked = {line->general, line->general_len, general.lo};
    char joined[ECHO_BYTES_MAX];
    const size_t joined_len =
        same_forms ? 0 : entropy_echo_join(line->general, line->general_len, joined);
    if (joined_len > 0) {
        general = entropy_digest(joined, joined_len);
        masked = (struct news_text){joined, joined_len, general.lo};
    }
    /* Failures quote their arguments. A line without a word of its own is nothing but the
     * quotation. */
    if (!memory->attempt && !has_own_word(masked.bytes, masked.len))
        masked = (struct news_text){"", 0, 0};
    const bool general_only = !same_forms && hints & HINT_EMPTY;
    if (general_only)
        plain = general;
    sums->sums[NEWS_PLAIN] = digest_sum(sums->sums[NEWS_PLAIN], plain);
    sums->sums[NEWS_STRICT] = digest_sum(sums->sums[NEWS_STRICT], general);
    sums->raw += entropy_hash(line->raw, line->raw_len);
    if (sums->lines < PLACE_LINES)
        take_places(sums, masked.bytes, masked.len);
    if (sums->lines < SAID_LINES && !memory->attempt && !(memory->call.traits & CALL_SHELL))
        word_set_add(&sums->said, masked.bytes,
                     masked.len < PLACE_BYTES ? masked.len : PLACE_BYTES);
    if (sums->lines < PLACE_LINES && memory->call.traits & CALL_DELEGATES)
        word_set_add_written(&memory->delegated->named, line->bytes, line->len, true);
    sums->http_error = sums->http_error || is_http_error(line->bytes, line->len);
    sums->hints |= hints;
    if (sums->lines < HINT_LINES && line->len > sums->longest)
        sums->longest = line->len;
    if (sums->lines < INT32_MAX)
        sums->lines++;
    sums->masks |= line->masked;
    sums->last_line = general.lo;
    sums->last_has_echo = !same_forms;
    sums->reason = sums->lines <= REASON_LINES ? reason_of(line->general, line->general_len) : 0;
    if (memory->call.traits & CALL_SEARCHES)
        sums->found += general_only ? general.lo : entropy_words_sum(line->bytes, line->len);
    if (line->masked)
        keep_sample(memory, line);
    const struct news_text as_is =
        general_only ? masked : (struct news_text){line->bytes, line->len, plain.lo};
    entropy_news_line(&memory->news, &as_is, &masked);
}

void entropy_memory_line(struct entropy_memory *memory, const struct normaliser_line *line)
{
    struct normaliser_line rest = *line;
    char without_time[PLACE_BYTES];
    size_t rest_len;
    bool same = line->general == line->bytes;
    if (memory->call.traits & CALL_SEARCHES) { /* the rank of a result may change */
        const size_t rank = rank_length(line->bytes, line->len);
        const size_t general_rank = same ? rank : rank_length(line->general, line->general_len);
        rest.bytes += rank;
        rest.len -= rank;
        rest.general += general_rank;
        rest.general_len -= general_rank;
    }
    struct digest plain = entropy_digest(rest.bytes, rest.len);
    const bool is_new = memory->sums.looks && entropy_table_find(&memory->news.lines, plain.lo) < 0;
    if (is_new && is_known_but_for_time(memory, line, without_time, &rest_len)) {
        rest.bytes = rest.general = without_time;
        rest.len = rest.general_len = rest_len;
        plain = entropy_digest(without_time, rest_len);
        same = true;
    }
    take_line(memory, &rest, plain, same ? plain : entropy_digest(rest.general, rest.general_len));
}

static void take_normalised_line(void *ctx, const struct normaliser_line *line)
{
    entropy_memory_line(ctx, line);
}

/* Returns where the closing tag at the end begins, ignoring blanks after it, or `len` if the text
 * does not end in that tag. */
static size_t closing_tag_at(const char *bytes, size_t len, const char *tag, size_t tag_len)
{
    const size_t closes_len = tag_len + 3; /* "</tag>" */
    size_t end = len;
    while (end > 0 && ascii_is_blank(bytes[end - 1]))
        end--;
    if (end < closes_len)
        return len;
    const char *closes = bytes + end - closes_len;
    const bool ends = closes[0] == '<' && closes[1] == '/' && bytes[end - 1] == '>' &&
                      memcmp(closes + 2, tag, tag_len) == 0;
    return ends ? end - closes_len : len;
}

/* Returns the length without a block "<tag>...</tag>" at the end. */
static size_t without_block(const char *bytes, size_t len, const char *tag)
{
    const size_t tag_len = strlen(tag);
    const size_t opens_len = tag_len + 2; /* "<tag>" */
    const size_t closing = closing_tag_at(bytes, len, tag, tag_len);
    if (closing == len || closing < opens_len)
        return len;
    for (size_t at = closing - opens_len + 1; at-- > 0;)
        if (bytes[at] == '<' && memcmp(bytes + at + 1, tag, tag_len) == 0 &&
            bytes[at + tag_len + 1] == '>')
            return at;
    return len;
}

/* Returns the length without the notes that an agent's program appends for its model, so that equal
 * results stay equal. Kimi appends a reminder to the result of a repeated call, and rewords it
 * every few times; other programs append the usage or the session of a sub-agent. */
static size_t without_notes(const char *bytes, size_t len, bool of_agent)
{
    static const char *const tags[] = {"system-reminder", "usage", "task_metadata"};
    const size_t count = of_agent ? ARRAY_LEN(tags) : 1;
    for (size_t i = 0; i < count;) {
        const size_t kept = without_block(bytes, len, tags[i]);
        i = kept < len ? 0 : i + 1;
        len = kept;
    }
    return len;
}

/* Skips a tag that wraps the whole result, such as Claude's <tool_use_error>. Otherwise it would be
 * part of a line of the error, and which line depends on how many lines of the call are quoted. */
static void skip_wrapper(const char **bytes, size_t *len)
{
    const char *text = *bytes;
    size_t end = 1; /* end of the tag's name */
    while (end < *len && (ascii_is_letter(text[end]) || text[end] == '_' || text[end] == '-'))
        end++;
    if (end < 2 || end >= *len || text[0] != '<' || text[end] != '>')
        return;
    const size_t opens_len = end + 1; /* "<name>" */
    const size_t closing = closing_tag_at(text, *len, text + 1, end - 1);
    if (closing == *len || closing < opens_len)
        return;
    *bytes = text + opens_len;
    *len = closing - opens_len;
}

void entropy_memory_text(struct entropy_memory *memory, const char *bytes, size_t len)
{
    struct normaliser *normaliser = NULL;
    len = without_notes(bytes, len, memory->call.traits & CALL_DELEGATES);
    skip_wrapper(&bytes, &len);
    if (len == 0)
        return;
    normaliser_open(&normaliser, memory->words, take_normalised_line, memory);
    normaliser_add(normaliser, bytes, len);
    normaliser_end(normaliser);
    normaliser_close(normaliser);
}

void entropy_memory_hashed_line(struct entropy_memory *memory, const struct fingerprint_line *line)
{
    take_line(memory, line->line, line->hash, line->general_hash);
}

const struct entropy_sample *entropy_memory_first(const struct entropy_memory *memory)
{
    return memory->first;
}

const struct entropy_sample *entropy_memory_last(const struct entropy_memory *memory)
{
    return memory->last;
}

/*
 * Judging a recorded trajectory, for `devs entropy`.
 */

/* One trajectory being judged. */
struct judging {
    const struct entropy_limits *limits;
    struct entropy_memory *memory;
    struct entropy_state state;
    struct entropy_verdict worst; /* the first verdict of the highest level so far */
    int64_t worst_step;           /* step of that verdict in the row, from 1 */
};

static void judge_step(struct judging *judging, const struct json *step, int64_t number)
{
    const char *tool = json_text(json_get(step, "tool"), "");
    const struct json *args = json_get(step, "args");
    const int64_t exit = json_i64(json_get(step, "exit"), 0);
    const struct entropy_end end = {.failed = exit != 0 && exit != -1, .running = exit == -1};
    struct entropy_fact fact;
    struct entropy_verdict verdict;
    const bool is_person =
        strcmp(tool, "user") == 0 || (strcmp(tool, "message") == 0 &&
                                      strcmp(json_text(json_get(args, "role"), ""), "user") == 0);
    if (is_person) {
        entropy_memory_reset(judging->memory);
        entropy_state_reset(&judging->state);
        return;
    }
    entropy_memory_begin_call(judging->memory, tool, args);
    const char *output = json_text(json_get(step, "output"), "");
    entropy_memory_text(judging->memory, output, strlen(output));
    entropy_memory_end(judging->memory, &end, &fact);
    entropy_apply(&judging->state, &fact, number, judging->limits, &verdict);
    if (verdict.level <= judging->worst.level)
        return;
    judging->worst = verdict;
    judging->worst_step = number;
}

/* Rejects the whole row if any step is invalid. */
static bool check_steps(const struct json *steps, struct err *err)
{
    const size_t count = json_count(steps);
    if (json_kind(steps) != JSON_KIND_ARRAY)
        return err_set(err, ERR_INVALID, "\"steps\" must be a list");
    if (count > ENTROPY_ROW_STEPS_MAX)
        return err_set(err, ERR_INVALID, "more than %d steps", ENTROPY_ROW_STEPS_MAX);
    for (size_t i = 0; i < count; i++) {
        const struct json *step = json_at(steps, i);
        const struct json *args = json_get(step, "args");
        const struct json *exit = json_get(step, "exit");
        const struct json *output = json_get(step, "output");
        if (!json_text(json_get(step, "tool"), NULL) ||
            (args && json_kind(args) != JSON_KIND_OBJECT) ||
            (exit && json_kind(exit) != JSON_KIND_INTEGER) || (output && !json_text(output, NULL)))
            return err_set(err, ERR_INVALID,
                           "step %zu must have \"tool\" (string), \"args\" (object), \"exit\" "
                           "(integer) and \"output\" (string)",
                           i + 1);
    }
    return true;
}

static void write_verdict(const struct judging *judging, const char *id, struct str *out)
{
    const struct entropy_verdict *verdict = &judging->worst;
    char identity[DIGEST_HEX_MAX];
    struct str row = {0};
    struct str why = {0};
    str_add_char(&row, '{');
    str_json_text(&row, "id", id);
    str_json_text(&row, "verdict", entropy_level_name(verdict->level));
    if (verdict->level == ENTROPY_OK) {
        str_add(&row, ",\"rung\":null,\"step\":null,\"identity\":null,\"why\":null}\n");
    } else {
        digest_to_hex(verdict->identity, identity);
        entropy_why(verdict, &why);
        str_json_text(&row, "rung", entropy_rung_name(verdict->rung));
        str_json_i64(&row, "step", judging->worst_step);
        str_json_text(&row, "identity", identity);
        str_json_text(&row, "why", str_text(&why));
        str_add(&row, "}\n");
    }
    str_add_n(out, row.data, row.len);
    str_done(&row);
    str_done(&why);
}

bool entropy_row(const struct entropy_limits *limits, const struct str *row, struct str *out,
                 struct err *err)
{
    struct json *json = NULL;
    struct json_place place = {0};
    struct err why = {0};
    if (json_values_at_most(str_text(row), row->len, ENTROPY_ROW_VALUES_MAX + 1) >
        ENTROPY_ROW_VALUES_MAX)
        return err_set(err, ERR_LIMIT, "more than %d values", ENTROPY_ROW_VALUES_MAX);
    struct str repaired = {0};
    json_repair(&repaired, str_text(row), row->len);
    const bool parsed = json_parse(str_text(&repaired), repaired.len, &json, &place, &why);
    str_done(&repaired);
    if (!parsed)
        return err_set(err, ERR_INVALID, "column %d: %s", place.column, why.message);
    const struct json *steps = json_get(json, "steps");
    const char *id = json_text(json_get(json, "id"), NULL);
    bool ok = json_kind(json) == JSON_KIND_OBJECT ||
              err_set(err, ERR_INVALID, "expected an object, got %s", json_kind_name(json));
    ok = ok && (id || err_set(err, ERR_INVALID, "\"id\" must be a string"));
    ok = ok && check_steps(steps, err);
    if (ok) {
        struct judging judging = {.limits = limits};
        entropy_memory_open(&judging.memory, limits);
        for (size_t i = 0; i < json_count(steps) && judging.worst.level < ENTROPY_STUCK; i++)
            judge_step(&judging, json_at(steps, i), (int64_t)i + 1);
        write_verdict(&judging, id, out);
        entropy_state_done(&judging.state);
        entropy_memory_close(judging.memory);
    }
    json_free(json);
    return ok;
}
