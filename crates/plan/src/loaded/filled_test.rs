//! A test, filled leaf by leaf: as far as it is known when it is checked, and whole when it runs.
//!
//! **Invariant:** a check and a run fill the same leaves by the same code, so that what a run would report of a value that
//! is known before it, a check reports.

use std::borrow::Cow;
use std::collections::HashSet;
use std::time::Duration;

use super::loaded_test::LoadedTest;
use crate::compile::{
    AttachmentFiles, CompiledAction, CompiledClientTools, CompiledInteraction, CompiledSimulation,
    FileAccess, PreparedTurn, SimulatorSource, fill_history, request_context,
};
use crate::project::{Config, ResolvedTarget, TestModelScript, Variables, fill_test_models};
use ananke_base::context::Context;
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_base::message::{HistoryMessage, MessageId, RequestContext};
use ananke_model::model::{MessageDefinition, SentByTurn, Turn};
use ananke_model::variables::{Fill as _, Interpolation, Leaf, Mode, Scope, Secret};
use ananke_rules::{Block, Library, TurnCondition};
use ananke_trace::outcome::Level;

/// The surroundings of a test that is filled.
#[derive(Clone, Copy)]
pub(crate) struct TestSurroundings<'a> {
    pub(crate) context: &'a Context,
    pub(crate) variables: &'a Variables,
    /// The config, unless it is broken.
    pub(crate) config: Option<&'a Config>,
    /// The target of the test, if it is known.
    pub(crate) target: Option<&'a ResolvedTarget>,
    /// The extent to which files are read: a test that is checked is a draft, one whose files are read is sent.
    pub(crate) access: FileAccess,
}

impl<'a> TestSurroundings<'a> {
    fn mode(self) -> Mode {
        match self.access {
            FileAccess::Check => Mode::Draft,
            FileAccess::Read => Mode::Send,
        }
    }

    fn named(self) -> Option<Library<'a>> {
        self.config.map(Config::named_assertions)
    }
}

/// The parts of a test, filled; each that is not known, or was reported, says so itself.
pub(crate) struct FilledTest {
    /// The rules of the test.
    pub(crate) block: Block,
    /// The rules of its turns.
    pub(crate) turn_blocks: Vec<Block>,
    /// The requests of its turns.
    pub(crate) turns: Vec<FilledTurn>,
    /// The client-side tools that it declares.
    pub(crate) client_tools: CompiledClientTools,
    /// The scripts of the models that the agent's code asks.
    pub(crate) model_scripts: Leaf<Vec<TestModelScript>>,
    /// The context that the agent gets with every request.
    pub(crate) request_context: Leaf<RequestContext>,
    /// The time that it may take as a whole.
    pub(crate) timeout: Leaf<Option<Duration>>,
    /// The messages before the first turn.
    pub(crate) history: Leaf<Vec<HistoryMessage>>,
    /// The id of the message that is its one turn.
    pub(crate) message_id: Leaf<MessageId>,
    /// The simulated conversation.
    pub(crate) simulation: Option<Leaf<CompiledSimulation>>,
    /// The rules of the checkpoints of the simulated conversation.
    pub(crate) checkpoints: Vec<Block>,
    /// The settings for unwritten input.
    pub(crate) interaction: Leaf<CompiledInteraction>,
    /// The actions of a walk.
    pub(crate) actions: Vec<CompiledAction>,
    /// The rules of what those need that need something.
    pub(crate) needs: Vec<Block>,
    /// The rules of the turns that the actions are; none in a run, which fills an action when it is taken.
    pub(super) action_blocks: Vec<Block>,
    /// The users and passwords in the URLs of its attachments.
    pub(crate) secrets: Vec<Secret>,
}

/// The request of a turn, filled.
pub(crate) struct FilledTurn {
    /// The turn, unless something is known later or was reported.
    pub(crate) turn: Leaf<PreparedTurn>,
    /// The condition on which it is sent, in words.
    pub(crate) condition: Option<String>,
    /// Whether something of it or of its rules is known later; never of a draft, which shows such texts as they are written.
    pub(crate) is_pending: bool,
    /// The users and passwords in the URLs of its attachments.
    pub(crate) secrets: Vec<Secret>,
}

