// Tests the machine in the pages of the site, in Chromium, and compares it with the command.
//
//     node tests/browser.js SITE VISA [COUNT]
//
// SITE is the output of `visa spec html --machine`, VISA the command. By the keyboard alone, statements and
// kernels of all pages are run; at least COUNT statements (500) with changing values and enabled channels, and
// the kernel of each page, give the same results as `visa eval` and `visa run`; the playground verifies, runs,
// checks and steps, and describes dropped files as `visa info` does; on a slow connection pages are usable
// before the module is loaded, which happens once; axe finds nothing in both themes. Needs playwright-core and
// axe-core (npm) and Chromium at /usr/bin/chromium or CHROMIUM. Prints the figures; exit status 1 after a
// difference.
"use strict";
const { execFile, execFileSync } = require("child_process");
const fs = require("fs");
const http = require("http");
const os = require("os");
const path = require("path");
const { promisify } = require("util");
const { chromium } = require("playwright-core");

const [site, visa, wanted] = process.argv.slice(2);
const count = Number(wanted || 500);
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".gz": "application/gzip" };
const requested = [];
const OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];
// Connection of a slow phone: bytes per second and milliseconds.
const SLOW = { offline: false, downloadThroughput: 200e3, uploadThroughput: 50e3, latency: 150 };

const serve = () => new Promise((done) => {
  const server = http.createServer((request, response) => {
    const file = path.join(site, decodeURI(request.url.split("?")[0]));
    requested.push(request.url);
    fs.readFile(file, (error, bytes) => {
      response.writeHead(error ? 404 : 200, { "content-type": TYPES[path.extname(file)] || "text/plain" });
      response.end(error ? "" : bytes);
    });
  }).listen(0, () => done(server));
});

const unescaped = (text) => text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"').replace(/&#x27;/g, "'").replace(/&amp;/g, "&");

// Returns the editors of the instructions' pages: those of statements have `set`, those of kernels `args`.
const editors = () => {
  const folder = path.join(site, "instructions");
  return fs.readdirSync(folder).sort().flatMap((name) => {
    const page = fs.readFileSync(path.join(folder, name), "utf8");
    const area = (key) => (page.match(new RegExp(`<textarea[^>]* name="${key}"[^>]*>([^<]*)</textarea>`)) || [])[1];
    const platform = (page.match(/<option selected>([^<]*)</) || [])[1];
    if (!area("text") || !platform) return [];
    const lines = (key) => (area(key) === undefined ? undefined : unescaped(area(key)).split("\n").filter(Boolean));
    const global = Number((page.match(/name="global" value="(\d+)"/) || [])[1] || 0);
    return [{ page: "instructions/" + name, text: unescaped(area("text")), set: lines("set"), args: lines("args"), platform, global }];
  });
};

