/**
 * @fileoverview Options argument of the functions that serve a server. It is required if the server declares a context
 * type, because handlers would otherwise receive `undefined`.
 * @module tenon/transport/options-for
 */

/**
 * Options argument for a server with the given context type. Optional if the context may be `undefined`. Otherwise the
 * options must also match `Source`, which provides the context.
 */
export type OptionsFor<Context, Options, Source = ContextOption<Context>> = unknown extends Context
  ? [options?: Options]
  : undefined extends Context
    ? [options?: Options]
    : [options: Options & Source];

/** Options that provide the application context. */
export interface ContextOption<Context> {
  readonly context: Context;
}
