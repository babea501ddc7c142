/*
 * What the files of loop detection share. Private to core/loops and its tests.
 */
#ifndef DEVS_LOOPS_INTERNAL_H
#define DEVS_LOOPS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "digest.h"
#include "entropy.h"
#include "entropy_limits.h"
#include "entropy_memory.h"

/*
 * What sort of tool it is, by its name.
 *
 * Tools of some twenty agents and of MCP servers have names of their own, but they are made of
 * few words ("read_file", "mcp__crm__update_contact", "TodoWrite").
 */

/* Traits of a call, as bits. */
enum {
    CALL_READS = 1 << 0,      /* looks at something and changes nothing */
    CALL_CHANGES = 1 << 1,    /* changes something when it succeeds */
    CALL_LOOKS = 1 << 2,      /* asks for the state of something that goes on by itself */
    CALL_NO_LOOK = 1 << 3,    /* asks for a state that only the agent itself changes */
    CALL_PLANS = 1 << 4,      /* writes down what is to be done */
    CALL_THINKS = 1 << 5,     /* words to itself */
    CALL_SHELL = 1 << 6,      /* runs a command line */
    CALL_SAYS = 1 << 7,       /* words without a call */
    CALL_PAUSES = 1 << 8,     /* sleeps and nothing else */
    CALL_REWRITES = 1 << 9,   /* gives the whole new content of a file */
    CALL_CONTINUES = 1 << 10, /* gives input to something that runs: none is a look */
    CALL_PROBES = 1 << 11,    /* a look that answers "not yet" by failing */
    CALL_SLEEPS = 1 << 12,    /* sleeps before it looks */
    CALL_SEARCHES = 1 << 13,  /* looks for words: those in its result are an echo */
    CALL_SHOWS = 1 << 14,     /* acts on a page or a screen and shows it */
    CALL_MAY_LOOK = 1 << 15,  /* a look if the answer says that something goes on */
    CALL_CODE = 1 << 16,      /* runs code of its own: what it prints is an answer */
    CALL_TAKES = 1 << 17,     /* takes the next item of a queue: each one is another */
};

/* Does the word say that the next item of a queue is taken, as "pop" does? */
bool entropy_tool_takes(const char *word);

/* The traits that a tool's name says; 0 for one that says nothing. */
unsigned entropy_tool_traits(const char *tool);

/*
 * How many words two texts have in common.
 *
 * A word is a run of ASCII letters, in any case, or one character outside ASCII; all numbers are
 * one word. Of a long text the first ALIKE_WORDS_MAX different words count.
 */

enum { ALIKE_WORDS_MAX = 256, ALIKE_BYTES_MAX = 64 * 1024 };

/* All zero is the empty set. */
struct word_set {
    uint32_t words[ALIKE_WORDS_MAX]; /* hashes, sorted */
    int count;
};

/* Take in the words of a text; what is past ALIKE_BYTES_MAX of it is not read. */
void word_set_add(struct word_set *set, const char *text, size_t len);

/* Only words that may name something: four letters or more, and not what a shell has for
 * saying it. Two ways of asking the same have the same names. */
void word_set_add_names(struct word_set *set, const char *text, size_t len);

/* Jaccard: the common words in percent of all words of the two; 0 where both are empty. */
int word_set_alike(const struct word_set *a, const struct word_set *b);

/* Words of `a` that are in `b` too, in percent; 0 where there are none. */
int word_set_within(const struct word_set *a, const struct word_set *b);

/* Takes in the words of the other set. */
void word_set_unite(struct word_set *set, const struct word_set *other);

/* Leaves only the words that are in the other set too. */
void word_set_intersect(struct word_set *set, const struct word_set *other);

/* Of the set as a whole. */
uint64_t word_set_hash(const struct word_set *set);

/*
 * Words in a result that say what sort of result it is.
 */

