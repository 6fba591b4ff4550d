// The pages that Ontrail writes, in a real browser: what a person would click on, does what it says.
//
//   ONTRAIL=target/debug/ontrail DEMO=target/demo BROWSER=target/browser node --test tests/browser/report.test.mjs
//
// DEMO is the folder of a finished `ontrail demo`, BROWSER one in which playwright-core is installed; screenshots go there too.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

const [ontrail, demo, home] = ["ONTRAIL", "DEMO", "BROWSER"].map((name) => resolve(process.env[name] ?? `no ${name} is given`));
const { chromium } = createRequire(`${home}/`)("playwright-core");
const shots = join(home, "shots");
const made = mkdtempSync(join(tmpdir(), "ontrail-browser-"));
const run = (...args) => execFileSync(ontrail, args, { cwd: made, stdio: ["ignore", "pipe", "pipe"] });
const DESK = { viewport: { width: 1280, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const PARTS = ["ontology", "topic", "classifier", "senses", "crawls", "comparison", "pages"];

let browser;
before(async () => {
  mkdirSync(shots, { recursive: true });
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"];
  const args = ["--no-sandbox", "--disable-gpu", "--no-first-run", ...quiet];
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
});
after(async () => {
  await browser?.close();
  rmSync(made, { recursive: true, force: true });
});

// Opens a page, hands it to the work, and fails if it complained or asked the network for anything.
async function looking(path, options, work) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("request", (request) => /^(file|data):/.test(request.url()) || complaints.push(`asked for ${request.url()}`));
  page.on("dialog", async (dialog) => { complaints.push(`dialog ${dialog.message()}`); await dialog.dismiss(); });
  await page.goto(pathToFileURL(path).href);
  await work(page);
  assert.deepEqual(complaints, []);
  await context.close();
}
const report = join(demo, "report.html");
const count = (page, selector) => page.locator(selector).count();
const shot = (page, name) => page.screenshot({ path: join(shots, `${name}.png`) });

test("every part is there and the links lead to it", () => looking(report, DESK, async (page) => {
  assert.deepEqual(await page.$$eval("section.chapter", (parts) => parts.map((part) => part.id)), PARTS);
  for (const part of PARTS) {
    await page.click(`nav a[href="#${part}"]`);
    const top = await page.$eval(`#${part}`, (it) => it.getBoundingClientRect().top);
    assert.ok(top >= -2 && top < 880, `${part} stands at ${top}`);
    await shot(page, `light-${part}`);
  }
  assert.equal(await count(page, "#crawls .charts svg"), 6);
  assert.ok(await count(page, ".confusion td.hit") >= 5);
}));

test("the tree opens, closes and is searched", () => looking(report, DESK, async (page) => {
  const branches = await count(page, ".tree details");
  const open = () => count(page, ".tree details[open]");
  assert.ok(await open() > 0 && await open() < branches, "upper levels are open");
  await page.click(".open-all");
  assert.equal(await open(), branches);
  await page.click(".close-all");
  assert.equal(await open(), 0);
  await page.fill(".tree-search", "泥石流");
  const found = Number(await page.textContent(".tree-found"));
  assert.ok(found >= 1 && found === await count(page, ".tree .match"));
  assert.ok(await page.locator(".tree .match").first().isVisible(), "its branch is opened");
  assert.ok(await count(page, ".tree li.away") > 20);
  await page.fill(".tree-search", "");
  assert.equal(await count(page, ".tree li.away"), 0);
}));

test("pictures are zoomed, searched, folded and explained", () => looking(report, DESK, async (page) => {
  const viewer = page.locator("#ontology .viewer");
  await viewer.scrollIntoViewIfNeeded();
  const box = () => viewer.locator("svg").getAttribute("viewBox");
  await viewer.locator(".fit").click();
  const whole = await box();
  await viewer.locator(".closer").click();
  assert.notEqual(await box(), whole);
  await viewer.locator(".farther").click();
  const number = (text) => Number(text.split(" ")[2]);
  assert.ok(Math.abs(number(await box()) - number(whole)) < 1e-6);
  await viewer.locator(".search").fill("预警");
  assert.ok(await viewer.locator(".node.found").count() >= 1);
  await viewer.locator(".search").fill("");
  const node = viewer.locator(".node").first();
  await node.locator("circle").click();
  assert.ok(await viewer.locator(".detail").isVisible());
  assert.match(await viewer.locator(".detail").textContent(), /objects/);
  await viewer.locator(".detail").click();
  await node.locator("circle").dblclick();
  assert.ok(await viewer.locator(".node.hidden").count() > 10, "what is below is folded");
  await viewer.locator(".unfold").click();
  assert.equal(await viewer.locator(".node.hidden").count(), 0);
  // The wheel moves the page, and only with Ctrl the picture.
  await viewer.locator(".fit").click();
  await viewer.locator(".view").hover();
  await page.mouse.wheel(0, 200);
  assert.equal(await box(), whole);
  const graph = page.locator("#senses .viewer");
  await graph.scrollIntoViewIfNeeded();
  await graph.locator(".node circle").first().click();
  assert.ok(await graph.locator(".edge.near").count() >= 1, "its neighbours are shown");
}));

test("pages are filtered, sorted and shown on demand", () => looking(report, DESK, async (page) => {
  const data = await page.$eval(".page-list script", (it) => JSON.parse(it.textContent));
  const [CRAWL, TITLE, RELEVANCE, CLASS, TRULY] = [0, 2, 4, 6, 9];
  const shown = async () => Number((await page.textContent(".page-list .status")).match(/[0-9]+/)[0]);
  const rows = ".page-list tbody tr";
  assert.equal(await shown(), data.rows.length);
  assert.equal(await count(page, rows), 50);
  await page.click(".page-list .more");
  assert.equal(await count(page, rows), 250);

  const ops = data.crawls.indexOf("ops");
  await page.selectOption(".page-list select.crawl", String(ops));
  assert.equal(await shown(), data.rows.filter((row) => row[CRAWL] === ops).length);
  await page.selectOption(".page-list select.verdict", "true-yes");
  assert.equal(await shown(), data.rows.filter((row) => row[CRAWL] === ops && row[TRULY]).length);
  await page.selectOption(".page-list select.klass", "rainstorm");
  assert.equal(await shown(), data.rows.filter((row) => row[CRAWL] === ops && row[TRULY] && row[CLASS] === "rainstorm").length);
  for (const name of ["crawl", "verdict", "klass"]) await page.selectOption(`.page-list select.${name}`, "");
  await page.fill(".page-list .text", "雷达");
  const titled = data.rows.filter((row) => row[TITLE]?.includes("雷达")).length;
  assert.ok(titled > 0 && await shown() >= titled && await shown() < data.rows.length);
  await page.fill(".page-list .text", "");

  const figures = async () => (await page.$$eval(`${rows} td:nth-child(4)`, (cells) => cells.map((it) => parseFloat(it.textContent)))).filter((it) => !Number.isNaN(it));
  await page.click(".page-list th[data-by=relevance] button");
  const most = Math.max(...data.rows.map((row) => row[RELEVANCE] ?? 0));
  let order = await figures();
  assert.ok(order.every((it, at) => at === 0 || it <= order[at - 1]) && Math.abs(order[0] - most) < 1e-4);
  assert.equal(await page.getAttribute(".page-list th[data-by=relevance]", "aria-sort"), "descending");
  await shot(page, "light-sorted");
  await page.click(".page-list th[data-by=relevance] button");
  order = await figures();
  assert.ok(order.every((it, at) => at === 0 || it >= order[at - 1]));
  assert.equal(await page.getAttribute(".page-list th[data-by=relevance]", "aria-sort"), "ascending");
}));

// The contrast of a text with what is behind it, as WCAG counts it.
const contrast = (page, selector) => page.$eval(selector, (element) => {
  const parts = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = (colour) => parts(colour).slice(0, 3).map((it) => it / 255)
    .map((it) => (it <= 0.03928 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4))
    .reduce((sum, it, at) => sum + it * [0.2126, 0.7152, 0.0722][at], 0);
  let behind = element;
  while (behind.parentElement && (parts(getComputedStyle(behind).backgroundColor)[3] ?? 1) === 0) behind = behind.parentElement;
  const [a, b] = [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor].map(light);
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
});

for (const colorScheme of ["light", "dark"]) {
  test(`it can be read where it is ${colorScheme}`, () => looking(report, { ...DESK, colorScheme }, async (page) => {
    for (const text of ["h1", "p.lead", "nav a", ".tree .other", ".facts span", "td", ".page-list .yes", ".page-list .no", ".page-list .url a", "th"]) {
      const value = await contrast(page, text);
      assert.ok(value >= 4.5, `${text}: ${value}`);
    }
    const paper = await page.$eval("body", (it) => getComputedStyle(it).backgroundColor);
    assert.equal(paper === "rgb(255, 255, 255)", colorScheme === "light");
    for (const part of ["ontology", "senses", "crawls", "pages"]) {
      await page.click(`nav a[href="#${part}"]`);
      await shot(page, `${colorScheme}-${part}`);
    }
  }));
}

test("it fits a phone", () => looking(report, PHONE, async (page) => {
  const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide <= room, `${wide} of ${room}`);
  await page.$eval("#pages", (it) => it.scrollIntoView());
  assert.equal(await page.$eval(".page-list tbody tr", (it) => getComputedStyle(it).display), "block");
  await page.selectOption(".page-list .sort-by", "relevance");
  const figures = await page.$$eval(".page-list tbody tr td:nth-child(4)", (cells) => cells.map((it) => parseFloat(it.textContent)));
  assert.ok(figures.every((it, at) => at === 0 || it <= figures[at - 1]));
  for (const part of PARTS) {
    await page.$eval(`#${part}`, (it) => it.scrollIntoView());
    await shot(page, `phone-${part}`);
  }
}));

