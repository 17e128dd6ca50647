//! How reports call a test.

use crate::outcome::Outcome;

/// The name of the test with its row: what follows the file in an id made of both, else the name and the id that was
/// given to it, so that no two tests of a file are called the same.
pub(crate) fn title(outcome: &Outcome) -> String {
    let own = format!("::{}", outcome.name);
    match outcome.id.find(&own) {
        Some(at) => outcome.id[at + 2..].to_owned(),
        None => format!("{} ({})", outcome.name, outcome.id),
    }
}

/// The class of a test file as readers of JUnit group by it: `specs/shop/pay.test.yaml` is `specs.shop.pay`.
pub(crate) fn class(file: &str) -> String {
    let stem =
        [".yaml", ".yml", ".jsonl"].iter().find_map(|ending| file.strip_suffix(ending)).unwrap_or(file);
    let stem = stem.strip_suffix(".test").unwrap_or(stem);
    let parts = stem.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | ".."));
    // A point of a name would look like one more folder.
    let parts: Vec<String> = parts.map(|part| part.replace('.', "_")).collect();
    if parts.is_empty() { "tests".to_owned() } else { parts.join(".") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_a_path_with_points() {
        for (file, expected) in [
            ("specs/shop/pay.test.yaml", "specs.shop.pay"),
            ("pay.test.yml", "pay"),
            ("../other/v1.2/pay.yaml", "other.v1_2.pay"),
            ("C:\\specs\\pay.test.yaml", "C:.specs.pay"),
            ("", "tests"),
        ] {
            assert_eq!(class(file), expected);
        }
    }
}
