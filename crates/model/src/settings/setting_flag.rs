//! The options of the command line that give settings, as data: the program makes them known to its parser.

use super::run_defaults::GivenSettings;
use super::setting::FlagForm;

/// An option of the command line that gives a setting.
#[derive(Clone, Copy, Debug)]
pub struct SettingFlag {
    /// The name of the option with `_`, by which other options name it.
    pub id: &'static str,
    /// The name of the option with `-`.
    pub long: &'static str,
    /// The letter of the option.
    pub short: Option<char>,
    /// Other names of the option, which the help does not show.
    pub aliases: &'static [&'static str],
    /// The value, as the help names it.
    pub value_name: &'static str,
    /// The text of the help.
    pub help: &'static str,
    /// The options with which this one cannot be combined.
    pub conflicts: &'static [&'static str],
    /// The options among which the help shows it.
    pub group: FlagGroup,
    /// True if the setting has a key too, whose value the option can switch off.
    pub has_key: bool,
    /// The values that the option has.
    pub form: FlagForm,
    /// Reads the value.
    pub parse: fn(&str) -> Result<GivenSettings, String>,
}

/// The options that a command has together, in the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagGroup {
    /// The pace of the run, and when it ends.
    Execution,
    /// The limits of each attempt.
    Attempt,
    /// The retries of tests that do not pass.
    Retries,
    /// The runs of every test.
    Repeats,
    /// The strictness about warnings.
    Strictness,
    /// The form of reports.
    Reports,
}
