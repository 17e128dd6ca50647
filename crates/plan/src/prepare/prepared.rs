//! A test that is ready to run: everything filled in after its last hook.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::preparation::{Inheritance, Preparation};
use crate::compile::{
    CompiledAction, CompiledClientTools, CompiledInteraction, CompiledSimulation, FileAccess,
    PreparedTurn, headers_with,
};
use crate::loaded::{
    FilledTarget, FilledTurn, PrepareError, TurnDefaults, of_older_versions, with_place,
};
use crate::project::TestModelScript;
use ananke_agents::{Target, TargetPace};
use ananke_base::diagnostic::{Code, Diagnostic, Span, sort};
use ananke_base::message::{HistoryMessage, MessageId, RequestContext, ServerRequestKind};
use ananke_base::text::all_of;
use ananke_model::variables::{Interpolation, Leaf, Secret};
use ananke_rules::{Block, Inherited, inherit};
use ananke_trace::trace::{KnownName, Prices};

/// The time that a case of a case file may take by default (SPEC 9).
pub(crate) const CASE_TIMEOUT: Duration = Duration::from_mins(5);

/// The number of names of variables that are listed in a hint.
const LISTED_NAMES: usize = 10;

/// A test that is ready to run.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The conversation history before the first turn.
    pub history: Vec<HistoryMessage>,
    /// The turns; `None` for one that waits for a capture of an earlier one.
    pub turns: Vec<Option<PreparedTurn>>,
    /// Whether the first turn is the message that the test begins with, and not one of its `turns`.
    pub begins_with_input: bool,
    /// The parts that the test gives to turns that are not written.
    pub defaults: Arc<TurnDefaults>,
    /// The rules that apply.
    pub rules: Inherited,
    /// The agent.
    pub target: Arc<dyn Target>,
    /// The simulated user after the turns, and the checkpoints of the conversation.
    pub simulation: Option<CompiledSimulation>,
    /// The settings of the test for unwritten input.
    pub interaction: CompiledInteraction,
    /// The tools that ask the user.
    pub confirmation_tools: Vec<String>,
    /// The actions of the user in a walk; empty for other tests.
    pub actions: Vec<CompiledAction>,
    /// The client-side tools.
    pub client_tools: CompiledClientTools,
    /// The scripts of the models that the agent's code asks.
    pub model_scripts: Vec<TestModelScript>,
    /// The kinds of requests of a server that a turn or an action answers.
    pub offered: Vec<ServerRequestKind>,
    /// The conversation's thread.
    pub thread_id: String,
    /// Whether another test may get the same thread: it was not generated for this one.
    pub thread_is_fixed: bool,
    /// The rate and the concurrency with which the agent may be sent requests.
    pub pace: TargetPace,
    /// The prices of models; `None` if the config has none.
    pub prices: Option<Arc<Prices>>,
    /// The names of what the agent sends and no rule is about.
    pub known: Vec<KnownName>,
    /// The timeout of a turn that has none of its own; `None` is the default.
    pub timeout: Option<Duration>,
    /// The time that the whole test may take.
    pub whole_timeout: Option<Duration>,
    /// Values that must be masked; known before anything of the test is reported.
    pub secrets: Vec<Secret>,
    /// Warnings about results of hooks; the plan has reported the others.
    pub warnings: Vec<String>,
}

