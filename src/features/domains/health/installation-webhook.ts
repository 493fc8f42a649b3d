import { createSecretKey } from 'node:crypto'
import { OutgoingHttp } from '../../../adapters/outgoing-http/outgoing-http.ts'
import { signedHeaders } from '../../../adapters/outgoing-http/signed-headers.ts'
import { hours, type Job, minutes } from '../../../kernel/jobs/job.ts'
import { job } from '../../definitions.ts'
import type { Services } from '../../services.ts'
import type { InstallationChange } from './installation-change.ts'

const POST_TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 1_024

interface Posted {
  readonly id: string
  readonly at: string
  /** Nowhere else: the next examination writes over what this one has found. */
  readonly change: InstallationChange
}

/** Posted again it has the same id, by which a receiver knows it. */
export const postInstallationChange: Job<Posted, Services> = job<Posted>({
  name: 'domains.post-installation-change',
  retryAfterSeconds: [5, 30, minutes(5), minutes(30), hours(2), hours(12)],
  async run({ id, at, change: { broken, recovered, problems } }, { clock, config, signal }) {
    const { OPERATOR_WEBHOOK: url, OPERATOR_WEBHOOK_SECRET: secret } = config
    // It was taken out of the settings meanwhile.
    if (!url || !secret) return
    const data = { broken, recovered, problems }
    const body = Buffer.from(JSON.stringify({ type: 'installation.changed', created_at: at, data }))
    const key = createSecretKey(Buffer.from(secret.slice('whsec_'.length), 'base64'))
    // The operator has named it, so it may be anywhere.
    const http = new OutgoingHttp({ allowPrivateAddresses: true })
    try {
      const outcome = await http.send({
        ...{ method: 'POST', url, body, timeoutMs: POST_TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES, signal },
        headers: {
          'content-type': 'application/json',
          ...signedHeaders({ id: `msg_${id}`, sentAt: clock.now(), body }, [key]),
        },
        whenTooLarge: 'cut',
      })
      const isTaken = outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300
      const said = outcome.kind === 'answered' ? `it answered ${outcome.status}` : outcome.reason
      if (!isTaken) throw new Error(`POSTWREN_OPERATOR_WEBHOOK did not take a change: ${said}`)
    } finally {
      await http.close(0)
    }
  },
})