enum {
    HINT_PENDING = 1 << 0,   /* it goes on: "running", "queued" */
    HINT_OVER = 1 << 1,      /* it has ended: "completed", "exited" */
    HINT_NO_CHANGE = 1 << 2, /* nothing was changed: "already", "no changes" */
    HINT_EMPTY = 1 << 3,     /* nothing was found: "no matches" */
    HINT_HOPELESS = 1 << 4,  /* waiting will not help: "permission denied" */
    HINT_PASSES = 1 << 5,    /* it may pass by itself: "connection refused" */
    HINT_BUSY = 1 << 6,      /* something is at work: "starting", "running 5 tests" */
    HINT_TROUBLE = 1 << 7,   /* something is wrong, whatever the exit code: "error" */
    HINT_ACK = 1 << 8,       /* it was done: "ok", "saved" */

    /* Why something was refused, whichever program says so. */
    CAUSE_REFUSED = 1 << 9,      /* nothing listens there */
    CAUSE_NAME = 1 << 10,        /* no such host */
    CAUSE_DENIED = 1 << 11,      /* the user may not */
    CAUSE_FORBIDDEN = 1 << 12,   /* the server or a proxy does not let it through */
    CAUSE_READ_ONLY = 1 << 13,   /* of a file system */
    CAUSE_FULL = 1 << 14,        /* no space left */
    CAUSE_CERTIFICATE = 1 << 15, /* the other side's is not trusted */
    CAUSE_UNREACHABLE = 1 << 16, /* no way leads there */
    CAUSES = CAUSE_REFUSED | CAUSE_NAME | CAUSE_DENIED | CAUSE_FORBIDDEN | CAUSE_READ_ONLY |
             CAUSE_FULL | CAUSE_CERTIFICATE | CAUSE_UNREACHABLE,

    HINT_MISSING = 1 << 17, /* the program is not installed */
};

/* The hints in the words of a line; its first 256 bytes are read. */
unsigned entropy_hints(const char *line, size_t len);

/*
 * Does one message say the same over and over?
 *
 * Looks for a piece of CHANT_PERIOD_MIN to CHANT_PERIOD_MAX bytes that comes many times without
 * anything between, in what is left of the message without its code blocks, lists, tables, quotes
 * and rules, all of which repeat by design.
 */

enum {
    CHANT_PERIOD_MIN = 6,
    CHANT_PERIOD_MAX = 400,
    CHANT_BYTES_MAX = 64 * 1024, /* of a message; of a longer one its end is looked at */
};

/* `periods` equal pieces in a row make a chant; 0: nothing does. */
bool entropy_chants(const char *text, size_t len, int periods);

/*
 * An argument that a message quotes is one echo, not one for each of its words.
 */

enum { ECHO_BYTES_MAX = 4096 /* of a line; a longer one is left as it is */ };

/* Joins "<arg> <arg>(<arg>) as f:" to "<arg>": between and behind those marks, what has no
 * digit and no word of three letters goes with them. Digits stay, since a number is what
 * tells two places apart. Returns the length, 0 where nothing was joined. */
size_t entropy_echo_join(const char *line, size_t len, char out[ECHO_BYTES_MAX]);

/*
 * What a command line does, as far as its words say.
 */

struct str;

enum {
    SHELL_BYTES_MAX = 64 * 1024, /* of a command that are read; the rest counts as it is */
    SHELL_ECHOES_MAX = 8,        /* echoes whose line is left out of the result */
};

/* The same command without what does not count: `text` is what the key is made of. */
struct shell_command {
    struct str *text; /* the caller's; the command is appended */
    unsigned traits;  /* of entropy_tool.h */
    int echo_count;
    uint64_t echoes[SHELL_ECHOES_MAX]; /* hashes of the lines that those echoes write */
};

/* Blanks between words become one; comments and echoes of fixed words that always run
 * (`echo "try 3"; make`) are left out, unless there is nothing else. */
void entropy_shell_read(const char *command, size_t len, struct shell_command *out);

