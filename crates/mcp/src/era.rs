//! The two eras of the protocol: the versions that begin with `initialize`, and the one without a beginning.

use serde_json::{Map, Value, json};

use super::rpc_response::RpcError;
use ananke_base::message::ServerRequestKind;

/// The version without `initialize`: each request says who asks.
pub(super) const MODERN: &str = "2026-07-28";

/// The versions that begin with `initialize`, the newest first.
pub(super) const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The version of this client. It is that of what is sent and not that of the program, so that recordings stay valid.
const CLIENT_VERSION: &str = "1";

/// Errors that only servers without `initialize` know: a header that differs, a capability that is missing.
const MODERN_ERRORS: [&str; 2] = ["-32020", "-32021"];

/// The version is not one of the server's.
const UNSUPPORTED_VERSION: &str = "-32022";

/// The era of the protocol that a server supports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProtocolEra {
    /// It was initialized with this version.
    Legacy(String),
    /// Each request says who asks.
    Modern,
}

/// The information about a server in the answer to `server/discover`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Discovery {
    /// It speaks [`MODERN`].
    Modern,
    /// It begins with `initialize`.
    Legacy,
    /// It speaks none of the versions that are known, but these.
    Unknown(Vec<String>),
}

impl Discovery {
    /// The discovery of this answer. Servers of the older era answer a method that they do not know with anything: errors
    /// of every kind, and empty results.
    pub(super) fn of(answer: &Result<Value, RpcError>) -> Self {
        match answer {
            Ok(result) => Self::of_versions(result.get("supportedVersions"), Self::Legacy),
            Err(RpcError {
                code: Some(code),
                data,
                ..
            }) if code == UNSUPPORTED_VERSION => {
                Self::of_versions(data.get("supported"), Self::Modern)
            }
            Err(RpcError {
                code: Some(code), ..
            }) if MODERN_ERRORS.contains(&code.as_str()) => Self::Modern,
            Err(_) => Self::Legacy,
        }
    }

    /// The discovery of a list of versions; `otherwise` if it is none.
    fn of_versions(listed: Option<&Value>, otherwise: Self) -> Self {
        let listed = listed
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let versions: Vec<String> = listed
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect();
        let has = |known: &str| versions.iter().any(|version| version == known);
        if versions.is_empty() {
            otherwise
        } else if has(MODERN) {
            Self::Modern
        } else if LEGACY.into_iter().any(has) {
            Self::Legacy
        } else {
            Self::Unknown(versions)
        }
    }
}

/// Whether the refusal of `initialize` says that the server speaks [`MODERN`].
pub(super) fn refuses_legacy(error: &RpcError) -> bool {
    error.code.as_deref() == Some(UNSUPPORTED_VERSION)
        && Discovery::of_versions(error.data.get("supported"), Discovery::Modern)
            == Discovery::Modern
}

/// The capabilities that the client declares.
fn capabilities(offered: &[ServerRequestKind]) -> Map<String, Value> {
    let offer = |kind: &ServerRequestKind| match kind {
        ServerRequestKind::Elicitation => ("elicitation".to_owned(), json!({ "form": {} })),
        ServerRequestKind::Sampling => ("sampling".to_owned(), json!({})),
        ServerRequestKind::Roots => ("roots".to_owned(), json!({})),
    };
    offered.iter().map(offer).collect()
}

fn client_info() -> Value {
    json!({ "name": "ananke", "version": CLIENT_VERSION })
}

/// The parameters of `initialize`.
pub(super) fn initialize(offered: &[ServerRequestKind]) -> Map<String, Value> {
    Map::from_iter([
        ("protocolVersion".to_owned(), LEGACY[0].into()),
        ("capabilities".to_owned(), capabilities(offered).into()),
        ("clientInfo".to_owned(), client_info()),
    ])
}

/// The `_meta` of every request without `initialize`: the description of the client, key by key.
pub(super) fn meta(offered: &[ServerRequestKind]) -> Map<String, Value> {
    Map::from_iter([
        (
            "io.modelcontextprotocol/protocolVersion".to_owned(),
            MODERN.into(),
        ),
        (
            "io.modelcontextprotocol/clientInfo".to_owned(),
            client_info(),
        ),
        (
            "io.modelcontextprotocol/clientCapabilities".to_owned(),
            capabilities(offered).into(),
        ),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: i32, data: Value) -> Result<Value, RpcError> {
        Err(RpcError {
            code: Some(code.to_string()),
            message: String::new(),
            data,
        })
    }

    #[test]
    fn only_a_list_of_versions_or_an_error_of_its_own_is_modern() {
        let unknown = Discovery::Unknown(vec!["2999-01-01".to_owned()]);
        for (answer, expected) in [
            (
                Ok(json!({ "supportedVersions": [MODERN] })),
                Discovery::Modern,
            ),
            (
                Ok(json!({ "supportedVersions": ["2025-11-25", MODERN] })),
                Discovery::Modern,
            ),
            (
                Ok(json!({ "supportedVersions": ["2025-11-25"] })),
                Discovery::Legacy,
            ),
            (
                Ok(json!({ "supportedVersions": ["2999-01-01"] })),
                unknown.clone(),
            ),
            (Ok(json!({ "supportedVersions": [] })), Discovery::Legacy),
            (Ok(json!({})), Discovery::Legacy),
            (Ok(Value::Null), Discovery::Legacy),
            (error(-32601, Value::Null), Discovery::Legacy),
            (error(-32602, Value::Null), Discovery::Legacy),
            (error(-32000, Value::Null), Discovery::Legacy),
            (error(-32020, Value::Null), Discovery::Modern),
            (error(-32021, Value::Null), Discovery::Modern),
            (
                error(-32022, json!({ "supported": ["2999-01-01"] })),
                unknown,
            ),
            (
                error(-32022, json!({ "supported": ["2025-06-18"] })),
                Discovery::Legacy,
            ),
            (error(-32022, Value::Null), Discovery::Modern),
        ] {
            assert_eq!(Discovery::of(&answer), expected, "{answer:?}");
        }
    }
}
