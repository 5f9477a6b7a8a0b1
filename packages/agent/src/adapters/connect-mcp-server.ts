/**
 * @fileoverview Connects to an MCP server over HTTP or stdio, and keeps the connection open.
 * @module agent/adapters/connect-mcp-server
 */
import { withoutUndefined } from "@tenon/internal/json";
import { assertOptions, defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { callback, custom, integer, text, texts } from "@tenon/internal/options/option-rows";
import { type Client, type ClientAuthorization, createClient, type RemoteServer } from "tenon/client";
import type { JsonRpcNotification } from "tenon/protocol";
import type { ToolDefinition } from "../tools/define-tool.js";
import { MAX_TIMER } from "../shared/max-timer.js";
import { type AgentToolOptions, FOREIGN_TOOL_ROWS, type McpToolLike, toForeignTool } from "./agent-tool.js";
import { McpConnection } from "./mcp-connection.js";
import { MAX_TOOL_BYTES } from "./mcp-tools.js";

const CONNECT_OPTIONS = /* @__PURE__ */ defineOptions("connectMcpServer", {
  ...FOREIGN_TOOL_ROWS,
  /** Server URL, such as `https://tools.example/mcp`. */
  url: custom<string | URL>(),
  /** Bearer token, sent as `Authorization: Bearer <token>`. */
  token: text({ isSecret: true }),
  /** Headers for every request. */
  headers: custom<Readonly<Record<string, string>>>(),
  /** Access tokens, such as `createClientAuth` from `@tenon/oauth`. */
  authorization: custom<ClientAuthorization>({ aliases: ["auth"] }),
  /** Name or path of the program. */
  command: text(),
  /** Arguments of the program. */
  args: texts({ aliases: ["arguments"] }),
  /** Working folder. @default the folder of this process */
  cwd: text(),
  /** Environment variables. They replace those of this process. @default the variables of this process */
  env: custom<Readonly<Record<string, string | undefined>>>(),
  /** Receives the program's standard error output. */
  onStderr: callback<(chunk: Uint8Array) => void>(),
  /** Time limit for one call, in milliseconds. Progress restarts it, up to one hour. @default 300,000 */
  timeoutMs: integer({ max: MAX_TIMER, aliases: ["timeout"] }),
});

type AllOptions = OptionsOf<typeof CONNECT_OPTIONS>;

/** Options for a server over HTTP. */
export interface McpUrlOptions extends Pick<AllOptions, "token" | "headers" | "authorization"> {
  /** Server URL, such as `https://tools.example/mcp`. */
  readonly url: string | URL;
}

/** Options for a program that serves over stdio. The program is started, and started again after it has exited. */
export interface McpProgramOptions extends Pick<AllOptions, "args" | "cwd" | "env" | "onStderr"> {
  /** Name or path of the program. */
  readonly command: string;
}

/** Options for `connectMcpServer`. */
export type ConnectMcpOptions = Pick<AllOptions, keyof AgentToolOptions | "timeoutMs"> &
  (McpUrlOptions | McpProgramOptions);

/** Tools from a connected server. Calls fail after `close`. */
export interface ConnectedTools {
  /** The server's current tools. The array is replaced when the server's tools change. */
  readonly tools: readonly ToolDefinition[];
  /**
   * Calls a function with the new tools whenever they change. Its errors are ignored. Returns a function that stops the
   * calls.
   */
  onChange(listener: (tools: readonly ToolDefinition[]) => void): () => void;
  /** Closes the connection to the server. */
  close(): Promise<void>;
}

/**
 * Connects to an MCP server and returns its tools as agent tools. If the server restarts, the connection is opened again,
 * and the tools are listed again.
 *
 * @example const files = await connectMcpServer({ command: "npx", args: ["-y", "some-server"], prefix: "files_" });
 * @throws {ConnectionError} if the connection fails
 */
export async function connectMcpServer(options: ConnectMcpOptions): Promise<ConnectedTools> {
  assertOptions(CONNECT_OPTIONS, options);
  const tools = new ToolList((definition) =>
    toForeignTool(definition, (known) => (args, context) => connection.call(known, args, context), options),
  );
  const onNotification = ({ method }: JsonRpcNotification) => {
    if (LIST_AGAIN.has(method)) connection.noteChange();
  };
  const connection = new McpConnection({
    open: () => openClient(options, onNotification),
    onTools: (definitions) => tools.replace(definitions),
    timeoutMs: options.timeoutMs,
  });
  try {
    await connection.list();
  } catch (error) {
    await connection.close();
    throw error;
  }
  return {
    get tools() {
      return tools.current;
    },
    onChange: (listener) => tools.onChange(listener),
    close: () => connection.close(),
  };
}

function openClient(
  options: ConnectMcpOptions,
  onNotification: (notification: JsonRpcNotification) => void,
): Promise<Client> {
  // The agent does not read the notifications that the client keeps.
  const limits = { maxListBytes: MAX_TOOL_BYTES, maxNotificationBytes: 0 };
  const shared = { clientInfo: CLIENT_INFO, onNotification, limits };
  if (!("url" in options)) return createClient(toProgram(options), shared);
  const { url, token, headers = {}, authorization } = options;
  const server: RemoteServer = url;
  return createClient(server, {
    ...shared,
    headers: token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` },
    ...(authorization === undefined ? {} : { authorization }),
  });
}

/** Notifications after which the tools are listed again. A change before the acknowledgment is not reported. */
const LIST_AGAIN: ReadonlySet<string> = new Set([
  "notifications/tools/list_changed",
  "notifications/subscriptions/acknowledged",
]);

const CLIENT_INFO = { name: "tenon-agent", version: "1.0.0" };

function toProgram({ command, args, cwd, env, onStderr }: McpProgramOptions): RemoteServer {
  return withoutUndefined({ command, args, cwd, env, onStderr });
}

type Listener = (tools: readonly ToolDefinition[]) => void;

/** Current tools of a server. A tool that has not changed keeps its definition. */
class ToolList {
  readonly #convert: (definition: McpToolLike) => ToolDefinition;
  readonly #listeners = new Set<Listener>();
  #known = new Map<string, ToolDefinition>();
  #tools: readonly ToolDefinition[] = [];

  constructor(convert: (definition: McpToolLike) => ToolDefinition) {
    this.#convert = convert;
  }

  get current(): readonly ToolDefinition[] {
    return this.#tools;
  }

  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  replace(definitions: readonly McpToolLike[]): void {
    const known = new Map(
      definitions.map((definition): [string, ToolDefinition] => {
        const key = JSON.stringify(definition);
        return [key, this.#known.get(key) ?? this.#convert(definition)];
      }),
    );
    const isSame = known.size === this.#known.size && [...known.keys()].every((key) => this.#known.has(key));
    this.#known = known;
    if (isSame) return;
    this.#tools = [...known.values()];
    for (const listener of this.#listeners) {
      try {
        listener(this.#tools);
      } catch {
        // An error must not stop the connection from being opened again.
      }
    }
  }
}
