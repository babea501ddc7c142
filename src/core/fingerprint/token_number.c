/*
 * Tokens made of digits: numbers, sizes, durations, addresses, dates and times.
 */
#include <assert.h>

#include "attr.h"
#include "fingerprint_internal.h"

/*
 * Processes, ports, attempts and seeds (rules 1, 9 and 10).
 */

enum {
    UNIT_MAX = 8,     /* maximum letters of a unit */
    FIGURES_MAX = 20, /* maximum characters of a number, including thousands separators */
    LIST_MAX = 8,     /* maximum numbers separated by slashes */
    PARTS_MAX = 6,    /* maximum parts of one duration: from weeks to milliseconds */
    METER_COLONS = 6, /* colons in the three clocks of curl's meter */
};

/* Which units may follow a number directly, and which only after a blank: "5m" is an age, but "5 m"
 * are meters. */
enum unit_place { UNIT_AT_ONCE = 1, UNIT_AFTER_BLANK = 2, UNIT_ANYWHERE = 3 };

struct name {
    const char *text;
    int len;
};

#define NAME(text)                                                                                 \
    {                                                                                              \
        text, (int)sizeof(text) - 1                                                                \
    }

static const struct {
    struct name name;
    enum unit_place place;
} units[] = {
    {NAME("s"), UNIT_ANYWHERE},         {NAME("ms"), UNIT_ANYWHERE},
    {NAME("m"), UNIT_AT_ONCE},          {NAME("h"), UNIT_AT_ONCE},
    {NAME("d"), UNIT_AT_ONCE},          {NAME("ns"), UNIT_ANYWHERE},
    {NAME("us"), UNIT_ANYWHERE},        {NAME("\xc2\xb5s"), UNIT_ANYWHERE},
    {NAME("\xce\xbcs"), UNIT_ANYWHERE}, {NAME("sec"), UNIT_ANYWHERE},
    {NAME("secs"), UNIT_ANYWHERE},      {NAME("second"), UNIT_ANYWHERE},
    {NAME("seconds"), UNIT_ANYWHERE},   {NAME("msec"), UNIT_ANYWHERE},
    {NAME("usec"), UNIT_ANYWHERE},      {NAME("millis"), UNIT_ANYWHERE},
    {NAME("min"), UNIT_ANYWHERE},       {NAME("mins"), UNIT_ANYWHERE},
    {NAME("minute"), UNIT_ANYWHERE},    {NAME("minutes"), UNIT_ANYWHERE},
    {NAME("hr"), UNIT_ANYWHERE},        {NAME("hrs"), UNIT_ANYWHERE},
    {NAME("hour"), UNIT_ANYWHERE},      {NAME("hours"), UNIT_ANYWHERE},
    {NAME("day"), UNIT_ANYWHERE},       {NAME("days"), UNIT_ANYWHERE},
    {NAME("week"), UNIT_AFTER_BLANK},   {NAME("weeks"), UNIT_AFTER_BLANK},
    {NAME("months"), UNIT_AFTER_BLANK},
};

/* Units that are rates by themselves, and what may follow the slash of a rate. */
static const struct name rates[] = {NAME("bps"),  NAME("kbps"), NAME("Kbps"),
                                    NAME("Mbps"), NAME("Gbps"), NAME("fps")};
static const struct name per[] = {NAME("s"),  NAME("sec"), NAME("second"), NAME("min"), NAME("h"),
                                  NAME("it"), NAME("op"),  NAME("iter"),   NAME("step")};

static bool is_name(const byte *from, const byte *to, const struct name *name)
{
    return to - from == name->len && *from == (byte)name->text[0] &&
           memcmp(from, name->text, (size_t)name->len) == 0;
}

static bool is_one_of(const byte *from, const byte *to, const struct name *names, size_t count)
{
    size_t i = 0;
    while (i < count && !is_name(from, to, &names[i]))
        i++;
    return i < count;
}

/* The number at a position, and the letters after it. */
struct amount {
    const byte *figures_end;
    const byte *unit, *unit_end; /* unit == unit_end: no unit */
};

/* Returns the end of 12, 1.5 or 1,234.5. */
static const byte *figures_end(const struct token_scan *scan, const byte *at)
{
    const byte *end = run_end(scan, at, CLASS_DIGIT);
    while (byte_at(scan, end) == ',' && end - at < FIGURES_MAX &&
           run_end(scan, end + 1, CLASS_DIGIT) - end == 4)
        end += 4;
    if (byte_at(scan, end) != '.' || !byte_is(byte_at(scan, end + 1), CLASS_DIGIT))
        return end;
    end = run_end(scan, end + 1, CLASS_DIGIT);
    /* Include the list that ping prints in its summary: 0.03/0.05/0.07. */
    for (int i = 1; i < LIST_MAX && byte_at(scan, end) == '/'; i++) {
        const byte *point = run_end(scan, end + 1, CLASS_DIGIT);
        if (point == end + 1 || byte_at(scan, point) != '.')
            break;
        const byte *next = run_end(scan, point + 1, CLASS_DIGIT);
        if (next == point + 1)
            break;
        end = next;
    }
    return end;
}

