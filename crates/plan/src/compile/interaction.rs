//! The settings of a test for unwritten input, checked and filled.

use std::time::Duration;

use super::simulation::DEFAULT_TIMEOUT;
use ananke_base::diagnostic::Spanned;
use ananke_model::model::{Interactive, MissingInput, Short};
use ananke_model::variables::{Fill as _, Interpolation, Leaf};

/// The settings of a test for unwritten input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledInteraction {
    /// Whether a person is to be asked; `None` if the test does not say.
    pub asks_person: Option<bool>,
    /// The time that the person may take for one answer.
    pub timeout: Duration,
    /// The largest number of turns.
    pub max_turns: usize,
    /// The action if there is no input, if the test gives it.
    pub on_missing_input: Option<MissingInput>,
}

impl Default for CompiledInteraction {
    fn default() -> Self {
        Self {
            asks_person: None,
            timeout: DEFAULT_TIMEOUT,
            max_turns: usize::try_from(Interactive::DEFAULT_MAX_TURNS).unwrap_or(usize::MAX),
            on_missing_input: None,
        }
    }
}

impl CompiledInteraction {
    /// Whether the test itself wants to know whether the agent waits for input.
    pub fn detects(&self) -> bool {
        self.asks_person == Some(true) || self.on_missing_input.is_some()
    }

    /// Checks and fills what is written.
    pub(crate) fn fill(
        interactive: Option<&Spanned<Short<Interactive>>>,
        on_missing_input: Option<MissingInput>,
        interpolation: &mut Interpolation<'_>,
    ) -> Leaf<Self> {
        let default = Self {
            on_missing_input,
            ..Self::default()
        };
        let Some(Spanned {
            value:
                Short(Interactive {
                    enabled,
                    timeout_ms,
                    max_turns,
                }),
            ..
        }) = interactive
        else {
            return Ok(default);
        };
        let timeout: Leaf<Option<_>> = timeout_ms.fill(interpolation);
        let max_turns = max_turns
            .as_ref()
            .map(|number| interpolation.number_within(number, Interactive::MAX_TURNS))
            .transpose();
        Ok(Self {
            asks_person: Some(enabled.unwrap_or(true)),
            timeout: timeout?.unwrap_or(default.timeout),
            max_turns: max_turns?.unwrap_or(default.max_turns),
            ..default
        })
    }
}
