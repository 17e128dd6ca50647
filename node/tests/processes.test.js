// The program behind sessions: it always ends, and its errors say what happened.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { ProgramError, TestSession } from "ananke-test/testing";
import { call, ownProgram, project, scripted } from "./helpers.js";

const isPosix = process.platform !== "win32";

/** A script that writes its process id, and becomes the program. */
function noting(t, program) {
  const directory = project(t, { "ananke.sh": `#!/bin/sh\necho $$ > "${"$"}0.pid"\nexec "${program}" "$@"\n` });
  const script = join(directory, "ananke.sh");
  chmodSync(script, 0o755);
  return { script, pid: () => Number(readFileSync(`${script}.pid`, "utf8")) };
}

/** Waits until there is no such process. */
async function ended(pid) {
  for (let left = 500; left > 0; left--) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await wait(20);
  }
  assert.fail(`the process ${pid} did not end`);
}

/** A program of Node that opens a session, says so, and goes on with `then`. */
async function child(t, then) {
  // What is wrong on purpose is not shown.
  const stderr = then.startsWith("throw") ? "ignore" : "inherit";
  const { script, pid } = noting(t, ownProgram());
  const code =
    'import { TestSession } from "ananke-test/testing";\n' +
    'const session = await TestSession.open({ model: () => "ok" });\n' +
    `await session.run("go");\nconsole.log("open");\n${then}\n`;
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const running = spawn(process.execPath, ["--input-type=module", "-e", code], { cwd, env: { ...process.env, ANANKE_PROGRAM: script }, stdio: ["ignore", "pipe", stderr] });
  await Promise.race([once(running.stdout, "data"), once(running, "close").then(() => assert.fail("it did not open a session"))]);
  return { running, pid: pid() };
}

test("the program starts while the package is imported", { skip: !isPosix }, async (t) => {
  const { script, pid } = noting(t, ownProgram());
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const code =
    'import { TestSession } from "ananke-test/testing";\nawait new Promise((resolve) => process.stdin.once("data", resolve));\n' +
    'const session = await TestSession.open({ model: () => "ok" });\nawait session.run("go");\nprocess.stdin.unref();\n';
  const options = { cwd, env: { ...process.env, ANANKE_PROGRAM: script }, stdio: ["pipe", "ignore", "inherit"] };
  const running = spawn(process.execPath, ["--input-type=module", "-e", code], options);
  for (let left = 500; left > 0 && !existsSync(`${script}.pid`); left--) await wait(20);
  const early = pid();
  running.stdin.write("go on");
  const [exit] = await once(running, "close");
  assert.equal(exit, 0);
  assert.equal(pid(), early, "the session is in the program that was there");
  await ended(early);
});

test("a session that is not closed keeps nothing", { skip: !isPosix }, async (t) => {
  const { running, pid } = await child(t, "");
  const [code] = running.exitCode === null ? await once(running, "close") : [running.exitCode];
  assert.equal(code, 0);
  await ended(pid);
});

for (const [name, then, signal] of [
  ["exits", "process.exit(3);"],
  ["fails", 'throw new Error("wrong");'],
  ["is killed", "await new Promise((resolve) => setTimeout(resolve, 60000));", "SIGKILL"],
  ["is interrupted", "await new Promise((resolve) => setTimeout(resolve, 60000));", "SIGINT"],
]) {
  test(`no process stays if Node ${name}`, { skip: !isPosix }, async (t) => {
    const { running, pid } = await child(t, then);
    if (signal !== undefined) running.kill(signal);
    await ended(pid);
    if (running.exitCode === null && running.signalCode === null) await once(running, "close");
  });
}

test("Node ends after an agent that hangs", async () => {
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const code =
    'import { TestSession } from "ananke-test/testing";\n' +
    "const session = await TestSession.open({ agent: () => new Promise(() => {}), callbackTimeoutMs: 50 });\n" +
    'await session.run("go").catch(({ name }) => console.log(name));\n';
  assert.equal(execFileSync(process.execPath, ["--input-type=module", "-e", code], { cwd, encoding: "utf8" }), "AgentError\n");
});

