/**
 * @fileoverview Registrations by key, in the order in which clients see them.
 * @module sdk/mcp-server/registrations/registry
 */
import type { CompileSettings } from "tenon/host";
import type { RequestScope, RequestScopes } from "../requests/request-scope.js";
import type { McpExtra } from "../requests/types.js";

/** Functions and settings that a registry needs from its server. */
export interface RegistryHost {
  readonly requestScopes: RequestScopes;
  /** True if the message of an unexpected error may be sent. */
  readonly exposeErrors: boolean;
  /** Maximum number of elements in the arguments of one call. */
  readonly maxInputElements: number | undefined;
  /** Creates the `extra` argument of a callback. */
  extraOf(scope: RequestScope): McpExtra;
  /** Compiles a draft. @throws if it is invalid, so that the error appears at its registration */
  assertUsable(kind: Kind, draft: Draft): void;
  /** Publishes changed registrations and notifies clients. */
  changed(): void;
}

/** A kind of registration. */
export type Kind = "tools" | "resources" | "templates" | "prompts";

/** Definition that the core compiles to an entry. */
export interface Draft {
  readonly name: string;
  compile(settings: CompileSettings): unknown;
}

/** Registry entry: the registered values and the draft built from them. */
export interface Slot<Facts, Made extends Draft> {
  readonly facts: Facts;
  readonly draft: Made;
  /**
   * Changes the facts. A key of null removes the registration, another key moves it. @throws without changing anything
   */
  change(change: Partial<Facts>, key?: string | null): void;
}

/** Handle of a registration. Clients are notified of every change. */
export abstract class Registration<
  Facts extends { readonly title: string | undefined; readonly enabled: boolean },
  Made extends Draft,
> {
  /** @internal entry in the registry */
  protected readonly slot: Slot<Facts, Made>;

  /** @internal created by `McpServer` */
  constructor(slot: Slot<Facts, Made>) {
    this.slot = slot;
  }

  get title(): string | undefined {
    return this.slot.facts.title;
  }

  get enabled(): boolean {
    return this.slot.facts.enabled;
  }

  /** Enables the registration. */
  enable(): void {
    this.#show(true);
  }

  /** Disables the registration: clients cannot list or use it. */
  disable(): void {
    this.#show(false);
  }

  /** Removes the registration. */
  remove(): void {
    this.slot.change({}, null);
  }

  #show(enabled: boolean): void {
    this.slot.change({ enabled } as Partial<Facts>); // all facts have this member
  }
}

/** The registrations of one kind. */
export class Registry<Facts extends { readonly enabled: boolean }, Made extends Draft> {
  readonly #kind: Kind;
  readonly #host: RegistryHost;
  readonly #toDraft: (key: string, facts: Facts) => Made;
  readonly #slots = new Map<string, Slot<Facts, Made>>();

  constructor(kind: Kind, host: RegistryHost, toDraft: (key: string, facts: Facts) => Made) {
    this.#kind = kind;
    this.#host = host;
    this.#toDraft = toDraft;
  }

  /** Every registration, enabled or not. */
  get all(): readonly Slot<Facts, Made>[] {
    return [...this.#slots.values()];
  }

  /** Drafts of the enabled registrations. */
  get drafts(): readonly Made[] {
    return this.all.filter(({ facts }) => facts.enabled).map(({ draft }) => draft);
  }

  /** Returns the registration under a key. */
  get(key: string): Slot<Facts, Made> | undefined {
    return this.#slots.get(key);
  }

  /** Adds a registration. @throws if the key is taken or the draft does not compile */
  add(key: string, facts: Facts): Slot<Facts, Made> {
    this.#assertFree(key);
    let at: string | undefined = key;
    const state = { facts, draft: this.#make(key, facts) };
    const slot: Slot<Facts, Made> = {
      get facts() {
        return state.facts;
      },
      get draft() {
        return state.draft;
      },
      change: (change, to = at) => {
        const next = { ...state.facts, ...change };
        const key = to ?? undefined;
        if (key !== undefined && key !== at) this.#assertFree(key);
        if (key !== undefined) state.draft = this.#make(key, next);
        state.facts = next;
        if (key !== at) {
          if (at !== undefined) this.#slots.delete(at);
          if (key !== undefined) this.#slots.set(key, slot);
          at = key;
        }
        this.#host.changed();
      },
    };
    this.#slots.set(key, slot);
    this.#host.changed();
    return slot;
  }

  #assertFree(key: string): void {
    if (this.#slots.has(key)) throw new Error(`${NOUNS[this.#kind]} ${key} is already registered`);
  }

  #make(key: string, facts: Facts): Made {
    const draft = withCompileCache(this.#toDraft(key, facts));
    this.#host.assertUsable(this.#kind, draft);
    return draft;
  }
}

/** Singular nouns for error messages. */
export const NOUNS: Readonly<Record<Kind, string>> = {
  tools: "Tool",
  resources: "Resource",
  templates: "Resource template",
  prompts: "Prompt",
};

/** Returns a copy without `undefined` properties. */
export function omitUndefined<Value extends object>(value: Value): Defined<Value> {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined),
  ) as Defined<Value>;
}

type Defined<Value> = { [Key in keyof Value]?: Exclude<Value[Key], undefined> };

/** Caches the compiled draft for each settings object, because it is compiled at registration and again by the core. */
function withCompileCache<Made extends Draft>(draft: Made): Made {
  let last: { readonly settings: CompileSettings; readonly entry: unknown } | undefined;
  const compile = (settings: CompileSettings) => {
    if (last?.settings !== settings) last = { settings, entry: draft.compile(settings) };
    return last.entry;
  };
  return { ...draft, compile };
}
