// Completions, from the schema of design files and the names in the design. Ctrl+Space asks for them; arrows choose, Enter takes, Escape closes.

const list = $("words");
const completer = new Desk();
let words = [];
let chosen = -1;
let replaces = 0;
let after = 0;

const closeWords = () => {
  list.hidden = true;
  words = [];
  chosen = -1;
  editor.removeAttribute("aria-activedescendant");
};

const choose = (at) => {
  chosen = at;
  for (const [i, option] of [...list.children].entries()) option.setAttribute("aria-selected", i === at);
  if (at < 0) return editor.removeAttribute("aria-activedescendant");
  editor.setAttribute("aria-activedescendant", `word-${at}`);
  list.children[at].scrollIntoView({ block: "nearest" });
};

const take = (at) => {
  const { text } = words[at];
  const end = editor.selectionStart;
  closeWords();
  replace(end - replaces, end + after, text);
};

/** The place of the cursor in the copy of the text. */
const placeOfCursor = () => {
  const range = document.createRange();
  let left = editor.selectionStart;
  const texts = document.createTreeWalker($("below"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const length = texts.currentNode.length;
    if (left <= length) {
      range.setStart(texts.currentNode, Math.max(left - 1, 0));
      range.setEnd(texts.currentNode, left);
      break;
    }
    left -= length;
  }
  const box = range.getClientRects();
  return box[box.length - 1];
};

const showWords = () => {
  list.replaceChildren(...words.map(({ text, says }, at) =>
    el("li", { id: `word-${at}`, role: "option", "aria-selected": "false", onpointerdown: (event) => (event.preventDefault(), take(at)) },
      el("code", {}, text), el("span", {}, says))));
  list.hidden = false;
  const [cursor, frame] = [placeOfCursor(), $("frame").getBoundingClientRect()];
  list.style.top = `${(cursor?.bottom ?? frame.top) - frame.top + 4}px`;
  list.style.left = `${Math.max(0, Math.min((cursor?.left ?? frame.left) - frame.left, frame.width - list.offsetWidth))}px`;
  say(`${plural(words.length, "completion")}: arrow keys choose, Enter takes.`);
};

const complete = async (isAsked) => {
  const at = editor.selectionStart;
  const design = editor.value;
  const answered = await completer.ask({ ask: "complete", design, at });
  if (!answered?.words || document.activeElement !== editor || editor.selectionStart !== at) return;
  ({ words, replaces, after } = answered);
  const begun = design.slice(at - replaces, at);
  if (words.length === 0 || (!isAsked && (replaces === 0 || words.some(({ text }) => text.trim() === begun)))) return closeWords();
  showWords();
  choose(isAsked ? 0 : -1);
};
const completeSoon = later(120, () => complete(false));

editor.addEventListener("keydown", (event) => {
  if (event.key === " " && event.ctrlKey) {
    event.preventDefault();
    complete(true);
  } else if (!list.hidden) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      choose((chosen + step + words.length) % words.length);
    } else if (event.key === "Enter" && chosen >= 0) {
      event.preventDefault();
      take(chosen);
    } else if (event.key === "Escape") {
      event.preventDefault();
      closeWords();
    }
  }
});
editor.addEventListener("input", (event) => {
  if (list.hidden === false) closeWords();
  if (event.inputType === "insertText" && /[\w"[]/.test(event.data ?? "")) completeSoon();
});
editor.addEventListener("blur", closeWords);
