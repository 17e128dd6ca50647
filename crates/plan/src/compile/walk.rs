//! Walks: how many, and what each action needs, checked and filled.

use ananke_base::diagnostic::{Code, Spanned};
use ananke_model::model::{Walk, WalkAction};
use ananke_model::variables::{Interpolation, Leaf};
use ananke_rules::{Block, CompiledCheckpoint, Library, inherit};
use ananke_trace::outcome::Level;

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
        let steps = interpolation.number_or(steps.as_ref(), Walk::STEPS, Walk::DEFAULT_STEPS);
        let walks = interpolation.number_or(walks.as_ref(), Walk::WALKS, Walk::DEFAULT_WALKS);
        let seed = interpolation.number_or(seed.as_ref(), Walk::SEED, Walk::DEFAULT_SEED);
        Ok(Self {
            steps: steps?,
            walks: walks?,
            seed: seed?,
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
