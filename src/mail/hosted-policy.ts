import { hash } from 'node:crypto'
import { writeStsPolicy } from './mta-sts.ts'

/** How the MTA-STS policy of a receiving domain is served: not at all, to be reported about, or to be followed. */
export type HostedMode = 'off' | 'testing' | 'enforce'

/** Below the domain: RFC 8461 wants this name. */
export const POLICY_LABEL = 'mta-sts'

const DAY_SECONDS = 86_400
const MAX_AGE_SECONDS = { off: DAY_SECONDS, testing: DAY_SECONDS, enforce: 7 * DAY_SECONDS }

/** As it is served. A policy that was switched off says so, since senders go by the one that they have kept. */
export const hostedPolicy = (mode: HostedMode, mailHost: string): string =>
  writeStsPolicy({
    mode: mode === 'off' ? 'none' : mode,
    mx: mode === 'off' ? [] : [mailHost],
    maxAgeSeconds: MAX_AGE_SECONDS[mode],
  })

/** Another one for each policy, and the same in all processes. */
export const hostedPolicyId = (mode: HostedMode, mailHost: string): string =>
  hash('sha256', hostedPolicy(mode, mailHost)).slice(0, 16)
