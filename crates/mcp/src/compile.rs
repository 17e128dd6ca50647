//! From the keys of a target that is a server of MCP to the server.

use std::path::Path;
use std::sync::Arc;

use super::config::{McpConfig, McpProcess, McpProtocol, McpTransport};
use super::http::{Endpoints, HttpSettings};
use super::mcp_target::{McpTarget, ServerPlace};
use super::shared_server::SharedServer;
use ananke_agents::Limits;
use ananke_agents::http::{HttpOptions, headers};
use ananke_agents::pipe::{PipeProgram, ProgramSharing};
use ananke_base::diagnostic::{Code, Span};
use ananke_model::variables::{Fill as _, Interpolation, Leaf, NotReady, endpoint_url};
use ananke_trace::process::WrittenCommand;

/// Checks and fills a target.
///
/// # Errors
/// If something is known later or was reported.
pub(super) fn compile(
    target: &McpConfig,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<McpTarget> {
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
            program(
                target,
                options.as_ref().map_err(|not_ready| *not_ready),
                interpolation,
            )
            .map(ServerPlace::Program)
        }
        McpTransport::Http => http(
            target,
            Endpoints::One,
            options.as_ref().map_err(|not_ready| *not_ready),
            interpolation,
        ),
        McpTransport::Sse => http(
            target,
            Endpoints::Two,
            options.as_ref().map_err(|not_ready| *not_ready),
            interpolation,
        ),
    };
    let protocol = match (transport.value, target.protocol) {
        (McpTransport::Sse, Some(McpProtocol::Modern)) => {
            let message = "`protocol: modern` does not go with `transport: sse`, which only older versions have";
            let help = Some("set `transport: http`".to_owned());
            return Err(interpolation.report(Code::Contradiction, transport.span, message, help));
        }
        (McpTransport::Sse, _) => McpProtocol::Legacy,
        (_, protocol) => protocol.unwrap_or_default(),
    };
    let max_response_bytes = options?
        .max_response_bytes
        .unwrap_or(Limits::MAX_RESPONSE_BYTES);
    Ok(McpTarget::new(place?, protocol, max_response_bytes))
}

fn program(
    target: &McpConfig,
    options: Leaf<&HttpOptions>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<PipeProgram> {
    let Some(command) = &target.command else {
        let help =
            "add `command:`, the program and its arguments, as in `command: [python3, server.py]`";
        let message = "`transport: stdio` needs `command`";
        return Err(missing(target.transport.span, message, help, interpolation));
    };
    let written = WrittenCommand {
        cmd: command,
        env: target.env.as_ref(),
        cwd: target.cwd.as_ref(),
        may_lack_secrets: false,
    };
    let command = written.fill(interpolation, Interpolation::sent_text)?;
    let home = interpolation
        .source()
        .path
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default();
    let max_line_bytes = options?.max_event_bytes.unwrap_or(Limits::MAX_EVENT_BYTES);
    let is_shared = target
        .process
        .as_ref()
        .is_some_and(|process| process.value == McpProcess::Shared);
    let sharing = is_shared.then(|| ProgramSharing {
        key: format!("{:?} {max_line_bytes}", target.protocol.unwrap_or_default()),
        conversations: || Box::<SharedServer>::default(),
    });
    Ok(PipeProgram {
        command,
        home,
        max_line_bytes,
        sharing,
    })
}

fn http(
    target: &McpConfig,
    endpoints: Endpoints,
    options: Leaf<&HttpOptions>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<ServerPlace> {
    let command = target
        .command
        .as_ref()
        .and_then(|command| command.first())
        .map(|word| word.span);
    needs_no(command, "command", "stdio", interpolation);
    let process = target.process.as_ref().map(|process| process.span);
    needs_no(process, "process", "stdio", interpolation);
    let headers = headers(target.headers.as_ref(), interpolation);
    let Some(written) = &target.endpoint else {
        let help =
            "add `endpoint:`, the URL of the server, as in `endpoint: http://localhost:8000/mcp`";
        let message = "a server over HTTP needs `endpoint`";
        return Err(missing(target.transport.span, message, help, interpolation));
    };
    let endpoint = endpoint_url(written, "endpoint", interpolation);
    let options = Arc::new(options?.clone());
    Ok(ServerPlace::Http(HttpSettings {
        endpoint: endpoint?,
        endpoints,
        headers: headers?,
        options,
    }))
}

fn missing(
    span: Span,
    message: &str,
    help: &str,
    interpolation: &mut Interpolation<'_>,
) -> NotReady {
    interpolation.report(Code::MissingKey, span, message, Some(help.to_owned()))
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
