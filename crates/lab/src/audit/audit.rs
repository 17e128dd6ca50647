//! An audit: lists the tools, calls them, and says what is wrong.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::PermittedTools;
use super::declarations::{CheckedTool, checked};
use super::judgement::{judge_call, judge_unknown_call};
use super::lints::lint_tools;
use super::made_arguments::made_arguments;
use super::prober::Prober;
use ananke_agents::{Ended, ObservedExchange, TargetError, ToolTurns};
use ananke_base::context::interruption::{self, COMPUTING_TIME, Interrupted};
use ananke_base::context::{At, Context};
use ananke_base::message::DeclaredTool;
use ananke_base::text::duration;
use ananke_plan::PreparedHelper;
use ananke_run::{RunHelpers, WalkRandom};
use ananke_trace::outcome::audit::{Audit, AuditCheck, AuditFinding, AuditedTool, MAY_CHANGE_DATA};
use ananke_trace::trace::is_same_json;

/// After how many calls that came to nothing a tool is called no more.
const MOST_BROKEN: usize = 2;

/// A tool that no agent has.
const UNKNOWN_TOOL: &str = "ananke_unknown_tool";

/// The limits and the seed of an audit.
#[derive(Clone, Debug)]
pub struct AuditOptions {
    /// The turns by which tools are listed and called.
    pub turns: ToolTurns,
    /// What the arguments are made with.
    pub seed: u64,
    /// The most calls to one tool.
    pub most_calls: usize,
    /// The time that one call may take.
    pub timeout: Duration,
    /// The time that the whole audit may take.
    pub whole_timeout: Duration,
    /// The only tools that are called; all if there are none.
    pub only: Vec<String>,
    /// The tools that are called although they may change data.
    pub permitted: PermittedTools,
}

/// A step of an audit.
#[derive(Clone, Copy, Debug)]
pub enum AuditStep<'a> {
    /// This call to a tool is made next.
    Calls {
        /// The name of the tool.
        tool: &'a str,
        /// The number of the call, from 1.
        call: usize,
        /// The most calls that there are.
        of: usize,
    },
    /// The last of the tools is finished.
    Finished(&'a Audit),
}

/// Audits the agent `target`, which is called `name`. Its steps go to `progress`.
///
/// # Errors
/// If it does not list its tools.
pub async fn audit(
    name: &str,
    helpers: &RunHelpers,
    target: &PreparedHelper,
    options: &AuditOptions,
    context: &Context,
    progress: &mut dyn FnMut(AuditStep<'_>),
) -> Result<Audit, TargetError> {
    let until = context.clock.now().plus(options.whole_timeout);
    let mut prober = Prober::new(helpers, target, options.turns, options.timeout);
    let listed = prober.list().await;
    let mut audit = Audit {
        target: name.to_owned(),
        seed: options.seed,
        ..Audit::default()
    };
    for oddity in &listed.oddities {
        audit.add(AuditFinding::of_list(AuditCheck::Protocol, oddity.clone()));
    }
    let tools = listed.into_tools()?;
    let (compiled, findings) = checked(&tools);
    audit.findings.extend(findings);
    audit.findings.extend(lint_tools(&tools));
    let mut auditor = Auditor {
        prober,
        audit,
        options,
        context,
        until,
        progress,
    };
    for (index, tool) in compiled.iter().enumerate() {
        auditor.call_tool(index, tool).await;
    }
    auditor.finish(&tools).await
}

struct Auditor<'a> {
    prober: Prober<'a>,
    audit: Audit,
    options: &'a AuditOptions,
    context: &'a Context,
    until: At,
    progress: &'a mut dyn FnMut(AuditStep<'_>),
}

