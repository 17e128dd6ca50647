//! The context that goes to an agent with a request, next to the action that is requested.

use serde_json::{Map, Value};

/// The context that goes to an agent with a request. Each protocol has places of its own for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestContext {
    /// Properties, over those of the target.
    pub props: Map<String, Value>,
    /// The options of the request: `connector`, `mode`, … (SPEC 9).
    pub options: Map<String, Value>,
    /// On whose behalf it is asked: `user`, `team`, …, each a text.
    pub caller: Map<String, Value>,
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
        } = std::mem::replace(self, outer.clone());
        self.props.extend(props);
        self.options.extend(options);
        self.caller.extend(caller);
    }
}
