//! One turn with a server: a request, or as many as a list has pages, and what its result means.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::client::Client;
use super::declared::{declared_tools, unread_tools};
use super::other_transport::with_hint;
use super::result::{AnswerText, CallResult, ListPage, prompt_text, resource_text};
use super::rpc_response::{McpResponse, RpcError};
use super::talk::{Break, Talk};
use super::turns::McpRequest;
use ananke_agents::{Action, TargetError};
use ananke_base::context::At;
use ananke_trace::trace::{AsideSource, Change, MessageKind, ResultContent, RunEnd, Unread};

/// The beginning of a turn, which has no ids.
const RUN_STARTED: Change<'static> = Change::RunStarted {
    run_id: None,
    thread_id: None,
    is_replay: false,
};

/// A turn with a server.
pub(super) struct McpTurn<'a, 's> {
    pub(super) client: &'a mut Client,
    pub(super) talk: Talk<'s>,
}

impl McpTurn<'_, '_> {
    /// Does what the turn asks for. The first turn begins the conversation.
    pub(super) async fn run(&mut self, action: Action) -> Result<(), Break> {
        let is_first = self.client.era.is_none();
        match self.client.connect(&mut self.talk).await {
            Err(Break::Failed(error)) => {
                return Err(with_hint(error, self.client, &mut self.talk).await.into());
            }
            connected => connected?,
        }
        let request = match action {
            Action::Own { turn, .. } => McpRequest::of(turn)?,
            // A test with such a turn does not load.
            Action::User { .. }
            | Action::Connect
            | Action::Continue
            | Action::Resume(_)
            | Action::ToolResults(_) => {
                let message = "a server of MCP is not talked to: its tools are listed and called";
                return Err(TargetError::new(message).into());
            }
        };
        if is_first && self.client.declares_tools && request != McpRequest::List {
            self.declare_tools().await?;
        }
        match request {
            McpRequest::Call(tool, args) => self.call_tool(&tool, &args).await,
            McpRequest::List => self.list_tools().await,
            McpRequest::Read(uri) => {
                let params = Map::from_iter([("uri".to_owned(), uri.into())]);
                self.get("resources/read", params, resource_text).await
            }
            McpRequest::Prompt(prompt, args) => {
                let params = Map::from_iter([
                    ("name".to_owned(), prompt.into()),
                    ("arguments".to_owned(), args),
                ]);
                self.get("prompts/get", params, prompt_text).await
            }
        }
    }

    async fn call_tool(&mut self, tool: &str, args: &Value) -> Result<(), Break> {
        if self.client.connection.needs_tools() {
            // A server that has no list needs nothing of it.
            let tools = match self.tools().await? {
                Listed::All { items, .. } => items,
                Listed::Refused(..) => Vec::new(),
            };
            self.client.connection.learn_tools(&tools);
        }
        let params = Map::from_iter([
            ("name".to_owned(), tool.into()),
            ("arguments".to_owned(), args.clone()),
        ]);
        let pending = self
            .client
            .ask("tools/call", params, &mut self.talk)
            .await?;
        let id = pending.id;
        self.open_call(pending.at, &id.to_string(), tool, args)?;
        let McpResponse { at, result, .. } = self.client.response(pending, &mut self.talk).await?;
        match result {
            Ok(result) => self.close_call(at, id, CallResult::read(result)?),
            Err(error) => {
                let result = ResultContent::Text((&error.message).into());
                self.answer(at, id, result, Some(true))?;
                self.change(at, Change::RunEnded(error.end()))
            }
        }
    }

    fn open_call(&mut self, sent: At, id: &str, tool: &str, args: &Value) -> Result<(), Break> {
        self.start(sent)?;
        self.change(
            sent,
            Change::CallOpened {
                id: id.into(),
                name: tool.into(),
                subagent: None,
            },
        )?;
        self.change(
            sent,
            Change::CallArgs {
                id: id.into(),
                delta: args.to_string().into(),
            },
        )?;
        self.change(sent, Change::CallArgsDone { id: id.into() })
    }

    fn answer(
        &mut self,
        at: At,
        id: u64,
        result: ResultContent<'_>,
        is_error: Option<bool>,
    ) -> Result<(), Break> {
        let id = id.to_string().into();
        self.change(
            at,
            Change::CallAnswered {
                id,
                result,
                is_error,
            },
        )
    }

    /// Reports the result of a call, and the end.
    fn close_call(&mut self, at: At, id: u64, result: CallResult) -> Result<(), Break> {
        let CallResult {
            content,
            text,
            is_error,
            beside,
            unread,
        } = result;
        self.answer(at, id, content, Some(is_error))?;
        self.report_unread(at, unread)?;
        for text in beside.iter().filter(|beside| **beside != text) {
            let source = AsideSource::StructuredResult;
            let text = text.into();
            self.change(at, Change::Aside { text, source })?;
        }
        self.say(at, id, text)
    }

    fn report_unread(&mut self, at: At, unread: Vec<Unread<'static>>) -> Result<(), Break> {
        for unread in unread {
            self.change(at, Change::Unread(unread))?;
        }
        Ok(())
    }

    /// The list of the tools.
    async fn tools(&mut self) -> Result<Listed, Break> {
        let talk = &mut self.talk;
        list(self.client, "tools/list", "tools", talk, |_, _| Ok(())).await
    }

