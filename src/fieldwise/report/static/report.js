"use strict";
// Theme, sortable tables, heatmap, print. Shared by the HTML reports and the pages of the server.
(() => {
  const root = document.documentElement;

  // Theme: system, light, dark. Stored if the browser allows it.
  const button = document.getElementById("theme");
  const themes = ["system", "light", "dark"];
  const remember = (value) => { try { localStorage.setItem("fieldwise-theme", value); } catch { /* not allowed here */ } };
  const recall = () => { try { return localStorage.getItem("fieldwise-theme"); } catch { return null; } };
  const showTheme = (name) => {
    if (name === themes[0]) delete root.dataset.theme; else root.dataset.theme = name;
    (button.querySelector(".words") ?? button).textContent = "Theme: " + name;
  };
  let theme = themes.includes(recall()) ? recall() : themes[0];
  if (button) {
    button.hidden = false;
    showTheme(theme);
    button.addEventListener("click", () => {
      theme = themes[(themes.indexOf(theme) + 1) % themes.length];
      showTheme(theme);
      remember(theme);
    });
  }

  // Tables that can be sorted by a click on a column.
  const readCell = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.sort ?? cell.textContent.trim();
    const number = Number(text);
    return text !== "" && !Number.isNaN(number) ? number : text;
  };
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  const makeSortable = (table) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      if (!head.textContent.trim()) return;
      const control = document.createElement("button");
      control.type = "button";
      control.append(...head.childNodes);
      head.append(control);
      control.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((sibling) => sibling.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const body = table.tBodies[0];
        body.append(...[...body.rows].sort((a, b) => compare(readCell(a, column), readCell(b, column)) * (down ? -1 : 1)));
      });
    });
  };

  // The heatmap is one Tab stop; arrow keys move within it, Enter opens the case: a page, or a section of this one.
  const part = (text, name) => { const made = document.createElement(name); made.textContent = text; return made; };
  const openSection = (id) => {
    const target = document.getElementById(id);
    if (!target) return false;
    target.open = true;
    target.scrollIntoView({ block: "start" });
    target.querySelector("summary").focus({ preventScroll: true });
    return true;
  };
  const enliven = (grid) => {
    const box = grid.closest(".heat").parentElement;
    const cells = JSON.parse(grid.dataset.cells ?? box.querySelector("script[type='application/json']").textContent);
    const readout = box.querySelector(".readout");
    const rows = [...grid.tBodies[0].rows].map((row) => [...row.cells].slice(1));
    const heads = [...grid.tHead.rows[0].cells].slice(1);
    const width = heads.length;
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const place = (cell) => [cell.parentElement.sectionRowIndex, cell.cellIndex - 1];
    const inside = (node) => node.tagName === "TD" && grid.tBodies[0].contains(node);
    readout.hidden = false;
    rows.flat().forEach((cell, index) => { cell.tabIndex = index === 0 ? 0 : -1; });
    const describe = (cell) => {
      const [row, column] = place(cell);
      const example = cells[row * width + column];
      const what = cell.title.slice(cell.title.lastIndexOf(": ") + 2);
      const parts = [part(heads[column].firstElementChild.title, "b"), " ", part(cell.parentElement.cells[0].title, "code"), " " + what];
      if (example) {
        const [similarity, expected, actual, cause] = example;
        parts.push(" · expected ", part(expected || "nothing", "code"), " actual ", part(actual || "nothing", "code"));
        if (similarity) parts.push(" · similarity " + similarity);
        if (cause) parts.push(" · likely cause: " + cause);
      }
      readout.replaceChildren(...parts);
    };
    const go = (row, column) => {
      const cell = rows[Math.min(Math.max(row, 0), rows.length - 1)][Math.min(Math.max(column, 0), width - 1)];
      grid.querySelector("td[tabindex='0']").tabIndex = -1;
      cell.tabIndex = 0;
      cell.focus();
      cell.scrollIntoView({ block: "nearest", inline: "nearest" });
    };
    const isPage = (cell) => !heads[place(cell)[1]].dataset.href.startsWith("#");
    const visit = (cell) => {
      const href = heads[place(cell)[1]].dataset.href;
      if (href.startsWith("#")) return openSection(href.slice(1));
      location.href = href + "&field=" + encodeURIComponent(cell.parentElement.cells[0].dataset.field) + "#place";
      return true;
    };
    grid.addEventListener("focusin", (event) => { if (inside(event.target)) describe(event.target); });
    grid.addEventListener("mouseover", (event) => { if (inside(event.target)) describe(event.target); });
    grid.addEventListener("click", (event) => {
      if (!inside(event.target)) return;
      if (isPage(event.target)) visit(event.target); else go(...place(event.target));
    });
    grid.addEventListener("keydown", (event) => {
      if (!inside(event.target)) return;
      const [row, column] = place(event.target);
      const step = steps[event.key];
      if (step) go(row + step[0], column + step[1]);
      else if (event.key === "Home") go(event.ctrlKey ? 0 : row, 0);
      else if (event.key === "End") go(event.ctrlKey ? rows.length - 1 : row, width - 1);
      else if (event.key !== "Enter" || !visit(event.target)) return;
      event.preventDefault();
    });
  };

  const setUp = (within) => {
    const all = (what) => (within.matches?.(what) ? [within] : [...within.querySelectorAll(what)]);
    all("table[data-sortable]").forEach(makeSortable);
    all("table[data-heatmap]").forEach(enliven);
  };
  setUp(document);
  document.addEventListener("htmx:afterSwap", (event) => setUp(event.target));

  // Unfold everything for printing, and fold it again afterwards.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    folded.forEach((section) => { section.open = true; });
  });
  addEventListener("afterprint", () => folded.forEach((section) => { section.open = false; }));
})();
