#include "agent_taking.h"

enum { STATUS_LEAST = 100, STATUS_MOST = 599 }; /* a smaller code is an exit code */

void agent_taking_text(const struct agent_taking *taking, enum adapter_member member,
                       const struct json *value, struct str *out)
{
    (void)adapter_first_text(&taking->rule->members[member], value, out);
}

int64_t agent_taking_number(const struct agent_taking *taking, enum adapter_member member,
                            const struct json *value, int64_t otherwise)
{
    static const double most = 9e15; /* every whole number up to here is a double */
    double number = 0;
    if (!adapter_number(&taking->rule->members[member], value, &number))
        return otherwise;
    return number < 0 || number > most ? otherwise : (int64_t)number;
}

int64_t agent_taking_status(const struct agent_taking *taking, const struct json *value)
{
    const int64_t status = agent_taking_number(taking, ADAPTER_STATUS, value, 0);
    return status >= STATUS_LEAST && status <= STATUS_MOST ? status : 0;
}

void agent_words_add(struct str *words, const char *text)
{
    if (text[0] == '\0')
        return;
    str_add(words, text);
    str_add_char(words, '\n');
}

void agent_begin_take(struct agent_stream *stream)
{
    if (stream->last.end == AGENT_END_FAILED) {
        str_clear(&stream->failure);
        str_add(&stream->failure, str_text(&stream->last.words));
    }
    stream->last.end = AGENT_END_CUT;
    str_clear(&stream->last.words);
    str_clear(&stream->error);
}

void agent_turn_open(struct agent_stream *stream)
{
    if (stream->last.end != AGENT_END_UNKNOWN)
        agent_begin_take(stream);
    if (!stream->adapter->counts_turns && !stream->turn_is_open) {
        stream->used.turns++;
        stream->used_changed = true;
    }
    stream->turn_is_open = true;
    stream->retries_in_row = 0;
    str_clear(&stream->retry);
}
