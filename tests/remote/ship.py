#!/usr/bin/env python3
"""Runs of devs whose worktrees are on other machines, without a shared folder, by real sshds.

usage: ship.py DEVS DEVS-HAND [CASE...]       all cases by default

Each result is compared with that of the same plan on this machine. See ssh.py.
"""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from case import sh, task, until, want
from ssh import main


def git(*words, cwd="repo", **more):
    environment = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1")
    return subprocess.run(["git", *words], cwd=cwd, env=environment, check=True, text=True,
                          capture_output=True, **more).stdout.strip()


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def make_repository(case, files=20):
    """A repository with links, modes, attributes and ignore rules of all kinds."""
    os.makedirs("repo")
    git("init", "-q", "-b", "main")
    git("config", "user.name", "Ann Example")
    git("config", "user.email", "ann@example.org")
    for i in range(files):
        write(f"repo/src/d{i % 50}/file{i}.txt", f"file {i}\n" * (1 + i % 40))
    write("repo/.gitignore", "*.o\nbuild/\n!keep.o\n")
    write("repo/.gitattributes", "*.crlf text eol=crlf\n*.union merge=union\n*.bin -text\n")
    write("repo/lines.crlf", "a\nb\n")
    write("repo/all.union", "begin\nend\n")
    write("repo/tool.sh", "#!/bin/sh\necho tool\n", 0o755)
    write("repo/name with ' \u00e4 spaces.txt", "odd\n")
    os.symlink("tool.sh", "repo/link")
    git("add", "-A")
    git("commit", "-q", "-m", "begin")
    write("repo/.git/info/exclude", "*.private\n")
    case.dir = f"{case.dir}/repo"
    os.chdir(case.dir)


def plan_of(case, tasks, where="lab", **executor):
    plan = case.plan(tasks, **executor)
    del plan["executors"]["lab"]["shared"]
    plan["executor"] = where
    plan["workspace"] = "worktree"
    write("plan.json", json.dumps(plan))
    return plan


def exclude_own(case):
    with open(f"{case.dir}/.git/info/exclude", "a", encoding="ascii") as file:
        file.write("/plan.json\n/.devs/\n/run.out\n")


def last_run(case):
    return case.ask("SELECT max(id) FROM run")[0][0]


def results(case, run):
    """The tree, the author and the message of each result of a run."""
    out = {}
    lines = git("for-each-ref", "--format=%(refname:lstrip=4) %(tree) %(authorname) <%(authoremail)>"
                " %(contents:subject)", f"refs/heads/devs/{run}/", cwd=case.dir)
    for line in lines.splitlines():
        name, rest = line.split(" ", 1)
        out[name] = rest
    return out


def both(case, tasks, code=0, **executor):
    """Runs the plan there and here. Returns the results, which must be the same."""
    seen = []
    for where in ("lab", "local"):
        plan_of(case, tasks, where, **executor)
        out = case.devs("run", "--plain", "plan.json")
        want(f"exit of {where} ({out.stdout}{out.stderr})", out.returncode, code)
        seen.append(results(case, last_run(case)))
    want("results", seen[0], seen[1])
    return seen[0]


def left_there(case):
    """What is left on the hosts, except the caches."""
    work = f"{case.far}/work"
    names = os.listdir(case.far) if os.path.exists(case.far) else []
    return [name for name in names if name != "cache"] + (os.listdir(work) if os.path.exists(work)
                                                          else [])


CHANGES = ("echo more >> tool.sh; echo new > 'new file'; echo x > x.o; echo y > y.private; mkdir -p build;"
           " echo z > build/z; echo k > keep.o; ln -s nowhere broken; rm lines.crlf; printf 'c\\r\\n' > d.crlf;"
           " chmod +x src/d1/file1.txt; mkdir -p a/b; echo deep > a/b/c; git init -q nested; echo n > nested/n")


