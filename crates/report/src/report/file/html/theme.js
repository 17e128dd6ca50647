"use strict";
// The button that changes between light and dark. The choice is kept for the next page, if the browser keeps anything for files.

const THEME = "ananke-theme";

function theme() {
  const { dataset } = document.documentElement;
  try {
    const kept = localStorage.getItem(THEME);
    if (kept === "light" || kept === "dark") dataset.theme = kept;
  } catch {
    // Some browsers keep nothing for files.
  }
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "theme";
  const show = () => (button.textContent = isDark() ? "Light" : "Dark");
  button.addEventListener("click", () => {
    dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem(THEME, dataset.theme);
    } catch {
      // As above.
    }
    show();
  });
  dark.addEventListener("change", show);
  show();
  document.querySelector(".program").append(button);
}

theme();