test("all sessions have one program", { skip: !isPosix }, async (t) => {
  const directory = project(t, { "ananke.sh": `#!/bin/sh\necho start >> "${"$"}0.starts"\nexec "${ownProgram()}" "$@"\n` });
  const script = join(directory, "ananke.sh");
  chmodSync(script, 0o755);
  variable(t, "ANANKE_PROGRAM", script);
  const agent = async (turn) => turn.input;
  const open = async () => {
    const session = await TestSession.open({ agent });
    await session.run("go");
    return session;
  };
  const sessions = await Promise.all([open(), open(), open()]);
  sessions.push(await open());
  for (const session of sessions) await session.close();
  assert.equal(readFileSync(`${script}.starts`, "utf8"), "start\n");
});

/** Sets a variable of the environment for a test. */
function variable(t, name, value) {
  const before = process.env[name];
  process.env[name] = value;
  t.after(() => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  });
}

test("a program that ends is an error of what waits for it", { skip: !isPosix }, async (t) => {
  const { script, pid } = noting(t, ownProgram());
  variable(t, "ANANKE_PROGRAM", script);
  const session = await TestSession.open({ model: () => (process.kill(pid(), "SIGKILL"), new Promise(() => {})) });
  await assert.rejects(session.run("go"), (error) => {
    assert.ok(error instanceof ProgramError);
    assert.match(error.message, /was ended by SIGKILL/);
    return /^\s+at .*processes\.test\.js/m.test(error.stack);
  });
  await session.close();
  const other = await TestSession.open({ model: () => "ok" });
  const run = await other.run("go");
  run.expect.containsMessage();
  process.kill(pid(), "SIGKILL");
  await assert.rejects(other.run("go"), ProgramError);
  await run.check({ text: { must_match: "ok" } });
});

test("rules look back to earlier turns after the end of the program", { skip: !isPosix }, async (t) => {
  const { script, pid } = noting(t, ownProgram());
  variable(t, "ANANKE_PROGRAM", script);
  const replies = scripted(call("login", {}), "You are logged in.", call("pay", {}), "Paid.");
  const tool = (name) => ({ description: name, parameters: { type: "object" }, execute: () => name });
  const session = await TestSession.open({ model: replies, tools: { login: tool("login"), pay: tool("pay") } });
  await session.run("Log me in");
  const run = await session.run("Pay");
  for (const isOver of [false, true]) {
    if (isOver) process.kill(pid(), "SIGKILL");
    if (isOver) await assert.rejects(session.run("Again"), ProgramError);
    await run.check({ tools: { require: [{ name: "pay", after: "login" }] } });
    await run.check({ whenever: [{ call: "pay", preceded_by: { says: "Log me in", role: "user" } }] });
    await assert.rejects(run.check({ whenever: [{ call: "pay", not_preceded_by: { call: "login" } }] }), { name: "AssertionError" });
  }
});

for (const [name, script, message] of [
  ["ends at once", "#!/bin/sh\necho no such thing >&2\nexit 7\n", /ended with the exit code 7:\nno such thing/],
  ["does not speak JSON", "#!/bin/sh\nread line\necho hello\nread line\n", /something that is not its protocol/],
  ["speaks another version", '#!/bin/sh\nread line\necho \'{"jsonrpc":"2.0","id":1,"result":{"protocol":9}}\'\nread line\n', /version 9 of the protocol, this package version 1/],
]) {
  test(`a program that ${name}`, { skip: !isPosix }, async (t) => {
    const path = join(project(t, { "ananke.sh": script }), "ananke.sh");
    chmodSync(path, 0o755);
    variable(t, "ANANKE_PROGRAM", path);
    await assert.rejects(TestSession.open({ model: () => "ok" }), (error) => error instanceof ProgramError && message.test(error.message));
  });
}

test("a program that is missing", async (t) => {
  variable(t, "ANANKE_PROGRAM", join(project(t, {}), "nothing"));
  await assert.rejects(TestSession.open({ model: () => "ok" }), { name: "ProgramError", message: /cannot be started: .*ENOENT/ });
});

test("programs without sessions are ended when there are many", { skip: !isPosix }, async (t) => {
  const pids = [];
  for (let number = 0; number < 10; number++) {
    const { script, pid } = noting(t, ownProgram());
    variable(t, "ANANKE_PROGRAM", script);
    const session = await TestSession.open({ model: () => "ok" });
    await session.close();
    pids.push(pid());
  }
  await ended(pids[0]);
  assert.ok(existsSync("/proc") === false || existsSync(`/proc/${pids[9]}`));
});