def same_tree(case):
    """Files of all kinds, several steps, commits of the task, and tasks that need others."""
    make_repository(case)
    exclude_own(case)
    found = both(case, [
        task("change", sh(CHANGES)),
        task("steps", sh("echo one > one; echo o > a.o; mkdir empty"),
             sh("test -d empty && cat a.o one && echo two >> one"), sh("git status --short | grep one")),
        task("commits", sh("echo c > c; git add c; git -c user.name=T -c user.email=t@t commit -q -m mine"),
             sh("echo d > d")),
        task("head", sh("git log --format=%s -1 | grep -qx begin && git rev-parse HEAD > head")),
        task("needs", sh("cat 'new file' > copied && test ! -e x.o && test ! -e build && rm 'new file'"),
             needs=["change"]),
        task("two", sh("cat 'new file' one && echo joined > joined"), needs=["change", "steps"]),
        task("none", sh("echo o > only.o"), needs=["commits"])])
    want("results", sorted(found), ["change", "commits", "head", "needs", "none", "steps", "two"])
    want("what is left there", left_there(case), [])
    want("the user's tree", git("status", "--short", cwd=case.dir), "")
    run = last_run(case) - 1
    want("message", git("log", "-1", "--format=%(trailers:key=Devs-Task,valueonly)",
                        f"devs/{run}/needs", cwd=case.dir), "needs")
    want("parents", git("rev-parse", f"devs/{run}/needs^", cwd=case.dir),
         git("rev-parse", f"devs/{run}/change", cwd=case.dir))
    out = case.devs("apply", f"{run}/two")
    want(f"apply ({out.stderr})", out.returncode, 0)
    with open("joined", encoding="ascii") as file:
        want("applied", file.read(), "joined\n")
    for words in (("verify", str(run)), ("diff", f"{run}/change"), ("why", f"{run}/change", "--json"),
                  ("hosts", str(run)), ("hosts", "--json", str(run)), ("status", "--json", str(run))):
        want(words[0], case.devs(*words).returncode, 0)



def conflict(case):
    """Results that do not merge, and results that only merge by an attribute, are the same there."""
    make_repository(case)
    exclude_own(case)
    tasks = [task(name, sh(f"echo {name} > src/d1/file1.txt")) for name in ("one", "other")]
    tasks.append(task("both", sh("touch both"), needs=["one", "other"]))
    both(case, tasks, code=4)
    for run in (last_run(case) - 1, last_run(case)):
        rows = case.ask("SELECT json_extract(data, '$.match') FROM event WHERE run=? AND"
                        " kind='attempt_judged'", run)
        want(f"why in {run}", [row[0].replace(f"/{run}/", "/N/") for row in rows if row[0]],
             ["cannot merge the results of 'devs/N/one' and 'devs/N/other': 'src/d1/file1.txt'"])
    found = both(case, [task("one", sh("sed -i 's/begin/begin\\none/' all.union")),
                        task("other", sh("sed -i 's/begin/begin\\nother/' all.union")),
                        task("both", sh("grep -x one all.union && grep -x other all.union > seen"),
                             needs=["one", "other"])])
    want("merged by an attribute", "both" in found, True)


def submodule(case):
    """A repository with submodules is refused, as it is for a worktree here."""
    make_repository(case)
    os.makedirs("../lib")
    git("init", "-q", cwd="../lib")
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x", cwd="../lib")
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../lib", "lib", cwd=".")
    git("commit", "-q", "-m", "submodule", cwd=".")
    seen = []
    for where in ("lab", "local"):
        plan_of(case, [task("a", sh("true"))], where)
        out = case.devs("run", "--plain", "plan.json")
        judged = case.events("attempt_judged")[-1]
        seen.append((out.returncode, judged["class"], judged["subtype"], judged["match"]))
    want("refused", seen[0], seen[1])
    want("why", "has submodules" in seen[0][3], True)


