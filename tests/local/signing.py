"""Requests that botocore signed, for the tests of who is let in."""

from __future__ import annotations

import datetime
from urllib.parse import urlsplit

from botocore.auth import S3SigV4Auth, S3SigV4QueryAuth, SigV4Auth, SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from local.emulator.signatures import Key, Request

PORT = 4566
KEY = Key("AKIAEXAMPLE00000", "a secret", None)
OF_A_ROLE = Key("ASIAEXAMPLE00000", "another secret", "a token/with+signs=")
NOW = datetime.datetime.now(datetime.UTC)
SIGNERS = {"header": SigV4Auth, "address": SigV4QueryAuth}
SIGNERS_OF_S3 = {"header": S3SigV4Auth, "address": S3SigV4QueryAuth}


def by_botocore(url: str, where: str, service: str, key: Key) -> Request:
    signer = (SIGNERS_OF_S3 if service == "s3" else SIGNERS)[where]
    body = b"body" if where == "header" else b""  # a signer of addresses would move it there
    made = AWSRequest("POST", f"http://localhost:{PORT}{url}", {"Content-Type": "text/plain"}, body)
    signer(Credentials(key.id, key.secret, key.token), service, "us-east-1").add_auth(made)
    sent = made.prepare()
    parts = urlsplit(sent.url)
    told = {name.lower(): value if isinstance(value, str) else value.decode() for name, value in sent.headers.items()}
    return Request("POST", parts.path, parts.query, (("host", f"localhost:{PORT}"), *told.items()), body)
