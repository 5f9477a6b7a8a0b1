/**
 * @fileoverview Registry of tools, resources, templates, or prompts, in the order in which clients see them.
 * @module sdk/server/registrations/registry
 */
import type { CompileSettings } from "tenon/host";
import { isJsonObject, withoutUndefined } from "@tenon/internal/json";
import { printable } from "@tenon/internal/text";
import type { ScopeChallengeHandler } from "../../types.js";
import type { Dialect } from "../dialect.js";
import type { RequestScopes } from "../requests/request-scope.js";
import { warnAboutToolName } from "./check-config.js";

/** Server functions and settings that a registry uses. */
export interface RegistryHost {
  readonly hosted: {
    readonly requestScopes: RequestScopes;
    /** True if clients may see the messages of unexpected errors. */
    readonly exposeErrors: boolean;
    /** Checks a draft at registration, to detect errors early. @throws if it is invalid or its name is in use */
    assertUsable(kind: Kind, draft: Draft): void;
    /** Publishes changed registrations and notifies clients. */
    refresh(): void;
  };
  readonly dialect: Dialect;
  /** Maximum number of values, at every depth, in one call's arguments. `undefined` means no limit. */
  readonly maxInputElements: number | undefined;
}

/** Registration kind. Each kind has its own registry. */
export type Kind = "tools" | "resources" | "templates" | "prompts";

/** Uncompiled definition. The core compiles it to an entry. */
export interface Draft {
  readonly name: string;
  /** True if it certainly compiles. It is then compiled on first use. */
  readonly isChecked?: boolean;
  compile(settings: CompileSettings): unknown;
}

/** Registry entry: the registered values and the draft created from them. */
export interface Slot<Facts, Made extends Draft> {
  readonly facts: Facts;
  readonly draft: Made;
  readonly dialect: Dialect;
  /**
   * Updates the registered values. A different key renames the registration, and `null` removes it.
   *
   * @throws if the key is already in use or the draft does not compile. The registration is then unchanged.
   */
  change(change: Partial<Facts>, key?: string | null): void;
}

/** Facts that all registrations have. */
export interface CommonFacts {
  readonly title?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** Decides whether a request needs more scopes. Only version 2 has it. */
  readonly scopeChallenge?: ScopeChallengeHandler | undefined;
  readonly enabled: boolean;
}

/** Changes that every registration accepts. Omitted properties keep their values. */
export interface CommonUpdates {
  readonly title?: string;
  readonly enabled?: boolean;
  /** `null` removes it. Only version 2 has it. */
  readonly scopeChallenge?: ScopeChallengeHandler | null;
}

type Mutable<Value> = { -readonly [Name in keyof Value]: Value[Name] };

/** Base class of the objects that the `register` methods return. Every change notifies clients. */
export abstract class Registration<Facts extends CommonFacts, Made extends Draft> {
  /** @internal registry entry */
  protected readonly slot: Slot<Facts, Made>;

  /** @internal created by `McpServer` */
  constructor(slot: Slot<Facts, Made>) {
    this.slot = slot;
  }

  /** Makes the registration available to clients again. */
  enable(): void {
    this.slot.change({ enabled: true } as Partial<Facts>); // Safe: every `Facts` type has `enabled`
  }

  /** Hides the registration: clients cannot list or use it until `enable` is called. */
  disable(): void {
    this.slot.change({ enabled: false } as Partial<Facts>); // Safe: as above
  }

  /** Removes the registration. Its name or URI can be registered again. */
  remove(): void {
    this.slot.change({}, null);
  }

  /** @internal applies the changes of an `update` method. `undefined` keeps a value, and `null` removes it */
  protected apply(
    changes: { readonly [Name in keyof Facts]?: unknown },
    key: string | null | undefined,
  ): void {
    const given = Object.entries(withoutUndefined(changes)).map(([name, value]) => [
      name,
      value ?? undefined,
    ]);
    this.slot.change(Object.fromEntries(given) as Partial<Facts>, key); // Safe: `update` declares the types
  }
}

/**
 * Creates a base class of registrations with properties that read and change its registered values. Applications written
 * for the official SDK assign to them.
 */
export function registrationOf<Facts extends CommonFacts, Made extends Draft>() {
  return <Name extends keyof Facts>(...names: readonly Name[]) => {
    abstract class Handle extends Registration<Facts, Made> {}
    for (const name of ["title", "enabled", "scopeChallenge", ...names] as const) {
      Object.defineProperty(Handle.prototype, name, {
        get(this: { readonly slot: Slot<Facts, Made> }) {
          return this.slot.facts[name];
        },
        set(this: { readonly slot: Slot<Facts, Made> }, value: unknown) {
          this.slot.change({ [name]: value } as Partial<Facts>); // Safe: the property has the type of the fact
        },
        enumerable: true,
      });
    }
    type Values = { -readonly [Each in Name | "title" | "enabled" | "scopeChallenge"]: Facts[Each] };
    // Safe: the properties were defined above
    return Handle as abstract new (slot: Slot<Facts, Made>) => Registration<Facts, Made> & Values;
  };
}