/*
 * What a call is: its key, and what sort of call.
 *
 * The key is the tool's name and its arguments as canonical JSON (sorted keys, 1.0 = 1, null =
 * absent) without what only talks about the call (a description, a thought, the call's own id),
 * commands squeezed as entropy_shell.h says. Of a plan only the pattern of its statuses counts.
 * What N masks in a result is masked in the key too: an id that is made anew for each lap would
 * hide the circle. Whether arguments are new is told by the exact text.
 */

struct json;
struct normaliser_words;

enum {
    CALL_WORDS_MAX = 24,          /* words of a call's text that are kept */
    CALL_WORD_NAMES = 1 << 0,     /* two letters at least, and no wildcard */
    CALL_WORD_IS_PATH = 1 << 1,   /* with a slash, a dot or a dash in it */
    CALL_WORD_IS_SYMBOL = 1 << 2, /* as in code: with_this or withThis */
    CALL_WORD_IS_OPTION = 1 << 3, /* of a command, without a value in it */
    CALL_WORD_IS_HOST = 1 << 4,   /* an address, or a name with a dot or a dash and no slash */
    CALL_WORD_HAS_DIGIT = 1 << 5,
};

struct entropy_call {
    enum entropy_kind kind;
    unsigned traits;                /* CALL_... of entropy_tool.h */
    struct digest key;              /* ids, times and the like masked as in results */
    uint64_t exact;                 /* of the same as it is */
    bool grows;                     /* it is the call before with something put behind */
    uint64_t scope;                 /* of the names in the call, in any order: what it asks about */
    uint64_t tool;                  /* of its name */
    uint64_t path;                  /* of the file it is about, 0: none */
    int word_count;                 /* of its text, split at blanks; 0: too many */
    uint64_t words[CALL_WORDS_MAX]; /* hashes */
    unsigned char word_bits[CALL_WORDS_MAX];
    int echo_count;
    uint64_t echoes[SHELL_ECHOES_MAX]; /* lines of the result that are its own echo */
    struct word_set said; /* of a message: its words; of a rewrite: the new content's; else
                             the names in its arguments */
};

/* What is kept of a call's exact text, to see whether the next one is more of the same. */
struct call_text {
    uint64_t hash;
    size_t len;
};

/* Reads the call. *before is of the call before and becomes this one's. `words` (may be
 * NULL) takes in the call's own words. */
void entropy_call_read(struct entropy_call *call, struct call_text *before, const char *tool,
                       const struct json *args, struct normaliser_words *words);

/* The text of a call that is a message: args.text, or the first string there is; NULL for
 * none. Borrowed from args. */
const char *entropy_call_text(const struct json *args);

/*
 * A bounded set of 64-bit keys, the oldest out when it is full.
 *
 * A key has a place, a number below the set's size, for what its owner keeps about it in an array
 * of its own; the place of a key that goes is given to the one that comes. All zero but `max` is
 * a valid empty set.
 */

struct entropy_table {
    uint64_t *keys;  /* owned; by place */
    uint32_t *slots; /* owned; place + 1 by hash, 0: free; a power of two of them */
    size_t max;      /* keys; set by the owner, below 2^31 */
    size_t count;    /* keys in it */
    size_t cap;      /* places allocated */
    size_t slot_count;
    size_t oldest; /* place of the oldest key, once it is full */
};

enum { ENTROPY_TABLE_NONE = -1 };

/* The key's place, ENTROPY_TABLE_NONE where it is not in. */
long entropy_table_find(const struct entropy_table *table, uint64_t key);
/* The same; puts it in where it is not, and says so in *added. */
size_t entropy_table_add(struct entropy_table *table, uint64_t key, bool *added);

/* The places in the order in which their keys came, the oldest first. */
size_t entropy_table_place(const struct entropy_table *table, size_t index);

/* Free; the set is empty afterwards and keeps its `max`. */
void entropy_table_done(struct entropy_table *table);

