/**
 * @fileoverview Creates the development page for one server: its record, its workbench, and its request listener.
 * @module cli/page/launch/create-page
 */
import { randomUUID } from "node:crypto";
import { packageFacts } from "@tenon/internal/command-line/package-facts";
import { LogFeed } from "../feed/log-feed.js";
import { PageFeed } from "../feed/page-feed.js";
import { ActivityTimer, type ReadActivity } from "../gauges/activity-timer.js";
import type { ConnectionState, Launch } from "../protocol.js";
import { CallStore } from "../record/call-store.js";
import { PAGE_PATH } from "../serve/access.js";
import { createLaunchToken } from "../serve/launch-token.js";
import { createPageFiles, type PageFiles } from "../serve/page-files.js";
import { createPageListener, type PageListener } from "../serve/page-listener.js";
import { createCommands } from "../workbench/commands.js";
import type { InspectedServer } from "../workbench/inspected-server.js";
import { Workbench } from "../workbench/workbench.js";

/** Settings for `createPage`. */
export interface PageSettings extends Pick<Launch, "mode" | "target"> {
  readonly server: InspectedServer;
  /** Called with each state of the page's connections. */
  readonly onConnection?: (state: ConnectionState) => void;
  readonly countsTokens: boolean;
  readonly readActivity: (parts: {
    readonly store: CallStore;
    readonly workbench: Workbench;
  }) => ReturnType<ReadActivity>;
  /** Called when the last page has disconnected. */
  readonly onUnwatched?: () => void;
  /** @default the files in this package */
  readonly files?: PageFiles | undefined;
}

/** Page that can be served. */
export interface Page {
  readonly listener: PageListener;
  readonly feed: PageFeed;
  readonly store: CallStore;
  readonly log: LogFeed;
  readonly workbench: Workbench;
  /** Returns the URL that the user opens. It contains the token. */
  readonly urlAt: (origin: string) => string;
  /** Publishes the facts about this launch. `endpoint` is the URL that other clients can use. */
  readonly launch: (endpoint: string | undefined) => void;
  /** Ends the streams, and closes the connections. */
  readonly close: () => Promise<void>;
}

/** Creates a page. It connects to the server when it is opened for the first time, unless `workbench.start` is called. */
export function createPage(settings: PageSettings): Page {
  const { mode, target, server, countsTokens, readActivity } = settings;
  const { version } = packageFacts("@tenon/cli", import.meta.url);
  const token = createLaunchToken();
  const store = new CallStore({ onChange: (call) => feed.publish({ type: "call", call }) });
  const feed: PageFeed = new PageFeed({
    *calls() {
      for (const record of store.records()) yield record.toSummary();
    },
    onAudience(isWatched) {
      if (isWatched) {
        timer.start();
        workbench.connections.ensure();
        return;
      }
      timer.stop();
      settings.onUnwatched?.();
    },
  });
  const log = new LogFeed(feed);
  const clientInfo = { name: `tenon-${mode}-page`, version };
  const workbench = new Workbench({
    server,
    feed,
    store,
    log,
    clientInfo,
    countsTokens,
    onConnection: settings.onConnection,
  });
  const timer = new ActivityTimer(
    () => readActivity({ store, workbench }),
    (activity) => feed.publish({ type: "activity", activity }),
  );
  const listener = createPageListener({
    token,
    files: settings.files ?? createPageFiles(),
    feed,
    commands: createCommands(workbench, feed),
    readCall: (id) => workbench.readCall(id),
  });
  return {
    listener,
    feed,
    store,
    log,
    workbench,
    urlAt: (origin) => `${origin}${PAGE_PATH}?token=${token.text}`,
    launch(endpoint) {
      const canSignIn = server.onSignIn !== undefined;
      const launch = { id: randomUUID(), mode, target, endpoint, version, countsTokens, canSignIn };
      feed.publish({ type: "launch", launch });
    },
    async close() {
      timer.stop();
      listener.close();
      await workbench.close();
    },
  };
}