static struct amount amount_at(const struct token_scan *scan, const byte *at)
{
    struct amount amount = {.figures_end = figures_end(scan, at)};
    amount.unit = amount.figures_end + (byte_at(scan, amount.figures_end) == ' ');
    const byte *p = amount.unit; /* letters, including the mu of microseconds */
    while (p < scan->end && p - amount.unit <= UNIT_MAX &&
           (byte_is(*p, CLASS_LETTER) || (*p >= 0x80 && p - amount.unit < 2)))
        p++;
    amount.unit_end = p;
    return amount;
}

static bool is_time(const struct amount *amount)
{
    switch (*amount->unit) { /* most words after a number begin differently */
    case 's':
    case 'm':
    case 'h':
    case 'd':
    case 'n':
    case 'u':
    case 'w':
    case 0xc2:
    case 0xce:
        break;
    default:
        return false;
    }
    const unsigned place = amount->unit > amount->figures_end ? UNIT_AFTER_BLANK : UNIT_AT_ONCE;
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        if ((units[i].place & place) && is_name(amount->unit, amount->unit_end, &units[i].name))
            return true;
    }
    return false;
}

/* Returns the end of a whole duration such as "1m23s" or "1m 23s"; NULL if it is a name. */
static const byte *duration_end(const struct token_scan *scan, const byte *end)
{
    for (int part = 1; part < PARTS_MAX; part++) {
        const byte *more = end + (byte_at(scan, end) == ' ');
        if (!byte_is(byte_at(scan, more), CLASS_DIGIT))
            break;
        const struct amount next = amount_at(scan, more);
        bool goes_on = next.unit_end > next.unit && is_time(&next);
        if (!goes_on && more == end)
            return NULL; /* "5m3" */
        if (!goes_on)
            break;
        end = next.unit_end;
    }
    const byte next = byte_at(scan, end);
    bool member = (next == '.' || next == '(') && byte_is(byte_at(scan, end + 1), CLASS_WORD);
    bool goes_on = byte_is(next, CLASS_WORD) || member || token_is_next(scan, end, "/s");
    return goes_on ? NULL : end;
}

/* Returns the end of "/s", "/sec", "/it", or of a unit that is a rate; NULL if there is none. */
static const byte *rate_end(const struct token_scan *scan, const struct amount *amount)
{
    const byte *end = amount->unit_end;
    const byte next = byte_at(scan, end);
    if (next == '/') {
        const byte *word = run_end(scan, end + 1, CLASS_WORD);
        return word > end + 1 && is_one_of(end + 1, word, per, ARRAY_LEN(per)) ? word : NULL;
    }
    /* "932M 0s", "1.07G=0.01s": wget omits the "/s" of its rates. */
    const byte unit = *amount->unit;
    if (amount->unit == amount->figures_end && end - amount->unit == 1 &&
        (unit == 'K' || unit == 'M' || unit == 'G') && (next == ' ' || next == '=')) {
        const struct amount left = amount_at(scan, end + 1);
        if (left.figures_end > end + 1 && left.unit == left.figures_end &&
            left.unit_end > left.unit && is_time(&left))
            return end;
    }
    bool ends = !byte_is(next, CLASS_WORD) && next != '=';
    return ends && is_one_of(amount->unit, end, rates, ARRAY_LEN(rates)) ? end : NULL;
}

/* Returns the end of "00:05<00:10" in a progress bar; `at` is its first digit. */
static const byte *bar_end(const struct token_scan *scan, const byte *at)
{
    if (byte_before(scan, at) != '[')
        return NULL;
    const byte *left = run_end(scan, at, CLASS_DIGIT);
    while (byte_at(scan, left) == ':')
        left = run_end(scan, left + 1, CLASS_DIGIT);
    if (byte_at(scan, left) != '<' || left - at < 4)
        return NULL;
    const byte *end = left + 1;
    while (byte_is(byte_at(scan, end), CLASS_DIGIT) || byte_at(scan, end) == ':' ||
           byte_at(scan, end) == '?')
        end++;
    return end > left + 1 ? end : NULL;
}

