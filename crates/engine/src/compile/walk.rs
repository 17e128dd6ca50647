//! Walks: how many, and what each action needs, checked and filled.

use ananke_base::diagnostic::{Code, Spanned};
use ananke_model::model::{Walk, WalkAction};
use ananke_model::variables::{Fill as _, Interpolation, Leaf};
use ananke_rules::{Block, CompiledCheckpoint, Library, inherit};
use ananke_trace::outcome::Level;

/// The number of actions of a walk, if the test gives none.
const DEFAULT_STEPS: usize = 8;

/// The most actions of a walk that a test may say.
const MOST_STEPS: u64 = 1000;

/// The number of walks, if the test gives none.
const DEFAULT_WALKS: u32 = 100;

/// The most walks that a test may say.
const MOST_WALKS: u64 = 10_000;

/// The seed of random choices, if the test gives none.
const DEFAULT_SEED: u64 = 1;

/// The number of walks, and the way in which they are chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkPlan {
    /// The largest number of actions in each.
    pub steps: usize,
    /// The number of walks.
    pub walks: u32,
    /// The seed of the random choices.
    pub seed: u64,
    /// The names of the actions, in the order of the file.
    pub actions: Vec<String>,
}

impl WalkPlan {
    /// Checks and fills the numbers of a walk.
    pub(crate) fn fill(written: &Walk, interpolation: &mut Interpolation<'_>) -> Leaf<Self> {
        let Walk {
            actions,
            steps,
            walks,
            seed,
        } = written;
        let steps = steps.as_ref().map_or(Ok(DEFAULT_STEPS), |steps| {
            interpolation.number_within(steps, 1..=MOST_STEPS)
        });
        let walks = walks.as_ref().map_or(Ok(DEFAULT_WALKS), |walks| {
            interpolation.number_within(walks, 1..=MOST_WALKS)
        });
        let seed: Leaf<Option<_>> = seed.fill(interpolation);
        Ok(Self {
            steps: steps?,
            walks: walks?,
            seed: seed?.unwrap_or(DEFAULT_SEED),
            actions: actions.iter().map(|(name, _)| name.value.clone()).collect(),
        })
    }
}

/// An action of a walk; the turn that it is gets filled when it is taken.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledAction {
    /// Its name.
    pub name: String,
    /// The condition on the turn before.
    pub needs: Option<CompiledCheckpoint>,
}

impl CompiledAction {
    /// The action `name`; comes with the rules of what it needs.
    pub(crate) fn fill(
        name: &str,
        Spanned {
            value: WalkAction(turn),
            ..
        }: &Spanned<WalkAction>,
        library: Option<Library<'_>>,
        interpolation: &mut Interpolation<'_>,
    ) -> (Self, Option<Block>) {
        let block = turn.settings.needs.as_ref().map(|needs| {
            let before = interpolation.problem_count();
            let block = Block::compile([&needs.value], Level::Checkpoint, library, interpolation);
            let is_whole = interpolation.problem_count() == before && !interpolation.has_pending();
            if is_whole && block == Block::default() {
                let message = format!("the `needs` of the action `{name}` are empty");
                let help = "say what must be true of the turn before, or remove `needs`".to_owned();
                interpolation.report(Code::EmptyValue, needs.span, message, Some(help));
            }
            block
        });
        let needs = block.as_ref().map(|block| {
            let nothing = Block::default();
            let rules = inherit(&nothing, &nothing, std::slice::from_ref(block))
                .turns
                .pop()
                .unwrap_or_default();
            let (description, after, is_required) = (None, Vec::new(), false);
            CompiledCheckpoint {
                id: name.to_owned(),
                description,
                rules,
                after,
                is_required,
            }
        });
        (
            Self {
                name: name.to_owned(),
                needs,
            },
            block,
        )
    }
}
