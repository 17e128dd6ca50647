//! A candidate: a conversation and its rules, and the files that it is written to.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::candidate_turn::{CandidateTurn, rules};
use super::rule_entries::{count, with_rules};
use super::source_config::SourceConfig;
use super::step_parts::{StepPart, parts, with_parts};
use ananke_agents::{AgentStep, written_agent};
use ananke_base::source::{Entry, Node, NodeValue, to_yaml};

/// A conversation that may violate the rule.
#[derive(Clone, Debug)]
pub(super) struct TestCandidate {
    /// The agent's name.
    pub(super) agent: String,
    /// Its turns.
    pub(super) turns: Vec<CandidateTurn>,
    /// The config, but for what the agent does.
    pub(super) config: SourceConfig,
    /// The test, without its turns and rules.
    pub(super) test: Node,
    /// The rules of the test.
    pub(super) assert: Option<Node>,
    /// The rules of the target and of those that it extends.
    pub(super) target_asserts: Vec<Option<Node>>,
}

/// The place of a step: the index of its turn, and its index in the turn.
pub(super) type StepPlace = (usize, usize);

/// The texts of the files of a candidate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct CandidateFiles {
    pub(super) config: String,
    pub(super) test: String,
}

impl TestCandidate {
    /// The number of its turns, steps and rules.
    pub(super) fn size(&self) -> (usize, usize, usize) {
        (self.turns.len(), self.steps(), self.rules())
    }

    /// The number of steps of the agent.
    pub(super) fn steps(&self) -> usize {
        self.turns
            .iter()
            .map(|turn| turn.written_steps().len())
            .sum()
    }

    /// The files; `None` if the conversation is not one.
    pub(super) fn files(&self) -> Option<CandidateFiles> {
        let rules = rules(&self.turns)?;
        let agent = Node::of_json(&written_agent(&self.agent, rules));
        let config = self.config.with_agent(&self.target_asserts, &agent);
        let mut test = self.test.clone();
        let turns = self.turns.iter().map(|turn| {
            let mut written = turn.written.clone();
            if let Some(assert) = &turn.assert {
                written.set("assert", assert.clone());
            }
            written
        });
        test.set(
            "turns",
            Node {
                value: NodeValue::List(turns.collect()),
                span: test.span,
            },
        );
        if let Some(assert) = &self.assert {
            test.set("assert", assert.clone());
        }
        Some(CandidateFiles {
            config: to_yaml(&config, 0),
            test: to_yaml(&test, 0),
        })
    }

    /// The same with these turns alone.
    pub(super) fn with_turns(&self, kept: &[usize]) -> Self {
        let turns = kept
            .iter()
            .filter_map(|index| self.turns.get(*index).cloned())
            .collect();
        Self {
            turns,
            ..self.clone()
        }
    }

    /// The place of each step: the turn, and the position in it.
    pub(super) fn places(&self) -> Vec<StepPlace> {
        let of_turn = |(turn, steps): (usize, &CandidateTurn)| {
            (0..steps.steps.len())
                .map(move |step| (turn, step))
                .collect::<Vec<_>>()
        };
        self.turns.iter().enumerate().flat_map(of_turn).collect()
    }

    /// The steps in groups: a call goes with its results and with what waits for it.
    pub(super) fn groups(&self) -> Vec<Vec<StepPlace>> {
        let mut groups: Vec<Vec<StepPlace>> = Vec::new();
        let mut of_calls: HashMap<&str, usize> = HashMap::new();
        for place in self.places() {
            let call = self.turns[place.0].steps[place.1].call();
            let group = call.map_or(groups.len(), |call| {
                *of_calls.entry(call).or_insert(groups.len())
            });
            match groups.get_mut(group) {
                Some(group) => group.push(place),
                None => groups.push(vec![place]),
            }
        }
        groups
    }

