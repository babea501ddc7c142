/* Declarations that the files of loop detection share. Private to core/loops and its tests. */
#ifndef DEVS_LOOPS_INTERNAL_H
#define DEVS_LOOPS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "digest.h"
#include "entropy.h"
#include "entropy_limits.h"

/* Returns true for a blank within a line. */
static inline bool loops_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Reads the digits at the start of the text, and returns how many there are. Only the first digits
 * count, as many as a double holds exactly, so *out is finite however long the number is. */
size_t loops_read_digits(const char *bytes, size_t len, double *out);

/*
 * Tools: what a tool does, by its name (entropy_call.c).
 */

/* Traits of a call, as bits. */
enum {
    CALL_READS = 1 << 0,      /* reads something and changes nothing */
    CALL_CHANGES = 1 << 1,    /* changes something if it succeeds */
    CALL_LOOKS = 1 << 2,      /* polls the state of something that runs on its own */
    CALL_NO_LOOK = 1 << 3,    /* reads a state that only the agent itself changes */
    CALL_PLANS = 1 << 4,      /* writes a plan or a to-do list */
    CALL_THINKS = 1 << 5,     /* the agent talks to itself */
    CALL_SHELL = 1 << 6,      /* runs a command line */
    CALL_SAYS = 1 << 7,       /* a message without a call */
    CALL_PAUSES = 1 << 8,     /* sleeps and nothing else */
    CALL_REWRITES = 1 << 9,   /* writes the whole new content of a file */
    CALL_CONTINUES = 1 << 10, /* sends input to a running command; a poll if the input is empty */
    CALL_PROBES = 1 << 11,    /* a poll that answers "not yet" by failing */
    CALL_SLEEPS = 1 << 12,    /* sleeps before it polls */
    CALL_SEARCHES = 1 << 13,  /* searches for words, which its result echoes */
    CALL_SHOWS = 1 << 14,     /* acts on a page or a screen and shows it */
    CALL_MAY_LOOK = 1 << 15,  /* a poll if the result says that something is running */
    CALL_CODE = 1 << 16,      /* runs code from its arguments, whose output is an answer */
    CALL_TAKES = 1 << 17,     /* takes the next item of a queue; each one is different */
    CALL_DELEGATES = 1 << 18, /* gives a prompt to another agent, whose answer is prose */
    CALL_IDLE = 1 << 19,      /* does nothing, and prints at most its own words and the date */
};

/* Returns true for a word such as "pop", which takes the next item of a queue. */
bool entropy_tool_takes(const char *word);

/* Returns the traits that a tool's name implies, or 0. */
unsigned entropy_tool_traits(const char *tool);

/*
 * Sets of words, to compare texts (entropy_prose.c).
 *
 * A word is a run of ASCII letters, ignoring case, or one character outside ASCII. All numbers
 * count as one word. Only the first ALIKE_WORDS_MAX different words of a text count.
 */

enum { ALIKE_WORDS_MAX = 256, ALIKE_BYTES_MAX = 64 * 1024 };

/* Zero-initialized: the empty set. */
struct word_set {
    uint32_t words[ALIKE_WORDS_MAX]; /* hashes, sorted */
    int count;
};

/* Adds the words of a text. Reads at most ALIKE_BYTES_MAX. */
void word_set_add(struct word_set *set, const char *text, size_t len);

/* Adds only words that may be names: at least four letters, and no shell syntax. Different ways to
 * ask the same question have the same names. */
void word_set_add_names(struct word_set *set, const char *text, size_t len);

/* Adds words as they are written, without punctuation at their ends and ignoring case: "#4041" and
 * "src/pool.c:88" are one word each. With `only_marked`, adds only words that may name something:
 * with a digit, with '_', '/', '.' or a capital inside, all in capitals, or after a backtick. */
void word_set_add_written(struct word_set *set, const char *text, size_t len, bool only_marked);

/* Returns the sum of the hashes of the words as they are written: the order of the words does not
 * matter. */
uint64_t entropy_words_sum(const char *text, size_t len);

