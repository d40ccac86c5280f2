// Editors that run statements and kernels, and inspect files, by the WebAssembly module of the site.
"use strict";
(function () {
  const root = document.body.dataset.root;
  const module = new URL(root + document.body.dataset.machine, location.href).href;
  let worker = null;
  let next = 0;
  let ready = false;
  const waiting = new Map();
  const watchers = new Set();
  const progress = (loaded, total) => {
    const size = (bytes) => (bytes / 1e6).toFixed(1);
    const text = total >= loaded && total > 0 ? size(loaded) + " of " + size(total) + " MB" : size(loaded) + " MB";
    for (const one of watchers) one(text, total >= loaded && total > 0 ? loaded / total : null);
  };
  const start = () => {
    if (worker) return;
    worker = new Worker(root + "assets/worker.js");
    worker.onmessage = ({ data }) => {
      if (!("id" in data)) return progress(data.loaded, data.total);
      const [done, failed] = waiting.get(data.id) || [];
      waiting.delete(data.id);
      if (data.failed !== undefined) failed?.(new Error(data.failed));
      else { ready = true; done?.(data.answer); }
    };
    worker.onerror = (event) => stop(event.message || "the worker cannot be started");
  };
  // Sends a request; without one, the module is only loaded.
  const call = (request) => new Promise((done, failed) => {
    start();
    next += 1;
    waiting.set(next, [done, failed]);
    worker.postMessage({ id: next, request, module });
  });
  // Ends what the worker does. The next request starts another one.
  const stop = (why) => {
    worker?.terminate();
    worker = null;
    ready = false;
    for (const [, failed] of waiting.values()) failed(new Error(why));
    waiting.clear();
  };
  window.visakit = call;
  window.visakitStop = () => stop("stopped");

  const element = (name, text, parent, kind) => {
    const one = document.createElement(name);
    if (text !== null) one.textContent = text;
    if (kind) one.className = kind;
    if (parent) parent.append(one);
    return one;
  };
  const button = (text, parent, act) => {
    const one = element("button", text, parent);
    one.type = "button";
    one.addEventListener("click", act);
    return one;
  };
  const scrolled = (label, parent) => {
    const one = element("div", null, parent, "scroll");
    one.tabIndex = 0;
    one.setAttribute("role", "group");
    one.setAttribute("aria-label", label);
    return one;
  };

  // Offset of a line and a column in characters, both from 1.
  const offset = (text, line, column) => {
    let at = 0;
    for (let n = 1; n < line; n += 1) {
      const end = text.indexOf("\n", at);
      if (end < 0) return text.length;
      at = end + 1;
    }
    const rest = Array.from(text.slice(at, at + 4 * column)).slice(0, Math.max(column - 1, 0)).join("");
    return at + rest.length;
  };
  const range = (text, one) => {
    const start = offset(text, one.line, one.column);
    const end = start + Array.from(text.slice(start, start + 4 * one.width)).slice(0, one.width).join("").length;
    return [start, Math.max(end, start)];
  };

  // Layer below a text: colours of its tokens, marks of findings, and the line of a step.
  class Layer {
    constructor(area) {
      this.area = area;
      this.findings = [];
      this.tokens = null;
      this.line = 0;
      this.layer = element("pre", null, null, "layer");
      this.layer.setAttribute("aria-hidden", "true");
      const box = element("div", null, null, "code-editor");
      area.replaceWith(box);
      box.append(this.layer, area);
      area.addEventListener("scroll", () => this.scroll());
      area.addEventListener("input", () => { this.tokens = null; this.findings = []; this.line = 0; this.draw(); });
      this.draw();
    }
    scroll() {
      this.layer.scrollTop = this.area.scrollTop;
      this.layer.scrollLeft = this.area.scrollLeft;
    }
    draw() {
      const text = this.area.value;
      const marks = this.findings.filter((one) => one.line > 0).map((one) => [...range(text, one), one.severity]);
      const cuts = new Map();
      const cut = (at) => { if (!cuts.has(at)) cuts.set(at, ""); };
      cut(0);
      let at = 0;
      for (let n = 0; this.tokens && n < this.tokens.length; n += 2) {
        cuts.set(at, this.tokens[n + 1]);
        at += this.tokens[n];
      }
      const colours = [...cuts.keys()].sort((a, b) => a - b);
      const places = new Set(colours);
      for (const [start, end] of marks) { places.add(start); places.add(end); }
      const current = this.line ? [offset(text, this.line, 1), offset(text, this.line + 1, 1)] : null;
      if (current) current.forEach((one) => places.add(one));
      const sorted = [...places].filter((one) => one <= text.length).sort((a, b) => a - b);
      const parts = [];
      let colour = "";
      sorted.forEach((start, n) => {
        if (cuts.has(start)) colour = cuts.get(start);
        const end = n + 1 < sorted.length ? sorted[n + 1] : text.length;
        if (start === end) return;
        const kinds = colour ? ["t-" + colour] : [];
        for (const [from, to, severity] of marks) if (from <= start && start < Math.max(to, from + 1)) kinds.push("m-" + severity);
        if (current && current[0] <= start && start < current[1]) kinds.push("current");
        parts.push(kinds.length ? element("span", text.slice(start, end), null, kinds.join(" ")) : text.slice(start, end));
      });
      // A text that ends with a line break has one more line.
      this.layer.replaceChildren(...parts, "\n\n");
      this.area.classList.toggle("coloured", this.tokens !== null);
      this.scroll();
    }
    // Colours the text. Nothing is loaded for that.
    async colour() {
      const text = this.area.value;
      if (!ready) return;
      const answer = await call({ command: "tokens", text });
      if (text === this.area.value && answer.tokens) { this.tokens = answer.tokens; this.draw(); }
    }
    select(one) {
      const [start, end] = range(this.area.value, one);
      this.area.focus();
      this.area.setSelectionRange(start, end);
      this.reveal(one.line);
    }
    step(line) {
      this.line = line;
      this.draw();
      if (line) this.reveal(line);
    }
    // Scrolls to a line, below three lines before it.
    reveal(line) {
      const height = this.area.scrollHeight / Math.max(this.area.value.split("\n").length, 1);
      this.area.scrollTop = Math.max(0, (line - 4) * height);
    }
  }

  const findings = (all, output, layer) => {
    const list = element("ul", null, output, "findings");
    for (const one of all) {
      const item = element("li", null, list);
      element("strong", one.severity + " " + one.code + ": ", item);
      const place = one.line ? "line " + one.line + ", column " + one.column : "";
      if (layer && one.line) {
        const link = element("a", place, item);
        link.href = "#" + layer.area.id;
        link.addEventListener("click", (event) => { event.preventDefault(); layer.select(one); });
        item.append(": ");
      } else if (place) item.append(place + ": ");
      else if (one.file) item.append(one.file + ": ");
      item.append(one.message + (one.help ? " (" + one.help + ")" : ""));
    }
  };
  const summary = (all) => {
    const count = (severity) => all.filter((one) => one.severity === severity).length;
    const parts = ["error", "warning", "note"].map((one) => [one, count(one)]).filter(([, n]) => n > 0);
    return parts.length ? parts.map(([one, n]) => n + " " + one + (n === 1 ? "" : "s")).join(", ") : "No findings";
  };

  // Table of a statement's channels, by page and by kernel.
  const results = (one, output) => {
    const table = element("table", null, scrolled("Results of " + one.text, output));
    element("caption", one.text, table);
    const operands = one.channels.length ? one.channels[0].operands : [];
    const head = element("tr", null, element("thead", null, table));
    const title = (text) => { element("th", text, head).scope = "col"; };
    title("Channel");
    for (const operand of operands) {
      const written = "page" in operand || "kernel" in operand;
      title(operand.name + ":" + operand.type + (written ? " before" : ""));
      if ("page" in operand) title("by page");
      if ("kernel" in operand) title("by kernel");
    }
    const body = element("tbody", null, table);
    for (const channel of one.channels) {
      const row = element("tr", null, body);
      element("th", channel.channel, row).scope = "row";
      for (const operand of channel.operands) {
        element("td", operand.before ?? "-", row);
        for (const by of ["page", "kernel"]) {
          if (!(by in operand)) continue;
          element("td", operand[by] ?? "-", row, operand[by] !== operand.before ? "changed" : "");
        }
      }
    }
    for (const by of ["page", "kernel"]) if (one.sent[by]) element("p", by + ": " + one.sent[by], output);
    if (one.differs) element("p", "The page and the kernel give different results.", output);
  };

  // Contents of a buffer, eight numbers in a row.
  const buffer = (one, output) => {
    const name = one.name || "argument " + one.argument;
    const table = element("table", null, scrolled("Buffer " + name, output), "buffer");
    element("caption", name + ": " + one.values.length + " × " + one.type, table);
    const head = element("tr", null, element("thead", null, table));
    element("th", "Index", head).scope = "col";
    for (let n = 0; n < Math.min(8, one.values.length); n += 1) element("th", "+" + n, head).scope = "col";
    const body = element("tbody", null, table);
    for (let at = 0; at < one.values.length; at += 8) {
      const row = element("tr", null, body);
      element("th", at, row).scope = "row";
      for (const value of one.values.slice(at, at + 8)) element("td", String(value), row);
    }
  };

  // Statements of a subgroup, one at a time.
  const stepper = (answer, output, layer) => {
    const steps = answer.steps;
    if (!steps) return;
    const box = element("section", null, output, "stepper");
    box.setAttribute("aria-label", "Steps");
    element("h3", "Steps", box);
    if (steps.length === 0) { element("p", "The subgroup executed nothing, or the launch has no such subgroup.", box); return; }
    const bar = element("p", null, box, "buttons");
    const said = element("p", null, box);
    said.setAttribute("aria-live", "polite");
    const shown = element("div", null, box);
    let at = 0;
    const show = (to) => {
      at = Math.max(0, Math.min(steps.length - 1, to));
      const one = steps[at];
      const mask = one.channels.reduce((sum, channel) => sum + 2 ** channel, 0);
      said.textContent = "Step " + (at + 1) + " of " + steps.length + (one.line ? ", line " + one.line : "") + ": " + one.text;
      shown.replaceChildren();
      element("p", "Mask 0x" + mask.toString(16) + ": " + one.channels.length + " of " + answer.simd + " channels", shown);
      const table = element("table", null, scrolled("Channels of step " + (at + 1), shown));
      element("caption", "Registers before and after", table);
      const head = element("tr", null, element("thead", null, table));
      const title = (text) => { element("th", text, head).scope = "col"; };
      title("Channel");
      one.reads.forEach((operand) => title(operand.name + " read"));
      one.writes.forEach((operand) => { title(operand.name + " before"); title(operand.name + " after"); });
      const body = element("tbody", null, table);
      for (let channel = 0; channel < Math.max(answer.simd, ...one.channels.map((n) => n + 1)); channel += 1) {
        const n = one.channels.indexOf(channel);
        const row = element("tr", null, body, n < 0 ? "off" : "");
        element("th", channel + (n < 0 ? " off" : ""), row).scope = "row";
        for (const operand of one.reads) element("td", operand.values[n] ?? "-", row);
        for (const operand of one.writes) {
          element("td", operand.before?.[n] ?? "-", row);
          const changed = n >= 0 && operand.values[n] !== operand.before?.[n];
          element("td", operand.values[n] ?? "-", row, changed ? "changed" : "");
        }
      }
      buttons.forEach(([one, end]) => { one.setAttribute("aria-disabled", String(end())); });
      layer?.step(one.function === undefined ? one.line : 0);
    };
    const first = () => at === 0;
    const last = () => at === steps.length - 1;
    const buttons = [
      [button("First", bar, () => show(0)), first],
      [button("Back", bar, () => show(at - 1)), first],
      [button("Next", bar, () => show(at + 1)), last],
      [button("Last", bar, () => show(steps.length - 1)), last],
    ];
    if (answer.steps_left) element("p", "Only the first statements were recorded.", box);
    show(0);
  };

  const program = (one, output) => {
    const box = element("details", null, output);
    element("summary", one.name + ": " + one.instructions + " instructions", box);
    const text = element("pre", null, box);
    text.tabIndex = 0;
    element("code", one.text, text);
  };

  const show = (form, answer, output, layer) => {
    if (answer.findings && answer.findings.length > 0) findings(answer.findings, output, layer);
    for (const one of answer.instructions instanceof Array ? answer.instructions : []) results(one, output);
    if (answer.info) {
      element("h3", "Information", output);
      const text = element("pre", null, output);
      text.tabIndex = 0;
      element("code", answer.info.text, text);
    }
    for (const one of answer.programs || []) program(one, output);
    if (answer.results) {
      const count = answer.instructions === null ? "stopped by a fault" : answer.instructions + " instructions";
      element("p", "Ran on " + answer.platform + ", SIMD " + answer.simd + ": " + count + ".", output);
      if (answer.by_page.length > 0) element("p", "Executed by the Semantics of their pages: " + answer.by_page.join(", ") + ".", output);
      if (answer.printf) element("pre", answer.printf, output).tabIndex = 0;
      answer.results.forEach((one) => buffer(one, output));
      stepper(answer, output, layer);
    }
  };

  // Answers into the output of a form, with progress and a button that stops.
  const into = async (form, act, layer) => {
    const output = form.querySelector(".output");
    const status = form.querySelector(".status");
    output.replaceChildren();
    output.setAttribute("aria-busy", "true");
    status.textContent = ready ? "Running… " : "Loading the machine… ";
    const bar = ready ? null : element("progress", null, status);
    bar?.setAttribute("aria-label", "Loading the machine");
    const amount = element("span", "", status);
    amount.setAttribute("aria-hidden", "true");
    const watch = (text, share) => {
      amount.textContent = " " + text + " ";
      if (share !== null && bar) bar.value = share;
    };
    watchers.add(watch);
    button("Stop", status, () => stop("stopped"));
    try {
      const answer = await act();
      status.textContent = answer.error || summary(answer.findings || []);
      if (!answer.error) show(form, answer, output, layer);
      return answer;
    } catch (why) {
      status.textContent = "Failed: " + why.message;
      return null;
    } finally {
      watchers.delete(watch);
      output.removeAttribute("aria-busy");
    }
  };

  let forms = 0;
  const evaluator = (form) => {
    const request = () => {
      const active = Number(form.elements.active.value);
      const set = form.elements.set.value.split("\n").map((line) => line.trim()).filter((line) => line);
      return { command: "eval", text: form.elements.text.value, set, platform: form.elements.platform.value, active };
    };
    // The first statement takes longest, because its page is read: it is executed ahead.
    form.addEventListener("focusin", () => { call(request()).catch(() => {}); }, { once: true });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      into(form, async () => {
        const made = request();
        if (!Number.isInteger(made.active) || made.active < 0 || made.active > 0xffffffff) {
          return { error: "The enabled channels are a number from 0 to 0xffffffff" };
        }
        return call(made);
      }, null);
    });
  };

  const kernel = (form) => {
    const { text, platform, args, file, kernel: names } = form.elements;
    text.id = text.id || "visakit-text-" + (forms += 1);
    const layer = new Layer(text);
    let dropped = null;
    const source = async () => {
      const common = { platform: platform.value };
      if (!dropped) return { ...common, text: text.value };
      const bytes = new Uint8Array(await dropped.arrayBuffer());
      const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
      return { ...common, name: dropped.name, hex };
    };
    const numbers = (value) => value.split(/[\s,x]+/).filter(Boolean).map(Number);
    const own = () => (dropped ? null : layer);
    const mark = (answer) => {
      if (!answer || dropped) return;
      layer.findings = answer.findings || [];
      layer.draw();
      layer.colour();
    };
    const verify = async () => mark(await into(form, async () => call({ command: "inspect", ...await source() }), own()));
    const run = async () => mark(await into(form, async () => {
      const [global, local] = [numbers(form.elements.global.value), numbers(form.elements.local.value)];
      if ([...global, ...local].some((one) => !Number.isInteger(one) || one < 0)) {
        return { error: "Sizes are up to three numbers, separated by commas" };
      }
      const request = { command: "run", ...await source(), global, args: args.value.split("\n").map((line) => line.trim()).filter(Boolean) };
      if (local.length > 0) request.local = local;
      if (names && names.value) request.kernel = names.value;
      if (form.elements.check.checked) request.check = "all";
      if (form.elements.steps.checked) {
        const group = numbers(form.elements.group.value);
        request.steps = { group: [0, 1, 2].map((n) => group[n] || 0), thread: Number(form.elements.thread.value) || 0 };
      }
      return call(request);
    }, own()));
    // Kernels of the file, with sizes and arguments that fit.
    const suggest = async () => {
      const request = { command: "launch", ...await source() };
      if (names && names.value) request.kernel = names.value;
      const answer = await into(form, () => call(request), own());
      if (!answer || answer.error) return;
      if (names) {
        names.replaceChildren(...answer.kernels.map((name) => new Option(name, name, false, name === answer.kernel)));
        names.closest("label").hidden = answer.kernels.length === 0;
      }
      args.value = answer.args.join("\n");
      form.elements.local.value = answer.local ? answer.local.join(",") : "";
      form.elements.global.value = answer.local ? answer.local.join(",") : Math.max(answer.simd, 1);
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const act = event.submitter?.value || "run";
      if (act === "verify") verify();
      else if (act === "suggest") suggest();
      else run();
    });
    // A change is verified once the reader pauses, if the machine is loaded.
    let pause = 0;
    text.addEventListener("input", () => {
      if (file) file.value = "";
      dropped = null;
      clearTimeout(pause);
      pause = setTimeout(async () => {
        if (!ready || dropped || form.querySelector("[aria-busy]")) return;
        const before = text.value;
        try {
          const answer = await call({ command: "inspect", text: before, platform: platform.value });
          if (before !== text.value) return;
          const output = form.querySelector(".live");
          output.replaceChildren(element("p", summary(answer.findings), null));
          if (answer.findings.length) findings(answer.findings, output, layer);
          mark(answer);
        } catch { /* stopped */ }
      }, 400);
    });
    if (!file) return;
    const take = async (one) => {
      dropped = one;
      if (!one) return;
      platform.value = "";
      layer.findings = [];
      layer.draw();
      await verify();
      const output = form.querySelector(".output");
      const shown = [...output.childNodes];
      await suggest();
      // A file that cannot be read has the same findings again.
      const more = [...output.childNodes].filter((one) => !shown.some((known) => known.isEqualNode(one)));
      output.replaceChildren(...shown, ...more);
    };
    file.addEventListener("change", () => take(file.files[0] || null));
    names?.addEventListener("change", suggest);
    form.addEventListener("dragover", (event) => event.preventDefault());
    form.addEventListener("drop", (event) => {
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      take(event.dataTransfer.files[0]);
    });
  };

  for (const section of document.querySelectorAll(".machine")) {
    section.hidden = false;
    // Whoever uses an editor needs the machine soon.
    section.addEventListener("focusin", () => { if (!ready) call(null).catch(() => {}); }, { once: true });
  }
  document.querySelectorAll("form.eval").forEach(evaluator);
  document.querySelectorAll("form.kernel").forEach(kernel);
})();
