#!/usr/bin/env python3
"""Runs of devs whose tasks are pods of a scripted kubectl (kubectl.py).

usage: kubernetes.py DEVS DEVS-HAND [CASE...]       all cases by default
"""
import json
import os
import shutil
import subprocess
import sys
import threading
import time

import case as cases
from case import HAND, LIMIT_S, ONCE, sh, task, until, want

HERE = os.path.dirname(os.path.abspath(__file__))
WORKS = "echo ready; until [ -e go ]; do sleep 0.05; done"
SOON = {"infrastructure": {"max_attempts": 2, "base_delay_ms": 1, "jitter": 0}}


class Case(cases.Case):
    def __init__(self, root, name):
        super().__init__(root, name)
        self.kube = f"{self.dir}/kube"
        os.mkdir(self.kube)
        os.mkdir("bin")
        os.symlink(f"{HERE}/kubectl.py", "bin/kubectl")
        self.is_over = False
        self.kubelet = threading.Thread(target=self.run_pods)
        self.kubelet.start()
        self.environment.update(KUBE=self.kube, PATH=f"{self.dir}/bin:{os.environ['PATH']}")

    def plan(self, tasks, more=None, **executor):
        pods = {"like": "kubernetes", "dir": self.far, "hand": HAND, "shared": self.dir, "poll_s": 1,
                "lease_s": 5, "image": "registry/agent:1", "args": ["--namespace=agents"]}
        pods.update(executor)
        return self.write_plan({"lab": pods}, tasks, **(more or {}))

    def mode(self, text):
        self.write("mode", text)

    def pods(self):
        return [name[:-4] for name in os.listdir(self.kube) if name.endswith(".pod")]

    def run_pods(self):
        """What a kubelet does: starts the pods, ends those that were deleted, and reports which have ended."""
        running = {}
        while not self.is_over:
            there = set(self.pods())
            for name in there - set(running):
                if self.read("kube/mode") in (b"unschedulable", b"image"):
                    continue
                try:
                    pod = json.loads(self.read(f"kube/{name}.pod"))
                except ValueError:
                    continue  # just being written
                running[name] = subprocess.Popen(pod["spec"]["containers"][0]["command"], start_new_session=True,
                                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                                 stderr=subprocess.DEVNULL)
                self.write(f"{name}.runs", "")
            for name, process in running.items():
                is_wanted = name in there and not os.path.exists(f"{self.kube}/{name}.ends")
                if process.poll() is None and not is_wanted:
                    kill_tree(process.pid)
                elif process.poll() is not None and is_wanted:
                    self.write(f"{name}.ends", "Succeeded Completed")
            time.sleep(0.02)
        for process in running.values():
            kill_tree(process.pid)
            process.wait()

    def write(self, name, text):
        with open(f"{self.kube}/{name}.new", "w", encoding="ascii") as file:
            file.write(text)
        os.rename(f"{self.kube}/{name}.new", f"{self.kube}/{name}")

    def end(self, text):
        """Ends the only pod that runs: like this, or by deleting it (None)."""
        [name] = [pod for pod in self.pods() if not os.path.exists(f"{self.kube}/{pod}.ends")]
        if text:
            self.write(f"{name}.ends", text)
        else:
            subprocess.run(["bin/kubectl", "delete", "pod", name], env=self.environment, check=True)

    def end_of(self, number=0):
        ended = self.events("attempt_ended")[number]
        return tuple(ended.get(key) for key in ("outcome", "proof", "cause"))

    def close(self):
        self.is_over = True
        self.kubelet.join()


