"""Start what units say, where no systemd runs: user, folder, environment and program."""

import os
import pwd
import shlex
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

FOLDERS = (Path("/etc/systemd/system"), Path("/lib/systemd/system"))


def path_of(name):
    name = name if "." in name else f"{name}.service"
    return next(folder / name for folder in FOLDERS if (folder / name).exists())


def read(path):
    """The values of each key, in order."""
    values = defaultdict(list)
    for line in path.read_text().splitlines():
        key, is_setting, value = line.partition("=")
        if is_setting and not line.startswith("#"):
            values[key].append(value)
    return values


def start(name):
    path = path_of(name)
    if path.suffix == ".timer":
        assert path_of(path.stem).exists()
        return
    unit = read(path)
    (user,) = unit["User"]
    account = pwd.getpwnam(user)
    environment = {"PATH": os.environ["PATH"], "HOME": account.pw_dir, **more_of(path.stem)}
    environment |= dict(each.split("=", 1) for each in unit["Environment"])
    for each in unit["EnvironmentFile"]:
        lines = shlex.split(Path(each.removeprefix("-")).read_text())
        environment |= dict(line.split("=", 1) for line in lines)
    for each in " ".join(unit["StateDirectory"]).split():
        folder = Path("/var/lib", each)
        folder.mkdir(exist_ok=True)
        folder.chmod(int(unit["StateDirectoryMode"][0], 8))
        os.chown(folder, account.pw_uid, account.pw_gid)
    words = ["setpriv", "--reuid", user, "--regid", user, "--init-groups"]
    if unit["AmbientCapabilities"]:
        caps = "+net_bind_service"
        words += ["--inh-caps", caps, "--ambient-caps", caps]
    words += shlex.split(unit["ExecStart"][0])
    more = {"cwd": unit["WorkingDirectory"][0] if unit["WorkingDirectory"] else "/"}
    more |= {"env": environment, "umask": int(unit["UMask"][0], 8) if unit["UMask"] else 0o022}
    if unit["Type"] == ["oneshot"]:
        subprocess.run(words, check=True, **more)
    else:
        with Path(f"/var/log/{path.stem}.log").open("ab") as log:
            subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True, **more)


def more_of(name):
    """No authority on the internet signs the certificate of this proxy."""
    if name != "caddy":
        return {}
    return {"TLS": "tls internal", "OPTIONS": "skip_install_trust"}


if __name__ == "__main__":
    verb, *names = sys.argv[1:]
    now = "--now" in names
    for each in (name for name in names if not name.startswith("--")):
        if verb == "enable":
            assert "[Install]" in path_of(each).read_text(), each
        if verb != "enable" or now:
            start(each)