impl FilledTest {
    /// The rules of the test, of its turns, of its checkpoints and of its actions.
    pub(crate) fn all_blocks(&self) -> impl Iterator<Item = &Block> {
        let of_actions = self.action_blocks.iter().chain(&self.needs);
        std::iter::once(&self.block)
            .chain(&self.turn_blocks)
            .chain(&self.checkpoints)
            .chain(of_actions)
    }

    /// The rules of every turn that there may be: each action may be one, and to those that are simulated, nothing of their
    /// own applies.
    pub(crate) fn blocks_of_every_turn(&self) -> Cow<'_, [Block]> {
        if !self.action_blocks.is_empty() {
            return Cow::Owned([self.turn_blocks.as_slice(), &self.action_blocks].concat());
        }
        if self.simulation.is_none() {
            return Cow::Borrowed(&self.turn_blocks);
        }
        let (mut blocks, most) = (self.turn_blocks.clone(), self.max_turns());
        blocks.resize(
            most.unwrap_or_default().max(blocks.len() + 1),
            Block::default(),
        );
        Cow::Owned(blocks)
    }

    /// Whether a person is asked for unwritten input, as far as that is known.
    pub(crate) fn asks_person(&self) -> bool {
        matches!(&self.interaction, Ok(said) if said.asks_person == Some(true))
    }

    fn filled_simulation(&self) -> Option<&CompiledSimulation> {
        self.simulation.as_ref()?.as_ref().ok()
    }

    /// The largest number of turns of a simulated conversation, if it is known.
    pub(crate) fn max_turns(&self) -> Option<usize> {
        Some(self.filled_simulation()?.max_turns)
    }

    /// The name of the target that plays the user.
    pub(crate) fn simulating_agent(&self) -> Option<&str> {
        match &self.filled_simulation()?.simulator {
            SimulatorSource::Agent(name) => Some(name),
            SimulatorSource::Script(_) => None,
        }
    }
}

impl LoadedTest {
    /// Fills every leaf from `scope`; if it is checked, whatever its hooks may give is known later.
    pub(crate) fn fill(
        &self,
        around: TestSurroundings<'_>,
        scope: &Scope,
        problems: &mut Vec<Diagnostic>,
    ) -> FilledTest {
        let is_open =
            around.access == FileAccess::Check && !self.hooks(around.variables).is_empty();
        let scope = if is_open {
            &scope.clone().open()
        } else {
            scope
        };
        let (config, named) = (around.config, around.named());
        let mut interpolation = Interpolation::new(scope, &self.source, around.mode(), problems);
        let block = Block::compile(&self.model.assert, Level::Test, named, &mut interpolation);
        let client_tools = CompiledClientTools::fill(
            self.model.client_tools.as_ref(),
            config.map(|config| config.scripts(&around.context.files)),
            &mut interpolation,
        );
        let model_scripts = fill_test_models(&self.model, &mut interpolation);
        let request_context = request_context(
            self.model.props.as_ref(),
            self.model.options.as_ref(),
            self.model.caller.as_ref(),
            &mut interpolation,
        );
        let timeout = self.model.timeout_ms.fill(&mut interpolation);
        self.one_id_each(&mut interpolation);
        let history = fill_history(&self.messages, self.files(around), &mut interpolation);
        let message_id = self.message_id(&mut interpolation);
        let (simulation, checkpoints) = self.fill_simulation(around, &mut interpolation).unzip();
        let interaction = CompiledInteraction::fill(
            self.model.interactive.as_ref(),
            self.model.on_missing_input,
            &mut interpolation,
        );
        let mut filled = FilledTest {
            block,
            turn_blocks: Vec::new(),
            turns: Vec::new(),
            client_tools,
            model_scripts,
            request_context,
            timeout,
            history,
            message_id,
            simulation,
            checkpoints: checkpoints.unwrap_or_default(),
            interaction,
            actions: Vec::new(),
            needs: Vec::new(),
            action_blocks: Vec::new(),
            secrets: interpolation.into_secrets(),
        };
        self.fill_needs(&mut filled, around, scope, problems);
        self.fill_turns(&mut filled, around, scope, problems);
        filled
    }

