//! The real program on a terminal of its own.
#![cfg(target_os = "linux")]

mod person;

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::support::ignores_hangups;
use crate::support::project::Project;
use crate::support::screen::Screen;
use person::UP;

const COLUMNS: u16 = 60;
const ROWS: u16 = 14;

/// A terminal, as the program on it and the person before it see it.
struct Terminal {
    person: File,
    screen: Screen,
}

/// Whether standard input is the terminal.
#[derive(Clone, Copy)]
enum Keyboard {
    Missing,
    Present,
}

impl Terminal {
    /// Starts the program on a new terminal.
    fn run(project: &Project, arguments: &[&str], environment: &[(&str, &str)]) -> (Self, Child) {
        Self::start(project, arguments, environment, Keyboard::Missing)
    }

    /// Starts the program on a new terminal, at which a person types or not.
    fn start(
        project: &Project,
        arguments: &[&str],
        environment: &[(&str, &str)],
        keyboard: Keyboard,
    ) -> (Self, Child) {
        let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&person).unwrap();
        unlockpt(&person).unwrap();
        tcsetwinsize(
            &person,
            Winsize {
                ws_row: ROWS,
                ws_col: COLUMNS,
                ws_xpixel: 0,
                ws_ypixel: 0,
            },
        )
        .unwrap();
        let name = ptsname(&person, Vec::new()).unwrap();
        let program = OpenOptions::new()
            .read(true)
            .write(true)
            .open(name.to_str().unwrap())
            .unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_ananke"))
            .current_dir(project.folder())
            .env_clear()
            .envs(environment.iter().copied())
            .args(arguments)
            .stdin(match keyboard {
                Keyboard::Missing => Stdio::null(),
                Keyboard::Present => program.try_clone().unwrap().into(),
            })
            .stdout(program.try_clone().unwrap())
            .stderr(program)
            .spawn()
            .unwrap();
        let screen = Screen::new(COLUMNS.into(), ROWS.into());
        (
            Self {
                person: File::from(person),
                screen,
            },
            child,
        )
    }

    fn types(&mut self, keys: impl AsRef<[u8]>) {
        self.person.write_all(keys.as_ref()).unwrap();
    }

    /// Reads the program's output until this is visible.
    fn read_until(&mut self, seen: &str) {
        while !self.screen.seen().contains(seen) {
            assert!(
                self.read(),
                "the program ended before `{seen}` was seen:\n{}",
                self.screen.text()
            );
        }
    }

    /// Whether the terminal shows what is typed.
    fn shows_typing(&self) -> bool {
        let mode = tcgetattr(&self.person).unwrap().local_modes;
        mode.contains(LocalModes::ECHO | LocalModes::ICANON)
    }

    fn read_to_end(&mut self) {
        while self.read() {}
    }

    /// Reads a piece; `false` if the program is gone, which a terminal reports as an error.
    fn read(&mut self) -> bool {
        let mut piece = [0; 4096];
        match self.person.read(&mut piece) {
            Ok(0) | Err(_) => false,
            Ok(count) => {
                self.screen.write_all(&piece[..count]).unwrap();
                true
            }
        }
    }
}

/// A project whose agent accepts the request and never responds.
fn held() -> (Project, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let config = format!(
        "version: \"1.3\"\ntarget: {{ type: agui, endpoint: \"http://{}/\", agentId: held }}\n",
        listener.local_addr().unwrap()
    );
    let test = "version: \"1.0\"\nname: is held for so long that a person wonders what it does\nturns: [{ user: hi }]\n";
    (
        Project::new(&[
            ("ananke.config.yaml", &config),
            ("a.test.yaml", test),
            ("b.test.yaml", test),
        ]),
        listener,
    )
}

