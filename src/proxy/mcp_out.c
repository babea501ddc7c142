#include "mcp_out.h"

#include <errno.h>
#include <limits.h>
#include <sys/socket.h>
#include <unistd.h>

/* Whoever reads slowly may never have read all. */
static void forget_written(struct mcp_out *out)
{
    struct str waiting = {0};
    str_add_n(&waiting, out->bytes.data + out->written, mcp_out_waiting(out));
    str_done(&out->bytes);
    out->bytes = waiting;
    out->written = 0;
}

void mcp_out_add(struct mcp_out *out, const char *text, size_t len)
{
    if (out->fd < 0)
        return;
    if (out->written > MCP_OUT_HIGH)
        forget_written(out);
    str_add_n(&out->bytes, text, len);
    str_add_char(&out->bytes, '\n');
}

size_t mcp_out_waiting(const struct mcp_out *out)
{
    return out->bytes.len - out->written;
}

/* A pipe that is ready takes PIPE_BUF bytes at once; a socket is asked not to wait. */
static ssize_t write_some(const struct mcp_out *out)
{
    const char *from = str_text(&out->bytes) + out->written;
    size_t len = mcp_out_waiting(out);
    ssize_t done = send(out->fd, from, len, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (done >= 0 || errno != ENOTSOCK)
        return done;
    return write(out->fd, from, len < PIPE_BUF ? len : PIPE_BUF);
}

bool mcp_out_write(struct mcp_out *out)
{
    if (out->fd < 0)
        return false;
    if (mcp_out_waiting(out) == 0)
        return true;
    ssize_t done = write_some(out);
    if (done < 0 && errno != EINTR && errno != EAGAIN) {
        out->fd = -1;
        str_done(&out->bytes);
        out->written = 0;
        return false;
    }
    if (done > 0)
        out->written += (size_t)done;
    if (mcp_out_waiting(out) == 0) {
        out->written = 0;
        str_clear(&out->bytes);
        if (out->bytes.cap > MCP_OUT_HIGH)
            str_done(&out->bytes);
    }
    return true;
}

void mcp_out_done(struct mcp_out *out)
{
    str_done(&out->bytes);
}