    /// The simulated conversation, and the rules of its checkpoints.
    fn fill_simulation(
        &self,
        around: TestSurroundings<'_>,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<(Leaf<CompiledSimulation>, Vec<Block>)> {
        let written = self.model.simulate.as_ref()?;
        // Who plays the user is no mistake of the test if the config does not fit.
        let given = around
            .config
            .map_or(Some(""), |config| config.simulator.as_deref());
        let filled = CompiledSimulation::fill(written, around.named(), given, interpolation);
        Some(filled)
    }

    /// Fills what the actions of a walk need.
    fn fill_needs(
        &self,
        filled: &mut FilledTest,
        around: TestSurroundings<'_>,
        scope: &Scope,
        problems: &mut Vec<Diagnostic>,
    ) {
        let Some(walk) = &self.model.walk else { return };
        let hint = "`needs` are filled before the first turn: they cannot use what a turn captures";
        let mut turns = self.turns.iter().map(|turn| &turn.value);
        let captures = |turn: &Turn| turn.settings.capture.is_some();
        let scope = if turns.any(captures) || self.actions().any(|(_, turn)| captures(turn)) {
            &scope.clone().hint(hint)
        } else {
            scope
        };
        let mut interpolation = Interpolation::new(scope, &self.source, around.mode(), problems);
        for (name, action) in &walk.value.actions {
            let named = around.named();
            let (action, needs) =
                CompiledAction::fill(&name.value, action, named, &mut interpolation);
            filled.actions.push(action);
            filled.needs.extend(needs);
        }
        filled.secrets.extend(interpolation.into_secrets());
    }

    /// Fills the turns, and in a check the actions of a walk.
    fn fill_turns(
        &self,
        filled: &mut FilledTest,
        around: TestSurroundings<'_>,
        scope: &Scope,
        problems: &mut Vec<Diagnostic>,
    ) {
        for (turn, scope) in self.each_turn(scope, around.variables) {
            let (block, turn) = self.fill_turn(turn, around, &scope, problems);
            filled.secrets.extend_from_slice(&turn.secrets);
            filled.turn_blocks.push(block);
            filled.turns.push(turn);
        }
        if around.access == FileAccess::Check && self.model.walk.is_some() {
            let scope = self.before_action(scope.clone());
            for (_, action) in self.actions() {
                let (block, turn) = self.fill_turn(action, around, &scope, problems);
                filled.secrets.extend(turn.secrets);
                filled.action_blocks.push(block);
            }
        }
    }

    /// Fills the rules and the request of a turn or an action.
    pub(crate) fn fill_turn(
        &self,
        turn: &Turn,
        around: TestSurroundings<'_>,
        scope: &Scope,
        problems: &mut Vec<Diagnostic>,
    ) -> (Block, FilledTurn) {
        let mut interpolation = Interpolation::new(scope, &self.source, around.mode(), problems);
        let written = turn.settings.assert.as_ref();
        let block = Block {
            is_replay: matches!(turn.sent, SentByTurn::Connect),
            is_conditional: turn.settings.condition.is_some(),
            ..Block::compile(written, Level::Turn, around.named(), &mut interpolation)
        };
        // The decision fills the condition once more, with what is known by then.
        let condition = turn.settings.condition.as_ref();
        let condition =
            condition.and_then(|written| TurnCondition::compile(written, &mut interpolation));
        let turn = PreparedTurn::fill(turn, self.files(around), &mut interpolation);
        let is_pending = interpolation.has_pending();
        let secrets = interpolation.into_secrets();
        (
            block,
            FilledTurn {
                turn,
                condition: condition.map(|condition| condition.describe()),
                is_pending,
                secrets,
            },
        )
    }

    /// The access to the files that the test names.
    fn files<'a>(&'a self, around: TestSurroundings<'a>) -> AttachmentFiles<'a> {
        AttachmentFiles {
            context: around.context,
            folder: self.folder(around.context),
            target: around.target.map(|target| &target.model),
            access: around.access,
        }
    }

    /// The id of the message that is the one turn of the test.
    fn message_id(&self, interpolation: &mut Interpolation<'_>) -> Leaf<MessageId> {
        let Some(MessageDefinition { id, name, .. }) = &self.last_message else {
            return Ok(MessageId::default());
        };
        let (id, name) = (id.fill(interpolation), name.fill(interpolation));
        Ok(MessageId {
            id: id?,
            name: name?,
        })
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
