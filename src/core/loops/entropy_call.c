/*
 * Reads a tool call: which tool it is, what it does, and when two calls count as the same.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "entropy_hash.h"
#include "fingerprint.h"
#include "json.h"
#include "loops_internal.h"
#include "str.h"
#include "text.h"
#include "xalloc.h"

/* Traits of a tool, by its name.
 *
 * The tools of some twenty agents and of MCP servers have different names, but these are made of a
 * small set of words ("read_file", "mcp__crm__update_contact", "TodoWrite"). */

enum { WORD_BYTES = 24, WORDS_MAX = 12 };

/* Whole names, checked before their words. */
static const struct {
    const char *name;
    unsigned traits;
} names[] = {
    {"agent", CALL_DELEGATES},
    {"Agent", CALL_DELEGATES},
    {"assistant", CALL_SAYS},
    {"bash", CALL_SHELL},
    {"bash_output", CALL_LOOKS},
    {"BashOutput", CALL_LOOKS},
    {"cmd", CALL_SHELL},
    {"code_interpreter", CALL_CODE},
    {"execute_code", CALL_CODE},
    {"ipython", CALL_CODE},
    {"python", CALL_CODE},
    {"run_code", CALL_CODE},
    {"delegate", CALL_DELEGATES},
    {"dispatch_agent", CALL_DELEGATES},
    {"dlv", CALL_CONTINUES},
    {"gdb", CALL_CONTINUES},
    {"lldb", CALL_CONTINUES},
    {"pdb", CALL_CONTINUES},
    {"exec", CALL_SHELL},
    {"exec_command", CALL_SHELL},
    {"execute_bash", CALL_SHELL},
    {"execute_command", CALL_SHELL},
    {"local_shell", CALL_SHELL},
    {"message", CALL_SAYS},
    {"new_task", CALL_DELEGATES},
    {"powershell", CALL_SHELL},
    {"process", 0},
    {"read_output", CALL_LOOKS},
    {"task_output", CALL_LOOKS},
    {"run", CALL_SHELL},
    {"run_command", CALL_SHELL},
    {"run_in_terminal", CALL_SHELL},
    {"run_shell_command", CALL_SHELL},
    {"run_terminal_cmd", CALL_SHELL},
    {"send_keys", CALL_CONTINUES},
    {"sequentialthinking", CALL_THINKS},
    {"shell", CALL_SHELL},
    {"sleep", CALL_PAUSES},
    {"spawn_agent", CALL_DELEGATES},
    {"subagent", CALL_DELEGATES},
    {"task", CALL_DELEGATES},
    {"Task", CALL_DELEGATES},
    {"terminal", CALL_SHELL},
    {"view_image", CALL_READS},
    {"write_stdin", CALL_CONTINUES},
    {"zsh", CALL_SHELL},
};

