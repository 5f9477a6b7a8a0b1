/**
 * @fileoverview Controls a fault proxy that runs in its own process.
 * @module tools/chaos/remote-proxy
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** Fault proxy in another process. A promise resolves when the fault has begun or ended. */
export class RemoteProxy {
  /** Port that nodes connect to. */
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** Starts the program of the proxy. */
  static async start(program: string, targetPort: number): Promise<RemoteProxy> {
    const child = fork(program, [String(targetPort)], { execArgv: [] });
    const [port] = (await once(child, "message")) as [number]; // Safe: the first message of the program
    return new RemoteProxy(child, port);
  }

  /** Destroys all connections. */
  cut(): Promise<void> {
    return this.#send("cut");
  }

  /** Destroys new connections until `accept`. */
  refuse(): Promise<void> {
    return this.#send("refuse");
  }

  /** Ends `refuse`. */
  accept(): Promise<void> {
    return this.#send("accept");
  }

  /** Discards the responses of Redis until `cut`. */
  loseResponses(): Promise<void> {
    return this.#send("loseResponses");
  }

  /** Ends the process. */
  async close(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }

  async #send(fault: string): Promise<void> {
    const done = once(this.#child, "message");
    this.#child.send(fault);
    await done;
  }
}
