"""The configuration of the proxy: `haproxy.cfg` beside this file, filled in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

TEMPLATE = Path(__file__).with_name("haproxy.cfg")
# As the dashboard's own limit, with the frame that a browser puts around a file.
UPLOAD_BYTES = 51 * 2**20


@dataclass(frozen=True)
class Door:
    """How the dashboard is reached.

    Attributes
    ----------
    bind : str
        Where the proxy listens: ":8080", "127.0.0.1:8080".
    ports : tuple of int
        Of the processes, on this machine.
    socket : str
        Path of the proxy's own socket, for the supervisor; without one there is none.
    certificate : str
        Path of a PEM file with certificate and key; without one there is no TLS.
    ancestors : str
        Who may show the dashboard in a frame, in the words of a Content-Security-Policy.
    base : str
        The path below which the dashboard is, such as "/ldp"; that of `server.baseUrlPath`.
    uploads : bool
        Whether bodies of files are let through.
    requests, sessions, files : int
        How many of each one address may ask for, or send, in ten seconds.
    connections : int
        How many one address may have at a time; a page that is open has one or two.
    """

    bind: str
    ports: tuple[int, ...]
    socket: str
    certificate: str = ""
    ancestors: str = "'self'"
    base: str = ""
    uploads: bool = True
    requests: int = 6_000
    sessions: int = 200
    files: int = 40
    connections: int = 2_000
    template: Path = field(default=TEMPLATE, repr=False)

    @property
    def framed_elsewhere(self) -> bool:
        """Whether pages of other sites may show the dashboard in a frame; browsers then keep ordinary cookies back."""
        return not set(self.ancestors.split()) <= {"'self'", "'none'"}

    def config(self) -> str:
        """Return the configuration for HAProxy."""
        for word in (self.bind, self.socket, self.certificate, self.ancestors, self.base):
            if re.search(r'[\x00-\x1f"\\]', word):
                raise ValueError(f"a setting of the proxy must be one line without quotes; got {word!r}")
        tls, first = bool(self.certificate), name_of(self.ports[0])
        framed = self.framed_elsewhere
        words = {
            "BIND": f"{self.bind} ssl crt {self.certificate} alpn h2,http/1.1" if tls else self.bind,
            "STATS": f"stats socket {self.socket} mode 600 level admin" if self.socket else "",
            "ANCESTORS": self.ancestors,
            "BASE": self.base.rstrip("/"),
            "UPLOAD": str(UPLOAD_BYTES if self.uploads else 0),
            "REQUESTS": str(self.requests),
            "SESSIONS": str(self.sessions),
            "FILES": str(self.files),
            "CONNECTIONS": str(self.connections),
            "SCHEME": "https" if tls else "http",
            "SAMESITE": "None" if framed else "Lax",
            # What is None must be secure, or browsers take no notice of it.
            "SECURE": " secure" if tls or framed else "",
            "HSTS": 'http-response set-header Strict-Transport-Security "max-age=31536000"' if tls else "",
            "SERVERS": "\n".join(
                f"    server {name_of(port)} 127.0.0.1:{port} cookie {name_of(port)}" for port in self.ports
            ),
            # As healthy, and as ready for visitors, as it is among the others.
            "ROOMS": f"    server {first} 127.0.0.1:{self.ports[0]} cookie {first} track dashboards/{first}",
        }
        text = self.template.read_text(encoding="utf-8")
        head, _, body = text.partition("\n\n")
        return head + "\n\n" + re.sub(r"@([A-Z]+)@", lambda match: words[match[1]], body)


def name_of(port: int) -> str:
    """Return the name of a process, for the proxy and for the visitor's cookie."""
    return f"p{port}"
