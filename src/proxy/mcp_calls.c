#include "mcp_calls.h"

#include <stdlib.h>
#include <string.h>

#include "mcp_reply.h"
#include "xalloc.h"

static void free_batch(struct mcp_batch *batch)
{
    if (batch)
        str_done(&batch->replies);
    free(batch);
}

static void free_call(struct mcp_call *call)
{
    mcp_request_done(&call->request);
    str_done(&call->id);
    str_done(&call->token);
    free(call);
}

/* One request of the batch has its reply, or will have none. */
static void close_batch(struct mcp_server *server, struct mcp_batch *batch)
{
    if (--batch->open > 0)
        return;
    if (batch->replies.len > 0) {
        str_add_char(&batch->replies, ']');
        mcp_out_add(server->out, str_text(&batch->replies), batch->replies.len);
    }
    free_batch(batch);
}

static void send(struct mcp_server *server, struct mcp_batch *batch, struct str *text)
{
    if (batch) {
        str_add_char(&batch->replies, batch->replies.len > 0 ? ',' : '[');
        str_add_n(&batch->replies, str_text(text), text->len);
        close_batch(server, batch);
    } else {
        mcp_out_add(server->out, str_text(text), text->len);
    }
    str_done(text);
}

void mcp_calls_reply(struct mcp_server *server, struct str *text)
{
    if (server->batch)
        server->batch->open++;
    send(server, server->batch, text);
}

void mcp_calls_begin_batch(struct mcp_server *server)
{
    server->batch = xcalloc(1, sizeof(*server->batch));
    server->batch->open = 1; /* until all of it was read */
}

void mcp_calls_end_batch(struct mcp_server *server)
{
    struct mcp_batch *batch = server->batch;
    server->batch = NULL;
    close_batch(server, batch);
}

struct mcp_call *mcp_calls_find(const struct mcp_server *server, const char *id)
{
    for (size_t i = 0; i < server->call_count; i++) {
        if (strcmp(str_text(&server->calls[i]->id), id) == 0)
            return server->calls[i];
    }
    return NULL;
}

struct mcp_call *mcp_calls_add(struct mcp_server *server, const struct mcp_message *message,
                               enum mcp_era era)
{
    struct mcp_call *call = xcalloc(1, sizeof(*call));
    const struct json *token = json_get(json_get(message->params, "_meta"), "progressToken");
    str_add(&call->id, str_text(&message->id));
    if (mcp_is_id(token))
        json_write(&call->token, token);
    call->era = era;
    call->batch = server->batch;
    if (call->batch)
        call->batch->open++;
    server->calls[server->call_count++] = call;
    return call;
}

static void remove_call(struct mcp_server *server, const struct mcp_call *call)
{
    size_t at = 0;
    while (server->calls[at] != call)
        at++;
    server->call_count--;
    for (; at < server->call_count; at++)
        server->calls[at] = server->calls[at + 1];
}

void mcp_server_answer(struct mcp_server *server, struct mcp_call *call, const char *members)
{
    struct str text = {0};
    remove_call(server, call);
    if (!call->is_taken_back) {
        mcp_reply_result(&text, str_text(&call->id), call->era, members);
        send(server, call->batch, &text);
    } else if (call->batch) {
        close_batch(server, call->batch);
    }
    free_call(call);
}

void mcp_server_progress(struct mcp_server *server, struct mcp_call *call, const char *message)
{
    struct str text = {0};
    if (call->token.len == 0 || call->is_taken_back || mcp_out_waiting(server->out) > MCP_OUT_HIGH)
        return;
    mcp_reply_progress(&text, str_text(&call->token), ++call->progress, message);
    mcp_out_add(server->out, str_text(&text), text.len);
    str_done(&text);
}
