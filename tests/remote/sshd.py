"""An sshd for each "host", on loopback addresses, with keys and a configuration of its own.

Nothing of /etc/ssh or ~/.ssh is used. Each sshd ends with the test: it is stopped by its process id.
"""
import os
import shutil
import signal
import socket
import subprocess
import time

LIMIT_S = 60  # only ends what hangs: the machine may be busy


def is_here():
    return shutil.which("sshd") or os.access("/usr/sbin/sshd", os.X_OK)


def children_of(pid):
    out = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat", encoding="latin-1") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        if int(fields[1]) == pid:
            out.append(int(name))
    return out


class Hosts:
    """Hosts h1, h2, ... as ssh -F `config` knows them."""

    def __init__(self, root, count):
        self.root = f"{root}/ssh"
        self.config = f"{self.root}/config"
        self.servers = {}
        os.mkdir(self.root, 0o700)
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)
        self.key("host_key")
        self.key("user_key")
        with open(self.config, "w", encoding="ascii") as file:
            file.write(f"Host *\n IdentityFile {self.root}/user_key\n IdentitiesOnly yes\n"
                       f" UserKnownHostsFile {self.root}/known_hosts\n GlobalKnownHostsFile none\n"
                       " StrictHostKeyChecking yes\n LogLevel ERROR\n ControlPath none\n"
                       # by far the cheapest of the defaults: there are hundreds of connections
                       " KexAlgorithms curve25519-sha256\n")
        for i in range(1, count + 1):
            self.add(f"h{i}", f"127.0.0.{20 + i}")

    def key(self, name):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{self.root}/{name}"],
                       check=True)

    def add(self, name, address):
        with socket.socket() as probe:
            probe.bind((address, 0))
            port = probe.getsockname()[1]
        with open(f"{self.root}/host_key.pub", encoding="ascii") as file:
            key = " ".join(file.read().split()[:2])
        with open(f"{self.root}/known_hosts", "a", encoding="ascii") as file:
            file.write(f"[{address}]:{port} {key}\n")
        with open(self.config, "a", encoding="ascii") as file:
            file.write(f"Host {name}\n HostName {address}\n Port {port}\n")
        with open(f"{self.root}/{name}.conf", "w", encoding="ascii") as file:
            file.write(f"ListenAddress {address}\nPort {port}\nHostKey {self.root}/host_key\n"
                       f"PidFile none\nAuthorizedKeysFile {self.root}/user_key.pub\n"
                       "StrictModes no\nUsePAM no\nPasswordAuthentication no\n"
                       "KbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\n"
                       "MaxSessions 1\nMaxStartups 100\nPrintMotd no\n"
                       # what the user's own ~/.bashrc does is not part of any test, and may take long
                       f"SetEnv HOME={self.root}\n")
        self.start(name)

    def configure(self, name, replaced, by):
        """Starts the sshd again with another line in its configuration."""
        self.kill(name)
        with open(f"{self.root}/{name}.conf", "r+", encoding="ascii") as file:
            text = file.read()
            assert replaced in text
            file.seek(0)
            file.write(text.replace(replaced, by))
        self.start(name)

    def start(self, name):
        sshd = shutil.which("sshd") or "/usr/sbin/sshd"
        with open(f"{self.root}/{name}.log", "ab") as log:
            self.servers[name] = subprocess.Popen(
                [sshd, "-D", "-e", "-f", f"{self.root}/{name}.conf"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        end = time.monotonic() + LIMIT_S
        while subprocess.run(["ssh", "-F", self.config, "-o", "BatchMode=yes", name, "true"],
                             stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode:
            if time.monotonic() > end:
                raise RuntimeError(f"sshd {name} does not answer")
            time.sleep(0.05)

    def kill(self, name):
        """The host is away: its sshd and all connections are gone, what it runs is not."""
        server = self.servers.pop(name)
        server.send_signal(signal.SIGSTOP)  # accepts nothing more
        below = [one for child in children_of(server.pid) for one in children_of(child) + [child]]
        names = {}
        for pid in below:
            try:
                with open(f"/proc/{pid}/comm", encoding="ascii") as file:
                    names[pid] = file.read().strip()
            except OSError:
                continue
        for pid, comm in names.items():
            if comm.startswith("sshd"):
                os.kill(pid, signal.SIGKILL)
        server.kill()
        server.wait()

    def close(self):
        for name in list(self.servers):
            self.kill(name)
