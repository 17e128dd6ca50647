//! The history in a task, and the roles of its messages. Those before the one that began the turn are not of the turn (SPEC 6,
//! Snapshots).

use serde_json::Value;

use super::part::{list, text_of};

/// The message that began the turn.
#[derive(Clone, Debug, Default)]
pub(super) struct SaidMessage {
    pub(super) id: String,
    pub(super) text: String,
}

/// The number of messages in the history that are before the turn: up to its own message, which is found by its id, else by its
/// text. Without it, everything that was not known before belongs to the turn.
pub(super) fn earlier(history: &[Value], said: &SaidMessage) -> usize {
    let has_id = |message: &Value| {
        message.get("messageId").and_then(Value::as_str) == Some(said.id.as_str())
    };
    let has_text = |message: &Value| is_of_user(message) && text_of(message) == said.text;
    let own = history.iter().rposition(has_id);
    let own = own.or_else(|| history.iter().rposition(has_text));
    own.map_or(0, |position| position + 1)
}

/// The messages in the history of a task that are of the turn.
pub(super) fn live_history<'t>(task: &'t Value, said: &SaidMessage) -> &'t [Value] {
    let history = list(task, "history");
    &history[earlier(history, said)..]
}

/// Whether a message is one of the agent.
pub(super) fn is_of_agent(message: &Value) -> bool {
    role(message).ends_with("agent")
}

/// Whether a message is one of the user.
pub(super) fn is_of_user(message: &Value) -> bool {
    role(message).ends_with("user")
}

/// The role of a message, in lowercase: 1.0 writes `ROLE_AGENT`, 0.3 `agent`.
fn role(message: &Value) -> String {
    let role = message.get("role").and_then(Value::as_str);
    role.unwrap_or_default().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_turn_begins_after_its_own_message() {
        let message = |id: &str, role: &str, text: &str| json!({ "messageId": id, "role": role, "parts": [{ "text": text }] });
        let said = SaidMessage {
            id: "u2".to_owned(),
            text: "go on".to_owned(),
        };
        let agent = message("a", "ROLE_AGENT", "go on");
        let own = message("u2", "ROLE_USER", "");
        let same = message("x", "user", "go on");
        for (history, count) in [
            (vec![], 0),
            (vec![agent.clone()], 0),
            (
                vec![agent.clone(), own.clone(), same.clone(), agent.clone()],
                2,
            ),
            (
                vec![same.clone(), agent.clone(), same.clone(), agent.clone()],
                3,
            ),
        ] {
            assert_eq!(earlier(&history, &said), count, "{history:?}");
        }
    }
}
