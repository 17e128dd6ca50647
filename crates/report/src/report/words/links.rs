//! Addresses of the web that a report links to.

use std::fmt::Write as _;

/// `text` if it is an address of the web in which nothing ends a link or begins something else.
pub(crate) fn web_address(text: &str) -> Option<&str> {
    let is_harmless =
        |character: char| character.is_ascii_alphanumeric() || "-._~:/?#&+,;=%".contains(character);
    let is_web = ["https://", "http://"]
        .iter()
        .any(|scheme| text.starts_with(scheme));
    (is_web && text.chars().all(is_harmless)).then_some(text)
}

/// The address of a line of `file`, a path as in messages, under that of the directory of the run; `None` if the file is
/// outside of it.
pub(crate) fn line_of_file(directory: &str, file: &str, line: u32) -> Option<String> {
    let mut address = web_address(directory)?.trim_end_matches('/').to_owned();
    let is_inside = |part: &str| !part.is_empty() && part != ".." && !part.contains([':', '\\']);
    if !file.split('/').all(is_inside) {
        return None;
    }
    for part in file.split('/').filter(|part| *part != ".") {
        address.push('/');
        push_part(&mut address, part);
    }
    // Writing to a String cannot fail.
    let _ = write!(address, "#L{line}");
    Some(address)
}

/// Adds a part of a path; all but letters, digits and `-._~` as their bytes in hexadecimal.
pub(crate) fn push_part(address: &mut String, part: &str) {
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            address.push(byte.into());
        } else {
            // Writing to a String cannot fail.
            let _ = write!(address, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_linked_if_it_is_in_the_directory_of_the_run() {
        let blobs = "https://git.example.org/shop/agent/blob/acb4350/tests";
        for (directory, file, expected) in [
            (blobs, "pay.test.yaml", Some("/pay.test.yaml#L7")),
            (
                blobs,
                "./a b/pay)|ü.yaml",
                Some("/a%20b/pay%29%7C%C3%BC.yaml#L7"),
            ),
            (blobs, "../pay.test.yaml", None),
            (blobs, "/pay.test.yaml", None),
            (blobs, "C:\\pay.test.yaml", None),
            (blobs, "", None),
            ("javascript:alert(1)", "pay.test.yaml", None),
            ("https://git.example.org/](x", "pay.test.yaml", None),
        ] {
            let expected = expected.map(|rest| format!("{blobs}{rest}"));
            assert_eq!(line_of_file(directory, file, 7), expected, "{file}");
        }
    }
}
