//! The known name that was probably meant by an unknown one.

use std::collections::HashMap;

/// The name in `known` that is nearest to `written`, if it is near: at most a third of the characters differ, where
/// case, `-`, `_` and spaces do not count. If several are equally near, the first. A name that says the opposite is not near.
pub fn nearest<T: AsRef<str>>(written: &str, known: impl IntoIterator<Item = T>) -> Option<T> {
    let plain = folded(written);
    let length = plain.chars().count();
    if length < 2 {
        return None;
    }
    let near = known.into_iter().filter_map(|name| {
        let longest = written.chars().count().max(name.as_ref().chars().count());
        let allowed = if longest < 3 { 0 } else { longest / 3 };
        let folded = folded(name.as_ref());
        let is_near_in_length = folded.chars().count().abs_diff(length) <= allowed;
        let distance = is_near_in_length.then(|| strsim::damerau_levenshtein(&plain, &folded))?;
        let is_opposite = distance > 0 && is_negated(written) != is_negated(name.as_ref());
        (distance <= allowed && !is_opposite).then_some((distance, name))
    });
    near.min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Whether a name says that something is not: `tool_not_called`, `notContains`, `unequal`.
fn is_negated(name: &str) -> bool {
    const WORDS: [&str; 8] = [
        "not", "no", "non", "never", "without", "isnt", "cannot", "dont",
    ];
    let spaced: String = name
        .chars()
        .flat_map(|sign| [sign.is_uppercase().then_some(' '), Some(sign)])
        .flatten()
        .collect();
    let spaced = spaced.to_lowercase();
    let mut words = spaced.split(|sign: char| !sign.is_alphanumeric());
    spaced.starts_with("not") || spaced.starts_with("un") || words.any(|word| WORDS.contains(&word))
}

/// The names in `known`, those that are nearest to `written` first.
pub fn nearest_first<'k>(written: &str, known: &[&'k str]) -> Vec<&'k str> {
    let mut names = known.to_vec();
    names.sort_by_key(|name| strsim::damerau_levenshtein(&folded(written), &folded(name)));
    names
}

/// The nearest name if it is certainly meant: what is written differs from it in case and separators alone, or every other
/// name is more than twice as far.
pub fn nearest_certain<'k>(written: &str, known: &[&'k str]) -> Option<&'k str> {
    let meant = nearest(written, known.iter().copied())?;
    let distance = |name: &str| strsim::damerau_levenshtein(&folded(written), &folded(name));
    let own = distance(meant);
    let is_alone = known
        .iter()
        .filter(|name| **name != meant)
        .all(|other| distance(other) > 2 * own);
    is_alone.then_some(meant)
}

/// Whether two different names differ by one typo: one character more, fewer or another, or two neighbours swapped. Numbers are no
/// typos: names that differ in a digit are different names (`search_v1`, `search_v2`).
pub fn is_one_typo(written: &str, known: &str) -> bool {
    let length = |(a, b): (char, char)| (a == b).then(|| a.len_utf8());
    let start: usize = written.chars().zip(known.chars()).map_while(length).sum();
    let (written, known) = (&written[start..], &known[start..]);
    let end: usize = written
        .chars()
        .rev()
        .zip(known.chars().rev())
        .map_while(length)
        .sum();
    let (written, known) = (&written[..written.len() - end], &known[..known.len() - end]);
    let few = |text: &str| [0, 1, 2].map(|index| text.chars().nth(index));
    let is_typo = match (few(written), few(known)) {
        ([None, ..], [Some(_), None, _])
        | ([Some(_), None, _], [None, ..] | [Some(_), None, _]) => true,
        ([Some(a), Some(b), None], [Some(c), Some(d), None]) => a == d && b == c,
        _ => false,
    };
    is_typo
        && !written
            .chars()
            .chain(known.chars())
            .any(|char| char.is_ascii_digit())
}

/// The spellings of the names that exist, to find the one that a name differs from in case, separators or a prefix alone.
#[derive(Debug, Default)]
pub struct Spellings<'n> {
    /// Names by their letters and digits.
    whole: HashMap<String, &'n str>,
    /// Names by the letters and digits after one of their prefixes.
    after_prefix: HashMap<String, &'n str>,
}

impl<'n> Spellings<'n> {
    /// The spellings of `names`.
    pub fn of(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut found = Self::default();
        for name in names {
            found.whole.entry(letters(name)).or_insert(name);
            for rest in after_prefixes(name) {
                found.after_prefix.entry(letters(rest)).or_insert(name);
            }
        }
        found
    }

    /// The name that `written` differs from in case, separators or a prefix that ends with `__` or `.` alone.
    pub fn other_than(&self, written: &str) -> Option<&'n str> {
        let own = letters(written);
        if own.is_empty() {
            return None;
        }
        let without_own = || {
            after_prefixes(written)
                .map(letters)
                .find_map(|rest| self.whole.get(&rest))
        };
        let found = self
            .whole
            .get(&own)
            .or_else(|| self.after_prefix.get(&own))
            .or_else(without_own);
        found.copied().filter(|name| *name != written)
    }
}

/// The text after each prefix of the name of a tool, which ends with `__` or `.`; the longest first.
pub fn after_prefixes(name: &str) -> impl Iterator<Item = &str> {
    let ends = name.char_indices().filter_map(|(at, sign)| match sign {
        '.' => Some(at + 1),
        '_' if name[at..].starts_with("__") => Some(at + 2),
        _ => None,
    });
    ends.map(|end| &name[end..]).filter(|rest| !rest.is_empty())
}