test("it is printed without what only a screen can use", () => looking(report, DESK, async (page) => {
  await page.emulateMedia({ media: "print" });
  for (const only of ["nav", ".controls", ".more", ".viewer .bar"]) {
    assert.ok(!await page.locator(only).first().isVisible(), only);
  }
  assert.ok(await page.locator(".tree").isVisible() && await page.locator(".charts svg").first().isVisible());
  // Where a script sees the printing, what is closed is opened for it and closed again.
  const closed = await count(page, "details:not([open])");
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.equal(await count(page, "details:not([open])"), 0);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.ok(closed > 3 && closed === await count(page, "details:not([open])"));
  const pdf = await page.pdf({ path: join(shots, "report.pdf"), format: "A4" });
  assert.ok(pdf.length > 100_000);
}));

test("hostile titles and links are shown as text and do nothing", async () => {
  mkdirSync(join(made, "web"));
  const title = "</script><script>alert(1)</script><img src=x onerror=alert(2)>";
  const escaped = title.replaceAll("<", "&lt;");
  writeFileSync(join(made, "web/index.html"), `<meta charset=utf-8><title>${escaped}</title><p>暴雨<a href="javascript:alert(3)">x</a><a href=b.html>${escaped}</a>`);
  writeFileSync(join(made, "web/b.html"), "<meta charset=utf-8><p>暴雨");
  run("topic", "keywords", "暴雨=1", "<svg/onload=alert(4)>=1", "-o", "t.json");
  run("crawl", "run", "--web", "web", "--topic", "t.json", "http://localhost/index.html", "-o", "crawl");
  run("report", "--topic", "t.json", "--crawl", "crawl", "--title", title, "--lang", "zh", "-o", "hostile.html");
  await looking(join(made, "hostile.html"), DESK, async (page) => {
    assert.equal(await page.textContent("h1"), title);
    assert.equal(await page.textContent(".page-list .what div"), title);
    assert.match(await page.textContent(".page-list .reason .faint"), /^链接来自 http:\/\/localhost\/index.html/);
    assert.equal(await page.getAttribute("html", "lang"), "zh");
    await shot(page, "hostile");
  });
});

