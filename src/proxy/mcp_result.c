#include <string.h>

#include "mcp_advice.h"
#include "mcp_result_parts.h"
#include "mcp_tool.h"
#include "text.h"

const char *mcp_stream_name(int stream)
{
    return stream == 0 ? "stdout" : "stderr";
}

const struct step_state *mcp_ended_step(const struct mcp_ended *ended)
{
    return run_state_step(ended->state, ended->task);
}

bool mcp_ended_failed(const struct mcp_ended *ended)
{
    return ended->state->tasks[ended->task].status != TASK_PASSED;
}

bool mcp_ended_is_transient(const struct mcp_ended *ended)
{
    const struct attempt_state *attempt = step_state_attempt(mcp_ended_step(ended));
    return mcp_ended_failed(ended) && attempt && attempt->class == VERDICT_TRANSIENT;
}

bool mcp_ended_is_file(const struct mcp_ended *ended)
{
    return ended->request->tool == MCP_TOOL_READ && !mcp_ended_failed(ended);
}

static bool is_utf8(const struct str *text)
{
    uint32_t rune = 0;
    for (size_t at = 0; at < text->len;) {
        at += (size_t)text_rune(text->data + at, text->len - at, &rune);
        if (rune == UINT32_MAX)
            return false;
    }
    return true;
}

const char *mcp_file_warning(const struct mcp_shown *shown)
{
    if (strstr(str_text(&shown->texts[0]), "[cut:"))
        return "Secrets are cut out of this text: do not write it back.";
    if (!is_utf8(&shown->texts[0]))
        return "This is not all UTF-8; what is not stands as U+FFFD: do not write it back.";
    return "";
}

static void show_output(const struct mcp_ended *ended, struct mcp_shown *out)
{
    *out = (struct mcp_shown){0};
    const bool is_file = mcp_ended_is_file(ended);
    for (int i = 0; i < 2; i++) {
        const struct mcp_stream *stream = &ended->output->streams[i];
        if (is_file && i == 0)
            str_add_n(&out->texts[i], str_text(&stream->kept), stream->kept.len);
        else
            mcp_stream_text(stream, &out->texts[i]);
    }
}

static void shown_done(struct mcp_shown *shown)
{
    for (int i = 0; i < 2; i++)
        str_done(&shown->texts[i]);
}

/* A file's text comes first and alone, as it is. */
static void write_content(const struct mcp_ended *ended, const struct mcp_shown *shown,
                          const char *advice, struct str *out)
{
    const bool is_file = mcp_ended_is_file(ended);
    struct str words = {0};
    str_add(out, "\"content\":[{\"type\":\"text\",\"text\":");
    if (is_file) {
        str_add_json(out, str_text(&shown->texts[0]), shown->texts[0].len);
        str_add(out, "}");
        str_addf(&words, "%s%s", str_text(&shown->texts[1]), mcp_file_warning(shown));
        if (*ended->nudge != '\0')
            str_addf(&words, "%s\n", ended->nudge);
        if (*advice != '\0')
            str_addf(&words, "%s\n", advice);
    } else {
        mcp_result_words(ended, shown, advice, &words);
        str_add_json(out, str_text(&words), words.len);
        str_add(out, "}");
        str_clear(&words);
    }
    if (words.len > 0) {
        str_add(out, ",{\"type\":\"text\",\"text\":");
        str_add_json(out, str_text(&words), words.len);
        str_add_char(out, '}');
    }
    str_add_char(out, ']');
    str_done(&words);
}

void mcp_result_write(const struct mcp_ended *ended, struct str *out)
{
    const bool is_error = mcp_ended_failed(ended) || ended->loop->level == ENTROPY_STUCK;
    struct mcp_shown shown;
    struct str advice = {0};
    show_output(ended, &shown);
    mcp_advice(ended, &advice);
    write_content(ended, &shown, str_text(&advice), out);
    str_json_bool(out, "isError", is_error);
    str_json_key(out, "structuredContent");
    str_add_char(out, '{');
    mcp_result_data(ended, &shown, str_text(&advice), out);
    str_add_char(out, '}');
    str_done(&advice);
    shown_done(&shown);
}
