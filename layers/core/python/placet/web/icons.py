"""The icons beside words. Each is drawn with attributes only, is unheard, and never stands without its word."""

from __future__ import annotations

from markupsafe import Markup

_LINE = 'fill="none" stroke="currentColor"'
_RING = f'<circle cx="10" cy="10" r="8.6" {_LINE} stroke-width="1.6"/>'

_DRAWN = {
    "never": '<path d="M6.3 1h7.4L19 6.3v7.4L13.7 19H6.3L1 13.7V6.3z" fill="currentColor"/>',
    "hard": f'<path d="M10 1.5 18.5 10 10 18.5 1.5 10z" {_LINE} stroke-width="1.8"/>'
    '<path d="M10 1.5 1.5 10l8.5 8.5z" fill="currentColor"/>',
    "can": f'<path d="M5 4.2A7.6 7.6 0 1 1 2.4 10" {_LINE} stroke-width="1.8"/>'
    f'<path d="M5.6 0v5h5" {_LINE} stroke-width="1.8"/>',
    "look": f'<path d="M10 2 19 18H1z" {_LINE} stroke-width="1.8" stroke-linejoin="round"/>'
    '<path d="M10 8v5m0 1.6v1.4" stroke="currentColor" stroke-width="1.8"/>',
    "trusted": f'<path d="M2 2h16v16H2z" {_LINE} stroke-width="2"/>'
    f'<path d="m5.5 10 3.2 3.2 6-6.4" {_LINE} stroke-width="2"/>',
    "unknown": f'<path d="M2 2h16v16H2z" {_LINE} stroke-width="2" stroke-dasharray="4 3"/>'
    f'<path d="M7.3 7.6c0-3.6 5.6-3.4 5.4-.2-.1 2-2.7 2-2.7 4.3m0 1.6v1.7" {_LINE} stroke-width="1.8"/>',
    "rule": '<path d="M3 1v18" stroke="currentColor" stroke-width="2"/>'
    '<path d="M3 2h13l-3.5 4.2L16 10.500H3z" fill="currentColor"/>',
    "fixed": f'<path d="M4 9h12v9H4zM6.5 9V6a3.5 3.5 0 0 1 7 0v3" {_LINE} stroke-width="1.8"/>',
    "yes": f'{_RING}<path d="m5.8 10.2 3 3 5.4-6" {_LINE} stroke-width="1.8"/>',
    "no": f'{_RING}<path d="m6.7 6.7 6.6 6.6m0-6.6-6.6 6.6" stroke="currentColor" stroke-width="1.8"/>',
    "half": f'{_RING}<path d="M10 1.400a8.600 8.600 0 0 0 0 17.200z" fill="currentColor"/>',
    "clock": f'{_RING}<path d="M10 4.8V10l3.6 2.4" {_LINE} stroke-width="1.8"/>',
    "away": f'<circle cx="10" cy="10" r="8.6" {_LINE} stroke-width="1.6" stroke-dasharray="3.4 2.6"/>',
    "swap": f'<path d="M2 6.5h14m-4-4 4 4-4 4M18 13.5H4m4-4-4 4 4 4" {_LINE} stroke-width="1.6"/>',
}  # fmt: skip


def icon(name: str, pixels: int = 16) -> Markup:
    """One icon as inline SVG. Raises KeyError for a name that is not drawn."""
    return Markup(  # noqa: S704 - made of the constants above and an int
        f'<svg width="{int(pixels)}" height="{int(pixels)}" viewBox="0 0 20 20" aria-hidden="true" focusable="false">'
        f"{_DRAWN[name]}</svg>"
    )