bool token_amount(const struct token_scan *scan, const struct token_word *word, struct token *out)
{
    /* The number is part of a name, a version or a format ("%-11s") if it is joined to the
     * character before it. */
    const byte *at = word->from;
    const byte before = byte_before(scan, at);
    if (before == '.' || before == '%' || before == '?')
        return false;
    if ((before == '-' || before == '/') && at - scan->start >= 2 && at - 1 != scan->matched &&
        (byte_is(at[-2], CLASS_WORD) || at[-2] == '>' || at[-2] == '%'))
        return false;

    const byte *end = bar_end(scan, at);
    if (end)
        return token_set(out, at, end, TOKEN_DURATION, NORMALISER_DURATIONS);
    const struct amount amount = amount_at(scan, at);
    if (token_is_next(scan, amount.figures_end, " (")) {
        /* "0.234 (0.456) seconds" of XCTest. */
        static const char unit[] = ") seconds";
        const byte *second = amount.figures_end + 2;
        end = figures_end(scan, second);
        if (end > second && token_is_next(scan, end, unit))
            return token_set(out, at, end + sizeof(unit) - 1, TOKEN_DURATION, NORMALISER_DURATIONS);
    }
    if (amount.unit_end == amount.unit)
        return false;
    end = rate_end(scan, &amount); /* "3s" is a duration, but "3s/it" a rate */
    if (end)
        return token_set(out, at, end, TOKEN_RATE, NORMALISER_RATES);
    assert(amount.unit_end > at);
    end = is_time(&amount) ? duration_end(scan, amount.unit_end) : NULL;
    return end && token_set(out, at, end, TOKEN_DURATION, NORMALISER_DURATIONS);
}

/* Finds curl's meter, a whole line of numbers: "100 155 100 155 0 0 914 0 --:--:-- --:--:-- 0". */
bool token_meter(const struct token_scan *scan, struct token *out)
{
    int clocks = 0;
    if (!byte_is(*scan->start, CLASS_DIGIT))
        return false;
    for (const byte *p = scan->start; p < scan->end; p++) {
        clocks += *p == ':';
        if (!byte_is(*p, CLASS_DIGIT) && (*p == '\0' || !strchr(" .:-kMGT", *p)))
            return false;
    }
    return clocks == METER_COLONS &&
           token_set(out, scan->start, scan->end, TOKEN_RATE, NORMALISER_RATES);
}

enum {
    HOST_MAX = 64,    /* maximum bytes of a host name before a port */
    PORT_MIN = 33000, /* lower ports were chosen by people */
    PORT_MAX = 65535,
    INDEX_MAX = 3, /* digits; a number in brackets with fewer digits is an index */
    PID_LEN_MAX = 8,
    HARNESS_MAX = 200,
    RESTART_AGE_MAX = 16, /* maximum bytes of "(3d12h" */
    COMMIT_MIN = 7,       /* minimum digits of a hash that git shows */
};

/* Words before the number of an attempt, a process or a seed. */
static const struct {
    const char *word;
    byte last; /* the last letter of `word` */
    enum token_name token;
    enum normaliser_mask mask;
} spoken[] = {
    {"attempt", 't', TOKEN_TRY, NORMALISER_TRIES},
    {"retry", 'y', TOKEN_TRY, NORMALISER_TRIES},
    {"retrying", 'g', TOKEN_TRY, NORMALISER_TRIES},
    {"try", 'y', TOKEN_TRY, NORMALISER_TRIES},
    {"iteration", 'n', TOKEN_TRY, NORMALISER_TRIES},
    {"identical call", 'l', TOKEN_TRY, NORMALISER_TRIES}, /* counted by a harness */
    {"pid", 'd', TOKEN_PID, NORMALISER_PIDS},
    {"ppid", 'd', TOKEN_PID, NORMALISER_PIDS},
    {"pgid", 'd', TOKEN_PID, NORMALISER_PIDS},
    {"tid", 'd', TOKEN_PID, NORMALISER_PIDS},
    {"lwp", 'p', TOKEN_PID, NORMALISER_PIDS},
    {"process", 's', TOKEN_PID, NORMALISER_PIDS},
    {"goroutine", 'e', TOKEN_PID, NORMALISER_PIDS},
    {"thread", 'd', TOKEN_PID, NORMALISER_PIDS},
    {"worker", 'r', TOKEN_PID, NORMALISER_PIDS},
    {"seed", 'd', TOKEN_SEED, NORMALISER_SEEDS},
    {"port", 't', TOKEN_PORT, NORMALISER_PORTS},
    {"duration_ms", 's', TOKEN_DURATION, NORMALISER_DURATIONS},
};

/* Returns true if the text that ends at `to` ends with `word`, alone or as the last part of a name
 * (random_seed, ForkPoolWorker). */
static bool ends_with_word(const struct token_scan *scan, const byte *to, const char *word)
{
    const ptrdiff_t len = (ptrdiff_t)strlen(word);
    if (to - scan->start < len)
        return false;
    const byte *from = to - len;
    for (ptrdiff_t i = 0; i < len; i++) {
        const byte lower = byte_is(from[i], CLASS_UPPER) ? from[i] | 0x20 : from[i];
        if (lower != (byte)word[i])
            return false;
    }
    const byte before = byte_before(scan, from);
    bool hump = byte_is(*from, CLASS_UPPER) && byte_is(before, CLASS_LOWER);
    return hump || before == '_' || !byte_is(before, CLASS_WORD);
}

static bool is_dynamic_port(const struct token_word *word)
{
    int port = 0;
    if (word->to - word->from != 5)
        return false;
    for (const byte *p = word->from; p < word->to; p++)
        port = port * 10 + (*p - '0');
    return port >= PORT_MIN && port <= PORT_MAX;
}

