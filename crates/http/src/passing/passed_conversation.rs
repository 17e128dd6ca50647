//! A conversation that passes: the values and messages that are known in it.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::Value;

use super::super::calls::KnownCalls;
use super::super::conversation::HttpConversation;
use super::super::framing::BodyFraming;
use super::super::mapped_reader::{MappedReader, ReplyEnd};
use super::super::modes::StreamForm;
use super::super::request::{RequestTemplate, THREAD};
use super::super::settings::{HttpAgentSettings, ResponseUse};
use super::super::turn_requests::form_of;
use super::passed_message::PassedMessage;
use super::read_request::{INPUT, ReadRequest};
use ananke_agents::http::{Framing as _, StreamReader as _};
use ananke_agents::{
    Action, EventReader as _, PassedRequest, ServedResponse, Sink, SortedExchange, Stop, Wire,
};
use ananke_base::context::{At, SequentialIds};
use ananke_base::message::UserContent;
use ananke_trace::trace::Change;

/// The variables that say nothing about the conversation that a request belongs to.
const OF_TURN: [&str; 7] = [
    INPUT,
    "MESSAGES",
    "HISTORY",
    "TURN",
    "RESUME",
    "RESUME_ID",
    "RESUME_STATUS",
];

/// The most bytes of an event: 64 MiB, which is the most of a response that is kept.
const MOST_BYTES: usize = 64 << 20;

/// Values, messages and exchanges of one client, as far as its requests have passed.
pub(super) struct PassedConversation {
    /// The values and messages, as a test would have them.
    pub(super) conversation: HttpConversation,
    known: KnownCalls,
    /// The texts of the user.
    pub(super) said: Vec<String>,
    /// The number of requests of `start` so far.
    pub(super) started: usize,
    /// The number of the request of `then` that comes next; `None` before the first turn.
    pub(super) next_then: Option<usize>,
    /// The values of the cookies that responses have set, by the names of the cookies.
    cookies: BTreeMap<String, String>,
    pub(super) exchanges: Vec<SortedExchange>,
}

/// The certainty with which a request belongs to a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Certainty {
    /// Nothing says that it belongs to another one.
    NotContradicted,
    /// The user has said the same before.
    SameUser,
    /// Everything that was said before is the same.
    SameMessages,
    /// A value that only this conversation has.
    Identified,
}

impl PassedConversation {
    pub(super) fn new(settings: &Arc<HttpAgentSettings>, thread: Option<String>) -> Self {
        let mut conversation = HttpConversation::new(Arc::clone(settings), Vec::new());
        // The thread of the target is one of tests, and a client has its own.
        conversation.thread = thread;
        Self {
            conversation,
            known: KnownCalls::default(),
            said: Vec::new(),
            started: 0,
            next_then: None,
            cookies: BTreeMap::new(),
            exchanges: Vec::new(),
        }
    }

    /// Whether the values of a request are those of this conversation: the certainty, unless one is another.
    pub(super) fn certainty(
        &self,
        request: &PassedRequest,
        found: &ReadRequest,
    ) -> Option<Certainty> {
        let mut certainty = Certainty::NotContradicted;
        for (variable, bound) in &found.bound {
            if OF_TURN.contains(&variable.name.as_str()) {
                continue;
            }
            // The first request with a thread gives it to the conversation.
            if variable.name == THREAD && self.conversation.thread.is_none() {
                continue;
            }
            if !variable.gives(&|name| self.conversation.value(name), bound.as_ref()) {
                return None;
            }
            if bound.is_some() {
                certainty = Certainty::Identified;
            }
        }
        if let Some(variable) = &found.address {
            let value = self.conversation.value(&variable.name)?;
            if !self.is_address(value.as_str()?, &request.target) {
                return None;
            }
            certainty = Certainty::Identified;
        }
        Some(certainty)
    }

    /// The certainty with which a message continues the turns so far, by its values, its cookies and the history that it repeats; `None` if
    /// a value or the history is that of another conversation.
    pub(super) fn goes_on_with(
        &self,
        request: &PassedRequest,
        found: &ReadRequest,
        message: &PassedMessage,
    ) -> Option<Certainty> {
        let mut certainty = self.certainty(request, found)?;
        // One browser may hold several conversations, so that their messages say more than its cookies.
        if message.earlier.is_none() && self.has_cookies_of(request) {
            certainty = Certainty::Identified;
        }
        if certainty == Certainty::Identified || self.said.is_empty() {
            return Some(certainty);
        }
        // No value identifies the conversation, so only the repeated messages can: they differ between conversations.
        if message.earlier.as_ref() != Some(&self.said) {
            return None;
        }
        let mut next = self.conversation.clone();
        // The settings have a main request, so that a turn can begin.
        let _main = next.begin_turn(user(&message.text));
        for (variable, bound) in &found.bound {
            // The user said the same. Other replies only make that less certain, since a client may repeat them in another form.
            let is_history = matches!(variable.name.as_str(), "MESSAGES" | "HISTORY");
            if is_history && !variable.gives(&|name| next.value(name), bound.as_ref()) {
                return Some(Certainty::SameUser);
            }
        }
        Some(Certainty::SameMessages)
    }

