//! The parameters of which a description speaks. Only forms that cannot mean anything else are read: a quoted word may be a value,
//! another tool or a field of the result.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Types and values: no names of parameters.
const VALUES: &str = "string str number integer int float boolean bool object array list dict json null none undefined true false";

/// Words before `parameter` that are no names of it.
const ADJECTIVES: &str = "\
    above additional another api appropriate below body cli command config configuration correct corresponding \
    default extra final first following form fourth function given header input invalid keyword last line main \
    mandatory method missing model named new next old only optional other output path positional previous query \
    relevant request required respective right same search second single specific sql template text third tool \
    type uri url valid wrong";

/// Words at the beginning of lines in a list of parameters that are none, and what frameworks pass to a function themselves.
const NOT_LISTED: &str =
    "args cls context ctx default defaults example examples kwargs note notes raises returns self";

/// Words in backticks, one or a list of them.
const QUOTED: &str = r"`[A-Za-z_][\w.\[\]-]*`(?:(?:\s*,\s*(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+|\s*/\s*)`[A-Za-z_][\w.\[\]-]*`)*";

/// The expressions; one that cannot be compiled is missing, which a test would see.
struct PromiseForms {
    /// Words in backticks that are called parameters: after or before them, as what the tool takes, or as what is set to a value.
    quoted: Vec<Regex>,
    /// Words in backticks that a caller gives, if one of them is a parameter.
    given: Vec<Regex>,
    word: Vec<Regex>,
    plain: Vec<Regex>,
    /// A heading after which each line describes one parameter.
    heading: Vec<Regex>,
    /// A line that describes one.
    line: Vec<Regex>,
}

static FORMS: LazyLock<PromiseForms> = LazyLock::new(|| {
    let compiled = |expressions: &[&str]| {
        let expressions = expressions.iter();
        expressions
            .filter_map(|expression| Regex::new(&expression.replace("QUOTED", QUOTED)).ok())
            .collect()
    };
    PromiseForms {
        quoted: compiled(&[
            r"(?i)(QUOTED)\s+(?:optional\s+|required\s+)?(?:parameter|param|argument|arg)s?\b",
            r"(?i)\b(?:parameters?|params?|the\s+argument|takes(?:\s+(?:the|an?|optional|required))*)\s*:?\s+(QUOTED)",
            r"(?i)\bset\s+(QUOTED)\s+to\b",
        ]),
        given: compiled(&[
            r"(?i)\b(?:accepts|requires|needs|expects|pass|provide|specify|either|both)\s+(?:the\s+)?(QUOTED)",
        ]),
        word: compiled(&[r"`([^`]+)`"]),
        plain: compiled(&[
            r"\b[Tt]he\s+([a-z_]\w*)\s+(?:parameter|argument)\b",
            r#"["'“‘]([A-Za-z_]\w*)["'”’]\s+(?:parameter|argument)\b"#,
        ]),
        heading: compiled(&[r"(?i)^(?:args|arguments|parameters|params):$"]),
        line: compiled(&[
            r"^(?:[-*+•]\s+)?(?:@param\s+(?:\{[^}]*\}\s+)?|:param\s+(?:\w+\s+)?)?[`*'\x22]*([A-Za-z_]\w*)[`*'\x22]*\s*(?:\([^)]*\))?[`*]*\s*(?::|-|–|—)\s*\S",
        ]),
    }
});

/// The names of parameters that `text` promises, in its order by form; `is_known` are those that exist.
pub(super) fn promised<'t>(text: &'t str, is_known: &dyn Fn(&str) -> bool) -> Vec<&'t str> {
    let mut names: Vec<&str> = Vec::new();
    for list in captured(&FORMS.quoted, text) {
        names.extend(captured(&FORMS.word, list));
    }
    for list in captured(&FORMS.given, text) {
        let words = captured(&FORMS.word, list);
        if words.iter().any(|word| is_known(word)) {
            names.extend(words);
        }
    }
    let plain = captured(&FORMS.plain, text).into_iter();
    names.extend(plain.filter(|name| !is_one_of(name, ADJECTIVES)));
    let listed = listed(text).into_iter();
    // A word that begins with a capital is the beginning of a sentence.
    let is_capital = |name: &&str| name.starts_with(char::is_uppercase);
    names.extend(listed.filter(|name| !is_capital(name) && !is_one_of(name, NOT_LISTED)));
    let mut seen = HashSet::new();
    names.retain(|name| is_name(name) && seen.insert(*name));
    names
}

