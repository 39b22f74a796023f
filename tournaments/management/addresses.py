"""The addresses that `up` prints."""

from tournaments.origin import lan_address


def addresses(host: str, port: int) -> list[str]:
    """Return the URLs of the site, that for this machine first."""
    if host not in {"0.0.0.0", "::", ""}:  # noqa: S104 - compared, not listened on
        name = f"[{host}]" if ":" in host else host
        return [f"http://{name}:{port}/"]
    lan = lan_address()
    return [f"http://{name}:{port}/" for name in ("localhost", lan) if name]
