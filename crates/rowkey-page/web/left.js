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

  keep(entry, text) {
    this.#texts.delete(entry);
    this.#texts.set(entry, text);
    for (const oldest of [...this.#texts.keys()].slice(0, -ENTRIES)) this.#texts.delete(oldest);
    this.#store();
  }

  delete(entry) {
    if (this.#texts.delete(entry)) this.#store();
  }

  /** What an entry was left with; undefined if its address has it. */
  taken(entry) {
    const text = this.#texts.get(entry);
    this.delete(entry);
    return text;
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
