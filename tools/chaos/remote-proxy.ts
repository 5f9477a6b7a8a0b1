/**
 * @fileoverview Controls a fault proxy that runs in its own process.
 * @module tools/chaos/remote-proxy
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { ProxyFault } from "./proxy-process.js";

/** Fault proxy in another process. A promise resolves when the fault has begun or ended. */
export class RemoteProxy {
  /** Port that nodes connect to. */
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** Starts the program of the proxy, which is in a folder of bundled programs. */
  static async start(folder: string, targetPort: number): Promise<RemoteProxy> {
    const child = fork(join(folder, "proxy-process.mjs"), [String(targetPort)], { execArgv: [] });
    const [port] = (await once(child, "message")) as [number]; // Safe: the first message of the program
    return new RemoteProxy(child, port);
  }

  /** Destroys all connections. */
  cut(): Promise<void> {
    return this.#send(["cut"]);
  }

  /** Destroys new connections until `accept`. */
  refuse(): Promise<void> {
    return this.#send(["refuse"]);
  }

  /** Ends `refuse`. */
  accept(): Promise<void> {
    return this.#send(["accept"]);
  }

  /** Discards the responses of Redis until `cut`. */
  loseResponses(): Promise<void> {
    return this.#send(["loseResponses"]);
  }

  /** Forwards everything `ms` milliseconds late. A client that ends meanwhile takes back what it sent. */
  delay(ms: number): Promise<void> {
    return this.#send(["delay", ms]);
  }

  /** Ends the process. */
  async close(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }

  async #send(fault: ProxyFault): Promise<void> {
    const done = once(this.#child, "message");
    this.#child.send(fault);
    await done;
  }
}