// Returns a page of each kind: those of the site's folder, and the first one of each other folder.
const kinds = () => {
  const all = fs.readdirSync(site, { withFileTypes: true });
  const pages = (folder) => fs.readdirSync(path.join(site, folder)).filter((name) => name.endsWith(".html")).sort();
  const folders = all.filter((one) => one.isDirectory()).map((one) => one.name);
  return [...pages("."), ...folders.flatMap((name) => pages(name).slice(0, 1).map((page) => name + "/" + page))];
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

const native = async (request) => {
  const set = request.set.flatMap((line) => ["--set", line]);
  const words = ["eval", request.text, ...set, "--platform", request.platform, "--active", String(request.active), "--format", "json"];
  const { stdout } = await promisify(execFile)(visa, words).catch((failed) => failed);
  return JSON.parse(stdout || "{}");
};

// Returns the contents of buffers and the findings' codes, by the command.
const nativeRun = (one, folder) => {
  const file = path.join(folder, "k.visaasm");
  fs.writeFileSync(file, one.text);
  const keys = one.args.filter((arg) => !/=(sampler|image|f32|i32|u32):/.test(arg)).map((arg) => arg.split("=")[0]);
  const words = ["run", file, "--platform", one.platform, "--global", String(one.global), "--format", "json", "--engine", "interpreter"];
  for (const arg of one.args) words.push("--arg", arg);
  for (const key of keys) words.push("--print", key + "=" + ((one.args.find((arg) => arg.startsWith(key + "=")).match(/=(?:range|fill|random):(\w+):/) || [])[1] || "u32"));
  try {
    return JSON.parse(execFileSync(visa, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  } catch (failed) {
    return JSON.parse(failed.stdout || "{}");
  }
};

const state = { bad: 0 };
const fail = (text) => { state.bad += 1; console.log("failed: " + text); };
const check = (is, text) => { if (!is) fail(text); };

// Statements and kernels of all pages by the keyboard.
const keyboard = async (page, base, all) => {
  const times = [];
  for (const one of all) {
    const begin = Date.now();
    await page.goto(base + one.page);
    await page.focus("#run ~ form textarea");
    // The button is reached in the order of the page.
    for (let n = 0; n < 12; n += 1) {
      await page.keyboard.press("Tab");
      if (await page.evaluate(() => document.activeElement.textContent === "Run")) break;
    }
    await page.keyboard.press("Enter");
    const seen = await page.waitForSelector(".output table", { timeout: 30000 }).catch(() => null);
    if (!seen) fail(one.page + ": " + (await page.innerText(".status, .output")));
    times.push([Date.now() - begin, one.page]);
  }
  times.sort(([a], [b]) => a - b);
  const at = (part) => times[Math.ceil(part * times.length) - 1][0];
  const slowest = times.slice(-5).map(([time, name]) => `${name} ${time}`).join(", ");
  console.log(`${times.length} pages from their load to their first result: half in ${at(0.5)} ms, 9 of 10 in ${at(0.9)} ms; slowest: ${slowest}`);
};

// Statements by the page and by the command, which run at the same time.
const statements = async (page, all) => {
  const rounds = [...Array(Math.ceil(count / all.length)).keys()];
  const requests = all.flatMap((one) => rounds.map((round) => vector(one, round)));
  let millis = 0;
  for (const request of requests) {
    const expected = native(request);
    const [answer, time] = await page.evaluate(async (request) => {
      const begin = performance.now();
      const answer = await window.visakit(request);
      return [answer, performance.now() - begin];
    }, request);
    millis += time;
    const mine = JSON.stringify(answer.instructions), theirs = JSON.stringify((await expected).instructions);
    if (mine !== theirs) fail(`${JSON.stringify(request)}\n  page:    ${mine || answer.error}\n  command: ${theirs}`);
  }
  console.log(`${all.length} pages with statements; ${requests.length} compared, ${(millis / requests.length).toFixed(1)} milliseconds each`);
};

// Kernels by the page and by the command.
const kernels = async (page, all, folder) => {
  for (const one of all) {
    const request = { command: "run", text: one.text, args: one.args, platform: one.platform, global: [one.global] };
    const answer = await page.evaluate((request) => window.visakit(request), request);
    const expected = nativeRun(one, folder);
    const contents = (of) => JSON.stringify((of.results || []).map((one) => [one.name, one.type, one.values]).sort());
    const mine = contents({ results: (answer.results || []).filter((one) => (expected.results || []).some((other) => other.name === one.name)) });
    check(expected.results?.length > 0 && mine === contents(expected), `${one.page}\n  page:    ${mine} ${JSON.stringify(answer.findings)}\n  command: ${contents(expected)} ${JSON.stringify(expected.findings)}`);
  }
  console.log(`${all.length} pages with kernels compared`);
};

// The playground: marks of findings, colours, checks, steps, files.
const playground = async (page, base) => {
  await page.goto(base + "playground.html");
  const status = () => page.innerText("form.kernel .status");
  const done = () => page.waitForFunction(() => !document.querySelector("form.kernel [aria-busy]"), null, { timeout: 30000 });
  const press = async (name) => {
    await page.focus(`form.kernel button[value="${name}"]`);
    await page.keyboard.press("Enter");
    await done();
  };
  await press("run");
  check((await status()) === "No findings", "playground run: " + (await status()));
  check((await page.locator("form.kernel .buffer").count()) === 2, "playground: two buffers are shown");
  await page.waitForSelector(".layer .t-mnemonic");
  // A broken operand is underlined at its place, also while typing.
  await page.focus("form.kernel textarea[name=text]");
  await page.evaluate(() => {
    const area = document.activeElement;
    const at = area.value.indexOf("FACTOR(0,0)");
    area.setSelectionRange(at, at + 6);
  });
  await page.keyboard.type("NOTHING");
  const mark = await page.waitForSelector(".layer .m-error", { timeout: 10000 });
  const marked = await mark.textContent();
  check(marked.includes("NOTHING"), "playground: the mark is at " + marked);
  await page.focus(".live a");
  await page.keyboard.press("Enter");
  const selected = await page.evaluate(() => [document.activeElement.name, document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)]);
  check(selected[0] === "text" && selected[1].includes("NOTHING"), "playground: the link selects " + selected);
  // Too small a buffer is found at its line.
  await page.reload();
  await page.fill("form.kernel textarea[name=args]", "IN=range:f32:16\nOUT=zeros:32\nFACTOR=f32:0.5");
  await press("run");
  check((await page.innerText("form.kernel .output")).includes("check-bounds"), "playground: bounds are checked: " + (await status()));
  check((await page.locator(".layer .m-error").count()) > 0, "playground: the bug is marked");
  // Steps.
  await page.fill("form.kernel textarea[name=args]", "IN=range:f32:16\nOUT=zeros:64\nFACTOR=f32:0.5");
  await page.check("form.kernel input[name=steps]");
  await press("run");
  const said = () => page.innerText(".stepper [aria-live]");
  check((await said()).startsWith("Step 1 of 5"), "steps: " + (await said()));
  for (const key of ["Next", "Next"]) {
    await page.focus(`.stepper button:text-is("${key}")`);
    await page.keyboard.press("Enter");
  }
  const row = await page.innerText(".stepper tbody tr:nth-child(9)");
  check(/8\s+.*8\.0.*0\.5.*8\.0\s+4\.0/.test(row.replace(/\s+/g, " ")), "steps: channel 8 is " + row);
  check((await page.innerText(".stepper")).includes("Mask 0xffe0"), "steps: the mask");
  check((await page.locator(".stepper tr.off").count()) === 5, "steps: channels that are off");
  check((await page.locator(".layer .current").count()) > 0, "steps: the line is shown");
  // Files.
  for (const [file, kernel] of [["vector_add.pvc.zebin", "vector_add"], ["vector_add.skl.zebin", "vector_add"]]) {
    const found = path.join(__dirname, "../examples/vector_add", file);
    await page.setInputFiles("form.kernel input[type=file]", found);
    await page.waitForFunction((name) => document.querySelector("select[name=kernel]").value === name, kernel, { timeout: 20000 });
    await done();
    const info = await page.innerText("form.kernel .output pre code");
    const expected = execFileSync(visa, ["info", found], { encoding: "utf8" }).replace(/^.*\//, "");
    check(info.trim() === expected.trim(), `${file}: information is\n${info}\nnot\n${expected}`);
    await press("run");
    check((await page.locator("form.kernel .buffer").count()) > 0, `${file}: ${await status()} ${await page.innerText("form.kernel .output")}`);
  }
  await page.setInputFiles("form.kernel input[type=file]", { name: "noise", mimeType: "", buffer: Buffer.from([0xff, 0, 1, 2]) });
  await page.waitForSelector("form.kernel .output .findings:has-text('noise')", { timeout: 20000 });
  await page.waitForTimeout(500);
  await done();
  check((await page.locator("form.kernel .findings li").count()) === 1, "noise: " + (await page.innerText("form.kernel .output")));
  console.log("playground: verified, run, checked, stepped; files described and run");
};

// A slow connection: the page first, the module on demand and once.
const slow = async (browser, base) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", SLOW);
  const modules = () => requested.filter((url) => url.includes(".wasm")).length;
  const before = modules();
  const begin = Date.now();
  await page.goto(base + "playground.html");
  await page.waitForSelector("form.kernel button");
  const usable = Date.now() - begin;
  check(modules() === before, "slow: the module is loaded without need");
  await page.focus("form.kernel textarea[name=text]");
  await page.keyboard.type("// typed while the module is loaded\n");
  await page.focus('form.kernel button[value="run"]');
  await page.keyboard.press("Enter");
  const loading = await page.waitForSelector(".status progress", { timeout: 5000 }).catch(() => null);
  check(loading, "slow: progress is shown");
  await page.waitForSelector("form.kernel .buffer", { timeout: 60000 });
  const first = Date.now() - begin;
  check((await page.inputValue("form.kernel textarea[name=text]")).startsWith("// typed"), "slow: typed text is kept");
  await page.goto(base + "instructions/ADD.html");
  const again = Date.now();
  await page.focus("#run ~ form textarea");
  await page.click('#run ~ form button[type="submit"]');
  await page.waitForSelector(".output table", { timeout: 60000 });
  const second = Date.now() - again;
  check(modules() === before + 1, "slow: the module is loaded " + (modules() - before) + " times");
  console.log(`slow connection: page usable after ${usable} ms, first result after ${first} ms, on the next page after ${second} ms`);
  await context.close();
};

// Accessibility of pages in both themes, before and after a run.
const accessibility = async (browser, base, pages) => {
  const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
  for (const colorScheme of ["light", "dark"]) {
    const context = await browser.newContext({ colorScheme, viewport: { width: 1000, height: 900 } });
    const page = await context.newPage();
    const violations = async (what) => {
      await page.evaluate(axe);
      const found = await page.evaluate(async () => (await window.axe.run(document)).violations.map((one) => one.id + ": " + one.nodes.map((node) => node.html + " " + node.any.map((any) => any.message)).slice(0, 2).join(" | ")));
      found.forEach((one) => fail(`${what} (${colorScheme}): ${one}`));
    };
    for (const address of pages) {
      await page.goto(base + address);
      await violations(address);
      const button = page.locator('.machine form button[type="submit"]').first();
      if ((await button.count()) === 0) continue;
      if (address.startsWith("playground")) await page.check("form.kernel input[name=steps]");
      await button.click();
      await page.waitForSelector(".output table, .findings", { timeout: 30000 }).catch(() => {});
      await page.waitForTimeout(300);
      await violations(address + " after a run");
    }
    await context.close();
  }
  console.log(`axe: ${pages.length} pages in two themes`);
};

(async () => {
  const server = await serve();
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: OPTIONS });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "visakit-browser-"));
  const page = await browser.newPage();
  page.on("pageerror", (error) => fail(error.message));
  const base = `http://localhost:${server.address().port}/`;
  const all = editors();
  const [evals, runs] = [all.filter((one) => one.set), all.filter((one) => one.args)];
  check(evals.length > 50 && runs.length > 50, `${evals.length} pages with statements, ${runs.length} with kernels`);
  await keyboard(page, base, all);
  await statements(page, evals);
  await kernels(page, runs, folder);
  await playground(page, base);
  await slow(browser, base);
  const looked = [evals[0], evals[evals.length - 1], runs[0], runs[runs.length - 1]].filter(Boolean).map((one) => one.page);
  await accessibility(browser, base, [...kinds(), ...looked]);
  await browser.close();
  server.close();
  fs.rmSync(folder, { recursive: true });
  console.log(`${state.bad} failed`);
  process.exit(state.bad ? 1 : 0);
})().catch((why) => { console.log("failed: " + why.stack); process.exit(1); });
