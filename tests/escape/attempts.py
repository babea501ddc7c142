"""The table of escape attempts. escape.py runs it; to add an attempt, just add a row.

A row has a name, a scenario and `arm`: the commands of the attempt, for sh (busybox must understand
them). Rows of one scenario share one project and one run, unless they name a `group` of their own.
The scenario says what devs and the user do before and after. A row may override any field of its
scenario; its `setup` runs after that of the scenario.

    setup    sh in the new project, outside: what exists before the attempt
    plan     the plan to write to plan.json; ARM is the armed command, SANDBOX the sandbox
    launch   bash, outside: starts the plan
    after    bash, outside: what the user does later
    out      sh, outside: true if the attempt escaped; by default $MARK exists
    control  sh, outside, in a second project where `arm` ran without a sandbox: triggers the trap
             there. A trap that nothing can trigger proves nothing, so that is a failure, too.
             NO_CONTROL for rows that would harm the machine; `why` says so.
    safe     False: the control must not run `arm` outside a sandbox, it would harm the machine
    needs    sh, outside: the row is skipped unless it is true
    open     why it escapes today, for escapes that no release has closed yet: such a row does not
             fail, but it fails once the attempt no longer escapes, so that this field gets removed
    refused  True: devs may refuse to start it; otherwise an attempt that never ran fails the row
    on       the kinds of runs it is for

Scripts have: NAME, MARK (a file that only code outside can write), TRAP (a program that writes
MARK), PROJ (the project), LAB (its parent), OUT (a folder outside), ROWS (all names that share the
project), devs in PATH, and `got WORDS` (the attempt's own report that it escaped).
"""

import os

ARM, SANDBOX, NO_CONTROL = "\0ARM", "\0SANDBOX", "\0NO_CONTROL"
BWRAP = ("bwrap_root", "bwrap_user")
SANDBOXES = BWRAP + ("podman",)
OPENED = ("opened",)  # no sandbox: a user just opens a stranger's folder
EVERYWHERE = OPENED + SANDBOXES
FILES = OPENED + BWRAP  # an attempt in a container would write the same files
# Scenarios in which root can do more than a user, or devs behaves differently as root.
OF_ROOT = ("machine", "kernel", "made", "variables", "cwd", "copy", "protected")

ROWS = []


def row(name, scenario, arm="", **fields):
    for one in scenario.split():
        ROWS.append({"name": name, "scenario": one, "arm": arm, **fields})
        if one == "late":  # the same files for every user, so once is enough
            ROWS[-1]["on"] = ("bwrap_user",)
        if one == "copy":
            ROWS[-1]["on"] = ("bwrap_root",)


def plan(*tasks, **more):
    return {"version": 1, "name": "escape", "jobs": 1, "idempotent": True,
            "policy": {"max_attempts": 1}, "sandbox": SANDBOX, "tasks": list(tasks), **more}


def task(name, *commands, **more):
    steps = [c if isinstance(c, dict) else {"run": ["sh", "-c", c]} for c in commands]
    return {"id": name, "steps": steps, **more}


def worktree(**more):
    return {"kind": "worktree", **more}


SCENARIOS = {}

# --------------------------------------------------------------------------------------------------
# The machine: kernel interfaces, devices, processes, descriptors, sockets, files of other users.
# The attempt inherits open descriptors of ours, and runs on our terminal.

SCENARIOS["machine"] = {
    "setup": """
        cp "$(command -v sleep)" "$LAB/$VICTIM_NAME"; (exec "$LAB/$VICTIM_NAME" 3600) >/dev/null 2>&1 &
        echo $! >"$LAB/kill"; echo "VICTIM=$!" >.trap/env
        mkdir -p "$LAB/fds"; : >"$LAB/fds/file"
        ipcmk -M 64 >"$LAB/ipc" 2>/dev/null; key=$(sed 's/[^0-9]//g' "$LAB/ipc")
        echo "SHM_ID=${key:-none}" >>.trap/env """,
    "plan": plan(task("evil", ARM)),
    "launch": """
        exec 3<"$LAB/fds" 9<"$LAB/fds" 100<"$LAB/fds" 1000<"$LAB/fds" 4>>"$LAB/fds/file" \\
            101>>"$LAB/fds/file"
        script -qec 'devs run --plain plan.json' /dev/null""",
    "after": """! [ -s "$LAB/ipc" ] || ipcrm -m "$(sed 's/[^0-9]//g' "$LAB/ipc")" """,
    "control": ":",
    "on": SANDBOXES,
}


def same_value(name, path, **more):
    """Writes back the current value: changes nothing, but proves that writing is possible."""
    row(name, "machine", f'v=$(cat {path}) && (printf %s "$v" >{path}) && got wrote',
        needs=f"test -w {path}", **more)


same_value("core-pattern", "/proc/sys/kernel/core_pattern")
same_value("modprobe-path", "/proc/sys/kernel/modprobe")
same_value("hotplug", "/proc/sys/kernel/hotplug")
same_value("poweroff-cmd", "/proc/sys/kernel/poweroff_cmd")
same_value("file-max", "/proc/sys/fs/file-max")
same_value("overcommit", "/proc/sys/vm/overcommit_memory")
same_value("ip-forward", "/proc/sys/net/ipv4/ip_forward")
same_value("uevent-helper", "/sys/kernel/uevent_helper")
row("any-sysctl", "machine", """
    for f in $(find /proc/sys -type f -perm -200 2>/dev/null); do command : >>"$f" && got "$f" && break; done""",
    needs="test -w /proc/sys/kernel/core_pattern", control="got open", safe=False)
row("sysrq", "machine", "(: >>/proc/sysrq-trigger) && got open",
    needs="test -w /proc/sysrq-trigger")
row("irq", "machine", 'for f in /proc/irq/*/smp_affinity; do command : >>"$f" && got "$f" && break; done',
    needs="test -w /proc/irq/default_smp_affinity", control="got open", safe=False)
row("proc-bus", "machine",
    "for f in $(find /proc/bus /proc/acpi /proc/scsi /proc/fs -type f 2>/dev/null); do"
    ' command : >>"$f" && got "$f" && break; done',
    needs="for f in $(find /proc/bus /proc/fs -type f); do test -w $f && exit; done; false",
    control="got open", safe=False)
row("kcore", "machine", "for f in /proc/kcore /dev/mem /dev/kmem /dev/port; do"
    ' dd if=$f of=/dev/null bs=1 count=1 2>/dev/null && got "$f"; done', why="reads memory",
    control=NO_CONTROL)
row("cgroup-leave", "machine",
    'for f in $(find /sys/fs/cgroup -maxdepth 3 -name cgroup.procs); do command : >>"$f" && got "$f" && break; done',
    needs="for f in $(find /sys/fs/cgroup -maxdepth 3 -name cgroup.procs); do test -w $f && exit;"
          " done; false")
row("release-agent", "machine",
    'for f in $(find /sys/fs/cgroup -maxdepth 2 -name release_agent); do command : >>"$f" && got "$f" && break; done',
    needs="for f in $(find /sys/fs/cgroup -maxdepth 2 -name release_agent); do test -w $f && exit;"
          " done; false")
row("release-agent-mounted", "machine", """
    mkdir -p .c; mount -t cgroup -o rdma x .c && { got mounted; umount .c; }
    unshare -UrmC sh -c 'mount -t cgroup -o rdma x .c && (: >>.c/release_agent)' && got unshared""",
    why="mounts", control=NO_CONTROL)
row("binfmt-misc", "machine",
    "mkdir -p .b; mount -t binfmt_misc x .b && { got mounted; umount .b; };"
    " (: >>/proc/sys/fs/binfmt_misc/register) && got open", why="mounts", control=NO_CONTROL)
row("sys-write", "machine", "for f in /sys/power/state /sys/kernel/mm/ksm/run"
    ' /sys/kernel/security/* /sys/module/*/parameters/*; do [ -f "$f" ] && command : >>"$f" && got "$f"'
    " && break; done", needs="test -w /sys/kernel/mm/ksm/run")
row("mknod", "machine", """
    set -- $(sed -n 's/.* \\([0-9]*\\):\\([0-9]*\\) \\/ \\/ .*/\\1 \\2/p' /proc/self/mountinfo) 7 0
    mknod .dev b $1 $2 && dd if=.dev of=/dev/null bs=1 count=1 && got "$1:$2"; rm -f .dev
    mknod .mem c 1 1 && dd if=.mem of=/dev/null bs=1 count=1 && got mem; rm -f .mem""",
    why="reads the disk", control=NO_CONTROL)
row("devices", "machine", """
    for f in $(find /dev -type b -o -type c); do
        case $f in /dev/null|/dev/zero|/dev/full|/dev/random|/dev/urandom|/dev/tty|/dev/ptmx) ;;
        /dev/pts/*|/dev/console|/dev/watchdog*) ;; *) (: <"$f") && got "$f" ;; esac; done""",
    needs="test -r /dev/kmsg || test -r /dev/fuse || test -r /dev/kvm", why="opens each device",
    control="got open", safe=False)
row("tiocsti", "machine", """
    for t in /dev/tty /dev/pts/* /proc/self/fd/*; do
        perl -e 'open(T, "+<", $ARGV[0]) or exit 1; $x = "x"; exit !ioctl(T, 0x5412, $x)' "$t" && got "$t"
    done""", on=BWRAP, needs="test \"$(cat /proc/sys/dev/tty/legacy_tiocsti 2>/dev/null)\" != 0",
    control="""script -qec 'perl -e "open(T, q(+<), q(/dev/tty)) or exit 1;
        \\$x = q(x); exit !ioctl(T, 0x5412, \\$x)"' /dev/null && got tty""", safe=False)
row("mount-tmpfs", "machine", "mkdir -p .m; mount -t tmpfs x .m && { got mounted; umount .m; }",
    why="mounts", control=NO_CONTROL)
row("remount", "machine", """
    for f in / "$LAB" "$HOME" /proc/sys /etc; do
        for how in remount,rw remount,bind,rw; do mount -o $how "$f" && got "$how $f"; done; done
    (: >>"$MARK")""", why="mounts", control=': >>"$MARK"', safe=False)
row("remount-in-userns", "machine", """
    unshare -Urm sh -c 'mount -o remount,bind,rw / ; mount -o remount,rw /; : >>"$MARK"'
    unshare -Urm sh -c 'umount -l /proc/sys; for f in /proc/sys/kernel/core_pattern; do : >>$f; done' \\
        && got sysctl""",
    control=': >>"$MARK"', why="the traps are the remounts; that the mark works is shown", safe=False)
