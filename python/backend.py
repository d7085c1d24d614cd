"""maturin, which packs the wheel as well as it can: pyproject.toml has no word for that."""

import os

os.environ.setdefault("MATURIN_PEP517_ARGS", "--compression-level 9")

from maturin import *  # noqa: E402, F403
