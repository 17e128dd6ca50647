//! HTTP for every protocol: the byte seam, the network behind it, and what a config says of it.

mod cause;
mod client;
mod header;
mod transport;

pub use client::{HttpTransport, shown, status};
pub use header::header;
pub use transport::{Body, Chunks, ClientEvent, Head, HttpRequest, Method, Next, Reply, Transport};