impl Preparation {
    /// Fills every leaf of the test and of its target that does not wait for a turn.
    ///
    /// # Errors
    /// If a leaf cannot be filled.
    pub fn finish(&mut self) -> Result<Prepared, PrepareError> {
        if let Some(hint) = self.hint() {
            self.scope = std::mem::take(&mut self.scope).hint(hint);
        }
        let mut problems = Vec::new();
        let mut secrets = Vec::new();
        let mut of_helpers = Vec::new();
        for name in &self.helpers {
            match self.helper(name) {
                Ok(helper) => {
                    secrets.extend(helper.secrets);
                    of_helpers.extend(helper.warnings);
                }
                Err(PrepareError::Broken(of_helper, _)) => problems.extend(of_helper),
                Err(PrepareError::Changed) => {}
            }
        }
        let prepared = self.fill(&mut problems, &mut secrets);
        secrets.extend(self.plan.config.redactions.secrets(&self.scope));
        secrets.extend(self.secrets_of_hooks(&self.scope));
        let mut warnings = self.warnings(&problems);
        problems.retain(Diagnostic::is_error);
        match prepared {
            Some(mut prepared) if problems.is_empty() => {
                warnings.append(&mut of_helpers);
                warnings.append(&mut prepared.warnings);
                Ok(Prepared {
                    secrets,
                    warnings,
                    ..prepared
                })
            }
            _ => {
                sort(&mut problems);
                secrets.extend(self.secrets());
                Err(PrepareError::Broken(problems, secrets))
            }
        }
    }

    /// The warnings that rest on what the test or its hooks gave: secrets that are too short to be masked; and what has another
    /// meaning in files of newer versions.
    fn warnings(&self, problems: &[Diagnostic]) -> Vec<String> {
        let is_given = |name: &str| {
            self.from_test
                .iter()
                .chain(&self.from_hooks)
                .any(|given| given == name)
        };
        let headers: Vec<Span> = headers_with(&self.target().model, is_given)
            .map(|text| text.span)
            .collect();
        let short = problems.iter().filter(|problem| {
            problem.code == Code::ShortSecret
                && problem
                    .labels
                    .first()
                    .is_some_and(|label| headers.contains(&label.span))
        });
        short
            .map(with_place)
            .chain(of_older_versions(problems))
            .chain(self.plan.config.redactions.unmasked(&self.scope, is_given))
            .collect()
    }

    /// The help for a name that is missing after the hooks.
    fn hint(&self) -> Option<String> {
        if self.hooks() == 0 {
            return None;
        }
        let names: Vec<String> = self
            .from_hooks
            .iter()
            .take(LISTED_NAMES)
            .map(|name| format!("`{name}`"))
            .collect();
        Some(
            match (
                names.as_slice(),
                self.from_hooks.len().saturating_sub(names.len()),
            ) {
                ([], _) => "the hooks of this test gave no variables".to_owned(),
                (names, 0) => format!("the hooks of this test gave {}", names.join(", ")),
                (names, more) => format!(
                    "the hooks of this test gave {} and {more} more",
                    names.join(", ")
                ),
            },
        )
    }

    /// Fills the target and the test; `None` if something is not whole, which was reported.
    fn fill(
        &mut self,
        problems: &mut Vec<Diagnostic>,
        secrets: &mut Vec<Secret>,
    ) -> Option<Prepared> {
        let thread_id = self.thread(problems)?;
        let mut interpolation =
            Interpolation::new(&self.scope, &self.plan.config.source, self.mode, problems);
        let (filled_target, mut target_block) = self.fill_target(&mut interpolation);
        let confirmation_tools = self.plan.config.confirmation_tools(&mut interpolation);
        secrets.extend(interpolation.into_secrets());
        let around = self.test_surroundings(FileAccess::Read);
        let mut filled = self.test.fill(around, &self.scope, problems);
        secrets.append(&mut filled.secrets);
        self.snapshot_files().place(
            &mut target_block,
            &mut filled.block,
            &mut filled.turn_blocks,
            problems,
        );
        let target = filled_target.agent?;
        let rules = inherit(&target_block, &filled.block, &filled.turn_blocks);
        let mut of_test = filled.request_context.ok()?;
        let mut turns = turns_known_now(filled.turns)?;
        let warnings = self.not_sent(&*target, &of_test, &turns);
        if self.test.part.is_some() {
            of_test.put_over(&RequestContext::of_cases());
        }
        self.defaults = Arc::new(TurnDefaults {
            given: self.plan.request_context.clone(),
            of_test,
            target: target_block,
            test: filled.block,
        });
        self.complete(&mut turns, filled.message_id)?;
        Some(Prepared {
            history: filled.history.ok()?,
            turns,
            begins_with_input: self.test.begins_with_input(),
            defaults: Arc::clone(&self.defaults),
            rules,
            target,
            simulation: filled.simulation.transpose().ok()?,
            interaction: filled.interaction.ok()?,
            confirmation_tools: confirmation_tools?,
            actions: filled.actions,
            client_tools: filled_target.client_tools.merged(filled.client_tools),
            model_scripts: filled.model_scripts.ok()?,
            offered: self.test.offered(),
            thread_id,
            pace: filled_target.pace?,
            prices: self.plan.prices.clone(),
            known: filled_target.known?,
            thread_is_fixed: self.thread_is_given || self.literal_thread().is_some(),
            timeout: filled_target.timeout.ok()?,
            whole_timeout: self.whole_timeout(filled.timeout.ok()?),
            secrets: Vec::new(),
            warnings,
        })
    }

