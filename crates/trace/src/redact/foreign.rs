//! Masking of values whose types earlier crates define.

use std::borrow::Cow;

use super::{MASK, Mask, Redactor};
use ananke_base::diagnostic::{Difference, Excerpt, Place};
use ananke_model::variables::{TestAbout, is_secret_header};

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

/// Masks headers: those whose names say that they carry secrets, whether a variable gives them or not, and every secret in
/// the others.
pub fn mask_headers(headers: &mut [(String, String)], redactor: &Redactor) {
    for (name, value) in headers {
        if is_secret_header(name) {
            MASK.clone_into(value);
        }
        name.mask(redactor);
        value.mask(redactor);
    }
}
