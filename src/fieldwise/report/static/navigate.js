"use strict";
// Moving around a page: folded sections, the search palette (Ctrl-K), j and k through cases, choice of columns, long tables.
// Shared by the HTML report and the pages of the server.
(() => {
  const make = (name, text, attributes = {}) => {
    const element = document.createElement(name);
    element.textContent = text;
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const load = (key, fallback) => { try { return JSON.parse(localStorage.getItem(key)) ?? fallback; } catch { return fallback; } };
  const save = (key, value) => { try { localStorage.setItem(key, JSON.stringify(value)); } catch { /* storage is disabled */ } };

  // An address with #section opens that section.
  const reveal = (target) => {
    const own = target.matches("details") ? target : target.querySelector(":scope > details");
    if (own && (target === own || target.matches("section.part"))) own.open = true;
    for (let outer = target.parentElement?.closest("details"); outer; outer = outer.parentElement?.closest("details")) outer.open = true;
    target.scrollIntoView({ block: "start" });
  };
  const revealAddress = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target) reveal(target);
  };
  addEventListener("hashchange", revealAddress);
  if (location.hash) revealAddress();

  // The link of the visible section is marked in the navigation.
  const links = [...document.querySelectorAll("nav.parts a[href^='#']")];
  if (links.length && "IntersectionObserver" in window) {
    const visible = new Set();
    const observer = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) visible.add(entry.target.id); else visible.delete(entry.target.id);
      const current = links.find((link) => visible.has(link.hash.slice(1)));
      for (const link of links) if (link === current) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
    }, { rootMargin: "-60px 0px -55% 0px" });
    for (const link of links) {
      const target = document.getElementById(link.hash.slice(1));
      if (target) observer.observe(target);
      link.addEventListener("click", () => { if (target) setTimeout(() => reveal(target)); });
    }
  }

  // Long tables show their first rows; a button shows the rest.
  const limit = (table) => {
    const button = table.closest(".scroll").nextElementSibling;
    if (!button?.matches(".show-rest[hidden]")) return;
    button.hidden = false;
    button.addEventListener("click", () => { table.classList.add("whole"); button.remove(); });
  };

  // Columns of a table can be hidden; the choice is kept in this browser.
  const chooseColumns = (table) => {
    const key = "fieldwise-columns-" + table.dataset.columns;
    const heads = [...table.tHead.rows[0].cells];
    const apply = () => {
      const hidden = load(key, []);
      for (const row of table.rows) heads.forEach((head, column) => { row.cells[column].hidden = hidden.includes(head.dataset.name); });
    };
    heads.forEach((head) => { head.dataset.name ??= head.textContent.trim(); });
    const box = make("details", "", { class: "choose-columns" });
    box.append(make("summary", "Columns"));
    const list = make("div", "", { role: "group", "aria-label": "Columns to show" });
    for (const head of heads.slice(1)) {
      const label = make("label", "");
      const check = make("input", "", { type: "checkbox" });
      check.checked = !load(key, []).includes(head.dataset.name);
      check.addEventListener("change", () => {
        const hidden = load(key, []).filter((name) => name !== head.dataset.name);
        save(key, check.checked ? hidden : [...hidden, head.dataset.name]);
        document.querySelectorAll(`table[data-columns="${table.dataset.columns}"]`).forEach((each) => each.dispatchEvent(new Event("columns")));
      });
      label.append(check, " " + (head.querySelector("abbr")?.title ?? head.dataset.name));
      list.append(label);
    }
    box.append(list);
    table.addEventListener("columns", apply);
    table.closest(".scroll").before(box);
    apply();
  };

  const setUp = (within) => {
    within.querySelectorAll("table[data-limit]").forEach(limit);
    within.querySelectorAll("table[data-columns]").forEach(chooseColumns);
  };
  setUp(document);
  document.addEventListener("htmx:afterSwap", (event) => setUp(event.target));

  // The palette finds sections, fields, cases and pages.
  const dialog = make("dialog", "", { class: "palette", "aria-label": "Search" });
  const input = make("input", "", { type: "search", role: "combobox", "aria-label": "Search sections, fields and cases", "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false", placeholder: "Section, field or case" });
  const list = make("ul", "", { id: "palette-list", role: "listbox", "aria-label": "Results" });
  const help = make("p", "", { class: "note" });
  dialog.append(input, list, help);
  document.body.append(dialog);
  const keysOn = () => load("fieldwise-keys", true);
  let entries = [];
  let shown = [];
  let chosen = 0;
  const collect = () => {
    const collected = [];
    for (const link of document.querySelectorAll("nav.parts a, .site nav a, .near a")) collected.push({ kind: link.closest(".site") ? "page" : link.closest(".near") ? "case" : "section", text: link.textContent.trim(), go: () => link.click() });
    for (const node of document.querySelectorAll("[data-find]")) {
      const go = node.dataset.find === "field"
        ? () => { node.closest("table").classList.add("whole"); reveal(node); flash(node.closest("tr")); }
        : () => { if (node.href) node.click(); else { reveal(node.closest("details")); node.closest("summary").focus({ preventScroll: true }); } };
      collected.push({ kind: node.dataset.find, text: node.textContent.trim() + (node.dataset.of ? " · " + node.dataset.of : ""), go });
    }
    collected.push({ kind: "setting", text: `Turn the keys j and k ${keysOn() ? "off" : "on"}`, go: () => save("fieldwise-keys", !keysOn()) });
    return collected;
  };
  const flash = (row) => { row.classList.add("found"); setTimeout(() => row.classList.remove("found"), 1600); };
  const mark = () => {
    [...list.children].forEach((option, place) => option.setAttribute("aria-selected", String(place === chosen)));
    const option = list.children[chosen];
    if (option) { input.setAttribute("aria-activedescendant", option.id); option.scrollIntoView({ block: "nearest" }); }
    else input.removeAttribute("aria-activedescendant");
  };
  const search = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    shown = entries.filter((entry) => words.every((word) => (entry.kind + " " + entry.text).toLowerCase().includes(word))).slice(0, 40);
    const run = document.body.dataset.run;
    if (run && input.value.trim()) shown.push({ kind: "cases", text: `All cases whose id contains “${input.value.trim()}”`, go: () => { location.href = run + "?text=" + encodeURIComponent(input.value.trim()) + "#cases"; } });
    list.replaceChildren(...shown.map((entry, place) => {
      const option = make("li", "", { role: "option", id: "palette-" + place });
      option.append(make("span", entry.kind, { class: "note" }), " " + entry.text);
      option.addEventListener("click", () => pick(place));
      return option;
    }));
    help.textContent = shown.length ? "↑ ↓ choose · Enter opens · Esc closes" : "Nothing found.";
    chosen = 0;
    mark();
  };
  const pick = (place) => { const entry = shown[place]; dialog.close(); entry?.go(); };
  const openPalette = () => { entries = collect(); input.value = ""; search(); dialog.showModal(); input.focus(); };
  input.addEventListener("input", search);
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") chosen = Math.min(chosen + 1, shown.length - 1);
    else if (event.key === "ArrowUp") chosen = Math.max(chosen - 1, 0);
    else if (event.key === "Enter") { event.preventDefault(); pick(chosen); return; }
    else return;
    event.preventDefault();
    mark();
  });
  const button = document.getElementById("search");
  if (button) { button.hidden = false; button.addEventListener("click", openPalette); }

  // j and k step through the cases of a list, or from case to case.
  const step = (delta) => {
    const near = document.querySelector(`.near a[rel=${delta > 0 ? "next" : "prev"}]`);
    if (near) { near.click(); return; }
    const steps = [...document.querySelectorAll("[data-step]")];
    if (!steps.length) return;
    const current = steps.findIndex((each) => each.contains(document.activeElement));
    const next = steps[current < 0 ? 0 : Math.min(Math.max(current + delta, 0), steps.length - 1)];
    const target = next.querySelector("summary, a");
    for (let outer = next.parentElement.closest("details"); outer; outer = outer.parentElement.closest("details")) outer.open = true;
    target.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  };
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      if (dialog.open) dialog.close(); else openPalette();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open || !keysOn()) return;
    if (event.target.closest("input, textarea, select, [contenteditable], [data-review]")) return;
    if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
  });
})();
