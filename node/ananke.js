#!/usr/bin/env node
// Runs the program of this system with the arguments of the command.

import { spawn } from "node:child_process";
import { constants } from "node:os";
import { findProgram, missing } from "./program.js";

function fail(message) {
  console.error(`error: ${message}`);
  process.exitCode = 1;
}

const program = findProgram();
if (program === undefined) {
  fail(missing);
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
