#!/usr/bin/env python3
"""Runs of devs whose tasks are jobs of a real Slurm: what tests/support/slurm-up starts.

usage: slurm-up run [--cgroup] slurm.py DEVS DEVS-HAND [CASE...]       all cases by default
"""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import case as cases
from case import HAND, LIMIT_S, ONCE, bytes_unchanged, sh, step, task, until, want

HERE = os.path.dirname(os.path.abspath(__file__))
FREE = "trap 'exit 0' TERM; echo ready; until [ -e go ]; do sleep 0.05; done"
CAUGHT = "trap 'exit 0' TERM; echo ready; while :; do sleep 0.05; done"


def output_of(*words, **more):
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          timeout=LIMIT_S, **more).stdout


def slurm_up(*words):
    done = subprocess.run([os.path.join(HERE, "..", "support", "slurm-up"), *words], check=False)
    want(words, done.returncode, 0)


def cluster():
    """The numbers of its nodes."""
    return range(1, int(output_of("sinfo", "-h", "-p", "main", "-o", "%D").split()[0]) + 1)


def uses_cgroups():
    with open(os.environ["SLURM_CONF"], encoding="utf-8") as file:
        return "proctrack/cgroup" in file.read()


class Case(cases.Case):
    def plan(self, tasks, more=None, **executor):
        farm = {"like": "slurm", "dir": self.far, "hand": HAND, "shared": self.dir, "poll_s": 1,
                "lease_s": 60, "args": ["--partition=main"]}
        farm.update(executor)
        return self.write_plan({"lab": farm}, tasks, **(more or {}))

    def job(self, of=None):
        """The newest job of the task, or of all, in the log."""
        jobs = [event["job"] for event in self.events("job_state", of)]
        return jobs[-1] if jobs else None

    def states(self, of=None):
        """The states of its jobs, without repetitions."""
        seen = []
        for event in self.events("job_state", of):
            if not seen or seen[-1] != (event["job"], event["state"]):
                seen.append((event["job"], event["state"]))
        return [state for _, state in seen]

    def node(self, of=None):
        return [event["node"] for event in self.events("job_state", of) if event.get("node")][-1]

    def runs(self, *words):
        """Starts a run whose first task is ready."""
        run = self.start("run", "--plain", *words, "plan.json")
        until("output", lambda: b"ready" in self.output())
        return run

    def end_of(self, number=0):
        ended = self.events("attempt_ended")[number]
        return tuple(ended.get(key) for key in ("outcome", "proof", "cause"))

    def go(self):
        open("go", "w", encoding="ascii").close()

    def close(self):
        name = "devs-" + (self.ask("SELECT uid FROM run ORDER BY id DESC LIMIT 1") or [["none"]])[0][0][:12]
        output_of("scancel", "--name", name)


def none_left(case, uid=None):
    """No job of the last run, or of the one named, is in the queue, and no folder of an attempt is left."""
    if not uid:
        [[uid]] = case.ask("SELECT uid FROM run ORDER BY id DESC LIMIT 1")
    until("the end of all jobs", lambda: not output_of("squeue", "--noheader", "--name", "devs-" + uid[:12]))
    want("what is left there", os.path.exists(f"{case.far}/{uid}"), False)
    want("files of starts", os.path.exists(".devs/jobs"), False)


def same_as_here(case):
    """Ends, output and what follows from them are the same here and there; a task has one job."""
    cases.runs_alike(case, slots=32)
    for name in ("pass", "two", "net", "alike"):
        want(f"jobs of {name}", len({event["job"] for event in case.events("job_state", name)}), 1)
    want("states of two", case.states("two")[:2], ["queued", "running"])
    [[uid]] = case.ask("SELECT uid FROM run ORDER BY id LIMIT 1")
    none_left(case, uid)


def secrets_stay_hidden(case):
    """Arguments and environment are in no job description, script or command line."""
    case.plan([task("a", sh("printf %s \"$TOKEN\" > got; " + FREE,
                            env={"TOKEN": "s3cr3t-value"}))])
    run = case.runs()
    for words in (("scontrol", "-d", "show", "job", case.job()),
                  ("scontrol", "write", "batch_script", case.job(), "-"), ("ps", "-eo", "args")):
        text = output_of(*words)
        want(words[:2], ("s3cr3t" in text, "trap" in text and words[0] != "ps"), (False, False))
    case.go()
    want("exit", run.wait(LIMIT_S), 0)
    want("the variable", case.read("got"), b"s3cr3t-value")