/// The letters and digits of a name, in lowercase.
fn letters(name: &str) -> String {
    let characters = name.chars().filter(|sign| sign.is_alphanumeric());
    characters.flat_map(char::to_lowercase).collect()
}

/// Whether two names are one in two spellings: `ToolCallStart` is `TOOL_CALL_START`.
pub fn is_spelled_alike(name: &str, other: &str) -> bool {
    letters(name) == letters(other)
}

/// A name without its case and separators.
fn folded(text: &str) -> String {
    text.to_lowercase().replace(['-', '_', ' '], "")
}

/// The remedy for an unknown name, as help: "did you mean" the nearest known one, else all of them after `what`.
pub fn suggest(written: &str, known: &[&str], what: &str) -> String {
    match nearest(written, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("{what}: `{}`", known.join("`, `")),
    }
}

/// The Boolean that a text looks like: a word for it in other tools, or one that differs from `true` or `false` by one typo.
pub fn meant_boolean(text: &str) -> Option<bool> {
    let word = text.trim().to_lowercase();
    let is_like = |known: &str| word == known || is_one_typo(&word, known);
    match word.as_str() {
        "no" | "off" | "n" | "none" | "null" => Some(false),
        "yes" | "on" | "y" => Some(true),
        _ if is_like("false") => Some(false),
        _ if is_like("true") => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_look_like_a_boolean_are_known() {
        for (text, meant) in [
            ("no", Some(false)),
            ("OFF", Some(false)),
            ("n", Some(false)),
            ("None", Some(false)),
            ("fasle", Some(false)),
            ("False", Some(false)),
            ("ture", Some(true)),
            ("True", Some(true)),
            ("yes", Some(true)),
            ("on", Some(true)),
            ("no agent yet", None),
            ("flaky", None),
            ("", None),
        ] {
            assert_eq!(meant_boolean(text), meant, "{text}");
        }
    }

    #[test]
    fn finds_only_what_is_near() {
        let known = ["require", "forbid", "allow_only", "max_calls", "id"];
        for (written, expected) in [
            ("requires", Some("require")),
            ("forbdi", Some("forbid")),
            ("AllowOnly", Some("allow_only")),
            ("max-call", Some("max_calls")),
            ("x", None),
            ("if", None),
            ("ID", Some("id")),
            ("something", None),
            ("", None),
        ] {
            assert_eq!(nearest(written, known), expected, "{written}");
        }
    }

    #[test]
    fn the_opposite_is_never_near() {
        let known = [
            "tool_called",
            "require",
            "contains",
            "not_contains",
            "equals",
        ];
        for (written, expected) in [
            ("tool_not_called", None),
            ("not_tool_called", None),
            ("toolNotCalled", None),
            ("require_not", None),
            ("unequals", None),
            ("no_require", None),
            ("notContains", Some("not_contains")),
            ("not_contain", Some("not_contains")),
            ("notcontains", Some("not_contains")),
            ("contain", Some("contains")),
        ] {
            assert_eq!(nearest(written, known), expected, "{written}");
        }
    }

    #[test]
    fn one_typo_is_one_character_or_two_that_are_swapped() {
        for (written, known, expected) in [
            ("delete_ordr", "delete_order", true),
            ("delete_oorder", "delete_order", true),
            ("delete_odrer", "delete_order", true),
            ("delete-order", "delete_order", true),
            ("größe", "grösse", false),
            ("größe", "groß", false),
            ("größe", "grösze", false),
            ("größe", "größen", true),
            ("delete_order", "delete_order", false),
            ("delete_orders", "delete_order", true),
            ("deleteorders", "delete_order", false),
            ("search_v1", "search_v2", false),
            ("search_1", "search_", false),
            ("step_12", "step_21", false),
        ] {
            assert_eq!(is_one_typo(written, known), expected, "{written} {known}");
            assert_eq!(is_one_typo(known, written), expected, "{known} {written}");
        }
    }

    #[test]
    fn spellings_differ_in_case_separators_and_prefixes() {
        let names = [
            "delete_order",
            "shop__pay",
            "files.readAll",
            "get_v2",
            "---",
        ];
        let spellings = Spellings::of(names);
        for (written, expected) in [
            ("deleteOrder", Some("delete_order")),
            ("Delete-Order", Some("delete_order")),
            ("DELETE ORDER", Some("delete_order")),
            ("shop.delete_order", Some("delete_order")),
            ("a__shop__deleteOrder", Some("delete_order")),
            ("pay", Some("shop__pay")),
            ("Pay", Some("shop__pay")),
            ("shop.pay", Some("shop__pay")),
            ("read_all", Some("files.readAll")),
            ("GetV2", Some("get_v2")),
            ("delete_order", None),
            ("delete_orders", None),
            ("bank__pay", None),
            ("get_v1", None),
            ("order", None),
            ("shop", None),
            ("...", None),
            ("", None),
        ] {
            assert_eq!(spellings.other_than(written), expected, "{written}");
        }
        assert_eq!(
            after_prefixes("a__b.c_d___e").collect::<Vec<_>>(),
            ["b.c_d___e", "c_d___e", "_e", "e"]
        );
    }

    #[test]
    fn is_certain_only_of_a_name_that_is_alone() {
        let known = ["must_match", "must_not_match", "cat", "car"];
        for (written, expected) in [
            ("must_mach", Some("must_match")),
            ("MustMatch", Some("must_match")),
            ("must_nt_match", None),
            ("ca", None),
            ("cab", None),
            ("something", None),
        ] {
            assert_eq!(nearest_certain(written, &known), expected, "{written}");
        }
    }
}
