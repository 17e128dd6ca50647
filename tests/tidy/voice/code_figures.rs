//! The figures of code: what is decided inside of chains, closures and tuples instead of with `if`, `match` and `let … else`.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::functions::{Closure, Function};
use super::source::Source;

/// What transforms a list or an option.
const ADAPTERS: &[&str] = &[
    "map",
    "filter",
    "filter_map",
    "flat_map",
    "and_then",
    "map_or",
    "map_or_else",
    "is_some_and",
    "is_none_or",
    "chain",
    "zip",
    "take_while",
    "fold",
];

/// What folds a decision into an expression; `then` is one if its argument is a closure.
const FOLDS: &[&str] = &[
    "then_some",
    "and_then",
    "map_or",
    "map_or_else",
    "is_some_and",
    "is_none_or",
];

/// What decides by its closure.
const DECIDING: &[&str] = &[
    "filter",
    "filter_map",
    "find",
    "find_map",
    "any",
    "all",
    "position",
    "and_then",
    "is_some_and",
    "is_none_or",
    "is_ok_and",
    "is_err_and",
    "take_while",
    "skip_while",
    "map_while",
    "retain",
];

/// The most links of a chain, lines of a closure in a chain, and lines of a private function that is used once, which a reader
/// still takes in at one glance.
const LINKS: usize = 4;
const CLOSURE_LINES: usize = 3;
const SMALL_FUNCTION_LINES: usize = 5;

/// The lines of adapters. A loop that only pushes is one: it is a `map` in other words.
pub(super) fn adapters(source: &Source<'_>) -> Vec<usize> {
    let mut found = Vec::new();
    for index in 0..source.code.len() {
        if ADAPTERS.contains(&source.text(index)) {
            let is_of_trait = source.text_before(index) == "::"
                && index >= 2
                && matches!(source.text(index - 2), "Iterator" | "Option" | "Result");
            if is_of_trait || source.is_method_call(index) {
                found.push(source.line(index));
            }
        } else if source.is(index, "for") && only_pushes(source, index) {
            found.push(source.line(index));
        }
    }
    found
}

/// The loop at `index` has one statement, `list.push(…);`.
fn only_pushes(source: &Source<'_>, index: usize) -> bool {
    let rest = index..source.code.len();
    let open = source.find(rest, |at| matches!(source.text(at), "{" | ";" | "}"));
    let Some(open) = open.filter(|at| source.is(*at, "{")) else {
        return false;
    };
    let body = open + 1..source.partner(open);
    let Some(end) = source.find(body.clone(), |at| source.is(at, ";")) else {
        return false;
    };
    let call = source.partner(end - 1);
    let is_push = source.is(end - 1, ")") && source.text_before(call) == "push";
    is_push && end + 1 == body.end && !source.is(body.start, "let")
}

/// The lines of closures that are bound to a name, and of those whose name the rest of their block has once at most.
pub(super) fn named_closures(
    source: &Source<'_>,
    closures: &[Closure],
) -> (Vec<usize>, Vec<usize>) {
    let mut all = Vec::new();
    let mut used_once = Vec::new();
    for closure in closures {
        let Some(name) = name_bound_to(source, closure.start) else {
            continue;
        };
        let line = source.line(closure.start);
        all.push(line);
        let uses = rest_of_block(source, closure.body.end)
            .filter(|at| source.names(*at, name))
            .count();
        if uses <= 1 {
            used_once.push(line);
        }
    }
    (all, used_once)
}

/// The name of `let name = |…|` whose first bar is at `start`.
fn name_bound_to<'s>(source: &Source<'s>, start: usize) -> Option<&'s str> {
    let mut before = start;
    while matches!(source.text_before(before), "move" | "async" | "&" | "mut") {
        before -= 1;
    }
    if source.text_before(before) != "=" {
        return None;
    }
    let mut first = before - 1;
    while first > 0 && !matches!(source.text(first - 1), "let" | ";" | "{" | "}") {
        first -= 1;
    }
    if source.text_before(first) != "let" {
        return None;
    }
    let is_mut = source.is(first, "mut");
    Some(source.text(first + usize::from(is_mut)))
}

/// What follows `index` in its block.
fn rest_of_block(source: &Source<'_>, index: usize) -> Range<usize> {
    let last = source.code.len().saturating_sub(1);
    let open = source.opener(index.min(last));
    index..open.map_or(source.code.len(), |it| source.partner(it))
}

/// The lines of `.filter(|_| …)`.
pub(super) fn filters_of_nothing(source: &Source<'_>, closures: &[Closure]) -> Vec<usize> {
    let is_one = |closure: &&Closure| {
        closure.method.is_some_and(|it| source.is(it, "filter"))
            && parameters(source, closure).is_empty()
    };
    lines_of(source, closures.iter().filter(is_one))
}

