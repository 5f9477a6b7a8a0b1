/**
 * @fileoverview Well-behaved client that calls a server while others attack it. It keeps one connection open.
 * @module tools/attack/clients/regular-client
 */
import { Agent, request } from "node:http";
import { modernRequest } from "./messages.js";

/** Time in milliseconds after which a call counts as failed. */
const MAX_CALL_MS = 120_000;

/** Client with one connection. */
export class RegularClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #port: number;
  #calls = 0;

  constructor(port: number) {
    this.#port = port;
  }

  /** Calls the tool `echo`, and returns the time in milliseconds and the reason for a failure. */
  async call(): Promise<{ readonly ms: number; readonly failure: string | undefined }> {
    const start = performance.now();
    const text = `call ${this.#calls++}`;
    const reply = await this.#send(text);
    const failure = reply.includes(text) ? undefined : reply.slice(0, 200) || "an empty response";
    return { ms: performance.now() - start, failure };
  }

  /** Closes the connection. */
  close(): void {
    this.#agent.destroy();
  }

  #send(text: string): Promise<string> {
    const { headers, body } = modernRequest("tools/call", { name: "echo", arguments: { text } });
    const target = { host: "127.0.0.1", port: this.#port, path: "/mcp", method: "POST", agent: this.#agent };
    return new Promise((resolve) => {
      const sent = request({ ...target, headers: Object.fromEntries(headers) }, (response) => {
        let got = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (got += chunk));
        response.once("close", () => resolve(got));
      });
      sent.setTimeout(MAX_CALL_MS, () => sent.destroy(new Error(`No response within ${MAX_CALL_MS} ms.`)));
      sent.once("error", (error: NodeJS.ErrnoException) => {
        // The server may close the idle connection while this process is busy with an attack.
        const isIdleClose = sent.reusedSocket && error.code === "ECONNRESET";
        resolve(isIdleClose ? this.#send(text) : String(error));
      });
      sent.end(body);
    });
  }
}
