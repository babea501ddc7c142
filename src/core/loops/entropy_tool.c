#include "entropy_tool.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"

enum { WORD_BYTES = 24, WORDS_MAX = 12 };

/* Whole names, before their words are looked at. */
static const struct {
    const char *name;
    unsigned traits;
} names[] = {
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
    {"terminal", CALL_SHELL},
    {"view_image", CALL_READS},
    {"write_stdin", CALL_CONTINUES},
    {"zsh", CALL_SHELL},
};

/* Words of a name; the first that is found in the order of this list decides. */
static const struct {
    const char *word;
    unsigned traits;
} words[] = {
    {"think", CALL_THINKS},
    {"debugger", CALL_CONTINUES},
    {"stdin", CALL_CONTINUES},
    {"keys", CALL_CONTINUES},
    {"press", CALL_CONTINUES},
    {"step", CALL_CONTINUES},
    {"thinking", CALL_THINKS},
    {"todo", CALL_PLANS},
    {"todos", CALL_PLANS},
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
};

/* Words for taking the next item; all of a name's count. */
static const char *const takers[] = {
    "blpop", "consume", "dequeue",         "lpop", "next",
    "pop",   "receive", "receive-message", "rpop", "shift",
};

bool entropy_tool_takes(const char *word)
{
    for (size_t i = 0; i < ARRAY_LEN(takers); i++)
        if (strcmp(takers[i], word) == 0)
            return true;
    return false;
}

struct name_words {
    char words[WORDS_MAX][WORD_BYTES];
    int count;
};

static bool is_lower_or_digit(char c)
{
    return ascii_is_lower(c) || ascii_is_digit(c);
}

/* "mcp__crm__updateContact" is mcp, crm, update, contact. */
static void split(const char *tool, struct name_words *out)
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
        out->words[out->count][len++] = (char)(ascii_is_upper(*c) ? *c | 0x20 : *c);
    }
    if (len > 0)
        out->count++;
}

static bool has_word(const struct name_words *name, const char *word)
{
    for (int i = 0; i < name->count; i++)
        if (strcmp(name->words[i], word) == 0)
            return true;
    return false;
}

unsigned entropy_tool_traits(const char *tool)
{
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcmp(names[i].name, tool) == 0)
            return names[i].traits;
    struct name_words name;
    split(tool, &name);
    unsigned traits = 0;
    for (size_t i = 0; i < ARRAY_LEN(words) && (traits & ~(unsigned)CALL_NO_LOOK) == 0; i++)
        if (has_word(&name, words[i].word))
            traits |= words[i].traits;
    for (int i = 0; i < name.count; i++)
        traits |= entropy_tool_takes(name.words[i]) ? (unsigned)CALL_TAKES : 0;
    return traits;
}
