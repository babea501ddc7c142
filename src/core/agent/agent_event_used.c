/* agent_event_used.c - an agent's stream: what was used. */
#include <string.h>

#include "agent_taking.h"

static void set_sum(struct agent_stream *stream, int64_t *sum, double value, bool adds)
{
    if (value < 0 || value > (double)AGENT_USED_MAX)
        return;
    const int64_t number = (int64_t)(value + 0.5);
    const int64_t news = agent_used_sum(number, adds ? *sum : 0);
    if (news <= *sum)
        return; /* a sum never falls: an end may know less than what came before it */
    *sum = news;
    stream->used_changed = true;
}

/* Is it another turn than the one before? */
static bool is_new_turn(const struct agent_taking *taking, const struct json *value)
{
    struct agent_stream *stream = taking->stream;
    struct str id = {0};
    agent_taking_text(taking, ADAPTER_TURN, value, &id);
    const bool is_new = id.len > 0 && strcmp(str_text(&id), str_text(&stream->turn)) != 0;
    if (is_new) {
        str_clear(&stream->turn);
        str_add(&stream->turn, str_text(&id));
    }
    str_done(&id);
    return is_new;
}

/* A turn ends and the next one begins. A turn without a word, call or token is reported as a
 * message, so that the loop detector sees an agent that produces nothing else. */
static void begin_turn(struct agent_stream *stream)
{
    if (stream->turn_is_empty && stream->used.tokens == stream->turn_tokens) {
        struct agent_item item = agent_item_new(stream, AGENT_ITEM_TEXT);
        item.text = "(an empty turn)";
        agent_stream_tell(stream, &item);
    }
    stream->turn_is_empty = true;
    stream->turn_tokens = stream->used.tokens;
    stream->used.turns++;
    stream->used_changed = true;
}

void agent_used_take(const struct agent_taking *taking, const struct json *value)
{
    static const double micro = 1e6;
    struct agent_stream *stream = taking->stream;
    const struct adapter_rule *rule = taking->rule;
    double number = 0;
    const bool names_turn = rule->members[ADAPTER_TURN].count > 0 && !rule->each_is_turn;
    const bool is_new = rule->each_is_turn || (names_turn && is_new_turn(taking, value));
    if (names_turn && !is_new)
        return; /* its numbers have been counted with the turn's first event */
    if (is_new)
        begin_turn(stream);
    if (adapter_number(&rule->members[ADAPTER_TURNS], value, &number))
        set_sum(stream, &stream->used.turns, number, rule->adds);
    if (adapter_number(&rule->members[ADAPTER_COST_USD], value, &number))
        set_sum(stream, &stream->used.cost_micro, number * micro, rule->adds);
    if (adapter_sum(&rule->members[ADAPTER_TOKENS], value, &number))
        set_sum(stream, &stream->used.tokens, number, rule->adds);
}
