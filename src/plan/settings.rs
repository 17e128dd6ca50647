//! What a target needs to know, checked and filled: the model without its variables.

use std::time::Duration;

use serde_json::{Map, Value};
use url::Url;

use crate::diagnostic::Code;
use crate::model::{
    AguiTarget, ScriptedAnswer, ScriptedCall, ScriptedRule, ScriptedStep, ScriptedTarget, Target, Text,
};
use crate::source::Node;
use crate::trace::Path;
use crate::variables::{Filling, Late, Pattern};

/// The agent under test, by protocol.
#[derive(Clone, Debug, PartialEq)]
pub enum TargetSettings {
    /// `type: agui`
    Agui(AguiSettings),
    /// `type: scripted`
    Scripted(ScriptedSettings),
}

/// An AG-UI agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AguiSettings {
    /// The agent's name in reports.
    pub agent: String,
    /// Where runs are posted to.
    pub endpoint: Url,
    /// Headers of every request, in the order of the file.
    pub headers: Vec<(String, String)>,
    /// Passed on with every run.
    pub forwarded_props: Value,
    /// Sent with the first turn.
    pub state: Value,
}

/// An agent written in YAML.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptedSettings {
    /// The agent's name in reports.
    pub agent: String,
    /// What the conversation's state starts as.
    pub state: Value,
    /// The rules, in order.
    pub rules: Vec<Answering>,
}

/// A rule of a scripted agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Answering {
    /// When it answers.
    pub when: Condition,
    /// What it does.
    pub steps: Vec<Step>,
}

/// When a scripted rule answers; all must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Condition {
    /// What the user's message must match.
    pub user: Option<Pattern>,
    /// The turn, counted from 1.
    pub turn: Option<u64>,
    /// What the thread id must match.
    pub thread: Option<Pattern>,
    /// What the state must hold.
    pub state: Vec<(Path, Value)>,
}

/// One thing a scripted agent does.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Says this.
    Say(String),
    /// Calls a tool.
    Call {
        /// The tool.
        tool: String,
        /// The call's id, where the script gives one.
        id: Option<String>,
        /// The arguments, where there are any.
        args: Option<Value>,
        /// The result; without one the call stays open.
        result: Option<Value>,
        /// How long it takes.
        delay: Duration,
    },
    /// Answers an open call.
    Answer {
        /// The call's id.
        id: String,
        /// The result.
        result: Value,
    },
    /// Sets keys of the state.
    State(Map<String, Value>),
    /// Lets time pass.
    Delay(Duration),
    /// Ends the run with an error.
    Error {
        /// In the agent's words.
        message: String,
        /// A code.
        code: Option<String>,
    },
}

impl TargetSettings {
    /// The agent's name in reports.
    pub fn agent(&self) -> &str {
        match self {
            Self::Agui(settings) => &settings.agent,
            Self::Scripted(settings) => &settings.agent,
        }
    }

    /// Where the agent is, where it has a place of its own that tests can share.
    pub fn endpoint(&self) -> Option<&str> {
        match self {
            Self::Agui(settings) => Some(settings.endpoint.as_str()),
            Self::Scripted(_) => None,
        }
    }

    /// What the conversation's state starts as.
    pub fn state(&self) -> &Value {
        match self {
            Self::Agui(settings) => &settings.state,
            Self::Scripted(settings) => &settings.state,
        }
    }

    /// Checks and fills a target; `None` where something is known later or was reported.
    pub(super) fn fill(target: &Target, filling: &mut Filling<'_>) -> Option<Self> {
        match target {
            Target::Agui(target) => agui(target, filling).map(Self::Agui),
            Target::Scripted(target) => scripted(target, filling).map(Self::Scripted),
        }
    }
}

fn agui(target: &AguiTarget, filling: &mut Filling<'_>) -> Option<AguiSettings> {
    let agent = filling.text(&target.agent_id).ready();
    let endpoint =
        filling.sent_text(&target.endpoint).ready().and_then(|text| url(&text, &target.endpoint, filling));
    let headers: Vec<Option<(String, String)>> =
        target.headers.iter().flatten().map(|(name, text)| header(name, text, filling)).collect();
    let forwarded_props = optional(target.forwarded_props.as_ref(), filling);
    let state = optional(target.state.as_ref(), filling);
    Some(AguiSettings {
        agent: agent?,
        endpoint: endpoint?,
        headers: headers.into_iter().collect::<Option<_>>()?,
        forwarded_props: forwarded_props.ready()?.unwrap_or_else(|| Value::Object(Map::new())),
        state: state.ready()?.unwrap_or_else(|| Value::Object(Map::new())),
    })
}

fn url(text: &str, written: &Text, filling: &mut Filling<'_>) -> Option<Url> {
    let problem = match Url::parse(text) {
        Ok(url) if !matches!(url.scheme(), "http" | "https") => {
            format!("the endpoint has the scheme `{}`, expected `http` or `https`", url.scheme())
        }
        Ok(url) if !url.has_host() => "the endpoint has no host".to_owned(),
        Ok(url) => return Some(url),
        Err(url::ParseError::RelativeUrlWithoutBase) => {
            "the endpoint is no URL: it begins with neither `http://` nor `https://`".to_owned()
        }
        Err(error) => format!("the endpoint is no URL: {error}"),
    };
    let help = Some("write it in full: `http://127.0.0.1:8000/agent`".to_owned());
    filling.report(Code::BadUrl, written.span, problem, help);
    None
}