def reset(case):
    """A retry begins with the tree of the step: with ignored files, empty folders and its commits."""
    make_repository(case)
    exclude_own(case)
    spoil = ("echo bad > one; rm o.o; echo p > p.o; rmdir empty; git add -f one; chmod 700 tool.sh;"
             " git -c user.name=T -c user.email=t@t commit -q -m bad; mkdir -p shut/in; touch shut/in/x;"
             " chmod 000 shut; rm -rf src; ln -s /tmp src; echo connect ECONNRESET >&2; exit 1")
    check = ("test -d empty && test -d src && test ! -L src && test ! -e shut && test ! -e p.o && cat o.o &&"
             " grep -qx good one && git log --format=%s -1 | grep -qx begin && git status --short")
    quick = {"like": "transport", "base_delay_ms": 1, "jitter": 0}
    found = both(case, [task("a", sh("echo good > one; echo o > o.o; mkdir empty"),
                             sh(f"n=$(cat {case.dir}/../n-$DEVS_RUN 2>/dev/null); echo 1$n >"
                                f" {case.dir}/../n-$DEVS_RUN; if [ -z \"$n\" ]; then {spoil}; fi; {check}",
                                policy=quick), sh("echo last > last"))])
    want("results", list(found), ["a"])
    done = case.ask("SELECT json_extract(data, '$.tree') FROM event WHERE kind IN ('workspace_saved',"
                    " 'workspace_reset') AND step=1 AND run=?", last_run(case) - 1)
    want("the tree before both tries", (len(done), len(set(done))), (2, 1))
    want("attempts", len(case.events("attempt_started")), 8)
    changed = [json.loads(data) for data, in case.ask(
        "SELECT data FROM event WHERE kind='workspace_changed' AND run=?", last_run(case) - 1)]
    want("changes", [(of["paths"], of["added"], of["removed"], of["changed"][:3]) for of in changed],
         [(23, 2, 211, ["M one", "A shut/in/x", "A src"])])
    # An attempt that changes the snapshot itself cannot make devs believe in it.
    # One that leaves a tree that cannot be read has changed all of it, as far as devs knows.
    plan_of(case, [task("a", sh("echo bad > ../snapshots/0/tree/tool.sh; echo ECONNRESET >&2; exit 1",
                               policy=quick)),
                   task("b", sh("[ -e ../tried ] && exit 0; touch ../tried; rm .gitattributes; mkfifo .gitattributes;"
                                " echo ECONNRESET >&2; exit 1", policy=quick))])
    want("exit", case.devs("run", "--plain", "plan.json").returncode != 0, True)
    judged = case.events("attempt_judged", "a")[-1]
    want("why", "the reset left tree" in judged["match"], True)
    want("paths", case.events("workspace_reset", "b")[-1]["paths"], len(git("ls-files", cwd=case.dir).splitlines()))
    # A task that did not pass keeps its worktree there, and here nothing is taken for it.
    out = case.devs("diff", "last/a")
    want("diff", (out.returncode != 0, "is on h1: " in out.stderr), (True, True))
    want("what is left there", len(left_there(case)), 2)


