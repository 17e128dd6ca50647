/**
 * Checks that options are texts.
 * @param {{ [option: string]: any }} options
 * @param {{ [option: string]: string }} meanings The meaning of each text.
 * @throws {TypeError} If one is given, and is another value or empty.
 */
export function checkTexts(options: {
    [option: string]: any;
}, meanings: {
    [option: string]: string;
}): void;
export const A_DIRECTORY: "the path of a directory";
