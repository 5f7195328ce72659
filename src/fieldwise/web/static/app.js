"use strict";
(() => {
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
