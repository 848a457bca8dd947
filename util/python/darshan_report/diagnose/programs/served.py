"""Recognizes files that a server sends. Each request opens its file and reads it, as the server
must. The server's code makes these calls, so the user cannot reduce them."""

from __future__ import annotations

import re

from ...call_sites.lines import Line, Site, sites_of
from ...call_sites.told import name_of
from ...library import LogError
from ..blame import about_of, part_of
from ..facts import Facts
from ..finding import PROBLEM, Finding

_SERVERS = re.compile(
    r"(?:socketserver|wsgiref|werkzeug|waitress|gunicorn|uvicorn|hypercorn|starlette|flask|django"
    r"|tornado|aiohttp\.web|cherrypy|twisted)\.|http\.\w*RequestHandler"
)
_MOSTLY = 0.5  # smallest share of a finding's calls that a server must have made


def is_of_server(site: Site) -> bool:
    """Returns whether a server's own code made the calls of a site. If the user's handler made
    them, a line of the user is further in than the lines of the server."""
    inside = site.places[: site.user] if site.user >= 0 else site.places
    return any(map(_SERVERS.match, map(name_of, inside)))


def is_served(facts: Facts, finding: Finding) -> bool:
    """Returns whether a server made most of a finding's calls."""
    about = about_of(finding.name)
    if about is None or finding.kind != PROBLEM:
        return False
    try:
        sites = sites_of(facts.log)
    except LogError:
        return False
    whole, served = 0.0, 0.0
    for site in sites:
        if part := part_of(Line([site], site.sums), about):
            whole += part
            served += part if is_of_server(site) else 0.0
    return served > 0 and served >= _MOSTLY * whole
