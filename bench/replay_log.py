"""Makes a log of many events for benchmarks, by repeating a run that devs made.

A plan of a few tasks is run once. Its tasks and events are then repeated within a run, one after
the other, with advancing numbers and times. So the log has the mix of events and the texts that
devs writes.
"""
import json
import os
import sqlite3
import subprocess

SESSION = "5c2d9c1e-0000-4000-8000-000000000001"
AGENT_CALLS = 12

AGENT = f"""import json
def say(event):
    print(json.dumps(event), flush=True)
say({{"type": "system", "subtype": "init", "session_id": "{SESSION}"}})
for i in range({AGENT_CALLS}):
    say({{"type": "assistant", "message": {{"content": [{{"type": "tool_use", "id": f"call{{i}}",
         "name": "Bash", "input": {{"command": f"grep -n total src/part{{i}}.c"}}}}]}},
         "session_id": "{SESSION}"}})
    say({{"type": "user", "message": {{"content": [{{"type": "tool_result", "tool_use_id": f"call{{i}}",
         "content": f"{{40 + i}}: int total = {{i}};"}}]}}, "session_id": "{SESSION}"}})
say({{"type": "result", "subtype": "success", "is_error": False, "result": "done", "num_turns": 12,
     "session_id": "{SESSION}", "total_cost_usd": 0.25,
     "usage": {{"input_tokens": 1200, "output_tokens": 340}}}})
"""

# Fails once, with its own message, then passes.
MENDS = """n=$(cat count.$1 2>/dev/null || echo 0); echo $((n + 1)) >count.$1
echo "running 12 tests of $1"; echo "$2"; test "$n" -gt 0"""


def shell(script, *words):
    return ["sh", "-c", script, "sh", *words]


def task(number, *steps, needs=()):
    out = {"id": f"t{number}", "title": f"Task {number} of the bench", "steps": list(steps)}
    if needs:
        out["needs"] = [f"t{need}" for need in needs]
    return out


def step(phase, command, **more):
    return {"phase": phase, "run": command, **more}


def template_plan():
    passes = ["true"]
    tests = shell(MENDS, "cart", "FAILED tests/test_cart.py::test_total - assert 41 == 42")
    reset = shell("echo 'curl: (56) Recv failure: Connection reset by peer' >&2; exit 56")
    circles = shell("echo 'error: cannot find symbol Cart.total'; exit 1")
    grows = shell("n=$(cat grow 2>/dev/null || echo 0); echo $((n + 1)) >grow\n"
                  "echo \"src/part$n.c:$((n * 7 + 3)): error: unknown type name 'part$n'\"; exit 1")
    return {
        "version": 1, "name": "bench", "jobs": 2, "idempotent": True,
        "agents": {"bench": {"like": "claude", "program": "./agent"}},
        "policies": {"quick": {"like": "transport", "max_attempts": 6, "base_delay_ms": 20, "cap_ms": 60},
                     "again": {"like": "default", "max_attempts": 5, "base_delay_ms": 20, "cap_ms": 60}},
        "tasks": [
            task(0, step("GREEN", passes), step("VERIFY", passes)),
            task(1, step("RED", ["false"], expect="failure"), step("GREEN", tests, policy="again"),
                 step("VERIFY", passes)),
            task(2, step("GREEN", reset, policy="quick")),
            task(3, step("GREEN", circles, policy="again")),
            task(4, step("GREEN", grows, policy="again")),
            task(5, {"agent": "bench", "prompt": "Mend the total."}, step("VERIFY", passes)),
            task(6, step("GREEN", passes), step("VERIFY", passes), needs=[0]),
            task(7, step("GREEN", passes), needs=[3]),
        ],
    }


def run_template(devs, folder):
    with open(f"{folder}/agent", "w", encoding="ascii") as file:
        file.write("#!/usr/bin/env python3\n" + AGENT)
    os.chmod(f"{folder}/agent", 0o755)
    with open(f"{folder}/plan.json", "w", encoding="ascii") as file:
        json.dump(template_plan(), file)
    subprocess.run([devs, "--db", "devs.db", "run", "--plain", "plan.json"], cwd=folder,
                   stdout=subprocess.DEVNULL, check=False)


def plan_of(template, times):
    """A plan with the same tasks, repeated."""
    tasks = []
    for i in range(times):
        for old in template["tasks"]:
            new = dict(old, id=f"{old['id']}-{i}")
            if "needs" in old:
                new["needs"] = [f"{need}-{i}" for need in old["needs"]]
            tasks.append(new)
    return json.dumps(dict(template, tasks=tasks))


