"""The table's contract and the races once more, on the second DynamoDB."""

# ruff: noqa: F403 - the point is to collect whatever is there

from tests.contract.test_races import *
from tests.contract.test_table import *
