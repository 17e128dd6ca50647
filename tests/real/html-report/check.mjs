// Opens every report in a folder as a reader would, and says what does not hold. Arguments: the folder of the reports and
// the folder for the screenshots.

import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import * as checks from "./checks.mjs";

const [reports, screenshots] = process.argv.slice(2).map((path) => resolve(path));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
rmSync(screenshots, { recursive: true, force: true });
mkdirSync(screenshots, { recursive: true });

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: flags });
let passed = 0;
let failed = 0;

/** Opens a report and hands it on; what the browser complains of or asks the network for is a problem too. */
async function opened(name, options, look) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => problems.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => problems.push(`dialog: ${dialog.message()}`) && dialog.dismiss());
  const file = pathToFileURL(join(reports, `${name}.html`)).href;
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(file) && url !== "data:,") problems.push(`request: ${url}`);
  });
  try {
    await page.goto(file);
    await look(page, problems, file);
  } catch (error) {
    problems.push(String(error.stack ?? error));
  }
  await context.close();
  return problems;
}

async function check(what, name, options, look) {
  const problems = await opened(name, options, look);
  if (problems.length === 0) {
    passed += 1;
    console.log(`ok   ${what}`);
  } else {
    failed += 1;
    console.log([`FAIL ${what}`, ...problems].join("\n  "));
  }
}

/** Every violation that the accessibility engine finds in the page as it is. */
async function violations(page, problems) {
  // The page allows no script but its own; the engine comes in through the debugger, which asks nobody.
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  for (const { id, help, nodes } of found.violations) {
    problems.push(`axe ${id}: ${help}: ${nodes.slice(0, 3).map((node) => `${node.html} ${node.failureSummary}`).join("; ")}`);
  }
}

const looks = [
  ["wide-light", { colorScheme: "light" }],
  ["wide-dark", { colorScheme: "dark" }],
  ["narrow-light", { colorScheme: "light", viewport: { width: 390, height: 844 } }],
  ["narrow-dark", { colorScheme: "dark", viewport: { width: 390, height: 844 } }],
];
for (const name of ["passing", "failing", "hostile", "mixed", "retried", "mutate"]) {
  for (const [look, options] of looks) {
    await check(`${name}, ${look}: accessible, and nothing is wider than the page`, name, options, async (page, problems) => {
      await checks.openAll(page);
      await violations(page, problems);
      await checks.fits(page, problems);
      await page.screenshot({ path: join(screenshots, `${name}-${look}.png`), fullPage: true });
    });
  }
}
await check("passing: its list is what is seen first", "passing", {}, async (page) => {
  await page.screenshot({ path: join(screenshots, "passing-list.png") });
});
await check("failing: prints", "failing", {}, async (page) => {
  await page.pdf({ path: join(screenshots, "failing.pdf") });
});
for (const [what, name, look, options] of checks.all) {
  await check(what, name, options ?? {}, look);
}

await browser.close();
console.log(`html report: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