def waits_in_the_queue(case):
    """While a job waits, the task is queued with Slurm's reason; cancelled, it leaves the queue."""
    case.plan([task("a", sh("touch worked"))], args=["--partition=main", "--begin=now+1hour"])
    run = case.start("run", "--plain", "plan.json")
    until("a reason", lambda: any(event.get("reason") == "BeginTime" for event in case.events("job_state")))
    want("its state", case.states(), ["queued"])
    want("cancel", case.devs("cancel", "last/a").returncode, 0)
    want("exit", run.wait(LIMIT_S) != 0, True)
    none_left(case)
    want("worked", os.path.exists("worked"), False)
    # A queue that takes too long is left, and that is not a try.
    case.plan([task("a", sh("touch worked", policy="infrastructure"))], queue_s=2,
              args=["--partition=main", "--begin=now+1hour"],
              more={"policies": {"infrastructure": {"max_attempts": 2, "base_delay_ms": 1, "jitter": 0}}})
    want("exit", case.devs("run", "--plain", "plan.json").returncode != 0, True)
    judged = case.events("attempt_judged")[-1]
    want("class", (judged["class"], judged["type"], judged["subtype"]), ("transient", "RESOURCE_BUSY", "QUEUE"))
    none_left(case)


def refused_jobs(case):
    """What Slurm refuses needs you, with its message."""
    case.plan([task("a", sh("touch worked"))], args=["--partition=nowhere"])
    want("exit", case.devs("run", "--plain", "plan.json").returncode, 4)
    judged = case.events("attempt_judged")[-1]
    want("class", (judged["class"], judged["subtype"]), ("persistent", "EXECUTOR_REFUSED"))
    want("its line", "nvalid partition" in judged["match"], True)
    case.plan([task("a", sh("touch worked"))], hand="/no/devs-hand")
    case.devs("run", "--plain", "plan.json")
    want("class", case.events("attempt_judged")[-1]["class"] != "success", True)
    want("worked", os.path.exists("worked"), False)


def write_accounting(case, answers):
    """Puts a sacct into the PATH of devs that prints the answers, one after another, the last one for
    ever. The cluster of these tests has no accounting."""
    os.makedirs("bin", exist_ok=True)
    for number, answer in enumerate(answers):
        with open(f"bin/answer-{number}", "w", encoding="latin-1") as file:
            file.write(answer)
    with open("bin/sacct", "w", encoding="ascii") as file:
        file.write("#!/bin/sh\necho \"$@\" >> $0.calls\n"
                   f"n=$(cat $0.at 2>/dev/null || echo 0); echo $((n < {len(answers) - 1} ? n + 1 : n)) > $0.at\n"
                   "cat ${0%/*}/answer-$n\n")
    os.chmod("bin/sacct", 0o755)
    case.environment["PATH"] = f"{case.dir}/bin:{os.environ['PATH']}"


def canceller(case):
    """What sacct prints becomes the user who cancelled a job, or nothing."""
    with open(os.path.join(HERE, "..", "..", "assets", "executors", "slurm.json"), encoding="utf-8") as file:
        command = [word.replace("{job}", "17") for word in json.load(file)["who"]]
    me = output_of("id", "-un")
    # The first lines are what Slurm 22.05 with slurmdbd printed.
    for answer, user in ((f"CANCELLED by {os.getuid()}\n", me), ("CANCELLED by 424242\n", "424242\n"),
                         ("CANCELLED\n", ""), ("RUNNING\n", ""), ("", ""), ("CANCELLED by 0; touch bad\n", ""),
                         ("CANCELLED by $(touch bad)\n", ""), ("CANCELLED by -1\n", ""), ("CANCELLED by \x1b[2J\n", ""),
                         ("CANCELLED by 1\nCANCELLED by 2\n", ""), ("CANCELLED by " + "9" * 5000 + "\n", None)):
        write_accounting(case, [answer])
        out = output_of(*command, env=case.environment)
        want(f"user of {answer[:40]!r}", out, user if user is not None else "9" * 5000 + "\n")
    want("commands of an answer that ran", os.path.exists("bad"), False)
    want("calls", case.read("bin/sacct.calls").splitlines()[0].split()[-2:], [b"--jobs=17", b"--format=State"])


