"""Writes files so that the old one stays as it was until the new one is whole.

A killed program must leave no half-written file behind, not even a hidden one, so on POSIX a small
shell waits beside the writer and clears its folder away when the writer ends, however it ends.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from nwol_sql.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def replacing(target: str | Path, overwrite: bool, stale: tuple[str, ...] = ()) -> Iterator[Path]:
    """Yield a path to write to; put the file in place of `target` if the block ends well.

    Raises FileError if `target` is there and may not be overwritten, is a folder, or lies in a
    folder that is missing or cannot be written. Files beside the target whose names go on with one
    of the suffixes in `stale` belong to the old file and go with it.
    """
    target = Path(os.path.realpath(target))
    if target.is_dir():
        raise FileError(f"{target} is a folder; name a file")
    if target.exists() and not target.is_file():
        raise FileError(f"{target} is no ordinary file, and is not replaced by one")
    if target.exists() and not overwrite:
        raise already_there(target)
    if not target.parent.is_dir():
        raise FileError(f"{target} cannot be written: there is no folder {target.parent}")
    folder = target.with_name(f".{target.name[:200]}.{secrets.token_hex(6)}")
    guard = _guard(folder)  # first, so that there is no moment without it
    try:
        folder.mkdir(mode=0o700)
        part = folder / target.name
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        if target.exists() and not overwrite:
            raise already_there(target)
        if target.exists():
            part.chmod(stat.S_IMODE(target.stat().st_mode))
        for suffix in stale:
            target.with_name(target.name + suffix).unlink(missing_ok=True)
        os.replace(part, target)
    except OSError as error:
        raise FileError(f"{target} cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if guard is not None:
            guard.communicate()


def already_there(path: Path) -> FileError:
    """Return the error for a file that must not be overwritten."""
    return FileError(f"{path} is there already; overwrite it with --force (in Python: force=True)")


def _guard(folder: Path) -> subprocess.Popen[bytes] | None:
    """Start the shell that removes `folder` when this program's end of the pipe closes."""
    if os.name != "posix":
        return None
    try:
        return subprocess.Popen(
            ["/bin/sh", "-c", 'read -r _; rm -rf -- "$1"', "sh", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None  # without a shell the folder is still cleared on every end but a kill
