import type { ReadableStream } from "node:stream/web";
import type { AiSdkVersion } from "../../../src/models/ai-sdk/ai-sdk-model.js";

/**
 * Type of language models as the specification declares it, limited to the members that matter for assignability:
 * mutable arrays, unions of messages, and optional members without `undefined`.
 */
export interface SpecModel<V extends AiSdkVersion> {
  readonly specificationVersion: V;
  readonly provider: string;
  readonly modelId: string;
  supportedUrls: PromiseLike<Record<string, RegExp[]>> | Record<string, RegExp[]>;
  doGenerate(options: SpecOptions): PromiseLike<{ content: SpecPart[] }>;
  doStream(options: SpecOptions): PromiseLike<{
    stream: ReadableStream<SpecPart>;
    request?: { body?: unknown };
    response?: { headers?: Record<string, string> };
  }>;
}

interface SpecOptions {
  prompt: (
    | { role: "system"; content: string }
    | { role: "user"; content: { type: "text"; text: string }[] }
    | { role: "tool"; content: { type: "tool-result"; toolCallId: string }[] }
  )[];
  maxOutputTokens?: number;
  temperature?: number;
  responseFormat?: { type: "text" } | { type: "json"; schema?: { type?: string }; name?: string };
  tools?: { type: "function"; name: string; inputSchema: { type?: string } }[];
  toolChoice?: { type: "auto" } | { type: "none" } | { type: "tool"; toolName: string };
  includeRawChunks?: boolean;
  abortSignal?: AbortSignal;
  headers?: Record<string, string | undefined>;
}

type SpecPart =
  | { type: "text-delta"; id: string; delta: string }
  | { type: "finish"; finishReason: string | { unified: string; raw: string | undefined }; usage: object }
  | { type: "error"; error: unknown };
