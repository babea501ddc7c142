#!/usr/bin/env python3
"""Runs of devs whose attempts are on other machines, by real sshds on loopback.

usage: ssh.py DEVS DEVS-HAND [CASE...]       all cases by default

Skipped (77) without sshd.
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
from sshd import Hosts, is_here

HERE = os.path.dirname(os.path.abspath(__file__))


class Case(cases.Case):
    """A folder with its own log and hosts."""

    def __init__(self, root, name, hosts=1):
        super().__init__(root, name)
        self.hosts = Hosts(self.dir, hosts)

    def plan(self, tasks, **executor):
        lab = {"like": "ssh", "hosts": sorted(self.hosts.servers), "dir": self.far, "hand": HAND,
               "shared": self.dir, "args": ["-F", self.hosts.config], "lease_s": 60}
        lab.update(executor)
        return self.write_plan({"lab": lab}, tasks)

    def close(self):
        self.hosts.close()


# Each case gets its folder with one host, or as many as its default says.

def same_as_here(case):
    """Ends, output and what follows from them are the same here and there."""
    cases.runs_alike(case, hosts=[{"host": "h1", "slots": 16}])
    want("what is left there", os.path.exists(case.far) and os.listdir(case.far), [])


def killed_devs(case):
    """After kill -9 of devs at any moment, --continue takes up what runs: one start, all output."""
    work = "echo start >> marks; for i in 1 2 3 4 5 6; do echo line $i; sleep 0.2; done; echo end >> marks"
    chance = random.Random(int(os.environ.get("SSH_SEED", "1")))
    for _ in range(int(os.environ.get("SSH_KILLS", "4"))):
        shutil.rmtree(f"{case.dir}/.devs", ignore_errors=True)
        if os.path.exists("marks"):
            os.unlink("marks")
        case.plan([task("a", sh(work))])
        run = case.start("run", "--plain", "plan.json")
        until("the attempt", lambda: case.events("attempt_running"))
        time.sleep(chance.random())  # the moment of the kill, not a wait for something
        run.send_signal(signal.SIGKILL)
        run.wait()
        out = case.devs("run", "--continue", "last", "--plain")
        want(f"exit ({out.stdout}{out.stderr})", out.returncode, 0)
        want("starts and ends", case.read("marks"), b"start\nend\n")
        want("output", case.output(), b"".join(b"line %d\n" % i for i in range(1, 7)))
        want("attempts", len(case.events("attempt_started")), 1)
    want("verify", case.devs("verify", "last").returncode, 0)


def cut_connection(case):
    """If the connection breaks, the attempt continues, and none of its output is lost."""
    case.plan([task("a", sh("for i in 1 2 3 4; do echo line $i; until [ -e go$i ]; do sleep 0.05; done;"
                            " done"))])
    run = case.start("run", "--plain", "plan.json")
    for i in range(1, 5):
        until("output", lambda i=i: case.output().count(b"\n") == i)
        if i < 4:
            case.hosts.kill("h1")
            until("contact is lost", lambda i=i: len(case.events("contact_lost")) == i)
            want("the host is down", case.events("host_state")[-1]["down"], True)
            case.hosts.start("h1")
            until("contact is back", lambda i=i: len(case.events("contact_found")) == i)
        open(f"go{i}", "w", encoding="ascii").close()
    want("exit", run.wait(LIMIT_S), 0)
    want("attempts", len(case.events("attempt_started")), 1)
    want("output", case.output(), b"line 1\nline 2\nline 3\nline 4\n")


def lost_host(case):
    """A host that stays away: no retry before the attempt has ended itself, and no attempt used."""
    case.plan([task("a", sh("echo $$ >> starts; [ -e second ] && exit 0; touch second; trap '' TERM;"
                            " while :; do date +%s%N > new; mv new alive; sleep 0.05; done",
                            policy=ONCE))], lease_s=5, hosts=["h1", "h2"])
    run = case.start("run", "--plain", "plan.json")
    until("the attempt", lambda: case.read("alive"))
    first = case.events("attempt_placed")[0]["host"]
    case.hosts.kill(first)
    until("the next attempt", lambda: len(case.events("attempt_placed")) == 2)
    second = case.read("starts")
    want("exit", run.wait(LIMIT_S), 0)
    ended = case.events("attempt_ended")
    want("how the first ended", (ended[0]["outcome"], ended[0]["proof"]), ("lost", "fenced"))
    want("it is not a try", case.events("step_ended")[0]["attempts"], 1)
    want("the other host", case.events("attempt_placed")[1]["host"] != first, True)
    started = case.ask("SELECT at_ms FROM event WHERE kind='attempt_started' ORDER BY seq")[1][0]
    want("it worked no longer when the retry started", int(case.read("alive")) / 1e6 < started, True)
    want("starts", len(second.split()) <= 2, True)


def damaged_spool(case):
    """What an attempt left there cannot be read: it is lost once it has ended itself, never passed."""
    case.plan([task("a", sh("[ -e second ] && exit 0; touch second; echo works; sleep 1000"))],
              lease_s=5)
    run = case.start("run", "--plain", "plan.json")
    until("output", case.output)
    case.hosts.kill("h1")
    [spool] = [f"{folder}/spool" for folder, _, files in os.walk(case.far) if "spool" in files]
    with open(spool, "ab") as file:
        file.write(b"\xff" * 100)
    case.hosts.start("h1")
    want("exit", run.wait(2 * LIMIT_S), 0)
    want("how the first ended", [case.events("attempt_ended")[0].get(key) for key in ("outcome", "proof")],
         ["lost", "fenced"])
    want("contact was found at most once", len(case.events("contact_found")) <= 1, True)


def down_host(case):
    """A host that does not answer gets one attempt, then none; the other one does the work."""
    case.hosts.kill("h1")
    case.plan([task(f"t{i}", sh("echo fine")) for i in range(4)], hosts=["h1", "h2"])
    out = case.devs("run", "--plain", "plan.json")
    want(f"exit ({out.stdout})", out.returncode, 0)
    want("starts at the host that is down",
         sum(placed["host"] == "h1" for placed in case.events("attempt_placed")), 1)
    want("said once", [state["host"] for state in case.events("host_state")], ["h1"])


def host_comes_back(case):
    """The only host is away at the start, while nothing else happens: a probe finds it."""
    case.plan([task("a", sh("echo fine"))])
    case.hosts.kill("h1")
    run = case.start("run", "--plain", "plan.json")
    until("it is down", lambda: case.events("host_state"))
    case.hosts.start("h1")
    want("exit", run.wait(LIMIT_S), 0)
    want("up again", [state["down"] for state in case.events("host_state")], [True, False])


def refusals(case):
    """What only a person can mend needs you, with the line that tells why; nothing is started."""
    cases = {"key": ({}, "EXECUTOR_REFUSED"), "hand": ({"hand": "/no/devs-hand"}, "HAND_MISSING"),
             "other": ({"hand": "/bin/true"}, "HAND_MISSING"),
             "folder": ({"shared": "/somewhere"}, "NO_FOLDER")}
    for name, (executor, subtype) in cases.items():
        case.plan([task("a", sh("touch worked"))], **executor)
        if name == "key":
            with open(f"{case.hosts.root}/known_hosts", encoding="ascii") as file:
                known = file.read()
            case.hosts.key("another")
            with open(f"{case.hosts.root}/another.pub", encoding="ascii") as file:
                other = file.read().split()[1]
            with open(f"{case.hosts.root}/known_hosts", "w", encoding="ascii") as file:
                file.write(" ".join(known.split()[:2] + [other]) + "\n")
        case.devs("run", "--plain", "plan.json")
        if name == "key":
            with open(f"{case.hosts.root}/known_hosts", "w", encoding="ascii") as file:
                file.write(known)
        judged = case.events("attempt_judged")[-1]
        want(f"{name}: class", (judged["class"], judged["subtype"]), ("persistent", subtype))
        want(f"{name}: its line", len(judged["match"]) > 10, True)
        want(f"{name}: worked", os.path.exists("worked"), False)


def doctor(case):
    """devs doctor --executors names what is wrong with each host, and leaves nothing behind."""
    shared = f"{case.dir}/share"
    os.mkdir(shared)

    def hand(name, text):
        with open(f"{case.dir}/{name}", "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\n{text}\nexec {HAND} \"$@\"\n")
        os.chmod(file.name, 0o755)
        return file.name

    case.hosts.kill("h2")
    plan = case.plan([task("a", sh("touch worked"))])
    lab = plan["executors"]["lab"]
    stranger = f"{case.dir}/stranger"
    open(stranger, "w", encoding="ascii").close()
    of = {"lab": {"hosts": ["h1", "h2"]},
          "none": {"hand": "/no/devs-hand"},
          "other": {"hand": "/bin/true"},
          "dir": {"dir": f"{stranger}/x"},
          "here": {"shared": f"{case.dir}/absent"},
          "file": {"hand": hand("unseen", f"[ $1 = run ] && rm -f {shared}/.devs-doctor-*-5")},
          "folder": {"shared": f"{case.dir}/removed",
                     "hand": hand("gone", f"[ $1 = run ] && rm -r {case.dir}/removed")},
          "content": {"hand": hand("differs", "[ $1 = run ] && for f in"
                                   f" {shared}/.devs-doctor-*-7; do echo x >$f; done")},
          "key": {"args": ["-F", case.hosts.config, "-o", "UserKnownHostsFile=/dev/null"]}}
    os.mkdir(f"{case.dir}/removed")
    plan["executors"] = {name: dict(lab, hosts=["h1"], shared=shared) for name in of}
    for name, keys in of.items():
        plan["executors"][name].update(keys)
    with open("plan.json", "w", encoding="ascii") as file:
        json.dump(plan, file)
    out = case.devs("doctor", "--executors", "--json", "plan.json")
    want(f"exit ({out.stderr})", out.returncode, 1)
    report = json.loads(out.stdout)
    want("all of it", report["works"], False)
    want("each host", [(host["executor"], host["host"], host["state"]) for host in report["hosts"]],
         [("lab", "h1", "works"), ("lab", "h2", "down"), ("none", "h1", "hand"),
          ("other", "h1", "hand"), ("dir", "h1", "dir"), ("here", "h1", "here"),
          ("file", "h1", "shared"), ("folder", "h1", "shared"), ("content", "h1", "shared"),
          ("key", "h1", "refused")])
    words = {host["executor"] + host["host"]: host.get("words", "") for host in report["hosts"]}
    want("ssh's line", "Connection refused" in words["labh2"], True)
    want("ssh's line about the key", words["keyh1"], "Host key verification failed.")
    want("devs-hand is missing", "/no/devs-hand" in words["noneh1"], True)
    version = subprocess.run([HAND, "--version"], capture_output=True, text=True, check=True).stdout
    want("devs-hand's version", report["hosts"][0]["hand"] in version, True)
    want("hints", [bool(host.get("hint")) for host in report["hosts"]], [False] + 9 * [True])
    want("what is left there", os.listdir(case.far), [])
    want("what is left here", os.listdir(shared), [])
    want("worked", os.path.exists("worked"), False)

    case.plan([task("a", sh("true"))], hosts=["h1"])
    out = case.devs("doctor", "--executors", "plan.json")
    want("exit", out.returncode, 0)
    want(f"a host that works ({out.stdout})", out.stdout.startswith("ok  lab/h1          devs-hand "), True)
    want("one line for it", len(out.stdout.splitlines()), 2)
    out = case.devs("doctor", "--executors")
    want("a plan that is not named starts nothing of its own", out.returncode, 2)
    want("why", 'plan.json sets "args"' in out.stderr, True)


def slots(case):
    """No host has more attempts at a time than slots, and local tasks have their own."""
    work = "n=$(ls -d on.* 2>/dev/null | wc -l); echo $n >> counts; mkdir on.$$; sleep 0.5; rmdir on.$$"
    case.plan([task(f"t{i}", sh(work)) for i in range(7)],
              hosts=[{"host": "h1", "slots": 2}, "h2"])
    want("exit", case.devs("run", "--plain", "--jobs", "1", "plan.json").returncode, 0)
    counts = [int(line) for line in case.read("counts").split()]
    want("attempts at a time", (max(counts) <= 2, len(counts)), (True, 7))


def cancelled(case):
    """A cancel ends everything that the attempt has started, and proves it."""
    case.plan([task("a", sh("trap '' TERM; setsid sh -c 'trap \"\" TERM; while :; do date +%s%N > there;"
                            " sleep 0.05; done' & echo works; while :; do sleep 1; done"))])
    run = case.start("run", "--plain", "plan.json")
    until("it works", lambda: case.read("there"))
    case.devs("cancel", "1/a")
    want("exit", run.wait(LIMIT_S), 1)
    ended = case.events("attempt_ended")[0]
    want("how it ended", (ended["outcome"], ended["proof"]), ("cancelled", "reaped"))
    last = case.read("there")
    time.sleep(0.3)  # what is left would write again
    want("what is left", case.read("there"), last)


def secrets(case):
    """A secret of the environment is on no command line, and in no file there."""
    case.plan([task("a", sh("echo begun > begun; until [ -e go ]; do sleep 0.05; done; echo $TOKEN",
                            env={"TOKEN": "s3cr3t-value-of-the-token"}))])
    run = case.start("run", "--plain", "plan.json")
    until("it runs", lambda: case.read("begun"))
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if b"s3cr3t-value" in file.read():
                    found.append(pid)
        except OSError:
            continue
    for folder, _, files in os.walk(case.far):
        for name in files:
            path = f"{folder}/{name}"
            want("mode", os.stat(path).st_mode & 0o077, 0)
            if name == "spool":
                with open(path, "rb") as file:
                    found += [path] * (b"s3cr3t-value" in file.read())
    want("found", found, [])
    open("go", "w", encoding="ascii").close()
    want("exit", run.wait(LIMIT_S), 0)
    want("cut out of the output", b"s3cr3t-value" in case.output(), False)


def peak_kib(run):
    """Waits for the end of devs. Returns the largest amount of memory that was seen."""
    most = 0
    while run.poll() is None:
        try:
            with open(f"/proc/{run.pid}/status", encoding="ascii") as file:
                sizes = [int(line.split()[1]) for line in file if line.startswith("VmRSS")]
        except OSError:
            break
        most = max([most] + sizes)
        time.sleep(0.05)  # between samples
    run.wait()
    return most


def write_liar(case, way):
    """Returns the path of a devs-hand that lies in this way; see liar.py."""
    shutil.copy(f"{HERE}/liar.py", "liar.py")
    path = f"{case.dir}/liar-{way}"
    with open(path, "w", encoding="ascii") as file:
        file.write(f"#!/bin/sh\nexec '{sys.executable}' '{case.dir}/liar.py' {way} \"$@\"\n")
    os.chmod(path, 0o755)
    return path


def start_liar(case, way, **more):
    """A run on a host whose devs-hand lies."""
    shutil.rmtree(f"{case.dir}/.devs", ignore_errors=True)
    case.plan([task("a", step("true", policy=ONCE))], hand=write_liar(case, way), **more)
    return case.start("run", "--plain", "plan.json")


def liars(case):
    """Whatever a host reports, devs goes on, nothing passes that did not, and nothing starts twice."""
    wanted = {  # how the attempts ended, what was started there
        "numbers": (["exit"], b"run\n"),
        "unproven": (["lost", "exit"], b"run\nrun\n"),
        "cut": (["lost", "exit"], b"run\nrun\n"),
        "refused": (["exit"], b"run\nattach\n"),
        "after_end": (["exit"], b"run\n"),
        "offset": (["exit"], b"run\nattach\n"),
        "flood": (["exit"], b"run\n"),
        "noise": (["not started"], b""),
        "text": (["not started"], b"run\n"),
        "deaf": (["timeout"], b"run\n"),
        "flap": (["exit"], b"run\n" + 6 * b"attach\n"),
    }
    # The channel is closed, and another one is honest.
    for way in ("twice", "long", "check", "hello", "code", "finish"):
        wanted[way] = (["exit"], b"run\nattach\n")
    # The spool itself is damaged: the attempt is lost when it must have ended, and repeated.
    for way in ("start", "early", "count", "undone", "empty", "stream"):
        wanted[way] = (["lost", "exit"], b"run\nrun\n")
    tasks = [task(way, step("true", policy=ONCE, **({"timeout_s": 2} if way == "deaf" else {})), executor=way)
             for way in wanted]
    lab = case.plan([])["executors"]["lab"]
    case.write_plan({way: dict(lab, hand=write_liar(case, way), lease_s=5) for way in wanted}, tasks, executor="local")
    run = case.start("run", "--plain", "plan.json")
    most = peak_kib(run)
    want("exit", run.returncode, 4)
    for way, (ends, starts) in wanted.items():
        want(f"{way}: ends", [ended["outcome"] for ended in case.events("attempt_ended", way)], ends)
        want(f"{way}: starts", case.read(f"started-{way}"), starts)
    want(f"memory of {most} KiB", most < 400 * 1024, True)
    want("verify", case.devs("verify", "last").returncode, 0)
    out = case.devs("log", "last/after_end").stdout
    want(f"output ({out})", ("one" in out, "two" in out), (True, False))
    want("class", case.events("attempt_judged", "noise")[0]["subtype"], "HAND_MISSING")
    text = case.events("attempt_judged", "text")[0]["match"]
    want(f"text {text!r}", any(bad in text for bad in ("\u009b", "\u202e", "\ufffd\ufffd\ufffd")), False)
    want("a proof of deaf", case.events("attempt_ended", "deaf")[0].get("proof"), None)
    # A link that breaks again and again is tried less and less often, although there is contact each time.
    [[first, last]] = case.ask("SELECT min(at_ms), max(at_ms) FROM event WHERE kind='contact_lost' AND task='flap'")
    want(f"{last - first} ms between the first break and the last", last - first > 7000, True)


def other_versions(case):
    """devs-hand of another version of the protocol: refused with one line and a remedy; it gets nothing."""
    for way, number in (("older", 0), ("newer", 2)):
        want(f"{way}: exit", start_liar(case, way).wait(LIMIT_S), 4)
        judged = case.events("attempt_judged")
        want(f"{way}: class", [(one["class"], one["subtype"]) for one in judged], [("persistent", "HAND_MISSING")])
        line = (f"h1: devs-hand has version {number} of the protocol (liar); this devs needs version 1:"
                " install its devs-hand there")
        want(f"{way}: its line", judged[0]["match"], line)
        want(f"{way}: sent there", case.read("received"), b"")
        why = " ".join(case.devs("why", "last/a").stdout.split())
        want(f"{way}: why ({why})", line in why and "devs-hand of this devs must be installed there" in why, True)
        out = case.devs("doctor", "--executors", "plan.json")
        want(f"{way}: doctor ({out.stdout})", (out.returncode, line[4:] in " ".join(out.stdout.split())), (1, True))


def much_output(case):
    """100 MB of output are counted; the memory of devs stays flat."""
    case.plan([task("a", sh("head -c 100000000 /dev/zero; head -c 3 /dev/zero >&2"))])
    run = case.start("run", "--plain", "plan.json")
    most = peak_kib(run)
    want("exit", run.returncode, 0)
    ended = case.events("attempt_ended")[0]
    want("bytes", (ended["out_bytes"], ended["err_bytes"]), (100000000, 3))
    want(f"memory of {most} KiB", most < 200 * 1024, True)


def interrupt_twice(run):
    run.send_signal(signal.SIGINT)
    time.sleep(0.5)  # two requests, not one
    run.send_signal(signal.SIGINT)
    began = time.monotonic()
    run.wait(LIMIT_S)
    return time.monotonic() - began


def leave_without_contact(case):
    """Two Ctrl-C end devs, even if the attempt's host is away or ignores it."""
    case.plan([task("a", sh("echo works; exec sleep 1000"))], lease_s=600)
    run = case.start("run", "--plain", "plan.json")
    until("output", case.output)
    case.hosts.kill("h1")
    until("contact is lost", lambda: case.events("contact_lost"))
    want("it took seconds", interrupt_twice(run) < 10, True)
    ended = case.events("attempt_ended")[0]
    want("how it ended", (ended["outcome"], ended.get("proof")), ("cancelled", None))
    want("a note", "has not confirmed its end" in case.devs("debug", "--logs", "last", "--plain").stdout,
         True)
    want("verify", case.devs("verify", "last").returncode, 0)
    case.hosts.start("h1")
    run = start_liar(case, "deaf")
    until("the attempt", lambda: case.events("attempt_running"))
    want("it took less than half a minute", interrupt_twice(run) < 30, True)
    want("how it ended", case.events("attempt_ended")[0]["outcome"], "cancelled")


