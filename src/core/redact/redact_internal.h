/* Shared by the files of core/redact and their tests. */
#ifndef DEVS_REDACT_INTERNAL_H
#define DEVS_REDACT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "redact.h"
#include "rule_pattern.h"

/* Names, appearance and alphabets of secrets (redact.c), and gaps within secrets
 * (redact_stream.c). */

/* Returns false if the value cannot be a secret, whatever its name: shorter than
 * REDACT_VALUE_MIN, a path, a short number, a common word, one or two characters repeated, or
 * redacted already. */
bool redact_may_be_secret(const char *value, size_t len);

enum redact_alphabet {
    REDACT_LETTER,
    REDACT_ALNUM,
    REDACT_UPPER,  /* capitals and digits */
    REDACT_HEX,    /* either case */
    REDACT_NAME,   /* letters, digits, _ */
    REDACT_WORD,   /* REDACT_NAME and -: URL-safe base64 */
    REDACT_DOTTED, /* REDACT_WORD and . */
    REDACT_BASE64, /* letters, digits, + / = */
    REDACT_BEARER, /* letters, digits, . _ ~ + / = -: token68 of RFC 9110, 11.2 */
    REDACT_LABEL,  /* capitals, digits, blank: the label of a PEM block */
    REDACT_LOWER_HEX,
    REDACT_PATH,      /* letters, digits, _ - / @ */
    REDACT_COOKIE,    /* the value of one cookie */
    REDACT_COOKIES,   /* a list of cookies: also ; and blanks */
    REDACT_AUTHORITY, /* between "://" and the end of a host: all but / ? # and blanks, quotes,
                         brackets */
};

/* Returns whether the value begins with `start`. */
static inline bool redact_begins_with(const char *value, size_t len, const char *start)
{
    return len >= strlen(start) && memcmp(value, start, strlen(start)) == 0;
}

/* Returns true if `c` is one of these characters; never for NUL. */
bool redact_is_one_of(unsigned char c, const char *chars);
/* Returns true if `c` is in this alphabet. */
bool redact_is_in(enum redact_alphabet alphabet, unsigned char c);
/* Returns how many bytes at the start are in the alphabet, at most `limit`. */
size_t redact_run(enum redact_alphabet alphabet, const char *bytes, size_t len, size_t limit);

enum {
    REDACT_GAPS_MAX = 32, /* maximum gaps within one secret */
    REDACT_GAP_MAX = 32,  /* maximum bytes of one gap; longer sequences are not gaps */
};

/* The gaps skipped so far, in order, as offsets in the stream. */
struct redact_gaps {
    struct {
        int64_t start, end;
    } items[REDACT_GAPS_MAX];
    size_t count;
};

/* The search that continues across gaps. Runs in addition to the plain search. */
struct redact_joined {
    uint32_t node;     /* the current node; the root: inactive */
    int64_t resume_at; /* end of the last gap */
    struct redact_gaps gaps;
};

/* Returns true if a gap can begin with this byte. */
bool redact_gap_begins(unsigned char c);

/*
 * Forms of known tokens (redact_forms.c).
 */

enum {
    REDACT_FORM_BYTES_MAX = 4096, /* maximum bytes, from the start of a form, needed to decide */
    REDACT_PEM_LINE_MAX = 4096,   /* maximum bytes of a line of a private key */
};

/* The bytes to look at, from the start of a form to the last one available. */
struct redact_place {
    const char *bytes;
    size_t len;
    int before; /* the byte before them; -1 = none */
    bool ended; /* no more bytes will come */
    /* In and out; may be NULL: how many bytes at the start are known to be letters of a token.
     * Avoids scanning a run again for each form that begins in it. */
    size_t *letters;
};

/* Returns whether the byte at `at` has not arrived yet. */
static inline bool redact_is_open(const struct redact_place *place, size_t at)
{
    return at >= place->len && !place->ended;
}

/* Returns whether `c` is a blank or a tab. */
static inline bool redact_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* How a cut continues if its end is not known yet. */
enum redact_rest { REDACT_REST_NONE, REDACT_REST_RUN, REDACT_REST_PEM };
struct redact_tail {
    enum redact_rest rest;
    enum redact_alphabet alphabet; /* REDACT_REST_RUN: alphabet of the run */
    bool after_long;               /* PEM: the previous line was long enough to belong to the key */
};

