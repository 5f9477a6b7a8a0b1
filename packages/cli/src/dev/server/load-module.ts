/**
 * @fileoverview Loads a bundle in a server process, and finds the server among its exports.
 * @module cli/dev/server/load-module
 */
import { pathToFileURL } from "node:url";
import { isSdkServer, type SdkServer, toServerSource } from "@tenon/sdk/adapters";
import type { ServerLike } from "tenon";
import { type HostedServer, toServer } from "tenon/host";
import { McpError } from "tenon/protocol";
import { cliError } from "@tenon/internal/command-line/command";
import { kindOf } from "@tenon/internal/kind-of";
import { findExport, isServer, readExport, toExports } from "../../load/find-export.js";
import type { ModuleToLoad } from "../messages/messages.js";

/** Server of a module: one that all connections share, or one per connection. */
export type ModuleServer =
  | { readonly type: "shared"; readonly server: HostedServer<unknown> }
  | {
      readonly type: "per-connection";
      /** True if only one connection can be open at a time. */
      readonly isSingle: boolean;
      /** Opens a server for a connection. Detaching the connection closes it. @throws if no server can be opened */
      readonly open: (connectionId: string) => Promise<HostedServer<unknown>>;
    };

/** Loaded module. */
export interface LoadedModule {
  readonly server: ModuleServer;
  /** The module's `context` export, which handlers receive as `call.context`. */
  readonly context: unknown;
}

/** Loads a module. @throws the error of the user's code, or a `CliError` if the module does not export a server */
export async function loadModule({ bundle, file, exportName }: ModuleToLoad): Promise<LoadedModule> {
  // Safe: a module's exports are an object.
  const exports = toExports((await import(pathToFileURL(bundle).href)) as Record<string, unknown>);
  const { label, value } = findExport(file, exports, exportName);
  const context = await readExport(exports, "context");
  if (typeof value !== "function") return { server: toModuleServer(value), context };
  const make = value as () => unknown;
  const made = await make();
  if (!isServer(made))
    throw cliError(`${label} of "${file}" must return a server or a builder; got ${kindOf(made)}.`);
  return { server: isOfficial(made) ? fromFactory(made, make) : toModuleServer(made), context };
}

/** Builds the server of a value that `findExport` or `isServer` has checked. */
function toModuleServer(value: unknown): ModuleServer {
  if (isOfficial(value)) return fromInstance(value);
  return { type: "shared", server: toServer(value as ServerLike<unknown>) }; // Safe: checked by the caller
}

/** Recognizes servers of the official SDK. The drop-in of `@tenon/sdk` looks the same, but is a builder too. */
function isOfficial(value: unknown): value is SdkServer {
  return isSdkServer(value) && !("build" in value);
}

/** Creates an official SDK server for each connection. The first connection uses `first`. */
function fromFactory(first: SdkServer, make: () => unknown): ModuleServer {
  let ready: SdkServer | undefined = first;
  return {
    type: "per-connection",
    isSingle: false,
    async open(connectionId) {
      const server = ready ?? (await make());
      ready = undefined;
      if (!isOfficial(server))
        throw new McpError("CONFLICT", `The exported function must return a server; got ${kindOf(server)}.`);
      return openSession(server, connectionId);
    },
  };
}

/** Serves one connection at a time with an official SDK server, which can be connected again after it was closed. */
function fromInstance(server: SdkServer): ModuleServer {
  let isInUse = false;
  return {
    type: "per-connection",
    isSingle: true,
    async open(connectionId) {
      if (isInUse) throw new McpError("CONFLICT", ONE_SESSION);
      isInUse = true;
      const session = await openSession(server, connectionId);
      return withDetach(session, () => {
        isInUse = false;
      });
    },
  };
}

const ONE_SESSION =
  "This server supports only one session. To support more, export a function that returns a new server.";

async function openSession(server: SdkServer, connectionId: string): Promise<HostedServer<unknown>> {
  return toServerSource({ mcpServer: server }).open(connectionId);
}

/** Wraps a server so that `onDetach` is called when its connection is detached. */
function withDetach(server: HostedServer<unknown>, onDetach: () => void): HostedServer<unknown> {
  return {
    handle: (message, context, exchange) => server.handle(message, context, exchange),
    useLog: (sink) => server.useLog?.(sink),
    close: () => server.close(),
    attach(connection, notify) {
      const detach = server.attach(connection, notify);
      return () => {
        detach();
        onDetach();
      };
    },
  };
}
