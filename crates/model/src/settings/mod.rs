//! The settings of a run. `run_defaults` is their table: a row is a field of [`RunDefaults`], and from it follow the key in a
//! config's `run`, its entry in the schema, the option of the command line ([`SettingFlag`]), the value that was given
//! ([`GivenSettings`]) and the value that applies ([`RunSettings`]).
//!
//! How a value is read is a matter of its type (`setting`), never of the setting.
//!
//! **Invariant:** a setting is declared once. What acts on it reads [`RunSettings`], which knows neither a config nor a command
//! line.

mod choices;
mod run_count;
mod run_defaults;
mod setting;
mod setting_flag;

pub use choices::{FlakyVerdict, JunitDialect};
pub use run_count::{RunCount, percentage};
pub use run_defaults::{GivenSettings, RunDefaults, RunSettings};
pub use setting::{FlagForm, FlagValue, KeyValue, NoKey, Within, whole_number};
pub use setting_flag::{FlagGroup, SettingFlag};
