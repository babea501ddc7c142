#!/usr/bin/env python3
"""devs mcp, spoken to in raw JSON: both eras, tools, progress, cancelling, limits, the end.

mcp.py DEVS: prints what is wrong, exits 1 if anything is.
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

DEVS = os.path.abspath(sys.argv[1])
PATIENCE_S = 60  # an outer limit, never a measure
failures = 0


def check(what, ok, seen=""):
    global failures
    if not ok:
        failures += 1
        print(f"FAIL: {what}: {str(seen)[:2000]}", flush=True)


class Client:
    """One server and its replies by id; notifications are kept."""

    def __init__(self, folder, *options, era="2025-11-25", name="probe"):
        self.stderr = tempfile.TemporaryFile()
        self.server = subprocess.Popen(
            [DEVS, "mcp", *options], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.stderr)
        self.news = threading.Condition()
        self.replies, self.notifications, self.raw = {}, [], []
        self.last_id = 0
        self.era = era
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        if era != "2026-07-28":
            self.hello = self.ask("initialize", protocolVersion=era, capabilities={},
                                  clientInfo={"name": name, "version": "1"})
            self.tell("notifications/initialized")

    def read(self):
        for line in self.server.stdout:
            with self.news:
                self.raw.append(line)
                message = json.loads(line)
                if isinstance(message, dict) and "id" in message:
                    self.replies[json.dumps(message["id"])] = message
                else:
                    self.notifications.append(message)
                self.news.notify_all()

    def write(self, text):
        self.server.stdin.write(text.encode())
        self.server.stdin.flush()

    def tell(self, method, **params):
        self.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}) + "\n")

    def begin(self, method, **params):
        self.last_id += 1
        if self.era == "2026-07-28":
            params.setdefault("_meta", {}).update({
                "io.modelcontextprotocol/protocolVersion": self.era,
                "io.modelcontextprotocol/clientCapabilities": {}})
        self.write(json.dumps({"method": method, "params": params, "id": self.last_id,
                               "jsonrpc": "2.0"}) + "\n")
        return self.last_id

    def wait(self, number):
        with self.news:
            self.news.wait_for(lambda: json.dumps(number) in self.replies, PATIENCE_S)
            return self.replies.pop(json.dumps(number), None)

    def ask(self, method, **params):
        return self.wait(self.begin(method, **params))

    def call(self, tool, **arguments):
        reply = self.ask("tools/call", name=tool, arguments=arguments)
        return (reply or {}).get("result", {})

    def data(self, tool, **arguments):
        return self.call(tool, **arguments).get("structuredContent", {})

    def wait_for(self, ready):
        with self.news:
            return self.news.wait_for(ready, PATIENCE_S)

    def close(self):
        self.server.stdin.close()
        code = self.server.wait(PATIENCE_S)
        self.reader.join(PATIENCE_S)
        return code


def until(ready):
    """Waits for what another process does."""
    end = time.monotonic() + PATIENCE_S
    while not ready() and time.monotonic() < end:
        time.sleep(0.02)
    return ready()


def devs(folder, *words):
    return subprocess.run([DEVS, *words], cwd=folder, capture_output=True, text=True,
                          timeout=PATIENCE_S)


def text_of(result):
    return "".join(part["text"] for part in result.get("content", []))


def test_tools(folder):
    client = Client(folder)
    tools = client.ask("tools/list")["result"]["tools"]
    check("tools", [tool["name"] for tool in tools] ==
          ["execute_command", "run_tests", "write_file", "read_file"], tools)
    check("each says when it is retried", all("Retries: " in tool["description"] for tool in tools),
          tools)
    check("schemas", all(tool["inputSchema"]["type"] == "object" for tool in tools), tools)
    check("ping", client.ask("ping")["result"] == {})

    result = client.call("execute_command", argv=["sh", "-c", "echo out; echo err >&2"])
    check("a command", not result["isError"], result)
    check("its output", result["structuredContent"]["stdout"] == "out\n", result)
    check("its words", "--- stderr\nerr\n" in text_of(result), result)
    data = client.data("execute_command", argv=["cat"], stdin="a\nb", env={"A": "1"})
    check("stdin", data["stdout"] == "a\nb", data)
    data = client.data("execute_command", argv=["sh", "-c", "echo $A; pwd"], env={"A": "x y"},
                       cwd="/")
    check("environment and folder", data["stdout"] == "x y\n/\n", data)

    result = client.call("execute_command", argv=["sh", "-c", "exit 7"])
    data = result["structuredContent"]
    check("a failure is an error", result["isError"] and data["exit"] == 7, result)
    check("verdict", data["verdict"] == "persistent" and data["attempts"] == 1, data)
    check("executed once, and why", "not declared idempotent" in data["executed_once"], data)
    check("the words say so", "executed once" in text_of(result), result)
    result = client.call("execute_command", argv=["not-a-program-at-all"])
    check("nothing was executed once", "executed_once" not in result["structuredContent"] and
          "executed once" not in text_of(result), result)
    data = client.data("execute_command", argv=["sh", "-c", "exit 7"], idempotent=True)
    check("as often as the policy says", data["attempts"] == 3, data)
    check("with its waits", data["waited_ms"] >= 1500, data)
    data = client.data("execute_command", argv=["sh", "-c", "exit 7"], idempotent=True,
                       phase="RED")
    check("once in RED", data["attempts"] == 1 and "phase RED" in data["executed_once"], data)
    data = client.data("execute_command", argv=["sh", "-c", "echo ECONNRESET; exit 1"])
    check("a transient failure that may not be repeated",
          data["verdict"] == "transient" and data["attempts"] == 1, data)
    check("what to do", "idempotent: true" in data["next"], data)
    data = client.data("execute_command", argv=["sleep", "60"], timeout_s=0.2)
    check("a timeout", data["outcome"] == "timeout" and data["attempts"] == 1, data)
    data = client.data("execute_command", argv=["no-such-program"])
    check("what cannot be started", data["verdict"] == "persistent" and "exit" not in data, data)

    data = client.data("execute_command", argv=["sh", "-c", "seq 1 20000"])
    check("a long output is cut", len(data["stdout"]) < 30000 and
          "bytes left out" in data["stdout"] and data["stdout"].endswith("20000\n"), data)
    check("its size", data["stdout_bytes"] == 108894, data["stdout_bytes"])

    result = client.call("write_file", path="src/new/a.txt", content="héllo\n\u0000x")
    check("written", not result["isError"], result)
    with open(os.path.join(folder, "src/new/a.txt"), "rb") as file:
        check("as it was sent", file.read() == "héllo\n\u0000x".encode())
    result = client.call("read_file", path=os.path.join(folder, "src/new/a.txt"))
    check("read", result["content"][0]["text"] == "héllo\n\u0000x", result)
    check("read as data", result["structuredContent"]["content"] == "héllo\n\u0000x", result)
    data = client.data("read_file", path="src/new/a.txt", offset=1, length=2)
    check("a part of it", data["content"] == "é" and "of 9" in data["stderr"], data)
    for path in ("src/none", "none/a.txt", "src", "src/new/a.txt/x"):
        result = client.call("read_file", path=path)
        data = result["structuredContent"]
        check(f"{path}: one try, not found", data["attempts"] == 1 and data["waited_ms"] == 0 and
              data.get("reason") == "not-found" and "executed_once" not in data, result)
        check(f"{path}: check the names", "check the names" in text_of(result), result)
    os.symlink("/etc/hostname", os.path.join(folder, "out"))
    for path in ("../x", "/etc/hostname", "out", ".devs/devs.db", "src/none"):
        result = client.call("read_file", path=path)
        check(f"{path} is not read", result["isError"] and "content" not in
              result["structuredContent"], result)
        result = client.call("write_file", path=path, content="x") if path != "src/none" else result
        check(f"{path} is not written", result["isError"], result)
    check("end", client.close() == 0)
    lines = [json.loads(line) for line in client.raw]
    check("nothing but protocol", all(line["jsonrpc"] == "2.0" for line in lines))
    status = devs(folder, "status", "--json").stdout
    check("the run has ended", '"ended":true' in status or '"exit_code":' in status, status[:400])
    runs = devs(folder, "runs", "--json").stdout
    check("its name is the client's", '"name":"probe"' in runs and '"kind":"mcp"' in runs, runs)


def test_tests(folder):
    client = Client(folder)
    result = client.call("run_tests")
    check("no tests are set", result["isError"] and "devs.config.json" in text_of(result), result)
    client.close()
    with open(os.path.join(folder, "devs.config.json"), "w") as file:
        json.dump({"tests": {"run": ["sh", "t.sh"]}}, file)
    refused = devs(folder, "mcp")
    check("untrusted tests", refused.returncode == 2 and "tests runs a command, so it needs your trust" in refused.stderr,
          refused.stderr)
    check("trusted", devs(folder, "trust").returncode == 0)
    with open(os.path.join(folder, "t.sh"), "w") as file:
        file.write("echo 'FAILED tests/test_tax.py::test_even - assert 1 == 2'\n"
                   "echo '=========== 1 failed, 3 passed in 0.10s ==========='; exit 1\n")
    client = Client(folder)
    data = client.data("run_tests", phase="RED")
    check("counts", data["tests"]["failed"] == 1 and data["tests"]["passed"] == 3, data)
    check("failing tests", data["failing"] == ["tests/test_tax.py::test_even"], data)
    check("the class", data["class"] == "test-fail", data)
    client.close()


def test_protocol(folder):
    client = Client(folder)
    client.write("{no json\n")
    check("not JSON", client.wait(None)["error"]["code"] == -32700)
    client.write('{"jsonrpc":"2.0","id":"a","method":"' + "x" * (9 << 20) + '"}\n')
    check("too long", client.wait(None)["error"]["code"] == -32600)
    check("still in step", client.ask("ping")["result"] == {})
    check("no such method", client.ask("prompts/list")["error"]["code"] == -32601)
    check("no such tool", client.ask("tools/call", name="rm")["error"]["code"] == -32602)
    client.write('{"id":"s","jsonrpc":"2.0","method":"ping"}\n')
    check("an id that is a string", client.wait("s")["result"] == {})
    client.close()
    client = Client(folder, era="2026-07-28")
    result = client.ask("server/discover")["result"]
    check("discover", result["resultType"] == "complete" and
          "2026-07-28" in result["supportedVersions"], result)
    check("no ping there", client.ask("ping")["error"]["code"] == -32601)
    result = client.call("execute_command", argv=["echo", "hi"])
    check("a call without initialize", result["resultType"] == "complete" and
          not result["isError"], result)
    client.era = "2025-11-25"
    reply = client.ask("tools/list", _meta={
        "io.modelcontextprotocol/protocolVersion": "2099-12-31"})
    check("a version that is not served", reply["error"]["code"] == -32022 and
          "2026-07-28" in reply["error"]["data"]["supported"], reply)
    check("end", client.close() == 0)


def start_waiter(client, folder, token=None):
    """A call that runs until its file is there."""
    meta = {"_meta": {"progressToken": token}} if token is not None else {}
    os.makedirs(folder, exist_ok=True)
    number = client.begin("tools/call", name="execute_command", **meta, arguments={
        "argv": ["sh", "-c", f"echo $$ >{folder}/pid; while [ ! -e {folder}/go ]; do sleep 0.05; "
                 "done; echo done"]})
    until(lambda: os.path.exists(f"{folder}/pid") and open(f"{folder}/pid").read().strip())
    return number, int(open(f"{folder}/pid").read())


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_cancelling(folder):
    client = Client(folder)
    number, pid = start_waiter(client, folder + "/one")
    client.tell("notifications/cancelled", requestId=number, reason="enough")
    check("what the client cancels ends", until(lambda: not is_alive(pid)))
    check("the server goes on", client.data("execute_command", argv=["true"])["exit"] == 0)
    check("without a reply", json.dumps(number) not in client.replies, client.replies)

    number, pid = start_waiter(client, folder + "/two")
    answer = devs(folder, "cancel", "1/c00003")
    reply = client.wait(number)["result"]
    check("what a person cancels is an error", reply["isError"], (answer, reply))
    check("that says who", "cancelled by " in text_of(reply) and
          reply["structuredContent"]["cancelled_by"], reply)
    check("and what to do", "The call was stopped from outside" in text_of(reply), reply)

    number = client.begin("tools/call", name="execute_command", _meta={"progressToken": "t"},
                          arguments={"argv": ["sh", "-c", "echo HTTP 429, retry-after: 600; exit 1"],
                                     "idempotent": True})
    check("progress while it waits", client.wait_for(
        lambda: any("next try in" in note["params"]["message"] for note in client.notifications)))
    devs(folder, "retry", "1/c00004")
    check("a person's retry is told", client.wait_for(
        lambda: any("try 2" in note["params"]["message"] for note in client.notifications)),
        client.notifications)
    devs(folder, "cancel", "1/c00004")
    check("cancelled", client.wait(number)["result"]["isError"])
    values = [note["params"]["progress"] for note in client.notifications]
    check("values rise", values == sorted(set(values)), values)
    tokens = {note["params"]["progressToken"] for note in client.notifications}
    check("the client's token", tokens == {"t"}, tokens)

    devs(folder, "cancel", "1")
    check("a run that a person stopped takes no more", until(
        lambda: client.call("execute_command", argv=["true"]).get("isError")))
    check("end", client.close() == 0)


def test_end(folder):
    client = Client(folder)
    _, pid = start_waiter(client, folder + "/one")
    code = client.close()
    check("the client goes: what runs is ended", code == 0 and not is_alive(pid), code)

    client = Client(folder)
    _, pid = start_waiter(client, folder + "/two")
    open(folder + "/two/go", "w").close()
    check("what ends by itself meanwhile", client.close() == 0 and not is_alive(pid))

    client = Client(folder)
    _, pid = start_waiter(client, folder + "/three")
    client.server.send_signal(signal.SIGTERM)
    check("SIGTERM", client.server.wait(PATIENCE_S) == 128 + signal.SIGTERM)
    check("what ran is ended", until(lambda: not is_alive(pid)))

    client = Client(folder)
    _, pid = start_waiter(client, folder + "/four")
    client.server.kill()
    client.server.wait()
    os.kill(pid, signal.SIGKILL)

    runs = [json.loads(line) for line in devs(folder, "runs", "--json").stdout.splitlines()]
    runs = runs[0] if runs and isinstance(runs[0], list) else runs
    check("a run for each client", len(runs) == 4, runs)


def test_many(folder):
    client = Client(folder)
    for i in range(300):
        data = client.data("execute_command", argv=["echo", str(i * 7919)])
        if data.get("stdout") != f"{i * 7919}\n" or data.get("attempts") != 1:
            check(f"call {i} in a row", False, data)
            break
        if i in (20, 299):
            descriptors = len(os.listdir(f"/proc/{client.server.pid}/fd"))
            check(f"no descriptor is left after call {i}", i == 20 or descriptors <= before,
                  descriptors)
            before = descriptors

    waiters = [start_waiter(client, f"{folder}/w{i}") for i in range(8)]
    check("8 at once", all(is_alive(pid) for _, pid in waiters))
    for i in range(8):
        open(f"{folder}/w{i}/go", "w").close()
    check("all 8 are answered", all("done" in text_of(client.wait(number)["result"])
                                    for number, _ in waiters))
    open(folder + "/go", "w").close()
    numbers = [client.begin("tools/call", name="execute_command", arguments={
        "argv": ["sh", "-c", f"while [ -e {folder}/go ]; do sleep 0.05; done; echo {i}"]})
        for i in range(65)]
    reply = client.wait(numbers[64])["result"]
    check("more than 64 at once are told so", reply["isError"] and "64 calls" in text_of(reply),
          reply)
    os.remove(folder + "/go")
    replies = [client.wait(number) for number in numbers[:64]]
    check("64 are executed", all(replies[i]["result"]["structuredContent"]["stdout"] == f"{i}\n"
                                 for i in range(64)))
    check("end", client.close() == 0)


def test_loop(folder):
    with open(os.path.join(folder, "same.txt"), "w") as file:
        file.write("the same")
    client = Client(folder)
    seen = []
    for _ in range(8):
        result = client.call("execute_command", argv=["sh", "-c", "echo the same; exit 1"])
        seen.append(result["structuredContent"].get("loop", {}).get("level"))
    check("circles are told first", "suspect" in seen, seen)
    check("then it says stop", seen[-1] == "stuck" and "Stop here" in text_of(result), seen)
    check("arguments count", "arguments" not in text_of(result), result)
    for _ in range(8):
        result = client.call("read_file", path="same.txt")
    words = " ".join(part["text"] for part in result["content"])
    check("a file that is read for ever too", result["isError"] and "Stop here" in words, result)
    result = client.call("execute_command", argv=["echo", "something else"])
    check("something else is no circle", not result["isError"], result)
    notes = devs(folder, "debug", "--logs", "1", "--plain").stdout
    check("the log says so too", "in a loop: the same call" in notes, notes[-1500:])
    client.close()


def test_secrets(folder):
    """What a call's own variable holds is in no byte of the log, wherever the call says it."""
    secret = "zebra-zebra-4711"
    client = Client(folder)
    for _ in range(6):
        client.call("execute_command", argv=["sh", "-c", f"echo $KEY; : {secret}; exit 1"],
                    env={"KEY": "x", "API_KEY": secret})
    client.call("execute_command", argv=[f"./no-{secret}"], env={"API_KEY": secret})
    client.close()
    for name in os.listdir(folder + "/.devs"):
        if os.path.isfile(path := f"{folder}/.devs/{name}"):
            with open(path, "rb") as file:
                check(f"no secret in {name}", secret.encode() not in file.read())
    notes = devs(folder, "debug", "--logs", "1", "--plain").stdout
    check("the mark is there", "[cut:API_KEY]" in notes, notes[-1500:])


