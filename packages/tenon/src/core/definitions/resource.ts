/**
 * @fileoverview Resource and resource template definitions, and their compiled entries.
 * @module core/resource
 */
import { toBase64 } from "@tenon/internal/base64";
import { frozenCopy } from "@tenon/internal/deep-freeze";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { andThen, type MaybePromise } from "@tenon/internal/maybe-promise";
import { quoted } from "@tenon/internal/text";
import { compileUriTemplate, type TemplateValues, type UriTemplate } from "@tenon/internal/uri-template";
import {
  type Annotations,
  type CacheHint,
  type Icon,
  McpError,
  type ReadResult,
  type ResourceContent,
  type McpResourceDefinition,
  type McpResourceTemplateDefinition,
} from "../../protocol/index.js";
import type { Call } from "../call/call.js";
import type { Completers } from "./completion.js";
import { layered } from "../call/middleware.js";
import type { Runnable } from "../call/operation.js";
import { kindOf } from "@tenon/internal/kind-of";
import type { OptionNames } from "@tenon/internal/names/known-options";
import { isUrl } from "@tenon/internal/security/is-url";
import { assertCompleters, assertDefinition, COMMON_ALIASES, findVariable } from "./definition-checks.js";
import type { CompileSettings } from "./tool.js";

interface ResourceCommon {
  /** Display name for users. */
  readonly title?: string;
  readonly description?: string;
  /** MIME type of text and bytes that the handler returns. */
  readonly mimeType?: string;
  readonly annotations?: Annotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
  /** Scopes that a principal must have to list and read the resource. */
  readonly scopes?: readonly string[];
  /**
   * Lifetime and scope for client caches, in the modern era.
   * @default not cached
   */
  readonly cache?: CacheHint;
  /**
   * Timeout for reads in milliseconds.
   * @default the server's `deadlineMs`
   */
  readonly deadlineMs?: number;
}

/** Resource definition for `.resource()`. */
export interface ResourceSpec<Context> extends ResourceCommon {
  /** Absolute URI, unique within the server. */
  readonly uri: string;
  /** Size in bytes, if known. */
  readonly size?: number;
  readonly handler: (uri: string, call: Call<Context>) => MaybePromise<ResourceReturn>;
}

/** Resource template definition for `.resourceTemplate()`. */
export interface ResourceTemplateSpec<Context, Template extends string> extends ResourceCommon {
  /** URI template (RFC 6570), such as `weather://{city}/today`. */
  readonly uriTemplate: Template;
  /** Completers by variable name. */
  readonly complete?: Completers<keyof TemplateVariables<Template> & string>;
  readonly handler: (
    variables: TemplateVariables<Template>,
    call: Call<Context>,
    uri: string,
  ) => MaybePromise<ResourceReturn>;
}

/** Return value of a resource handler: text, bytes, one or more contents, or a full result. */
export type ResourceReturn = string | Uint8Array | ResourceContent | readonly ResourceContent[] | ReadResult;

/** URI template variables by name. Query variables are optional, and exploded variables are lists. */
export type TemplateVariables<Template extends string> = string extends Template
  ? TemplateValues
  : { [Name in keyof Variables<Template>]: Variables<Template>[Name] };

type Variables<Template extends string> = Template extends `${string}{${infer Expression}}${infer Rest}`
  ? Expressed<Expression> & Variables<Rest>
  : unknown;

type Expressed<Expression extends string> = Expression extends `${"?" | "&"}${infer Names}`
  ? { [Name in Split<Names>]?: string }
  : Expression extends `/${infer Names}`
    ? {
        [Spec in Split<Names> as Spec extends `${infer Name}*` ? Name : Spec]: Spec extends `${string}*`
          ? string[]
          : string;
      }
    : Expression extends `${"+" | "#" | "." | ";"}${infer Names}`
      ? Record<Split<Names>, string>
      : Record<Split<Expression>, string>;

type Split<Names extends string> = Names extends `${infer Head},${infer Tail}` ? Head | Split<Tail> : Names;