/* Words of a name, by priority: the first match decides. */
static const struct {
    const char *word;
    unsigned traits;
} name_words[] = {
    {"think", CALL_THINKS},
    {"debugger", CALL_CONTINUES},
    {"stdin", CALL_CONTINUES},
    {"keys", CALL_CONTINUES},
    {"press", CALL_CONTINUES},
    {"step", CALL_CONTINUES},
    {"thinking", CALL_THINKS},
    {"todo", CALL_PLANS},
    {"todos", CALL_PLANS},
    {"todolist", CALL_PLANS},
    {"todoread", CALL_PLANS},
    {"todowrite", CALL_PLANS},
    {"plan", CALL_PLANS},
    {"bash", CALL_SHELL},
    {"shell", CALL_SHELL},
    {"git", CALL_NO_LOOK},
    {"poll", CALL_LOOKS},
    {"wait", CALL_LOOKS},
    {"await", CALL_LOOKS},
    {"status", CALL_MAY_LOOK},
    {"progress", CALL_MAY_LOOK},
    {"output", CALL_MAY_LOOK},
    {"result", CALL_MAY_LOOK},
    {"results", CALL_MAY_LOOK},
    {"monitor", CALL_LOOKS},
    {"edit", CALL_CHANGES},
    {"write", CALL_CHANGES},
    {"patch", CALL_CHANGES},
    {"replace", CALL_CHANGES},
    {"multiedit", CALL_CHANGES},
    {"insert", CALL_CHANGES},
    {"create", CALL_CHANGES},
    {"delete", CALL_CHANGES},
    {"remove", CALL_CHANGES},
    {"rename", CALL_CHANGES},
    {"move", CALL_CHANGES},
    {"append", CALL_CHANGES},
    {"update", CALL_CHANGES},
    {"apply", CALL_CHANGES},
    {"save", CALL_CHANGES},
    {"put", CALL_CHANGES},
    {"post", CALL_CHANGES},
    {"send", CALL_CHANGES},
    {"add", CALL_CHANGES},
    {"upload", CALL_CHANGES},
    {"commit", CALL_CHANGES},
    {"push", CALL_CHANGES},
    {"read", CALL_READS},
    {"view", CALL_READS},
    {"cat", CALL_READS},
    {"open", CALL_READS},
    {"list", CALL_READS},
    {"ls", CALL_READS},
    {"glob", CALL_READS},
    {"grep", CALL_READS},
    {"search", CALL_READS | CALL_SEARCHES},
    {"find", CALL_READS},
    {"fetch", CALL_READS},
    {"get", CALL_READS},
    {"lookup", CALL_READS},
    {"stat", CALL_READS},
    {"tree", CALL_READS},
    {"query", CALL_READS | CALL_SEARCHES},
    {"show", CALL_READS},
    {"scroll", CALL_READS},
    {"click", CALL_SHOWS},
    {"tap", CALL_SHOWS},
    {"hover", CALL_SHOWS},
    {"navigate", CALL_SHOWS},
    {"goto", CALL_SHOWS},
    {"swipe", CALL_SHOWS},
    {"browser", CALL_SHOWS},
    {"screenshot", CALL_READS},
    {"extract", CALL_READS},
    {"browse", CALL_READS},
    {"websearch", CALL_READS | CALL_SEARCHES},
    {"webfetch", CALL_READS},
    {"describe", CALL_READS},
    {"inspect", CALL_READS},
    {"diagnostics", CALL_READS},
    {"snapshot", CALL_READS},
    {"agent", CALL_DELEGATES},
    {"subagent", CALL_DELEGATES},
};

/* Words for taking the next item of a queue. Every word of a tool's name is checked. */
static const char *const takers[] = {
    "blpop", "consume", "dequeue",         "lpop", "next",
    "pop",   "receive", "receive-message", "rpop", "shift",
};

bool entropy_tool_takes(const char *word)
{
    return text_is_in(takers, ARRAY_LEN(takers), word);
}

struct name_words {
    char words[WORDS_MAX][WORD_BYTES];
    int count;
};

static bool is_symbol_byte(char c)
{
    return ascii_is_letter(c) || ascii_is_digit(c) || c == '_';
}

/* Returns true if the byte at `at`, which must not be 0, marks a name in code: with_this or
 * withThis. */
static bool marks_symbol(const char *text, size_t at)
{
    return text[at] == '_' || (ascii_is_upper(text[at]) && ascii_is_lower(text[at - 1]));
}

static bool is_lower_or_digit(char c)
{
    return ascii_is_lower(c) || ascii_is_digit(c);
}

/* Splits "mcp__crm__updateContact" into mcp, crm, update, contact. */
static void split_name(const char *tool, struct name_words *out)
{
    size_t len = 0;
    *out = (struct name_words){0};
    for (const char *c = tool; *c != '\0' && out->count < WORDS_MAX; c++) {
        const bool letter = ascii_is_upper(*c) || is_lower_or_digit(*c);
        const bool begins = ascii_is_upper(*c) && c > tool && is_lower_or_digit(c[-1]);
        if ((!letter || begins) && len > 0) {
            out->count++;
            len = 0;
        }
        if (!letter || out->count == WORDS_MAX || len + 1 >= WORD_BYTES)
            continue;
        out->words[out->count][len++] = ascii_lower(*c);
    }
    if (len > 0)
        out->count++;
}

