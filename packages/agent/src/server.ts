/**
 * @fileoverview Agent server: its configuration, its registered tools and messages, and the WebSocket endpoint that
 * `start` opens and `stop` closes.
 * @module agent/server
 */
import {
  BUILT_IN_TYPES,
  SERVER_MESSAGES,
  USER_MESSAGES,
  type UserMessage,
} from "./messages/built-in-messages.js";
import type { ServerConfig } from "./config.js";
import { type ConversationOptions, resolveConversationOptions } from "./conversation/options.js";
import { Conversations } from "./conversation/conversations.js";
import { RegistrationError } from "./shared/errors.js";
import {
  compileFrameCheck,
  createFrameEncoder,
  type Frame,
  type FrameEncoder,
  type FrameSchema,
} from "./messages/frames.js";
import type { MessageRegistry } from "./messages/message-registry.js";
import type { StandardSchema } from "tenon";
import type { AgentHooks } from "./hooks/hooks.js";
import { type AgentStream, createAgentStream } from "./in-process/agent-stream.js";
import { decideInProcess, runAgent } from "./in-process/run-agent.js";
import type {
  AgentEvent,
  AgentInput,
  AgentRunOptions,
  AgentRunResult,
  Decision,
} from "./in-process/run-options.js";
import type { AgentUser } from "./users/user.js";
import type { ModelPort } from "./models/model-port.js";
import { type Listener, type ListenerHandler, openListener } from "./socket/listener.js";
import { resolveOptions, type ServerAddress, type StartOptions } from "./socket/options.js";
import type { ToolLookup, ToolRegistry } from "./tools/tool-registry.js";
import { ToolService } from "./tool-service.js";
import type { MessageDefinition } from "./messages/define-message.js";

/** Constructor options for `AgentServer`. */
export interface AgentServerParts<Tools extends object = {}, Messages extends object = {}> {
  readonly config: ServerConfig;
  readonly toolRegistry: ToolRegistry<Tools>;
  readonly messageRegistry: MessageRegistry<Messages>;
  /** Language model. Without one, the server rejects user messages. */
  readonly model?: ModelPort | undefined;
  /** Conversation options. */
  readonly conversation?: ConversationOptions | undefined;
  /** Hooks that run before and after model calls and tool calls. */
  readonly hooks?: AgentHooks | undefined;
}

/** Agent server: runs conversations between clients and a model over WebSocket. */
export class AgentServer<Tools extends object = {}, Messages extends object = {}> {
  /** Validated configuration (frozen). */
  readonly config: Readonly<ServerConfig>;
  /**
   * Tools registered when the server was created. Tools registered with the builder later are not included. Looking up
   * a known name returns its exact type.
   */
  readonly tools: ToolRegistry<Tools>;
  /** Messages registered when the server was created. Messages registered with the builder later are not included. */
  readonly messages: MessageRegistry<Messages>;
  /** Parses and runs the model's tool calls. */
  readonly toolService: ToolService;
  readonly #conversations: Conversations;
  readonly #handler: ListenerHandler;
  readonly #encode: FrameEncoder;
  #listening: Promise<Listener> | undefined;
  #listener: Listener | undefined;

