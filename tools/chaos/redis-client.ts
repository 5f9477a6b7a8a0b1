/**
 * @fileoverview Minimal Redis client, for reading and altering what the nodes store. It knows nothing of their keys.
 * @module tools/chaos/redis-client
 */
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Reply of Redis. */
export type RedisReply = string | number | null | readonly RedisReply[];

/** Command whose reply has not arrived. */
interface Waiting {
  readonly resolve: (reply: RedisReply) => void;
  readonly reject: (error: Error) => void;
}

/** Connection to Redis. Commands are sent at once, and replies arrive in the same order. */
export class RedisClient {
  readonly #socket: Socket;
  readonly #waiting: Waiting[] = [];
  #buffer = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.once("close", () => {
      for (const { reject } of this.#waiting.splice(0))
        reject(new Error("The connection to Redis was lost."));
    });
  }

  /** Connects to a server. */
  static async connect({
    host,
    port,
  }: {
    readonly host: string;
    readonly port: number;
  }): Promise<RedisClient> {
    const socket = connect(port, host);
    await once(socket, "connect");
    return new RedisClient(socket.on("error", () => undefined));
  }

  /** Sends a command. @throws if Redis replies with an error */
  run(...words: readonly string[]): Promise<RedisReply> {
    const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
    this.#socket.write(`*${words.length}\r\n${parts.join("")}`);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
  }

  /** Sends a command whose reply is a list of texts. Missing texts are empty. */
  async texts(...words: readonly string[]): Promise<readonly string[]> {
    const reply = await this.run(...words);
    return Array.isArray(reply) ? reply.map((item: RedisReply) => (item === null ? "" : String(item))) : [];
  }

  /** Returns the keys that match a pattern. */
  keys(pattern: string): Promise<readonly string[]> {
    return this.texts("KEYS", pattern);
  }

  /** Disconnects. */
  close(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    for (;;) {
      const parsed = parseReply(this.#buffer, 0);
      if (parsed === undefined) return;
      this.#buffer = this.#buffer.subarray(parsed.end);
      const waiting = this.#waiting.shift();
      if (parsed.reply instanceof Error) waiting?.reject(parsed.reply);
      else waiting?.resolve(parsed.reply);
    }
  }
}

interface Parsed {
  readonly reply: RedisReply | Error;
  readonly end: number;
}

/** Parses one reply. Returns `undefined` if it is not complete. */
function parseReply(buffer: Buffer, start: number): Parsed | undefined {
  const lineEnd = buffer.indexOf("\r\n", start);
  if (lineEnd < 0) return undefined;
  const kind = String.fromCharCode(buffer[start] ?? 0);
  const line = buffer.toString("utf8", start + 1, lineEnd);
  const end = lineEnd + 2;
  if (kind === "*") return parseList(buffer, { count: Number(line), end });
  if (kind !== "$") return { reply: toScalar(kind, line), end };
  const length = Number(line);
  if (length < 0) return { reply: null, end };
  if (buffer.length < end + length + 2) return undefined;
  return { reply: buffer.toString("utf8", end, end + length), end: end + length + 2 };
}

function toScalar(kind: string, line: string): RedisReply | Error {
  if (kind === "-") return new Error(line);
  return kind === ":" ? Number(line) : line;
}

function parseList(buffer: Buffer, { count, end }: { readonly count: number; readonly end: number }) {
  if (count < 0) return { reply: null, end };
  const items: RedisReply[] = [];
  let position = end;
  for (let index = 0; index < count; index++) {
    const parsed = parseReply(buffer, position);
    if (parsed === undefined) return undefined;
    items.push(parsed.reply instanceof Error ? parsed.reply.message : parsed.reply);
    position = parsed.end;
  }
  return { reply: items, end: position };
}
