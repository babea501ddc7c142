/*
 * What the files of redaction share. Private to core/redact and its tests.
 */
#ifndef DEVS_REDACT_INTERNAL_H
#define DEVS_REDACT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redact.h"
#include "rule_pattern.h"

/*
 * Which values are secrets by their names and their looks; the alphabets that they are written
 * in; the gaps (escape sequences, controls) within them. Pure.
 */

/* May a value be a secret, whatever its name says? Not if it is shorter than REDACT_VALUE_MIN, a
 * path, a short number, a word that everybody has, one character or two again and again, or has
 * a mark where a secret was. */
bool redact_may_be_secret(const char *value, size_t len);

enum redact_alphabet {
    REDACT_LETTER,
    REDACT_ALNUM,
    REDACT_UPPER,  /* capitals and digits */
    REDACT_HEX,    /* of either case */
    REDACT_NAME,   /* letters, digits, _ */
    REDACT_WORD,   /* the same and -: the URL-safe base64 */
    REDACT_DOTTED, /* the same and . */
    REDACT_BASE64, /* letters, digits, + / = */
    REDACT_BEARER, /* letters, digits, . _ ~ + / = -: token68 of RFC 9110, 11.2 */
    REDACT_LABEL,  /* capitals, digits, blank: of a PEM block */
    REDACT_LOWER_HEX,
    REDACT_PATH,      /* letters, digits, _ - / @ */
    REDACT_COOKIE,    /* of one cookie's value */
    REDACT_COOKIES,   /* of a list of cookies: also ; and blanks */
    REDACT_AUTHORITY, /* between "://" and the end of a host: all but / ? # and blanks, quotes,
                         brackets of text */
};

/* Whether it is one of these characters; never for NUL. */
bool redact_is_one_of(unsigned char c, const char *chars);
/* Is it a character of this alphabet? */
bool redact_is_in(enum redact_alphabet alphabet, unsigned char c);
/* How many of the first bytes are in it; `limit` at most. */
size_t redact_run(enum redact_alphabet alphabet, const char *bytes, size_t len, size_t limit);

enum {
    REDACT_GAPS_MAX = 32, /* within one secret */
    REDACT_GAP_MAX = 32,  /* bytes of one; longer sequences are not gaps */
};

/* What was passed over, in order. Offsets in the stream. */
struct redact_gaps {
    struct {
        int64_t start, end;
    } items[REDACT_GAPS_MAX];
    size_t count;
};

/* False if there are too many. */
bool redact_gaps_add(struct redact_gaps *gaps, int64_t start, int64_t end);
/* Where the last `depth` bytes before `end` begin, the gaps among them not counted. */
int64_t redact_gaps_start(const struct redact_gaps *gaps, int64_t end, int64_t depth);

/* Whether a gap is among these bytes, the gaps not counted. */
bool redact_gaps_within(const struct redact_gaps *gaps, int64_t end, int64_t depth);

/* A search that continues after gaps, beside the search that does not skip them. */
struct redact_joined {
    uint32_t node;     /* in the trie; the root: nothing */
    int64_t resume_at; /* the end of the last gap */
    struct redact_gaps gaps;
};

/* Can one begin with this byte? */
bool redact_gap_begins(unsigned char c);
/* Length of the escape sequence or control at bytes[0] that shows nothing and contains no text; 0
 * if there is none. *open: more bytes may make it one, or make it longer. */
size_t redact_gap_len(const char *bytes, size_t len, bool *open);

/*
 * Secrets that are found by what is before them: a name (password=..., "api_key": "...", Cookie:
 * ..., netrc) or the first line of a PEM block. Pure.
 */

/* How much a value must look like a secret for the name in front of it. */
enum redact_trust {
    REDACT_TRUST_PASSWORD, /* people make them: 6 characters, not a word */
    REDACT_TRUST_KEY,      /* programs make them: 8 characters, not a word */
    REDACT_TRUST_TOKEN,    /* the name means many things: 16 characters with letters and digits */
};

/*
 * What known tokens look like, whoever's they are. Pure.
 *
 * A form starts with fixed bytes; what follows is looked at by hand. The rules of length and
 * alphabet are those that the makers of the tokens give, and those that scanners of repositories
 * use: docs/secrets.md has the list.
 */

enum {
    REDACT_FORM_BYTES_MAX = 4096, /* from a form's start; by then it is decided */
    REDACT_PEM_LINE_MAX = 4096,   /* bytes of a line of a private key; longer is none */
};

