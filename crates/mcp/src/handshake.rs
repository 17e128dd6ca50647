//! The beginning of a conversation: which era the server speaks is found out, without harm to servers that know only one.
//!
//! Slow servers answer late, others end when they are asked what they do not know, or never answer that. So what comes late
//! counts too, and a program that ended is started again.

use std::time::Duration;

use serde_json::{Map, Value};

use super::era::{self, Discovery, LEGACY, MODERN, ProtocolEra};
use super::incoming::AFTER_UNRECOGNISED;
use super::rpc_response::{McpResponse, RpcError};
use super::talk::{Break, Talk};
use super::{client::Client, config::McpProtocol, outgoing::Outgoing, result::chosen_version};
use ananke_agents::TargetError;
use ananke_base::context::At;

/// The time that the answer to `server/discover` is waited for before `initialize` is sent too.
const PROBE: Duration = Duration::from_secs(2);

/// The time that this answer may take after one that is not recognised: a server that answers so is asked for more.
const AFTER_ODD_ANSWER: Duration = Duration::from_millis(100);

impl Client {
    /// Finds out how the server is spoken to, and initializes it if it needs that. It does so once.
    pub(super) async fn connect(&mut self, talk: &mut Talk<'_>) -> Result<(), Break> {
        if self.era.is_some() {
            return Ok(());
        }
        let era = match self.protocol {
            McpProtocol::Legacy => self.initialize(None, talk).await?,
            McpProtocol::Modern => self.discover(talk).await?,
            McpProtocol::Auto => self.detect(talk).await?,
        };
        self.abandon(talk);
        self.era = Some(era.clone());
        if let ProtocolEra::Legacy(version) = era {
            // The notification is one of the negotiated version.
            self.connection.negotiated(&version);
            self.connection
                .send(&Outgoing::notification("notifications/initialized"), talk)
                .await?;
            self.connection.listen(talk).await;
        }
        Ok(())
    }

    async fn ask_discovery(&mut self, talk: &mut Talk<'_>) -> Result<(u64, At), Break> {
        let params = Map::from_iter([("_meta".to_owned(), era::meta(&self.offered).into())]);
        self.send("server/discover", params, talk).await
    }

    /// Speaks to a server that must be modern.
    async fn discover(&mut self, talk: &mut Talk<'_>) -> Result<ProtocolEra, Break> {
        let (_, at) = self.ask_discovery(talk).await?;
        let answer = self.response_until(talk.until(at), talk).await?;
        match Discovery::of(&answer.result) {
            Discovery::Modern => Ok(ProtocolEra::Modern),
            Discovery::Unknown(versions) => Err(unknown_versions(&versions).into()),
            Discovery::Legacy => {
                let why = answer
                    .result
                    .err()
                    .map(|error| format!(": {}", error.end()))
                    .unwrap_or_default();
                let message = format!("the server does not speak version `{MODERN}` of MCP{why}");
                Err(TargetError::new(message)
                    .with_help("leave out `protocol`, or set it to `legacy`")
                    .into())
            }
        }
    }

    /// Speaks to a server of any era.
    async fn detect(&mut self, talk: &mut Talk<'_>) -> Result<ProtocolEra, Break> {
        talk.patience = Some(PROBE);
        talk.incoming.patience = AFTER_ODD_ANSWER;
        let probed = self.ask_discovery(talk).await;
        let answer = match probed {
            Ok((id, at)) => {
                let until = talk.until(at);
                self.next_response(until, talk)
                    .await
                    .map(|answer| (id, answer))
            }
            Err(failed) => Err(failed),
        };
        talk.patience = None;
        talk.incoming.patience = AFTER_UNRECOGNISED;
        match answer {
            Ok((_, Some(answer))) => match Discovery::of(&answer.result) {
                Discovery::Modern => Ok(ProtocolEra::Modern),
                Discovery::Legacy => self.initialize(None, talk).await,
                Discovery::Unknown(versions) => Err(unknown_versions(&versions).into()),
            },
            Ok((id, None)) => self.initialize(Some(id), talk).await,
            // If the server cannot start at all, or knows no other request either, the second attempt says so.
            Err(Break::Failed(error)) if self.connection.can_begin_again(&error) => {
                self.abandon(talk);
                self.connection.restart().await;
                self.initialize(None, talk).await
            }
            Err(failed) => Err(failed),
        }
    }

    /// Initializes a server. The answer to the request `probe` may still come.
    async fn initialize(
        &mut self,
        probe: Option<u64>,
        talk: &mut Talk<'_>,
    ) -> Result<ProtocolEra, Break> {
        let (id, at) = self
            .send("initialize", era::initialize(&self.offered), talk)
            .await?;
        let until = talk.until(at);
        loop {
            let answer = self.response_until(until, talk).await?;
            if Some(answer.id) == probe {
                match Discovery::of(&answer.result) {
                    Discovery::Modern => return Ok(ProtocolEra::Modern),
                    Discovery::Unknown(versions) => return Err(unknown_versions(&versions).into()),
                    Discovery::Legacy => continue,
                }
            }
            if answer.id != id {
                continue;
            }
            return match answer.result {
                Ok(result) => version(result)
                    .map(ProtocolEra::Legacy)
                    .map_err(Break::from),
                Err(error) if self.protocol == McpProtocol::Auto && era::refuses_legacy(&error) => {
                    Ok(ProtocolEra::Modern)
                }
                Err(error) => Err(refused(error).into()),
            };
        }
    }

    async fn response_until(
        &mut self,
        until: At,
        talk: &mut Talk<'_>,
    ) -> Result<McpResponse, Break> {
        let response = self.next_response(until, talk).await?;
        response.ok_or_else(|| talk.timed_out(until))
    }
}

/// The version that the server chose.
fn version(result: Value) -> Result<String, TargetError> {
    let version = chosen_version(result)?;
    if LEGACY.contains(&version.as_str()) {
        Ok(version)
    } else {
        Err(unknown_versions(&[version]))
    }
}

fn unknown_versions(versions: &[String]) -> TargetError {
    let quoted = |versions: &[&str]| {
        let quoted: Vec<String> = versions
            .iter()
            .map(|version| format!("`{}`", ananke_base::source::printable(version)))
            .collect();
        quoted.join(", ")
    };
    let versions: Vec<&str> = versions.iter().take(10).map(String::as_str).collect();
    let (noun, is_unknown) = if versions.len() == 1 {
        ("version", "is")
    } else {
        ("the versions", "are")
    };
    let message = format!(
        "the server speaks {noun} {} of MCP, which {is_unknown} unknown",
        quoted(&versions)
    );
    let known: Vec<&str> = std::iter::once(MODERN).chain(LEGACY).collect();
    TargetError::new(message).with_help(format!("known are {}", quoted(&known)))
}

fn refused(error: RpcError) -> TargetError {
    let is_unknown_method = error.code.as_deref() == Some("-32601");
    let refused = TargetError::new(format!("the server refuses `initialize`: {}", error.end()));
    if is_unknown_method {
        return refused
            .with_help("it speaks JSON-RPC, but not MCP: is it a server of another protocol?");
    }
    refused
}