def ended_by_slurm(case):
    """Each way in which Slurm ends a job, with a command that exits with 0 on TERM."""
    once = {"policy": ONCE}
    # The time of a job is up: a timeout. Slurm looks for such jobs every 30 seconds.
    late = Case(case.dir, "late")
    late.plan([task("a", sh(CAUGHT, **once))], args=["--partition=main", "--time=10"])
    late_run = late.runs()
    output_of("scontrol", "update", f"jobid={late.job()}", "EndTime=now+1")
    # Cancelled by somebody else: a person decides. Nobody knows by whom.
    os.chdir(case.dir)
    case.plan([task("a", sh(CAUGHT, **once))])
    run = case.runs()
    output_of("scancel", case.job())
    want("exit", run.wait(LIMIT_S), 4)
    want("cancelled", case.end_of(), ("lost", "reaped", "cancelled"))
    want("its reason", case.events("job_state")[-1].get("reason"), None)
    # The accounting knows, a moment later.
    shutil.rmtree(".devs")
    write_accounting(case, ["", f"CANCELLED by {os.getuid()}\n"])
    case.plan([task("a", sh(CAUGHT, **once))])
    run = case.runs()
    output_of("scancel", case.job())
    want("exit", run.wait(LIMIT_S), 4)
    by = f"cancelled by {output_of('id', '-un').strip()}"
    want("cancelled", case.end_of(), ("lost", "reaped", "cancelled"))
    want("by", (case.events("job_state")[-1]["reason"], by in case.events("attempt_judged")[0]["match"]), (by, True))
    for words in (("why", "last/a"), ("debug", "--logs", "last", "--plain")):
        want(words, by in case.devs(*words).stdout, True)
    # Also if it has not run.
    shutil.rmtree(".devs")
    case.plan([task("a", sh(CAUGHT, **once))], args=["--partition=main", "--begin=now+1hour"])
    run = case.start("run", "--plain", "plan.json")
    until("a reason", lambda: any(event.get("reason") == "BeginTime" for event in case.events("job_state")))
    output_of("scancel", case.job())
    want("exit", run.wait(LIMIT_S), 4)
    want("by", by in case.events("attempt_judged")[0]["match"], True)
    case.environment["PATH"] = os.environ["PATH"]
    # Preempted: not a try, at once in a new job.
    shutil.rmtree(".devs")
    case.plan([task("a", sh(f"[ -e second ] && exit 0; touch second; {CAUGHT}", **once),
                    resources={"cpus": 64})])
    run = case.runs()
    node = case.node()
    output_of("srun", "-Q", "-p", "urgent", "-w", node, "-n64", "true")
    want("exit", run.wait(LIMIT_S), 0)
    want("preempted", case.end_of(), ("lost", "reaped", "preempted"))
    want("tries", case.events("step_ended")[0]["attempts"], 1)
    want("jobs", len({event["job"] for event in case.events("job_state")}), 2)
    none_left(case)
    want("exit", late_run.wait(2 * LIMIT_S) != 0, True)
    want("time limit", late.end_of(), ("timeout", "reaped", "time limit"))


def killed_devs(case):
    """After kill -9 of devs at any moment, --continue takes up what runs: one start, all output."""
    work = "echo start >> marks; for i in 1 2 3 4 5 6; do echo line $i; sleep 0.2; done; echo end >> marks"
    chance = random.Random(int(os.environ.get("SLURM_SEED", "1")))
    for _ in range(int(os.environ.get("SLURM_KILLS", "2"))):
        shutil.rmtree(f"{case.dir}/.devs", ignore_errors=True)
        if os.path.exists("marks"):
            os.unlink("marks")
        case.plan([task("a", sh(work, policy=ONCE))], lease_s=5)
        run = case.start("run", "--plain", "plan.json")
        until("a job", case.job)
        time.sleep(2 * chance.random())  # the moment of the kill, not a wait for something
        run.send_signal(signal.SIGKILL)
        if run.wait() == 0:
            continue  # it was faster
        out = case.devs("run", "--continue", "last", "--plain")
        want(f"exit ({out.stdout}{out.stderr})", out.returncode, 0)
        want("starts and ends", case.read("marks"), b"start\nend\n")
        want("output", case.output(), b"".join(b"line %d\n" % i for i in range(1, 7)))
        want("tries", case.events("step_ended")[0]["attempts"], 1)
    want("verify", case.devs("verify", "last").returncode, 0)
    none_left(case)


