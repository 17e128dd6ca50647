//! A turn of a protocol's own: a request that other protocols do not have.

use std::fmt::{self, Debug};

use serde_json::{Map, Value};

/// A text that is made of the keys of a turn.
pub type TextOfKeys = fn(&Map<String, Value>) -> String;

/// A kind of turn that is a protocol's own.
pub struct OwnTurnKind {
    /// Its `type` in files: `mcp:call`.
    pub name: &'static str,
    /// The turn in words, for reports.
    pub describe: TextOfKeys,
    /// The words of the user, of a message of the user; `None` of any other request.
    pub said: Option<TextOfKeys>,
}

/// A turn of a protocol's own, with every variable filled.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnTurn {
    /// Its kind.
    pub kind: &'static OwnTurnKind,
    /// Its own keys.
    pub keys: Map<String, Value>,
}

impl OwnTurnKind {
    /// A turn of this kind with these keys.
    pub fn turn<const N: usize>(&'static self, keys: [(&str, Value); N]) -> OwnTurn {
        let keys = keys.into_iter().map(|(key, value)| (key.to_owned(), value));
        OwnTurn {
            kind: self,
            keys: keys.collect(),
        }
    }
}

impl OwnTurn {
    /// The turn in words, for reports.
    pub fn describe(&self) -> String {
        (self.kind.describe)(&self.keys)
    }

    /// The words of the user, of a message of the user.
    pub fn said(&self) -> Option<String> {
        self.kind.said.map(|said| said(&self.keys))
    }
}

impl PartialEq for OwnTurnKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Debug for OwnTurnKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}