FAKE_GIT = r"""#!@PYTHON@
import hashlib, os, subprocess, sys, zlib
GIT, words = "@GIT@", sys.argv[1:]
# What the host does is the name of the task whose worktree it is; without one, what the file says.
[own] = [word for word in words if word.startswith("--git-dir=") and "/work/" in word] or [None]
way = own.split("/")[-2] if own else open("@WAY@").read()
name = next((word for word in words if not word.startswith("-") and "=" not in word), "")
def run(*args, **more):
    return subprocess.run([GIT, *more.pop("before", words[:-1]), *args], stdout=subprocess.PIPE, **more).stdout
if name == "write-tree" and way in ("evil", "link", "hole"):
    before = words[:words.index("write-tree")]
    blob = run("hash-object", "-w", "--stdin", before=before, input=b"x").decode().strip()
    line = {"evil": f"100644 blob {blob}\t.git\n", "link": f"160000 commit {'1' * 40}\tlink\n",
            "hole": f"100644 blob {'2' * 40}\thole\n"}[way]
    sys.stdout.buffer.write(run("mktree", "--missing", before=before, input=line.encode()))
    sys.exit(0)
if name == "write-tree" and way in ("large", "paths"):
    before = words[:words.index("write-tree")]
    pack = subprocess.Popen([GIT, *before, "hash-object", "-w", "--stdin"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for _ in range(70 if way == "large" else 1):
        pack.stdin.write(bytes(1 << 20))
    entry = f"100644 blob {pack.communicate()[0].decode().strip()}"
    for _ in range(2 if way == "large" else 6):  # each tree has 8 times the one before
        text = "".join(f"{entry}\t{i}\n" for i in range(8))
        entry = "040000 tree " + run("mktree", before=before, input=text.encode()).decode().strip()
    sys.stdout.buffer.write(run("mktree", before=before, input=f"{entry}\tx\n".encode()))
    sys.exit(0)
if name == "commit-tree" and way == "other":
    at = words.index("commit-tree") + 1
    words[at] = run("rev-parse", words[at + 2] + "^{tree}", before=words[:at - 1]).decode().strip()
if name == "bundle":
    at = words.index("bundle")
    if way == "much":
        for _ in range(300):
            sys.stdout.buffer.write(bytes(1 << 20))
        sys.exit(0)
    out = subprocess.run([GIT, *words], stdout=subprocess.PIPE).stdout
    head, pack = out.split(b"\n\n", 1) if b"\n\n" in out else (b"", b"")
    if way == "hole":
        commit = run("rev-parse", "refs/devs/result", before=words[:at]).decode().strip()
        tree = run("rev-parse", commit + "^{tree}", before=words[:at]).decode().strip()
        pack = run("pack-objects", "-q", "--stdout", before=words[:at], input=f"{commit}\n{tree}\n".encode())
        head = f"# v2 git bundle\n{commit} refs/devs/result".encode()
    if way == "ref":
        head = head.replace(b"refs/devs/result", b"refs/heads/main")
    if way == "two":
        head += b"\n" + head.rsplit(b"\n", 1)[1][:40] + b" refs/heads/other"
    if way == "cut":
        pack = pack[:-30]
    if way == "flip":
        pack = pack[:40] + bytes([pack[40] ^ 1]) + pack[41:]
    if way == "many":
        pack = pack[:8] + (2000000).to_bytes(4, "big") + pack[12:]
    if way == "bomb":  # a file that is built from another one, and needs 2 GiB
        def number(value):
            return bytes([value & 127 | 128]) + number(value >> 7) if value > 127 else bytes([value])
        def entry(kind, size, more, data):
            return bytes([kind << 4 | size & 15 | 128]) + number(size >> 4) + more + zlib.compress(data)
        delta = number(1 << 16) + number(2 << 30) + b"\x80" * (2 << 30 >> 16)
        base = entry(3, 1 << 16, b"", bytes(1 << 16))
        pack = (pack[:8] + (int.from_bytes(pack[8:12], "big") + 2).to_bytes(4, "big") + pack[12:-20] + base
                + entry(6, len(delta), bytes([len(base) & 127]) if len(base) < 128 else
                        bytes([(len(base) >> 7) - 1 | 128, len(base) & 127]), delta))
        pack += hashlib.sha1(pack).digest()
    if way == "empty":
        pack = b""
    sys.stdout.buffer.write(head + b"\n\n" + pack)
    sys.exit(0)
if name == "for-each-ref" and way == "have":
    print("have ../../etc")
    sys.exit(0)
os.execv(GIT, [GIT, *words])
"""


def be_hostile(case, way):
    os.makedirs(f"{case.hosts.root}/bin", exist_ok=True)
    text = FAKE_GIT.replace("@PYTHON@", sys.executable).replace("@GIT@", shutil.which("git"))
    write(f"{case.hosts.root}/bin/git", text.replace("@WAY@", f"{case.hosts.root}/way"), 0o755)
    write(f"{case.hosts.root}/way", way)