def broken_channels(case):
    """The attempt continues however srun ends, and none of its output is lost."""
    case.plan([task("a", sh("echo ready; for i in 1 2 3; do echo line $i; until [ -e go$i ]; do sleep 0.05; done;"
                            " done"))])
    run = case.runs()
    for i in range(1, 4):
        until("output", lambda i=i: case.output().count(b"line") == i)
        pids = [int(pid) for pid in output_of("pgrep", "-P", str(run.pid), "srun").split()]
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        until("contact is back", lambda i=i: len(case.events("contact_found")) == i)
        open(f"go{i}", "w", encoding="ascii").close()
    want("exit", run.wait(LIMIT_S), 0)
    want("attempts", len(case.events("attempt_started")), 1)
    want("output", case.output(), b"ready\nline 1\nline 2\nline 3\n")
    want("the cluster is not down", [e for e in case.events("host_state") if e["down"]], [])


class Loss:
    """A run whose node fails, in one of the phases of an attempt.

    It is valid if the node failed in that phase: before the attempt was known to run, while it worked,
    or after its work was done and before its end was known.
    """
    WAYS = ("kill-slurmd", "cut-node", "kill-node")
    PHASES = ("running", "ending", "starting")
    # Files: start-N and end-N of attempt N; alive-N: when it last worked. What it leaves ignores TERM.
    WORK = ("n=$(ls start-* 2>/dev/null | wc -l); n=$((n + 1)); date +%s%N > tmp; mv tmp start-$n;"
            " trap 'exit 0' TERM; echo ready; i=0; until [ $n -gt 1 ] || [ -e go ] || [ $i -gt LIMIT ]; do"
            " i=$((i + 1)); date +%s%N > tmp; mv tmp alive-$n; sleep 0.05; done;"
            " (trap '' TERM; sleep 0.6) & date +%s%N > tmp; mv tmp end-$n")

    def __init__(self, case, name, node, phase, way):
        self.way, self.phase, self.node = way, phase, str(node)
        self.what = f"{name}: {phase}, {way}"
        self.case = Case(case.dir, name)
        self.failed = False
        os.chdir(case.dir)
        work = self.WORK.replace("LIMIT", "40" if phase == "starting" else "100000")
        others = ",".join(f"n{other}" for other in range(1, len(cluster()) + 1) if other not in (node, loss_nodes()))
        self.case.plan([task("a", sh(work, policy=ONCE))], lease_s=5,
                       args=["--partition=main", f"--exclude={others}"])
        self.run = self.case.start("run", "--plain", "plan.json") if phase == "starting" else self.case.runs()

    def go(self):
        with open(f"{self.case.dir}/go", "w", encoding="ascii"):
            pass

    def stamp(self, name):
        return int(self.case.read(name) or b"0")

    def fail(self, chance):
        """Lets the node fail, unless the job has another one, because its own was not free."""
        case = self.case
        if self.phase == "starting":
            until("a job", case.job)
            on_node = ("squeue", "-h", "-j", case.job(), "-o", "%N")
            node = until("a node", lambda: output_of(*on_node).strip())
            time.sleep(chance.random())  # the moment of the failure, not a wait for something
        else:
            node = case.node()
        if self.phase == "ending":
            self.go()
            until("its end", lambda: self.stamp("end-1"))
            time.sleep(0.1 * chance.random())
        self.failed = node == f"n{self.node}"
        if not self.failed:
            return
        self.from_ns = time.time_ns()
        slurm_up(self.way, self.node)
        self.until_ns = time.time_ns()
        if self.phase == "running" and self.way == "kill-slurmd" and chance.random() < 0.5:
            self.go()  # the attempt ends before Slurm notices

    def is_valid(self):
        """Returns whether the failure was within its phase."""
        def first(kind):
            [[at_ms]] = self.case.ask("SELECT coalesce(min(at_ms), 0) FROM event WHERE kind=?", kind)
            return at_ms * 1000000
        if not self.failed:
            return False
        if self.phase == "starting":
            running = first("attempt_running")
            return self.until_ns < running
        ended = first("attempt_ended")
        if self.phase == "ending":
            return self.stamp("end-1") < self.from_ns and self.until_ns < ended
        return self.until_ns < ended

    def check(self):
        """Waits for the end. Returns the outcomes of the attempts."""
        case = self.case
        want(f"{self.what}: exit", self.run.wait(3 * LIMIT_S), 0)
        want(f"{self.what}: tries", case.events("step_ended")[0]["attempts"], 1)
        outcomes = [ended["outcome"] for ended in case.events("attempt_ended")]
        want(f"{self.what}: attempts before the last one",
             [outcome for outcome in outcomes[:-1] if outcome not in ("lost", "not started")], [])
        starts = len([name for name in os.listdir(case.dir) if name.startswith("start-")])
        want(f"{self.what}: the work that passed was done", self.stamp(f"end-{starts}") > 0, True)
        want(f"{self.what}: starts", starts <= len(outcomes), True)
        for at in range(1, starts):
            worked = max(self.stamp(f"{what}-{at}") for what in ("start", "alive", "end"))
            want(f"{self.what}: it worked no longer when the next one started",
                 worked < self.stamp(f"start-{at + 1}"), True)
        if self.failed and self.phase == "running" and self.way != "kill-slurmd":
            # Without its power, the node of this test still has the attempt's folder: devs-hand may
            # report there that the keeper is gone.
            proofs = ("fenced", "reaped", None) if self.way == "kill-node" else ("fenced", "reaped")
            want(f"{self.what}: first end", (case.end_of()[0], case.end_of()[1] in proofs), ("lost", True))
        return outcomes

    def close(self):
        self.go()
        if self.failed:
            slurm_up("start-node", self.node)
        if self.run.poll() is None:
            self.run.kill()
        self.case.close()