/** Compiled resource or resource template. */
export interface ResourceEntry extends Runnable {
  readonly scopes: readonly string[];
  readonly cache: CacheHint | undefined;
  readonly run: (args: ReadTarget, call: Call) => MaybePromise<ReadResult>;
  /** Returns false until the handler of a declared resource is attached. */
  readonly isReady: () => boolean;
}

/** URI to read. If a template matched it, `variables` holds the matched values. */
export interface ReadTarget {
  readonly uri: string;
  readonly variables?: TemplateValues;
}

/** Compiled resource. */
export interface FixedResourceEntry extends ResourceEntry {
  readonly definition: McpResourceDefinition;
}

/** Compiled resource template. */
export interface TemplateEntry extends ResourceEntry {
  readonly definition: McpResourceTemplateDefinition;
  readonly template: UriTemplate;
  readonly complete: Completers<string>;
}

/** Resource before it is compiled. */
export interface ResourceDraft {
  readonly name: string;
  readonly uri: string;
  compile(settings: CompileSettings): FixedResourceEntry;
}

/** Resource template before it is compiled. */
export interface TemplateDraft {
  readonly name: string;
  compile(settings: CompileSettings): TemplateEntry;
}

const COMMON_OPTIONS: OptionNames<ResourceCommon> = {
  title: true,
  description: true,
  mimeType: true,
  annotations: true,
  icons: true,
  _meta: true,
  scopes: true,
  cache: true,
  deadlineMs: true,
};

const RESOURCE_OPTIONS: OptionNames<ResourceSpec<unknown>> = {
  ...COMMON_OPTIONS,
  uri: true,
  size: true,
  handler: true,
};

const TEMPLATE_OPTIONS: OptionNames<ResourceTemplateSpec<unknown, string>> = {
  ...COMMON_OPTIONS,
  uriTemplate: true,
  complete: true,
  handler: true,
};

const RESOURCE_ALIASES = {
  ...COMMON_ALIASES,
  read: "handler",
  load: "handler",
  url: "uri",
  mime: "mimeType",
  contentType: "mimeType",
};

const TEMPLATE_ALIASES = {
  ...RESOURCE_ALIASES,
  uri: "uriTemplate",
  url: "uriTemplate",
  template: "uriTemplate",
  completers: "complete",
};

/** Creates a draft for a resource. @throws if an option is unknown or the handler is missing */
export function draftResource<Context>(name: string, spec: ResourceSpec<Context>): ResourceDraft {
  const label = `Resource "${name}"`;
  assertFixed(name, spec);
  assertDefinition(spec, { label, names: RESOURCE_OPTIONS, aliases: RESOURCE_ALIASES });
  const { scopes, cache, deadlineMs, handler, ...described } = spec;
  return {
    name,
    uri: spec.uri,
    compile: (settings) => {
      if (!isUrl(spec.uri)) {
        throw new Error(`${label}: \`uri\` must be an absolute URI; got ${showUri(spec.uri)}.`);
      }
      return createResourceEntry(settings, {
        definition: { name, ...described },
        handler: (uri, call) => handler(uri, call as Call<Context>), // Safe: the context belongs to this server
        scopes,
        cache,
        deadlineMs,
      });
    },
  };
}

/** Creates a draft for a resource template. @throws if an option is unknown or the handler is missing */
export function draftResourceTemplate<Context, Template extends string>(
  name: string,
  spec: ResourceTemplateSpec<Context, Template>,
): TemplateDraft {
  const label = `Resource template "${name}"`;
  assertDefinition(spec, { label, names: TEMPLATE_OPTIONS, aliases: TEMPLATE_ALIASES });
  const { complete, scopes, cache, deadlineMs, handler, ...described } = spec;
  assertCompleters(label, complete);
  return {
    name,
    compile(settings) {
      const template = compileTemplate(name, spec.uriTemplate);
      const unknown = Object.keys(complete ?? {}).find((key) => !template.variables.includes(key));
      if (unknown !== undefined) {
        throw new Error(
          `${label}: \`complete\` contains "${unknown}", ` +
            "but the URI template does not contain that variable.",
        );
      }
      return {
        name,
        definition: frozenCopy({ name, ...described }),
        template,
        complete: { ...complete },
        scopes: scopes ?? [],
        cache,
        deadlineMs: deadlineMs ?? settings.deadlineMs,
        isReady: () => true,
        run: layered(settings.layers, { kind: "resource", name }, ({ uri, variables }, call) =>
          andThen(
            // Safe: these variables come from matching the template that determines the type.
            handler((variables ?? {}) as TemplateVariables<Template>, call as Call<Context>, uri),
            (value) => toReadResult(value, uri, spec.mimeType),
          ),
        ),
      };
    },
  };
}

