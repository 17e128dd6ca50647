//! Target → test → turn: merging, what `false` and numbers do, duplicates, origins (SPEC 7.1).

use crate::support::seeds::seeded;
use ananke::assertion::{Inherited, Measure};
use ananke::outcome::Level;
use proptest::prelude::*;

use crate::rules::levels::inherited;

fn names(inherited: &Inherited) -> Vec<String> {
    let all = inherited
        .test
        .iter()
        .chain(inherited.turns.iter().flat_map(|turn| &turn.entries));
    all.map(|entry| {
        let name = match entry.path {
            "tools.forbid" | "tools.require" => entry
                .describe()
                .split('`')
                .nth(1)
                .unwrap_or_default()
                .to_owned(),
            other => other.to_owned(),
        };
        format!("{} {name}", entry.origin.level.as_str())
    })
    .collect()
}

#[test]
fn lists_accumulate_outer_first_and_remember_their_level() {
    let merged = inherited(
        &[
            ("target", "{tools: {forbid: [a], require: [{name: r}]}}"),
            ("test", "{tools: {forbid: [b]}}"),
            ("turn 1", "{tools: {forbid: [c]}}"),
        ],
        2,
    );
    assert_eq!(names(&merged), ["target a", "target r", "test b", "turn c"]);
    assert_eq!(merged.turns[0].entries.len(), 1);
    assert!(
        merged.turns[1].entries.is_empty(),
        "what one turn writes is not in force on another"
    );
}

#[test]
fn duplicates_count_once_in_a_level_and_prohibitions_across_levels() {
    let block = "{tools: {forbid: [a, a], require: [{name: r}, {name: r}]}}";
    let merged = inherited(&[("target", block), ("test", block), ("turn 1", block)], 1);
    assert_eq!(names(&merged), ["target a", "target r", "test r", "turn r"]);
}

#[test]
fn rules_that_differ_in_one_condition_are_no_duplicates() {
    let merged = inherited(
        &[(
            "test",
            "{tools: {require: [{name: r}, {name: r, count: {min: 2}}]}}",
        )],
        1,
    );
    assert_eq!(merged.test.len(), 2);
}

#[test]
fn the_innermost_limit_is_in_force_and_false_switches_off() {
    let limit =
        |value: &str| format!("{{timing: {{max_duration_ms: {value}, max_idle_ms: {value}}}}}");
    let (outer, off, inner) = (limit("100"), limit("false"), limit("50"));
    let merged = inherited(&[("target", &outer), ("test", &off), ("turn 2", &inner)], 2);
    assert_eq!(
        merged.limits.get(Measure::Duration),
        None,
        "the test as a whole has none"
    );
    let of_turn = |turn: usize| {
        let limits = &merged.turns[turn].limits;
        let shown = |measure| {
            limits
                .get(measure)
                .map(|bound| (bound.most, bound.origin.level))
        };
        (shown(Measure::Duration), shown(Measure::Idle))
    };
    assert_eq!(of_turn(0), (None, None));
    assert_eq!(
        of_turn(1),
        (Some((50, Level::Turn)), Some((50, Level::Turn)))
    );
}

#[test]
fn a_looser_turn_separate_its_own_time() {
    let limit = |value: &str| format!("{{timing: {{max_duration_ms: {value}}}}}");
    let (test, tighter, looser, off) = (limit("100"), limit("50"), limit("200"), limit("false"));
    let merged = inherited(
        &[
            ("test", &test),
            ("turn 1", &tighter),
            ("turn 2", &looser),
            ("turn 3", &off),
        ],
        4,
    );
    let answers: Vec<bool> = merged
        .turns
        .iter()
        .map(|turn| turn.separate.contains(&Measure::Duration))
        .collect();
    assert_eq!(answers, [false, true, true, false]);
}

/// What each snapshot expects, with the level that defines it.
fn snapshots(blocks: &[(&str, &str)]) -> Vec<String> {
    let merged = inherited(blocks, 2);
    let all = merged
        .test
        .iter()
        .chain(merged.turns.iter().flat_map(|turn| &turn.entries));
    let snapshots = all.filter(|entry| entry.path == "snapshot");
    let words = |entry: &ananke::assertion::RuleEntry| entry.describe().replace("the snapshot", "");
    snapshots
        .map(|entry| format!("{}{}", entry.origin.level.as_str(), words(entry)))
        .collect()
}

