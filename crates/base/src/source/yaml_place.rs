//! Places as the YAML crate reports them, and how deep values may be.

use serde_yaml::Location;

use crate::diagnostic::Span;

/// How deep lists and mappings may nest: far beyond what people write, far below what the stack bears.
pub(super) const MAX_DEPTH: usize = 64;

/// Where a value is written; for what an alias brings, where the alias is.
pub(super) fn span(location: Location) -> Span {
    let place = location.span();
    let start = place.byte_offset().unwrap_or(0);
    let end = start + place.byte_len().unwrap_or(0);
    let offset = |value| u32::try_from(value).unwrap_or(u32::MAX);
    Span {
        start: offset(start),
        end: offset(end),
    }
}
