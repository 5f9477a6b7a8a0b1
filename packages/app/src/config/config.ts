/**
 * @fileoverview The configuration of this process: the one place that reads its environment, on first use.
 * @module app/config/config
 */
import type { AppConfig } from "./app-config.js";
import { loadAppConfig } from "./load-app-config.js";
import { VARIABLES } from "./variables.js";

/**
 * A configuration that is read when something of it is first asked for, and then stays as it is.
 *
 * @param load reads it
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
  return Object.freeze(Object.defineProperties({}, Object.fromEntries(members))) as Config; // a getter for each member
}

/**
 * This process's configuration: `process.env`, read on first use. An application with variables of its own makes its
 * own with `lazyConfig(() => loadAppConfig(process.env, { extra }))`.
 */
export const config: AppConfig = /* @__PURE__ */ lazyConfig(() => loadAppConfig(process.env));
