//! The client-side tools that a session executes: functions of the test, and mocks over them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::TestingError;
use ananke_agents::UndeclaredCalls;

/// The closure that executes the calls to a tool: the result, or what the agent gets if the call failed.
#[doc(hidden)]
pub type ToolClosure =
    Arc<dyn Fn(ClientCall) -> BoxFuture<'static, Result<Value, Value>> + Send + Sync>;

/// A call to a client-side tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientCall {
    /// The call's id.
    pub id: String,
    /// The arguments; their text if they are not JSON.
    pub arguments: Value,
}

/// The tools of a session. Clones share them.
#[derive(Clone, Default)]
pub(super) struct SessionTools(Arc<Mutex<ToolState>>);

#[derive(Default)]
struct ToolState {
    /// Those of the test, by name.
    own: BTreeMap<String, ToolClosure>,
    /// Those that replace others; of several with one name, the newest does.
    mocks: Vec<Mocked>,
    /// All that the conversation has; `None` before it begins.
    known: Option<Vec<String>>,
    /// The handling of calls to other tools.
    undeclared: UndeclaredCalls,
}

/// A mock, and what it was called with.
#[derive(Clone)]
struct Mocked {
    name: String,
    function: ToolClosure,
    calls: Arc<Mutex<Vec<Value>>>,
}

/// Mocks that replace tools until they are dropped.
#[must_use = "the mocks are removed when this is dropped"]
pub struct MockedTools {
    tools: SessionTools,
    mocks: Vec<Mocked>,
}

impl ToolState {
    fn mock(&self, name: &str) -> Option<&Mocked> {
        self.mocks.iter().rfind(|mock| mock.name == name)
    }

    /// Whether a call to this tool is answered with an error: there is no such tool.
    fn is_refused(&self, name: &str) -> bool {
        let is_known = |known: &Vec<String>| known.iter().any(|known| known == name);
        self.undeclared == UndeclaredCalls::Answered && !self.known.as_ref().is_some_and(is_known)
    }

    /// The answer to the agent for a call to a tool that does not exist.
    fn refusal(&self, name: &str) -> Value {
        let tools = listed(self.known.as_deref().unwrap_or_default());
        json!({ "error": format!("there is no tool `{name}`; the tools are: {tools}") })
    }
}

impl SessionTools {
    fn lock(&self) -> MutexGuard<'_, ToolState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a tool of the test.
    pub(super) fn add(&self, name: &str, function: ToolClosure) {
        self.lock().own.insert(name.to_owned(), function);
    }

    /// The conversation has begun with these tools.
    pub(super) fn set_known(&self, names: Vec<String>) {
        self.lock().known = Some(names);
    }

    /// Calls to tools that are not those of the conversation are answered, with an error.
    pub(super) fn answer_undeclared(&self) {
        self.lock().undeclared = UndeclaredCalls::Answered;
    }

    /// The handling of calls to tools that are not those of the conversation.
    pub(super) fn undeclared(&self) -> UndeclaredCalls {
        self.lock().undeclared
    }

    /// Whether the session executes a tool itself.
    pub(super) fn executes(&self, name: &str) -> bool {
        let state = self.lock();
        state.mock(name).is_some() || state.own.contains_key(name) || state.is_refused(name)
    }

    /// Executes a call: the result, or what the agent gets if it failed.
    pub(super) async fn execute(&self, name: &str, call: ClientCall) -> Result<Value, Value> {
        let function = {
            let state = self.lock();
            match state.mock(name) {
                Some(mock) => {
                    mock.calls
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(call.arguments.clone());
                    Arc::clone(&mock.function)
                }
                None => match state.own.get(name) {
                    Some(function) => Arc::clone(function),
                    None if state.is_refused(name) => return Err(state.refusal(name)),
                    None => return Err(format!("the mock of `{name}` was removed").into()),
                },
            }
        };
        function(call).await
    }

    /// Replaces tools by name until what is returned is dropped.
    pub(super) fn mock(
        &self,
        mocks: Vec<(String, ToolClosure)>,
    ) -> Result<MockedTools, TestingError> {
        let mut state = self.lock();
        let known = state.known.clone().unwrap_or_default();
        if let Some((unknown, _)) = mocks.iter().find(|(name, _)| !known.contains(name)) {
            let tools = listed(&known);
            return Err(TestingError::usage(format!(
                "there is no tool `{unknown}` to mock; the tools are: {tools}"
            )));
        }
        let of = |(name, function)| Mocked {
            name,
            function,
            calls: Arc::default(),
        };
        let mocks: Vec<Mocked> = mocks.into_iter().map(of).collect();
        state.mocks.extend(mocks.iter().cloned());
        Ok(MockedTools {
            tools: self.clone(),
            mocks,
        })
    }
}

/// Names of tools in a sentence.
fn listed(names: &[String]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

impl MockedTools {
    /// The arguments of every call to the mock of this tool, in their order.
    pub fn calls(&self, name: &str) -> Vec<Value> {
        let mocks = self.mocks.iter().filter(|mock| mock.name == name);
        let calls = mocks.map(|mock| {
            mock.calls
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone()
        });
        calls.flatten().collect()
    }

    /// The number of calls to the mock of this tool.
    pub fn call_count(&self, name: &str) -> usize {
        self.calls(name).len()
    }
}

/// The tools are what they would be without these mocks, whatever was mocked before and since.
impl Drop for MockedTools {
    fn drop(&mut self) {
        let is_of_these = |mock: &Mocked| {
            self.mocks
                .iter()
                .any(|own| Arc::ptr_eq(&own.calls, &mock.calls))
        };
        self.tools.lock().mocks.retain(|mock| !is_of_these(mock));
    }
}
