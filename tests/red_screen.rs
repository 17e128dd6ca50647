//! The screen of a red build: 30 tests, 9 of them red for three reasons and a server that nobody runs.
#![cfg(unix)]

use std::fmt::Write as _;
use std::net::TcpListener;
use std::process::{Command, Stdio};

use crate::support::project::Project;

/// A shop in which refunds are sent in dollars, and orders are looked up with the wrong receipt.
const SHOP: &str = r#"version: "1.4"
target:
    type: scripted
    rules:
      - when: { user: "refund" }
        do:
          - call: { tool: find_order, args: { receipt: R-1001 }, result: { order: O-7, total: 89.5 }, delay_ms: 300 }
          - call: { tool: refund, args: { order_id: O-9, amount: 89.5, currency: USD }, result: declined, delay_ms: 400 }
          - call: { tool: refund, args: { order_id: O-7, amount: 89.5, currency: EUR }, result: ok, delay_ms: 400 }
          - say: "Your refund of 89.50 EUR was issued. Is there anything else that I can do for you today?"
      - when: { user: "where" }
        do:
          - call: { tool: find_order, args: { receipt: R-1001 }, result: { order: O-7, total: 89.5 }, delay_ms: 300 }
          - say: "Order O-7 is on its way."
      - do: [{ say: "As I told my colleague, the password is hunter2." }]
targets:
  dead: { type: agui, endpoint: "http://ADDRESS/", agentId: a }
"#;

/// A test of the agent that nobody runs.
const GONE: &str = r#"version: "1.4"
name: is there
target: dead
turns: [{ user: hello, assert: { text: { contains: hello } } }]
"#;

/// Tests of one file with these names, each of which says `user` and asserts `rules`.
fn file(tests: &[(String, &str, &str)]) -> String {
    let mut text = "version: \"1.4\"\ntests:\n".to_owned();
    for (name, user, rules) in tests {
        let _ = write!(
            text,
            "  - name: {name}\n    turns: [{{ user: {user} }}]\n    assert:\n      {rules}\n"
        );
    }
    text
}

fn thirty() -> Project {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let once =
        "tools: { require: [{ name: refund, count: { exact: 1 }, after_result: find_order }] }";
    let refunds: Vec<_> = (1..=3)
        .map(|number| (format!("refunds once {number}"), "\"refund, please\"", once))
        .collect();
    let receipts = [1001, 1002, 1003, 1004].map(|number| {
        format!("tools: {{ require: [{{ name: find_order, args: {{ receipt: R-{number} }} }}] }}")
    });
    let orders: Vec<_> = receipts
        .iter()
        .zip(1..)
        .map(|(rule, number)| (format!("finds order {number}"), "where", rule.as_str()))
        .collect();
    let quiet: Vec<_> = (1..=2)
        .map(|number| {
            let rule = "text: { must_not_match: \"hunter[0-9]\" }";
            (format!("keeps its secret {number}"), "hello", rule)
        })
        .collect();
    let green: Vec<_> = (1..=20)
        .map(|number| {
            (
                format!("answers {number}"),
                "hello",
                "text: { contains: \"As I\" }",
            )
        })
        .collect();
    Project::new(&[
        ("ananke.config.yaml", &SHOP.replace("ADDRESS", &address)),
        ("tests/refunds.test.yaml", &file(&refunds)),
        ("tests/orders.test.yaml", &file(&orders)),
        ("tests/secrets.test.yaml", &file(&quiet)),
        ("tests/support.test.yaml", &file(&green[..10])),
        ("tests/welcome.test.yaml", &file(&green[10..])),
        ("tests/gone.test.yaml", GONE),
    ])
}

fn printed(project: &Project, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_ananke"))
        .current_dir(project.folder())
        .env_clear()
        .arg("run")
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}{errors}");
    assert_eq!(errors, "", "{text}");
    text
}

#[test]
fn thirty_tests_of_which_nine_fail_fit_a_screen() {
    let project = thirty();
    let text = printed(&project, &[]);
    assert!(text.lines().count() <= 70, "{text}");
    assert!(
        text.ends_with('\n') && text.contains("30 tests: "),
        "{text}"
    );
    for (sentence, times) in [
        (
            "`refund` was called 2 times in the test, expected exactly once",
            2,
        ),
        ("the agent said `hunter2`, which matches `hunter[0-9]`", 2),
        // The values of one test are not those of the others.
        (
            "`find_order` was called with `receipt` \"R-1001\", expected \"R-1002\"",
            1,
        ),
        (
            "`find_order` was called with `receipt` \"R-1001\", expected \"…\"",
            1,
        ),
    ] {
        assert_eq!(
            text.matches(sentence).count(),
            times,
            "the block and the list: {sentence}\n{text}"
        );
    }
    for (first, others) in [
        ("refunds once 1", 2),
        ("finds order 2", 2),
        ("keeps its secret 1", 1),
    ] {
        let line = format!("  as in {first}");
        assert_eq!(text.matches(&line).count(), others, "{first}\n{text}");
    }
    assert!(
        text.contains("\"receipt\": \"R-1001\" ≠ \"R-1002\""),
        "{text}"
    );
    let quiet = printed(&project, &["-q"]);
    assert!(quiet.lines().count() <= 25, "{quiet}");
}