#[test]
fn the_innermost_snapshot_of_the_test_is_in_force_and_a_turn_has_its_own() {
    let target = (
        "target",
        "{snapshot: {name: a, volatile: [state.at, text]}}",
    );
    assert_eq!(
        snapshots(&[target]),
        ["target, apart from `state.at`, `text`"]
    );
    assert_eq!(
        snapshots(&[
            target,
            ("test", "{snapshot: {volatile: [state.by, text]}}"),
            ("turn 2", "{snapshot: b}")
        ]),
        [
            "test, apart from `state.at`, `text`, `state.by`",
            "turn, apart from `state.at`, `text`, `state.by`"
        ]
    );
    assert_eq!(
        snapshots(&[
            target,
            ("test", "{snapshot: false}"),
            ("turn 1", "{snapshot: {volatile: [x.args.a]}}")
        ]),
        ["turn, apart from `x.args.a`"],
        "what is switched off brings nothing along"
    );
    assert_eq!(
        snapshots(&[target, ("turn 2", "{snapshot: false}")]),
        ["target, without turn 2, apart from `state.at`, `text`"]
    );
    assert_eq!(snapshots(&[("turn 1", "{snapshot: false}")]), [""; 0]);
}

#[test]
fn the_outcome_of_the_last_turn_overrides_that_of_the_test() {
    let outcomes = |blocks: &[(&str, &str)]| names(&inherited(blocks, 2));
    let (target, test) = (
        ("target", "{outcome: interrupted}"),
        ("test", "{outcome: finished}"),
    );
    assert_eq!(outcomes(&[target]), ["target outcome"]);
    assert_eq!(outcomes(&[target, test]), ["test outcome"]);
    assert_eq!(outcomes(&[target, ("test", "{outcome: false}")]), [""; 0]);
    assert_eq!(
        outcomes(&[test, ("turn 1", "{outcome: error}")]),
        ["test outcome", "turn outcome"]
    );
    assert_eq!(
        outcomes(&[test, ("turn 2", "{outcome: error}")]),
        ["turn outcome"]
    );
    assert_eq!(outcomes(&[test, ("turn 2", "{outcome: false}")]), [""; 0]);
}

#[test]
fn a_turn_separate_each_measure_alone() {
    let usage =
        |input: &str| format!("{{usage: {{max_input_tokens: {input}, max_output_tokens: 5}}}}");
    let (test, turn) = (usage("10"), usage("20"));
    let merged = inherited(&[("test", &test), ("turn 1", &turn)], 2);
    assert_eq!(merged.turns[0].separate, [Measure::InputTokens]);
    assert_eq!(merged.turns[1].separate, []);
}

fn left_out(blocks: &[(&str, &str)], turns: usize) -> (Vec<String>, Vec<Vec<&'static str>>) {
    let merged = inherited(blocks, turns);
    let out = |turn: &ananke::assertion::TurnRules| {
        turn.left_out
            .iter()
            .map(|replaced| replaced.entry.path)
            .collect()
    };
    (names(&merged), merged.turns.iter().map(out).collect())
}

#[test]
fn false_leaves_out_what_outer_levels_say_and_further_in_lists_begin_anew() {
    let target = (
        "target",
        "{tools: {forbid: [a], require: [{name: r}]}, text: {must_match: x}}",
    );
    let none: [&str; 0] = [];
    assert_eq!(
        left_out(&[target, ("test", "{tools: false, text: false}")], 1).0,
        none
    );
    assert_eq!(
        left_out(&[target, ("test", "{tools: {forbid: false}}")], 1).0,
        ["target r", "target text.must_match"]
    );
    let (names, out) = left_out(
        &[
            target,
            ("test", "{tools: {forbid: false}}"),
            (
                "turn 1",
                "{tools: {forbid: [b]}, text: {must_match: false}}",
            ),
        ],
        2,
    );
    assert_eq!(names, ["target r", "target text.must_match", "turn b"]);
    assert_eq!(out, [vec!["text.must_match"], vec![]]);
}

#[test]
fn what_every_turn_leaves_out_is_in_force_nowhere() {
    let test = ("test", "{tools: {require: [{name: r}], forbid: [a]}}");
    let off = "{tools: {require: false}}";
    assert_eq!(left_out(&[test, ("turn 1", off)], 1).0, ["test a"]);
    assert_eq!(
        left_out(&[test, ("turn 1", off)], 2).0,
        ["test a", "test r"]
    );
    assert_eq!(
        left_out(&[test, ("turn 1", off), ("turn 2", "{tools: false}")], 2).0,
        ["test a"]
    );
}

#[test]
fn the_last_turn_decides_on_the_state_of_the_test() {
    let test = ("test", "{state: [{path: a, exists: true}]}");
    let none: [&str; 0] = [];
    assert_eq!(
        left_out(&[test, ("turn 1", "{state: false}")], 2).0,
        ["test state"]
    );
    assert_eq!(left_out(&[test, ("turn 2", "{state: false}")], 2).0, none);
}

