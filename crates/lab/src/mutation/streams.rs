//! Changes to the state, to how a run ends, to times, and to the bytes of responses.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Mutation;
use super::change_site::{ChangeSite, ChangeSubject};
use super::{other_value::other, rule_text::yaml_text, tape_index::TapeIndex};
use ananke_conversation::TapeItem;
use ananke_model::model::MutationOperator;
use ananke_recording::{KeptRecording, StreamFault};
use ananke_trace::outcome::mutation::{MutantSeverity, MutationLevel};
use ananke_trace::trace::{Change, EventNumber, RunEnd};

/// The number of values of a state that are changed.
const MOST: usize = 4;

/// By how much a gap is stretched, in microseconds: a minute, less than turns may take.
const STRETCH: u64 = 60_000_000;

/// The description of a run that fails.
const ENDS_WITH_ERROR: &str = "the run ends with an error";

/// All changes to the state, to ends and to times.
pub(super) fn mutations(index: &TapeIndex, items: &[TapeItem]) -> Vec<Mutation> {
    let mut found: Vec<Mutation> = index
        .states
        .iter()
        .flat_map(|(at, turn)| state(index, items, *at, *turn))
        .collect();
    for (number, turn) in index
        .turns
        .iter()
        .enumerate()
        .filter(|(_, turn)| !turn.is_replay)
    {
        found.extend(stretched(index, number));
        let Some(end) = turn.end.filter(|_| turn.is_run_end) else {
            continue;
        };
        let TapeItem::Change(at, Change::RunEnded(how)) = &items[end] else {
            continue;
        };
        let ended = |operator, how, words: &str| {
            Mutation::new(
                operator,
                number,
                index.events[end],
                ChangeSubject::End,
                words.to_owned(),
            )
            .instead(end, TapeItem::Change(*at, Change::RunEnded(how)))
        };
        if matches!(how, RunEnd::Interrupted(_)) {
            let skipped = ended(
                MutationOperator::SkipInterrupt,
                RunEnd::Finished,
                "the agent does not wait for an answer",
            );
            let rule = json!({ "outcome": "interrupted" });
            let skipped = skipped.severity(MutantSeverity::High);
            found.push(skipped.noticed_by(MutationLevel::Turn(number), rule));
        }
        if !matches!(how, RunEnd::Error { .. }) {
            let error = RunEnd::Error {
                message: "the model is overloaded".to_owned(),
                code: None,
            };
            let failed = ended(MutationOperator::ErrorEvent, error, ENDS_WITH_ERROR);
            let rule = json!({ "outcome": "finished" });
            found.push(
                failed
                    .severity(MutantSeverity::Medium)
                    .noticed_by(MutationLevel::Turn(number), rule),
            );
        }
    }
    found
}

/// All changes to the bytes of the responses of a recording.
pub(super) fn of_bytes(recording: &KeptRecording, index: &TapeIndex) -> Vec<Mutation> {
    let faults = [
        (
            MutationOperator::ErrorEvent,
            StreamFault::Error,
            ENDS_WITH_ERROR,
        ),
        (
            MutationOperator::CutStream,
            StreamFault::Cut,
            "the response breaks off in its middle",
        ),
        (
            MutationOperator::StallStream,
            StreamFault::Stall,
            "the response stops coming in its middle",
        ),
        (
            MutationOperator::MissingEnd,
            StreamFault::MissingEnd,
            "the response ends without its last event",
        ),
    ];
    let mut found = Vec::new();
    for (number, turn) in recording.streams() {
        let turn = usize::try_from(turn.saturating_sub(1)).unwrap_or_default();
        for (operator, fault, words) in faults {
            let has_failed = index.turns.get(turn).is_some_and(|turn| turn.has_failed);
            if fault == StreamFault::Error && (has_failed || !recording.can_report_failure(number))
            {
                continue;
            }
            let first = EventNumber {
                turn: u32::try_from(turn + 1).unwrap_or(u32::MAX),
                number: 1,
            };
            let words = words.to_owned();
            let mutation = Mutation::new(operator, turn, first, ChangeSubject::End, words);
            found.push(Mutation {
                stream: Some((number, fault)),
                severity: MutantSeverity::Medium,
                ..mutation
            });
        }
    }
    found
}

