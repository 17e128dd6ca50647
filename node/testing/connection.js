// The program `ananke session --stdio`: one process for everything that has the same directory, environment and config.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { findProgram, missing } from "../program.js";
import { ProgramError, RequestError, words } from "./errors.js";
import { encoded } from "./json.js";

const PROTOCOL = 1;

/** The longest line that the program reads, in bytes. */
const LONGEST_LINE = 64 * 2 ** 20;

/** How long the program may take to end, in milliseconds. */
const ENDING = 5000;

/** How many processes are kept; those without a session are ended first. */
const MOST_PROCESSES = 8;

/** How many characters of the program's standard error are kept. */
const MOST_SAID = 4000;

/**
 * What answers the requests of the program about one session. It must not wait and not throw.
 * @typedef {object} Callbacks
 * @property {(request: number, method: string, params: any) => void} begin
 * @property {(request: number) => void} cancel
 */

/**
 * A request that has no answer yet.
 * @typedef {object} PendingRequest
 * @property {(result: any) => void} resolve
 * @property {(error: Error) => void} reject
 * @property {((notice: any) => void) | undefined} onResult
 */

/** A running program. It keeps Node alive only while a request waits for its answer, and ends with Node. */
export class Connection {
  /** @type {import("node:child_process").ChildProcessWithoutNullStreams} */
  #child;
  /** @type {Map<number, PendingRequest>} */
  #pending = new Map();
  /** @type {Map<string, Callbacks>} */
  #callbacks = new Map();
  /** @type {Map<number, Callbacks>} */
  #asked = new Map();
  /** @type {ProgramError | undefined} */
  #over;
  /** @type {Promise<void>} */
  #ended;
  #next = 1;
  #said = "";
  /** @type {Buffer[]} */
  #line = [];
  /** What answers for a test with an agent of this process. @type {((session: string, agent: string) => Callbacks) | undefined} */
  onTestSession;

