/**
 * @fileoverview Contract server in a separate process, on stdio.
 * @module tests/contract/transport-fixture
 */
import { serve } from "tenon/node";
import { createContractServer } from "./transport-server.js";

await serve(createContractServer());
