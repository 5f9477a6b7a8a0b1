/**
 * @fileoverview Process with slow connections: headers and bodies that arrive one byte at a time, and readers of large
 * responses that take a few bytes at a time. Its only argument is a JSON text with `SlowSettings`.
 * @module tools/attack/slow/clients
 */
import { connect, type Socket } from "node:net";
import { modernRequest, toText } from "../clients/messages.js";
import type { SlowReport, SlowSettings } from "./settings.js";

const { port, connections } = JSON.parse(process.argv[2] ?? "{}") as SlowSettings; // Safe: the parent process wrote it
// The process must not outlive the attack, however the attack ends.
process.on("disconnect", () => process.exit(0));

/** Connections that are opened per tick, and time between two ticks in milliseconds. */
const OPENED_PER_TICK = 25;
const TICK_MS = 100;

/** Ticks between two bytes of a connection. */
const TICKS_PER_BYTE = 20;

const RESPONSE_LENGTH = 1_000_000;

/** One slow connection. */
interface SlowClient {
  readonly socket: Socket;
  /** Sends or takes a little. */
  readonly step: () => void;
}

const clients: (SlowClient | undefined)[] = Array.from({ length: connections });
let closed = 0;
let tick = 0;

setInterval(() => {
  let budget = OPENED_PER_TICK;
  for (let at = 0; at < connections; at++) {
    const client = clients[at];
    if (client === undefined) {
      if (budget-- > 0) clients[at] = open(at);
    } else if (at % TICKS_PER_BYTE === tick % TICKS_PER_BYTE) client.step();
  }
  tick++;
  const report: SlowReport = {
    open: clients.filter((client) => client?.socket.readyState === "open").length,
    closed,
  };
  process.send?.(report);
}, TICK_MS);

function open(at: number): SlowClient {
  const socket = connect(port, "127.0.0.1").setNoDelay(true);
  socket.on("error", () => {}); // the server may close slow connections
  socket.once("close", () => {
    closed++;
    clients[at] = undefined;
  });
  // One of ten reads slowly. The others send slowly: half of them headers, half of them bodies.
  if (at % 10 === 9) return readSlowly(socket);
  return at % 2 === 0 ? sendSlowly(socket, 20) : sendSlowly(socket, Infinity);
}

/** Sends the first characters of a call at once, and the others one at a time. */
function sendSlowly(socket: Socket, start: number): SlowClient {
  const text = toText(
    modernRequest("tools/call", { name: "echo", arguments: { text: "x".repeat(100_000) } }),
  );
  const head = text.indexOf("\r\n\r\n") + 4;
  let sent = Math.min(start, head);
  socket.write(text.slice(0, sent));
  socket.resume(); // responses are dropped
  return { socket, step: () => socket.write(text[sent++] ?? "") };
}

function readSlowly(socket: Socket): SlowClient {
  socket.write(
    toText(modernRequest("tools/call", { name: "large", arguments: { length: RESPONSE_LENGTH } })),
  );
  return { socket, step: () => void socket.read(100) };
}