  constructor() {
    const program = process.env.ANANKE_PROGRAM || findProgram();
    if (program === undefined) throw new ProgramError(missing);
    // Ctrl-C is for Node; the program ends when Node does, since its standard input does.
    const options = { detached: process.platform !== "win32", windowsHide: true };
    this.#child = spawn(program, ["session", "--stdio"], { ...options, stdio: "pipe" });
    const { stdin, stdout, stderr } = this.#child;
    // The end of the process says why nothing can be written.
    stdin.on("error", () => {});
    stdout.on("data", (bytes) => this.#read(bytes));
    stderr.setEncoding("utf8").on("data", (text) => (this.#said = (this.#said + text).slice(-MOST_SAID)));
    this.#ended = new Promise((resolve) => {
      this.#child.on("error", (error) => {
        this.#fail(new ProgramError(`the program \`ananke\` cannot be started: ${error.message}`));
        resolve();
      });
      this.#child.on("close", (code, signal) => {
        const how = signal === null ? `ended with the exit code ${code}` : `was ended by ${signal}`;
        this.#fail(new ProgramError(`the program \`ananke\` ${how}${this.#said === "" ? "" : `:\n${this.#said.trimEnd()}`}`));
        resolve();
      });
    });
    this.#keepNode(false);
  }

  /**
   * A program that knows its config.
   * @param {string | undefined} config
   */
  static async start(config) {
    const connection = new Connection();
    const client = { name: "ananke-test for Node.js", version: ownVersion() };
    try {
      const { protocol } = await connection.call("initialize", { client, config });
      if (protocol === PROTOCOL) return connection;
      throw new ProgramError(
        `the program speaks version ${protocol} of the protocol, this package version ${PROTOCOL}: ` +
          "install the package again, so that both are from one release",
      );
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Whether the program has ended. */
  get isOver() {
    return this.#over !== undefined;
  }

  /** Whether no session needs the program. */
  get isIdle() {
    return this.#callbacks.size === 0 && this.#pending.size === 0;
  }

  /**
   * Sends a request, and waits for its answer. `onResult` gets the results of its tests.
   * @param {string} method
   * @param {{ [key: string]: unknown }} params
   * @param {(notice: any) => void} [onResult]
   * @returns {Promise<any>}
   */
  async call(method, params, onResult) {
    if (this.#over !== undefined) throw this.#over;
    const id = this.#next++;
    const line = lineOf({ jsonrpc: "2.0", id, method, params });
    return new Promise((resolve, reject) => {
      if (this.#pending.size === 0) this.#keepNode(true);
      this.#pending.set(id, { resolve, reject, onResult });
      this.#write(line);
    });
  }

  /**
   * Sends a request whose answer does not matter.
   * @param {string} method
   * @param {{ [key: string]: unknown }} params
   */
  send(method, params) {
    this.call(method, params).catch(() => {});
  }

  /**
   * Sends a notification.
   * @param {string} method
   * @param {{ [key: string]: unknown }} params
   * @throws {TypeError} If it is not JSON, or too long.
   */
  notify(method, params) {
    if (this.#over === undefined) this.#write(lineOf({ jsonrpc: "2.0", method, params }));
  }

  /**
   * Hands requests about a session to `callbacks`.
   * @param {string} session
   * @param {Callbacks} callbacks
   */
  attach(session, callbacks) {
    this.#callbacks.set(session, callbacks);
  }

  /**
   * Ends what `attach` began.
   * @param {string} session
   */
  detach(session) {
    this.#callbacks.delete(session);
  }

  /**
   * Answers a request of the program.
   * @param {number} id
   * @param {{ [key: string]: unknown }} result
   * @throws {TypeError} If the result is not JSON, or too long.
   */
  answer(id, result) {
    this.#reply(id, lineOf({ jsonrpc: "2.0", id, result }));
  }

  /**
   * Answers a request of the program with an error.
   * @param {number} id
   * @param {string} message
   */
  refuse(id, message) {
    const error = { code: -32000, message: message.slice(0, LONGEST_LINE >> 6).toWellFormed() };
    this.#reply(id, lineOf({ jsonrpc: "2.0", id, error }));
  }

  /**
   * @param {number} id
   * @param {string} line
   */
  #reply(id, line) {
    this.#asked.delete(id);
    if (this.#over === undefined) this.#write(line);
  }

  /**
   * Writes a line. Lines of one moment, such as an event and the end of its turn, are one write.
   * @param {string} line
   */
  #write(line) {
    const { stdin } = this.#child;
    if (stdin.writableCorked === 0) {
      stdin.cork();
      process.nextTick(() => stdin.uncork());
    }
    stdin.write(line);
  }

  /** Ends the program and everything that it holds. It may be called twice. */
  async close() {
    this.#fail(new ProgramError("the program `ananke` was ended"));
    this.#keepNode(true);
    this.#child.stdin.end();
    const timers = [
      setTimeout(() => this.#child.kill("SIGTERM"), ENDING),
      setTimeout(() => this.#child.kill("SIGKILL"), ENDING + 1000),
    ];
    await this.#ended;
    timers.forEach(clearTimeout);
  }

  /** @param {ProgramError} error */
  #fail(error) {
    this.#over ??= error;
    const pending = [...this.#pending.values()];
    const asked = [...this.#asked];
    this.#pending.clear();
    this.#asked.clear();
    this.#keepNode(false);
    for (const { reject } of pending) reject(this.#over);
    for (const [id, callbacks] of asked) callbacks.cancel(id);
  }

  /** @param {boolean} isKept */
  #keepNode(isKept) {
    const change = isKept ? "ref" : "unref";
    const { stdin, stdout, stderr } = this.#child;
    this.#child[change]();
    // Pipes of a child process are sockets.
    for (const pipe of [stdin, stdout, stderr]) /** @type {import("node:net").Socket} */ (/** @type {unknown} */ (pipe))[change]();
  }

  /** @param {Buffer} bytes */
  #read(bytes) {
    let rest = bytes;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      const line = Buffer.concat([...this.#line, rest.subarray(0, end)]).toString("utf8");
      this.#line = [];
      rest = rest.subarray(end + 1);
      try {
        this.#take(JSON.parse(line));
      } catch (error) {
        const what = error instanceof Error ? error.message : String(error);
        this.#fail(new ProgramError(`the program \`ananke\` wrote something that is not its protocol: ${what}`));
        this.#child.kill();
        return;
      }
    }
    if (rest.length > 0) this.#line.push(rest);
  }

  /** @param {any} message */
  #take({ id, method, params, result, error }) {
    if (method === undefined) this.#takeAnswer(id, result, error);
    else if (id !== undefined) this.#takeRequest(id, method, params);
    else if (method === "request/cancelled") {
      const callbacks = this.#asked.get(params.id);
      this.#asked.delete(params.id);
      callbacks?.cancel(params.id);
    } else if (method === "test/result") this.#pending.get(params.request)?.onResult?.(params);
  }

  /**
   * @param {number | null} id
   * @param {any} result
   * @param {{ code: number, message: string } | undefined} error
   */
  #takeAnswer(id, result, error) {
    // No request of this package is unreadable; to go on would be to wait for an answer that never comes.
    if (id === null) throw new Error(error?.message);
    const request = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#keepNode(false);
    if (error !== undefined) request?.reject(new RequestError(error.code, error.message));
    else request?.resolve(result);
  }

  /**
   * @param {number} id
   * @param {string} method
   * @param {any} params
   */
  #takeRequest(id, method, params) {
    const callbacks = this.#callbacks.get(params.session) ?? this.#ofTest(id, method, params);
    if (callbacks === undefined) return;
    this.#asked.set(id, callbacks);
    callbacks.begin(id, method, params);
  }

  /**
   * What answers for a test whose first turn begins; undefined if the request is refused.
   * @param {number} id
   * @param {string} method
   * @param {any} params
   * @returns {Callbacks | undefined}
   */
  #ofTest(id, method, { session, agent }) {
    if (method !== "agent/turn" || agent === undefined || this.onTestSession === undefined) {
      this.refuse(id, "the session is over");
      return undefined;
    }
    try {
      const callbacks = this.onTestSession(session, agent);
      this.attach(session, callbacks);
      return callbacks;
    } catch (error) {
      this.refuse(id, words(error));
      return undefined;
    }
  }
}

/**
 * A line of the protocol.
 * @param {{ [key: string]: unknown }} message
 * @returns {string}
 * @throws {TypeError} If it is not JSON, or too long.
 */
function lineOf(message) {
  const line = `${encoded(message)}\n`;
  const size = Buffer.byteLength(line);
  if (size > LONGEST_LINE) {
    throw new TypeError(`${size >> 20} MiB are too long: ananke reads up to ${LONGEST_LINE >> 20} MiB at once`);
  }
  return line;
}

function ownVersion() {
  return JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
}

/** @type {Map<string, Promise<Connection>>} */
const connections = new Map();

/**
 * The program for this directory and environment, which is started with its first use.
 * @param {string} [config]
 * @returns {Promise<Connection>}
 * @throws {ProgramError} If it cannot be started.
 */
export async function connection(config) {
  const key = JSON.stringify([process.cwd(), config, Object.entries(process.env).sort()]);
  const known = connections.get(key);
  if (known !== undefined && !(await known).isOver) return known;
  if (connections.size >= MOST_PROCESSES) await endIdle();
  const other = connections.get(key);
  if (other !== undefined && other !== known) return other;
  const made = Connection.start(config);
  connections.set(key, made);
  made.catch(() => connections.delete(key));
  return made;
}

/**
 * Starts the program before somebody asks for it: a test file is imported without a limit of time, and each of its tests has one.
 * An error is told to whoever asks.
 */
export function startEarly() {
  connection().catch(() => {});
}

async function endIdle() {
  for (const [key, starting] of [...connections]) {
    const running = await starting.catch(() => undefined);
    if (running !== undefined && (running.isOver || running.isIdle)) {
      connections.delete(key);
      await running.close();
    }
  }
}

/**
 * The path of a config, as the program takes it.
 * @param {string | URL | undefined} config
 * @returns {string | undefined}
 */
export function configPath(config) {
  if (config === undefined) return undefined;
  const path = config instanceof URL ? fileURLToPath(config) : config;
  if (typeof path !== "string") throw new TypeError("`config` is the path of a config, or its URL");
  return isAbsolute(path) ? path : resolve(path);
}
