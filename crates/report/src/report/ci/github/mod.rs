//! The report of a run to GitHub Actions: annotations on the lines of the violated rules, and a summary of the job.
//!
//! **Invariant:** nothing but annotations is printed; that no text of an agent is a command to the runner is held by every
//! other report, which escapes them ([`ci_commands`](ananke_base::text::ci_commands)).

mod annotation;
mod github_report;
mod step;

pub use github_report::GithubReport;
pub use step::JobStep;
