/**
 * @fileoverview Options for `listen`.
 * @module tenon/transport/node/listen-options
 */
import { defineOptions, type OptionsOf, type ParsedOptions } from "@tenon/internal/options/define-options";
import { flag, integer, text, texts } from "@tenon/internal/options/option-rows";

/** Values that a port accepts, and how to fix others. */
export const PORT = {
  min: 0,
  max: 65_535,
  fix: (port: unknown) =>
    typeof port === "string" && /^\d+$/.test(port) ? "Convert it with `Number`." : undefined,
} as const;

/** Options for `listen`. */
export const LISTEN_OPTIONS = /* @__PURE__ */ defineOptions("listen", {
  /** Port to listen on. 0 picks a free port. */
  port: integer({ ...PORT, required: true }),
  /**
   * Address to listen on. An address that other machines can reach requires `allowedHosts`.
   * @default "127.0.0.1"
   */
  host: text({
    default: "127.0.0.1",
    allowEmpty: true,
    expected: "a host name or an IP address",
    aliases: ["hostname", "address"],
  }),
  /** Host names that clients use, without ports. The request handler must check them. */
  allowedHosts: texts({ expected: "an array of host names", aliases: ["hosts"] }),
  /**
   * Takes request bodies directly from Node's HTTP parser if possible. `false` reads them as streams.
   * @default true
   * @internal
   */
  directBodies: flag({ default: true }),
});

/** Options for `listen`. */
export type ListenOptions = OptionsOf<typeof LISTEN_OPTIONS>;

/** Options for `listen` with their defaults. */
export type ListenSettings = ParsedOptions<typeof LISTEN_OPTIONS>;