/* Bytes to look at, from where a form starts to the last one there is. */
struct redact_place {
    const char *bytes;
    size_t len;
    int before; /* the byte before them, -1 = none */
    bool ended; /* no more will come */
    /* In and out, NULL = not kept: how many of the first bytes are known to be letters of a
     * token. Where many forms begin in one run, it is walked over once. */
    size_t *letters;
};

/* What goes on behind a cut without an end of its own. */
enum redact_rest { REDACT_REST_NONE, REDACT_REST_RUN, REDACT_REST_PEM };
struct redact_tail {
    enum redact_rest rest;
    enum redact_alphabet alphabet; /* of a run */
    bool after_long;               /* PEM: the line before was one of the key */
};

enum redact_found { REDACT_NOT, REDACT_MORE, REDACT_CUT };
struct redact_cut {
    size_t start, end; /* in the place; equal: only what the tail takes is cut. Where more has to
                          come: nothing before `start` will be cut */
    struct redact_tail tail;
};

/* How many forms of secrets are known by their shape. */
size_t redact_form_count(void);
/* The bytes that form starts with, and what it is called in a mark; several may share a name. */
const char *redact_form_start(size_t form);
/* The name of the form. Static. */
const char *redact_form_name(size_t form);

/* Is it long and plain enough to be told apart inside of base64? */
bool redact_form_may_be_wrapped(size_t form);

/* Is it known by the name in front of it? A token in its value has a better name. */
bool redact_form_is_named(size_t form);

/* Is it that form? MORE: it hangs on bytes still to come; never with place->ended, nor when
 * REDACT_FORM_BYTES_MAX bytes are there. */
enum redact_found redact_form_look(size_t number, const struct redact_place *place,
                                   struct redact_cut *cut);

/* How many of the bytes belong to the cut before them. The tail is REDACT_REST_NONE once it is
 * over; else it goes on with those not taken and more. */
size_t redact_tail_take(struct redact_tail *tail, const char *bytes, size_t len, bool ended);

/*
 * A secret in other encodings, and the known forms of secrets in base64. Pure.
 */

enum {
    REDACT_PIECE_MAX = 2048, /* bytes that are encoded at once */
    REDACT_CODE_MAX =
        8 * REDACT_PIECE_MAX, /* bytes of one form of them; longer ones are left out */
};

/* One of the forms; some come more than once. Borrowed for the call. */
typedef void redact_code_fn(void *ctx, const char *bytes, size_t len);

/* All the forms of a value of 1..REDACT_PIECE_MAX bytes but itself. */
void redact_encode(const char *value, size_t len, redact_code_fn *code, void *ctx);

enum {
    REDACT_PLACES = 3,         /* where in a group of three bytes a token may begin */
    REDACT_BASE64_START = 32,  /* letters that a form's start has in base64, at the most */
    REDACT_DECODED_MAX = 1024, /* bytes that are decoded to see what a token is */
};

/* The letters that hang on nothing but the form's start, where it is the byte `place` of a
 * group; with the alphabet of URLs if `url`. False: that form is not looked for in base64. */
bool redact_base64_start(size_t form, size_t place, bool url, char out[REDACT_BASE64_START]);

/* As redact_form_look(); text->bytes begins with such letters. */
enum redact_found redact_base64_look(size_t form, size_t place, const struct redact_place *text,
                                     struct redact_cut *cut);

/*
 * What text says once the escapes of JSON, HTML, URLs and shells are undone, one character at a
 * time, up to two levels deep. Pure.
 *
 * Lenient: each notation takes what any of its usual writers makes, also where it need not
 * escape.
 */

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

/*
 * Many byte strings looked for at once, in time linear in the text: a trie with the links of Aho
 * and Corasick (Efficient string matching, CACM 18, 1975).
 *
 * What is looked for has names, or starts a known form, or both. Read-only once it is built.
 */

enum {
    REDACT_TRIE_ROOT = 0,
    REDACT_TRIE_BLOCK = 3,     /* bytes; no entry is shorter */
    REDACT_TRIE_NAMELESS = -1, /* no value ends here, or passes here */
    REDACT_TRIE_HASH_BITS = 16,
    REDACT_TRIE_GROUPS = 16, /* of bytes: by their value */
};

struct redact_node {
    uint32_t child, next; /* the first child, the next one of the same parent; 0 = none */
    uint32_t shorter;     /* the longest proper ending of this that is in the trie */
    uint32_t also;        /* the longest one of those at which something ends; 0 = none */
    int32_t value;        /* whose value ends here, or NAMELESS */
    int32_t passing;      /* whose value this is the beginning of, or NAMELESS */
    int16_t form;         /* number of the form that starts here, -1 = none */
    bool raw;             /* what ends here is a value itself, no other form of one */
    unsigned char byte;   /* that leads here */
    uint32_t depth;       /* bytes from the root */
};

