"""A build backend: maturin with the best compression, which pyproject.toml cannot set."""

import os

os.environ.setdefault("MATURIN_PEP517_ARGS", "--compression-level 9")

from maturin import *  # noqa: E402, F403
