//! The use of a field of a request, by its name.

use serde_json::{Value, json};

use ananke_model::variables::{is_secret_header, is_secret_name};

/// The names of fields with what the user says, from the most to the least likely, without `_` and `-` and in lowercase.
const INPUTS: &str = "message input query question prompt text content chatinput utterance usermessage userinput userquery \
    inputvalue inputtext msg q inputcontent";

/// Words in the names of fields that say whose conversation it is.
const THREADS: [&str; 5] = ["session", "thread", "conversation", "chat", "user"];

/// Words in names that are about a user or a chat, and are no id.
const NO_IDS: &str = "model type role mode agent lang locale email template zone status prompt";

/// Starts of values that are secret whatever their name is.
const SECRET_STARTS: [&str; 5] = ["Bearer ", "Basic ", "sk-", "eyJ", "ghp_"];

/// Whether a word is one of a list, which has spaces between its words.
pub(super) fn is_one_of(word: &str, list: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

/// The part that a field has in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FieldUse {
    /// What the user says; the lower the number, the more likely.
    Input(usize),
    /// The conversation with what the user says.
    Messages,
    /// The conversation before it.
    History,
    /// The id of the conversation.
    Thread,
    /// Something else.
    Other,
}

impl FieldUse {
    /// The use of a field whose value is a text. The name alone decides, because no description says what a field is for.
    pub(super) fn of_text(name: &str) -> Self {
        let plain = plain(name);
        if let Some(rank) = INPUTS.split(' ').position(|input| input == plain) {
            return Self::Input(rank);
        }
        let is_other = NO_IDS.split(' ').any(|word| plain.contains(word));
        if !is_other && THREADS.iter().any(|word| plain.contains(word)) {
            return Self::Thread;
        }
        Self::Other
    }

    /// The use of a field whose value is a list.
    pub(super) fn of_list(name: &str) -> Self {
        match plain(name).as_str() {
            "messages" => Self::Messages,
            "history" | "chathistory" | "messagehistory" => Self::History,
            _ => Self::Other,
        }
    }

    /// What a request has in such a field; `None` if nothing says it.
    pub(super) fn template(self) -> Option<Value> {
        match self {
            Self::Input(_) => Some(json!("${INPUT}")),
            Self::Messages => Some(json!("${MESSAGES}")),
            Self::History => Some(json!("${HISTORY}")),
            Self::Thread => Some(json!("${THREAD_ID}")),
            Self::Other => None,
        }
    }
}

fn plain(name: &str) -> String {
    let letters = name.chars().filter(|letter| !matches!(letter, '_' | '-'));
    letters.flat_map(char::to_lowercase).collect()
}

/// Whether the value of a header, parameter or field is secret, by its name or by how it begins.
pub(super) fn is_secret(name: &str, value: &str) -> bool {
    // The id of a conversation is none, because a proposal replaces it with one of its own.
    let is_session = is_session_id(name, &Value::from(value));
    let is_named = is_secret_name(name) || is_secret_header(name) && !is_session;
    is_named || SECRET_STARTS.iter().any(|start| value.starts_with(start))
}

/// Whether a name and a value are those of an id that a conversation has.
pub(super) fn is_session_id(name: &str, value: &Value) -> bool {
    let plain = plain(name);
    let is_scalar = match value {
        Value::Number(_) => true,
        Value::String(text) => !text.is_empty(),
        _ => false,
    };
    let names_conversation = THREADS[..4].iter().any(|word| plain.contains(word));
    is_scalar && names_conversation && plain.ends_with("id")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_a_field_is_for() {
        for (name, expected) in [
            ("message", FieldUse::Input(0)),
            ("chatInput", FieldUse::Input(7)),
            ("user_message", FieldUse::Input(9)),
            ("session_id", FieldUse::Thread),
            ("conversationId", FieldUse::Thread),
            ("user", FieldUse::Thread),
            ("model", FieldUse::Other),
            ("chat_model", FieldUse::Other),
        ] {
            assert_eq!(FieldUse::of_text(name), expected, "{name}");
        }
    }

    #[test]
    fn secret_names_are_known_by_their_words() {
        for (name, value, expected) in [
            ("Authorization", "x", true),
            ("x-api-key", "x", true),
            ("apiKey", "x", true),
            ("accessToken", "x", true),
            ("cookie", "a=b", true),
            ("x-custom", "Bearer abc", true),
            ("max_tokens", "5", false),
            ("author", "me", false),
            ("keyboard", "x", false),
            ("message", "what is a token?", false),
        ] {
            assert_eq!(is_secret(name, value), expected, "{name}: {value}");
        }
    }
}
