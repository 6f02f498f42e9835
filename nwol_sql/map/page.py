"""Writes the map as a page: one file without a link to any other, which opens from disk.

The page's own parts lie in the folder page. A campaign's texts enter it as escaped text and as JSON,
never as code: the page's policy admits no script and no style but its own, known by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from nwol_sql import __version__
from nwol_sql.explain import PHRASES

if TYPE_CHECKING:
    from nwol_sql.map import Layer

PARTS = Path(__file__).parent / "page"

# What could end a script element or a line of JavaScript, as JSON may write it too.
ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def page(data: dict[str, Any], turn: int, layer: Layer) -> str:
    """Return the page that shows the data, opened at a turn and layer."""
    script = "\n".join(path.read_text("utf-8") for path in sorted(PARTS.glob("*.js")))
    style = (PARTS / "page.css").read_text("utf-8")
    policy = {
        "default-src": "'none'",
        "script-src": _hash(script),
        "style-src": _hash(style),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    environment = Environment(
        loader=FileSystemLoader(PARTS), autoescape=True, undefined=StrictUndefined
    )
    return environment.get_template("page.html").render(
        policy="; ".join(f"{name} {value}" for name, value in policy.items()),
        version=__version__,
        title=data["title"],
        turn=turn,
        layer=str(layer),
        campaign=as_json(data),
        phrases=as_json(PHRASES),
        style=Markup(style),
        script=Markup(script),
    )


def as_json(data: Any) -> Markup:
    """Return JSON that can stand in a script element, whatever the texts in it are."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.translate(ESCAPES))


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