/* Returns the Jaccard similarity: common words in percent of all words, or 0 if both sets are
 * empty. */
int word_set_alike(const struct word_set *a, const struct word_set *b);

/* Returns the percentage of the words of `a` that are also in `b`, or 0 if `a` is empty. */
int word_set_within(const struct word_set *a, const struct word_set *b);

/* Adds the words of the other set. */
void word_set_unite(struct word_set *set, const struct word_set *other);

/* Removes the words of the other set. */
void word_set_remove(struct word_set *set, const struct word_set *other);

/* Keeps only the words that are also in the other set. */
void word_set_intersect(struct word_set *set, const struct word_set *other);

/* Returns a hash of the whole set. */
uint64_t word_set_hash(const struct word_set *set);

/* Hints: the kind of a result, by its phrases (entropy_prose.c). */

enum {
    HINT_PENDING = 1 << 0,   /* still running: "running", "queued" */
    HINT_OVER = 1 << 1,      /* ended: "completed", "exited" */
    HINT_NO_CHANGE = 1 << 2, /* nothing changed: "already", "no changes" */
    HINT_EMPTY = 1 << 3,     /* nothing found: "no matches" */
    HINT_HOPELESS = 1 << 4,  /* waiting will not help: "permission denied" */
    HINT_PASSES = 1 << 5,    /* may go away on its own: "connection refused" */
    HINT_BUSY = 1 << 6,      /* something is working: "starting", "running 5 tests" */
    HINT_TROUBLE = 1 << 7,   /* something is wrong, whatever the exit code: "error" */
    HINT_ACK = 1 << 8,       /* done: "ok", "saved" */

    /* Why something was refused, whichever program reports it. */
    CAUSE_REFUSED = 1 << 9,      /* nothing listens there */
    CAUSE_NAME = 1 << 10,        /* unknown host */
    CAUSE_DENIED = 1 << 11,      /* no permission */
    CAUSE_FORBIDDEN = 1 << 12,   /* rejected by the server or a proxy */
    CAUSE_READ_ONLY = 1 << 13,   /* read-only file system */
    CAUSE_FULL = 1 << 14,        /* no space left */
    CAUSE_CERTIFICATE = 1 << 15, /* certificate not trusted */
    CAUSE_UNREACHABLE = 1 << 16, /* no route */
    CAUSES = CAUSE_REFUSED | CAUSE_NAME | CAUSE_DENIED | CAUSE_FORBIDDEN | CAUSE_READ_ONLY |
             CAUSE_FULL | CAUSE_CERTIFICATE | CAUSE_UNREACHABLE,
    CAUSES_NETWORK = CAUSE_REFUSED | CAUSE_NAME | CAUSE_UNREACHABLE,

    HINT_MISSING = 1 << 17, /* program not installed */
    HINT_FAILURE = 1 << 18, /* with HINT_OVER: it failed for good: "failure" */
};

enum { ANNOUNCED_MAX = 40 };

/* Returns how often a message says that something will be repeated, at most ANNOUNCED_MAX: 20 for
 * "I will run it twenty times". Returns 0 if it says nothing of the kind. */
int entropy_announced(const char *text, size_t len);

/* Returns the hints in a line. Reads its first 256 bytes. */
unsigned entropy_hints(const char *line, size_t len);

/*
 * Chants: does one message repeat itself (entropy_prose.c)?
 *
 * Looks for a piece of CHANT_PERIOD_MIN to CHANT_PERIOD_MAX bytes that repeats many times in a
 * row. Skips code blocks, lists, tables, quotations and rules: they repeat by design.
 */

enum {
    CHANT_PERIOD_MIN = 6,
    CHANT_PERIOD_MAX = 400,
    CHANT_BYTES_MAX = 64 * 1024, /* only the end of a longer message is searched */
};

/* Returns true if a message has `periods` equal pieces in a row; false if `periods` is below 2. */
bool entropy_chants(const char *text, size_t len, int periods);

/*
 * A quoted argument is one echo, not one for each of its words (entropy_prose.c).
 */

enum { ECHO_BYTES_MAX = 4096 /* longer lines are left alone */ };

