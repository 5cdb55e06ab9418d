// What entries of the history were left with, where their addresses do not have it: a browser loads a page anew by the
// address that it had before, and that of an entry that is left already cannot be written.

/** The most entries of which it is kept: the storage of a tab has room for a few of the longest. */
const ENTRIES = 8;

/** The texts of addresses by the numbers of entries, which the tab keeps while the page is loaded anew. */
class Left {
  #texts = new Map();

  constructor() {
    try {
      this.#texts = new Map(JSON.parse(sessionStorage.getItem("left")) ?? []);
    } catch {
      // Nothing was kept, or by somebody else.
    }
  }

  /** Keeps the text that an entry is left with, and the one that its address may still have. */
  keep(entry, text, from) {
    this.#texts.delete(entry);
    this.#texts.set(entry, { text, from });
    for (const oldest of [...this.#texts.keys()].slice(0, -ENTRIES)) this.#texts.delete(oldest);
    this.#store();
  }

  delete(entry) {
    if (this.#texts.delete(entry)) this.#store();
  }

  /** What an entry was left with; undefined if its address has it. */
  taken(entry) {
    const text = this.#texts.get(entry)?.text;
    this.delete(entry);
    return text;
  }

  /** The entry that was left last, if its address had this text: a page that is loaded anew has lost its number. */
  last(from) {
    const [entry, kept] = [...this.#texts].at(-1) ?? [];
    return kept?.from === from ? entry : undefined;
  }

  #store() {
    try {
      sessionStorage.setItem("left", JSON.stringify([...this.#texts]));
    } catch {
      // A browser that keeps nothing: the page has it until it is left.
    }
  }
}

const left = new Left();
