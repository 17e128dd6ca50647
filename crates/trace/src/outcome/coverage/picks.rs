//! The tools that a model was offered with those of a server, and those that it picked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use ananke_derive::Mask;

/// The tools that a test offered to its model, and in how many runs the model picked them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask, Serialize, Deserialize, JsonSchema)]
pub struct Picks {
    /// The number of runs that are counted here: those that came to an end, since another one does not show what the model would pick.
    #[schemars(extend("x-since" = "1.2"))]
    #[mask(skip)]
    pub runs: u32,
    /// The number of these runs in which the model picked no tool.
    #[schemars(extend("x-since" = "1.2"))]
    #[mask(skip)]
    pub none: u32,
    /// The number of runs that ended with an error, and are counted nowhere else here; omitted if there are none.
    #[mask(skip)]
    #[schemars(extend("x-since" = "1.2"))]
    #[serde(default, skip_serializing_if = "is_zero")]
    pub errors: u32,
    /// The tools: those that were offered, in the order of the request, then others that the model called.
    #[schemars(extend("x-since" = "1.2"))]
    pub tools: Vec<ToolPicks>,
}

/// A tool that a model was offered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OfferedTool")]
pub struct ToolPicks {
    /// The name of the tool.
    #[schemars(extend("x-since" = "1.2"))]
    pub name: String,
    /// The number of runs in which the model picked it.
    #[schemars(extend("x-since" = "1.2"))]
    #[mask(skip)]
    pub picked: u32,
    /// The things in its declaration that are unclear to a model, as `ananke audit` finds them; omitted if there are none.
    #[schemars(extend("x-since" = "1.2"))]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unclear: Vec<String>,
}

impl ToolPicks {
    /// A tool that no model picked so far.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }
}

impl Picks {
    /// The picks of a run that ended with an error, in which the model was `offered` these tools: none of them counts.
    pub fn of_broken_run(offered: Vec<ToolPicks>) -> Self {
        Self {
            errors: 1,
            tools: offered,
            ..Self::default()
        }
    }

    /// The picks of one run, in which the model was `offered` these tools, and called those with the names `called`.
    pub fn of_run(offered: Vec<ToolPicks>, called: &[&str]) -> Self {
        let mut picks = Self {
            runs: 1,
            none: 1,
            errors: 0,
            tools: offered,
        };
        for name in called {
            picks.none = 0;
            // A tool counts once for a run, however often it is called, so that counts of tools and of runs can be compared.
            picks.tool(name).picked = 1;
        }
        picks
    }

    /// Adds the picks of another run of the same test.
    pub fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.none += other.none;
        self.errors += other.errors;
        for tool in other.tools {
            self.tool(&tool.name).picked += tool.picked;
        }
    }

    /// The tool `name`, which is added if it was not offered.
    fn tool(&mut self, name: &str) -> &mut ToolPicks {
        let known = self.tools.iter().position(|tool| tool.name == name);
        let place = known.unwrap_or_else(|| {
            self.tools.push(ToolPicks::new(name));
            self.tools.len() - 1
        });
        &mut self.tools[place]
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_counts_once_for_each_tool_that_it_picked() {
        let offered = || vec![ToolPicks::new("find"), ToolPicks::new("pay")];
        let mut picks = Picks::of_run(offered(), &["find", "find", "other"]);
        picks.add(Picks::of_run(offered(), &["find"]));
        picks.add(Picks::of_run(offered(), &[]));
        let counts: Vec<(&str, u32)> = picks
            .tools
            .iter()
            .map(|tool| (tool.name.as_str(), tool.picked))
            .collect();
        assert_eq!((picks.runs, picks.none), (3, 1));
        assert_eq!(counts, [("find", 2), ("pay", 0), ("other", 1)]);

        picks.add(Picks::of_broken_run(offered()));
        assert_eq!((picks.runs, picks.none, picks.errors), (3, 1, 1));
        assert_eq!(picks.tools.len(), 3);
    }
}