enum redact_found { REDACT_NOT, REDACT_MORE, REDACT_CUT };
struct redact_cut {
    size_t start, end; /* offsets in the place; if equal, only the bytes that the tail takes are
                          cut. With REDACT_MORE, nothing before `start` will be cut */
    struct redact_tail tail;
};

/* Returns the number of known forms. */
size_t redact_form_count(void);
/* Returns the bytes that the form starts with. Static. */
const char *redact_form_start(size_t form);
/* Returns the name of the form in a mark; forms may share a name. Static. */
const char *redact_form_name(size_t form);

/* Returns true if the form is long and plain enough to be recognized within base64. */
bool redact_form_may_be_wrapped(size_t form);

/* Returns true if the form is recognized by the name before a value. If the value contains a known
 * token, the token's name is better. */
bool redact_form_is_named(size_t form);

/* Checks for the form. Returns MORE if that depends on further bytes: never with place->ended, nor
 * once REDACT_FORM_BYTES_MAX bytes have arrived. */
enum redact_found redact_form_look(size_t number, const struct redact_place *place,
                                   struct redact_cut *cut);

/* Returns how many of the bytes belong to the preceding cut. Sets the tail to REDACT_REST_NONE
 * once it has ended; otherwise call again with the bytes not taken, and more. */
size_t redact_tail_take(struct redact_tail *tail, const char *bytes, size_t len, bool ended);

/*
 * Secrets recognized by what precedes them (redact_named.c). `name_len` is the length of the name.
 */

/* How much a value must look like a secret, given the name before it. */
enum redact_trust {
    REDACT_TRUST_PASSWORD, /* chosen by people: at least 6 bytes, not a word */
    REDACT_TRUST_KEY,      /* generated: at least 8 bytes, not a word */
    REDACT_TRUST_TOKEN,    /* after an ambiguous name: at least 16 bytes with letters and digits */
};

/* Like redact_tail_take(), for PEM: takes lines of base64 and header fields up to the line that
 * ends the key. A line feed may be written as \n. If the first line stands alone, as in source
 * code, takes nothing after it. */
size_t redact_pem_take(struct redact_tail *tail, const char *bytes, size_t len, bool ended);

/* Looks for a secret in the value after the name. */
enum redact_found redact_assigned_look(enum redact_trust trust, const struct redact_place *place,
                                       size_t name_len, struct redact_cut *cut);

/* Looks for the values of "Cookie: a=b; c=d", "Set-Cookie: a=b; Path=/": cuts from the first value
 * on. */
enum redact_found redact_cookie_look(const struct redact_place *place, size_t name_len,
                                     struct redact_cut *cut);

/* Looks for the password of "machine h login u password p", on one line or on several. */
enum redact_found redact_netrc_look(const struct redact_place *place, size_t name_len,
                                    struct redact_cut *cut);

/*
 * Encodings of a secret, and known forms within base64 (redact_encode.c).
 */

enum {
    REDACT_PIECE_MAX = 2048,                /* maximum bytes encoded at once */
    REDACT_CODE_MAX = 8 * REDACT_PIECE_MAX, /* bytes of an encoded form; longer ones are left out */
};

/* Called for each form; may get a form more than once. Borrows `bytes` for the duration of the
 * call. */
typedef void redact_code_fn(void *ctx, const char *bytes, size_t len);

/* Reports all forms of a value of 1..REDACT_PIECE_MAX bytes except the value itself. */
void redact_encode(const char *value, size_t len, redact_code_fn *code, void *ctx);

enum {
    REDACT_PLACES = 3,         /* positions in a group of three bytes at which a token may begin */
    REDACT_BASE64_START = 32,  /* buffer for the start of a form in base64, with its NUL */
    REDACT_DECODED_MAX = 1024, /* maximum bytes decoded to recognize a token */
};

/* Writes the letters that depend only on the start of the form, if the form begins at byte `place`
 * of a group of three; in the URL-safe alphabet if `url`. Returns false if the form is not searched
 * for in base64. */
bool redact_base64_start(size_t form, size_t place, bool url, char out[REDACT_BASE64_START]);

/* Like redact_form_look(), for text->bytes that begin with the letters of redact_base64_start(). */
enum redact_found redact_base64_look(size_t form, size_t place, const struct redact_place *text,
                                     struct redact_cut *cut);

