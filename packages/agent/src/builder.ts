/**
 * @fileoverview Builder for agent servers. `build` validates the configuration.
 * @module agent/builder
 */
import { isJsonObject } from "@tenon/internal/json";
import type { ConversationOptions } from "./conversation/options.js";
import { type ServerConfig, ServerConfigSchema } from "./config.js";
import type { MessageDefinition } from "./messages/define-message.js";
import type { ToolDefinition } from "./tools/define-tool.js";
import { MessageRegistry, type WithMessage } from "./messages/message-registry.js";
import type { AgentHooks } from "./hooks/hooks.js";
import type { AiSdkModel } from "./models/ai-sdk/ai-sdk-model.js";
import { toModelPort } from "./models/ai-sdk/to-model-port.js";
import type { ModelPort } from "./models/model-port.js";
import { AgentServer, assertNotBuiltIn } from "./server.js";
import { ToolRegistry, type WithTool } from "./tools/tool-registry.js";

/**
 * Builds an agent server. Every method modifies the builder and returns it for chaining. The builder's
 * TypeScript type tracks each registered tool and message.
 *
 * @example
 * const server = new AgentServerBuilder().port(8080).registerTool(search).registerMessage(note).build();
 * await server.start();
 */
export class AgentServerBuilder<Tools extends object = {}, Messages extends object = {}> {
  readonly #config: { -readonly [Key in keyof ServerConfig]?: ServerConfig[Key] } = {};
  readonly #tools = new ToolRegistry();
  readonly #messages = new MessageRegistry();
  #model: ModelPort | undefined;
  #conversation: ConversationOptions | undefined;
  #hooks: AgentHooks | undefined;

  /** Sets the port that the server listens on. @default 10013 */
  port(port: number): this {
    this.#config.port = port;
    return this;
  }

  /** Sets the folder where conversations are stored. @default "./storage" */
  storagePath(path: string): this {
    this.#config.storagePath = path;
    return this;
  }

  /**
   * Sets the maximum number of connected clients. Additional clients are rejected with HTTP status 503.
   * @default 10000
   */
  maxConnections(count: number): this {
    this.#config.maxConnections = count;
    return this;
  }

  /** Sets the interval between heartbeat pings, in milliseconds. @default 30000 */
  heartbeatInterval(ms: number): this {
    this.#config.heartbeatInterval = ms;
    return this;
  }

  /** Sets the model, which can be one of the AI SDK, and its conversation options. Without a model, the server rejects user messages. */
  model(model: ModelPort | AiSdkModel, options?: ConversationOptions): this {
    this.#model = toModelPort(model);
    this.#conversation = options;
    return this;
  }

  /** Sets the hooks that run before and after model calls and tool calls. */
  hooks(hooks: AgentHooks): this {
    this.#hooks = hooks;
    return this;
  }

  /** Registers a tool. @throws {RegistrationError} if the definition is invalid or the name is already registered */
  registerTool<const Tool extends ToolDefinition>(
    tool: Tool,
  ): AgentServerBuilder<WithTool<Tools, Tool>, Messages> {
    this.#tools.register(tool);
    // Safe: this is the same builder, typed to include the tool.
    return this as unknown as AgentServerBuilder<WithTool<Tools, Tool>, Messages>;
  }

  /** Registers a message. @throws {RegistrationError} if the definition is invalid or the type is already registered */
  registerMessage<Message extends MessageDefinition>(
    message: Message,
  ): AgentServerBuilder<Tools, WithMessage<Messages, Message>> {
    // `register` reports values that are not objects.
    if (isJsonObject(message)) assertNotBuiltIn(message.type);
    this.#messages.register(message);
    // Safe: this is the same builder, typed to include the message.
    return this as unknown as AgentServerBuilder<Tools, WithMessage<Messages, Message>>;
  }

  /** Validates the configuration and creates a server. @throws {ZodError} if a setting is invalid */
  build(): AgentServer<Tools, Messages> {
    return new AgentServer<Tools, Messages>({
      config: ServerConfigSchema.parse(this.#config),
      // Safe: `registerTool` and `registerMessage` add every entry in these types.
      toolRegistry: this.#tools as unknown as ToolRegistry<Tools>,
      messageRegistry: this.#messages as unknown as MessageRegistry<Messages>,
      model: this.#model,
      conversation: this.#conversation,
      hooks: this.#hooks,
    });
  }
}