def test_workspaces(folder):
    with open(folder + "/mine.txt", "w") as file:
        file.write("mine\n")
    client = Client(folder, "--workspace", "copy")
    data = client.data("execute_command", argv=["sh", "-c", "cat mine.txt; echo x >mine.txt; pwd"])
    check("a copy has what the project has", data["stdout"].startswith("mine\n"), data)
    check("it is another folder", data["stdout"].splitlines()[1] != folder, data)
    data = client.data("execute_command", argv=["cat", "mine.txt"], cwd=folder)
    check("the project's name is the copy's", data["stdout"] == "x\n", data)
    client.call("write_file", path="new/b.txt", content="b")
    data = client.data("read_file", path=folder + "/new/b.txt")
    check("all calls work in it", data.get("content") == "b", data)
    flaky = ["sh", "-c", "[ -e flaky ] || { touch flaky; exit 1; }"]
    data = client.data("execute_command", argv=flaky)
    check("a failed call is tried again in a tree of its own",
          data["verdict"] == "success" and data["attempts"] == 2, data)
    data = client.data("execute_command", argv=["false"], phase="RED")
    check("but not in RED", data["attempts"] == 1, data)
    result = client.call("execute_command", argv=["false"], idempotent=False)
    data = result["structuredContent"]
    check("nor where the call forbids it", data["attempts"] == 1 and
          "the call has idempotent: false" in data["executed_once"], data)
    check("end", client.close() == 0)
    client.stderr.seek(0)
    said = client.stderr.read().decode()
    check("it says where the result is", "kept as folder " in said, said)
    kept = said.split("kept as folder ")[1].splitlines()[0]
    check("the result is there", open(kept + "/new/b.txt").read() == "b")
    check("the project is as it was", open(folder + "/mine.txt").read() == "mine\n" and
          not os.path.exists(folder + "/new"))

    for words in (["init", "-q"], ["add", "mine.txt"], ["-c", "user.name=a", "-c", "user.email=a@b",
                                                       "commit", "-q", "-m", "one"]):
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)
    client = Client(folder, "--workspace", "worktree")
    client.call("write_file", path="mine.txt", content="theirs")
    check("end", client.close() == 0)
    client.stderr.seek(0)
    said = client.stderr.read().decode()
    check("a branch", "kept as branch devs/mcp-" in said, said)
    branch = said.split("kept as branch ")[1].split()[0]
    shown = subprocess.run(["git", "show", branch + ":mine.txt"], cwd=folder, capture_output=True)
    check("with what was made", shown.stdout == b"theirs", (branch, shown))
    trees = subprocess.run(["git", "worktree", "list"], cwd=folder, capture_output=True, text=True)
    check("no worktree is left", len(trees.stdout.splitlines()) == 1, trees)