static bool has_fraction(const struct token_scan *scan, const byte *at)
{
    return byte_at(scan, at) == '.' && byte_is(byte_at(scan, at + 1), CLASS_DIGIT);
}

static bool find_spoken(const struct token_scan *scan, const struct token_word *word,
                        struct token *out)
{
    const byte *to = word->from;
    while (to > scan->start && word->from - to < 3 && strchr(" #:=-(", to[-1]))
        to--;
    if (to == word->from || !byte_is(byte_before(scan, to), CLASS_LETTER))
        return false;
    const byte last = to[-1] | 0x20;
    size_t i = 0;
    while (i < ARRAY_LEN(spoken) &&
           (last != spoken[i].last || !ends_with_word(scan, to, spoken[i].word)))
        i++;
    if (i == ARRAY_LEN(spoken) || (spoken[i].token == TOKEN_PORT && !is_dynamic_port(word)))
        return false;
    const byte *end = word->to;
    if (spoken[i].token == TOKEN_DURATION && has_fraction(scan, end))
        end = run_end(scan, end + 1, CLASS_DIGIT);
    else if (has_fraction(scan, end))
        return false;
    if (spoken[i].token == TOKEN_TRY) { /* "3", "3/5", "3 of 5" */
        const byte *most = end;
        if (byte_at(scan, end) == '/')
            most = end + 1;
        else if (token_is_next(scan, end, " of "))
            most = end + 4;
        const byte *most_end = run_end(scan, most, CLASS_DIGIT);
        if (most > end && most_end > most)
            end = most_end;
    }
    return token_set(out, word->from, end, spoken[i].token, spoken[i].mask);
}

/* Finds "nginx[4711]:", or "agent[14877] works" after a time or at the start of a line. A short
 * number in brackets is an index. */
static bool find_bracketed(const struct token_scan *scan, const struct token_word *word,
                           struct token *out)
{
    const ptrdiff_t len = word->to - word->from;
    const byte *at = word->from - 1;
    if (byte_before(scan, word->from) != '[' || byte_at(scan, word->to) != ']' ||
        !byte_is(byte_before(scan, at), CLASS_WORD) || len < INDEX_MAX || len > PID_LEN_MAX)
        return false;
    const byte *name = at;
    while (name > scan->start && name[-1] != ' ' && at - name < HOST_MAX)
        name--;
    /* SQLSTATE[40001] is not a process; only cron writes its name like this. */
    const byte *lower = name;
    while (lower < at && !byte_is(*lower, CLASS_LOWER))
        lower++;
    const bool is_cron = at - name == 4 && memcmp(name, "CRON", 4) == 0;
    if (lower == at && !is_cron)
        return false;
    bool told = name == scan->start || (scan->matched && name - scan->matched <= 1);
    return (byte_at(scan, word->to + 1) == ':' || (told && len > INDEX_MAX)) &&
           token_set(out, word->from, word->to, TOKEN_PID, NORMALISER_PIDS);
}

/* Finds the port in "localhost:41234", "10.0.0.1:54321", "[::1]:54321"; not the line of a file. */
static bool find_port(const struct token_scan *scan, const struct token_word *word,
                      struct token *out)
{
    if (byte_before(scan, word->from) != ':' || !is_dynamic_port(word) ||
        byte_at(scan, word->to) == ':')
        return false;
    const byte *to = word->from - 1;
    const byte *from = to;
    bool has_point = false;
    while (from > scan->start && to - from < HOST_MAX &&
           (byte_is(from[-1], CLASS_WORD) || from[-1] == '.' || from[-1] == '-')) {
        from--;
        has_point |= *from == '.';
    }
    const byte before = byte_before(scan, from);
    bool host = from < to && (has_point || before == '/' || before == '@' ||
                              ends_with_word(scan, to, "localhost"));
    bool bracket = byte_before(scan, to) == ']' || byte_before(scan, to) == '*';
    return (host || bracket) && token_set(out, word->from, word->to, TOKEN_PORT, NORMALISER_PORTS);
}

/* Finds the worker in pytest's "[gw3] [ 20%]", with the progress because chance decides which
 * worker runs a test, and in its folder "popen-gw3". */
static bool find_pytest_worker(const struct token_scan *scan, const struct token_word *word,
                               struct token *out)
{
    const byte before = byte_before(scan, word->from);
    if (word->to - word->from > 4 || !token_is_next(scan, word->from, "gw") ||
        (before != '[' && before != '-'))
        return false;
    const byte *end = word->to;
    if (token_is_next(scan, end, "] [")) {
        const byte *share = end + 3 + (byte_at(scan, end + 3) == ' ');
        const byte *percent = run_end(scan, share, CLASS_DIGIT);
        if (percent > share && token_is_next(scan, percent, "%]"))
            end = percent + 1;
    }
    return token_set(out, word->from, end, TOKEN_PID, NORMALISER_PIDS);
}

