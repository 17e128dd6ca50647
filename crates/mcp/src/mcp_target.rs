//! A server of MCP: a program, or one that is reached over HTTP.

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::client::Client;
use super::config::McpProtocol;
use super::connection::Connection;
use super::http::{HttpConnection, HttpSettings};
use super::session::McpSession;
use super::stdio::StdioConnection;
use super::turns::TOOLS;
use ananke_agents::http::place;
use ananke_agents::pipe::PipeProgram;
use ananke_agents::{Limits, Session, SessionOptions, Target, TargetError, listed_tools};
use ananke_base::message::DeclaredTool;
use ananke_trace::trace::Peer;

/// A server of MCP.
#[derive(Clone, Debug, PartialEq)]
pub struct McpTarget {
    place: ServerPlace,
    protocol: McpProtocol,
    max_response_bytes: usize,
}

/// The location of a server.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ServerPlace {
    /// It is this program.
    Program(PipeProgram),
    /// It is reached over HTTP.
    Http(HttpSettings),
}

impl McpTarget {
    /// The server at this place, which speaks this and may say this much in a turn.
    pub(super) fn new(
        place: ServerPlace,
        protocol: McpProtocol,
        max_response_bytes: usize,
    ) -> Self {
        Self {
            place,
            protocol,
            max_response_bytes,
        }
    }
}

impl Target for McpTarget {
    fn agent(&self) -> &'static str {
        "mcp"
    }

    fn peer(&self) -> Peer {
        Peer::Server
    }

    /// The same program with the same arguments, environment and directory; or the same endpoint.
    fn address(&self, _connector: Option<&str>) -> Option<String> {
        Some(match &self.place {
            ServerPlace::Program(program) => program.address(),
            ServerPlace::Http(settings) => place(&settings.endpoint),
        })
    }

    fn program(&self) -> Option<&PipeProgram> {
        match &self.place {
            ServerPlace::Program(program) => Some(program),
            ServerPlace::Http(_) => None,
        }
    }

    fn endpoint(&self) -> Option<&str> {
        match &self.place {
            ServerPlace::Program(_) => None,
            ServerPlace::Http(settings) => Some(settings.endpoint.as_str()),
        }
    }

    fn state(&self) -> &Value {
        &Value::Null
    }

    fn declared_tools<'a>(
        &'a self,
        options: SessionOptions,
        limits: &'a Limits,
    ) -> BoxFuture<'a, Result<Option<Vec<DeclaredTool>>, TargetError>> {
        Box::pin(async move {
            listed_tools(self, TOOLS.list(), options, limits)
                .await
                .map(Some)
        })
    }

    fn open(
        &self,
        options: SessionOptions,
    ) -> BoxFuture<'_, Result<Box<dyn Session>, TargetError>> {
        let SessionOptions {
            programs,
            transport,
            clock,
            offered,
            declares_tools,
            ..
        } = options;
        let connection = match &self.place {
            ServerPlace::Program(program) => {
                let mut program = program.clone();
                // A server is initialized with what its client offers: tests that offer something else have another.
                if let Some(sharing) = &mut program.sharing {
                    sharing.key = format!("{} {offered:?}", sharing.key);
                }
                Connection::Stdio(StdioConnection::new(program, programs))
            }
            ServerPlace::Http(settings) => {
                Connection::Http(Box::new(HttpConnection::new(settings.clone(), transport)))
            }
        };
        let mut client = Client::new(connection, self.protocol, offered);
        client.declares_tools = declares_tools;
        let session = McpSession::new(client, self.max_response_bytes, clock);
        Box::pin(async move { Ok(Box::new(session) as Box<dyn Session>) })
    }
}
