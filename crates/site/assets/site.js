// Search, platform filter and theme. Every page can be read without this script.
"use strict";
(function () {
  const root = document.body.dataset.root;
  const get = (key) => { try { return localStorage.getItem(key); } catch { return null; } };
  const set = (key, value) => { try { localStorage.setItem(key, value); } catch { /* not stored */ } };
  document.querySelector(".tools").hidden = false;

  // Theme: the system's, light or dark.
  const themes = ["auto", "light", "dark"];
  const button = document.getElementById("site-theme");
  const show = (theme) => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = "Theme: " + theme;
  };
  let theme = themes.includes(get("visa-theme")) ? get("visa-theme") : "auto";
  show(theme);
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    set("visa-theme", theme);
    show(theme);
  });

  // Filter: elements with data-on exist on these platforms only.
  const select = document.getElementById("site-platform");
  const filter = (platform) => {
    for (const one of document.querySelectorAll("[data-on]")) {
      one.hidden = platform !== "" && !one.dataset.on.split(" ").includes(platform);
    }
  };
  const stored = get("visa-platform") || "";
  if ([...select.options].some((option) => option.value === stored)) select.value = stored;
  filter(select.value);
  select.addEventListener("change", () => {
    set("visa-platform", select.value);
    filter(select.value);
  });

  // Search: the index is loaded with the first use.
  const query = document.getElementById("site-query");
  const hits = document.getElementById("site-hits");
  let shown = [];
  let at = -1;
  let loading = null;
  const load = () => {
    loading = loading || new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = root + "assets/names.js";
      script.onload = done;
      script.onerror = failed;
      document.head.append(script);
    });
    return loading;
  };

  // Rank of a name: exact, other word, beginnings, part of the name, description; -1 for no match.
  // A mnemonic is as good as the name of its instruction.
  const rank = (row, word) => {
    const name = row[0].toLowerCase().replace(/^[%.]/, "");
    const others = row[4].toLowerCase().split(" ");
    if (name === word) return 0;
    if (others.includes(word)) return row[1] === 0 ? 0 : 1;
    if (name.startsWith(word)) return 2;
    if (others.some((other) => other.startsWith(word))) return 3;
    if (name.includes(word)) return 4;
    if (word.length > 2 && row[3].toLowerCase().includes(word)) return 5;
    return -1;
  };
  const find = (text) => {
    const words = text.toLowerCase().replace(/^[%.]/, "").split(/[\s(]+/).filter(Boolean);
    if (words.length === 0) return [];
    const found = [];
    for (const row of window.VISA_NAMES.names) {
      const ranks = words.map((word) => {
        const whole = rank(row, word);
        // A statement has modifiers after its word: lsc_load.ugm.
        return whole < 0 && word.includes(".") ? rank(row, word.split(".")[0]) : whole;
      });
      if (ranks.every((one) => one >= 0)) found.push([Math.max(...ranks), row[1], row[0].length, row]);
    }
    found.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || (a[3][0] < b[3][0] ? -1 : 1));
    return found.slice(0, 30).map((one) => one[3]);
  };
  const mark = (next) => {
    at = next;
    [...hits.children].forEach((one, n) => one.setAttribute("aria-selected", String(n === at)));
    const one = hits.children[at];
    if (one) {
      query.setAttribute("aria-activedescendant", one.id);
      one.scrollIntoView({ block: "nearest" });
    } else query.removeAttribute("aria-activedescendant");
  };
  const close = () => {
    hits.hidden = true;
    query.setAttribute("aria-expanded", "false");
    mark(-1);
  };
  const open = (row) => { location.href = root + row[2]; };
  const update = async () => {
    const text = query.value;
    try { await load(); } catch { return; }
    if (text !== query.value) return;
    shown = find(text);
    hits.replaceChildren(...shown.map((row, n) => {
      const one = document.createElement("li");
      one.id = "site-hit-" + n;
      one.setAttribute("role", "option");
      one.setAttribute("aria-selected", "false");
      const name = document.createElement("strong");
      name.textContent = row[0];
      const kind = document.createElement("span");
      kind.className = "soft";
      kind.textContent = window.VISA_NAMES.kinds[row[1]] + (row[3] ? ": " + row[3] : "");
      one.append(name, kind);
      one.addEventListener("mousedown", (event) => { event.preventDefault(); open(row); });
      return one;
    }));
    hits.hidden = shown.length === 0;
    query.setAttribute("aria-expanded", String(shown.length > 0));
    mark(shown.length > 0 ? 0 : -1);
  };
  query.addEventListener("focus", () => { load().catch(() => {}); });
  query.addEventListener("input", update);
  query.addEventListener("blur", close);
  query.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" && shown.length > 0) mark((at + 1) % shown.length);
    else if (event.key === "ArrowUp" && shown.length > 0) mark((at + shown.length - 1) % shown.length);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
  query.form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (shown[at]) open(shown[at]);
  });
  document.addEventListener("keydown", (event) => {
    const busy = event.target.closest("input, select, textarea, [contenteditable]");
    if (event.key === "/" && !busy && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      query.focus();
    }
  });
})();
