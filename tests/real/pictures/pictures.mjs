// Pictures of a run. Arguments: the folder with report.html and run.txt, the folder for the pictures, and the command that
// was run.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [from, to] = process.argv.slice(2, 4).map((path) => resolve(path));
const command = process.argv[4];

const STYLES = { 1: "font-weight:700", 2: "opacity:.65", 4: "text-decoration:underline", 31: "color:#ff9389", 32: "color:#6fd39c", 33: "color:#ecbd5f", 36: "color:#7fd4e0" };

/** What a terminal shows, as markup: texts are escaped, and only the styles that ananke uses are known. */
function terminal(text) {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  let open = 0;
  const markup = escaped.replace(/\u001b\[([\d;]*)m/g, (_, codes) => {
    const styles = codes.split(";").map((code) => STYLES[Number(code)]).filter(Boolean);
    if (styles.length === 0) return "</span>".repeat(open) + ((open = 0), "");
    open += 1;
    return `<span style="${styles.join(";")}">`;
  });
  return markup + "</span>".repeat(open);
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
const options = { viewport: { width: 1080, height: 760 }, deviceScaleFactor: 1.5, colorScheme: "light" };

const shell = await browser.newPage(options);
const printed = `<b style="opacity:.65">$</b> ${command}\n${terminal(readFileSync(join(from, "run.txt"), "utf8").replaceAll("\r", ""))}`;
await shell.setContent(
  `<body style="margin:0;background:#15171a"><pre style="display:inline-block;box-sizing:border-box;margin:0;padding:20px 24px;color:#e8e8e4;` +
    `font:13.5px/1.45 'DejaVu Sans Mono',monospace;white-space:pre">${printed.trimEnd()}</pre></body>`,
);
await shell.locator("pre").screenshot({ path: join(to, "failing-run.png") });

const report = await browser.newPage(options);
await report.goto(pathToFileURL(join(from, "report.html")).href);
await report.waitForTimeout(300);
await report.screenshot({ path: join(to, "html-report.png"), clip: { x: 0, y: 0, width: 1080, height: 1020 }, fullPage: true });
await browser.close();
