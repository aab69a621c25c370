"""Assets into the local asset bucket, zipped once and kept by content."""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from local.assembly import Asset

EPOCH = (1980, 1, 1, 0, 0, 0)


def upload(s3: Any, asset: Asset, cache: Path) -> None:
    """Put the asset where the template looks for it."""
    make_bucket(s3, asset.bucket)
    path = zipped(asset.source, cache) if asset.zipped else asset.source
    s3.put_object(Bucket=asset.bucket, Key=asset.key, Body=path.read_bytes())


def make_bucket(s3: Any, name: str) -> None:
    try:
        s3.create_bucket(Bucket=name)
    except ClientError as error:
        if error.response["Error"]["Code"] not in {"BucketAlreadyOwnedByYou", "BucketAlreadyExists"}:
            raise


def zipped(folder: Path, cache: Path) -> Path:
    """The folder as a zip, in the cache under its content's name; the same content is not zipped twice."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    target = cache / f"{_fingerprint(folder, files)}.zip"
    if target.exists():
        target.touch()  # what is used is not cleaned up
        return target
    cache.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=cache, suffix=".partial")  # its own: two starts may do this at once
    with open(handle, "wb") as written, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path in files:
            entry = zipfile.ZipInfo(str(path.relative_to(folder)), EPOCH)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED, compresslevel=1)
    return Path(partial).rename(target)


def _fingerprint(folder: Path, files: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        stat = path.stat()
        digest.update(f"{folder}/{path.relative_to(folder)} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:32]