#[test]
fn a_run_shows_what_it_does_and_leaves_nothing_of_it() {
    for (arguments, seen, environment) in [
        (&["run", "--parallel", "2"][..], "turn 1 of 1", &[][..]),
        (&["run"], "0/2", &[("NO_COLOR", "1")]),
        (&["run", "--quiet"], "0/2", &[]),
    ] {
        let (project, listener) = held();
        let (mut terminal, mut child) = Terminal::run(&project, arguments, environment);
        let (_connection, _) = listener.accept().unwrap();
        terminal.read_until(seen);
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        terminal.read_to_end();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        let text = terminal.screen.text();
        assert!(
            text.contains("\ninterrupted: 2 tests: 2 skipped in "),
            "{text}"
        );
        assert!(
            !text.contains("0/2") && !text.contains("set-up"),
            "the area is gone: {text}"
        );
        assert!(terminal.screen.is_itself());
    }
}

#[test]
fn a_terminal_that_is_closed_interrupts_the_run() {
    if ignores_hangups() {
        return;
    }
    let (project, listener) = held();
    let (terminal, mut child) = Terminal::run(&project, &["run", "-o", "report.json"], &[]);
    let (_connection, _) = listener.accept().unwrap();
    drop(terminal);
    kill_process(Pid::from_child(&child), Signal::HUP).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let json = std::fs::read_to_string(project.folder().join("report.json")).unwrap();
    assert!(json.contains("the run was interrupted"), "{json}");
}

#[test]
fn a_second_signal_leaves_a_clean_terminal_too() {
    let (project, listener) = held();
    let (mut terminal, mut child) = Terminal::run(&project, &["run"], &[]);
    let (_connection, _) = listener.accept().unwrap();
    terminal.read_until("0/2");
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::INT).unwrap();
    let _gone_already = kill_process(pid, Signal::INT);
    terminal.read_to_end();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(
        !terminal.screen.text().contains("0/2"),
        "{}",
        terminal.screen.text()
    );
    assert!(terminal.screen.is_itself());
}

#[test]
fn a_terminal_that_only_prints_is_not_drawn_on() {
    let (project, listener) = held();
    let (mut terminal, mut child) = Terminal::run(&project, &["run"], &[("TERM", "dumb")]);
    let (_connection, _) = listener.accept().unwrap();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let mut printed = Vec::new();
    let _gone = terminal.person.read_to_end(&mut printed);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let text = String::from_utf8(printed).unwrap();
    assert!(
        text.contains("2 tests: 2 skipped") && !text.contains('\u{1b}'),
        "{text}"
    );
}

#[test]
fn keys_that_are_typed_during_a_run_leave_nothing_on_the_screen() {
    let (project, listener) = held();
    for signals in 1..=2 {
        let (mut terminal, mut child) =
            Terminal::start(&project, &["run"], &[("TERM", "xterm")], Keyboard::Present);
        let (_connection, _) = listener.accept().unwrap();
        terminal.read_until("0/2");
        assert!(!terminal.shows_typing());
        terminal.types("\r\rls\r");
        // The silence of the agent counts up: the area was drawn anew after the keys.
        terminal.read_until("silent");
        for _ in 0..signals {
            let _gone_already = kill_process(Pid::from_child(&child), Signal::INT);
        }
        terminal.read_to_end();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        let text = terminal.screen.text();
        assert!(
            !text.contains("turn 1") && !text.contains("silent"),
            "{text}"
        );
        assert!(!text.contains("ls"), "{text}");
        assert!(terminal.shows_typing() && terminal.screen.is_itself());
    }
}

#[test]
fn a_failure_is_shown_above_the_area_while_the_first_test_runs() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let config = format!(
        "version: \"1.4\"\ntargets:\n  held: {{ type: agui, endpoint: \"http://{}/\", agentId: held }}\n\
         target: {{ type: scripted, rules: [{{ do: [{{ say: bad }}] }}] }}\n",
        listener.local_addr().unwrap()
    );
    let file = |more| {
        format!(
            "version: \"1.4\"\nname: t\n{more}turns: [{{ user: hi, assert: {{ text: {{ equals: good }} }} }}]\n"
        )
    };
    let project = Project::new(&[
        ("ananke.config.yaml", &config),
        ("a.test.yaml", &file("target: held\n")),
        ("b.test.yaml", &file("")),
    ]);
    let (mut terminal, mut child) = Terminal::run(&project, &["run", "-j", "20"], &[]);
    terminal.read_until("agent:   bad");
    terminal.read_until("1/2  1 ✗");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    terminal.read_to_end();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let text = terminal.screen.text();
    assert_eq!(text.matches("agent:   bad").count(), 1, "{text}");
}

