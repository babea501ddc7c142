/*
 * repair_words.h - what all repair prompts say. Private to core.
 */
#ifndef DEVS_REPAIR_WORDS_H
#define DEVS_REPAIR_WORDS_H

/* The beginning of a prompt about an output that does not fit its contract; violations follow. */
extern const char repair_head[];
/* How to answer, the end of a prompt about an output that does not fit its contract. */
extern const char repair_instructions[];

#endif
