"""The command darshan serve: shows a lake in a browser."""

from __future__ import annotations

import argparse

from ..ask.engine import Asked
from ..serve.server import Server, Site
from .arguments import SERVE as PROGRAM
from .errors import told
from .messages import say, why


def _serve(site: Site, options: argparse.Namespace) -> int:
    try:
        server = Server(options.bind, options.port, site, options.allow_remote, options.name)
        server.user_header = options.user_header
    except OSError as error:
        say(PROGRAM, f"{options.bind} port {options.port}: {why(error)}")
        return 1
    with server:
        print(f"{PROGRAM}: http://{server.shown}:{server.server_port}/", flush=True)
        server.serve_forever()
    return 0


def _run(options: argparse.Namespace) -> int:
    with Asked(options.lake, user=options.user, memory=options.memory) as lake:
        return _serve(Site(lake, PROGRAM, options.timeout), options)


def main(options: argparse.Namespace) -> int:
    """Runs darshan serve until a signal ends it; returns its exit status."""
    return told(PROGRAM, lambda: _run(options))