def test_sandboxes(folder):
    if devs(folder, "exec", "--sandbox", "bwrap", "--", "true").returncode != 0:
        print("skipped in part: bwrap does not work here")
        return
    # The setup of the session's tree runs what a call may have written before.
    mark = folder + "-setup-mark"
    os.mkdir(mark)
    with open(folder + "/deps", "w") as file:
        file.write(f"echo x 2>/dev/null >{mark}/PWN; echo ran >setup-ran\n")
    with open(folder + "/devs.config.json", "w") as file:
        file.write('{"sandbox": {"kind": "bwrap", "read_only": true}, '
                   '"workspace": {"kind": "copy", "setup": ["sh", "./deps"]}}')
    check("trusted", devs(folder, "trust").returncode == 0)
    client = Client(folder, "--workspace", "copy")
    data = client.data("execute_command", argv=["cat", "setup-ran"])
    check("the setup of a session has run", data.get("stdout") == "ran\n", data)
    check("end", client.close() == 0)
    check("in the session's sandbox", os.listdir(mark) == [], os.listdir(mark))
    os.rmdir(mark)
    os.remove(folder + "/devs.config.json")
    devs(folder, "trust", "--revoke")

    with open(folder + "/a.txt", "w") as file:
        file.write("in")
    os.symlink("/etc/hostname", folder + "/out")
    os.symlink("/etc", folder + "/etc")
    for options in ([], ["--workspace", "copy"]):
        client = Client(folder, "--sandbox", "bwrap", *options)
        data = client.data("read_file", path="a.txt")
        check("read in the sandbox", data.get("content") == "in", data)
        data = client.data("read_file", path="a.txt", offset=1, length=1)
        check("a part of it", data.get("content") == "n", data)
        data = client.data("write_file", path="new/deep/b.txt", content="b\u0000\n")
        check("written in the sandbox", data["verdict"] == "success", data)
        data = client.data("read_file", path="new/deep/b.txt")
        check("and read again", data.get("content") == "b\u0000\n", data)
        data = client.data("read_file", path="new/none.txt")
        check("not there", data["attempts"] == 1 and data.get("reason") == "not-found", data)
        for path in ("out", "etc/hostname"):
            check(f"{path} leads out", client.call("read_file", path=path)["isError"])
            check(f"{path} leads out", client.call("write_file", path=path, content="")["isError"])
        data = client.data("execute_command", argv=["sh", "-c", "test -e .devs/devs.db"])
        check("it is kept in", data["verdict"] == "persistent", data)
        check("end", client.close() == 0)


