// What other features and gateways use of this one.
export { teamName } from './actions.ts'
export { brandOf } from './brand.ts'
export { insertSandboxTeam, setSuspension } from './queries.ts'
export { findFirstTeam } from './reads.ts'
export { deleteEnded, endSandboxes, endTeams } from './sandbox-teams.ts'
