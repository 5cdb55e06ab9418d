"use strict";
// Tells of a cell that the pointer or the arrow keys are at. Pictures, tables and choices work without.
(() => {
  const data = JSON.parse(document.getElementById("cells").textContent);
  document.getElementById("how").hidden = false;

  const units = [["d", 86400000, Infinity], ["h", 3600000, 24], ["min", 60000, 60], ["s", 1000, 60], ["ms", 1, 1000]];
  const elapsed = (ms) => {
    const parts = units.map(([unit, each, most]) => [Math.floor(ms / each) % most, unit]);
    const first = parts.findIndex(([number]) => number > 0);
    const shown = first < 0 ? [] : parts.slice(first, first + 2).filter(([number]) => number > 0);
    return shown.map(([number, unit]) => `${number} ${unit}`).join(" ") || "0 s";
  };
  const count = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u00a0");

  const words = (grid, measure, row, column) => {
    const at = row * data.columns + column;
    const time = `${elapsed(column * data.step)} to ${elapsed((column + 1) * data.step)}`;
    const place = grid.servers ? grid.labels[row]
      : `from ${grid.labels[row]} to ${row + 1 < grid.labels.length ? `before ${grid.labels[row + 1]}` : "the last key"}`;
    const regions = grid.regions[at];
    if (regions === 0) return `${time}, ${place}: nothing is known.`;
    const rate = grid[measure].rates[at], each = data.each[measure];
    const part = each === null ? "" : `, ${count(Math.round(rate / each * 1000) / 10)} % of what one server takes`;
    const server = grid.servers || rate === 0 ? "" : `, on server ${grid[measure].at[at]}`;
    const hottest = !grid.servers && regions > 1 ? ` The hottest of ${regions} regions.` : "";
    return `${time}, ${place}: ${count(rate)} ${data.units[measure]}/s${part}${server}.${hottest}`;
  };

  for (const cells of document.querySelectorAll(".cells")) {
    const map = cells.closest(".map"), { measure, order } = map.dataset;
    const grid = data.grids[map.dataset.grid];
    const rows = order === "hot" ? grid[measure].hot : grid.labels.map((_, row) => row);
    let told = cells.closest(".view");
    while (!told.classList.contains("told")) told = told.nextElementSibling;
    const ring = document.createElement("div");
    ring.className = "ring";
    ring.hidden = true;
    cells.append(ring);
    cells.tabIndex = 0;
    cells.setAttribute("role", "application");
    cells.setAttribute("aria-roledescription", "heat map");
    cells.setAttribute("aria-label", cells.querySelector("svg").getAttribute("aria-label"));
    cells.setAttribute("aria-describedby", "how");

    let x = 0, y = 0;
    const go = (toX, toY) => {
      x = Math.min(Math.max(toX, 0), data.columns - 1);
      y = Math.min(Math.max(toY, 0), rows.length - 1);
      ring.hidden = false;
      ring.style.left = `${x / data.columns * 100}%`;
      ring.style.width = `${100 / data.columns}%`;
      ring.style.top = `${y / rows.length * 100}%`;
      ring.style.height = `${100 / rows.length}%`;
      told.textContent = words(grid, measure, rows[y], x);
    };
    const point = (event) => {
      const box = cells.getBoundingClientRect();
      go(Math.floor((event.clientX - box.left) / box.width * data.columns),
        Math.floor((event.clientY - box.top) / box.height * rows.length));
    };
    cells.addEventListener("pointermove", point);
    cells.addEventListener("pointerdown", point);
    cells.addEventListener("focus", () => go(x, y));
    cells.addEventListener("blur", () => { ring.hidden = true; });
    cells.addEventListener("pointerleave", () => { ring.hidden = document.activeElement !== cells; });
    const keys = {
      ArrowLeft: () => go(x - 1, y), ArrowRight: () => go(x + 1, y), ArrowUp: () => go(x, y - 1), ArrowDown: () => go(x, y + 1),
      Home: () => go(0, y), End: () => go(data.columns - 1, y), PageUp: () => go(x, y - 10), PageDown: () => go(x, y + 10),
    };
    cells.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(keys, event.key)) return;
      event.preventDefault();
      keys[event.key]();
    });
  }
})();
