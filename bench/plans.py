"""Plans, for the benchmarks."""
import json


def write_plan(path, tasks, **settings):
    """A plan of these tasks; each may be run again."""
    with open(path, "w", encoding="ascii") as file:
        json.dump({"version": 1, "idempotent": True, **settings, "tasks": tasks}, file)


def task(name, *command, **settings):
    """A task of one step; the settings are the step's."""
    return {"id": name, "steps": [{"run": list(command), **settings}]}


def tasks_of_true(count, **settings):
    return [task(f"t{i:05}", "true", **settings) for i in range(count)]
