//! Places as the YAML crate reports them, and how deep values may be.

use serde_yaml::Location;

use crate::diagnostic::Span;

/// The deepest nesting of lists and mappings: far beyond what people write, far below what the stack bears.
pub(super) const MAX_DEPTH: usize = 64;

/// The place of a value in the text; for the value of an alias, the place of the alias.
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
