//! Which known name was probably meant by an unknown one.

/// The name in `known` that is nearest to `written`, if it is near: at most a third of the characters differ, where
/// case, `-`, `_` and spaces do not count. Of several that are equally near, the first.
pub fn nearest<T: AsRef<str>>(written: &str, known: impl IntoIterator<Item = T>) -> Option<T> {
    let folded = |text: &str| text.to_lowercase().replace(['-', '_', ' '], "");
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
}
