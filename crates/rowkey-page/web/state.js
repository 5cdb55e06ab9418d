// What the page shows, as a part of its address.

/** The most bytes of JSON in an address: no more is written, and no more is read. */
const LONGEST = 200_000;

/** The parts of a state that an address can go without. */
const LESS = new Map([["keys", "the keys in Infer"], ["key", "the key in Explain"], ["values", "the values of fields"]]);

const asBytes = (value) => new TextEncoder().encode(JSON.stringify(value));

/** JSON as text: compressed, in base64 for addresses. */
const written = async (json) => {
  const bytes = await through(json, new CompressionStream("deflate-raw"));
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

/** The address's text of a state, none where it is too large, and what is not in it. Large parts are left out first. */
const addressed = async (state) => {
  const size = (value) => asBytes(value).length;
  const kept = { ...state };
  const without = [];
  const parts = [...LESS.keys()].sort((a, b) => size(state[a]) - size(state[b]));
  let json = asBytes(kept);
  const whole = json.length;
  while (json.length > LONGEST && parts.length > 0) {
    const part = parts.pop();
    without.push(LESS.get(part));
    delete kept[part];
    json = asBytes(kept);
  }
  const isTooLarge = json.length > LONGEST;
  const missing = isTooLarge ? "the design" : without.join(", ");
  const told = missing && `Too large for an address: ${whole} bytes of at most ${LONGEST}; not in it: ${missing}.`;
  return { text: isTooLarge ? "" : await written(json), missing, told };
};

const isText = (value) => typeof value === "string";
const textsOf = (value) => Object.fromEntries(Object.entries(Object(value)).filter(([, text]) => isText(text)));

/** The state of a text; an error if it is none. Whatever is not of the kind that is expected is left out. */
const read = async (text) => {
  const bytes = fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
  const json = await through(bytes, new DecompressionStream("deflate-raw"), LONGEST);
  const state = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json));
  if (!isText(state?.design)) throw new Error("no design");
  return { ...textsOf(state), values: textsOf(state.values) };
};
