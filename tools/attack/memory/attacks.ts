/**
 * @fileoverview Attacks. Each one repeats requests that once crashed the process.
 * @module tools/attack/memory/attacks
 */
import { setTimeout as sleep } from "node:timers/promises";
import { DEFAULT_LIMITS } from "tenon/protocol";
import {
  drained,
  httpCall,
  type HttpTarget,
  httpPost,
  legacyCallBody,
  type Mode,
  type StdioTarget,
} from "./target.js";

/** Size of an attack. The tests use the short version, on a server with half of the heap. */
export interface MemoryScale {
  readonly isShort: boolean;
}

/** Attack over HTTP and stdio. Each method resolves to a problem other than a crash, or to `undefined`. */
export interface Attack {
  readonly name: string;
  /** Servers that the short version attacks. */
  readonly shortModes: readonly Mode[];
  http(target: HttpTarget, scale: MemoryScale): Promise<string | undefined>;
  stdio(target: StdioTarget, scale: MemoryScale): Promise<string | undefined>;
}

const MIB = 1_048_576;
const NO_PROBLEM = undefined;

/** Maximum number of values in a message, by default. */
const MAX_VALUES = DEFAULT_LIMITS.maxValues;

/** Creates an object that is close to the default limits on message size and values. */
function junk(values = MAX_VALUES * 0.9, length = 3 * MIB): object {
  return { items: Array.from({ length: values }, () => ({})), text: "x".repeat(length) };
}

const initializeBody = (id: number, extra: object): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: { experimental: extra, extensions: extra },
      clientInfo: { name: "attacker", version: "1", ...extra },
    },
  });

/** Fills idle sessions with the client data that `initialize` stores. */
const CLIENT_INFO: Attack = {
  name: "1 junk in clientInfo and capabilities",
  shortModes: ["serve"],
  async http(target, { isShort }) {
    const third = junk(MAX_VALUES * 0.3, MIB);
    const body = initializeBody(1, third);
    for (let session = 0; session < (isShort ? 60 : 400); session++) {
      const response = await target.post(body);
      if (response.status !== 200) return `initialize returned status ${response.status}`;
      await response.text();
    }
    if (!isShort) await openSmallSessions(target, 10_000);
    const meta = { "io.modelcontextprotocol/clientCapabilities": { experimental: third } };
    await Promise.all([1, 2, 3].map(() => target.call("echo", { text: "x" }, meta)));
    return NO_PROBLEM;
  },
  async stdio(target, { isShort }) {
    const third = junk(MAX_VALUES * 0.3, MIB);
    for (let count = 0; count < (isShort ? 10 : 50); count++) {
      await target.write(`${initializeBody(count, third)}\n`);
    }
    return NO_PROBLEM;
  },
};

/** Opens the maximum number of sessions, each with the maximum client data. */
async function openSmallSessions(target: HttpTarget, count: number): Promise<void> {
  const settings = Array.from({ length: 100 }, (_, at) => [`${"é–".repeat(15)}${at}`, {}]);
  const body = initializeBody(1, Object.fromEntries(settings));
  const open = async () => {
    for (let session = 0; session < count / 20; session++) await (await target.post(body)).text();
  };
  await Promise.all(Array.from({ length: 20 }, open));
}

/** Sends a body or a line in one-byte chunks. */
const TINY_CHUNKS: Attack = {
  name: "2 bodies in chunks of one byte",
  shortModes: ["serve"],
  async http(target, { isShort }) {
    const connections = isShort ? 1 : 8;
    const bytes = isShort ? 2_000_000 : 4_000_000;
    const piece = "1\r\nx\r\n".repeat(10_000);
    const send = async () => {
      const socket = await target.connect();
      socket.write(httpPost("", { "Transfer-Encoding": "chunked" }));
      for (let sent = 0; sent < bytes && !socket.destroyed; sent += 10_000) {
        if (!socket.write(piece)) await drained(socket);
      }
    };
    await Promise.all(Array.from({ length: connections }, send));
    return NO_PROBLEM;
  },
  async stdio(target, { isShort }) {
    const piece = new Uint8Array([0x20]);
    for (let sent = 0; sent < (isShort ? 20_000 : 200_000); sent++) await target.write(piece);
    await target.write("\n");
    return NO_PROBLEM;
  },
};

