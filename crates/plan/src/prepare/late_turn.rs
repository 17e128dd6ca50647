//! The turns that are filled while their test runs: those that wait for captures, and the actions of a walk.

use super::preparation::Preparation;
use crate::compile::{FileAccess, PreparedTurn, describe_written};
use crate::loaded::{FilledTurn, PrepareError};
use ananke_base::diagnostic::Diagnostic;
use ananke_base::text::all_of;
use ananke_model::model::Turn;
use ananke_model::variables::{Interpolation, Scope, Secret};
use ananke_rules::{Block, TurnCondition, TurnRules};

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

    /// The condition of the turn at `index`, counted from 0, filled with what is known by now; `None` if it has none.
    ///
    /// # Errors
    /// If a leaf cannot be filled.
    pub fn condition(&self, index: usize) -> Result<Option<TurnCondition>, PrepareError> {
        let turn = self.test.turns.get(index).map(|turn| &turn.value.settings);
        let Some(written) = turn.and_then(|turn| turn.condition.as_ref()) else {
            return Ok(None);
        };
        let mut problems = Vec::new();
        let mut interpolation =
            Interpolation::new(&self.scope, &self.test.source, self.mode, &mut problems);
        match TurnCondition::compile(written, &mut interpolation) {
            Some(condition) => Ok(Some(condition)),
            None => Err(PrepareError::Broken(problems, self.secrets())),
        }
    }

    /// The conditions of turns that are known by now.
    pub fn conditions(&self) -> Vec<TurnCondition> {
        let turns = 0..self.test.turns.len();
        turns
            .filter_map(|index| self.condition(index).ok().flatten())
            .collect()
    }

    /// The input of the turn at `index`, counted from 0, in words as it is written.
    pub fn written_input(&self, index: usize) -> String {
        let turn = self.test.turns.get(index);
        turn.map_or_else(String::new, |turn| describe_written(turn))
    }

    /// The turn at `index`, counted from 0, was not needed: what it captures stays undefined. The help for a missing variable says so.
    pub fn pass_over(&mut self, index: usize) {
        let turn = self.test.turns.get(index).map(|turn| &turn.value.settings);
        let captures = turn.and_then(|turn| turn.capture.as_ref());
        let names = captures.into_iter().flatten().map(|(name, _)| &name.value);
        let missing: Vec<String> = names
            .filter(|name| !self.scope.knows(name))
            .map(|name| format!("`{name}`"))
            .collect();
        if !missing.is_empty() {
            let hint = format!(
                "turn {} captures {}, and was not needed: give a default, as in `${{NAME:-none}}`",
                index + 1,
                all_of(&missing)
            );
            self.scope = std::mem::take(&mut self.scope).hint(hint);
        }
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