/// The effect of a change to the bytes of a response, and the events that show it: calls and messages that are missing
/// or different, and the end of the turn `turn`.
pub(super) fn difference(
    before: &TapeIndex,
    after: &TapeIndex,
    turn: usize,
) -> (ChangeSite, BTreeSet<EventNumber>) {
    let mut site = ChangeSite::new(ChangeSubject::End);
    let mut events: BTreeSet<EventNumber> = after
        .turns
        .get(turn)
        .and_then(|turn| turn.end)
        .and_then(|end| after.events.get(end))
        .copied()
        .into_iter()
        .collect();
    for call in &before.calls {
        match after.calls.iter().find(|same| same.id == call.id) {
            None => site.missing_tools.push(call.name.clone()),
            Some(same) if !same.is_same(call) => events.extend([same.event]),
            Some(_) => {}
        }
    }
    for text in &before.texts {
        let same = after.texts.iter().find(|same| same.id == text.id);
        let new = same.map_or("", |same| same.text.as_str());
        if new != text.text {
            events.extend(same.map(|same| same.event));
            site.texts.push((text.text.clone(), new.to_owned()));
        }
    }
    (site, events)
}

/// The last event of a turn comes later.
fn stretched(index: &TapeIndex, number: usize) -> Option<Mutation> {
    let moments = &index.turns[number].moments;
    let (end, last) = *moments.last()?;
    let before = moments
        .iter()
        .rev()
        .find(|(_, at)| *at < last)
        .map(|(before, _)| before + 1);
    // Without a pause, the event that came last comes later.
    let of_last_event = || {
        moments
            .iter()
            .find(|(item, _)| index.events[*item] == index.events[end])
    };
    let after = before.or_else(|| of_last_event().map(|(item, _)| *item))?;
    let longest = moments
        .windows(2)
        .map(|pair| pair[1].1.0.saturating_sub(pair[0].1.0))
        .max()
        .unwrap_or_default();
    let limit = (longest / 1000 * 2).max(1000).next_multiple_of(1000);
    let words = format!("a pause takes {} s longer", STRETCH / 1_000_000);
    let mutation = Mutation::new(
        MutationOperator::StretchGap,
        number,
        index.events[after],
        ChangeSubject::Time,
        words,
    );
    let rule = json!({ "timing": { "max_idle_ms": limit } });
    Some(
        Mutation {
            later: Some((after, STRETCH)),
            ..mutation
        }
        .noticed_by(MutationLevel::Turn(number), rule),
    )
}

/// Other values of the state.
fn state(index: &TapeIndex, items: &[TapeItem], at: usize, turn: usize) -> Vec<Mutation> {
    let TapeItem::Change(moment, change) = &items[at] else {
        return Vec::new();
    };
    let changed = |path: &str, value: &Value, change: Change<'static>| {
        let words = format!("the state has another value at `{path}`");
        let rule = json!({ "state": [{ "path": path, "equals": yaml_text(value) }] });
        Mutation::new(
            MutationOperator::StateValue,
            turn,
            index.events[at],
            ChangeSubject::State,
            words,
        )
        .severity(MutantSeverity::Medium)
        .instead(at, TapeItem::Change(*moment, change))
        .noticed_by(MutationLevel::Turn(turn), rule)
    };
    match change {
        Change::StateReplaced(Value::Object(state)) => {
            let entries = state.iter().take(MOST);
            let changed = entries.map(|(key, value)| {
                let mut state = state.clone();
                state.insert(key.clone(), other(value));
                changed(key, value, Change::StateReplaced(Value::Object(state)))
            });
            changed.collect()
        }
        Change::StatePatched(Value::Array(patch)) => {
            let steps = patch.iter().enumerate().take(MOST);
            let changed = steps.filter_map(|(number, step)| {
                let value = step.get("value")?;
                let mut steps = patch.clone();
                *steps[number].get_mut("value")? = other(value);
                let pointer = step.get("path")?.as_str()?;
                let place = pointer.trim_start_matches('/').replace('/', ".");
                Some(changed(
                    &place,
                    value,
                    Change::StatePatched(Value::Array(steps)),
                ))
            });
            changed.collect()
        }
        _ => Vec::new(),
    }
}
