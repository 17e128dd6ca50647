/**
 * Registers each test of a project with a test runner: `await yamlTests(vitest)` after `import * as vitest from "vitest"`, or the same with
 * `node:test`. Nothing runs yet, and no agent is asked.
 * @param {TestRunner} runner
 * @param {YamlTestsOptions} [options]
 * @returns {Promise<void>}
 * @throws {UsageError} If a file of the project has an error, with its place and what to do.
 */
export function yamlTests(runner: TestRunner, options?: YamlTestsOptions): Promise<void>;
/**
 * A test, as `tests/list` has it.
 */
export type ListedTest = {
    id: string;
    path: string;
    line: number;
};
/**
 * A result that is to come.
 */
export type Awaited = {
    promise: Promise<any>;
    resolve: (notice: any) => void;
    reject: (error: unknown) => void;
};
import type { TestRunner } from "./types.js";
import type { YamlTestsOptions } from "./types.js";