/* Joins "<arg> <arg>(<arg>) as f:" to "<arg>": drops text between and after these marks that has
 * no digit and no word of three letters. Keeps digits, since numbers tell positions apart.
 * Returns the length, or 0 if nothing was joined. */
size_t entropy_echo_join(const char *line, size_t len, char out[ECHO_BYTES_MAX]);

/*
 * Command lines: what they do, by their words (entropy_shell.c).
 */

struct str;

enum {
    SHELL_BYTES_MAX = 64 * 1024, /* bytes of a command that are parsed; the rest counts as text */
    SHELL_ECHOES_MAX = 8,        /* echoes whose output is left out of the result */
};

/* A command reduced to its significant parts. */
struct shell_command {
    struct str *text; /* borrowed; the reduced command is appended, as part of the key */
    unsigned traits;  /* CALL_... bits */
    int echo_count;
    uint64_t echoes[SHELL_ECHOES_MAX]; /* hashes of the lines that the command's echoes print */
};

/* Reduces blanks between words to one. Leaves out comments, and commands that always run and do
 * nothing (`echo "try 3"; make`). If nothing else is left, the text is ":". */
void entropy_shell_read(const char *command, size_t len, struct shell_command *out);

/*
 * Calls: their key and their traits (entropy_call.c, which has the rules).
 */

struct json;
struct normaliser_words;

enum {
    ITEM_DONE = 2,                /* progress of a finished item of a plan */
    CALL_SYMBOLS_MAX = 16,        /* symbols of a call that are kept */
    CALL_WORDS_MAX = 24,          /* maximum words of a call's text; if it has more, none is kept */
    CALL_WORD_NAMES = 1 << 0,     /* at least two letters, and no wildcard */
    CALL_WORD_IS_PATH = 1 << 1,   /* has a slash, a dot or a dash */
    CALL_WORD_IS_SYMBOL = 1 << 2, /* looks like code: with_this or withThis */
    CALL_WORD_IS_OPTION = 1 << 3, /* an option without a value */
    CALL_WORD_IS_HOST = 1 << 4,   /* an address, or a name with a dot or a dash and no slash */
    CALL_WORD_HAS_DIGIT = 1 << 5,
};

struct entropy_call {
    enum entropy_kind kind;
    unsigned traits;   /* CALL_... bits */
    struct digest key; /* digest of the call with ids, times and the like masked as in results */
    uint64_t exact;    /* hash of the same text, unmasked */
    bool grows;        /* the call is the previous one with something appended */
    uint64_t scope;    /* hash of the names in the call, in any order */
    uint64_t tool;     /* hash of the tool's name */
    uint64_t path;     /* hash of the path in the arguments; 0: none */
    int word_count;    /* words of the call's text, split at blanks; 0: too many */
    uint64_t words[CALL_WORDS_MAX]; /* hashes */
    unsigned char word_bits[CALL_WORDS_MAX];
    int echo_count;
    uint64_t echoes[SHELL_ECHOES_MAX]; /* hashes of result lines that the command itself echoes */
    int items;                         /* items of a plan; 0: the call does not list all items */
    int progress; /* progress of these items: 1 for each that is begun, ITEM_DONE for each that is
                     done */
    int symbol_count; /* number of symbols; only for a call that reads, or a command line */
    uint64_t symbols[CALL_SYMBOLS_MAX]; /* hashes of names such as with_this or withThis */
    struct word_set said; /* words of a message or of the new content of a file; words of a prompt
                             as written; for other calls, the names in the arguments */
};

/* Identifies the exact text of a call, to see whether the next call extends it. */
struct call_text {
    uint64_t hash;
    size_t len;
};

/* Reads a call. *before describes the previous call, and is replaced by this one. `words` (may
 * be NULL) collects the words of the call. */
void entropy_call_read(struct entropy_call *call, struct call_text *before, const char *tool,
                       const struct json *args, struct normaliser_words *words);

/* Returns the text of a call that is a message: the first of the members text, thought, content,
 * message and thoughts; NULL if there is none or it is not a string. Borrowed from args. */