#[test]
fn a_number_of_calls_overrides_and_a_looser_turn_separate_itself() {
    let max = |number: &str| format!("{{tools: {{max_calls: {number}}}}}");
    let (two, three, off) = (max("2"), max("3"), max("false"));
    let found = |blocks: &[(&str, &str)]| left_out(blocks, 2);
    assert_eq!(
        found(&[("target", &two), ("test", &three)]).0,
        ["test tools.max_calls"]
    );
    assert_eq!(found(&[("target", &two), ("test", &off)]).0, [""; 0]);
    let (names, out) = found(&[("test", &two), ("turn 1", &three), ("turn 2", &max("1"))]);
    assert_eq!(
        names,
        [
            "test tools.max_calls",
            "turn tools.max_calls",
            "turn tools.max_calls"
        ]
    );
    assert_eq!(out, [vec!["tools.max_calls"], vec![]]);
    assert_eq!(
        found(&[("test", &two), ("turn 2", &off)]).1,
        [vec![], vec!["tools.max_calls"]]
    );
}

#[test]
fn the_sequence_of_the_test_replaces_that_of_the_target_and_a_turn_has_its_own() {
    let sequence = |mode: &str| format!("{{sequence: {{mode: {mode}, steps: [{{call: a}}]}}}}");
    let (exact, only) = (sequence("exact"), sequence("only"));
    let off = ("turn 1", "{sequence: false}");
    let found = |blocks: &[(&str, &str)]| left_out(blocks, 2);
    assert_eq!(found(&[("target", &exact)]).0, ["target sequence"]);
    assert_eq!(
        found(&[("target", &exact), ("test", &only)]).0,
        ["test sequence"]
    );
    assert_eq!(
        found(&[("target", &exact), ("test", "{sequence: false}")]).0,
        [""; 0]
    );
    assert_eq!(
        found(&[("test", &exact), ("turn 2", &exact)]).0,
        ["test sequence", "turn sequence"]
    );
    assert_eq!(
        found(&[("test", &only), ("turn 2", &only)]).0,
        ["test sequence"],
        "it is in force already"
    );
    let (names, out) = found(&[("test", &exact), off]);
    assert_eq!(
        (names, out),
        (
            vec!["test sequence".to_owned()],
            vec![vec!["sequence"], vec![]]
        )
    );
    assert_eq!(
        found(&[("test", &exact), ("turn 1", "{tools: false}")]).1,
        [[""; 0]; 2]
    );
}

#[test]
fn who_leaves_subagents_out_says_so_for_the_levels_further_in() {
    let without = |blocks: &[(&str, &str)]| {
        let merged = inherited(blocks, 1);
        (
            merged.excludes_subagents,
            merged.turns[0].excludes_subagents,
        )
    };
    let (exclude, include) = (
        "{tools: {subagents: exclude}}",
        "{tools: {subagents: include}}",
    );
    assert_eq!(without(&[]), (false, false));
    assert_eq!(without(&[("target", exclude)]), (true, true));
    assert_eq!(
        without(&[("target", exclude), ("turn 1", include)]),
        (true, false)
    );
    assert_eq!(
        without(&[("target", exclude), ("test", "{tools: false}")]),
        (false, false)
    );
    let merged = inherited(
        &[
            ("test", "{tools: {forbid: [a]}}"),
            ("turn 1", "{tools: {forbid: [a], subagents: exclude}}"),
        ],
        1,
    );
    assert_eq!(
        names(&merged),
        ["test a", "turn a"],
        "they look at different calls"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..seeded() })]

    #[test]
    fn a_level_that_says_nothing_changes_nothing(
        target in "[a-c]{0,3}", test in "[a-c]{0,3}", turn in "[a-c]{0,3}", limit in proptest::option::of(0_u64..3)
    ) {
        let block = |names: &str| {
            let list: Vec<String> = names.chars().map(String::from).collect();
            format!("{{tools: {{forbid: [{}]}}}}", list.join(", "))
        };
        let timing = limit.map_or_else(|| "{}".to_owned(), |ms| format!("{{timing: {{max_idle_ms: {ms}}}}}"));
        let (outer, middle, inner) = (block(&target), block(&test), block(&turn));
        let merged = inherited(&[("target", &outer), ("test", &middle), ("turn 1", &inner)], 1);

        // Every name applies exactly once, however often and on whichever level it is written.
        let mut wanted: Vec<char> = [&target, &test, &turn].iter().flat_map(|names| names.chars()).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut found: Vec<char> = names(&merged).iter().filter_map(|name| name.chars().last()).collect();
        found.sort_unstable();
        prop_assert_eq!(found, wanted);

        // A limit that is written once, on any level, applies to the turn.
        for level in ["target", "test", "turn 1"] {
            let merged = inherited(&[(level, &timing)], 1);
            prop_assert_eq!(merged.turns[0].limits.get(Measure::Idle).map(|bound| bound.most), limit);
        }
    }
}
