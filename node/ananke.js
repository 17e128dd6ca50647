#!/usr/bin/env node
// Runs the program of this system, which a package of its own brings, with the arguments of the command.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";

const ownPackage = `ananke-test-${process.platform}-${process.arch}`;
const name = process.platform === "win32" ? "ananke.exe" : "ananke";

/** The path of the program; undefined if its package is not installed. */
function findProgram() {
  try {
    return createRequire(import.meta.url).resolve(`${ownPackage}/bin/${name}`);
  } catch {
    return undefined;
  }
}

function fail(message) {
  console.error(`error: ${message}`);
  process.exitCode = 1;
}

const program = findProgram();
if (program === undefined) {
  fail(
    `the package \`${ownPackage}\`, which brings the program for this system, is not installed.\n` +
      "  help: install again without `--omit=optional`, and with a lock file that was made on any system by npm 9 or newer\n" +
      "  help: if there is no such package: `cargo install --locked ananke-test` builds the program",
  );
} else {
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  // At a terminal, Ctrl-C reaches the program itself: a second signal would end it before it has written its reports.
  const isAtTerminal = process.stdin.isTTY === true;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      if (!(isAtTerminal && signal === "SIGINT")) child.kill(signal);
    });
  }
  child.on("error", (error) => fail(`cannot start ${program}: ${error.message}`));
  child.on("exit", (code, signal) => {
    process.exitCode = signal === null ? code : 128 + constants.signals[signal];
  });
}
