"""A build backend: maturin with options that pyproject.toml cannot set."""

import os

options = ["--compression-level", "9"]
# A source distribution has its lock file here, with entries that its part of the workspace does not need.
# Cargo removes these, which `--locked` forbids.
if not os.path.exists("Cargo.lock"):
    options.append("--locked")
os.environ.setdefault("MATURIN_PEP517_ARGS", " ".join(options))

from maturin import *  # noqa: E402, F403