/** Definition and handler from which a resource entry is created. */
export interface ResourceParts {
  readonly definition: McpResourceDefinition;
  /** True if the definition is deeply frozen, so that it need not be copied. */
  readonly isFrozen?: boolean;
  readonly handler: (uri: string, call: Call) => MaybePromise<ResourceReturn>;
  readonly isReady?: () => boolean;
  readonly scopes?: readonly string[] | undefined;
  readonly cache?: CacheHint | undefined;
  readonly deadlineMs?: number | undefined;
}

/** Creates a resource entry and composes the server's middleware around its handler. */
export function createResourceEntry(settings: CompileSettings, parts: ResourceParts): FixedResourceEntry {
  const { definition, handler } = parts;
  return {
    name: definition.name,
    definition: parts.isFrozen === true ? definition : frozenCopy(definition),
    scopes: parts.scopes ?? [],
    cache: parts.cache,
    deadlineMs: parts.deadlineMs ?? settings.deadlineMs,
    isReady: parts.isReady ?? (() => true),
    run: layered(settings.layers, { kind: "resource", name: definition.name }, ({ uri }, call) =>
      andThen(handler(uri, call), (value) => toReadResult(value, uri, definition.mimeType)),
    ),
  };
}

/** Rejects a URI with variables, because a resource has exactly one URI. */
function assertFixed(name: string, spec: unknown): void {
  const { uri, uriTemplate } = isJsonObject(spec) ? spec : {};
  const variable = typeof uri === "string" ? findVariable(uri) : undefined;
  const template = variable === undefined ? uriTemplate : uri;
  if (typeof template !== "string") return;
  const problem =
    variable === undefined
      ? "`uriTemplate` belongs to a resource template."
      : `\`uri\` contains the variable "${variable}".`;
  throw new TypeError(
    `Resource "${name}": ${problem} Use \`.resourceTemplate("${name}", { uriTemplate: "${template}", … })\`.`,
  );
}

function showUri(uri: unknown): string {
  return typeof uri === "string" ? `"${uri}"` : kindOf(uri);
}

function compileTemplate(name: string, source: string): UriTemplate {
  try {
    return compileUriTemplate(source);
  } catch (cause) {
    throw new Error(
      `Resource template "${name}": ${cause instanceof Error ? cause.message : "The URI template is malformed."}`,
      { cause },
    );
  }
}

function toReadResult(value: unknown, uri: string, mimeType: string | undefined): ReadResult {
  if (value instanceof McpError) throw value;
  const type = mimeType === undefined ? {} : { mimeType };
  if (typeof value === "string") return { contents: [{ uri, ...type, text: value }] };
  if (value instanceof Uint8Array) return { contents: [{ uri, ...type, blob: toBase64(value) }] };
  if (Array.isArray(value) && value.every(isResourceContent)) return { contents: value };
  if (isResourceContent(value)) return { contents: [value] };
  if (isJsonObject(value) && Array.isArray(value["contents"]) && value["contents"].every(isResourceContent)) {
    return value as unknown as ReadResult; // Safe: its only required property was checked above
  }
  throw new TypeError(
    `Resource "${quoted(uri)}": the handler must return a string, a Uint8Array, or resource contents; ` +
      `got ${kindOf(value)}.`,
  );
}

function isResourceContent(value: unknown): value is ResourceContent {
  return (
    isJsonObject(value) &&
    typeof value["uri"] === "string" &&
    (typeof value["text"] === "string") !== (typeof value["blob"] === "string")
  );
}