def test_nothing_that_governs_is_written(folder):
    """What decides which commands run next is refused, in place and in a sandbox."""
    subprocess.run(["git", "init", "-q", folder], check=True)
    plan = {"version": 1, "tasks": [{"id": "a", "steps": [{"phase": "RED", "run": ["true"]}]}]}
    for name, text in (("work.json", json.dumps(plan, indent=2)), ("a.json", '{"version": 1}'),
                       ("devs.config.json", '{"sandbox": {"kind": "bwrap", "read_only": true}}')):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    os.symlink(".git", folder + "/way")
    paths = ("devs.config.json", "sub/devs.config.json", "./Devs.config.json", ".git/config",
             ".git/hooks/post-checkout", ".GIT/config", "sub/.git", "git~1/config",
             "plan.json", "sub/plan.json", "devs.project.json", "phase-2.plan.json",
              "way/hooks/x", "way/new/x", "work.json")
    config = os.path.join(folder, ".git", "config")
    before = open(config).read()
    kinds = ["none"]
    if devs(folder, "exec", "--sandbox", "bwrap", "--", "true").returncode == 0:
        kinds.append("bwrap")
    for kind in kinds:
        client = Client(folder, "--sandbox", kind)
        for path in paths:
            result = client.call("write_file", path=path, content='{"sandbox": "none"}')
            check(f"{kind}: {path} is refused", result["isError"] and
                  "refused: it decides which commands devs or git run" in text_of(result), result)
        check(f"{kind}: another file is written",
              not client.call("write_file", path="a.json", content="{}")["isError"])
        check("read_file reads settings", "bwrap" in
              client.data("read_file", path="devs.config.json").get("content", ""))
        check("end", client.close() == 0)
    check("git's config is as it was", open(config).read() == before)
    check("no folder was made", not os.path.exists(folder + "/.git/new") and
          not os.path.exists(folder + "/sub") and not os.path.exists(folder + "/.GIT"))
    # the first session cannot take the sandbox of the second one away
    if "bwrap" in kinds:
        client = Client(folder)
        client.call("write_file", path="devs.config.json", content='{"sandbox": "none"}')
        check("end", client.close() == 0)
        client = Client(folder)
        data = client.data("execute_command", argv=["sh", "-c", "test -e .devs/devs.db"])
        check("the second session is in the sandbox", data["verdict"] == "persistent", data)
        check("end", client.close() == 0)


