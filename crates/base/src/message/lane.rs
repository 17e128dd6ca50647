//! The speakers of a conversation.

use std::fmt;

/// The speaker of a conversation: each lane is recorded, and replayed, in its own order.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// The agent under test.
    #[default]
    Agent,
    /// A helper of the test.
    Helper {
        /// The purpose of it, in one word.
        role: String,
        /// Its number among the helpers of this role, counted from 1.
        number: u32,
    },
}

impl Lane {
    /// The lane that is written `text`.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "agent" {
            return Some(Self::Agent);
        }
        let (role, number) = text.rsplit_once('.')?;
        let number = number.parse().ok().filter(|number| *number > 0)?;
        (!role.is_empty()).then(|| Self::Helper {
            role: role.to_owned(),
            number,
        })
    }
}

/// As a recording writes it: `agent`, `judge.1`.
impl fmt::Display for Lane {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent => formatter.write_str("agent"),
            Self::Helper { role, number } => write!(formatter, "{role}.{number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_is_read_as_it_is_written() {
        let helper = Lane::Helper {
            role: "judge".to_owned(),
            number: 2,
        };
        for (text, lane) in [
            ("agent", Some(Lane::Agent)),
            ("judge.2", Some(helper)),
            ("judge", None),
            ("judge.0", None),
            (".1", None),
        ] {
            assert_eq!(Lane::parse(text), lane, "{text}");
            assert!(lane.is_none_or(|lane| lane.to_string() == text));
        }
    }
}
