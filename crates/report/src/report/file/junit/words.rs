//! Suites, classes and times as readers of JUnit take them.

use ananke_trace::outcome::TestIdentity;

/// The suite of a test: its file from the config's directory, and a target other than the default, so that the runs of a
/// matrix of targets do not have the same names.
pub(super) fn suite(test: &TestIdentity) -> String {
    format!("{}{}", place(test), of_target(test))
}

/// The file of a test from the config's directory, or what it is called if it is in none.
fn place(test: &TestIdentity) -> &str {
    if test.is_without_file {
        &test.file
    } else {
        &test.path
    }
}

/// The class of a test as readers of JUnit group by it: `specs/shop/pay.test.yaml` is `specs.shop.pay`.
pub(super) fn class(test: &TestIdentity) -> String {
    class_of_file(place(test)) + &of_target(test).replace('.', "_")
}

fn of_target(test: &TestIdentity) -> String {
    if test.is_default_target {
        String::new()
    } else {
        format!(" [{}]", test.target)
    }
}

fn class_of_file(file: &str) -> String {
    let stem = [".yaml", ".yml", ".jsonl"]
        .iter()
        .find_map(|ending| file.strip_suffix(ending))
        .unwrap_or(file);
    let stem = stem.strip_suffix(".test").unwrap_or(stem);
    let parts = stem
        .split(['/', '\\'])
        .filter(|part| !matches!(*part, "" | "." | ".."));
    // A point of a name would look like one more folder.
    let parts: Vec<String> = parts.map(|part| part.replace('.', "_")).collect();
    if parts.is_empty() {
        "tests".to_owned()
    } else {
        parts.join(".")
    }
}

/// `us` microseconds in seconds with three places, as every reader of JUnit takes it.
pub(super) fn in_seconds(us: u64) -> String {
    let millis = us.saturating_add(500) / 1000;
    format!("{}.{:03}", millis / 1000, millis % 1000)
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
            assert_eq!(class_of_file(file), expected);
        }
    }

    #[test]
    fn in_seconds_with_three_places() {
        for (us, expected) in [
            (0, "0.000"),
            (1_234_567, "1.235"),
            (499, "0.000"),
            (60_000_500, "60.001"),
        ] {
            assert_eq!(in_seconds(us), expected);
        }
    }
}