/*
 * Escapes (redact_encode.c): undone one character at a time, up to two levels deep.
 */

enum redact_escaper {
    REDACT_ESCAPER_NONE,
    REDACT_BACKSLASH, /* \" \/ \n \u00e4 \ud83d\ude00 \u{e4} \x27 \x{27} \047 \0047 \$: JSON, C,
                         Python, shells */
    REDACT_ENTITY,    /* &quot; &#39; &#x27; &auml;: HTML, XML */
    REDACT_PERCENT,   /* %2F %u00e4, and + for a blank: URLs, forms */
    REDACT_SHELL,     /* '\'' '"'"' within shell quotes */
    REDACT_DOUBLED,   /* '' "": SQL, CSV, YAML */
    REDACT_ESCAPER_COUNT,
};

/* Two levels of escaping. The outer one was applied last, and is undone first. */
struct redact_escapers {
    enum redact_escaper outer, inner; /* inner may be NONE */
};

enum {
    REDACT_UNIT_MAX = 4,       /* maximum bytes of a character */
    REDACT_STARTS_INDEXES = 3, /* a start has its escape in place of one of this many first bytes */
};

/* The character that the bytes at one place encode. */
struct redact_unit {
    unsigned char bytes[REDACT_UNIT_MAX];
    size_t len;      /* bytes of the character; 0: a color, which is invisible */
    size_t taken;    /* raw bytes read */
    bool is_escaped; /* false: a single literal byte */
};

/* Returns true if any escape can begin with this byte. A plus is one in URLs. */
bool redact_escape_begins(unsigned char c);

/* Returns true if an escape of these notations can begin with this byte. */
bool redact_escape_begins_in(struct redact_escapers escapers, unsigned char c);

/* Reads the unit at bytes[0]; `len` must be positive. Returns false if the unit depends on further
 * bytes; never if `ended`. */
bool redact_unit_read(struct redact_escapers escapers, const char *bytes, size_t len, bool ended,
                      struct redact_unit *out);

/* Called for each way in which text that contains the value may begin: 3 to 6 bytes. May get the
 * same bytes more than once. */
typedef void redact_start_fn(void *ctx, const unsigned char *bytes, size_t len);
/* Reports all starts that have an escape in place of one of the first REDACT_STARTS_INDEXES
 * bytes of the value. */
void redact_escaped_starts(const char *value, size_t len, redact_start_fn *start, void *ctx);

/*
 * Searches for many byte strings at once, in linear time: a trie with the links of Aho and
 * Corasick (Efficient string matching, CACM 18, 1975).
 *
 * Entries have a name, or start a known form, or both. Read-only once built.
 */

enum {
    REDACT_TRIE_ROOT = 0,
    REDACT_TRIE_BLOCK = 3,     /* bytes of a block, and the minimum of an entry */
    REDACT_TRIE_NAMELESS = -1, /* no value ends here, or passes through here */
    REDACT_TRIE_HASH_BITS = 16,
    REDACT_TRIE_GROUPS = 16, /* number of groups that byte values are divided into */
};

struct redact_node {
    uint32_t child, next; /* first child, next sibling; 0 = none */
    uint32_t shorter;     /* longest proper suffix that is in the trie */
    uint32_t also;        /* longest suffix at which an entry ends; 0 = none */
    int32_t value;        /* number of the name whose value ends here, or NAMELESS */
    int32_t passing;      /* number of the name whose value passes through here, or NAMELESS */
    int16_t form;         /* form that starts here; -1 = none */
    bool raw;             /* a raw value ends here, not an encoded form */
    unsigned char byte;   /* the byte that leads here */
    uint32_t depth;       /* bytes from the root */
};

struct redact_hashes {
    uint64_t bits[(1 << REDACT_TRIE_HASH_BITS) / 64];
};

struct redact_trie {
    struct redact_node *nodes; /* owned */
    size_t count, cap;
    uint32_t first[256]; /* children of the root */
    /* Hashes of the beginnings of entries. `starts`: the first block of every entry; `shorts`: the
     * first block of the shortest entries; `pairs`: the first two blocks of the other entries.
     * Nothing else starts an entry. */
    struct redact_hashes starts, shorts, pairs;
    /* Which part of a start two neighboring bytes may be (redact_trie.c): one bit for each group of
     * the start's third or first byte. */
    uint64_t twos[1 << 16];
    uint16_t firsts[256], thirds[256]; /* by byte: its group if a start has it as the first or third
                                          byte, otherwise 0 */
};

