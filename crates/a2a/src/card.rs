//! Agent cards: where an agent is and how it is asked, in the shapes of 1.0 and 0.3, which one card may have both.

use serde_json::Value;
use url::Url;

use super::dialect::{A2aVersion, Binding, Dialect};
use super::skills::skills;
use ananke_base::message::DeclaredTool;

/// The fields of an agent card that ananke uses.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentCard {
    /// Its URL and how it is asked: the first of its interfaces that is supported.
    pub interface: Interface,
    /// Whether it streams.
    pub is_streaming: bool,
    /// The names of its security schemes.
    pub schemes: Vec<String>,
    /// The skills that the card declares.
    pub skills: Vec<DeclaredTool>,
}

/// The URL of an agent, and how it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Its URL.
    pub url: Url,
    /// The version of the protocol and the binding that its interface has.
    pub dialect: Dialect,
    /// The tenant, which every request repeats.
    pub tenant: Option<String>,
}

/// An interface as a card writes it.
struct WrittenInterface<'a> {
    url: &'a str,
    binding: &'a str,
    version: &'a str,
    tenant: Option<&'a str>,
}

/// The binding of a card that names none.
const DEFAULT_BINDING: &str = "JSONRPC";

impl AgentCard {
    /// The card of an agent of which nothing but the URL is known.
    pub(super) fn assumed(url: Url) -> Self {
        let dialect = Dialect {
            version: A2aVersion::V1,
            binding: Binding::JsonRpc,
        };
        let interface = Interface {
            url,
            dialect,
            tenant: None,
        };
        Self {
            interface,
            is_streaming: false,
            schemes: Vec::new(),
            skills: Vec::new(),
        }
    }

    /// Whether `document` has what makes a card.
    pub(super) fn is_card(document: &Value) -> bool {
        document
            .get("supportedInterfaces")
            .is_some_and(Value::is_array)
            || document.get("url").is_some_and(Value::is_string)
    }

    /// Reads a card, which came from `base`, if it was requested. `endpoint` replaces the URL that it contains.
    ///
    /// # Errors
    /// The reason that no interface of it can be used.
    pub(super) fn read(
        card: &Value,
        base: Option<&Url>,
        endpoint: Option<&Url>,
    ) -> Result<Self, String> {
        let written = interfaces(card, endpoint);
        let supported = written
            .iter()
            .find_map(|written| Some((written, written.dialect()?)));
        let Some((written, dialect)) = supported else {
            let offered: Vec<String> = written.iter().map(WrittenInterface::describe).collect();
            let offered = if offered.is_empty() {
                "none".to_owned()
            } else {
                offered.join(", ")
            };
            return Err(format!(
                "the agent card has no interface that is supported: {offered}"
            ));
        };
        let url = match endpoint {
            Some(endpoint) => endpoint.clone(),
            None => written.url(base)?,
        };
        let tenant = written
            .tenant
            .filter(|tenant| !tenant.is_empty())
            .map(str::to_owned);
        let schemes = card.get("securitySchemes").and_then(Value::as_object);
        Ok(Self {
            interface: Interface {
                url,
                dialect,
                tenant,
            },
            is_streaming: card.pointer("/capabilities/streaming") == Some(&Value::Bool(true)),
            schemes: schemes
                .into_iter()
                .flat_map(|schemes| schemes.keys().cloned())
                .collect(),
            skills: skills(card),
        })
    }
}

/// The interfaces of a card, in the order of preference: those of 1.0, then those of 0.3. A card whose URL is replaced may
/// have none.
fn interfaces<'a>(card: &'a Value, endpoint: Option<&Url>) -> Vec<WrittenInterface<'a>> {
    let list = |key: &str| {
        card.get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let mut all: Vec<WrittenInterface<'_>> = Vec::new();
    for interface in list("supportedInterfaces") {
        all.push(WrittenInterface {
            url: str_of(interface, "url").unwrap_or_default(),
            binding: str_of(interface, "protocolBinding").unwrap_or(DEFAULT_BINDING),
            version: str_of(interface, "protocolVersion").unwrap_or("1.0"),
            tenant: str_of(interface, "tenant"),
        });
    }
    let version = str_of(card, "protocolVersion").unwrap_or("0.3");
    let older = |url, binding| WrittenInterface {
        url,
        binding,
        version,
        tenant: None,
    };
    if let Some(url) = str_of(card, "url") {
        all.push(older(
            url,
            str_of(card, "preferredTransport").unwrap_or(DEFAULT_BINDING),
        ));
    } else if all.is_empty() && endpoint.is_some() {
        all.push(older(
            "",
            str_of(card, "preferredTransport").unwrap_or(DEFAULT_BINDING),
        ));
    }
    for interface in list("additionalInterfaces") {
        let url = str_of(interface, "url").unwrap_or_default();
        all.push(older(
            url,
            str_of(interface, "transport").unwrap_or(DEFAULT_BINDING),
        ));
    }
    all
}

