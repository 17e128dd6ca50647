//! The functions and the closures of a file.

use std::ops::Range;

use super::source::Source;

/// A function with a body.
#[derive(Debug)]
pub(super) struct Function<'s> {
    pub(super) name: &'s str,
    pub(super) line: usize,
    /// Its body, without the braces.
    pub(super) body: Range<usize>,
    /// Its lines with code, from `fn` to the last brace.
    pub(super) lines: usize,
    /// It is neither public nor of a trait, so that its file could do without it.
    pub(super) is_private: bool,
}

/// A closure.
#[derive(Debug)]
pub(super) struct Closure {
    /// The first `|`.
    pub(super) start: usize,
    pub(super) parameters: Range<usize>,
    pub(super) body: Range<usize>,
    /// The method whose argument it is.
    pub(super) method: Option<usize>,
}

pub(super) fn functions<'s>(source: &Source<'s>) -> Vec<Function<'s>> {
    let mut functions = Vec::new();
    for start in 0..source.code.len() {
        if !source.is(start, "fn") || !source.is_word(start + 1) {
            continue;
        }
        let parameters = if source.is(start + 2, "<") {
            source.after_angles(start + 2)
        } else {
            start + 2
        };
        let rest = source.after(parameters)..source.code.len();
        let Some(open) = source.find(rest, |at| source.is(at, "{") || source.is(at, ";")) else {
            continue;
        };
        if source.is(open, "{") {
            let close = source.partner(open);
            functions.push(Function {
                name: source.text(start + 1),
                line: source.line(start),
                body: open + 1..close,
                lines: source.lines_in(start..close + 1),
                is_private: is_private(source, start),
            });
        }
    }
    functions
}

/// The function at `start` is neither public nor of a trait.
fn is_private(source: &Source<'_>, start: usize) -> bool {
    let mut before = start;
    while matches!(
        source.text_before(before),
        "const" | "async" | "unsafe" | "extern"
    ) {
        before -= 1;
    }
    let is_public = source.text_before(before) == "pub"
        || source.text_before(before) == ")"
            && source.text_before(source.partner(before - 1)) == "pub";
    let owner = source.opener(start).map_or(0..0, |it| header(source, it));
    let is_of_trait = owner
        .clone()
        .any(|at| source.is(at, "trait") || source.is(at, "for") && !source.is(at + 1, "<"));
    !is_public && !is_of_trait
}

/// What is before the brace at `open`, from the end of the item before it: `impl Name for Other`, `pub struct Name`.
pub(super) fn header(source: &Source<'_>, open: usize) -> Range<usize> {
    let mut start = open;
    while start > 0 && !matches!(source.text(start - 1), ";" | "{" | "}" | "]") {
        start -= 1;
    }
    start..open
}

pub(super) fn closures(source: &Source<'_>) -> Vec<Closure> {
    let mut closures = Vec::new();
    let mut index = 0;
    while index < source.code.len() {
        if !source.is(index, "|") || !begins_closure(source, index) {
            index += 1;
            continue;
        }
        let start = index;
        let last_bar = if source.is_joined(start, ["|", "|"]) {
            start + 1
        } else {
            let rest = start + 1..source.code.len();
            source
                .find(rest, |at| source.is(at, "|"))
                .unwrap_or(source.code.len() - 1)
        };
        closures.push(Closure {
            start,
            parameters: start + 1..last_bar,
            body: body_after(source, last_bar),
            method: method_given(source, start),
        });
        index = last_bar + 1;
    }
    closures
}

/// The `|` at `index` begins the parameters of a closure; after an operand it is an operator, or it joins patterns.
fn begins_closure(source: &Source<'_>, index: usize) -> bool {
    match source.text_before(index) {
        "(" | "," | "=" | "{" | ";" | "[" | "&" | ":" | "move" | "return" | "else" | "async"
        | "break" => true,
        ">" => source.is_joined(index - 2, ["=", ">"]),
        _ => false,
    }
}

/// The body of the closure whose last `|` is at `last_bar`.
fn body_after(source: &Source<'_>, last_bar: usize) -> Range<usize> {
    let start = last_bar + 1;
    if source.is_joined(start, ["-", ">"]) {
        let rest = start..source.code.len();
        let open = source.find(rest, |at| source.is(at, "{")).unwrap_or(start);
        return open..source.after(open);
    }
    let rest = start..source.code.len();
    let end = source.find(rest, |at| {
        source.is_closer(at) || matches!(source.text(at), "," | ";")
    });
    start..end.unwrap_or(source.code.len())
}

/// The method whose argument the closure at `start` is.
fn method_given(source: &Source<'_>, start: usize) -> Option<usize> {
    let mut first = start;
    while matches!(source.text_before(first), "move" | "async") {
        first -= 1;
    }
    if !matches!(source.text_before(first), "(" | ",") {
        return None;
    }
    let open = source.opener(start).filter(|it| source.is(*it, "("))?;
    let mut name = open.checked_sub(1)?;
    // Generic arguments are between the name and its bracket.
    if source.is(name, ">") {
        while name > 0 && !source.is(name, "::") {
            name -= 1;
        }
        name = name.checked_sub(1)?;
    }
    source.is_method_call(name).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closures_of(text: &str) -> Vec<String> {
        let source = Source::new(text);
        let join = |range: Range<usize>| {
            let words: Vec<&str> = range.map(|at| source.text(at)).collect();
            words.join(" ")
        };
        closures(&source)
            .into_iter()
            .map(|it| {
                let method = it.method.map_or("", |at| source.text(at));
                format!("{method}: {} -> {}", join(it.parameters), join(it.body))
            })
            .collect()
    }

    #[test]
    fn closures_are_told_from_operators_and_patterns() {
        assert_eq!(
            closures_of(
                "let f = |a: u8, (b, _)| a | b; x.map::<B, _>(move |y| { y }, || z::<A, B>(1), 2)"
            ),
            ["f: "; 0]
                .into_iter()
                .map(str::to_owned)
                .chain([
                    ": a : u8 , ( b , _ ) -> a | b".to_owned(),
                    "map: y -> { y }".to_owned(),
                    "map:  -> z :: < A , B > ( 1 )".to_owned(),
                ])
                .collect::<Vec<_>>()
        );
        assert_eq!(
            closures_of("match a { A | B => c || d, 'x' | \"y\" => |e| -> F { e } }"),
            [": e -> { e }"]
        );
        assert_eq!(
            closures_of("if a == b || c(d) || e? || f[0] | 1 {}"),
            [""; 0]
        );
    }

    #[test]
    fn functions_have_bodies_lines_and_visibility() {
        let text = "trait T { fn a(&self); fn b() {} }\nimpl T for S<'_> { fn a(&self) {} }\n\
                    impl S { pub(super) fn c<F: Fn(u8) -> u8>(f: F) -> [u8; 2]\nwhere\n    F: Clone,\n{\n\n    d\n}\n\
                    const fn d() {} }\npub fn e(g: fn() -> u8) {}";
        let source = Source::new(text);
        let found: Vec<_> = functions(&source)
            .into_iter()
            .map(|it| (it.name, it.lines, it.is_private))
            .collect();
        assert_eq!(
            found,
            [
                ("b", 1, false),
                ("a", 1, false),
                ("c", 6, false),
                ("d", 1, true),
                ("e", 1, false)
            ]
        );
    }
}
