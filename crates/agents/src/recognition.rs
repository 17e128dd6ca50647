//! The other protocol that an answer looks like, if it is not what a target's own protocol promises.
//!
//! An error quotes how the answer starts, and each protocol has signs by which its answers are known ([`Protocol::SIGNS`]). An
//! answer that has a sign of the target's own protocol is left as it is.
//!
//! [`Protocol::SIGNS`]: super::Protocol::SIGNS

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::passing::PassingRequests;
use super::registry::{Registration, protocols};
use super::session::{Request, Session, SessionOptions};
use super::sink::{Ended, Sink};
use super::{error::TargetError, limits::Limits, pipe::PipeProgram, target::Target};
use ananke_base::context::Clock;
use ananke_base::message::{DeclaredTool, RequestContext};
use ananke_trace::trace::{AgentTime, Peer};

/// The same target, whose errors name the protocol of an answer that is not its own.
pub(super) fn recognizing(inner: Arc<dyn Target>, own: &'static Registration) -> Arc<dyn Target> {
    Arc::new(RecognizingTarget { inner, own })
}

/// Adds help to an error of a target of the protocol `own`, if the quoted answer looks like one of another protocol.
pub fn recognized(error: TargetError, own: &Registration) -> TargetError {
    // A sign is a text by which the answers of a protocol are recognized. Without a quoted answer, no sign can be found. An
    // answer with a sign of the target's own protocol is wrong for another reason than its `type`.
    let answer_start = without_spaces(&error);
    if answer_start.is_empty() || own.has_sign_in(&answer_start) {
        return error;
    }
    let mut protocols = protocols().iter();
    let Some(other) = protocols.find(|protocol| protocol.has_sign_in(&answer_start)) else {
        return error;
    };
    error.with_help(format!(
        "the answer looks like one of `type: {}`, but the target has `type: {}`",
        other.name, own.name
    ))
}

/// Whether a request was answered, and the answer that `error` quotes is one of the protocol with this name: it is spoken, but
/// not as ananke needs it.
pub fn is_answer_of(name: &str, error: &TargetError) -> bool {
    // A refusal may quote the protocol too, and shows only that somewhere it is known.
    let Some(..300) = error.received.status else {
        return false;
    };
    match Registration::find(name) {
        Some(own) => own.has_sign_in(&without_spaces(error)),
        None => false,
    }
}

/// The start of the answer without spaces and lines, which are quoted as `\n`: servers differ in them.
fn without_spaces(error: &TargetError) -> String {
    let mut start = error.received.first_bytes.clone();
    for space in ["\\n", "\\r", "\\t", " "] {
        start = start.replace(space, "");
    }
    start
}

impl Registration {
    fn has_sign_in(&self, start: &str) -> bool {
        self.signs.iter().any(|sign| start.contains(sign))
    }
}

/// A target whose errors name the protocol of an answer that is not its own.
struct RecognizingTarget {
    inner: Arc<dyn Target>,
    own: &'static Registration,
}

impl fmt::Debug for RecognizingTarget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(formatter)
    }
}

impl Target for RecognizingTarget {
    fn agent(&self) -> &str {
        self.inner.agent()
    }

    fn peer(&self) -> Peer {
        self.inner.peer()
    }

    fn time(&self) -> AgentTime {
        self.inner.time()
    }

    fn endpoint(&self) -> Option<&str> {
        self.inner.endpoint()
    }

    fn state(&self) -> &Value {
        self.inner.state()
    }

    fn has_event_clock(&self) -> bool {
        self.inner.has_event_clock()
    }

    fn longest_wait(&self) -> Duration {
        self.inner.longest_wait()
    }

    fn address(&self, connector: Option<&str>) -> Option<String> {
        self.inner.address(connector)
    }

    fn program(&self) -> Option<&PipeProgram> {
        self.inner.program()
    }

    fn passing(&self) -> Option<&dyn PassingRequests> {
        self.inner.passing()
    }

    fn not_sent(&self, context: &RequestContext) -> Vec<String> {
        self.inner.not_sent(context)
    }

    fn prompted(&self, instructions: &str, connector: Option<&str>) -> Option<Box<dyn Target>> {
        let inner = Arc::from(self.inner.prompted(instructions, connector)?);
        Some(Box::new(Self {
            inner,
            own: self.own,
        }))
    }

    fn declared_tools<'a>(
        &'a self,
        options: SessionOptions,
        limits: &'a Limits,
    ) -> BoxFuture<'a, Result<Option<Vec<DeclaredTool>>, TargetError>> {
        let tools = self.inner.declared_tools(options, limits);
        Box::pin(async { tools.await.map_err(|error| recognized(error, self.own)) })
    }

    /// Opens a session of the target inside. Help is added to its errors if an answer looks like one of another protocol.
    fn open(
        &self,
        options: SessionOptions,
    ) -> BoxFuture<'_, Result<Box<dyn Session>, TargetError>> {
        let opened = self.inner.open(options);
        Box::pin(async {
            // Errors come from opening the session, and later from each exchange. So the session gets a wrapper as well.
            let inner = opened.await.map_err(|error| recognized(error, self.own))?;
            Ok(Box::new(RecognizingSession {
                inner,
                own: self.own,
            }) as Box<dyn Session>)
        })
    }
}

/// A session whose errors name the protocol of an answer that is not its own.
struct RecognizingSession {
    inner: Box<dyn Session>,
    own: &'static Registration,
}

impl Session for RecognizingSession {
    fn exchange<'a>(
        &'a mut self,
        request: Request,
        limits: &'a Limits,
        sink: &'a mut dyn Sink,
    ) -> BoxFuture<'a, Result<Ended, TargetError>> {
        let ended = self.inner.exchange(request, limits, sink);
        Box::pin(async { ended.await.map_err(|error| recognized(error, self.own)) })
    }

    fn clock(&self) -> &dyn Clock {
        self.inner.clock()
    }

    fn last_stderr(&mut self) -> BoxFuture<'_, String> {
        self.inner.last_stderr()
    }

    fn close(&mut self) -> BoxFuture<'_, Vec<String>> {
        self.inner.close()
    }
}