# The first three have all phases and all ways.
LOSSES = [(Loss.PHASES[at], Loss.WAYS[(at + turn + 1) % 3]) for turn in range(3) for at in range(3)]


def loss_nodes():
    """How many nodes lost_nodes has, the first ones: the last four are those of bare_srun."""
    return len(cluster()) - 4


def lost_nodes(case):
    """Nodes that fail in each way and phase: never passed, nothing twice at a time, no try used up.

    Each of SLURM_LOSSES rounds has a loss for each node but the last one, which takes what comes after.
    By hand, with all nine kinds at a time, and progress: SLURM_LOSSES=10 slurm-up run --nodes 14 ...
    """
    chance = random.Random(int(os.environ.get("SLURM_SEED", "1")))
    rounds = int(os.environ.get("SLURM_LOSSES", "1"))
    nodes = loss_nodes()
    valid = dict.fromkeys(LOSSES, 0)
    for number in range(rounds):
        losses = []
        try:
            kinds = sorted(LOSSES, key=valid.get)[:nodes - 1]
            kinds.sort(key=lambda kind: kind[0] == "starting")  # these fail at once
            for node, (phase, way) in enumerate(kinds, 1):
                losses.append(Loss(case, f"round-{number}-{node}", node, phase, way))
                if phase == "starting":
                    losses[-1].fail(chance)
            for loss in losses:
                if loss.phase != "starting":
                    loss.fail(chance)
            for loss in losses:
                outcomes = loss.check()
                valid[loss.phase, loss.way] += loss.is_valid()
                if rounds > 2:
                    print("loss", loss.phase, loss.way, "valid" if loss.is_valid() else "missed",
                          " ".join(outcomes), flush=True)
        finally:
            for loss in losses:
                loss.close()
        idle = ("sinfo", "-h", "-p", "main", "-n", f"n[1-{nodes}]", "-t", "idle", "-o", "%D")
        until("all nodes", lambda: output_of(*idle).strip() == str(nodes))
        if rounds > 2:
            print("round", number + 1, " ".join(f"{phase}/{way}={times}" for (phase, way), times in valid.items()),
                  flush=True)


