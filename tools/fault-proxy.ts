/**
 * @fileoverview TCP proxy on loopback that fails on demand. Tests place it between nodes and Redis.
 * @module tools/fault-proxy
 */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Address that a proxy forwards to. */
export interface ProxyTarget {
  /** @default 127.0.0.1 */
  readonly host?: string;
  readonly port: number;
}

/** Running proxy. */
export interface FaultProxy {
  readonly host: string;
  readonly port: number;
  /** Number of open connections from clients. */
  readonly connections: number;
  /** Stops forwarding in both directions. Connections stay open, and new ones are accepted. */
  pause(): void;
  /** Ends `pause`. Everything that was held back is forwarded. */
  resume(): void;
  /** Destroys all open connections. What was held back is lost. */
  cut(): void;
  /** Destroys new connections immediately, until `accept`. Open ones are not affected. */
  refuse(): void;
  /** Ends `refuse`. */
  accept(): void;
  /** Forwards everything `ms` milliseconds late, in both directions. `delay(0)` ends it. */
  delay(ms: number): void;
  /** Discards the target's responses, until `cut`. The target still receives the requests. */
  loseResponses(): void;
  /** Destroys all connections and stops listening. */
  close(): Promise<void>;
}

const HOST = "127.0.0.1";

/** Starts a proxy on a free port. */
export async function startFaultProxy(target: ProxyTarget): Promise<FaultProxy> {
  const faults: Faults = { isPaused: false, isRefusing: false, losesResponses: false, delayMs: 0 };
  const pipes = new Set<Pipe>();
  const server = createServer((client) => {
    if (faults.isRefusing) return void client.destroy();
    const upstream = connect(target.port, target.host ?? HOST);
    for (const pipe of openPipes(client, upstream, faults)) {
      pipes.add(pipe);
      pipe.from.once("close", () => pipes.delete(pipe));
    }
  });
  server.listen(0, HOST);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy is not listening.");
  const cut = () => {
    faults.losesResponses = false;
    for (const { from } of pipes) from.destroy();
  };

  return {
    host: HOST,
    port: address.port,
    get connections() {
      return pipes.size / 2;
    },
    pause() {
      faults.isPaused = true;
    },
    resume() {
      faults.isPaused = false;
      for (const pipe of pipes) pipe.flush();
    },
    cut,
    refuse() {
      faults.isRefusing = true;
    },
    accept() {
      faults.isRefusing = false;
    },
    delay(ms) {
      faults.delayMs = ms;
    },
    loseResponses() {
      faults.losesResponses = true;
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      cut();
      await closed;
    },
  };
}

interface Faults {
  isPaused: boolean;
  isRefusing: boolean;
  losesResponses: boolean;
  delayMs: number;
}

/** One direction of a connection. */
interface Pipe {
  readonly from: Socket;
  /** Forwards what was held back. */
  flush(): void;
}

function openPipes(client: Socket, upstream: Socket, faults: Faults): readonly Pipe[] {
  for (const [socket, peer] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    socket.setNoDelay(true);
    socket.on("error", () => undefined);
    socket.once("close", () => peer.destroy());
  }
  const isLost = () => faults.losesResponses;
  return [
    openPipe(client, { to: upstream, faults, isLost: () => false }),
    openPipe(upstream, { to: client, faults, isLost }),
  ];
}

interface PipeEnd {
  readonly to: Socket;
  readonly faults: Faults;
  readonly isLost: () => boolean;
}

function openPipe(from: Socket, { to, faults, isLost }: PipeEnd): Pipe {
  let held: Buffer[] = [];
  const forward = (chunk: Buffer) => {
    if (faults.isPaused) held.push(chunk);
    else if (!to.destroyed) to.write(chunk);
  };
  from.on("data", (chunk: Buffer) => {
    if (isLost()) return;
    // Timers of equal length fire in order.
    if (faults.delayMs > 0) setTimeout(forward, faults.delayMs, chunk);
    else forward(chunk);
  });
  return {
    from,
    flush() {
      const chunks = held;
      held = [];
      chunks.forEach(forward);
    },
  };
}
