/**
 * @fileoverview Agent server: its configuration, its registered tools and messages, and the WebSocket endpoint that
 * `start` opens and `stop` closes.
 * @module agent/server
 */
import { encodeUtf8 } from "@tenon/internal/utf8";
import { BUILT_IN_TYPES, SERVER_MESSAGES } from "./messages/built-in-messages.js";
import type { ServerConfig } from "./config.js";
import { type ConversationOptions, resolveConversationOptions } from "./conversation/options.js";
import { Conversations } from "./conversation/conversations.js";
import { RegistrationError } from "./shared/errors.js";
import { type Frame, type FrameSchema, toFrame } from "./messages/frames.js";
import { createMessageHandler } from "./message-handler.js";
import type { MessageRegistry } from "./messages/message-registry.js";
import type { ModelPort } from "./models/model-port.js";
import { type Listener, type ListenerHandler, openListener } from "./socket/listener.js";
import { resolveOptions, type ServerAddress, type StartOptions } from "./socket/options.js";
import type { ToolLookup, ToolRegistry } from "./tools/tool-registry.js";
import { ToolService } from "./tool-service.js";

/** Constructor options for `AmigoServer`. */
export interface AmigoServerParts<Tools extends object = {}, Messages extends object = {}> {
  readonly config: ServerConfig;
  readonly toolRegistry: ToolRegistry<Tools>;
  readonly messageRegistry: MessageRegistry<Messages>;
  /** Language model. Without one, the server rejects user messages. */
  readonly model?: ModelPort | undefined;
  /** Conversation options. */
  readonly conversation?: ConversationOptions | undefined;
}

/** Agent server: runs conversations between clients and a model over WebSocket. */
export class AmigoServer<Tools extends object = {}, Messages extends object = {}> {
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
  readonly #sendable: ReadonlySet<string>;
  #listening: Promise<Listener> | undefined;
  #listener: Listener | undefined;

  /** @throws {RegistrationError} if a registered message uses a built-in type */
  constructor(parts: AmigoServerParts<Tools, Messages>) {
    const { config, toolRegistry, messageRegistry, model, conversation } = parts;
    this.config = Object.freeze({ ...config });
    this.tools = toolRegistry.copy();
    this.messages = messageRegistry.copy();
    // Safe: at run time, `get` and `has` accept any name, even one that the registry's type does not list.
    this.toolService = new ToolService(this.tools as unknown as ToolLookup);
    const messages = this.messages.getAll();
    const types = messages.map(({ type }) => type);
    for (const type of types) assertNotBuiltIn(type);
    this.#sendable = new Set([...SERVER_MESSAGES.map(({ shape }) => shape.type.value), ...types]);
    this.#conversations = new Conversations({
      model,
      tools: this.tools.getAll(),
      storagePath: config.storagePath,
      settings: resolveConversationOptions(conversation),
      toPosted: createPostedCheck(messages.map(({ schema }) => schema)),
    });
    this.#handler = createMessageHandler({
      messages,
      conversations: this.#conversations,
      encode: (message) => this.#encode(message),
    });
  }

  /**
   * System prompt for the model: the operator's instructions and, if the model writes tool calls as XML, the tool
   * descriptions.
   */
  get systemPrompt(): string {
    return this.#conversations.systemPrompt;
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
    this.#conversations.logTo(settings.logger);
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

  /** Closes the endpoint gracefully. `start` can reopen it later. Does nothing if the server is not running. */
  async stop(): Promise<void> {
    const listening = this.#listening;
    const listener = await listening?.catch(() => undefined);
    await listener?.close();
    if (this.#listening !== listening) return;
    this.#listening = undefined;
    this.#listener = undefined;
  }

  /**
   * Sends a message to every connected client. Returns the number of clients it was sent to.
   *
   * @throws if the message type is not registered, or the data cannot be serialized as JSON
   */
  broadcast(message: { readonly type: string; readonly data: object }): number {
    return this.#listener?.broadcast(this.#encode(message)) ?? 0;
  }

  #encode(message: Frame): Uint8Array {
    if (!this.#sendable.has(message.type))
      throw new Error(
        `Message type '${message.type}' is not registered. Register it with \`registerMessage\`.`,
      );
    return encodeUtf8(toFrame(message));
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