/// The lines of closures that decide without their parameters: by something that an `if` before the chain would say. The
/// value of a last `.then_some(…)` or `.then(…)` is no decision.
pub(super) fn idle_deciders(source: &Source<'_>, closures: &[Closure]) -> Vec<usize> {
    let is_one = |closure: &&Closure| {
        let decides = closure
            .method
            .is_some_and(|it| DECIDING.contains(&source.text(it)));
        let mut condition = condition(source, closure.body.clone());
        decides
            && !condition.any(|at| {
                parameters(source, closure)
                    .iter()
                    .any(|name| source.names(at, name))
            })
    };
    lines_of(source, closures.iter().filter(is_one))
}

fn lines_of<'c>(source: &Source<'_>, closures: impl Iterator<Item = &'c Closure>) -> Vec<usize> {
    closures.map(|it| source.line(it.start)).collect()
}

/// The names of the parameters of `closure`.
fn parameters<'s>(source: &Source<'s>, closure: &Closure) -> Vec<&'s str> {
    let mut names = Vec::new();
    for index in closure.parameters.clone() {
        let text = source.text(index);
        let is_type = text.starts_with(char::is_uppercase);
        if source.is_word(index) && !is_type && !text.starts_with('_') && text != "mut" {
            names.push(text);
        }
    }
    names
}

/// `body` without a last `.then_some(…)` or `.then(…)`.
fn condition(source: &Source<'_>, body: Range<usize>) -> Range<usize> {
    let Some(last) = body.clone().next_back() else {
        return body;
    };
    let open = source.partner(last);
    let is_folded = source.is(last, ")")
        && open >= body.start + 2
        && matches!(source.text(open - 1), "then_some" | "then")
        && source.is(open - 2, ".");
    if is_folded {
        body.start..open - 2
    } else {
        body
    }
}

/// The lines of folds, and of those that stand for an `if`: in the head of a branch or of a loop, before another link, or as
/// the value of a block, of an arm, of a closure or of a return.
pub(super) fn folds(source: &Source<'_>, closures: &[Closure]) -> (Vec<usize>, Vec<usize>) {
    let heads = heads(source);
    let last_bars: HashSet<usize> = closures.iter().map(|it| it.parameters.end).collect();
    let mut all = Vec::new();
    let mut deciding = Vec::new();
    for (index, is_in_head) in heads.into_iter().enumerate() {
        let name = source.text(index);
        if name != "then" && !FOLDS.contains(&name) || !source.is_method_call(index) {
            continue;
        }
        let Some(open) = source.call_after(index) else {
            continue;
        };
        // `Ordering::then` takes a value.
        if name == "then" && !matches!(source.text(open + 1), "|" | "move") {
            continue;
        }
        let line = source.line(index);
        all.push(line);
        let after = source.partner(open) + 1;
        let is_link = source.is(after, ".") || source.is(after, "?") && source.is(after + 1, ".");
        if is_in_head || is_link || is_value(source, &last_bars, index - 1, after) {
            deciding.push(line);
        }
    }
    (all, deciding)
}

/// For each lexeme, whether it is in the head of an `if`, a `while`, a `match` or a `let … else`, or in the value of a `let`
/// that only the head right after it uses.
fn heads(source: &Source<'_>) -> Vec<bool> {
    let mut heads = vec![false; source.code.len()];
    for start in 0..source.code.len() {
        let rest = start + 1..source.code.len();
        let end = match source.text(start) {
            "if" | "while" | "match" => source.find(rest, |at| {
                matches!(source.text(at), "{" | ";") || source.is_joined(at, ["=", ">"])
            }),
            "let" => end_of_deciding_let(source, start),
            _ => continue,
        };
        if let Some(end) = end {
            heads[start..end].fill(true);
        }
    }
    heads
}

/// The end of the value of a `let … else`, or of a `let name = …;` of which the head right after it is the only reader.
fn end_of_deciding_let(source: &Source<'_>, start: usize) -> Option<usize> {
    if matches!(source.text_before(start), "if" | "while" | "&") {
        return None;
    }
    let rest = start..source.code.len();
    let end = source.find(rest, |at| {
        matches!(source.text(at), ";" | "}") || source.is(at, "else") && !source.is(at - 1, "}")
    })?;
    if source.is(end, "else") {
        return Some(end);
    }
    let name = source.text(start + 1);
    let is_head = matches!(source.text(end + 1), "if" | "while" | "match");
    let read = if source.is(end + 2, "!") {
        end + 3
    } else {
        end + 2
    };
    if !is_head || !source.is(read, name) {
        return None;
    }
    let uses = rest_of_block(source, end)
        .filter(|at| source.names(*at, name))
        .count();
    (uses == 1).then_some(end)
}