/* Finds the process in "./run.sh: line 3: 48211 Segmentation fault", with which a shell reports how
 * its child ended. */
static bool find_ended(const struct token_scan *scan, const struct token_word *word,
                       struct token *out)
{
    static const char *const ends[] = {" Segmentation fault",
                                       " Aborted",
                                       " Killed",
                                       " Terminated",
                                       " Bus error",
                                       " Illegal instruction",
                                       " Floating point exception"};
    if (word->from - scan->start < 2 || word->from[-2] != ':')
        return false;
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        if (token_is_next(scan, word->to, ends[i]))
            return token_set(out, word->from, word->to, TOKEN_PID, NORMALISER_PIDS);
    }
    return false;
}

/* Finds nginx's "4711#4711: *9": process, thread and connection. */
static bool find_connection(const struct token_scan *scan, const struct token_word *word,
                            struct token *out)
{
    if (byte_at(scan, word->to) != '#')
        return false;
    const byte *end = run_end(scan, word->to + 1, CLASS_DIGIT);
    if (end == word->to + 1 || byte_at(scan, end) != ':')
        return false;
    if (token_is_next(scan, end, ": *"))
        end = run_end(scan, end + 3, CLASS_DIGIT);
    return token_set(out, word->from, end, TOKEN_PID, NORMALISER_PIDS);
}

/* Finds Erlang's "#PID<0.866.0>", "#Reference<0.685826879.3733540943.224434>". */
static bool find_reference(const struct token_scan *scan, const struct token_word *word,
                           struct token *out)
{
    const byte *name = word->from - 1;
    if (!ends_with_word(scan, name, "pid") && !ends_with_word(scan, name, "reference") &&
        !ends_with_word(scan, name, "port"))
        return false;
    const byte *end = word->to;
    while (end < scan->end && (*end == '.' || byte_is(*end, CLASS_DIGIT)))
        end++;
    return byte_at(scan, end) == '>' && token_set(out, word->from, end, TOKEN_PID, NORMALISER_PIDS);
}

/* Finds the count in "7 (42s ago)": how often Kubernetes restarted a container, and when. */
static bool find_restarts(const struct token_scan *scan, const struct token_word *word,
                          struct token *out)
{
    const byte *open = word->to;
    if (!token_is_next(scan, open, " ("))
        return false;
    const byte *end = open + 2;
    while (end < scan->end && end - open < RESTART_AGE_MAX && byte_is(*end, CLASS_WORD))
        end++;
    return byte_is(open[2], CLASS_DIGIT) && token_is_next(scan, end, " ago)") &&
           token_set(out, word->from, word->to, TOKEN_TRY, NORMALISER_TRIES);
}

bool token_number(const struct token_scan *scan, const struct token_word *word, struct token *out)
{
    const byte *from = word->from;
    const byte *to = word->to;
    const ptrdiff_t len = to - from;
    if (!byte_is(*from, CLASS_DIGIT))
        return *from == 'g' && find_pytest_worker(scan, word, out);
    if (!(word->all_classes & CLASS_DIGIT))
        return false;
    switch (byte_before(scan, from)) {
    case '[': {
        if (find_bracketed(scan, word, out))
            return true;
        /* "[48211] text", at the start of a line or after its time. */
        const byte *bracket = from - 1;
        const bool is_first = bracket == scan->start ||
                              (scan->matched && scan->matched == bracket - 1 && bracket[-1] == ' ');
        return is_first && len > INDEX_MAX && len <= PID_LEN_MAX && byte_at(scan, to) == ']' &&
               token_set(out, from, to, TOKEN_PID, NORMALISER_PIDS);
    }
    case ':':
        return find_port(scan, word, out) || find_spoken(scan, word, out);
    case '-':
        /* "[pool-23-thread-1]" of a JVM, which numbers its pools, too. */
        if (token_is_next(scan, to, "-thread-") && ends_with_word(scan, from - 1, "pool"))
            return token_set(out, from, to, TOKEN_PID, NORMALISER_PIDS);
        /* "ansible-tmp-1787300000.12-62623-2004": joined to a generated part. */
        if (scan->matched == from - 1 && len > INDEX_MAX)
            return token_set(out, from, to, TOKEN_PID, NORMALISER_PIDS);
        return find_spoken(scan, word, out);
    case '(':
        /* "thread 'main' (5797) panicked" of Rust. */
        if (token_is_next(scan, to, ") panicked"))
            return token_set(out, from, to, TOKEN_PID, NORMALISER_PIDS);
        return find_spoken(scan, word, out);
    case '<':
        return find_reference(scan, word, out);
    case '/':
        /* "sandbox/linux-sandbox/15/" of a build tool that counts its actions. */
        return byte_at(scan, to) == '/' && ends_with_word(scan, from - 1, "sandbox") &&
               token_set(out, from, to, TOKEN_PID, NORMALISER_PIDS);
    case ' ':
        if (find_ended(scan, word, out) || find_connection(scan, word, out))
            return true;
        /* "[fix/empty 1301905] message": git reports a commit whose hash has no letter. */
        if (*scan->start == '[' && len >= COMMIT_MIN && token_is_next(scan, to, "] "))
            return token_set(out, from, to, TOKEN_HEX, NORMALISER_HEX);
        return find_restarts(scan, word, out) || find_spoken(scan, word, out);
    case '#':
    case '=':
        return find_spoken(scan, word, out);
    default:
        return false;
    }
}

