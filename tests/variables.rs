//! `${…}` in every kind of place, with every kind of value (SPEC 2).

use std::sync::Arc;

use ananke::diagnostic::{Diagnostic, SourceFile, Span, Spanned};
use ananke::model::{Scalar, Text};
use ananke::source;
use ananke::variables::{Interpolation, Leaf, Mode, Scope};
use serde_json::{Value, json};

fn scope() -> Scope {
    let environment = [("HOME_TOWN", "Turin")].into_iter().collect();
    let mut scope = Scope::new(Arc::new(environment));
    scope.set("NAME", "Ada");
    scope.set("EMPTY", "");
    scope.set("NUMBER", 42);
    scope.set("PATTERN", "a.b");
    scope.set(
        "CART",
        json!({"items": [{"id": "x-1"}, {"id": "x-2"}], "open": true}),
    );
    scope.expect("THREAD_ID");
    scope
}

/// Fills something written as `text`, and returns the problems in one line each.
fn fill<T>(
    text: &str,
    mode: Mode,
    fill: impl FnOnce(&mut Interpolation<'_>, Text) -> Leaf<T>,
) -> (Leaf<T>, Vec<String>) {
    let source = Arc::new(SourceFile::new("t.yaml", "t.yaml", text));
    let scope = scope();
    let mut problems = Vec::new();
    let written = Spanned {
        value: text.to_owned(),
        span: Span::new(0, text.len()),
    };
    let filled = fill(
        &mut Interpolation::new(&scope, &source, mode, &mut problems),
        written,
    );
    (filled, problems.iter().map(shown).collect())
}

fn shown(problem: &Diagnostic) -> String {
    format!("{problem} | {}", problem.help.join(" "))
}

fn text(text: &str) -> Result<String, Vec<String>> {
    let (filled, problems) = fill(text, Mode::Send, |interpolation, text| {
        interpolation.text(&text)
    });
    filled.map_err(|_| problems)
}

#[test]
fn text_takes_every_value() {
    for (written, expected) in [
        (
            "pay $3500 to ${NAME} for $NAME",
            "pay $3500 to Ada for $NAME",
        ),
        ("$${NAME}", "${NAME}"),
        ("${NUMBER} ${CART.open} ${CART.items.1.id}", "42 true x-2"),
        ("${CART.items}", "[{\"id\":\"x-1\"},{\"id\":\"x-2\"}]"),
        ("${ENV.HOME_TOWN}", "Turin"),
        ("${MISSING:-b c}${EMPTY:-d}${ENV.MISSING:-}", "b cd"),
        ("${NAME:-x}", "Ada"),
        ("no ${EMPTY}thing", "no thing"),
    ] {
        assert_eq!(text(written).as_deref(), Ok(expected), "{written}");
    }
}

#[test]
fn what_is_undefined_is_an_error_at_its_place() {
    for (written, expected) in [
        (
            "a ${NAM} b",
            "t.yaml:1:3: error[undefined-variable]: the variable `NAM` is not defined | did you mean `${NAME}`?",
        ),
        (
            "${ZZZ}",
            "t.yaml:1:1: error[undefined-variable]: the variable `ZZZ` is not defined | define it, give a default with `${ZZZ:-…}`, or write `$${` if the two characters are meant",
        ),
        (
            "${CART.item}",
            "t.yaml:1:1: error[undefined-variable]: the variable `CART` has no `item` | did you mean `${CART.items}`?",
        ),
        (
            "${ENV.HOME_TOWM}",
            "t.yaml:1:1: error[undefined-variable]: the environment variable `HOME_TOWM` is not set | did you mean `${ENV.HOME_TOWN}`?",
        ),
        (
            "é ${a b}",
            "t.yaml:1:3: error[bad-reference]: `a b` is not a valid variable name | write `${NAME}` for a variable, or `$${` for the two characters themselves",
        ),
    ] {
        assert_eq!(text(written), Err(vec![expected.to_owned()]), "{written}");
    }
    for (written, problems) in [
        ("${A} ${B}", 2),
        ("${A} ${B} ${C", 3),
        ("${NAME} ${", 1),
        ("${} ${A} ${", 3),
    ] {
        assert_eq!(
            text(written).unwrap_err().len(),
            problems,
            "everything is told at once: {written}"
        );
    }
}

#[test]
fn what_comes_later_is_pending_and_no_problem() {
    assert_eq!(text("${THREAD_ID}"), Err(Vec::new()));
}

#[test]
fn in_a_pattern_a_value_is_data() {
    let pattern = |written: &str| {
        let (filled, problems) = fill(written, Mode::Send, |interpolation, text| {
            interpolation.pattern(&text)
        });
        filled
            .map(|pattern| pattern.as_str().to_owned())
            .map_err(|_| problems)
    };
    assert_eq!(pattern("^${PATTERN}$").as_deref(), Ok("^a\\.b$"));
    assert_eq!(pattern("^foo$").as_deref(), Ok("^foo$"));
    assert_eq!(pattern("a(b").unwrap_err().len(), 1);
}

#[test]
fn a_number_takes_a_number_and_a_text_that_is_one() {
    let number = |reference: &str| {
        let (filled, problems) = fill(reference, Mode::Send, |interpolation, text| {
            interpolation.number(&Spanned {
                value: Scalar::<u64>::Reference(text.value.clone()),
                span: text.span,
            })
        });
        filled.map_err(|_| problems)
    };
    assert_eq!(number("${NUMBER}"), Ok(42));
    assert_eq!(number("${MISSING:-7}"), Ok(7));
    assert_eq!(
        number("${NAME}"),
        Err(vec![
            "t.yaml:1:1: error[wrong-type]: expected a whole number, `${NAME}` gives `Ada` | "
                .to_owned()
        ])
    );
}

#[test]
fn free_json_keeps_the_type_of_a_single_reference() {
    let yaml =
        "cart: ${CART}\nnumber: ${NUMBER}\ntext: 'n ${NUMBER}'\nlist: ['${CART.open}', 3, null]\n";
    let source = Arc::new(SourceFile::new("t.yaml", "t.yaml", yaml));
    let node = source::parse(&source).unwrap();
    let scope = scope();
    let mut problems = Vec::new();
    let filled = Interpolation::new(&scope, &source, Mode::Send, &mut problems)
        .json(&node)
        .unwrap();
    let cart = json!({"items": [{"id": "x-1"}, {"id": "x-2"}], "open": true});
    assert_eq!(
        filled,
        json!({"cart": cart, "number": 42, "text": "n 42", "list": [true, 3, Value::Null]})
    );
}

#[test]
fn the_environment_of_a_target_counts_only_when_something_is_sent() {
    let header = |mode| {
        fill("Bearer ${ENV.NO_KEY}", mode, |interpolation, text| {
            interpolation.header("authorization", &text)
        })
        .1
    };
    assert!(header(Mode::Send)[0].contains("error[undefined-variable]"));
    assert!(header(Mode::Check)[0].contains("warning[undefined-variable]"));
    let endpoint = |mode| {
        fill("http://${ENV.NO_HOST}/", mode, |interpolation, text| {
            interpolation.sent_text(&text)
        })
        .1
    };
    assert!(endpoint(Mode::Send)[0].contains("error[undefined-variable]"));
    assert!(endpoint(Mode::Check)[0].contains("warning[undefined-variable]"));
}

#[test]
fn what_goes_into_a_header_is_secret_but_for_a_default() {
    let secrets = |name: &str, written: &str| {
        let source = Arc::new(SourceFile::new("t.yaml", "t.yaml", written));
        let scope = scope();
        let mut problems = Vec::new();
        let mut interpolation = Interpolation::new(&scope, &source, Mode::Send, &mut problems);
        let text = Spanned {
            value: written.to_owned(),
            span: Span::new(0, written.len()),
        };
        assert!(interpolation.header(name, &text).is_ok());
        interpolation
            .into_secrets()
            .iter()
            .map(|secret| format!("{} {}", secret.name, secret.value))
            .collect::<Vec<_>>()
    };
    assert_eq!(secrets("x-tenant", "t-${NAME}"), ["NAME Ada"]);
    assert_eq!(secrets("x-tenant", "plain"), Vec::<String>::new());
    assert_eq!(
        secrets("x-tenant", "${MISSING:-plain}"),
        Vec::<String>::new()
    );
    assert_eq!(
        secrets("Authorization", "Bearer abc"),
        [
            "headers.authorization Bearer abc",
            "headers.authorization abc"
        ]
    );
    assert_eq!(secrets("X-Api-Key", "k-123"), ["headers.x-api-key k-123"]);
    let (_, problems) = fill("k-1", Mode::Send, |interpolation, text| {
        interpolation.header("x-api-key", &text)
    });
    assert_eq!(
        problems,
        [
            "t.yaml:1:1: warning[short-secret]: a secret of the header `x-api-key` is too short to be masked | secrets of at least 4 characters are masked in everything that is printed"
        ]
    );
}