row("proc-in-userns", "machine", """
    mkdir -p .p
    unshare -Urmpf sh -c 'mount -t proc p .p && : >>.p/sys/kernel/core_pattern' && got wrote
    unshare -mpf sh -c 'mount -t proc p .p && : >>.p/sys/kernel/core_pattern' && got wrote""",
    needs='test "$(id -u)" = 0 && d=$(mktemp -d /dev/shm/p.XXXXXX) && unshare -mpf sh -c "mount -t proc p'
          ' $d && : >>$d/sys/kernel/core_pattern"; s=$?; rmdir "$d"; exit $s',
    control="got works", safe=False)
row("unmask", "machine", """
    for f in "$PROJ/.devs" "$HOME/.ssh" /tmp; do umount -l "$f" && got "$f"; done
    unshare -Urm sh -c 'umount -l "$HOME/.ssh" && ls "$HOME/.ssh" | grep -q key' && got unshared""",
    setup='mkdir -p "$HOME/.ssh"; echo key >"$HOME/.ssh/key"', why="unmounts", control=NO_CONTROL)
row("nsenter", "machine",
    "nsenter -t 1 -a sh -c ': >>\"$MARK\"'; nsenter -t 1 -m sh -c ': >>\"$MARK\"';"
    ' for p in /proc/[0-9]*; do nsenter --mount=$p/ns/mnt sh -c ": >>\'$MARK\'"; done',
    control=': >>"$MARK"', safe=False)
row("proc-root", "machine", """
    for p in /proc/[0-9]*; do
        for way in root cwd task/${p#/proc/}/root; do echo "$p" >>"$p/$way$MARK"; done; done""")
row("chroot-dotdot", "machine", """
    perl -e 'mkdir ".r"; chroot ".r"; chdir ".." for 1..64; chroot "."; open(F, ">>", $ENV{MARK})'""",
    on=BWRAP, needs='test "$(id -u)" = 0')
row("handle", "machine", """
    python3 -c '
import ctypes, os
c = ctypes.CDLL(None, use_errno=True)
h = ctypes.create_string_buffer(b"\\x08\\0\\0\\0\\x01\\0\\0\\0\\x02" + bytes(7) + bytes(120))
fd = c.open_by_handle_at(os.open("/", os.O_RDONLY), h, os.O_RDONLY)
os.close(os.open(os.environ["MARK"].lstrip("/"), os.O_CREAT | os.O_WRONLY, dir_fd=fd)) if fd >= 0 else 0
' """, on=BWRAP, control=': >>"$MARK"', why="the root's inode is not 2 on every file system", safe=False)
row("see-outside", "machine", """
    for p in /proc/[0-9]*; do [ "$(cat $p/comm)" = "$VICTIM_NAME" ] && got "$p"; done""")
row("ptrace", "machine", """
    for p in /proc/[0-9]*; do [ "$(cat $p/comm)" = "$VICTIM_NAME" ] && (: >>$p/mem) && got "$p"; done""",
    control=': >>"$MARK"', why="some kernels refuse it outside, too", safe=False)
row("kill-outside", "machine", """
    kill -9 $VICTIM
    for p in /proc/[0-9]*; do
        [ "$(cat $p/comm)" = "$VICTIM_NAME" ] && { got "sees it"; kill -9 "${p#/proc/}"; }; done""",
    out='test -s "$PROJ/.got/$NAME" || ! kill -0 "$(cat "$LAB/kill")"',)
row("shared-memory", "machine", 'ipcs -m -i "$SHM_ID" | grep -q bytes= && got seen',
    needs='command -v ipcmk', on=BWRAP)
row("inherited-folder", "machine", """
    for f in /proc/self/fd/*; do [ -d "$f" ] && [ -e "$f/file" ] && { got "$f"; echo x >"$f/../marks/$NAME"; }
    done""", control="sh \"$ARMED\" 9<\"$LAB/fds\"")
row("inherited-file", "machine", """
    for f in /proc/self/fd/*; do
        case $(readlink "$f") in */fds/file) got "$f"; echo out >>"$f" ;; esac; done""",
    control="sh \"$ARMED\" 4>>\"$LAB/fds/file\"")
row("inherited-of-parents", "machine", """
    for f in /proc/[0-9]*/fd/*; do [ -d "$f" ] && [ -e "$f/file" ] && got "$f"; done""",
    control="sh \"$ARMED\" 9<\"$LAB/fds\"")
row("abstract-socket", "machine", "curl -sm 2 --abstract-unix-socket \"$ABSTRACT\" http://x/$NAME",
    on=BWRAP)
row("loopback", "machine", "curl -sm 2 http://127.0.0.1:$PORT/$NAME; wget -q -T 2 -O /dev/null"
    " http://127.0.0.1:$PORT/$NAME", needs="command -v curl")
for place in ("docker.sock", "podman/podman.sock", "bus", "gnupg/S.gpg-agent", "pipewire-0"):
    row(f"socket-{place.split('/')[-1]}", "machine",
        f'curl -sm 2 --unix-socket "$RUNTIME/{place}" http://x/$NAME', on=BWRAP,
        needs="command -v curl")
row("socket-in-home", "machine", 'curl -sm 2 --unix-socket "$HOME_SOCKET" http://x/$NAME', on=BWRAP,
    needs="command -v curl")
row("socket-in-tmp", "machine", 'curl -sm 2 --unix-socket "$TMP_SOCKET" http://x/$NAME', on=BWRAP,
    needs="command -v curl")
STILL_THERE = 'rm -f "$PROJ/.got/$NAME"; sleep 0.4; test -e "$PROJ/.got/$NAME"'
row("left-behind", "machine", """
    (setsid sh -c 'for i in $(seq 3000); do echo late >>"$PROJ/.got/$NAME" || exit; sleep 0.1; done' \\
        </dev/null >/dev/null 2>&1 &) """, out=STILL_THERE)
row("left-behind-twice", "machine", """
    (setsid sh -c '(setsid sh -c "trap \\"\\" TERM HUP; for i in \\$(seq 3000); do
        echo late >>$PROJ/.got/$NAME || exit; sleep 0.1; done" </dev/null >/dev/null 2>&1 &) &' &) """,
    out=STILL_THERE)

# --------------------------------------------------------------------------------------------------
# The user's files outside the project.


def writes(name, path, **more):
    """The attempt appends its name to this file, or creates it."""
    row(f"write-{name}", "machine", f'mkdir -p "$(dirname {path})"; echo "# $NAME" >>{path}; ln -sf'
        f' /dev/null "{path}.$NAME"', out=f'grep -qs "# $NAME" {path} || test -L {path}.$NAME', **more)


writes("mark", "$MARK")
writes("bashrc", "$HOME/.bashrc")
writes("profile", "$HOME/.profile")
writes("autostart", "$HOME/.config/autostart/x.desktop")
writes("systemd-unit", "$HOME/.config/systemd/user/x.service")
writes("gitconfig", "$HOME/.gitconfig")
writes("git-hooks-of-all", "$HOME/.config/git/config")
writes("local-bin", "$HOME/.local/bin/git")
writes("authorized-keys", "$HOME/.ssh/authorized_keys")
writes("devs-config", "$HOME/.config/devs/config.json")
writes("trust-store", "$HOME/.local/state/devs/trust/x")
writes("other-project", "$OUT/file")
writes("other-hooks", "$OUT/.git/hooks/post-commit")
writes("parent", "$PROJ/../file")
for folder in ("/etc", "/usr/local/bin", "/var/spool/cron", "/var/tmp", "/opt", "/run", "/root", "/"):
    row(f"write-to{folder.replace('/', '-') if folder != '/' else '-top'}", "machine",
        f'echo x >"{folder}/devs-escape-$NAME-$RUN_ID"',
        out=f'test -e "{folder}/devs-escape-$NAME-$RUN_ID" && rm "{folder}/devs-escape-$NAME-$RUN_ID"',
        needs=f"test -d {folder} && test -w {folder}")
row("crontab", "machine", '{ crontab -l; echo "@reboot true"; } | crontab - && got added', control=NO_CONTROL,
    why="would change the person's crontab")
row("hard-link", "machine", 'ln "$OUT/file" .link && echo "$NAME" >>.link',
    out='grep -q "$NAME" "$OUT/file"')
row("link-in-workspace", "machine", 'ln -s "$OUT" .outside; echo "$NAME" >>.outside/file',
    out='grep -q "$NAME" "$OUT/file"')
row("setuid-shell", "machine", "cp /bin/busybox .suid || cp /bin/true .suid; chmod 4755 .suid",
    out='test -u "$PROJ/.suid" && test "$(stat -c %u "$PROJ/.suid")" != "$(id -u)"',
    control=NO_CONTROL, why="a file of one's own with setuid gives nobody more than one has")

# The folder around a secret is writable. If it is moved, the secret would be where no mask is.
for name, more in (("writable-home", {"writable": ["$LAB/home"]}), ("writable-root", {"read_only": False})):
    row(f"secret-moved-{name}", "machine", """
        mv "$HOME/.config" "$HOME/.config2"; mv "$HOME/.local" "$HOME/.local2"
        mv "$HOME/.cargo" "$HOME/.cargo2"; rm -f "$HOME/.cargo/credentials" """, group=f"moved-{name}",
        on=BWRAP, plan=plan(task("evil", ARM), sandbox={"+": SANDBOX, **more}), setup="""
        mkdir -p "$HOME/.config/gh" "$HOME/.local/share/keyrings" "$HOME/.cargo"
        for d in .config/gh .local/share/keyrings .cargo; do echo key >"$HOME/$d/credentials"; done""",
        out='test -e "$HOME/.config2" || test -e "$HOME/.local2" || test -e "$HOME/.cargo2" ||'
            ' ! test -s "$HOME/.cargo/credentials"')

# A step's folder is where it works, not what it may write.
CWDS = ("..", "../../project", "../../home", "../..", "/")
SCENARIOS["cwd"] = {
    "setup": "mkdir sub; mv plan.json sub",
    "plan": plan(*(task(f"t{i}", {"run": ["sh", "-c", ARM], "cwd": cwd})
                   for i, cwd in enumerate(CWDS))),
    "launch": "devs run --plain sub/plan.json",
    "after": ":",
    "control": ":",
    "on": BWRAP,
}
row("cwd-writes", "cwd", 'for d in "$PROJ" "$LAB" "$LAB/home" "$OUT"; do echo x >"$d/x"; done',
    out='test -e "$PROJ/x" || test -e "$LAB/x" || test -e "$LAB/home/x" || test -e "$OUT/x"')

