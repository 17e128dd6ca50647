//! The servers of a config: checked when it is loaded, filled when a run starts them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use url::Url;

use super::model_addresses::ServedAddresses;
use ananke_base::context::{Context, Environment, absolute_from, display_name};
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile, Span};
use ananke_model::model::{Ready, Server};
use ananke_model::variables::{Fill as _, Interpolation, Leaf, Pattern, http_url};
use ananke_trace::process::{CompiledCommand, WrittenCommand};

/// The time that a server may take to be ready without a setting (SPEC 4).
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// A server that can be started.
#[derive(Clone, Debug)]
pub struct ServerCommand {
    /// Its number in the config, counted from 1.
    pub number: usize,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Its whole environment.
    pub environment: Environment,
    /// The names of variables that no model of the run may change.
    own_variables: Vec<String>,
    /// The folder it runs in.
    pub folder: PathBuf,
    /// The folder as shown in messages.
    pub folder_name: String,
    /// The sign that it is ready.
    pub ready: Readiness,
    /// The time until it must be ready.
    pub timeout: Duration,
    /// Whether something that answers in its place already is used.
    pub reuse: bool,
    source: Arc<SourceFile>,
    command: Span,
    readiness: Span,
}

/// The sign that a server is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// This answers a GET with a status below 500.
    Url(Url),
    /// This port of the loopback interface takes connections.
    Port(u16),
    /// A line of its stdout matches.
    Stdout(Pattern),
}

impl ServerCommand {
    /// Sets variables that are known when the run starts; `None` removes one. Those that the config gives the server stay.
    pub fn add_variables(&mut self, variables: &[(String, Option<String>)]) {
        for (name, value) in variables {
            if self.own_variables.contains(name) {
                continue;
            }
            match value {
                Some(value) => self.environment.set(name, value),
                None => self.environment.remove(name),
            }
        }
    }

    /// Replaces the addresses of models in everything that it is started with.
    pub(crate) fn set_addresses(&mut self, served: &ServedAddresses) {
        for word in &mut self.argv {
            served.put_into(word);
        }
        for name in &self.own_variables {
            if let Some(value) = self.environment.text(name) {
                let mut value = value.to_owned();
                served.put_into(&mut value);
                self.environment.set(name, value);
            }
        }
        if let Readiness::Url(url) = &mut self.ready {
            let mut text = url.to_string();
            served.put_into(&mut text);
            // A URL with another host and port is one.
            if let Ok(served) = Url::parse(&text) {
                *url = served;
            }
        }
    }

    /// Puts a problem at its `cmd`.
    pub fn at_command(&self, problem: Diagnostic) -> Diagnostic {
        problem.at(&self.source, self.command, "")
    }

    /// Puts a problem at its `ready`.
    pub fn at_readiness(&self, problem: Diagnostic) -> Diagnostic {
        problem.at(&self.source, self.readiness, "")
    }
}

/// The program of a server, as it is written.
pub(crate) fn server_command(server: &Server) -> WrittenCommand<'_> {
    WrittenCommand {
        cmd: &server.cmd,
        env: server.env.as_ref(),
        cwd: server.cwd.as_ref(),
        may_lack_secrets: false,
    }
}

/// Fills one server, and reports everything that is wrong with it; `None` where something was reported. `number` is
/// counted from 1, `home` the config's folder.
pub(super) fn fill(
    server: &Server,
    number: usize,
    context: &Context,
    home: &Path,
    interpolation: &mut Interpolation<'_>,
) -> Option<ServerCommand> {
    let command = server_command(server).fill(interpolation, Interpolation::sent_text);
    let ready = readiness(&server.ready.value, interpolation);
    let timeout: Leaf<Option<_>> = server.timeout_ms.fill(interpolation);
    let reuse: Leaf<Option<_>> = server.reuse.fill(interpolation);
    if let (Ok(Some(true)), Ready::Stdout(_), Some(flag)) =
        (reuse, &server.ready.value, &server.reuse)
    {
        let message = "`reuse` needs a `url` or `port` that can be asked";
        let help = "the output of a server that is already running cannot be read";
        interpolation.report(
            Code::Contradiction,
            flag.span,
            message,
            Some(help.to_owned()),
        );
    }
    let CompiledCommand {
        argv,
        environment: own,
        cwd,
    } = command.ok()?;
    let folder = cwd.map_or_else(
        || home.to_path_buf(),
        |folder| absolute_from(context, home, folder.as_ref()),
    );
    context.files.note_command(&argv, &folder);
    let mut environment = (*context.environment).clone();
    let mut own_variables = Vec::new();
    for (name, _) in &own {
        own_variables.push(name.clone());
    }
    environment.extend(own);
    let first = server.cmd.first()?.span;
    let last = server.cmd.last()?.span;
    Some(ServerCommand {
        number,
        argv,
        environment,
        own_variables,
        folder_name: display_name(context, &folder),
        folder,
        ready: ready?,
        timeout: timeout.ok()?.unwrap_or(DEFAULT_TIMEOUT),
        reuse: reuse.ok()?.unwrap_or_default(),
        source: Arc::clone(interpolation.source()),
        command: Span {
            end: last.end,
            ..first
        },
        readiness: server.ready.span,
    })
}

fn readiness(written: &Ready, interpolation: &mut Interpolation<'_>) -> Option<Readiness> {
    match written {
        Ready::Url(text) => http_url(text, "url", interpolation)
            .ok()
            .map(Readiness::Url),
        Ready::Port(number) => {
            let port = interpolation.number(number).ok()?;
            let port = u16::try_from(port).ok().filter(|port| *port > 0);
            if port.is_none() {
                let help = "ports are the numbers from 1 to 65535".to_owned();
                interpolation.report(
                    Code::BadValue,
                    number.span,
                    "this is not a valid port",
                    Some(help),
                );
            }
            port.map(Readiness::Port)
        }
        Ready::Stdout(pattern) => interpolation.pattern(pattern).ok().map(Readiness::Stdout),
    }
}