def bare_srun(case):
    """srun as the command of a local attempt: it exits with 0, but nothing passes that was cut short. Uses the
    last four nodes."""
    work = ("[ -e second ] && exit 0; touch second; trap 'exit 0' TERM; echo ready; until [ -e go ]; do"
            " sleep 0.05; done")
    started = []
    for number, how in zip(cluster()[-4:], ("kill-slurmd", "cut-node", "kill-node", "scancel")):
        one = Case(case.dir, how)
        name = f"bare-{os.getpid()}-{number}"
        run = one.start("exec", "--", "srun", "-n1", f"-wn{number}", f"-J{name}", "sh", "-c", work)
        started.append((how, str(number), name, one, run))
    try:
        for how, number, name, one, _ in started:
            until(f"{how}: output", lambda one=one: b"ready" in one.output())
            if how == "scancel":
                output_of("scancel", "--name", name)
            else:
                slurm_up(how, number)
        for how, number, _, one, run in started:
            until(f"{how}: a verdict", lambda one=one: one.events("attempt_judged"))
            want(f"{how}: what srun reports", one.events("attempt_ended")[0]["code"], 0)
            judged = one.events("attempt_judged")[0]
            if how == "scancel":
                want(how, (judged["class"], judged["reason"], judged["rule"]),
                     ("persistent", "cancelled", "launch.cancelled"))
                want(f"{how}: exit", run.wait(LIMIT_S), 4)
                continue
            want(how, (judged["class"], judged["type"], judged["rule"]),
                 ("transient", "NETWORK_TIMEOUT", "launch.node"))
            slurm_up("start-node", number)
            want(f"{how}: exit", run.wait(2 * LIMIT_S), 0)
            want(f"{how}: attempts", len(one.events("attempt_started")), 2)
    finally:
        for _, _, name, one, _ in started:
            with open(f"{one.dir}/go", "w", encoding="ascii"):
                pass
            output_of("scancel", "--name", name)


def cancelled(case):
    """A cancel is proven: nothing is left, whatever the command does."""
    kinds = {"polite": CAUGHT, "deaf": "trap '' TERM; echo ready; while :; do sleep 300; done",
             "setsid": "setsid sleep 300 & setsid sh -c 'sleep 300 & sleep 300' & echo ready; wait",
             "many": "for i in $(seq 200); do sleep 300 & done; echo ready; wait"}
    case.plan([task(name, sh(text, env={"MARK": f"{name}-{os.getpid()}"})) for name, text in kinds.items()], slots=4)
    run = case.start("run", "--plain", "plan.json")
    until("all ready", lambda: len(case.ask("SELECT DISTINCT task FROM output WHERE instr(bytes, x'7265616479')")) == 4)
    for name in kinds:
        case.devs("cancel", f"last/{name}")
    run.wait(LIMIT_S)
    for name in kinds:
        [ended] = case.events("attempt_ended", name)
        want(name, (ended["outcome"], ended["proof"]), ("cancelled", "reaped"))
        mark = f"MARK={name}-{os.getpid()}"
        left = [pid for pid in os.listdir("/proc") if pid.isdigit() and mark in environment_of(pid)]
        want(f"{name}: what is left", left, [])


