"""The headers of pages and assets."""

from __future__ import annotations

from placet.web import assets, security


def test_the_policy_of_a_page():
    assert security.headers()["content-security-policy"] == (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    assert "form-action 'self' https://login.example;" in security.content_security_policy("https://login.example")


def test_pages_are_not_kept_not_framed_and_leak_no_address():
    headers = security.headers()
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "max-age=63072000" in headers["strict-transport-security"]
    assert "camera=()" in headers["permissions-policy"]
    assert all(name == name.lower() and value.isascii() for name, value in headers.items())


def test_assets_keep_their_type_and_may_be_kept():
    lasting = assets.url("placet.svg").removeprefix("/static/")
    headers = security.asset_headers(lasting, "image/svg+xml")
    assert headers["content-type"] == "image/svg+xml"
    assert headers["x-content-type-options"] == "nosniff"
    assert "immutable" in headers["cache-control"]
    assert headers["content-security-policy"].startswith("default-src 'none'")
