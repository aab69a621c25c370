"""Pages outside the frame of a signed-in reader: signing in and out, and what cannot be shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from placet.web import typed
from placet.web.rendering import render


@dataclass(frozen=True)
class Kept:
    """What was typed into a form that was not taken.

    Attributes:
        action: where the form is sent.
        hidden: fields that go along; texts: what a person typed, to be seen, copied and sent again.
        send: the words of the button; empty: there is nothing to send it to.
    """

    action: str
    hidden: Mapping[str, str]
    texts: Mapping[str, str]
    send: str

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """(name, label, text as a field holds it) of each text."""
        return typed.rows(self.texts)


def signed_out_meanwhile(back: str, kept: Kept) -> str:
    """A form that met the end of its session: nothing was decided, and what was typed is here.

    Args:
        back: the page of the form, for the sign-in.
    """
    return _lone(
        "Sign in again",
        "You are signed out, and nothing was decided",
        [
            "What you typed is below, on this page only; it is stored nowhere.",
            "Sign in in a new tab, come back to this one and press the button under your text: "
            "you see it in its place again, and decide there.",
        ],
        [(f"/sign-in?next={quote(back, safe='')}", "Sign in in a new tab")],
        status=403,
        kept=kept,
        new_tab=True,
    )


def sign_in(next: str = "/inbox") -> str:
    """The landing page. `next` is the path on this host to come back to; anything else becomes the inbox."""
    wanted = next if next.startswith("/") and not next.startswith(("//", "/\\")) else "/inbox"
    return _lone(
        "Sign in",
        "Sign in to decide",
        [
            "Agents ask here before they act. "
            "What you accept happens exactly as you saw it, and is recorded under your name."
        ],
        [(f"/sign-in/start?next={quote(wanted, safe='')}", "Sign in with your company account")],
        [
            "You come back to the page that you wanted.",
            "No account? Ask the person who runs Placet to add you as a reviewer.",
        ],
    )


def signed_in_unnamed(wanted: str) -> str:
    """After a sign-in that would make somebody a reviewer by their groups, and has no mail address to know them by.

    Args:
        wanted: the path on this host to go on to.
    """
    return _lone(
        "Signed in without a mail address",
        "You are signed in, but your groups at the company give you nothing here",
        [
            "The sign-in of the company sent no mail address for your account. Without one nobody can tell whether a call was "
            "asked for by yourself, so your groups there do not make you a reviewer.",
            "Ask the people who run the sign-in to send your mail address, then sign in again.",
        ],
        [(wanted, "Go on")],
        ["What you may decide because you were entered as a reviewer by hand is not touched."],
    )


def signed_out(company_link: str = "") -> str:
    """After signing out.

    Args:
        company_link: where the company account itself is signed out. A link and not a redirect: a page's policy keeps the
            answer to a form on this host, and some browsers hold redirects to it too.
    """
    links = [("/sign-in", "Sign in again")]
    if company_link.startswith(("https://", "http://")):
        links.append((company_link, "Sign out of the company account too"))
    return _lone("Signed out", "You are signed out", ["Nothing can be decided from this browser any more."], links)


def error_absent(number: str = "", kept: Kept | None = None) -> str:
    """404: absent and foreign in the same words. `number` is for questions, the id of the request."""
    return _lone(
        "Nothing here",
        "There is nothing here for you",
        ["The address is wrong, the call is gone, or it belongs to people you are not one of. We do not say which."],
        [("/inbox", "To your inbox")],
        ["You followed a link from a mail? Sign in as the person it was sent to."],
        number,
        404,
        kept,
    )


def error_server(number: str = "", status: int = 503, kept: Kept | None = None, *, sent: bool) -> str:
    """Our fault.

    Args:
        sent: whether a form was sent: then nobody knows what became of it, and sending it again is safe. Else a page was opened.
    """
    unsure = (
        "We do not know yet whether what you sent was recorded. "
        "If it was a decision, sending it again is safe: the same decision is taken once, and you get the same answer."
    )
    return _lone(
        "That did not work",
        "That did not work, and it is our fault",
        [
            unsure if sent else "You opened a page, and sent no decision with it. Open it again in a moment.",
            "The call itself is safe. Nothing runs without a recorded decision.",
        ],
        [("/inbox", "To your inbox")],
        [],
        number,
        status,
        kept,
    )


def message(
    title: str,
    says: Sequence[str],
    link: str = "/inbox",
    link_text: str = "To your inbox",
    number: str = "",
    status: int = 403,
    kept: Kept | None = None,
) -> str:
    """A page that says one thing, for refusals without a page of their own (a form too old, a decision not allowed)."""
    return _lone(title, title, says, [(link, link_text)], [], number, status, kept)


def _lone(
    title: str,
    head: str,
    says: Sequence[str],
    links: Sequence[tuple[str, str]],
    notes: Sequence[str] = (),
    number: str = "",
    status: int = 200,
    kept: Kept | None = None,
    new_tab: bool = False,
) -> str:
    return render(
        "lone.html",
        title=title,
        head=head,
        says=says,
        links=links,
        notes=notes,
        number=number,
        status=status,
        kept=kept,
        new_tab=new_tab,
    )
