"use strict";
(() => {
  const root = document.documentElement;
  const part = (text, name) => { const made = document.createElement(name); made.textContent = text; return made; };

  // Theme: system, light, dark.
  const button = document.getElementById("theme");
  const themes = ["system", "light", "dark"];
  const stored = () => { try { return localStorage.getItem("fieldwise-theme"); } catch { return null; } };
  let theme = themes.includes(stored()) ? stored() : themes[0];
  const show = () => {
    if (theme === themes[0]) delete root.dataset.theme; else root.dataset.theme = theme;
    button.querySelector(".words").textContent = "Theme: " + theme;
  };
  button.hidden = false;
  show();
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    try { localStorage.setItem("fieldwise-theme", theme); } catch { /* storage is disabled */ }
    show();
  });

  // Sortable tables.
  const value = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.sort ?? cell.textContent.trim();
    const number = Number(text);
    return text !== "" && !Number.isNaN(number) ? number : text;
  };
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  const sortable = (table) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      if (!head.textContent.trim()) return;
      const control = document.createElement("button");
      control.type = "button";
      control.append(...head.childNodes);
      head.append(control);
      control.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const body = table.tBodies[0];
        body.append(...[...body.rows].sort((a, b) => compare(value(a, column), value(b, column)) * (down ? -1 : 1)));
      });
    });
  };

  // The heatmap is one tab stop; arrow keys move within it, Enter opens the case.
  const heatmap = (grid) => {
    const box = grid.closest("#map") ?? grid.parentElement.parentElement;
    const cells = JSON.parse(grid.dataset.heatmap);
    const readout = box.querySelector(".readout");
    const rows = [...grid.tBodies[0].rows].map((row) => [...row.cells].slice(1));
    const heads = [...grid.tHead.rows[0].cells].slice(1);
    const width = heads.length;
    const place = (cell) => [cell.parentElement.sectionRowIndex, cell.cellIndex - 1];
    const inside = (node) => node.tagName === "TD" && grid.tBodies[0].contains(node);
    rows.flat().forEach((cell, index) => { cell.tabIndex = index === 0 ? 0 : -1; });
    const describe = (cell) => {
      const [row, column] = place(cell);
      const example = cells[row * width + column];
      const what = cell.title.slice(cell.title.lastIndexOf(": ") + 2);
      const parts = [part(heads[column].firstElementChild.title, "b"), " ", part(cell.parentElement.cells[0].textContent, "code"), " " + what];
      if (example) {
        const [similarity, expected, actual, cause] = example;
        parts.push(" · expected ", part(expected || "nothing", "code"), " actual ", part(actual || "nothing", "code"));
        if (similarity) parts.push(" · similarity " + similarity);
        if (cause) parts.push(" · likely cause: " + cause.replaceAll("_", " "));
      }
      readout.replaceChildren(...parts);
    };
    const visit = (cell) => {
      const field = encodeURIComponent(cell.parentElement.cells[0].dataset.field);
      location.href = heads[place(cell)[1]].dataset.href + "&field=" + field + "#place";
    };
    const go = (from, row, column) => {
      const cell = rows[Math.min(Math.max(row, 0), rows.length - 1)][Math.min(Math.max(column, 0), width - 1)];
      from.tabIndex = -1;
      cell.tabIndex = 0;
      cell.focus();
      cell.scrollIntoView({ block: "nearest", inline: "nearest" });
    };
    grid.addEventListener("focusin", (event) => { if (inside(event.target)) describe(event.target); });
    grid.addEventListener("mouseover", (event) => { if (inside(event.target)) describe(event.target); });
    grid.addEventListener("click", (event) => { if (inside(event.target)) visit(event.target); });
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    grid.addEventListener("keydown", (event) => {
      if (!inside(event.target)) return;
      const [row, column] = place(event.target);
      const step = steps[event.key];
      if (step) go(event.target, row + step[0], column + step[1]);
      else if (event.key === "Home") go(event.target, event.ctrlKey ? 0 : row, 0);
      else if (event.key === "End") go(event.target, event.ctrlKey ? rows.length - 1 : row, width - 1);
      else if (event.key === "Enter") visit(event.target);
      else return;
      event.preventDefault();
    });
  };

  const setUp = (within) => {
    const all = (what) => (within.matches?.(what) ? [within] : [...within.querySelectorAll(what)]);
    all("table[data-sortable]").forEach(sortable);
    all("table[data-heatmap]").forEach(heatmap);
  };
  setUp(document);
  document.addEventListener("htmx:afterSwap", (event) => setUp(event.target));

  // Rows of field strategies.
  const changed = (form) => form?.dispatchEvent(new Event("rows"));
  document.addEventListener("click", (event) => {
    const add = event.target.closest("[data-add]");
    if (add) {
      const list = document.querySelector(add.dataset.add);
      const row = list.querySelector("template").content.cloneNode(true);
      list.append(row);
      list.lastElementChild.querySelector("input").focus();
    }
    const remove = event.target.closest("[data-remove]");
    if (remove) {
      const form = remove.closest("form");
      remove.closest(".strategy").remove();
      changed(form);
    }
    if (event.target.closest("[data-example]")) {
      const example = {
        expected: { name: "John Smith", email: "john@example.com", bio: "Senior engineer with 10 years of experience...", internal_id: null, status: "active" },
        actual: { name: "John Smyth", email: "john@example.com", bio: "Experienced senior engineer, 10+ years...", internal_id: "abc123", extra_field: "surprise" },
      };
      for (const [side, record] of Object.entries(example)) document.getElementById(side).value = JSON.stringify(record, null, 2);
    }
  });

  // Load chosen or dropped files into text boxes.
  const read = async (file, box) => { box.value = await file.text(); };
  document.addEventListener("change", (event) => {
    const into = event.target.dataset?.into;
    if (into && event.target.files.length) read(event.target.files[0], document.getElementById(into));
  });
  for (const zone of document.querySelectorAll("[data-drop]")) {
    zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
    zone.addEventListener("dragleave", () => zone.classList.remove("over"));
    zone.addEventListener("drop", (event) => {
      event.preventDefault();
      zone.classList.remove("over");
      if (event.dataTransfer.files.length) read(event.dataTransfer.files[0], zone.querySelector("textarea"));
    });
  }

  // Progress events of the server. A hidden page closes its stream: browsers allow few connections.
  const progress = document.querySelector("[data-events]");
  if (progress) {
    let key = progress.dataset.key ?? null;
    let events = null;
    const update = (event) => {
      const now = JSON.parse(event.data);
      if (now.html.trim() !== progress.innerHTML.trim()) { progress.innerHTML = now.html; htmx.process(progress); }
      if (key !== null && now.key !== key) {
        if (progress.dataset.refresh) htmx.ajax("GET", location.pathname + location.search, { target: progress.dataset.refresh, select: progress.dataset.refresh, swap: "outerHTML" });
        else location.reload();
      }
      key = now.key;
      if (now.more === false) close();
    };
    const close = () => { events?.close(); events = null; };
    const listen = () => {
      if (events || document.hidden) return;
      events = new EventSource(progress.dataset.events);
      events.addEventListener("progress", update);
    };
    document.addEventListener("visibilitychange", () => { if (document.hidden) close(); else listen(); });
    addEventListener("pagehide", close);
    addEventListener("pageshow", listen);
    listen();
  }
})();