const char *entropy_call_text(const struct json *args);

/*
 * A bounded set of 64-bit keys; the oldest is dropped when it is full (entropy_news.c).
 *
 * Each key has a place, a number below the size of the set, which the owner can use as an index
 * into its own array. A new key reuses the place of the dropped one. Zero-initialized except
 * `max`: a valid empty set.
 */

struct entropy_table {
    uint64_t *keys;  /* owned; keys by place */
    uint32_t *slots; /* owned; hash table of place + 1, 0: free; its size is a power of two */
    size_t max;      /* maximum number of keys; set by the owner, below 2^31 */
    size_t count;    /* number of keys */
    size_t cap;      /* allocated places */
    size_t slot_count;
    size_t oldest; /* place of the oldest key, once full */
};

enum { ENTROPY_TABLE_NONE = -1 };

/* Returns the place of the key, or ENTROPY_TABLE_NONE. */
long entropy_table_find(const struct entropy_table *table, uint64_t key);
/* Adds the key if it is missing, and sets *added to whether it was. Returns the key's place. */
size_t entropy_table_add(struct entropy_table *table, uint64_t key, bool *added);

/* Returns the place of a key by age: index 0 is the oldest. */
size_t entropy_table_place(const struct entropy_table *table, size_t index);

/* Frees the set, which is empty afterwards and keeps its `max`. */
void entropy_table_done(struct entropy_table *table);

/*
 * News: which lines of a step are new in this segment, or known in shape with a number that makes
 * progress (entropy_news.c).
 *
 * The shape of a line is its text with '#' for each number. In a known shape, a number that moves
 * in one direction (12 of 40, 13 of 40) is news. It stops being news after
 * entropy_limits.drift_turns changes of direction (47, 45, 44, 46), and a counter that goes up by
 * one per step after entropy_limits.lone_counter steps. Three new lines of one shape in one step
 * are data and always news. Shapes belong to calls with the same words: another question has
 * another answer.
 *
 * The first NEWS_EXACT_LINES lines of a step are all remembered until newer lines replace them.
 * In addition, a sample of all lines is kept: lines whose hash ends in a number of zero bits,
 * which grows by one whenever the sample is full. For longer results the sample estimates the
 * share of new lines, so equal results get equal shares, whatever their size.
 */

enum {
    SHAPE_NUMBERS = 4,       /* numbers of a line that are followed */
    NEWS_TOUCHED_MAX = 256,  /* shapes of one step that are followed */
    NEWS_EXACT_LINES = 4096, /* lines of one step that are remembered exactly */
    NEWS_LEVELS = 40,        /* different numbers of trailing zero bits that are counted */
};

/* How a line is new: as it is, or also with the call's own words masked (`general` in
 * fingerprint.h). Which one counts is only known at the end of the step. */
enum news_form { NEWS_PLAIN, NEWS_STRICT, NEWS_FORMS };

/* One form of a line. */
struct news_text {
    const char *bytes; /* borrowed during the function call */
    size_t len;
    uint64_t hash; /* hash of the bytes */
};

struct shape {
    double last[SHAPE_NUMBERS];
    signed char heading[SHAPE_NUMBERS]; /* -1 down, 1 up, 0 not moved yet */
    unsigned char turns[SHAPE_NUMBERS]; /* changes of direction; saturate */
    unsigned short lone; /* steps in a row in which one number went up by one and no other changed;
                            saturates */
    unsigned short touched; /* index in entropy_news.touched, valid in `step` */
    uint32_t step;
};

/* A shape of the current step. */
struct touched {
    uint64_t key;
    size_t place;
    bool fresh;                /* unknown before this step */
    double now[SHAPE_NUMBERS]; /* largest values in this step's lines */
    int numbers;
    int new_lines[NEWS_FORMS];
};

