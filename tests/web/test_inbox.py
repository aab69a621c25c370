"""What the page of the inbox says: how many wait, by when, for whom, and who sees nothing."""

from __future__ import annotations

import re

from tests.web.gallery import PAGES
from tests.web.reading import Page


def test_the_inbox_counts_calls_and_groups_by_time():
    page = Page(PAGES["inbox"]())
    assert "4 calls wait for you" in page.text
    assert page.html.index("Within the hour") < page.html.index("Today") < page.html.index("Later")
    assert "More than 2 calls wait for you" in Page(PAGES["inbox-more"]()).text
    assert "Nothing waits for you." in Page(PAGES["inbox-empty"]()).text


def test_an_inbox_says_more_where_more_follows_and_counts_only_what_waits_for_its_reader():
    later = Page(PAGES["inbox-later"]()).text
    assert "More than 1 later call waits for you" in later
    assert "1 call on this page" in re.sub(r"\s+", " ", later)
    assert "More than" not in Page(PAGES["inbox-last"]()).text
    mixed = re.sub(r"\s+", " ", Page(PAGES["inbox-not-all-mine"]()).text)
    assert "1 call waits for you" in mixed
    assert "1 call, 2 not for you to decide" in mixed
    assert "The agent says it acts for you." in mixed


def test_who_is_in_no_group_reads_which_account_it_is_and_whom_to_ask():
    text = re.sub(r"\s+", " ", Page(PAGES["inbox-no-group"]()).text)
    assert "signed in with the account sub-of-nora" in text
    assert "ask the person who runs Placet" in text
    assert "you get a mail" not in text
