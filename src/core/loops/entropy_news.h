/*
 * entropy_news.h - which lines of a step are news: not seen in this segment, and where
 * their shape was, with a number on the move.
 *
 * The shape of a line is its text with '#' for each number. Of a shape that was seen, a
 * number that goes one way (12 of 40, 13 of 40) is news; one that has turned round
 * entropy_limits.drift_turns times (47, 45, 44, 46) is none any more; nor is a counter
 * that goes up by one each step after entropy_limits.lone_counter steps. Three new lines
 * of one shape in one step are data and always news. A shape belongs to calls with the
 * same words: another question has another answer.
 *
 * Of a step's lines the first NEWS_EXACT_LINES are all remembered, until newer ones push
 * them out. Beside them a sample of all lines is kept: those whose hash ends in so many
 * zero bits, one bit more whenever it is full. Of a longer result the sample tells which
 * share is new, so that it is the same share for the same lines, however many there are.
 * Private to core.
 */
#ifndef DEVS_ENTROPY_NEWS_H
#define DEVS_ENTROPY_NEWS_H

#include "entropy_limits.h"
#include "entropy_table.h"

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

#endif