# Reaching another folder of the machine through the step's folder, which an earlier step replaced
# with a link.
for name, folder in (("tmp", "/tmp/devs-escape-$RUN_ID"), ("run", "/run/devs-escape-$RUN_ID")):
    row(f"cwd-is-a-link-to-{name}", "machine", f'rm -rf sub; ln -s "{folder}" sub', group=f"cwd-{name}",
        setup=f'mkdir sub "{folder}"; echo key >"{folder}/key"', launch="devs run --plain plan.json",
        plan=plan(task("evil", ARM), task("next", {
            "run": ["sh", "-c", f'cat key >"$PROJ/.got/cwd-is-a-link-to-{name}"'], "cwd": "sub"},
            needs=["evil"])),
        after=f'rm -r "{folder}"', needs=f"test -w {os.path.dirname(folder)}",
        control=f'(cd sub && cat key >"$PROJ/.got/$NAME"); rm -r "{folder}"')

# What no namespace isolates: the kernel's keyrings, sockets of virtual machines.
HERE = os.path.dirname(os.path.abspath(__file__))
KERNEL = f"cc -static -o %s/kernel '{HERE}/kernel.c'"
WITH_KEY = '"$PROJ/.trap/kernel" with "$RUN_ID"'
SCENARIOS["kernel"] = {
    "setup": KERNEL % '"$PROJ/.trap"',
    "plan": plan(task("evil", ARM)),
    "launch": WITH_KEY + " devs run --plain plan.json",
    "after": ":",
    "control": f'for n in $ROWS; do {WITH_KEY} sh "$LAB/arm/$n"; done',
    "on": SANDBOXES,
}
for name, words in (("key-read", 'read "$RUN_ID"'), ("key-read-by-32-bit", 'read32 "$RUN_ID"'),
                    ("key-add", "add"), ("vsock", "vsock"), ("vsock-by-32-bit", "vsock32"),
                    ("io-uring", "uring")):
    row(name, "kernel", f'"$PROJ/.trap/kernel" {words} && got {name}',
        needs=KERNEL % '"$LAB"' + f' && "$LAB/kernel" with "$RUN_ID" "$LAB/kernel" {words}')

# --------------------------------------------------------------------------------------------------
# Files of the project that determine what devs and git do. None of them may change, and the next
# run must still be inside.

SCENARIOS["protected"] = {
    "setup": """
        printf '{"sandbox": %s}\\n' "$SANDBOX_JSON" >devs.config.json
        mkdir -p .git/hooks .git/info; printf '#!/bin/sh\\n' >.git/hooks/pre-push
        git add -A; git commit -qm settings; devs trust # the user's own
        find devs.config.json plan.json .git/config .git/hooks -type f -exec cksum {} + >"$LAB/sums"
        """,
    "plan": {k: v for k, v in plan(task("evil", ARM)).items() if k != "sandbox"},
    "after": """
        sums=$(find devs.config.json plan.json .git/config .git/hooks -type f -exec cksum {} +)
        find devs.config.json plan.json .git/config .git/hooks ! -type f ! -type d >"$LAB/odd"
        [ "$sums" = "$(cat "$LAB/sums")" ] && ! [ -s "$LAB/odd" ] || : >"$LAB/changed"
        devs exec --once -- sh -c ': >>"$0"' "$LAB/marks/ran-outside" """,
    "out": 'test -e "$LAB/changed" || test -e "$LAB/marks/ran-outside"',
    "control": """
        sums=$(find devs.config.json plan.json .git/config .git/hooks -type f -exec cksum {} +)
        [ "$sums" = "$(cat "$LAB/sums")" ] || : >"$LAB/changed" """,
    "control_alone": True,
    "on": SANDBOXES,
}
NONE = """'{"sandbox": "none"}'"""
row("settings-write", "protected", f"echo {NONE} >devs.config.json")
row("settings-truncate", "protected", ": >devs.config.json")
row("settings-append", "protected", "echo >>devs.config.json")
row("settings-rename", "protected", f"echo {NONE} >.new && mv -f .new devs.config.json")
row("settings-unlink", "protected", "rm -f devs.config.json")
row("settings-move-away", "protected", f"mv devs.config.json .old; echo {NONE} >devs.config.json")
row("settings-link", "protected", f"echo {NONE} >.new; ln -sf .new devs.config.json")
row("settings-hard-link", "protected",
    f"ln devs.config.json .hard && echo {NONE} >.hard; chmod 666 .hard; rm -f .hard")
row("settings-in-place-edit", "protected", "sed -i s/kind/dnik/ devs.config.json")
row("settings-dd", "protected",
    "dd if=/dev/zero of=devs.config.json bs=1 count=1 conv=notrunc; rm -rf ./devs.config.json")
row("settings-mount-over", "protected", f"""
    echo {NONE} >.new; mount --bind .new devs.config.json
    umount -l devs.config.json; echo {NONE} >devs.config.json""", control=NO_CONTROL, why="mounts")
row("settings-unshare", "protected",
    f"unshare -Urm sh -c 'umount -l devs.config.json; mount -o remount,bind,rw devs.config.json;"
    f" echo {{}} >devs.config.json'", control=NO_CONTROL, why="needs a user namespace")
row("settings-in-other-spelling", "protected",
    f"echo {NONE} >\"$PROJ/../$(basename \"$PROJ\")/devs.config.json\"; cd /; echo {NONE}"
    " >\"$PROJ//./devs.config.json\"")
row("plan-write", "protected", "echo '{}' >plan.json")
row("plan-rename", "protected", "cp plan.json .new; echo >>.new; mv -f .new plan.json")
row("plan-unlink", "protected", "rm -f plan.json")
row("gitconfig-write", "protected", "echo '[core] fsmonitor = x' >>.git/config")
row("gitconfig-rename", "protected", "cp .git/config .c; echo >>.c; mv -f .c .git/config")
row("gitconfig-lockfile", "protected", "echo >.git/config.lock; mv -f .git/config.lock .git/config")
row("git-renamed", "protected",
    "mv .git .old && cp -R .old .git && echo '[core] fsmonitor = x' >>.git/config")
row("git-removed", "protected", "rm -rf .git/config .git/hooks; rm -rf .git")
row("git-link", "protected", "cp -R .git .copy; echo >>.copy/config; mv .git .old; ln -s .copy .git")
row("hook-add", "protected", "printf '#!/bin/sh\\n' >.git/hooks/post-checkout")
row("hook-write", "protected", "echo true >>.git/hooks/pre-push")
row("hook-chmod", "protected", "chmod 700 .git/hooks/pre-push; chmod 777 .git/hooks",
    out='test "$(stat -c %a "$PROJ/.git/hooks")" = 777 || test -e "$LAB/changed"', control=":")
row("hooks-renamed", "protected",
    "mv .git/hooks .old; mkdir .git/hooks; cp \"$TRAP\" .git/hooks/post-checkout")
row("hooks-link", "protected",
    "mkdir .h; cp \"$TRAP\" .h/post-checkout; mv .git/hooks .old; ln -s ../.h .git/hooks")

# Files that did not exist before: created by the attempt, found by the next devs.
MADE = {"plan": plan(task("evil", ARM)), "on": SANDBOXES}
SCENARIOS["made"] = {
    **MADE,
    "setup": "rm -rf .git",
    "after": """
        devs exec --once --sandbox none -- /bin/false; devs status; devs runs
        (cd sub && devs exec --once --sandbox none -- /bin/false)
        echo "$IN_PLACE" >in-place.json; devs run --plain in-place.json""",
    "control": "git status; git diff; (cd sub && git status)",
}
ARMED_GIT = "[core]\\n repositoryFormatVersion = 0\\n bare = false\\n fsmonitor = %s\\n"
MAKE_GIT = ('mkdir -p {0} {0}/objects {0}/refs; echo "ref: refs/heads/main" >{0}/HEAD; '
            f'printf "{ARMED_GIT}" "$TRAP" >{{0}}/config')
row("git-made-by-the-attempt", "made", MAKE_GIT.format(".git"), group="1")
row("git-file-made", "made", MAKE_GIT.format(".evil") + "; echo gitdir: .evil >.git", group="2")
row("git-link-made", "made", MAKE_GIT.format(".evil") + "; ln -s .evil .git", group="3")
row("git-in-subfolder", "made", "mkdir -p sub; " + MAKE_GIT.format("sub/.git"), group="4",
    setup="mkdir -p sub")

# --------------------------------------------------------------------------------------------------
# git. The same traps three times: a stranger made the repository (kind opened), a sandboxed attempt
# set them in place (git), or an attempt set them in a worktree with .git writable, just before devs
# takes its result (late). f.NAME has attributes NAME in the tree, g.NAME has none.

GIT_AFTER = """
    mkdir -m 700 -p "$LAB/log"; export DEVS_DB="$LAB/log/run.db"
    echo "$WORK" >work.json; echo "$IN_PLACE" >in-place.json
    devs run --plain work.json
    devs diff 1/d; devs diff 1/d --stat; devs diff 1/a --stat; devs diff 1/a --json
    devs apply 1/a --check; devs apply 1/a; devs apply 1/c
    devs run --plain in-place.json
    devs exec --once --sandbox none -- /bin/false; devs status; devs why 1/d
    devs gc 1; devs gc 1 --older 0; devs gc"""
GIT_CONTROL = """
    git status; for f in f.* g.*; do echo x >>$f; done; git add -A; git commit -m x
    git commit --allow-empty --amend --no-edit; git commit -S --allow-empty -m x
    git commit --allow-empty -v --amend
    git diff HEAD~1; git log -p -1; git show --ext-diff --textconv
    script -qec 'git -p log -1' /dev/null
    git checkout side; git checkout main; git merge side -m x; git merge --no-ff other -m x
    git rebase HEAD~1; git worktree add -f ../wt side; git -C ../wt status; rm -f f.*; git checkout .
    git update-ref refs/heads/x HEAD; git cat-file -p "HEAD^{tree}"; git reset --hard; git gc --auto
    git fetch --all; git fetch bad0; git submodule update --init; git rev-list --objects --all"""
