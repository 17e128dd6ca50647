//! A server over HTTP, with every variable of its config filled in.

use std::sync::Arc;

use url::Url;

use crate::agents::http::HttpOptions;

/// A server over HTTP.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::agents::mcp) struct HttpSettings {
    /// Where it is.
    pub(in crate::agents::mcp) endpoint: Url,
    /// How many endpoints it has.
    pub(in crate::agents::mcp) endpoints: Endpoints,
    /// The headers of the config.
    pub(in crate::agents::mcp) headers: Vec<(String, String)>,
    /// What its connections need.
    pub(in crate::agents::mcp) options: Arc<HttpOptions>,
}

/// How many endpoints a server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::agents::mcp) enum Endpoints {
    /// One, for everything.
    One,
    /// One for what the server says, which names the other one, for what it is sent.
    Two,
}