void redact_trie_init(struct redact_trie *trie);
/* Overwrites the memory before freeing it. */
void redact_trie_done(struct redact_trie *trie);

/* Adds a value of at least REDACT_TRIE_BLOCK bytes. Returns false if it was added before; it keeps
 * its first name. */
bool redact_trie_add_value(struct redact_trie *trie, const char *bytes, size_t len, int name);
/* Adds another form of a value. */
void redact_trie_add_code(struct redact_trie *trie, const char *bytes, size_t len, int name);
/* Adds the start of a form. If several forms have the same start, the first one stays. */
void redact_trie_add_form(struct redact_trie *trie, const char *start, int form);
/* Adds a beginning, from redact_escaped_starts(), of text that contains an entry with an escape. */
void redact_trie_add_start(struct redact_trie *trie, const unsigned char *bytes, size_t len);
/* Call after adding the last entry. */
void redact_trie_build(struct redact_trie *trie);

/* Returns the next place at or after `at` where an entry may start, for a search at the root. The
 * last bytes before `len` are not searched. After the third byte, a start may continue after a gap
 * or an escape of another notation; after its second byte, after an escape sequence; after its
 * first byte, after a CSI. */
size_t redact_trie_skip(const struct redact_trie *trie, const unsigned char *bytes, size_t at,
                        size_t len);
/* Returns true if an entry may start at bytes[0], as in redact_trie_skip(). Sets *is_open and
 * returns false if the answer depends on further bytes; never if `ended`. */
bool redact_trie_may_start(const struct redact_trie *trie, const unsigned char *bytes, size_t len,
                           bool ended, bool *is_open);
/* Returns the node that `byte` leads to from `node` or from its longest suffix that fits; the root
 * if none fits. */
uint32_t redact_trie_step(const struct redact_trie *trie, uint32_t node, unsigned char byte);
/* Returns the longest suffix of a node, or the node itself, that has children; otherwise the
 * root. */
uint32_t redact_trie_settle(const struct redact_trie *trie, uint32_t node);
/* Returns the node itself if an entry ends there, otherwise the longest suffix at which one
 * does. */
uint32_t redact_trie_ends(const struct redact_trie *trie, uint32_t node);

/*
 * Values in text that was escaped once or twice. Lanes run beside the search over the raw bytes.
 *
 * A lane undoes one pair of notations and walks the same trie with the result. It begins at an
 * escape while the search is within a possible value, and ends when its match no longer contains
 * an escape.
 */

struct redact_stream;
struct redact_trie;

enum {
    /* each notation alone, and each pair of an outer and an inner one */
    REDACT_LANES = (REDACT_ESCAPER_COUNT - 1) * REDACT_ESCAPER_COUNT,
    REDACT_LANE_ESCAPES_MAX = 4096,    /* escapes in a value; a value with more is not found */
    REDACT_LANE_BYTES_MAX = 24 * 1024, /* raw bytes of a value; a longer value is not found */
};

/* An escape: its offsets in the stream and in the text that the lane reads. */
struct redact_lane_escape {
    int64_t raw_start, raw_end, start, end;
};

struct redact_lane {
    uint32_t node;     /* the current node; the root: the lane is inactive */
    int64_t resume_at; /* offset in the stream up to which the lane has read */
    int64_t read;      /* bytes of text read */
    int64_t offset;    /* stream offset minus text offset, before the first escape */
    struct redact_lane_escape *escapes; /* owned */
    size_t count, cap;
    struct redact_unit unit; /* the next unit; not read yet if `taken` is 0 */
};

struct redact_lanes {
    int active; /* number of active lanes */
    struct redact_lane lanes[REDACT_LANES];
};

void redact_lanes_done(struct redact_lanes *lanes);
/* Resets the lanes at the end of the stream. */
void redact_lanes_reset(struct redact_lanes *lanes);

/* Reads the next unit of each lane, before the search takes the next byte. Changes only the `unit`
 * of the lanes. Returns false if a unit depends on bytes that have not arrived, before `limit`. */
