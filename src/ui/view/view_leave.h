/*
 * view_leave.h - the ways out: q, which asks where an engine would end, and ^Z. Part of a view;
 * pure.
 */
#ifndef DEVS_VIEW_LEAVE_H
#define DEVS_VIEW_LEAVE_H

struct view;
struct view_facts;
struct view_todo;

/* Back along the trail; from its first screen to the present; from there out of devs. */
struct view_todo view_quit(struct view *view, const struct view_facts *facts);
/* What one has looked back in is left the way it was entered. */
struct view_todo view_go_to_the_present(void);
/* Stop the program; it has to be asked for twice where an engine of this process would stop. */
struct view_todo view_suspend(struct view *view, const struct view_facts *facts);

/* Bring what was asked about leaving up to date with the run. */
void view_leave_update(struct view *view, const struct view_facts *facts);

#endif
