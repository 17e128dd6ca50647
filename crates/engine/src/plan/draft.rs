//! A test before it starts: what is known of it, and the rest as it is written.

use std::borrow::Cow;
use std::collections::HashSet;

use super::test::{LoadedTest, turn_block};
use crate::compile::{
    AttachmentFiles, CompiledAction, CompiledInteraction, CompiledSimulation, FileAccess,
    PreparedTurn, SimulatorSource, describe_written, fill_client_tools,
};
use crate::project::{Config, ResolvedTarget, Variables};
use ananke_base::context::Context;
use ananke_base::diagnostic::{Code, Diagnostic, Spanned};
use ananke_base::text::duration;
use ananke_model::model::Turn;
use ananke_model::variables::{Interpolation, Mode, Scope, Secret};
use ananke_rules::Block;

/// The parts of a test that are known before it starts.
pub(super) struct Draft {
    /// Its turns.
    pub(super) turns: Vec<WrittenTurn>,
    /// The rules of the test.
    pub(super) test: Block,
    /// The rules of its turns.
    pub(super) blocks: Vec<Block>,
    /// The simulated conversation.
    pub(super) simulation: Option<DraftSimulation>,
    /// The settings of the test for unwritten input.
    pub(super) interaction: CompiledInteraction,
    /// The rules of the actions of a walk.
    pub(super) actions: Vec<Block>,
    /// The rules of what they need.
    pub(super) needs: Vec<Block>,
    /// The users and passwords in the URLs of its attachments.
    pub(super) secrets: Vec<Secret>,
}

/// The parts of a simulated conversation that are known before its test starts.
pub(super) struct DraftSimulation {
    /// The source of the simulated user, if that is known.
    pub(super) simulator: Option<SimulatorSource>,
    /// The rules of its checkpoints.
    pub(super) checkpoints: Vec<Block>,
    /// The largest number of turns, if it is known.
    pub(super) max_turns: Option<usize>,
}

impl Draft {
    /// The rules of the test, of its turns and of its checkpoints.
    pub(super) fn all_blocks(&self) -> impl Iterator<Item = &Block> {
        let of_checkpoints = self
            .simulation
            .iter()
            .flat_map(|simulation| &simulation.checkpoints);
        let of_actions = self.actions.iter().chain(&self.needs);
        [&self.test]
            .into_iter()
            .chain(&self.blocks)
            .chain(of_checkpoints)
            .chain(of_actions)
    }

    /// The rules of every turn that there may be: each action may be one, and to those that are simulated, nothing of their
    /// own applies.
    pub(super) fn blocks_of_every_turn(&self) -> Cow<'_, [Block]> {
        if !self.actions.is_empty() {
            return Cow::Owned([self.blocks.as_slice(), &self.actions].concat());
        }
        let Some(DraftSimulation { max_turns, .. }) = &self.simulation else {
            return Cow::Borrowed(&self.blocks);
        };
        let mut blocks = self.blocks.clone();
        blocks.resize(
            max_turns.unwrap_or_default().max(blocks.len() + 1),
            Block::default(),
        );
        Cow::Owned(blocks)
    }

    /// The name of the target that plays the user.
    pub(super) fn simulating_agent(&self) -> Option<&str> {
        match self.simulation.as_ref()?.simulator.as_ref()? {
            SimulatorSource::Agent(name) => Some(name),
            SimulatorSource::Script(_) => None,
        }
    }
}

/// The parts of a turn that are known before its test starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenTurn {
    /// The id of the turn.
    pub id: Option<String>,
    /// The input of the turn, in words.
    pub input: String,
    /// Its own timeout, which replaces that of the target, in words, if it is known.
    pub timeout: Option<String>,
}

