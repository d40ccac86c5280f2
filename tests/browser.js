// Compares the machine in the pages of the site with the command, in Chromium.
//
//     node tests/browser.js SITE VISA [COUNT]
//
// SITE is the output of `visa spec html --machine`, VISA the command. Each page with an editor is opened and
// its statement run by the keyboard; then COUNT statements (500) with changing values and enabled channels are
// evaluated by the page's WebAssembly module and by `visa eval`, whose results must be equal. Needs
// playwright-core (npm) and Chromium at /usr/bin/chromium or CHROMIUM. Prints the figures; exit status 1 after
// a difference.
"use strict";
const { execFileSync } = require("child_process");
const fs = require("fs");
const http = require("http");
const path = require("path");
const { chromium } = require("playwright-core");

const [site, visa, wanted] = process.argv.slice(2);
const count = Number(wanted || 500);
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };
const OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];
// Pages whose results the test reads; all others only have their statements taken.
const OPENED = 12;

const serve = () => new Promise((done) => {
  const server = http.createServer((request, response) => {
    const file = path.join(site, decodeURI(request.url.split("?")[0]));
    fs.readFile(file, (error, bytes) => {
      response.writeHead(error ? 404 : 200, { "content-type": TYPES[path.extname(file)] || "text/plain" });
      response.end(error ? "" : bytes);
    });
  }).listen(0, () => done(server));
});

// Returns the statements of the pages' editors.
const statements = () => {
  const unescaped = (text) => text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"').replace(/&amp;/g, "&");
  const folder = path.join(site, "instructions");
  return fs.readdirSync(folder).sort().flatMap((name) => {
    const page = fs.readFileSync(path.join(folder, name), "utf8");
    const area = (key) => (page.match(new RegExp(`<textarea name="${key}"[^>]*>([^<]*)</textarea>`)) || [])[1];
    const platform = (page.match(/<option selected>([^<]*)</) || [])[1];
    return area("text") && platform
      ? [{ page: "instructions/" + name, text: unescaped(area("text")), set: unescaped(area("set")).split("\n").filter(Boolean), platform }]
      : [];
  });
};

// Returns a request: the statement with other values in round `round`.
const vector = (one, round) => {
  const set = one.set.map((line, place) => {
    const [head, values] = line.split(":");
    if (round === 0) return line;
    const number = (n) => (values.startsWith("0b") ? "0b" + ((n * 0x5bd1 >>> 3) & 0xffff).toString(2) : String((n * 37 + place * 11) % 97));
    return head + ":" + (values.startsWith("0b") ? number(round + place) : [0, 1, 2, 3].map((n) => number(n + round * 5)).join(","));
  });
  const active = round === 0 ? 0xffffffff : (0x9e3779b9 * round) >>> 0;
  return { command: "eval", text: one.text, set, platform: one.platform, active };
};

const native = (request) => {
  const set = request.set.flatMap((line) => ["--set", line]);
  const words = ["eval", request.text, ...set, "--platform", request.platform, "--active", String(request.active), "--format", "json"];
  try {
    return JSON.parse(execFileSync(visa, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  } catch (failed) {
    return JSON.parse(failed.stdout || "{}");
  }
};

(async () => {
  const server = await serve();
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: OPTIONS });
  const page = await browser.newPage();
  let bad = 0;
  const fail = (text) => { bad += 1; console.log("failed: " + text); };
  page.on("pageerror", (error) => fail(error.message));
  const base = `http://localhost:${server.address().port}/`;
  const all = statements();
  for (const one of all.filter((_, place) => place % Math.ceil(all.length / OPENED) === 0)) {
    await page.goto(base + one.page);
    await page.focus('form.eval button[type="submit"]');
    const begin = Date.now();
    await page.keyboard.press("Enter");
    const seen = await page.waitForSelector("form.eval .output table", { timeout: 20000 }).catch(() => null);
    if (!seen) fail(one.page + ": " + (await page.innerText("form.eval .output")));
    console.log(`${one.page}: first result after ${Date.now() - begin} ms`);
  }
  let compared = 0, micros = 0;
  for (let round = 0; compared < count && all.length > 0; round += 1) {
    for (const one of all) {
      if (compared >= count) break;
      const request = vector(one, round);
      const [answer, time] = await page.evaluate(async (request) => {
        const begin = performance.now();
        const answer = await window.visakit(request);
        return [answer, performance.now() - begin];
      }, request);
      micros += time * 1000;
      const expected = native(request);
      const mine = JSON.stringify(answer.instructions), theirs = JSON.stringify(expected.instructions);
      if (mine !== theirs) fail(`${JSON.stringify(request)}\n  page:    ${mine || answer.error}\n  command: ${theirs}`);
      compared += 1;
    }
  }
  console.log(`${all.length} pages with an editor; ${compared} statements compared, ${Math.round(micros / compared)} microseconds each; ${bad} failed`);
  await browser.close();
  server.close();
  process.exit(bad || compared < count ? 1 : 0);
})();
