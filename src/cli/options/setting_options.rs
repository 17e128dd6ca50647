//! The options that give the settings of a run. Each is a row of the table of settings; here it becomes known to clap.

use clap::builder::{
    BoolValueParser, PossibleValue, PossibleValuesParser, TypedValueParser as _, ValueParser,
};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use ananke::settings::{
    FlagForm, FlagGroup, GivenSettings, RunDefaults, SettingFlag, whole_number,
};

/// The pace of a run, and when it ends.
pub(crate) type ExecutionOptions = SettingOptions<{ FlagGroup::Execution as u8 }>;

/// The limits of each attempt.
pub(crate) type AttemptOptions = SettingOptions<{ FlagGroup::Attempt as u8 }>;

/// The retries of tests that do not pass.
pub(crate) type RetryOptions = SettingOptions<{ FlagGroup::Retries as u8 }>;

/// The runs of every test.
pub(crate) type RepeatOptions = SettingOptions<{ FlagGroup::Repeats as u8 }>;

/// The strictness about warnings.
pub(crate) type Strictness = SettingOptions<{ FlagGroup::Strictness as u8 }>;

/// The form of reports.
pub(crate) type ReportForm = SettingOptions<{ FlagGroup::Reports as u8 }>;

/// The options of one group, and the settings that they give. Another setting has its value from the config, or the default.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SettingOptions<const GROUP: u8> {
    pub(crate) given: GivenSettings,
}

impl<const GROUP: u8> SettingOptions<GROUP> {
    /// The rows of the group.
    fn flags() -> impl Iterator<Item = &'static SettingFlag> {
        let all = RunDefaults::FLAGS.iter();
        all.filter(|flag| flag.group as u8 == GROUP)
    }
}

impl<const GROUP: u8> Args for SettingOptions<GROUP> {
    fn augment_args(command: Command) -> Command {
        Self::flags().fold(command, |command, flag| command.arg(argument(flag)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const GROUP: u8> FromArgMatches for SettingOptions<GROUP> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given = GivenSettings::default();
        for flag in Self::flags() {
            if let Some(value) = matches.get_one::<GivenSettings>(flag.id) {
                given = given.or(*value);
            }
        }
        Ok(Self { given })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The argument of clap for a row.
fn argument(flag: &'static SettingFlag) -> Arg {
    let argument = Arg::new(flag.id)
        .long(flag.long)
        .short(flag.short)
        .aliases(flag.aliases)
        .help(flag.help)
        .conflicts_with_all(flag.conflicts)
        .action(ArgAction::Set)
        .value_parser(value_parser(flag));
    if flag.form != FlagForm::Truth {
        return argument.value_name(flag.value_name);
    }
    // Without a key, the option has nothing to switch off.
    if !flag.has_key {
        return argument.num_args(0).default_missing_value("true");
    }
    argument
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value("true")
        .value_name(flag.value_name)
        .hide_possible_values(true)
}

/// The parser of the values of a row.
fn value_parser(flag: &'static SettingFlag) -> ValueParser {
    match flag.form {
        FlagForm::Truth => BoolValueParser::new()
            .try_map(|is_on| (flag.parse)(if is_on { "true" } else { "false" }))
            .into(),
        FlagForm::Choice(choices) => {
            let choices = choices
                .iter()
                .map(|(name, help)| PossibleValue::new(*name).help(*help));
            PossibleValuesParser::new(choices)
                .try_map(|name| (flag.parse)(&name))
                .into()
        }
        FlagForm::Text => ValueParser::new(flag.parse),
    }
}

/// The number of tests that run in parallel.
pub(crate) fn parallel(text: &str) -> Result<usize, String> {
    whole_number(text, &RunDefaults::PARALLEL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke::settings::FlakyVerdict;

    /// The settings that this command line gives, or the kind of its mistake.
    fn given(arguments: &[&str]) -> Result<GivenSettings, clap::error::ErrorKind> {
        let command = Command::new("run").no_binary_name(true);
        let command = RetryOptions::augment_args(ExecutionOptions::augment_args(command));
        let matches = command.try_get_matches_from(arguments);
        let matches = matches.map_err(|error| error.kind())?;
        let execution = ExecutionOptions::from_arg_matches(&matches).expect("its options");
        let retries = RetryOptions::from_arg_matches(&matches).expect("its options");
        Ok(execution.given.or(retries.given))
    }

    #[test]
    fn an_option_gives_its_setting_and_no_other() {
        let none = GivenSettings::default();
        let cases: [(&[&str], GivenSettings); 6] = [
            (&[], none),
            (
                &["-x"],
                GivenSettings {
                    fail_fast: Some(true),
                    ..none
                },
            ),
            (
                &["--bail=false"],
                GivenSettings {
                    fail_fast: Some(false),
                    ..none
                },
            ),
            (
                &["--keep-going"],
                GivenSettings {
                    keep_going: Some(true),
                    ..none
                },
            ),
            (
                &["-j", "3", "--flaky", "fail"],
                GivenSettings {
                    parallel: Some(3),
                    flaky: Some(FlakyVerdict::Fail),
                    ..none
                },
            ),
            (
                &["--retries=0"],
                GivenSettings {
                    retries: Some(0),
                    ..none
                },
            ),
        ];
        for (arguments, expected) in cases {
            assert_eq!(given(arguments), Ok(expected), "{arguments:?}");
        }
    }

    #[test]
    fn a_value_that_the_setting_does_not_have_is_refused() {
        use clap::error::ErrorKind::{InvalidValue, TooManyValues, ValueValidation};
        for (argument, kind) in [
            ("--fail-fast=no", InvalidValue),
            ("--flaky=maybe", InvalidValue),
            ("--parallel=0", ValueValidation),
            ("--retries=101", ValueValidation),
            // Without a key, the option has nothing to switch off.
            ("--keep-going=false", TooManyValues),
        ] {
            assert_eq!(given(&[argument]), Err(kind), "{argument}");
        }
    }
}