def hostile(case):
    """Whatever a host sends as a result, nothing gets into the repository unless it is sound."""
    make_repository(case)
    exclude_own(case)
    be_hostile(case, "none")
    case.hosts.configure("h1", "SetEnv", "ForceCommand echo welcome; echo '@devs-workspace'; eval"
                         f" \"$SSH_ORIGINAL_COMMAND\"\nSetEnv PATH={case.hosts.root}/bin:{os.environ['PATH']}")
    wanted = {"ref": "an invalid bundle", "two": "an invalid bundle", "empty": "an invalid bundle",
              "cut": "its result is damaged", "flip": "its result is damaged",
              "evil": "its result is damaged", "hole": "its result is damaged",
              "large": "the changed files of the result exceed 4096 MiB", "paths": "changes more than 250000 paths",
              "many": "the result has more than 1000000 objects", "bomb": "over limit 1073741824",
              "link": "a link to another repository", "commits": "a link to another repository",
              "other": "is not what it announced", "much": "sent more than"}
    # In "commits", the task itself is hostile: it has made a link, and removed it again.
    mine = "git -c user.name=T -c user.email=t@t commit -q -m mine"
    links = (f"git update-index --add --cacheinfo 160000,{'1' * 40},link; {mine};"
             f" git update-index --force-remove link; {mine}")
    plan_of(case, [task("none", sh("echo new > new"))] +
            [task(way, sh(links if way == "commits" else "echo new > new")) for way in wanted],
            hosts=[{"host": "h1", "slots": 5}])
    want("exit", case.devs("run", "--plain", "plan.json").returncode, 4)
    want("results", list(results(case, 1)), ["none"])
    git("fsck", "--strict", "--no-dangling", cwd=case.dir)
    unused = git("fsck", "--unreachable", "--no-reflogs", cwd=case.dir).splitlines()
    want("objects of refused results", len(unused), 1)  # the commit of "none", which devs has replaced
    log = case.devs("debug", "--logs", "last", "--plain").stdout
    for why in set(wanted.values()):
        want(f"{why} ({log[-2000:]})", log.count(why) >= list(wanted.values()).count(why), True)
    want("verify", case.devs("verify", "last").returncode, 0)
    shutil.rmtree(f"{case.far}/cache")
    write(f"{case.hosts.root}/way", "have")
    plan_of(case, [task("a", sh("echo new > new"))])
    want("have: exit", case.devs("run", "--plain", "plan.json").returncode, 1)
    want("have: why", "an invalid answer" in case.devs("debug", "--logs", "last", "--plain").stdout, True)
    want("have: results", results(case, 2), {})


def pipes(case):
    """A file that git would wait for is named, whether it is a pipe or a link to one."""
    make_repository(case)
    exclude_own(case)
    nested = "mkdir -p n/.git/objects n/.git/refs; mkfifo p; "
    plan_of(case, [task("pipe", sh("rm -f .gitattributes; mkfifo .gitattributes")),
                   task("link", sh(nested + "ln -s ../../p n/.git/HEAD")),
                   task("loop", sh(nested + "ln -s HEAD n/.git/HEAD; rm p; echo x > n/x"))])
    start = time.monotonic()
    out = case.devs("run", "--plain", "plan.json")
    want("exit", out.returncode, 4)
    want("in time", time.monotonic() - start < 60, True)
    for name, path in (("pipe", "./.gitattributes"), ("link", "./n/.git/HEAD")):
        want(f"{name} ({out.stdout[-1500:]})", f"'{path}' is not a file" in
             case.devs("debug", "--logs", "last", "--plain").stdout, True)
    want("results", sorted(results(case, last_run(case))), ["loop"])


def transfer_begun(case):
    packs = f"{case.far}/cache"
    for folder, _, files in os.walk(packs):
        if any(name.startswith("tmp_pack") for name in files):
            return True
    return False


def cut_link(case):
    """A link that breaks while a worktree is sent, or its result, costs no try and no result."""
    make_repository(case)
    exclude_own(case)
    with open("big.bin", "wb") as file:
        file.write(os.urandom(60 << 20))
    git("add", "big.bin", cwd=".")
    git("commit", "-q", "-m", "big", cwd=".")
    go = f"{case.dir}/../go"
    plan_of(case, [task("a", sh(f"echo run >> {go}.runs; until [ -e {go} ]; do sleep 0.05; done;"
                                f" head -c 30000000 big.bin | tac > new.bin"))])
    run = case.start("run", "--plain", "plan.json")
    until("the transfer", lambda: transfer_begun(case))
    case.hosts.kill("h1")
    until("the host is down", lambda: case.events("host_state"))
    case.hosts.start("h1")
    until("it runs", lambda: os.path.exists(f"{go}.runs"))
    open(go, "w", encoding="ascii").close()
    until("the result", lambda: any("result" in files for _, _, files in os.walk(f"{case.far}/work"))
          or results(case, 1))
    case.hosts.kill("h1")
    time.sleep(1)  # ssh may notice it
    case.hosts.start("h1")
    want("exit", run.wait(240), 0)
    with open(f"{go}.runs", encoding="ascii") as file:
        want("runs", file.read(), "run\n")
    want("tries", [ended["outcome"] for ended in case.events("attempt_ended")], ["not started", "exit"])
    want("result", list(results(case, 1)), ["a"])
    want("what is left there", left_there(case), [])