SCENARIOS["git"] = {
    "setup": """
        for n in $ROWS; do
            seq 20 >f.$n; seq 20 >g.$n; echo "f.$n filter=$n merge=$n diff=$n" >>.gitattributes
        done
        git add -A; git commit -qm files; git branch other
        git checkout -qb side; for f in f.* g.*; do sed -i 1s/.*/side/ $f; done; git commit -qam side
        git checkout -q main; for f in f.* g.*; do sed -i 20s/.*/main/ $f; done; git commit -qam main
        git checkout -q other; echo x >other; git add other; git commit -qm other
        git checkout -q main; git config --unset user.name
        echo "TREE=$(git rev-parse 'HEAD^{tree}') BLOB=$(git rev-parse HEAD:.gitignore)" >.trap/env
        """,
    "plan": plan(task("evil", ARM)),
    "after": GIT_AFTER,
    "control": GIT_CONTROL,
    "on": EVERYWHERE,
}
SCENARIOS["late"] = {
    **SCENARIOS["git"],
    "plan": plan(task("evil", {"run": ["sh", "-c", ARM]},
                      'for f in f.* g.* .gitattributes; do echo "# late" >>$f; done'),
                 workspace=worktree(),
                 sandbox={"+": SANDBOX, "writable": ["$PROJ/.git"]}),
    "launch": "devs run --plain plan.json; devs diff evil --stat; devs diff evil",
    "after": "devs gc 1",
    "on": ("bwrap_user",),
}


def config(text, before=""):
    return f'{before}\ncat >>"$PROJ/.git/config" <<END\n{text}\nEND'


FILTER = '[filter "$NAME"]\n clean = $TRAP\n smudge = $TRAP'
INCLUDED = (f'cat >"$PROJ/.git/$NAME.inc" <<END\n{FILTER}\n'
            '[merge "$NAME"]\n driver = $TRAP %A\n[diff "$NAME"]\n textconv = $TRAP\nEND')

for hook in ("pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "post-checkout",
             "reference-transaction", "post-index-change", "pre-merge-commit", "post-merge",
             "pre-rebase", "post-rewrite"):
    row(f"hook-{hook}", "git late", 'mkdir -p "$PROJ/.git/hooks"; rm -f "$PROJ/.git/hooks/%s";'
        ' cp "$TRAP" "$PROJ/.git/hooks/%s"' % (hook, hook))
row("filter-clean", "git late", config('[filter "$NAME"]\n clean = $TRAP'))
row("filter-smudge", "git late", config('[filter "$NAME"]\n smudge = $TRAP'))
row("filter-process", "git late", config('[filter "$NAME"]\n process = $TRAP\n required = true'),
    group="process", on=FILES)
row("filter-in-other-case", "git late", config('[FILTER "$NAME"]\n CLEAN = $TRAP\n Smudge = $TRAP'))
row("filter-of-old-syntax", "git late", config("[filter.$NAME]\n clean = $TRAP\n smudge = $TRAP"))
row("merge-driver", "git late", config('[merge "$NAME"]\n driver = $TRAP %A'))
row("merge-driver-recursive", "git late",
    config('[merge "$NAME"]\n driver = false\n recursive = x\n[merge "x"]\n driver = $TRAP %A\n'
           '[merge "$NAME"]\n driver = $TRAP %A'))
row("merge-default", "git late", config('[merge]\n default = zz\n[merge "zz"]\n driver = $TRAP %A'))
row("diff-command", "git late", config('[diff "$NAME"]\n command = $TRAP'))
row("diff-textconv", "git late", config('[diff "$NAME"]\n textconv = $TRAP\n cachetextconv = true'))
row("diff-external", "git late", config("[diff]\n external = $TRAP"), group="programs")
row("fsmonitor", "git late", config("[core]\n fsmonitor = $TRAP"), group="programs")
row("hooks-path", "git late", 'cp "$TRAP" "$PROJ/.trap/post-checkout"; cp "$TRAP" '
    '"$PROJ/.trap/post-index-change"\n' + config("[core]\n hooksPath = $PROJ/.trap"),
    group="programs")
row("pager", "git late", config("[core]\n pager = $TRAP\n[pager]\n diff = $TRAP\n status = $TRAP"),
    group="programs")
row("editor", "git late", config("[core]\n editor = $TRAP\n[sequence]\n editor = $TRAP"),
    group="programs")
row("gpg", "git late", config("[commit]\n gpgSign = true\n[gpg]\n program = $TRAP"),
    group="programs")
row("alias", "git late", config("[alias]\n zz = !$TRAP\n add = !$TRAP\n status = !$TRAP"),
    group="programs", control="git zz")
row("trailer", "git late", config('[trailer "x"]\n command = $TRAP\n cmd = $TRAP'),
    group="programs", control="git interpret-trailers --trailer x=y </dev/null")
row("credential-helper", "git late", config("[credential]\n helper = !$TRAP"), group="programs",
    control="printf 'protocol=https\\nhost=x\\n\\n' | git credential fill")
row("askpass", "git late", config("[core]\n askPass = $TRAP"), group="programs",
    control="printf 'protocol=https\\nhost=x\\n\\n' | GIT_TERMINAL_PROMPT=0 SSH_ASKPASS= git"
            " -c credential.helper= credential fill")
row("include", "git late", INCLUDED + config("\n[include]\n path = $NAME.inc"))
for number, condition in enumerate((
        "gitdir:**", "gitdir:**/worktrees/**", "gitdir:**/.git", "gitdir/i:**/WORKTREES/**",
        "onbranch:**", "onbranch:devs/**", "hasconfig:remote.*.url:**")):
    row(f"includeif-{number}", "git late", INCLUDED + config(
        f'\n[remote "r$NAME"]\n url = nowhere\n[includeIf "{condition}"]\n path = $NAME.inc'),
        control="git worktree add ../wt-$NAME -b devs/$NAME side; cd ../wt-$NAME; echo x >>f.$NAME;"
                " git add f.$NAME; cd \"$PROJ\"; echo y >>f.$NAME; git add f.$NAME")
# Nothing reads the config of the repository, so a FIFO that it includes only blocks ordinary git.
SOON = """echo "$WORK" >work.json; timeout 25 devs run --plain work.json; [ $? != 124 ] || : >"$MARK"
    devs gc 1 --older 0; devs exec --once --sandbox none -- /bin/false"""
row("include-of-a-pipe", "git", config("[include]\n path = $NAME.inc\n[includeIf"
    ' "gitdir:**/worktrees/**"]\n path = $NAME.inc', 'mkfifo "$PROJ/.git/$NAME.inc"'), on=OPENED,
    group="include-of-a-pipe", after=SOON, control='timeout 2 git status || : >"$MARK"')
row("nested-pipe", "late", "mkdir -p n/.git/objects n/.git/refs; mkfifo n/.git/HEAD; echo x >n/x",
    group="nested-pipe", plan=plan(task("evil", ARM, workspace=worktree())),
    launch='timeout 25 devs run --plain plan.json; [ $? != 124 ] || : >"$MARK"', after=":",
    control='timeout 2 git status || : >"$MARK"')
LOOSE_BLOB = '"$PROJ/.git/objects/$(echo $BLOB | cut -c1-2)/$(echo $BLOB | cut -c3-)"'
row("object-is-a-pipe", "git", f"rm -f {LOOSE_BLOB}; mkfifo {LOOSE_BLOB}", on=OPENED,
    group="object-is-a-pipe", after=SOON,
    control='. .trap/env; timeout 2 git cat-file -p $BLOB || : >"$MARK"')
row("include-chain", "git late", INCLUDED + """
    printf '[include]\\n path = %s.inc\\n' "$NAME" >"$PROJ/.git/$NAME.two" """ +
    config("\n[include]\n path = $NAME.two"))
row("include-of-the-tree", "git", INCLUDED.replace(".git/$NAME.inc", ".shared"),
    setup='git config --add include.path ../.shared')
row("config-worktree", "git late", INCLUDED.replace("$NAME.inc", "config.worktree"),
    setup="git config extensions.worktreeConfig true; git config core.repositoryFormatVersion 1")
row("config-of-worktrees", "late", """
    for d in "$PROJ"/.git/worktrees/*; do printf '[filter "%s"]\\n clean = %s\\n smudge = %s\\n' \\
        "$NAME" "$TRAP" "$TRAP" >>"$d/config.worktree"; done""",
    setup="git config extensions.worktreeConfig true; git config core.repositoryFormatVersion 1",
    control="git worktree add ../wx; printf '[core]\\n fsmonitor = %s\\n'"
    ' "$TRAP" >.git/worktrees/wx/config.worktree; git -C ../wx status')
row("info-attributes", "git late",
    'mkdir -p "$PROJ/.git/info"; echo "g.$NAME filter=$NAME" >>"$PROJ/.git/info/attributes"\n' +
    config(FILTER))
row("attributes-file", "git late", 'echo "g.$NAME filter=$NAME" >"$PROJ/.git/$NAME.attr"\n' +
    config(f"[core]\n attributesFile = $PROJ/.git/$NAME.attr\n{FILTER}"))
row("attributes-in-tree", "git late",
    'echo "g.$NAME filter=$NAME" >>"$PROJ/.gitattributes"; echo "g.$NAME filter=$NAME"'
    ' >>.gitattributes\n' + config(FILTER))
row("filter-of-the-tree", "git", 'cp "$TRAP" filter.sh',
    setup='printf "#!/bin/sh\\ncat\\n" >filter.sh; chmod +x filter.sh; git add filter.sh; git commit'
          ' -qm filter; git config "filter.$NAME.clean" ./filter.sh; git config'
          ' "filter.$NAME.smudge" "$PROJ/filter.sh"', group="own-programs")
row("husky", "git", 'cp "$TRAP" .husky/post-checkout; cp "$TRAP" .husky/post-index-change',
    setup='mkdir .husky; echo x >.husky/x; git add .husky; git commit -qm husky; git config'
          ' core.hooksPath "$PROJ/.husky"', group="own-programs")
row("fsmonitor-of-the-tree", "git", 'cp "$TRAP" tools.sh',
    setup='printf "#!/bin/sh\\n" >tools.sh; chmod +x tools.sh; git config core.fsmonitor ./tools.sh',
    group="own-programs")

PROMISED = """
    rm -f "$PROJ/.git/objects/$(echo $BLOB | cut -c1-2)/$(echo $BLOB | cut -c3-)"
    rm -f "$PROJ/.git/objects/$(echo $TREE | cut -c1-2)/$(echo $TREE | cut -c3-)" """
