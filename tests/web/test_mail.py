"""The notification: says who, what class, until when; no argument, nothing hidden, no second header."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from placet.web import mail
from placet.web.digest import DigestFacts, digest_of
from tests.web import made
from tests.web.reading import Page

FACTS = mail.MailFacts(
    reviewer_name="Maria Keller",
    reviewer_email="maria@example.com",
    title_class="",
    headline="Refund 1,240.00 EUR for order 1182",
    tools=("refund_order",),
    agent="support-agent",
    requester="Elif Demir",
    entity="order:1182",
    deadline_ms=made.NOW + 2 * made.HOUR,
    link="https://placet.example.com/reviews/k3vQ7mZp",
    action_class="money-out",
    effect="never",
    now_ms=made.NOW,
    asked_ms=made.NOW - made.MINUTE,
    group="finance",
)
HOSTILE = '<b>"x\u202e\u200b\r\nBcc: x@evil.example\u2028\x1b[2J'


def test_the_plain_form_word_for_word():
    assert mail.subject(FACTS) == "A call waits for your decision until Mon 30 Nov 2026, 16:46 UTC (money-out)"
    assert mail.text(FACTS) == (
        "A call of refund_order for order:1182 waits for your decision.\n"
        "CANNOT BE UNDONE.\n"
        "\n"
        "  Decide until     Mon 30 Nov 2026, 16:46 UTC, 2 h from this mail\n"
        "  Then             it expires. Nothing runs\n"
        "  Asked            14:45 UTC, by support-agent for Elif Demir\n"
        "  Class            money-out\n"
        "\n"
        "Read the call and decide:\n"
        "https://placet.example.com/reviews/k3vQ7mZp\n"
        "\n"
        "Amounts and other arguments are kept out of mails.\n"
        "You see them after you sign in.\n"
        "\n"
        "--\n"
        "This mail was sent to maria@example.com. Passed on, its link\n"
        "decides nothing. Opening the link decides nothing either.\n"
        "You get this mail because you may decide for finance.\n"
    )


@pytest.mark.parametrize(
    ("thens", "calls", "says"),
    [
        (("reject",), 1, "the rule of its class rejects it. Nothing runs"),
        (("reject",), 2, "the rule of its class rejects each call. Nothing runs"),
        (("expire",), 2, "each call expires. Nothing runs"),
        (("expire", "reject"), 2, "each call ends as each class says, by expiry or by rejection. Nothing runs"),
    ],
)
def test_a_mail_says_what_becomes_of_what_nobody_decides(thens: tuple[str, ...], calls: int, says: str):
    assert f"  Then             {says}\n" in mail.text(replace(FACTS, thens=thens, calls=calls))


@pytest.mark.parametrize(
    ("why", "says"),
    [
        ("answered", "the agent has answered a question about it: read it afresh, earlier votes do not count"),
        ("handed", "a colleague hands it to you, or to your group"),
        ("reminded", "a reminder: nobody has decided so far"),
    ],
)
def test_a_mail_that_is_not_the_first_says_why_it_comes(why: str, says: str):
    found = mail.mail_of(replace(FACTS, why=why))
    assert (says in found.text, says in found.html) == (True, True)
    assert says not in mail.text(FACTS)


def test_both_forms_say_the_same():
    html = Page(mail.html(FACTS))
    for part in (
        "refund_order for order:1182",
        "Cannot be undone",
        "16:46 UTC, 2 h from this mail",
        "by support-agent",
        "finance",
    ):
        assert part in html.text
        assert part.lower() in mail.text(FACTS).lower()
    assert html.misnested == []
    assert not html.all("img")
    assert {link["href"] for link in html.all("a")} == {FACTS.link}


def test_no_argument_is_in_a_mail():
    made_mail = mail.mail_of(FACTS)
    for part in (made_mail.subject, made_mail.text, made_mail.html):
        assert "1,240" not in part
        assert "EUR" not in part


@pytest.mark.parametrize(
    "field", ["reviewer_email", "agent", "requester", "entity", "action_class", "title_class", "group"]
)
def test_hostile_text_starts_no_line_no_header_and_no_element(field):
    facts = replace(FACTS, **{field: HOSTILE})
    _is_harmless(facts)


def test_a_hostile_tool_name_is_harmless():
    _is_harmless(replace(FACTS, tools=(HOSTILE, "x")))


LINKS = [
    "https://placet-login.evil.example/sign-in?next=/reviews/x",
    "urgent: sign in again at https://placet-login.evil.example/reviews",
    "evil.example",
    "www.evil.example",
    "HTTPS://EVIL.EXAMPLE",
    "mailto:x@evil.example",
    "tel:+4930123456",
    "maria@evil.example",
    "\\\\evil.example\\share",
    "evil\u3002example",
    "b\u00fccher.example",
    "https\u2236//evil\u2024example",
]


@pytest.mark.parametrize("field", ["tools", "entity", "requester", "agent"])
@pytest.mark.parametrize("text", LINKS)
def test_the_one_address_in_a_mail_is_ours(field, text):
    facts = replace(FACTS, **{field: (text, "x") if field == "tools" else text})
    for form in (mail.text(facts), mail.html(facts)):
        rest = form.replace(FACTS.link, "").replace(FACTS.reviewer_email, "")
        assert "://" not in rest
        assert "\\\\" not in rest
        assert not re.search(r"(mailto|tel):", rest)
        written = re.sub(r"<style>.*?</style>|<[^>]*>", "", rest, flags=re.DOTALL)
        assert not re.search(r"\w[.\u3002\u2024]\w", written), "a host, for a mail program"
    assert {link["href"] for link in Page(mail.html(facts)).all("a")} == {FACTS.link}


def test_what_passes_for_something_else_is_framed_in_markup_and_coded_in_plain_text():
    facts = replace(FACTS, entity="g\u0585ogle", requester="pay \u05d0\u05d1 100")
    written = mail.html(facts)
    assert 'g<mark class="ch ch-like">\u0585 U+0585 armenian small letter oh</mark>ogle' in written
    assert '<bdo dir="ltr">\u05d0\u05d1</bdo>' in written
    assert "g\u0585[U+0585]ogle" in mail.text(facts)
    assert "[U+05D0][U+05D1] 100" in mail.text(facts)


def test_names_in_a_mail_are_short_and_look_like_names():
    facts = replace(FACTS, tools=("refund order now!", "x" * 65, "refund_order"), entity="e" * 300, requester="r" * 300)
    assert "x" * 65 not in mail.text(facts)
    assert "now!" not in mail.text(facts)
    assert "refund_order" in mail.text(facts)
    assert "e" * 64 not in mail.text(facts)
    assert "r" * 64 not in mail.html(facts)


def test_calls_are_counted_and_not_their_tools():
    facts = replace(FACTS, calls=10)
    assert mail.subject(facts).startswith("10 calls wait for your decision")
    assert "10 calls (refund_order) for order:1182 wait for your decision" in mail.text(facts)
    assert mail.subject(replace(FACTS, calls=1)).startswith("A call waits")


def _is_harmless(facts: mail.MailFacts) -> None:
    subject, text, html = mail.subject(facts), mail.text(facts), mail.html(facts)
    assert subject.isascii()
    assert subject.isprintable()
    assert not [line for line in text.splitlines() if line.startswith("Bcc")]
    for character in "\u202e\u200b\r\u2028\x1b":
        assert character not in text + html
    assert not Page(html).all("b")


def test_entity_tool_and_requester_are_not_in_the_subject():
    for word in ("order", "refund", "Elif", "support"):
        assert word not in mail.subject(FACTS)
    assert mail.subject(replace(FACTS, tools=("a", "b"))).startswith("2 calls wait for your decision until ")


def test_a_mail_says_which_rules_asked_for_a_person():
    facts = replace(FACTS, rules=("The amount is over 100.00", HOSTILE, "see https://evil.example", "a fourth"))
    told = mail.text(facts)
    assert told.count("Because") == 3
    assert "The amount is over 100.00" in told
    assert "https://evil" not in told.replace(FACTS.link, "")
    assert "\r" not in told
    assert "\x1b" not in told


def test_the_mail_of_what_waits_word_for_word():
    facts = DigestFacts("maria@example.com", 7, False, FACTS.deadline_ms, "https://placet.example.com/inbox")
    made_of = digest_of(facts)
    assert made_of.subject == "7 calls wait for you, the next until Mon 30 Nov 2026, 16:46 UTC"
    assert "https://placet.example.com/inbox" in made_of.text
    assert "https://placet.example.com/inbox" in made_of.html
    assert "no more than one in five minutes" in made_of.text
    assert "7 calls wait for you" in made_of.html
    assert digest_of(replace(facts, waiting=50, more=True)).subject.startswith("More than 50 calls wait for you, ")
    assert digest_of(replace(facts, waiting=1)).subject.startswith("A call waits for you, ")


@pytest.mark.parametrize(
    ("waiting", "handed", "by", "says"),
    [
        (7, 1, ("Jonas Weber",), "1 of them is handed to you, or to your group, by Jonas Weber"),
        (7, 2, ("Jonas Weber", "Lea Lang"), "2 of them are handed to you, or to your group, by Jonas Weber, Lea Lang"),
        (1, 1, ("Lea for Jonas",), "it is handed to you, or to your group, by Lea for Jonas"),
        (9, 5, tuple("ABCDE"), "5 of them are handed to you, or to your group, by A, B, C and 2 others"),
        (7, 1, ("https://evil.example/x",), "by https[:]//evil[.]example/x"),
    ],
)
def test_the_mail_of_what_waits_says_what_was_handed_on_and_by_whom(waiting, handed, by, says):
    facts = DigestFacts("maria@example.com", waiting, False, FACTS.deadline_ms, "https://p.example/inbox", handed, by)
    made_of = digest_of(facts)
    assert "\n  Now              " in made_of.text
    assert says in made_of.text
    assert says in made_of.html
    hostile = digest_of(replace(facts, handed_by=("<b>\u202eM",)))
    assert "<b>" not in hostile.html
    assert "\u202e" not in hostile.html + hostile.text
    assert "Now" not in digest_of(replace(facts, handed=0)).text


def test_the_address_of_a_reader_is_text():
    made_of = digest_of(
        DigestFacts('"><script>\u202e@x.example', 2, False, FACTS.deadline_ms, "https://p.example/inbox")
    )
    assert "<script>" not in made_of.html
    assert "\u202e" not in made_of.html + made_of.text


def test_a_text_is_marked_as_it_was_written_and_only_then_its_links_are_broken():
    """A label in letters of another alphabet passes for one in ours beside its `.com`: not beside `[.]com`."""
    html = mail.html(replace(FACTS, entity="\u0430\u0440\u0440\u04cf\u0435.com", requester="paypa\u0430.com"))
    assert html.count('<mark class="ch ch-like">') == 2
    assert '<mark class="ch ch-like">\u0430\u0440\u0440\u04cf\u0435 ' in html
    assert html.count("</mark>[.]com") == 2
    assert ".com" not in html.split("<h1")[1].split("</table>")[0].replace("[.]com", "")
    assert "[U+0430][.]com" in mail.text(replace(FACTS, requester="paypa\u0430.com"))
