"""The headers under which pages and assets are answered.

The policy allows the one stylesheet, the icon, and forms to this host; nothing runs, nothing comes from elsewhere,
nobody frames a page. `no-store` keeps calls out of caches and off the Back button of whoever sits there next.
"""

from __future__ import annotations

from placet.web import assets

_ALWAYS = {
    # Nothing leaves this host. Not `no-referrer`: under it browsers send our own forms with `Origin: null`, and no form of ours
    # could be told from a foreign one.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "strict-transport-security": "max-age=63072000; includeSubDomains",
    "cross-origin-resource-policy": "same-origin",
}

_NO_POWERS = ", ".join(
    f"{power}=()"
    for power in (
        "accelerometer", "camera", "clipboard-read", "display-capture", "geolocation", "gyroscope", "microphone",
        "midi", "payment", "publickey-credentials-get", "usb",
    )
)  # fmt: skip


def content_security_policy(sign_out_to: str = "") -> str:
    """The policy of every page.

    Args:
        sign_out_to: origin of the login pages. Browsers hold a form to the policy through redirects too, so if the
            answer to `POST /sign-out` leads there, its origin must be named.
    """
    forms = f"'self' {sign_out_to}".rstrip()
    return "; ".join(
        (
            "default-src 'none'",
            "style-src 'self'",
            "img-src 'self'",
            f"form-action {forms}",
            "base-uri 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def headers(sign_out_to: str = "") -> dict[str, str]:
    """Headers of every page, whatever its status. Names in small letters, as HTTP/2 sends them."""
    return {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "content-security-policy": content_security_policy(sign_out_to),
        "cross-origin-opener-policy": "same-origin",
        "permissions-policy": _NO_POWERS,
        "x-frame-options": "DENY",
        **_ALWAYS,
    }


def asset_headers(name: str, content_type: str) -> dict[str, str]:
    """Headers of an asset that `assets.find` found."""
    return {
        "content-type": content_type,
        "cache-control": assets.cache_control(name),
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        **_ALWAYS,
    }