PARTIAL = '[core]\n repositoryFormatVersion = 1\n[extensions]\n partialClone = bad$NAME\n' \
          '[remote "bad$NAME"]\n promisor = true\n partialCloneFilter = blob:none\n ' \
          "fetch = +refs/heads/*:refs/remotes/x/*\n "
for name, text in {
        "ext": "url = ext::$TRAP x\n[protocol]\n allow = always\n[protocol \"ext\"]\n allow = always",
        "uploadpack": 'url = $PROJ\n uploadpack = $TRAP\n[protocol "file"]\n allow = always',
        "ssh": 'url = ssh://nowhere/x\n[core]\n sshCommand = $TRAP\n[protocol "ssh"]\n allow = always',
        "proxy": 'url = git://nowhere/x\n[core]\n gitProxy = $TRAP\n[protocol "git"]\n allow = always',
        "insteadof": 'url = nice:x\n[url "ext::$TRAP "]\n insteadOf = nice:\n[protocol "ext"]\n'
                     " allow = always",
}.items():
    row(f"promisor-{name}", "git late", PROMISED + config(PARTIAL + text), on=FILES,
        group="promisor-insteadof" if name == "insteadof" else "promisor",
        control='git fetch "bad$NAME"; git status')
row("promisor-ext-alone", "git late", PROMISED + config(PARTIAL + "url = ext::$TRAP x\n[protocol "
    '"ext"]\n allow = always'), group="promisor-alone", on=FILES)

row("gitfile-to-hostile", "git late", """
    cp -R "$PROJ/.git" "$PROJ/.evil"; printf '[core]\\n fsmonitor = %s\\n' "$TRAP" >>"$PROJ/.evil/config"
    mkdir -p "$PROJ/.trap/h"; cp "$TRAP" "$PROJ/.evil/hooks/post-checkout"
    rm -rf .git || mv .git .old; echo "gitdir: $PROJ/.evil" >.git""", group="gitfile", on=FILES,
    control="cd \"$PROJ\"; git status")
row("nested-repository", "git late", """
    mkdir -p nest; cp -R "$PROJ/.git" nest/.git; printf '[core]\\n fsmonitor = %s\\n' "$TRAP" \\
        >>nest/.git/config; mkdir -p nest/.git/hooks; cp "$TRAP" nest/.git/hooks/post-checkout
    echo x >nest/file""", control='git -C nest status', group="nested")
row("submodule", "git", """
    mkdir -p sub; cp -R "$PROJ/.git" sub/.git; printf '[core]\\n fsmonitor = %s\\n' "$TRAP" \\
        >>sub/.git/config; printf '[submodule "sub"]\\n path = sub\\n url = ./sub\\n update = !%s\\n' \\
        "$TRAP" >.gitmodules\n""" + config('[submodule "sub"]\n update = !$TRAP\n url = $PROJ\n'
                                        " active = true\n[status]\n submoduleSummary = true"),
    control="git -C sub status", group="nested")
row("commondir", "git late", """
    cp -R "$PROJ/.git" "$PROJ/.evil"; printf '[core]\\n fsmonitor = %s\\n' "$TRAP" >>"$PROJ/.evil/config"
    echo "$PROJ/.evil" >"$PROJ/.git/commondir"
    for d in "$PROJ"/.git/worktrees/*; do echo "$PROJ/.evil" >"$d/commondir"; done""",
    group="commondir", on=FILES, control="git status; git add -A")
row("commondir-of-worktree", "late", """
    cp -R "$PROJ/.git" "$LAB/evil"; mv "$LAB/evil" "$PROJ/.git/evil" || {
        cp -R "$PROJ/.git" /tmp/evil; mv /tmp/evil "$PROJ/.git/evil"; }; printf '[filter "%s"]\\n clean = %s\\n' "$NAME" "$TRAP" \\
        >>"$PROJ/.git/evil/config"
    for d in "$PROJ"/.git/worktrees/*; do echo "$PROJ/.git/evil" >"$d/commondir"; done""",
    group="commondir-of-worktree", control='echo x >>"f.$NAME"; git --git-dir=.git/evil --work-tree=. add -A')
row("alternates-with-command", "git late", config(
    "[core]\n alternateRefsCommand = $TRAP\n[uploadpack]\n packObjectsHook = $TRAP") + """
    mkdir -p "$PROJ/.git/objects/info"; echo "$PROJ/.git/objects" >>"$PROJ/.git/objects/info/alternates" """,
    group="alternates", on=FILES,
    control="git init -q --bare ../other.git; echo \"$PROJ/../other.git/objects\""
    " >>.git/objects/info/alternates; git fetch . main; \"$TRAP\" </dev/null",
    why="git runs it in few places; that the trap writes is shown")
row("replaced-objects", "git late", """
    mkdir -p "$PROJ/.git/refs/replace" "$PROJ/.git/info"
    echo "$BLOB" >"$PROJ/.git/refs/replace/$TREE" """, group="replace", on=FILES, control=': >>"$MARK"',
    why="changes what is read, runs nothing")

for name in ("refs/heads/devs", "worktrees", "objects/pack", "logs", "info", "refs/heads"):
    row(f"link-{name.replace('/', '-')}", "git late", f"""
        mkdir -p "$PROJ/.git/{name}"; mv "$PROJ/.git/{name}" "$PROJ/.git/old.$NAME"
        ln -s "$OUT/$NAME" "$PROJ/.git/{name}" """, setup='mkdir "$OUT/$NAME"',
        out='test -n "$(ls -A "$OUT/$NAME")"', group="link" if name == "refs/heads" else "links",
        control=f'mkdir -p ".git/{name}/x"; touch ".git/{name}/x"')
row("link-objects", "git", """
    cp -R "$PROJ/.git/objects" "$PROJ/.objects"; rm -rf "$PROJ/.git/objects" || mv .git/objects .o
    for d in "$PROJ"/.objects/*; do :; done; ln -s "$OUT/objects" "$PROJ/.git/objects" """,
    setup='cp -R .git/objects "$OUT/objects"; ls -R "$OUT/objects" | cksum >"$LAB/objects"',
    out='test "$(ls -R "$OUT/objects" | cksum)" != "$(cat "$LAB/objects")"', 
    group="link-objects", on=FILES,
    control='echo "$LAB" | git hash-object -w --stdin')
row("index-names", "git late", """
    perl -e 'print "DIRC", pack("NN", 2, 1), "\\0" x 40, "\\0" x 20, pack("n", 9), "../escape", "\\0" x 9,
        "\\0" x 20' >"$PROJ/.git/index"
    for d in "$PROJ"/.git/worktrees/*; do cp "$PROJ/.git/index" "$d/index"; done""", group="index", on=FILES,
    out='test -e "$LAB/escape"', control=': >>"$LAB/escape"', why="git refuses such an index, too")
row("tree-with-dotgit", "git", "cp hostile-ref .git/refs/heads/main", setup="""
    blob=$(printf '[core]\\n fsmonitor = %s\\n' "$PROJ/.trap/$NAME" | git hash-object -w --stdin)
    sub=$(printf '100644 blob %s\\tconfig\\n' $blob | git mktree)
    tree=$({ git ls-tree HEAD; printf '040000 tree %s\\tzz\\n' $sub; } | git mktree)
    bad=$(git cat-file tree $tree | sed 's/40000 zz/40000 .git/' |
        git hash-object -t tree -w --literally --stdin)
    git commit-tree -m bad $bad >hostile-ref 2>/dev/null || git rev-parse HEAD >hostile-ref""",
    group="dotgit", on=FILES, control=': >>"$MARK"', why="git refuses to check out such a tree, too")

# What a stranger's archive, or the caller, puts around git; an attempt cannot.
for name, text in {
        "config-count": "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=filter.$NAME.clean"
                        " GIT_CONFIG_VALUE_0=$TRAP",
        "config-parameters": "GIT_CONFIG_PARAMETERS=\\\"'core.fsmonitor=$TRAP'\\\"",
        "config-global": "GIT_CONFIG_GLOBAL=$PROJ/.trap/filter",
        "external-diff": "GIT_EXTERNAL_DIFF=$TRAP",
        "trace": "GIT_TRACE=$MARK GIT_TRACE2=$MARK GIT_TRACE_SETUP=$MARK",
        "template": "GIT_TEMPLATE_DIR=$PROJ/.trap/template",
        "exec-path": "GIT_EXEC_PATH=$PROJ/.trap/exec",
        "ssh": "GIT_SSH_COMMAND=$TRAP GIT_SSH=$TRAP GIT_PROXY_COMMAND=$TRAP GIT_ASKPASS=$TRAP",
        "editor": "GIT_EDITOR=$TRAP GIT_SEQUENCE_EDITOR=$TRAP EDITOR=$TRAP VISUAL=$TRAP",
        "git-dir": "GIT_DIR=$PROJ/.evil GIT_COMMON_DIR=$PROJ/.evil GIT_WORK_TREE=$PROJ",
}.items():
    row(f"env-{name}", "git", f"""
        case $NAME in
        *-global) printf '[filter "%s"]\\n clean = %s\\n' "$NAME" "$TRAP" |
            cat "$HOME/.gitconfig" - >.trap/filter ;;
        *-template) mkdir -p .trap/template/hooks; cp "$TRAP" .trap/template/hooks/post-commit ;;
        *-exec-path) cp -R "$(git --exec-path)" .trap/exec; rm -f .trap/exec/git-submodule
            cp "$TRAP" .trap/exec/git-submodule ;;
        *-git-dir) cp -R .git .evil; printf '[core]\\n fsmonitor = %s\\n' "$TRAP" >>.evil/config ;;
        esac
        echo "export {text}" >>"$LAB/after.env" """,
        on=OPENED, group="env-git-dir" if name == "git-dir" else "env", **{
            "template": {"control": "git init ../new; cd ../new; git commit --allow-empty -m x"},
            "ssh": {"control": "git fetch ssh://nowhere/x"},
            "exec-path": {"control": "git submodule status"},
        }.get(name, {}))
for name, place in {"home-gitconfig": ".gitconfig", "xdg-config": ".config/git/config"}.items():
    row(name, "git", f'mkdir -p "$HOME/.config/git"; cat >>"$HOME/{place}" <<END\n{FILTER}\nEND',
        on=OPENED)
