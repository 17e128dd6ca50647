//! A server of MCP that is a program.

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::client::Client;
use super::config::McpProtocol;
use super::connection::Connection;
use super::session::McpSession;
use super::stdio::StdioConnection;
use crate::message::DeclaredTool;
use crate::target::declared_tools::listed_tools;
use crate::target::error::TargetError;
use crate::target::limits::Limits;
use crate::target::pipe::PipeProgram;
use crate::target::session::{Session, SessionOptions};
use crate::target::target::Target;

/// A server of MCP that is a program.
#[derive(Clone, Debug, PartialEq)]
pub struct McpTarget {
    program: PipeProgram,
    protocol: McpProtocol,
    max_response_bytes: usize,
}

impl McpTarget {
    /// The server that is this program, which speaks this and may say this much in a turn.
    pub fn new(program: PipeProgram, protocol: McpProtocol, max_response_bytes: usize) -> Self {
        Self { program, protocol, max_response_bytes }
    }
}

impl Target for McpTarget {
    fn agent(&self) -> &'static str {
        "mcp"
    }

    /// The same program with the same arguments, environment and directory.
    fn address(&self, _connector: Option<&str>) -> Option<String> {
        let PipeProgram { command, home, .. } = &self.program;
        Some(format!("{command:?} {}", home.display()))
    }

    fn state(&self) -> &Value {
        &Value::Null
    }

    fn declared_tools<'a>(
        &'a self,
        options: SessionOptions,
        limits: &'a Limits,
    ) -> BoxFuture<'a, Result<Option<Vec<DeclaredTool>>, TargetError>> {
        Box::pin(async move { listed_tools(self, options, limits).await.map(Some) })
    }

    fn open(&self, options: SessionOptions) -> BoxFuture<'_, Result<Box<dyn Session>, TargetError>> {
        let SessionOptions { programs, clock, offered, declares_tools, .. } = options;
        let connection = Connection::Stdio(StdioConnection::new(self.program.clone(), programs));
        let mut client = Client::new(connection, self.protocol, offered);
        client.declares_tools = declares_tools;
        let session = McpSession::new(client, self.max_response_bytes, clock);
        Box::pin(async move { Ok(Box::new(session) as Box<dyn Session>) })
    }
}