def continued_without_host(case):
    """A run that is continued while its host is away takes the attempt up once the host is back."""
    case.plan([task("a", sh("echo start >> marks; echo works; until [ -e go ]; do sleep 0.05; done;"
                            " echo end"))])
    run = case.start("run", "--plain", "plan.json")
    until("output", case.output)
    run.send_signal(signal.SIGKILL)
    run.wait()
    case.hosts.kill("h1")
    run = case.start("run", "--continue", "last", "--plain")
    until("contact is lost", lambda: case.events("contact_lost"))
    open("go", "w", encoding="ascii").close()
    case.hosts.start("h1")
    want("exit", run.wait(LIMIT_S), 0)
    want("starts", case.read("marks"), b"start\n")
    want("output", case.output(), b"works\nend\n")
    with open("policy.json", "w", encoding="ascii") as file:
        json.dump(ONCE, file)
    for words in (("verify", "last"), ("what-if", "policy.json", "last"), ("debug", "--logs", "last", "--json"),
                  ("why", "last/a", "--json"), ("export", "last", "--format", "bundle"),
                  ("export", "last", "--format", "jsonl")):
        want(words[0], case.devs(*words).returncode, 0)


def quiet_without_contact(case):
    """An attempt without contact is not silent: only what it does itself counts."""
    case.plan([task("a", sh("echo works; for i in 1 2 3 4 5 6 7 8; do sleep 1; echo $i; done",
                            quiet_s=4, policy=ONCE))])
    run = case.start("run", "--plain", "plan.json")
    until("output", case.output)
    case.hosts.kill("h1")
    until("contact is lost", lambda: case.events("contact_lost"))
    time.sleep(5)  # longer than quiet_s
    case.hosts.start("h1")
    want("exit", run.wait(LIMIT_S), 0)
    want("outcome", case.events("attempt_ended")[0]["outcome"], "exit")


