from typing import Any
def drawing(*a: Any) -> str: return ""
def to_png(svg: str) -> bytes: return b""