row("xdg-attributes", "git", 'mkdir -p "$HOME/.config/git"; echo "g.$NAME filter=$NAME"'
    f' >>"$HOME/.config/git/attributes"; cat >>"$HOME/.gitconfig" <<END\n{FILTER}\nEND', on=OPENED)

# The user's own git, after an attempt that worked in place.
OWN_GIT = "git status; (cd ../wt && git status); (cd s && git status); git add -A; git commit -m y"
HOSTILE_COPY = 'cp -R .git .evil; printf "[core]\\n fsmonitor = %s\\n" "$TRAP" >>.evil/config'
for name, setup, arm, more in (
        ("commondir", "", HOSTILE_COPY + '; echo "$PROJ/.evil" >.git/commondir', {}),
        ("commondir-of-worktree", "git worktree add -q ../wt -b wt",
         HOSTILE_COPY + '; for d in .git/worktrees/*; do echo "$PROJ/.evil" >$d/commondir; done', {}),
        ("submodule", "git init -q ../sub; git -C ../sub commit -q --allow-empty -m x; git -c"
         " protocol.file.allow=always submodule -q add ../sub s; git commit -qm s",
         'printf "[core]\\n fsmonitor = %s\\n" "$TRAP" >>.git/modules/s/config', {}),
        ("husky", "mkdir .husky; cp /bin/true .husky/pre-commit; git add .; git commit -qm h; git"
         " config core.hooksPath .husky", 'cp "$TRAP" .husky/pre-commit', {}),
        ("config-worktree", "git config extensions.worktreeConfig true; git config"
         " core.repositoryFormatVersion 1",
         'printf "[core]\\n fsmonitor = %s\\n" "$TRAP" >.git/config.worktree',
         {})):
    row(f"own-git-{name}", "git", arm, setup=setup, after=OWN_GIT, control=OWN_GIT, on=BWRAP,
        group=f"own-git-{name}", **more)
MORE_GIT = """for d in . e d/e n; do (cd $d && git status; git commit --allow-empty -m z); done
    git branch -f evil; git symbolic-ref HEAD refs/heads/evil; git status"""
ARM_REPOSITORY = """mkdir -p %s/objects %s/refs; echo ref: refs/heads/x >%s/HEAD
    printf "[core]\n repositoryFormatVersion = 0\n bare = false\n fsmonitor = %%s\n" "$TRAP" >>%s/config"""
for name, setup, arm in (
        ("empty-submodule", "git init -q e; git -C e commit -q --allow-empty -m x; git add e;"
         " git commit -qm e; rm -rf e/.git", ARM_REPOSITORY.replace("%s/", "e/.git/").replace("%%", "%")),
        ("missing-submodule", "git init -q e; git -C e commit -q --allow-empty -m x; git add e;"
         " git commit -qm e; rm -rf e", ARM_REPOSITORY.replace("%s/", "e/.git/").replace("%%", "%")),
        ("nested-repository", "git init -q n; git -C n commit -q --allow-empty -m x; git add n;"
         " git commit -qm n", 'printf "[core]\n fsmonitor = %s\n" "$TRAP" >>n/.git/config'),
        ("hook-is-a-link", "mkdir -p scripts .git/hooks; cp /bin/true scripts/hook; ln -s"
         " ../../scripts/hook .git/hooks/pre-commit", 'cp "$TRAP" scripts/hook'),
        ("include-of-the-person", "git config --global includeIf.onbranch:evil.path"
         ' "$PROJ/shared.inc"; echo >shared.inc',
         'printf "[core]\n fsmonitor = %s\n" "$TRAP" >shared.inc'),
        ("global-hooks", 'mkdir .hooks; git config --global core.hooksPath .hooks',
         'cp "$TRAP" .hooks/post-commit')):
    row(f"own-git-{name}", "git", arm, setup=setup, after=MORE_GIT, control=MORE_GIT, on=SANDBOXES,
        group="own-git-hooks" if name == "global-hooks" else f"own-git-{name}"
        if name == "missing-submodule" else "own-git-more")

# Submodules that only git can find, in every kind of index.
SUBMODULE = ("git init -q %s d/e; git -C d/e commit -q --allow-empty -m x; : >new; git add d/e;"
             " git commit -qm e; rm -rf d/e/.git; ")
for name, setup, more in (
        ("includes", SUBMODULE % "" + "git config include.path of-index.inc; : >.git/of-index.inc", {}),
        ("v3", SUBMODULE % "" + "git add -N new", {}),
        ("v4", SUBMODULE % "" + "git update-index --index-version 4", {}),
        ("split", SUBMODULE % "" + "git update-index --split-index; git add new", {}),
        ("split-v4", SUBMODULE % "" + "git config index.version 4; git update-index --index-version 4"
         " --split-index; git add new", {}),
        ("sparse", SUBMODULE % "" + "mkdir x; : >x/f; git add x; git commit -qm x; git"
         " sparse-checkout set --cone --sparse-index x", {}),
        ("sha256", "rm -rf .git; git init -q --object-format=sha256; git add -A; "
         + SUBMODULE % "--object-format=sha256", {}),
        ("damaged", SUBMODULE % "" + "truncate -s -30 .git/index", {"refused": True}),
        ("strange", SUBMODULE % "" + "printf 'DIRC\\0\\0\\0\\11' | dd of=.git/index conv=notrunc",
         {"refused": True})):
    row(f"index-{name}", "git", ARM_REPOSITORY.replace("%s/", "d/e/.git/").replace("%%", "%"),
        setup=setup, after=MORE_GIT, control=MORE_GIT, on=BWRAP, group=f"index-{name}", **more)

# Programs that devs itself looks up in PATH, if PATH has a folder of the project (direnv).
for program in ("git", "bwrap", "podman", "sh", "env", "curl"):
    row(f"path-{program}", "git", f"""
        printf '#!/bin/sh\\n: >>"%s"\\nexec %s "$@"\\n' "$MARK" "$(command -v {program})" >bin/{program}
        chmod 755 bin/{program}""", setup="""
        mkdir -p bin; echo 'export PATH="$PROJ/bin:$PATH"' >"$LAB/after.env" """, group="path",
        on=BWRAP, control=f"{program} --version; {program} -c :", needs=f"command -v {program}",
        after=GIT_AFTER.replace("--sandbox none", "--sandbox bwrap"))

row("path-in-writable", "git", """
    for p in git bwrap sh; do
        printf '#!/bin/sh\\n: >>"%s"\\nexec /usr/bin/%s "$@"\\n' "$MARK" $p >"$LAB/tools/$p"
        chmod 755 "$LAB/tools/$p"; done""", setup="""
    mkdir "$LAB/tools"; echo 'export PATH="$LAB/tools:$PATH"' >"$LAB/after.env" """, group="path-in-writable",
    plan=plan(task("evil", ARM, workspace="inplace"), task("next", "echo x >x", needs=["evil"]),
              workspace=worktree(), sandbox={"+": SANDBOX, "writable": ["$LAB/tools"]}),
    on=BWRAP, control='git --version', after=":")

# --------------------------------------------------------------------------------------------------
# Helper commands of the workspace that handle files written by a task.

SETUP_OF = {"setup": ["make", "-s", "deps"]}
SCENARIOS["setup"] = {
    "setup": """
        printf 'deps:\\n\\t@true\\n' >Makefile; printf '#!/bin/sh\\n' >configure; chmod +x configure
        git add -A; git commit -qm make""",
    "plan": plan(task("evil", ARM), task("next", "true", needs=["evil"]),
                 workspace=worktree(**SETUP_OF)),
    "after": "devs diff next; devs apply evil --check; devs gc 1",
    "control": "make -s deps; ./configure; sh deps.sh",
    "on": SANDBOXES,
}
MAKEFILE = "printf 'deps:\\n\\t@: >>%s\\n' \"$MARK\" >Makefile; printf '#!/bin/sh\\n: >>%s\\n'" \
           ' "$MARK" >configure; chmod +x configure; cp configure deps.sh'
for kind in ("worktree", "copy"):
    row(f"setup-make-{kind}", "setup", MAKEFILE, group=f"make-{kind}", on=BWRAP,
        plan=plan(task("evil", ARM), task("next", "true", needs=["evil"]),
                  workspace={"kind": kind, **SETUP_OF}))
    row(f"setup-script-{kind}", "setup", MAKEFILE, group=f"script-{kind}",
        plan=plan(task("evil", ARM), task("next", "true", needs=["evil"]),
                  workspace={"kind": kind, "setup": ["./configure"]}))
    row(f"setup-sh-{kind}", "setup", MAKEFILE, group=f"sh-{kind}",
        plan=plan(task("evil", ARM), task("next", "true", needs=["evil"]),
                  workspace={"kind": kind, "setup": ["sh", "./configure"]}))
row("setup-merged", "setup", MAKEFILE, group="merged",
    plan=plan(task("one", "echo x >other"), task("evil", ARM),
              task("next", "true", needs=["one", "evil"]),
              workspace=worktree(setup=["./configure"])))
row("setup-copied", "setup", MAKEFILE, group="copied",
    plan=plan(task("evil", ARM, workspace="inplace"), task("next", "true", needs=["evil"]),
              workspace=worktree(setup=["./configure"], copy=["configure"])))
row("setup-of-a-step-without", "setup", MAKEFILE, group="without",
    plan=plan(task("evil", ARM), task("next", {"run": ["true"], "sandbox": SANDBOX},
                                      needs=["evil"]), workspace=worktree(setup=["./configure"])))
row("setup-continued", "setup", MAKEFILE, group="continued",
    plan=plan(task("evil", ARM), task("hold", "sleep 20"), task("next", "true", needs=["evil"]),
              workspace=worktree(setup=["./configure"]), jobs=2),
    launch="""
        devs run --plain --only hold plan.json & p=$!
        for i in $(seq 100); do devs status 2>/dev/null | grep -q running && break; sleep 0.05; done
        kill -9 $p; wait $p; devs run --plain --only next plan.json""")

# --------------------------------------------------------------------------------------------------
# Variables of a plan that name files in the workspace: they must affect the step, not the sandbox's
# own program.