def shown(case):
    """What every surface says of a host without contact, now, in the past and in a bundle."""
    case.plan([task("a", sh("echo works; exec sleep 1000"), title="the work"),
               task("b", sh("echo here; until [ -e go ]; do sleep 0.05; done"), executor="local")],
              lease_s=60, hosts=["h1", "h2"])
    run = case.start("run", "--plain", "plan.json")
    until("output", lambda: case.output() and case.read("run.out").count(b"running") == 2)
    [placed] = case.events("attempt_placed")
    first = placed["host"]

    def hosts(*words):
        return {of.get("host", "local"): of for of in
                json.loads(case.devs("hosts", "--json", *words).stdout)["hosts"]}

    def frame(*words):
        return case.devs("replay", "last", "--frame", "140x40", *words).stdout

    of = hosts()
    want("its host", [of[first][key] for key in ("state", "used", "contact", "no_contact", "tasks")],
         ["up", 1, True, 0, ["a"]])
    want("the other", [(of[name]["state"], of[name]["used"]) for name in of if name not in (first, "local")],
         [("untried", 0)])
    want("this machine", (of["local"]["used"], of["local"]["tasks"]), (1, ["b"]))
    with_contact = case.ask("SELECT max(seq) FROM event")[0][0]
    case.hosts.kill(first)
    until("contact is lost", lambda: case.events("contact_lost"))
    until("it is down", lambda: hosts()[first]["state"] == "down")
    [lost] = case.events("contact_lost")
    down = hosts()[first]
    want("last contact", down["heard_ms"], lost["since_at_ms"])
    want("fence", down["fence_ms"], lost["fence_at_ms"])
    want("why", (down["why"], down["contact"], down["no_contact"]), ("no contact", False, 1))
    want("text", "1 fenced until " in case.devs("hosts").stdout, True)
    text = case.devs("status").stdout
    want("status", f"host {first} (lab) is down for " in text and "no contact 0:" in text and
         f" {first}?" in text and " local" in text, True)
    status = json.loads(case.devs("status", "--json").stdout)
    want("status --json", (status["hosts"][0]["host"], status["tasks"][0]["host"],
                           status["tasks"][0]["fence_ms"]), (first, first, lost["fence_at_ms"]))
    case.devs("cancel", "last/a")
    until("fenced", lambda: "fenced until " in case.devs("status").stdout)
    open("go", "w", encoding="ascii").close()
    until("b has passed", lambda: "passed" in case.devs("status").stdout)
    case.devs("cancel", "--kill", "last/a")
    want("exit", run.wait(LIMIT_S) != 0, True)
    want("killed without contact", "cancelled" in case.devs("status").stdout and
         "fenced until " in case.devs("status").stdout, True)
    # the past, as of the last record with contact and without
    want("a moment with contact", "1 down" in frame("--view", "hosts", "--at", f"#{with_contact}"), False)
    at = case.ask("SELECT min(seq) FROM event WHERE kind='host_state'")[0][0]
    then = frame("--view", "hosts", "--at", f"#{at}")
    want("a moment without", "3 machines, 1 down, 2 of " in then and "no contact" in then, True)
    want("the list", f"{first}?" in frame("--at", f"#{at}"), True)
    why = case.devs("why", "last/a").stdout
    want("why", f"on {first} (lab)" in why and "no contact with its machine" in why and
         "fenced until " in why, True)
    with open("policy.json", "w", encoding="ascii") as file:
        json.dump({"max_attempts": 1}, file)
    for words in (("verify", "last"), ("what-if", "policy.json", "last"), ("replay", "last", "--json"),
                  ("export", "last", "--format", "bundle", "-o", "one.devs", "--yes"),
                  ("verify", "one.devs")):
        out = case.devs(*words)
        want(f"{words} {out.stderr}", out.returncode, 0)
    here = json.loads(case.devs("hosts", "--json").stdout)
    there = json.loads(case.devs("hosts", "--db", "one.devs", "--json").stdout)
    want("the bundle", there["hosts"], here["hosts"])


CASES = {same_as_here: 1, bytes_unchanged: 1, killed_devs: 1, cut_connection: 1, lost_host: 2,
         damaged_spool: 1, down_host: 2, host_comes_back: 1, refusals: 1, doctor: 2, slots: 2, cancelled: 1, secrets: 1,
         liars: 1, other_versions: 1, leave_without_contact: 1, continued_without_host: 1, quiet_without_contact: 1,
         much_output: 1, shown: 2}


def main(functions):
    if not is_here():
        print("skipped: sshd is not installed")
        return 77
    return cases.run_cases(functions, lambda root, run: Case(root, run.__name__, functions[run]))


if __name__ == "__main__":
    sys.exit(main(CASES))