/** Makes the server store results for a client that never reconnects. */
const FINISHED_STREAMS: Attack = {
  name: "3 results kept for resumption",
  shortModes: ["serve"],
  async http(target, { isShort }) {
    const sessions = isShort ? 12 : 60;
    for (let session = 0; session < sessions; session++) {
      const opened = await target.post(initializeBody(1, {}));
      await opened.text();
      const headers = {
        "mcp-session-id": opened.headers.get("mcp-session-id") ?? "",
        "mcp-protocol-version": "2025-06-18",
      };
      for (let id = 2; id < 18; id++) {
        const params = { name: "streamed", arguments: { length: 1_500_000 } };
        const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
        const response = await target.post(body, headers);
        await response.text();
      }
    }
    return NO_PROBLEM;
  },
  stdio: () => Promise.resolve(NO_PROBLEM), // stdio does not support resumption
};

/** Requests large responses without reading them. */
const STALLED_READERS: Attack = {
  name: "4 clients that are not reading",
  shortModes: ["fetch"],
  async http(target, { isShort }) {
    const count = isShort ? 16 : 64;
    // The operating system buffers a few megabytes of each response. The server must hold the rest.
    const length = (isShort ? 8 : 20) * MIB;
    for (const tool of ["large", "streamed"]) {
      for (let at = 0; at < count; at++) {
        const socket = await target.connect();
        socket.pause();
        socket.write(httpCall(tool, { length }));
      }
    }
    // The regular client also keeps a few connections open.
    let connected = Infinity;
    for (let tries = 0; tries < 120 && connected > 8; tries++) {
      await sleep(500);
      if ((await target.count("accepted")) >= 2 * count) connected = await target.count("connections");
    }
    return connected > 8 ? `${connected} connections are still open after 60 s` : NO_PROBLEM;
  },
  async stdio(target, { isShort }) {
    target.reads(false);
    for (let id = 0; id < (isShort ? 50 : 200); id++) {
      await Promise.race([target.write(`${legacyCallBody("large", { length: MIB }, id)}\n`), sleep(20)]);
    }
    target.reads(true);
    return NO_PROBLEM;
  },
};

/** Starts calls that never end. */
const HANGING_CALLS: Attack = {
  name: "5 calls that never end",
  shortModes: ["serve"],
  async http(target, { isShort }) {
    const one = await target.connect(true);
    for (let id = 0; id < 20_000 && !one.destroyed; id++) {
      if (!one.write(httpCall("hang", {}, id))) await drained(one, 500);
    }
    const limit = 10_000;
    const running = await target.count("running");
    if (running > limit) return `${running} calls from one connection are in flight`;
    // Stays within the limit per connection, with messages of nearly the maximum size.
    const large = httpCall("hang", junk(MAX_VALUES * 0.9, 2 * MIB));
    const sockets = [];
    for (let at = 0; at < (isShort ? 30 : 120); at++) {
      const socket = await target.connect(true);
      socket.write(large);
      sockets.push(socket);
    }
    await sleep(500);
    const small = httpCall("hang", { items: Array.from({ length: 180 }, () => ({})) });
    for (let at = 0; at < (isShort ? 10 : 80); at++) {
      const socket = await target.connect(true);
      for (let id = 0; id < 100; id++) socket.write(small);
      sockets.push(socket);
    }
    await sleep(1_000);
    for (const socket of [one, ...sockets]) socket.destroy();
    let left = Infinity;
    for (let tries = 0; tries < 240 && left > 0; tries++) {
      await sleep(250);
      left = await target.count("running");
    }
    return left > 0 ? `${left} calls are still in flight 60 s after their clients disconnected` : NO_PROBLEM;
  },
  async stdio(target, { isShort }) {
    const args = { items: Array.from({ length: 3_000 }, () => ({})) };
    for (let id = 0; id < (isShort ? 4_000 : 12_000) && target.death === undefined; id++) {
      await target.write(`${legacyCallBody("hang", args, id)}\n`);
    }
    return NO_PROBLEM;
  },
};