unsigned entropy_tool_traits(const char *tool)
{
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcmp(names[i].name, tool) == 0)
            return names[i].traits;
    struct name_words name;
    split_name(tool, &name);
    unsigned traits = 0;
    for (size_t i = 0; i < ARRAY_LEN(name_words) && (traits & ~(unsigned)CALL_NO_LOOK) == 0; i++)
        for (int j = 0; j < name.count; j++)
            if (strcmp(name.words[j], name_words[i].word) == 0)
                traits |= name_words[i].traits;
    for (int i = 0; i < name.count; i++)
        traits |= entropy_tool_takes(name.words[i]) ? (unsigned)CALL_TAKES : 0;
    return traits;
}

/* The key of a call.
 *
 * The key is the tool's name and its arguments as canonical JSON (sorted keys, 1.0 = 1, null =
 * absent), without members that only comment on the call (a description, a thought, its id).
 * Commands are reduced by entropy_shell_read(). For a plan, only the pattern of its statuses
 * counts. The normaliser masks the key like a result: otherwise an id that is new in each lap would
 * hide the loop. `exact` tells whether the arguments are new. */

enum {
    STRING_WORDS_MAX = 4096, /* bytes of a string whose words are read; the rest is ignored */
    WORD_BARE_BYTES = 128,   /* longer words are compared as written */
    OPTION_MAX = 4,          /* maximum bytes of an option with a single dash, including the dash */
    SYMBOL_BYTES = 64,       /* only the start of a longer symbol is compared */
    SYMBOL_BYTES_MIN = 5,
};

/* Members that comment on the call, whatever the tool. */
static const char *const talk[] = {
    "thought",     "thoughts",      "thinking",      "reason",       "reasoning",
    "explanation", "task_progress", "call_id",       "tool_call_id", "callId",
    "toolCallId",  "tool_use_id",   "security_risk", "intent",
};
/* Members that comment on the call unless they are the tool's content. */
static const char *const talk_of_files[] = {"description", "title", "comment", "instruction"};
/* Members that hold the prompt for another agent. */
static const char *const prompt_keys[] = {"prompt", "message", "task", "instructions"};

static const char *const path_keys[] = {"path",        "file_path",  "filePath",      "file",
                                        "filename",    "fileName",   "absolute_path", "uri",
                                        "target_file", "TargetFile", "notebook_path"};
static const char *const command_keys[] = {"command", "cmd", "script", "commandLine",
                                           "CommandLine"};
static const char *const content_keys[] = {"content", "contents",    "file_text",
                                           "text",    "new_content", "code_edit"};
static const char *const old_keys[] = {"old",     "old_string", "old_str", "oldString",
                                       "oldText", "search",     "diff",    "patch",
                                       "edits",   "insert_line"};
static const char *const status_keys[] = {"status", "state", "done", "completed"};
/* Statuses of items that are not begun, and of items that are begun but not done. */
static const char *const waiting_statuses[] = {"pending", "todo",   "not_started", "not-started",
                                               "open",    "queued", "planned"};
static const char *const begun_statuses[] = {"in_progress", "in-progress", "in progress",
                                             "active",      "doing",       "started"};
/* Members that identify a part of a screen by a handle, which changes with each snapshot, and
 * members that name the part. */
static const char *const handle_keys[] = {"ref",         "uid",     "handle",       "element_id",
                                          "element_ref", "node_id", "backendNodeId"};
static const char *const part_keys[] = {"element", "label", "name", "text", "description"};
static const char *const input_keys[] = {"chars", "input", "keys", "stdin", "data"};

/* Returns the value of the first of the keys that `args` has, or NULL. */
static const struct json *member_of(const struct json *args, const char *const *keys, size_t count)
{
    const struct json *found = NULL;
    for (size_t i = 0; i < count && !found; i++)
        found = json_get(args, keys[i]);
    return found;
}

struct member {
    const char *key;
    const struct json *value;
};

static int compare_members(const void *a, const void *b)
{
    return strcmp(((const struct member *)a)->key, ((const struct member *)b)->key);
}

/* Appends the command line that an array stands for: make for ["bash", "-lc", "make"]. The elements
 * of other arrays are joined with blanks. */