def test_no_client_gives_trust(folder):
    """Also where the project is the folder that the records of trust are in."""
    with open(os.path.join(folder, "devs.config.json"), "w") as file:
        file.write("{}")
    state = os.environ["XDG_STATE_HOME"]
    os.environ["XDG_STATE_HOME"] = os.path.join(folder, "state")
    client = Client(folder)
    for _ in range(2):  # before the folder is there, and when it is
        result = client.call("write_file", path="state/devs/trust/x", content="{}")
        check("a record is refused", result["isError"] and "refused" in text_of(result), result)
        devs(folder, "trust")
    check("end", client.close() == 0)
    os.environ["XDG_STATE_HOME"] = state


def test_two_servers(folder):
    one, two = Client(folder, name="one"), Client(folder, name="two")
    data = [client.data("execute_command", argv=["echo", "x"]) for client in (one, two)]
    check("a run each", data[0]["run"] != data[1]["run"], data)
    check("ends", one.close() == 0 and two.close() == 0)


def test_options(folder):
    check("an unknown policy", devs(folder, "mcp", "--policy", "none").returncode == 2)
    check("an unknown sandbox", devs(folder, "mcp", "--sandbox", "box").returncode == 2)
    client = Client(folder, "--policy", "infrastructure", "--name", "mine")
    data = client.data("execute_command", argv=["sh", "-c", "exit 3"], idempotent=True)
    check("the policy holds", data["attempts"] == 1, data)
    client.close()
    runs = devs(folder, "runs", "--json").stdout
    check("the name", '"name":"mine"' in runs, runs)
    check("a client without a call", Client(folder).close() == 0)
    check("no call, no run", devs(folder, "runs", "--json").stdout == runs)


