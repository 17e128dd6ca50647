//! Values without secrets.
//!
//! Flows in: a value whose every string can be masked. Flows out: the same, sealed. Only a redactor seals.
//!
//! **Why:** Masking that has to be remembered is forgotten once, and once is enough. A report accepts nothing but a
//! sealed value, and only a redactor makes one, so the compiler finds the place where a secret would get out.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use serde_json::Value;

use super::Redactor;
use ananke_base::message::map_strings;

/// A value without secrets. Only [`Redactor::seal`] makes one.
#[derive(Clone, Debug)]
pub struct Sealed<T>(T);

impl<T> Sealed<T> {
    /// The same as a value of another type, one that contains it.
    pub fn convert<U: From<T>>(self) -> Sealed<U> {
        Sealed(self.0.into())
    }
}

impl<T> Deref for Sealed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl Redactor {
    /// Masks every string of `value` and seals it for the reports.
    pub fn seal<T: Mask>(&self, mut value: T) -> Sealed<T> {
        value.mask(self);
        Sealed(value)
    }
}

/// A value whose every string can be masked in place. `#[derive(Mask)]` masks field by field.
pub trait Mask {
    /// Masks every string that came from outside.
    fn mask(&mut self, redactor: &Redactor);
}

impl Mask for String {
    fn mask(&mut self, redactor: &Redactor) {
        redactor.mask(self);
    }
}

impl Mask for Value {
    fn mask(&mut self, redactor: &Redactor) {
        map_strings(self, &|text| redactor.text(text).into_owned());
    }
}

/// Types that contain no text from outside.
macro_rules! nothing_to_mask {
    ($($type:ty),*) => {$(
        impl Mask for $type {
            fn mask(&mut self, _: &Redactor) {}
        }
    )*};
}

nothing_to_mask!(bool, u16, u32, u64, usize, &'static str);

impl<T: Mask> Mask for Option<T> {
    fn mask(&mut self, redactor: &Redactor) {
        if let Some(value) = self {
            value.mask(redactor);
        }
    }
}

impl<T: Mask> Mask for Vec<T> {
    fn mask(&mut self, redactor: &Redactor) {
        for value in self {
            value.mask(redactor);
        }
    }
}

/// Only the keys: the values are of our own making. What others share is copied only if it contains a secret.
impl Mask for Arc<BTreeMap<String, String>> {
    fn mask(&mut self, redactor: &Redactor) {
        let mut keys = self.keys();
        if keys.any(|key| matches!(redactor.text(key), Cow::Owned(_))) {
            let masked = self
                .iter()
                .map(|(key, value)| (redactor.text(key).into_owned(), value.clone()));
            *self = Arc::new(masked.collect());
        }
    }
}

impl<T: Mask> Mask for Box<T> {
    fn mask(&mut self, redactor: &Redactor) {
        (**self).mask(redactor);
    }
}
