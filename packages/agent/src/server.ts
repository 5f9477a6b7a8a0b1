/**
 * @fileoverview The agent server: a configuration, the tools and messages that were registered, and a WebSocket
 * endpoint between `start` and `stop`.
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

/** What a server is made of. */
export interface AmigoServerParts<Tools extends object = {}, Messages extends object = {}> {
  readonly config: ServerConfig;
  readonly toolRegistry: ToolRegistry<Tools>;
  readonly messageRegistry: MessageRegistry<Messages>;
  readonly model?: ModelPort | undefined;
  /** How conversations with the model are held. */
  readonly conversation?: ConversationOptions | undefined;
}

/** An agent server. */
export class AmigoServer<Tools extends object = {}, Messages extends object = {}> {
  /** As it was checked; frozen. */
  readonly config: Readonly<ServerConfig>;
  /** The tools as they were when the server was made. What is known by type is found by type. */
  readonly tools: ToolRegistry<Tools>;
  /** The registered messages as they were when the server was made. */
  readonly messages: MessageRegistry<Messages>;
  /** Runs the calls of these tools that a model writes. */
  readonly toolService: ToolService;
  readonly #conversations: Conversations;
  readonly #handler: ListenerHandler;
  readonly #sendable: ReadonlySet<string>;
  #listening: Promise<Listener> | undefined;
  #listener: Listener | undefined;

  /** @throws {RegistrationError} where a registered message has the type of a built-in one */
  constructor(parts: AmigoServerParts<Tools, Messages>) {
    const { config, toolRegistry, messageRegistry, model, conversation } = parts;
    this.config = Object.freeze({ ...config });
    this.tools = toolRegistry.copy();
    this.messages = messageRegistry.copy();
    // By any name the registry gives a tool or none, whatever the compiler knows of it.
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

  /** What the model is told before the user speaks: the instructions, and how the tools are called. */
  get systemPrompt(): string {
    return this.#conversations.systemPrompt;
  }

  /** How many clients are connected. */
  get connectionCount(): number {
    return this.#listener?.connectionCount ?? 0;
  }

  /**
   * Opens the WebSocket endpoint.
   *
   * @throws if it is open already, an option is wrong, or the port is taken
   */
  async start(options: StartOptions = {}): Promise<ServerAddress> {
    if (this.#listening !== undefined) throw new Error("The server has been started already");
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

  /** Closes the endpoint in good order; it may be opened again after that. Where it is not open nothing happens. */
  async stop(): Promise<void> {
    const listening = this.#listening;
    const listener = await listening?.catch(() => undefined);
    await listener?.close();
    if (this.#listening !== listening) return;
    this.#listening = undefined;
    this.#listener = undefined;
  }

  /**
   * Sends a message to every client; gives how many could be sent it.
   *
   * @throws where no such message is known, or its data is no JSON
   */
  broadcast(message: { readonly type: string; readonly data: object }): number {
    return this.#listener?.broadcast(this.#encode(message)) ?? 0;
  }

  #encode(message: Frame): Uint8Array {
    if (!this.#sendable.has(message.type))
      throw new Error(`Message type '${message.type}' is not registered`);
    return encodeUtf8(toFrame(message));
  }
}

/** What tools may send to those who watch: an alert, or a registered message whose data fit. */
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
      return undefined; // a schema that answers later cannot be asked here
    }
  };
}

/** Refuses a registered message that would hide a built-in one. @throws {RegistrationError} */
export function assertNotBuiltIn(type: string): void {
  if (BUILT_IN_TYPES.has(type)) throw new RegistrationError(`Message type '${type}' is already registered`);
}
