"""Reads a page the way a browser does, as far as the tests need: elements, attributes, ids, text."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = {"meta", "link", "input", "br", "path", "circle"}


class Page(HTMLParser):
    """One parsed page.

    Attributes:
        elements: (tag, attributes) in the order of the document.
        text: all text, joined.
        unclosed: tags that were opened and not closed in order.
    """

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.html = html
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.misnested: list[str] = []
        self.feed(html)
        self.close()

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def all(self, tag: str, **wanted: str) -> list[dict[str, str]]:
        """Attributes of each element with this tag and these attributes."""
        found = [attributes for name, attributes in self.elements if name == tag]
        return [one for one in found if all(one.get(key.rstrip("_")) == value for key, value in wanted.items())]

    def ids(self) -> list[str]:
        return [attributes["id"] for _, attributes in self.elements if "id" in attributes]

    def title(self) -> str:
        return self.html.partition("<title>")[2].partition("</title>")[0]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"an attribute stands twice in <{tag}>"
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.misnested.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def forms_of(html: str) -> list[tuple[dict[str, str], list[dict[str, str]]]]:
    """(attributes of a form, attributes of its named fields) for each form of a page, fields outside it by `form=` too."""
    page = Page(html)
    found: list[tuple[dict[str, str], list[dict[str, str]]]] = []
    for tag, attributes in page.elements:
        if tag == "form":
            found.append((attributes, []))
    for form, fields in found:
        inside = _inside(html, form)
        fields.extend(inside)
        for tag, attributes in page.elements:
            if attributes.get("form") and attributes["form"] == form.get("id") and attributes.get("name"):
                fields.append({"tag": tag, **attributes})
    return found


def _inside(html: str, form: dict[str, str]) -> list[dict[str, str]]:
    fields: list[dict[str, str]] = []
    within = False
    for tag, attributes in _walk(html):
        if tag == "form":
            within = attributes == form and not fields
        elif tag == "/form":
            within = False
        elif within and attributes.get("name") and "form" not in attributes:
            fields.append({"tag": tag, **attributes})
    return fields


def _walk(html: str) -> list[tuple[str, dict[str, str]]]:
    found: list[tuple[str, dict[str, str]]] = []

    class Walk(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append((tag, {name: value or "" for name, value in attrs}))

        def handle_endtag(self, tag: str) -> None:
            found.append((f"/{tag}", {}))

    Walk().feed(html)
    return found
