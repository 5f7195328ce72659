"use strict";
// Runs before the first paint, so that a dark page does not flash white.
try {
  const theme = localStorage.getItem("fieldwise-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch { /* storage is disabled */ }
