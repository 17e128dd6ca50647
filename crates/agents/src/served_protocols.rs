//! The protocols that can be served.

use super::registry::protocols;
use super::served::ServedProtocol;

/// The protocols that can be served, in the order of the registry.
pub fn served_protocols() -> impl Iterator<Item = &'static dyn ServedProtocol> {
    protocols().iter().filter_map(|protocol| protocol.served)
}
