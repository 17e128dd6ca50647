//! Finds the conversation that each request belongs to.

use std::sync::Arc;

use serde_json::Value;

use super::super::http_target::HttpTarget;
use super::super::request::{RequestTemplate, THREAD};
use super::super::settings::{HttpAgentSettings, ResponseUse};
use super::passed_conversation::{Certainty, PassedConversation};
use super::passed_message::PassedMessage;
use super::read_request::{Mismatch, ReadRequest};
use ananke_agents::{
    OtherRequest, PassedExchange, PassedRequest, PassedTurn, PassingRequests, RecognizedRequest,
    RequestStep, SortedExchange, SortedExchanges,
};
use ananke_base::message::{AnswerTo, PendingAnswer, TurnInput, UserContent};

/// A request that a target describes.
struct Recognized<'s> {
    step: RequestStep,
    template: &'s RequestTemplate,
    found: ReadRequest,
    /// The message of the user, of a main request.
    message: Option<PassedMessage>,
}

impl PassingRequests for HttpTarget {
    fn recognize(&self, request: &PassedRequest) -> Result<RecognizedRequest, OtherRequest> {
        let recognized = recognized(&self.settings, request)?;
        let first = &recognized[0];
        let words = match &first.message {
            Some(message) => format!("{:?}", message.text),
            None => format!("{} {}", request.method, path_of(request)),
        };
        Ok(RecognizedRequest {
            step: first.step,
            words,
            thread: first.thread(),
        })
    }

    fn sort(&self, exchanges: &[PassedExchange]) -> SortedExchanges {
        let mut requests = RequestSorter {
            settings: &self.settings,
            conversations: Vec::new(),
        };
        let mut others = Vec::new();
        for (number, exchange) in exchanges.iter().enumerate() {
            if let Err(other) = requests.add(number, exchange) {
                others.push((number, other));
            }
        }
        // A conversation without a turn cannot be a test, so its requests of `start` are named like those of no conversation.
        let mut sorted = SortedExchanges {
            conversations: Vec::new(),
            others,
        };
        for conversation in requests.conversations {
            if conversation.next_then.is_some() {
                sorted.conversations.push(conversation.exchanges);
                continue;
            }
            for exchange in conversation.exchanges {
                let other = OtherRequest {
                    reason: "no turn follows it".to_owned(),
                    is_turn: false,
                };
                sorted.others.push((exchange.number, other));
            }
        }
        sorted
    }
}

/// The requests that a request can be, at least one, the most similar first.
fn recognized<'s>(
    settings: &'s HttpAgentSettings,
    request: &PassedRequest,
) -> Result<Vec<Recognized<'s>>, OtherRequest> {
    let mut steps = vec![(RequestStep::Main, &settings.main)];
    if let Some(resume) = &settings.resume {
        steps.push((RequestStep::Resume, &resume.request));
    }
    for (number, start) in settings.start.iter().enumerate() {
        steps.push((RequestStep::Start(number), start));
    }
    for (number, then) in settings.then.iter().enumerate() {
        steps.push((RequestStep::Then(number), &then.request));
    }
    // Templates are similar, so that a request may be several of them. The first reason is kept, because the main request is tried first.
    let mut all = Vec::new();
    let mut reason = None;
    for (step, template) in steps {
        let found = match template.read_back(request) {
            Ok(found) => found,
            Err(Mismatch::Place) => continue,
            Err(Mismatch::Content(why)) => {
                reason.get_or_insert(why);
                continue;
            }
        };
        let message = match step {
            RequestStep::Main => match PassedMessage::of(settings, &found) {
                Ok(message) => Some(message),
                Err(why) => {
                    reason.get_or_insert(why);
                    continue;
                }
            },
            RequestStep::Start(_) | RequestStep::Resume | RequestStep::Then(_) => None,
        };
        all.push(Recognized {
            step,
            template,
            found,
            message,
        });
    }
    // A request of the right method and path may have been meant as a turn. Every other one is something else, such as a page.
    if all.is_empty() {
        return Err(match reason {
            Some(why) => OtherRequest {
                reason: why.to_owned(),
                is_turn: true,
            },
            None => OtherRequest {
                reason: "the target has no request of this method and path".to_owned(),
                is_turn: false,
            },
        });
    }
    // The sort is stable, so that the main request comes first if several are equally similar.
    all.sort_by_key(|recognized| recognized.found.differences());
    Ok(all)
}

