/**
 * @fileoverview Module with a server, for `tenon inspect`. It is served in this process, next to the page, so that other
 * clients can use it too.
 * @module cli/page/launch/inspect-module
 */
import { createHttpMcpRouter, type HttpMcpRouter } from "@tenon/kit";
import { LOOPBACK_HOSTS } from "@tenon/internal/security/loopback";
import { createClient } from "tenon/client";
import type { LoadedServer } from "../../load/load-server.js";
import { splitTarget } from "../../load/split-target.js";
import { isTenonServer, readModule } from "../../tokens/module-views.js";
import { AS_LISTED, describeView } from "../../tokens/views.js";
import type { InspectedServer, ToolView } from "../workbench/inspected-server.js";

/** Path of the module's endpoint. */
export const MODULE_PATH = "/mcp";

/** Module that is served. */
export interface ServedModule {
  readonly server: InspectedServer;
  readonly router: HttpMcpRouter;
}

/** Serves a module. `endpoint` returns the URL of its endpoint. */
export function inspectModule(file: string, loaded: LoadedServer, endpoint: () => string): ServedModule {
  const { origin, context } = loaded;
  const router = createHttpMcpRouter({ ...origin, allowedHosts: [...LOOPBACK_HOSTS], context });
  const own = origin.mcpServer;
  const server: InspectedServer = {
    isProgram: false,
    connect: (options) => createClient(endpoint(), options),
    snippets: () => ({
      url: endpoint(),
      server: file,
      headers: [],
      hasToken: false,
      module: isTenonServer(own) ? toModule(file) : undefined,
    }),
    readViews: () => (isTenonServer(own) ? readViews(own, context) : Promise.resolve([])),
  };
  return { server, router };
}

function toModule(target: string): { readonly file: string; readonly exportName: string | undefined } {
  return splitTarget(target) ?? { file: target, exportName: undefined };
}

type TenonServer = Parameters<typeof readModule>[0];

async function readViews(server: TenonServer, context: unknown): Promise<readonly ToolView[]> {
  const { views } = await readModule(server, { key: AS_LISTED, revision: "latest", context });
  const listed = describeView(AS_LISTED);
  return views
    .map(({ key, tools }) => ({ title: describeView(key), tools }))
    .filter(({ title }) => title !== listed);
}
