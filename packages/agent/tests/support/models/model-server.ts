import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";
import type {
  ModelConversation,
  ModelMessage,
  ModelPiece,
  ModelTool,
} from "../../../src/models/model-port.js";
import { createOpenAiModel } from "../../../src/models/openai-model.js";
import type { OpenAiOptions } from "../../../src/models/openai-options.js";
import { type Ports, systemPorts } from "@tenon/internal/ports";

/** A request as the server received it. */
export interface SeenRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
}

/** Responds to a request. `count` is 1 for the first request. */
export type Behaviour = (response: ServerResponse, count: number) => void;

/** Starts a local server that is closed when the test ends. */
export async function startModelServer(
  behave: (...args: [...Parameters<Behaviour>, request: SeenRequest]) => void,
) {
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  // After an abort, fetch opens a spare connection that it never uses. It is not counted.
  const used = new Set<Socket>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    used.add(request.socket);
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { method, url, headers } = request;
      const body = JSON.parse(Buffer.concat(parts).toString()) as unknown;
      const seen = { method, url, headers, body };
      requests.push(seen);
      behave(response, requests.length, seen);
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    baseUrl,
    requests,
    get connections() {
      return used.size;
    },
    /** Resolves when all connections that carried a request are closed. */
    async closed() {
      while ([...used].some((socket) => !socket.closed))
        await new Promise((resolve) => setTimeout(resolve, 2));
    },
  };
}

interface TestPortsOptions {
  readonly idleMs?: number | undefined;
  readonly waits?: "skip" | "real";
}

/** Timers that fire immediately, except those that wait for data. `running` contains the active timers. */
export function createTestPorts({ idleMs = IDLE_MS, waits = "skip" }: TestPortsOptions = {}) {
  const waited: number[] = [];
  const running = new Set<() => void>();
  const ports: Partial<Ports> = {
    now: () => Date.UTC(2030, 0, 1),
    randomBytes: (length) => Uint8Array.from({ length }, (_, index) => (index === length - 1 ? 0x80 : 0)),
    startTimer: (task, ms) => {
      // Delays between attempts are recognized by length: timeouts for data are 100 ms, or 5 s and more.
      const isWait = ms !== idleMs && ms !== 5_000 && ms !== 10_000 && ms !== 100;
      if (isWait) waited.push(ms);
      const stopTimer = systemPorts.startTimer(
        () => {
          running.delete(cancel);
          task();
        },
        isWait && waits === "skip" ? 0 : ms,
      );
      const cancel = () => {
        running.delete(cancel);
        stopTimer();
      };
      running.add(cancel);
      return cancel;
    },
  };
  return { ports, waited, running };
}

/** Default idle timeout in tests. Long enough that it never fires by accident. */
export const IDLE_MS = 12_345;

/** Creates a model for a test server. */
export function modelOn(baseUrl: string, options: Partial<OpenAiOptions> = {}) {
  return createOpenAiModel({ baseUrl, model: "tiny", idleTimeoutMs: IDLE_MS, ...options });
}

/** Creates a conversation with these messages. */
export function conversation(
  messages: readonly ModelMessage[] = [{ role: "user", content: "Hello" }],
  tools: readonly ModelTool[] = [],
): ModelConversation {
  return { taskId: "task-1", messages, tools };
}

/** Collects all pieces and the error that ends the response, if any. */
export async function collect(pieces: AsyncIterable<ModelPiece>) {
  const seen: ModelPiece[] = [];
  try {
    for await (const piece of pieces) seen.push(piece);
    return { pieces: seen, error: undefined };
  } catch (error) {
    return { pieces: seen, error };
  }
}

/** Sends one request to a model. The `finish` piece is left out. */
export async function ask(model: ReturnType<typeof modelOn>, signal = new AbortController().signal) {
  const { pieces, error } = await collect(model(conversation(), signal));
  return { pieces: pieces.filter((piece) => typeof piece === "string" || !("finish" in piece)), error };
}

/** Formats a chunk with one choice as an event. */
export function chunk(delta: object, finish: string | null = null): string {
  return event({ object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] });
}

/** Formats an event. */
export function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** Final event. */
export const DONE = "data: [DONE]\n\n";

/** Starts an event stream. */
export function beginStream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { "content-type": "text/event-stream" });
}

/** Responds with a complete event stream. */
export function stream(...events: readonly string[]): Behaviour {
  return (response) => beginStream(response).end(events.join(""));
}
