"use strict";
(() => {
  const make = (name, text, kind) => {
    const node = document.createElement(name);
    if (text !== undefined) node.textContent = text;
    if (kind) node.className = kind;
    return node;
  };
  const show = (value) => (value === null || value === undefined ? "–" : value.toFixed(4));
  const words = (value) => (typeof value === "string" ? value : JSON.stringify(value));

  const table = (heads, rows) => {
    const made = make("table");
    const head = made.createTHead().insertRow();
    for (const text of heads) { const cell = make("th", text); cell.scope = "col"; head.append(cell); }
    const body = made.createTBody();
    for (const cells of rows) { const row = body.insertRow(); for (const text of cells) row.insertCell().textContent = text; }
    return made;
  };

  const render = (answer, content) => {
    const gate = (state) => (state ? `${state.passed ? "holds" : "fails"} (${show(state.value)})` : "–");
    const metrics = Object.entries(content.metrics).map(([name, change]) => [name, show(change.before), show(change.after)]);
    const flips = content.flips.map((flip) => [flip.passed ? "✓ passes" : "✗ fails", flip.case, flip.path, words(flip.expected), words(flip.actual)]);
    const parts = [table(["metric", "before", "after"], metrics)];
    if (content.gates.length) parts.push(table(["gate", "before", "after"], content.gates.map((each) => [each.gate, gate(each.before), gate(each.after)])));
    const count = (number, noun, verb) => `${number} ${noun}${number === 1 ? "" : "s"} ${verb}${number === 1 ? "s" : ""}`;
    parts.push(make("p", `${count(content.flip_count, "comparison", "flip")}; ${count(content.case_count, "case", "change")} in score or verdict.`));
    if (flips.length) parts.push(table(["", "case", "field", "expected", "actual"], flips));
    answer.replaceChildren(...parts);
  };

  const prepare = (root) => {
    if (root.dataset.ready) return;
    root.dataset.ready = "yes";
    const answer = root.querySelector("[data-answer]");
    const sliders = [...root.querySelectorAll("input[data-setting]")];
    let timer = 0;
    let asked = 0;
    const ask = async () => {
      const changed = sliders.filter((slider) => slider.dataset.now !== undefined && Number(slider.dataset.now) !== Number(slider.dataset.value));
      const turn = ++asked;
      if (!changed.length) { answer.replaceChildren(); return; }
      const settings = changed.map((slider) => `${slider.dataset.setting}=${slider.dataset.now}`);
      const response = await fetch(root.dataset.whatIf, {
        method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ set: settings, limit: 25 }),
      });
      const content = await response.json();
      if (turn !== asked) return; // a later question is on its way
      if (response.ok) render(answer, content);
      else answer.replaceChildren(...(content.diagnostics ?? []).map((each) => make("p", each.what, "bad")));
    };
    for (const slider of sliders) {
      slider.addEventListener("input", () => {
        // whole steps, so that the number can be written into a suite
        const step = Number(slider.dataset.step);
        slider.dataset.now = String(Number((Math.round(Number(slider.value) / step) * step).toPrecision(6)));
        slider.closest("fieldset").querySelector("output").textContent = slider.dataset.now;
        clearTimeout(timer);
        timer = setTimeout(ask, 150);
      });
    }
  };
  const prepareAll = () => document.querySelectorAll("[data-what-if]").forEach(prepare);
  document.addEventListener("htmx:afterSettle", prepareAll);
  prepareAll();
})();
