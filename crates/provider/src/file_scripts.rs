//! The scripts of a file: one, or one for each lane.

use std::sync::Arc;

use crate::compiled_script::CompiledModelScript;
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile};
use ananke_model::model::ScriptFile;
use ananke_model::schema::{FileKind, Version, load};
use ananke_model::variables::{Fill as _, Interpolation, Mode, Scope};

/// The scripts of a file, with every variable filled.
#[derive(Debug)]
pub enum FileScripts {
    /// One script, for every request.
    One(Box<CompiledModelScript>),
    /// The script of each lane, by its name.
    Lanes(Vec<(String, CompiledModelScript)>),
}

impl FileScripts {
    /// Reads a script file, whose variables are those of `scope`.
    ///
    /// # Errors
    /// Every problem of the file.
    pub fn read(source: &Arc<SourceFile>, scope: &Scope) -> Result<Self, Vec<Diagnostic>> {
        let loaded = load::<ScriptFile>(FileKind::Script, source, Some(Version::newest()))?;
        let mut problems = Vec::new();
        let mut interpolation = Interpolation::new(scope, source, Mode::Send, &mut problems);
        // A script that is not ready has reported why.
        let scripts = match &loaded.value {
            ScriptFile::Script(script) => match script.fill(&mut interpolation) {
                Ok(script) => Some(Self::One(Box::new(script))),
                Err(_) => None,
            },
            ScriptFile::Lanes(lanes) => {
                let mut filled = Vec::new();
                if lanes.iter().next().is_none() {
                    let message = "`lanes` needs at least one entry";
                    let place = loaded.node.span;
                    interpolation.report(Code::BadValue, place, message, None);
                }
                for (name, script) in lanes {
                    if let Ok(script) = script.fill(&mut interpolation) {
                        filled.push((name.value.clone(), script));
                    }
                }
                Some(Self::Lanes(filled))
            }
        };
        match scripts {
            Some(scripts) if problems.iter().all(|problem| !problem.is_error()) => Ok(scripts),
            _ => Err(problems),
        }
    }
}
