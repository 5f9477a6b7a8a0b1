/**
 * @fileoverview List of conversations with search and paging.
 * @module agent/page-app/state/conversations
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { AgentClient, AgentState, TaskSummary } from "@tenon/agent/client";
import { describeFailure } from "./text.js";
import type { Timer } from "@tenon/ui/support/timer.js";

/** Part of the client that the list needs. */
export type ListClient = Pick<AgentClient, "list">;

/** Options of `Conversations`. */
export interface ConversationsOptions {
  readonly state: ReadonlySignal<AgentState>;
  readonly client: () => ListClient;
  readonly later: Timer["after"];
}

interface Results {
  readonly tasks: readonly TaskSummary[];
  readonly nextCursor: string | undefined;
  readonly isLoading: boolean;
  readonly failure: string | undefined;
}

const NOTHING: Results = { tasks: [], nextCursor: undefined, isLoading: false, failure: undefined };
const PAGE = 50;
/** Time after the last key, so that a search does not start for each letter. */
const DELAY_MS = 200;
/** Pages without results that are requested one after the other. A search reads a limited amount of data per page. */
const MAX_EMPTY_PAGES = 20;
const MAX_SEARCH = 200;

/** List of conversations. */
export class Conversations {
  /** Words that the user searches for. */
  readonly search: ReadonlySignal<string>;
  /** Conversations to show, newest first. */
  readonly tasks: ReadonlySignal<readonly TaskSummary[]>;
  readonly isLoading: ReadonlySignal<boolean>;
  readonly failure: ReadonlySignal<string | undefined>;
  /** True if there are more conversations. */
  readonly hasMore: ReadonlySignal<boolean>;
  readonly #options: ConversationsOptions;
  readonly #search = signal("");
  readonly #results = signal<Results>(NOTHING);
  #cancel: (() => void) | undefined;
  #round = 0;

  constructor(options: ConversationsOptions) {
    this.#options = options;
    this.search = this.#search;
    // The state contains all pages of the list. It changes when a conversation changes.
    this.tasks = computed(() => {
      if (this.#isSearching()) return this.#results.value.tasks;
      return options.state.value.tasks;
    });
    this.isLoading = computed(() => this.#results.value.isLoading);
    this.failure = computed(() => this.#results.value.failure);
    this.hasMore = computed(() => this.#results.value.nextCursor !== undefined);
  }

  /** Loads the first page. Call it after each connection. */
  refresh(): void {
    void this.#load(undefined);
  }

  /** Loads the next page. */
  more(): void {
    const { nextCursor, isLoading } = this.#results.peek();
    if (nextCursor !== undefined && !isLoading) void this.#load(nextCursor);
  }

  /** Changes the search. An empty one shows all conversations. */
  find(text: string): void {
    this.#search.value = text.slice(0, MAX_SEARCH);
    this.#cancel?.();
    this.#round++;
    this.#results.value = { ...NOTHING, tasks: this.#results.peek().tasks, isLoading: true };
    this.#cancel = this.#options.later(DELAY_MS, () => void this.#load(undefined));
  }

  /** Forgets the search and its results, because they belong to another user. */
  reset(): void {
    this.#cancel?.();
    this.#round++;
    this.#search.value = "";
    this.#results.value = NOTHING;
  }

  /** Removes a conversation from the results of a search, because it was deleted. */
  remove(taskId: string): void {
    const results = this.#results.peek();
    this.#results.value = { ...results, tasks: results.tasks.filter((task) => task.taskId !== taskId) };
  }

  /** Changes a title in the results of a search. */
  rename(taskId: string, title: string): void {
    const results = this.#results.peek();
    const tasks = results.tasks.map((task) => (task.taskId === taskId ? { ...task, title } : task));
    this.#results.value = { ...results, tasks };
  }

  #isSearching(): boolean {
    return this.#search.value.trim() !== "";
  }

  async #load(cursor: string | undefined): Promise<void> {
    const round = ++this.#round;
    const search = this.#search.peek().trim();
    this.#results.value = { ...this.#results.peek(), isLoading: true, failure: undefined };
    let tasks = cursor === undefined ? [] : this.#results.peek().tasks;
    let next = cursor;
    try {
      for (let pages = 0; pages < MAX_EMPTY_PAGES; pages++) {
        const request = { limit: PAGE, cursor: next, search: search || undefined };
        const page = await this.#options.client().list(request);
        if (round !== this.#round) return;
        tasks = [...tasks, ...page.tasks];
        next = page.nextCursor;
        if (page.tasks.length > 0 || next === undefined) break;
      }
      this.#results.value = { tasks, nextCursor: next, isLoading: false, failure: undefined };
    } catch (error) {
      if (round !== this.#round) return;
      this.#results.value = { ...NOTHING, tasks, failure: describeFailure(error) };
    }
  }
}
