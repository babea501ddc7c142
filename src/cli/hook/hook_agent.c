#include "hook_agent.h"

#include <string.h>

#include "attr.h"

/* Event names, settings files and units as the CLIs' own documents have them (claude 2.1, codex
 * 0.169, gemini 0.61, qwen 0.24). A time-out is far above what a hook of ours takes at most. */
static const struct hook_agent agents[] = {
    {.name = "claude",
     .project_file = ".claude/settings.local.json",
     .shared_file = ".claude/settings.json",
     .user_file = ".claude/settings.json",
     .home_env = "CLAUDE_CONFIG_DIR",
     .home_file = "settings.json",
     .project_env = "CLAUDE_PROJECT_DIR",
     .timeout = 10,
     .ends_in_call = true,
     .events = {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse",
                "PostToolUseFailure", "Stop", "StopFailure", "SessionEnd"}},
    {.name = "codex",
     .project_file = ".codex/hooks.json",
     .user_file = ".codex/hooks.json",
     .home_env = "CODEX_HOME",
     .home_file = "hooks.json",
     .timeout = 10,
     .events = {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"}},
    {.name = "gemini",
     .project_file = ".gemini/settings.json",
     .user_file = ".gemini/settings.json",
     .project_env = "GEMINI_PROJECT_DIR",
     .timeout = 10000,
     .ends_in_call = true,
     .hides_result = true,
     .events = {"SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent",
                "SessionEnd"}},
    {.name = "qwen",
     .project_file = ".qwen/settings.json",
     .user_file = ".qwen/settings.json",
     .project_env = "QWEN_PROJECT_DIR",
     .timeout = 10000,
     .ends_in_call = true,
     .events = {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse",
                "PostToolUseFailure", "Stop", "StopFailure", "SessionEnd"}},
};
enum { AGENTS = ARRAY_LEN(agents) };

static const struct {
    const char *event;
    enum hook_kind kind;
} kinds[] = {
    {"SessionStart", HOOK_SESSION_STARTS},
    {"UserPromptSubmit", HOOK_PROMPT},
    {"BeforeAgent", HOOK_PROMPT},
    {"PreToolUse", HOOK_CALL_BEGINS},
    {"BeforeTool", HOOK_CALL_BEGINS},
    {"PostToolUse", HOOK_CALL_ENDED},
    {"AfterTool", HOOK_CALL_ENDED},
    {"PostToolUseFailure", HOOK_CALL_FAILED},
    {"Stop", HOOK_TURN_ENDED},
    {"AfterAgent", HOOK_TURN_ENDED},
    {"StopFailure", HOOK_TURN_FAILED},
    {"SessionEnd", HOOK_SESSION_ENDS},
};

const struct hook_agent *hook_agent_at(size_t index)
{
    return index < AGENTS ? &agents[index] : NULL;
}

const struct hook_agent *hook_agent_named(const char *name)
{
    for (size_t i = 0; i < AGENTS; i++) {
        if (strcmp(agents[i].name, name) == 0)
            return &agents[i];
    }
    return NULL;
}

const char *hook_agent_names(void)
{
    return "claude, codex, gemini, qwen";
}

enum hook_kind hook_kind_of(const char *event)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (strcmp(kinds[i].event, event) == 0)
            return kinds[i].kind;
    }
    return HOOK_OTHER;
}
