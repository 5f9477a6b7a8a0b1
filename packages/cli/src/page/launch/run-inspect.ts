/**
 * @fileoverview Runs `tenon inspect`: serves the page for any server until the command is stopped.
 * @module cli/page/launch/run-inspect
 */
import type { RequestListener } from "node:http";
import { type Terminal, whenAborted } from "@tenon/internal/command-line/command";
import { packageFacts } from "@tenon/internal/command-line/package-facts";
import { oneLine } from "@tenon/internal/text";
import { listen } from "tenon/node";
import type { Target } from "../../client/target.js";
import { loadServer } from "../../load/load-server.js";
import { listenOn } from "../../run/address.js";
import { readRecordGauges } from "../gauges/activity-timer.js";
import { isPageUrl, PAGE_PATH } from "../serve/access.js";
import type { InspectedServer } from "../workbench/inspected-server.js";
import { createPage, type Page } from "./create-page.js";
import {
  inspectModule,
  inspectProgram,
  inspectUrl,
  MODULE_PATH,
  showUrl,
  showWords,
} from "./inspect-servers.js";

/** Options of the command. */
export interface InspectOptions {
  readonly target: Target;
  readonly port: number;
  /** True to use the next free port if the port is in use. */
  readonly canMove: boolean;
  /** Called with the URL of the page when it is served. */
  readonly onServing: (url: string) => void;
}

const HOST = "127.0.0.1";
/** Times in milliseconds for calls in flight, and for responses, when the command is stopped. */
const GRACE_MS = 2_000;

/** Serves the page until the command is stopped. @throws {CliError} if the module cannot be loaded, or no port is free */
export async function runInspect(options: InspectOptions, terminal: Terminal): Promise<void> {
  const { target, port, canMove, onServing } = options;
  let origin = "";
  const prepared = await prepare(target, terminal, () => `${origin}${MODULE_PATH}`);
  const { page, router } = prepared;
  const http = await listenOn(port, canMove, (free) =>
    listen(createListener(page, router), { port: free, host: HOST }),
  );
  origin = `http://${HOST}:${http.port}`;
  page.launch(router === undefined ? prepared.endpoint : `${origin}${MODULE_PATH}`);
  page.workbench.start();
  onServing(page.urlAt(origin));
  await whenAborted(terminal.signal);
  await page.close();
  await router?.close(GRACE_MS);
  await http.close(Date.now() + GRACE_MS);
}

interface Prepared {
  readonly page: Page;
  /** URL that other clients can use. */
  readonly endpoint?: string;
  /** Serves a module. */
  readonly router?: RequestListener & { close(graceMs?: number): Promise<void> };
}

async function prepare(target: Target, terminal: Terminal, endpoint: () => string): Promise<Prepared> {
  if (target.kind === "program") return { page: createForProgram(target.words, terminal) };
  const report = reportFailures(terminal, () => []);
  if (target.kind === "url") {
    const { version } = packageFacts("@tenon/cli", import.meta.url);
    const shown = showUrl(target.url);
    return { page: create(shown, inspectUrl(target, version), report), endpoint: shown };
  }
  const { file } = target;
  const { server, router } = inspectModule(file, await loadServer(file, terminal.cwd), endpoint);
  return { page: create(file, server, report), router };
}

/** Creates the page for a program. The error output of the program is part of the page's log. */
function createForProgram(words: readonly string[], terminal: Terminal): Page {
  const tail: string[] = [];
  const server = inspectProgram(words, terminal, (text) => {
    page.log.add({ source: "output", level: "notice", logger: undefined, text });
    if (tail.push(oneLine(text, MAX_LINE)) > MAX_TAIL) tail.shift();
  });
  const report = reportFailures(terminal, () => tail.splice(0));
  const page: Page = create(showWords(words).join(" "), server, report);
  return page;
}

/** Number of lines of a program's error output that a failure shows, and their length in characters. */
const MAX_TAIL = 5;
const MAX_LINE = 500;

/** Prints each reason why the page is not connected once. `takeDetails` returns lines that explain it. */
function reportFailures(
  { stderr }: Pick<Terminal, "stderr">,
  takeDetails: () => readonly string[],
): OnConnection {
  let last: string | undefined;
  return ({ status, message }) => {
    if (status === "ready") last = undefined;
    if (status === "ready" || status === "sign-in" || message === undefined || message === last) return;
    last = message;
    const details = status === "failed" ? takeDetails() : [];
    stderr.write([message, ...details.map((line) => `  ${line}`), ""].join("\n"));
  };
}

type OnConnection = NonNullable<Parameters<typeof createPage>[0]["onConnection"]>;

function create(target: string, server: InspectedServer, onConnection: OnConnection): Page {
  return createPage({
    mode: "inspect",
    target,
    server,
    onConnection,
    countsTokens: true,
    readActivity: ({ store, workbench }) => ({
      sessions: [],
      gauges: [
        { id: "calls", title: "Calls in flight", value: workbench.calls.inFlight, unit: "calls" },
        ...readRecordGauges(store),
      ],
    }),
  });
}

/** Serves the page, and a module's endpoint if there is one. */
function createListener({ listener }: Page, router: Prepared["router"]): RequestListener {
  return (request, response) => {
    const { url = "/" } = request;
    if (isPageUrl(url)) listener(request, response);
    else if (router !== undefined && url.split("?", 1)[0] === MODULE_PATH) router(request, response);
    else {
      response.writeHead(404, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: `Not found. The page is ${PAGE_PATH}.` }));
    }
  };
}
