//! Reports on the terminal: the console and the live area below it.

mod answer;
mod console;
mod exchanges;
mod failed_tests;
mod listing;
mod live;
mod no_answer;
mod reported_file;
mod result;
mod run_log;
mod servers;
mod told_warnings;

pub use answer::AnswerReport;
pub use console::{ConsoleOptions, ConsoleReport, Verbosity};
pub use exchanges::ExchangeReport;
pub use live::{LiveArea, LiveOptions, UsualDurations};
pub use servers::{ServerReport, last_words};