class Copier:
    """Run 1 of the log is the template; further runs repeat it."""

    def __init__(self, path):
        self.db = sqlite3.connect(path, isolation_level=None)
        for name in ("replaced", "deleted"):
            self.db.execute(f"DROP TRIGGER event_is_not_{name}")
        self.plan = json.loads(self.db.execute("SELECT text FROM plan WHERE run=1").fetchone()[0])
        self.tasks = len(self.plan["tasks"])
        self.db.execute("CREATE TEMP TABLE part AS SELECT * FROM event WHERE run=1 AND seq>1 AND seq<"
                        "(SELECT max(seq) FROM event WHERE run=1) ORDER BY seq")
        self.events, self.ms = self.db.execute(
            "SELECT count(*), max(at_ms)-min(at_ms)+1000 FROM part").fetchone()

    def add(self, run, events):
        times = max(1, (events - 2) // self.events)
        last = 2 + times * self.events
        self.db.execute("BEGIN")
        of_runs = [row[1] for row in self.db.execute("PRAGMA table_info(run)")]
        other = {"id": str(run), "uid": f"uid||'-{run}'", "tasks": str(times * self.tasks),
                 "last_seq": str(last), "last_at_ms": f"last_at_ms+{times - 1}*{self.ms}",
                 "ended_at_ms": f"ended_at_ms+{times - 1}*{self.ms}"}
        for name in ("attempts", "passed", "failed", "cancelled", "waited_ms"):
            other[name] = f"{name}*{times}"
        self.db.execute(f"INSERT INTO run({','.join(of_runs)}) SELECT "
                        + ",".join(other.get(name, name) for name in of_runs)
                        + " FROM run WHERE id=1")
        self.db.execute("INSERT INTO plan(run, text) VALUES(?,?)", (run, plan_of(self.plan, times)))
        columns = "seq,at_ms,mono_ms,kind,task,task_no,step,attempt,data,round,grant_no"
        self.db.execute(f"INSERT INTO event(run,{columns}) SELECT ?,{columns} FROM event"
                        " WHERE run=1 AND seq=1", (run,))
        self.repeat("part", "event", run, times,
                    {"seq": f"seq+i*{self.events}", "at_ms": f"at_ms+i*{self.ms}",
                     "mono_ms": f"mono_ms+i*{self.ms}", "task": "task||'-'||i",
                     "task_no": f"task_no+i*{self.tasks}",
                     # a wait has its due time, a blocked task the number of the task it needs
                     "data": "CASE kind WHEN 'task_blocked' THEN json_set(data,'$.needs',"
                             f"(data->>'needs')+i*{self.tasks})"
                             " WHEN 'wait_started' THEN json_set(data,"
                             f"'$.due_at_ms',(data->>'due_at_ms')+i*{self.ms},"
                             f"'$.due_mono_ms',(data->>'due_mono_ms')+i*{self.ms}) ELSE data END"},
                    "seq")
        shift = (times - 1) * self.ms
        moved = columns.replace("seq,at_ms,mono_ms", "?2,at_ms+?3,mono_ms+?3")
        self.db.execute(f"INSERT INTO event(run,{columns}) SELECT ?1,{moved} FROM event WHERE run=1"
                        " ORDER BY seq DESC LIMIT 1", (run, last, shift))
        self.repeat("task", "task", run, times, {"task": f"task+i*{self.tasks}", "id": "id||'-'||i"},
                    "task")
        self.repeat("attempt", "attempt", run, times, {"task": f"task+i*{self.tasks}",
                    "started_at_ms": f"started_at_ms+i*{self.ms}",
                    "ended_at_ms": f"ended_at_ms+i*{self.ms}"}, "task")
        self.db.execute("COMMIT")
        return last

    def repeat(self, source, table, run, times, other, order):
        columns = [row[1] for row in self.db.execute(f"PRAGMA table_info({table})")]
        values = ",".join(str(run) if name == "run" else other.get(name, name) for name in columns)
        self.db.execute(f"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<{times - 1})"
                        f" INSERT INTO {table}({','.join(columns)}) SELECT {values} FROM n, {source} p"
                        f" WHERE p.run=1 ORDER BY i, p.{order}")

    def close(self):
        self.db.execute("CREATE TRIGGER event_is_not_deleted BEFORE DELETE ON event"
                        " WHEN NOT EXISTS(SELECT 1 FROM run WHERE id=OLD.run AND expired=1)"
                        " BEGIN SELECT raise(ABORT, 'the run log is append-only'); END")
        self.db.execute("CREATE TRIGGER event_is_not_replaced BEFORE INSERT ON event"
                        " WHEN EXISTS(SELECT 1 FROM event WHERE run=NEW.run AND seq=NEW.seq)"
                        " BEGIN SELECT raise(ABORT, 'the run log is append-only'); END")
        self.db.close()


def make(devs, folder, events, runs):
    """Makes devs.db in the folder: half of the events in run 2, the others in the remaining runs.
    Returns the number of events in run 2."""
    run_template(devs, folder)
    copier = Copier(f"{folder}/devs.db")
    large = copier.add(2, events // 2)
    for run in range(3, runs + 1):
        copier.add(run, events // 2 // (runs - 2))
    copier.close()
    return large