    /// Whether a URL that a response gave leads to the target of a request.
    fn is_address(&self, url: &str, target: &str) -> bool {
        let Ok(url) = self.conversation.settings.base.join(url) else {
            return false;
        };
        let from_path = &url[url::Position::BeforePath..url::Position::AfterQuery];
        from_path == target
    }

    /// Whether a request has a cookie that a response of this conversation has set, and none with another value.
    fn has_cookies_of(&self, request: &PassedRequest) -> bool {
        let mut has_some = false;
        for (header, cookies) in &request.headers {
            if header != "cookie" {
                continue;
            }
            for cookie in cookies.split(';') {
                let Some((name, value)) = cookie.trim().split_once('=') else {
                    continue;
                };
                match self.cookies.get(name) {
                    Some(set) if set == value => has_some = true,
                    Some(_) => return false,
                    None => {}
                }
            }
        }
        has_some
    }

    /// Keeps the thread of the first request that has one.
    pub(super) fn keep_thread(&mut self, found: &ReadRequest) {
        if self.conversation.thread.is_none()
            && let Some(Value::String(thread)) = found.value(THREAD)
        {
            self.conversation.thread = Some(thread.clone());
        }
    }

    /// Begins a turn with what the user says.
    pub(super) fn begin_turn(&mut self, text: &str) {
        let _main = self.conversation.begin_turn(user(text));
        self.said.push(text.to_owned());
        self.next_then = Some(0);
    }

    /// Reads the response to a request of `template`: the values that it gives, and the messages of the agent if it is the one of its turn.
    pub(super) fn read(
        &mut self,
        template: &RequestTemplate,
        response: &ServedResponse,
        response_use: ResponseUse,
    ) {
        // Cookies come first, since a response that reports an error may set them too.
        for (name, value) in &response.headers {
            let cookie = value.split(';').next().unwrap_or_default();
            if name == "set-cookie"
                && let Some((name, value)) = cookie.split_once('=')
            {
                let name = name.trim().to_owned();
                self.cookies.insert(name, value.trim().to_owned());
            }
        }
        if !(200..300).contains(&response.status) {
            return;
        }
        for capture in &template.captures {
            if let Some(value) = capture.in_headers(&response.headers) {
                self.conversation.keep(capture.name.clone(), value);
            }
        }
        // The stream of a turn has its form from the config. Other responses are one JSON document, because captures read nothing else.
        let settings = Arc::clone(&self.conversation.settings);
        let ids = SequentialIds::default();
        let mut reader = MappedReader::new(&settings.response, &mut self.known, &ids);
        reader.look_for(&template.captures);
        let form = if response_use == ResponseUse::Read {
            form_of(settings.response.form, response.content_type())
        } else {
            StreamForm::Json
        };
        read_body(&mut reader, form, response);
        for (name, value) in reader.take_captured() {
            self.conversation.keep(name, value);
        }
        if response_use == ResponseUse::Read
            && let Ok(ReplyEnd::Complete(texts)) = reader.finish(&mut IdleSink)
        {
            self.conversation.add_reply(&texts);
        }
    }
}

/// Has the reader read a body. What is wrong with it is reported when its test is made.
fn read_body(reader: &mut MappedReader<'_>, form: StreamForm, response: &ServedResponse) {
    let (mut framing, known) = BodyFraming::new(form, MOST_BYTES);
    reader.begin_response(known);
    for frame in &response.frames {
        let mut rest = &frame.bytes[..];
        while let Ok(Some(event)) = framing.next_event(&mut rest) {
            if !reader.is_nothing(event)
                && reader.event(At::default(), event, &mut IdleSink).is_err()
            {
                return;
            }
        }
    }
    if let Some((event, true)) = framing.finish()
        && !reader.is_nothing(event)
    {
        let _is_read = reader.event(At::default(), event, &mut IdleSink);
    }
}

fn user(text: &str) -> Action {
    Action::User {
        message_id: String::new(),
        name: None,
        content: UserContent::Text(text.into()),
    }
}

/// Sink without effect, since only captured values and final texts of a response are needed.
struct IdleSink;

impl Sink for IdleSink {
    fn wire(&mut self, _: At, _: Wire<'_>) {}

    fn change(&mut self, _: At, _: Change<'_>) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }
}
