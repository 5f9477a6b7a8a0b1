/**
 * @fileoverview Members that `McpServer` of versions 1 and 2 share.
 * @module sdk/mcp-server/base-mcp-server
 */
import type { Extension, Middleware } from "tenon";
import type { PromptDraft, ToolDraft } from "tenon/host";
import type { BaseServer, ListKind, LogMessage } from "./base-server.js";
import type { FacadeServer } from "./facade-server.js";
import { assertCallback } from "./registrations/check-config.js";
import { completerOf } from "./registrations/completable.js";
import type { PromptFacts } from "./registrations/prompts.js";
import {
  createRegistries,
  readRegistries,
  type Registries,
  type RegistriesOptions,
} from "./registrations/registries.js";
import type { Slot } from "./registrations/registry.js";
import { fieldsOf } from "./registrations/schemas.js";
import type { ToolFacts } from "./registrations/tools.js";

/** Registrations as `McpServer` gives them to its low-level server. */
type View = ReturnType<typeof readRegistries> & { canComplete(): boolean };

/** Facts with schemas in any form that the version of the SDK accepts. */
type Given<Facts, Schemas extends keyof Facts> = Omit<Facts, Schemas | "enabled"> & {
  readonly [Name in Schemas]: unknown;
};

/**
 * High-level server: registers tools, resources, and prompts.
 *
 * @typeParam Low low-level server
 * @typeParam More facts that the version of the SDK adds to all registrations
 * @typeParam Cached facts that the version of the SDK adds to resources and templates
 */
export abstract class BaseMcpServer<
  Low extends BaseServer,
  More extends object = object,
  Cached extends object = More,
> {
  /** Sets custom handlers, and sends requests and notifications to clients. */
  readonly server: Low;
  /** @internal */
  protected readonly registries: Registries<More, Cached>;
  /** @internal view of the registrations */
  protected readonly view: View;
  #canComplete = false;

  protected constructor(createServer: (view: View) => Low, options: RegistriesOptions<Cached>) {
    const canComplete = () => this.#canComplete;
    this.view = Object.assign(
      readRegistries(() => this.registries),
      { canComplete },
    );
    this.server = createServer(this.view);
    this.registries = createRegistries(this.server, options);
  }

  /** Returns the live server for `serve`, `toFetch`, `toNodeHandler`, or `createClient`. Always the same object. */
  build(): FacadeServer {
    return this.server.hosted;
  }

  /** Adds middleware around every tool, resource, and prompt, such as `standard()`. Not part of the official SDK. */
  use(...layers: readonly Middleware[]): this {
    this.build().update((editor) => editor.use(...layers));
    return this;
  }

  /** Adds an extension, such as `tasks()` from `tenon/tasks`. Not part of the official SDK. */
  extension(extension: Extension): this {
    this.build().update((editor) => editor.extension(extension));
    return this;
  }

  /** Closes all transports connected with `connect`. */
  async close(): Promise<void> {
    await this.server.close();
  }

  /** Sends a log message to the client. */
  async sendLoggingMessage(params: LogMessage, sessionId?: string): Promise<void> {
    await this.server.sendLoggingMessage(params, sessionId);
  }

  /** Notifies clients that the list of tools has changed. */
  sendToolListChanged(): void {
    this.notify(() => this.server.sendToolListChanged());
  }

  /** Notifies clients that the list of resources has changed. */
  sendResourceListChanged(): void {
    this.notify(() => this.server.sendResourceListChanged());
  }

  /** Notifies clients that the list of prompts has changed. */
  sendPromptListChanged(): void {
    this.notify(() => this.server.sendPromptListChanged());
  }

  /** @internal */
  protected notify(send: () => Promise<void>): void {
    void send().catch((error: unknown) => this.server.hosted.report(error, "notification"));
  }

  /** @internal adds a tool */
  protected addTool(
    name: string,
    given: Given<ToolFacts & More, "inputSchema" | "outputSchema">,
  ): Slot<ToolFacts & More, ToolDraft> {
    assertCallback(`Tool "${name}"`, given.handler);
    const { toSchema } = this.server.dialect;
    const schemas = { inputSchema: toSchema(given.inputSchema), outputSchema: toSchema(given.outputSchema) };
    // Safe: only the schemas have other types
    const facts = { ...given, ...schemas, enabled: true } as unknown as ToolFacts & More;
    const slot = this.registries.tools.add(name, facts);
    this.registered("tools", false);
    return slot;
  }

  /** @internal adds a prompt */
  protected addPrompt(
    name: string,
    given: Given<PromptFacts & More, "argsSchema">,
  ): Slot<PromptFacts & More, PromptDraft> {
    assertCallback(`Prompt "${name}"`, given.callback);
    const argsSchema = this.server.dialect.toSchema(given.argsSchema);
    // Safe: only the schema has another type
    const facts = { ...given, argsSchema, enabled: true } as unknown as PromptFacts & More;
    const slot = this.registries.prompts.add(name, facts);
    const completes = Object.values(fieldsOf(argsSchema)).some((field) => completerOf(field) !== undefined);
    this.registered("prompts", completes);
    return slot;
  }

  /** @internal declares the capabilities of a registration. @param completes true if it has a completion callback */
  protected registered(kind: ListKind, completes: boolean): void {
    this.#canComplete ||= completes;
    this.server.declare({ [kind]: { listChanged: true }, ...(completes ? { completions: {} } : {}) });
  }
}
