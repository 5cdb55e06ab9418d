// The panels on the right: each asks its question when it is shown and the design, or what it has of its own, changes.

/** The tables of the design, as the last check of a valid one has them. */
let tables = [];
/** The text that the tables are of. */
let judged = "";
/** The values of fields that were edited, by name. */
let values = new Map();

const today = () => new Date().toISOString().slice(0, 10);
const tableName = () => $("table").value;

const desks = {};

/** Shows a response in a place, or why there is none. A newer question takes the place of one that is worked on. */
const ask = async (name, question, show) => {
  const place = $(`${name}-out`);
  const waits = setTimeout(() => place.setAttribute("aria-busy", "true"), 150);
  const answered = await (desks[name] ??= new Desk()).ask(question);
  clearTimeout(waits);
  if (answered === undefined) return;
  place.removeAttribute("aria-busy");
  place.replaceChildren(...(answered.fault === undefined ? show(answered) : [fault(answered.fault)]));
};

const ofTable = (question) => ({ design: judged, table: tableName(), ...question });

/** An input for each field of the table, with an example of its values. */
const fields = () => {
  const found = tables.find(({ name }) => name === tableName());
  const place = $("fields");
  const shape = JSON.stringify(found?.fields.map((field) => [field.name, field.shape]));
  if (place.dataset.shape === shape) return;
  place.dataset.shape = shape ?? "";
  place.replaceChildren(...(found?.fields ?? []).map((field, at) => {
    const input = el("input", { id: `field-${at}`, name: field.name, value: values.get(field.name) ?? field.example, autocomplete: "off", spellcheck: "false", "aria-describedby": `fault-${at}` });
    input.addEventListener("input", () => {
      values.set(field.name, input.value);
      soon.key();
      keepSoon();
    });
    return el("div", { class: "field" }, el("label", { for: input.id }, field.name, " ", el("code", {}, field.shape)), input, el("p", { class: "fault", id: `fault-${at}` }));
  }));
};

const showKey = () => {
  fields();
  const inputs = [...$("fields").querySelectorAll("input")];
  if (inputs.length === 0) return $("key-out").replaceChildren();
  return ask("key", ofTable({ ask: "key", values: inputs.map((input) => [input.name, input.value]) }), (key) => {
    const faults = new Map(Object.entries(key.faults ?? {}));
    for (const [at, input] of inputs.entries()) {
      const wrong = faults.get(input.name);
      const place = $(`fault-${at}`);
      if (place) place.textContent = wrong ?? "";
      input.setAttribute("aria-invalid", wrong !== undefined);
    }
    return key.faults ? [] : picture(key, "The key");
  });
};

const showExplanation = () => {
  const key = $("pasted").value;
  if (key.trim() === "") return $("explain-out").replaceChildren();
  return ask("explain", ofTable({ ask: "explain", form: $("form").value, key }), (found) => [el("p", { class: "muted" }, `Read as ${found.read_as}.`), ...picture(found, "The pasted key")]);
};

const showMap = () =>
  ask("map", { ask: "map", design: judged, today: today() }, ({ html }) => [...new DOMParser().parseFromString(html, "text/html").body.childNodes]);

const number = (value) => (value === null ? "?" : new Intl.NumberFormat("en", { maximumSignificantDigits: 3 }).format(value));

const showSuggestions = () =>
  ask("suggest", ofTable({ ask: "suggest", today: today() }), (found) => {
    const [best] = found.candidates;
    const queries = best?.queries.map(({ query }) => query) ?? [];
    const rows = found.candidates.map((candidate) => ({
      class: candidate.current ? "current" : undefined,
      cells: [candidate.key + (candidate.current ? " (the design’s own)" : ""), number(candidate.places), `${number(candidate.refused * 100)} %`, number(candidate.key_bytes),
        ...candidate.queries.map((query) => `${number(query.ranges)} / ${query.full_scan ? "all" : number(query.rows_read)}`)],
    }));
    const lines = (title, all) => (all.length ? [el("h3", {}, title), el("ul", {}, ...all.map((line) => el("li", {}, line)))] : []);
    const others = best && !best.current ? [el("h3", {}, "The first as a design"), copyButton(() => best.toml, "the design"), el("pre", { tabindex: 0, role: "region", "aria-label": "The first as a design" }, best.toml)] : [];
    return [
      el("p", {}, `${plural(found.tried, "key")} tried; the best first. Of each query: ranges / rows of one run.`),
      table("Suggested keys", ["key", "writes land in", "refused", "bytes a key", ...queries], rows),
      ...lines(`Why ${best?.key ?? ""} is first`, found.reasons), ...lines("Not well under it either", found.remarks), ...lines("Assumed", found.assumed), ...others,
    ];
  });