    /// The same with these steps alone.
    pub(super) fn with_steps(&self, kept: &[StepPlace]) -> Self {
        let kept: BTreeSet<&StepPlace> = kept.iter().collect();
        let mut candidate = self.clone();
        for (index, turn) in candidate.turns.iter_mut().enumerate() {
            let mut position = 0;
            turn.steps.retain(|_| {
                position += 1;
                kept.contains(&(index, position - 1))
            });
        }
        candidate
    }

    /// The same without steps that wait.
    pub(super) fn without_waits(&self) -> Self {
        let mut candidate = self.clone();
        for turn in &mut candidate.turns {
            turn.steps
                .retain(|step| !matches!(step, AgentStep::Waits(_)));
        }
        candidate
    }

    /// The same without captures.
    pub(super) fn without_captures(&self) -> Self {
        let mut candidate = self.clone();
        for turn in &mut candidate.turns {
            turn.written.remove("capture");
        }
        candidate
    }

    /// The parts of all steps.
    pub(super) fn parts(&self) -> Vec<(StepPlace, StepPart)> {
        let of_step = |place: StepPlace| {
            let parts = parts(&self.turns[place.0].steps[place.1]);
            parts.into_iter().map(move |part| (place, part))
        };
        self.places().into_iter().flat_map(of_step).collect()
    }

    /// The same with these parts of steps alone.
    pub(super) fn with_parts(&self, kept: &[(StepPlace, StepPart)]) -> Self {
        let mut of_steps: BTreeMap<StepPlace, BTreeSet<StepPart>> = BTreeMap::new();
        for (place, part) in kept {
            of_steps.entry(*place).or_default().insert(part.clone());
        }
        let mut candidate = self.clone();
        for place in self.places() {
            let step = &mut candidate.turns[place.0].steps[place.1];
            *step = with_parts(step, &of_steps.remove(&place).unwrap_or_default());
        }
        candidate
    }

    /// The number of its rules.
    pub(super) fn rules(&self) -> usize {
        self.blocks().map(count).sum()
    }

    /// The same with these rules alone, by their numbers.
    pub(super) fn with_rules(&self, kept: &[usize]) -> Self {
        let mut candidate = self.clone();
        let mut first = 0;
        for block in candidate.blocks_mut() {
            let Some(written) = block.as_ref() else {
                continue;
            };
            let (from, many) = (first, count(written));
            first += many;
            *block = with_rules(written, &|number| kept.contains(&(from + number)));
        }
        candidate
    }

    fn blocks(&self) -> impl Iterator<Item = &Node> {
        let of_turns = self.turns.iter().map(|turn| &turn.assert);
        std::iter::once(&self.assert)
            .chain(&self.target_asserts)
            .chain(of_turns)
            .flatten()
    }

    fn blocks_mut(&mut self) -> impl Iterator<Item = &mut Option<Node>> {
        let of_turns = self.turns.iter_mut().map(|turn| &mut turn.assert);
        std::iter::once(&mut self.assert)
            .chain(&mut self.target_asserts)
            .chain(of_turns)
    }

    /// The same without variables of the test and named assertions.
    pub(super) fn without_definitions(&self) -> Vec<Self> {
        let mut without = Vec::new();
        for key in ["vars", "client_tools", "messages"] {
            let mut candidate = self.clone();
            without.extend(candidate.test.remove(key).map(|_| candidate));
        }
        for key in ["vars", "assertions"] {
            let mut candidate = self.clone();
            without.extend(candidate.config.shared.remove(key).map(|_| candidate));
        }
        for index in 0..self.config.targets.len() {
            for key in ["client_tools", "state", "threadId"] {
                let mut candidate = self.clone();
                let removed = candidate
                    .config
                    .targets
                    .get_mut(index)
                    .and_then(|(_, target)| target.remove(key));
                without.extend(removed.map(|_| candidate));
            }
        }
        without
    }
}

/// A test without turns and rules, with these entries.
pub(super) fn test_of(entries: Vec<(String, Node)>) -> Node {
    let entries = entries
        .into_iter()
        .map(|(key, value)| Entry::new(key, value))
        .collect();
    Node {
        value: NodeValue::Map(entries),
        span: ananke_base::diagnostic::Span::default(),
    }
}