struct redact_hashes {
    uint64_t bits[(1 << REDACT_TRIE_HASH_BITS) / 64];
};

struct redact_trie {
    struct redact_node *nodes; /* owned */
    size_t count, cap;
    uint32_t first[256]; /* children of the root */
    /* Hashes of what entries begin with: their first blocks; of the shortest entries those
     * alone; of the others the first two blocks. What is not in here starts nothing. */
    struct redact_hashes starts, shorts, pairs;
    /* What two bytes that follow each other may be of a start (redact_trie.c), a bit for each
     * group of its third or its first byte: */
    uint64_t twos[1 << 16];
    uint16_t firsts[256], thirds[256]; /* the groups of bytes that starts have there */
};

void redact_trie_init(struct redact_trie *trie);
/* Overwrites what was in it. */
void redact_trie_done(struct redact_trie *trie);

/* A value: false if it is in already. Of those that are equal the name that came first stays.
 * len >= REDACT_TRIE_BLOCK. */
bool redact_trie_add_value(struct redact_trie *trie, const char *bytes, size_t len, int name);
/* Another form of a value. */
void redact_trie_add_code(struct redact_trie *trie, const char *bytes, size_t len, int name);
/* Of those that are equal the one that came first stays. */
void redact_trie_add_form(struct redact_trie *trie, const char *start, int form);
/* Text that holds an entry may begin so, where an escape is in it: redact_escaped_starts(). */
void redact_trie_add_start(struct redact_trie *trie, const unsigned char *bytes, size_t len);
/* After the last entry. */
void redact_trie_build(struct redact_trie *trie);

/* From the root: the next place at or after `at` where something may start; nothing starts
 * before it. The last bytes before `len` are not looked at. A start goes on behind a gap
 * (redact_gaps.h) or an escape of another notation that comes after its third byte, an escape
 * sequence after its second, a CSI after its first. */
size_t redact_trie_skip(const struct redact_trie *trie, const unsigned char *bytes, size_t at,
                        size_t len);
/* May something start at bytes[0], as redact_trie_skip() sees it? False with *is_open set: it hangs
 * on bytes that have not come; never if `ended`. */
bool redact_trie_may_start(const struct redact_trie *trie, const unsigned char *bytes, size_t len,
                           bool ended, bool *is_open);
/* The node after `byte`, by way of shorter starts where it does not fit; 0, the root, where nothing
 * does. */
uint32_t redact_trie_step(const struct redact_trie *trie, uint32_t node, unsigned char byte);
/* The longest ending of a node with which something may go on. */
uint32_t redact_trie_settle(const struct redact_trie *trie, uint32_t node);
/* The node itself if something ends there, else the longest ending at which something does. */
uint32_t redact_trie_ends(const struct redact_trie *trie, uint32_t node);

/*
 * Values in text that was escaped once or twice, beside the search that takes the bytes as they
 * are.
 *
 * A lane undoes one pair of notations and walks the same trie with what it reads. It begins at an
 * escape, where the search is within what may be a value, and ends where what it matches has no
 * escape in it any more.
 */

struct redact_stream;
struct redact_trie;

enum {
    REDACT_LANES =
        (REDACT_ESCAPER_COUNT - 1) * REDACT_ESCAPER_COUNT, /* each alone, and all pairs */
    REDACT_LANE_ESCAPES_MAX = 4096,    /* in one value; a value with more is not found */
    REDACT_LANE_BYTES_MAX = 24 * 1024, /* of a value with its escapes; the same */
};

/* An escape: in the stream, and in the text that the lane reads. */
struct redact_lane_escape {
    int64_t raw_start, raw_end, start, end;
};

struct redact_lane {
    uint32_t node;                      /* in the trie; the root: the lane does nothing */
    int64_t resume_at;                  /* bytes before it were read */
    int64_t read;                       /* bytes of text */
    int64_t offset;                     /* from there to the stream's, before the first escape */
    struct redact_lane_escape *escapes; /* owned */
    size_t count, cap;
    struct redact_unit unit; /* what comes next; taken 0: nothing is known */
};

struct redact_lanes {
    int active; /* lanes that do something */
    struct redact_lane lanes[REDACT_LANES];
};

