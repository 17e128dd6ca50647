//! The turns of agents that the client runs: each is a request of ananke, and the events that come before its answer.
//!
//! **Always:** an event belongs to the turn that it names, and to no other: one that comes after the end of its turn is a warning.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ananke::agents::external::{AgentInput, AgentTurn, ProgramTurn, TurnNews};
use ananke::text::{escape, truncate};
use futures_util::future::BoxFuture;
use serde::Deserialize as _;
use serde_json::{Map, Value};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::client_line::CallbackAnswer;
use super::reported_turn::ReportedTurn;
use super::session_client::SessionClient;
use super::session_messages::{AgentEventNotice, AgentTurnCallback};

/// The number of late events of a session that are warned of one by one.
const MOST_LATE: usize = 20;

/// The longest name in a warning, in bytes.
const LONGEST_NAME: usize = 100;

/// The turns of all sessions. Clones share them.
#[derive(Clone, Default)]
pub(super) struct ClientTurns(Arc<Mutex<HashMap<String, SessionTurns>>>);

/// The turn of a session that goes on, and what came too late.
#[derive(Default)]
struct SessionTurns {
    open: Option<AwaitedTurn>,
    /// The warnings about events that came too late, until a result reports them.
    warnings: Vec<String>,
    /// The number of late events that are not among the warnings.
    further: usize,
    /// The last turn, if the session is that of a test: its client gets no other result of the turn.
    last: Option<ReportedTurn>,
}

/// The owner of a turn that the client makes.
#[derive(Clone, Copy, Debug)]
pub(super) enum TurnOwner<'a> {
    /// The session of this name, which the client has opened.
    Session(&'a str),
    /// A test, whose session is the thread of its conversation.
    Test,
}

/// A turn that the client makes.
struct AwaitedTurn {
    number: u64,
    news: UnboundedSender<TurnNews>,
}

impl ClientTurns {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, SessionTurns>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the client for a turn. The request is sent when the turn is asked for its first event.
    pub(super) fn begin(
        &self,
        client: &SessionClient,
        owner: TurnOwner<'_>,
        turn: AgentTurn,
    ) -> Box<dyn ProgramTurn> {
        let AgentTurn {
            agent,
            thread,
            turn: number,
            input,
        } = turn;
        let session = match owner {
            TurnOwner::Session(session) => session.to_owned(),
            TurnOwner::Test => thread,
        };
        let (news, received) = unbounded_channel();
        let mut sessions = self.lock();
        let of_session = sessions.entry(session.clone()).or_default();
        of_session.open = Some(AwaitedTurn { number, news });
        let mut params = AgentTurnCallback {
            session: session.clone(),
            turn: number,
            agent: None,
            before: None,
            input,
        };
        // The client knows its own sessions. A test is new to it, so the request names the agent, and says what was before.
        if let TurnOwner::Test = owner {
            let text = match &params.input {
                AgentInput::Input(text) => Some(text.clone()),
                AgentInput::Answers(_) => None,
            };
            params.agent = Some(agent);
            let mut next = ReportedTurn::default().followed_by(text.clone());
            if let Some(mut last) = of_session.last.take() {
                next = last.followed_by(text);
                params.before = Some(last.into_earlier());
            }
            of_session.last = Some(next);
        }
        drop(sessions);
        let params = serde_json::to_value(params).unwrap_or_default();
        let client = client.clone();
        // The timeout of the target ends the turn, and so cancels the request.
        let answer = async move { client.ask("agent/turn", params, Duration::MAX).await };
        Box::new(ClientTurn {
            turns: self.clone(),
            session,
            number,
            received,
            answer: Box::pin(answer),
            end: None,
        })
    }