/// The fold from the dot at `dot` to `after` ends what is the value of a block, an arm, a closure or a return.
fn is_value(source: &Source<'_>, last_bars: &HashSet<usize>, dot: usize, after: usize) -> bool {
    let rest = after..source.code.len();
    let end = source.find(rest, |at| {
        source.is_closer(at) || matches!(source.text(at), "," | ";")
    });
    let ends_block = end.is_some_and(|at| source.is(at, "}"));
    let mut index = dot;
    while index > 0 {
        let before = index - 1;
        if last_bars.contains(&before) {
            return true;
        }
        match source.text(before) {
            "return" | "break" => return true,
            ">" if before > 0 && source.is_joined(before - 1, ["=", ">"]) => return true,
            "{" | ";" => return ends_block,
            "}" if !matches!(source.text(index), "." | "?") => return ends_block,
            "," | "(" | "[" | ":" => return false,
            "=" if is_assignment(source, before) => return false,
            ")" | "]" | "}" => index = source.partner(before),
            _ => index = before,
        }
    }
    false
}

/// The `=` at `index` is no part of `==`, `<=` or their like.
fn is_assignment(source: &Source<'_>, index: usize) -> bool {
    let is_second = ["=", "!", "<", ">"]
        .iter()
        .any(|sign| index > 0 && source.is_joined(index - 1, [sign, "="]));
    !is_second && !source.is_joined(index, ["=", "="])
}

/// The lines of `let (a, b) = (x, y);` and of its like, and of decisions about two things at once: `match (a, b)`, `match ()`,
/// `if let (…) = (…)`.
pub(super) fn tuples(source: &Source<'_>) -> (Vec<usize>, Vec<usize>) {
    let mut bound = Vec::new();
    let mut decided = Vec::new();
    for index in 0..source.code.len() {
        let line = source.line(index);
        match source.text(index) {
            "match" if is_list(source, index + 1) => {
                let open = index + 1;
                let close = source.partner(open);
                let is_pair = source.has_comma(open) || close == open + 1;
                if is_pair && source.is(close + 1, "{") {
                    decided.push(line);
                }
            }
            "let" if is_list(source, index + 1) => {
                let rest = source.after(index + 1)..source.code.len();
                let equals = source.find(rest, |at| matches!(source.text(at), "=" | ";" | "}"));
                let Some(value) = equals.filter(|at| source.is(*at, "=")) else {
                    continue;
                };
                match text_after_tuple(source, value + 1) {
                    ";" => bound.push(line),
                    "{" | "&" | "else" => decided.push(line),
                    _ => {}
                }
            }
            "(" | "[" if matches!(source.text_before(index), ";" | "{" | "}") => {
                let equals = source.after(index);
                let is_assigned = source.is(equals, "=") && is_assignment(source, equals);
                if is_assigned && text_after_tuple(source, equals + 1) == ";" {
                    bound.push(line);
                }
            }
            _ => {}
        }
    }
    (bound, decided)
}

fn is_list(source: &Source<'_>, index: usize) -> bool {
    matches!(source.text(index), "(" | "[")
}

/// What follows the tuple or array of several at `index`; nothing if there is none.
fn text_after_tuple<'s>(source: &Source<'s>, index: usize) -> &'s str {
    if is_list(source, index) && source.has_comma(index) {
        source.text(source.partner(index) + 1)
    } else {
        ""
    }
}

/// The lines of chains of more links than [`LINKS`].
pub(super) fn long_chains(source: &Source<'_>) -> Vec<usize> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for index in 0..source.code.len() {
        if !source.is_method_call(index) || seen.contains(&index) {
            continue;
        }
        let mut links = 0;
        let mut at = index;
        // Fields, `.await` and `?` are between the links.
        while source.is_word(at) && source.text_before(at) == "." {
            if let Some(open) = source.call_after(at) {
                links += 1;
                seen.insert(at);
                at = source.partner(open);
            }
            at += 1;
            while matches!(source.text(at), "?" | ".") {
                at += 1;
            }
        }
        if links > LINKS {
            found.push(source.line(index));
        }
    }
    found
}

/// The lines of closures in chains whose body is longer than [`CLOSURE_LINES`], without its braces.
pub(super) fn long_closures(source: &Source<'_>, closures: &[Closure]) -> Vec<usize> {
    let is_long = |closure: &&Closure| {
        let mut body = closure.body.clone();
        if source.is(body.start, "{") {
            body = body.start + 1..source.partner(body.start);
        }
        closure.method.is_some() && source.lines_in(body) > CLOSURE_LINES
    };
    lines_of(source, closures.iter().filter(is_long))
}

/// The lines of private functions of at most [`SMALL_FUNCTION_LINES`] lines that the file names once.
pub(super) fn small_functions(source: &Source<'_>, functions: &[Function<'_>]) -> Vec<usize> {
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for function in functions {
        if function.is_private && function.lines <= SMALL_FUNCTION_LINES {
            uses.insert(function.name, 0);
        }
    }
    for index in 0..source.code.len() {
        if source.is_word(index)
            && source.text_before(index) != "fn"
            && let Some(count) = uses.get_mut(source.text(index))
        {
            *count += 1;
        }
    }
    let mut found = Vec::new();
    for function in functions {
        let is_small = function.is_private && function.lines <= SMALL_FUNCTION_LINES;
        if is_small && uses.get(function.name) == Some(&1) {
            found.push(function.line);
        }
    }
    found
}
