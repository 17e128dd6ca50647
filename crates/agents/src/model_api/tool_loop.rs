//! The calls of a conversation whose tools a client executes: a model calls a tool, the runner answers, and the next request
//! sends the answer. Every API of models has this loop, and each writes calls and answers in its own form.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::settings::ModelSettings;
use crate::common::ToolExecution;
use crate::error::TargetError;
use crate::session::{SessionOptions, UndeclaredCalls};
use ananke_base::message::{HistoryMessage, ToolDeclaration};

/// The calls of one conversation, and the tools that its requests declare.
#[derive(Debug)]
pub struct ToolLoop {
    /// The tools that each request offers to the model.
    pub declared: Arc<[ToolDeclaration]>,
    /// The side that executes the tools.
    pub execution: ToolExecution,
    /// The keys of all calls so far.
    pub keys: CallKeys,
    undeclared: UndeclaredCalls,
    /// The server's id of each call whose key is another.
    server_ids: HashMap<String, String>,
}

/// The keys of the calls of a conversation. Tests and reports name a call by its key, which no other call has; servers use ids
/// again.
#[derive(Debug, Default)]
pub struct CallKeys(HashSet<String>);

impl CallKeys {
    /// The key of a new call: the server's id if no other call has it, so that reports show the id that the server's logs have.
    pub fn add(&mut self, server_id: Option<&str>) -> String {
        let wanted = match server_id {
            Some(id) => id.to_owned(),
            None => format!("call_{}", self.0.len()),
        };
        // The second call with an id gets the key `ID#2`, the third `ID#3`. A key that is inserted was not there before, which
        // ends the search.
        let mut key = wanted.clone();
        for number in 2.. {
            if self.0.insert(key.clone()) {
                break;
            }
            key = format!("{wanted}#{number}");
        }
        key
    }
}

impl ToolLoop {
    /// The calls before the first request: those of the history in `options`.
    pub fn of(settings: &ModelSettings, options: &SessionOptions) -> Self {
        let declared = Arc::clone(&options.client_tools);
        Self::new(
            declared,
            settings.tools,
            options.undeclared,
            &options.history,
        )
    }

    /// The loop of a conversation that begins with `history`.
    pub fn new(
        declared: Arc<[ToolDeclaration]>,
        execution: ToolExecution,
        undeclared: UndeclaredCalls,
        history: &[HistoryMessage],
    ) -> Self {
        // The model may use an id of the history again. Its keys are known here, so that a new call gets another one. Calls of the
        // history have their ids as keys, so that none needs an entry in `server_ids`.
        let mut keys = CallKeys::default();
        for message in history {
            for call in &message.calls {
                keys.0.insert(call.id.clone());
            }
        }
        Self {
            declared,
            execution,
            keys,
            undeclared,
            server_ids: HashMap::new(),
        }
    }

    /// Takes it that the runner answers this call of a complete reply.
    ///
    /// # Errors
    /// If its tool was not declared, and the runner is not to answer such calls (SPEC 5).
    pub fn add(&mut self, key: String, server_id: String, tool: &str) -> Result<(), TargetError> {
        let mut names = Vec::new();
        for declared in &*self.declared {
            names.push(declared.name.as_str());
        }
        if self.undeclared == UndeclaredCalls::Rejected && !names.contains(&tool) {
            return Err(undeclared(tool, &names));
        }
        self.keep_id(key, server_id);
        Ok(())
    }

    /// Keeps the id by which the server knows a call, for the answer to it.
    pub fn keep_id(&mut self, key: String, server_id: String) {
        // Most calls have their id as their key.
        if server_id != key {
            self.server_ids.insert(key, server_id);
        }
    }

    /// The id by which the server knows the call with this key, for the answer to it.
    pub fn server_id<'a>(&'a self, key: &'a str) -> &'a str {
        match self.server_ids.get(key) {
            Some(id) => id,
            // The call has the key that the server gave it.
            None => key,
        }
    }
}

/// The calls that a response itself answers, and what is done with the others: the side that executes the tools decides.
#[derive(Debug)]
pub struct AnsweredCalls {
    keys: HashSet<String>,
    execution: ToolExecution,
}

impl AnsweredCalls {
    /// Nothing is answered before the response comes.
    pub fn new(execution: ToolExecution) -> Self {
        Self {
            keys: HashSet::new(),
            execution,
        }
    }

    /// Takes it that the response has a result for the call with this key.
    pub fn add(&mut self, key: String) {
        self.keys.insert(key);
    }

    /// Whether [`Self::add`] was called for this key.
    pub fn contains(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// Whether the server has executed the call with this key without showing a result: a server that executes its tools does so
    /// before it ends the response.
    pub fn is_executed_unseen(&self, key: &str) -> bool {
        self.execution == ToolExecution::Observed && !self.contains(key)
    }

    /// Whether the next request has the call with this key, and the runner's answer. A request with a call must have its result as
    /// well, and a server does not expect the results of calls that it executed itself.
    pub fn is_sent_back(&self, key: &str) -> bool {
        self.execution == ToolExecution::Run && !self.contains(key)
    }
}

/// The error of a call to a tool that is not declared. The message lists the declared tools, since a name is often misspelled.
fn undeclared(name: &str, declared: &[&str]) -> TargetError {
    let known = if declared.is_empty() {
        "no tool is declared".to_owned()
    } else {
        format!("declared are `{}`", declared.join("`, `"))
    };
    let message = format!("the model called the tool `{name}`, which is not declared; {known}");
    let help = "declare it in `client_tools`, with a mock that answers it; if the server executes its tools \
                itself, write `tools: observed` in the target";
    TargetError::new(message).with_help(help)
}
