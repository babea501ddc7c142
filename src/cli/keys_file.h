/*
 * keys_file.h - a person's own keys: the file `keys.json` and what is in it. Main thread.
 */
#ifndef DEVS_KEYS_FILE_H
#define DEVS_KEYS_FILE_H

#include <limits.h>
#include <stdbool.h>

#include "own_keys.h"

/* All zero before keys_file_read(). */
struct keys_file {
    char path[PATH_MAX]; /* $XDG_CONFIG_HOME/devs/keys.json, else ~/.config/devs/keys.json; "" =
                            there is no such folder */
    bool is_there;
    struct keymap *keys; /* owned; in force; NULL = those that devs has itself */
    struct str problems; /* owned; a line each; "" = none */
};

/* What is wrong with the file keeps nobody from working: it is in the problems. */
void keys_file_read(struct keys_file *out);
struct app_options;

/* The same, and put them into the options of the app, which borrows them: *out must outlive it.
 * Each problem is also told on stderr. */
void keys_file_set(struct keys_file *out, struct app_options *options);
void keys_file_done(struct keys_file *file);

#endif
