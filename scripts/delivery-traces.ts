// Makes the traces anew that `npm test` replays: `node scripts/run.mjs scripts/delivery-traces.ts`, after each change of spec/delivery.qnt.
import { storeTraces } from '../test/spec/stored-traces.ts'
import { generateTraces } from '../test/spec/traces.ts'

storeTraces(await generateTraces({ count: 200, steps: 40, seed: 20 }))
