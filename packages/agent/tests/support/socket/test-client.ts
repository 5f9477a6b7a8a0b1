import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { type ClientOptions, WebSocket } from "ws";

/** A message as received. */
export interface Received {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A real WebSocket client that records all messages. */
export class TestClient {
  readonly received: Received[] = [];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly #waiting = new Set<() => void>();

  constructor(readonly socket: WebSocket) {
    socket.on("message", (data) => {
      this.received.push(JSON.parse((data as Buffer).toString()) as Received);
      for (const look of this.#waiting) look();
    });
    socket.on("error", () => undefined);
    this.closed = new Promise((resolve) => {
      socket.on("close", (code, reason) => resolve({ code, reason: String(reason) }));
    });
  }

  /** Sends a message, or any text. */
  send(message: object | string): void {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** Waits for the next message of this type that has not been taken yet. */
  async take(type: string): Promise<Received> {
    let found: Received | undefined;
    const look = () => {
      const index = this.received.findIndex((message) => message.type === type);
      if (index !== -1) [found] = this.received.splice(index, 1);
      return found !== undefined;
    };
    await this.#until(look);
    return found as unknown as Received;
  }

  /** Sends a message and returns the text of the error response. */
  async complaintAbout(message: object | string): Promise<unknown> {
    this.send(message);
    return (await this.take("error")).data["message"];
  }

  #until(look: () => boolean): Promise<void> {
    if (look()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const attempt = () => {
        if (!look()) return;
        this.#waiting.delete(attempt);
        resolve();
      };
      this.#waiting.add(attempt);
      void this.closed.then(() => reject(new Error("the connection closed")));
    });
  }
}

/** Connects a client that is closed when the test ends. */
export async function connectClient(url: string, options: ClientOptions = {}): Promise<TestClient> {
  const socket = new WebSocket(url, options);
  onTestFinished(() => socket.terminate());
  const client = new TestClient(socket);
  await once(socket, "open");
  return client;
}

/** Tries to connect and returns the status and body of the rejection. */
export async function refusalOf(
  url: string,
  options: ClientOptions = {},
): Promise<readonly [number, string]> {
  const socket = new WebSocket(url, options);
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("open", () => {
      socket.terminate();
      reject(new Error("the connection was admitted"));
    });
    socket.on("unexpected-response", (_request, response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve([response.statusCode ?? 0, text]));
    });
  });
}

/** Opens a TCP connection that is closed when the test ends. */
export async function connectRaw(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** Opens a TCP connection and upgrades it to WebSocket. The test controls every byte. */
export async function upgradeRaw(port: number): Promise<Socket> {
  const socket = await connectRaw(port);
  socket.write(
    "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  const [head] = (await once(socket, "data")) as [Buffer];
  if (!head.toString("latin1").startsWith("HTTP/1.1 101")) throw new Error("The server refused the upgrade.");
  return socket;
}

/** Builds one masked client frame. The mask is zero. */
export function rawFrame(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  if (length > 65_535) throw new Error("Frames must be at most 65,535 bytes long.");
  const lengthBytes = length <= 125 ? [0x80 | length] : [0x80 | 126, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([0x80 | opcode, ...lengthBytes, 0, 0, 0, 0]), payload]);
}
