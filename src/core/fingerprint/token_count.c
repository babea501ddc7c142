/* token_count.c - processes, ports, tries and seeds (rules 1, 9 and 10). */
#include "attr.h"
#include "token_scan.h"

enum {
    HOST_MAX = 64,    /* bytes of a host's name before a port */
    PORT_MIN = 33000, /* below are ports that people chose */
    PORT_MAX = 65535,
    INDEX_MAX = 3, /* digits: a shorter number in brackets is an index */
    PID_LEN_MAX = 8,
    HARNESS_MAX = 200,
    RESTART_AGE_MAX = 16, /* bytes of "(3d12h" */
    COMMIT_MIN = 7,       /* digits that git shows at least */
};

/* Words after which a number counts tries, or names a process or a seed. */
static const struct {
    const char *word;
    byte last; /* letter */
    enum token_name token;
    enum normaliser_mask mask;
} spoken[] = {
    {"attempt", 't', TOKEN_TRY, NORMALISER_TRIES},
    {"retry", 'y', TOKEN_TRY, NORMALISER_TRIES},
    {"retrying", 'g', TOKEN_TRY, NORMALISER_TRIES},
    {"try", 'y', TOKEN_TRY, NORMALISER_TRIES},
    {"iteration", 'n', TOKEN_TRY, NORMALISER_TRIES},
    {"identical call", 'l', TOKEN_TRY, NORMALISER_TRIES}, /* a harness counts */
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

/* Does the text that ends at `to` end with this word, alone or as the last part of a name
 * (random_seed, ForkPoolWorker)? */
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

/* "3", "3/5", "3 of 5". */
static const byte *try_end(const struct token_scan *scan, const byte *at)
{
    const byte *most = at;
    if (byte_at(scan, at) == '/')
        most = at + 1;
    else if (token_is_next(scan, at, " of "))
        most = at + 4;
    const byte *end = run_end(scan, most, CLASS_DIGIT);
    return most > at && end > most ? end : at;
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
    else if (spoken[i].token == TOKEN_TRY)
        end = try_end(scan, end);
    return token_set(out, word->from, end, spoken[i].token, spoken[i].mask);
}

/* SQLSTATE[40001] is no process; cron alone writes its name so. */
static bool is_constant(const byte *name, const byte *end)
{
    bool cron = end - name == 4 && memcmp(name, "CRON", 4) == 0;
    while (name < end && !byte_is(*name, CLASS_LOWER))
        name++;
    return name == end && !cron;
}

/* "nginx[4711]:", or behind a time or at the line's start "agent[14877] works"; but a short
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
    if (is_constant(name, at))
        return false;
    bool told = name == scan->start || (scan->matched && name - scan->matched <= 1);
    return (byte_at(scan, word->to + 1) == ':' || (told && len > INDEX_MAX)) &&
           token_set(out, word->from, word->to, TOKEN_PID, NORMALISER_PIDS);
}

/* "localhost:41234", "10.0.0.1:54321", "[::1]:54321"; not the line of a file. */
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

/* pytest's "[gw3]", which it is chance that took a test, with the share that was done by
 * then: "[gw3] [ 20%]"; and its folder "popen-gw3". */
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

/* "[pool-23-thread-1]" of a JVM: pools are counted as well. */
static bool find_pool(const struct token_scan *scan, const struct token_word *word,
                      struct token *out)
{
    return byte_before(scan, word->from) == '-' && token_is_next(scan, word->to, "-thread-") &&
           ends_with_word(scan, word->from - 1, "pool") &&
           token_set(out, word->from, word->to, TOKEN_PID, NORMALISER_PIDS);
}

/* "thread 'main' (5797) panicked" of Rust. */
static bool find_panicked(const struct token_scan *scan, const struct token_word *word,
                          struct token *out)
{
    return byte_before(scan, word->from) == '(' && token_is_next(scan, word->to, ") panicked") &&
           token_set(out, word->from, word->to, TOKEN_PID, NORMALISER_PIDS);
}

/* "[48211] text": at the line's start, or behind its time. */
static bool find_prefixed(const struct token_scan *scan, const struct token_word *word,
                          struct token *out)
{
    const byte *bracket = word->from - 1;
    const ptrdiff_t len = word->to - word->from;
    bool first = bracket == scan->start ||
                 (scan->matched && scan->matched == bracket - 1 && bracket[-1] == ' ');
    return first && len > INDEX_MAX && len <= PID_LEN_MAX && byte_at(scan, word->to) == ']' &&
           token_set(out, word->from, word->to, TOKEN_PID, NORMALISER_PIDS);
}

/* "[fix/empty 1301905] message": what git says of a commit whose name has no letter in it. */
static bool find_commit(const struct token_scan *scan, const struct token_word *word,
                        struct token *out)
{
    return *scan->start == '[' && word->to - word->from >= COMMIT_MIN &&
           token_is_next(scan, word->to, "] ") &&
           token_set(out, word->from, word->to, TOKEN_HEX, NORMALISER_HEX);
}

/* "./run.sh: line 3: 48211 Segmentation fault": a shell's word on how its child ended. */
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

/* "4711#4711: *9" of nginx: process, thread and connection. */
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

/* "#PID<0.866.0>", "#Reference<0.685826879.3733540943.224434>" of Erlang. */
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

/* "ansible-tmp-1787300000.12-62623-2004": joined to what was made up already. */
static bool find_joined(const struct token_scan *scan, const struct token_word *word,
                        struct token *out)
{
    return scan->matched == word->from - 1 && word->to - word->from > INDEX_MAX &&
           token_set(out, word->from, word->to, TOKEN_PID, NORMALISER_PIDS);
}

/* "sandbox/linux-sandbox/15/" of a build that counts its actions. */
static bool find_sandbox(const struct token_scan *scan, const struct token_word *word,
                         struct token *out)
{
    return byte_at(scan, word->to) == '/' && ends_with_word(scan, word->from - 1, "sandbox") &&
           token_set(out, word->from, word->to, TOKEN_PID, NORMALISER_PIDS);
}

/* "7 (42s ago)": how often Kubernetes restarted a container, and when. */
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
    if (!byte_is(*word->from, CLASS_DIGIT))
        return *word->from == 'g' && find_pytest_worker(scan, word, out);
    if (!(word->all_classes & CLASS_DIGIT))
        return false;
    switch (byte_before(scan, word->from)) {
    case '[':
        return find_bracketed(scan, word, out) || find_prefixed(scan, word, out);
    case ':':
        return find_port(scan, word, out) || find_spoken(scan, word, out);
    case '-':
        return find_pool(scan, word, out) || find_joined(scan, word, out) ||
               find_spoken(scan, word, out);
    case '(':
        return find_panicked(scan, word, out) || find_spoken(scan, word, out);
    case '<':
        return find_reference(scan, word, out);
    case '/':
        return find_sandbox(scan, word, out);
    case ' ':
        return find_ended(scan, word, out) || find_connection(scan, word, out) ||
               find_commit(scan, word, out) || find_restarts(scan, word, out) ||
               find_spoken(scan, word, out);
    case '#':
    case '=':
        return find_spoken(scan, word, out);
    default:
        return false;
    }
}

