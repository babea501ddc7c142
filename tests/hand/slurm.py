#!/usr/bin/env python3
"""devs-hand on a real Slurm: what tests/support/slurm-up starts.

usage: slurm-up run --nodes 5 [--cgroup] slurm.py DEVS-HAND [CASE...]

The engine does what Job, start() and attach() do: sbatch for the allocation, whose script is the
holder, and `srun --overlap` for each channel.
"""
import json
import os
import signal
import subprocess
import sys

import hand
from hand import LOST, NO_HOLDER, Channel, Spool, check, frame, passed, request, same, until

TRAP = "trap 'exit 0' TERM; echo ready; while :; do sleep 0.05; done"
DEAF = "trap '' TERM; echo ready; while :; do sleep 300; done"


def output_of(*words, **options):
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=hand.LIMIT_S, **options)
    same(done.returncode, 0, (words, done.stderr))
    return done.stdout


def slurm_up(*words):
    here = os.path.dirname(os.path.abspath(__file__))
    same(subprocess.run([os.path.join(here, "..", "support", "slurm-up"), *words], check=False).returncode, 0, words)


def uses_cgroups():
    with open(os.environ["SLURM_CONF"], encoding="utf-8") as file:
        return "proctrack/cgroup" in file.read()


def show_job(job):
    return dict(word.split("=", 1) for word in output_of("scontrol", "show", "job", job).split() if "=" in word)


class Job:
    """An allocation on one node."""

    def __init__(self, *options, node="n1", idle_s=300):
        hand.count += 1
        self.name = f"slurm-{os.getpid()}-{hand.count}"
        script = f"#!/bin/sh\nexec {hand.HAND} hold {self.name} {idle_s}\n"
        self.job = output_of("sbatch", "--parsable", "--no-requeue", "--export=NIL", "-N1", "-n1", "-w", node,
                             "--output=/dev/null", *options, input=script).strip()
        until(lambda: self.state() == "RUNNING", "a running job")
        self.launcher = ["srun", "--jobid", self.job, "--overlap", "--unbuffered", "-N1", "-n1", "--error=/dev/null"]

    def state(self):
        return show_job(self.job)["JobState"]

    def start(self, argv, **options):
        path = hand.new_dir()
        one = Channel("run", "--in", self.name, path, launcher=self.launcher)
        one.dir = path
        one.until(lambda some: some.hello, "a hello")
        one.send(request(argv, inherit=True, stamp=one.stamp, **options))
        return one

    def shell(self, script, **options):
        one = self.start(["sh", "-c", script], **options)
        return one.until_output(b"ready\n")

    def attach(self, path, start=0, **options):
        return Channel("attach", "--in", self.name, path, str(start), launcher=self.launcher, **options)

    def tell(self, *words):
        return subprocess.run([*self.launcher, hand.HAND, *words], stdin=subprocess.DEVNULL,
                              check=False).returncode

    def release(self):
        until(lambda: self.tell("release", self.name) == 0, "a holder, and its release")
        until(lambda: self.state() == "COMPLETED", "the end of the job")


def case_step_is_killed():
    """Why there is a holder: an attempt that a step has started is lost when the step ends."""
    if not uses_cgroups():
        print("  needs control groups")
        return
    job = Job()
    path = hand.new_dir()
    one = Channel("run", path, launcher=job.launcher)
    one.until(lambda some: some.hello, "a hello")
    one.send(request(["sh", "-c", DEAF], inherit=True, stamp=one.stamp))
    one.until_output(b"ready\n")
    one.process.stdin.close()
    same(one.wait(), 0)
    same(one.finish[0], "running")
    until(lambda: hand.state(path)["state"] == "lost", "a lost attempt")
    job.release()


def case_channels_break():
    """Whatever becomes of srun, the attempt continues, and no byte is lost."""
    job = Job()
    one = job.shell(TRAP, env=["SENT=s3cret"])
    one.process.send_signal(signal.SIGKILL)
    one.close()
    two = job.attach(one.dir, len(one.spool))
    two.until(lambda some: some.hello, "a hello")
    two.process.send_signal(signal.SIGTERM)
    two.close()
    same(hand.state(one.dir)["state"], "running")
    three = job.attach(one.dir, beats=False)
    three.process.stdin.close()
    same((three.wait(), three.finish[0]), (0, "running"), "a channel whose stdin ends")
    same(bytes(three.spool), bytes(one.spool))
    for words in (("scontrol", "-d", "show", "job", job.job), ("scontrol", "write", "batch_script", job.job, "-"),
                  ("ps", "-eo", "args")):
        text = output_of(*words)
        check("s3cret" not in text and (words[0] == "ps" or "trap" not in text), words)
    four = job.attach(one.dir)
    four.send(frame("t"))
    end = four.end()
    same((end["ended"], end["code"], end["why"], end["proven"]), ("exit", 0, "term", 1))
    same(job.tell("clean", one.dir), 0)
    same(job.tell("state", one.dir), hand.NONE, "srun exits as devs-hand does")
    two = job.start(["sh", "-c", "exit 3"])
    same(two.end()["code"], 3, "another attempt in the same allocation")
    two = job.start(["true"], cwd="/nonexistent")
    same((two.end()["step"], Spool(two.spool).end["ended"]), ("directory", "not started"))
    job.release()