def killed_devs(case):
    """After kill -9 of devs at any moment, --continue makes the same result, by the same try."""
    make_repository(case)
    exclude_own(case)
    marks = f"{case.dir}/../marks"
    work = f"echo start >> {marks}; echo $(cat tool.sh) > new; sleep 0.3; echo end >> {marks}"
    tasks = [task("a", sh(work), sh("cat new > copied"), sh("test -e copied"))]
    plan_of(case, tasks, "local")
    case.devs("run", "--plain", "plan.json")
    tree = results(case, last_run(case))
    chance = random.Random(int(os.environ.get("SSH_SEED", "1")))
    for _ in range(int(os.environ.get("SSH_KILLS", "3"))):
        if chance.random() < 0.3:
            shutil.rmtree(f"{case.far}/cache", ignore_errors=True)
        write(marks, "")
        plan_of(case, tasks, lease_s=10)
        run = case.start("run", "--plain", "plan.json")
        before = last_run(case)
        until("the run", lambda before=before: last_run(case) > before)
        time.sleep(chance.random() * 5)  # the moment of the kill, not a wait for something
        run.send_signal(signal.SIGKILL)
        run.wait()
        had_ended = case.ask("SELECT count(*) FROM event WHERE run=? AND kind='run_ended'", before + 1)[0][0]
        out = case.devs("run", "--continue", "last", "--plain")
        if not had_ended:
            want(f"exit ({out.stdout}{out.stderr})", out.returncode, 0)
        with open(marks, encoding="ascii") as file:
            want("starts and ends", file.read(), "start\nend\n")
        want("results", results(case, last_run(case)), tree)
        if had_ended:  # what it left may not have been removed yet
            for name in set(os.listdir(case.far)) - {"cache"}:
                shutil.rmtree(f"{case.far}/{name}", ignore_errors=True)
        want("what is left there", left_there(case), [])
        want("verify", case.devs("verify", "last").returncode, 0)


def other_host(case):
    """Before a step has passed, a task can move to another host; after that, its host is waited for."""
    make_repository(case)
    exclude_own(case)
    go = f"{case.dir}/../go"
    plan_of(case, [task("a", sh(f"echo $PWD >> {go}.places; echo 1 > one"),
                        sh(f"echo $PWD >> {go}.places; echo 2 > two"), sh("cat one two > three"))],
            hosts=["h1", "h2"], lease_s=5)
    case.hosts.kill("h1")
    run = case.start("run", "--plain", "plan.json")
    want("exit", run.wait(120), 0)
    placed = [at["host"] for at in case.events("attempt_placed")]
    want("hosts", (placed[0], set(placed[-3:])), ("h1", {"h2"}))
    want("result", list(results(case, 1)), ["a"])


def many_files(case):
    """5,000 files and 59 MB: the same result as here. Prints what the parts have cost."""
    make_repository(case)
    data = os.urandom(3000)
    for i in range(5000):
        write(f"src/many/d{i % 70}/file{i}.txt", f"{i}\n" + data[:2950].hex() * 2)
    git("add", "-A", cwd=".")
    git("commit", "-q", "-m", "many", cwd=".")
    exclude_own(case)
    work = "for i in 1 2 3; do echo more >> src/many/d$i/file$i.txt; done; rm -r src/many/d5; echo new > new"
    tasks = [task("a", sh(work), sh("git status --short | wc -l")),
             task("b", sh("test ! -e src/many/d5 && cat new > copied"), needs=["a"])]
    found = both(case, tasks)
    want("results", sorted(found), ["a", "b"])
    run = last_run(case) - 1
    for kind in ("workspace_made", "workspace_saved", "tree_proven"):
        rows = case.ask("SELECT run, json_extract(data, '$.ms') FROM event WHERE kind=? ORDER BY run, seq",
                        kind)
        print(f"  {kind}: there {[ms for of, ms in rows if of == run]} ms,"
              f" here {[ms for of, ms in rows if of != run]} ms")


