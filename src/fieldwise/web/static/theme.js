"use strict";
// Before anything is drawn, so that a dark page does not begin with a white one.
try {
  const theme = localStorage.getItem("fieldwise-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch { /* storage is not allowed here */ }
