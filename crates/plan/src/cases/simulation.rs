//! The simulator and the checkpoints of a case, in the words of a YAML test.

use super::builder::{MapBuilder, false_at, flag, list, number_at, text, text_at};
use super::lower::Lowering;
use ananke_base::diagnostic::{Code, Span, Spanned};
use ananke_base::source::{Entry, Node};
use ananke_model::model::{
    CaseCheckpoint, CaseInteractive, CaseLine, CaseSimulator, CaseType, MissingInput, Short,
    SimulatorName, Text,
};

/// The keys of a simulator's metadata that have keys of their own in YAML.
const OWN_KEYS: [&str; 3] = ["persona", "goal", "max_turns"];

impl Lowering<'_> {
    /// Puts the simulator and the checkpoints of a case into the test; reports what only works with them.
    pub(super) fn simulation(&mut self, case: &CaseLine, test: &mut MapBuilder) {
        let Some(Spanned {
            value: simulator,
            span,
        }) = &case.simulator
        else {
            self.without_simulator(case, test);
            return;
        };
        let mut simulate = MapBuilder::at(*span);
        put_simulator(&simulator.used, &mut simulate);
        let metadata = self.metadata(simulator);
        let in_metadata = |key: &str| {
            let entry = metadata.iter().find(|entry| entry.key == key);
            entry.map(|entry| entry.value.clone())
        };
        for (key, own) in [("persona", &simulator.persona), ("goal", &simulator.goal)] {
            let own = own.as_ref().map(text);
            simulate.put_some(key, own.or_else(|| in_metadata(key)));
        }
        let connector = simulator
            .options
            .as_ref()
            .and_then(|options| options.connector.as_ref());
        simulate.put_text("connector", connector);
        let own = simulator.max_turns.as_ref();
        let own = own.map(|most| number_at(most.span, most.value));
        let max_turns = most_turns(case).or(own);
        simulate.put_some("max_turns", max_turns.or_else(|| in_metadata("max_turns")));
        let mut with = MapBuilder::at(*span);
        for entry in metadata
            .iter()
            .filter(|entry| !OWN_KEYS.contains(&entry.key.as_str()))
        {
            with.put(&entry.key, entry.value.clone());
        }
        simulate.put_map("with", with);
        self.checkpoints(case, *span, &mut simulate);
        test.put("simulate", simulate.finish());
    }

    /// The data for the simulator, from one of the two places where a case may have it.
    fn metadata<'c>(&mut self, simulator: &'c CaseSimulator) -> &'c [Entry] {
        let of_options = simulator
            .options
            .as_ref()
            .and_then(|options| options.metadata.as_ref());
        if let (Some(_), Some(other)) = (of_options, &simulator.metadata) {
            let message = "`metadata` and `metadata` of the `options` are the same";
            self.error(Code::Contradiction, other.span, message, "keep one of them");
        }
        of_options
            .or(simulator.metadata.as_ref())
            .map(Node::entries)
            .unwrap_or_default()
    }

    fn checkpoint(&mut self, written: &CaseCheckpoint, span: Span) -> Node {
        let CaseCheckpoint {
            id,
            description,
            assert,
            assertions,
            assertion,
            after,
            required,
        } = written;
        let mut checkpoint = MapBuilder::at(span);
        checkpoint.put("id", text(id));
        checkpoint.put_text("description", description.as_ref());
        let spellings = [
            ("assert", assert.as_ref()),
            ("assertions", assertions.as_ref()),
            ("assertion", assertion.as_ref()),
        ];
        let written = spellings.into_iter().find_map(|(_, list)| list);
        if written.is_none() {
            let message = "the key `assert` is missing";
            let help = "add it: `\"assert\": {…}`";
            self.error(Code::MissingKey, id.span, message, help);
        }
        let span_of_rules = written.map_or(id.span, |list| list.span);
        let rules = self.rules(spellings, None, None, span_of_rules);
        checkpoint.put("assert", rules.finish());
        if let Some(after) = after.as_ref().filter(|after| !after.is_empty()) {
            checkpoint.put("after", list(span, after.iter().map(text).collect()));
        }
        checkpoint.put_some(
            "required",
            (*required == Some(false)).then(|| false_at(id.span)),
        );
        checkpoint.finish()
    }

    fn checkpoints(&mut self, case: &CaseLine, span: Span, simulate: &mut MapBuilder) {
        let checkpoints = case.checkpoints.iter().flat_map(|list| &list.value);
        let checkpoints = checkpoints
            .map(|checkpoint| self.checkpoint(checkpoint, span))
            .collect();
        simulate.put_list("checkpoints", checkpoints);
    }

    /// Puts checkpoints into the test that wait for the simulator of the command line; reports what only works if the
    /// conversation goes on after what is written.
    fn without_simulator(&mut self, case: &CaseLine, test: &mut MapBuilder) {
        if let Some(checkpoints) = &case.checkpoints {
            let mut simulate = MapBuilder::at(checkpoints.span);
            simulate.put_some("max_turns", most_turns(case));
            self.checkpoints(case, checkpoints.span, &mut simulate);
            test.put("simulate", simulate.finish());
        }
    }

    /// Puts into the test who answers if the agent waits for input, and what to do if there is no answer.
    pub(super) fn interaction(&mut self, case: &CaseLine, test: &mut MapBuilder) {
        let most_turns = most_turns(case).filter(|_| !has_simulation(case));
        if let Some(Spanned {
            value: Short(CaseInteractive { enabled, timeout }),
            span,
        }) = &case.interactive
        {
            let mut interactive = MapBuilder::at(*span);
            interactive.put(
                "enabled",
                flag(&Spanned {
                    value: enabled.unwrap_or(true),
                    span: *span,
                }),
            );
            if let Some(timeout) = timeout {
                self.duration(timeout, "timeout_ms", &mut interactive);
            }
            interactive.put_some("max_turns", most_turns);
            test.put("interactive", interactive.finish());
        } else if let Some(most_turns) = most_turns {
            // What is written never has too many turns; a person or a simulator of the command line may.
            let mut interactive = MapBuilder::at(most_turns.span);
            interactive.put("enabled", false_at(most_turns.span));
            interactive.put("max_turns", most_turns);
            test.put("interactive", interactive.finish());
        }
        let multi_turn = case
            .kind
            .as_ref()
            .filter(|kind| kind.value == CaseType::MultiTurn);
        let multi_turn = multi_turn
            .filter(|_| !has_simulation(case))
            .map(|kind| Spanned {
                value: MissingInput::default(),
                span: kind.span,
            });
        if let Some(missing) = case.on_missing_input.as_ref().or(multi_turn.as_ref()) {
            test.put(
                "on_missing_input",
                text_at(missing.span, missing.value.as_str()),
            );
        }
    }
}

/// Whether a simulator says what the user says after what the case says.
fn has_simulation(case: &CaseLine) -> bool {
    case.simulator.is_some() || case.checkpoints.is_some()
}

/// Whether the conversation can go on after what the case says.
pub(super) fn is_continued(case: &CaseLine) -> bool {
    let is_multi_turn = case
        .kind
        .as_ref()
        .is_some_and(|kind| kind.value == CaseType::MultiTurn);
    let asks =
        |interactive: &Spanned<Short<CaseInteractive>>| interactive.value.enabled != Some(false);
    has_simulation(case) || is_multi_turn || case.interactive.as_ref().is_some_and(asks)
}

/// The largest number of turns, if the case itself says it.
fn most_turns(case: &CaseLine) -> Option<Node> {
    case.max_turns
        .as_ref()
        .map(|most| number_at(most.span, most.value))
}

/// `agents:NAME`, `scripts:NAME`, or the name of an agent alone.
fn put_simulator(used: &Text, simulate: &mut MapBuilder) {
    let (key, name) = match SimulatorName::parse(&used.value) {
        SimulatorName::Agent(name) => ("agent", name),
        SimulatorName::Script(name) => ("script", name),
    };
    simulate.put(key, text_at(used.span, name));
}