/// RFC 9110, 5.1 and 5.5: a token for the name, no control characters but tab in the value.
fn header(name: &str, text: &Text, filling: &mut Filling<'_>) -> Option<(String, String)> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        filling.report(Code::BadValue, text.span, format!("`{name}` is no name of an HTTP header"), None);
        return None;
    }
    let value = filling.header(name, text).ready()?;
    if value.chars().any(|c| c.is_control() && c != '\t') {
        // The value may be a secret: it is not shown.
        let message =
            format!("the value of the header `{name}` holds a line break or another control character");
        filling.report(Code::BadValue, text.span, message, None);
        return None;
    }
    Some((name.to_ascii_lowercase(), value))
}

fn optional(node: Option<&Node>, filling: &mut Filling<'_>) -> Late<Option<Value>> {
    Late::optional(node.map(|node| filling.json(node)))
}

fn scripted(target: &ScriptedTarget, filling: &mut Filling<'_>) -> Option<ScriptedSettings> {
    let agent = match &target.agent_id {
        Some(text) => filling.text(text).ready(),
        None => Some("scripted".to_owned()),
    };
    // Nothing of these is sent, but what is wrong with them is told all the same.
    let headers: Vec<Option<(String, String)>> =
        target.headers.iter().flatten().map(|(name, text)| header(name, text, filling)).collect();
    let forwarded_props = optional(target.forwarded_props.as_ref(), filling).ready();
    let state = optional(target.state.as_ref(), filling);
    // Every rule is filled, so that every problem is reported.
    let rules: Vec<Option<Answering>> = target.rules.iter().map(|rule| answering(rule, filling)).collect();
    headers.into_iter().collect::<Option<Vec<_>>>()?;
    forwarded_props?;
    Some(ScriptedSettings {
        agent: agent?,
        state: state.ready()?.unwrap_or_else(|| Value::Object(Map::new())),
        rules: rules.into_iter().collect::<Option<_>>()?,
    })
}

fn answering(rule: &ScriptedRule, filling: &mut Filling<'_>) -> Option<Answering> {
    let when = match &rule.when {
        Some(when) => {
            let user = when.user.as_ref().map(|text| filling.pattern(text));
            let turn = when.turn.as_ref().map(|number| filling.number(number));
            let thread = when.thread.as_ref().map(|text| filling.pattern(text));
            let state: Vec<Option<(Path, Value)>> = when
                .state
                .iter()
                .flatten()
                .map(|(path, node)| {
                    let value = filling.json(node).ready();
                    let path = Path::parse(path)
                        .map_err(|error| filling.report(Code::BadValue, node.span, error, None))
                        .ok();
                    path.zip(value)
                })
                .collect();
            condition(Late::optional(user), Late::optional(turn), Late::optional(thread), state)
        }
        None => Some(Condition::default()),
    };
    let steps: Vec<Option<Step>> = rule.steps.iter().map(|one| step(one, filling)).collect();
    Some(Answering { when: when?, steps: steps.into_iter().collect::<Option<_>>()? })
}

fn condition(
    user: Late<Option<Pattern>>,
    turn: Late<Option<u64>>,
    thread: Late<Option<Pattern>>,
    state: Vec<Option<(Path, Value)>>,
) -> Option<Condition> {
    let state = state.into_iter().collect::<Option<_>>();
    Some(Condition { user: user.ready()?, turn: turn.ready()?, thread: thread.ready()?, state: state? })
}

fn step(step: &ScriptedStep, filling: &mut Filling<'_>) -> Option<Step> {
    Some(match step {
        ScriptedStep::Say(text) => Step::Say(filling.text(text).ready()?),
        ScriptedStep::Call(ScriptedCall { tool, id, args, result, delay_ms }) => {
            let tool = filling.text(tool);
            let id = Late::optional(id.as_ref().map(|id| filling.text(id)));
            let args = optional(args.as_ref(), filling);
            let result = optional(result.as_ref(), filling);
            let delay = Late::optional(delay_ms.as_ref().map(|number| filling.number(number)));
            let delay = Duration::from_millis(delay.ready()?.unwrap_or_default());
            let (args, result) = (args.ready()?, result.ready()?);
            Step::Call { tool: tool.ready()?, id: id.ready()?, args, result, delay }
        }
        ScriptedStep::Answer(ScriptedAnswer { id, result }) => {
            let (id, result) = (filling.text(id), filling.json(result));
            Step::Answer { id: id.ready()?, result: result.ready()? }
        }
        ScriptedStep::State(node) => {
            let Value::Object(keys) = filling.json(node).ready()? else {
                filling.report(Code::WrongType, node.span, "`state` sets keys, expected a mapping", None);
                return None;
            };
            Step::State(keys)
        }
        ScriptedStep::DelayMs(number) => Step::Delay(Duration::from_millis(filling.number(number).ready()?)),
        ScriptedStep::Error(error) => {
            let (message, code) =
                (filling.text(&error.message), error.code.as_ref().map(|code| filling.text(code)));
            Step::Error { message: message.ready()?, code: Late::optional(code).ready()? }
        }
    })
}
