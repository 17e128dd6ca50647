//! HTTP for every protocol: the byte seam, its implementation by the network, its keys in a config, and what every exchange
//! has: refusals, limits, streams of events, and the evidence that errors quote. A protocol writes its requests and reads its
//! events ([`StreamReader`]).
//!
//! **Invariant:** requests are sent, and responses read and stamped, by a thread that does nothing else (`http_transport`);
//! redirects are not followed; cookies and credentials go to their own origin.

mod cause;
mod chunks;
mod client_kind;
mod content_encoding;
mod cookies;
mod document;
mod event_stream;
mod exchange;
mod forward;
mod header;
mod http_config;
mod http_options;
mod http_transport;
mod received;
mod request_progress;
mod retry_after;
mod same_place;
mod transport;

pub use chunks::Chunks;
pub use client_kind::status;
pub use cookies::CookieTransport;
pub use document::{Document, read_document};
pub(crate) use event_stream::END_MARK;
pub use event_stream::{Framing, StreamReader, read_events, read_framed};
pub use exchange::{Response, failure_help, refused, send};
pub use forward::{ForwardedResponse, Forwarder};
pub use header::{header, headers, headers_with_defaults, is_header};
pub use http_config::{HttpConfig, TlsConfig};
pub use http_options::{HttpOptions, TlsOptions};
pub use http_transport::{HttpTransport, shown};
pub use received::{BodyForm, ReceivedResponse};
pub use request_progress::RequestProgress;
pub use retry_after::{LONGEST_WAIT, RETRY_HEADERS, RejectedRetries, TOO_MANY_REQUESTS, retries};
#[cfg(feature = "mock")]
pub(crate) use same_place::is_loopback;
pub use same_place::{below, origin, place};
pub use transport::{Body, ClientEvent, HttpRequest, Method, Next, Reply, ResponseHead, Transport};
