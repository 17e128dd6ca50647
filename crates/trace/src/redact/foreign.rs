//! Masking of values whose types earlier crates define.

use std::borrow::Cow;

use super::{MASK, Mask, Redactor};
use ananke_base::diagnostic::{Difference, Excerpt, Place};
use ananke_model::variables::{TestAbout, has_credentials, is_secret_header};

impl Mask for TestAbout {
    fn mask(&mut self, redactor: &Redactor) {
        self.texts_mut().for_each(|text| text.mask(redactor));
    }
}

impl Mask for Place {
    fn mask(&mut self, redactor: &Redactor) {
        if let Cow::Owned(file) = redactor.text(&self.file) {
            self.file = file.into();
        }
    }
}

impl Mask for Excerpt {
    fn mask(&mut self, redactor: &Redactor) {
        for line in &mut self.lines {
            line.text.mask(redactor);
        }
        self.truncate();
    }
}

impl Mask for Difference {
    fn mask(&mut self, redactor: &Redactor) {
        for line in self.hunks.iter_mut().flat_map(|hunk| &mut hunk.lines) {
            line.text.mask(redactor);
        }
    }
}

/// The value of a header as it may be shown.
pub fn masked_header<'v>(name: &str, value: &'v str) -> &'v str {
    if is_secret_header(name) && has_credentials(value) {
        MASK
    } else {
        value
    }
}

/// Masks headers: those whose names say that they carry secrets, whether a variable gives them or not, and every secret in
/// the others.
pub fn mask_headers(headers: &mut [(String, String)], redactor: &Redactor) {
    for (name, value) in headers {
        *value = masked_header(name, value).to_owned();
        name.mask(redactor);
        value.mask(redactor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_always_hides_something() {
        for (name, value, expected) in [
            ("authorization", "Bearer abcd-1234", MASK),
            ("authorization", "abcd-1234", MASK),
            ("authorization", "Bearer ", "Bearer "),
            ("Authorization", "basic", "basic"),
            ("authorization", "", ""),
            ("x-api-key", " ", " "),
            ("x-shop", "bearer of news", "bearer of news"),
        ] {
            let mut headers = [(name.to_owned(), value.to_owned())];
            mask_headers(&mut headers, &Redactor::default());
            assert_eq!(headers[0].1, expected, "{name}: {value}");
        }
    }
}
