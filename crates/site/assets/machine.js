// Editors that run statements and inspect files, by the WebAssembly module of the site.
"use strict";
(function () {
  const root = document.body.dataset.root;
  let loading = null;
  // The module is loaded with the first use. After a trap its state is lost, and it is loaded again.
  const load = () => {
    loading = loading || fetch(root + "assets/visakit.wasm").then(async (response) => {
      if (!response.ok) throw new Error("the module cannot be loaded: " + response.status);
      return (await WebAssembly.instantiate(await response.arrayBuffer(), {})).instance.exports;
    });
    loading.catch(() => { loading = null; });
    return loading;
  };
  const call = async (request) => {
    const machine = await load();
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    try {
      const at = machine.visakit_request(bytes.length) >>> 0;
      new Uint8Array(machine.memory.buffer, at, bytes.length).set(bytes);
      const size = machine.visakit_call() >>> 0;
      const answer = new Uint8Array(machine.memory.buffer, machine.visakit_answer() >>> 0, size);
      return JSON.parse(new TextDecoder().decode(answer));
    } catch (why) {
      loading = null;
      throw why;
    }
  };
  window.visakit = call;

  const element = (name, text, parent) => {
    const one = document.createElement(name);
    if (text !== null) one.textContent = text;
    if (parent) parent.append(one);
    return one;
  };
  const findings = (all, output, editor) => {
    if (all.length === 0) return;
    const list = element("ul", null, output);
    for (const one of all) {
      const item = element("li", null, list);
      const place = one.line ? "line " + one.line + ", column " + one.column + ": " : "";
      element("strong", one.severity + " " + one.code + ": ", item);
      item.append(place + one.message + (one.help ? " (" + one.help + ")" : "") + " ");
      if (editor && one.line) {
        const go = element("button", "Go to line " + one.line, item);
        go.type = "button";
        go.addEventListener("click", () => {
          const lines = editor.value.split("\n");
          const start = lines.slice(0, one.line - 1).join("\n").length + (one.line > 1 ? 1 : 0);
          editor.focus();
          editor.setSelectionRange(start, start + lines[one.line - 1].length);
        });
      }
    }
  };
  const results = (one, output) => {
    const scroll = element("div", null, output);
    scroll.className = "scroll";
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "group");
    scroll.setAttribute("aria-label", "Results of " + one.text);
    const table = element("table", null, scroll);
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
          const cell = element("td", operand[by] ?? "-", row);
          if (operand[by] !== operand.before) cell.className = "changed";
        }
      }
    }
    for (const by of ["page", "kernel"]) if (one.sent[by]) element("p", by + ": " + one.sent[by], output);
    if (one.differs) element("p", "The page and the kernel give different results.", output);
  };
  const submit = (form, act) => form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const output = form.querySelector(".output");
    output.replaceChildren(element("p", loading ? "Running…" : "Loading…", null));
    try {
      const answer = await act();
      output.replaceChildren();
      if (answer.error) element("p", answer.error, output);
      else show(form, answer, output);
    } catch (why) {
      output.replaceChildren(element("p", "Failed: " + why.message, null));
    }
  });
  const show = (form, answer, output) => {
    findings(answer.findings, output, form.dataset.file ? null : form.elements.text);
    for (const one of answer.instructions || []) results(one, output);
    for (const one of answer.programs || []) {
      element("h3", one.name + ": " + one.instructions + " instructions", output);
      const text = element("pre", null, output);
      text.tabIndex = 0;
      element("code", one.text, text);
    }
    if (answer.kind && answer.findings.length === 0) output.prepend(element("p", "No findings (" + answer.kind + ").", null));
  };

  for (const section of document.querySelectorAll(".machine")) section.hidden = false;
  for (const form of document.querySelectorAll("form.eval")) {
    submit(form, () => {
      const active = Number(form.elements.active.value);
      if (!Number.isInteger(active) || active < 0 || active > 0xffffffff) {
        return { error: "the enabled channels are a number from 0 to 0xffffffff" };
      }
      const set = form.elements.set.value.split("\n").map((line) => line.trim()).filter((line) => line);
      return call({ command: "eval", text: form.elements.text.value, set, platform: form.elements.platform.value, active });
    });
  }
  for (const form of document.querySelectorAll("form.inspect")) {
    const file = form.elements.file;
    const text = form.elements.text;
    let dropped = null;
    const take = (one) => { dropped = one; form.dataset.file = one ? "yes" : ""; if (one) form.requestSubmit(); };
    file.addEventListener("change", () => take(file.files[0] || null));
    text.addEventListener("input", () => { file.value = ""; take(null); });
    text.addEventListener("dragover", (event) => event.preventDefault());
    text.addEventListener("drop", (event) => {
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      take(event.dataTransfer.files[0]);
    });
    submit(form, async () => {
      const platform = form.elements.platform.value;
      if (!dropped) return call({ command: "inspect", text: text.value, platform });
      const bytes = new Uint8Array(await dropped.arrayBuffer());
      const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
      return call({ command: "inspect", name: dropped.name, hex, platform });
    });
  }
})();
