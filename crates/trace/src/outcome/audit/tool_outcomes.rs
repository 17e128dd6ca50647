//! The result of an audit as outcomes, as reports of runs read them: one for each tool, and one for all tools together.
//!
//! An error is the end of its outcome, since no rule was evaluated; warnings are warnings.

use super::{Audit, AuditFinding, CheckLevel};
use crate::outcome::{EndCause, ErrorKind, Outcome, Problem, SkipCause, TestIdentity};

/// The name of the outcome for all tools together.
const ALL_TOOLS: &str = "all tools";

impl Audit {
    /// The outcomes. `config` is the config of the target, as shown in messages.
    pub fn outcomes(&self, config: &str) -> Vec<Outcome> {
        let tools = self.tools.iter().enumerate().map(|(number, tool)| {
            let findings: Vec<&AuditFinding> = self.findings_of(number).collect();
            self.outcome(config, &tool.name, &findings, tool.skipped)
        });
        let about_all: Vec<&AuditFinding> = self.findings_of_all().collect();
        tools
            .chain([self.outcome(config, ALL_TOOLS, &about_all, None)])
            .collect()
    }

    fn outcome(
        &self,
        config: &str,
        tool: &str,
        findings: &[&AuditFinding],
        skipped: Option<&str>,
    ) -> Outcome {
        let words = |level| {
            let of_level = findings
                .iter()
                .filter(move |finding| finding.level == level);
            of_level.map(|finding| finding.words()).collect::<Vec<_>>()
        };
        let errors = words(CheckLevel::Error);
        let (target, name) = (
            &self.target,
            if tool.is_empty() { "(no name)" } else { tool },
        );
        let test = TestIdentity {
            id: format!("{config}::{target}::{name}"),
            name: name.to_owned(),
            file: config.to_owned(),
            path: config.to_owned(),
            line: 1,
            target: target.clone(),
            agent: target.clone(),
            ..TestIdentity::default()
        };
        let mut outcome = Outcome {
            test,
            run: 1,
            ..Outcome::default()
        };
        outcome.verdict.warnings = words(CheckLevel::Warning);
        if !errors.is_empty() {
            let problem = Problem::new(ErrorKind::Protocol, errors.join("\n"));
            outcome.end(EndCause::Broken(problem));
        } else if let Some(why) = skipped {
            let why = format!("not called: {why}");
            outcome.end(EndCause::Skipped(SkipCause::Wanted, why));
        }
        outcome
    }
}