def kill_tree(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = [int(word) for word in file.read().split()]
        os.kill(pid, 9)
    except OSError:
        return
    for child in children:
        kill_tree(child)


def works(case):
    """All steps and attempts of a task run in one pod, which is gone afterwards."""
    case.plan([task("a", sh("[ -e tried ] && exit 0; touch tried; echo connect ECONNRESET >&2; exit 1",
                            policy={"like": "transport", "base_delay_ms": 1, "jitter": 0}), sh("echo second")),
               task("b", sh("exit 3", policy=ONCE), resources={"cpus": 1, "memory_mb": 64})])
    want("exit", case.devs("run", "--plain", "plan.json").returncode, 1)
    asked = [json.loads(case.read(f"kube/{pod}.pod"))["spec"]["containers"][0]["resources"] for pod in case.pods()]
    want("resources", sorted(json.dumps(one["limits"]) for one in asked),
         ['{"cpu": "1", "memory": "64Mi"}', "{}"])
    want("decisions", [event["decision"] for event in case.events("step_ended", "a")], ["succeeded", "succeeded"])
    want("pods of a", len({event["job"] for event in case.events("job_state", "a")}), 1)
    want("node", case.events("job_state", "a")[-1].get("node", "") != "", True)
    want("what is left there", os.listdir(case.far) if os.path.exists(case.far) else [], [])
    until("the end of all pods", lambda: all(case.read(f"kube/{pod}.ends") for pod in case.pods()))


def ended_pods(case):
    """Evicted: lost, at once in another pod. Killed for its memory: as such. Deleted: lost."""
    for what, ends, wanted in (("evicted", "Failed Evicted", ("lost", "preempted")),
                               ("memory", "Failed OOMKilled", ("signal", "memory")),
                               ("deleted", None, ("lost", None))):
        shutil.rmtree(".devs", ignore_errors=True)
        for name in ("go", "second"):
            if os.path.exists(name):
                os.unlink(name)
        case.plan([task("a", sh(f"[ -e second ] && exit 0; touch second; {WORKS}", policy=ONCE))])
        run = case.start("run", "--plain", "plan.json")
        until("output", lambda: b"ready" in case.output())
        case.end(ends)
        run.wait(LIMIT_S)
        outcome, _, cause = case.end_of()
        want(what, (outcome, cause), wanted)
        if what != "memory":
            want(f"{what}: exit", run.returncode, 0)
            want(f"{what}: tries", case.events("step_ended")[0]["attempts"], 1)
        else:
            judged = case.events("attempt_judged")[0]
            want("class", (judged["class"], judged["type"]), ("transient", "CONTAINER_OOM"))


def pods_that_wait(case):
    """No image: a person is needed. No node: queued with the reason, until queue_s is over."""
    case.mode("image")
    case.plan([task("a", sh("touch worked"))])
    want("exit", case.devs("run", "--plain", "plan.json").returncode, 4)
    judged = case.events("attempt_judged")[-1]
    want("class", (judged["class"], judged["subtype"]), ("persistent", "EXECUTOR_REFUSED"))
    want("its words", "ImagePullBackOff" in judged["match"], True)
    case.mode("unschedulable")
    case.plan([task("a", sh("touch worked"))], queue_s=3, more={"policies": SOON})
    want("exit", case.devs("run", "--plain", "plan.json").returncode != 0, True)
    want("reason", any(event.get("reason") == "Unschedulable" for event in case.events("job_state")), True)
    want("class", case.events("attempt_judged")[-1]["subtype"], "QUEUE")
    want("pods", case.pods(), [])
    want("worked", os.path.exists("worked"), False)


def api_is_away(case):
    """Without the API nothing starts; a probe finds it again."""
    case.mode("down")
    case.plan([task("a", sh("echo fine"))])
    run = case.start("run", "--plain", "plan.json")
    until("it is down", lambda: case.events("host_state"))
    case.mode("")
    want("exit", run.wait(LIMIT_S), 0)
    want("up again", [event["down"] for event in case.events("host_state")], [True, False])


def pod_as_written(case):
    """What kubectl gets: image, shared folder, and no word of the command or its environment."""
    case.plan([task("a", sh(WORKS, env={"TOKEN": "s3cr3t-value"}))])
    run = case.start("run", "--plain", "plan.json")
    until("output", lambda: b"ready" in case.output())
    [name] = case.pods()
    with open(f"{case.kube}/{name}.pod", encoding="utf-8") as file:
        text = file.read()
    pod = json.loads(text)
    want("image", pod["spec"]["containers"][0]["image"], "registry/agent:1")
    want("shared", pod["spec"]["volumes"][0]["hostPath"]["path"], case.dir)
    want("secrets", ("s3cr3t" in text, "ready" in text), (False, False))
    open("go", "w", encoding="ascii").close()
    want("exit", run.wait(LIMIT_S), 0)


CASES = [works, ended_pods, pods_that_wait, api_is_away, pod_as_written]

if __name__ == "__main__":
    sys.exit(cases.run_cases(CASES, lambda root, run: Case(root, run.__name__)))
