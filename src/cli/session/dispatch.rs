//! The requests of a client, each executed by what knows it.

use std::path::PathBuf;
use std::sync::Arc;

use ananke::text::{escape, nearest};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::task::JoinSet;

use super::client_line::ClientLine;
use super::line_input::{InputLine, LONGEST_LINE};
use super::project_tests::ProjectTests;
use super::protocol::{METHODS, PROTOCOL};
use super::request_keys::{ClientConfig, read};
use super::session_client::SessionClient;
use super::session_error::{SessionError, SessionErrorCode};
use super::session_messages::{Initialize, Initialized, Nothing, RunName};
use super::sessions::Sessions;

/// The number of requests that may wait for their answers.
const MOST_REQUESTS: usize = 4096;

/// The dispatcher that executes the requests of a client.
pub(super) struct Dispatcher {
    client: SessionClient,
    config: ClientConfig,
    sessions: Arc<Sessions>,
    tests: Arc<ProjectTests>,
    running: JoinSet<()>,
    progress: ClientProgress,
}

/// The progress of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ClientProgress {
    Connected,
    Initialized,
}

impl Dispatcher {
    /// Executes requests with these sessions and tests; `initialize` names `config`.
    pub(super) fn new(
        client: SessionClient,
        config: ClientConfig,
        sessions: Arc<Sessions>,
        tests: Arc<ProjectTests>,
    ) -> Self {
        Self {
            client,
            config,
            sessions,
            tests,
            running: JoinSet::new(),
            progress: ClientProgress::Connected,
        }
    }

    /// Takes a line. It waits for nothing.
    pub(super) fn take(&mut self, line: InputLine) {
        while self.running.try_join_next().is_some() {}
        let line = match line {
            InputLine::Whole(line) => line,
            InputLine::TooLong => {
                let most = LONGEST_LINE >> 20;
                let message = format!("the line is longer than {most} MiB, and was not read");
                let error = SessionError::new(SessionErrorCode::InvalidRequest, message);
                return self.client.refuse(&Value::Null, &error);
            }
        };
        match ClientLine::read(&line) {
            ClientLine::Ignored => {}
            ClientLine::Notification { method, params } => {
                // No other notification of a client has a meaning.
                if method == "agent/event" {
                    self.sessions.agent_event(params);
                }
            }
            ClientLine::Answer(id, answer) => self.client.take(id, answer),
            ClientLine::Wrong(id, error) => self.client.refuse(&id, &error),
            ClientLine::Request { id, method, params } => {
                if let Err(error) = self.request(&id, method, params) {
                    self.client.refuse(&id, &error);
                }
            }
        }
    }

    fn request(
        &mut self,
        id: &Value,
        method: String,
        params: Map<String, Value>,
    ) -> Result<(), SessionError> {
        if !METHODS.contains(&method.as_str()) {
            return Err(unknown(&method));
        }
        if self.running.len() >= MOST_REQUESTS {
            let message =
                format!("{MOST_REQUESTS} requests wait for their answers: wait for one of them");
            return Err(SessionError::new(SessionErrorCode::Busy, message));
        }
        // What comes next needs to know that this came before.
        let initialized = match (method.as_str(), self.progress) {
            ("initialize", ClientProgress::Connected) => Some(self.initialize(&params)?),
            ("initialize", ClientProgress::Initialized) => {
                let message = "`initialize` was sent before, and is sent once";
                return Err(SessionError::new(SessionErrorCode::InvalidRequest, message));
            }
            (_, ClientProgress::Connected) => {
                let message = format!("`{method}` came before `initialize`: send that first");
                return Err(SessionError::new(SessionErrorCode::NotInitialized, message));
            }
            (_, ClientProgress::Initialized) => None,
        };
        let (client, id) = (self.client.clone(), id.clone());
        let (sessions, tests) = (Arc::clone(&self.sessions), Arc::clone(&self.tests));
        self.running.spawn(async move {
            let result = match initialized {
                Some(initialized) => result(initialized),
                None => execute(&sessions, &tests, &id, &method, &params).await,
            };
            client.answer(&id, result).await;
        });
        Ok(())
    }

    fn initialize(&mut self, params: &Map<String, Value>) -> Result<Initialized, SessionError> {
        let Initialize { client: _, config } = read("initialize", params)?;
        if let Some(config) = config {
            self.config.name(PathBuf::from(config));
        }
        self.progress = ClientProgress::Initialized;
        Ok(Initialized {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION"),
            methods: METHODS,
        })
    }

    /// Waits until every request has its answer.
    pub(super) async fn finish(&mut self) {
        while self.running.join_next().await.is_some() {}
    }
}

/// Executes a request whose method is known.
async fn execute(
    sessions: &Sessions,
    tests: &Arc<ProjectTests>,
    id: &Value,
    method: &str,
    params: &Map<String, Value>,
) -> Result<Value, SessionError> {
    match method {
        "session/open" => result(sessions.open(read(method, params)?)?),
        "session/run" => result(sessions.run(read(method, params)?).await?),
        "session/resume" => result(sessions.resume(read(method, params)?).await?),
        "session/mock" => result(sessions.mock(read(method, params)?).await?),
        "session/unmock" => done(sessions.unmock(&read(method, params)?)),
        "session/check" => result(sessions.check(read(method, params)?).await?),
        "session/judge" => result(sessions.judge(read(method, params)?).await?),
        "session/history" => result(sessions.history(&read(method, params)?).await?),
        "session/state" => result(sessions.state(&read(method, params)?).await?),
        "session/cancel" => done(sessions.cancel(&read(method, params)?)),
        "session/close" => result(sessions.close(&read(method, params)?).await?),
        "run/release" => {
            let RunName { run } = read(method, params)?;
            sessions.release(&run);
            done(Ok(()))
        }
        "tests/list" => result(tests.list(read(method, params)?).await?),
        // The future of a run is large: boxed, it does not become a part of that of every request.
        "tests/run" => result(Box::pin(tests.run(id, read(method, params)?)).await?),
        "tests/cancel" => {
            let Nothing {} = read(method, params)?;
            tests.cancel();
            done(Ok(()))
        }
        "tests/end" => done(tests.end_project(read(method, params)?).await),
        _ => Err(unknown(method)),
    }
}

fn result(result: impl Serialize) -> Result<Value, SessionError> {
    serde_json::to_value(result).map_err(SessionError::project)
}

fn done(result: Result<(), SessionError>) -> Result<Value, SessionError> {
    result.map(|()| Value::Object(Map::new()))
}

fn unknown(method: &str) -> SessionError {
    let known = match nearest(method, METHODS.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the methods are {}", METHODS.join(", ")),
    };
    let method = escape::line(method);
    SessionError::new(
        SessionErrorCode::UnknownMethod,
        format!("there is no method `{method}`; {known}"),
    )
}