    /// Gives each turn what the test says of all of them, and the first the id of the message that the test begins with.
    fn complete(
        &self,
        turns: &mut [Option<PreparedTurn>],
        message_id: Leaf<MessageId>,
    ) -> Option<()> {
        for turn in turns.iter_mut().flatten() {
            self.defaults.complete(&mut turn.request.context);
        }
        if let Some(Some(first)) = turns.first_mut() {
            first.request.message = message_id.ok()?;
        }
        Some(())
    }

    /// The target and its rules, as far as they apply to the test.
    fn fill_target(&self, interpolation: &mut Interpolation<'_>) -> (FilledTarget, Block) {
        let (config, target) = (&self.plan.config, self.target());
        let filled = FilledTarget::of(config, target, &self.context, interpolation);
        let mut block = target.block(config.named_assertions(), interpolation);
        if self.inheritance == Inheritance::Nothing {
            block = Block::default();
        }
        if self.test.model.walk.is_some() {
            // Each walk is another conversation: no snapshot of the target is about them.
            block.snapshot = None;
        }
        (filled, block)
    }

    /// The warning about what the command line, the test and its turns say for the agent, and its target does not send.
    fn not_sent(
        &self,
        target: &dyn Target,
        of_test: &RequestContext,
        turns: &[Option<PreparedTurn>],
    ) -> Vec<String> {
        let of_turns = turns.iter().flatten().map(|turn| &turn.request.context);
        let names: BTreeSet<String> = [&self.plan.request_context, of_test]
            .into_iter()
            .chain(of_turns)
            .flat_map(|context| target.not_sent(context))
            .map(|name| format!("`{name}`"))
            .collect();
        let verb = match names.len() {
            0 => return Vec::new(),
            1 => "is",
            _ => "are",
        };
        let names = all_of(&Vec::from_iter(names));
        vec![format!(
            "{names} {verb} not sent: the requests of this target have no place for it"
        )]
    }

    /// The time that the whole test may take: a case has a timeout of its own, that of the run, or [`CASE_TIMEOUT`].
    fn whole_timeout(&self, own: Option<Duration>) -> Option<Duration> {
        match self.test.part {
            Some(_) => own.or(self.plan.settings.timeout).or(Some(CASE_TIMEOUT)),
            None => own,
        }
    }
}

/// The turns, each unless it waits for an earlier one; `None` if one of them could not be filled.
fn turns_known_now(turns: Vec<FilledTurn>) -> Option<Vec<Option<PreparedTurn>>> {
    let known_now = |turn: FilledTurn| match turn.turn {
        _ if turn.is_pending => Some(None),
        Ok(turn) => Some(Some(turn)),
        Err(_) => None,
    };
    turns.into_iter().map(known_now).collect()
}
