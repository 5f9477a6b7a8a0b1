import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { ModelConversation, ModelMessage, ModelPiece, ModelTool } from "../../src/models/model-port.js";
import { createOpenAiModel } from "../../src/models/openai-model.js";
import type { OpenAiOptions } from "../../src/models/openai-options.js";
import { type Ports, systemPorts } from "@tenon/internal/ports";

/** A request as a server saw it. */
export interface SeenRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
}

/** What a server does with a request; `count` is 1 for the first. */
export type Behaviour = (response: ServerResponse, count: number) => void;

/** Starts a real server on this machine; it ends with the test. */
export async function startModelServer(behave: Behaviour) {
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  // A spare connection that fetch opens after an abort, and never uses, is not counted.
  const used = new Set<Socket>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    used.add(request.socket);
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { method, url, headers } = request;
      requests.push({ method, url, headers, body: JSON.parse(Buffer.concat(parts).toString()) as unknown });
      behave(response, requests.length);
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
    /** Resolves when no connection is open that a request came on. */
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

/** Timers that end at once, but for those that wait for bytes; and a count of those that are running. */
export function createTestPorts({ idleMs = IDLE_MS, waits = "skip" }: TestPortsOptions = {}) {
  const waited: number[] = [];
  const running = new Set<() => void>();
  const ports: Partial<Ports> = {
    now: () => Date.UTC(2030, 0, 1),
    randomBytes: (length) => Uint8Array.from({ length }, (_, index) => (index === length - 1 ? 0x80 : 0)),
    startTimer: (task, ms) => {
      // Waits between attempts are told by their length: bytes are awaited 100 ms, or 5 s and more.
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

/** The longest silence that is allowed in tests; no test waits for it unless it says so. */
export const IDLE_MS = 12_345;

/** A model on a server, for tests. */
export function modelOn(baseUrl: string, options: Partial<OpenAiOptions> = {}) {
  return createOpenAiModel({ baseUrl, model: "tiny", idleTimeoutMs: IDLE_MS, ...options });
}

/** A conversation with these turns. */
export function conversation(
  messages: readonly ModelMessage[] = [{ role: "user", content: "Hello" }],
  tools: readonly ModelTool[] = [],
): ModelConversation {
  return { taskId: "task-1", messages, tools };
}

/** All pieces, and the error that came after them, if any. */
export async function collect(pieces: AsyncIterable<ModelPiece>) {
  const seen: ModelPiece[] = [];
  try {
    for await (const piece of pieces) seen.push(piece);
    return { pieces: seen, error: undefined };
  } catch (error) {
    return { pieces: seen, error };
  }
}

/** Asks a model once. */
export function ask(model: ReturnType<typeof modelOn>, signal = new AbortController().signal) {
  return collect(model(conversation(), signal));
}

/** A chunk with one choice, as an event. */
export function chunk(delta: object, finish: string | null = null): string {
  return event({ object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] });
}

/** An event. */
export function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** The event behind the last one. */
export const DONE = "data: [DONE]\n\n";

/** Begins an event stream. */
export function beginStream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { "content-type": "text/event-stream" });
}

/** Answers with a whole event stream. */
export function stream(...events: readonly string[]): Behaviour {
  return (response) => beginStream(response).end(events.join(""));
}