/* "(12/12 lines shown, read 4 times)": what a harness added about its own reading. */
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
    const byte *from = word->from - 1; /* with the blank on one of its sides */
    const byte *to = p + 1;
    if (byte_before(scan, from) == ' ' && scan->floor < from)
        from--;
    else if (byte_at(scan, to) == ' ')
        to++;
    return token_set(out, from, to, TOKEN_NOTHING, NORMALISER_TRIES);
}

/* "[1] 48211": a shell says which process it put in the background. */
static bool find_job(const struct token_scan *scan, struct token *out)
{
    const byte *at = run_end(scan, scan->start + 1, CLASS_DIGIT);
    if (at == scan->start + 1 || !token_is_next(scan, at, "] "))
        return false;
    const byte *pid = at + 2;
    const byte *end = run_end(scan, pid, CLASS_DIGIT);
    return end == scan->end && end - pid >= 2 && end - pid <= PID_LEN_MAX &&
           token_set(out, pid, end, TOKEN_PID, NORMALISER_PIDS);
}

/* "==5277==" of memory checkers. */
static bool find_checker(const struct token_scan *scan, struct token *out)
{
    if (!token_is_next(scan, scan->start, "=="))
        return false;
    const byte *pid = scan->start + 2;
    const byte *end = run_end(scan, pid, CLASS_DIGIT);
    return end > pid && end - pid <= PID_LEN_MAX && token_is_next(scan, end, "==") &&
           token_set(out, pid, end, TOKEN_PID, NORMALISER_PIDS);
}

bool token_pid_prefix(const struct token_scan *scan, struct token *out)
{
    return *scan->start == '[' ? find_job(scan, out)
                               : *scan->start == '=' && find_checker(scan, out);
}
