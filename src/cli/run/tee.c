#include "tee.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "str.h"
#include "xalloc.h"

/* Pieces and their bytes, one after the other. */
struct heap_of_pieces {
    struct tee_piece *pieces; /* owned */
    size_t count, cap;
    struct str bytes;
};

struct tee {
    int fd;

    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t taken;
    struct heap_of_pieces waiting;
    bool given_up;

    /* Main thread only. */
    struct heap_of_pieces handed;
};

bool tee_open(struct tee **out, struct err *err)
{
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0)
        return err_set_errno(err, errno, "eventfd");
    struct tee *tee = xcalloc(1, sizeof(*tee));
    tee->fd = fd;
    (void)pthread_mutex_init(&tee->lock, NULL);
    (void)pthread_cond_init(&tee->taken, NULL);
    *out = tee;
    return true;
}

static void done(struct heap_of_pieces *heap)
{
    free(heap->pieces);
    str_done(&heap->bytes);
}

void tee_close(struct tee *tee)
{
    if (!tee)
        return;
    (void)close(tee->fd);
    (void)pthread_cond_destroy(&tee->taken);
    (void)pthread_mutex_destroy(&tee->lock);
    done(&tee->waiting);
    done(&tee->handed);
    free(tee);
}

static void add(struct heap_of_pieces *heap, int stream, const char *bytes, size_t len)
{
    bool goes_on = heap->count > 0 && heap->pieces[heap->count - 1].stream == stream;
    if (!goes_on) {
        heap->pieces = xgrow(heap->pieces, &heap->cap, heap->count + 1, sizeof(*heap->pieces));
        heap->pieces[heap->count++] = (struct tee_piece){.stream = stream};
    }
    heap->pieces[heap->count - 1].len += len;
    str_add_n(&heap->bytes, bytes, len);
}

void tee_put(void *ctx, int stream, const char *bytes, size_t len)
{
    struct tee *tee = ctx;
    const uint64_t one = 1;
    (void)pthread_mutex_lock(&tee->lock);
    while (!tee->given_up && tee->waiting.bytes.len >= TEE_BYTES_MAX)
        (void)pthread_cond_wait(&tee->taken, &tee->lock);
    if (!tee->given_up)
        add(&tee->waiting, stream, bytes, len);
    (void)pthread_mutex_unlock(&tee->lock);
    (void)!write(tee->fd, &one, sizeof(one)); /* a full counter is as good as a new one */
}

int tee_fd(const struct tee *tee)
{
    return tee->fd;
}

struct tee_batch tee_take(struct tee *tee)
{
    uint64_t news = 0;
    (void)!read(tee->fd, &news, sizeof(news)); /* nothing there is no news */
    (void)pthread_mutex_lock(&tee->lock);
    struct heap_of_pieces handed = tee->waiting;
    tee->waiting = tee->handed;
    tee->waiting.count = 0;
    str_clear(&tee->waiting.bytes);
    tee->handed = handed;
    (void)pthread_cond_signal(&tee->taken);
    (void)pthread_mutex_unlock(&tee->lock);
    return (struct tee_batch){.pieces = tee->handed.pieces,
                              .count = tee->handed.count,
                              .bytes = str_text(&tee->handed.bytes)};
}

void tee_give_up(struct tee *tee)
{
    (void)pthread_mutex_lock(&tee->lock);
    tee->given_up = true;
    (void)pthread_cond_signal(&tee->taken);
    (void)pthread_mutex_unlock(&tee->lock);
}