impl Auditor<'_> {
    /// Calls a tool with everything that is made for it, as far as calls and time allow.
    async fn call_tool(&mut self, index: usize, compiled: &CheckedTool<'_>) {
        let tool = compiled.tool;
        let mut audited = AuditedTool {
            name: tool.name.clone(),
            calls: 0,
            calls_not_made: 0,
            skipped: self.skipped(tool),
        };
        if audited.skipped.is_none() {
            let number = u32::try_from(index).unwrap_or(u32::MAX);
            let random = WalkRandom::of_walk(self.options.seed, number);
            let schema = tool
                .input
                .clone()
                .unwrap_or_else(|| Value::Object(Map::new()));
            let input = compiled.input.as_ref();
            let made = self.computed(|| made_arguments(&schema, input, random));
            if made.is_err() {
                self.give_up(tool, "arguments");
                audited.skipped = Some("its arguments could not be made in time");
            }
            let mut broken = 0;
            let made = made.unwrap_or_default();
            let of = made.len().min(self.options.most_calls);
            for made in &made {
                let is_over = self.is_over();
                if broken == MOST_BROKEN {
                    break;
                }
                if is_over || audited.calls == self.options.most_calls {
                    audited.calls_not_made += 1;
                    continue;
                }
                (self.progress)(AuditStep::Calls {
                    tool: &tool.name,
                    call: audited.calls + 1,
                    of,
                });
                let observed = self.prober.call(&tool.name, &made.args).await;
                audited.calls += 1;
                if self.was_stopped(&observed) {
                    break;
                }
                broken += usize::from(observed.end != Some(Ok(Ended::Terminal)));
                let Ok(judged) = self.computed(|| judge_call(compiled, made, &observed)) else {
                    self.give_up(tool, "results");
                    break;
                };
                for (check, message) in judged {
                    self.audit.add(AuditFinding {
                        with: Some(made.words.clone()),
                        arguments: Some(made.args.clone()),
                        ..AuditFinding::of_tool(check, &tool.name, message)
                    });
                }
            }
        }
        self.audit.tools.push(audited);
        (self.progress)(AuditStep::Finished(&self.audit));
    }

    /// Computes, as long as there is time for one computation and for the audit.
    fn computed<T>(&self, compute: impl FnOnce() -> T) -> Result<T, Interrupted> {
        let left = self.until.since(self.context.clock.now());
        interruption::within(left.min(COMPUTING_TIME), compute)
    }

    /// Nothing more can be said of a tool with this schema.
    fn give_up(&mut self, tool: &DeclaredTool, of: &str) {
        if !self.is_over() {
            let time = duration::chosen(COMPUTING_TIME);
            let message = format!(
                "the schema of the {of} cannot be checked within {time}: it has too many ways to match"
            );
            self.audit.add(AuditFinding::of_tool(
                AuditCheck::InvalidSchema,
                &tool.name,
                message,
            ));
        }
    }

    /// The reason that a tool is not called.
    fn skipped(&self, tool: &DeclaredTool) -> Option<&'static str> {
        let AuditOptions {
            only, permitted, ..
        } = self.options;
        if !only.is_empty() && !only.contains(&tool.name) {
            Some("not selected")
        } else if tool.name.is_empty() {
            Some("it has no name")
        } else if self.audit.tools.iter().any(|known| known.name == tool.name) {
            Some("another tool has the same name")
        } else if !permitted.contains(tool) {
            Some(MAY_CHANGE_DATA)
        } else {
            None
        }
    }

    /// Calls a tool that does not exist, lists the tools again, and ends the agent.
    async fn finish(mut self, tools: &[DeclaredTool]) -> Result<Audit, TargetError> {
        if !self.is_over() {
            let observed = self
                .prober
                .call(UNKNOWN_TOOL, &Value::Object(Map::new()))
                .await;
            if !self.was_stopped(&observed) {
                for (check, message) in judge_unknown_call(&observed) {
                    let message = format!("a call to a tool that does not exist: {message}");
                    self.audit.add(AuditFinding::of_list(check, message));
                }
            }
        }
        if !self.is_over() {
            let listed = self.prober.list().await;
            let is_same_list = listed
                .tools
                .as_deref()
                .is_some_and(|listed| is_same_json(&declarations(listed), &declarations(tools)));
            if !self.was_stopped(&listed) && !is_same_list {
                let message =
                    "the second list of the tools is not the same as the first".to_owned();
                self.audit
                    .add(AuditFinding::of_list(AuditCheck::ListChanges, message));
            }
        }
        for warning in self.prober.close().await {
            self.audit
                .add(AuditFinding::of_list(AuditCheck::DoesNotEnd, warning));
        }
        Ok(self.audit)
    }

    fn was_stopped(&mut self, observed: &ObservedExchange) -> bool {
        self.audit.is_stopped |= observed.end == Some(Ok(Ended::Cancelled));
        self.audit.is_stopped
    }

    fn is_over(&mut self) -> bool {
        self.audit.is_cut_short |= self.context.clock.now() >= self.until;
        self.audit.is_cut_short || self.audit.is_stopped
    }
}

/// The whole declarations of tools, to compare them.
fn declarations(tools: &[DeclaredTool]) -> Value {
    let declaration = |tool: &DeclaredTool| {
        json!({
            "name": tool.name, "description": tool.description, "input": tool.input, "output": tool.output,
            "rest": tool.rest,
        })
    };
    tools.iter().map(declaration).collect()
}