def doctor(case):
    """devs doctor looks for the programs that a worktree needs."""
    make_repository(case)
    exclude_own(case)
    plan_of(case, [task("a", sh("true"))])
    out = case.devs("doctor", "--executors", "--json", "plan.json")
    want("works", [host["state"] for host in json.loads(out.stdout)["hosts"]], ["works"])
    os.makedirs(f"{case.hosts.root}/bin")
    for name in ("sh", "cat", "true"):
        os.symlink(shutil.which(name), f"{case.hosts.root}/bin/{name}")
    case.hosts.configure("h1", "SetEnv", f"SetEnv PATH={case.hosts.root}/bin")
    out = case.devs("doctor", "--executors", "--json", "plan.json")
    want("git is missing", [host["state"] for host in json.loads(out.stdout)["hosts"]], ["git"])
    case.devs("run", "--plain", "plan.json")
    want("why it does not start", "git is not installed there" in case.events("attempt_judged")[-1]["match"],
         True)


def cancelled(case):
    """A cancel ends a transfer at once."""
    make_repository(case)
    exclude_own(case)
    with open("big.bin", "wb") as file:
        file.write(os.urandom(60 << 20))
    git("add", "big.bin", cwd=".")
    git("commit", "-q", "-m", "big", cwd=".")
    plan_of(case, [task("a", sh("touch ran"))])
    run = case.start("run", "--plain", "plan.json")
    until("the transfer", lambda: transfer_begun(case))
    began = time.monotonic()
    case.devs("cancel", "1/a")
    want("exit", run.wait(60), 1)
    want("within seconds", time.monotonic() - began < 15, True)
    want("how it ended", case.events("attempt_ended")[0]["outcome"], "cancelled")
    want("results", results(case, 1), {})


def connections(case):
    with open(f"{case.hosts.root}/h1.log", encoding="utf-8", errors="replace") as file:
        return file.read().count("Accepted publickey")


def masters(case):
    """The processes that offer their connection to others."""
    out = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if words[0] == b"ssh" and b"-oControlMaster=yes" in words and case.hosts.config.encode() in words:
            out.append(int(pid))
    return out


def shared_connection(case):
    """Everything on a host shares a connection; it may break, and it ends with devs."""
    make_repository(case)
    exclude_own(case)
    case.hosts.configure("h1", "MaxSessions 1\n", "MaxSessions 10\n")
    steps = [sh(f"echo {i} >> steps") for i in range(4)]
    plan_of(case, [task("a", *steps), task("b", *steps), task("c", *steps, needs=["a", "b"])],
            hosts=[{"host": "h1", "slots": 3}])
    before = connections(case)
    out = case.devs("run", "--plain", "plan.json")
    want(f"exit ({out.stdout}{out.stderr})", out.returncode, 0)
    used = connections(case) - before
    want(f"{used} connections", 1 <= used <= 6, True)
    until("it has ended with devs", lambda: not masters(case))
    sockets = f"{case.environment['XDG_RUNTIME_DIR']}/devs"
    want("what is left here", os.listdir(sockets), [])
    go = f"{case.dir}/../go"
    plan_of(case, [task("a", sh(f"echo begun; until [ -e {go} ]; do sleep 0.05; done; echo x > x"))])
    run = case.start("run", "--plain", "plan.json")
    until("the attempt", lambda: case.output() and masters(case))
    os.kill(masters(case)[0], signal.SIGKILL)
    time.sleep(1)  # all that used it notices that
    open(go, "w", encoding="ascii").close()
    want("exit after the connection was killed", run.wait(60), 0)
    want("tries", len(case.ask("SELECT 1 FROM event WHERE kind='attempt_ended' AND run=?", last_run(case))), 1)
    want("what is left here", os.listdir(sockets), [])
    os.unlink(go)
    run = case.start("run", "--plain", "plan.json")
    until("the attempt again", lambda: masters(case) and case.output())
    run.send_signal(signal.SIGKILL)
    run.wait()
    until("it has ended with a killed devs", lambda: not masters(case))
    want("what is left here", os.listdir(sockets), [])
    open(go, "w", encoding="ascii").close()
    want("continued", case.devs("run", "--continue", "last", "--plain").returncode, 0)


CASES = {same_tree: 1, conflict: 1, submodule: 1, reset: 1, hostile: 1, pipes: 1, cut_link: 1, killed_devs: 1,
         other_host: 2, many_files: 1, doctor: 1, cancelled: 1, shared_connection: 1}

if __name__ == "__main__":
    sys.exit(main(CASES))
