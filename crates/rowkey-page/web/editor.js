// The editor: a text area over a copy of its text, which has the colours and the marks of what was found.

const editor = $("design");
/** Longer texts have no colours. */
const COLOURED = 60_000;
let marks = [];

const TOKENS = /("""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?)|(#[^\n]*)|(^[ \t]*\[\[?[^\]\n]*\]?\]?)|(\b(?:true|false)\b|\b\d[\d_.:TZ-]*)/gm;
const KINDS = ["string", "comment", "header", "number"];

/** The parts of a text: each its start, its end and its kind. */
const coloured = (text) => {
  const parts = [];
  for (const found of text.matchAll(TOKENS)) {
    parts.push({ start: found.index, end: found.index + found[0].length, kind: KINDS[found.slice(1).findIndex((group) => group !== undefined)] });
  }
  return parts;
};

/** Draws the text below, with its colours and marks. */
const draw = () => {
  const text = editor.value;
  const below = $("below");
  if (text.length > COLOURED) {
    below.textContent = `${text}\n`;
    return;
  }
  const parts = coloured(text);
  const ends = new Set([0, text.length]);
  for (const { start, end } of [...parts, ...marks]) ends.add(start).add(Math.max(end, start));
  const cuts = [...ends].filter((end) => end <= text.length).sort((a, b) => a - b);
  const pieces = [];
  let part = 0;
  for (let i = 0; i + 1 < cuts.length; i += 1) {
    const [from, to] = [cuts[i], cuts[i + 1]];
    while (part < parts.length && parts[part].end <= from) part += 1;
    const kind = parts[part]?.start <= from ? parts[part].kind : "";
    const mark = marks.find(({ start, end }) => start <= from && to <= end);
    const piece = text.slice(from, to);
    pieces.push(kind || mark ? el("span", { class: `${kind} ${mark ? `mark ${mark.severity}` : ""}` }, piece) : piece);
  }
  below.replaceChildren(...pieces, "\n");
};

/** Replaces a part of the text as if it were typed, so that it can be undone. */
const replace = (start, end, text) => {
  editor.focus();
  editor.setSelectionRange(start, end);
  const isDone = text === "" ? document.execCommand("delete") : document.execCommand("insertText", false, text);
  if (!isDone) {
    editor.setRangeText(text, start, end, "end");
    editor.dispatchEvent(new Event("input"));
  }
};

const goTo = (start, end) => {
  editor.focus();
  editor.setSelectionRange(start, end);
  const mark = [...$("below").querySelectorAll(".mark")].find((piece) => piece.textContent.startsWith(editor.value.slice(start, start + 1)) && editor.value.slice(start).startsWith(piece.textContent));
  mark?.scrollIntoView({ block: "nearest" });
};
