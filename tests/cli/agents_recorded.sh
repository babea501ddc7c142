#!/bin/sh
# What real agent CLIs have written, run again as agents of steps: each end is judged as its label
# says. DEVS_AGENT_RECORDS is the folder with data/agent-cli/recorded.jsonl and with
# tools/replay-agent.py, which acts as one of them.
. "$(dirname "$0")/check.sh"
shared=${DEVS_AGENT_RECORDS:-}
if [ ! -r "$shared/data/agent-cli/recorded.jsonl" ] || ! command -v python3 >/dev/null; then
	echo "skipped: DEVS_AGENT_RECORDS names no records, or there is no python3"
	exit 77
fi

# plans of at most 60 agents, and a table of what is to come of each task
python3 - "$shared" <<'PY'
import json, sys
shared = sys.argv[1]
# Nothing in their output says what the label says.
unknowable = {"codex/sse-error", "gemini/sse-error", "gemini/maxtokens", "qwen/maxtokens"}
rows = [json.loads(line) for line in open(shared + "/data/agent-cli/recorded.jsonl")]
rows = [r for r in rows if r["expect"] and r["id"] not in unknowable]
for first in range(0, len(rows), 60):
    agents, tasks = {}, []
    for i, r in enumerate(rows[first:first + 60]):
        name = "r%d" % i
        agents[name] = {"like": r["id"].split("/")[0], "program": "python3",
                        "argv": [shared + "/tools/replay-agent.py", r["id"], "--speed", "0"],
                        "output": "text" if "-text" in r["id"] else "jsonl"}
        tasks.append({"id": name, "title": r["id"], "steps": [
            {"agent": name, "prompt": "x", "permission_args": [],
             "policy": {"like": "transport", "max_attempts": 1}}]})
    json.dump({"version": 1, "jobs": 2, "agents": agents, "tasks": tasks},
              open("plan%d.json" % (first // 60), "w"))
    with open("want%d" % (first // 60), "w") as out:
        for i, r in enumerate(rows[first:first + 60]):
            print("r%d %s %s %s" % (i, r["id"], r["expect"], r["type"] or r["reason"] or "-"), file=out)
PY

for plan in plan*.json; do
	"$devs" run --json "$plan" >events 2>err
	want_in "$plan: it ends" "$(tail -1 events)" 'run_ended'
	python3 - "${plan%.json}" <<'PY' >got
import json, sys
verdicts = {}
for line in open("events"):
    event = json.loads(line)
    if event.get("kind") == "attempt_ended" and event["attempt"] == 1:
        verdicts[event["task"]] = ("ok", "-")
    if event.get("kind") == "attempt_judged" and event["attempt"] == 1:
        verdicts[event["task"]] = (event["verdict"], event.get("type") or event.get("reason") or "-")
for line in open(sys.argv[1].replace("plan", "want")):
    task, name, expect, what = line.split()
    print(name, *verdicts.get(task, ("none", "-")), "|", expect, what if expect != "ok" else "-")
PY
	while read -r name got what bar expect wanted; do
		want "$name" "$got $what" "$expect $wanted"
		[ "$bar" = '|' ] || want "$name: its row" "$bar" '|'
	done <got
done

finish