bool redact_lanes_prepare(struct redact_stream *stream, int64_t limit, bool ended);
/* Takes the prepared units. Adds the values found to the spans of the stream. */
void redact_lanes_take(struct redact_stream *stream);
/* Returns an offset, at most `at`, before which no lane can still find the beginning of a value. */
int64_t redact_lanes_settled(const struct redact_stream *stream, int64_t at);
/* At the end of the stream: cuts beginnings of values, like redact_search_cut_short(). */
void redact_lanes_cut_short(struct redact_stream *stream);

/* The members of a redactor. */

/* If several cuts begin at the same place, the one with the first of these ranks gives the name. */
enum redact_rank { REDACT_RANK_VALUE, REDACT_RANK_FORM, REDACT_RANK_PATTERN };

enum { REDACT_MARK_MAX = REDACT_NAME_MAX + 8 };

/* In the trie, form + redact_form_count() * this is a form within base64. */
enum redact_wrap { REDACT_PLAIN, REDACT_FIRST_PLACE };

struct redact_name {
    char *text; /* owned; the name as given */
    char mark[REDACT_MARK_MAX];
    size_t mark_len;
    enum redact_rank rank;
};

struct redactor {
    struct redact_trie trie;
    struct redact_trie forms;  /* only the starts of the forms; used while building */
    struct redact_name *names; /* owned */
    size_t name_count, name_cap;
    int *form_names; /* owned; by form: number of its name; -1 = matches of the form are not cut */
    char **listed;   /* owned copies of the lists in the settings; NULL = none */
    char **kept;     /* owned */
    size_t value_count, value_bytes;
    struct rule_pattern **patterns; /* owned, with the patterns */
    int *pattern_names;             /* owned */
    size_t pattern_count;
};

/*
 * Cuts that have not been written yet: sorted, without overlaps.
 */

/* Offsets in the stream. */
struct redact_span {
    int64_t start, end;
    int name;
};

struct redact_spans {
    struct redact_span *items; /* owned */
    size_t count, cap;
    size_t first; /* spans before this index are done */
};

/* The members of a stream: redact_stream.c finds the cuts, and keeps and writes the bytes. */

struct redact_stream {
    const struct redactor *redactor; /* borrowed; NULL: nothing is cut */
    unsigned char *bytes;            /* owned; starting at `base` */
    size_t len, cap;
    int64_t base;    /* offset of bytes[0] in the stream */
    int64_t written; /* offset before which all bytes, or their mark, have reached the sink */
    int before;      /* the byte before bytes[0]; -1 = none */
    /* The search. */
    int64_t searched;            /* offset up to which the plain search has come */
    struct redact_joined joined; /* the search across gaps */
    struct redact_lanes *lanes;  /* owned; the search in escaped text; NULL: not begun */
    uint32_t lanes_from;    /* the node from which lanes start here; UINT32_MAX = no lane starts */
    uint32_t node;          /* the longest suffix so far that may become an entry */
    uint32_t ending;        /* node of an entry that ends here and has not been taken; 0 = none */
    bool undecided;         /* the form at `ending` depends on further bytes */
    int64_t undecided_from; /* offset before which the undecided form cuts nothing */
    int64_t letters_at, letters_end; /* offsets of a run of bytes known to be letters of a token */
    struct redact_spans spans;
    /* The last form that was found. */
    struct redact_tail tail; /* how the form continues */
    int64_t tail_at;         /* offset up to which the form has been followed */
    int tail_name;
    bool tail_is_named; /* a token within the form gives the name */
    int64_t tail_start;
    /* Lines, for patterns. */
    struct rule_matcher *matcher; /* owned; NULL: no patterns */
    int64_t line_at;              /* offset before which all bytes have been searched */
    bool line_begins;             /* a line begins at line_at */
    struct redact_counts counts;
};

/* Returns the current end of the stream. */
static inline int64_t redact_stream_end_of(const struct redact_stream *stream)
{
    return stream->base + (int64_t)stream->len;
}

/* Returns a pointer to the byte at this offset, which must be in the buffer. */
static inline const char *redact_stream_at(const struct redact_stream *stream, int64_t offset)
{
    return (const char *)stream->bytes + (offset - stream->base);
}

/* Cuts from `start` to `end`. If the byte at `start` has been written, the cut continues one whose
 * mark has been written. */
void redact_search_add_span(struct redact_stream *stream, int64_t start, int64_t end, int name);

#endif