/* Finds "(12/12 lines shown, read 4 times)", a remark of a harness about its own reading. */
bool token_harness(const struct token_scan *scan, const struct token_word *word, struct token *out)
{
    if (byte_before(scan, word->from) != '(' || byte_at(scan, word->to) != '/')
        return false;
    const byte *total = run_end(scan, word->to + 1, CLASS_DIGIT);
    if (!token_is_next(scan, total, " lines shown"))
        return false;
    const byte *p = total;
    while (p < scan->end && p - total < HARNESS_MAX && *p != ')')
        p++;
    if (byte_at(scan, p) != ')')
        return false;
    const byte *from = word->from - 1; /* take the blank on one side, too */
    const byte *to = p + 1;
    if (byte_before(scan, from) == ' ' && scan->floor < from)
        from--;
    else if (byte_at(scan, to) == ' ')
        to++;
    return token_set(out, from, to, TOKEN_NOTHING, NORMALISER_TRIES);
}

bool token_pid_prefix(const struct token_scan *scan, struct token *out)
{
    if (*scan->start == '[') {
        /* "[1] 48211": a shell reports the process it put in the background. */
        const byte *at = run_end(scan, scan->start + 1, CLASS_DIGIT);
        if (at == scan->start + 1 || !token_is_next(scan, at, "] "))
            return false;
        const byte *pid = at + 2;
        const byte *end = run_end(scan, pid, CLASS_DIGIT);
        return end == scan->end && end - pid >= 2 && end - pid <= PID_LEN_MAX &&
               token_set(out, pid, end, TOKEN_PID, NORMALISER_PIDS);
    }
    /* "==5277==" of memory checkers. */
    if (!token_is_next(scan, scan->start, "=="))
        return false;
    const byte *pid = scan->start + 2;
    const byte *end = run_end(scan, pid, CLASS_DIGIT);
    return end > pid && end - pid <= PID_LEN_MAX && token_is_next(scan, end, "==") &&
           token_set(out, pid, end, TOKEN_PID, NORMALISER_PIDS);
}

/*
 * Dates, clocks and epochs (rules 2 and 3).
 */

enum { YEAR_MIN = 1900, YEAR_MAX = 2199, FRACTION_MAX = 9 };

/* Returns the number of exactly `len` digits at `at`, or -1. */
static int digits_value(const struct token_scan *scan, const byte *at, int len)
{
    int value = 0;
    if (scan->end - at < len)
        return -1;
    for (int i = 0; i < len; i++) {
        if (!byte_is(at[i], CLASS_DIGIT))
            return -1;
        value = value * 10 + (at[i] - '0');
    }
    return value;
}

static bool is_between(int value, int least, int most)
{
    return value >= least && value <= most;
}

static bool is_year(const struct token_scan *scan, const byte *at)
{
    return is_between(digits_value(scan, at, 4), YEAR_MIN, YEAR_MAX);
}

/* Returns true if `at` begins with one of the names, of three letters each: "Jan" and so on. They
 * are English, as in the output of programs. */
static bool is_time_word(const byte *at, const char *names)
{
    for (const char *name = names; *name; name += 3) {
        if (memcmp(at, name, 3) == 0)
            return true;
    }
    return false;
}

static bool is_month(const struct token_scan *scan, const byte *at)
{
    return scan->end - at >= 3 && is_time_word(at, "JanFebMarAprMayJunJulAugSepOctNovDec");
}

static bool is_weekday(const byte *at)
{
    return is_time_word(at, "MonTueWedThuFriSatSun");
}

/* Returns the end of an optional fraction after seconds. */
static const byte *skip_fraction(const struct token_scan *scan, const byte *at, const char *marks)
{
    const byte mark = byte_at(scan, at);
    if (mark == 0 || !strchr(marks, mark) || !byte_is(byte_at(scan, at + 1), CLASS_DIGIT))
        return at;
    const byte *end = run_end(scan, at + 1, CLASS_DIGIT);
    return end - at <= FRACTION_MAX + 1 ? end : at;
}

