#!/usr/bin/env python3
"""The recipes of docs/notifications.md as they are printed there, run by devs: notify-send is a
program that writes down its arguments, tmux a real one, ntfy and Slack a server on the loopback.

notify_recipes.py DEVS: prints what is wrong, exits 1 if anything is.
"""

import http.server
import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import time

DEVS = os.path.abspath(sys.argv[1])
PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "notifications.md")
PATIENCE_S = 60  # an outer limit, never a measure
# Each part has a meaning to a shell, to tmux, to Slack or in JSON.
LINE = 'not ok 3 - "half" <!channel> & #[fg=red] 50%d $(touch pwned) \'x\''
NAME = "shop #[fg=red] 50%d"
MESSAGE = f"#1 {NAME}: tax gave up: 1 of 1 tries used (test-fail); the run has ended: 0 of 1 passed"
failures = 0


def check(what, seen, wanted):
    global failures
    if seen != wanted:
        failures += 1
        print(f"FAIL: {what}: got {seen!r}, wanted {wanted!r}", flush=True)


class Server(http.server.ThreadingHTTPServer):
    def __init__(self):
        self.got = []
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, path):
        return f"http://127.0.0.1:{self.server_port}{path}"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.got.append((self.path, self.headers, body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *args):
        pass


def recipes():
    with open(PAGE, encoding="utf-8") as page:
        text = page.read().split("## Recipes")[1]
    found = re.findall(r"\*\*(\w+)\*\*.*?```json\n(.*?)\n```", text, re.S)
    return dict(found)


def run(settings, environment):
    """One failing run in a folder of its own; what devs printed to stderr."""
    with tempfile.TemporaryDirectory() as folder:
        plan = {"version": 1, "name": NAME, "idempotent": True, "tasks": [
            {"id": "tax", "steps": [{"run": ["sh", "-c", 'printf "%s\\n" "$0"; exit 1', LINE],
                                     "policy": {"max_attempts": 1}}]}]}
        with open(os.path.join(folder, "devs.config.json"), "w", encoding="utf-8") as file:
            file.write(settings)
        with open(os.path.join(folder, "plan.json"), "w", encoding="utf-8") as file:
            json.dump(plan, file)
        subprocess.run([DEVS, "trust"], cwd=folder, env=environment, check=True,
                       stdout=subprocess.DEVNULL)
        done = subprocess.run([DEVS, "run", "--plain", "plan.json"], cwd=folder, env=environment,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              check=False)
        check("nothing in a line of output is run", os.path.exists(os.path.join(folder, "pwned")),
              False)
        return done.stderr


def desktop(settings, environment, home):
    told = os.path.join(home, "told")
    program = os.path.join(home, "notify-send")
    with open(program, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nprintf "%s\\n" "$@" >"{told}"\n')
    os.chmod(program, 0o755)
    check("desktop: stderr", run(settings, environment), "")
    with open(told, encoding="utf-8") as file:
        check("desktop: arguments", file.read(), f"--app-name=devs\ndevs\n{MESSAGE}\n")


def phone(settings, environment, server):
    check("phone: the address is in the recipe", "https://ntfy.sh/YOUR-TOPIC" in settings, True)
    settings = settings.replace("https://ntfy.sh/YOUR-TOPIC", server.url("/topic"))
    check("phone: stderr", run(settings, environment), "")
    path, headers, body = server.got.pop()
    check("phone", (path, headers["Title"], body), ("/topic", "devs gave-up", MESSAGE))


def slack(settings, environment, server, home):
    hook = os.path.join(home, "webhook")
    with open(hook, "w", encoding="utf-8") as file:
        file.write(server.url("/services/T/B/x") + "\n")
    check("slack: stderr", run(settings.replace("/home/ann/.slack-webhook", hook), environment), "")
    path, headers, body = server.got.pop()
    check("slack: request", (path, headers["Content-Type"]), ("/services/T/B/x", "application/json"))
    text = f"{MESSAGE}\n{LINE}\ndevs why 1/tax"
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    check("slack: text", json.loads(body), {"text": escaped})


def tmux(settings, environment):
    """A client in a terminal of ours, which shows the message in its last line."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe("tmux", ["tmux", "-f", "/dev/null", "new-session", "-x", "140", "-y", "10",
                            "exec cat"], environment)
    seen = b""
    ran = False
    end = time.monotonic() + PATIENCE_S
    while MESSAGE[:60].encode() not in seen and time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            seen += os.read(terminal, 65536)
        elif seen and not ran:
            ran = True
            check("tmux: stderr", run(settings, environment), "")
    check("tmux: the message", MESSAGE[:60].encode() in seen, True)
    subprocess.run(["tmux", "kill-server"], env=environment, check=False)
    os.close(terminal)
    os.waitpid(pid, 0)


def main():
    found = recipes()
    server = Server()
    check("recipes", sorted(found), ["Desktop", "Phone", "Slack", "tmux"])
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "HOME": home, "XDG_STATE_HOME": home, "TERM": "xterm",
                       "TMUX_TMPDIR": home, "PATH": home + os.pathsep + os.environ["PATH"],
                       "LC_ALL": "C.UTF-8"}
        for name in ("TMUX", "DEVS_DB"):
            environment.pop(name, None)
        desktop(found["Desktop"], environment, home)
        if shutil.which("curl"):
            phone(found["Phone"], environment, server)
        if shutil.which("curl") and shutil.which("jq"):
            slack(found["Slack"], environment, server, home)
        if shutil.which("tmux"):
            tmux(found["tmux"], environment)
    server.shutdown()
    return 1 if failures else 0


sys.exit(main())