/** Sends messages with more values than the server can check in reasonable time. */
const MANY_VALUES: Attack = {
  name: "6 messages with too many values",
  shortModes: ["fetch"],
  async http(target, { isShort }) {
    for (let round = 0; round < (isShort ? 1 : 10); round++) {
      for (const args of manyValues()) {
        const text = await (await target.call("numbers", args)).text();
        if (!text.includes(String(MAX_VALUES)))
          return `the response does not contain the limit: ${text.slice(0, 200)}`;
      }
    }
    const { slowestMs } = target.honest;
    // The short version also runs on busy machines, where only a call without a response is a problem.
    return !isShort && slowestMs > 5_000 ? `a regular call took ${Math.round(slowestMs)} ms` : NO_PROBLEM;
  },
  async stdio(target) {
    for (const args of manyValues()) {
      const text = await target.request("tools/call", { name: "numbers", arguments: args });
      if (!text.includes(String(MAX_VALUES)))
        return `the response does not contain the limit: ${text.slice(0, 200)}`;
    }
    return NO_PROBLEM;
  },
};

function manyValues(): readonly object[] {
  return [
    { list: Array.from({ length: 900_000 }, () => "x") },
    { map: Object.fromEntries(Array.from({ length: 330_000 }, (_, at) => [at.toString(36), ""])) },
  ];
}

/** Makes handlers return results that cannot be serialized to a valid message. */
const HOSTILE_RESULTS: Attack = {
  name: "7 results that are not JSON",
  shortModes: ["serve", "stdio"],
  async http(target) {
    const opened = await target.post(initializeBody(1, {}));
    await opened.text();
    const session = {
      "mcp-session-id": opened.headers.get("mcp-session-id") ?? "",
      "mcp-protocol-version": "2025-06-18",
    };
    for (const kind of HOSTILE_KINDS) {
      const params = { name: "hostile", arguments: { kind } };
      const legacy = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      const problem =
        checkFailure(kind, await (await target.call("hostile", { kind })).text()) ??
        checkFailure(kind, await (await target.post(legacy, session)).text());
      if (problem !== undefined) return problem;
    }
    return NO_PROBLEM;
  },
  async stdio(target) {
    await target.request("initialize", JSON.parse(initializeBody(1, {})).params);
    for (const kind of HOSTILE_KINDS) {
      const reply = await target.request("tools/call", { name: "hostile", arguments: { kind } });
      const problem = checkFailure(kind, reply);
      if (problem !== undefined) return problem;
    }
    return NO_PROBLEM;
  },
};

const HOSTILE_KINDS = [
  "undefinedJson",
  "textJson",
  "throwingJson",
  "throwingGetter",
  "proxy",
  "bigint",
  "late",
];

function checkFailure(kind: string, reply: string): string | undefined {
  try {
    const { result } = JSON.parse(reply);
    return result.isError === true ? undefined : `${kind} got the response ${reply.slice(0, 200)}`;
  } catch {
    return `${kind} produced an invalid message: ${reply.slice(0, 200)}`;
  }
}

/** All attacks. Their names start with their numbers. */
export const ATTACKS: readonly Attack[] = [
  CLIENT_INFO,
  TINY_CHUNKS,
  FINISHED_STREAMS,
  STALLED_READERS,
  HANGING_CALLS,
  MANY_VALUES,
  HOSTILE_RESULTS,
];