void redact_lanes_done(struct redact_lanes *lanes);
/* The stream is at its end. */
void redact_lanes_reset(struct redact_lanes *lanes);

/* Look at what comes next, before the search takes its byte. False: it hangs on bytes that have not
 * come, before `limit`. Nothing changes but the lanes' `unit`. */
bool redact_lanes_prepare(struct redact_stream *stream, int64_t limit, bool ended);
/* Take it. What is found goes into the stream's spans. */
void redact_lanes_take(struct redact_stream *stream);
/* No value that a lane may still find begins before this; `at` if that is less. */
int64_t redact_lanes_settled(const struct redact_stream *stream, int64_t at);
/* After the last byte: the beginnings of values are cut, as redact_search_cut_short() does. */
void redact_lanes_cut_short(struct redact_stream *stream);

/*
 * What a redactor is made of, for the files that make it and use it.
 */

/* Of cuts that begin in one place, the first of these names it. */
enum redact_rank { REDACT_RANK_VALUE, REDACT_RANK_FORM, REDACT_RANK_PATTERN };

enum { REDACT_MARK_MAX = REDACT_NAME_MAX + 8 };

/* In the trie, form + this * redact_form_count() is a form inside of base64. */
enum redact_wrap { REDACT_PLAIN, REDACT_FIRST_PLACE };

struct redact_name {
    char *text; /* owned; as it was given */
    char mark[REDACT_MARK_MAX];
    size_t mark_len;
    enum redact_rank rank;
};

struct redactor {
    struct redact_trie trie;
    struct redact_trie forms;  /* their starts alone; while it is made */
    struct redact_name *names; /* owned */
    size_t name_count, name_cap;
    int *form_names; /* owned; the name of each form, -1 = kept */
    char **listed;   /* owned copies of the settings' lists; NULL = none */
    char **kept;     /* owned */
    size_t value_count, value_bytes;
    struct rule_pattern **patterns; /* owned, each */
    int *pattern_names;             /* owned */
    size_t pattern_count;
};

/*
 * What is to be cut and has not been written yet, in order, without overlaps.
 */

/* Offsets in the stream. */
struct redact_span {
    int64_t start, end;
    int name;
};

struct redact_spans {
    struct redact_span *items; /* owned */
    size_t count, cap;
    size_t first; /* those before it are done with */
};

/*
 * A stream from inside: redact_stream.c keeps and writes its bytes, redact_search.c finds in them
 * what is cut.
 */

struct redact_stream {
    const struct redactor *redactor; /* borrowed; NULL: nothing is cut */
    unsigned char *bytes;            /* owned; from `base` on */
    size_t len, cap;
    int64_t base;    /* where bytes[0] stands in the stream */
    int64_t written; /* what is before it was given to the sink, or a mark for it */
    int before;      /* the byte before bytes[0], -1 = none */
    /* The search. */
    int64_t searched;                /* up to here */
    struct redact_joined joined;     /* the same over what shows nothing */
    struct redact_lanes *lanes;      /* owned; the same in what was escaped; NULL: none yet */
    uint32_t lanes_from;             /* the node after which they begin; UINT32_MAX = none do */
    uint32_t node;                   /* what ends there may become an entry */
    uint32_t ending;                 /* an entry ends there that was not taken yet; 0 = none */
    bool undecided;                  /* the form at `ending` hangs on what comes */
    int64_t undecided_from;          /* it cuts nothing before this */
    int64_t letters_at, letters_end; /* letters of a token, without another byte between */
    struct redact_spans spans;
    /* The last form that was found. */
    struct redact_tail tail; /* how it goes on */
    int64_t tail_at;         /* up to where it goes */
    int tail_name;
    bool tail_is_named; /* a token within it gives the name */
    int64_t tail_start;
    /* The lines, for patterns. */
    struct rule_matcher *matcher; /* owned; NULL: there are none */
    int64_t line_at;              /* what is before it was looked at */
    bool line_begins;             /* a line begins there */
    struct redact_counts counts;
};

/* Where the stream ends by now, as offsets in it count. */
static inline int64_t redact_stream_end_of(const struct redact_stream *stream)
{
    return stream->base + (int64_t)stream->len;
}

/* The byte there; it is kept. */
static inline const char *redact_stream_at(const struct redact_stream *stream, int64_t offset)
{
    return (const char *)stream->bytes + (offset - stream->base);
}

/* Cut from `start` to `end`. What was written before counts as the rest of another cut. */
void redact_search_add_span(struct redact_stream *stream, int64_t start, int64_t end, int name);

#endif
