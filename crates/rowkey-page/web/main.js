// The page as a whole: checks the design as it is typed, and keeps its state in the address.

const checker = new Desk();
const mender = new Desk();

const place = (found) => found.place ?? {};

/** A finding, a mistake or a note as an item of the list, with its number in it. */
const item = (found, at) => {
  const { line, column, start, end } = place(found);
  const { severity, edit } = found;
  const remedy = found.remedy?.text ?? found.help;
  const of = `${severity} ${at + 1}`;
  const where = el("button", { type: "button", class: "quiet where", "aria-label": `${line}:${column}, go to ${of}`, onclick: () => goTo(start, end) }, `${line}:${column}`);
  const fix = edit === undefined ? "" : el("button", { type: "button", "aria-label": `Apply the edit of ${of}`, onclick: () => mend(edit) }, "Apply the edit");
  return el("li", {},
    el("p", {}, where, " ", el("strong", { class: `severity ${severity}` }, severity), " ", found.rule ? el("span", { class: "muted" }, `${found.rule}, ${found.of ?? found.table}: `) : "", found.message),
    found.witness?.length ? el("ul", { class: "witness" }, ...found.witness.map((line) => el("li", {}, line))) : "",
    remedy ? el("p", { class: "remedy" }, remedy, " ", fix) : "");
};

/** The items of the list: what is wrong first, and what says nothing against the design last. */
const itemsOf = ({ problems = [], findings = [], notes = [] }) => [
  ...problems.map((found) => ({ ...found, severity: "error" })),
  ...findings.map((found, at) => ({ ...found, edit: found.remedy?.edits.length ? at : undefined })),
  ...notes.map((found) => ({ ...found, severity: "note" })),
];

const mend = async (finding) => {
  const design = editor.value;
  const answered = await mender.ask({ ask: "fix", design, today: today(), finding });
  if (answered?.fault) return say(answered.fault);
  if (!answered || editor.value !== design) return;
  for (const { start, end, text } of answered.edits) replace(start, end, text);
  say("The edit is applied. The editor can undo it.");
};

/** The counts of all that was found, and how many of them are shown. */
const told = ({ summary, tables }, shown) => {
  const { problems, errors = 0, warnings = 0, notes = 0, remarks = 0 } = summary;
  const all = problems + errors + warnings + notes + remarks;
  if (all === 0) return "Nothing to say: no finding";
  const counts = [plural(problems + errors, "error"), plural(warnings, "warning"), plural(notes + remarks, "note")];
  const found = tables ? counts.join(", ") : `${plural(problems, "mistake")}: not a design yet`;
  return shown < all ? `${found}; the first ${shown} of ${all} are shown` : found;
};

const check = async () => {
  const design = editor.value;
  const answered = await checker.ask({ ask: "check", design, today: today() });
  if (answered === undefined) return;
  const items = itemsOf(answered);
  marks = items.map((found) => ({ ...place(found), severity: found.severity }));
  draw();
  $("summary").textContent = answered.fault ? "The program failed" : told(answered, items.length);
  $("findings").replaceChildren(...(answered.fault ? [el("li", {}, fault(answered.fault))] : items.map(item)));
  if (answered.tables) return judge(design, answered.tables);
  const why = answered.fault ? "The design was not judged" : "The design has a mistake";
  $("stale").textContent = `${why}: ${judged ? "what is here is of the last one without" : "nothing follows from it yet"}.`;
};
const checkSoon = later(120, check);

/** Has the panels show what follows from a design. */
const judge = (design, found) => {
  const before = wantedTable();
  if (found.length === 0) clear(ofDesign);
  judged = design;
  tables = found;
  $("stale").textContent = "";
  $("table").replaceChildren(...tables.map(({ name }) => el("option", { value: name, selected: name === before }, name)));
  $("pick").hidden = tables.length < 2;
  renew();
};

/** The table that is chosen, or is to be when the design is judged. */
const wantedTable = () => tableName() || $("table").dataset.wanted;

const stateNow = () => ({ design: editor.value, tab: shown, table: wantedTable(), values: Object.fromEntries(values), key: $("pasted").value, form: $("form").value, language: $("language").value, keys: $("keys").value });

/** The number of the history's entry that is shown. Its address changes, the number does not. */
let entry;
/** False once the history is at another entry, of which the page was not told yet. */
const isHere = () => history.state?.entry === entry;

let turn = 0;
/** True if the address is not of the state of now, or can't hold it. */
let isPending = false;
let isLost = false;

