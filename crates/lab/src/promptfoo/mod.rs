//! A file of promptfoo as tests of ananke.
//!
//! `conversion` is the way through it: `source_files` reads the file and those that it names, `prompts` its prompts, `drafts`
//! its tests with their variables, `rules` and `outputs` their assertions, and `template` the variables in their texts.
//! `remedies` names what ananke has instead of what is not converted. The result is a test for each prompt and each group of
//! tests that differ in their variables alone.
//!
//! **Invariant:** what is not converted is reported with its place, and never makes a test pass: a test of which all assertions
//! are missing, or whose message is not known, is skipped.

mod conversion;
mod drafts;
mod outputs;
mod prompts;
mod remedies;
mod rules;
mod source_files;
mod template;

pub use conversion::PromptfooConversion;