    async fn list_tools(&mut self) -> Result<(), Break> {
        let mut is_started = false;
        let start = |talk: &mut Talk<'_>, sent| {
            if std::mem::replace(&mut is_started, true) {
                return Ok(());
            }
            talk.change(sent, RUN_STARTED)
        };
        let talk = &mut self.talk;
        match list(self.client, "tools/list", "tools", talk, start).await? {
            Listed::All { at, id, items } => {
                self.client.connection.learn_tools(&items);
                self.report_unread(at, unread_tools(&items))?;
                let tools = declared_tools(&items);
                self.change(
                    at,
                    Change::ToolsDeclared {
                        tools,
                        is_answer: true,
                    },
                )?;
                self.say(at, id, Value::Array(items).to_string())
            }
            Listed::Refused(at, error) => self.change(at, Change::RunEnded(error.end())),
        }
    }

    /// Finds out the tools before the first turn. A server that has none may refuse.
    async fn declare_tools(&mut self) -> Result<(), Break> {
        let (at, tools) = match self.tools().await? {
            Listed::All { at, items, .. } => {
                self.report_unread(at, unread_tools(&items))?;
                (at, declared_tools(&items))
            }
            Listed::Refused(at, _) => (at, Vec::new()),
        };
        self.change(
            at,
            Change::ToolsDeclared {
                tools,
                is_answer: false,
            },
        )
    }

    /// Makes one request whose result is a text.
    async fn get(
        &mut self,
        method: &'static str,
        params: Map<String, Value>,
        text: fn(Value) -> Result<AnswerText, TargetError>,
    ) -> Result<(), Break> {
        let pending = self.client.ask(method, params, &mut self.talk).await?;
        let id = pending.id;
        self.start(pending.at)?;
        let McpResponse { at, result, .. } = self.client.response(pending, &mut self.talk).await?;
        match result {
            Ok(result) => {
                let AnswerText { text, unread } = text(result)?;
                self.report_unread(at, unread)?;
                self.say(at, id, text)
            }
            Err(error) => self.change(at, Change::RunEnded(error.end())),
        }
    }

    fn start(&mut self, at: At) -> Result<(), Break> {
        self.change(at, RUN_STARTED)
    }

    /// Reports the text of a result, and the end.
    fn say(&mut self, at: At, id: u64, text: String) -> Result<(), Break> {
        let id = id.to_string();
        let role = MessageKind::Assistant;
        self.change(
            at,
            Change::MessageOpened {
                id: (&id).into(),
                role,
                subagent: None,
            },
        )?;
        self.change(
            at,
            Change::MessageText {
                id: (&id).into(),
                delta: text.into(),
            },
        )?;
        self.change(at, Change::MessageClosed { id: id.into() })?;
        self.change(at, Change::RunEnded(RunEnd::Finished))
    }

    fn change(&mut self, at: At, change: Change<'_>) -> Result<(), Break> {
        self.talk.change(at, change)
    }
}

/// The most pages of a list that are asked for, and how large their entries may be together, in bytes of JSON.
const MOST_PAGES: usize = 1_000;
const MOST_BYTES: usize = 16 << 20;

/// The result of a request for a list.
pub(super) enum Listed {
    /// All of its pages: when the last came, the id of its request, and what they list.
    All { at: At, id: u64, items: Vec<Value> },
    /// The server refused it.
    Refused(At, RpcError),
}

/// Asks for every page of a list. `on_sent` hears of each request.
pub(super) async fn list(
    client: &mut Client,
    method: &'static str,
    key: &'static str,
    talk: &mut Talk<'_>,
    mut on_sent: impl FnMut(&mut Talk<'_>, At) -> Result<(), Break>,
) -> Result<Listed, Break> {
    let (mut items, mut cursor, mut seen) = (Vec::new(), None::<String>, HashSet::new());
    let mut bytes = 0;
    loop {
        let params = cursor
            .take()
            .map(|cursor| ("cursor".to_owned(), cursor.into()))
            .into_iter()
            .collect();
        let pending = client.ask(method, params, talk).await?;
        let id = pending.id;
        on_sent(talk, pending.at)?;
        let McpResponse { at, result, .. } = client.response(pending, talk).await?;
        let page = match result {
            Ok(result) => ListPage::read(result, method, key)?,
            Err(error) => return Ok(Listed::Refused(at, error)),
        };
        bytes += page
            .items
            .iter()
            .map(|item| item.to_string().len())
            .sum::<usize>();
        items.extend(page.items);
        if bytes > MOST_BYTES {
            let (size, count) = (MOST_BYTES >> 20, items.len());
            let message =
                format!("the list of {key} is larger than {size} MiB: {count} entries so far");
            return Err(TargetError::new(message).into());
        }
        let Some(next) = page.next else {
            return Ok(Listed::All { at, id, items });
        };
        if !seen.insert(next.clone()) {
            let message =
                format!("the list of {key} has no end: the server names the same page again");
            return Err(TargetError::new(message).into());
        }
        if seen.len() == MOST_PAGES {
            let message = format!(
                "the list of {key} has no end: the server names another page after {MOST_PAGES}"
            );
            return Err(TargetError::new(message).into());
        }
        cursor = Some(next);
    }
}
