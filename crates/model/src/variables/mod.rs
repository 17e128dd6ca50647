//! `${…}`: finding references, looking them up, and filling the leaves of the model with what they mean (SPEC 2).
//!
//! A [`Scope`] knows names and values; an [`Interpolation`] fills leaves from a scope and collects every problem with its
//! place. What cannot be known yet (the output of a hook, a generated thread) leaves a leaf [`Pending`](NotReady::Pending).
//! What is secret is found out here (`secret`, `credentials`, `origins`), and patterns are checked and compiled here
//! (`pattern`).
//!
//! **Invariant:** a value inserted into a regular expression is escaped; a bare `$` is never special; an undefined name is a
//! problem at its place, never an empty string.

mod credentials;
mod empty_variable;
mod fill;
mod interpolation;
mod leaf;
mod literal_text;
mod name;
mod origins;
mod pattern;
mod reference;
mod required_values;
mod scan;
mod scope;
mod secret;
mod template;
mod template_match;
mod test_about;
mod tool_name;
mod url;
mod useless;
mod written_text;

pub use credentials::{credentials, has_credentials, percent_decoded};
pub use fill::Fill;
pub use interpolation::{Interpolation, MOST_INSERTED, SPELLED_NUMBERS, as_text};
pub use leaf::{Leaf, Mode, NotReady, fill_all};
pub use name::{is_name, is_reserved, literal, literal_value, name_problem};
pub use origins::Origins;
pub use pattern::{Pattern, PatternError, Patterns};
pub use scan::{MalformedReferences, Piece, Reference, ScanError, scan};
pub use scope::{Lookup, Scope};
pub use secret::{
    SHORTEST_SECRET, Secret, is_secret_header, is_secret_name, is_secret_value, masked_query,
};
pub use template::{LateVariable, MissingVariable, TextTemplate, ValueTemplate};
pub use template_match::{BoundVariables, TemplateMatch};
pub use test_about::TestAbout;
pub use tool_name::{call_as_name, call_keys, tool_name_problem};
pub use url::{add_written_secrets, endpoint_url, http_url};
pub use useless::{UselessMatch, useless_match};
