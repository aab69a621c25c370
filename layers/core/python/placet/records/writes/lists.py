"""What is remembered of the work lists: that they were written to, and how far a sweep came that had to stop."""

from __future__ import annotations

from placet.records.keys import Keys
from placet.records.lists import list_item
from placet.records.ops import Op, Put


def remember_list(keys: Keys, work_list: str, swept_to: tuple[int, str] | None = None) -> list[Op]:
    """A list that pauses may stand on, and the entry behind which the next sweep goes on; None: from its beginning.

    Nothing is compared: the list stays remembered whoever writes last, and a lost mark costs one walk from the beginning.
    """
    return [Put(list_item(keys, work_list, swept_to))]
