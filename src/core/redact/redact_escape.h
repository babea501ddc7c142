/*
 * redact_escape.h - what text says once the escapes of JSON, HTML, URLs and shells are undone, one
 * character at a time, up to two levels deep. Pure.
 *
 * Lenient: each notation takes what any of its usual writers makes, also where it need not escape.
 */
#ifndef DEVS_REDACT_ESCAPE_H
#define DEVS_REDACT_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

enum redact_escaper {
    REDACT_ESCAPER_NONE,
    REDACT_BACKSLASH, /* \" \/ \n \u00e4 \ud83d\ude00 \u{e4} \x27 \x{27} \047 \0047 \$: JSON, C,
                         Python, shells */
    REDACT_ENTITY,    /* &quot; &#39; &#x27; &auml;: HTML, XML */
    REDACT_PERCENT,   /* %2F %u00e4, and + for a blank: URLs, forms */
    REDACT_SHELL,     /* '\'' '"'"' within quotes of a shell */
    REDACT_DOUBLED,   /* '' "": SQL, CSV, YAML */
    REDACT_ESCAPER_COUNT,
};

/* Two levels: the outer one was written last, and is undone first. */
struct redact_escapers {
    enum redact_escaper outer, inner; /* inner may be NONE */
};

enum {
    REDACT_UNIT_MAX = 4,       /* bytes of a character */
    REDACT_STARTS_INDEXES = 3, /* a start has an escape among its first characters */
};

/* What the bytes at one place stand for. */
struct redact_unit {
    unsigned char bytes[REDACT_UNIT_MAX];
    size_t len;      /* of them; 0: a color, of which nothing is shown */
    size_t taken;    /* raw bytes */
    bool is_escaped; /* else one byte that stands for itself */
};

/* Can an escape of any kind begin with this byte? A plus is one in URLs. */
bool redact_escape_begins(unsigned char c);

/* Can an escape of these begin with this byte? */
bool redact_escape_begins_in(struct redact_escapers escapers, unsigned char c);

/* Read what is at bytes[0], of len > 0. False: it hangs on bytes that have not come; never if
 * `ended`. */
bool redact_unit_read(struct redact_escapers escapers, const char *bytes, size_t len, bool ended,
                      struct redact_unit *out);

/* One way in which text that holds the value may begin; 3 to 6 bytes. Some come more than once. */
typedef void redact_start_fn(void *ctx, const unsigned char *bytes, size_t len);
/* All ways that have an escape where the value has one of its first REDACT_STARTS_INDEXES bytes. */
void redact_escaped_starts(const char *value, size_t len, redact_start_fn *start, void *ctx);

#endif