def case_everything_arrives():
    job = Job()
    data = bytes(range(256)) * 8000 + b"no newline"
    one = job.start(["sh", "-c", "cat; cat /proc/self/environ >&2"], stdin=data, env=["SENT=x"])
    check(passed(one.end()))
    spool = Spool(one.spool)
    check(spool.output[1] == data, "output")
    names = [entry.partition(b"=")[0] for entry in spool.output[2].split(b"\0")]
    check(b"SENT" in names and b"SLURM_JOB_ID" in names and b"PATH" in names, names)
    check(b"SUBMITTER" not in names, "the environment of the submitter")
    job.release()


def case_job_is_ended():
    """The end arrives although Slurm ends the job, and an exit code 0 does not pass."""
    for what, options, act, state in (
            ("scancel", (), lambda job: output_of("scancel", job.job), "CANCELLED"),
            ("preemption", ("-n64",), lambda _: subprocess.Popen(
                ["srun", "-Q", "-p", "urgent", "-w", "n5", "-n64", "true"]).wait(), "PREEMPTED")):
        job = Job(*options, node="n5")  # whatever else was on it would end, too
        one = job.shell(TRAP)
        act(job)
        end = one.end(what)
        same((end["ended"], end["code"], end["why"], end["proven"]), ("exit", 0, "foreign", 1), what)
        until(lambda: job.state() == state, what)
    job = Job()
    one = job.shell(DEAF, grace_ms=1000)
    output_of("scancel", job.job)
    end = one.end()
    same((end["ended"], end["code"], end["why"], end["proven"]), ("signal", 9, "foreign", 1))
    # A grace longer than KillWait: there is no end, so it is lost. Without control groups, Slurm may
    # miss a process that loses its parents while Slurm kills them.
    job = Job()
    mark = f"deaf-{os.getpid()}"
    one = job.shell("setsid sleep 300 & " + DEAF, grace_ms=60000, env=[f"MARK={mark}"])
    output_of("scancel", job.job)
    one.wait()
    check(Spool(one.spool).end is None, "an end")
    until(lambda: hand.state(one.dir)["state"] == "lost", "a lost attempt")
    if uses_cgroups():
        until(lambda: not hand.marked(mark), "nothing is left")
    for pid in hand.marked(mark):
        os.kill(pid, signal.SIGKILL)


def case_node_is_lost():
    """slurmd alone, a node that is cut off, and one without power."""
    job = Job(node="n2")
    one = job.shell(TRAP, lease_ms=60000)
    slurm_up("kill-slurmd", "2")
    one.send(frame("t"))
    same(one.end()["why"], "term", "the channel does not need slurmd")
    slurm_up("start-node", "2")
    until(lambda: output_of("sinfo", "-h", "-N", "-n", "n2", "-o", "%t").split()[0] in ("mix", "alloc"),
          "the node")
    two = job.attach(one.dir)
    same(two.end()["why"], "term", "after slurmd was started again")
    job.release()

    job = Job(node="n3")
    mark = f"cut-{os.getpid()}"
    one = job.shell(TRAP, lease_ms=3000, env=[f"MARK={mark}"])
    slurm_up("cut-node", "3")
    until(lambda: hand.state(one.dir)["state"] == "ended", "the end, not by the cut but by the lease")
    same(hand.state(one.dir)["why"], "lease")
    same(hand.marked(mark), [])
    one.process.kill()
    one.close()
    until(lambda: hand.tell("release", job.name) == 0, "the release of the holder, which nothing has killed")
    output_of("scancel", job.job)

    job = Job(node="n4")
    mark = f"power-{os.getpid()}"
    one = job.shell(TRAP, env=[f"MARK={mark}"])
    slurm_up("kill-node", "4")
    until(lambda: hand.state(one.dir)["state"] == "lost", "a lost attempt")
    same(hand.marked(mark), [])
    same(hand.tell("order", one.dir, "kill"), LOST)
    one.process.kill()
    one.close()
    output_of("scancel", job.job)


def case_holder_is_killed():
    job = Job()
    # With control groups, Slurm ends the attempt, before its lease does; otherwise only the lease does.
    one = job.shell(TRAP, lease_ms=60000 if uses_cgroups() else 3000)
    keeper = hand.state(one.dir)["keeper"]
    os.kill(hand.guard_of(hand.guard_of(keeper)), signal.SIGKILL)
    one.wait()
    until(lambda: job.state() == "FAILED", "the end of the job")
    wanted = "lost" if uses_cgroups() else "ended"
    until(lambda: hand.state(one.dir)["state"] == wanted, "the end of the attempt")
    check(uses_cgroups() or hand.state(one.dir)["why"] == "lease", "why it has ended")


def case_idle():
    """An allocation that nobody uses ends on its own."""
    job = Job(idle_s=1)
    until(lambda: job.state() == "COMPLETED", "the end of the job")
    same(hand.tell("release", job.name), NO_HOLDER)


CASES = {name[5:]: function for name, function in globals().copy().items() if name.startswith("case_")}

if __name__ == "__main__":
    os.environ["SUBMITTER"] = "x"
    names = sys.argv[2:] or CASES
    sys.exit(hand.run_cases(sys.argv[1], {name: CASES[name] for name in names}, at_once=True))
