"""Lay out the files of a site from deploy/, so that those very files are tested.

The words that start the programs, their environment and what is copied into the image come from
deploy/compose.yaml and deploy/Dockerfile. Not tried are the images of others and the walls between
containers.
"""

import json
import os
import re
import shutil
import sys
from pathlib import Path

import trustme
from ruamel.yaml import YAML

from tests import postgres
from tests.servers import ROOT, prepared

DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
COPIED = re.compile(r"^COPY (?!--from)(?!deploy)(.+) (\S+)$", re.MULTILINE)
COMPOSE = YAML(typ="safe").load((DEPLOY / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
START_WEB = json.loads(re.findall(r"^CMD (\[.+\])$", DOCKERFILE, re.MULTILINE)[-1])

PASSWORD = "rehearsed"
CHOSEN = {
    "SITE": "localhost",
    "POSTGRES_PASSWORD": PASSWORD,
    "KINGSCORE_SECRET_KEY": "rehearsed-and-thrown-away-" * 3,
}
"""The .env file of a host."""


def missing_programs():
    found = {name: shutil.which(name) for name in ("redis-server", "caddy")}
    found["postgresql"] = postgres.program("initdb")
    return [name for name, path in found.items() if not path]


def lay_program(app):
    """Copy what the image would have: a file that is forgotten there is missed here."""
    for sources, target in COPIED.findall(DOCKERFILE):
        for source in sources.split():
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, app / target)
            else:
                app.mkdir(exist_ok=True)
                shutil.copy(ROOT / source, app)


def lay_static_files(*places):
    for place in places:
        shutil.copytree(prepared() / "static", place)


def lay_database(place, secret):
    secret.write_text(PASSWORD)
    arguments = SERVICES["database"]["environment"]["POSTGRES_INITDB_ARGS"].split()
    postgres.lay(place, "--auth", "scram-sha-256", "--pwfile", secret, *arguments)


def lay_proxy(folder):
    authority = trustme.CA()
    issued = authority.issue_cert("localhost")
    issued.private_key_and_cert_chain_pem.write_to_path(folder / "cert.pem")
    issued.private_key_pem.write_to_path(folder / "key.pem")
    return authority


def environment_of_programs(folder, ports):
    """The environment of compose.yaml and the image, with ports of this machine."""
    said = {
        name: re.sub(r"\$\{(\w+):\?[^}]*\}", lambda found: CHOSEN[found[1]], value)
        .replace("@database/", f"@127.0.0.1:{ports.postgres}/")
        .replace("//broker:6379/", f"//127.0.0.1:{ports.redis}/")
        for name, value in COMPOSE["x-program"]["environment"].items()
    }
    return {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONUNBUFFERED": "1",
        # Where this machine has compiled all that is imported already.
        "PYTHONPYCACHEPREFIX": sys.pycache_prefix or "",
        "KINGSCORE_DATA": f"{folder}/data",
        "KINGSCORE_STATIC": f"{folder}/static",
        **said,
    }


def environment_of_proxy(folder, ports):
    return {
        "PATH": os.environ["PATH"],
        "SITE": "localhost",
        "WEB": " ".join(f"127.0.0.1:{port}" for port in ports.webs),
        "TLS": f"tls {folder}/cert.pem {folder}/key.pem",
        "FILES": f"{folder}/srv",
        "OPTIONS": f"default_bind 127.0.0.1\nadmin 127.0.0.1:{ports.admin}\n"
        f"http_port {ports.http}\nhttps_port {ports.https}",
        "XDG_DATA_HOME": f"{folder}/certificates",
        "XDG_CONFIG_HOME": f"{folder}/certificates",
    }


NGINX = """
user root;
daemon off;
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
    include /etc/nginx/mime.types;
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxied;
    fastcgi_temp_path {folder}/unused;
    uwsgi_temp_path {folder}/unused;
    scgi_temp_path {folder}/unused;
    upstream kingscore {{
        {servers}
        keepalive 16;
    }}
    server {{
        listen 127.0.0.1:{https} ssl;
        server_name localhost;
        ssl_certificate {folder}/cert.pem;
        ssl_certificate_key {folder}/key.pem;
        root {folder}/srv;
        include {deploy}/nginx.conf;
    }}
}}
"""
"""A host's own part of its configuration, as in deploy/nginx.conf, at ports of this machine."""


def lay_nginx(folder, ports):
    """Write the configuration that includes deploy/nginx.conf, and return where it is."""
    servers = " ".join(f"server 127.0.0.1:{port};" for port in ports.webs)
    text = NGINX.format(folder=folder, servers=servers, https=ports.https, deploy=DEPLOY)
    (folder / "nginx.conf").write_text(text)
    return folder / "nginx.conf"
