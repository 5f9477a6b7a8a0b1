/**
 * @fileoverview Types for an application's configuration.
 * @module app/config/app-config
 */
import type { LoggerLevel } from "../logging/levels.js";
import type { VariableValues } from "./variables.js";

/** Settings that every application reads from its environment. `appConfigHelp` documents each variable. */
export interface AppSettings extends VariableValues {
  readonly logLevel: LoggerLevel;
}

/** Validated, frozen configuration. Logging or serializing the object shows secrets as `[REDACTED]`. */
export interface AppConfig<Extra = Readonly<Record<string, unknown>>> extends AppSettings {
  /** Values of the variables that the application declares itself. */
  readonly extra: Extra;
  /** Returns all settings, with secrets redacted. */
  toJSON(): Readonly<Record<string, unknown>>;
}

/** Environment variables, such as `process.env`. */
export type Env = Readonly<Record<string, string | undefined>>;
