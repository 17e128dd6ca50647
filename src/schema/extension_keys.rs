//! Keys at the top of a file that are the user's own: they begin with `x-`.

use super::version::Version;
use crate::model::is_extension_key;
use crate::source::{Entry, Node};

/// The version since which a file may have such keys.
pub(super) const EXTENSION_KEYS_SINCE: Version = Version { major: 1, minor: 3 };

/// The keys of a file that are the user's own.
pub(super) fn extension_keys(root: &Node) -> impl Iterator<Item = &Entry> {
    root.entries().iter().filter(|entry| is_extension_key(&entry.key))
}