VARIABLES = {
    "preload": ({"LD_PRELOAD": "$PROJ/.trap/variable-preload.so"}, ":"),
    "preload-of-two-lines": ({"LD_PRELOAD": "$PROJ/.trap/variable-preload-of-two-lines.so:\n"}, ":"),
    "audit": ({"LD_AUDIT": "$PROJ/.trap/variable-audit.so"}, ":"),
    "path": ({"PATH": "$PROJ/bin:/usr/bin:/bin"}, """
        mkdir -p bin; for p in bwrap podman conmon runc crun newuidmap true ls; do cp "$TRAP" bin/$p; done"""),
    "bash-env": ({"BASH_ENV": "$PROJ/x.sh", "ENV": "$PROJ/x.sh"}, 'cp "$TRAP" x.sh'),
}
SCENARIOS["variables"] = {
    "setup": """
        for n in $ROWS; do
            echo "#include <fcntl.h>
            __attribute__((constructor)) static void go(void) {
                open(\\"$LAB/marks/$n\\", O_CREAT | O_WRONLY, 0600); }" >"$LAB/x.c"
            cc -shared -fPIC -o .trap/$n.so "$LAB/x.c"; done""",
    "plan": plan(task("evil", ARM), *(
        task(name, {"run": ["true"], "env": env}, needs=["evil"])
        for name, (env, _) in VARIABLES.items())),
    "control": ":",
    "on": SANDBOXES,
}
for name, (env, arm) in VARIABLES.items():
    control = " ".join(f'{k}="{v}"'.replace("\n", "") for k, v in env.items())
    row(f"variable-{name}", "variables", arm, needs="command -v cc", control=f"{control} bash -c ls")

# --------------------------------------------------------------------------------------------------
# Trees that are saved, restored, kept and applied after an attempt has replaced parts of them.

SCENARIOS["tree"] = {
    "setup": """
        mkdir -p d/e; echo d >d/f; echo e >d/e/f; echo f >f; git add -A; git commit -qm tree
        mkdir -p "$OUT/e"; echo out >"$OUT/f"; echo out >"$OUT/e/f"
        (cd "$OUT" && find . -type f -exec cksum {} + && find . -printf '%p %y %m %U %l\\n') | sort \\
            >"$LAB/manifest" """,
    "plan": plan({"id": "again", "steps": [{"run": ["sh", "-c", ARM], "expect": "failure",
                                            "policy": {"max_attempts": 2}}]},
                 task("kept", {"run": ["sh", "-c", ARM]}),
                 task("failed", {"run": ["sh", "-c", ARM]}, "exit 1"),
                 task("next", "echo new >d/f; echo new >d/new; echo new >f", needs=["kept"]),
                 workspace=worktree()),
    "after": """
        rm -rf .got; for t in kept failed next again; do devs diff $t --stat; devs diff $t; devs apply $t
        done; devs gc 1; devs gc --older 0""",
    "out": """! (cd "$OUT" && find . -type f -exec cksum {} + && find . -printf '%p %y %m %U %l\\n') \\
        | sort | cmp -s - "$LAB/manifest" """,
    "control": 'cd "$PROJ"; for f in d/f d/e/f f d/new x; do echo evil >$f; done; chmod 777 f d x',
    "control_alone": True,
    "on": SANDBOXES,
}
SCENARIOS["copy"] = {**SCENARIOS["tree"],
                     "plan": {**SCENARIOS["tree"]["plan"], "workspace": {"kind": "copy"}},
                     "on": ("bwrap_root",)}
for name, arm in {
        "folder-to-link": 'rm -rf d; ln -s "$OUT" d',
        "subfolder-to-link": 'rm -rf d/e; ln -s "$OUT/e" d/e',
        "file-to-link": 'rm -f f; ln -s "$OUT/f" f',
        "link-by-dots": 'rm -rf d; ln -s ../../../../../../../../../../../../../../../..$OUT d',
        "new-link": 'ln -s "$OUT/f" x; ln -s "$OUT" y; mkdir -p z; ln -s "$OUT/x" z/x',
        "hard-link-to-outside": 'rm -f f; ln "$OUT/f" f; echo evil >>f; chmod 777 f',
}.items():
    row(name, "tree copy", arm, group=name, on=SANDBOXES if name == "folder-to-link" else BWRAP,
        **({"control": 'for f in x y/f z/x; do echo evil >"$f"; done'} if name == "new-link" else {}))
row("links-swapped-by-a-daemon", "tree copy", """
    (setsid sh -c 'i=0; while [ $i -lt 300 ]; do rm -rf d; ln -s "$OUT" d; rm d; mkdir d; i=$((i+1)); done' \\
        </dev/null >/dev/null 2>&1 &) ; rm -rf d; ln -s "$OUT" d""", group="daemon",
    control="for i in $(seq 200); do echo evil >d/f; sleep 0.005; done")
row("fifo-and-socket", "tree copy", "mkfifo d/p x; chmod 000 d/p", group="fifo",
    control='echo evil >"$OUT/f"', why="nothing to spring: devs must not hang or follow")
SETUID = """find "$PROJ" -path "$PROJ/.devs" -prune -o -perm /6000 -type f -print | grep -q ."""
row("setuid-applied", "tree", "chmod 6777 d/f", group="setuid", out=SETUID, control="chmod 6777 d/f")
row("setuid-applied-of-copy", "copy", "chmod 6777 d/f", group="setuid", out=SETUID,
    control="chmod 6777 d/f", on=("bwrap_root",))
row("copy-through-link", "tree", 'rm -rf d; ln -s "$OUT" d', group="copy-through-link",
    plan=plan(task("kept", ARM), task("next", "true", needs=["kept"],
                                      workspace=worktree(copy=["d/f", "d"])), workspace=worktree()))
row("apply-through-link", "tree", 'rm -rf d; ln -s "$OUT" d', group="apply-through-link",
    plan=plan(task("next", "echo new >d/new; echo new >d/f"), workspace=worktree()),
    launch='devs run --plain plan.json; devs exec --once -- sh -c "rm -rf d; ln -s \\"$OUT\\" d"')
row("writable-through-link", "tree", 'rm -rf cache; ln -s "$OUT" cache', group="writable-link",
    setup="mkdir cache; echo x >cache/x; git add -A; git commit -qm cache",
    plan=plan(task("next", ARM, {"run": ["sh", "-c", "echo evil >cache/f"],
                                 "sandbox": {"+": SANDBOX, "writable": ["cache"]}})),
    control="echo evil >cache/f")
row("writable-is-a-link", "tree", "echo evil >link/f", group="writable-is-a-link", on=BWRAP,
    refused=True,
    setup='ln -s "$OUT" link; git add -A; git commit -qm link',
    plan=plan(task("next", {"run": ["sh", "-c", ARM],
                            "sandbox": {"+": SANDBOX, "writable": ["link"]}})),
    control="echo evil >link/f")

# --------------------------------------------------------------------------------------------------
# The log.

SCENARIOS["log"] = {
    "setup": "devs --db ./run.db exec --sandbox none -- true; rm -rf .devs",
    "plan": plan(task("evil", ARM)),
    "launch": "devs --db ./run.db run --plain plan.json",
    "refused": True,
    "after": "devs --db ./run.db runs",
    "out": 'test -s "$PROJ/.got/$NAME" || test -e "$MARK"',
    "control": ":",
    "control_alone": True,
    "on": SANDBOXES,
}
row("log-journal", "log", "echo hot >run.db-journal && got wrote", group="1",
    out='test -e "$PROJ/run.db-journal"')
row("log-owner-moved", "log", "mv owner .old && got moved", group="2")
row("log-work-moved", "log", "mv work .old && got moved", group="3", control="mkdir work; mv work x; got x")
row("log-wal-cut", "log", ": >run.db-wal && got cut", group="4")
row("log-shm-cut", "log", ": >run.db-shm && got cut", group="5")
row("log-replaced", "log", "mv -f run.db .old && cp .old run.db && got replaced", group="6")
row("log-read", "log", 'grep -q SQLite run.db && got read', group="7")
LOG = {"launch": "devs run --plain plan.json", "after": ":", "group": "8", "refused": False,
       "setup": "devs exec --sandbox none -- true"}
row("log-folder-read", "log", 'ls -A .devs | grep -q . && got "$(ls -A .devs)"', **LOG)
row("log-folder-write", "log", "(: >.devs/devs.db-journal) && got wrote", **LOG)
row("log-folder-moved", "log", "mv .devs .old && got moved", **{**LOG, "group": "9"})
row("log-folder-removed", "log", "rmdir .devs && got removed; rm -rf .devs && got removed",
    **{**LOG, "group": "10"})
row("log-by-proc", "log", 'for p in /proc/[0-9]*; do ls "$p/root$PROJ/.devs" | grep -q devs.db && got'
    ' "$p"; for f in $p/fd/*; do case $(readlink "$f") in *devs.db*) got "$f" ;; esac; done; done',
    **{**LOG, "control": 'ls .devs | grep -q devs.db && got seen'})

row("log-of-another-project", "log", 'ls -A "$LAB/other/.devs" | grep -q devs.db && got seen;'
    ' (echo x >"$LAB/other/.devs/x") && got wrote', **{
        **LOG, "on": BWRAP, "group": "11", "control": 'sh "$ARMED"',
        "setup": 'mkdir "$LAB/other"; (cd "$LAB/other" && devs exec -- true); devs exec -- true'})
WITHIN = {"group": "12", "launch": "devs run --plain plans/plan.json", "after": ":", "refused": False,
          "setup": 'mkdir plans; mv plan.json plans; mkdir other; (cd other && git init -q . && devs exec -- true)',
          "plan": plan(task("evil", ARM), sandbox={"+": SANDBOX, "writable": ["$PROJ"]})}
for name, folder in (("log-in-writable", "$PROJ/.devs"), ("other-log-in-writable", "$PROJ/other/.devs")):
    row(name, "log", f'mv "$PROJ/other" "$PROJ/moved" && got moved; ls -A "{folder}" | grep -q devs.db && got seen; (echo x >"{folder}/x") && got wrote',
        control=f'mkdir -p "{folder}"; sh "$ARMED"', **WITHIN)
row("log-of-a-stranger", "log", "", group="theirs", on=OPENED, launch=":", setup="""
    mkdir "$LAB/theirs"; cd "$LAB/theirs" || exit; mkdir -m 700 .devs
    cat >theirs.json <<END
{"version": 1, "idempotent": true, "sandbox": "none", "tasks": [{"id": "t", "steps": [{"run": ["sh",
 "-c", "[ -e go ] || { : >go; sleep 20; }; : >>$MARK"]}]}]}
END
    devs --db .devs/devs.db run --plain theirs.json & p=$!
    for i in $(seq 200); do [ -e go ] && break; sleep 0.02; done
    kill -9 $p; wait $p
    cp -R .devs "$PROJ/.devs"; chmod 755 "$PROJ/.devs"; chmod 644 "$PROJ"/.devs/*.db*""",
    after="devs status; devs run --plain --continue last; devs run --plain --continue 1",
    control='cd "$LAB/theirs"; devs run --plain --continue last')
