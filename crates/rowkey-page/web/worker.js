// Runs the program of the page: each question in an instance of its own, so that a fault of one is none of the next.
const utf8 = new TextEncoder();

/** The response to a question: what the program writes to standard output when it reads this from standard input. */
const respond = async (module, question) => {
  const input = utf8.encode(question);
  const output = { 1: [], 2: [] };
  let read = 0;
  let memory;
  const view = () => new DataView(memory.buffer);
  const each = (list, count, use) => {
    for (let at = list; at < list + 8 * count; at += 8) {
      use(new Uint8Array(memory.buffer, view().getUint32(at, true), view().getUint32(at + 4, true)));
    }
  };
  const count = (at, number) => (view().setUint32(at, number, true), 0);
  const calls = {
    fd_read(file, list, length, result) {
      const from = read;
      each(list, length, (bytes) => {
        const part = input.subarray(read, read + bytes.length);
        bytes.set(part);
        read += part.length;
      });
      return count(result, read - from);
    },
    fd_write(file, list, length, result) {
      let written = 0;
      each(list, length, (bytes) => {
        output[file]?.push(bytes.slice());
        written += bytes.length;
      });
      return count(result, written);
    },
    environ_sizes_get: (number, bytes) => count(number, 0) || count(bytes, 0),
    environ_get: () => 0,
    // The seeds of hash maps: the same each time.
    random_get: (at, length) => (new Uint8Array(memory.buffer, at, length).fill(7), 0),
    clock_time_get: (clock, precision, at) => (view().setBigUint64(at, BigInt(Date.now()) * 1_000_000n, true), 0),
    sched_yield: () => 0,
    proc_exit(status) {
      throw new Error(`it ended with ${status}`);
    },
  };
  // Of what else the standard library may call, there is nothing: 52 is WASI's “not supported”.
  for (const { name } of WebAssembly.Module.imports(module)) calls[name] ??= () => 52;
  const { exports } = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: calls });
  memory = exports.memory;
  exports._start();
  return new Blob(output[1]).text();
};

onmessage = async ({ data: { module, question } }) => {
  try {
    postMessage(await respond(module, question));
  } catch (fault) {
    postMessage(JSON.stringify({ fault: `The program failed: ${fault.message}` }));
  }
};
