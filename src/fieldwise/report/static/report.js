"use strict";
(() => {
  const root = document.documentElement;

  // Theme: system, light, dark. Stored if the browser allows it for files.
  const button = document.getElementById("theme");
  const themes = ["system", "light", "dark"];
  const remember = (value) => { try { localStorage.setItem("fieldwise-theme", value); } catch { /* not allowed here */ } };
  const recall = () => { try { return localStorage.getItem("fieldwise-theme"); } catch { return null; } };
  const show = (name) => {
    if (name === themes[0]) delete root.dataset.theme; else root.dataset.theme = name;
    button.textContent = "Theme: " + name;
  };
  let theme = themes.includes(recall()) ? recall() : themes[0];
  if (button) {
    button.hidden = false;
    show(theme);
    button.addEventListener("click", () => {
      theme = themes[(themes.indexOf(theme) + 1) % themes.length];
      show(theme);
      remember(theme);
    });
  }

  // Tables that can be sorted by a click on a column.
  const value = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.sort ?? cell.textContent.trim();
    const number = Number(text);
    return text !== "" && !Number.isNaN(number) ? number : text;
  };
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  for (const table of document.querySelectorAll("table[data-sortable]")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const control = document.createElement("button");
      control.type = "button";
      control.append(...head.childNodes);
      head.append(control);
      control.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((sibling) => sibling.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const body = table.tBodies[0];
        const rows = [...body.rows].sort((a, b) => compare(value(a, column), value(b, column)) * (down ? -1 : 1));
        body.append(...rows);
      });
    });
  }

  // The heatmap is one Tab stop; arrow keys move within it.
  const open = (anchor) => {
    const target = document.getElementById(anchor);
    if (!target) return false;
    target.open = true;
    target.scrollIntoView({ block: "start" });
    target.querySelector("summary").focus({ preventScroll: true });
    return true;
  };
  for (const grid of document.querySelectorAll("table[data-heatmap]")) {
    const number = grid.dataset.heatmap;
    const data = JSON.parse(document.getElementById("heat-" + number).textContent);
    const readout = document.getElementById("readout-" + number);
    const rows = [...grid.tBodies[0].rows].map((row) => [...row.cells].slice(1));
    const width = rows[0].length;
    const names = [...grid.tHead.rows[0].cells].slice(1).map((head) => head.firstElementChild.title);
    const place = (cell) => [cell.parentElement.sectionRowIndex, cell.cellIndex - 1];
    readout.hidden = false;
    rows.flat().forEach((cell, index) => { cell.tabIndex = index === 0 ? 0 : -1; });
    const part = (text, name) => { const made = document.createElement(name); made.textContent = text; return made; };
    const describe = (cell) => {
      const [row, column] = place(cell);
      const details = data.cells[row * width + column];
      const what = cell.title.slice(cell.title.lastIndexOf(": ") + 2);
      const parts = [part(names[column], "b"), " ", part(cell.parentElement.cells[0].textContent, "code"), " " + what];
      if (details) {
        const [similarity, expected, actual, cause] = details;
        parts.push(" · expected ", part(expected, "code"), " actual ", part(actual, "code"));
        if (similarity) parts.push(" · similarity " + similarity);
        if (cause) parts.push(" · likely cause: " + cause);
      }
      readout.replaceChildren(...parts);
    };
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const go = (from, row, column) => {
      const cell = rows[Math.min(Math.max(row, 0), rows.length - 1)][Math.min(Math.max(column, 0), width - 1)];
      from.tabIndex = -1;
      cell.tabIndex = 0;
      cell.focus();
      cell.scrollIntoView({ block: "nearest", inline: "nearest" });
    };
    grid.addEventListener("focusin", (event) => { if (event.target.tagName === "TD") describe(event.target); });
    grid.addEventListener("mouseover", (event) => { if (event.target.parentElement.parentElement === grid.tBodies[0] && event.target.tagName === "TD") describe(event.target); });
    grid.addEventListener("click", (event) => {
      if (event.target.tagName === "TD" && event.target.tabIndex !== undefined && event.target.closest("tbody")) {
        const current = grid.querySelector("td[tabindex='0']");
        const [row, column] = place(event.target);
        go(current, row, column);
      }
    });
    grid.addEventListener("keydown", (event) => {
      if (event.target.tagName !== "TD") return;
      const [row, column] = place(event.target);
      const step = steps[event.key];
      if (step) go(event.target, row + step[0], column + step[1]);
      else if (event.key === "Home") go(event.target, event.ctrlKey ? 0 : row, 0);
      else if (event.key === "End") go(event.target, event.ctrlKey ? rows.length - 1 : row, width - 1);
      else if (event.key === "Enter") { if (!open("case-" + data.anchors[column])) return; }
      else return;
      event.preventDefault();
    });
  }

  // Unfold everything for printing, and fold it again afterwards.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    folded.forEach((section) => { section.open = true; });
  });
  addEventListener("afterprint", () => folded.forEach((section) => { section.open = false; }));
})();
