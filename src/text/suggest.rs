//! Which known name was probably meant by an unknown one.

/// The name in `known` that is nearest to `written`, if it is near: at most a third of the characters differ, where
/// case, `-`, `_` and spaces do not count. Of several that are equally near, the first.
pub fn nearest<T: AsRef<str>>(written: &str, known: impl IntoIterator<Item = T>) -> Option<T> {
    let plain = folded(written);
    let length = plain.chars().count();
    if length < 2 {
        return None;
    }
    let near = known.into_iter().filter_map(|name| {
        let longest = written.chars().count().max(name.as_ref().chars().count());
        let allowed = (longest / 3).max(1);
        let folded = folded(name.as_ref());
        let is_near_in_length = folded.chars().count().abs_diff(length) <= allowed;
        let distance = is_near_in_length.then(|| strsim::damerau_levenshtein(&plain, &folded))?;
        (distance <= allowed).then_some((distance, name))
    });
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// The nearest name if it is certainly meant: what is written differs from it in case and separators alone, or every other
/// name is more than twice as far.
pub fn nearest_certain<'k>(written: &str, known: &[&'k str]) -> Option<&'k str> {
    let meant = nearest(written, known.iter().copied())?;
    let distance = |name: &str| strsim::damerau_levenshtein(&folded(written), &folded(name));
    let own = distance(meant);
    let is_alone = known.iter().filter(|name| **name != meant).all(|other| distance(other) > 2 * own);
    is_alone.then_some(meant)
}

/// A name without its case and separators.
fn folded(text: &str) -> String {
    text.to_lowercase().replace(['-', '_', ' '], "")
}

/// What to do about an unknown name, as help: "did you mean" the nearest known one, else all of them after `what`.
pub fn suggest(written: &str, known: &[&str], what: &str) -> String {
    match nearest(written, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("{what}: `{}`", known.join("`, `")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_only_what_is_near() {
        let known = ["require", "forbid", "allow_only", "max_calls", "id"];
        for (written, expected) in [
            ("requires", Some("require")),
            ("forbdi", Some("forbid")),
            ("AllowOnly", Some("allow_only")),
            ("max-call", Some("max_calls")),
            ("x", None),
            ("something", None),
            ("", None),
        ] {
            assert_eq!(nearest(written, known), expected, "{written}");
        }
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
