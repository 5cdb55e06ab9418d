// The picture of a key: each byte, and what it means when it is pointed at or has the focus.

/** The bytes that are shown of a longer key. */
const SHOWN_BYTES = 512;

const partName = ({ field, shape }) => field || shape;

const meaning = (part, at, byte) => {
  const number = Number.parseInt(byte, 16);
  const sign = number > 32 && number < 127 ? `, “${String.fromCharCode(number)}”` : "";
  return `Byte ${at}: ${byte}, ${number}${sign}. ${partName(part)}: ${part.shape}${part.value === "" ? "" : ` = ${part.value}`}${part.note ? ` (${part.note})` : ""}`;
};

/** The picture, a table of its parts and the key in every form. */
const picture = (key, label) => {
  const told = el("p", { class: "told" }, "Point at a byte, or go to one with Tab and the arrow keys.");
  const buttons = [];
  const show = (at) => {
    const { part, index, byte } = buttons[at];
    told.textContent = meaning(key.parts[part], index, byte);
    for (const other of buttons) other.button.classList.toggle("same", other.part === part);
  };
  const groups = key.parts.map((part, number) => {
    const bytes = (part.hex.match(/../g) ?? []).slice(0, Math.max(0, SHOWN_BYTES - part.start));
    const cells = bytes.map((byte, offset) => {
      const at = buttons.length;
      const index = part.start + offset;
      const button = el("button", { type: "button", tabindex: at === 0 ? 0 : -1, "aria-label": meaning(part, index, byte), onfocus: () => show(at), onpointerenter: () => show(at) }, byte);
      buttons.push({ button, part: number, index, byte });
      return button;
    });
    return el("div", { class: `part p${number % 6}` }, el("span", { class: "name" }, partName(part)), el("span", { class: "cells" }, ...cells), el("span", { class: "value" }, part.value || part.note || "·"));
  });
  const strip = el("div", { class: "strip-of-bytes", role: "group", "aria-label": `${label}, ${plural(key.bytes, "byte")}` }, ...groups);
  strip.addEventListener("keydown", (event) => {
    const from = buttons.findIndex(({ button }) => button === document.activeElement);
    const to = { ArrowRight: from + 1, ArrowLeft: from - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (from < 0 || to === undefined || !buttons[to]) return;
    event.preventDefault();
    buttons[from].button.tabIndex = -1;
    buttons[to].button.tabIndex = 0;
    buttons[to].button.focus();
  });
  const rows = key.parts.map((part) => ({ cells: [partName(part), part.shape, `${part.start}–${part.end}`, part.value, part.note] }));
  const forms = Object.entries(key.forms).map(([form, text]) => ({ cells: [form, el("code", {}, isText(text) ? text : JSON.stringify(text))] }));
  const parts = [strip, told, table("Parts of the key", ["field", "type", "bytes", "value", "note"], rows), el("h3", {}, "The key as text"), table("Forms of the key", ["form", "key"], forms)];
  if (key.bytes > SHOWN_BYTES) parts.splice(1, 0, el("p", { class: "muted" }, `Of ${key.bytes} bytes the first ${SHOWN_BYTES} are shown.`));
  if (key.error) parts.unshift(fault(`Not a key of this table: ${key.error}`));
  return parts;
};
