// Worker with the WebAssembly module of the site: it answers requests in order, so that a page never
// freezes. The module is loaded with the first message and kept in the browser's cache.
"use strict";
let machine = null;
let address = "";

// Returns the bytes of the module as a stream of the type that the browser compiles while it
// arrives. A server may have removed the compression already, so the first bytes decide.
const unpacked = async (response) => {
  const total = Number(response.headers.get("content-length")) || 0;
  const reader = response.body.getReader();
  const first = await reader.read();
  let loaded = 0;
  const count = (chunk) => {
    loaded += chunk.length;
    postMessage({ loaded, total });
  };
  const stream = new ReadableStream({
    start(to) {
      if (first.done) return to.close();
      count(first.value);
      to.enqueue(first.value);
    },
    async pull(to) {
      const { done, value } = await reader.read();
      if (done) return to.close();
      count(value);
      to.enqueue(value);
    },
  });
  const packed = !first.done && first.value[0] === 0x1f && first.value[1] === 0x8b;
  const body = packed ? stream.pipeThrough(new DecompressionStream("gzip")) : stream;
  return new Response(body, { headers: { "content-type": "application/wasm" } });
};
const load = () => {
  machine = machine || (async () => {
    const response = await fetch(address, { cache: "force-cache" });
    if (!response.ok) throw new Error("the module cannot be loaded: " + response.status);
    return (await WebAssembly.instantiateStreaming(unpacked(response), {})).instance.exports;
  })();
  machine.catch(() => { machine = null; });
  return machine;
};
const call = async (request) => {
  const { memory, visakit_request, visakit_call, visakit_answer } = await load();
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const at = visakit_request(bytes.length) >>> 0;
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  const size = visakit_call() >>> 0;
  return JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, visakit_answer() >>> 0, size)));
};
onmessage = async ({ data: { id, request, module } }) => {
  if (module) address = module;
  try {
    const answer = request ? await call(request) : (await load(), {});
    postMessage({ id, answer });
  } catch (why) {
    // After a trap the state of the module is lost, and it is loaded again.
    machine = null;
    postMessage({ id, failed: why.message });
  }
};
