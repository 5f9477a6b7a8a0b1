/** A response that a local server sends in the stream format of a provider. */
export interface Reply {
  /** Pieces of reasoning. */
  readonly think?: readonly string[];
  /** Encrypted reasoning. Only the Responses format has it. */
  readonly encrypted?: string;
  /** Pieces of text. */
  readonly text?: readonly string[];
  readonly calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly arguments: readonly string[];
  }[];
  readonly reason?: "stop" | "length" | "tool-calls" | "content-filter";
  readonly usage?: {
    readonly input: number;
    readonly output: number;
    readonly reasoning?: number;
    readonly cached?: number;
  };
  /** Error in the middle of the stream, after the pieces above. */
  readonly error?: { readonly type: string; readonly message: string };
  /** Set if the stream has no end: the server goes silent, or closes the connection, after the pieces above. */
  readonly ending?: "silence" | "break";
}

/** An error response. */
export interface Rejection {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Data of an event with a type. */
export interface ProviderEvent {
  readonly type: string;
  readonly [name: string]: unknown;
}

/** Formats an event with a name, as the Responses and Messages formats use it. */
export function namedEvent(data: ProviderEvent): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Returns the finish reason of a reply. */
export function reasonOf({ reason, calls = [] }: Reply): NonNullable<Reply["reason"]> {
  return reason ?? (calls.length > 0 ? "tool-calls" : "stop");
}

/** Returns the token counts of a reply. */
export function usageOf({ usage }: Reply): Required<NonNullable<Reply["usage"]>> {
  return { input: 11, output: 7, reasoning: 0, cached: 0, ...usage };
}
