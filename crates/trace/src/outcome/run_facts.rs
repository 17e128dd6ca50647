//! What a run was made with.

use serde::{Deserialize, Serialize};

use crate::redact::{Mask, Redactor};

/// What a run was made with, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunFacts {
    /// The command line, argument by argument; values of variables are omitted.
    pub command: Vec<String>,
    /// The config, as shown in messages.
    pub config: Option<String>,
    /// The name of the target under test.
    pub target: Option<String>,
    /// What the config says of it.
    pub target_description: Option<String>,
    /// The name of its model, if its protocol names one.
    pub model: Option<String>,
    /// The name of the machine.
    pub host: Option<String>,
    /// The commit that a CI server checked out.
    pub commit: Option<String>,
    /// Its branch.
    pub branch: Option<String>,
    /// The page of the job that the run is part of.
    pub job_url: Option<String>,
    /// How many tests may run at once; 0 where that is not known.
    pub parallel: usize,
}

impl Mask for RunFacts {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            command,
            config,
            target,
            target_description,
            model,
            host,
            commit,
            branch,
            job_url,
            parallel: _,
        } = self;
        command.mask(redactor);
        for text in [
            config,
            target,
            target_description,
            model,
            host,
            commit,
            branch,
            job_url,
        ] {
            text.mask(redactor);
        }
    }
}
