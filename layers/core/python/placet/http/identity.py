"""Who is calling: the agent by its IAM role, the reviewer by a verified token or a session. Never from a body."""

from __future__ import annotations

import hmac

from placet.http.messages import Request
from placet.model.errors import NotAllowed
from placet.model.pauses import Agent, Reviewer
from placet.service import members, sessions
from placet.service.ports import Ports

COOKIE = "__Host-placet"


class SignInNeeded(NotAllowed):
    """A page or form without a session."""

    def __init__(self) -> None:
        super().__init__("sign_in_needed", "Sign in first.")


def agent_of(ports: Ports, request: Request, *, acting: bool = False) -> Agent:
    """The agent whose role signed the request.

    An assumed role's ARN has lost the role's path, and its last part is the caller's choice: account and role name decide.

    Args:
        acting: the role of the agent's action-group Lambdas counts too: they claim permits and report, and do nothing else.

    Raises NotAllowed `agent_unknown`.
    """
    role, _ = _role(request)
    agent = ports.registry.by_role(role) if role else None
    if agent is None and role and acting:
        agent = ports.registry.by_action_role(role)
    if agent is None:
        raise NotAllowed("agent_unknown", "The registry knows no agent with the role that signed this request.")
    return agent


def operator_of(operators: frozenset[str], request: Request) -> str:
    """`role/name` of the operator who signed the request; the role counts, the name is what the caller chose.

    Raises NotAllowed `operator_unknown`.
    """
    role, name = _role(request)
    if role not in operators:
        raise NotAllowed("operator_unknown", "The role that signed this request is no operator's.")
    return f"{role}/{name}"


def _role(request: Request) -> tuple[str, str]:
    """Role and session name of the caller, both empty unless it is an assumed role of our own account."""
    iam = request.authorizer.get("iam") or {}
    parts = str(iam.get("userArn", "")).split(":", 5)
    kind, _, rest = parts[-1].partition("/")
    if len(parts) != 6 or kind != "assumed-role" or parts[2] != "sts":
        return "", ""
    if not parts[4] == iam.get("accountId") == (request.account or iam.get("accountId")):
        return "", ""
    role, _, name = rest.partition("/")
    return role, name


def api_reviewer(ports: Ports, request: Request) -> Reviewer:
    """The person of a verified access token. An ID token is no permission to act, so it is refused."""
    claims = (request.authorizer.get("jwt") or {}).get("claims") or {}
    if claims.get("token_use") != "access" or not claims.get("sub"):
        raise NotAllowed("access_token_needed", "Send an access token of the user pool.")
    return members.reviewer(ports, str(claims["sub"]))


def page_session(ports: Ports, request: Request) -> sessions.Session:
    """The session of a page request. Raises SignInNeeded."""
    session = sessions.find(ports, request.cookie(COOKIE))
    if session is None:
        raise SignInNeeded
    return session


class OfAnotherSession(NotAllowed):
    """A form of our own page, made for a session that this browser has not any more: it signed in again meanwhile."""

    def __init__(self) -> None:
        super().__init__("form_foreign", "This form does not come from a page of your session. Open the page again.")


def check_form(session: sessions.Session, request: Request, form: dict[str, str], base_url: str) -> None:
    """A form counts only from our own page of this session. Raises OfAnotherSession, NotAllowed `form_foreign`."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin", base_url)
    if origin.rstrip("/") != base_url.rstrip("/") or site not in ("same-origin", "none"):
        raise NotAllowed("form_foreign", "This form does not come from a page of your session. Open the page again.")
    if not hmac.compare_digest(form.get("csrf", "").encode(), session.csrf.encode()):
        raise OfAnotherSession
