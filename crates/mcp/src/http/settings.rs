//! A server over HTTP, with every variable of its config filled in.

use std::sync::Arc;

use url::Url;

use ananke_agents::http::HttpOptions;

/// A server over HTTP.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HttpSettings {
    /// The URL of the server.
    pub(crate) endpoint: Url,
    /// The kind of its endpoints.
    pub(crate) endpoints: Endpoints,
    /// The headers of the config.
    pub(crate) headers: Vec<(String, String)>,
    /// The options of its connections.
    pub(crate) options: Arc<HttpOptions>,
}

/// The kinds of endpoints that a server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endpoints {
    /// One, for everything.
    One,
    /// One for what the server says, which names the other one, for what it is sent.
    Two,
}