static void join_command(const struct json *command, struct str *out)
{
    const size_t count = json_count(command);
    const char *second = json_text(json_at(command, 1), "");
    if (count == 3 && second[0] == '-' && strchr(second, 'c')) {
        str_add(out, json_text(json_at(command, 2), ""));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            str_add_char(out, ' ');
        str_add(out, json_text(json_at(command, i), ""));
    }
}

static void read_command(struct entropy_call *call, const struct json *command, struct str *key)
{
    struct str line = {0};
    struct str text = {0};
    struct shell_command shell = {.text = &text};
    if (json_kind(command) == JSON_KIND_ARRAY)
        join_command(command, &line);
    else
        str_add(&line, json_text(command, ""));
    entropy_shell_read(str_text(&line), line.len, &shell);
    str_add_n(key, str_text(&text), text.len);
    call->traits |= shell.traits;
    call->echo_count = shell.echo_count;
    memcpy(call->echoes, shell.echoes, sizeof(call->echoes));
    str_done(&line);
    str_done(&text);
}

/* Returns true if the member only comments on the call. */
static bool is_remark(const struct entropy_call *call, const struct json *args, const char *name)
{
    const unsigned about_files = CALL_SHELL | CALL_READS | CALL_LOOKS | CALL_REWRITES;
    const bool has_content =
        call->traits & about_files ||
        (call->traits & CALL_DELEGATES && member_of(args, prompt_keys, ARRAY_LEN(prompt_keys)));
    return text_is_in(talk, ARRAY_LEN(talk), name) ||
           (has_content && text_is_in(talk_of_files, ARRAY_LEN(talk_of_files), name));
}

/* Writes the arguments sorted by name, without members that only comment on the call. Leaves out
 * a handle if the part of the screen is also named, and adds it to the hash *handles_out
 * instead. */
static void write_args(struct entropy_call *call, const struct json *args, struct str *key,
                       uint64_t *handles_out)
{
    const bool named =
        call->traits & CALL_SHOWS && member_of(args, part_keys, ARRAY_LEN(part_keys));
    const size_t count = json_kind(args) == JSON_KIND_OBJECT ? json_count(args) : 0;
    struct member *members = xcalloc(count + 1, sizeof(*members));
    void *iter = NULL;
    size_t kept = 0;
    while (kept < count && json_next(args, &iter, &members[kept].key, &members[kept].value)) {
        kept += json_kind(members[kept].value) != JSON_KIND_NULL &&
                !is_remark(call, args, members[kept].key);
    }
    qsort(members, kept, sizeof(*members), compare_members);
    for (size_t i = 0; i < kept; i++) {
        if (named && text_is_in(handle_keys, ARRAY_LEN(handle_keys), members[i].key)) {
            const char *handle = json_text(members[i].value, "");
            *handles_out = entropy_hash_pair(*handles_out, entropy_hash(handle, strlen(handle)));
            continue;
        }
        str_add_char(key, '\n');
        str_add(key, members[i].key);
        str_add_char(key, '=');
        if ((call->traits & CALL_SHELL) &&
            text_is_in(command_keys, ARRAY_LEN(command_keys), members[i].key))
            read_command(call, members[i].value, key);
        else
            canonical_write(members[i].value, key);
    }
    free(members);
}

/* Returns the progress of an item: 0 if it is not begun, 1 if it is begun, ITEM_DONE if it is
 * done. */
static int progress_of_status(const struct json *status)
{
    const char *text = json_text(status, json_kind(status) == JSON_KIND_FALSE ? "pending" : "done");
    if (text_is_in(waiting_statuses, ARRAY_LEN(waiting_statuses), text))
        return 0;
    return text_is_in(begun_statuses, ARRAY_LEN(begun_statuses), text) ? 1 : ITEM_DONE;
}

