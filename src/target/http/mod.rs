//! HTTP for every protocol: the byte seam, the network behind it, and what a config says of it.

mod client;
mod header;
mod transport;

pub use client::{HttpTransport, shown, status};
pub use header::header;
pub use transport::{Body, Chunks, Deed, Head, HttpRequest, Next, Reply, Transport};
