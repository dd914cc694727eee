// The theme of a page, which the button at its top changes.
(() => {
  "use strict";
  // Theme: that of the system until somebody chooses. A page that was opened from
  // a disk may be denied a memory.
  const themes = ["auto", "light", "dark"];
  const remember = (value) => { try { localStorage.setItem("mcp-conform-theme", value); } catch { /* not remembered */ } };
  const remembered = () => { try { return localStorage.getItem("mcp-conform-theme"); } catch { return null; } };
  const themeButton = document.querySelector("#theme");
  const setTheme = (theme) => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    themeButton.querySelector("span").textContent = "Theme: " + theme;
    themeButton.dataset.now = theme;
  };
  setTheme(themes.includes(remembered()) ? remembered() : "auto");
  themeButton.hidden = false;
  themeButton.addEventListener("click", () => {
    const next = themes[(themes.indexOf(themeButton.dataset.now) + 1) % themes.length];
    setTheme(next);
    remember(next);
  });
})();