/// A project of which one test passes and two fail.
fn watched() -> Project {
    let config = "version: \"1.4\"\ntarget: { type: scripted, rules: [{ when: { user: bad }, do: [{ say: bad }] }, { do: [{ say: good }] }] }\n";
    let test = |name, says| {
        format!(
            "version: \"1.4\"\nname: {name}\nturns: [{{ user: {says}, assert: {{ text: {{ equals: good }} }} }}]\n"
        )
    };
    Project::new(&[
        ("ananke.config.yaml", config),
        ("a.test.yaml", &test("one", "fine")),
        ("b.test.yaml", &test("two", "bad")),
        ("c.test.yaml", &test("three", "bad")),
    ])
}

#[test]
fn keys_say_what_watch_runs_next() {
    const FAILING: &str = "still failing: b.test.yaml::two, c.test.yaml::three";
    let project = watched();
    let environment = [("TERM", "xterm"), ("PATH", "/usr/bin:/bin")];
    let (mut terminal, mut child) =
        Terminal::start(&project, &["watch", "-q"], &environment, Keyboard::Present);
    terminal.read_until(FAILING);
    assert!(!terminal.shows_typing());
    // A change of one test clears the screen, and names what failed before.
    let path = project.folder().join("a.test.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("one", "first")).unwrap();
    terminal.read_until("changed: a.test.yaml");
    terminal.read_until(FAILING);
    let seen = terminal.screen.seen();
    assert!(
        seen.contains("1 test: 1 passed") && !seen.contains("3 tests"),
        "{seen}"
    );
    assert!(seen.trim_end().ends_with(FAILING), "{seen}");
    // An arrow, and keys that mean nothing.
    terminal.types(UP);
    terminal.types("xyz\r");
    terminal.types("?");
    terminal.read_until("run the tests that did not pass");
    terminal.types("f");
    terminal.read_until("2 tests: 2 failed");
    terminal.read_until(FAILING);
    terminal.types("r");
    terminal.read_until("the same tests again\n");
    terminal.read_until("2 tests: 2 failed");
    terminal.read_until(FAILING);
    // An expression is typed as a line, which is shown.
    terminal.types("p");
    terminal.read_until("filter (empty: all tests):");
    terminal.types("name(\n");
    terminal.read_until("error: ");
    terminal.read_until(FAILING);
    terminal.types("p");
    while terminal.screen.seen().matches("filter (empty").count() < 2 {
        assert!(terminal.read());
    }
    assert!(terminal.shows_typing());
    terminal.types("tgo\u{7f}\u{7f}wo\n");
    terminal.read_until("all tests of `two`");
    terminal.read_until("1 test: 1 failed");
    terminal.read_until(FAILING);
    // Another round first, whose screen is another one.
    terminal.types("f");
    terminal.read_until("the tests that did not pass");
    terminal.read_until(FAILING);
    terminal.types("a");
    terminal.read_until("all tests of `two`\n\n");
    terminal.read_until(FAILING);
    terminal.types("p");
    terminal.read_until("filter (empty: all tests):");
    terminal.types("\n");
    terminal.read_until("3 tests: 1 passed, 2 failed");
    terminal.read_until(FAILING);
    terminal.types("q");
    terminal.read_to_end();
    assert_eq!(child.wait().unwrap().code(), Some(1), "tests fail");
    assert!(terminal.shows_typing());
}

#[test]
fn watch_leaves_the_terminal_as_it_was_after_ctrl_c() {
    let project = watched();
    let environment = [("TERM", "xterm"), ("PATH", "/usr/bin:/bin")];
    let (mut terminal, mut child) =
        Terminal::start(&project, &["watch"], &environment, Keyboard::Present);
    terminal.read_until("still failing");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    terminal.read_to_end();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(terminal.shows_typing());
}
