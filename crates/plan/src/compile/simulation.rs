//! A simulated conversation: who plays the user, and what it must come by, checked and filled.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Map, Value};

use ananke_base::diagnostic::{Code, Spanned};
use ananke_model::model::{self, Simulate, SimulatorName, Text};
use ananke_model::variables::{Fill as _, Interpolation, Leaf, fill_all};
use ananke_rules::{Block, CompiledCheckpoint, Library, ScriptSource, inherit, question_keys};
use ananke_trace::outcome::Level;

/// The time that a conversation may take, if the test gives none.
pub(super) const DEFAULT_TIMEOUT: Duration = Duration::from_mins(5);

/// The keys of a question to a simulator that are not of the test's choice.
const KEYS: [&str; 13] = [
    "test_mode",
    "test_id",
    "persona",
    "goal",
    "conversation",
    "last_response",
    "turn_number",
    "turn_count",
    "max_turns",
    "checkpoints_reached",
    "checkpoints_pending",
    "tool_results",
    "session_id",
];

/// The source of the simulated user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SimulatorSource {
    /// The target of this name.
    Agent(String),
    /// A script of the project.
    Script(ScriptSource),
}

impl SimulatorSource {
    /// The source that `name` refers to: a target, with or without `agents:`, or `scripts:NAME`.
    fn named(name: &str) -> Self {
        match SimulatorName::parse(name) {
            SimulatorName::Agent(name) => Self::Agent(name.to_owned()),
            SimulatorName::Script(name) => Self::Script(ScriptSource::Named(name.to_owned())),
        }
    }
}

/// A simulated conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledSimulation {
    /// The source of the simulated user.
    pub simulator: SimulatorSource,
    /// The model that simulates the user, if the test names it.
    pub connector: Option<String>,
    /// The persona of the user.
    pub persona: Option<String>,
    /// The goal of the user.
    pub goal: Option<String>,
    /// Extra keys of each question.
    pub with: Map<String, Value>,
    /// The largest number of turns.
    pub max_turns: usize,
    /// The time that it may take from the first question to the simulator on.
    pub timeout: Duration,
    /// The checkpoints that it must reach, in the order of the file.
    pub checkpoints: Vec<CompiledCheckpoint>,
}

impl CompiledSimulation {
    /// Checks and fills what is written; `given` plays the user if the test does not say who. Comes with the rules of each
    /// checkpoint, also if something else is wrong.
    pub(crate) fn fill(
        written: &Spanned<Simulate>,
        library: Option<Library<'_>>,
        given: Option<&str>,
        interpolation: &mut Interpolation<'_>,
    ) -> (Leaf<Self>, Vec<Block>) {
        let checkpoints = written.value.checkpoints.as_deref().unwrap_or_default();
        let blocks: Vec<Block> = checkpoints
            .iter()
            .map(|written| block(&written.value, library, interpolation))
            .collect();
        check_order(checkpoints, interpolation);
        let checkpoints = fill_all(checkpoints.iter().zip(&blocks), |(written, block)| {
            checkpoint(&written.value, block, interpolation)
        });
        let filled = Self::fill_rest(written, given, interpolation).and_then(|simulation| {
            Ok(Self {
                checkpoints: checkpoints?,
                ..simulation
            })
        });
        (filled, blocks)
    }

    fn fill_rest(
        written: &Spanned<Simulate>,
        given: Option<&str>,
        interpolation: &mut Interpolation<'_>,
    ) -> Leaf<Self> {
        let Simulate {
            persona,
            goal,
            connector,
            max_turns,
            timeout_ms,
            with,
            ..
        } = &written.value;
        let simulator = simulator(written, given, interpolation);
        let (persona, goal) = (persona.fill(interpolation), goal.fill(interpolation));
        let connector = connector.fill(interpolation);
        let max_turns = max_turns
            .as_ref()
            .filter(|number| interpolation.written_number(number).is_none());
        let max_turns =
            interpolation.number_or(max_turns, Simulate::MAX_TURNS, Simulate::DEFAULT_MAX_TURNS);
        let timeout = match timeout_ms {
            Some(number) if interpolation.written_number(number).is_some() => Ok(DEFAULT_TIMEOUT),
            Some(number) => number.fill(interpolation),
            None => Ok(DEFAULT_TIMEOUT),
        };
        let with = question_keys(with.as_ref(), &KEYS, interpolation);
        Ok(Self {
            simulator: simulator?,
            connector: connector?,
            persona: persona?,
            goal: goal?,
            with: with?,
            max_turns: max_turns?,
            timeout: timeout?,
            checkpoints: Vec::new(),
        })
    }
}

