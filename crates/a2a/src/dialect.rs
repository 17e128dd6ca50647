//! The dialect of an agent: the version of the protocol, and the binding that its messages have.

use std::fmt;

/// The header with which a client asks for the newest version.
pub(super) const NEWEST: (&str, &str) = ("a2a-version", "1.0");

/// A version of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum A2aVersion {
    /// 1.0.
    V1,
    /// 0.3, and what came before it.
    V03,
}

/// The binding of the protocol: the transport of its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// Requests and responses of JSON-RPC, posted to one URL.
    JsonRpc,
    /// HTTP with a URL for each operation.
    HttpJson,
}

/// The version of the protocol and the binding of an agent's interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The version.
    pub version: A2aVersion,
    /// The binding.
    pub binding: Binding,
}

/// HTTP+JSON as it was in 0.3, with shapes of its own.
pub(super) const OLD_HTTP: Dialect = Dialect {
    version: A2aVersion::V03,
    binding: Binding::HttpJson,
};

/// The operations of the protocol that ananke requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// To take a message.
    Send,
    /// To take a message, and to stream what comes of it.
    Stream,
    /// The present state of a task.
    GetTask,
}

impl A2aVersion {
    /// The version that a card names: `1.0`, `1.0.1`, `0.3.0`; `None` if it is not known.
    pub(super) fn of_card(name: &str) -> Option<Self> {
        let name = name.trim().trim_start_matches('v');
        match name.split('.').next()? {
            "1" => Some(Self::V1),
            "0" => Some(Self::V03),
            _ => None,
        }
    }
}

impl Binding {
    /// The binding that a card names; `None` if it is not supported.
    pub(super) fn of_card(name: &str) -> Option<Self> {
        match name.to_ascii_uppercase().as_str() {
            "JSONRPC" => Some(Self::JsonRpc),
            "HTTP+JSON" => Some(Self::HttpJson),
            _ => None,
        }
    }
}

impl Operation {
    /// The method of JSON-RPC.
    pub(super) fn method(self, version: A2aVersion) -> &'static str {
        match (version, self) {
            (A2aVersion::V1, Self::Send) => "SendMessage",
            (A2aVersion::V1, Self::Stream) => "SendStreamingMessage",
            (A2aVersion::V1, Self::GetTask) => "GetTask",
            (A2aVersion::V03, Self::Send) => "message/send",
            (A2aVersion::V03, Self::Stream) => "message/stream",
            (A2aVersion::V03, Self::GetTask) => "tasks/get",
        }
    }
}

impl fmt::Display for A2aVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::V1 => "1.0",
            Self::V03 => "0.3",
        })
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::JsonRpc => "JSON-RPC",
            Self::HttpJson => "HTTP+JSON",
        })
    }
}