def test_notifications(folder):
    told = os.path.join(folder, "told")
    with open(os.path.join(folder, "devs.config.json"), "w", encoding="utf-8") as settings:
        json.dump({"ui": {"notify_command": ["sh", "-c", f"cat >'{told}'"]}}, settings)
    check("trusted", devs(folder, "trust").returncode == 0)
    client = Client(folder)
    client.call("execute_command", argv=["sh", "-c", "echo 'not ok 3'; exit 1"])
    check("ends", client.close() == 0)
    with open(told, encoding="utf-8") as file:
        sent = json.load(file)
    check("a call that failed, and the end", [one["event"] for one in sent["events"]] ==
          ["gave-up", "ended"] and sent["line"] == "not ok 3", sent)


def main():
    wanted = sys.argv[2:]
    with tempfile.TemporaryDirectory() as top:
        os.environ["DEVS_DB"] = ""
        del os.environ["DEVS_DB"]
        os.environ["XDG_STATE_HOME"] = os.path.join(top, "state")
        for name, test in sorted(globals().items()):
            if not name.startswith("test_") or (wanted and name not in wanted):
                continue
            folder = os.path.join(top, name)
            os.makedirs(os.path.join(folder, ".devs"))
            test(folder)
            for path in os.listdir(os.path.join(folder, ".devs")):
                if path == "devs.db":
                    log = sqlite3.connect(os.path.join(folder, ".devs", path))
                    ok = log.execute("PRAGMA integrity_check").fetchone()[0]
                    check(f"{name}: the log is sound", ok == "ok", ok)
                    log.close()
    print("mcp: " + (f"{failures} failed" if failures else "all passed"))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
