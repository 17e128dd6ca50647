//! Durations for programs, in milliseconds with up to three decimals, and amounts in US dollars with every decimal.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use ananke_base::text::Usd;

/// A duration, in microseconds; in a document it is a number of milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Milliseconds(pub(crate) u64);

/// `us` microseconds in milliseconds, as in JSON. A double holds every time of this century to the microsecond.
#[expect(
    clippy::cast_precision_loss,
    reason = "285 years of microseconds are exact"
)]
pub(crate) fn milliseconds(us: u64) -> f64 {
    us as f64 / 1000.0
}

impl Serialize for Milliseconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(milliseconds(self.0))
    }
}

impl Milliseconds {
    /// So many milliseconds; `None` if nothing takes that long.
    pub(crate) fn of(ms: f64) -> Option<Self> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "in range, and rounded"
        )]
        (0.0..=milliseconds(u64::MAX))
            .contains(&ms)
            .then(|| Self((ms * 1000.0).round() as u64))
    }
}

impl<'de> Deserialize<'de> for Milliseconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ms = f64::deserialize(deserializer)?;
        Self::of(ms).ok_or_else(|| D::Error::custom(format!("nothing takes {ms} ms")))
    }
}

/// An amount; in a document it is a number of US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dollars(pub(crate) Usd);

impl Serialize for Dollars {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.number().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Dollars {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?;
        match Usd::of(&number) {
            Ok(amount) => Ok(Self(amount)),
            Err(wrong) => Err(D::Error::custom(format!("an amount {wrong}: {number}"))),
        }
    }
}

impl JsonSchema for Dollars {
    fn schema_name() -> Cow<'static, str> {
        f64::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        f64::json_schema(generator)
    }
}

impl JsonSchema for Milliseconds {
    fn schema_name() -> Cow<'static, str> {
        f64::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        f64::json_schema(generator)
    }
}
