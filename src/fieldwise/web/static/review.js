"use strict";
(() => {
  const page = document.querySelector("[data-review]");
  if (!page) return;
  const setting = "fieldwise-review-keys";
  const read = () => { try { return localStorage.getItem(setting) !== "off"; } catch { return true; } };
  let keysOn = read();

  // Show the place of the value: scroll its box and its text, not the page.
  const showPlace = () => {
    for (const text of page.querySelectorAll("[data-marked]")) {
      const mark = text.querySelector("mark");
      if (mark) text.scrollTop = mark.offsetTop - text.clientHeight / 2;
    }
  };

  const prepare = () => {
    const toggle = page.querySelector("[data-keys]");
    if (toggle) {
      toggle.hidden = false;
      const box = toggle.querySelector("input");
      box.checked = keysOn;
      box.addEventListener("change", () => {
        keysOn = box.checked;
        try { localStorage.setItem(setting, keysOn ? "on" : "off"); } catch { /* storage is disabled */ }
      });
    }
    showPlace();
  };
  prepare();
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.target !== page) return;
    prepare();
    page.querySelector("#review-item").focus({ preventScroll: true });
    scrollTo({ top: 0 });
  });

  // A second key while a decision is being sent would decide about a comparison that has not been seen yet.
  let sending = false;
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (!page.contains(event.target)) return;
    if (sending) event.preventDefault();
    sending = true;
  });
  document.addEventListener("htmx:afterRequest", () => { sending = false; });

  const isTyping = (node) => node.matches("input:not([type=checkbox]), textarea, select, [contenteditable]");
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.isComposing) return;
    const typed = page.querySelector("#typed");
    if (event.target === typed) {
      if (event.key === "Escape") page.querySelector("#review-item").focus();
      else if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); page.querySelector("[data-enter]").click(); }
      return;
    }
    if (!keysOn || sending || isTyping(event.target)) return;
    const button = page.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    const box = page.querySelector(`[data-focus-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (button && !button.disabled) { event.preventDefault(); button.click(); }
    else if (box && !box.disabled) { event.preventDefault(); box.focus(); box.select(); }
  });
})();