/*
 * Which lines of a step are news: not seen in this segment, and where their shape was, with a
 * number on the move.
 *
 * The shape of a line is its text with '#' for each number. Of a shape that was seen, a number
 * that goes one way (12 of 40, 13 of 40) is news; one that has turned round
 * entropy_limits.drift_turns times (47, 45, 44, 46) is none any more; nor is a counter that goes
 * up by one each step after entropy_limits.lone_counter steps. Three new lines of one shape in
 * one step are data and always news. A shape belongs to calls with the same words: another
 * question has another answer.
 *
 * Of a step's lines the first NEWS_EXACT_LINES are all remembered, until newer ones push them
 * out. Beside them a sample of all lines is kept: those whose hash ends in so many zero bits, one
 * bit more whenever it is full. Of a longer result the sample tells which share is new, so that
 * it is the same share for the same lines, however many there are.
 */

enum {
    SHAPE_NUMBERS = 4,       /* of a line that are followed */
    NEWS_TOUCHED_MAX = 256,  /* known shapes of one step that are followed */
    NEWS_EXACT_LINES = 4096, /* of one step */
    NEWS_LEVELS = 40,        /* zero bits at the end of a hash that are told apart */
};

/* In which way a line is new: as it is, or also with the call's own words masked
 * (normaliser.h, `general`). Which of them counts is known when the step has ended. */
enum news_form { NEWS_PLAIN, NEWS_STRICT, NEWS_FORMS };

/* One form of a line. */
struct news_text {
    const char *bytes; /* borrowed for the call */
    size_t len;
    uint64_t hash; /* of the bytes */
};

struct shape {
    double last[SHAPE_NUMBERS];
    signed char heading[SHAPE_NUMBERS]; /* -1 down, 1 up, 0 not moved yet */
    unsigned char turns[SHAPE_NUMBERS]; /* saturate */
    unsigned short lone;                /* steps in a row of "up by one and nothing else" */
    unsigned short touched;             /* its place in the list, in the step below */
    uint32_t step;
};

/* A shape that this step shows. */
struct touched {
    uint64_t key;
    size_t place;
    bool fresh;                /* not known before this step */
    double now[SHAPE_NUMBERS]; /* the largest of this step's lines */
    int numbers;
    int new_lines[NEWS_FORMS];
};

/* Tables, and the counts of the present step. */
struct entropy_news {
    struct entropy_table lines;  /* hashes of lines */
    struct entropy_table sample; /* hashes of lines that end in sample_bits zero bits */
    int sample_bits;
    struct entropy_table shapes; /* hashes of shapes, with the call's scope */
    struct shape *places;        /* owned; of shapes, by place */
    size_t places_cap;
    struct touched *touched; /* owned; of the present step: NULL until a line comes, and again
                                once it has ended */
    int touched_count;
    size_t touched_cap;
    uint64_t scope;
    uint32_t step;
    int64_t line_count;
    int64_t new_lines[NEWS_FORMS]; /* of line_count; exact, or by the sample once ended */
    int64_t sampled[NEWS_LEVELS];  /* lines of the sample, by the zero bits */
    int64_t sampled_new[NEWS_FORMS][NEWS_LEVELS];
    bool fresh[NEWS_FORMS]; /* a new line of a new shape */
};

void entropy_news_init(struct entropy_news *news);
void entropy_news_done(struct entropy_news *news);

/* A step of calls with this scope begins. */
void entropy_news_begin(struct entropy_news *news, uint64_t scope);

/* The step's next line, and its general form; the same text twice where they are one. An empty
 * general form is never new. */
void entropy_news_line(struct entropy_news *news, const struct news_text *plain,
                       const struct news_text *general);

/* The step has ended: in which forms is it news? */
void entropy_news_end(struct entropy_news *news, const struct entropy_limits *limits,
                      bool is_news[NEWS_FORMS]);

/* Puts in a shape that was saved. False, and nothing is changed, if it is known. */
bool entropy_news_know(struct entropy_news *news, uint64_t key, const struct shape *shape);

/*
 * The inside of an entropy_memory: what its files share. Private to core.
 */

enum {
    TALKED_MAX = 3,    /* messages that a new one is compared with */
    FAILURES_MAX = 16, /* failures that a new one is compared with */
    PLACE_LINES = 64,  /* of a result that are compared without places in sources */
};