impl Recognized<'_> {
    fn thread(&self) -> Option<String> {
        match self.found.value(THREAD) {
            Some(Value::String(thread)) => Some(thread.clone()),
            _ => None,
        }
    }
}

/// The conversations so far.
struct RequestSorter<'s> {
    settings: &'s Arc<HttpAgentSettings>,
    conversations: Vec<PassedConversation>,
}

impl RequestSorter<'_> {
    /// Adds an exchange to its conversation. The reason is the error if it has none.
    fn add(&mut self, number: usize, exchange: &PassedExchange) -> Result<(), OtherRequest> {
        let settings = Arc::clone(self.settings);
        // The most similar template comes first. A request belongs to the first whose conversation is known, since a template with more
        // differences would leave out more of it.
        let mut first_reason = None;
        for recognized in recognized(&settings, &exchange.request)? {
            let place = match self.place(&exchange.request, &recognized) {
                Ok(place) => place,
                Err(reason) => {
                    first_reason.get_or_insert(OtherRequest {
                        reason: reason.to_owned(),
                        is_turn: recognized.step == RequestStep::Main,
                    });
                    continue;
                }
            };
            self.put(place, number, exchange, recognized);
            return Ok(());
        }
        Err(match first_reason {
            Some(reason) => reason,
            None => OtherRequest {
                reason: "it is part of no conversation".to_owned(),
                is_turn: false,
            },
        })
    }

    /// The number of the conversation that a request belongs to; a new one if it begins with it.
    fn place(
        &mut self,
        request: &PassedRequest,
        recognized: &Recognized<'_>,
    ) -> Result<usize, &'static str> {
        if recognized.step == RequestStep::Start(0) {
            return Ok(self.begin(recognized));
        }
        if let Some(message) = &recognized.message {
            return self.place_of_message(request, recognized, message);
        }
        // Every other request continues a conversation. The newest that waits for it is the likeliest, since a client that begins again
        // leaves its older conversations as they are.
        for (place, conversation) in self.conversations.iter().enumerate().rev() {
            let is_next = match recognized.step {
                RequestStep::Start(number) => {
                    conversation.started == number && conversation.next_then.is_none()
                }
                RequestStep::Main | RequestStep::Resume => conversation.next_then.is_some(),
                // A request that waits for something is repeated.
                RequestStep::Then(number) => match conversation.next_then {
                    Some(next) => next == number || next == number + 1,
                    None => false,
                },
            };
            if is_next && conversation.certainty(request, &recognized.found).is_some() {
                return Ok(place);
            }
        }
        Err(match recognized.step {
            RequestStep::Start(_) => "the request of `start` before it did not pass",
            RequestStep::Main | RequestStep::Resume => "the turn before it did not pass",
            RequestStep::Then(_) => "no turn that passed before it gives its values",
        })
    }

    fn place_of_message(
        &mut self,
        request: &PassedRequest,
        recognized: &Recognized<'_>,
        message: &PassedMessage,
    ) -> Result<usize, &'static str> {
        // The conversation with the highest certainty, and whether no other one has the same.
        let mut best: Option<(Certainty, usize)> = None;
        let mut is_unique = true;
        let starts = self.settings.start.len();
        for (place, conversation) in self.conversations.iter().enumerate() {
            if conversation.started < starts {
                continue;
            }
            let Some(certainty) = conversation.goes_on_with(request, &recognized.found, message)
            else {
                continue;
            };
            match best {
                Some((known, _)) if known > certainty => continue,
                Some((known, _)) => is_unique = known != certainty,
                None => is_unique = true,
            }
            // The newest of those with the same certainty is the likeliest.
            best = Some((certainty, place));
        }
        // A message that nothing contradicts may also be the first of a conversation. Requests of `start` would have begun that one, so
        // that with them the message continues what they began, if it is clear which.
        match best {
            Some((Certainty::NotContradicted, place)) if starts > 0 => {
                if is_unique {
                    return Ok(place);
                }
                return Err("nothing in it says which of several conversations it belongs to");
            }
            Some((Certainty::NotContradicted, _)) | None => {}
            Some((_, place)) => return Ok(place),
        }
        // No conversation goes on with the message, so it begins one. A client that has a value from a response had a conversation before.
        if starts > 0 {
            return Err(
                "the requests of `start` before it did not pass, or are those of another conversation",
            );
        }
        let fresh = PassedConversation::new(self.settings, recognized.thread());
        if fresh.certainty(request, &recognized.found).is_none() {
            return Err("it has a value that no response which passed has given");
        }
        Ok(self.begin(recognized))
    }

    /// Begins a conversation with the thread of a request, and returns its number.
    fn begin(&mut self, recognized: &Recognized<'_>) -> usize {
        let thread = recognized.thread();
        self.conversations
            .push(PassedConversation::new(self.settings, thread));
        self.conversations.len() - 1
    }

    /// Puts an exchange into its conversation.
    fn put(
        &mut self,
        place: usize,
        number: usize,
        exchange: &PassedExchange,
        recognized: Recognized<'_>,
    ) {
        let thread = recognized.thread();
        let conversation = &mut self.conversations[place];
        conversation.keep_thread(&recognized.found);
        // The turn is compared with the messages so far, so that it is made before its own message is one of them.
        let step = recognized.step;
        let mut turn = None;
        match step {
            RequestStep::Start(number) => conversation.started = number + 1,
            RequestStep::Then(number) => conversation.next_then = Some(number + 1),
            RequestStep::Main => {
                if let Some(message) = recognized.message {
                    turn = Some(turn_of(&conversation.said, message, recognized.found));
                }
            }
            RequestStep::Resume => {
                turn = Some(answer_of(self.settings, recognized.found));
                conversation.next_then = Some(0);
            }
        }
        if let Some(turn) = &turn
            && let TurnInput::User(UserContent::Text(text)) = &turn.input
        {
            conversation.begin_turn(text);
        }
        conversation.exchanges.push(SortedExchange {
            number,
            step,
            thread,
            turn,
        });
        // Only the last request of a turn has the reply of the agent. The response of one before it just gives values to the next.
        let is_last = match step {
            RequestStep::Start(_) => false,
            RequestStep::Main | RequestStep::Resume => self.settings.then.is_empty(),
            RequestStep::Then(number) => number + 1 == self.settings.then.len(),
        };
        if let Some(response) = &exchange.response {
            let response_use = if is_last {
                ResponseUse::Read
            } else {
                ResponseUse::Captured
            };
            conversation.read(recognized.template, response, response_use);
        }
    }
}

