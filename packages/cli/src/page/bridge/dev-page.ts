/**
 * @fileoverview The development page of `tenon dev`. Its clients use the command's own endpoint, like other clients.
 * @module cli/page/bridge/dev-page
 */
import { createClient, type RemoteClientOptions, type Trace } from "tenon/client";
import type { Entry } from "../../dev/build/entry.js";
import type { DevEvent } from "../../dev/log/events.js";
import type { ServerFacts } from "../../dev/messages/messages.js";
import { type CallRecorder, PAGE_HEADER } from "../../dev/proxy/call-recorder.js";
import { createPage, type Page } from "../launch/create-page.js";
import type { SnippetTarget } from "../record/snippets/snippet-call.js";
import { createLaunchToken } from "../serve/launch-token.js";
import type { PageListener } from "../serve/page-listener.js";
import type { InspectedServer, ToolView } from "../workbench/inspected-server.js";
import { type DevParts, readDevActivity } from "./dev-activity.js";
import { DevFeed } from "./dev-feed.js";
import { createDevRecorder, toPageMark } from "./dev-recorder.js";

/** Settings for `DevPage`. */
export interface DevPageSettings {
  readonly entry: Entry;
  readonly countsTokens: boolean;
}

/** Parts of the command that the page uses, and the URL of the endpoint that its clients use. */
interface Started extends DevParts {
  readonly endpoint: string;
}

/** Page of the command. */
export class DevPage {
  /** Records the calls of all clients. */
  readonly recorder: CallRecorder;
  readonly #entry: Entry;
  readonly #secret = createLaunchToken();
  readonly #page: Page;
  readonly #feed: DevFeed;
  /** Connections that wait until a version of the code serves. */
  readonly #waiting: (() => void)[] = [];
  #started: Started | undefined;
  #wasShared: boolean | undefined;

  constructor({ entry, countsTokens }: DevPageSettings) {
    this.#entry = entry;
    const page = createPage({
      mode: "dev",
      target: entry.file,
      server: this.#toServer(),
      countsTokens,
      readActivity: ({ store }) =>
        this.#started === undefined ? { sessions: [], gauges: [] } : readDevActivity(this.#started, store),
      onUnwatched: () => this.#release(),
    });
    this.#page = page;
    this.#feed = new DevFeed(page.feed, page.log);
    const { store, log, workbench } = page;
    const findSent = (key: string, id: unknown) => workbench.findSent(key, id);
    this.recorder = createDevRecorder({ store, log, secret: this.#secret, findSent });
  }

  /** Handles the requests of the page. */
  get listener(): PageListener {
    return this.#page.listener;
  }

  /** Returns the URL that the user opens. It contains the token. */
  urlAt(origin: string): string {
    return this.#page.urlAt(origin);
  }

  /** Shows an event of the command. */
  readonly onEvent = (event: DevEvent): void => this.#feed.take(event);

  /** Connects the page to the other parts of the command. `endpoint` is the URL that its clients use. */
  start(parts: DevParts, endpoint: string): void {
    this.#started = { ...parts, endpoint };
    this.#page.launch(endpoint);
  }

  /** Called when a version serves. Connects if that was not possible before. */
  onServing(): void {
    this.#feed.onServing();
    const { connections } = this.#page.workbench;
    const isShared = this.#facts?.isShared;
    // A server of a different kind supports other eras.
    const isOther = this.#wasShared !== undefined && isShared !== this.#wasShared;
    this.#wasShared = isShared;
    for (const resume of this.#waiting.splice(0)) resume();
    if (isOther && connections.primary !== undefined) connections.start();
    else if (this.#page.feed.isWatched) connections.ensure();
  }

  /** Ends the streams, and closes the connections. */
  close(): Promise<void> {
    return this.#page.close();
  }

  get #facts(): ServerFacts | undefined {
    return this.#started?.generations.current?.facts;
  }

  #toServer(): InspectedServer {
    return {
      isProgram: false,
      connect: async (options, key) => {
        const endpoint = await this.#whenServing();
        return createClient(endpoint, withMark(options, toPageMark(this.#secret, key)));
      },
      snippets: () => this.#toSnippetTarget(),
      readViews: () => readViews(this.#started),
    };
  }

  /** Waits until a version serves. Returns the URL of the endpoint. */
  async #whenServing(): Promise<string> {
    while (this.#started?.generations.current === undefined)
      await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    return this.#started.endpoint;
  }

  #toSnippetTarget(): SnippetTarget {
    const { file, exportName } = this.#entry;
    return {
      url: this.#started?.endpoint,
      headers: [],
      hasToken: false,
      server: exportName === undefined ? file : `${file}:${exportName}`,
      module: this.#facts?.isShared === true ? { file, exportName } : undefined,
    };
  }

  /** Gives up the only session of a server, because nobody looks at the page. */
  #release(): void {
    if (this.#facts?.isSingle === true) void this.#page.workbench.connections.release();
  }
}

/** Marks the requests of a client. The mark is not part of the recorded messages. */
function withMark(options: RemoteClientOptions, mark: string): RemoteClientOptions {
  const trace: Trace = ({ http, ...message }) => {
    const headers = http?.headers.filter(([name]) => name !== PAGE_HEADER);
    options.trace?.({ ...message, ...(http && { http: { ...http, headers: headers ?? [] } }) });
  };
  return { ...options, trace, headers: { [PAGE_HEADER]: mark } };
}

async function readViews(parts: DevParts | undefined): Promise<readonly ToolView[]> {
  const sent = await parts?.generations.current?.readViews();
  if (sent === undefined) return [];
  const { definitions, views } = sent;
  return views.map(({ title, tools }) => ({
    title,
    tools: tools.map((index) => definitions[index]).filter((tool) => tool !== undefined),
  }));
}
