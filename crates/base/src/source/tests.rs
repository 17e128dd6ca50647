//! The tree and the typed reader, on any text.

use std::sync::Arc;

use proptest::prelude::*;
use serde::Deserialize;

use super::{Node, TagDefault, from_node, parse, tree};
use crate::diagnostic::{SourceFile, Spanned};

fn source(text: &str) -> Arc<SourceFile> {
    Arc::new(SourceFile::new("a.yaml", "a.yaml", text))
}

fn node(text: &str) -> Node {
    parse(&source(text)).expect("good YAML")
}

/// Checks that a text is this JSON.
fn check(text: &str, json: &str) {
    assert_eq!(node(text).to_json().to_string(), json, "{text}");
}

#[test]
fn scalars_are_those_of_yaml_1_2() {
    check("[yes, no, on, off, y]", r#"["yes","no","on","off","y"]"#);
    check("[true, True, FALSE]", "[true,true,false]");
    check("[~, null, '~', '']", r#"[null,null,"~",""]"#);
    check(
        "[017, 1_000, 0x1f, 0o17, -3, 1.5, 1e3]",
        r#"["017","1_000",31,15,-3,1.5,1e3]"#,
    );
    check(
        "[2026-01-01, 12:30, 1.2.3]",
        r#"["2026-01-01","12:30","1.2.3"]"#,
    );
    check("{1: a, true: b}", r#"{"1":"a","true":"b"}"#);
}

#[test]
fn anchors_aliases_and_merges_are_resolved() {
    check(
        "a: &a { x: 1, y: 2 }\nb: { <<: *a, y: 3 }",
        r#"{"a":{"x":1,"y":2},"b":{"y":3,"x":1}}"#,
    );
    check("a: &a [1]\nb: [*a, *a]", r#"{"a":[1],"b":[[1],[1]]}"#);
}

#[test]
fn a_document_may_be_marked() {
    check("---\na: 1\n...\n", r#"{"a":1}"#);
    check(
        "a: |\n  one\n  two\nb: >-\n  x\n  y\n",
        r#"{"a":"one\ntwo\n","b":"x y"}"#,
    );
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Shape {
    Circle(Circle),
    Square(Square),
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Circle {
    radius: Spanned<u64>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Square {
    side: Option<u64>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Plain {
    Red,
    Green,
}

const DEFAULTS: &[TagDefault] = &[TagDefault {
    union: "Shape",
    tag: "circle",
    key: None,
}];

/// Checks the result of the typed reader for a union, with the place that it names.
fn check_shape(text: &str, defaults: &[TagDefault], expected: Result<u64, (&str, &str)>) {
    let read = from_node::<Shape>(&node(text), defaults);
    let place = |span: crate::diagnostic::Span| &text[span.range()];
    match (&read, expected) {
        (Ok(Shape::Circle(circle)), Ok(radius)) => assert_eq!(circle.radius.value, radius),
        (Ok(Shape::Square(square)), Ok(side)) => assert_eq!(square.side, Some(side)),
        (Err(mismatch), Err(expected)) => {
            assert_eq!((mismatch.message.as_str(), place(mismatch.span)), expected);
        }
        _ => panic!("{text}: {read:?}"),
    }
}

#[test]
fn unions_go_by_type_by_default_or_by_their_only_key() {
    check_shape("{ type: square, side: 3 }", &[], Ok(3));
    check_shape("{ radius: 3, type: circle }", DEFAULTS, Ok(3));
    check_shape("radius: 3", DEFAULTS, Ok(3));
    check_shape("circle: { radius: 4 }", &[], Ok(4));
    check_shape(
        "radius: 3",
        &[],
        Err((
            "this mapping is none of those that are allowed here",
            "radius",
        )),
    );
    check_shape(
        "type: sphere",
        &[],
        Err((
            "unknown value `sphere`: the values are `circle`, `square`",
            "sphere",
        )),
    );
    check_shape(
        "{ type: square, sied: 3 }",
        &[],
        Err(("unknown key `sied`", "sied")),
    );
    check_shape(
        "{ type: circle }",
        &[],
        Err(("the key `radius` is missing", "{")),
    );
    check_shape(
        "radius: many",
        DEFAULTS,
        Err(("the text `many` cannot stand here", "many")),
    );
    check_shape(
        "{ type: square, side: }",
        &[],
        Err(("nothing cannot stand here", "")),
    );
    check_shape(
        "{ type: 3 }",
        &[],
        Err(("the number 3 is not a valid `type`", "3")),
    );
    check_shape(
        "circle: [4]",
        &[],
        Err(("expected a mapping, found a list", "[")),
    );
}

#[test]
fn plain_enums_are_texts() {
    assert_eq!(
        from_node::<Vec<Plain>>(&node("[red, green]"), &[]),
        Ok(vec![Plain::Red, Plain::Green])
    );
    let mismatch = from_node::<Plain>(&node("rde"), &[]).map_err(|mismatch| mismatch.message);
    assert_eq!(
        mismatch,
        Err("unknown value `rde`: the values are `red`, `green`".to_owned())
    );
}

#[test]
fn a_tree_reads_itself_with_its_places() {
    let original = node("a: [1, 9.0, { b: ~ }]\nc: ü");
    assert_eq!(from_node::<Node>(&original, &[]), Ok(original));
}

/// Texts of the signs that mean something in YAML.
const SIGNS: &str = r##"([-:?&*!|>%@`'"#{}\[\],\n\t ~<.a1é]|<<|- |: |&a |\*a )*"##;

proptest! {
    #[test]
    fn no_text_is_a_panic(text in any::<String>()) {
        let (node, problems) = tree(&source(&text));
        prop_assert!(node.is_some() || !problems.is_empty());
    }

    #[test]
    fn no_text_of_signs_is_a_panic(text in SIGNS) {
        let (node, problems) = tree(&source(&text));
        prop_assert!(node.is_some() || !problems.is_empty());
        // Every place lies in the text, on a boundary.
        for label in problems.iter().flat_map(|problem| &problem.labels) {
            prop_assert!(text.get(label.span.range()).is_some());
        }
        let _ = crate::diagnostic::render::human(&problems, crate::diagnostic::render::RenderStyle::default());
    }
}
