/* token_amount.c - durations and rates (rules 8 and 11). */
#include <assert.h>

#include "attr.h"
#include "token_scan.h"

enum {
    UNIT_MAX = 8,     /* letters */
    FIGURES_MAX = 20, /* with the commas between thousands */
    LIST_MAX = 8,     /* numbers with a slash between them */
    PARTS_MAX = 6,    /* of one duration: from weeks to milliseconds */
    METER_COLONS = 6, /* in the three clocks of curl's meter */
};

/* What may follow a number at once, and what only after a blank: "5m" is an age, but "5 m"
 * are metres. */
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

/* Units that are rates by themselves, and what may stand after the slash of one. */
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

/* The number at a place, and the letters after it. */
struct amount {
    const byte *figures_end;
    const byte *unit, *unit_end; /* equal: there is none */
};

/* The end of the list that a ping sums up with: 0.03/0.05/0.07. */
static const byte *list_end(const struct token_scan *scan, const byte *end)
{
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

/* The end of 12, 1.5 or 1,234.5. */
static const byte *figures_end(const struct token_scan *scan, const byte *at)
{
    const byte *end = run_end(scan, at, CLASS_DIGIT);
    while (byte_at(scan, end) == ',' && end - at < FIGURES_MAX &&
           run_end(scan, end + 1, CLASS_DIGIT) - end == 4)
        end += 4;
    if (byte_at(scan, end) != '.' || !byte_is(byte_at(scan, end + 1), CLASS_DIGIT))
        return end;
    return list_end(scan, run_end(scan, end + 1, CLASS_DIGIT));
}

/* Letters of a unit, the Greek one of microseconds included. */
static const byte *unit_end(const struct token_scan *scan, const byte *at)
{
    const byte *p = at;
    while (p < scan->end && p - at <= UNIT_MAX &&
           (byte_is(*p, CLASS_LETTER) || (*p >= 0x80 && p - at < 2)))
        p++;
    return p;
}

static struct amount amount_at(const struct token_scan *scan, const byte *at)
{
    struct amount amount = {.figures_end = figures_end(scan, at)};
    amount.unit = amount.figures_end + (byte_at(scan, amount.figures_end) == ' ');
    amount.unit_end = unit_end(scan, amount.unit);
    return amount;
}

/* The first byte of a unit of time. Most words after a number are none. */
static bool may_be_time(byte first)
{
    switch (first) {
    case 's':
    case 'm':
    case 'h':
    case 'd':
    case 'n':
    case 'u':
    case 'w':
    case 0xc2:
    case 0xce:
        return true;
    default:
        return false;
    }
}

static bool is_time(const struct amount *amount)
{
    if (!may_be_time(*amount->unit))
        return false;
    const unsigned place = amount->unit > amount->figures_end ? UNIT_AFTER_BLANK : UNIT_AT_ONCE;
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        if ((units[i].place & place) && is_name(amount->unit, amount->unit_end, &units[i].name))
            return true;
    }
    return false;
}

/* "1m23s", "1m 23s": the end of all that belongs to one duration; NULL if it is a name. */
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

/* "932M 0s", "1.07G=0.01s": wget leaves out the "/s" of its rates. */
static bool is_bare_rate(const struct token_scan *scan, const struct amount *amount)
{
    const byte unit = *amount->unit;
    const byte next = byte_at(scan, amount->unit_end);
    if (amount->unit > amount->figures_end || amount->unit_end - amount->unit != 1 ||
        (unit != 'K' && unit != 'M' && unit != 'G') || (next != ' ' && next != '='))
        return false;
    const struct amount left = amount_at(scan, amount->unit_end + 1);
    return left.figures_end > amount->unit_end + 1 && left.unit == left.figures_end &&
           left.unit_end > left.unit && is_time(&left);
}

/* The end of "/s", "/sec", "/it", or of a unit that is a rate; NULL if it is none. */
static const byte *rate_end(const struct token_scan *scan, const struct amount *amount)
{
    const byte *end = amount->unit_end;
    const byte next = byte_at(scan, end);
    if (next == '/') {
        const byte *word = run_end(scan, end + 1, CLASS_WORD);
        return word > end + 1 && is_one_of(end + 1, word, per, ARRAY_LEN(per)) ? word : NULL;
    }
    if (is_bare_rate(scan, amount))
        return end;
    bool ends = !byte_is(next, CLASS_WORD) && next != '=';
    return ends && is_one_of(amount->unit, end, rates, ARRAY_LEN(rates)) ? end : NULL;
}

/* A part of a name, of a version or of a format ("%-11s"): what is before the number is
 * joined to it. */
static bool is_joined(const struct token_scan *scan, const byte *at)
{
    const byte before = byte_before(scan, at);
    if (before == '.' || before == '%' || before == '?')
        return true;
    if ((before != '-' && before != '/') || at - scan->start < 2)
        return false;
    bool named = byte_is(at[-2], CLASS_WORD) || at[-2] == '>' || at[-2] == '%';
    return named && at - 1 != scan->matched;
}

/* The end of "00:05<00:10" in a progress bar, where `at` is its first figure. */
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

/* "3s" is a duration, but "3s/it" a rate. */
static bool find_amount(const struct token_scan *scan, const byte *at, const struct amount *amount,
                        struct token *out)
{
    const byte *end = rate_end(scan, amount);
    if (end)
        return token_set(out, at, end, TOKEN_RATE, NORMALISER_RATES);
    assert(amount->unit_end > at);
    end = is_time(amount) ? duration_end(scan, amount->unit_end) : NULL;
    return end && token_set(out, at, end, TOKEN_DURATION, NORMALISER_DURATIONS);
}

/* The end of "0.234 (0.456) seconds" of XCTest, whose first figures end at `end`; NULL for others.
 */
static const byte *paired_end(const struct token_scan *scan, const byte *end)
{
    static const char unit[] = ") seconds";
    if (!token_is_next(scan, end, " ("))
        return NULL;
    const byte *figures = figures_end(scan, end + 2);
    return figures > end + 2 && token_is_next(scan, figures, unit) ? figures + sizeof(unit) - 1
                                                                   : NULL;
}

bool token_amount(const struct token_scan *scan, const struct token_word *word, struct token *out)
{
    const byte *at = word->from;
    if (is_joined(scan, at))
        return false;
    const byte *end = bar_end(scan, at);
    if (end)
        return token_set(out, at, end, TOKEN_DURATION, NORMALISER_DURATIONS);
    const struct amount amount = amount_at(scan, at);
    end = paired_end(scan, amount.figures_end);
    if (end)
        return token_set(out, at, end, TOKEN_DURATION, NORMALISER_DURATIONS);
    return amount.unit_end > amount.unit && find_amount(scan, at, &amount, out);
}

/* curl's meter, a whole line of figures: "100 155 100 155 0 0 914 0 --:--:-- --:--:-- 0". */
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