fn str_of<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

impl WrittenInterface<'_> {
    fn dialect(&self) -> Option<Dialect> {
        Some(Dialect {
            version: A2aVersion::of_card(self.version)?,
            binding: Binding::of_card(self.binding)?,
        })
    }

    fn url(&self, base: Option<&Url>) -> Result<Url, String> {
        let url = match base {
            Some(base) => base.join(self.url),
            None => Url::parse(self.url),
        };
        let shown = ananke_base::source::printable(self.url);
        match url {
            Ok(url)
                if matches!(url.scheme(), "http" | "https")
                    && url.has_host()
                    && !self.url.is_empty() =>
            {
                Ok(url)
            }
            _ => Err(format!(
                "the agent card says that the agent is at `{shown}`, which is not a URL over HTTP"
            )),
        }
    }

    fn describe(&self) -> String {
        let text = format!("{} {} at {}", self.binding, self.version, self.url);
        format!("`{}`", ananke_base::source::printable(&text))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn chosen(card: &Value) -> Result<(String, A2aVersion, Binding, Option<String>), String> {
        let base = "http://h:1/a/.well-known/agent-card.json".parse().unwrap();
        let Interface {
            url,
            dialect,
            tenant,
        } = AgentCard::read(card, Some(&base), None)?.interface;
        Ok((url.to_string(), dialect.version, dialect.binding, tenant))
    }

    #[test]
    fn the_first_supported_interface_of_either_shape_is_chosen() {
        use A2aVersion::{V1, V03};
        use Binding::{HttpJson, JsonRpc};
        let of = |binding: &str, version: &str| json!({ "url": "http://h/r", "protocolBinding": binding, "protocolVersion": version });
        let both = json!({
            "supportedInterfaces": [of("GRPC", "1.0"), of("HTTP+JSON", "1.0"), of("JSONRPC", "0.3")],
            "url": "http://h/old", "preferredTransport": "JSONRPC", "protocolVersion": "0.3",
        });
        for (card, url, version, binding) in [
            (both, "http://h/r", V1, HttpJson),
            (
                json!({ "supportedInterfaces": [of("JSONRPC", "0.3")] }),
                "http://h/r",
                V03,
                JsonRpc,
            ),
            (
                json!({ "supportedInterfaces": [of("GRPC", "1.0")], "url": "http://h/old" }),
                "http://h/old",
                V03,
                JsonRpc,
            ),
            (
                json!({ "url": "http://h/x", "protocolVersion": "0.2.5" }),
                "http://h/x",
                V03,
                JsonRpc,
            ),
            (
                json!({ "url": "http://h/x", "preferredTransport": "GRPC",
                    "additionalInterfaces": [{ "url": "http://h/y", "transport": "HTTP+JSON" }] }),
                "http://h/y",
                V03,
                HttpJson,
            ),
            (json!({ "url": "/rpc" }), "http://h:1/rpc", V03, JsonRpc),
        ] {
            assert_eq!(
                chosen(&card),
                Ok((url.to_owned(), version, binding, None)),
                "{card}"
            );
        }
    }

    #[test]
    fn an_empty_tenant_is_none() {
        let of = |tenant: &str| {
            let interface = json!({ "url": "http://h/r", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": tenant });
            chosen(&json!({ "supportedInterfaces": [interface] }))
                .unwrap()
                .3
        };
        assert_eq!((of(""), of("t-1")), (None, Some("t-1".to_owned())));
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        for (card, why) in [
            (
                json!({ "supportedInterfaces": [{ "url": "http://h/g", "protocolBinding": "GRPC", "protocolVersion": "1.0" }] }),
                "the agent card has no interface that is supported: `GRPC 1.0 at http://h/g`",
            ),
            (
                json!({ "supportedInterfaces": [] }),
                "the agent card has no interface that is supported: none",
            ),
            (
                json!({ "url": "grpc://h/g" }),
                "the agent card says that the agent is at `grpc://h/g`, which is not a URL over HTTP",
            ),
        ] {
            assert_eq!(chosen(&card), Err(why.to_owned()));
        }
    }

    #[test]
    fn an_endpoint_replaces_the_url() {
        let endpoint: Url = "http://h/real".parse().unwrap();
        for card in [
            json!({ "url": "http://wrong" }),
            json!({ "protocolVersion": "0.3" }),
        ] {
            let read = AgentCard::read(&card, None, Some(&endpoint)).unwrap();
            assert_eq!(
                (read.interface.url, read.is_streaming),
                (endpoint.clone(), false)
            );
        }
    }
}