/// The turn of a message of the user.
fn turn_of(said: &[String], message: PassedMessage, found: ReadRequest) -> PassedTurn {
    let mut left_out = found.left_out;
    left_out.extend(message.left_out);
    if said.is_empty() && message.count > 0 {
        left_out.push(format!("the {} messages before it", message.count));
    } else if let Some(earlier) = message.earlier
        && earlier != said
    {
        left_out.push("its messages, which are not those of the turns before it".to_owned());
    }
    PassedTurn {
        input: TurnInput::User(UserContent::Text(message.text.into())),
        additions: found.additions,
        left_out,
    }
}

/// The turn that answers an interrupt.
fn answer_of(settings: &HttpAgentSettings, found: ReadRequest) -> PassedTurn {
    let is_cancelled = if let Some(resume) = &settings.resume
        && let Some(status) = found.value("RESUME_STATUS")
    {
        *status == resume.cancelled.as_str()
    } else {
        false
    };
    let answer = PendingAnswer {
        to: AnswerTo::TheOnlyOne,
        is_resolved: !is_cancelled,
        payload: found.value("RESUME").cloned(),
    };
    PassedTurn {
        input: TurnInput::Resume(vec![answer]),
        additions: found.additions,
        left_out: found.left_out,
    }
}

/// The path of a request without its query, which may have secrets.
fn path_of(request: &PassedRequest) -> &str {
    match request.target.split_once('?') {
        Some((path, _)) => path,
        None => &request.target,
    }
}
