//! Large, deep and repetitive files, and the values of valid ones.

use ananke::diagnostic::render::{RenderStyle, human};
use ananke::model::TestFile;
use ananke::project::ConfigFile;
use ananke::schema::{FileKind, load};

use super::{problems, source};

/// One message about a text that is too large or too odd to show.
fn check_message(text: &str, expected: &str) {
    check_message_of(FileKind::Test, text, expected);
}

fn check_message_of(kind: FileKind, text: &str, expected: &str) {
    let problems = problems(kind, text);
    let messages: Vec<&str> = problems
        .iter()
        .map(|problem| problem.message.as_str())
        .collect();
    assert_eq!(messages, [expected]);
}

#[test]
fn bombs_are_refused() {
    let level = |level: usize| match level {
        0 => format!("a0: &a0 [{}]\n", ["x"; 10].join(", ")),
        _ => format!(
            "a{level}: &a{level} [{}]\n",
            vec![format!("*a{}", level - 1); 10].join(", ")
        ),
    };
    let laughs: String = (0..12).map(level).collect();
    check_message(
        &laughs,
        "the aliases of this file expand to more values than are read",
    );
    check_message(
        &"- ".repeat(20_000),
        "lists and mappings nest deeper than 64 levels",
    );
    check_message(
        &"[".repeat(20_000),
        "lists and mappings nest deeper than 64 levels",
    );
    check_message(
        &"{a: ".repeat(20_000),
        "lists and mappings nest deeper than 64 levels",
    );
    check_message(
        &"# long\n".repeat(2_000_000),
        "`a.yaml` is larger than 8 MiB",
    );
}

#[test]
fn a_long_line_is_cut() {
    let text = format!(
        "version: \"1.0\"\nname: a\nturns: [{{ user: a }}]\n{}: b\n",
        "x".repeat(900_000)
    );
    let rendered = human(&problems(FileKind::Test, &text), RenderStyle::default());
    assert!(
        rendered.lines().all(|line| line.chars().count() < 200),
        "{rendered}"
    );
}

#[test]
fn one_anchor_may_be_used_by_many() {
    let mut text =
        "version: \"1.0\"\nname: a\nturns:\n  - &turn { user: a, assert: { tools: { forbid: [b] } } }\n"
            .to_owned();
    text += &"  - *turn\n  - { <<: *turn, user: c }\n".repeat(1_500);
    let loaded = load::<TestFile>(
        FileKind::Test,
        &source("a.yaml", &text),
        Some(ananke::schema::Version::newest()),
    )
    .expect("an honest file");
    assert_eq!(
        loaded.value.tests[0].turns.as_ref().map(Vec::len),
        Some(3_001)
    );
}

#[test]
fn places_survive_and_count_bytes() {
    let text = "version: \"1.0\"\nname: ünï\nturns:\n  - user: &w wörld\n  - type: user\n    user: *w\n    assert: { text: { must_match: x } }\n";
    let loaded = load::<TestFile>(
        FileKind::Test,
        &source("a.yaml", text),
        Some(ananke::schema::Version::newest()),
    )
    .expect("a good file");
    let [loaded] = loaded.value.tests.as_slice() else {
        panic!("one test")
    };
    let written = |span: ananke::diagnostic::Span| &text[span.start as usize..span.end as usize];
    assert_eq!(written(loaded.name.span), "ünï");
    let turns = loaded.turns.as_ref().expect("turns");
    let users: Vec<(&str, &str)> = turns
        .iter()
        .map(|turn| {
            let ananke::model::SentByTurn::User(turn) = &turn.value.sent else {
                panic!("a user turn")
            };
            let ananke::model::WrittenContent::Text(user) = &turn.user else {
                panic!("a text")
            };
            (user.as_str(), written(user.span))
        })
        .collect();
    assert_eq!(users, [("wörld", "wörld"), ("wörld", "*w")]);
    let patterns = turns[1]
        .value
        .settings
        .assert
        .as_ref()
        .and_then(|block| block.text.as_ref()?.on()?.must_match.as_ref()?.on());
    assert_eq!(
        patterns.map(|patterns| written(patterns.0[0].span)),
        Some("x")
    );
}

#[test]
fn deep_values_are_read_on_a_small_stack() {
    let deep = format!("{}x{}", "[".repeat(55), "]".repeat(55));
    let text = format!(
        "version: \"1.0\"\ntarget: {{ type: agui, endpoint: x, agentId: y, state: {deep} }}\n"
    );
    let loaded =
        load::<ConfigFile>(FileKind::Config, &source("a.yaml", &text), None).expect("a good file");
    assert!(matches!(
        loaded.value.target,
        ananke::agents::ChosenTarget::Own(_)
    ));
    let broken = text.replace("agentId", "agentID");
    check_message_of(FileKind::Config, &broken, "unknown key `agentID`");
}
