/**
 * @fileoverview The process configuration. Only this module reads `process.env`, and only on first use.
 * @module app/config/config
 */
import type { AppConfig } from "./app-config.js";
import { loadAppConfig } from "./load-app-config.js";
import { VARIABLES } from "./variables.js";

/**
 * Returns a configuration that is loaded and cached when one of its fields is first read.
 *
 * @param load called once; if it throws, the next access calls it again
 */
export function lazyConfig<Config extends AppConfig<unknown>>(load: () => Config): Config {
  let loaded: Config | undefined;
  const keys = [...Object.keys(VARIABLES), "extra", "toJSON", Symbol.for("nodejs.util.inspect.custom")];
  const members = keys.map((key) => [
    key,
    {
      enumerable: typeof key === "string" && key !== "toJSON",
      get: () => Reflect.get((loaded ??= load()), key),
    },
  ]);
  // Safe: it has a getter for each member.
  return Object.freeze(Object.defineProperties({}, Object.fromEntries(members))) as Config;
}

/**
 * The process configuration, read from `process.env` on first use. Applications with their own variables use
 * `lazyConfig(() => loadAppConfig(process.env, { extra }))` instead.
 */
export const config: AppConfig = /* @__PURE__ */ lazyConfig(() => loadAppConfig(process.env));
