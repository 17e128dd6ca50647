//! From the keys of a target that is a server of MCP to the server.

use std::path::Path;
use std::sync::Arc;

use super::config::{McpConfig, McpProtocol, McpTransport};
use super::http::{Endpoints, HttpSettings};
use super::mcp_target::{McpTarget, ServerPlace};
use ananke_agents::Limits;
use ananke_agents::http::{HttpOptions, headers};
use ananke_agents::pipe::PipeProgram;
use ananke_base::diagnostic::{Code, Span};
use ananke_model::variables::{Interpolation, http_url};
use ananke_trace::process::WrittenCommand;

/// Checks and fills a target; `None` if something is known later or was reported.
pub(super) fn compile(
    target: &McpConfig,
    interpolation: &mut Interpolation<'_>,
) -> Option<McpTarget> {
    let options = target.http.fill(interpolation);
    let transport = &target.transport;
    let place = match transport.value {
        McpTransport::Stdio => {
            needs_no(
                target.endpoint.as_ref().map(|endpoint| endpoint.span),
                "endpoint",
                "http",
                interpolation,
            );
            program(target, options.as_ref(), interpolation).map(ServerPlace::Program)
        }
        McpTransport::Http => http(target, Endpoints::One, options.as_ref(), interpolation),
        McpTransport::Sse => http(target, Endpoints::Two, options.as_ref(), interpolation),
    };
    let protocol = match (transport.value, target.protocol) {
        (McpTransport::Sse, Some(McpProtocol::Modern)) => {
            let message = "`protocol: modern` does not go with `transport: sse`, which only older versions have";
            let help = Some("set `transport: http`".to_owned());
            interpolation.report(Code::Contradiction, transport.span, message, help);
            return None;
        }
        (McpTransport::Sse, _) => McpProtocol::Legacy,
        (_, protocol) => protocol.unwrap_or_default(),
    };
    let max_response_bytes = options?
        .max_response_bytes
        .unwrap_or(Limits::MAX_RESPONSE_BYTES);
    Some(McpTarget::new(place?, protocol, max_response_bytes))
}

fn program(
    target: &McpConfig,
    options: Option<&HttpOptions>,
    interpolation: &mut Interpolation<'_>,
) -> Option<PipeProgram> {
    let Some(command) = &target.command else {
        let help =
            "add `command:`, the program and its arguments, as in `command: [python3, server.py]`";
        missing(
            target.transport.span,
            "`transport: stdio` needs `command`",
            help,
            interpolation,
        );
        return None;
    };
    let written = WrittenCommand {
        cmd: command,
        env: target.env.as_ref(),
        cwd: target.cwd.as_ref(),
    };
    let command = written.fill(interpolation, Interpolation::sent_text)?;
    let home = interpolation
        .source()
        .path
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default();
    let max_line_bytes = options?.max_event_bytes.unwrap_or(Limits::MAX_EVENT_BYTES);
    Some(PipeProgram {
        command,
        home,
        max_line_bytes,
    })
}

fn http(
    target: &McpConfig,
    endpoints: Endpoints,
    options: Option<&HttpOptions>,
    interpolation: &mut Interpolation<'_>,
) -> Option<ServerPlace> {
    let command = target
        .command
        .as_ref()
        .and_then(|command| command.first())
        .map(|word| word.span);
    needs_no(command, "command", "stdio", interpolation);
    let headers = headers(target.headers.as_ref(), interpolation);
    let Some(written) = &target.endpoint else {
        let help =
            "add `endpoint:`, the URL of the server, as in `endpoint: http://localhost:8000/mcp`";
        missing(
            target.transport.span,
            "a server over HTTP needs `endpoint`",
            help,
            interpolation,
        );
        return None;
    };
    let endpoint = interpolation
        .sent_text(written)
        .ok()
        .and_then(|text| http_url(&text, "endpoint", written, interpolation));
    let options = Arc::new(options?.clone());
    Some(ServerPlace::Http(HttpSettings {
        endpoint: endpoint?,
        endpoints,
        headers: headers?,
        options,
    }))
}

fn missing(span: Span, message: &str, help: &str, interpolation: &mut Interpolation<'_>) {
    interpolation.report(Code::MissingKey, span, message, Some(help.to_owned()));
}

/// Reports a key that goes with another transport.
fn needs_no(span: Option<Span>, key: &str, transport: &str, interpolation: &mut Interpolation<'_>) {
    if let Some(span) = span {
        let message = format!("`{key}` goes with `transport: {transport}`");
        interpolation.report(
            Code::Contradiction,
            span,
            message,
            Some("keep one of them".to_owned()),
        );
    }
}