/* How a call ended. */
enum call_end { CALL_END_NONE, CALL_END_OK, CALL_END_FAILED, CALL_END_RUNNING, CALL_END_COUNT };

/* What is known of a call that was made before. */
struct known_call {
    uint64_t outcome;    /* of the last time */
    unsigned char end;   /* enum call_end, of the last time */
    unsigned char flips; /* saturates */
};

/* A failure of a call, its places in sources ("main.c:17") left out. */
struct known_failure {
    uint64_t call, sum;
    uint64_t shapes; /* sum of the different shapes of its lines: all numbers left out */
    double place;    /* number of the first such place, such as a line; 0: none */
    double faults;   /* what it counts that is wrong; 0: nothing */
};

/* The last ones, a ring. */
struct known_failures {
    struct known_failure last[FAILURES_MAX];
    int next;
};

/* Failures in a row for one cause. */
struct refusals {
    unsigned causes;       /* hints that they have in common; 0: the last failure had none */
    int count;             /* saturates */
    int strays;            /* failures since, there, for no cause in common */
    struct word_set names; /* that all of these calls have in their arguments */
};

/* What the present step has shown so far. */
struct step_sums {
    struct digest sums[NEWS_FORMS]; /* of line digests, mod 2^128 */
    uint64_t raw;
    unsigned hints; /* of entropy_hints.h, of the first lines */
    unsigned masks;
    int64_t lines;
    size_t longest; /* bytes of the longest of the first lines */
    bool echo_seen[SHELL_ECHOES_MAX];
    struct word_set said;         /* words of the first lines, if no command line was run */
    uint64_t last_line;           /* of the general form */
    bool last_has_echo;           /* there are words of the call in it */
    uint64_t placeless;           /* sum of the first lines' hashes without places in sources */
    double place;                 /* the first such place; 0: none */
    double faults;                /* sum of the numbers that count what is wrong */
    uint64_t shapes[PLACE_LINES]; /* the different shapes of those lines: all numbers left out */
    int shape_count;
    uint64_t shape_sum;
};

struct entropy_memory {
    struct entropy_limits limits;
    struct entropy_news news;
    struct entropy_table calls;
    struct known_call *known; /* owned; by place in `calls` */
    size_t known_cap;
    struct entropy_table succeeded; /* exact calls that did: another time is no news */
    struct entropy_call call;       /* the present step's */
    struct normaliser_words *words; /* owned; of the present call, may be NULL */
    struct step_sums sums;
    bool attempt; /* the present step is one of ours */
    bool chants;
    bool alike;
    struct word_set talked[TALKED_MAX]; /* of the last messages, a ring */
    int talked_count;                   /* messages since the last call */
    struct word_set spoken;             /* the words of all of them */
    bool paused;                        /* a pause was the last step */
    struct call_text before;            /* of the last call */
    uint64_t failed_tool;               /* of the last call, if that failed; else 0 */
    struct word_set failed_said;        /* the words of its message */
    struct word_set rewritten;          /* content that the last call gave a file */
    uint64_t rewritten_path;            /* that file, 0: the last call was none */
    int rewrites;                       /* such calls in a row, of that file */
    struct refusals *refusals;          /* owned; NULL before the first */
    int sweep;                          /* calls in a row that only ask the same of another name */
    struct known_failures *failures;    /* owned; NULL before the first */
    struct entropy_sample *first, *last, *now; /* owned; NULL until something was masked */
    uint64_t error;                            /* last line of the last step, if that failed */
    int errors;                                /* steps in a row that failed and ended in it */
    bool last_there;                           /* a step has ended: first and last mean something */
};

/* What is known of the call; NULL if it was not made before. */
struct known_call *entropy_tables_known(struct entropy_memory *memory, struct digest call);
/* The same; it is known from now on. */
struct known_call *entropy_tables_know(struct entropy_memory *memory, struct digest call);

#endif