  /** @throws {RegistrationError} if a registered message uses a built-in type */
  constructor(parts: AgentServerParts<Tools, Messages>) {
    const { config, toolRegistry, messageRegistry, model, conversation, hooks } = parts;
    this.config = Object.freeze({ ...config });
    this.tools = toolRegistry.copy();
    this.messages = messageRegistry.copy();
    // Safe: at run time, `get` and `has` accept any name, even one that the registry's type does not list.
    this.toolService = new ToolService(this.tools as unknown as ToolLookup);
    const messages = this.messages.getAll();
    const types = messages.map(({ type }) => type);
    for (const type of types) assertNotBuiltIn(type);
    this.#encode = createFrameEncoder([...SERVER_MESSAGES, ...messages.map(({ schema }) => schema)]);
    this.#conversations = new Conversations({
      model,
      hooks,
      tools: this.tools.getAll(),
      storagePath: config.storagePath,
      settings: resolveConversationOptions(conversation),
      toPosted: createPostedCheck(messages.map(({ schema }) => schema)),
    });
    this.#handler = createMessageHandler(messages, this.#conversations, this.#encode);
  }

  /**
   * System prompt for the model: the operator's instructions and, if the model writes tool calls as XML, the tool
   * descriptions.
   */
  get systemPrompt(): string {
    return this.#conversations.core.systemPrompt;
  }

  /** Number of connected clients. 0 while the server is stopped. */
  get connectionCount(): number {
    return this.#listener?.connectionCount ?? 0;
  }

  /**
   * Opens the WebSocket endpoint and returns its address.
   *
   * @throws if the server is already running, an option is invalid, or the port is in use
   */
  async start(options: StartOptions = {}): Promise<ServerAddress> {
    if (this.#listening !== undefined)
      throw new Error("The server is already running. Call `stop()` before you call `start()` again.");
    const settings = resolveOptions(this.config, options);
    this.#conversations.core.configure(settings);
    const listening = openListener(settings, this.#handler);
    this.#listening = listening;
    try {
      this.#listener = await listening;
      return this.#listener.address;
    } catch (error) {
      this.#listening = undefined;
      throw error;
    }
  }

  /** Closes the endpoint gracefully, and interrupts all runs. `start` can reopen it later. */
  async stop(): Promise<void> {
    const listening = this.#listening;
    const listener = await listening?.catch(() => undefined);
    if (listener === undefined) await this.#conversations.core.stop();
    else await listener.close();
    if (this.#listening !== listening) return;
    this.#listening = undefined;
    this.#listener = undefined;
  }

  /**
   * Runs a task in this process until it is the user's turn, without a socket. The task is stored like any other, and
   * clients can watch it.
   *
   * @throws if the task is already running, the user has no access to it, or too many tasks are running
   * @throws {ModelError} if the response does not match `schema`, even after a correction
   * @example const { text } = await server.run("What is 6 × 7?", { onEvent: ({ type }) => console.log(type) });
   */
  run<Schema extends StandardSchema | undefined = undefined>(
    input: AgentInput,
    options: AgentRunOptions<Schema> = {},
  ): Promise<AgentRunResult<Schema>> {
    return runAgent(this.#conversations.core, input, options);
  }

  /**
   * Runs a task like `run`, and returns its messages as an async iterable. Stopping the iteration interrupts the run.
   *
   * @example for await (const { type, data } of server.stream("Tell me a story.")) console.log(type, data);
   */
  stream<Schema extends StandardSchema | undefined = undefined>(
    input: AgentInput,
    options: AgentRunOptions<Schema> = {},
  ): AgentStream<Schema> {
    return createAgentStream((onEvent, interrupt) => {
      const signal = options.signal === undefined ? interrupt : AbortSignal.any([options.signal, interrupt]);
      const tell = (event: AgentEvent) => {
        onEvent(event);
        options.onEvent?.(event);
      };
      return this.run<Schema>(input, { ...options, onEvent: tell, signal });
    });
  }

  /**
   * Continues a task that was interrupted, failed, reached a limit, or waited for approvals that are now decided.
   *
   * @throws if the task does not exist, cannot be resumed, or is already running
   */
  resume<Schema extends StandardSchema | undefined = undefined>(
    taskId: string,
    options: Omit<AgentRunOptions<Schema>, "taskId"> = {},
  ): Promise<AgentRunResult<Schema>> {
    return runAgent<Schema>(this.#conversations.core, undefined, { ...options, taskId });
  }

  /**
   * Decides about a call that waits for approval. Call `resume` when all calls are decided.
   *
   * @throws if the call does not wait for approval
   */
  decide(
    call: { readonly taskId: string; readonly approvalId: string },
    decision: Decision & { readonly user?: AgentUser | undefined },
  ): Promise<void> {
    return decideInProcess(this.#conversations.core, call, decision);
  }

  /**
   * Sends a message to every connected client. Returns the number of clients it was sent to.
   *
   * @throws {ValidationError} if the data does not match the schema of its type
   * @throws if the message type is not registered, or the data cannot be serialized as JSON
   */
  broadcast(message: { readonly type: string; readonly data: object }): number {
    return this.#listener?.broadcast(this.#encode(message)) ?? 0;
  }
}

/**
 * Creates a function that checks messages posted by tools. It accepts an `alert` or a registered message with valid
 * data, and returns `undefined` for anything else.
 */
function createPostedCheck(registered: readonly FrameSchema[]): (message: object) => Frame | undefined {
  const alerts = SERVER_MESSAGES.filter(({ shape }) => shape.type.value === "alert");
  const schemas = new Map<unknown, FrameSchema>(
    [...alerts, ...registered].map((schema) => [schema.shape.type.value, schema]),
  );
  return (message) => {
    const { type } = message as { readonly type?: unknown };
    try {
      return schemas.get(type)?.safeParse(message).data;
    } catch {
      return undefined; // asynchronous schemas are not supported here
    }
  };
}

/** Asserts that a message type is not built in. @throws {RegistrationError} if it is */
export function assertNotBuiltIn(type: string): void {
  if (BUILT_IN_TYPES.has(type))
    throw new RegistrationError(`Message type '${type}' is built in. Choose a different type.`);
}

/**
 * Creates the handler for client messages: user messages go to the conversations, and registered messages go to their
 * handlers. The union of all message schemas is compiled once.
 */
function createMessageHandler(
  messages: readonly MessageDefinition[],
  conversations: Conversations,
  encode: FrameEncoder,
): ListenerHandler {
  const [first, ...others] = USER_MESSAGES;
  const byType = new Map(messages.map((message) => [message.type, message]));
  return {
    check: compileFrameCheck([first, ...others, ...messages.map(({ schema }) => schema)]),
    open: (connection) => void conversations.open(connection),
    close: (connection) => conversations.close(connection),
    stop: () => conversations.core.stop(),
    async receive(frame, connection) {
      if (isUserMessage(frame)) return conversations.handle(frame, connection);
      await byType.get(frame.type)?.handler?.(
        frame.data as Readonly<Record<string, unknown>>, // Safe: validated against this message's schema
        (message) => void connection.sendBytes(encode(message)),
        { user: connection.user },
      );
    },
  };
}

const USER_TYPES: ReadonlySet<string> = /* @__PURE__ */ new Set(
  USER_MESSAGES.map(({ shape }) => shape.type.value),
);

/** Returns true if a frame is a user message. Its data was already validated against the schema for its type. */
function isUserMessage(frame: Frame): frame is UserMessage {
  return USER_TYPES.has(frame.type);
}
