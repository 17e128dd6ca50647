//! A turn that is ready to be sent: its context, next to the action that is requested, the answers to requests of a server while it
//! answers one of its client's, and the answer to an interrupt.

use std::time::Duration;

use serde_json::{Map, Value};

use super::{MessageId, TurnInput, map_strings};

/// A turn that is ready to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnRequest {
    /// Its id, if it has one.
    pub id: Option<String>,
    /// The input that it sends.
    pub input: TurnInput,
    /// The id and sender of its message, if they are given.
    pub message: MessageId,
    /// Its own timeout.
    pub timeout: Option<Duration>,
    /// The context that goes to the agent with its requests.
    pub context: RequestContext,
    /// The answers that a server gets that asks back.
    pub answers: ServerAnswers,
}

/// The context that goes to an agent with a request. Each protocol has places of its own for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestContext {
    /// Properties, over those of the target.
    pub props: Map<String, Value>,
    /// The options of the request: `connector`, `mode`, … (SPEC 9).
    pub options: Map<String, Value>,
    /// On whose behalf it is asked: `user`, `team`, …, each a text.
    pub caller: Map<String, Value>,
    /// What a turn adds to the request of its target.
    pub request: RequestAdditions,
}

impl RequestContext {
    /// The option that names the model of a request.
    pub const CONNECTOR: &'static str = "connector";

    /// The model of the request, if the caller names one.
    pub fn connector(&self) -> Option<&str> {
        self.options.get(Self::CONNECTOR)?.as_str()
    }
}

/// What a turn adds to the HTTP request that its target describes. Keys that the target has too are replaced.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestAdditions {
    /// Headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// Parameters of the query.
    pub query: Vec<(String, String)>,
    /// Keys of the body; mappings in it are added key by key.
    pub body: Map<String, Value>,
}

/// The input of a turn, and what its request has in addition.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientInput {
    /// The step that the user takes.
    pub input: TurnInput,
    /// The parts of its request that the target does not describe.
    pub request: RequestAdditions,
}

impl From<TurnInput> for ClientInput {
    /// Adds nothing.
    fn from(input: TurnInput) -> Self {
        Self {
            input,
            request: RequestAdditions::default(),
        }
    }
}

impl RequestAdditions {
    /// Whether nothing is added.
    pub fn is_empty(&self) -> bool {
        let Self {
            headers,
            query,
            body,
        } = self;
        headers.is_empty() && query.is_empty() && body.is_empty()
    }

    /// Replaces every text in it, apart from names, by what `map` makes of it.
    pub fn map_texts(&mut self, map: &impl Fn(&str) -> String) {
        for (_, value) in self.headers.iter_mut().chain(&mut self.query) {
            *value = map(value);
        }
        for value in self.body.values_mut() {
            map_strings(value, map);
        }
    }
}

/// On whose behalf the agent of a case file is asked if nothing else is said (SPEC 9).
const CALLER_OF_CASES: [(&str, &str); 6] = [
    ("user", "test-user"),
    ("team", "test-team"),
    ("locale", "en-us"),
    ("client_type", "test"),
    ("ip", "127.0.0.1"),
    ("referer", "agent-test"),
];

impl RequestContext {
    /// The context that goes along with the cases of case files by default.
    pub fn of_cases() -> Self {
        let caller = CALLER_OF_CASES.map(|(key, text)| (key.to_owned(), Value::from(text)));
        Self {
            caller: caller.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Properties alone.
    pub fn of_props(props: Map<String, Value>) -> Self {
        Self {
            props,
            ..Self::default()
        }
    }

    /// The names of the options and of the caller's data.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let names = self.options.keys().chain(self.caller.keys());
        names.map(String::as_str)
    }

    /// Puts this one over `outer`, key by key.
    pub fn put_over(&mut self, outer: &Self) {
        let Self {
            props,
            options,
            caller,
            request,
        } = std::mem::replace(self, outer.clone());
        self.props.extend(props);
        self.options.extend(options);
        self.caller.extend(caller);
        self.request.headers.extend(request.headers);
        self.request.query.extend(request.query);
        self.request.body.extend(request.body);
    }
}

/// A request of a server to its client while it answers one of the client's.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerRequest {
    /// The kind of the request.
    pub kind: ServerRequestKind,
    /// The question, in the server's words.
    pub message: String,
    /// Everything else that the protocol says about it: a JSON Schema of the answer, messages to complete.
    pub details: Value,
}

/// The kind of request that a server can make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerRequestKind {
    /// Input of the user.
    Elicitation,
    /// The answer of the client's model.
    Sampling,
    /// The directories that the client works on.
    Roots,
}

/// The answers of a turn, in the words of its protocol.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerAnswers {
    /// The answer to [`ServerRequestKind::Elicitation`].
    pub elicitation: Option<Value>,
    /// The answer to [`ServerRequestKind::Sampling`].
    pub sampling: Option<Value>,
    /// The answer to [`ServerRequestKind::Roots`].
    pub roots: Option<Value>,
}

impl ServerAnswers {
    /// The answer to a request of this kind, if there is one.
    pub fn to(&self, kind: ServerRequestKind) -> Option<&Value> {
        match kind {
            ServerRequestKind::Elicitation => self.elicitation.as_ref(),
            ServerRequestKind::Sampling => self.sampling.as_ref(),
            ServerRequestKind::Roots => self.roots.as_ref(),
        }
    }
}

/// The answer to what a server asks back.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerAnswer {
    /// This.
    Accepted(Value),
    /// The user declines.
    Declined,
}

/// The answer to an interrupt.
#[derive(Clone, Debug, PartialEq)]
pub struct InterruptAnswer {
    /// The interrupt's id.
    pub id: String,
    /// Whether it is answered, and not cancelled.
    pub is_resolved: bool,
    /// The answer.
    pub payload: Option<Value>,
}