/* Appends the status of every item, counts the items and adds up their progress. */
static void write_statuses(struct entropy_call *call, const struct json *json, struct str *key)
{
    const char *name;
    const struct json *value;
    void *iter = NULL;
    if (json_kind(json) == JSON_KIND_ARRAY) {
        for (size_t i = 0; i < json_count(json); i++)
            write_statuses(call, json_at(json, i), key);
        return;
    }
    while (json_kind(json) == JSON_KIND_OBJECT && json_next(json, &iter, &name, &value)) {
        if (text_is_in(status_keys, ARRAY_LEN(status_keys), name)) {
            str_add_char(key, '\n');
            canonical_write(value, key);
            call->items++;
            call->progress += progress_of_status(value);
        } else {
            write_statuses(call, value, key);
        }
    }
}

/* Adds hashes of the symbols in a text: names such as with_this or withThis, but not parts of a
 * path. Ignores case and underscores. */
static void read_symbols(struct entropy_call *call, const char *text, size_t len)
{
    for (size_t at = 0; at < len && call->symbol_count < CALL_SYMBOLS_MAX;) {
        char symbol[SYMBOL_BYTES];
        size_t symbol_len = 0;
        bool is_symbol = false;
        const size_t start = at;
        for (; at < len && is_symbol_byte(text[at]); at++) {
            is_symbol = is_symbol || (at > start && marks_symbol(text, at));
            if (text[at] != '_' && symbol_len < sizeof(symbol))
                symbol[symbol_len++] = ascii_lower(text[at]);
        }
        const bool in_path = (start > 0 && text[start - 1] == '/') || (at < len && text[at] == '/');
        if (is_symbol && !in_path && symbol_len >= SYMBOL_BYTES_MIN)
            call->symbols[call->symbol_count++] = entropy_hash(symbol, symbol_len);
        at += at == start;
    }
}

/* Adds the names in all strings of the arguments to `set` and all their words to `words` (may be
 * NULL). For calls that read and for command lines, also adds their symbols to the call. */
static void read_strings(struct entropy_call *call, const struct json *json, struct word_set *set,
                         struct normaliser_words *words)
{
    const char *text = json_text(json, NULL);
    const char *name;
    const struct json *value;
    void *iter = NULL;
    if (text) {
        const size_t len = strnlen(text, STRING_WORDS_MAX);
        word_set_add_names(set, text, len);
        if (words)
            normaliser_words_add(words, text, len);
        if (call->traits & (CALL_READS | CALL_SHELL))
            read_symbols(call, text, len);
    } else if (json_kind(json) == JSON_KIND_ARRAY) {
        for (size_t i = 0; i < json_count(json) && set->count < ALIKE_WORDS_MAX; i++)
            read_strings(call, json_at(json, i), set, words);
    } else if (json_kind(json) == JSON_KIND_OBJECT) {
        while (set->count < ALIKE_WORDS_MAX && json_next(json, &iter, &name, &value))
            if (!text_is_in(talk, ARRAY_LEN(talk), name))
                read_strings(call, value, set, words);
    }
}

/* Adds the words, as written, of the prompt and of all other strings that the other agent gets. */
static void read_prompt(struct entropy_call *call, const struct json *args)
{
    const char *name;
    const struct json *value;
    void *iter = NULL;
    while (json_next(args, &iter, &name, &value)) {
        const char *text = json_text(value, NULL);
        if (text && !is_remark(call, args, name))
            word_set_add_written(&call->said, text, strnlen(text, STRING_WORDS_MAX), false);
    }
}

/* Returns the traits, corrected by the action that an argument names: editors with one tool for
 * everything, and tools that run something in the background, have such an argument. */
static unsigned traits_of_action(const struct json *args, unsigned traits)
{
    static const struct {
        const char *action;
        unsigned traits;
    } actions[] = {
        {"view", CALL_READS},        {"read", CALL_READS},          {"list", CALL_READS},
        {"create", CALL_CHANGES},    {"str_replace", CALL_CHANGES}, {"insert", CALL_CHANGES},
        {"undo_edit", CALL_CHANGES}, {"poll", CALL_LOOKS},          {"status", CALL_LOOKS},
        {"wait", CALL_LOOKS},        {"log", CALL_LOOKS},           {"output", CALL_LOOKS},
        {"update", CALL_CHANGES},    {"add", CALL_CHANGES},         {"set", CALL_CHANGES},
    };
    if (traits & (CALL_SHELL | CALL_PLANS))
        return traits;
    const char *action =
        json_text(json_get(args, "action"), json_text(json_get(args, "command"), ""));
    for (size_t i = 0; i < ARRAY_LEN(actions); i++)
        if (strcmp(actions[i].action, action) == 0)
            return (traits & ~(unsigned)(CALL_READS | CALL_CHANGES)) | actions[i].traits;
    return traits;
}