/* The tables, and the counts of the current step. */
struct entropy_news {
    struct entropy_table lines;  /* hashes of lines */
    struct entropy_table sample; /* hashes of lines that end in sample_bits zero bits */
    int sample_bits;
    struct entropy_table shapes; /* hashes of a call's scope and a shape */
    struct shape *places;        /* owned; shapes by place */
    size_t places_cap;
    struct touched *touched; /* owned; shapes of the current step; NULL between steps */
    int touched_count;
    size_t touched_cap;
    uint64_t scope;
    uint32_t step;
    int64_t line_count;
    int64_t new_lines[NEWS_FORMS]; /* new lines among line_count; exact, or estimated at the end */
    int64_t sampled[NEWS_LEVELS];  /* sampled lines by their zero bits */
    int64_t sampled_new[NEWS_FORMS][NEWS_LEVELS];
    bool fresh[NEWS_FORMS]; /* a new line has a new shape */
};

void entropy_news_init(struct entropy_news *news);
void entropy_news_done(struct entropy_news *news);

/* Begins the step of a call with this scope. */
void entropy_news_begin(struct entropy_news *news, uint64_t scope);

/* Adds the step's next line and its general form, which may be the same text. An empty general
 * form is never new. */
void entropy_news_line(struct entropy_news *news, const struct news_text *plain,
                       const struct news_text *general);

/* Follows the time in the line that `key` identifies. Returns true if the line was in an earlier
 * step, too, and its time has not gone back since. */
bool entropy_news_time(struct entropy_news *news, uint64_t key, double seconds);

/* Ends the step and sets is_news to whether it is news in each form. */
void entropy_news_end(struct entropy_news *news, const struct entropy_limits *limits,
                      bool is_news[NEWS_FORMS]);

/* Restores a saved shape. Returns false and changes nothing if it is known. */
bool entropy_news_know(struct entropy_news *news, uint64_t key, const struct shape *shape);

/*
 * The memory of a task, shared by entropy_memory.c, entropy_ending.c and entropy_save.c.
 */

enum {
    TALKED_MAX = 3,    /* messages that a new one is compared with */
    FAILURES_MAX = 16, /* failures that a new one is compared with */
    PLACE_LINES = 64,  /* lines of a result that are compared without source positions */
};

/* How a call ended. */
enum call_end { CALL_END_NONE, CALL_END_OK, CALL_END_FAILED, CALL_END_RUNNING, CALL_END_COUNT };

/* What is known of an earlier call. */
struct known_call {
    uint64_t outcome;    /* low half of the digest of its last outcome */
    unsigned char end;   /* how it ended last time: enum call_end */
    unsigned char flips; /* changes of `end`; saturates */
};

/* A failure of a call, without source positions such as "main.c:17". */
struct known_failure {
    uint64_t call, sum;
    uint64_t shapes; /* sum of the different shapes of its lines, with all numbers left out */
    double place;    /* the first source position, such as a line number; 0: none */
    double faults;   /* number of faults it reports; 0: none */
};

/* A ring of the last failures. */
struct known_failures {
    struct known_failure last[FAILURES_MAX];
    int next;
};

/* Failures in a row with one cause. */
struct refusals {
    unsigned causes; /* CAUSE_ bits that all these failures have; 0: the last failure had none */
    uint64_t reason; /* reason of the last failure; see struct step_sums */
    int count;       /* number of refusals; saturates */
    int strays;      /* later failures without a common cause that did not end the streak */
    struct word_set names; /* names in the arguments of all these calls */
};

/* An edit that fails again and again, in one spelling or another. */
struct failing_edit {
    uint64_t tool;
    uint64_t path; /* hash of the file's path; 0: none */
    int count;     /* failures in a row, whatever is read in between; 0: the last edit worked */
    int reads;     /* steps since the last failure that read about the edit */
    struct word_set said;  /* names in its arguments */
    struct word_set error; /* words of the error message */
};

/* A prompt that other agents get again and again. */
struct delegated {
    struct word_set prompt;   /* the shortest of several prompts that only add words */
    struct word_set answered; /* words of all answers, and the names in them */
    struct word_set named;    /* names in the answer of the current step */
};

