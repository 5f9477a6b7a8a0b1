/**
 * @fileoverview Configuration of this process. This is the only module that reads `process.env`, on first use.
 * @module app/config/config
 */
import type { AppConfig } from "./app-config.js";
import { loadAppConfig } from "./load-app-config.js";
import { VARIABLES } from "./variables.js";

/**
 * Returns a configuration that is loaded when one of its fields is first read, and cached from then on.
 *
 * @param load loads the configuration
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
  return Object.freeze(Object.defineProperties({}, Object.fromEntries(members))) as Config; // one getter per member
}

/**
 * Configuration of this process, read from `process.env` on first use. An application with its own variables creates
 * its own: `lazyConfig(() => loadAppConfig(process.env, { extra }))`.
 */
export const config: AppConfig = /* @__PURE__ */ lazyConfig(() => loadAppConfig(process.env));
