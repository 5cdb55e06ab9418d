// Elements by hand. Text is always text: nothing of a design or a key becomes markup.

const $ = (id) => document.getElementById(id);

/** An element with attributes and children, which are elements or text. */
const el = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
};

const plural = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** Calls a function a while after the last call. */
const later = (milliseconds, call) => {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...given), milliseconds);
  };
};

const say = (text) => ($("status").textContent = text);

const fault = (text) => el("p", { class: "fault" }, text);

/** A table in a part that scrolls. */
const table = (label, head, rows) =>
  el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
    el("table", { "aria-label": label },
      el("thead", {}, el("tr", {}, ...head.map((text) => el("th", { scope: "col" }, text)))),
      el("tbody", {}, ...rows.map((row) => el("tr", { class: row.class }, ...row.cells.map((cell, at) => (at ? el("td", {}, cell) : el("th", { scope: "row" }, cell))))))));

/** Copies a text, and says that it did, or what to do where the browser refuses. */
const copy = async (text, copied, refused) => {
  try {
    await navigator.clipboard.writeText(text);
    say(copied);
  } catch {
    say(refused);
  }
};

const copyButton = (text, what) => {
  const refused = `The browser does not let this page copy: select ${what} and copy by hand.`;
  return el("button", { type: "button", class: "quiet", onclick: () => copy(text(), `Copied ${what}.`, refused) }, `Copy ${what}`);
};
