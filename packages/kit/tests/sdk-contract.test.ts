import { describeTransport } from "../../../tests/support/contract/transport-contract.js";
import { inMemory, SDK_CONTRACTS } from "./support/sdk-contract-server.js";
import { SDK_WIRES } from "./support/sdk-contract-wires.js";

for (const [server, contract] of Object.entries(SDK_CONTRACTS)) {
  for (const [wire, open] of Object.entries(SDK_WIRES)) {
    describeTransport(`${server} on ${wire}`, open(contract), {
      reference: inMemory(contract),
      only: ({ stateless }) => !stateless,
      comparedOnly: contract.ownWords,
    });
  }
}