def environment_of(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def silent_controller(case):
    """While slurmctld does not answer, what runs continues; what starts waits for it."""
    with open(os.path.join(os.environ["SLURM_UP_DIR"], "slurmctld.pid"), encoding="ascii") as file:
        controller = int(file.read())
    case.plan([task("a", sh(FREE)), task("b", sh("until [ -e late ]; do sleep 0.05; done", phase="GREEN"),
                                         executor="local"), task("c", sh("echo c"), needs=["b"])])
    run = case.runs()
    os.kill(controller, signal.SIGSTOP)
    try:
        open("late", "w", encoding="ascii").close()
        until("the cluster is down", lambda: any(event["down"] for event in case.events("host_state")))
        case.go()
        until("the end of what ran", lambda: case.events("attempt_ended", "a"))
        want("what ran", case.events("attempt_ended", "a")[0]["outcome"], "exit")
    finally:
        os.kill(controller, signal.SIGCONT)
    want("exit", run.wait(2 * LIMIT_S), 0)
    want("up again", case.events("host_state")[-1]["down"], False)


def drained(case):
    """Nodes that an administrator drains are counted; while all are drained, the cluster is in drain."""
    def set_state(nodes, state):
        want(state, subprocess.run(["scontrol", "update", f"nodename={nodes}", f"state={state}", "reason=test"],
                                   check=False).returncode, 0)

    def nodes():
        return [(event.get("nodes_up", 0), event.get("nodes_drain", 0)) for event in case.events("host_state")]

    def cluster():
        return json.loads(case.devs("hosts", "--json").stdout)["hosts"][0]

    case.plan([task("a", sh(FREE)), task("b", sh("echo b"), needs=["a"])])
    run = case.runs()
    until("four nodes", lambda: nodes()[-1:] == [(4, 0)])
    want("state", cluster()["state"], "up")
    try:
        set_state("n1", "drain")
        until("one is drained", lambda: nodes()[-1:] == [(3, 1)])
        want("state", (cluster()["state"], cluster()["nodes"]), ("up", {"up": 3, "drain": 1, "down": 0}))
        set_state("n[2-4]", "drain")
        until("all are drained", lambda: nodes()[-1:] == [(0, 4)])
        want("state", cluster()["state"], "drain")
        want("as text", "0 of 4 nodes take jobs, 4 drained" in case.devs("hosts").stdout, True)
        case.go()
        until("b is queued", lambda: case.states("b") == ["queued"])
    finally:
        set_state("n[1-4]", "resume")
    want("exit", run.wait(LIMIT_S), 0)
    none_left(case)


def doctor(case):
    """devs doctor --executors tries a job, and leaves nothing behind."""
    case.plan([task("a", sh("touch worked"))])
    out = case.devs("doctor", "--executors", "plan.json")
    want(f"a cluster that works ({out.stdout}{out.stderr})", out.returncode, 0)
    for executor, state in (({"args": ["--partition=nowhere"]}, "refused"), ({"hand": "/no/hand"}, "hand"),
                            ({"dir": f"{case.dir}/plan.json/x"}, "dir"), ({"shared": "/proc"}, "here")):
        case.plan([task("a", sh("touch worked"))], **executor)
        out = case.devs("doctor", "--executors", "--json", "plan.json")
        want(f"exit ({out.stdout}{out.stderr})", out.returncode, 1)
        want("state", json.loads(out.stdout)["hosts"][0]["state"], state)
    until("the end of all jobs", lambda: not output_of("squeue", "--noheader"))
    want("what is left there", os.listdir(case.far), [])
    want("worked", os.path.exists("worked"), False)


def idle_job(case):
    """While its task waits for longer than idle_s, the job ends; the next attempt gets another."""
    case.plan([task("a", sh("[ -e tried ] && exit 0; touch tried; echo connect ECONNRESET >&2; exit 1",
                            policy={"like": "transport", "base_delay_ms": 6000, "jitter": 0}))], idle_s=1)
    want("exit", case.devs("run", "--plain", "plan.json").returncode, 0)
    want("jobs", len({event["job"] for event in case.events("job_state")}), 2)
    want("attempts", len(case.events("attempt_running")), 2)
    none_left(case)


def slots(case):
    """A plan of more tasks than slots: never more jobs at a time, and one query per poll_s."""
    case.plan([task(f"t{i}", sh("sleep 0.5")) for i in range(8)], slots=4)
    want("exit", case.devs("run", "--plain", "plan.json").returncode, 0)
    running = most = 0
    for [kind] in case.ask("SELECT kind FROM event WHERE kind IN ('attempt_started', 'attempt_ended') ORDER BY seq"):
        running += 1 if kind == "attempt_started" else -1
        most = max(most, running)
    want("most at a time", most, 4)
    none_left(case)


CASES = [same_as_here, secrets_stay_hidden, bytes_unchanged, waits_in_the_queue, refused_jobs, canceller, ended_by_slurm,
         killed_devs, broken_channels, lost_nodes, bare_srun, cancelled, silent_controller, drained, doctor, idle_job, slots]

if __name__ == "__main__":
    sys.exit(cases.run_cases(CASES, lambda root, run: Case(root, run.__name__)))
