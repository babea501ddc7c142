#include "view_leave.h"

#include "view.h"

static int waiting(const struct run_state *state)
{
    return state->counts[TASK_BACKOFF] + state->counts[TASK_QUEUED];
}

/* The run whose engine may live in this process, as it is now. */
static const struct run_state *own_state(const struct view_facts *facts)
{
    if (facts->own)
        return facts->own;
    return facts->live ? facts->live : facts->state;
}

/* Stopping us stops the engine, not what it started: nobody reads it or keeps its time then. */
static bool stops_the_engine(const struct view_facts *facts)
{
    const struct run_state *own = own_state(facts);
    return facts->engine_here && !own->ended && own->running > 0;
}

/* What was asked is on the screen only as long as an answer counts. */
static void forget_suspend(struct view *view)
{
    if (view->suspend_asked_ms > 0)
        view->message[0] = '\0';
    view->suspend_asked_ms = 0;
}

struct view_todo view_suspend(struct view *view, const struct view_facts *facts)
{
    const struct moment *now = &facts->clock;
    int running = own_state(facts)->running;
    bool asked =
        view->suspend_asked_ms > 0 && now->mono_ms - view->suspend_asked_ms < VIEW_SUSPEND_MS;
    forget_suspend(view);
    if (asked || !stops_the_engine(facts))
        return (struct view_todo){.kind = VIEW_SUSPEND};
    /* The way out comes first: a narrow screen has no room for more. */
    view_tell(view, now,
              "%d %s: {quit} d detaches; {suspend} again stops it, and nobody watches until fg",
              running, running == 1 ? "try runs" : "tries run");
    view->suspend_asked_ms = now->mono_ms;
    return (struct view_todo){.kind = VIEW_DRAW};
}

struct view_todo view_go_to_the_present(void)
{
    return (struct view_todo){.kind = VIEW_TRANSPORT, .move = REPLAY_END};
}

/* Would anything that is to be done be left undone, if we left? */
static bool would_end_work(const struct view_facts *facts)
{
    const struct run_state *own = own_state(facts);
    return facts->engine_here && !own->ended && (own->running > 0 || waiting(own) > 0);
}

/* The question is over with what it was about. */
static void drop_question(struct view *view, const struct view_facts *facts)
{
    prompt_close(&view->prompt);
    view_tell(view, &facts->clock,
              own_state(facts)->ended ? "the run has ended; {quit} leaves"
                                      : "nothing runs or waits any more; {quit} leaves");
}

struct view_todo view_quit(struct view *view, const struct view_facts *facts)
{
    const struct run_state *state = own_state(facts);
    if (trail_back(&view->trail))
        return (struct view_todo){.kind = VIEW_DRAW};
    if (facts->mode == VIEW_PAST)
        return view_go_to_the_present();
    if (!would_end_work(facts))
        return (struct view_todo){.kind = VIEW_LEAVE};
    prompt_open_quit(&view->prompt, state->running, waiting(state), facts->clock.mono_ms);
    return (struct view_todo){.kind = VIEW_ASKED};
}

void view_leave_update(struct view *view, const struct view_facts *facts)
{
    const struct run_state *own = own_state(facts);
    if (facts->clock.mono_ms - view->suspend_asked_ms >= VIEW_SUSPEND_MS || facts->state->ended)
        forget_suspend(view);
    if (view->prompt.kind == PROMPT_QUIT && !would_end_work(facts))
        drop_question(view, facts);
    else
        prompt_update_quit(&view->prompt, own->running, waiting(own));
}