row("log-with-links", "log", "", group="links", on=OPENED, setup="""
    mkdir -p .devs; ln -s "$OUT/empty" .devs/work; ln -s "$OUT/empty" .devs/owner
    ln -s "$OUT/empty/db" .devs/devs.db; chmod 755 .devs""",
    launch=":", after='echo "$WORK" >work.json; devs run --plain work.json; devs exec -- true',
    out='test -n "$(ls -A "$OUT/empty")"', control="mkdir .devs/work/x")

# --------------------------------------------------------------------------------------------------
# Settings by a stranger or an attempt that name programs; names and output that reach a shell or a
# terminal.

COCKPIT = """(sleep 1.5; printf q; sleep 0.2; printf qy) | script -qec 'stty rows 24 cols 80;
    devs run own.json' /dev/null >/dev/null; (sleep 0.6; printf q) |
    script -qec 'stty rows 24 cols 80; devs' /dev/null >/dev/null"""
SCENARIOS["settings"] = {
    "setup": """
        printf '{"version":1,"tasks":[{"id":"t","steps":[{"run":["true"]}]}]}' >own.json""",
    "launch": ":",
    "plan": plan(task("evil", ARM)),
    "after": COCKPIT + "; devs doctor; devs exec -- true; devs status; devs gc",
    "control": '"$TRAP" </dev/null',
    "on": OPENED,
}


def settings(text):
    return f'cat >devs.config.json <<END\n{text}\nEND'


row("notify-command", "settings", group="notify", arm=settings(
    '{"ui": {"notify": ["needs-you", "gave-up", "ended"], "notify_command": ["$TRAP"]}}'))
row("agent-program", "settings", group="agents", arm=settings(
    '{"agents": {"claude": {"program": "$TRAP"}, "mine": {"like": "claude", "program": "$TRAP"}}}'),
    after="devs doctor; devs new-project --help >/dev/null; devs exec -- true;"
          " timeout 3 devs new-project idea --agent claude </dev/null;"
          " timeout 3 devs new-project x --agent mine </dev/null")
row("tests-command", "settings", group="tests", arm=settings('{"tests": {"run": ["$TRAP"]}}'),
    after="devs doctor; devs exec -- true; devs status")
row("setup-outside", "settings", group="setup-outside", arm=settings(
    '{"workspace": {"kind": "worktree", "setup": ["$TRAP"], "setup_in": "outside"}}'),
    after="devs run --plain own.json; devs exec -- true")
row("notify-made-inside", "settings", group="notify-made", launch="devs run --plain plan.json",
    on=SANDBOXES, arm=settings('{"ui": {"notify": ["ended"], "notify_command": ["$TRAP"]}}'))
for name, text in {
        "args": '"kind": "bwrap", "args": ["--bind", "/", "/"]',
        "writable": '"kind": "bwrap", "writable": ["$LAB"]',
        "read-write": '"kind": "bwrap", "read_only": false',
        "best-effort": '"kind": "bwrap", "best_effort": true, "read_only": false',
}.items():
    row(f"sandbox-opened-by-{name}", "settings", settings(f'{{"sandbox": {{{text}}}}}'), on=BWRAP,
        launch=":", arm_outside=True, group=f"opened-{name}",
        after="devs exec --once --sandbox bwrap -- sh -c ': >>\"$0\"' \"$MARK\"",
        control=': >>"$MARK"')

SCENARIOS["mcp"] = {
    **SCENARIOS["protected"],
    "setup": SCENARIOS["protected"]["setup"],
    "launch": ":",
    "arm_outside": True,
    "control": 'rm -f devs.config.json; echo \'{"sandbox": "none"}\' >devs.config.json; : >"$LAB/changed"',
    "after": SCENARIOS["protected"]["after"] + """
        mcp execute_command "{\\"argv\\": [\\"sh\\", \\"-c\\", \\": >>$LAB/marks/ran-outside\\"]}" """,
}


def mcp_write(path, content):
    return f"""mcp write_file '{{"path": "{path}", "content": "{content}"}}'"""


HOSTILE = '{\\"sandbox\\": \\"none\\"}'
for number, path in enumerate((
        "devs.config.json", "./devs.config.json", "d/../devs.config.json", "plan.json",
        ".git/config", ".git/hooks/post-checkout", ".git/hooks/pre-push", ".GIT/config",
        ".git/../devs.config.json", ".devs/devs.db", "link/config", "link/hooks/pre-push")):
    row(f"mcp-write-{number}", "mcp", "ln -s .git link; mkdir -p d; " + mcp_write(path, HOSTILE),
        group="writes")
row("mcp-command-then-outside", "mcp",
    """mcp execute_command '{"argv": ["sh", "-c", "echo {} >devs.config.json"]}'""", group="writes")
row("mcp-write-outside", "mcp", mcp_write("link/file", "evil") + "; " + mcp_write(
    "../out/file", "evil") + "; " + mcp_write("$OUT/file", "evil").replace("'", '"', 0),
    setup='ln -s "$OUT" link', group="outside", out='grep -q evil "$OUT/file"',
    control='echo evil >link/file')

SCENARIOS["names"] = {
    "setup": ":", "plan": plan(task("evil", ARM)), "launch": ":", "after": ":",
    "control": '"$TRAP" </dev/null', "on": OPENED,
}
TAB = """
    devs completion bash >"$LAB/completion"
    printf 'source %s/completion\\ncd %s\\ndevs run plan.json --only \\t\\tev\\t\\n exit\\n' "$LAB" "$PROJ" |
        (while IFS= read -r line; do sleep 0.3; printf '%s\\n' "$line"; done; sleep 1) |
        script -qec 'bash --norc -i' /dev/null"""
HOSTILE_PLAN = """cat >plan.json <<END
{"version": 1, "name": "x", "tasks": [{"id": "\\$(touch\\${IFS}$MARK)", "steps": [{"run": ["true"]}]}]}
END"""
row("tab-plan-task", "names", HOSTILE_PLAN, group="tab", after=TAB,
    control='eval "devs run plan.json --only \\$(touch \\"$MARK\\")"')
row("tab-file-name", "names", ': >"e;touch\\${IFS}x\\$(touch ${MARK##*/})"', group="tab-file",
    after=TAB, control='"$TRAP" </dev/null')
# A link to a device or to someone's FIFO: merely opening it would have an effect.
WAITS = """sh -c ': >"$LAB/pipe" && : >"$MARK"' & p=$!; sleep 0.2; """
row("settings-are-a-device", "names", """
    for f in devs.config.json own.json devs.project.json phase-1.plan.json .trap/rules.json; do
        ln -s "$LAB/pipe" "$PROJ/$f"; done""", setup='mkfifo "$LAB/pipe"', group="device",
    after=WAITS + """
    for c in status runs 'exec --once -- true' 'run --plain own.json' 'run --dry-run own.json' trust \
        'execute-phase 1' 'rules .trap/rules.json' 'validate --contract own.json' 'import own.json'; do
        timeout 20 devs $c; done; kill -9 $p""", control=WAITS + 'timeout 2 cat "$LAB/pipe"; sleep 0.2')
row("stdin-is-a-device", "machine", 'rm -f in; ln -s "$LAB/pipe" in', group="stdin-device", on=BWRAP,
    setup='mkfifo "$LAB/pipe"; echo x >in',
    plan=plan(task("evil", ARM), task("next", {"run": ["cat"], "stdin": "in"}, needs=["evil"])),
    launch=WAITS + "devs run --plain plan.json; kill -9 $p",
    control=WAITS + 'timeout 2 cat "$LAB/pipe"; sleep 0.2')
SCENARIOS["terminal"] = {
    "setup": "", "plan": plan(task("evil", ARM)),
    "launch": "script -qec 'devs run --plain plan.json' /dev/null | tee \"$LAB/screen\"",
    "after": "for c in 'devs log evil' 'devs log evil --times' 'devs why evil' 'devs status --all' 'devs"
             " runs' 'devs diff evil --stat'; do script -qec \"$c\" /dev/null; done >>\"$LAB/screen\"",
    "out": 'LC_ALL=C grep -q "$(printf "\\033]\\|\\033P\\|\\033_\\|\\033c\\|\\302\\233\\|\\302\\235'
           '\\|\\342\\200\\256\\|\\342\\200\\213")" "$LAB/screen"',
    "control": 'sh "$ARMED" >"$LAB/screen"',
    "on": SANDBOXES,
}
row("escape-osc", "terminal", "printf '\\033]52;c;cHduCg==\\007\\033]0;pwn\\007\\n'; printf"
    " '\\033]8;;x\\007' >&2",
    group="osc")
row("escape-dcs", "terminal", "printf '\\033P$q\\033\\\\ \\033_x\\033\\\\ \\033c \\302\\2330c\\n'", group="dcs")
row("escape-bidi", "terminal", "printf 'a\\342\\200\\256b\\342\\200\\213c\\n'", group="bidi")
row("escape-file-name", "terminal", 'f=$(printf "x\\033]0;pwn\\007y"); : >"$f"; ls', group="file",
    control='ls -N >"$LAB/screen" || ls >"$LAB/screen"',
    plan=plan(task("evil", ARM, workspace=worktree())), on=BWRAP)
row("escape-plan-id", "terminal", """printf '{"version":1,"tasks":[{"id":"\\\\u202eabc\\\\u001b]0;x"}]}' \\
    >bad.json; cp bad.json devs.config.json""", group="id", launch=":", on=OPENED,
    after="for c in 'devs run --dry-run bad.json' 'devs exec -- true' 'devs rules' 'devs doctor'; do"
          " script -qec \"$c\" /dev/null; done >\"$LAB/screen\"",
    control="printf '\\033]0;x' >\"$LAB/screen\"")
row("forged-not-started", "terminal", "", group="forged", plan=plan(task(
    "evil", "echo 'bwrap: execvp make: No such file or directory' >&2; exit 1")), on=BWRAP,
    # Not the screen: a start that really failed, and was repeated, is named there, too.
    after='devs why evil --json >"$LAB/why"', control=NO_CONTROL,
    out='! grep -q \'"outcome":"exit","code":1,.*"rule":"shell\' "$LAB/why"',
    why="there is nothing to forge without bwrap")