/* Returns the end of "Z", "+02:00", " +0000", " UTC", " PM" after a clock. */
static const byte *skip_zone(const struct token_scan *scan, const byte *at)
{
    static const char *const names[] = {" UTC", " GMT", " CEST", " CET", " EST",
                                        " EDT", " PST", " PDT",  " AM",  " PM"};
    if (byte_at(scan, at) == 'Z' && !byte_is(byte_at(scan, at + 1), CLASS_WORD))
        return at + 1;
    const byte *sign = at + (byte_at(scan, at) == ' ');
    if (byte_at(scan, sign) == '+' || byte_at(scan, sign) == '-') {
        const bool colon = byte_at(scan, sign + 3 < scan->end ? sign + 3 : scan->end) == ':';
        const byte *minutes = scan->end - sign > 3 ? sign + 3 + colon : scan->end;
        if (digits_value(scan, sign + 1, 2) >= 0 &&
            is_between(digits_value(scan, minutes, 2), 0, 59) &&
            !byte_is(byte_at(scan, minutes + 2), CLASS_WORD))
            return minutes + 2;
    }
    if (byte_at(scan, at) != ' ' || !byte_is(byte_at(scan, at + 1), CLASS_UPPER))
        return at;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const byte *end = at + strlen(names[i]);
        if (token_is_next(scan, at, names[i]) && !byte_is(byte_at(scan, end), CLASS_WORD))
            return end;
    }
    return at;
}

enum clock_form { CLOCK_MINUTES, CLOCK_SECONDS };

/* Returns the end of 14:03:22.123 with its zone (or of 14:03, if minutes suffice); NULL if there is
 * no clock. `mark` separates the parts. */
static const byte *clock_end(const struct token_scan *scan, const byte *at, byte mark,
                             enum clock_form form)
{
    const int hour_len = (int)(run_end(scan, at, CLASS_DIGIT) - at);
    if (!is_between(hour_len, 1, 2) || byte_at(scan, at + hour_len) != mark)
        return NULL;
    const byte *minute = at + hour_len + 1;
    if (!is_between(digits_value(scan, minute, 2), 0, 59))
        return NULL;
    const byte *end = minute + 2;
    const bool has_seconds =
        byte_at(scan, end) == mark && is_between(digits_value(scan, end + 1, 2), 0, 60);
    if (!has_seconds && form == CLOCK_SECONDS)
        return NULL;
    if (has_seconds)
        end = skip_fraction(scan, end + 3, mark == ':' ? ".," : ".,_-");
    const byte *zone = skip_zone(scan, end);
    if (zone > end)
        zone = skip_zone(scan, zone); /* " PM UTC" */
    const byte next = byte_at(scan, zone);
    const bool goes_on =
        zone == end && (byte_is(next, CLASS_WORD) ||
                        (next == ':' && end + 1 < scan->end && byte_is(end[1], CLASS_WORD)));
    return goes_on ? NULL : zone;
}

/* Returns the end of 2026-08-21T14:03:22.123Z, 2026/08/21 14:03:22, 2026-08-21T14_03_22_123Z; NULL
 * for anything else, such as a date alone. */
static const byte *iso_end(const struct token_scan *scan, const byte *at)
{
    if (scan->end - at < 15 || !is_year(scan, at))
        return NULL;
    const byte dash = at[4];
    if ((dash != '-' && dash != '/') || at[7] != dash)
        return NULL;
    if (!is_between(digits_value(scan, at + 5, 2), 1, 12) ||
        !is_between(digits_value(scan, at + 8, 2), 1, 31))
        return NULL;
    const byte between = at[10];
    if (between == ' ')
        return clock_end(scan, at + 11, ':', CLOCK_MINUTES);
    if (between != 'T' && between != 't' && between != '_' && between != '-')
        return NULL;
    const byte mark = at[13];
    bool known = mark == ':' || mark == '_' || mark == '-' || mark == '.';
    return known ? clock_end(scan, at + 11, mark, CLOCK_MINUTES) : NULL;
}

/* Returns the end of 20260821T140322Z, 20260821-140322, 20260821140322; NULL for anything else. */
static const byte *compact_end(const struct token_scan *scan, const byte *at)
{
    if (scan->end - at < 14 || !is_year(scan, at))
        return NULL;
    if (!is_between(digits_value(scan, at + 4, 2), 1, 12) ||
        !is_between(digits_value(scan, at + 6, 2), 1, 31))
        return NULL;
    const byte *clock = at + 8 + (at[8] == 'T' || at[8] == '-' || at[8] == '_');
    if (!is_between(digits_value(scan, clock, 2), 0, 23) ||
        !is_between(digits_value(scan, clock + 2, 2), 0, 59) ||
        !is_between(digits_value(scan, clock + 4, 2), 0, 60))
        return NULL;
    const byte *end = run_end(scan, clock + 6, CLASS_DIGIT); /* a fraction without a point */
    end += byte_at(scan, end) == 'Z';
    return byte_is(byte_at(scan, end), CLASS_WORD) ? NULL : end;
}

/* Returns the end of 21/Aug/2026:14:03:22 +0000, 21 Aug 2026 14:03:22 GMT, 21-Aug-2026 14:03; NULL
 * for anything else. */
