// The page as a whole: checks the design as it is typed, and keeps its state in the address.

const checker = new Desk();
const mender = new Desk();

const place = (found) => found.place ?? {};

/** A finding or a problem as an item of the list. */
const item = (found, at) => {
  const { line, column, start, end } = place(found);
  const severity = found.severity ?? "error";
  const remedy = found.remedy?.text ?? found.help;
  const where = el("button", { type: "button", class: "quiet where", "aria-label": `Go to line ${line}`, onclick: () => goTo(start, end) }, `${line}:${column}`);
  const fix = found.remedy?.edits.length ? el("button", { type: "button", onclick: () => mend(at) }, "Apply the edit") : "";
  return el("li", {},
    el("p", {}, where, " ", el("strong", { class: `severity ${severity}` }, severity), " ", found.rule ? el("span", { class: "muted" }, `${found.rule}, ${found.of ?? found.table}: `) : "", found.message),
    found.witness?.length ? el("ul", { class: "witness" }, ...found.witness.map((line) => el("li", {}, line))) : "",
    remedy ? el("p", { class: "remedy" }, remedy, " ", fix) : "");
};

const mend = async (finding) => {
  const design = editor.value;
  const answered = await mender.ask({ ask: "fix", design, today: today(), finding });
  if (answered?.fault) return say(answered.fault);
  if (!answered || editor.value !== design) return;
  for (const { start, end, text } of answered.edits) replace(start, end, text);
  say("The edit is applied. The editor can undo it.");
};

const told = ({ summary, problems, findings }) => {
  if (!findings) return `${plural(summary.problems, "mistake")}: not a design yet`;
  if (findings.length + problems.length === 0) return "Nothing to say: no finding";
  return ["error", "warning", "note"].map((word) => plural(summary[`${word}s`], word)).join(", ");
};

const check = async () => {
  const design = editor.value;
  const answered = await checker.ask({ ask: "check", design, today: today() });
  if (answered === undefined) return;
  const { findings = [], problems = [] } = answered;
  marks = [...problems, ...findings].map((found) => ({ ...place(found), severity: found.severity ?? "error" }));
  draw();
  $("summary").textContent = answered.fault ? "The program failed" : told(answered);
  $("findings").replaceChildren(...(answered.fault ? [el("li", {}, fault(answered.fault))] : [...problems.map(item), ...findings.map((found, at) => item(found, at))]));
  if (!answered.design?.tables) return;
  const before = tableName() || $("table").dataset.wanted;
  tables = answered.design.tables;
  $("table").replaceChildren(...tables.map(({ name }) => el("option", { value: name, selected: name === before }, name)));
  $("pick").hidden = tables.length < 2;
  fresh.clear();
  refresh();
};
const checkSoon = later(120, check);

/** Writes the state into the address. */
const keep = later(400, async () => {
  const pasted = $("keys").value;
  const state = { design: editor.value, tab: shown, table: tableName(), values, key: $("pasted").value, form: $("form").value, language: $("language").value, keys: pasted.length > 20_000 ? "" : pasted };
  if (state.design.length > 100_000) return say("The design is too long for an address: save it as a file.");
  history.replaceState(null, "", `#${await written(state)}`);
});

const show = (state) => {
  values = state.values ?? {};
  editor.value = state.design;
  $("pasted").value = state.key ?? "";
  $("keys").value = state.keys ?? "";
  for (const id of ["form", "language"]) if (state[id]) $(id).value = state[id];
  for (const id of ["form", "language"]) if ($(id).selectedIndex < 0) $(id).selectedIndex = 0;
  $("table").dataset.wanted = state.table ?? "";
  $("table").replaceChildren();
  $("fields").dataset.shape = "";
  marks = [];
  draw();
  showTab(state.tab ?? shown);
  check();
};

const examples = JSON.parse($("examples").textContent);
const start = async () => {
  const text = location.hash.slice(1);
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
  keep();
});
for (const tab of tabs) {
  tab.addEventListener("click", () => (showTab(tab.dataset.panel), keep()));
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
for (const [id, panel] of Object.entries(changes)) $(id).addEventListener("input", () => (soon[panel](), keep()));
$("table").addEventListener("change", () => (fresh.clear(), refresh(), keep()));
$("example").append(...examples.map(({ name }, at) => el("option", { value: at }, name)));
$("example").addEventListener("change", () => (show(examples[$("example").value] ?? examples[0]), keep(), ($("example").selectedIndex = 0)));
$("link").addEventListener("click", () =>
  copy(location.href, "Copied: the address holds the design and what you typed.", "The address of this page holds all of it: copy it by hand."));
addEventListener("hashchange", start);
start();