/* Returns true if all arguments are times: a `wait` with only a time waits for nothing in
 * particular. */
static bool waits_for_time(const struct json *args)
{
    static const char *const times[] = {"seconds", "secs",   "ms",      "milliseconds",
                                        "minutes", "time",   "timeout", "duration",
                                        "delay",   "time_ms"};
    const char *key;
    const struct json *value;
    void *iter = NULL;
    bool only_times = json_count(args) > 0;
    while (only_times && json_next(args, &iter, &key, &value))
        only_times = text_is_in(times, ARRAY_LEN(times), key);
    return only_times;
}

/* Returns true if an edit replaces a string with itself. */
static bool replaces_nothing(const struct json *args)
{
    static const struct {
        const char *from, *to;
    } pairs[] = {{"old", "new"},
                 {"old_string", "new_string"},
                 {"old_str", "new_str"},
                 {"oldString", "newString"},
                 {"search", "replace"}};
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        const char *from = json_text(json_get(args, pairs[i].from), NULL);
        const char *to = json_text(json_get(args, pairs[i].to), NULL);
        if (from && to && strcmp(from, to) == 0)
            return true;
    }
    return false;
}

static unsigned traits_of(const char *tool, const struct json *args)
{
    unsigned traits = traits_of_action(args, entropy_tool_traits(tool));
    const bool whole = member_of(args, content_keys, ARRAY_LEN(content_keys)) &&
                       !member_of(args, old_keys, ARRAY_LEN(old_keys));
    if ((traits & CALL_CHANGES) && replaces_nothing(args))
        return CALL_READS;
    if ((traits & CALL_CHANGES) && member_of(args, path_keys, ARRAY_LEN(path_keys)) && whole)
        traits |= CALL_REWRITES;
    const struct json *input = member_of(args, input_keys, ARRAY_LEN(input_keys));
    const bool asks = input || json_get(args, "session_id");
    if ((traits & CALL_CONTINUES) && asks && json_text(input, "")[0] == '\0')
        traits |= CALL_LOOKS;
    if ((traits & CALL_LOOKS) && waits_for_time(args))
        traits = CALL_PAUSES;
    if ((traits & ~(unsigned)CALL_TAKES) == 0 && json_get(args, "code"))
        traits |= CALL_CODE;
    /* A database query asks about the names in it, unlike the words for a search engine. */
    if (json_get(args, "sql"))
        traits &= ~(unsigned)CALL_SEARCHES;
    /* A command is run, whatever the tool is called. */
    if ((traits & ~(unsigned)CALL_TAKES) == 0 &&
        member_of(args, command_keys, ARRAY_LEN(command_keys)))
        traits |= CALL_SHELL;
    return traits;
}

const char *entropy_call_text(const struct json *args)
{
    static const char *const keys[] = {"text", "thought", "content", "message", "thoughts"};
    return json_text(member_of(args, keys, ARRAY_LEN(keys)), NULL);
}

static void add_line_digest(void *ctx, const struct normaliser_line *line)
{
    struct digest *sum = ctx;
    const struct digest digest = entropy_digest(line->bytes, line->len);
    sum->hi = entropy_hash_pair(sum->hi, digest.hi);
    sum->lo = entropy_hash_pair(sum->lo, digest.lo);
}

/* Returns the digest of the key's normalised lines, in order. */
static struct digest masked_digest(const struct str *key)
{
    struct digest sum = {.lo = 1};
    struct normaliser *normaliser = NULL;
    normaliser_open(&normaliser, NULL, add_line_digest, &sum);
    normaliser_add(normaliser, str_text(key), key->len);
    normaliser_end(normaliser);
    normaliser_close(normaliser);
    return sum;
}

