/**
 * @fileoverview Certificate authority and server certificate for tests of TLS on loopback, made with openssl.
 * @module tools/certificates
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runBounded } from "./process.js";

/** Files of a server's key and certificate, and the certificate of the authority that signed it, in PEM format. */
export interface Certificates {
  readonly key: string;
  readonly cert: string;
  /** Text of the authority's certificate. */
  readonly ca: string;
}

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];

/** Creates an authority, and a certificate for 127.0.0.1 that it has signed. */
export async function createCertificates(folder: string): Promise<Certificates> {
  const [authority, authorityKey] = [join(folder, "ca.pem"), join(folder, "ca-key.pem")];
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const run = async (...args: readonly string[]) => {
    const made = await runBounded("openssl", args, { cwd: folder, timeoutMs: 30_000 });
    if (!made.ok) throw new Error(made.output);
  };
  const own = ["-subj", "/CN=Test authority", "-keyout", authorityKey, "-out", authority];
  await run("req", "-x509", ...NEW_KEY, ...own);
  const signed = ["-CA", authority, "-CAkey", authorityKey, "-keyout", key, "-out", cert];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  await run("req", "-x509", ...NEW_KEY, ...names, "-addext", "basicConstraints=critical,CA:FALSE", ...signed);
  return { key, cert, ca: readFileSync(authority, "utf8") };
}
