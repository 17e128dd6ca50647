//! Lines of code: without tests, comments and blank lines.

/// The lines of code of a file: neither blank nor a comment, and before its unit tests.
pub(crate) fn of_code(source: &str) -> usize {
    let before_tests = source
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let is_code = |line: &&str| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with("//")
    };
    before_tests.lines().filter(is_code).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_blank_lines_and_tests_are_not_counted() {
        let source = "//! A file.\n\n/// A function.\nfn f() {\n    // nothing\n}\n\n#[cfg(test)]\nmod tests {\n}\n";
        assert_eq!(of_code(source), 2);
    }
}
