//! Names of tools with or without what an agent's system puts in front of them, as one pattern: `pay` is also `shop__pay`.
//!
//! Cases of JSONL files name tools so. **Invariant:** the names are found again in the pattern, so that messages show them.

/// The text before a name: nothing, or something that ends with `__` or `.`.
const BEGINNING: &str = r"(?:^|__|\.)";

/// The pattern of one of these names, of which there is at least one.
pub fn suffixed_pattern(names: &[&str]) -> String {
    let escaped: Vec<String> = names.iter().map(|name| regex::escape(name)).collect();
    match escaped.as_slice() {
        [name] => format!("{BEGINNING}{name}$"),
        names => format!("{BEGINNING}(?:{})$", names.join("|")),
    }
}

/// The names in such a pattern, in words; `None` if it is another pattern.
pub(super) fn named_in(pattern: &str) -> Option<Vec<String>> {
    let inner = pattern.strip_prefix(BEGINNING)?.strip_suffix('$')?;
    let inner = inner
        .strip_prefix("(?:")
        .and_then(|names| names.strip_suffix(')'))
        .unwrap_or(inner);
    let mut names = vec![String::new()];
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        let literal = match character {
            '|' => {
                names.push(String::new());
                continue;
            }
            '\\' => characters
                .next()
                .filter(|escaped| regex_syntax::is_meta_character(*escaped))?,
            other => Some(other).filter(|other| !regex_syntax::is_meta_character(*other))?,
        };
        names.last_mut()?.push(literal);
    }
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    (suffixed_pattern(&all) == pattern).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_found_in_their_pattern() {
        for names in [&["pay"][..], &["a.b", "c|d"], &["(x)", "\\d", "é#"]] {
            let pattern = suffixed_pattern(names);
            assert!(
                regex::Regex::new(&pattern)
                    .is_ok_and(|regex| regex.is_match(&format!("x__{}", names[0])))
            );
            assert_eq!(
                named_in(&pattern).as_deref(),
                Some(&names.iter().map(ToString::to_string).collect::<Vec<_>>()[..])
            );
        }
        for other in [
            "^pay$",
            "(?:^|__|\\.)pa?y$",
            "(?:^|__|\\.)\\d$",
            "(?:^|__|\\.)a|b$",
            "(?:^|__|\\.)(?:a)$",
            "(?:^|__|\\.)(a)$",
        ] {
            assert_eq!(named_in(other), None, "{other}");
        }
    }
}
