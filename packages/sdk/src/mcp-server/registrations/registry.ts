/**
 * @fileoverview What was registered, by key, and in the order in which clients see it.
 * @module app/mcp-server/shelf
 */
import type { CompileSettings } from "tenon/host";
import type { RequestScope, RequestScopes } from "../requests/request-scope.js";
import type { McpExtra } from "../requests/types.js";

/** What registrations need of the server they are on. */
export interface RegistryHost {
  readonly visits: RequestScopes;
  /** Whether the text of an unexpected error may be sent. */
  readonly exposes: boolean;
  /** Most elements that the arguments of one call may have. */
  readonly maxInputElements: number | undefined;
  /** What a callback gets for a request. */
  extraOf(visit: RequestScope): McpExtra;
  /** Compiles a draft, so that what is wrong with it shows where it is registered. */
  vet(kind: Kind, draft: Draft): void;
  /** Says that clients are to see something else from now on. */
  changed(): void;
}

/** What can be registered. */
export type Kind = "tools" | "resources" | "templates" | "prompts";

/** What the core compiles. */
export interface Draft {
  readonly name: string;
  compile(settings: CompileSettings): unknown;
}

/** One registration: what it says, and its draft. */
export interface Slot<Facts, Made extends Draft> {
  readonly facts: Facts;
  readonly draft: Made;
  /** Changes what it says. A key of null takes it off, another one moves it. @throws and changes nothing */
  change(change: Partial<Facts>, key?: string | null): void;
}

/** A registration in the hands of whoever made it. Every change reaches clients. */
export abstract class Registration<
  Facts extends { readonly title: string | undefined; readonly enabled: boolean },
  Made extends Draft,
> {
  /** @internal where it stands */
  protected readonly slot: Slot<Facts, Made>;

  /** @internal made by the server's own methods */
  constructor(slot: Slot<Facts, Made>) {
    this.slot = slot;
  }

  get title(): string | undefined {
    return this.slot.facts.title;
  }

  get enabled(): boolean {
    return this.slot.facts.enabled;
  }

  /** Shows it again. */
  enable(): void {
    this.#show(true);
  }

  /** Hides it: it is not listed, and refused to those who ask for it. */
  disable(): void {
    this.#show(false);
  }

  /** Takes it off. */
  remove(): void {
    this.slot.change({}, null);
  }

  #show(enabled: boolean): void {
    this.slot.change({ enabled } as Partial<Facts>); // a member that all facts have
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

  /** Every registration, on or off. */
  get all(): readonly Slot<Facts, Made>[] {
    return [...this.#slots.values()];
  }

  /** The drafts that clients may see. */
  get drafts(): readonly Made[] {
    return this.all.filter(({ facts }) => facts.enabled).map(({ draft }) => draft);
  }

  /** What stands under a key. */
  get(key: string): Slot<Facts, Made> | undefined {
    return this.#slots.get(key);
  }

  /** Registers something. @throws where the key is taken, or the core refuses it */
  add(key: string, facts: Facts): Slot<Facts, Made> {
    this.#checkFree(key);
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
        if (key !== undefined && key !== at) this.#checkFree(key);
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

  #checkFree(key: string): void {
    if (this.#slots.has(key)) throw new Error(`${NOUNS[this.#kind]} ${key} is already registered`);
  }

  #make(key: string, facts: Facts): Made {
    const draft = remembering(this.#toDraft(key, facts));
    this.#host.vet(this.#kind, draft);
    return draft;
  }
}

/** What each kind is called in errors. */
export const NOUNS: Readonly<Record<Kind, string>> = {
  tools: "Tool",
  resources: "Resource",
  templates: "Resource template",
  prompts: "Prompt",
};

/** Only the members of a change that were said: an absent one leaves things as they are. */
export function said<Change extends object>(change: Change): Said<Change> {
  return Object.fromEntries(
    Object.entries(change).filter(([, value]) => value !== undefined),
  ) as Said<Change>;
}

type Said<Change> = { [Key in keyof Change]?: Exclude<Change[Key], undefined> };

/** Compiles once for each state of the server's settings: it is done at registration already. */
function remembering<Made extends Draft>(draft: Made): Made {
  let last: { readonly settings: CompileSettings; readonly entry: unknown } | undefined;
  const compile = (settings: CompileSettings) => {
    if (last?.settings !== settings) last = { settings, entry: draft.compile(settings) };
    return last.entry;
  };
  return { ...draft, compile };
}
