//! Words that are never said, neither to a user nor in a comment, each with what to say instead. Readers look for the words
//! that they know from other tools; a private language makes them doubt the program.
//!
//! A new word needs a reason: that readers stumbled over it. An entry goes only if the word got another, common meaning.

use std::sync::LazyLock;

use regex::Regex;

/// What is never said (a regular expression; a space is any whitespace), and what to say instead.
const NEVER: &[(&str, &str)] = &[
    // Rules and verdicts.
    ("obligations?", "requirement"),
    ("in force", "applies, is valid"),
    (
        "(is|are|was|were|been|be) (judged|settled|held to)",
        "is evaluated, is checked",
    ),
    ("rules? (that |which |still )*holds?", "the rule passes"),
    (
        "rules?( that| which)? (is|are|was|were)? ?(broken|broke|breaks?)|breaks? (a|the|its) rules?",
        "the rule fails, is violated",
    ),
    (
        "(its|their|of the|rule's) homes?",
        "scope, the level it is defined on",
    ),
    ("levels? that wrote|who wrote", "the level it is defined on"),
    // What programs do.
    (
        "tells?|told|telling",
        "reports, shows, says; replayed (a thread)",
    ),
    (
        "(somebody|someone|nobody|whoever)",
        "name the person or program, or use the passive voice",
    ),
    ("sa(y|ys|id) (no|yes)", "denies, fails; passes"),
    ("carr(y|ies|ied) out", "client-side tool; executes"),
    (
        "helpers? of the agent|agent's own helpers?|the agent's helpers?",
        "subagent",
    ),
    ("thoughts?", "reasoning"),
    ("called off|calling off", "cancelled"),
    ("cut (off|short)", "timed out, aborted, truncated"),
    ("time-outs?", "timeout"),
    ("tried again|tries (it |a test )?again", "retried"),
    ("anew", "again, from scratch"),
    (
        "of then|played back|(is|are|was|be) played",
        "replayed, recorded",
    ),
    ("mend(s|ed|ing)?", "fix"),
    ("(what|which) becam?e of|becomes? of", "status, result"),
    // Things and places.
    (
        "calls? of (`x+`|(a|the|this|that) (tool|mock))",
        "a call to",
    ),
    ("arguments? holding|held JSON|holding `x+`", "containing"),
    ("left out", "omitted; default (heading)"),
    ("beside", "next to, with, in addition to"),
    (
        "behind (it|them|the|that|each|both|a click)",
        "after; collapsed",
    ),
    ("in (the )?places? of", "instead of"),
    (
        "(it|that|which|may|must|can|and|key|name|text|value|rule|path) stands?",
        "is, is allowed",
    ),
    (
        "stands? (for|twice|beside|alone|at|below|in|on)",
        "is, replaces, is duplicated, cannot be combined",
    ),
    (
        "counts? from ((the|its|this) (folder|directory)|there)",
        "is relative to",
    ),
    ("(file's|by its|by the) endings?", "file extension"),
    ("small letters|blanks", "lowercase; whitespace, spaces"),
    ("(is|are) written out|digests?", "is escaped; hash"),
    (
        "on the wire|over the wire|of the wire",
        "connection, protocol, response",
    ),
    ("whole or not at all", "written atomically"),
    ("build servers?", "CI server"),
    ("further (in|out)", "inner level, outer level"),
    // Sentences.
    (
        "is no (regular|valid|JSON|YAML)",
        "is not a valid …, is not an …",
    ),
    (
        "(line|word|document|lane|row|KB|MiB|object) an? (test|entry|file|turn|row|protocol|command|line|level)",
        "one line per test",
    ),
    (
        "(?-i:Where (a|an|the|no|none|nothing|it|that|there|several|another|one|only))( [a-z]+){1,8},",
        "If …",
    ),
    ("(?-i:Of) [a-z]+", "For …; make the thing the subject"),
];

/// `pattern` with a space for any whitespace. Classes are those of ASCII, which is fast also without optimization.
fn compiled(pattern: &str) -> Regex {
    Regex::new(&format!("(?im-u){}", pattern.replace(' ', "[ \\n]+"))).expect("a pattern")
}

/// All of [`NEVER`] at once.
static ANY: LazyLock<Regex> = LazyLock::new(|| {
    let patterns: Vec<String> = NEVER
        .iter()
        .map(|(never, _)| format!("({never})"))
        .collect();
    compiled(&format!(
        "\\b({})($|(?u-i:[^a-zA-Z0-9]))",
        patterns.join("|")
    ))
});

/// What to say instead of `said`, which [`ANY`] found.
fn instead_of(said: &str) -> &'static str {
    let entry = NEVER
        .iter()
        .find(|(never, _)| compiled(&format!("^({never})$")).is_match(said));
    entry.map_or("", |(_, instead)| instead)
}

/// A word that is never said, found in a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) line: usize,
    pub(crate) said: String,
    pub(crate) instead: &'static str,
}

/// The words of `lines` (each with its number) that are never said. What is between backticks is not looked at.
pub(crate) fn found<'t>(lines: impl IntoIterator<Item = (usize, &'t str)>) -> Vec<Found> {
    let (numbers, texts): (Vec<usize>, Vec<&str>) = lines.into_iter().unzip();
    // Every other part between backticks is code.
    let hidden = |(index, part): (usize, &str)| match index % 2 {
        0 => part.to_owned(),
        _ => part.replace(|c: char| c != '\n', "x"),
    };
    let text = texts
        .join("\n")
        .split('`')
        .enumerate()
        .map(hidden)
        .collect::<Vec<_>>()
        .join("`");
    let mut found = Vec::new();
    for hit in ANY.captures_iter(&text).filter_map(|hit| hit.get(1)) {
        let line = numbers[text[..hit.start()].matches('\n').count()];
        let said = hit
            .as_str()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        found.push(Found {
            line,
            instead: instead_of(hit.as_str()),
            said,
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<String> {
        found(text.lines().zip(1..).map(|(line, number)| (number, line)))
            .into_iter()
            .map(|found| found.said)
            .collect()
    }

    #[test]
    fn finds_what_is_never_said() {
        assert_eq!(
            said("A rule\nin force is told\nanew."),
            ["in force", "told", "anew"]
        );
        assert_eq!(said("the rules that\nhold"), ["rules that hold"]);
        assert_eq!(
            said("a call of `charge` tells"),
            ["call of `xxxxxx`", "tells"]
        );
        assert_eq!(
            said("Where nothing is found, the turn fails."),
            ["Where nothing is found,"]
        );
        assert_eq!(said("Fine. Of several texts each counts."), ["Of several"]);
        assert_eq!(said("one object a line"), ["object a line"]);
        assert_eq!(said("`{` is no regular expression"), ["is no regular"]);
    }

    #[test]
    fn plain_words_pass() {
        let plain = "The threshold applies where the file is, behind a proxy. It is replayed: `told anew`.\n\
                     Each call to `x` matches. A message of the agent says \"no\". There is no such key.\n";
        assert_eq!(said(plain), [""; 0]);
    }
}