static const byte *day_month_end(const struct token_scan *scan, const byte *at, int day_len)
{
    const byte *month = at + day_len + 1;
    const byte mark = byte_at(scan, month - 1);
    if ((mark != '/' && mark != ' ' && mark != '-') || month >= scan->end || !is_month(scan, month))
        return NULL;
    const byte *clock = month + 3;
    if (byte_at(scan, clock) == mark && is_year(scan, clock + 1))
        clock += 5;
    const byte next = byte_at(scan, clock);
    if (next != ' ' && !(mark == '/' && next == ':'))
        return NULL;
    return clock_end(scan, clock + 1, ':', CLOCK_MINUTES);
}

/* Finds a date with a clock. `at` is the day, before or after the month. */
static bool find_date(const struct token_scan *scan, const byte *at, int day_len, struct token *out)
{
    const byte *from = at;
    const byte *end = day_month_end(scan, at, day_len);
    const byte *clock = at + day_len + 1;
    if (!end && at - scan->floor >= 4 && at[-1] == ' ' && is_month(scan, at - 4) &&
        byte_at(scan, clock - 1) == ' ') {
        /* Aug 21 14:03:22 2026, with or without the year */
        from = at - 4;
        end = clock_end(scan, clock, ':', CLOCK_MINUTES);
        if (end && byte_at(scan, end) == ' ' && is_year(scan, end + 1) &&
            !byte_is(byte_at(scan, end + 5), CLASS_WORD))
            end += 5;
    }
    if (!end)
        return false;
    const ptrdiff_t room = from - scan->floor;
    if (room >= 5 && memcmp(from - 2, ", ", 2) == 0 && is_weekday(from - 5))
        from -= 5; /* "Fri, " */
    else if (room >= 4 && from[-1] == ' ' && is_weekday(from - 4))
        from -= 4; /* "Fri " */
    return token_set(out, from, end, TOKEN_TIME, NORMALISER_TIMES);
}

bool token_time(const struct token_scan *scan, const struct token_word *word, struct token *out)
{
    const byte *at = word->from;
    const ptrdiff_t len = word->to - at;
    const ptrdiff_t digits = run_end(scan, at, CLASS_DIGIT) - at;
    const byte before = byte_before(scan, at);
    /* The digits of 0.1787300000, but not digits after a token and a point. */
    const bool is_fraction = at - scan->start >= 2 && before == '.' &&
                             byte_is(at[-2], CLASS_DIGIT) && scan->matched != at - 1;
    const byte *end = NULL;
    if (digits <= 2) {
        if (find_date(scan, at, (int)digits, out))
            return true;
        end = before != ':' ? clock_end(scan, at, ':', CLOCK_SECONDS) : NULL;
    } else if (digits == 4) {
        end = iso_end(scan, at);
    } else if (!is_fraction) {
        end = compact_end(scan, at);
        /* Seconds, milliseconds, microseconds or nanoseconds since 1970, from 2017 to 2039. */
        const bool is_epoch = (word->all_classes & CLASS_DIGIT) &&
                              (len == 10 || len == 13 || len == 16 || len == 19) &&
                              is_between((at[0] - '0') * 10 + (at[1] - '0'), 15, 21);
        if (!end && is_epoch)
            end = len == 10 ? skip_fraction(scan, word->to, ".") : word->to;
    }
    return end && token_set(out, at, end, TOKEN_TIME, NORMALISER_TIMES);
}

bool token_time_prefix(const struct token_scan *scan, struct token *out)
{
    const byte *from = scan->start;
    const byte *at = from + 1;
    const byte *end = NULL;
    switch (*from) {
    case '[': /* "[   12.345678] " of a kernel, with runs of blanks collapsed */
        at += byte_at(scan, at) == ' ';
        end = run_end(scan, at, CLASS_DIGIT);
        if (end == at || byte_at(scan, end) != '.')
            return false;
        at = end;
        end = run_end(scan, at + 1, CLASS_DIGIT);
        if (end - at <= 3 || byte_at(scan, end) != ']')
            return false;
        end++;
        break;
    case '#': /* "#7 12.34 " of a container build */
        end = run_end(scan, at, CLASS_DIGIT);
        if (end == at || byte_at(scan, end) != ' ')
            return false;
        at = end + 1;
        end = run_end(scan, at, CLASS_DIGIT);
        if (end == at || byte_at(scan, end) != '.')
            return false;
        at = end + 1;
        end = run_end(scan, at, CLASS_DIGIT);
        if (end == at || byte_at(scan, end) != ' ')
            return false;
        break;
    case 'I':
    case 'W':
    case 'E':
    case 'F': /* "E0821 14:03:22.123456 4711 " */
        if (!is_between(digits_value(scan, at, 4), 101, 1231) || byte_at(scan, from + 5) != ' ')
            return false;
        end = clock_end(scan, from + 6, ':', CLOCK_SECONDS);
        if (!end || byte_at(scan, end) != ' ')
            return false;
        at = end + 1;
        end = run_end(scan, at, CLASS_DIGIT);
        if (end == at || byte_at(scan, end) != ' ')
            return false;
        from++; /* keep the level */
        break;
    default:
        return false;
    }
    return token_set(out, from, end, TOKEN_TIME, NORMALISER_TIMES);
}
