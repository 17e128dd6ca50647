//! Tests that ended with each status, and a run of all of them.

use ananke::outcome::{
    EndCause, ErrorKind, Level, Measured, MeasuredUnit, Outcome, RuleResult, SkipCause, Transcript,
    TurnEnd,
};

use super::{calls, changed, failure, held, outcome, problem, says, seen, timed, turn};

pub(super) fn browses() -> Outcome {
    let lines = vec![
        calls(
            3,
            "search_products",
            r#"{ "query": "winter coat", "limit": 3 }"#,
            Some(r#"[{"id": "c-1"}]"#),
            (12_000, 240_000),
        ),
        says(
            9,
            "I found one winter coat:\n\n  1. Alpine, size M, 129 €\n\nShall I put it into your cart?",
        ),
    ];
    let mut browsing = turn(1, "show me winter coats", 840_000, lines);
    let (actual, limit, unit) = (840_000, 1000, MeasuredUnit::Milliseconds);
    let measured = Some(Measured {
        actual,
        limit,
        unit,
    });
    let duration = held(
        Level::Target,
        9,
        "timing.max_duration_ms",
        "at most 1000 ms",
    );
    browsing.rules.push(RuleResult {
        measured,
        written: "1000".to_owned(),
        ..duration
    });
    browsing.rules.push(held(
        Level::Turn,
        7,
        "tools.require",
        "a call to `search_products`",
    ));
    let turns = vec![browsing];
    let rules = vec![held(
        Level::Test,
        11,
        "tools.forbid",
        "no call to `charge_card`",
    )];
    let warning = "ananke.config.yaml:7: a secret of the header `x-key` is too short to be masked";
    let warnings = vec![warning.to_owned()];
    let mut outcome = outcome("specs/browse.test.yaml", "browses coats");
    outcome.transcript.turns = turns;
    outcome.verdict.rules = rules;
    outcome.verdict.warnings = warnings;
    timed(outcome)
}

pub(super) fn pays_twice() -> Outcome {
    let card = r#"{"amount":12900,"currency":"EUR"}"#;
    let validated = calls(
        2,
        "validate_cart",
        r#"{"cart":"thread-2"}"#,
        Some(r#"{"ok":true,"items":2}"#),
        (12_000, 40_000),
    );
    let receipt = format!(
        r#"{{"ok": true, "receipt": "{}"}}"#,
        "r-2026-11-21/".repeat(9)
    );
    let mut paying = turn(
        2,
        "pay with my card",
        1_310_000,
        vec![
            says(20, "One moment, please."),
            calls(
                21,
                "charge_card",
                card,
                Some(r#"{"ok":false,"reason":"try again"}"#),
                (90_000, 310_000),
            ),
            calls(27, "charge_card", card, Some(&receipt), (412_000, 300_000)),
            says(31, "Paid. Your receipt is on its way."),
        ],
    );
    paying.warnings.push("the run finished twice".to_owned());
    paying.rules.push(RuleResult {
        expected: "exactly 1 call".to_owned(),
        seen: vec![
            seen(&format!(
                r#"charge_card({card}) → {{"ok":false,"reason":"try again"}}"#
            )),
            seen(&format!(r#"charge_card({card}) → {{"ok":true, …}}"#)),
        ],
        events: [21, 27]
            .map(|number| (paying.number, number).into())
            .to_vec(),
        ..failure(
            Level::Test,
            12,
            "tools.require",
            "`charge_card` was called 2 times, expected exactly 1",
        )
    });
    paying.rules.push(RuleResult {
        expected: "at most 1 s".to_owned(),
        seen: vec![seen("1.3 s")],
        ..failure(
            Level::Target,
            9,
            "timing.max_duration_ms",
            "the turn took 1.3 s, at most 1 s is allowed",
        )
    });
    let turns = vec![
        turn(
            1,
            "I want to checkout",
            640_000,
            vec![validated, says(8, "Which card?")],
        ),
        paying,
    ];
    let mut outcome = outcome("specs/checkout.test.yaml", "pays once");
    outcome.test.line = 3;
    outcome.transcript = Transcript {
        turns,
        turns_not_run: 1,
        ..outcome.transcript
    };
    timed(outcome)
}

pub(super) fn never_validates() -> Outcome {
    let lines = vec![
        calls(
            4,
            "charge_card",
            r#"{"amount":1}"#,
            Some("done"),
            (5_000, 700),
        ),
        says(6, "Done."),
    ];
    let turns = vec![
        turn(1, "hello", 95_000, vec![says(2, "Hello!")]),
        turn(2, "buy it", 95_000, lines),
    ];
    let rules = vec![RuleResult {
        expected: "at least 1 call to `validate_cart`".to_owned(),
        seen: vec![seen("charge_card({\"amount\":1}) → done")],
        events: vec![(2, 4).into()],
        ..failure(
            Level::Test,
            21,
            "tools.require",
            "`validate_cart` was never called",
        )
    }];
    let mut outcome = outcome("specs/checkout.test.yaml", "validates before paying");
    outcome.test.line = 18;
    outcome.transcript.turns = turns;
    outcome.verdict.rules = rules;
    timed(outcome)
}

pub(super) fn crashes() -> Outcome {
    let mut crashing = turn(1, "crash, please", 51_000, vec![says(2, "One moment")]);
    let problem = problem(
        ErrorKind::Agent,
        "agent error: model unavailable (E42)",
        None,
    );
    crashing.end = TurnEnd::Problem(problem);
    let base = outcome("specs/trouble.test.yaml", "crashes");
    timed(changed(base, |outcome| {
        outcome.transcript.turns.push(crashing);
    }))
}

pub(super) fn hangs() -> Outcome {
    let mut hanging = turn(
        1,
        "think hard",
        30_000_000,
        vec![calls(
            5,
            "search_web",
            r#"{"q":"life"}"#,
            None,
            (2_100_000, 0),
        )],
    );
    let problem = problem(
        ErrorKind::Timeout,
        "timeout after 30 s",
        Some("`search_web` has no result yet; raise `timeout_ms` if it may take so long"),
    );
    hanging.rules = vec![failure(
        Level::Turn,
        31,
        "tools.forbid",
        "`search_web` is forbidden",
    )];
    hanging.end = TurnEnd::Problem(problem);
    let mut outcome = outcome("specs/trouble.test.yaml", "hangs");
    outcome.test.line = 14;
    outcome.transcript = Transcript {
        turns: vec![hanging],
        turns_not_run: 2,
        ..outcome.transcript
    };
    timed(outcome)
}

fn lacks_a_variable() -> Outcome {
    let message = "`${COUPON}` is not defined";
    let help = "define it under `vars`, or pass `--var COUPON=…`";
    let end = EndCause::Broken(problem(ErrorKind::Setup, message, Some(help)));
    without_turns(
        outcome("specs/trouble.test.yaml", "lacks a variable"),
        end,
        1,
    )
}

fn is_skipped() -> Outcome {
    let end = EndCause::Skipped(SkipCause::Wanted, "skipped on purpose".to_owned());
    without_turns(outcome("specs/trouble.test.yaml", "is skipped"), end, 3)
}

/// `outcome` of a test that ended like this before its first turn.
fn without_turns(mut outcome: Outcome, end: EndCause, turns_not_run: u32) -> Outcome {
    outcome.end(end);
    outcome.transcript.thread_id.clear();
    outcome.transcript.turns_not_run = turns_not_run;
    outcome
}

/// A run with every status, and with a failure of every level.
pub(crate) fn all_kinds() -> Vec<Outcome> {
    let mut row = outcome("specs/browse.test.yaml", "finds by size");
    row.transcript.duration_us = 999;
    row.test.id.push_str("[size M]");
    vec![
        browses(),
        row,
        pays_twice(),
        never_validates(),
        crashes(),
        hangs(),
        lacks_a_variable(),
        is_skipped(),
    ]
}
