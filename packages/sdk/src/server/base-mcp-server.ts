/**
 * @fileoverview The registrar behind `McpServer` of versions 1 and 2.
 * @module sdk/server/base-mcp-server
 */
import type { Auth, Extension, Middleware } from "tenon";
import {
  isAllowed,
  type PromptDraft,
  type ResourceDraft,
  type TemplateDraft,
  type ToolDraft,
} from "tenon/host";
import type { Callback, ResourceMetadata } from "../types.js";
import type { BaseServer, ListKind, LogMessage } from "./base-server.js";
import type { Registrations } from "./dialect.js";
import type { DropInServer } from "./drop-in-server.js";
import { toLimit } from "./options.js";
import { isJsonObject } from "@tenon/internal/json";
import { assertCallback } from "./registrations/check-config.js";
import { isPlainShape } from "./registrations/known-schemas.js";
import { draftPrompt, type PromptFacts, RegisteredPrompt } from "./registrations/prompts.js";
import { Registry, type RegistryHost } from "./registrations/registry.js";
import {
  draftResource,
  draftTemplate,
  hasCompleters,
  RegisteredResource,
  RegisteredResourceTemplate,
  type ResourceFacts,
  type ResourceTemplateLike,
  type TemplateFacts,
} from "./registrations/resources.js";
import { completerOf, fieldsOf, isShape } from "./registrations/schemas.js";
import { draftTool, RegisteredTool, type ToolFacts } from "./registrations/tools.js";
import { toKnownShape } from "./registrations/zod-schemas.js";

/** Facts with schemas in any form that the version of the SDK accepts. */
type Given<Facts, Schemas extends keyof Facts> = Omit<Facts, Schemas | "enabled"> & {
  readonly [Name in Schemas]?: unknown;
};

/** High-level server: registers tools, resources, and prompts. @typeParam Low low-level server */
export abstract class BaseMcpServer<Low extends BaseServer> {
  /** Sets custom handlers, and sends requests and notifications to clients. */
  readonly server: Low;
  /** @internal */
  protected readonly registries: Registries;
  /** @internal */
  protected readonly registrations: Registrations;
  #canComplete = false;

  protected constructor(
    createServer: (registrations: Registrations) => Low,
    maxToolInputElements: number | undefined,
  ) {
    this.registrations = readRegistries(
      () => this.registries,
      () => this.#canComplete,
    );
    this.server = createServer(this.registrations);
    const { hosted, dialect } = this.server;
    this.registries = createRegistries({ hosted, dialect, maxInputElements: toLimit(maxToolInputElements) });
  }

