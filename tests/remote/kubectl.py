#!/usr/bin/env python3
"""A kubectl without a cluster. Pods are files in the folder $KUBE, which kubernetes.py runs.

The file $KUBE/mode says what is to happen: "down", "unschedulable", "image"; otherwise pods run. A
test ends a pod by writing "PHASE REASON" to $KUBE/POD.ends. Only what the built-in adapter uses is
there.
"""
import json
import os
import sys

KUBE = os.environ["KUBE"]


def read(name):
    try:
        with open(f"{KUBE}/{name}", encoding="utf-8") as file:
            return file.read().strip()
    except FileNotFoundError:
        return ""


def fail(text):
    print(text, file=sys.stderr)
    sys.exit(1)


def create():
    pod = json.load(sys.stdin)
    name = pod["metadata"]["name"]
    with open(f"{KUBE}/{name}.pod", "w", encoding="utf-8") as file:
        json.dump(pod, file)
    print(f"pod/{name}")


def ends(name):
    """Returns the phase and the reason of a pod."""
    if read("mode") == "unschedulable":
        return "Pending", "Unschedulable"
    if read("mode") == "image":
        return "Pending", "ImagePullBackOff"
    phase, _, reason = (read(f"{name}.ends") or "Running").partition(" ")
    if phase == "Running" and not os.path.exists(f"{KUBE}/{name}.runs"):
        phase = "Pending"
    return phase, reason


def get(words):
    [run] = [word.partition("=")[2].partition("=")[2] for word in words if word.startswith("--selector=")]
    for file in sorted(os.listdir(KUBE)):
        name, dot, kind = file.rpartition(".")
        if dot and kind == "pod" and json.loads(read(file))["metadata"]["labels"]["devs-run"] == run:
            phase, reason = ends(name)
            print(f"{name}|{phase}|{reason}   |{'' if phase == 'Pending' else 'k1'}")


def delete(name):
    for kind in ("pod", "ends"):
        if os.path.exists(f"{KUBE}/{name}.{kind}"):
            os.unlink(f"{KUBE}/{name}.{kind}")


def main():
    words = sys.argv[1:]
    if words and words[0].startswith("--namespace="):
        words = words[1:]
    if read("mode") == "down":
        fail("Unable to connect to the server: dial tcp 127.0.0.1:1: connect: connection refused")
    if words[0] == "create":
        create()
    elif words[:2] == ["get", "--raw=/readyz"]:
        print("ok")
    elif words[0] == "get":
        get(words)
    elif words[0] == "delete":
        delete(words[-1])
    elif words[0] == "exec":
        name = words[2]
        if not read(f"{name}.pod"):
            fail(f'Error from server (NotFound): pods "{name}" not found')
        if ends(name)[0] != "Running":
            fail("error: cannot exec into a container in a completed pod")
        os.execvp(words[4], words[4:])
    else:
        fail(f"error: unknown command {words[0]}")


main()
