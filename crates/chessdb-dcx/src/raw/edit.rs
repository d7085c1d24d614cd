//! Editing in place (docs/formats/dcx.md, sections 3.6 and 16).
