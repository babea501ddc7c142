/*
 * entropy_shell.h - what a command line does, as far as its words say. Private to core.
 */
#ifndef DEVS_ENTROPY_SHELL_H
#define DEVS_ENTROPY_SHELL_H

#include <stddef.h>
#include <stdint.h>

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

#endif