impl LoadedTest {
    /// Everything that is known before the test starts, and the rest as it is written; for an agent behind `target`, if that is known.
    pub(super) fn draft(
        &self,
        context: &Context,
        variables: &Variables,
        scope: &Scope,
        config: Option<&Config>,
        target: Option<&ResolvedTarget>,
        problems: &mut Vec<Diagnostic>,
    ) -> Draft {
        let scope = if self.hooks(variables).is_empty() {
            scope.clone()
        } else {
            scope.clone().open()
        };
        let mut interpolation = Interpolation::new(&scope, &self.source, Mode::Draft, problems);
        let library = config.map(Config::named_assertions);
        let test = self.block(library, &mut interpolation);
        let tools = self.model.client_tools.as_ref();
        fill_client_tools(
            tools,
            config.map(|config| config.scripts(&context.files)),
            &mut interpolation,
        );
        let _ = self.request_context(&mut interpolation);
        if let Some(timeout) = &self.model.timeout_ms {
            let _ = interpolation.number(timeout);
        }
        self.one_id_each(&mut interpolation);
        let files = self.files(context, target, FileAccess::Check);
        let _ = self.history(files, &mut interpolation);
        let _ = self.message_id(&mut interpolation);
        // Who plays the user is no mistake of the test if the config does not fit.
        let given = config.map_or(Some(""), |config| config.simulator.as_deref());
        let simulation = self.model.simulate.as_ref().map(|written| {
            let (filled, checkpoints) =
                CompiledSimulation::fill(written, library, given, &mut interpolation);
            let (simulator, max_turns) = filled
                .ok()
                .map(|filled| (filled.simulator, filled.max_turns))
                .unzip();
            DraftSimulation {
                simulator,
                checkpoints,
                max_turns,
            }
        });
        let interaction = self.interaction(&mut interpolation).unwrap_or_default();
        let secrets = interpolation.into_secrets();
        let mut draft = Draft {
            turns: Vec::new(),
            test,
            blocks: Vec::new(),
            simulation,
            interaction,
            actions: Vec::new(),
            needs: Vec::new(),
            secrets,
        };
        for (turn, scope) in self.each_turn(&scope, variables) {
            let mut interpolation = Interpolation::new(&scope, &self.source, Mode::Draft, problems);
            draft
                .blocks
                .push(turn_block(turn, library, &mut interpolation));
            draft
                .turns
                .push(WrittenTurn::of(turn, files, &mut interpolation));
            draft.secrets.extend(interpolation.into_secrets());
        }
        let scope = self.before_action(scope);
        for (name, action) in self.model.walk.iter().flat_map(|walk| &walk.value.actions) {
            let mut interpolation = Interpolation::new(&scope, &self.source, Mode::Draft, problems);
            draft
                .needs
                .extend(CompiledAction::fill(&name.value, action, library, &mut interpolation).1);
            draft
                .actions
                .push(turn_block(&action.value.0, library, &mut interpolation));
            let _ = PreparedTurn::fill(&action.value.0, files, &mut interpolation);
            draft.secrets.extend(interpolation.into_secrets());
        }
        draft
    }

    /// Reports the turns whose ids are not unique.
    fn one_id_each(&self, interpolation: &mut Interpolation<'_>) {
        let mut known = HashSet::new();
        for id in self
            .turns
            .iter()
            .filter_map(|turn| turn.settings.id.as_ref())
        {
            if !known.insert(&id.value) {
                let message = format!("two turns have the id `{}`", id.value);
                interpolation.report(
                    Code::Contradiction,
                    id.span,
                    message,
                    Some("rename one of them".to_owned()),
                );
            }
        }
    }
}

impl WrittenTurn {
    fn of(
        turn: &Spanned<Turn>,
        files: AttachmentFiles<'_>,
        interpolation: &mut Interpolation<'_>,
    ) -> Self {
        let settings = &turn.value.settings;
        let written = settings
            .timeout_ms
            .as_ref()
            .and_then(|number| interpolation.written_number(number));
        let filled = PreparedTurn::fill(turn, files, interpolation).ok();
        let timeout = filled
            .as_ref()
            .and_then(|turn| turn.request.timeout)
            .map(duration::chosen);
        Self {
            id: settings.id.as_ref().map(|id| {
                filled
                    .as_ref()
                    .and_then(|turn| turn.request.id.clone())
                    .unwrap_or_else(|| id.value.clone())
            }),
            input: filled.map_or_else(
                || describe_written(turn),
                |turn| turn.request.input.describe(),
            ),
            timeout: written.map(|written| format!("{written} ms")).or(timeout),
        }
    }
}
