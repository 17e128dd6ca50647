//! SPEC 7.1 as a table: rule × scope × order of events → whether the rule passes, and at which event it is decided.
//!
//! Every row is run twice: by a scripted agent, which emits changes, and by an AG-UI agent, whose bytes are decoded.
//! Both must be decided at the same event.

mod agents;
mod causes;
pub(crate) mod levels;
mod models;
mod observer;
mod table;

use agents::{Agent, turns};
use observer::observe;

/// One row: which rule is on which level, what the agent does turn by turn, and when the rule is decided.
pub(crate) struct Row {
    /// The level that defines the rule: `target`, `test`, or `turn N`.
    pub(crate) level: &'static str,
    /// The assert block, as YAML.
    pub(crate) rule: &'static str,
    /// What the agent does: turns separated by `|`, steps by spaces (see `agents`).
    pub(crate) agent: &'static str,
    /// How it is decided.
    pub(crate) settles: &'static str,
}

#[test]
fn every_rule_settles_at_the_same_event_through_both_targets() {
    let mut wrong = Vec::new();
    for row in table::ROWS {
        let script = turns(row.agent);
        for agent in [Agent::Scripted, Agent::Agui] {
            let settled = observe(row, &script, agent);
            if settled != row.settles {
                let Row {
                    level,
                    rule,
                    agent: steps,
                    settles,
                } = row;
                wrong.push(format!(
                    "{agent:?}: {level} {rule}\n    agent:    {steps}\n    expected: {settles}\n    found:    {settled}"
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} rows differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn the_table_covers_every_rule_at_every_home() {
    for rule in [
        "forbid:",
        "forbid_calls:",
        "allow_only:",
        "max_calls:",
        "max_identical_calls:",
        "subagents:",
        "require:",
        "every:",
        "must_match:",
        "must_not_match:",
        "text: {contains:",
        "not_contains:",
        "text: {equals:",
        "of: final",
        "max_duration_ms:",
        "max_idle_ms:",
        "max_first_token_ms:",
        "max_tool_ms:",
        "max_input_tokens:",
        "max_output_tokens:",
        "max_total_tokens:",
        "sequence: {mode: exact",
        "sequence: {mode: in_order",
        "sequence: {mode: any_order",
        "sequence: {mode: at_least",
        "sequence: {mode: only",
        "provenance:",
        "preceded_by:",
        "not_preceded_by:",
        " followed_by:",
        "not_followed_by:",
        "output:",
        "state:",
        "outcome:",
        "snapshot:",
    ] {
        for level in ["target", "test", "turn"] {
            let covered = table::ROWS
                .iter()
                .any(|row| row.level.starts_with(level) && row.rule.contains(rule));
            assert!(covered, "no row for `{rule}` written on the {level}");
        }
    }
}