const addressOf = (text) => `${location.href.split("#")[0]}${text && `#${text}`}`;

const write = (text, told) => {
  history.replaceState({ entry }, "", addressOf(text));
  left.delete(entry);
  isPending = false;
  isLost = text === "";
  $("left-out").textContent = isLost ? `${told} Save it as a file.` : told;
};

/** Writes the state into the address, but for what is too large, and returns it. */
const keep = async () => {
  turn += 1;
  const mine = turn;
  const { json, missing, told } = fitted(stateNow());
  const text = json ? forAddress(await compressed(json)) : "";
  if (mine === turn && isHere()) write(text, told);
  return { address: addressOf(text), text, missing };
};
const keepLater = later(400, () => isPending && isHere() && keep());
const keepSoon = () => {
  turn += 1;
  isPending = true;
  keepLater();
};

/** Writes what is not written yet, at once: the page, or this entry of the history, is left. */
const keepNow = () => {
  if (!isPending) return;
  turn += 1;
  const { json, told } = fitted(stateNow());
  const [from, text] = [location.hash.slice(1), json ? forAddress(stored(json)) : ""];
  if (isHere()) write(text, told);
  isPending = false;
  if (text) left.keep(entry, text, from);
};

/** The address's text of the entry that is come to: of what it was left with, if its address does not have that. */
const entered = (known) => {
  entry = history.state?.entry ?? known ?? Math.random();
  const text = left.taken(entry) ?? location.hash.slice(1);
  history.replaceState({ entry }, "", addressOf(text));
  return text;
};

const copyLink = async () => {
  const { address, text, missing } = await keep();
  if (!text) return say("Not copied: the design is too large for an address.");
  const copied = missing ? `Copied: the address holds the design, but not ${missing}.` : "Copied: the address holds the design and what you typed.";
  return copy(address, copied, `Copy the address of this page by hand: it holds the design${missing ? `, but not ${missing}` : " and what you typed"}.`);
};

const show = (state) => {
  clear(Object.keys(panels));
  judged = "";
  values = new Map(Object.entries(state.values ?? {}));
  editor.value = state.design;
  $("pasted").value = state.key ?? "";
  $("keys").value = state.keys ?? "";
  for (const id of ["form", "language"]) if (state[id]) $(id).value = state[id];
  for (const id of ["form", "language"]) if ($(id).selectedIndex < 0) $(id).selectedIndex = 0;
  $("table").dataset.wanted = state.table ?? "";
  marks = [];
  draw();
  showTab(state.tab ?? shown);
  check();
};

const examples = JSON.parse($("examples").textContent);
const start = async (text) => {
  turn += 1;
  isPending = false;
  isLost = false;
  $("left-out").textContent = "";
  say("");
  if (text === "") return show(examples[0]);
  try {
    show(await read(text));
  } catch {
    show(examples[0]);
    say("The address holds no state that can be read: this is an example.");
  }
};

editor.addEventListener("input", () => {
  marks = [];
  draw();
  checkSoon();
  keepSoon();
});
for (const tab of tabs) {
  tab.addEventListener("click", () => (showTab(tab.dataset.panel), keepSoon()));
  tab.addEventListener("keydown", (event) => {
    const at = tabs.indexOf(tab);
    const to = tabs.at({ ArrowRight: (at + 1) % tabs.length, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key] ?? NaN);
    if (!["ArrowRight", "ArrowLeft", "Home", "End"].includes(event.key)) return;
    event.preventDefault();
    to.focus();
    to.click();
  });
}
const changes = { pasted: "explain", form: "explain", keys: "infer", language: "code" };
for (const [id, panel] of Object.entries(changes)) $(id).addEventListener("input", () => (soon[panel](), keepSoon()));
$("table").addEventListener("change", () => (renew(), keepSoon()));
$("example").append(...examples.map(({ name }, at) => el("option", { value: at }, name)));
$("example").addEventListener("change", () => (show(examples[$("example").value] ?? examples[0]), keepSoon(), ($("example").selectedIndex = 0)));
$("link").addEventListener("click", copyLink);
addEventListener("beforeunload", (event) => {
  keepNow();
  if (isLost) event.preventDefault();
});
addEventListener("pagehide", keepNow);
addEventListener("visibilitychange", () => document.hidden && keepNow());
addEventListener("hashchange", () => {
  keepNow();
  start(entered());
});
const isAnew = performance.getEntriesByType("navigation")[0]?.type === "reload";
start(entered(isAnew ? left.last(location.hash.slice(1)) : undefined));