const showInferred = () => {
  const keys = $("keys").value;
  if (keys.trim() === "") return $("infer-out").replaceChildren();
  return ask("infer", { ask: "infer", keys }, (found) => {
    const told = el("p", {}, `${plural(found.keys, "key")}, read as ${found.read_as}; ${number(found.kept)} different ones were kept.`);
    const candidates = found.candidates.map((candidate) => el("li", {},
      el("p", {}, el("code", { class: "shape" }, candidate.shape), " ", el("span", { class: "muted" }, `${candidate.certainty}, ${number(candidate.share * 100)} % decode`)),
      el("ul", {}, ...candidate.evidence.map((line) => el("li", {}, line)), ...candidate.against.map((line) => el("li", { class: "against" }, `Against it: ${line}`))),
      candidate.toml ? el("button", { type: "button", class: "quiet", "aria-label": `Make it the design: ${candidate.shape}`, onclick: () => replace(0, editor.value.length, candidate.toml) }, "Make it the design") : ""));
    return [told, found.reason ? fault(`No candidate: ${found.reason}`) : "", el("ol", { class: "candidates" }, ...candidates)];
  });
};

const showCode = () =>
  ask("code", ofTable({ ask: "code", language: $("language").value }), ({ own, files }) => {
    const option = ({ path }) => el("option", {}, path);
    const text = el("pre", { tabindex: 0, role: "region", "aria-label": "Generated code" });
    const select = el("select", { id: "file" }, el("optgroup", { label: "This key" }, ...files.slice(0, own).map(option)), el("optgroup", { label: "Every package" }, ...files.slice(own).map(option)));
    const show = () => (text.textContent = files[select.selectedIndex]?.text ?? "");
    const main = files.slice(0, own).reduce((most, file, at) => (/\.(java|py|go)$/.test(file.path) && file.text.length > (files[most].text.length * /\.(java|py|go)$/.test(files[most].path)) ? at : most), 0);
    select.selectedIndex = main;
    select.addEventListener("change", show);
    show();
    return [el("div", { class: "row" }, el("label", { for: "file" }, "File"), select, copyButton(() => text.textContent, "the file")), text, el("p", { class: "muted" }, `A package of ${plural(files.length, "file")}, with its own runtime: “rowkey codec --lang ${$("language").value}” writes them all.`)];
  });

const panels = { key: showKey, explain: showExplanation, map: showMap, suggest: showSuggestions, infer: showInferred, code: showCode };
/** True if there is something that a panel can be of. */
const hasMatter = (name) => tables.length > 0 || name === "infer";
const soon = Object.fromEntries(Object.entries(panels).map(([name, show]) => [name, later(name === "key" ? 60 : 250, () => hasMatter(name) && show())]));

let shown = "key";
/** Those whose response is of the text that is judged. */
const fresh = new Set();
const refresh = () => {
  if (!hasMatter(shown)) return;
  if (!fresh.has(shown)) soon[shown]();
  fresh.add(shown);
};

/** The panels that show something of the design. */
const ofDesign = Object.keys(panels).filter((name) => name !== "infer");

/** Asks anew for what is shown of the design. */
const renew = () => {
  for (const name of ofDesign) fresh.delete(name);
  refresh();
};

/** Leaves nothing in some panels, and none of the design's tables. */
const clear = (names) => {
  tables = [];
  for (const name of names) {
    fresh.delete(name);
    desks[name]?.drop();
    $(`${name}-out`).removeAttribute("aria-busy");
    $(`${name}-out`).replaceChildren();
  }
  for (const id of ["fields", "table", "stale"]) $(id).replaceChildren();
  $("fields").dataset.shape = "";
  $("pick").hidden = true;
};

const tabs = [...document.querySelectorAll("[role=tab]")];
const showTab = (name) => {
  shown = Object.hasOwn(panels, name) ? name : "key";
  for (const tab of tabs) {
    const is = tab.dataset.panel === shown;
    tab.setAttribute("aria-selected", is);
    tab.tabIndex = is ? 0 : -1;
    $(tab.dataset.panel).hidden = !is;
  }
  $("of-table").hidden = shown === "map" || shown === "infer";
  $("stale").hidden = shown === "infer";
  refresh();
};