/// The source of the simulated user.
fn simulator(
    written: &Spanned<Simulate>,
    given: Option<&str>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<SimulatorSource> {
    match (&written.value.agent, &written.value.script) {
        (Some(agent), None) => interpolation.text(agent).map(SimulatorSource::Agent),
        (None, Some(script)) => {
            interpolation.text(script).map(|name| SimulatorSource::Script(ScriptSource::Named(name)))
        }
        (Some(_), Some(script)) => {
            let message = "`agent` and `script` both say who plays the user";
            let help = "keep one of them".to_owned();
            Err(interpolation.report(Code::Contradiction, script.span, message, Some(help)))
        }
        (None, None) => given.map(SimulatorSource::named).ok_or_else(|| {
            let message = "nothing says who plays the user";
            let help = "name a target as `agent` or a script as `script` (in a case file as `simulator`), or use `--simulator NAME`";
            interpolation.report(Code::MissingKey, written.span, message, Some(help.to_owned()))
        }),
    }
}

/// The rules of a checkpoint.
fn block(
    written: &model::Checkpoint,
    library: Option<Library<'_>>,
    interpolation: &mut Interpolation<'_>,
) -> Block {
    let before = interpolation.problem_count();
    let block = Block::compile(
        [&written.assert.value],
        Level::Checkpoint,
        library,
        interpolation,
    );
    // What was reported or is known later is an assertion as well.
    let is_whole = interpolation.problem_count() == before && !interpolation.has_pending();
    if is_whole && block == Block::default() {
        let message = match written.id.value.as_str() {
            "" => "this checkpoint has no assertion".to_owned(),
            id => format!("the checkpoint `{id}` has no assertion"),
        };
        let help = "say in its `assert` what is true of the turn that reaches it".to_owned();
        interpolation.report(Code::EmptyValue, written.assert.span, message, Some(help));
    }
    block
}

fn checkpoint(
    written: &model::Checkpoint,
    block: &Block,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<CompiledCheckpoint> {
    let model::Checkpoint {
        id,
        description,
        after,
        required,
        ..
    } = written;
    let nothing = Block::default();
    let rules = inherit(&nothing, &nothing, std::slice::from_ref(block))
        .turns
        .pop()
        .unwrap_or_default();
    let id = interpolation.text(id);
    let description = description.fill(interpolation);
    let after: Leaf<Option<_>> = after.fill(interpolation);
    Ok(CompiledCheckpoint {
        id: id?,
        description: description?,
        rules,
        after: after?.unwrap_or_default(),
        is_required: required.unwrap_or(true),
    })
}

/// Reports ids that are not unique, and orders that cannot be kept.
fn check_order(written: &[Spanned<model::Checkpoint>], interpolation: &mut Interpolation<'_>) {
    let mut after: BTreeMap<&str, Vec<&Text>> = BTreeMap::new();
    for Spanned {
        value: checkpoint, ..
    } in written
    {
        let id = &checkpoint.id;
        if after
            .insert(&id.value, checkpoint.after.iter().flatten().collect())
            .is_some()
        {
            let message = format!("two checkpoints have the id `{}`", id.value);
            let help = Some("rename one of them".to_owned());
            interpolation.report(Code::Contradiction, id.span, message, help);
        }
    }
    let known: Vec<&str> = after.keys().copied().collect();
    for name in after
        .values()
        .flatten()
        .filter(|name| !after.contains_key(name.value.as_str()))
    {
        let message = format!("there is no checkpoint `{}`", name.value);
        let help = ananke_base::text::suggest(&name.value, &known, "the checkpoints are");
        interpolation.report(Code::UnknownName, name.span, message, Some(help));
    }
    // Whatever comes after something that can be reached can be reached.
    let mut reachable: BTreeSet<&str> = BTreeSet::new();
    loop {
        let before = reachable.len();
        let is_free = |name: &&Text| {
            reachable.contains(name.value.as_str()) || !after.contains_key(name.value.as_str())
        };
        let next: Vec<&str> = after
            .iter()
            .filter(|(_, names)| names.iter().all(is_free))
            .map(|(id, _)| *id)
            .collect();
        reachable.extend(next);
        if reachable.len() == before {
            break;
        }
    }
    let is_stuck = |name: &&&Text| {
        after.contains_key(name.value.as_str()) && !reachable.contains(name.value.as_str())
    };
    for (id, names) in after.iter().filter(|(id, _)| !reachable.contains(*id)) {
        if let Some(name) = names.iter().find(is_stuck) {
            let message = format!(
                "the checkpoint `{id}` can never be reached: it comes after `{}`, in a circle",
                name.value
            );
            let help = "remove one of the `after` of the circle".to_owned();
            interpolation.report(Code::Contradiction, name.span, message, Some(help));
        }
    }
}
