//! Projects of any size in a temporary folder.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::agent::Agent;
use super::measure::Process;

/// A folder with a config and tests, gone when dropped.
pub(crate) struct Project {
    folder: PathBuf,
    tests: usize,
}

impl Project {
    /// A project of `tests` files; `write` returns the text of each.
    pub(crate) fn new(config: &str, tests: usize, write: fn(usize) -> String) -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("ananke-bench-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
        let project = Self { folder, tests };
        project.put("ananke.config.yaml", config);
        for number in 0..tests {
            project.put(&name(number), &write(number));
        }
        project
    }

    /// The program that is measured, in this project: the one that `ANANKE` names, else the one just built.
    pub(crate) fn ananke(&self, arguments: &[&str]) -> Process {
        let program =
            std::env::var_os("ANANKE").unwrap_or_else(|| env!("CARGO_BIN_EXE_ananke").into());
        let program = std::path::absolute(program).expect("the program has a path");
        self.program(program, arguments)
    }

    /// Another program in this project.
    pub(crate) fn program(&self, program: impl AsRef<OsStr>, arguments: &[&str]) -> Process {
        Process::new(program, &self.folder, arguments)
    }

    /// Its test files.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        (0..self.tests)
            .map(|number| self.folder.join(name(number)))
            .collect()
    }

    /// The size in bytes of a file that was written there.
    pub(crate) fn size_of(&self, name: &str) -> u64 {
        std::fs::metadata(self.folder.join(name))
            .expect("the program wrote the file")
            .len()
    }

    /// Writes a file.
    pub(crate) fn put(&self, name: &str, text: &str) {
        std::fs::write(Path::new(&self.folder).join(name), text)
            .expect("the temporary folder can be written");
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        // A directory that cannot be deleted is left to the system.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn name(number: usize) -> String {
    format!("number-{number:05}.test.yaml")
}

/// A config whose agent is `agent`.
pub(crate) fn loopback(agent: &Agent) -> String {
    let address = agent.address();
    format!(
        "version: \"1.0\"\ntarget:\n  type: agui\n  endpoint: \"http://{address}/agent\"\n  agentId: bench\n  \
         assert:\n    text: {{ must_not_match: [exception, fatal] }}\n"
    )
}

/// A config whose agent is `agent`, and that keeps so many runs.
pub(crate) fn keeping(agent: &Agent, kept: usize) -> String {
    let config = loopback(agent).replacen("1.0", "1.4", 1);
    format!("{config}run: {{ keep: {kept} }}\n")
}

/// A config with a scripted agent that does what the agent over loopback does.
pub(crate) fn embedded() -> String {
    "version: \"1.3\"
target:
  type: scripted
  agentId: bench
  assert:
    text: { must_not_match: [exception, fatal] }
  rules:
    - do:
        - call: { tool: find_order, args: { receipt: R-1001 }, result: { order: O-7, amount: 89.5 } }
        - say: \"Your order O-7 is on its way.\"
"
    .to_owned()
}

/// A test of one turn.
pub(crate) fn one_turn(number: usize) -> String {
    format!(
        "version: \"1.0\"
name: order {number} is found
turns:
  - user: \"Where is my order {number}?\"
    assert:
      tools:
        require:
          - name: find_order
            args_match: {{ receipt: \"^R-\" }}
            result_not_match: \"error|failed\"
assert:
  tools: {{ forbid: [delete_order] }}
  timing: {{ max_duration_ms: 60000 }}
  text: {{ must_match: \"O-[0-9]+\" }}
"
    )
}

/// A test of one turn; every tenth requires a tool that is not called.
pub(crate) fn every_tenth_fails(number: usize) -> String {
    let wants = if number.is_multiple_of(10) {
        "refund_order"
    } else {
        "find_order"
    };
    one_turn(number).replacen("name: find_order", &format!("name: {wants}"), 1)
}

/// A test of ten turns.
pub(crate) fn ten_turns(number: usize) -> String {
    let head = format!("version: \"1.4\"\nname: order {number} is found ten times\nturns:\n");
    let turn = "  - { user: Where is it?, assert: { tools: { require: [find_order] } } }\n";
    head + &turn.repeat(10)
}

/// A test of three turns: about a kilobyte, as people write them.
pub(crate) fn three_turns(number: usize) -> String {
    let head = format!("version: \"1.0\"\nname: order {number} is found three times\nturns:\n");
    let said = [
        "Where is my order?",
        "And where is it now?",
        "Tell me once more, please",
    ];
    let turns = said.map(|turn| {
        format!(
            "  - user: \"{turn}\"
    assert:
      tools:
        require:
          - name: find_order
            count: {{ exact: 1 }}
            args_match: {{ receipt: \"^R-1[0-9]+$\" }}
        forbid_calls:
          - name: find_order
            result_match: \"declined|insufficient\"
      timing: {{ max_duration_ms: 30000 }}
"
        )
    });
    let assert = "assert:\n  tools: { forbid: [delete_order] }\n  text: { must_not_match: [error, failed] }\n";
    head + &turns.concat() + assert
}
