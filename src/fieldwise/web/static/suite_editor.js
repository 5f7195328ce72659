"use strict";
(() => {
  const editor = document.querySelector("[data-suite-editor]");
  if (!editor) return;
  const box = editor.querySelector("textarea");
  const gutter = editor.querySelector(".gutter");
  const list = editor.querySelector(".completions");
  const status = editor.querySelector("[data-completion-status]");
  const form = box.form;
  const WAIT = 90;

  // Line numbers, with a sign on lines that have a problem.
  const drawGutter = () => {
    const levels = new Map();
    for (const problem of editor.querySelectorAll("[data-line]")) {
      const line = Number(problem.dataset.line);
      if (levels.get(line) !== "error") levels.set(line, problem.classList[0]);
    }
    const count = box.value.split("\n").length;
    const rows = [];
    for (let line = 1; line <= count; line++) {
      const row = document.createElement("span");
      row.textContent = (levels.has(line) ? { error: "✗ ", warning: "! ", info: "· " }[levels.get(line)] : "") + line + "\n";
      if (levels.has(line)) row.className = levels.get(line);
      rows.push(row);
    }
    gutter.replaceChildren(...rows);
    gutter.scrollTop = box.scrollTop;
  };
  box.addEventListener("scroll", () => { gutter.scrollTop = box.scrollTop; close(); });
  document.addEventListener("htmx:afterSwap", (event) => { if (event.target.id === "suite-checked") drawGutter(); });

  const insert = (text, start = box.selectionStart, end = box.selectionEnd) => {
    box.focus();
    box.setSelectionRange(start, end);
    // Keeps the browser's undo history, which setRangeText does not.
    if (!document.execCommand("insertText", false, text)) {
      box.setRangeText(text, start, end, "end");
      box.dispatchEvent(new Event("input", { bubbles: true }));
    }
  };
  const goToLine = (line) => {
    const lines = box.value.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    box.focus();
    box.setSelectionRange(start, start + (lines[line - 1] ?? "").length);
    box.scrollTop = Math.max(0, (line - 4) * lineHeight());
  };
  editor.addEventListener("click", (event) => {
    const button = event.target.closest("[data-go-to-line]");
    if (button) goToLine(Number(button.dataset.goToLine));
  });

  // Completion: asked of the server, which knows the schema of suites.
  let completion = null;
  let chosen = -1;
  let timer = 0;
  let asked = 0;
  let pending = null;
  const lineHeight = () => parseFloat(getComputedStyle(box).lineHeight);
  const characterWidth = (() => {
    const canvas = document.createElement("canvas").getContext("2d");
    return () => { canvas.font = getComputedStyle(box).font; return canvas.measureText("0").width; };
  })();
  const close = () => {
    clearTimeout(timer);
    asked++;
    list.hidden = true;
    completion = null;
    chosen = -1;
    box.removeAttribute("aria-activedescendant");
  };
  const place = () => {
    const before = box.value.slice(0, completion.start);
    const line = before.split("\n").length - 1;
    const column = before.length - (before.lastIndexOf("\n") + 1);
    const style = getComputedStyle(box);
    const top = (line + 1) * lineHeight() + parseFloat(style.paddingTop) - box.scrollTop;
    const left = column * characterWidth() + parseFloat(style.paddingLeft) - box.scrollLeft + box.offsetLeft;
    list.style.top = top + 4 + "px";
    list.style.left = Math.max(box.offsetLeft, Math.min(left, box.offsetLeft + box.clientWidth - list.offsetWidth)) + "px";
  };
  const choose = (number) => {
    const options = [...list.children];
    chosen = (number + options.length) % options.length;
    options.forEach((option, index) => option.setAttribute("aria-selected", String(index === chosen)));
    options[chosen].scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", options[chosen].id);
  };
  const show = (suggestions) => {
    list.replaceChildren(...suggestions.map((suggestion, index) => {
      const option = document.createElement("li");
      option.id = "completion-" + index;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      const label = document.createElement("code");
      label.textContent = suggestion.label;
      option.append(label);
      if (suggestion.about) {
        const about = document.createElement("span");
        about.textContent = suggestion.about;
        option.append(" ", about);
      }
      option.addEventListener("mousedown", (event) => { event.preventDefault(); accept(index); });
      return option;
    }));
    list.hidden = false;
    list.scrollTop = 0;
    place();
    status.textContent = suggestions.length + (suggestions.length === 1 ? " suggestion" : " suggestions");
  };
  const accept = (number) => {
    const { start, end, suggestions } = completion;
    const text = suggestions[number].text;
    const following = box.value.slice(end, end + 2);
    close();
    insert(text.endsWith(": ") && following.startsWith(":") ? text.slice(0, -2) : text, start, end);
    if (text.endsWith(" ")) ask(true);
  };
  const query = async () => {
    const body = new URLSearchParams({ suite: box.value, cursor: [...box.value.slice(0, box.selectionStart)].length });
    const expected = form.elements.expected?.value;
    if (expected) body.set("expected", expected);
    pending?.abort();
    pending = new AbortController();
    const answer = await fetch("/suite/complete", { method: "POST", body, signal: pending.signal });
    return answer.ok ? answer.json() : null;
  };
  // Positions of the server count code points, those of a text box UTF-16 units.
  const toUnits = (position) => [...box.value].slice(0, position).join("").length;
  const ask = (now = false) => {
    clearTimeout(timer);
    const number = ++asked;
    timer = setTimeout(async () => {
      const answer = await query().catch(() => null);
      if (number !== asked || document.activeElement !== box) return;
      if (!answer?.suggestions.length) { close(); if (now) status.textContent = "no suggestions"; return; }
      completion = { ...answer, start: toUnits(answer.start), end: toUnits(answer.end), size: box.value.length };
      chosen = -1;
      show(answer.suggestions);
    }, now ? 0 : WAIT);
  };

  const indentation = () => {
    const start = box.value.lastIndexOf("\n", box.selectionStart - 1) + 1;
    const line = box.value.slice(start, box.selectionStart);
    const spaces = line.match(/^ */)[0];
    const item = line.slice(spaces.length).match(/^(?:- +)+(?=\S)/);
    return spaces + " ".repeat(item ? item[0].length : 0) + (/:\s*$/.test(line) ? "  " : "");
  };
  box.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === " " && event.ctrlKey) { event.preventDefault(); ask(true); return; }
    if (completion) {
      if (event.key === "ArrowDown") { event.preventDefault(); choose(chosen + 1); return; }
      if (event.key === "ArrowUp") { event.preventDefault(); choose(chosen < 0 ? -1 : chosen - 1); return; }
      if (event.key === "Escape") { event.preventDefault(); close(); return; }
      // Enter takes only what was chosen with the arrow keys: it must stay possible to end a line.
      if (event.key === "Tab" || (event.key === "Enter" && chosen >= 0)) { event.preventDefault(); accept(Math.max(chosen, 0)); return; }
    }
    if (event.key === "Enter" && !event.ctrlKey && !event.shiftKey) {
      event.preventDefault();
      insert("\n" + indentation());
    } else if (event.key === "Enter" && event.ctrlKey) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  // Until the server answers, keep the suggestions that continue what was typed: Tab must not insert at a position of the earlier text.
  const narrow = () => {
    const typed = box.value.slice(completion.start, Math.max(box.selectionStart, completion.start));
    const fitting = completion.suggestions.filter((suggestion) => suggestion.text.startsWith(typed));
    if (box.selectionStart < completion.start || !fitting.length) { close(); return; }
    const end = completion.end + box.value.length - completion.size;
    completion = { ...completion, suggestions: fitting, end, size: box.value.length };
    chosen = -1;
    show(fitting);
  };
  box.addEventListener("input", () => { drawGutter(); if (completion) narrow(); ask(); });
  box.addEventListener("blur", close);
  box.addEventListener("click", close);
  // Loads the schema before it is needed.
  box.addEventListener("focus", () => { query().catch(() => null); }, { once: true });

  // Examples and export of the test page.
  document.querySelector("[data-example-of]")?.addEventListener("change", async (event) => {
    if (!event.target.value) return;
    const answer = await fetch("/suite/example?" + new URLSearchParams({ evaluator: event.target.value }));
    if (!answer.ok) return;
    const example = await answer.json();
    for (const [name, text] of Object.entries(example)) form.elements[name].value = text;
    drawGutter();
    htmx.trigger(box, "check");
  });
  const download = document.querySelector("[data-export-suite]");
  if (download) {
    download.hidden = false;
    download.addEventListener("click", () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([box.value], { type: "application/yaml" }));
      link.download = "test.eval.yaml";
      link.click();
      URL.revokeObjectURL(link.href);
    });
  }
  drawGutter();
})();
