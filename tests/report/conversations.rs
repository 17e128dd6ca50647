//! Parts of outcomes that are about conversations of which the turns are not written.

use ananke::diagnostic::Place;
use ananke::outcome::{
    ActionCount, CheckpointOutcome, FailedWalk, Level, RawEvent, RawExchange, RawStateChange,
    RawTurn, RuleResult, RuleStatus, StateChangeKind, StateHistory, TokenTotals, TranscriptLine,
    Walks,
};

/// A checkpoint that was missed, with every text that `say` makes of its place.
pub(super) fn missed_checkpoint(say: impl Fn(&'static str) -> String) -> CheckpointOutcome {
    CheckpointOutcome {
        id: say("checkpoint"),
        description: Some(say("checkpoint's description")),
        is_required: true,
        reached_at: None,
        missed: Some(say("why it was missed")),
    }
}

/// Raw material with every text that `say` makes of its place.
pub(super) fn raw_made_of(say: &impl Fn(&'static str) -> String) -> RawTurn {
    let exchange = RawExchange {
        event: (1, 1).into(),
        method: "POST".to_owned(),
        url: say("URL"),
        request_headers: vec![(say("request header"), say("value of a request header"))],
        body: Some(say("body")),
        status: Some(200),
        response_headers: vec![(say("response header"), say("value of a response header"))],
    };
    let event = RawEvent {
        event: (1, 1).into(),
        at_us: 1,
        raw: say("raw event"),
    };
    let change = RawStateChange {
        event: (1, 1).into(),
        kind: StateChangeKind::Patch,
        value: say("change of the state"),
    };
    let state = StateHistory {
        before: Some(say("state before the turn")),
        changes: vec![change],
    };
    RawTurn {
        exchanges: vec![exchange],
        events: vec![event],
        state: Some(state),
        dropped: 1,
    }
}

/// Walks with every text that `say` makes of its place.
pub(super) fn walks_made_of(say: impl Fn(&'static str) -> String) -> Walks {
    Walks {
        seed: u64::MAX,
        walks: u32::MAX,
        passed: 1,
        actions: vec![ActionCount {
            name: say("action"),
            taken: u64::MAX,
            possible: u64::MAX,
        }],
        failed: Some(FailedWalk {
            number: u32::MAX,
            actions: vec![say("walk's action")],
            shrunk: Some(vec![say("shrunk walk's action")]),
            tries: u32::MAX,
            is_shortest: true,
        }),
        turns: usize::MAX,
        tokens: TokenTotals::default(),
    }
}

/// A rule that a trace does not show.
pub(super) fn not_shown(say: &impl Fn(&'static str) -> String) -> RuleResult {
    let place = Place {
        file: say("file of a rule that is not shown").into(),
        line: 7,
        column: 1,
    };
    let expected = say("what a rule that is not shown requires");
    let written = say("rule that is not shown");
    RuleResult {
        status: RuleStatus::NotShown,
        message: "the trace does not show the state".to_owned(),
        ..RuleResult::passed("state", Level::Test, place, (written, expected))
    }
}

/// Makes a line one of the turn `number`.
pub(super) fn move_to(line: &mut TranscriptLine, number: u32) {
    match line {
        TranscriptLine::Says(said) | TranscriptLine::Thinks(said) => said.event.turn = number,
        TranscriptLine::Custom { event, .. } => event.turn = number,
        TranscriptLine::Answered(late) => late.event.turn = number,
        TranscriptLine::Asks(model) => model.event.turn = number,
        TranscriptLine::Calls(call) => {
            (call.event.turn, call.result_event.turn) = (number, number);
        }
    }
}
