//! The turns that are filled while their test runs: those that wait for captures, and the actions of a walk.

use super::filled_test::FilledTurn;
use super::preparation::Preparation;
use super::prepare_error::PrepareError;
use crate::compile::{FileAccess, PreparedTurn};
use ananke_base::diagnostic::Diagnostic;
use ananke_model::model::Turn;
use ananke_model::variables::{Scope, Secret};
use ananke_rules::{Block, TurnRules};

/// A turn that was filled while its test runs.
#[derive(Clone, Debug)]
pub struct LateTurn {
    /// The turn.
    pub turn: PreparedTurn,
    /// The rules that apply to it.
    pub rules: TurnRules,
    /// Values that must be masked from now on.
    pub secrets: Vec<Secret>,
}

impl Preparation {
    /// Fills the action `name` of a walk, and the rules that apply to its turn; `None` if it waits for what another turn keeps.
    ///
    /// # Errors
    /// If a leaf cannot be filled.
    pub fn action(&self, name: &str) -> Result<Option<LateTurn>, PrepareError> {
        let mut problems = Vec::new();
        let scope = self.test.before_action(self.scope.clone());
        let written = self.test.actions().find(|(own, _)| *own == name);
        let filled = written.map(|(_, turn)| self.fill_now(turn, &scope, &mut problems));
        if filled.as_ref().is_some_and(|(_, turn)| turn.is_pending) && problems.is_empty() {
            return Ok(None);
        }
        let mut late = self.late(filled, problems)?;
        late.turn.request.id = Some(name.to_owned());
        Ok(Some(late))
    }

    /// Fills the turn at `index`, counted from 0, which waited for captures of earlier turns, and the rules that apply to
    /// it.
    ///
    /// # Errors
    /// If a leaf cannot be filled.
    pub fn late_turn(&self, index: usize) -> Result<LateTurn, PrepareError> {
        let mut problems = Vec::new();
        let filled = self.test.turns.get(index).map(|turn| {
            let (mut block, turn) = self.fill_now(turn, &self.scope, &mut problems);
            self.snapshot_files()
                .give(&mut block, Some(index + 1), &mut problems);
            (block, turn)
        });
        self.late(filled, problems)
    }

    fn fill_now(
        &self,
        turn: &Turn,
        scope: &Scope,
        problems: &mut Vec<Diagnostic>,
    ) -> (Block, FilledTurn) {
        self.test.fill_turn(
            turn,
            self.test_surroundings(FileAccess::Read),
            scope,
            problems,
        )
    }

    fn late(
        &self,
        filled: Option<(Block, FilledTurn)>,
        problems: Vec<Diagnostic>,
    ) -> Result<LateTurn, PrepareError> {
        match filled {
            Some((
                block,
                FilledTurn {
                    turn: Ok(mut turn),
                    secrets,
                    ..
                },
            )) if problems.is_empty() => {
                self.defaults.complete(&mut turn.request.context);
                let rules = self.defaults.rules(block);
                Ok(LateTurn {
                    turn,
                    rules,
                    secrets,
                })
            }
            filled => {
                let mut secrets = self.secrets();
                secrets.extend(filled.into_iter().flat_map(|(_, turn)| turn.secrets));
                Err(PrepareError::Broken(problems, secrets))
            }
        }
    }
}
