// What the page shows, as a part of its address.

/** The most bytes of JSON in an address: no more is written, and no more is read. */
const LONGEST = 200_000;

/** The parts of a state that an address can go without. */
const LESS = new Map([["keys", "the keys in Infer"], ["key", "the key in Explain"], ["values", "the values of fields"]]);

const asBytes = (value) => new TextEncoder().encode(JSON.stringify(value));

/** Bytes as text: base64 for addresses. */
const forAddress = (bytes) => {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

const compressed = (bytes) => through(bytes, new CompressionStream("deflate-raw"));

/** The most bytes of a block that deflate stores as they are. */
const BLOCK = 65_535;

/** What `compressed` is read as, without compression: at once, for a page that is left. */
const stored = (bytes) => {
  const blocks = [];
  for (let at = 0; at < bytes.length; at += BLOCK) {
    const block = bytes.subarray(at, at + BLOCK);
    const sizes = new Uint16Array([block.length, ~block.length]);
    blocks.push(at + BLOCK < bytes.length ? 0 : 1, ...[...sizes].flatMap((size) => [size & 0xff, size >> 8]), ...block);
  }
  return blocks;
};

/** The part of a state that an address holds, as JSON; none where it is too large; and what is not in it. Large parts are left out first. */
const fitted = (state) => {
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
  return { json: isTooLarge ? undefined : json, missing, told };
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
