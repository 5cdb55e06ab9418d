// What the page shows, as a part of its address.

/** The longest text that the address keeps, and that is read from one. */
const LONGEST = 200_000;

/** A state as text: JSON, compressed, in base64 for addresses. */
const written = async (state) => {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

const isText = (value) => typeof value === "string";
const textsOf = (value) => Object.fromEntries(Object.entries(Object(value)).filter(([, text]) => isText(text)));

/** The state of a text; an error if it is none. Whatever is not of the kind that is expected is left out. */
const read = async (text) => {
  const bytes = fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
  const json = await through(bytes, new DecompressionStream("deflate-raw"), LONGEST);
  const state = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json));
  if (!isText(state?.design)) throw new Error("no design");
  const found = textsOf(state);
  found.values = textsOf(state.values);
  return found;
};
