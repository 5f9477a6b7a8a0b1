/**
 * @fileoverview The builder of agent servers: settings, tools and messages in any order, checked by `build`.
 * @module agent/builder
 */
import { isJsonObject } from "@tenon/internal/json";
import type { ConversationOptions } from "./conversation/options.js";
import { type ServerConfig, ServerConfigSchema } from "./config.js";
import type { MessageDefinition } from "./messages/define-message.js";
import type { ToolDefinition } from "./tools/define-tool.js";
import { MessageRegistry, type WithMessage } from "./messages/message-registry.js";
import type { ModelPort } from "./models/model-port.js";
import { AmigoServer, assertNotBuiltIn } from "./server.js";
import { ToolRegistry, type WithTool } from "./tools/tool-registry.js";

/**
 * Builds an agent server. Every method changes the same builder and returns it; its type learns every tool and message.
 *
 * @example
 * const server = new AmigoServerBuilder().port(8080).registerTool(search).registerMessage(note).build();
 * await server.start();
 */
export class AmigoServerBuilder<Tools extends object = {}, Messages extends object = {}> {
  readonly #config: { -readonly [Key in keyof ServerConfig]?: ServerConfig[Key] } = {};
  readonly #tools = new ToolRegistry();
  readonly #messages = new MessageRegistry();
  #model: ModelPort | undefined;
  #conversation: ConversationOptions | undefined;

  /** Sets the port to listen on. @default 10013 */
  port(port: number): this {
    this.#config.port = port;
    return this;
  }

  /** Sets the folder for conversations. @default "./storage" */
  storagePath(path: string): this {
    this.#config.storagePath = path;
    return this;
  }

  /** Sets how many clients may be connected; others are refused. @default 10000 */
  maxConnections(count: number): this {
    this.#config.maxConnections = count;
    return this;
  }

  /** Sets how often clients are asked for a sign of life, in milliseconds. @default 30000 */
  heartbeatInterval(ms: number): this {
    this.#config.heartbeatInterval = ms;
    return this;
  }

  /** Sets the model that conversations are held with, and how. */
  model(model: ModelPort, options?: ConversationOptions): this {
    this.#model = model;
    this.#conversation = options;
    return this;
  }

  /** Adds a tool. @throws {RegistrationError} where it is incomplete or its name is taken */
  registerTool<const Tool extends ToolDefinition>(
    tool: Tool,
  ): AmigoServerBuilder<WithTool<Tools, Tool>, Messages> {
    this.#tools.register(tool);
    // The same builder, which knows one tool more from here on.
    return this as unknown as AmigoServerBuilder<WithTool<Tools, Tool>, Messages>;
  }

  /** Adds a message. @throws {RegistrationError} where it is incomplete or its type is taken */
  registerMessage<Message extends MessageDefinition>(
    message: Message,
  ): AmigoServerBuilder<Tools, WithMessage<Messages, Message>> {
    // What is no definition at all is told so by the registry.
    if (isJsonObject(message)) assertNotBuiltIn(message.type);
    this.#messages.register(message);
    // The same builder, which knows one message more from here on.
    return this as unknown as AmigoServerBuilder<Tools, WithMessage<Messages, Message>>;
  }

  /** Checks the configuration and makes a server of what is here now. @throws {ZodError} naming the setting that is wrong */
  build(): AmigoServer<Tools, Messages> {
    return new AmigoServer<Tools, Messages>({
      config: ServerConfigSchema.parse(this.#config),
      // `registerTool` and `registerMessage` put in all that the types say.
      toolRegistry: this.#tools as unknown as ToolRegistry<Tools>,
      messageRegistry: this.#messages as unknown as MessageRegistry<Messages>,
      model: this.#model,
      conversation: this.#conversation,
    });
  }
}
