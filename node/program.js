// The program of this system, which a package of its own brings.

import { createRequire } from "node:module";

/** The package with the program of this system. */
export const ownPackage = `ananke-test-${process.platform}-${process.arch}`;

const name = process.platform === "win32" ? "ananke.exe" : "ananke";

/** What to do if the program is missing. */
export const missing =
  `the package \`${ownPackage}\`, which brings the program for this system, is not installed.\n` +
  "  help: install again without `--omit=optional`, and with a lock file that was made on any system by npm 9 or newer\n" +
  "  help: if there is no such package: `cargo install --locked ananke-test` builds the program";

/**
 * The path of the program; undefined if its package is not installed.
 * @returns {string | undefined}
 */
export function findProgram() {
  try {
    return createRequire(import.meta.url).resolve(`${ownPackage}/bin/${name}`);
  } catch {
    return undefined;
  }
}