/* Returns true for four numbers separated by dots, optionally with a port or a mask. */
static bool is_ip_address(const char *word, size_t len)
{
    int dots = 0;
    for (size_t i = 0; i < len; i++) {
        dots += word[i] == '.';
        if (!ascii_is_digit(word[i]) && !(i > 0 && strchr(".:/", word[i])))
            return false;
    }
    return dots == 3;
}

/* Returns where the host of a URL in the word begins, or `len` if the word has no URL. */
static size_t host_of_url(const char *word, size_t len)
{
    for (size_t i = 0; i + 3 < len; i++) {
        if (memcmp(word + i, "://", 3) == 0)
            return i + 3;
    }
    return len;
}

static bool begins_with(const char *bytes, size_t len, const char *with)
{
    const size_t with_len = strlen(with);
    return len >= with_len && memcmp(bytes, with, with_len) == 0;
}

static bool ends_with(const char *bytes, size_t len, const char *with)
{
    const size_t with_len = strlen(with);
    return len >= with_len && memcmp(bytes + len - with_len, with, with_len) == 0;
}

/* Returns true for a word without a slash, and for a word with a URL unless its host is localhost
 * or begins with "127.". */
static bool may_be_host(const char *word, size_t len)
{
    const size_t host = host_of_url(word, len);
    if (host == len)
        return !memchr(word, '/', len);
    return !begins_with(word + host, len - host, "localhost") &&
           !begins_with(word + host, len - host, "127.");
}

/* Returns true for a keyword before a declared name: "const x" asks for the same as "x". */
static bool is_keyword(const char *word, size_t len)
{
    static const char *const keywords[] = {
        "async", "class",  "const",     "def", "enum",   "export", "fn",   "func", "function",
        "impl",  "import", "interface", "let", "static", "struct", "type", "var",
    };
    for (; len > 0 && strchr("'\"^(", word[0]); word++)
        len--;
    for (size_t i = 0; i < ARRAY_LEN(keywords); i++)
        if (strlen(keywords[i]) == len && memcmp(keywords[i], word, len) == 0)
            return true;
    return false;
}

static unsigned char bits_of_word(const char *word, size_t len)
{
    int letters = 0;
    bool has_wildcard = false, is_path = false, is_symbol = false, has_digit = false;
    const char *equals = memchr(word, '=', len);
    size_t first = equals ? (size_t)(equals - word) + 1 : 0; /* after "name=" of an option */
    for (size_t i = 0; i < first; i++)
        if (word[i] == '/' || word[i] == ':')
            first = 0;
    for (size_t i = first; i < len; i++) {
        letters += ascii_is_lower(word[i]) || ascii_is_upper(word[i]);
        has_digit = has_digit || ascii_is_digit(word[i]);
        has_wildcard = has_wildcard || word[i] == '*' || word[i] == '?';
        is_symbol = is_symbol || (i > first && marks_symbol(word, i));
        is_path = is_path || word[i] == '/' || word[i] == '.' || word[i] == '-';
    }
    /* Options that do not change the question: "--hidden", "-rni" and "regex=true", but not
     * "-Sname" or "--key=name". */
    const bool is_long = len > 1 && word[1] == '-';
    const bool is_option =
        len > 0 && word[0] == '-' && (is_long ? !memchr(word, '=', len) : len <= OPTION_MAX);
    const bool is_switch =
        equals && (ends_with(word, len, "=true") || ends_with(word, len, "=false"));
    if (is_option || is_switch || is_keyword(word, len))
        return CALL_WORD_IS_OPTION;
    if (is_ip_address(word, len))
        return CALL_WORD_NAMES | CALL_WORD_IS_HOST;
    const bool is_host = is_path && word[0] != '-' && may_be_host(word, len);
    return (unsigned char)((letters > 1 && !has_wildcard ? CALL_WORD_NAMES : 0) |
                           (is_path && word[0] != '-' ? CALL_WORD_IS_PATH : 0) |
                           (is_host ? CALL_WORD_IS_HOST : 0) |
                           (has_digit ? CALL_WORD_HAS_DIGIT : 0) |
                           (is_symbol ? CALL_WORD_IS_SYMBOL : 0));
}