test("pictures and the other reports are pages of their own", async () => {
  run("lattice", "draw", join(demo, "rainstorm.cxt"), "--as", "iceberg", "--max-nodes", "60", "-o", "lattice.html");
  await looking(join(made, "lattice.html"), DESK, async (page) => {
    const box = () => page.getAttribute(".viewer svg", "viewBox");
    await page.click(".fit");
    const whole = await box();
    await page.hover(".view");
    await page.mouse.wheel(0, -200);
    assert.notEqual(await box(), whole, "alone on a page, the wheel zooms");
    assert.equal(await page.textContent(".bar h1"), await page.title());
    await shot(page, "lattice");
  });
  run("sdg", "show", join(demo, "暴雨.sdg.json"), "-o", "graph.html");
  await looking(join(made, "graph.html"), { ...DESK, colorScheme: "dark" }, (page) => shot(page, "graph"));
  run("crawl", "report", join(demo, "crawl-ops"), "-o", join(made, "crawl.html"));
  run("bcw", "eval", join(demo, "news-classifier"), join(demo, "news-split/test.tsv"), "-o", "eval.html");
  for (const path of [join(made, "crawl.html"), join(made, "eval.html"), join(demo, "compared/report.html")]) {
    await looking(path, PHONE, async (page) => {
      assert.ok(await page.title() !== "" && await count(page, "svg") > 0);
    });
  }
  assert.ok(readFileSync(join(made, "graph.html"), "utf8").includes("暴雨"));
});