  /** Returns the live server for `serve`, `toFetch`, `toNodeHandler`, or `createClient`. Always the same object. */
  build(): DropInServer {
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

  /** Connects an official transport, or starts a Tenon transport from its configuration. */
  async connect(transport: Parameters<BaseServer["connect"]>[0]): Promise<void> {
    await this.server.connect(transport);
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
  protected addTool(name: string, given: Given<ToolFacts, "inputSchema" | "outputSchema">): RegisteredTool {
    const { toSchema } = this.server.dialect;
    const shape = isShape(given.inputSchema) ? toKnownShape(given.inputSchema) : undefined;
    const outputSchema = toSchema(given.outputSchema);
    if (shape === undefined || !isPlainShape(shape)) {
      const inputSchema = toSchema(given.inputSchema);
      return this.addToolFacts(name, { ...given, inputSchema, outputSchema, enabled: true });
    }
    const facts = {
      ...given,
      // Creating the schema takes longer than the rest of the registration, and a request uses at most one.
      get inputSchema() {
        return shape.schema;
      },
      outputSchema,
      enabled: true,
    };
    return this.addToolFacts(name, facts, true);
  }

  /** @internal adds a tool whose schemas were converted */
  protected addToolFacts(name: string, facts: ToolFacts, hasPlainInput = false): RegisteredTool {
    assertCallback(`Tool "${name}"`, facts.handler);
    const slot = this.registries.tools.add(name, facts, hasPlainInput);
    this.registered("tools", false);
    return new RegisteredTool(slot);
  }

  /** @internal adds a prompt */
  protected addPrompt(name: string, given: Given<PromptFacts, "argsSchema">): RegisteredPrompt {
    assertCallback(`Prompt "${name}"`, given.callback);
    const argsSchema = this.server.dialect.toSchema(given.argsSchema);
    const slot = this.registries.prompts.add(name, { ...given, argsSchema, enabled: true });
    const completes = Object.values(fieldsOf(argsSchema)).some((field) => completerOf(field) !== undefined);
    this.registered("prompts", completes);
    return new RegisteredPrompt(slot);
  }

  /** @internal adds a resource or a resource template */
  protected addResource(
    name: string,
    address: string | ResourceTemplateLike,
    { config, callback }: { readonly config: AnyResourceConfig | undefined; readonly callback: Callback },
  ): RegisteredResource | RegisteredResourceTemplate {
    assertCallback(`Resource "${name}"`, callback);
    const { scopes, cacheHint, scopeChallenge, ...metadata } = config ?? {};
    const { title } = metadata;
    const common = { title, metadata: config && metadata, scopes, cacheHint, scopeChallenge, enabled: true };
    if (typeof address === "string") {
      const readCallback = callback as ResourceFacts["readCallback"]; // Safe: the overloads guarantee the type
      const slot = this.registries.resources.add(address, { name, ...common, readCallback });
      this.registered("resources", false);
      return new RegisteredResource(slot);
    }
    const readCallback = callback as TemplateFacts["readCallback"]; // Safe: as above
    const slot = this.registries.templates.add(name, { resourceTemplate: address, ...common, readCallback });
    this.registered("resources", hasCompleters(address));
    return new RegisteredResourceTemplate(slot);
  }

  /** @internal declares the capabilities of a registration. @param completes true if it has a completion callback */
  protected registered(kind: ListKind, completes: boolean): void {
    this.#canComplete ||= completes;
    const listChanged = this.server.announces(kind);
    const declared = this.server.capabilities[kind];
    if (!completes && isJsonObject(declared) && declared["listChanged"] === listChanged) return;
    this.server.declare({ [kind]: { listChanged }, ...(completes ? { completions: {} } : {}) });
  }
}

/** Configuration of a resource in either version. */
type AnyResourceConfig = ResourceMetadata & Pick<ResourceFacts, "cacheHint" | "scopeChallenge" | "scopes">;

/** The registries of an `McpServer`. */
interface Registries {
  readonly tools: Registry<ToolFacts, ToolDraft>;
  readonly resources: Registry<ResourceFacts, ResourceDraft>;
  readonly templates: Registry<TemplateFacts, TemplateDraft>;
  readonly prompts: Registry<PromptFacts, PromptDraft>;
}

function createRegistries(host: RegistryHost): Registries {
  const resources: Registries["resources"] = new Registry("resources", host, (uri, facts) =>
    draftResource(uri, facts, {
      ...host,
      isTaken: (name) => resources.all.some(({ draft }) => draft.name === name && draft.uri !== uri),
    }),
  );
  return {
    tools: new Registry("tools", host, (name, facts, hasPlainInput) =>
      draftTool({ name, facts, host }, hasPlainInput),
    ),
    resources,
    templates: new Registry("templates", host, (name, facts) => draftTemplate(name, facts, host)),
    prompts: new Registry("prompts", host, (name, facts) => draftPrompt(name, facts, host)),
  };
}

/** Creates a view of the registries. They are read on use, because they are created after the server. */
function readRegistries(registries: () => Registries, canComplete: () => boolean): Registrations {
  const isHidden = (uri: string, auth: Pick<Auth, "scopes"> | undefined) => {
    const { resources, templates } = registries();
    const facts = resources.get(uri)?.facts ?? findTemplate(templates, uri);
    return !isAllowed({ scopes: facts?.scopes ?? [] }, auth);
  };
  return {
    get drafts() {
      const { tools, resources, templates, prompts } = registries();
      return {
        tools: tools.drafts,
        resources: resources.drafts,
        templates: templates.drafts,
        prompts: prompts.drafts,
      };
    },
    get listers() {
      return registries().templates.all.flatMap(({ facts }) => {
        const { enabled, resourceTemplate, metadata = {}, scopes = [] } = facts;
        const list = resourceTemplate.listCallback;
        return enabled && list !== undefined ? [{ list, metadata, scopes }] : [];
      });
    },
    canComplete,
    hasResource: (uri) => registries().resources.get(uri) !== undefined,
    isDisabled: (kind, key, auth) => {
      const facts = registries()[kind].get(key)?.facts;
      return facts?.enabled === false && isAllowed({ scopes: facts.scopes ?? [] }, auth);
    },
    disabledTemplate: (uri, auth) => {
      const found = findTemplate(registries().templates, uri);
      const isDisabled = found?.enabled === false && !isHidden(uri, auth);
      return isDisabled ? String(found.resourceTemplate.uriTemplate) : undefined;
    },
    isHidden,
  };
}

/** Returns the facts of the first template that matches a URI. */
export function findTemplate(templates: Registries["templates"], uri: string): TemplateFacts | undefined {
  return templates.all.find(({ facts }) => facts.resourceTemplate.uriTemplate.match(uri) !== null)?.facts;
}