/// The names that have a line of their own in `text`, which describes them.
pub(super) fn described(text: &str) -> HashSet<&str> {
    let lines = text.lines();
    lines.filter_map(|line| described_by(line.trim())).collect()
}

/// The names that are described under a heading such as `Args:`, one line each and deeper than the heading.
fn listed(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    // The indentation of the heading and, after it, of the lines under it.
    let mut heading: Option<usize> = None;
    let mut item: Option<usize> = None;
    for line in text.lines() {
        let words = line.trim();
        let indentation = line.len() - line.trim_start().len();
        if words.is_empty() {
            continue;
        }
        if FORMS.heading.iter().any(|form| form.is_match(words)) {
            (heading, item) = (Some(indentation), None);
            continue;
        }
        let Some(above) = heading else { continue };
        let is_deeper = indentation > above;
        let is_bullet = words.starts_with("- ") || words.starts_with("* ");
        if !(is_deeper || is_bullet && indentation == above) {
            heading = None;
        } else if *item.get_or_insert(indentation) == indentation {
            names.extend(described_by(words));
        }
    }
    names
}

fn described_by(line: &str) -> Option<&str> {
    captured(&FORMS.line, line).first().copied()
}

/// The first groups of all matches.
fn captured<'t>(forms: &[Regex], text: &'t str) -> Vec<&'t str> {
    let group = |captures: Captures<'t>| captures.get(1).map(|group| group.as_str());
    let found = forms.iter().flat_map(|form| form.captures_iter(text));
    found.filter_map(group).collect()
}

/// Whether a word may be the name of a parameter. One in capitals is a type, a format or a variable of the environment.
fn is_name(word: &str) -> bool {
    word.chars().any(char::is_lowercase)
        && !is_one_of(&word.to_lowercase(), VALUES)
        && !word.ends_with('-')
}

/// Whether a word is one of `words`, which spaces separate.
pub(super) fn is_one_of(word: &str, words: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_expression_is_one() {
        let PromiseForms {
            quoted,
            given,
            word,
            plain,
            heading,
            line,
        } = &*FORMS;
        let compiled = [quoted, given, word, plain, heading, line].map(Vec::len);
        assert_eq!(compiled, [3, 1, 1, 2, 1, 1]);
    }

    #[test]
    fn only_clear_forms_promise_a_parameter() {
        for (text, expected) in [
            (
                "Searches. The `limit` parameter bounds the results.",
                &["limit"][..],
            ),
            (
                "The parameter `limit` bounds them, the argument `sort` sorts",
                &["limit", "sort"],
            ),
            (
                "The `from`, `to` and `unit` arguments are texts",
                &["from", "to", "unit"],
            ),
            ("Takes the optional `limit`", &["limit"]),
            ("Set `deep` to true for all of them", &["deep"]),
            ("Requires `query` and `page`", &["query", "page"]),
            ("Use the limit parameter", &["limit"]),
            ("see the 'maxCount' argument", &["maxCount"]),
            (
                "Adds.\n\n    Args:\n        a: one\n        limit (int): two\n            deep: three\n\n    Returns:\n        sum: four",
                &["a", "limit"],
            ),
            (
                "Parameters:\n- `limit`: how many\n- **page**: which\nText: none",
                &["limit", "page"],
            ),
            // None of these promises anything.
            (
                "Use `search` first, then `read_file`; returns `id` and `title`",
                &[],
            ),
            ("Requires `git` and `node`", &[]),
            ("Pass `json` for JSON, or `latest`", &[]),
            (
                "the first argument, the query parameters, the following parameter, the URL parameter",
                &[],
            ),
            (
                "The `string` parameter, `API_KEY` argument, `a b` parameter",
                &[],
            ),
            ("Runs git with the arguments `status`", &[]),
            ("Args:\n    ctx: the context\n    Note: this is text", &[]),
            ("Sets `status` to done", &[]),
        ] {
            assert_eq!(promised(text, &|name| name == "query"), expected, "{text}");
        }
    }

    #[test]
    fn a_line_of_its_own_describes_a_name() {
        let text = "Finds.\n  city: The city\n  - `unit` (optional): C or F\n  :param int n: how many\n  @param {string} s - a text\n  other";
        let mut found: Vec<&str> = described(text).into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, ["city", "n", "s", "unit"]);
    }
}
