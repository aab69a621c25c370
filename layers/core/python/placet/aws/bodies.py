"""Bodies over 4 KB in S3, encrypted with the table's key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from placet.aws.clients import client, in_all
from placet.aws.refusals import code_of, is_final
from placet.model.errors import Busy, Refused

PART = 65_536
# Without the right to list, S3 says AccessDenied of an object that is not there: of a name that we wrote both mean the same.
_GONE = frozenset({"NoSuchKey", "AccessDenied"})
_REFUSED = frozenset(
    {"AccessDenied", "NoSuchBucket", "AllAccessDisabled", "KMS.DisabledException", "KMS.NotFoundException"}
)


class S3Bodies:
    """The bucket of the data stack."""

    def __init__(self, bucket: str, s3: Any = None) -> None:
        self._bucket = bucket
        self._s3 = s3 if s3 is not None else client("s3")

    def put(self, name: str, text: str) -> None:
        """Store a text under its digest's name."""
        try:
            self._s3.put_object(Bucket=self._bucket, Key=name, Body=text.encode(), ContentType="application/json")
        except (ClientError, BotoCoreError) as error:
            raise _meaning(error) from None

    def get(self, name: str) -> str | None:
        """The text; None when it is gone or denied, which is this pause's trouble alone. Raises Busy for a bucket in trouble."""
        try:
            look = in_all("s3")
            body = b"".join(_parts(self._s3.get_object(Bucket=self._bucket, Key=name)["Body"], look))
        except (ClientError, BotoCoreError) as error:
            if is_final(error, _GONE):
                return None
            raise Busy("The bucket cannot be read now.") from None
        return body.decode(errors="replace")  # what is not UTF-8 is not what was stored: its digest says so


def _parts(stored: Any, look: Callable[[], None]) -> Iterator[bytes]:
    while part := stored.read(PART):
        yield part
        look()


def _meaning(error: ClientError | BotoCoreError) -> Exception:
    if is_final(error, _REFUSED):
        return Refused("bucket_refused", f"The bucket refused the request: {code_of(error)}")
    return Busy("The bucket is busy.")
