//! The message of the user in a request that a template describes.

use serde_json::Value;

use super::super::settings::HttpAgentSettings;
use super::read_request::{INPUT, ReadRequest};

/// The message of a request, and the messages before it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PassedMessage {
    /// The text of the user.
    pub(super) text: String,
    /// The texts of the user in the messages before it; `None` if the request has none of them.
    pub(super) earlier: Option<Vec<String>>,
    /// The number of messages before it.
    pub(super) count: usize,
    /// The parts of the messages that no turn can send, in words.
    pub(super) left_out: Vec<String>,
}

/// Messages of a request, apart.
#[derive(Default)]
struct PassedMessages {
    /// Whether each is one of the user, with its text; those that are not texts have none.
    messages: Vec<(bool, Option<String>)>,
    /// The keys of messages that the target does not describe.
    keys: Vec<String>,
}

impl PassedMessage {
    /// The message of a request.
    ///
    /// # Errors
    /// The reason why it has none.
    pub(super) fn of(
        settings: &HttpAgentSettings,
        request: &ReadRequest,
    ) -> Result<Self, &'static str> {
        let mut list = None;
        if let Some(messages) = request.value("MESSAGES") {
            list = Some(PassedMessages::read(settings, messages)?);
        }
        // Most targets have a variable for the text alone. Otherwise it is the last message of the list. Such a list ends with it in both
        // cases, so that it is taken from there: the earlier messages stay.
        let text = if let Some(input) = request.value(INPUT) {
            let Value::String(text) = input else {
                return Err(NO_TEXT);
            };
            if let Some(list) = &mut list {
                list.messages.pop();
            }
            text.clone()
        } else {
            let Some(list) = &mut list else {
                return Err(NO_PLACE);
            };
            match list.messages.pop() {
                Some((true, Some(text))) => text,
                Some((true, None)) => return Err(NO_TEXT),
                Some((false, _)) => return Err("its last message is not one of the user"),
                None => return Err(NO_PLACE),
            }
        };
        // A history has only earlier messages, so that nothing is taken from it.
        if list.is_none()
            && let Some(history) = request.value("HISTORY")
        {
            list = Some(PassedMessages::read(settings, history)?);
        }
        let Some(list) = list else {
            return Ok(Self {
                text,
                earlier: None,
                count: 0,
                left_out: Vec::new(),
            });
        };
        let count = list.messages.len();
        let mut earlier = Vec::new();
        let mut left_out = Vec::new();
        for (is_user, said) in list.messages {
            match said {
                Some(said) if is_user => earlier.push(said),
                Some(_) => {}
                None => left_out.push("a message before it that is not a text".to_owned()),
            }
        }
        for key in list.keys {
            left_out.push(format!("`{key}` of its messages"));
        }
        Ok(Self {
            text,
            earlier: Some(earlier),
            count,
            left_out,
        })
    }
}

const NO_PLACE: &str = "it has no message where the target has one";
const NO_TEXT: &str = "its message is not a text";

impl PassedMessages {
    /// Reads messages back by the template of one.
    fn read(settings: &HttpAgentSettings, messages: &Value) -> Result<Self, &'static str> {
        let Value::Array(items) = messages else {
            return Err("its messages are not a list");
        };
        let mut list = Self::default();
        for item in items {
            let Some(read) = settings.message.read_back(item, "TEXT") else {
                list.messages.push((false, None));
                continue;
            };
            let mut role = None;
            let mut text = None;
            for (variable, value) in &read.bound {
                match variable.name.as_str() {
                    "ROLE" => role = value.as_ref(),
                    "TEXT" => text = value.as_ref(),
                    _ => {}
                }
            }
            // Without roles in them, messages alternate, and the last one is the user's.
            let is_user = match role {
                Some(role) => *role == settings.roles.0.as_str(),
                None => (items.len() - list.messages.len()) % 2 == 1,
            };
            let text = match text {
                Some(Value::String(text)) => Some(text.clone()),
                _ => None,
            };
            list.messages.push((is_user, text));
            for key in read.additions.keys().chain(&read.left_out) {
                if !list.keys.contains(key) {
                    list.keys.push(key.clone());
                }
            }
        }
        Ok(list)
    }
}
