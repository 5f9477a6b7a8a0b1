/**
 * @fileoverview The development page as a program: signs in with the URL, reads the events, and sends commands.
 * @module tests/cli/support/page/page-client
 */
import { onTestFinished } from "vitest";
import type {
  CallDetail,
  CallSummary,
  CommandName,
  Commands,
  ConnectionState,
  PageEvent,
  ServerState,
} from "../../../src/page/protocol.js";

type EventOf<Type extends PageEvent["type"]> = Extract<PageEvent, { readonly type: Type }>;

/** Page that is signed in, and reads all events until the test has finished. */
export class PageClient {
  /** Events so far. */
  readonly events: PageEvent[] = [];
  readonly origin: string;
  readonly cookie: string;
  readonly #stop = new AbortController();
  readonly #watchers = new Set<() => void>();

  private constructor(origin: string, cookie: string) {
    this.origin = origin;
    this.cookie = cookie;
  }

  /** Opens the URL that the command has printed, and reads the events up to `ready`. */
  static async open(url: string): Promise<PageClient> {
    const response = await fetch(url, { redirect: "manual" });
    await response.body?.cancel();
    const [cookie = ""] = (response.headers.get("set-cookie") ?? "").split(";");
    if (response.status !== 303) throw new Error(`The sign-in failed with status ${response.status}.`);
    const page = new PageClient(new URL(url).origin, cookie);
    onTestFinished(() => page.close());
    void page.#read();
    await page.until(() => page.last("ready"), "ready");
    return page;
  }

  /** Sends a request with the page's cookie and origin. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("cookie", this.cookie);
    if (init.method === "POST") {
      headers.set("origin", this.origin);
      headers.set("content-type", "application/json");
    }
    return fetch(`${this.origin}${path}`, { ...init, headers });
  }

  /** Runs a command. @throws with the message of a failure */
  async command<Name extends CommandName>(name: Name, params: Commands[Name][0]): Promise<Commands[Name][1]> {
    const response = await this.fetch(`/_dev/api/${name}`, { method: "POST", body: JSON.stringify(params) });
    const body = (await response.json()) as { readonly error?: string };
    if (!response.ok) throw new Error(`${response.status} ${body.error}`);
    return body as Commands[Name][1];
  }

  /** Reads a call with its messages. */
  async detail(id: string): Promise<CallDetail> {
    const response = await this.fetch(`/_dev/api/calls/${id}`);
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as CallDetail;
  }

  /** Last event of a type. */
  last<Type extends PageEvent["type"]>(type: Type): EventOf<Type> | undefined {
    return this.events.findLast((event): event is EventOf<Type> => event.type === type);
  }

  /** All events of a type. */
  all<Type extends PageEvent["type"]>(type: Type): readonly EventOf<Type>[] {
    return this.events.filter((event): event is EventOf<Type> => event.type === type);
  }

  /** Waits until `find` returns a value. */
  async until<T>(find: () => T | undefined, wanted: string): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (this.#stop.signal.aborted) throw new Error(`The page was closed before "${wanted}".`);
      await new Promise<void>((resolve) => this.#watchers.add(resolve));
    }
  }

  /** Waits for a state of the connection. */
  connected(
    isWanted: (state: ConnectionState) => boolean = ({ status }) => status === "ready",
  ): Promise<ConnectionState> {
    return this.until(() => {
      const { connection } = this.last("connection") ?? {};
      return connection !== undefined && isWanted(connection) ? connection : undefined;
    }, "connection");
  }

  /** Waits until both eras are connected. */
  connectedTwice(): Promise<ConnectionState> {
    return this.connected(
      ({ revisions }) => revisions.legacy !== undefined && revisions.modern !== undefined,
    );
  }

  /** Waits for a state of the server. */
  server(isWanted: (state: ServerState) => boolean = () => true): Promise<ServerState> {
    return this.until(() => {
      const { server } = this.last("server") ?? {};
      return server !== undefined && isWanted(server) ? server : undefined;
    }, "server");
  }

  /** Waits until a call is in a state, by default until it has ended. */
  call(
    id: string,
    isWanted: (call: CallSummary) => boolean = ({ outcome }) => outcome !== "running",
  ): Promise<CallSummary> {
    return this.until(() => {
      const call = this.all("call").findLast((event) => event.call.id === id)?.call;
      return call !== undefined && isWanted(call) ? call : undefined;
    }, `call ${id}`);
  }

  /** Waits for a call by its tool. */
  callOf(
    name: string,
    isWanted: (call: CallSummary) => boolean = ({ outcome }) => outcome !== "running",
  ): Promise<CallSummary> {
    return this.until(
      () => this.all("call").findLast(({ call }) => call.name === name && isWanted(call))?.call,
      `call of ${name}`,
    );
  }

  /** Waits for a question that is open. */
  question(isWanted: (question: EventOf<"question">["question"]) => boolean = () => true) {
    return this.until(() => {
      const closed = new Set(this.all("question-closed").map(({ id }) => id));
      return this.all("question").find(({ question }) => !closed.has(question.id) && isWanted(question))
        ?.question;
    }, "question");
  }

  /** Disconnects. */
  close(): void {
    this.#stop.abort();
    this.#wake();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    try {
      const response = await this.fetch("/_dev/api/events", { signal: this.#stop.signal });
      for await (const chunk of response.body ?? []) {
        const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line !== "") this.events.push(JSON.parse(line) as PageEvent);
        this.#wake();
      }
    } catch {
      // The page or the command was closed.
    }
    this.close();
  }

  #wake(): void {
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    for (const watcher of watchers) watcher();
  }
}
