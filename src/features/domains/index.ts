// What other features and gateways use of this one.
export { requireDomain } from './actions.ts'
export { isHostOf } from './hosts.ts'
export { KeyMaker, loadSigners } from './keys.ts'
export { findVerifiedDomain } from './queries.ts'
export { findReceiver } from './receivers.ts'
export { insertSandboxDomain } from './sandbox.ts'
export { findSender, findSenderById, Senders } from './senders.ts'