/** Creates the draft of a registration. @param hasPlainInput true if its input schema certainly compiles */
type ToDraft<Facts, Made> = (key: string, facts: Facts, hasPlainInput: boolean) => Made;

/** Registrations of one kind, by name or URI. */
export class Registry<Facts extends { readonly enabled: boolean }, Made extends Draft> {
  readonly #kind: Kind;
  readonly #host: RegistryHost;
  readonly #toDraft: ToDraft<Facts, Made>;
  readonly #slots = new Map<string, Slot<Facts, Made>>();

  constructor(kind: Kind, host: RegistryHost, toDraft: ToDraft<Facts, Made>) {
    this.#kind = kind;
    this.#host = host;
    this.#toDraft = toDraft;
  }

  /** Registrations, including disabled ones. */
  get all(): readonly Slot<Facts, Made>[] {
    return [...this.#slots.values()];
  }

  /** Drafts of all enabled registrations. */
  get drafts(): readonly Made[] {
    return this.all.filter(({ facts }) => facts.enabled).map(({ draft }) => draft);
  }

  /** Returns the registration with a key, even if it is disabled. */
  get(key: string): Slot<Facts, Made> | undefined {
    return this.#slots.get(key);
  }

  /**
   * Adds a registration and notifies clients.
   *
   * @param hasPlainInput true if the input schema in the facts certainly compiles
   * @throws if the key is already in use or the draft does not compile
   */
  add(key: string, facts: Facts, hasPlainInput = false): Slot<Facts, Made> {
    this.#assertFree(key);
    let at: string | undefined = key;
    // Not an object with getters: creating one takes several times as long.
    const slot: Mutable<Slot<Facts, Made>> = {
      facts,
      draft: this.#make(key, facts, hasPlainInput),
      dialect: this.#host.dialect,
      change: (change, to = at) => {
        const next = { ...slot.facts, ...change };
        const key = to ?? undefined;
        if (key !== undefined && key !== at) this.#assertFree(key);
        if (key !== undefined) slot.draft = this.#make(key, next);
        slot.facts = next;
        if (key !== at) {
          if (at !== undefined) this.#slots.delete(at);
          if (key !== undefined) this.#place(key, slot);
          at = key;
        }
        this.#host.hosted.refresh();
      },
    };
    this.#place(key, slot);
    this.#host.hosted.refresh();
    return slot;
  }

  #place(key: string, slot: Slot<Facts, Made>): void {
    this.#slots.set(key, slot);
    if (this.#kind === "tools") warnAboutToolName(key);
  }

  #assertFree(key: string): void {
    if (this.#slots.has(key)) throw new Error(`${NOUNS[this.#kind]} ${key} is already registered`);
  }

  #make(key: string, facts: Facts, hasPlainInput = false): Made {
    const made = this.#toDraft(key, facts, hasPlainInput);
    const draft = made.isChecked === true ? made : withCompileCache(made);
    this.#host.hosted.assertUsable(this.#kind, draft);
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

/** Caches the compiled entry for the current settings, because registration and the core both compile the draft. */
function withCompileCache<Made extends Draft>(draft: Made): Made {
  let last: { readonly settings: CompileSettings; readonly entry: unknown } | undefined;
  const compile = (settings: CompileSettings) => {
    if (last?.settings !== settings) last = { settings, entry: draft.compile(settings) };
    return last.entry;
  };
  return { ...draft, compile };
}

/** Asserts that a registration's name is valid. @throws with the kind and the name */
export function assertName(kind: Kind, name: unknown): void {
  if (typeof name === "string" && name !== "" && name.length <= 128 && !/\p{Cc}/u.test(name)) return;
  const shown = typeof name === "string" ? JSON.stringify(printable(name)) : typeof name;
  throw new Error(
    `${NOUNS[kind]} ${shown}: the name must be 1 to 128 characters long, without control characters.`,
  );
}

/** Asserts that lists can contain an entry. They are serialized on first use. @throws with the kind and the name */
export function assertSerializable(kind: Kind, name: string, entry: unknown): void {
  try {
    JSON.stringify(isJsonObject(entry) ? entry["definition"] : undefined);
  } catch (error) {
    throw new TypeError(`${NOUNS[kind]} ${name}: the definition cannot be serialized`, { cause: error });
  }
}