    /// Takes an event of a turn. One that cannot be read belongs to the turn that its session makes, which fails.
    pub(super) fn take(&self, params: Map<String, Value>) {
        let mut sessions = self.lock();
        let Some(Value::String(session)) = params.get("session") else {
            return;
        };
        // A session that is closed has nothing that could report its events.
        let Some(of_session) = sessions.get_mut(session) else {
            return;
        };
        let Ok(notice) = AgentEventNotice::deserialize(&params) else {
            if let Some(open) = &of_session.open {
                let _is_over = open.news.send(TurnNews::Event(params.into()));
            }
            return;
        };
        match &of_session.open {
            Some(open) if open.number == notice.turn => {
                if let Some(last) = &mut of_session.last {
                    last.take(&notice.event);
                }
                let _is_over = open.news.send(TurnNews::Event(notice.event));
            }
            Some(_) | None => of_session.add_late(&notice),
        }
    }

    /// The warnings of a session since the last result.
    pub(super) fn warnings(&self, session: &str) -> Vec<String> {
        match self.lock().get_mut(session) {
            Some(of_session) => of_session.take_warnings(),
            None => Vec::new(),
        }
    }

    /// Forgets a session, and gives its last warnings.
    pub(super) fn close(&self, session: &str) -> Vec<String> {
        match self.lock().remove(session) {
            Some(mut of_session) => of_session.take_warnings(),
            None => Vec::new(),
        }
    }

    /// Ends a turn: what comes of it from now on is late.
    fn end(&self, session: &str, number: u64) {
        if let Some(of_session) = self.lock().get_mut(session)
            && let Some(open) = &of_session.open
            && open.number == number
        {
            of_session.open = None;
        }
    }
}

impl SessionTurns {
    fn add_late(&mut self, notice: &AgentEventNotice) {
        if self.warnings.len() >= MOST_LATE {
            self.further += 1;
            return;
        }
        let kind = match shown(&notice.event, "type") {
            Some(kind) => kind,
            None => "event".to_owned(),
        };
        // A result has only the id of its call.
        let mut of = shown(&notice.event, "name");
        if of.is_none() {
            of = shown(&notice.event, "id");
        }
        let of = match of {
            Some(of) => format!(" `{of}`"),
            None => String::new(),
        };
        let turn = notice.turn;
        self.warnings.push(format!(
            "the {kind}{of} of turn {turn} came after the end of the turn, and is not part of it"
        ));
    }

    fn take_warnings(&mut self) -> Vec<String> {
        let mut warnings = std::mem::take(&mut self.warnings);
        let further = std::mem::take(&mut self.further);
        if further > 0 {
            warnings.push(format!(
                "{further} further events came after the end of their turn"
            ));
        }
        warnings
    }
}

/// The text at a key of an event, in a form for messages.
fn shown(event: &Value, key: &str) -> Option<String> {
    let text = event.get(key)?.as_str()?;
    Some(escape::line(&truncate::bytes(text, LONGEST_NAME)).into_owned())
}

/// A turn that the client makes, as the conversation sees it.
struct ClientTurn {
    turns: ClientTurns,
    session: String,
    number: u64,
    received: UnboundedReceiver<TurnNews>,
    answer: BoxFuture<'static, CallbackAnswer>,
    /// The end of the turn, until the events before it are read.
    end: Option<TurnNews>,
}

impl ClientTurn {
    async fn next_news(&mut self) -> TurnNews {
        if self.end.is_none() {
            tokio::select! {
                biased;
                Some(news) = self.received.recv() => return news,
                answer = &mut self.answer => {
                    self.turns.end(&self.session, self.number);
                    self.end = Some(match answer {
                        Ok(answer) => TurnNews::Ended(answer),
                        Err(message) => TurnNews::Failed(message),
                    });
                }
            }
        }
        // Lines are read in their order, so all events of the turn are here once its answer is.
        if let Ok(news) = self.received.try_recv() {
            return news;
        }
        match self.end.take() {
            Some(end) => end,
            None => TurnNews::Failed("the turn has ended".to_owned()),
        }
    }
}

impl ProgramTurn for ClientTurn {
    fn next(&mut self) -> BoxFuture<'_, TurnNews> {
        Box::pin(self.next_news())
    }
}

impl Drop for ClientTurn {
    fn drop(&mut self) {
        self.turns.end(&self.session, self.number);
    }
}
