/**
 * The path of the program; undefined if its package is not installed.
 * @returns {string | undefined}
 */
export function findProgram(): string | undefined;
/** The package with the program of this system. */
export const ownPackage: string;
/** What to do if the program is missing. */
export const missing: string;
