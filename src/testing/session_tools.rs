//! The client-side tools that a session executes: functions of the test, and mocks over them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::testing_error::TestingError;

/// What executes the calls to a tool: the result, or in words why the call failed.
pub(super) type ToolClosure =
    Arc<dyn Fn(Value) -> BoxFuture<'static, Result<Value, String>> + Send + Sync>;

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

    /// Whether the session executes a tool itself.
    pub(super) fn executes(&self, name: &str) -> bool {
        let state = self.lock();
        state.mock(name).is_some() || state.own.contains_key(name)
    }

    /// Executes a call; `None` if the session does not execute the tool.
    pub(super) async fn execute(
        &self,
        name: &str,
        arguments: Value,
    ) -> Option<Result<Value, String>> {
        let function = {
            let state = self.lock();
            match state.mock(name) {
                Some(mock) => {
                    mock.calls
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(arguments.clone());
                    Some(Arc::clone(&mock.function))
                }
                None => state.own.get(name).cloned(),
            }
        };
        Some(function?(arguments).await)
    }

    /// Replaces tools by name until what is returned is dropped.
    pub(super) fn mock(
        &self,
        mocks: Vec<(String, ToolClosure)>,
    ) -> Result<MockedTools, TestingError> {
        let mut state = self.lock();
        let known = state.known.clone().unwrap_or_default();
        if let Some((unknown, _)) = mocks.iter().find(|(name, _)| !known.contains(name)) {
            let tools = if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            };
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

    /// How many calls there were to the mock of this tool.
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