/* Returns a hash that ignores quotes, case, underscores and the pattern around a name:
 * "'getTax\\('", "getTax:" and get_tax are one name. */
static uint64_t hash_of_word(const char *word, size_t len)
{
    char bare[WORD_BARE_BYTES];
    size_t bare_len = 0;
    if (len > sizeof(bare))
        return entropy_hash(word, len);
    for (size_t i = 0; i < len; i++) {
        if (word[i] == '\\') {
            i += i + 1 < len && strchr("bwBW<>", word[i + 1]) ? 1 : 0;
            continue;
        }
        if (!strchr("'\"()^$_|", word[i]))
            bare[bare_len++] = ascii_lower(word[i]);
    }
    while (bare_len > 1 && strchr(":,;={[", bare[bare_len - 1]))
        bare_len--;
    return entropy_hash(bare, bare_len);
}

/* Stores the hashes and bits of the key's words. The host of a URL counts as a word of its own. If
 * there are more than CALL_WORDS_MAX words, sets word_count to 0. */
static void read_words(struct entropy_call *call, const struct str *key)
{
    const char *text = str_text(key);
    call->word_count = 0;
    for (size_t at = 0; at < key->len;) {
        size_t end = at;
        while (end < key->len && !ascii_is_blank(text[end]))
            end++;
        const size_t host = at + host_of_url(text + at, end - at);
        const char *path = memchr(text + host, '/', end - host);
        if (path)
            end = (size_t)(path - text);
        if (end > at && call->word_count == CALL_WORDS_MAX) {
            call->word_count = 0;
            return;
        }
        if (end > at) {
            call->word_bits[call->word_count] = bits_of_word(text + at, end - at);
            call->words[call->word_count++] = hash_of_word(text + at, end - at);
        }
        at = end < key->len && text[end] == '/' ? end : end + 1;
    }
}

void entropy_call_read(struct entropy_call *call, struct call_text *before, const char *tool,
                       const struct json *args, struct normaliser_words *words)
{
    struct str key = {0};
    struct word_set set = {0};
    uint64_t handles = 0;
    *call = (struct entropy_call){.traits = traits_of(tool, args),
                                  .tool = entropy_hash(tool, strlen(tool))};
    str_add(&key, tool);
    if (call->traits & CALL_PLANS) {
        write_statuses(call, args, &key);
        if (call->items == 0)
            canonical_write(args, &key);
        if (json_kind(json_get(args, "merge")) == JSON_KIND_TRUE)
            call->items = 0; /* the list has only the items that changed */
    } else {
        write_args(call, args, &key, &handles);
    }
    call->kind = call->traits & CALL_PAUSES ? ENTROPY_PAUSE : ENTROPY_CALL;
    if (call->traits & CALL_PLANS)
        call->kind = ENTROPY_NEUTRAL;
    call->exact = entropy_hash(str_text(&key), key.len);
    call->grows = before->len > 0 && before->len < key.len &&
                  entropy_hash(str_text(&key), before->len) == before->hash;
    *before = (struct call_text){.hash = call->exact, .len = key.len};
    if (handles != 0)
        call->exact = entropy_hash_pair(call->exact, handles);
    call->key = masked_digest(&key);
    read_words(call, &key);
    read_strings(call, args, &set, words);
    call->said = set;
    word_set_add_names(&set, tool, strlen(tool));
    if (words)
        normaliser_words_add(words, tool, strlen(tool));
    call->scope = word_set_hash(&set);
    const char *path = json_text(member_of(args, path_keys, ARRAY_LEN(path_keys)), NULL);
    if (path)
        call->path = entropy_hash(path, strlen(path));
    const char *content = json_text(member_of(args, content_keys, ARRAY_LEN(content_keys)), "");
    if (call->traits & CALL_REWRITES) {
        call->said = (struct word_set){0};
        word_set_add(&call->said, content, strlen(content));
    }
    if (call->traits & CALL_DELEGATES) {
        call->said = (struct word_set){0};
        read_prompt(call, args);
    }
    str_done(&key);
}
