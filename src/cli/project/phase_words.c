#include "phase_words.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "agent_choice.h"
#include "exit_code.h"
#include "fail.h"
#include "parse.h"

int phase_words_read(struct phase_words *at, const char *number)
{
    char dir[PATH_MAX];
    int64_t chosen = 0;
    struct err err = {0};
    if (!parse_i64(number, 1, PROJECT_PHASES_MAX, &chosen, NULL))
        return fail_usage("they count from 1", "'%s' is no number of a phase", number);
    if (!getcwd(dir, sizeof(dir))) {
        (void)err_set_errno(&err, errno, "cannot say which folder this is");
        return fail(&err);
    }
    int code = project_read(dir, &at->project);
    if (code != EXIT_ALL_PASSED)
        return code;
    int count = project_phase_count(&at->project);
    if (chosen > count)
        return fail_usage("they count from 1", "no phase '%s': %s/" PROJECT_FILE_NAME " has %d",
                          number, at->project.dir, count);
    at->number = (int)chosen;
    return config_read(at->project.dir, CONFIG_ACTS, &at->config);
}

int phase_words_agent(struct phase_words *at)
{
    const char *name = at->words.agent;
    if (!name)
        name = project_agent(&at->project);
    if (!name)
        name = at->config.settings.agent;
    return agent_choose(at->config.settings.agents, name, &at->adapter);
}

const char *phase_words_session(const struct phase_words *at)
{
    const char *owner = project_agent(&at->project);
    if (at->words.resume || at->words.fresh)
        return at->words.resume;
    bool is_same = owner && strcmp(owner, adapter_name(at->adapter)) == 0;
    return is_same ? project_session(&at->project) : NULL;
}

void phase_words_done(struct phase_words *at)
{
    project_done(&at->project);
    config_done(&at->config);
}
