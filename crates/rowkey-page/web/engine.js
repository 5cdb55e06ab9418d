// Asks the program of the page, which runs in workers.

/** The bytes that a stream is given at a time: what it makes of them is made before any of it can be counted. */
const PIECE = 4096;

/** Bytes, piece by piece as they are asked for. */
const pieces = (bytes) => {
  let at = 0;
  const pull = (to) => {
    if (at >= bytes.length) return to.close();
    to.enqueue(bytes.subarray(at, at + PIECE));
    at += PIECE;
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
};

/** What a stream makes of bytes; an error, and no more is read, once that is more than `most` bytes. */
const through = async (bytes, stream, most = Infinity) => {
  const parts = [];
  let length = 0;
  const reader = pieces(bytes).pipeThrough(stream).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    length += part.value.length;
    if (length > most) {
      await reader.cancel();
      throw new Error("too long");
    }
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
};

const fromBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

const program = through(fromBase64($("program").textContent.trim()), new DecompressionStream("gzip")).then((bytes) => WebAssembly.compile(bytes));
const workerCode = URL.createObjectURL(new Blob([$("worker").textContent], { type: "text/javascript" }));

/** The longest that a question may take, in milliseconds. */
const PATIENCE = 60_000;

/** A place where one question is worked on at a time. A newer one ends the one before. */
class Desk {
  #worker;
  #drop = () => {};

  /** Ends the question that is worked on. */
  drop() {
    this.#drop();
  }

  /** The response; undefined if another question came. */
  async ask(question) {
    this.#drop();
    let isDropped = false;
    this.#drop = () => (isDropped = true);
    const module = await program;
    if (isDropped) return undefined;
    return new Promise((resolve) => {
      const worker = (this.#worker ??= new Worker(workerCode));
      const end = (response, isLost) => {
        clearTimeout(limit);
        this.#drop = () => {};
        if (isLost) {
          worker.terminate();
          this.#worker = undefined;
        }
        resolve(response);
      };
      const limit = setTimeout(() => end({ fault: "It takes too long: try less." }, true), PATIENCE);
      this.#drop = () => end(undefined, true);
      worker.onmessage = ({ data }) => end(JSON.parse(data), false);
      worker.onerror = (event) => end({ fault: `The program failed: ${event.message}` }, true);
      worker.postMessage({ module, question: JSON.stringify(question) });
    });
  }
}
