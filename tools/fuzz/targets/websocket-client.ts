/**
 * @fileoverview WebSocket client that controls every byte: fragments of messages, chunks of the stream, and text that is
 * not UTF-8.
 * @module tools/fuzz/targets/websocket-client
 */
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { connect } from "node:net";
import type { Random } from "../../random.js";
import type { Chunking, Frame } from "../block.js";
import { splitBytes } from "../frames/chunks.js";
import { withTimeout } from "./line-client.js";

/** Connection to a WebSocket server. */
export interface SocketWire {
  /** Text messages of the server, in order. */
  readonly messages: readonly string[];
  /** Close code of the server, or 0 if it ended the connection without one. */
  readonly closeCode: number | undefined;
  /** Sends a message. */
  send(frame: Frame, chunking: Chunking, random: Random): void;
  /** Waits until a condition holds or the connection ends. @throws after the time limit */
  until(holds: () => boolean, ms: number): Promise<void>;
  close(): void;
}

/** Request that opens a WebSocket connection. */
export const UPGRADE =
  "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;

const START_MS = 120_000;

/** Number of chunks of one message. The rest of a message is sent at once, because the server rejects 4,096 chunks. */
const MAX_CHUNKS = 4_000;

/** Connects to a server on a local port. */
export async function openSocketClient(port: number): Promise<SocketWire> {
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  const messages: string[] = [];
  let closeCode: number | undefined;
  let wake = () => {};
  let bytes = Buffer.alloc(0);
  let isOpen = false;
  const take = () => {
    if (!isOpen) {
      const end = bytes.indexOf("\r\n\r\n");
      if (end === -1) return;
      if (!bytes.toString("latin1", 0, end).startsWith("HTTP/1.1 101")) return void socket.destroy();
      isOpen = true;
      bytes = bytes.subarray(end + 4);
    }
    for (let frame = readFrame(bytes); frame !== undefined; frame = readFrame(bytes)) {
      bytes = bytes.subarray(frame.end);
      if (frame.opcode === TEXT) messages.push(frame.payload.toString());
      else if (frame.opcode === PING) socket.write(toBytes(10, frame.payload, true));
      else if (frame.opcode === CLOSE)
        closeCode ??= frame.payload.length >= 2 ? frame.payload.readUInt16BE() : 0;
    }
  };
  socket.on("error", () => wake());
  socket.on("close", () => {
    closeCode ??= 0;
    wake();
  });
  socket.on("data", (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    take();
    wake();
  });
  await withTimeout(once(socket, "connect"), START_MS);
  socket.write(UPGRADE);
  const wire: SocketWire = {
    messages,
    get closeCode() {
      return closeCode;
    },
    send(frame, chunking, random) {
      const bytes = toFragments(frame, random);
      const chunks = splitBytes(bytes, chunking, random);
      for (const chunk of chunks.slice(0, MAX_CHUNKS)) socket.write(chunk);
      const sent = chunks.slice(0, MAX_CHUNKS).reduce((sum, { length }) => sum + length, 0);
      if (sent < bytes.length) socket.write(bytes.subarray(sent));
    },
    async until(holds, ms) {
      const end = performance.now() + ms;
      while (!holds() && wire.closeCode === undefined)
        await withTimeout(
          new Promise<void>((resolve) => (wake = resolve)),
          Math.max(1, end - performance.now()),
        );
    },
    close: () => void socket.destroy(),
  };
  await wire.until(() => isOpen, START_MS);
  return wire;
}

/** Formats a message as one frame or as several fragments. */
export function toFragments({ bytes, isBinary = false }: Frame, random: Random): Uint8Array {
  const opcode = isBinary ? BINARY : TEXT;
  const pieces = random.chance(0.2) ? splitBytes(bytes, "random", random) : [bytes];
  if (pieces.length > 200) return toBytes(opcode, bytes, true);
  return Buffer.concat(
    pieces.map((piece, index) => toBytes(index === 0 ? opcode : 0, piece, index === pieces.length - 1)),
  );
}

/** Formats a masked client frame. */
function toBytes(opcode: number, payload: Uint8Array, isLast: boolean): Uint8Array {
  const mask = [0x12, 0x34, 0x56, 0x78];
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = (isLast ? 0x80 : 0) | opcode;
  head[1] = 0x80 | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  const masked = Uint8Array.from(payload, (byte, at) => byte ^ (mask[at % 4] ?? 0));
  return Buffer.concat([head, Uint8Array.from(mask), masked]);
}

/** Reads a frame of the server, which is never masked or fragmented. */
export function readFrame(
  bytes: Buffer,
): { readonly opcode: number; readonly payload: Buffer; readonly end: number } | undefined {
  const [first = 0, second = 0] = bytes;
  const short = second & 0x7f;
  const start = short === 127 ? 10 : short === 126 ? 4 : 2;
  if (bytes.length < start) return undefined;
  const length =
    short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
  const end = start + length;
  return bytes.length < end ? undefined : { opcode: first & 0x0f, payload: bytes.subarray(start, end), end };
}