/* What the current step has shown so far. */
struct step_sums {
    struct digest sums[NEWS_FORMS]; /* sums of line digests, mod 2^128 */
    uint64_t raw;
    unsigned hints; /* HINT_ and CAUSE_ bits of the first lines */
    unsigned masks;
    int64_t lines;
    size_t longest; /* bytes of the longest of the first lines */
    bool echo_seen[SHELL_ECHOES_MAX];
    struct word_set said; /* words of the first lines, unless a command line ran */
    uint64_t last_line;   /* hash of the last line's general form */
    bool last_has_echo;   /* the last line contains words of the call */
    uint64_t reason;      /* hash of the end of the last line, "name: program: reason", if
                             the result is short; 0: none */
    uint64_t found;       /* for a search: sum of the hashes of all words, in any order */
    bool looks;           /* the call looks at something that runs, or follows a pause */
    uint64_t placeless;   /* sum of the hashes of the first lines, each hashed with its source
                             positions removed */
    double place;         /* the first source position; 0: none */
    double faults;        /* sum of the numbers that count faults */
    bool has_failures;    /* a number above 0 counts failures or errors */
    bool http_error;      /* the status line of a response reports an error */
    uint64_t shapes[PLACE_LINES]; /* different shapes of the first lines, without their numbers */
    int shape_count;
    uint64_t shape_sum;
};

struct entropy_memory {
    struct entropy_limits limits;
    struct entropy_news news;
    struct entropy_table calls;
    struct known_call *known; /* owned; by place in `calls` */
    size_t known_cap;
    struct entropy_table succeeded; /* exact calls that succeeded; another success is not news */
    struct entropy_call call;       /* call of the current step */
    struct normaliser_words *words; /* owned; words of the current call; may be NULL */
    struct step_sums sums;
    bool attempt; /* the current step is an attempt by devs */
    bool chants;
    bool alike;
    struct word_set talked[TALKED_MAX]; /* ring of the last messages */
    int talked_count;                   /* messages since the last call */
    struct word_set spoken;             /* words of all messages since the last call */
    bool paused;                        /* the last step was a pause */
    bool slept;                         /* the last step slept before it did something */
    bool planned;                       /* the last step was a plan */
    bool moved;    /* since the last sub-agent, a step changed something, or succeeded with news */
    bool reached;  /* the agent changed a new file since a command reported failures */
    int announced; /* repetitions that the agent announced and has not done */
    uint64_t announced_call;      /* key of the call that is repeated; 0: the next shell command */
    struct call_text before;      /* the previous call */
    uint64_t failed_tool;         /* tool of the previous call if that failed, else 0 */
    struct word_set failed_said;  /* words of that call's error message */
    struct word_set rewritten;    /* words that the previous call wrote to a file */
    uint64_t rewritten_path;      /* hash of that file's path; 0: the previous call wrote no file */
    int rewrites;                 /* rewrites of that file in a row */
    struct refusals *refusals;    /* owned; NULL before the first refusal */
    struct failing_edit *failing; /* owned; NULL before the first failed edit */
    uint64_t plan;                /* key of the last plan; 0: none */
    int plan_progress;            /* highest progress of the plans written in a row */
    bool plan_over;               /* all items of the last plan were done */
    struct delegated *delegated;  /* owned; NULL before the first prompt */
    int missing_count;
    uint64_t missing[CALL_SYMBOLS_MAX]; /* symbols that all recent calls that found nothing asked
                                           about */
    int sweep;                       /* calls in a row that ask the same about a different name */
    struct known_failures *failures; /* owned; NULL before the first failure */
    struct entropy_sample *first, *last, *now; /* owned; NULL until something was masked */
    uint64_t error;                            /* hash of the last line of the last step if it
                                                  failed */
    int errors;                                /* failed steps in a row that ended in that line */
    bool last_there;                           /* a step has ended: first and last are valid */
};

/* Returns what is known about the call, or NULL if it is new. */
struct known_call *entropy_tables_known(struct entropy_memory *memory, struct digest call);
/* Like entropy_tables_known(), but adds a new call. */
struct known_call *entropy_tables_know(struct entropy_memory *memory, struct digest call);

#endif
